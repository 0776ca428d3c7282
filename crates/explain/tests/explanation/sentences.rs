//! What the sentences and numbers of an explanation may say.

use hopscope_explain::{Cause, explain};
use hopscope_measure::{
    Charged, Interruption, InterruptionWhy, Outcome, Place, Report, ResourceKind, Site, StageId,
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
    assert!(all.sentence.starts_with("Overload: 16 of the 16 links"), "{}", all.sentence);
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
