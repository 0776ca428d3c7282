//! The storm itself: it draws everything that the schema has, much of what it draws runs, and nothing fails.

use std::collections::BTreeSet;

use hopscope_storm::{Case, Report, Storm, Until};

const SEED: u64 = 1977;

#[test]
fn every_leaf_parameter_of_every_model_is_drawn() {
    let case = Case::new();
    let wanted: BTreeSet<String> =
        case.language.models().into_iter().flat_map(|model| case.language.leaves(model)).collect();
    let mut drawn = BTreeSet::new();
    for number in 0..6_000 {
        drawn.extend(case.leaves(SEED, number));
    }
    let missing: Vec<_> = wanted.difference(&drawn).collect();
    assert!(missing.is_empty(), "never drawn in 6,000 cases: {missing:#?}");
}

fn storm(first: u64, cases: u64) -> Report {
    Storm { seed: SEED, first, until: Until::Cases(cases), threads: None }.run(&mut |_, _| true)
}

#[test]
fn no_case_of_a_short_storm_fails_and_many_run() {
    let report = storm(0, 200);
    assert!(report.found.is_empty(), "{:#?}", report.found);
    for (model, of) in &report.tally.models {
        // Half and more is the aim. Two fifths of Pup's cases run: what is refused there is often two things apart.
        assert!(of.accepted() > 0.35, "{model}: {of:?}");
    }
}
