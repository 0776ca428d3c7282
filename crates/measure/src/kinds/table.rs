//! All kinds with their words, for those who show results.

use serde::Serialize;

use super::{Charged, HoldWhy, ResourceKind, StageId};

/// All kinds with id, word, meaning and implications.
#[derive(Clone, Debug, Serialize)]
pub struct KindTable {
    /// The resources.
    pub resources: Vec<ResourceEntry>,
    /// The stages.
    pub stages: Vec<StageEntry>,
    /// What stages are charged to.
    pub charged: Vec<Entry>,
    /// What holders do.
    pub holds: Vec<HoldEntry>,
}

/// A kind for a legend.
#[derive(Clone, Debug, Serialize)]
pub struct Entry {
    /// The name by which programs refer to it.
    pub id: &'static str,
    /// The word that people read, and that results hold.
    pub word: &'static str,
    /// What it means.
    pub meaning: &'static str,
}

/// A kind of resource.
#[derive(Clone, Debug, Serialize)]
pub struct ResourceEntry {
    /// Its words.
    #[serde(flatten)]
    pub entry: Entry,
    /// "works", "held" or "queue".
    pub nature: &'static str,
    /// Whether it carries bits.
    pub carries_bits: bool,
    /// Whether it is a window.
    pub is_window: bool,
    /// Whether it is a host.
    pub is_host: bool,
}

/// A stage.
#[derive(Clone, Debug, Serialize)]
pub struct StageEntry {
    /// Its words.
    #[serde(flatten)]
    pub entry: Entry,
    /// "wait" or "service".
    pub kind: &'static str,
    /// Whether it waits to be sent again.
    pub is_retransmission: bool,
    /// Whether the source host is blocked meanwhile.
    pub blocks_source: bool,
    /// Whether it comes after the latency, which ends with a message's first byte.
    pub follows_latency: bool,
}

/// What holders do.
#[derive(Clone, Debug, Serialize)]
pub struct HoldEntry {
    /// Its words.
    #[serde(flatten)]
    pub entry: Entry,
    /// Whether a link is stopped because its far end has no room.
    pub is_held_back: bool,
}

impl KindTable {
    /// The table of this version.
    #[must_use]
    pub fn new() -> Self {
        let resources = ResourceKind::all().into_iter().map(|kind| ResourceEntry {
            entry: Entry { id: kind.id(), word: kind.word(), meaning: kind.meaning() },
            nature: kind.nature().word(),
            carries_bits: kind.carries_bits(),
            is_window: kind.is_window(),
            is_host: kind.is_host(),
        });
        let stages = StageId::all().into_iter().map(|stage| StageEntry {
            entry: Entry { id: stage.id(), word: stage.word(), meaning: stage.meaning() },
            kind: stage.kind().word(),
            is_retransmission: stage.is_retransmission(),
            blocks_source: stage.blocks_source(),
            follows_latency: stage.follows_latency(),
        });
        let charged = Charged::all().into_iter().map(|charged| Entry {
            id: charged.id(),
            word: charged.word(),
            meaning: charged.meaning(),
        });
        let holds = HoldWhy::all().into_iter().map(|why| HoldEntry {
            entry: Entry { id: why.id(), word: why.word(), meaning: why.meaning() },
            is_held_back: why.is_held_back(),
        });
        Self {
            resources: resources.collect(),
            stages: stages.collect(),
            charged: charged.collect(),
            holds: holds.collect(),
        }
    }
}

impl Default for KindTable {
    fn default() -> Self {
        Self::new()
    }
}
