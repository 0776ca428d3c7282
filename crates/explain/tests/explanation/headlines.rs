//! With which words an answer begins: the slow cable, the low threshold, the late mark, the losses.

use hopscope_explain::{Candidate, Cause, explain};
use hopscope_measure::{
    Charged, ClassLane, ClassOutput, ClassUse, Dependence, HeldIn, HoldWhy, IncastUse, LedgerRow, Loss,
    LossWhy, Marking, Outcome, Place, Report, ResourceKind, ResourceRow, ServiceOrder, SharedPauses, Site,
    StageId,
};

use crate::reports::{first, link, of_resources, port, stage};

/// The link of this number, from one switch to the next one.
fn hop(number: u32, used: f64, waiting: f64) -> ResourceRow {
    let names = [format!("s{number}:0"), format!("s{}:1", number + 1)];
    let ends = [(names[0].as_str(), port(number, 0)), (names[1].as_str(), port(number + 1, 1))];
    link(ResourceKind::Output, number, ends, used, waiting)
}

/// Messages that wait for this share of their lifetime, for the first of some links with these rates and this use. No
/// more of them wait there than with random arrivals.
fn at_links(waits: f64, used: f64, rates: &[f64]) -> Report {
    let rows =
        (0..rates.len() as u32).map(|at| if at == 0 { hop(0, used, used * used) } else { hop(at, 0.1, 0.0) });
    let mut report = of_resources(rows.collect());
    report.measured.messages = 1000;
    report.evidence.rates = rates.iter().copied().enumerate().collect();
    report.ledger = vec![stage(StageId::Queueing, Charged::To(ResourceKind::Output), waits)];
    report
}

fn begins(found: &Candidate, words: &str) {
    assert!(found.sentence.starts_with(words), "{}", found.sentence);
}

#[test]
fn a_cable_that_is_slower_than_its_like_is_told_first_whether_it_is_full_or_not() {
    let slow = "Slow cable: the link s0:0 -> s1:1 runs at 25 Gbit/s, where most have 100 Gbit/s. ";
    let rates = [25e9, 100e9, 100e9];
    begins(&first(&at_links(0.5, 0.95, &rates)), &format!("{slow}It is 95 % utilised; 100 % of all waiting"));
    begins(
        &first(&at_links(0.8, 0.4, &rates)),
        &format!("{slow}Messages spend 80 % of their lifetime waiting."),
    );
    begins(&first(&at_links(0.5, 0.95, &[100e9; 3])), "Bottleneck: the link s0:0 -> s1:1 (95 % utilised;");
    begins(&first(&at_links(0.8, 0.4, &[100e9; 3])), "Contention: ");
    // Rows 1 and 2 are the two ways of another slow cable.
    let several = first(&at_links(0.5, 0.95, &[25e9, 25e9, 25e9, 100e9, 100e9, 100e9, 100e9]));
    begins(
        &several,
        "Slow cables: the link s0:0 -> s1:1 runs at 25 Gbit/s, where most have 100 Gbit/s; one more is slow. ",
    );
}

/// The sentence on messages that wait for this share of their lifetime, with a cable elsewhere at this utilisation.
fn with_another(waits: f64, used: f64, rate: f64, is_job: bool) -> String {
    let mut report = at_links(waits, 0.3, &[100e9, rate, 100e9, 100e9]);
    report.resources[1].utilisation = used;
    let host = [("h", Site::Host(0)), ("s0:2", port(0, 2))];
    report.resources.push(link(ResourceKind::Output, 9, host, 0.1, 0.0));
    report.evidence.rates.insert(4, 50e9);
    report.evidence.is_job = is_job;
    first(&report).sentence
}

#[test]
fn a_job_is_not_healthy_where_some_of_its_flows_take_a_slow_cable() {
    let slow = "Slow cable: the link s1:0 -> s2:1 runs at 25 Gbit/s, where most have 100 Gbit/s. It is 30 % utilised. \
                A round lasts as long as its slowest flow.";
    assert_eq!(with_another(0.1, 0.3, 25e9, true), slow);
    // It is not used, or as fast as a host sends, or serves one host of many that send at random.
    for healthy in [
        with_another(0.1, 0.02, 25e9, true),
        with_another(0.1, 0.3, 50e9, true),
        with_another(0.1, 0.3, 25e9, false),
    ] {
        assert!(healthy.starts_with("This network is healthy"), "{healthy}");
    }
}

#[test]
fn a_run_whose_warm_up_has_not_ended_is_not_called_healthy() {
    let mut report = at_links(0.1, 0.3, &[100e9; 3]);
    report.measured.messages = 16;
    begins(&first(&report), "This network is healthy: message lifetime is 1.11 times its minimum");
    report.outcome = Outcome::Unsettled;
    let found = first(&report);
    assert_eq!(found.cause, Cause::Healthy);
    begins(
        &found,
        "Too short to judge: 16 messages were measured, and the warm-up had not ended. Nothing was seen that holds them back. \
         Message lifetime is 1.11 times its minimum",
    );
}

#[test]
fn a_busy_slow_cable_is_told_after_whatever_else_messages_wait_for() {
    let told = "Slow cable: the link s1:0 -> s2:1 runs at 25 Gbit/s, where most have 100 Gbit/s. It is 50 % utilised.";
    let found = with_another(0.8, 0.5, 25e9, false);
    assert!(found.starts_with("Contention: ") && found.ends_with(told), "{found}");
    assert!(!with_another(0.8, 0.5, 100e9, false).contains("Slow cable"));
}

#[test]
fn a_class_that_alone_waits_for_a_slow_cable_is_told_with_it() {
    let of = |rates: &[f64]| first(&of_a_class(rates));
    begins(
        &of(&[40e9, 100e9, 100e9]),
        "Slow cable: the link s0:0 -> s1:1 runs at 40 Gbit/s, where most have 100 Gbit/s. `ring`",
    );
    begins(&of(&[100e9; 3]), "Contention: `ring` waits 56 % of its lifetime");
}

/// `ring`, which alone waits, for the first of some links with these rates.
fn of_a_class(rates: &[f64]) -> Report {
    let mut report = at_links(0.04, 0.2, rates);
    report.ledger.push(LedgerRow {
        class: "ring".into(),
        ..stage(StageId::Queueing, Charged::To(ResourceKind::Output), 0.56)
    });
    let lane = |name: &str| ClassLane { name: name.into(), lane: 0, weight: 1 };
    report.evidence.class_use = Some(ClassUse {
        order: ServiceOrder::InTurn,
        classes: vec![lane("ring")],
        outputs: vec![ClassOutput { row: 0, sent: vec![1.0], behind: vec![vec![2.0]], held: vec![0.0] }],
    });
    report
}

#[test]
fn an_incast_that_takes_little_more_than_its_data_on_the_receivers_link_waits_for_itself() {
    let found = |sent_s: f64| {
        let mut report = of_a_class(&[100e9; 3]);
        let group = "ring".to_owned();
        let incast = IncastUse { group, senders: 4, row: None, round_s: 25e-6, sent_s, share: 0.3 };
        report.evidence.incasts = vec![incast];
        first(&report)
    };
    assert_eq!(found(21e-6).cause, Cause::Healthy, "{}", found(21e-6).sentence);
    begins(&found(10e-6), "Contention: `ring` waits");
}

/// A link that is paused by a switch, whose inputs pause at this multiple of what is free of a megabyte.
fn paused_at(alpha: f64, onward: f64) -> Report {
    let into = ResourceRow { held_in: vec![HeldIn::of(HoldWhy::Paused, 0.4)], ..hop(0, 0.4, 5.0) };
    let ends = [("s0:0", port(0, 0)), ("s1:1", port(1, 1))];
    let at_end = ResourceRow { site: port(1, 1), ..link(ResourceKind::InputBuffer, 0, ends, 0.0, 2.0) };
    let buffer = ResourceRow { occupancy: 10e3, ..at_end };
    let mut report = of_resources(vec![into, buffer, hop(1, onward, 1.0)]);
    report.measured.messages = 1000;
    report.ledger = vec![stage(StageId::Paused, Charged::DOWNSTREAM_BUFFER, 0.5)];
    report.evidence.shared_pauses = Some(SharedPauses { alpha, shared: [(1, 1e6)].into() });
    report
}

#[test]
fn a_link_is_paused_for_nothing_where_all_inputs_together_never_fill_their_buffer() {
    let found = first(&paused_at(0.02, 0.5));
    assert_eq!(found.cause, Cause::Blocking);
    begins(&found, "Pause threshold: the link s0:0 -> s1:1 is paused 40 % of the time");
    assert!(
        found.sentence.contains("pauses its sender from 19.8 KB on, which is 0.02 times what is free"),
        "{}",
        found.sentence
    );
    // A larger multiple fills the buffer, and a full output has to stop what comes.
    for other in [paused_at(0.5, 0.5), paused_at(0.02, 0.98)] {
        assert!(!first(&other).sentence.starts_with("Pause threshold"), "{}", first(&other).sentence);
    }
}

/// `rpc` waits `waits_us` behind `bulk`, where ECN marks from 100 KB on and inputs pause from `level` on.
fn behind_bulk(waits_us: f64, level: f64) -> Report {
    let of_class = |name: &str, what: StageId, us: f64, share: f64| {
        let mut row = stage(what, Charged::To(ResourceKind::Output), us);
        row.class = name.into();
        row.share = share;
        row
    };
    let ends = [("s0:0", port(0, 0)), ("s1:1", port(1, 1))];
    let own_ends = [("h:0", port(9, 0)), ("s0:1", port(0, 1))];
    let buffer = ResourceRow {
        site: port(0, 1),
        capacity: Some(level),
        ..link(ResourceKind::InputBuffer, 1, own_ends, 0.0, 0.0)
    };
    let mut report = of_resources(vec![link(ResourceKind::Output, 0, ends, 0.99, 4.0), buffer]);
    report.measured.messages = 1000;
    report.ledger = vec![
        stage(StageId::Paused, Charged::DOWNSTREAM_BUFFER, 0.3),
        of_class("rpc", StageId::Queueing, waits_us, 0.9),
        of_class("rpc", StageId::Transmission, 1.0, 0.1),
        of_class("bulk", StageId::Queueing, 1.0, 0.1),
    ];
    let lane = |name: &str| ClassLane { name: name.into(), lane: 0, weight: 1 };
    report.evidence.class_use = Some(ClassUse {
        order: ServiceOrder::InTurn,
        classes: vec![lane("rpc"), lane("bulk")],
        outputs: vec![ClassOutput {
            row: 0,
            sent: vec![0.05, 0.95],
            behind: vec![vec![0.1, 3.0], vec![0.1, 0.7]],
            held: vec![0.0, 0.0],
        }],
    });
    report.evidence.law = Some("DCQCN".into());
    report.evidence.rates = [(0, 10e9)].into();
    report.evidence.marking = Some(Marking { from: 100e3, all: 100e3, frame: 1500.0, marked: 0.0 });
    report
}

#[test]
fn marks_that_begin_after_pauses_or_after_ten_times_a_message_come_before_lanes() {
    let late = first(&behind_bulk(5.0, 50e3));
    assert_eq!(late.cause, Cause::RateControl);
    begins(&late, "Late marks: ECN marks frames from a queue of 100 KB on, which takes 80 us to send");
    assert!(late.sentence.contains("inputs pause their senders from 50 KB on, before"), "{}", late.sentence);
    begins(&first(&behind_bulk(12.0, 500e3)), "Late marks: ");
    // Neither: a lane of its own is the nearest remedy, and the marks come next.
    let lanes = explain(&behind_bulk(5.0, 500e3)).verdict;
    assert_eq!(lanes.first.cause, Cause::Lanes);
    begins(&lanes.runners_up[0], "Late marks: ");
}

#[test]
fn that_nobody_slows_senders_down_is_told_where_they_keep_links_paused() {
    let of = |law: Option<String>, paused: f64| {
        let mut report = behind_bulk(5.0, 500e3);
        report.evidence.marking = None;
        report.evidence.law = law;
        let ends = [("h:0", port(9, 0)), ("s0:1", port(0, 1))];
        let held_in = vec![HeldIn::of(HoldWhy::Paused, paused)];
        report.resources.push(ResourceRow { held_in, ..link(ResourceKind::Output, 1, ends, 0.3, 0.1) });
        let found = first(&report);
        assert_eq!(found.cause, Cause::Lanes);
        found.sentence.contains("No congestion control slows the senders of `bulk` down")
    };
    assert!(of(None, 0.7));
    assert!(!of(None, 0.01));
    assert!(!of(Some("DCQCN".into()), 0.7));
}

#[test]
fn losses_come_before_a_place_at_which_messages_only_wait() {
    let mut report = at_links(0.05, 0.3, &[100e9; 3]);
    report.resources[0].waiting = 40.0;
    report.ledger.push(stage(StageId::RetransmissionWait, Charged::To(ResourceKind::Output), 0.85));
    let of = |report: &Report| explain(report).verdict;
    let place = Place::node("the queue for s0:0 -> s1:1", "s0");
    report.evidence.losses = vec![Loss { why: LossWhy::FullQueue, place, count: 900, of: 0, each_s: 0.0 }];
    report.evidence.sends_again = true;
    let found = of(&report);
    assert_eq!(found.first.cause, Cause::Loss, "{}", found.first.sentence);
    assert!(found.runners_up.iter().any(|each| each.sentence.starts_with("Contention: ")));
}

#[test]
fn back_pressure_is_told_in_the_words_of_its_flow_control() {
    for (why, words) in [
        (HoldWhy::WithoutCredit, "out of credit"),
        (HoldWhy::Paused, "paused"),
        (HoldWhy::Stopped, "stopped"),
    ] {
        let mut report = at_links(0.8, 0.1, &[100e9, 100e9]);
        let held_in = vec![HeldIn::of(HoldWhy::Sending, 0.1), HeldIn::of(why, 0.7)];
        report.resources = vec![ResourceRow { held_in, ..hop(0, 0.1, 5.0) }, hop(1, 1.0, 1.0)];
        report.dependences = vec![Dependence { holder: 0, activity: Some(why.into()), needs: 1 }];
        let found = first(&report);
        begins(
            &found,
            "Bottleneck: the link s1:0 -> s2:1 (100 % utilised; 100 % of all waiting is for it). ",
        );
        let told = format!(
            "Back-pressure reaches s0: the link s0:0 -> s1:1 is {words} for 88 % of the time in which it has a packet to send."
        );
        assert!(found.sentence.contains(&told), "{}", found.sentence);
    }
}

#[test]
fn a_trimmed_frame_is_not_dropped() {
    let mut report = at_links(0.1, 0.1, &[100e9, 100e9]);
    let place = Place::node("the queue for s0:0 -> s1:1", "s0");
    report.ledger = vec![stage(StageId::RetransmissionWait, Charged::ACKNOWLEDGMENT, 0.4)];
    report.evidence.frame_bits = 32_768.0;
    report.evidence.losses = vec![Loss { why: LossWhy::Trimmed, place, count: 1363, of: 0, each_s: 0.0 }];
    let why = explain(&report);
    assert_eq!(why.page.counts[0].what, "frames trimmed by a full queue");
    let found = why.verdict.first;
    let told = "1363 frames were trimmed by a full queue, all at the queue for s0:0 -> s1:1.";
    assert!(found.sentence.contains(told), "{}", found.sentence);
}
