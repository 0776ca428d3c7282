use hopscope_measure::Report;

use crate::chain::{Chain, HELD_SHARE, SCARCE};
use crate::nature::{Nature, pressure, words};
use crate::symptom::{Symptom, percent};

/// Somebody waits for either resource for at least this share of the time: what is nearly all in use, but hardly ever lacking, is no matter.
const WAITED_FOR: f64 = 0.2;

/// Two scarce resources, each held by messages that need the other one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Crossed {
    /// The rows of the two, the one more waited for first.
    pub rows: [usize; 2],
    /// Of each, the share of what is held that is held by those who need the other.
    pub shares: [f64; 2],
}

/// The pair of scarce resources that are held crosswise by the largest shares: at least as much of either as leads a chain on.
pub(crate) fn crossed(report: &Report, chain: &Chain) -> Option<Crossed> {
    let scarce = |&row: &usize| {
        let row = &report.resources[row];
        Nature::of(row) == Nature::Held && pressure(row) >= SCARCE && row.waiting >= WAITED_FOR
    };
    let rows: Vec<usize> = (0..report.resources.len()).filter(scarce).collect();
    let pairs = rows.iter().flat_map(|&one| rows.iter().map(move |&other| (one, other)));
    let found =
        pairs.filter(|(one, other)| chain.waiting(*one) > chain.waiting(*other)).map(|(one, other)| {
            Crossed {
                rows: [one, other],
                shares: [chain.held_for(report, one, other), chain.held_for(report, other, one)],
            }
        });
    let least = |pair: &Crossed| pair.shares[0].min(pair.shares[1]);
    found.filter(|pair| least(pair) >= HELD_SHARE).max_by(|a, b| least(a).total_cmp(&least(b)))
}

/// Two scarce resources are owned by different messages, each of which needs the other one too.
pub(super) fn test(report: &Report, chain: &Chain) -> Option<Symptom> {
    crossed(report, chain).map(|Crossed { rows: [first, second], shares: [there, back] }| Symptom {
        name: "phasing",
        evidence: format!(
            "{} of {} are held by messages that need {}, and {} of these by messages that need the former",
            percent(there),
            words(&report.resources[first]),
            words(&report.resources[second]),
            percent(back)
        ),
        source: "Kleinrock and Opderbeck 1977, section VII",
    })
}
