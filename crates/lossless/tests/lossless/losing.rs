//! Switches that discard: what is lost is counted where it was, and sent again until all has arrived.

use hopscope_lossless::{
    DropParams, EcnParams, FlowControl, FrameParams, PullParams, RateControlParams, RecoveryKind,
    RecoveryParams,
};
use hopscope_measure::{LossWhy, Report, StageId};
use hopscope_units::{Data, Span, Time};

use crate::networks::{crossbar, mean};
use crate::universe::{at_once, at_us, dumbbell, flows, frames, listed, report_at};

/// Queues of this number of frames.
fn drops(room: u64, trimming: bool, recovery: Option<RecoveryParams>) -> FrameParams {
    let drop = DropParams { queue: Some(Data::from_bytes(1_000 * room)), trimming, ..DropParams::default() };
    FrameParams { flow_control: FlowControl::TailDrop(drop), recovery, ..frames() }
}

fn recovery(rule: RecoveryKind) -> RecoveryParams {
    RecoveryParams { rule, timeout: Span::from_us(50), retries: 1_000, ..RecoveryParams::default() }
}

/// a and b send 40 frames each to c at once.
fn two_to_one(frames: FrameParams) -> Report {
    let both = vec![listed("a", "c", 40_000), listed("b", "c", 40_000)];
    let mut run = flows(dumbbell(), frames, vec![at_once("flows", both)]);
    report_at(&mut run, at_us(100_000))
}

#[test]
fn without_recovery_what_is_lost_stays_lost_at_its_place() {
    let report = two_to_one(drops(4, false, None));
    // Two frames come in the time of one: of 80 as many are lost as do not find room by the end.
    let lost = mean(&report, "frames dropped.count");
    assert!((30.0..40.0).contains(&lost), "{lost}");
    let [loss] = &report.evidence.losses[..] else { panic!("{:?}", report.evidence.losses) };
    assert_eq!((loss.why, loss.count as f64), (LossWhy::Dropped, lost));
    assert_eq!(loss.place.words, "the queue for x:0 -> y:0");
    assert_eq!(report.evidence.losses[0].place.nodes, ["x", "y"]);
    assert!(report.notes.iter().any(|note| note.contains("frames dropped by a full queue")));
}

#[test]
fn with_recovery_every_bit_arrives_under_each_rule() {
    for rule in [RecoveryKind::GoBackN, RecoveryKind::SelectiveRepeat] {
        let report = two_to_one(drops(4, false, Some(recovery(rule))));
        assert_eq!(report.measured.messages, 2, "{rule:?}");
        let [lost, again] =
            ["frames dropped.count", "frames sent again.count"].map(|name| mean(&report, name));
        assert!(lost > 0.0 && again >= lost, "{rule:?}: {lost} lost, {again} sent again");
        // What follows from losses comes in vain: go-back-n takes nothing before its turn.
        let [first, rest @ ..] = &report.evidence.losses[..] else { panic!("nothing is told of losses") };
        assert_eq!(first.why, LossWhy::FullQueue);
        assert!(rest.iter().all(|loss| loss.why.is_in_vain()), "{rest:?}");
        let waits = report.ledger.iter().filter(|row| row.stage == StageId::RetransmissionWait);
        assert!(waits.map(|row| row.share).sum::<f64>() > 0.0, "{rule:?}");
    }
}

/// Nothing is lost in queues without bound, so no timeout strikes: how long it is changes nothing.
#[test]
fn a_run_of_flows_ends_with_the_last_of_them() {
    let ends = [Span::from_us(50), Span::from_ms(50)].map(|timeout| {
        let recovery = RecoveryParams { timeout, ..recovery(RecoveryKind::SelectiveRepeat) };
        let both = vec![listed("a", "c", 40_000), listed("b", "c", 40_000)];
        let mut run = flows(dumbbell(), drops(100, false, Some(recovery)), vec![at_once("flows", both)]);
        assert_eq!(report_at(&mut run, at_us(100_000)).measured.messages, 2);
        run.now()
    });
    assert_eq!(ends[0], ends[1]);
    // 80 frames of 80 ns one after the other to c, and the way of the first.
    let way = Span::from_ns(3 * 80 + 3 * 100 + 2 * 300);
    assert_eq!(ends[0], Time::ZERO + Span::from_ns(79 * 80) + way);
}

#[test]
fn selective_repeat_sends_again_only_what_was_lost() {
    let recovery = RecoveryParams { timeout: Span::from_ms(5), ..recovery(RecoveryKind::SelectiveRepeat) };
    let report = two_to_one(drops(4, false, Some(recovery)));
    assert_eq!(mean(&report, "frames sent again.count"), mean(&report, "frames dropped.count"));
    assert_eq!(mean(&report, "frames repeated.count"), 0.0);
}

#[test]
fn trimmed_frames_are_sent_again_without_a_timeout() {
    let pull = RateControlParams::Pull(PullParams { initial: Some(Data::from_bytes(20_000)) });
    let frames = FrameParams {
        rate_control: Some(pull),
        ..drops(8, true, Some(recovery(RecoveryKind::SelectiveRepeat)))
    };
    let report = two_to_one(frames);
    assert_eq!(report.measured.messages, 2);
    assert!(mean(&report, "frames trimmed.count") > 0.0);
    assert_eq!((mean(&report, "frames dropped.count"), mean(&report, "timeouts.count")), (0.0, 0.0));
}

#[test]
fn a_sender_that_hears_nothing_gives_up() {
    let once = RecoveryParams { retries: 1, timeout: Span::from_ns(100), ..RecoveryParams::default() };
    let report = two_to_one(drops(4, false, Some(once)));
    assert_eq!(report.measured.messages as f64 + mean(&report, "messages given up.count"), 2.0);
}

#[test]
fn headers_that_are_as_long_as_frames_leave_these_a_share_of_the_link() {
    let senders = (0..4).map(|i| listed(&format!("in{i}"), "out0", 2_600)).collect();
    let rule = RecoveryParams { rule: RecoveryKind::SelectiveRepeat, ..RecoveryParams::default() };
    let frames = FrameParams { mtu: Data::from_bytes(66), ..drops(1, true, Some(rule)) };
    let mut run = flows(crossbar(4), frames, vec![at_once("flows", senders)]);
    // 160 frames take 0.9 us, and ten times that of headers another 9. Where headers always go first, one flow has
    // arrived.
    let report = report_at(&mut run, at_us(20));
    assert_eq!(report.measured.messages, 4);
}

#[test]
fn marked_is_a_share_of_the_delivered_frames() {
    // Whatever leaves a queue is marked, the headers of trimmed frames too: they are not delivered.
    let ecn = EcnParams { kmin: Data::ZERO, kmax: Data::from_bytes(1), pmax: 1.0 };
    let report = two_to_one(FrameParams {
        ecn: Some(ecn),
        ..drops(4, true, Some(recovery(RecoveryKind::SelectiveRepeat)))
    });
    assert!(mean(&report, "frames trimmed.count") > 0.0);
    assert_eq!(mean(&report, "marked.mean"), 1.0);
}
