//! Alternate paths: Kleinrock and Opderbeck, section III.

use crate::nets::{flow, lines, pdp_11, run, value};
use hopscope_arpanet::{ArpanetParams, When};
use hopscope_measure::{HoldWhy, ResourceKind};
use hopscope_units::Span;

fn saturated(mut params: ArpanetParams, to: &str) -> ArpanetParams {
    params.host = vec![pdp_11("s")];
    params.flow = vec![flow("PDP-11", to, 8063, When::Saturated)];
    params.duration = Some(Span::from_s(300));
    params
}

#[test]
fn an_equal_path_gains_at_most_30_per_cent() {
    let one = run(saturated(lines(&[("s", "a"), ("a", "t")]), "t"), 1);
    let two = run(saturated(lines(&[("s", "a"), ("a", "t"), ("s", "b"), ("b", "t")]), "t"), 1);
    let gain = value(&two, "throughput.rate") / value(&one, "throughput.rate") - 1.0;
    assert!(gain <= 0.30 + 0.02, "{gain}");
}

#[test]
fn a_path_more_than_three_times_as_long_is_never_used() {
    let pairs = [("s", "t"), ("s", "a"), ("a", "b"), ("b", "c"), ("c", "t")];
    let report = run(saturated(lines(&pairs), "t"), 1);
    let detour = report
        .resources
        .iter()
        .find(|row| row.kind == ResourceKind::Line && row.place == "a -> b")
        .expect("a line");
    assert!(detour.held_in.iter().all(|held| held.activity.why != HoldWhy::Data), "{:?}", detour.held_in);
}
