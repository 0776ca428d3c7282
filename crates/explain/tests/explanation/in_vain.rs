//! What is sent in vain or never served, and shows in no mean: duplicates, packets out of order, messages that were
//! given up, hosts that starve, rounds that pile up.

use hopscope_explain::{Candidate, Cause, Explanation, explain};
use hopscope_measure::{
    Charged, Failure, GivenUp, Loss, LossWhy, Outcome, Place, Report, ResourceKind, RoundsUse, Site, StageId,
    Starving,
};

use crate::reports::{first, link, of_resources, port, stage};

/// Links into hosts with this waiting behind each, and packets that were lost or came in vain, of a hundred.
fn receivers(waiting: &[f64], used: f64, losses: &[(LossWhy, u64)]) -> Report {
    let of_host = |(number, &waiting): (usize, &f64)| {
        let ends = [("l:0", port(0, number as u16)), ("h", Site::Host(number as u32))];
        link(ResourceKind::Output, number as u32, ends, used, waiting)
    };
    let mut report = of_resources(waiting.iter().enumerate().map(of_host).collect());
    report.measured.messages = 1000;
    report.ledger = vec![
        stage(StageId::Queueing, Charged::To(ResourceKind::Output), 0.9),
        stage(StageId::Transmission, Charged::LINK, 0.1),
    ];
    let lost = |&(why, count): &(LossWhy, u64)| {
        let words = if why == LossWhy::FullQueue { "the queue for l:0 -> h" } else { "the receivers" };
        let place = Place { words: words.to_owned(), nodes: Vec::new() };
        let of = if why == LossWhy::FullQueue { 0 } else { 100 };
        Loss { why, place, count, of, each_s: 0.0 }
    };
    report.evidence.losses = losses.iter().map(lost).collect();
    report.evidence.sends_again = true;
    report
}

fn is_loss(found: &Candidate, words: &[&str]) {
    assert_eq!(found.cause, Cause::Loss, "{}", found.sentence);
    for part in words {
        assert!(found.sentence.contains(part), "{part} is not in: {}", found.sentence);
    }
}

#[test]
fn a_link_that_is_full_of_what_comes_twice_is_the_place_of_the_loss() {
    let full = first(&receivers(&[9.0, 0.1], 0.99, &[(LossWhy::Twice, 83)]));
    is_loss(&full, &["83 % of what comes to the receivers had arrived before", "It fills the link l:0 -> h"]);
    assert_eq!(full.nodes, ["l", "h"]);
    // It is everywhere where links have time to spare.
    assert!(first(&receivers(&[9.0, 0.1], 0.7, &[(LossWhy::Twice, 83)])).nodes.is_empty());
}

#[test]
fn what_nobody_sends_again_is_not_sent_several_times() {
    let of = |never_repeats| {
        let mut report = receivers(&[0.1], 0.2, &[(LossWhy::Radio, 30)]);
        report.ledger = vec![stage(StageId::Transmission, Charged::LINK, 1.0)];
        report.evidence.never_repeats = never_repeats;
        first(&report)
    };
    is_loss(&of(true), &["Loss: 30 % of what comes to the receivers is lost. It is not sent again."]);
    is_loss(&of(false), &["is lost and is sent again. Each packet is sent 1.4 times."]);
}

#[test]
fn packets_that_overtake_one_another_are_rejected_without_any_loss() {
    let of = |is_sprayed| {
        let losses = [(LossWhy::OutOfOrder, 80), (LossWhy::FullQueue, 20)];
        let mut report = receivers(&[9.0, 0.1], 0.7, &losses);
        report.evidence.is_sprayed = is_sprayed;
        first(&report)
    };
    is_loss(&of(true), &["80 % of what comes to the receivers comes out of order", "take several ways"]);
    // On one way they are rejected because one before them was lost: that is where to look.
    let lost = of(false);
    is_loss(
        &lost,
        &["80 % of what comes to the receivers is out of order after losses", "the queue for l:0 -> h"],
    );
    assert!(!lost.sentence.contains("several ways"), "{}", lost.sentence);
}

#[test]
fn a_full_link_of_copies_after_losses_is_no_bottleneck() {
    let of = |rejected: u64, lost: u64| {
        first(&receivers(&[9.0, 0.1], 0.99, &[(LossWhy::OutOfOrder, rejected), (LossWhy::FullQueue, lost)]))
    };
    is_loss(
        &of(64, 40),
        &[
            "Each packet is sent 2.8 times",
            "40 packets were dropped by a full queue, all at the queue for l:0 -> h.",
        ],
    );
    // Few copies do not fill it.
    assert_eq!(of(15, 40).cause, Cause::Resource);
}

#[test]
fn what_is_sent_again_for_nothing_comes_before_a_network_that_is_busy_everywhere() {
    let many = [1.0; 20];
    is_loss(
        &first(&receivers(&many, 0.5, &[(LossWhy::Twice, 18)])),
        &["18 % of what comes to the receivers"],
    );
    assert_ne!(first(&receivers(&many, 0.5, &[(LossWhy::Twice, 2)])).cause, Cause::Loss);
}

#[test]
fn messages_that_were_given_up_are_told_and_counted_though_all_others_hardly_wait() {
    let mut report = receivers(&[0.0], 0.1, &[]);
    report.ledger = vec![stage(StageId::Transmission, Charged::LINK, 1.0)];
    assert_eq!(first(&report).cause, Cause::Healthy);
    report.evidence.given_up = Some(GivenUp { count: 2250, of: 6250, retries: 1 });
    let Explanation { verdict, page, .. } = explain(&report);
    is_loss(&verdict.first, &["2250 of 6250 messages were given up after 2 timeouts in a row."]);
    let told: Vec<_> = page.counts.iter().map(|count| (count.what.as_str(), count.count)).collect();
    assert_eq!(told, [("messages given up", 2250)]);
}

#[test]
fn hosts_that_get_nothing_through_are_never_healthy() {
    let mut report = receivers(&[0.1], 1.0, &[]);
    report.ledger = vec![stage(StageId::Transmission, Charged::LINK, 1.0)];
    let hosts = ["h1", "h2", "h3", "h4", "h5"].map(str::to_owned).to_vec();
    report.evidence.starving = Some(Starving { hosts, served: 1 });
    let told = "Starvation: 5 hosts that always have something to send (h1, h2, h3 and 2 more) get nothing through; \
                1 other host gets everything.";
    for (is_fixed, id, nodes) in
        [(true, "Arbiter", vec![]), (false, "Output", vec!["l".to_owned(), "h".to_owned()])]
    {
        report.evidence.is_fixed_order = is_fixed;
        let found = first(&report);
        assert_eq!(
            (found.cause, found.id, &found.nodes),
            (Cause::Resource, Some(id), &nodes),
            "{}",
            found.sentence
        );
        assert!(found.sentence.starts_with(told), "{}", found.sentence);
        assert_eq!(found.sentence.contains("`frames.arbiter`"), is_fixed);
    }
}

#[test]
fn rounds_that_start_before_a_hosts_link_has_carried_the_one_before_pile_up() {
    let of = |sent_s| {
        let mut report = receivers(&[1.0; 20], 0.8, &[]);
        let group = "shuffle".to_owned();
        report.evidence.is_job = true;
        report.evidence.rounds =
            vec![RoundsUse { group, number: 2, every_s: 60e-6, round_s: 500e-6, sent_s }];
        first(&report)
    };
    let found = of(79e-6);
    assert_eq!((found.cause, found.id), (Cause::Overload, Some("Rounds")), "{}", found.sentence);
    assert_eq!(found.place.as_deref(), Some("flow group 2"));
    assert!(
        found
            .sentence
            .starts_with("Overload: rounds of `shuffle` start every 60 us, and the data of one take 79 us"),
        "{}",
        found.sentence
    );
    assert_ne!(of(50e-6).id, Some("Rounds"));
}

#[test]
fn a_timeout_that_is_far_longer_than_a_message_takes_is_told_with_its_losses() {
    let of = |timeout_s| {
        let mut report = receivers(&[0.0], 0.1, &[(LossWhy::FullQueue, 20)]);
        report.ledger = vec![
            stage(StageId::RetransmissionWait, Charged::ALLOCATION, 0.9),
            stage(StageId::Transmission, Charged::LINK, 0.1),
        ];
        report.evidence.timeout_s = Some(timeout_s);
        first(&report)
    };
    // A message takes 0.1 us without waiting.
    is_loss(
        &of(20e-6),
        &["The timeout of 20 us is 200 times as long as a message takes without waiting (100 ns)."],
    );
    assert!(!of(5e-6).sentence.contains("timeout"));
}

#[test]
fn copies_by_a_short_timeout_come_before_the_links_that_they_fill() {
    let of = |twice: u64| {
        let mut report = receivers(&[9.0, 0.1], 0.97, &[(LossWhy::Twice, twice)]);
        report.evidence.timeout_s = Some(12e-6);
        report
    };
    is_loss(
        &first(&of(25)),
        &[
            "25 % of what comes to the receivers had arrived before",
            "The timeout of 12 us is shorter than many",
        ],
    );
    assert_eq!(first(&of(15)).cause, Cause::Resource);
    // Frames that overtake one another are sent again before any timeout.
    let mut sprayed = of(25);
    sprayed.evidence.is_sprayed = true;
    assert!(!first(&sprayed).sentence.contains("timeout"));
    // Where queues grow, or after a fault, any timeout is too short.
    let mut grows = of(25);
    grows.outcome = Outcome::Saturated;
    assert_ne!(first(&grows).cause, Cause::Loss);
    let mut failed = of(25);
    let place = Place { words: "the switch s".to_owned(), nodes: vec!["s".to_owned()] };
    failed.evidence.failures = vec![Failure { place, from_s: 0.1, until_s: None }];
    assert_eq!(first(&failed).cause, Cause::Resource);
}
