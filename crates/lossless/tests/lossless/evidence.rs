//! The evidence of a run for its explanation, besides the traffic of its links.

use std::sync::Arc;

use hopscope_lossless::{DropParams, FlowControl, FrameParams, LosslessPlan, RecoveryParams};
use hopscope_measure::{Choice, GivenUp, RoundsUse};
use hopscope_topology::{DestinationTables, Grid, NetworkSpec, TableEngine};
use hopscope_traffic::{Load, OfferSpec};
use hopscope_units::{Data, Span};

use crate::networks::report_after;
use crate::universe::{
    at_once, at_us, boundless, credits, dumbbell, fabric, flows, frames, listed, messages, report_at, run,
};

/// How each group of outputs to the same places is chosen from, on a torus of which every pair has several shortest
/// paths, with tables by destination or without.
fn choices(with_tables: bool) -> Vec<Choice> {
    let torus = NetworkSpec::Torus(Grid { width: 4, height: 4, ..Grid::default() }).build().expect("a torus");
    let tables = DestinationTables::compute(&torus, &TableEngine::Shortest).expect("shortest paths exist");
    let offer = OfferSpec::Traffic(messages(1000, Load::Fraction(0.1)));
    let plan = LosslessPlan::new(torus, fabric(credits(1, 8)), offer).expect("a valid scenario");
    let plan = if with_tables { plan.following(tables).expect("tables of this torus") } else { plan };
    let report = report_after(Arc::new(plan).simulation(1, ()), 2_000);
    report.evidence.alternatives.iter().map(|group| group.choice).collect()
}

#[test]
fn a_hash_chooses_among_shortest_paths_and_nothing_chooses_under_tables() {
    for (with_tables, choice) in [(false, Choice::Hashed), (true, Choice::Single)] {
        let found = choices(with_tables);
        assert!(!found.is_empty() && found.iter().all(|&one| one == choice), "{with_tables}: {found:?}");
    }
}

/// Frames of 1000 bytes take 80 ns on a host's own link, whatever they take on the others.
#[test]
fn random_messages_tell_how_long_they_take_on_the_first_link() {
    let report = run(dumbbell(), fabric(boundless()), &messages(3000, Load::Fraction(0.1)), 200_000);
    let once = report.evidence.sent_once_us.expect("switches store frames");
    assert!((once - 0.24).abs() < 0.002, "{once}");
}

#[test]
fn rounds_that_start_by_the_clock_tell_their_period_and_what_the_busiest_host_link_carries_of_one() {
    let both = vec![listed("a", "c", 10_000), listed("b", "c", 10_000)];
    let mut group = at_once("rounds", both);
    (group.every, group.rounds) = (Some(Span::from_us(3)), 4);
    let report = report_at(&mut flows(dumbbell(), boundless(), vec![group]), at_us(1000));
    let [RoundsUse { group, number, every_s, round_s, sent_s }] = &report.evidence.rounds[..] else {
        panic!("{:?}", report.evidence.rounds)
    };
    assert_eq!((group.as_str(), *number), ("rounds", 1));
    // c takes 20 000 bytes of each round, 800 ns by a.
    assert!((every_s - 3e-6).abs() < 1e-12 && (sent_s - 1.6e-6).abs() < 1e-12, "{every_s} {sent_s}");
    assert!((1.6e-6..3e-6).contains(round_s), "{round_s}");
}

#[test]
fn messages_that_their_senders_give_up_are_counted() {
    let drop = DropParams { queue: Some(Data::from_bytes(2000)), ..DropParams::default() };
    let recovery = RecoveryParams { timeout: Span::from_us(1), retries: 0, ..RecoveryParams::default() };
    let frames =
        FrameParams { flow_control: FlowControl::TailDrop(drop), recovery: Some(recovery), ..frames() };
    let many = ["a", "b", "d", "e", "f"].map(|from| listed(from, "c", 40_000)).to_vec();
    let report = report_at(&mut flows(dumbbell(), frames, vec![at_once("flows", many)]), at_us(100_000));
    let GivenUp { count, of, retries } = report.evidence.given_up.expect("some are given up");
    assert_eq!((of, retries), (5, 0));
    assert!(count > 0, "{count}");
    assert_eq!(report.evidence.timeout_s, Some(1e-6));
}
