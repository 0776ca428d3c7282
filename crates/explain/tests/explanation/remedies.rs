//! What has a remedy that no wait points to: pools, full queues, routing, rounds of senders that always have more,
//! lines beside faster ones, congested nodes, lines that may not send.

use hopscope_explain::{Cause, Pattern, Verdict, explain};
use hopscope_measure::{
    Charged, CongestedNode, Dependence, HeldIn, HoldWhy, Interruption, InterruptionWhy, Loss, LossWhy,
    Outcome, Place, Report, ResourceKind, ResourceRow, ServiceTime, Site, SlowBeside, StageId, Stuck,
};

use crate::reports::{line, of_resources, resource, stage, symptoms};

fn verdict(report: &Report) -> Verdict {
    explain(report).verdict
}

/// A report of 100 messages that spend these shares of their lifetime so.
fn lives(resources: Vec<ResourceRow>, spent: &[(StageId, Charged, f64)]) -> Report {
    let mut report = of_resources(resources);
    report.measured.messages = 100;
    report.ledger = spent.iter().map(|&(at, charged, share)| stage(at, charged, share)).collect();
    report
}

fn lost(why: LossWhy, count: u64, of: u64) -> Loss {
    Loss { why, place: Place::node("the output queue of g on ph", "g"), count, of, each_s: 0.0 }
}

#[test]
fn a_long_service_in_a_pool_is_slow_only_where_its_servers_have_more_to_do_than_others() {
    let found = |servers: f64, all_busy: f64| {
        let station = |number: u8| resource(ResourceKind::Station(number), "x", Site::Node(0), 0.5, 0.0);
        let pool = ResourceRow { capacity: Some(servers), ..station(1) };
        let served = |number| Charged::To(ResourceKind::Station(number));
        let mut report = lives(
            vec![station(0), pool],
            &[(StageId::StationService(0), served(0), 0.1), (StageId::StationService(1), served(1), 0.9)],
        );
        let time = |mean_us| ServiceTime { mean_us, variation: 1.0 };
        report.evidence.services = [(0, time(5.0)), (1, time(120.0))].into();
        if servers > 1.0 {
            report.evidence.exhausted = [(1, all_busy)].into();
        }
        verdict(&report).first.cause
    };
    let (slow, healthy) = (Cause::SlowService, Cause::Healthy);
    // That servers are free makes a service no shorter.
    let cases = [(1.0, 0.5, slow), (4.0, 0.7, slow), (24.0, 0.7, healthy), (4.0, 0.2, slow)];
    for (servers, all_busy, cause) in cases {
        assert_eq!(found(servers, all_busy), cause, "{servers} servers, {all_busy} of the time all busy");
    }
}

/// A queue that refuses some, while messages wait for those to be sent again for a share of their lifetime.
fn refusing(again: f64) -> Report {
    let wait = Charged::To(ResourceKind::Line);
    let mut report = lives(
        vec![line(0.3, 0.0)],
        &[(StageId::RetransmissionWait, Charged::STREAM, again), (StageId::Transmission, wait, 1.0 - again)],
    );
    report.evidence.losses = vec![lost(LossWhy::FullQueue, 96, 2100)];
    report
}

#[test]
fn a_full_queue_is_tried_whatever_the_verdict() {
    let healthy = verdict(&refusing(0.08));
    assert_eq!(healthy.first.cause, Cause::Healthy);
    let suspect = &healthy.runners_up[0];
    assert_eq!((suspect.cause, suspect.nodes.as_slice()), (Cause::Loss, ["g".to_owned()].as_slice()));
    assert!(
        suspect.sentence.starts_with("Full queue: the output queue of g on ph refused 96 of 2100 packets")
    );
    assert!(verdict(&refusing(0.01)).runners_up.is_empty());
    let mut busy = refusing(0.08);
    busy.resources = vec![line(0.8, 3.0)];
    busy.ledger.push(stage(StageId::LineWait, Charged::To(ResourceKind::Line), 0.5));
    let busy = verdict(&busy);
    assert_eq!([busy.first.cause, busy.runners_up[0].cause], [Cause::Resource, Cause::Loss]);
}

#[test]
fn senders_that_always_have_more_are_held_back_by_what_takes_most_of_a_round_trip() {
    let processor = resource(ResourceKind::Processor, "a", Site::Node(0), 0.5, 0.0);
    let mut report = lives(
        vec![line(0.7, 0.0), processor],
        &[
            (StageId::Transmission, Charged::To(ResourceKind::Line), 0.3),
            (StageId::Processing, Charged::To(ResourceKind::Processor), 0.6),
            (StageId::LineWait, Charged::To(ResourceKind::Line), 0.1),
        ],
    );
    assert!(verdict(&report).runners_up.is_empty());
    report.evidence.always_sends = true;
    let found = verdict(&report);
    assert_eq!(found.first.cause, Cause::Healthy);
    let suspects: Vec<_> = found.runners_up.iter().map(|each| each.id).collect();
    assert_eq!(suspects, [Some("Processor"), Some("Line")]);
}

#[test]
fn routing_on_a_busy_line_is_a_cause_of_its_own() {
    let found = |routing: f64| {
        let sends = [(HoldWhy::Data, 0.95 - routing), (HoldWhy::RoutingMessages, routing)];
        let busy =
            ResourceRow { held_in: sends.map(|(why, part)| HeldIn::of(why, part)).into(), ..line(0.95, 5.0) };
        let charged = Charged::To(ResourceKind::Line);
        let report =
            lives(vec![busy], &[(StageId::LineWait, charged, 0.8), (StageId::Transmission, charged, 0.2)]);
        verdict(&report).runners_up.iter().any(|each| each.id == Some("RoutingMessages"))
    };
    assert_eq!([0.1, 0.3].map(found), [false, true]);
}

#[test]
fn a_line_slower_than_those_beside_it_is_named_where_messages_wait_for_what_it_carries() {
    let found = |waits: f64| {
        let charged = Charged::To(ResourceKind::Line);
        let mut report = lives(
            vec![line(0.4, 0.0)],
            &[(StageId::ResequencingWait, charged, waits), (StageId::Transmission, charged, 1.0 - waits)],
        );
        let words = "line 3 of tg-2".to_owned();
        report.evidence.slow_beside = vec![SlowBeside { row: 0, words, rate: 1200.0, usual: 56e3 }];
        verdict(&report).first
    };
    let slow = found(0.7);
    assert_eq!((slow.cause, slow.resource.as_deref()), (Cause::Resource, Some("line 3 of tg-2")));
    assert!(
        slow.sentence.contains("1.2 kbit/s where the lines beside it have 56 kbit/s"),
        "{}",
        slow.sentence
    );
    assert_eq!(found(0.1).cause, Cause::Healthy);
}

#[test]
fn a_node_that_keeps_a_window_at_its_least_is_named_before_the_window() {
    let found = |size: f64| {
        let kind = ResourceKind::VirtualRouteWindow;
        let window = resource(kind, "virtual route 1", Site::Pair { from: 0, to: 2 }, 1.0, 1.0);
        let mut report = lives(
            vec![window],
            &[
                (StageId::VirtualRouteWait, Charged::To(kind), 0.6),
                (StageId::Transmission, Charged::To(ResourceKind::Line), 0.4),
            ],
        );
        let place = Place::node("node ncp-1", "ncp-1");
        report.evidence.congested =
            vec![CongestedNode { place, from: 1, share: 1.0, window: 0, size: [size, 1.0, 40.0] }];
        verdict(&report).first
    };
    let narrowed = found(1.0);
    assert_eq!((narrowed.cause, narrowed.nodes.as_slice()), (Cause::Window, ["ncp-1".to_owned()].as_slice()));
    assert!(narrowed.sentence.contains("from 1 PIU on"), "{}", narrowed.sentence);
    assert_ne!(found(30.0).nodes, ["ncp-1"]);
}

#[test]
fn what_waits_for_a_line_that_may_not_send_waits_for_what_fills_the_next_node() {
    let buffers = resource(ResourceKind::NodeBuffers, "n", Site::Node(1), 1.0, 1.0);
    let unit = resource(ResourceKind::Unit, "printer", Site::Host(0), 1.0, 10.0);
    let found = |stopped: f64| {
        let parts = [(HoldWhy::Sending, 0.15), (HoldWhy::Stopped, stopped)];
        let held_in = parts.map(|(why, part)| HeldIn::of(why, part)).into();
        let mut report = lives(
            vec![ResourceRow { held_in, ..line(0.15, 42.0) }, buffers.clone(), unit.clone()],
            &[(StageId::LineWait, Charged::To(ResourceKind::Line), 0.9)],
        );
        let stop = Some(HoldWhy::Stopped.into());
        report.dependences = vec![
            Dependence { holder: 0, activity: stop, needs: 1 },
            Dependence { holder: 1, activity: None, needs: 2 },
        ];
        (verdict(&report).first.nodes, symptoms(&report).contains(&Pattern::SynchronisedBursts))
    };
    assert_eq!(found(0.85), (vec!["printer".to_owned()], false));
    // A line that is free is idle: what waits for it has come at once.
    assert!(found(0.0).1);
}

#[test]
fn a_full_line_does_not_hide_losses_where_much_arrives_in_vain_because_of_them() {
    let found = |in_vain: u64| {
        let charged = Charged::To(ResourceKind::Line);
        let mut report = lives(
            vec![line(0.95, 5.0)],
            &[
                (StageId::RetransmissionWait, charged, 0.5),
                (StageId::LineWait, charged, 0.3),
                (StageId::Transmission, charged, 0.2),
            ],
        );
        report.evidence.losses =
            vec![lost(LossWhy::LineErrors, 30, 1000), lost(LossWhy::OutOfOrder, in_vain, 1000)];
        verdict(&report).first.cause
    };
    assert_eq!([310, 50].map(found), [Cause::Loss, Cause::Resource]);
}

#[test]
fn ordinary_work_of_processors_is_counted_only_where_it_is_the_cause() {
    let mut report = lives(Vec::new(), &[(StageId::HostQueue, Charged::HOST_INTERFACE, 0.9)]);
    let interruption = |why, name: &str, count, total_s: f64| Interruption {
        count,
        total_s,
        squares_s2: total_s * total_s,
        first_s: 0.5,
        ..Interruption::of(why, Place::node(name, name))
    };
    report.evidence.interruptions = vec![
        interruption(InterruptionWhy::OtherWork, "the processor of a", 7925, 0.001),
        interruption(InterruptionWhy::SilentHost, "the host b", 2, 0.5),
    ];
    report.warmup.until_s = 0.1;
    let why = explain(&report);
    assert_eq!(why.verdict.first.cause, Cause::Interruption);
    assert_eq!(why.page.counts.iter().map(|each| each.count).collect::<Vec<_>>(), [2]);
    assert!(
        why.verdict.first.sentence.contains(
            "2 times in the measurement, first at 500 ms. Messages stood still for 500 ms in all ("
        )
    );
}

#[test]
fn a_deadlock_names_the_buffers_that_are_full() {
    let found = |used: f64| {
        let kind = ResourceKind::StoreAndForwardBuffers;
        let mut report = lives(vec![resource(kind, "s", Site::Node(0), used, 1.0)], &[]);
        report.outcome = Outcome::Deadlock;
        report.stuck = Some(Stuck { reason: "nothing moves".to_owned(), cycle: Vec::new() });
        verdict(&report).first.sentence
    };
    let full = "Deadlock: nothing moves. What is waited for most are the store-and-forward buffers at s (100 % in use).";
    assert_eq!(found(1.0), full);
    assert_eq!(found(0.5), "Deadlock: nothing moves.");
}
