//! Classes are judged each by its own ledger: which waits, for whom, and why.

use hopscope_explain::{Cause, explain};
use hopscope_measure::{
    Charged, ClassLane, ClassOutput, ClassUse, Estimate, LaneName, LedgerRow, Marking, Metric, Report,
    ResourceKind, ServiceOrder, StageId,
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
            "Shared lane: `small` waits 80 % of its lifetime (75 % behind `large`, which has the same lane),",
        ),
        (
            ServiceOrder::Strict,
            [(0.8, 1, 1), (0.1, 0, 1)],
            "Strict priority: `small` waits 80 % of its lifetime (75 % behind `large`, which always goes first),",
        ),
        (
            ServiceOrder::InProportion,
            [(0.8, 0, 1), (0.1, 1, 50)],
            "Weights: `small` (weight 1) waits 80 % of its lifetime (75 % behind `large`, which has a weight of 50),",
        ),
    ];
    for (order, classes, sentence) in cases {
        for used in [0.5, 1.0] {
            let found = first(&behind(order, used, 0.05, classes));
            assert_eq!(found.cause, Cause::Lanes, "{}", found.sentence);
            assert!(found.sentence.starts_with(sentence), "{}", found.sentence);
            assert!(found.sentence.contains("the largest part at the link s:0 -> t:0"), "{}", found.sentence);
            let who = (found.class.as_deref(), found.behind.as_deref());
            assert_eq!(who, (Some("small"), Some("large")));
            assert!(found.weight_stated);
        }
    }
}

#[test]
fn a_lane_of_pause_frames_is_called_a_priority() {
    let mut report = behind(ServiceOrder::InTurn, 0.5, 0.05, [(0.8, 0, 1), (0.1, 0, 1)]);
    report.evidence.lane_name = LaneName::Priority;
    let sentence = first(&report).sentence;
    let told = "Shared priority: `small` waits 80 % of its lifetime (75 % behind `large`, which has the same priority),";
    assert!(sentence.starts_with(told), "{sentence}");
}

#[test]
fn a_full_link_that_is_slower_than_its_like_comes_before_the_class_that_goes_first_there() {
    let of = |used: f64, own_rate: f64| {
        let mut report = behind(ServiceOrder::Strict, used, 0.05, [(0.8, 1, 1), (0.1, 0, 1)]);
        report.ledger[0].share = 0.7;
        let ends = |number: u32| [("s:1", port(0, number as u16)), ("u:0", port(2, number as u16))];
        report
            .resources
            .extend([1, 2].map(|number| link(ResourceKind::Output, number, ends(number), 0.1, 0.0)));
        report.evidence.rates = [(0, own_rate), (1, 10e9), (2, 10e9)].into();
        explain(&report).verdict
    };
    let slow = of(0.95, 2e9);
    assert_eq!(slow.first.cause, Cause::Resource, "{}", slow.first.sentence);
    assert!(slow.first.sentence.contains("2 Gbit/s, where most have 10 Gbit/s"), "{}", slow.first.sentence);
    assert_eq!(
        (slow.runners_up[0].cause, slow.runners_up[0].class.as_deref()),
        (Cause::Lanes, Some("small"))
    );
    // As fast as the others, or with time to spare: who goes first is what can be changed.
    for other in [of(0.95, 10e9), of(0.8, 2e9)] {
        assert_eq!(other.first.cause, Cause::Lanes, "{}", other.first.sentence);
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
        report.dependences = vec![hopscope_measure::Dependence { holder: 0, activity: None, needs: 1 }];
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
    assert!(
        other.sentence.contains("the largest part at the link t:1 -> u:0 (100 % utilised)"),
        "{}",
        other.sentence
    );
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

#[test]
fn a_class_that_waits_behind_its_own_messages_for_a_link_that_is_hardly_used_is_healthy() {
    let of = |used, own| {
        let mut report = behind(ServiceOrder::InTurn, used, 0.05, [(0.6, 1, 1), (0.1, 0, 1)]);
        report.evidence.class_use.as_mut().expect("it has classes").outputs[0].behind[0] = vec![own, 1.0];
        first(&report).cause
    };
    assert_eq!(of(0.02, 3.0), Cause::Healthy);
    // It waits behind the other class, or for a link that is used.
    assert_eq!([of(0.02, 0.2), of(0.5, 3.0)], [Cause::Resource; 2]);
}

#[test]
fn a_class_of_which_nothing_is_delivered_behind_one_that_goes_first_is_the_first_finding() {
    let of = |used, delivered: f64| {
        let mut report = behind(ServiceOrder::Strict, used, 0.0, [(0.0, 1, 1), (0.1, 0, 1)]);
        let rate = Estimate { value: delivered, low: delivered, high: delivered, n: 100 };
        report.metrics.push(Metric::new("throughput", "small", ("rate", "1/s"), rate));
        first(&report)
    };
    let found = of(1.0, 0.0);
    let sentence = "Starvation: no message of `small` is delivered. Its messages wait for the link s:0 -> t:0 (100 % \
                    utilised), which always sends those of `large` first.";
    assert_eq!((found.cause, found.sentence.as_str()), (Cause::Lanes, sentence));
    let who = (found.class.as_deref(), found.behind.as_deref());
    assert_eq!(who, (Some("small"), Some("large")));
    // Where the link has time to spare, or something is delivered, nobody starves.
    for other in [of(0.5, 0.0), of(1.0, 2.0)] {
        assert!(!other.sentence.starts_with("Starvation"), "{}", other.sentence);
    }
}

/// Where both need the link that is full, and inputs are served in a fixed order, more lanes are not the remedy.
#[test]
fn a_class_behind_another_at_a_link_that_both_need_waits_for_its_turn_where_inputs_have_a_fixed_order() {
    let of = |is_fixed, used, own_share| {
        let mut report = behind(ServiceOrder::InTurn, used, own_share, [(0.8, 0, 1), (0.1, 0, 1)]);
        report.evidence.is_fixed_order = is_fixed;
        first(&report)
    };
    let found = of(true, 0.96, 0.05);
    assert_eq!((found.cause, found.id), (Cause::Resource, Some("Arbiter")), "{}", found.sentence);
    assert_eq!(found.nodes, ["s"]);
    assert!(found.sentence.starts_with("Fixed order: `small` waits 80 %"), "{}", found.sentence);
    let who = (found.class.as_deref(), found.behind.as_deref());
    assert_eq!(who, (Some("small"), Some("large")));
    // Any other order, a link with time to spare, or one that the class does not need.
    for other in [of(false, 0.96, 0.05), of(true, 0.5, 0.05), of(true, 0.96, 0.0)] {
        assert_eq!(other.cause, Cause::Lanes, "{}", other.sentence);
    }
}

/// No frame is cut off: who goes first waits for the end of the one that is being sent.
#[test]
fn a_class_that_goes_first_and_waits_for_about_one_frame_wants_shorter_frames() {
    let of = |order, frame_bits| {
        let mut report = behind(order, 0.6, 0.02, [(0.8, 0, 1), (0.3, 1, 1)]);
        report.evidence.frame_bits = frame_bits;
        report.evidence.rates = [(0, 10e9)].into();
        report.ledger.push(LedgerRow {
            class: "small".into(),
            ..stage(StageId::Transmission, Charged::To(ResourceKind::Output), 0.2)
        });
        first(&report)
    };
    let found = of(ServiceOrder::Strict, 10_000.0);
    assert_eq!((found.cause, found.nodes.len()), (Cause::SlowService, 0), "{}", found.sentence);
    assert!(
        found.sentence.starts_with("Long frames: `small` goes first, and yet waits 80 %"),
        "{}",
        found.sentence
    );
    assert!(found.sentence.contains("up to 1 us (1.25 KB) at the link s:0 -> t:0"), "{}", found.sentence);
    // A frame takes less than its message without waiting, or its lane takes turns with the other one.
    for other in [of(ServiceOrder::Strict, 1_000.0), of(ServiceOrder::InTurn, 10_000.0)] {
        assert!(!other.sentence.starts_with("Long frames"), "{}", other.sentence);
    }
}

/// More lanes are one way; to keep the queue of the others short is the other.
#[test]
fn marks_from_a_queue_that_takes_far_longer_than_a_message_are_a_cause_beside_too_few_lanes() {
    let of = |from| {
        let mut report = behind(ServiceOrder::InTurn, 1.0, 0.05, [(0.8, 0, 1), (0.1, 0, 1)]);
        let alone = LedgerRow {
            class: "small".into(),
            ..stage(StageId::Transmission, Charged::To(ResourceKind::Output), 0.2)
        };
        report.ledger.push(alone);
        report.evidence.rates = [(0, 10e9)].into();
        report.evidence.marking = Some(Marking { from, all: from, frame: 1500.0, marked: 0.1 });
        let found = hopscope_explain::explain(&report).verdict;
        assert_eq!(found.first.cause, Cause::Lanes);
        found.runners_up.into_iter().find(|each| each.cause == Cause::RateControl)
    };
    // 3 KB take 2.4 us, where the message takes 0.2 us without waiting.
    let late = of(3000.0).expect("marks are late");
    assert!(
        late.sentence.starts_with("Late marks: ECN marks frames from a queue of 3 KB on, which takes 2.4 us"),
        "{}",
        late.sentence
    );
    assert_eq!((late.class.as_deref(), late.behind.as_deref()), (Some("small"), Some("large")));
    assert!(of(1500.0).is_none());
}
