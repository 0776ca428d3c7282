//! Where messages spend their time: by stage, by resource, by place.

use std::collections::BTreeMap;

use hopscope_measure::{Charged, Estimate, Report, ResourceKind, ResourceRow, StageKind};
use serde::Serialize;

use crate::chain::Chain;

/// A share of the mean message lifetime.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Share {
    /// The stage or resource.
    pub name: String,
    /// The identifier, as programs refer to it.
    pub id: &'static str,
    /// A wait or a service; nothing where it is both.
    pub kind: Option<StageKind>,
    /// The share of the mean lifetime, 0 to 1.
    pub share: f64,
    /// The lower end of the 95 % confidence interval; absent where the network is saturated.
    pub low: Option<f64>,
    /// The upper end of the interval.
    pub high: Option<f64>,
}

/// The share of all waiting at one place.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PlaceShare {
    /// The place, and the resource awaited there.
    pub place: String,
    /// The kind of that resource, as programs refer to it.
    pub id: &'static str,
    /// The nodes that it joins, where it is a link or a line.
    pub ends: Option<[String; 2]>,
    /// The share of the waiting for resources with a place, 0 to 1. It has no interval in one run: places are not
    /// summed by batch.
    pub share: f64,
}

impl Share {
    /// The share with its interval clipped to 0 to 1.
    fn possible(self) -> Self {
        let whole = self.share >= 1.0 - ROUNDING;
        let within = |end: Option<f64>| end.map(|end| if whole { 1.0 } else { end.min(1.0) });
        Self { low: within(self.low), high: within(self.high), ..self }
    }
}

/// Where messages spend their time.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Shares {
    /// By stage, in order of occurrence.
    pub stages: Vec<Share>,
    /// By resource, the greatest first.
    pub resources: Vec<Share>,
    /// By place, the greatest first; at most ten.
    pub places: Vec<PlaceShare>,
}

/// Rounding error of shares that should add up to one.
const ROUNDING: f64 = 1e-9;

/// At most this many places are listed.
const PLACES: usize = 10;

impl Shares {
    /// The shares of a report's messages of all classes.
    #[must_use]
    pub fn new(report: &Report, chain: &Chain) -> Self {
        let rows = || report.ledger.iter().filter(|row| row.is_of_every_class() && row.share > 0.0);
        let stages = rows().map(|row| {
            let (low, high) = ends(row.estimate, row.share);
            Share {
                name: row.stage.word().to_owned(),
                id: row.stage.id(),
                kind: Some(row.kind),
                share: row.share,
                low,
                high,
            }
        });
        let stages: Vec<Share> = stages.collect();
        let mut resources: BTreeMap<Charged, Share> = BTreeMap::new();
        for (row, stage) in rows().zip(&stages) {
            let entry = resources.entry(row.resource).or_insert_with(|| Share {
                name: row.resource.word().to_owned(),
                id: row.resource.id(),
                kind: None,
                share: 0.0,
                low: Some(0.0),
                high: Some(0.0),
            });
            // The ends are added: stages of one message are correlated, so this is the widest possible interval.
            entry.share += stage.share;
            entry.low = entry.low.zip(stage.low).map(|(sum, low)| sum + low);
            entry.high = entry.high.zip(stage.high).map(|(sum, high)| sum + high);
        }
        let mut resources: Vec<Share> = resources.into_values().map(Share::possible).collect();
        resources.sort_by(|a, b| b.share.total_cmp(&a.share));
        Self { stages, resources, places: places(report, chain) }
    }
}

/// The interval of a share from that of its mean time: both have the same relative width.
fn ends(estimate: Option<Estimate>, share: f64) -> (Option<f64>, Option<f64>) {
    let scaled =
        estimate.filter(|e| e.value > 0.0).map(|e| (share * e.low / e.value, share * e.high / e.value));
    scaled.map(|(low, high)| (low.max(0.0), high.min(1.0))).unzip()
}

/// The places of the waiters that the chain counts: for a resource, or in a queue beyond those in service.
fn places(report: &Report, chain: &Chain) -> Vec<PlaceShare> {
    let total = chain.all_waiting();
    let waited = report.resources.iter().enumerate().filter(|&(at, _)| chain.waiting(at) > 0.0);
    let mut places: Vec<PlaceShare> = waited
        .map(|(at, row)| PlaceShare {
            place: place_of(row),
            id: row.kind.id(),
            ends: row.ends.clone(),
            share: chain.waiting(at) / total,
        })
        .collect();
    places.sort_by(|a, b| b.share.total_cmp(&a.share).then_with(|| a.place.cmp(&b.place)));
    places.truncate(PLACES);
    places
}

/// Where a resource is, and what is waited for there.
fn place_of(row: &ResourceRow) -> String {
    match row.kind {
        ResourceKind::Station(_) => row.place.clone(),
        kind => format!("{}, {}", row.place, kind.word()),
    }
}
