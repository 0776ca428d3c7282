//! Senders that a law or a pause threshold holds back are reported with it.

use hopscope_explain::{Candidate, Cause, explain};
use hopscope_measure::{
    Charged, Dependence, HeldIn, HoldActivity, HoldWhy, IncastUse, Marking, Report, ResourceKind,
    ResourceRow, Site, StageId, StopUse,
};

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
fn windows_before_a_link_with_time_to_spare_are_too_small_for_their_round_trip() {
    let of = |used: f64, sent_s: f64, waits: f64| {
        let mut report = held_back(StageId::WindowWait, ResourceKind::FlowWindow, &[0.7; 3], "DCTCP");
        report.resources[3] =
            link(ResourceKind::Output, 0, [("s:0", port(0, 0)), ("h9", Site::Host(9))], used, 4.0);
        report.ledger[0].share = waits;
        report.evidence.incasts =
            vec![IncastUse { row: Some(3), round_s: 1.0, sent_s, ..IncastUse::default() }];
        first(&report)
    };
    let small = of(0.85, 0.85, 0.75);
    assert_eq!(small.cause, Cause::Window, "{}", small.sentence);
    assert!(small.sentence.contains("The busiest link is 85 % utilised"), "{}", small.sentence);
    // The link is full, or full as long as a round lasts; or messages wait for something else.
    for (used, sent_s, waits) in [(0.95, 0.95, 0.75), (0.7, 0.95, 0.75), (0.85, 0.85, 0.4)] {
        let full = of(used, sent_s, waits);
        assert_eq!(full.cause, Cause::Resource, "{}", full.sentence);
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
                its far end on, and 1 MB come in a round trip on its cable, 20 us one way.";
    assert!(found.sentence.contains(told), "{}", found.sentence);
    // The threshold fits the cable; the output behind is full; it is hardly ever paused.
    for other in [paused(2e6, 20e-6, 0.2, 0.7), paused(1e4, 20e-6, 0.2, 0.99), paused(1e4, 20e-6, 0.01, 0.7)]
    {
        assert!(!other.sentence.starts_with("Pause threshold"), "{}", other.sentence);
    }
}

/// A link of 100 Mbit/s from a host, stopped half of the time by a FIFO whose packets go on over a link that is so
/// utilised. Its cable takes this long, and stops and starts are sent once in `every_s`.
fn stopped(every_s: f64, delay_s: f64, stopped: f64, onward: f64) -> Candidate {
    let cable = [("h", Site::Host(0)), ("a:0", port(0, 0))];
    let output = ResourceRow {
        held_in: vec![HeldIn::of(HoldWhy::Stopped, stopped)],
        ..link(ResourceKind::Output, 0, cable, 0.3, 5.0)
    };
    let fifo = ResourceRow {
        held_in: vec![HeldIn::of(HoldWhy::Packets, 2.0)],
        ..link(ResourceKind::InputFifo, 0, cable, 0.2, 1.0)
    };
    let next = link(ResourceKind::Output, 1, [("a:1", port(0, 1)), ("b:0", port(1, 0))], onward, 1.0);
    let mut report = of_resources(vec![output, fifo, next]);
    report.measured.messages = 100;
    report.evidence.rates = [(0, 1e8), (2, 1e8)].into();
    report.evidence.delays = [(0, delay_s), (2, 1e-7)].into();
    report.evidence.stops = Some(StopUse { level: 8_000.0, every_s });
    let depends = |holder, why, needs| Dependence { holder, activity: Some(HoldActivity::of(why)), needs };
    report.dependences = vec![depends(0, HoldWhy::Stopped, 1), depends(1, HoldWhy::Packets, 2)];
    report.ledger = vec![
        stage(StageId::SendQueue, Charged::To(ResourceKind::Output), 0.8),
        stage(StageId::Body, Charged::LAST_LINK, 0.2),
    ];
    first(&report)
}

#[test]
fn a_fifo_that_runs_dry_before_its_start_has_effect_is_a_window_at_what_its_packets_need() {
    // Its 1 KB last for 80 us.
    let rare = stopped(300e-6, 1e-7, 0.5, 0.7);
    assert_eq!((rare.cause, rare.nodes), (Cause::Window, vec!["a".to_owned(), "b".to_owned()]));
    let told = "Rare directives: switches send stops and starts every 300 us (`switch.directive`), and 1 KB, from which on a FIFO stops its \
                link (`switch.stop_above`), have left it after 80 us. The link h -> a:0 is stopped 50 % of the time, though the link \
                a:1 -> b:0 behind it is only 70 % utilised.";
    assert!(rare.sentence.starts_with(told), "{}", rare.sentence);
    let far = stopped(0.0, 150e-6, 0.5, 0.7);
    let told = "Stop level: a FIFO stops its link from 1 KB on (`switch.stop_above`), which have left it after 80 us, and what is sent after \
                a start comes a round trip of the cable later, 300 us.";
    assert!(far.cause == Cause::Window && far.sentence.starts_with(told), "{}", far.sentence);
    // Soon enough; hardly ever stopped; the link behind is full.
    for other in
        [stopped(20e-6, 1e-7, 0.5, 0.7), stopped(300e-6, 1e-7, 0.05, 0.7), stopped(300e-6, 1e-7, 0.5, 0.99)]
    {
        assert_ne!(other.cause, Cause::Window, "{}", other.sentence);
    }
}

#[test]
fn the_life_of_a_message_of_many_frames_tells_of_no_round_trip() {
    let of = |is_job: bool| {
        let window = resource(ResourceKind::FlowWindow, "h0", Site::Host(0), 0.97, 0.0);
        let mut report = of_resources(vec![window]);
        report.measured.messages = 100;
        report.ledger = vec![
            stage(StageId::WindowWait, Charged::To(ResourceKind::FlowWindow), 0.9),
            stage(StageId::Transmission, Charged::LINK, 0.1),
        ];
        report.evidence.is_job = is_job;
        let verdict = explain(&report).verdict;
        let all = std::iter::once(verdict.first).chain(verdict.runners_up);
        all.map(|each| each.sentence).find(|sentence| sentence.contains("the window over the round trip"))
    };
    let told = "The longest stage of a round trip is transmission";
    assert!(of(false).is_some_and(|sentence| sentence.contains(told)));
    assert!(of(true).is_some_and(|sentence| !sentence.contains(told)));
}
