//! Hosts of limited speed, and the instants of RFC 619 in the lives of their messages.

use std::sync::Arc;

use crate::nets::{chain, flow, pdp_11, run, value, version_3};
use hopscope_arpanet::{ArpanetPlan, FlowParams, HostParams, ProtocolParams, Version, When};
use hopscope_measure::{InstantRow, JourneyLog, Report, ResourceKind, RunPlan, StageId, Warmup, drive};
use hopscope_units::Span;

/// A run to its end that keeps the journeys of the first `messages` messages.
fn kept(params: hopscope_arpanet::ArpanetParams, messages: u64) -> Report {
    let plan = Arc::new(ArpanetPlan::new(params).expect("a valid subnet"));
    let mut simulation = plan.simulation(1, JourneyLog::new(messages));
    drive(&mut simulation, RunPlan { warmup: Warmup::None, ..RunPlan::messages(1_000_000) }, |_, _| true)
}

#[test]
fn a_host_that_works_on_each_message_sends_no_faster_than_that() {
    // Eight packets of 1008 bits and a leader at 100 kbit/s, each handled by the IMP for 1060 us and 2 us a word,
    // before the host can turn to the next message.
    let input_ms = (8.0 * 1008.0 + 32.0) / 100.0 + 8.0 * (1.060 + 63.0 * 0.002);
    let carried = |work_ms| {
        let mut params = chain(1, 600);
        params.host[0].per_message_sent = Span::from_ms(work_ms);
        run(params, 1)
    };
    let network_ms = 8063.0 / value(&carried(0), "throughput.rate");
    // Not so long that the allocation of the reply before is given back.
    for work_ms in [10, 50, 200, 300] {
        let report = carried(work_ms);
        let bound = 8063.0 / network_ms.max(input_ms + work_ms as f64);
        let throughput = value(&report, "throughput.rate");
        assert!((throughput - bound).abs() < 0.01 * bound, "{throughput} and {bound} kbit/s at {work_ms} ms");
        let stage = report.ledger.iter().find(|row| row.stage == StageId::HostProcessing).expect("a stage");
        let spent_ms = stage.estimate.expect("it was spent").value * 1e-3;
        assert!((spent_ms - work_ms as f64).abs() < 1e-6, "{spent_ms} ms");
    }
}

#[test]
fn each_version_has_its_message_numbers_unless_they_are_given() {
    let numbers = |version, message_numbers| {
        ProtocolParams { version, message_numbers, ..ProtocolParams::default() }.message_numbers()
    };
    assert_eq!([Version::Two, Version::Three].map(|version| numbers(version, None)), [4, 8]);
    assert_eq!([Version::Two, Version::Three].map(|version| numbers(version, Some(6))), [6, 6]);
    let rows = run(version_3(chain(3, 10)), 1).resources;
    let pool = rows.iter().find(|row| row.kind == ResourceKind::MessageNumbers).expect("they are used");
    assert_eq!(pool.capacity, Some(8.0));
}

#[test]
fn the_instants_of_a_lone_message_are_those_of_rfc_619() {
    let mut params = chain(1, 600);
    params.host.push(HostParams { name: "sink".into(), per_message: Span::from_ms(7), ..pdp_11("imp1") });
    params.host[0].per_message_sent = Span::from_ms(30);
    params.flow = vec![flow("PDP-11", "sink", 1000, When::Every(Span::from_s(10)))];
    let report = kept(params, 40);
    let whose = |row: &InstantRow| (row.class.clone(), row.from.clone(), row.to.clone());
    assert_eq!(report.instants.len(), 40);
    assert!(
        report.instants.iter().all(|row| whose(row) == ("message".into(), "PDP-11".into(), "sink".into()))
    );
    // Routing messages may delay a message; those that met none have the least intervals.
    let least = |to: usize| {
        let intervals = report.instants.iter().map(|row| row.instants_ps[to] - row.instants_ps[to - 1]);
        intervals.min().expect("there are messages") as f64 * 1e-9
    };
    let (output, propagation) = (0.185, 2.0);
    let handled = |words: f64| 1.060 + 0.002 * words;
    let expected = [
        // The host's work, leader and message at 100 kbit/s, and the IMP's handling.
        30.0 + (32.0 + 1008.0) / 100.0 + handled(63.0),
        // Buffers and channels are free.
        0.0,
        // To the destination's queue for its host.
        output + 1176.0 / 50.0 + propagation + handled(73.0),
        // Until the host has the first packet; it accepts a message in 7 ms.
        7.0 + (32.0 + 1008.0) / 100.0,
        // The RFNM to the source IMP, once the background loop has made it.
        0.700 + output + 152.0 / 50.0 + propagation + handled(9.0),
        // Then to its host.
        32.0 / 100.0,
    ];
    for (nth, expected) in expected.into_iter().enumerate() {
        let found = least(nth + 1);
        assert!((found - expected).abs() < 1e-6, "T({})-T({}): {found} and {expected} ms", nth + 2, nth + 1);
    }
}

#[test]
fn instants_are_kept_of_every_journey_that_ends_and_add_up_to_the_means() {
    let params = version_3(chain(6, 60));
    let report = kept(params.clone(), 1_000_000);
    let rows = &report.instants;
    let mean_ms = |from: usize, to: usize| {
        let sum: f64 =
            rows.iter().map(|row| (row.instants_ps[to - 1] - row.instants_ps[from - 1]) as f64).sum();
        sum * 1e-9 / rows.len() as f64
    };
    for (metric, from, to) in
        [("round trip.mean", 2, 6), ("T(4)-T(3).mean", 3, 4), ("message life.mean", 1, 7)]
    {
        let (found, expected) = (mean_ms(from, to), value(&report, metric));
        assert!((found - expected).abs() < 1e-6 * expected, "{metric}: {found} and {expected} ms");
    }
    assert_eq!(
        kept(params.clone(), 25).instants,
        rows.iter().filter(|row| row.message < 25).cloned().collect::<Vec<_>>()
    );
    assert!(run(params, 1).instants.is_empty(), "nothing is kept unasked");
}

#[test]
fn two_saturated_hosts_of_one_imp_have_equal_shares() {
    // They share the message numbers of their IMP (version 2) or its tables (version 3); the IMP looks after them in
    // turn, as the program does.
    for late in [false, true] {
        let mut params = chain(3, 300);
        if late {
            params = version_3(params);
        }
        params.protocol.host_poll = Some(Span::from_us(25_600));
        params.host.push(HostParams { name: "second".into(), ..pdp_11("imp0") });
        let flow = flow("second", "imp3", 8063, When::Saturated);
        params.flow.push(FlowParams { class: "second".into(), ..flow });
        let report = run(params, 1);
        let [one, two] =
            ["message", "second"].map(|class| value(&report, &format!("throughput[{class}].rate")));
        assert!((one - two).abs() < 0.1 * one, "{one} and {two} kbit/s");
        for class in ["message", "second"] {
            let [first, last] = ["first", "last"]
                .map(|bit| value(&report, &format!("round trip from {bit} bit[{class}].mean")));
            assert!(first > last && last > 100.0, "{first} and {last} ms of {class}");
        }
    }
}

#[test]
fn a_periodic_flow_begins_with_its_phase() {
    let born = |phase: Option<Span>| {
        let mut params = chain(1, 10);
        let when = When::Every(Span::from_s(1));
        params.flow = vec![FlowParams { phase, ..flow("PDP-11", "imp1", 100, when) }];
        let instants = kept(params, 3).instants;
        instants.iter().map(|row| row.instants_ps[0] / 1_000_000_000).collect::<Vec<_>>()
    };
    assert_eq!(born(None), [1000, 2000, 3000]);
    assert_eq!(born(Some(Span::from_ms(250))), [250, 1250, 2250]);
    assert_eq!(born(Some(Span::ZERO)), [0, 1000, 2000]);
}
