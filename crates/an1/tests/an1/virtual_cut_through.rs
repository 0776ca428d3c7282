//! Cut-through as AN1 does it against virtual cut-through (SRC 88, section 3.3).

use hopscope_an1::{An1Params, Fifo, Switching};
use hopscope_topology::{Network, NetworkBuilder, Role};
use hopscope_traffic::{Flow, Load};

use crate::networks::{flow, mean};
use crate::runs::{flows, run};

/// Five switches in a row from s to d; at each, traffic of its own joins that leaves again at the next.
fn crossed_tandem() -> Network {
    let mut builder = NetworkBuilder::new();
    let switches: Vec<_> = (1..=5).map(|i| builder.add_switch(format!("{i}"))).collect();
    builder.add_host("s", switches[0], Role::Any);
    builder.add_host("d", switches[4], Role::Any);
    for (i, pair) in switches.windows(2).enumerate() {
        builder.add_link(pair[0], pair[1], None, None);
        builder.add_host(format!("x{i}"), pair[0], Role::Any);
        builder.add_host(format!("y{i}"), pair[1], Role::Any);
    }
    builder.add_host("x4", switches[4], Role::Any);
    builder.build().expect("a tandem is a network")
}

/// The mean latency from s to d when the others fill every link up to this load.
fn latency(switching: Switching, load: f64) -> f64 {
    let mut params = An1Params::default();
    (params.switch.switching, params.switch.fifo) = (switching, Fifo::Unbounded);
    let with = |from: &str, to: &str, load: f64, class: &str| Flow {
        load: Some(Load::Fraction(load)),
        class: Some(class.into()),
        ..flow(from, to)
    };
    let mut all = vec![with("s", "d", 0.02, "through"), with("x4", "d", load - 0.02, "cross")];
    all.extend((0..4).map(|i| with(&format!("x{i}"), &format!("y{i}"), load - 0.02, "cross")));
    mean(&run(crossed_tandem(), &params, &flows(all, load), 8_000_000), "latency[through].mean")
}

#[test]
fn its_advantage_vanishes_at_high_load_and_that_of_an1_does_not() {
    let advantage = |switching: Switching, load: f64| {
        (latency(Switching::StoreAndForward, load) - latency(switching, load)) / (5.0 * 80.0)
    };
    let (light, heavy) = (0.05, 0.85);
    for (switching, least, most) in
        [(Switching::CutThrough, 0.95, 1.05), (Switching::VirtualCutThrough, 0.95, 1.0)]
    {
        let body_times = advantage(switching, light);
        assert!(
            (least..=most).contains(&body_times),
            "{switching:?}: {body_times} body times a hop at light load"
        );
    }
    assert!(advantage(Switching::CutThrough, heavy) > 0.95);
    assert!(advantage(Switching::VirtualCutThrough, heavy) < 0.25);
}
