//! Phasing: two resources block each other.

use hopscope_measure::{Nature, Report};

use crate::Findings;
use crate::chain::Chain;
use crate::pressure::pressure;
use crate::symptom::{Pattern, Symptom};
use crate::thresholds::{HELD_SHARE, SCARCE, WAITED_FOR};
use crate::words::{percent, words};

/// Two scarce resources, each held by messages that need the other one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Crossed {
    /// The rows of the two, the one with more waiters first.
    pub rows: [usize; 2],
    /// For each, the share of the held amount whose holders need the other.
    pub shares: [f64; 2],
}

/// The pair of scarce resources that block each other with the largest shares: at least `HELD_SHARE` of each.
pub(crate) fn crossed(report: &Report, chain: &Chain) -> Option<Crossed> {
    let scarce = |&row: &usize| {
        let row = &report.resources[row];
        row.kind.nature() == Nature::Held && pressure(row) >= SCARCE && row.waiting >= WAITED_FOR
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

/// Two scarce resources are held by different messages, each of which needs the other one too.
pub(super) fn test(report: &Report, found: &Findings) -> Option<Symptom> {
    crossed(report, &found.chain).map(|Crossed { rows: [first, second], shares: [there, back] }| {
        let [one, other] = [first, second].map(|row| words(&report.resources[row]));
        let evidence = format!(
            "{one} and {other} block each other: {} of the former is held by messages that need the latter, and {} of the \
             latter by messages that need the former",
            percent(there),
            percent(back)
        );
        Symptom::new(Pattern::Phasing, evidence)
    })
}
