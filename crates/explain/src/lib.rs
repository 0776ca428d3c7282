//! From a report to the resource that holds a network back.
//!
//! It knows no model: it reads the ledger, the resources with what their holders do, and which resource's holders need
//! which other. It decides by kinds and numbers; names and words only appear in what it says.
//!
//! - [`Shares`]: where messages spend their time; [`Lifetime`]: how long they live and what they wait for.
//! - [`Chain`]: from the resource waited for to the one behind it.
//! - [`Holding`]: mean occupancy by holder, and what each holder waits for.
//! - [`Congestion`]: roots, stopped links, victims.
//! - [`Verdict`]: the [`Cause`] in one sentence, and what comes next.
//! - [`Symptom`]: what is recognised and named, a file each.

mod cause;
mod causes;
mod chain;
mod congestion;
mod holders;
mod lifetime;
mod page;
mod policy;
mod pressure;
mod round_trip;
mod shares;
mod symptom;
mod symptoms;
mod thresholds;
mod verdict;
mod words;

pub use cause::Cause;
pub use causes::{Causes, Processors, Refusals, Requests, Weight};
pub use chain::{Chain, ChainLink, Root};
pub use congestion::{BackPressure, Congestion, SampledTree, Tree};
pub use holders::{Holder, Holding, WaitOfHolder};
pub use lifetime::{Lifetime, TimeIn};
pub use page::{Count, Hurt, Page};
pub use shares::{PlaceShare, Share, Shares};
pub use symptom::{Pattern, Symptom};
pub use verdict::{Candidate, Verdict};
pub use words::words;

use hopscope_measure::Report;
use serde::Serialize;

/// Why a run was as slow as it was.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Explanation {
    /// The answer in one sentence.
    pub verdict: Verdict,
    /// Since when, how much of the time, who is hurt, what was counted.
    pub page: Page,
    /// From the resource waited for most to the one behind it; empty where nothing is waited for.
    pub chain: Vec<ChainLink>,
    /// The resources behind the waiting, the one with most of it first.
    pub roots: Vec<Root>,
    /// Mean occupancy by holder of the resources along the chain and of those that are waited for most.
    pub holders: Vec<Holding>,
    /// Where congestion begins.
    pub congestion: Congestion,
    /// What was recognised.
    pub symptoms: Vec<Symptom>,
    /// How long messages live and what they wait for.
    pub lifetime: Lifetime,
    /// What lies behind a slow subnet besides waiting.
    pub causes: Causes,
    /// Where messages spend their time.
    pub shares: Shares,
}

/// What symptoms are recognised by, besides the report.
pub(crate) struct Findings {
    pub chain: Chain,
    pub congestion: Congestion,
}

/// Explains a report.
#[must_use]
pub fn explain(report: &Report) -> Explanation {
    let chain = Chain::new(report);
    let congestion = Congestion::new(report, &chain);
    let found = Findings { chain, congestion };
    let symptoms = symptoms::recognised(report, &found);
    let Findings { chain, congestion } = found;
    let verdict = Verdict::new(report, &chain, &symptoms);
    let path = verdict.path(&chain);
    let lifetime = Lifetime::new(report);
    Explanation {
        chain: chain.links(report, &path),
        roots: chain.listed_roots(report),
        holders: holders::holders(report, &chain, &path, &lifetime),
        page: Page::new(report, &chain, &verdict),
        causes: Causes::new(report),
        shares: Shares::new(report, &chain),
        verdict,
        congestion,
        symptoms,
        lifetime,
    }
}
