//! Senders that a law or a pause threshold holds back are told with what it is.

use hopscope_explain::{Candidate, Cause};
use hopscope_measure::{Charged, HeldIn, HoldWhy, Marking, Report, ResourceKind, ResourceRow, Site, StageId};

use crate::reports::{first, link, of_resources, port, resource, stage};

/// Hosts whose flows wait so for their rate or window, while a link has time to spare.
fn held_back(id: StageId, kind: ResourceKind, waiting: &[f64], law: &str) -> Report {
    let host = |(number, &waiting): (usize, &f64)| {
        resource(kind, &format!("h{number}"), Site::Host(number as u32), 0.5, waiting)
    };
    let mut report = of_resources(waiting.iter().enumerate().map(host).collect());
    let ends = [("s:0", port(0, 0)), ("t:0", port(1, 0))];
    report.resources.push(link(ResourceKind::Output, 0, ends, 0.1, 0.0));
    report.measured.messages = 100;
    report.ledger = vec![stage(id, Charged::To(kind), 0.9), stage(StageId::Transmission, Charged::LINK, 0.1)];
    report.evidence.law = Some(law.to_owned());
    report
}

#[test]
fn the_law_that_holds_senders_back_is_named_and_all_senders_where_they_are_alike() {
    let cases = [
        (StageId::Pacing, ResourceKind::RateLimiter, "DCQCN", "for the rates of DCQCN"),
        (StageId::WindowWait, ResourceKind::FlowWindow, "HPCC", "for the windows of HPCC"),
        (StageId::PullWait, ResourceKind::FlowWindow, "pull", "for the pulls of their receivers"),
    ];
    for (id, kind, law, told) in cases {
        let alike = first(&held_back(id, kind, &[0.5; 8], law));
        assert!(alike.sentence.contains(told), "{}", alike.sentence);
        assert!(alike.sentence.contains("all 8 senders alike"), "{}", alike.sentence);
        assert!(alike.nodes.is_empty(), "{:?}", alike.nodes);
        let one = first(&held_back(id, kind, &[5.0, 0.1, 0.1], law));
        assert!(one.sentence.contains(told) && !one.sentence.contains("alike"), "{}", one.sentence);
        assert_eq!(one.nodes, ["h0"]);
    }
}

#[test]
fn marks_at_a_queue_that_is_shorter_than_a_frame_are_told_of() {
    let marked = |all: f64, marked: f64| {
        let mut report = held_back(StageId::Pacing, ResourceKind::RateLimiter, &[0.5; 8], "DCQCN");
        report.evidence.marking = Some(Marking { from: all / 4.0, all, frame: 4096.0, marked });
        first(&report).sentence
    };
    let short = marked(4000.0, 0.005);
    assert!(short.contains("ECN marks every frame that leaves more than 4 KB behind"), "{short}");
    let long = marked(400_000.0, 0.3);
    assert!(long.contains("ECN marks frames from a queue of 100 KB on: 30 % were marked"), "{long}");
    assert!(!marked(400_000.0, 0.001).contains("ECN"));
}

/// A link of 200 Gbit/s that is paused, into a switch whose output to a host is so utilised.
fn paused(threshold: f64, delay_s: f64, paused: f64, onward: f64) -> Candidate {
    let cable = [("a:0", port(0, 0)), ("b:0", port(1, 0))];
    let output = ResourceRow {
        held_in: vec![HeldIn::of(HoldWhy::Paused, paused)],
        ..link(ResourceKind::Output, 0, cable, 0.7, 5.0)
    };
    let buffer = ResourceRow {
        place: "b:0".into(),
        site: port(1, 0),
        capacity: Some(threshold),
        ..link(ResourceKind::InputBuffer, 0, cable, 0.5, 0.2)
    };
    let host = link(ResourceKind::Output, 1, [("b:1", port(1, 1)), ("h", Site::Host(0))], onward, 0.1);
    let mut report = of_resources(vec![output, host, buffer]);
    report.measured.messages = 100;
    report.evidence.rates = [(0, 200e9), (1, 200e9)].into();
    report.evidence.delays = [(0, delay_s), (1, 1e-7)].into();
    report.ledger = vec![
        stage(StageId::Paused, Charged::DOWNSTREAM_BUFFER, 0.5),
        stage(StageId::Transmission, Charged::LINK, 0.5),
    ];
    first(&report)
}

#[test]
fn a_pause_threshold_below_what_the_cable_has_under_way_is_a_window_that_is_too_small() {
    let found = paused(10_000.0, 20e-6, 0.2, 0.7);
    assert_eq!((found.cause, found.nodes), (Cause::Window, vec!["a".to_owned(), "b".to_owned()]));
    let told = "is paused 20 % of the time, though the outputs behind it have time to spare. It is paused from 10 KB in the buffer at \
                its far end on, and 1 MB come in a round trip of its cable of 20 us.";
    assert!(found.sentence.contains(told), "{}", found.sentence);
    // The threshold fits the cable; the output behind is full; it is hardly ever paused.
    for other in [paused(2e6, 20e-6, 0.2, 0.7), paused(1e4, 20e-6, 0.2, 0.99), paused(1e4, 20e-6, 0.01, 0.7)]
    {
        assert!(!other.sentence.starts_with("Pause threshold"), "{}", other.sentence);
    }
}
