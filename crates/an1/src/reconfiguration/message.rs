//! The messages between control processors.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use hopscope_topology::Port;

/// The rank of a switch in reconfiguration: its unique identifier, or less than any if a scenario names it as the root.
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

/// The working switches and links, as collected up the tree.
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
    /// The size of a packet that holds it, bytes: 8 per switch, 16 per link and a header of 32.
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

/// The content of a control packet.
#[derive(Clone, Debug)]
pub(crate) enum Content {
    /// The sender's position in the tree, its sequence number, and the port that it comes from.
    Position { from: End, sequence: u32, position: TreePosition },
    /// Acknowledges the receiver's position of this sequence number. `stable`: the receiver is also the sender's
    /// parent, and all switches from the sender downwards have been acknowledged too.
    Ack { sequence: u32, stable: bool },
    /// The topology below the sender, which is stable.
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
