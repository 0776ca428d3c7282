//! What the sentences and numbers of an explanation may say.

use hopscope_explain::{Cause, explain};
use hopscope_measure::{
    Charged, Interruption, InterruptionWhy, Loss, LossWhy, Outcome, Place, Report, ResourceKind, Site,
    StageId,
};

use crate::reports::{line, link, of_resources, port, stage};

/// Four cables between switches, each both ways, and the links of two hosts.
fn tier(trunks: f64, hosts: f64) -> Report {
    let between = |number: u32| {
        let ends = [("l:0", port(0, number as u16)), ("s:0", port(1 + number, 0))];
        link(ResourceKind::Output, number, ends, trunks, 3.0)
    };
    let of_host = |number: u32| {
        let ends = [("h", Site::Host(number)), ("l:0", port(0, number as u16))];
        link(ResourceKind::Output, number, ends, hosts, 0.0)
    };
    let mut report = of_resources((0..8).map(between).chain((8..16).map(of_host)).collect());
    report.ledger = vec![
        stage(StageId::Queueing, Charged::To(ResourceKind::Output), 0.7),
        stage(StageId::Transmission, Charged::To(ResourceKind::Output), 0.3),
    ];
    report.outcome = Outcome::Saturated;
    report
}

#[test]
fn links_between_switches_that_are_full_while_those_of_hosts_are_not_are_oversubscribed() {
    let found = explain(&tier(0.97, 0.3)).verdict.first;
    assert_eq!(found.cause, Cause::Overload);
    assert!(
        found.sentence.starts_with("Oversubscription: 8 of the 8 links in use between switches"),
        "{}",
        found.sentence
    );
    // Where hosts' links are as full, it is the whole network.
    let all = explain(&tier(0.97, 0.96)).verdict.first;
    assert!(all.sentence.starts_with("Overload: all 16 links"), "{}", all.sentence);
}

#[test]
fn what_processors_do_besides_is_told_only_where_it_is_the_cause() {
    let mut report = of_resources(vec![line(0.97, 4.0)]);
    report.measured.messages = 100;
    report.ledger = vec![stage(StageId::LineWait, Charged::To(ResourceKind::Line), 0.8)];
    let place = Place { words: "the processor of A".to_owned(), nodes: vec!["A -> B".to_owned()] };
    let ticks = Interruption::of(InterruptionWhy::OtherWork, place).and((0.1, 0.100_001), (0.0, 1.0));
    report.evidence.interruptions = vec![ticks];
    let page = explain(&report).page;
    assert_eq!(page.counts, []);
    assert_eq!(page.time_share, Some(0.97), "that of the line, not that of the ticks");
    report.evidence.interruptions[0].why = InterruptionWhy::SilentHost;
    assert_eq!(explain(&report).page.counts.len(), 1);
}

/// The links of four hosts, the last with this delay in seconds; and a run that spends this share of a life on links.
fn hosts_at(delay_s: f64, travelling: f64) -> Report {
    let of_host = |number: u32| {
        let ends = [("h", Site::Host(number)), ("l:0", port(0, number as u16))];
        let mut row = link(ResourceKind::Output, number, ends, 0.1, 0.0);
        row.ends = Some([format!("h{number}"), "l".to_owned()]);
        row
    };
    let mut report = of_resources((0..4).map(of_host).collect());
    report.measured.messages = 100;
    report.ledger = vec![
        stage(StageId::Propagation, Charged::To(ResourceKind::Output), travelling),
        stage(StageId::Transmission, Charged::To(ResourceKind::Output), 1.0 - travelling),
    ];
    report.evidence.rates = (0..4).map(|row| (row, 1e9)).collect();
    report.evidence.delays = (0..4).map(|row| (row, if row == 3 { delay_s } else { 1e-7 })).collect();
    report
}

#[test]
fn a_link_far_longer_than_its_like_is_told_where_messages_spend_most_of_their_lifetime_on_it() {
    let found = explain(&hosts_at(2e-5, 0.9)).verdict.first;
    assert_eq!(found.cause, Cause::SlowService);
    assert_eq!(found.nodes, ["h3", "l"]);
    assert_eq!(
        found.sentence,
        "Long link: messages spend 89 % of their lifetime travelling along the link h -> l:0, which takes 20 us where the \
         others like it take 100 ns."
    );
    // As long as the others, nearly so, or hardly noticed.
    for (delay_s, travelling) in [(1e-7, 0.9), (5e-7, 0.9), (2e-5, 0.3)] {
        assert_eq!(explain(&hosts_at(delay_s, travelling)).verdict.first.cause, Cause::Healthy);
    }
}

#[test]
fn trunks_that_hosts_could_use_as_well_are_no_oversubscription() {
    let mut report = tier(0.97, 0.3);
    report.resources[1].utilisation = 0.01;
    assert_ne!(explain(&report).verdict.first.cause, Cause::Overload);
    // A switch without hosts need not use all of its links.
    report.resources[1].site = port(7, 1);
    assert_eq!(explain(&report).verdict.first.cause, Cause::Overload);
}

#[test]
fn packets_that_each_switch_stores_are_told_where_they_spend_most_of_their_lifetime_so() {
    let stored = |share: f64, used: f64| {
        let mut report = of_resources(vec![line(used, 0.1)]);
        report.ledger = vec![
            stage(StageId::Reception, Charged::INCOMING_LINK, share),
            stage(StageId::Body, Charged::LAST_LINK, 1.0 - share),
        ];
        report.measured.messages = 100;
        explain(&report).verdict.first
    };
    let found = stored(0.7, 0.3);
    assert_eq!(found.cause, Cause::SlowService);
    assert!(found.sentence.starts_with("Store and forward: messages spend 70 %"), "{}", found.sentence);
    assert_eq!(stored(0.4, 0.3).cause, Cause::Healthy);
}

#[test]
fn credits_that_messages_wait_for_are_named_though_they_are_not_always_in_use() {
    let ends = [("l:0", port(0, 0)), ("s:0", port(1, 0))];
    let mut credits = link(ResourceKind::Credits, 1, ends, 0.5, 0.5);
    credits.capacity = Some(40_960.0);
    let mut report = of_resources(vec![credits]);
    report.measured.messages = 100;
    let waits = |share: f64| {
        vec![
            stage(StageId::CreditWait, Charged::DOWNSTREAM_BUFFER, share),
            stage(StageId::Transmission, Charged::To(ResourceKind::Output), 1.0 - share),
        ]
    };
    report.ledger = waits(0.42);
    let found = explain(&report).verdict.first;
    assert_eq!(found.cause, Cause::Window, "{}", found.sentence);
    report.ledger = waits(0.1);
    assert_eq!(explain(&report).verdict.first.cause, Cause::Healthy);
}

#[test]
fn frames_that_come_twice_are_tried_beside_what_is_named_and_are_the_cause_where_they_are_most() {
    let link = link(ResourceKind::Output, 1, [("a:0", port(0, 0)), ("b:0", port(1, 0))], 0.95, 4.0);
    let mut report = of_resources(vec![link]);
    report.measured.messages = 100;
    report.ledger = vec![
        stage(StageId::Queueing, Charged::To(ResourceKind::Output), 0.8),
        stage(StageId::Transmission, Charged::To(ResourceKind::Output), 0.2),
    ];
    report.evidence.sends_again = true;
    let mut twice = |count: u64| {
        let place = Place::node("the host b".to_owned(), "b");
        report.evidence.losses = vec![Loss { why: LossWhy::Twice, place, count, of: 100, each_s: 0.0 }];
        let verdict = explain(&report).verdict;
        [verdict.first.cause, verdict.runners_up.first().map_or(Cause::Healthy, |next| next.cause)]
    };
    assert_eq!(twice(16), [Cause::Resource, Cause::Loss]);
    assert_eq!(twice(2), [Cause::Resource, Cause::Healthy]);
    assert_eq!(twice(60)[0], Cause::Loss);
}

/// A link up that is as full as the link down before it, in a tree whose leaves have hosts or in a ring of switches
/// that all have.
#[test]
fn what_has_come_down_in_a_tree_does_not_go_up_again() {
    let next_of = |spines_have_hosts: bool| {
        let down = [("spine:0", port(9, 0)), ("leaf:0", port(0, 0))];
        let up = [("leaf:1", port(0, 1)), ("other:0", port(8, 0))];
        let host = |number: u32, switch: u32| {
            let ends = [("h", Site::Host(number)), ("s:7", port(switch, 7))];
            link(ResourceKind::Output, 10 + number, ends, 0.1, 0.0)
        };
        let mut rows = vec![
            link(ResourceKind::Output, 1, down, 0.95, 6.0),
            link(ResourceKind::Output, 2, up, 0.94, 0.1),
            host(0, 0),
        ];
        rows.extend(spines_have_hosts.then(|| [host(1, 8), host(2, 9)]).into_iter().flatten());
        let mut report = of_resources(rows);
        report.measured.messages = 100;
        report.ledger = vec![
            stage(StageId::Queueing, Charged::To(ResourceKind::Output), 0.8),
            stage(StageId::Transmission, Charged::To(ResourceKind::Output), 0.2),
        ];
        explain(&report).verdict.first.beyond
    };
    assert_eq!(next_of(true), ["leaf", "other"]);
    assert!(next_of(false).is_empty());
}

/// As many links as that, at each of which as many messages wait for room downstream.
fn paused_at(links: u32) -> Report {
    let rows = (0..links).map(|number| {
        let ends = [("a:0", port(number, 0)), ("b:0", port(1000 + number, 0))];
        link(ResourceKind::Output, number, ends, 0.4, 0.2)
    });
    let mut report = of_resources(rows.collect());
    report.measured.messages = 100;
    report.ledger = vec![
        stage(StageId::Paused, Charged::DOWNSTREAM_BUFFER, 0.4),
        stage(StageId::Transmission, Charged::To(ResourceKind::Output), 0.6),
    ];
    report
}

#[test]
fn of_waiting_that_is_spread_over_many_links_none_is_said_to_have_the_largest_part() {
    let few = explain(&paused_at(4)).verdict.first.sentence;
    assert!(few.contains("The largest part, 25 % of all waiting, is for the link"), "{few}");
    let many = explain(&paused_at(40)).verdict.first.sentence;
    assert!(many.starts_with("Back-pressure: "), "{many}");
    assert!(
        many.contains("No place stands out: the largest part, only 2 % of all waiting, is for"),
        "{many}"
    );
}

/// Two sites with a cable of this delay between them; with another way round, where there is a short one.
fn two_sites(delay_s: f64, has_short: bool) -> Report {
    let trunk = |number: u32, from: (&str, u32), to: (&str, u32)| {
        let ends = [(from.0, port(from.1, number as u16)), (to.0, port(to.1, number as u16))];
        link(ResourceKind::Output, number, ends, 0.1, 0.0)
    };
    let mut rows = vec![
        trunk(0, ("a:0", 0), ("b:0", 1)),
        trunk(1, ("c:1", 2), ("d:1", 3)),
        trunk(2, ("a:2", 0), ("c:2", 2)),
    ];
    if has_short {
        rows.push(trunk(3, ("b:3", 1), ("d:3", 3)));
    }
    let count = rows.len();
    let mut report = of_resources(rows);
    report.measured.messages = 100;
    report.ledger = vec![
        stage(StageId::Propagation, Charged::To(ResourceKind::Output), 0.9),
        stage(StageId::Transmission, Charged::To(ResourceKind::Output), 0.1),
    ];
    report.evidence.rates = (0..count).map(|row| (row, 1e9)).collect();
    report.evidence.delays = (0..count).map(|row| (row, if row == 2 { delay_s } else { 1e-7 })).collect();
    report
}

#[test]
fn a_switch_with_long_cables_alone_is_far_away() {
    let trunk = |number: u32, from: (&str, u32), to: (&str, u32)| {
        let ends = [(from.0, port(from.1, 0)), (to.0, port(to.1, 0))];
        link(ResourceKind::Output, number, ends, 0.2, 0.0)
    };
    let rows = ["x", "y"].iter().enumerate().flat_map(|(spine, name)| {
        (0..4_u32).map(move |leaf| {
            trunk(
                8 * spine as u32 + leaf,
                (&format!("l{leaf}:0"), leaf),
                (&format!("{name}:{leaf}"), 10 + spine as u32),
            )
        })
    });
    let mut report = of_resources(rows.collect());
    report.measured.messages = 100;
    report.ledger = vec![
        stage(StageId::Propagation, Charged::To(ResourceKind::Output), 0.9),
        stage(StageId::Transmission, Charged::To(ResourceKind::Output), 0.1),
    ];
    report.evidence.rates = (0..8).map(|row| (row, 1e9)).collect();
    let mut told = |far: &[usize]| {
        report.evidence.delays =
            (0..8).map(|row| (row, if far.contains(&row) { 6e-5 } else { 1e-7 })).collect();
        explain(&report).verdict.first.sentence
    };
    let far = told(&[1, 5]);
    let words = "Messages spend 90 % of it travelling along the 2 cables of l1 (60 us; most others 100 ns).";
    assert!(far.contains(words), "{far}");
    assert!(!told(&[1, 6]).contains("cables of"));
}

#[test]
fn the_only_way_between_two_sites_is_a_distance_and_no_fault() {
    let far = explain(&two_sites(2e-4, false)).verdict.first;
    assert_eq!(far.cause, Cause::Healthy);
    let told = "Messages spend 90 % of it travelling along the link a:2 -> c:2, which takes 200 us; no shorter path leads";
    assert!(far.sentence.contains(told), "{}", far.sentence);
    assert!(!explain(&two_sites(1e-7, false)).verdict.first.sentence.contains("travelling"));
    let odd = explain(&two_sites(2e-4, true)).verdict.first;
    assert_eq!(odd.cause, Cause::SlowService, "{}", odd.sentence);
    assert_eq!(odd.nodes, ["a", "c"]);
}
