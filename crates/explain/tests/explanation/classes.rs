//! Classes are judged each by its own ledger: which waits, for whom, and why.

use hopscope_explain::Cause;
use hopscope_measure::{
    Charged, ClassLane, ClassOutput, ClassUse, LedgerRow, Report, ResourceKind, ServiceOrder, StageId,
};

use crate::reports::{first, link, of_resources, port, stage};

/// How much of its lifetime a class waits, its lane and weight.
type Class = (f64, usize, u16);

/// `small`, which waits while `large` is sent, and sends a part of what `large` sends, at a link that is so utilised.
fn behind(order: ServiceOrder, used: f64, own_share: f64, [small, large]: [Class; 2]) -> Report {
    let ends = [("s:0", port(0, 0)), ("t:0", port(1, 0))];
    let mut report = of_resources(vec![link(ResourceKind::Output, 0, ends, used, 4.0)]);
    report.measured.messages = 1000;
    let row = |name: &str, share| LedgerRow {
        class: name.into(),
        ..stage(StageId::Queueing, Charged::To(ResourceKind::Output), share)
    };
    report.ledger = vec![row("all", 0.2), row("small", small.0), row("large", large.0)];
    let lane = |name: &str, (_, lane, weight): Class| ClassLane { name: name.into(), lane, weight };
    report.evidence.class_use = Some(ClassUse {
        order,
        classes: vec![lane("small", small), lane("large", large)],
        outputs: vec![ClassOutput {
            row: 0,
            sent: vec![own_share, 1.0 - own_share],
            behind: vec![vec![0.2, 3.0], vec![0.1, 0.7]],
            held: vec![0.0, 0.0],
        }],
    });
    report
}

#[test]
fn a_class_that_waits_behind_another_is_named_with_it_though_all_together_hardly_wait() {
    let cases = [
        (
            ServiceOrder::InTurn,
            [(0.8, 0, 1), (0.1, 0, 1)],
            "Too few lanes: `small` waits 80 % of its lifetime, 75 % behind `large`, which shares its lane,",
        ),
        (
            ServiceOrder::Strict,
            [(0.8, 1, 1), (0.1, 0, 1)],
            "Strict priority: `small` waits 80 % of its lifetime, 75 % behind `large`, which always goes first,",
        ),
        (
            ServiceOrder::InProportion,
            [(0.8, 0, 1), (0.1, 1, 50)],
            "Weights: `small` (weight 1) waits 80 % of its lifetime, 75 % behind `large` (weight 50),",
        ),
    ];
    for (order, classes, sentence) in cases {
        for used in [0.5, 1.0] {
            let found = first(&behind(order, used, 0.05, classes));
            assert_eq!(found.cause, Cause::Lanes, "{}", found.sentence);
            assert!(found.sentence.starts_with(sentence), "{}", found.sentence);
            assert!(found.sentence.contains("most at the link s:0 -> t:0"), "{}", found.sentence);
            let who = (found.class.as_deref(), found.behind.as_deref());
            assert_eq!(who, (Some("small"), Some("large")));
        }
    }
}

#[test]
fn a_class_waits_behind_no_other_that_takes_turns_with_it_or_goes_later_or_that_it_fills_the_link_with() {
    let lanes = |order, share, classes| first(&behind(order, 0.5, share, classes)).cause == Cause::Lanes;
    assert!(!lanes(ServiceOrder::InTurn, 0.05, [(0.8, 0, 1), (0.1, 1, 1)]));
    assert!(!lanes(ServiceOrder::Strict, 0.05, [(0.8, 0, 1), (0.1, 1, 1)]));
    assert!(!lanes(ServiceOrder::InProportion, 0.05, [(0.8, 0, 50), (0.1, 1, 1)]));
    // It sends as much as the other.
    assert!(!lanes(ServiceOrder::InTurn, 0.5, [(0.8, 0, 1), (0.1, 0, 1)]));
    // It waits for less than a third of its life.
    assert!(!lanes(ServiceOrder::InTurn, 0.05, [(0.2, 0, 1), (0.1, 0, 1)]));
}

/// What waits while its own lane is held back waits for what fills the link that the chain leads to.
#[test]
fn who_is_held_back_waits_for_the_class_that_fills_the_root() {
    let of_root = |own_share: f64| {
        let mut report = behind(ServiceOrder::InTurn, 0.4, 0.5, [(0.8, 0, 1), (0.1, 0, 1)]);
        let ends = [("t:1", port(1, 1)), ("u:0", port(2, 0))];
        report.resources.push(link(ResourceKind::Output, 1, ends, 1.0, 6.0));
        report.dependences = vec![hopscope_measure::Dependence { holder: 0, cause: None, needs: 1 }];
        let used = report.evidence.class_use.as_mut().expect("it has classes");
        used.outputs[0].behind = vec![vec![0.0; 2]; 2];
        used.outputs[0].held = vec![3.0, 1.0];
        used.outputs.push(ClassOutput {
            row: 1,
            sent: vec![own_share, 1.0 - own_share],
            behind: vec![vec![0.0; 2]; 2],
            held: vec![0.0; 2],
        });
        first(&report)
    };
    let other = of_root(0.1);
    assert_eq!((other.cause, other.class.as_deref()), (Cause::Lanes, Some("small")), "{}", other.sentence);
    assert!(other.sentence.contains("most at the link t:1 -> u:0 (100 % utilised)"), "{}", other.sentence);
    assert_ne!(of_root(0.9).cause, Cause::Lanes);
}

#[test]
fn a_network_is_not_healthy_where_one_class_waits_for_itself() {
    let of = |waits| first(&behind(ServiceOrder::InTurn, 0.5, 0.05, [(waits, 1, 1), (0.1, 0, 1)]));
    let waiting = of(0.5);
    assert_ne!(waiting.cause, Cause::Healthy);
    assert!(
        waiting.sentence.starts_with("Contention: `small` waits 50 % of its lifetime"),
        "{}",
        waiting.sentence
    );
    assert_eq!(of(0.2).cause, Cause::Healthy);
}
