//! Rounds in which many hosts send to one: each has another receiver, so no link is full over the whole run.

use hopscope_explain::Cause;
use hopscope_measure::{Charged, IncastUse, Report, ResourceKind, Site, StageId};

use crate::reports::{first, link, of_resources, port, stage};

/// Receivers' links that are hardly used over the run, and rounds with this share of sending.
fn rounds(sent_s: f64, share: f64) -> Report {
    let of_host = |number: u32| {
        let ends = [("l:0", port(0, number as u16)), ("h", Site::Host(number))];
        link(ResourceKind::Output, number, ends, 0.03, 0.5)
    };
    let mut report = of_resources((0..8).map(of_host).collect());
    report.measured.messages = 512;
    report.ledger = vec![
        stage(StageId::Pacing, Charged::To(ResourceKind::RateLimiter), 0.95),
        stage(StageId::Transmission, Charged::To(ResourceKind::Output), 0.05),
    ];
    let group = "answers".to_owned();
    report.evidence.incasts =
        vec![IncastUse { group, senders: 64, row: None, round_s: 700e-6, sent_s, share }];
    report
}

#[test]
fn the_link_of_each_rounds_receiver_is_the_bottleneck_where_it_is_full_as_long_as_the_round_lasts() {
    let found = first(&rounds(670e-6, 1.0));
    assert_eq!(found.cause, Cause::Resource);
    assert_eq!(found.id, Some("Output"));
    // How much a link is used is no share of a lifetime.
    assert!(!found.weight_stated);
    assert_eq!(
        found.sentence,
        "Incast: the link into the receiver is 96 % utilised while a round of `answers` lasts. 64 hosts send over this link at \
         once: their data take 670 us there, and a round takes 700 us."
    );
    // Where it is idle for most of a round, or others wait longer, something else is behind it.
    for report in [rounds(200e-6, 1.0), rounds(670e-6, 0.2)] {
        assert!(!first(&report).sentence.starts_with("Incast"));
    }
}

#[test]
fn the_link_is_named_where_every_round_has_the_same_receiver() {
    let mut report = rounds(670e-6, 1.0);
    report.evidence.incasts[0].row = Some(3);
    let found = first(&report);
    assert_eq!(found.nodes, report.resources[3].nodes());
    assert!(found.sentence.starts_with("Incast: the link l:0 -> h is 96 % utilised"), "{}", found.sentence);
}
