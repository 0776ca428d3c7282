//! From a report to the resource that holds a network back.
//!
//! It knows no model: it reads the ledger, the resources with what their holders do, and which resource's holders need which other.
//!
//! - [`Shares`]: where messages spend their time.
//! - [`Chain`]: from the resource waited for to the one behind it.
//! - [`Verdict`]: one sentence.
//! - [`Symptom`]: what is recognised and named, a file each.

mod chain;
mod nature;
mod round_trip;
mod shares;
mod symptom;
mod symptoms;
mod verdict;

pub use chain::{Chain, ChainLink, Root};
pub use nature::{Nature, words};
pub use shares::{PlaceShare, Share, Shares};
pub use symptom::Symptom;
pub use verdict::{Found, Verdict};

use hopscope_measure::Report;
use serde::Serialize;

/// Why a run was as slow as it was.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Explanation {
    /// The answer in one sentence.
    pub verdict: Verdict,
    /// From the resource waited for most to the one behind it; empty where nothing is waited for.
    pub chain: Vec<ChainLink>,
    /// The resources behind the waiting, the one with most of it first.
    pub roots: Vec<Root>,
    /// What was recognised.
    pub symptoms: Vec<Symptom>,
    /// Where messages spend their time.
    pub shares: Shares,
}

/// Explains a report.
#[must_use]
pub fn explain(report: &Report) -> Explanation {
    let chain = Chain::new(report);
    let symptoms = symptoms::recognised(report, &chain);
    let verdict = Verdict::new(report, &chain, &symptoms);
    let links = if verdict.found == Found::Nothing { Vec::new() } else { verdict.links(report, &chain) };
    Explanation {
        verdict,
        chain: links,
        roots: chain.listed_roots(report),
        symptoms,
        shares: Shares::new(report, &chain),
    }
}
