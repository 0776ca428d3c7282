//! The use of one resource, and what its holders need.

use serde::{Deserialize, Serialize};

use crate::{HeldIn, HoldCause, PoolLabel, ResourceKind, Site};

/// The use of one resource over the measured window.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(into = "Written", from = "Written")]
pub struct ResourceRow {
    /// What sort of resource it is.
    pub kind: ResourceKind,
    /// Its own name, where it has one, such as the link "l0s3:4 -> l1s0:2".
    pub name: Option<String>,
    /// Where it is, such as "l0s3:4".
    pub place: String,
    /// The same in numbers, which rows are compared by.
    pub site: Site,
    /// The link that it sends on or receives from, by number: the same for an output and for the FIFO at its far end.
    pub link: Option<u32>,
    /// Where that link leads.
    pub far: Site,
    /// The nodes that the link or line joins, by name, the one that sends first.
    pub ends: Option<[String; 2]>,
    /// The lane of its link, where that has several.
    pub lane: Option<u8>,
    /// How much there is of it; nothing where it is unbounded.
    pub capacity: Option<f64>,
    /// What is counted, such as "B" or "packets".
    pub unit: String,
    /// Mean amount held.
    pub occupancy: f64,
    /// Mean share held, 0 to 1; 0 for an unbounded resource.
    pub utilisation: f64,
    /// The most that was held at once.
    pub peak: f64,
    /// Mean number of messages waiting for it.
    pub waiting: f64,
    /// Time waited for it, summed over all waiters, over the number of messages delivered.
    pub wait_us: f64,
    /// How often some of it was taken.
    pub acquisitions: u64,
    /// How often somebody was sent away because there was none, where the model sends away.
    pub refused: u64,
    /// What its holders were doing, where the model tells.
    pub held_in: Vec<HeldIn>,
}

impl ResourceRow {
    /// A resource that one at a time holds, and that nobody has used: what a model fills in stands beside it.
    #[must_use]
    pub fn unused(label: PoolLabel<'_>) -> Self {
        Self {
            kind: label.kind,
            name: None,
            place: label.place.to_owned(),
            site: label.site,
            link: None,
            far: Site::Nowhere,
            ends: None,
            lane: None,
            capacity: Some(1.0),
            unit: label.unit.to_owned(),
            occupancy: 0.0,
            utilisation: 0.0,
            peak: 0.0,
            waiting: 0.0,
            wait_us: 0.0,
            acquisitions: 0,
            refused: 0,
            held_in: Vec::new(),
        }
    }

    /// Its own name, or else the word of its kind.
    #[must_use]
    pub fn title(&self) -> &str {
        self.name.as_deref().unwrap_or_else(|| self.kind.word())
    }

    /// The names of the nodes where it is: the two that it joins, the switch at the far end of a link into its buffer,
    /// or its place.
    #[must_use]
    pub fn nodes(&self) -> Vec<String> {
        self.ends.as_ref().map_or_else(|| vec![self.place.clone()], |ends| ends.to_vec())
    }

    /// The share of time for which a link is held back because its far end has no room, 0 to 1: of several lanes, the
    /// largest.
    #[must_use]
    pub fn held_back(&self) -> f64 {
        self.held_in
            .iter()
            .filter(|held| held.cause.why.is_held_back())
            .map(|held| held.occupancy)
            .fold(0.0, f64::max)
    }
}

/// What the holders of one resource need of another before they can give the first one back.
///
/// It says what is possible in the network as it stands; `held_in` says how much of it happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dependence {
    /// The row of the resource that is held, in `Report::resources`.
    pub holder: usize,
    /// What the holders do, as `held_in` tells it; nothing for all of them.
    pub cause: Option<HoldCause>,
    /// The row of the resource that they need.
    pub needs: usize,
}

// The signature is serde's.
#[allow(clippy::trivially_copy_pass_by_ref)]
const fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// A row as results hold it: with its title for a name, and without the numbers of its place, which mean nothing
/// outside of the model.
#[derive(Serialize, Deserialize)]
struct Written {
    name: String,
    kind: ResourceKind,
    place: String,
    capacity: Option<f64>,
    unit: String,
    occupancy: f64,
    utilisation: f64,
    peak: f64,
    waiting: f64,
    wait_us: f64,
    acquisitions: u64,
    #[serde(default, skip_serializing_if = "is_zero")]
    refused: u64,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    held_in: Vec<HeldIn>,
}

impl From<ResourceRow> for Written {
    fn from(row: ResourceRow) -> Self {
        Self {
            name: row.title().to_owned(),
            kind: row.kind,
            place: row.place,
            capacity: row.capacity,
            unit: row.unit,
            occupancy: row.occupancy,
            utilisation: row.utilisation,
            peak: row.peak,
            waiting: row.waiting,
            wait_us: row.wait_us,
            acquisitions: row.acquisitions,
            refused: row.refused,
            held_in: row.held_in,
        }
    }
}

impl From<Written> for ResourceRow {
    fn from(row: Written) -> Self {
        Self {
            name: Some(row.name).filter(|name| name != row.kind.word()),
            kind: row.kind,
            place: row.place,
            site: Site::Nowhere,
            link: None,
            far: Site::Nowhere,
            ends: None,
            lane: None,
            capacity: row.capacity,
            unit: row.unit,
            occupancy: row.occupancy,
            utilisation: row.utilisation,
            peak: row.peak,
            waiting: row.waiting,
            wait_us: row.wait_us,
            acquisitions: row.acquisitions,
            refused: row.refused,
            held_in: row.held_in,
        }
    }
}
