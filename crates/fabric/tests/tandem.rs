//! Five switches in a row: against what can be computed by hand.

mod common;

use common::{flow, flows, mean, run, tandem};
use hopscope_fabric::{FabricParams, Fifo, Switching};

fn unbounded(switching: Switching) -> FabricParams {
    let mut params = FabricParams::default();
    params.switch.fifo = Fifo::Unbounded;
    params.switch.switching = switching;
    params
}

#[test]
fn an_idle_path_takes_11_2_us() {
    // 5 switches of 2 us and 6 links of 0.2 us (SRC 88, Table 2 at light load).
    let report = run(tandem(), &unbounded(Switching::CutThrough), &flows(vec![flow("s1", "d")], 0.0001), 20_000);
    let latency = mean(&report, "latency.p50");
    assert!((latency - 11.2).abs() < 0.02, "{latency} us");
}

#[test]
fn explore() {
    for (switching, load) in [(Switching::CutThrough, 0.05), (Switching::CutThrough, 0.9), (Switching::StoreAndForward, 0.05), (Switching::StoreAndForward, 0.9)] {
        let traffic = flows(vec![flow("s1", "d"), flow("s2", "d")], load / 2.0);
        let t = std::time::Instant::now();
        let report = run(tandem(), &unbounded(switching), &traffic, 20_000_000);
        eprintln!("{switching:?} {load} {:?} {:?}", report.metric("latency.mean"), t.elapsed());
    }
}
