//! Networks and runs that the tests of both machines share.

use hopscope_kernel::{Model, Simulation};
use hopscope_measure::{Report, Subject};
use hopscope_topology::{Network, NetworkBuilder, Role};
use hopscope_traffic::Flow;

/// Five switches in a row, two sources on the first, one destination on the last: SRC 88, Fig. 7.
pub fn tandem() -> Network {
    let mut builder = NetworkBuilder::new();
    let switches: Vec<_> = (1..=5).map(|i| builder.add_switch(format!("{i}"))).collect();
    for pair in switches.windows(2) {
        builder.add_link(pair[0], pair[1], None, None);
    }
    builder.add_host("s1", switches[0], Role::Any);
    builder.add_host("s2", switches[0], Role::Any);
    builder.add_host("d", switches[4], Role::Any);
    builder.build().expect("a tandem is a network")
}

/// One switch with n senders and n receivers.
pub fn crossbar(n: usize) -> Network {
    let mut builder = NetworkBuilder::new();
    let switch = builder.add_switch("switch");
    for i in 0..n {
        builder.add_host(format!("in{i}"), switch, Role::Client);
        builder.add_host(format!("out{i}"), switch, Role::Server);
    }
    builder.build().expect("a switch with hosts is a network")
}

/// A flow of messages that is as the whole traffic says.
pub fn flow(from: &str, to: &str) -> Flow {
    Flow { from: from.into(), to: to.into(), class: None, load: None, sizes: None, bursts: None }
}

/// The report on so many events, after a fifth as many of warm-up.
pub fn report_after<M: Model + Subject>(mut simulation: Simulation<M>, events: u64) -> Report {
    simulation.run_events(events / 5);
    let now = simulation.now();
    simulation.model.restart(now);
    simulation.run_events(events);
    let now = simulation.now();
    simulation.model.report(now)
}

/// The mean of a delay in microseconds.
pub fn mean(report: &Report, key: &str) -> f64 {
    report.metric(key).and_then(|m| m.estimate).unwrap_or_else(|| panic!("{key} was measured")).value
}
