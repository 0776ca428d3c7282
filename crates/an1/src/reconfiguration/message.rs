//! What control processors tell each other.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use hopscope_topology::Port;

/// A switch as reconfiguration knows it: its unique identifier, or less than any where a scenario names it as the root.
pub(crate) type Rank = u64;

/// The number of a reconfiguration. A greater one overrides a smaller one wherever the two meet.
pub(crate) type Epoch = u64;

/// A place in the spanning tree. The better of two is the smaller: by root, then level, then parent, then the parent's
/// port.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct TreePosition {
    pub root: Rank,
    pub level: u16,
    pub parent: Rank,
    pub parent_port: Port,
}

/// One end of a link between switches.
pub(crate) type End = (Rank, Port);

/// The switches and links that are in operation, as collected up the tree.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Topology {
    /// The root, once it has collected everything.
    pub root: Rank,
    /// The switches, with the short numbers that the root gives them.
    pub switches: BTreeMap<Rank, u32>,
    /// The links, each by its lesser end first.
    pub links: BTreeSet<[End; 2]>,
}

impl Topology {
    /// The size of a packet that holds it, in bytes: 8 a switch, 16 a link and 32 around them.
    fn bytes(&self) -> usize {
        32 + 8 * self.switches.len() + 16 * self.links.len()
    }
}

/// A control packet.
#[derive(Clone, Debug)]
pub(crate) struct Message {
    pub epoch: Epoch,
    pub content: Content,
}

/// What a control packet says.
#[derive(Clone, Debug)]
pub(crate) enum Content {
    /// The sender's position in the tree, as its so-many-th, and the port that it comes from.
    Position { from: End, sequence: u32, position: TreePosition },
    /// The receiver's position of this sequence number has been taken in. `stable`: besides, the receiver is the
    /// sender's parent, and everybody from the sender downwards has been acknowledged too.
    Ack { sequence: u32, stable: bool },
    /// What lies below the sender, who is stable.
    Report(Topology),
    /// The whole topology, from the root downwards.
    Complete(Arc<Topology>),
}

impl Message {
    /// The length on a link, in bits.
    pub fn bits(&self) -> u64 {
        let bytes = match &self.content {
            Content::Position { .. } => 64,
            Content::Ack { .. } => 32,
            Content::Report(topology) => topology.bytes(),
            Content::Complete(topology) => topology.bytes(),
        };
        8 * bytes as u64
    }
}
