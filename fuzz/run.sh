#!/usr/bin/env bash
# Every fuzz target, or those named, under libFuzzer for so many minutes each: fuzz/run.sh [MINUTES [TARGET...]]
# Ends with 1 where one of them finds something, which stands in fuzz/artifacts/ then.
set -euo pipefail
cd "$(dirname "$0")/.."
minutes=${1:-10}
shift || true
targets=("$@")
[ ${#targets[@]} -gt 0 ] || targets=(pups streams endpoints captures fabrics tables counters flows scenarios studies sites)
command -v cargo-fuzz > /dev/null || { echo "cargo-fuzz is missing: cargo install --locked cargo-fuzz" >&2; exit 2; }
# No unsafe code, so no sanitizer: coverage and assertions find what is to be found, twice as fast.
cargo +nightly fuzz build --sanitizer none

# Files of the project that a target reads, beside its own seeds.
more() {
  case $1 in
    fabrics | tables | counters | flows) echo crates/formats/tests/data ;;
    scenarios) echo tests/bad-scenarios ;;
    studies) echo studies tests/bad-studies ;;
    sites) echo tests/bad-scenarios/arpanet ;;
  esac
}

found=0
for target in "${targets[@]}"; do
  mkdir -p "fuzz/corpus/$target" "fuzz/artifacts/$target" fuzz/seeds/"$target"
  echo "== $target, $minutes min"
  # shellcheck disable=SC2046 # a list of folders
  fuzz/target/x86_64-unknown-linux-gnu/release/"$target" "fuzz/corpus/$target" "fuzz/seeds/$target" $(more "$target") \
    -artifact_prefix="fuzz/artifacts/$target/" -max_total_time=$((minutes * 60)) -max_len=6000 -timeout=20 \
    -rss_limit_mb=2048 -print_final_stats=1 -verbosity=1 > "fuzz/artifacts/$target.log" 2>&1 || found=1
  grep -E "^(SUMMARY|Test unit written|==.*ERROR)" "fuzz/artifacts/$target.log" || true
  grep -E "cov: " "fuzz/artifacts/$target.log" | tail -n 1
  grep -E "^stat::number_of_executed_units" "fuzz/artifacts/$target.log" || true
done
exit $found
