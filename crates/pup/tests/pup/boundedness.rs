//! However slow a network, the Pups under way stay as many as windows, probes, calls and acknowledgments account for.

use std::sync::Arc;

use hopscope_measure::Subject;
use hopscope_pup::{PupParams, PupPlan};
use hopscope_units::{Span, Time};
use proptest::prelude::*;

/// Hosts with fast processors on one network, each sending to one of its own.
fn crowd(hosts: u32, medium: &str, sender: &str, window: u32) -> PupParams {
    toml::from_str(&format!(
        "network = [{{ name = \"net\", number = 3, medium = {medium} }}]\n\
         host = [{{ name = \"s\", network = \"net\", address = 1, count = {hosts} }}, \
         {{ name = \"r\", network = \"net\", address = 101, count = {hosts} }}]\n\
         test = [{{ from = \"s\", to = \"r\", data = \"532 B\" }}]\n\
         stream = {{ sender = \"{sender}\", window = {window}, turnaround = \"0.1 ms\" }}\n\
         processing = {{ host = {{ pup = \"0.1 ms\", word = \"0 s\" }} }}\n"
    ))
    .expect("the scenario is right")
}

/// The most Pups in transit at any full second, and the Pups acknowledged in `seconds` seconds.
fn most_under_way(params: PupParams, seconds: u64) -> (usize, u64) {
    let plan = PupPlan::new(params).expect("the internet is right");
    let mut simulation = Arc::new(plan).simulation(1, (), ());
    let mut most = 0;
    for second in 1..=seconds {
        simulation.run_until(Time::ZERO + Span::from_s(second));
        most = most.max(simulation.model.pups_under_way());
    }
    let now = simulation.now();
    (most, simulation.model.report(now).measured.messages)
}

/// Copies of a stream's Pups: its window twice, since what is acknowledged by one copy may still stand as another, and
/// one each of probes, calls and acknowledgments.
fn accounted_for(hosts: u32, window: u32) -> usize {
    (hosts * (2 * window + 6)) as usize
}

#[test]
fn four_fast_senders_on_a_slow_ethernet_do_not_pile_up_retransmissions() {
    let params = crowd(4, "{ ethernet = { rate = \"300 kbit/s\" } }", "clump", 5);
    let (most, acknowledged) = most_under_way(params, 600);
    assert!(most <= accounted_for(4, 5), "{most} Pups under way");
    assert!(acknowledged > 20_000, "{acknowledged} Pups in ten minutes of a cable that takes 67 a second");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn no_rate_and_no_sender_makes_queues_grow_without_end(
        hosts in 1u32..8,
        kbit_s in 1u32..1_000,
        window in 1u32..12,
        sender in prop_oneof![Just("clump"), Just("burst"), Just("sliding")],
    ) {
        let medium = format!("{{ ethernet = {{ rate = \"{kbit_s} kbit/s\" }} }}");
        let (most, _) = most_under_way(crowd(hosts, &medium, sender, window), 300);
        prop_assert!(most <= accounted_for(hosts, window), "{} Pups under way", most);
    }
}
