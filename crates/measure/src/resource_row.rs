//! The use of one resource, and what its holders need.

use serde::{Deserialize, Serialize};

use crate::{HeldIn, HoldActivity, PoolLabel, ResourceKind, Site};

/// The use of one resource over the measured window.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(into = "Written", from = "Written")]
pub struct ResourceRow {
    /// The kind of resource.
    pub kind: ResourceKind,
    /// Its own name, if it has one, such as the link "l0s3:4 -> l1s0:2".
    pub name: Option<String>,
    /// Where it is, such as "l0s3:4".
    pub place: String,
    /// The site in numbers, by which rows are compared.
    pub site: Site,
    /// The link that it sends on or receives from, by number: the same for an output and for the FIFO at its far end.
    pub link: Option<u32>,
    /// The site at the far end of that link.
    pub far: Site,
    /// The nodes that the link or line joins, by name, the one that sends first.
    pub ends: Option<[String; 2]>,
    /// The lane of its link, if it has several.
    pub lane: Option<u8>,
    /// Its capacity, in `unit`; nothing if unbounded.
    pub capacity: Option<f64>,
    /// The unit of amounts, such as "B" or "packets".
    pub unit: String,
    /// Mean amount held.
    pub occupancy: f64,
    /// Mean share held, 0 to 1; 0 for an unbounded resource.
    pub utilisation: f64,
    /// The largest amount held at once.
    pub peak: f64,
    /// Mean number of messages waiting for it.
    pub waiting: f64,
    /// Time waited for it, summed over all waiters, over the number of messages delivered.
    pub wait_us: f64,
    /// The number of acquisitions.
    pub acquisitions: u64,
    /// The number of refusals because none was free, if the model refuses.
    pub refused: u64,
    /// What its holders were doing, if the model distinguishes it.
    pub held_in: Vec<HeldIn>,
}

impl ResourceRow {
    /// An unused resource of capacity one, as a start for a model's row.
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

    /// The share of time in which a link is stopped because its far end has no room, 0 to 1; the largest of several
    /// lanes.
    #[must_use]
    pub fn held_back(&self) -> f64 {
        self.held_in
            .iter()
            .filter(|held| held.activity.why.is_held_back())
            .map(|held| held.occupancy)
            .fold(0.0, f64::max)
    }
}

/// A dependence: holders of one resource need another one before they can release the first.
///
/// It is possible in the network as configured; `held_in` says how much of it happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dependence {
    /// The row of the resource that is held, in `Report::resources`.
    pub holder: usize,
    /// What the holders do, as in `held_in`; nothing for all holders.
    pub activity: Option<HoldActivity>,
    /// The row of the resource that they need.
    pub needs: usize,
}

// The signature is serde's.
#[allow(clippy::trivially_copy_pass_by_ref)]
const fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// A row as stored in results: with its title as name, and without the numbers of its site, which have no meaning
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
