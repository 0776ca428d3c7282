//! Lines of IMPs that hold messages back though they are not busy: long ones, and slow ones beside fast ones; and what
//! else keeps messages from entering a subnet that is not busy.

use hopscope_explain::{Candidate, Cause, explain};
use hopscope_measure::{
    Charged, Dependence, HoldActivity, HoldWhy, HostScan, LedgerRow, Loss, LossWhy, Place, Report,
    ResourceKind, ResourceRow, Site, SlowBeside, StageId,
};

use crate::reports::{first, of_resources, resource, stage};

const NAMES: [&str; 5] = ["A", "B", "C", "D", "E"];

/// A row of a line from an IMP to the next one.
fn on_line(kind: ResourceKind, from: usize, utilisation: f64) -> ResourceRow {
    let [a, b] = [NAMES[from], NAMES[from + 1]];
    let site = Site::Line { number: from as u32, from: from as u32, to: from as u32 + 1 };
    ResourceRow {
        ends: Some([a.into(), b.into()]),
        ..resource(kind, &format!("{a} -> {b}"), site, utilisation, 0.1)
    }
}

/// The message numbers from A to E, so utilised.
fn numbers(utilisation: f64) -> ResourceRow {
    let site = Site::Pair { from: 0, to: 4 };
    ResourceRow {
        capacity: Some(4.0),
        occupancy: 4.0 * utilisation,
        unit: "numbers".into(),
        ..resource(ResourceKind::MessageNumbers, "A -> E", site, utilisation, 1.0)
    }
}

/// Four lines in a row, each with this delay in seconds, between IMPs whose message numbers are all in use.
fn in_a_row(delays: [f64; 4], ledger: Vec<LedgerRow>) -> Report {
    let mut rows: Vec<ResourceRow> = (0..4).map(|from| on_line(ResourceKind::Line, from, 0.3)).collect();
    rows.push(numbers(0.99));
    let mut report = of_resources(rows);
    report.measured.messages = 100;
    report.ledger = ledger;
    report.evidence.rates = (0..4).map(|line| (line, 50e3)).collect();
    report.evidence.delays = delays.into_iter().enumerate().collect();
    report
}

const LINE: Charged = Charged::To(ResourceKind::Line);

/// A life of which messages travel for this share, and their replies as long; they wait for message numbers and are
/// rejected for the others.
fn life(travel: f64, numbers: f64, rejected: f64) -> Vec<LedgerRow> {
    vec![
        stage(StageId::MessageNumberWait, Charged::To(ResourceKind::MessageNumbers), numbers),
        stage(StageId::Transmission, LINE, 1.0 - 2.0 * travel - numbers - rejected),
        stage(StageId::Propagation, LINE, travel),
        stage(StageId::OutOfOrderWait, Charged::ALLOCATION, rejected),
        stage(StageId::RfnmTransit, LINE, travel),
    ]
}

fn told(found: &Candidate, cause: Cause, nodes: &[&str], words: &[&str]) {
    assert_eq!(found.cause, cause, "{}", found.sentence);
    assert_eq!(found.nodes, nodes, "{}", found.sentence);
    for part in words {
        assert!(found.sentence.contains(part), "{part} is not in: {}", found.sentence);
    }
}

#[test]
fn a_full_window_over_a_line_ten_times_as_long_as_the_others_is_told_of_the_line() {
    let far = |delay| in_a_row([0.005, delay, 0.005, 0.005], life(0.3, 0.3, 0.0));
    let found = first(&far(0.25));
    let words = [
        "Long line: the line B -> C takes 250 ms where the others like it take 5 ms",
        "the message numbers A -> E are full 99 % of the time",
    ];
    told(&found, Cause::SlowService, &["B", "C"], &words);
    assert!(!found.sentence.contains("rejected"), "{}", found.sentence);
    assert_ne!(first(&far(0.045)).cause, Cause::SlowService);
    // Messages may be rejected because of that: the line comes before what it causes.
    let rejected = first(&in_a_row([0.005, 0.25, 0.005, 0.005], life(0.1, 0.2, 0.5)));
    told(&rejected, Cause::SlowService, &["B", "C"], &["before their turn and are rejected", "63 %"]);
    // Without a full window no message waits for round trips.
    let mut idle = far(0.25);
    idle.resources[4] = numbers(0.5);
    assert_ne!(first(&idle).cause, Cause::SlowService);
}

#[test]
fn the_channels_of_a_long_line_fill_the_lines_before_it_with_what_they_refuse() {
    let refusing = |delay: f64, there: u64, before: u64| {
        let ledger = vec![
            stage(StageId::RetransmissionWait, Charged::ACKNOWLEDGMENT, 0.4),
            stage(StageId::LineWait, LINE, 0.3),
            stage(StageId::Transmission, LINE, 0.3),
        ];
        let mut report = in_a_row([0.005, 0.005, delay, 0.005], ledger);
        report.resources[1].utilisation = 0.95;
        report.resources[1].waiting = 3.0;
        for (from, refused) in [(2, there), (1, before)] {
            let channels = on_line(ResourceKind::AcknowledgmentChannels, from, 0.9);
            report.resources.push(ResourceRow { refused, ..channels });
        }
        first(&report)
    };
    let words = ["the line C -> D takes 400 ms", "they refused 8370 packets", "40 %"];
    told(&refusing(0.4, 8370, 5000), Cause::SlowService, &["C", "D"], &words);
    assert_ne!(refusing(0.04, 8370, 5000).cause, Cause::SlowService, "not far longer");
    assert_ne!(refusing(0.4, 2000, 5000).cause, Cause::SlowService, "most is refused elsewhere");
}

/// Where all lines are long alike, none is named: the window is, and a faster line would not help.
#[test]
fn a_full_window_whose_round_trip_is_mostly_travel_is_no_bottleneck_of_a_line() {
    let found = first(&in_a_row([0.06; 4], life(0.35, 0.1, 0.0)));
    told(&found, Cause::Window, &["A -> E"], &["70 % of a round trip is travelling", "no faster line"]);
    let mut sent = in_a_row([0.005; 4], life(0.05, 0.1, 0.0));
    // Four messages are under way, each for a fifth of its time on each line.
    for line in &mut sent.resources[..4] {
        line.utilisation = 0.8;
    }
    let sent = first(&sent);
    assert_eq!(sent.cause, Cause::Resource, "{}", sent.sentence);
}

#[test]
fn a_slow_line_on_one_of_several_ways_makes_messages_come_before_their_turn() {
    let beside = |rejected: f64| {
        let mut report = in_a_row([0.005; 4], life(0.02, 0.3, rejected));
        let words = "the line A -> B".to_owned();
        report.evidence.slow_beside = vec![SlowBeside { row: 0, words, rate: 9.6e3, usual: 50e3 }];
        first(&report)
    };
    let words = ["Slow way: the line A -> B has 9.6 kbit/s", "50 kbit/s", "57 %"];
    told(&beside(0.4), Cause::Resource, &["A", "B"], &words);
    assert!(!beside(0.1).sentence.contains("Slow way"));
}

#[test]
fn hosts_that_imps_look_after_too_seldom_wait_to_enter_a_subnet_that_is_not_busy() {
    let scanned = |every_s: f64, used: f64| {
        let mut report = of_resources(vec![on_line(ResourceKind::Line, 0, used), numbers(0.4)]);
        report.measured.messages = 100;
        report.ledger = vec![
            stage(StageId::HostQueue, Charged::HOST_INTERFACE, 0.9),
            stage(StageId::Transmission, LINE, 0.1),
        ];
        report.resources[0].waiting = 2.0;
        report.evidence.host_scan = Some(HostScan { every_s, usual_s: 0.0256 });
        first(&report)
    };
    let words = ["IMPs look after hosts that wait every 819 ms, where 25.6 ms is usual", "90 %"];
    told(&scanned(0.8192, 0.3), Cause::SlowService, &[], &words);
    assert_ne!(scanned(0.1, 0.3).cause, Cause::SlowService);
    assert_ne!(scanned(0.8192, 0.9).cause, Cause::SlowService, "the line is scarce");
}

/// Of ten reassembly buffers a multipacket message needs eight: with 7.8 in use on average there is no room for
/// another one.
#[test]
fn buffers_beside_whole_lots_are_none_to_spare() {
    let with = |capacity: f64| {
        let kind = ResourceKind::ReassemblyBuffers;
        let buffers = ResourceRow {
            capacity: Some(capacity),
            occupancy: 7.8,
            ..resource(kind, "E", Site::Node(4), 7.8 / capacity, 0.9)
        };
        let activity: HoldActivity = HoldWhy::RfnmWaiting.into();
        let mut window = numbers(0.99);
        window.held_in = vec![hopscope_measure::HeldIn::of(HoldWhy::RfnmWaiting, 3.0)];
        let mut report = of_resources(vec![buffers, window, on_line(ResourceKind::Line, 0, 0.5)]);
        report.dependences = vec![Dependence { holder: 1, activity: Some(activity), needs: 0 }];
        report.measured.messages = 100;
        report.ledger = vec![
            stage(StageId::MessageNumberWait, Charged::To(ResourceKind::MessageNumbers), 0.4),
            stage(StageId::RfnmAllocationWait, Charged::To(kind), 0.4),
            stage(StageId::Transmission, LINE, 0.2),
        ];
        explain(&report).verdict.first
    };
    let found = with(10.0);
    assert_eq!((found.cause, found.place.as_deref()), (Cause::Resource, Some("E")), "{}", found.sentence);
    assert!(found.sentence.contains("so 2 of the 10 buffers are hardly used"), "{}", found.sentence);
    let whole = with(16.0);
    assert_ne!(whole.place.as_deref(), Some("E"), "{}", whole.sentence);
}

#[test]
fn equal_lines_side_by_side_are_told_with_how_many_they_are() {
    let told = |side_by_side: usize| {
        let mut report = of_resources(vec![
            ResourceRow { waiting: 9.0, ..on_line(ResourceKind::Line, 0, 1.0) },
            on_line(ResourceKind::Line, 1, 0.1),
            on_line(ResourceKind::Line, 2, 0.1),
        ]);
        report.measured.messages = 100;
        report.ledger = vec![stage(StageId::LineWait, LINE, 0.9), stage(StageId::Transmission, LINE, 0.1)];
        report.evidence.rates = [(0, 19_200.0), (1, 256e3), (2, 256e3)].into();
        report.evidence.side_by_side.extend((side_by_side > 1).then_some((0, side_by_side)));
        first(&report).sentence
    };
    let [one, two] = [1, 2].map(told);
    assert!(one.contains("slower than comparable links: 19.2 kbit/s, where most have 256 kbit/s."), "{one}");
    assert!(
        two.contains("slower than comparable links: 2 lines of 9.6 kbit/s, where most have 256 kbit/s."),
        "{two}"
    );
}

/// A line alone is as fast as each of two; where half of the lines are faster, it is not most that are.
#[test]
fn a_line_is_compared_with_lines_and_not_with_what_several_carry_together() {
    let told = |rates: [f64; 4], side_by_side: &[(usize, usize)]| {
        let mut rows: Vec<ResourceRow> = (0..4).map(|at| on_line(ResourceKind::Line, at, 0.1)).collect();
        rows[0] = ResourceRow { waiting: 9.0, ..on_line(ResourceKind::Line, 0, 0.95) };
        let mut report = of_resources(rows);
        report.measured.messages = 100;
        report.ledger = vec![stage(StageId::LineWait, LINE, 0.9), stage(StageId::Transmission, LINE, 0.1)];
        report.evidence.rates = rates.into_iter().enumerate().collect();
        report.evidence.side_by_side = side_by_side.iter().copied().collect();
        first(&report).sentence
    };
    let pairs = [(1, 2), (2, 2), (3, 2)];
    let alone = told([56e3, 112e3, 112e3, 112e3], &pairs);
    assert!(!alone.contains("slower than comparable"), "{alone}");
    let slow = told([28e3, 112e3, 112e3, 112e3], &pairs);
    assert!(slow.contains("28 kbit/s, where most have 112 kbit/s"), "{slow}");
    let half = told([9.6e3, 9.6e3, 19.2e3, 19.2e3], &[]);
    assert!(half.contains("9.6 kbit/s, where others have 19.2 kbit/s"), "{half}");
}

#[test]
fn messages_that_were_rejected_are_counted_apart_from_packets_that_were_refused() {
    let mut report = of_resources(Vec::new());
    report.measured.messages = 100;
    report.ledger = vec![stage(StageId::OutOfOrderWait, Charged::ALLOCATION, 0.5)];
    report.evidence.rejected = 17;
    let (why, place) = (LossWhy::FullQueue, Place::node("the channels at D", "D"));
    report.evidence.losses = vec![Loss { why, place, count: 30, of: 0, each_s: 0.0 }];
    let sentence = first(&report).sentence;
    let told = "after they arrived out of order and were rejected (17 times since the run began). Besides: 30 packets were dropped by a \
                full queue, all at the channels at D.";
    assert!(sentence.contains(told), "{sentence}");
}
