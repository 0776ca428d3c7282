//! What a run tells whoever explains it, beside what its links carried.

use std::sync::Arc;

use hopscope_lossless::LosslessPlan;
use hopscope_measure::Choice;
use hopscope_topology::{DestinationTables, Grid, NetworkSpec, TableEngine};
use hopscope_traffic::{Load, OfferSpec};

use crate::networks::report_after;
use crate::universe::{credits, fabric, messages};

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
