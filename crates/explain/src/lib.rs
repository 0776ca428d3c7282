//! From a report to the bottleneck of a network, with the evidence.
//!
//! It does not know the models. It reads the ledger, the resources with their holders, and the dependences between
//! resources. Decisions are made on kinds and numbers; names and words occur only in the output.
//!
//! - [`Shares`]: where messages spend their time; [`Lifetime`]: mean lifetime and what messages wait for.
//! - [`Chain`]: from the awaited resource to the root cause.
//! - [`Holding`]: mean occupancy by holder, and what each holder waits for.
//! - [`Congestion`]: roots, stopped links, victims.
//! - [`Verdict`]: the [`Cause`] in one sentence, and the runners-up.
//! - [`Symptom`]: known patterns, one file each.

mod cause;
mod chain;
mod congestion;
mod holders;
mod lifetime;
mod page;
mod policy;
mod pressure;
mod round_trip;
mod shares;
mod subnet_overheads;
mod symptom;
mod symptoms;
pub mod thresholds;
mod verdict;
mod words;

pub use cause::Cause;
pub use chain::{Chain, ChainLink, Root};
pub use congestion::{BackPressure, Congestion, SampledTree, Tree};
pub use holders::{Holder, Holding, WaitOfHolder};
pub use lifetime::{Lifetime, TimeIn};
pub use page::{Count, Hurt, Page};
pub use policy::Policy;
pub use shares::{PlaceShare, Share, Shares};
pub use subnet_overheads::{Processors, Refusals, Requests, SubnetOverheads, Weight};
pub use symptom::{Pattern, Symptom};
pub use verdict::{Candidate, Verdict};
pub use words::{percent, words};

use hopscope_measure::Report;
use serde::Serialize;

/// Why a run was as slow as it was.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Explanation {
    /// The answer in one sentence.
    pub verdict: Verdict,
    /// Its evidence: since when, how much of the time, which messages wait most, what was counted.
    pub page: Page,
    /// The blocking chain, from the most awaited resource to the root; empty where nothing waits.
    pub chain: Vec<ChainLink>,
    /// The root causes of waiting, the largest first.
    pub roots: Vec<Root>,
    /// Mean occupancy by holder, for resources along the chain and for the most awaited ones.
    pub holders: Vec<Holding>,
    /// Where congestion begins.
    pub congestion: Congestion,
    /// Known patterns that were recognised.
    pub symptoms: Vec<Symptom>,
    /// How long messages live and what they wait for.
    pub lifetime: Lifetime,
    /// What slows a subnet down besides waiting.
    #[serde(rename = "causes")]
    pub overheads: SubnetOverheads,
    /// Where messages spend their time.
    pub shares: Shares,
}

/// The findings that tests of symptoms read besides the report.
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
        overheads: SubnetOverheads::new(report),
        shares: Shares::new(report, &chain),
        verdict,
        congestion,
        symptoms,
        lifetime,
    }
}
