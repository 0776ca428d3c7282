# make build   build .venv/bin/hopscope: a virtual environment, the Rust core, the Python package
# make run     a first look, two minutes: a bad cable in a fabric, then the ARPANET of 1974 and 1975 with a report
# make run-an1 a latency curve: AN1's Mstage network at nine loads, with a report
# make test    all tests and lints
# make storm   two minutes of random experiments over all that scenarios accept
# make nightly property tests with new cases, and the long tests
# make fuzz MINUTES=10   every reader of bytes under libFuzzer, so long each (needs cargo-fuzz and a nightly compiler)
# make web     the engine as WebAssembly, for pages that run their scenario (needs Rust's wasm32-unknown-unknown)
# make mutants [CRATES="kernel pup"] [SAMPLE=20] [SEED=1977]   changes of the code that no test notices (needs
#              cargo-mutants); goes on where it was stopped
# make mutants-python [SAMPLE=8] [SEED=1977]   the same of the Python that decides what a result says
# make fingerprints      renew the pinned result hashes in tests/fingerprints/
# make docs    the documentation site in site/, links checked
# make container         an image with hopscope in it, by podman or docker
# make wheels HOME_PAGE=https://...   wheels and source distribution of the last commit in dist/, each checked in a
#              clean environment; HOME_PAGE is where the project's files can be read. For this kind of machine by a
#              profile of runs, where `rustup component add llvm-tools` has been called
# make crates HOME_PAGE=https://...   the crates of the last commit as packages for a registry; publishes nothing
# make release VERSION=1.2.3 HOME_PAGE=https://...   set the version, commit, build and check; publishes nothing
# make supply-chain      licences, duplicates, origins, advisories of what the Rust core depends on (needs cargo-deny)
# make clean   remove the virtual environment and the compiled module

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
LOADS ?= 0.1..0.9:0.1
MINUTES ?= 10
ARPANET := runs/arpanet
SLOW := runs/leaf-spine
FABRIC := scenarios/leaf-spine.ibnetdiscover
FIRST_LIGHT := runs/first-light
VENV_DOCS := .venv-docs
VENV_RELEASE := .venv-release
VENV_MUTANTS := target/mutants/venv
EXPORTED := target/exported
UNPACKED := target/unpacked
PROFILE := $(CURDIR)/target/profile

# One profile everywhere, and one Python for the binding crate, so that every crate is compiled once.
export PYO3_PYTHON := $(CURDIR)/$(BIN)/python
export VIRTUAL_ENV := $(CURDIR)/$(VENV)
export PIP_QUIET := 1
export PIP_DISABLE_PIP_VERSION_CHECK := 1

RUST := Cargo.toml Cargo.lock pyproject.toml $(shell find crates \( -name '*.rs' -o -name Cargo.toml \) -not -path '*/target/*')
CARRIED := $(shell find scenarios studies published -type f)
PAGE := python/hopscope/report/built/page.js
ENGINE := python/hopscope/report/built/engine.wasm
PAGE_SOURCES := $(shell find viewer/src -type f) $(wildcard viewer/*.js viewer/*.json)

.DELETE_ON_ERROR:
.PHONY: build run run-an1 web test storm nightly lint fuzz mutants mutants-python fingerprints docs container wheels crates release supply-chain clean

build: $(VENV)/built $(PAGE)

$(VENV)/installed: requirements.lock requirements-cluster.lock
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "hopscope needs Python 3.11 or newer")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --require-hashes -r requirements.lock
	$(BIN)/pip install --require-hashes --no-deps -r requirements-cluster.lock
	@touch $@

$(VENV)/built: $(VENV)/installed $(RUST) $(CARRIED)
	$(BIN)/maturin develop --release
	@touch $@

# The page: one script and one style sheet, from TypeScript. Without Node everything but reports and `hopscope view`
# works.
$(PAGE): $(PAGE_SOURCES)
	@if ! node -e 'process.exit(parseInt(process.versions.node) < 20 ? 1 : 0)' 2> /dev/null || ! command -v npm > /dev/null; then \
	  echo "Node 20 or newer is not installed: there will be no reports and no hopscope view" >&2; \
	elif ! (cd viewer && npm ci --no-audit --no-fund --silent); then \
	  echo "npm cannot install what viewer/ needs: there will be no reports and no hopscope view" >&2; \
	else cd viewer && npm run --silent build > /dev/null; fi

# The second part exits with code 1 where a published value is missed. That is a result, which the table and the report
# explain, and no failure of the command.
run: build
	@rm -rf $(ARPANET) $(SLOW)
	@echo "Part 1 of 2, a few seconds: why is this InfiniBand fabric of 96 hosts slow? ($(FABRIC))"
	@echo
	@$(BIN)/hopscope run $(FABRIC) --out $(SLOW) --quiet > /dev/null
	@$(BIN)/hopscope explain $(SLOW) --quiet | sed -n '4,14p'
	@echo
	@echo "open $(CURDIR)/$(SLOW)/report.html"
	@echo
	@echo "Part 2 of 2, about a minute: why was the ARPANET of 1975 slow? Simulated throughput beside the published measurements."
	@echo
	@$(BIN)/hopscope study ko/fig3 ko/fig9 --out $(ARPANET) || test $$? -eq 1
	@echo "done; open $(CURDIR)/$(ARPANET)/report.html"

run-an1: build
	@rm -rf $(FIRST_LIGHT)
	@$(BIN)/hopscope sweep an1-mstage --over traffic.load=$(LOADS) --out $(FIRST_LIGHT)
	@echo "open $(CURDIR)/$(FIRST_LIGHT)/report.html"

# Property tests draw the same cases every time, so that a change is judged by what it changes; the nightly run draws
# new ones.
test: export PROPTEST_RNG_SEED := 1977
test: build lint
	cargo test --workspace --release
	$(BIN)/pytest

# Rust's standard library for pages comes with `rustup target add wasm32-unknown-unknown`.
web: $(ENGINE)

$(ENGINE): $(RUST) $(CARRIED)
	cargo build --package hopscope-web --target wasm32-unknown-unknown --profile web
	@mkdir -p $(@D)
	cp target/wasm32-unknown-unknown/web/hopscope_web.wasm $@

storm: build
	$(BIN)/hopscope storm

nightly: build
	cargo test --workspace --release --features hopscope-queueing/long,hopscope-pup/long
	$(BIN)/pytest -m long
	$(BIN)/hopscope storm --minutes 30 --seed $$(date +%Y%m%d)

lint: build
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --release -- -D warnings
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	@if [ -d viewer/node_modules ]; then cd viewer && npm run --silent check; \
	else echo "skipped: Node is not installed, so the page's types are not checked" >&2; fi

fuzz:
	fuzz/run.sh $(MINUTES)

mutants:
	$(PYTHON) tests/mutants/run.py $(if $(CRATES),--crates $(CRATES)) $(if $(SAMPLE),--sample $(SAMPLE)) $(if $(SEED),--seed $(SEED))

$(VENV_MUTANTS)/installed: tests/mutants/requirements.lock
	$(PYTHON) -m venv $(VENV_MUTANTS)
	$(VENV_MUTANTS)/bin/pip install --require-hashes -r tests/mutants/requirements.lock
	@touch $@

mutants-python: build $(VENV_MUTANTS)/installed
	$(VENV_MUTANTS)/bin/python tests/mutants/python.py $(if $(SAMPLE),--sample $(SAMPLE)) $(if $(SEED),--seed $(SEED))

fingerprints: build
	$(BIN)/python tests/python/fingerprints.py

$(VENV_DOCS)/installed: requirements-docs.lock
	$(PYTHON) -m venv $(VENV_DOCS)
	$(VENV_DOCS)/bin/pip install --require-hashes -r requirements-docs.lock
	@touch $@

# The site's notebooks run with the package that `make build` has built.
docs: build $(VENV_DOCS)/installed
	@rm -rf site
	@mkdir -p target/site
	PYTHONPATH=$(CURDIR)/python $(VENV_DOCS)/bin/mkdocs build --strict --config-file docs/site/mkdocs.yml

container:
	@tool=$$(command -v podman || command -v docker) || { echo "podman or docker is needed"; exit 1; }; \
	  $$tool build --file Containerfile --tag hopscope .

$(VENV_RELEASE)/installed: release/requirements.lock
	$(PYTHON) -m venv $(VENV_RELEASE)
	$(VENV_RELEASE)/bin/pip install --require-hashes -r release/requirements.lock
	@touch $@

# Wheels are built from the source distribution, so that it is known to build. Not with --locked: its lock file still
# has what the benchmarks use. On Linux zig links against the oldest glibc that is promised, 2.28. Another processor's
# wheel is built where Rust has its standard library (rustup target add aarch64-unknown-linux-gnu).
wheels: export CARGO_TARGET_DIR := $(CURDIR)/target
wheels: export PATH := $(CURDIR)/$(VENV_RELEASE)/bin:$(PATH)
wheels: $(VENV_RELEASE)/installed
	@test -n "$(HOME_PAGE)" || { echo "where can the project's files be read? make wheels HOME_PAGE=https://..."; exit 1; }
	@rm -rf dist $(EXPORTED) $(UNPACKED)
	python release/source.py $(EXPORTED) $(HOME_PAGE)
	cd $(EXPORTED) && maturin sdist --out $(CURDIR)/dist
	mkdir $(UNPACKED) && tar -xzf dist/*.tar.gz -C $(UNPACKED) --strip-components 1
	cd $(UNPACKED) && if [ "$$(uname)" = Linux ]; then \
	  for target in $$(rustup target list --installed | grep linux-gnu | sort -r); do \
	    $(PYTHON) $(CURDIR)/release/by_profile.py $$target $(PROFILE) -- \
	      maturin build --zig --compatibility manylinux_2_28 --target $$target --out $(CURDIR)/dist || exit 1; \
	  done; \
	else $(PYTHON) $(CURDIR)/release/by_profile.py "$$(rustc --print host-tuple)" $(PROFILE) -- \
	  maturin build --out $(CURDIR)/dist; fi
	python release/check.py dist

crates:
	@test -n "$(HOME_PAGE)" || { echo "where can the project's files be read? make crates HOME_PAGE=https://..."; exit 1; }
	@rm -rf $(EXPORTED)
	$(PYTHON) release/source.py $(EXPORTED) $(HOME_PAGE)
	CARGO_TARGET_DIR=$(CURDIR)/target $(PYTHON) release/crates.py $(EXPORTED) $(HOME_PAGE)
	@echo "target/package/ is ready. To publish: cargo publish --workspace in $(EXPORTED)."

release:
	@git diff --quiet HEAD || { echo "commit your changes first"; exit 1; }
	@test -n "$(VERSION)" || { echo "which version? make release VERSION=1.2.3 HOME_PAGE=https://..."; exit 1; }
	$(PYTHON) release/version.py $(VERSION)
	git commit --all --message "[release] $(VERSION)"
	$(MAKE) wheels
	@echo "dist/ is ready. To publish: git tag v$(VERSION), push the tag, approve the workflow \`release\`."

# Where cargo-deny is not installed this says so and passes; advisories are looked up where their database can be had.
supply-chain:
	@if command -v cargo-deny > /dev/null; then \
	  cargo deny --all-features check bans licenses sources && \
	  if cargo deny --all-features fetch db 2> /dev/null; then cargo deny --all-features check advisories; \
	  else echo "skipped: the database of advisories cannot be had"; fi; \
	else echo "skipped: cargo-deny is not installed (cargo install --locked cargo-deny)"; fi

clean:
	rm -rf $(VENV) $(VENV_DOCS) $(VENV_RELEASE) site dist viewer/node_modules $(dir $(PAGE)) python/hopscope/_core.*.so
