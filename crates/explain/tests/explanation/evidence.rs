//! The evidence of a model besides its resources, and its use in an explanation.

use hopscope_explain::{Candidate, Cause, explain};
use hopscope_measure::{
    Alternatives, Charged, Choice, Dependence, Estimate, HeldIn, HoldActivity, HoldWhy, LedgerRow, Loss,
    LossWhy, PairUse, Place, Report, ResourceKind, ResourceRow, Site, StageId,
};

use crate::reports::{link, of_resources, port, stage};

/// Half of a life of one microsecond is waiting.
fn report(resources: Vec<ResourceRow>) -> Report {
    let mut report = of_resources(resources);
    report.measured.messages = 100;
    report.ledger = vec![
        stage(StageId::OutputWait, Charged::To(ResourceKind::Output), 0.5),
        stage(StageId::Body, Charged::LAST_LINK, 0.5),
    ];
    report
}

fn pair(who: &str, messages: u64, wait_us: f64) -> PairUse {
    PairUse { who: who.into(), messages, life_us: 10.0, wait_us }
}

#[test]
fn who_waits_is_told_by_name_and_against_the_mean_of_all() {
    let mut report = report(Vec::new());
    // A pair has 50 messages on average; the one with a single message shows nothing.
    report.evidence.pairs = vec![
        pair("a -> b", 90, 1.0),
        pair("c -> b", 10, 6.0),
        pair("d -> b", 1, 50.0),
        pair("e -> b", 99, 0.9),
    ];
    let hurt = explain(&report).page.hurt;
    let names: Vec<&str> = hurt.iter().map(|hurt| hurt.who.as_str()).collect();
    assert_eq!(names, ["all", "c -> b", "a -> b", "e -> b"]);
    report.evidence.pairs = vec![pair("a -> b", 90, 1.0), pair("c -> b", 30, 6.0)];
    let hurt = explain(&report).page.hurt;
    assert_eq!((hurt[1].who.as_str(), hurt[1].waits_us, hurt[1].share), ("c -> b", Some(6.0), 0.6));
    let times = hurt[1].times_mean.expect("there is a mean");
    assert!((times - 6.0 / 2.25).abs() < 1e-12, "{times}");
}

#[test]
fn a_link_before_one_as_full_is_told_with_it() {
    let of_use = |beyond: f64| {
        let trunk = link(ResourceKind::Output, 0, [("s:1", port(0, 1)), ("t:0", port(1, 0))], 0.9, 5.0);
        let next = link(ResourceKind::Output, 1, [("t:1", port(1, 1)), ("h", Site::Host(0))], beyond, 0.1);
        explain(&report(vec![trunk, next])).verdict.first
    };
    let both = of_use(0.88);
    assert_eq!((both.cause, both.beyond), (Cause::Resource, vec!["t".to_owned(), "h".to_owned()]));
    assert!(both.sentence.contains("The link t:1 -> h after it is as full (88 % utilised)"));
    assert_eq!(of_use(0.5).beyond, Vec::<String>::new());
}

#[test]
fn a_fifo_whose_packets_all_go_one_way_holds_nobody_back() {
    let of_second_output = |used: f64| {
        let fifo = ResourceRow {
            held_in: vec![HeldIn::of(HoldWhy::Packets, 4.0)],
            ..link(ResourceKind::InputFifo, 2, [("a", Site::Host(0)), ("s:0", port(0, 0))], 0.5, 3.0)
        };
        let b = link(ResourceKind::Output, 3, [("s:1", port(0, 1)), ("b", Site::Host(1))], 0.5, 0.8);
        let c = link(ResourceKind::Output, 4, [("s:2", port(0, 2)), ("c", Site::Host(2))], used, 0.0);
        let mut report = report(vec![b, fifo, c]);
        let activity = Some(HoldActivity::of(HoldWhy::Packets));
        report.dependences = [0, 2].map(|needs| Dependence { holder: 1, activity, needs }).into();
        report.ledger = vec![
            stage(StageId::FifoWait, Charged::HEAD_OF_FIFO, 0.5),
            stage(StageId::Body, Charged::LAST_LINK, 0.5),
        ];
        explain(&report).verdict.first.cause
    };
    assert_eq!(of_second_output(0.3), Cause::Blocking);
    assert_ne!(of_second_output(0.01), Cause::Blocking);
}

#[test]
fn lost_acknowledgments_hide_in_the_wait_for_acknowledgments() {
    let of_cost = |each_s: f64| {
        let mut report = report(Vec::new());
        // 100 messages live for a second each.
        report.ledger = vec![
            LedgerRow {
                estimate: Some(Estimate::exact(0.6e6, 100)),
                ..stage(StageId::AcknowledgmentWait, Charged::ACKNOWLEDGMENT, 0.6)
            },
            LedgerRow {
                estimate: Some(Estimate::exact(0.4e6, 100)),
                ..stage(StageId::RadioTransit, Charged::RADIO_NETWORK, 0.4)
            },
        ];
        let place = Place::node("the radio of g", "g");
        report.evidence.losses = vec![Loss { why: LossWhy::Radio, place, count: 20, of: 100, each_s }];
        explain(&report).verdict.first
    };
    // Of 60 message seconds of waiting 20 * 2 = 40 follow from losses.
    assert_eq!((of_cost(2.0).cause, of_cost(2.0).nodes), (Cause::Loss, vec!["g".to_owned()]));
    assert_ne!(of_cost(0.5).cause, Cause::Loss);
}

#[test]
fn packets_of_one_message_that_wait_for_one_another_are_no_burst() {
    let of_packets = |ahead: f64| {
        let line = link(ResourceKind::Line, 5, [("A", Site::Nowhere), ("B", Site::Nowhere)], 0.35, 0.47);
        let mut report = report(vec![line]);
        report.evidence.packets_ahead = ahead;
        explain(&report).verdict.first.cause
    };
    assert_eq!(of_packets(0.0), Cause::Variability);
    // Eight packets: each finds three and a half of its own before it.
    assert_ne!(of_packets(3.5), Cause::Variability);
}

/// What is found of eleven leaves with two uplinks each: their use, how many wait for each, and how one is chosen.
fn of_uplinks(used: [f64; 2], waiting: [f64; 2], choice: Choice) -> Candidate {
    explain(&uplinks(used, waiting, choice)).verdict.first
}

fn uplinks(used: [f64; 2], waiting: [f64; 2], choice: Choice) -> Report {
    let up = |leaf: u32, nth: u16| {
        let (from, to) = (format!("l{leaf}:{nth}"), format!("s{nth}:{leaf}"));
        let ends = [(from.as_str(), port(leaf, nth)), (to.as_str(), port(20 + u32::from(nth), leaf as u16))];
        let at = usize::from(nth);
        link(ResourceKind::Output, 2 * leaf + u32::from(nth), ends, used[at], waiting[at])
    };
    let mut report = report((0..11).flat_map(|leaf| [up(leaf, 0), up(leaf, 1)]).collect());
    report.evidence.alternatives =
        (0..11).map(|leaf| Alternatives { rows: vec![2 * leaf, 2 * leaf + 1], choice }).collect();
    report
}

#[test]
fn collisions_in_many_places_are_one_cause_though_none_of_them_is_behind_much() {
    // A hash has filled one uplink of each leaf and left the other.
    let filled = |spare: f64, choice| of_uplinks([0.99, spare], [4.0 * 0.99, 4.0 * spare], choice);
    let found = filled(0.2, Choice::Hashed);
    assert_eq!(found.cause, Cause::PathCollision, "{}", found.sentence);
    assert!(found.sentence.contains("on each of 11 links"), "{}", found.sentence);
    assert_ne!(filled(0.9, Choice::Hashed).cause, Cause::PathCollision);
    assert_ne!(filled(0.2, Choice::Single).cause, Cause::PathCollision);
}

#[test]
fn collisions_for_which_messages_hardly_wait_are_no_cause() {
    let waits = |share: f64| {
        let mut report = uplinks([0.62, 0.2], [1.4, 0.1], Choice::Hashed);
        report.ledger = vec![stage(StageId::Queueing, Charged::To(ResourceKind::Output), share)];
        explain(&report).verdict.first.cause
    };
    assert_eq!([0.35, 0.15].map(waits), [Cause::PathCollision, Cause::Healthy]);
}

#[test]
fn flows_that_meet_for_a_moment_collide_though_a_hash_uses_all_ways_as_much() {
    // More wait than random arrivals would make.
    let alike = |used: f64, choice| of_uplinks([used; 2], [2.0; 2], choice);
    let found = alike(0.4, Choice::Hashed);
    assert_eq!(found.cause, Cause::PathCollision, "{}", found.sentence);
    assert!(found.sentence.contains("balances the load over time"), "{}", found.sentence);
    // If all are full another path gains nothing, and a single path is not chosen.
    assert_ne!(alike(0.95, Choice::Hashed).cause, Cause::PathCollision);
    assert_ne!(alike(0.4, Choice::Single).cause, Cause::PathCollision);
}

/// Lost packets without retransmission cause no wait: a network that loses packets for good is nevertheless not
/// healthy.
#[test]
fn what_is_lost_for_good_is_no_health() {
    let mut report = report(Vec::new());
    report.ledger = vec![stage(StageId::Queueing, Charged::To(ResourceKind::Output), 0.1)];
    assert_eq!(explain(&report).verdict.first.cause, Cause::Healthy);
    let place = Place::node("the link a - b".to_owned(), "a");
    report.evidence.losses = vec![Loss { why: LossWhy::LinkDown, place, count: 75, of: 0, each_s: 0.0 }];
    let found = explain(&report).verdict.first;
    assert_eq!(found.cause, Cause::Loss);
    assert!(
        found.sentence.contains("75 packets were discarded at a link that was down, all at the link a - b."),
        "{}",
        found.sentence
    );
}
