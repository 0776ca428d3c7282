//! Five switches in a row: against what can be computed by hand.

use std::sync::Arc;

use crate::networks::{flow, mean, tandem};
use crate::runs::{flows, run};
use hopscope_an1::{An1Params, An1Plan, Fifo, Switching};
use hopscope_topology::{NetworkBuilder, Role};
use hopscope_units::{Rate, Span};

fn unbounded(switching: Switching) -> An1Params {
    let mut params = An1Params::default();
    params.switch.fifo = Fifo::Unbounded;
    params.switch.switching = switching;
    params
}

#[test]
fn an_idle_path_takes_11_2_us() {
    // 5 switches of 2 us and 6 links of 0.2 us (SRC 88, Table 2 at light load).
    let report =
        run(tandem(), &unbounded(Switching::CutThrough), &flows(vec![flow("s1", "d")], 0.0001), 20_000);
    let latency = mean(&report, "latency.p50");
    assert!((latency - 11.2).abs() < 0.02, "{latency} us");
}

#[test]
fn light_load_is_as_published() {
    // Table 2 at load 0.05, fixed length: 13.4 us cut-through, 413 us store-and-forward.
    let traffic = flows(vec![flow("s1", "d"), flow("s2", "d")], 0.025);
    let ct = mean(&run(tandem(), &unbounded(Switching::CutThrough), &traffic, 4_000_000), "latency.mean");
    let sf =
        mean(&run(tandem(), &unbounded(Switching::StoreAndForward), &traffic, 4_000_000), "latency.mean");
    assert!((ct - 13.4).abs() < 0.1, "{ct} us");
    assert!((sf - 413.0).abs() < 1.0, "{sf} us");
    // The paper finds their difference to be 4.99 body times.
    assert!(((sf - ct) / 80.0 - 5.0).abs() < 0.02, "{} body times", (sf - ct) / 80.0);
}

#[test]
fn buffers_that_never_fill_change_nothing() {
    let traffic = flows(vec![flow("s1", "d")], 0.5);
    let bounded = run(tandem(), &An1Params::default(), &traffic, 400_000);
    let unbounded = run(tandem(), &unbounded(Switching::CutThrough), &traffic, 400_000);
    assert_eq!(bounded.metric("latency.mean"), unbounded.metric("latency.mean"));
}

#[test]
fn a_stop_over_a_link_without_delay_lasts_for_a_byte() {
    // Data come in at twice the rate at which they leave. At the threshold a stop and the start after it take effect at
    // once, so that a byte's time, 80 ns, is all that passes between two stops.
    let mut builder = NetworkBuilder::new();
    let [near, far] = ["near", "far"].map(|name| builder.add_switch(name));
    builder.add_link(near, far, Some(Rate::from_mbit_s(50)), None);
    builder.add_host("s", near, Role::Any);
    builder.add_host("d", far, Role::Any);
    let network = builder.build().expect("two switches");
    let mut params = An1Params::default();
    params.fabric.link.delay = Span::ZERO;
    let traffic = flows(vec![flow("s", "d")], 0.9);
    let plan = An1Plan::new(network, params, traffic).expect("a valid scenario");
    let mut simulation = Arc::new(plan).simulation(1, ());
    simulation.run_events(200_000);
    let us = simulation.now().ps() / 1_000_000;
    assert!(us > 2_000, "{us} us have passed");
}
