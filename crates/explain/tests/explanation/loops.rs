//! Routing loops as a report counts them.

use hopscope_explain::{Cause, Pattern, explain};
use hopscope_measure::{Charged, Loops, Report, ResourceKind, StageId};

use crate::reports::{line, of_resources, stage, symptoms};

fn loops(formed: u64, prolonged: u64, returns: u64) -> Option<Loops> {
    Some(Loops { formed, prolonged, returns })
}

#[test]
fn loops_that_packets_met_are_told_and_traps_by_their_own_name() {
    let mut report = Report::default();
    report.evidence.loops = loops(3, 0, 0);
    assert_eq!(symptoms(&report), Vec::<Pattern>::new());
    report.evidence.loops = loops(3, 0, 40);
    assert_eq!(symptoms(&report), [Pattern::RoutingLoop]);
    report.evidence.loops = loops(3, 1, 40);
    assert_eq!(symptoms(&report), [Pattern::LoopTrap]);
}

/// What loops cost is charged to the lines that packets travel in vain: they are no first cause, and the first to be
/// tried beside it.
#[test]
fn a_loop_trap_is_the_first_runner_up() {
    let mut report = of_resources(vec![line(0.97, 4.0)]);
    report.measured.messages = 100;
    report.ledger = vec![
        stage(StageId::LineWait, Charged::To(ResourceKind::Line), 0.8),
        stage(StageId::Body, Charged::LAST_LINK, 0.2),
    ];
    report.evidence.loops = loops(3, 0, 40);
    let causes = |report: &Report| {
        let verdict = explain(report).verdict;
        let others = verdict.runners_up.iter().map(|other| other.cause);
        std::iter::once(verdict.first.cause).chain(others).collect::<Vec<_>>()
    };
    assert!(!causes(&report).contains(&Cause::RoutingLoop), "no hold-down prolonged any");
    report.evidence.loops = loops(3, 1, 40);
    assert_eq!(causes(&report)[..2], [Cause::Resource, Cause::RoutingLoop]);
    // If messages hardly wait, loops are harmless.
    report.resources.clear();
    report.ledger.clear();
    assert_eq!(causes(&report), [Cause::Healthy]);
}
