//! What models tell of how what comes is served: pools, frames, fixed orders, segments, answers, what comes in bunches.

use hopscope_explain::{Candidate, Cause, explain};
use hopscope_measure::{
    Charged, Dependence, HeldIn, HoldActivity, HoldWhy, LedgerRow, Loss, LossWhy, PairUse, Place, Report,
    ResourceKind, ResourceRow, SegmentUse, Site, SlowBeside, SmoothingUse, StageId, VaryingService,
};

use crate::reports::{first, line, link, of_resources, port, resource, stage};

/// A report of 100 messages that spend these shares of their lifetime so.
fn lives(resources: Vec<ResourceRow>, spent: &[(StageId, Charged, f64)]) -> Report {
    let mut report = of_resources(resources);
    report.measured.messages = 100;
    report.ledger = spent.iter().map(|&(at, charged, share)| stage(at, charged, share)).collect();
    report
}

fn station(number: u8, utilisation: f64, waiting: f64) -> ResourceRow {
    resource(ResourceKind::Station(number), "x", Site::Node(number.into()), utilisation, waiting)
}

/// Two stations: messages wait for this share of their lifetime.
fn stations(waits: f64) -> Report {
    let served = |number| Charged::To(ResourceKind::Station(number));
    lives(
        vec![station(0, 0.5, 1.0), station(1, 0.7, 2.0)],
        &[
            (StageId::StationWait(1), served(1), waits),
            (StageId::StationService(0), served(0), (1.0 - waits) / 2.0),
            (StageId::StationService(1), served(1), (1.0 - waits) / 2.0),
        ],
    )
}

#[test]
fn a_busy_station_without_a_queue_is_healthy() {
    // Regular arrivals find it free, however busy it is.
    let mut report = stations(0.0);
    report.resources[1] = station(1, 0.97, 0.0);
    report.resources[1].capacity = Some(1.0);
    assert_eq!(first(&report).cause, Cause::Healthy);
}

#[test]
fn a_pool_is_scarce_only_while_all_of_its_servers_work() {
    let found = |all_busy: f64| {
        let mut report = stations(0.5);
        report.resources[1].capacity = Some(4.0);
        report.evidence.exhausted = [(1, all_busy)].into();
        first(&report).cause
    };
    assert_eq!([0.7, 0.45].map(found), [Cause::Resource, Cause::Healthy]);
}

#[test]
fn services_that_vary_at_an_earlier_station_come_next_to_the_busy_one_behind_it() {
    let found = |row: usize, saves: f64| {
        let mut report = stations(0.6);
        report.evidence.varying = vec![VaryingService { row, services: 20.0, arrivals: 1.0, saves }];
        let verdict = explain(&report).verdict;
        assert_eq!(verdict.first.nodes, ["x"]);
        let before =
            |other: &&Candidate| other.sentence.starts_with("Variable service: services at station 1");
        verdict.runners_up.iter().find(before).map(|other| other.cause)
    };
    assert_eq!(found(0, 0.8), Some(Cause::Variability));
    // Neither where they save little, nor at the busy station itself.
    assert_eq!([found(0, 0.3), found(1, 0.8)], [None, None]);
}

#[test]
fn switches_that_cut_through_store_packets_only_because_of_slow_links() {
    let found = |is_cut_through: bool| {
        let mut report = lives(
            vec![line(0.3, 0.1)],
            &[(StageId::Reception, Charged::INCOMING_LINK, 0.8), (StageId::Body, Charged::LAST_LINK, 0.2)],
        );
        report.evidence.is_cut_through = is_cut_through;
        first(&report).cause
    };
    assert_eq!([false, true].map(found), [Cause::SlowService, Cause::Healthy]);
}

#[test]
fn waiting_for_outputs_is_for_the_smoothing_frame_while_these_have_time_to_spare() {
    let found = |used: f64, slots: u32| {
        let output = link(ResourceKind::Output, 0, [("s:1", port(0, 1)), ("h", Site::Host(0))], used, 7.0);
        let mut report = lives(
            vec![output],
            &[
                (StageId::OutputWait, Charged::To(ResourceKind::Output), 0.9),
                (StageId::Body, Charged::LAST_LINK, 0.1),
            ],
        );
        report.evidence.smoothing = Some(SmoothingUse { slots, frame_s: 80e-6 * f64::from(slots) });
        first(&report)
    };
    let slow = found(0.2, 60);
    assert_eq!(slow.cause, Cause::SlowService);
    assert!(slow.sentence.contains("each 4.8 ms (60 slots)"), "{}", slow.sentence);
    assert_ne!(found(0.95, 60).cause, Cause::SlowService);
    assert_ne!(found(0.2, 1).cause, Cause::SlowService);
}

#[test]
fn who_comes_by_the_input_that_is_served_last_is_told_with_the_arbiter() {
    let found = |is_fixed_order: bool, waits: [f64; 2]| {
        let output = link(ResourceKind::Output, 0, [("s:1", port(0, 1)), ("t:0", port(1, 0))], 0.93, 3.0);
        let mut report = lives(
            vec![output],
            &[
                (StageId::OutputWait, Charged::To(ResourceKind::Output), 0.8),
                (StageId::Body, Charged::LAST_LINK, 0.2),
            ],
        );
        report.evidence.is_fixed_order = is_fixed_order;
        let pair =
            |(who, wait_us): (&str, f64)| PairUse { who: who.into(), messages: 50, life_us: 9.0, wait_us };
        report.evidence.pairs =
            vec![pair(("a -> d", waits[0])), pair(("b -> e", waits[1])), pair(("c -> f", 0.5))];
        first(&report)
    };
    let last = found(true, [0.5, 8.0]);
    assert_eq!(
        (last.resource.as_deref(), last.nodes.as_slice()),
        (Some("the arbiter of s"), ["s".to_owned()].as_slice())
    );
    assert!(
        last.sentence.starts_with("Fixed order: b -> e waits 8 us, 2.7 times the mean"),
        "{}",
        last.sentence
    );
    assert_eq!(found(false, [0.5, 8.0]).nodes, ["s", "t"]);
    assert_eq!(found(true, [5.0, 6.0]).nodes, ["s", "t"]);
}

/// Hosts wait for links that full FIFOs stop: what waits in them is blocked as what waits in FIFOs is.
#[test]
fn hosts_whose_links_fifos_stop_are_blocked_by_the_heads_of_these() {
    let found = |stopped: f64| {
        let ends = [("h", Site::Host(0)), ("s:0", port(0, 0))];
        let held_in = vec![HeldIn::of(HoldWhy::Sending, 0.6), HeldIn::of(HoldWhy::Stopped, stopped)];
        let host = ResourceRow { held_in, ..link(ResourceKind::Output, 0, ends, 0.6, 9.0) };
        let packets = vec![HeldIn::of(HoldWhy::Packets, 3.0)];
        let fifo = ResourceRow { held_in: packets, ..link(ResourceKind::InputFifo, 0, ends, 0.5, 2.0) };
        let out = |number: u32, port_: u16| {
            let ends = [("s:1", port(0, port_)), ("k", Site::Host(number))];
            link(ResourceKind::Output, number, ends, 0.6, 0.5)
        };
        let mut report = lives(
            vec![host, fifo, out(1, 1), out(2, 2), out(3, 3)],
            &[
                (StageId::SendQueue, Charged::HOST_LINK, 0.85),
                (StageId::FifoWait, Charged::HEAD_OF_FIFO, 0.1),
                (StageId::Body, Charged::LAST_LINK, 0.05),
            ],
        );
        let needs = |holder, why, needs| Dependence { holder, activity: Some(HoldActivity::of(why)), needs };
        report.dependences = (2..5).map(|output| needs(1, HoldWhy::Packets, output)).collect();
        report.dependences.push(needs(0, HoldWhy::Stopped, 1));
        first(&report).cause
    };
    assert_eq!(found(0.3), Cause::Blocking);
    assert_ne!(found(0.01), Cause::Blocking);
}

#[test]
fn headers_of_segments_are_tried_where_they_are_much_of_what_is_sent() {
    let found = |headers: f64| {
        let charged = Charged::To(ResourceKind::Line);
        let spent = [(StageId::LineWait, charged, 0.6), (StageId::LineTransmission, charged, 0.4)];
        let mut report = lives(vec![line(0.7, 3.0)], &spent);
        let place = Place { words: "group g".to_owned(), nodes: vec!["a".to_owned(), "b".to_owned()] };
        let who = "session 1".to_owned();
        report.evidence.segments = Some(SegmentUse { place, who, segments: 17, longest: 60.0, headers });
        explain(&report).verdict.runners_up.into_iter().find(|other| other.sentence.starts_with("Segments: "))
    };
    assert_eq!(found(0.49).map(|other| other.cause), Some(Cause::Resource));
    assert_eq!(found(0.05), None);
}

#[test]
fn answers_on_a_busy_line_are_a_cause_of_their_own() {
    let found = |answers: f64| {
        let sends = [(HoldWhy::Data, 0.95 - answers), (HoldWhy::Replies, answers)];
        let held_in = sends.map(|(why, part)| HeldIn::of(why, part)).into();
        let charged = Charged::To(ResourceKind::Line);
        let spent = [(StageId::LineWait, charged, 0.8), (StageId::LineTransmission, charged, 0.2)];
        let report = lives(vec![ResourceRow { held_in, ..line(0.95, 5.0) }], &spent);
        explain(&report).verdict.runners_up.iter().any(|other| other.id == Some("Replies"))
    };
    assert_eq!([0.1, 0.3].map(found), [false, true]);
}

/// What has waited for an earlier PIU leaves its group with it, and waits again for the next line.
#[test]
fn bunches_behind_a_slow_line_are_charged_to_it() {
    let found = |next: &str| {
        let of = |number: u32, ends: [&str; 2], used: f64, waiting: f64| ResourceRow {
            ends: Some(ends.map(str::to_owned)),
            ..resource(
                ResourceKind::Line,
                ends[0],
                Site::Line { number, from: number, to: number + 1 },
                used,
                waiting,
            )
        };
        let mut report = lives(
            vec![of(0, ["a", "b"], 0.4, 0.0), of(1, [next, "c"], 0.4, 2.0)],
            &[
                (StageId::ResequencingWait, Charged::EARLIER_PIUS, 0.24),
                (StageId::LineWait, Charged::To(ResourceKind::Line), 0.24),
                (StageId::LineTransmission, Charged::To(ResourceKind::Line), 0.52),
            ],
        );
        let words = "line 2 of g".to_owned();
        report.evidence.slow_beside = vec![SlowBeside { row: 0, words, rate: 4.8e3, usual: 56e3 }];
        first(&report).resource
    };
    assert_eq!(found("b").as_deref(), Some("line 2 of g"));
    assert_ne!(found("x").as_deref(), Some("line 2 of g"));
}

#[test]
fn where_no_message_arrives_nothing_is_said_of_its_lifetime() {
    let sentence = |messages: u64| {
        let mut report = of_resources(Vec::new());
        report.measured.messages = messages;
        report.ledger = vec![LedgerRow { ..stage(StageId::Body, Charged::LAST_LINK, 0.0) }];
        let place = Place::node("w0", "w0");
        report.evidence.losses = vec![Loss { why: LossWhy::Expired, place, count: 75, of: 0, each_s: 0.0 }];
        first(&report).sentence
    };
    assert!(sentence(0).ends_with("They are not sent again. No message arrives."), "{}", sentence(0));
    assert!(sentence(9).contains("The lifetime of messages that arrive is 1.00 times"), "{}", sentence(9));
}
