//! The explanation of interruptions: the time that messages wait because of one, and those that no message met.

use hopscope_explain::{Cause, Pattern, explain};
use hopscope_measure::{
    Charged, Estimate, Interruption, InterruptionWhy, LedgerRow, Loss, LossWhy, PairUse, Place, ResourceKind,
    ResourceRow, StageId,
};

use crate::reports::{line, of_resources, stage, symptoms};

#[test]
fn an_interruption_explains_waiting_where_its_square_over_twice_the_time_does() {
    let silent = |seconds: f64| {
        let mut report = of_resources(vec![line(0.3, 0.4)]);
        report.measured.span_s = 100.0;
        // A life of 2 s of which 1.5 s are waits.
        report.ledger = vec![
            LedgerRow {
                estimate: Some(Estimate::exact(1.5e6, 100)),
                ..stage(StageId::OrderWait, Charged::MESSAGE_ORDER, 0.75)
            },
            stage(StageId::Transmission, Charged::To(ResourceKind::Line), 0.25),
        ];
        let none = Interruption::of(InterruptionWhy::SilentHost, Place::node("the host b", "b"));
        report.evidence.interruptions = vec![none.and((20.0, 20.0 + seconds), (0.0, 100.0))];
        explain(&report).verdict.first
    };
    // 16^2 / 200 / 0.84 = 1.52 s; 8^2 / 200 / 0.92 = 0.35 s.
    assert_eq!((silent(16.0).cause, silent(16.0).nodes), (Cause::Interruption, vec!["b".to_owned()]));
    assert_ne!(silent(8.0).cause, Cause::Interruption);
}

/// Who needs a silent host waits for half of its silence on average; two hosts whose messages hardly wait do not.
#[test]
fn an_interruption_that_no_messages_met_explains_nothing() {
    let found = |longest_us: f64, sends_again: bool| {
        let mut report = of_resources(vec![line(0.3, 0.4)]);
        (report.measured.span_s, report.measured.messages) = (100.0, 1000);
        report.ledger = vec![
            LedgerRow {
                estimate: Some(Estimate::exact(10.0, 100)),
                ..stage(StageId::HostQueue, Charged::To(ResourceKind::Line), 0.01)
            },
            LedgerRow {
                estimate: Some(Estimate::exact(1e4, 100)),
                ..stage(StageId::LineWait, Charged::To(ResourceKind::Line), 0.3)
            },
            stage(StageId::Transmission, Charged::To(ResourceKind::Line), 0.69),
        ];
        let none = Interruption::of(InterruptionWhy::Fault, Place::node("the IMP X", "X"));
        report.evidence.interruptions = vec![none.and((20.0, 36.0), (0.0, 100.0))];
        let pair = |wait_us: f64| PairUse { who: "a -> b".into(), messages: 500, life_us: 1e5, wait_us };
        report.evidence.pairs = vec![pair(1e4), pair(longest_us)];
        report.evidence.sends_again = sends_again;
        let (why, place) = (LossWhy::Fault, Place::node("the IMP X", "X"));
        report.evidence.losses = vec![Loss { why, place, count: 3, of: 0, each_s: 0.0 }];
        explain(&report).verdict.first
    };
    // 16^2 / 200 = 1.3 s each.
    assert!(!found(1.2e4, true).sentence.contains("This explains"), "{}", found(1.2e4, true).sentence);
    assert!(found(1e6, true).sentence.contains("This explains"), "{}", found(1e6, true).sentence);
    // What came there and is lost for good does not wait.
    assert!(found(1.2e4, false).sentence.contains("This explains"), "{}", found(1.2e4, false).sentence);
}

/// Messages that came during an interruption wait together, however far apart they came.
#[test]
fn messages_that_an_interruption_made_wait_have_not_come_together() {
    let seen = |node: &str, seconds: f64| {
        let mut report =
            of_resources(vec![ResourceRow { ends: Some(["A".into(), "B".into()]), ..line(0.2, 0.4) }]);
        report.measured.span_s = 100.0;
        let none = Interruption::of(InterruptionWhy::Fault, Place::node("an IMP", node));
        report.evidence.interruptions = vec![none.and((20.0, 20.0 + seconds), (0.0, 100.0))];
        symptoms(&report).contains(&Pattern::SynchronisedBursts)
    };
    assert!(!seen("B", 4.0));
    assert!(seen("B", 1.0) && seen("Z", 4.0));
}
