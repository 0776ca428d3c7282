//! Networks and runs that the tests of both machines share.

use hopscope_fabric::Arbiter;
use hopscope_kernel::{Model, Simulation};
use hopscope_measure::{Estimate, Report, Subject};
use hopscope_topology::{Network, NetworkBuilder, Role};
use hopscope_traffic::Flow;
use proptest::prelude::*;

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

/// The report on this number of events, after a fifth as many of warm-up.
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

/// Two switches with this many hosts each. The nodes are the same whatever the numbers: `trunk_first` gives the link
/// between the switches the lowest port, otherwise the highest; `reversed` numbers hosts and switches backwards.
pub fn numbered(hosts: usize, trunk_first: bool, reversed: bool) -> Network {
    let mut builder = NetworkBuilder::new();
    let mut names = ["x", "y"];
    if reversed {
        names.reverse();
    }
    let switches = names.map(|name| builder.add_switch(name));
    if trunk_first {
        builder.add_link(switches[0], switches[1], None, None);
    }
    for (switch, name) in switches.into_iter().zip(names) {
        let mut numbers: Vec<usize> = (0..hosts).collect();
        if reversed {
            numbers.reverse();
        }
        for number in numbers {
            builder.add_host(format!("{name}{number}"), switch, Role::Any);
        }
    }
    if !trunk_first {
        builder.add_link(switches[0], switches[1], None, None);
    }
    builder.build().expect("two switches are a network")
}

/// The numberings of a network, the first of which is compared with the others.
pub const NUMBERINGS: [(bool, bool); 4] = [(true, false), (false, false), (true, true), (false, true)];

/// Asserts that estimates of one quantity do not differ: by no more than twice what the intervals at 95 % allow
/// for a difference, which is four standard deviations.
pub fn assert_alike(estimates: &[Estimate], what: &str) {
    let half = |estimate: &Estimate| (estimate.high - estimate.low) / 2.0;
    for (index, other) in estimates.iter().enumerate().skip(1) {
        let allowed = 2.0 * half(&estimates[0]).hypot(half(other));
        let apart = (other.value - estimates[0].value).abs();
        assert!(
            allowed > 0.0 && apart <= allowed,
            "{what}, numbering {index}: {:?}, not {:?}",
            other,
            estimates[0]
        );
    }
}

/// A metric that was measured.
pub fn estimate(report: &Report, key: &str) -> Estimate {
    report.metric(key).and_then(|m| m.estimate).unwrap_or_else(|| panic!("{key} was measured"))
}

/// Any arbiter.
pub fn arbiter() -> impl Strategy<Value = Arbiter> {
    prop_oneof![
        Just(Arbiter::Oldest),
        Just(Arbiter::Random),
        Just(Arbiter::RoundRobin),
        Just(Arbiter::Lowest),
    ]
}
