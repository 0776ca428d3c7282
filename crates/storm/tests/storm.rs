//! The storm itself: it draws everything that the schema has, most of what it draws runs, and nothing fails.

use std::collections::BTreeSet;

use hopscope_storm::{Case, Report, Storm, Until};

const SEED: u64 = 1977;

#[test]
fn every_leaf_parameter_of_every_model_is_drawn() {
    let case = Case::new();
    let wanted: BTreeSet<String> =
        case.language.models().into_iter().flat_map(|model| case.language.leaves(model)).collect();
    let mut drawn = BTreeSet::new();
    for number in 0..2_000 {
        drawn.extend(case.leaves(SEED, number));
    }
    let missing: Vec<_> = wanted.difference(&drawn).collect();
    assert!(missing.is_empty(), "never drawn in 2,000 cases: {missing:#?}");
}

fn storm(first: u64, cases: u64) -> Report {
    Storm { seed: SEED, first, until: Until::Cases(cases), threads: None }.run(&mut |_, _| true)
}

#[test]
fn no_case_of_a_short_storm_fails_and_every_model_runs() {
    let report = storm(0, 200);
    assert!(report.found.is_empty(), "{:#?}", report.found);
    for (model, of) in &report.tally.models {
        // Half and more is the aim; what keeps most cases of the ARPANET and of Pup out is a missing list entry.
        assert!(of.accepted() > 0.2, "{model}: {of:?}");
    }
}
