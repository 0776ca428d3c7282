use hopscope_measure::Report;

use crate::chain::Chain;
use crate::nature::{Nature, words};
use crate::symptom::{Symptom, percent};

/// At least this share of either resource is held by messages that need the other.
const CROSSED: f64 = 0.3;

/// Two scarce resources, each held by messages that need the other one.
pub(super) fn test(report: &Report, chain: &Chain) -> Option<Symptom> {
    let held = |row: usize| Nature::of(&report.resources[row]) == Nature::Held;
    let pair = (0..report.resources.len()).filter(|&row| held(row)).find_map(|row| {
        let there = chain.step(row).filter(|step| held(step.row) && step.held_share >= CROSSED)?;
        let back = chain.step(there.row).filter(|back| back.row == row && back.held_share >= CROSSED)?;
        Some((row, there.clone(), back.clone()))
    });
    pair.map(|(row, there, back)| Symptom {
        name: "phasing",
        evidence: format!(
            "{} of {} are held by messages that need {}, and {} of those by messages that need the former",
            percent(there.held_share),
            words(&report.resources[row]),
            words(&report.resources[there.row]),
            percent(back.held_share)
        ),
        source: "Kleinrock and Opderbeck 1977, section VII",
    })
}
