//! Full lines: what needlessly fills them, windows that only wait for them, queues that refuse before a line that
//! rests.

use hopscope_explain::{Candidate, Cause, Verdict, explain};
use hopscope_measure::{
    Charged, HeldIn, HoldWhy, LedgerRow, Loss, LossWhy, Outcome, Place, Report, ResourceKind, ResourceRow,
    SegmentUse, Site, StageId, Stuck,
};

use crate::reports::{first, line, of_resources, resource, stage};

const LINE: Charged = Charged::To(ResourceKind::Line);

fn lives(rows: Vec<ResourceRow>, ledger: Vec<LedgerRow>) -> Report {
    let mut report = of_resources(rows);
    report.measured.messages = 100;
    report.ledger = ledger;
    report
}

/// A life that mostly waits for lines.
fn waiting() -> Vec<LedgerRow> {
    vec![stage(StageId::LineWait, LINE, 0.8), stage(StageId::Transmission, LINE, 0.2)]
}

/// A line that is always busy, with this for such a share of its time.
fn filled(why: HoldWhy, share: f64) -> ResourceRow {
    let parts = [(HoldWhy::Data, 1.0 - share), (why, share)];
    ResourceRow { held_in: parts.map(|(why, part)| HeldIn::of(why, part)).into(), ..line(1.0, 5.0) }
}

fn verdict(report: &Report) -> Verdict {
    explain(report).verdict
}

fn told(found: &Candidate, cause: Cause, words: &str) {
    assert_eq!(found.cause, cause, "{}", found.sentence);
    assert!(found.sentence.contains(words), "{words} is not in: {}", found.sentence);
}

#[test]
fn what_carries_no_messages_is_named_before_the_line_that_it_half_fills() {
    for (why, words) in [(HoldWhy::RoutingMessages, "Routing: "), (HoldWhy::Replies, "Answers: ")] {
        let found = |share: f64| verdict(&lives(vec![filled(why, share)], waiting()));
        let half = found(0.48);
        told(&half.first, Cause::Resource, words);
        assert_eq!(
            (half.first.id, half.first.nodes.as_slice()),
            (Some(why.id()), ["A -> B".to_owned()].as_slice())
        );
        assert_eq!(half.runners_up[0].id, Some("Line"), "a faster line is tried as well");
        assert!(half.runners_up.iter().all(|each| each.id != Some(why.id())), "once");
        assert!(
            half.first.sentence.contains("48 % of the time of the line A -> B"),
            "{}",
            half.first.sentence
        );
        // A quarter leaves most of the line to messages: the line comes first, and this is tried besides.
        let quarter = found(0.25);
        assert_eq!(quarter.first.id, Some("Line"), "{}", quarter.first.sentence);
        assert!(quarter.runners_up.iter().any(|each| each.id == Some(why.id())));
    }
}

/// Two lines that are full alike, without waiting in front of them: messages wait for the window before them.
fn full_alike(headers: f64) -> Report {
    let window = Charged::To(ResourceKind::VirtualRouteWindow);
    let ledger = vec![stage(StageId::LineTransmission, LINE, 0.4), stage(StageId::SendQueue, window, 0.6)];
    let mut report = lives(vec![line(1.0, 0.0), line(1.0, 0.0), line(1.0, 0.0)], ledger);
    let place = Place { words: "group g".to_owned(), nodes: vec!["a".to_owned(), "b".to_owned()] };
    let who = "session 1".to_owned();
    report.evidence.segments = Some(SegmentUse { place, who, segments: 25, longest: 70.0, headers });
    report
}

#[test]
fn headers_that_fill_lines_are_named_before_the_overload_of_all_of_them() {
    let filled = verdict(&full_alike(0.45));
    told(&filled.first, Cause::Resource, "Segments: ");
    assert_eq!(filled.first.id, Some("Segments"));
    assert!(filled.runners_up.iter().any(|each| each.cause == Cause::Overload));
    told(
        &first(&full_alike(0.2)),
        Cause::Overload,
        "Full lines: all 3 lines in use are 100 % utilised, such as the line A -> B. They carry the",
    );
}

#[test]
fn nothing_is_offered_in_a_job_that_fills_its_links() {
    let mut report = full_alike(0.0);
    report.evidence.is_job = true;
    told(&first(&report), Cause::Overload, "such as the line A -> B. The job sends as much as they carry");
    report.outcome = Outcome::Saturated;
    told(
        &first(&report),
        Cause::Overload,
        "Overload: all 3 lines in use are 100 % utilised, such as the line A -> B. More is offered than they carry",
    );
}

#[test]
fn lines_that_carry_next_to_nothing_are_not_in_the_number_of_full_ones() {
    let mut report = full_alike(0.0);
    report.resources.push(line(0.001, 0.0));
    told(&first(&report), Cause::Overload, "Full lines: all 3 busy lines are 100 % utilised");
}

#[test]
fn a_smaller_window_means_less_delay_only_where_senders_always_send() {
    let found = |always: bool| {
        let mut report = routes(47.0, 0.0);
        report.resources.extend([line(1.0, 0.0), line(1.0, 0.0)]);
        report.evidence.always_sends = always;
        let found = verdict(&report);
        let every = [found.first].into_iter().chain(found.runners_up);
        let overload = every.into_iter().find(|each| each.cause == Cause::Overload);
        overload.map(|each| each.sentence.contains("a smaller one carries as much, with less delay."))
    };
    assert_eq!([true, false].map(found), [Some(true), Some(false)]);
}

#[test]
fn a_line_slower_than_its_like_is_named_whatever_fills_it() {
    let mut report =
        lives(vec![filled(HoldWhy::RoutingMessages, 0.6), line(0.1, 0.0), line(0.1, 0.0)], waiting());
    report.evidence.rates = [(0, 10e3), (1, 50e3), (2, 50e3)].into();
    told(&first(&report), Cause::Resource, "slower than comparable links");
}

/// Two virtual routes over a full line: the first with `waits` PIUs of its window waiting.
fn routes(waits: f64, other: f64) -> Report {
    let window = |place: &str, used: f64| ResourceRow {
        capacity: Some(50.0),
        occupancy: 50.0 * used,
        unit: "PIUs".into(),
        ..resource(ResourceKind::VirtualRouteWindow, place, Site::Pair { from: 0, to: 1 }, used, 0.0)
    };
    let mut rows = vec![line(1.0, waits), window("virtual route 0", 1.0)];
    rows.extend((other > 0.0).then(|| window("virtual route 1", other)));
    lives(rows, waiting())
}

#[test]
fn a_window_that_only_waits_in_front_of_other_routes_is_too_large() {
    let found = first(&routes(47.0, 0.1));
    told(
        &found,
        Cause::Window,
        "Window too large: the window of virtual route 0 is full, and about 47 of its 50 PIUs wait",
    );
    // No other message waits, or half of the window is in transit: then a smaller window is tried besides the line.
    for report in [routes(47.0, 0.0), routes(30.0, 0.1)] {
        let found = verdict(&report);
        assert_eq!(found.first.id, Some("Line"), "{}", found.first.sentence);
        assert!(found.runners_up.iter().any(|each| each.cause == Cause::Window));
    }
    assert!(verdict(&routes(20.0, 0.1)).runners_up.iter().all(|each| each.cause != Cause::Window));
}

#[test]
fn a_queue_that_refuses_is_named_before_a_line_that_has_time_to_spare() {
    let found = |used: f64| {
        let ends = Some(["g".to_owned(), "phone".to_owned()]);
        let queue = resource(
            ResourceKind::OutputQueue,
            "g on phone",
            Site::Interface { node: 0, network: 1 },
            0.5,
            0.0,
        );
        let queue = ResourceRow { ends: ends.clone(), ..queue };
        let phone =
            resource(ResourceKind::Line, "g on phone", Site::Interface { node: 0, network: 1 }, used, 4.0);
        let again = stage(StageId::RetransmissionWait, Charged::To(ResourceKind::Window), 0.1);
        let mut report = lives(
            vec![queue, ResourceRow { ends, ..phone }],
            vec![stage(StageId::LineWait, LINE, 0.6), again, stage(StageId::Transmission, LINE, 0.3)],
        );
        let words = "the output queue of g on phone".to_owned();
        let place = Place { words, nodes: vec!["g".to_owned(), "phone".to_owned()] };
        report.evidence.losses =
            vec![Loss { why: LossWhy::FullQueue, place, count: 40, of: 1000, each_s: 0.0 }];
        verdict(&report)
    };
    told(&found(0.7).first, Cause::Loss, "refused 40 of 1000 packets");
    assert!(found(0.7).first.sentence.contains("behind this queue is 70 % utilised"));
    assert_eq!(found(0.95).first.id, Some("Line"));
}

/// A network in which nothing arrives any more, while one place refuses most of what comes.
fn stuck(used: f64) -> Report {
    let buffers = |place: &str, node| {
        resource(ResourceKind::StoreAndForwardBuffers, place, Site::Node(node), used, 0.0)
    };
    let mut report = lives(vec![line(0.4, 1.0), buffers("A", 0), buffers("B", 1)], waiting());
    report.stuck = Some(Stuck { reason: "nothing has arrived for 300 s".to_owned(), cycle: Vec::new() });
    let place = Place::node("the assemblies of d".to_owned(), "d");
    report.evidence.losses = vec![Loss { why: LossWhy::NoBuffers, place, count: 980, of: 1000, each_s: 0.0 }];
    report
}

#[test]
fn a_deadlock_tells_which_buffers_are_full_and_a_standstill_what_is_refused() {
    told(&first(&stuck(1.0)), Cause::CircularWait, "All store-and-forward buffers at A and B are in use");
    let lost = first(&stuck(0.2));
    told(&lost, Cause::Loss, "Standstill: nothing has arrived for 300 s. The assemblies of d refuse 98 %");
    assert_eq!(lost.nodes, ["d"]);
}
