//! Packets for several hosts at once: multicast, and broadcast to all hosts (Schroeder et al. 1991).
//!
//! Such a packet climbs the spanning tree to the root and is then sent down all branches with hosts of its group. A
//! switch waits until it has captured all outputs that the packet needs, and then sends on all of them at the same time
//! through the crossbar. Since they send at one rate, one of them drains the FIFO as with any packet. The others send
//! copies: packets of their own that begin and end at the same instants.

mod capture;
mod checks;
mod crossing;
mod message;
pub(crate) mod trees;

use hopscope_fabric::Slot;
use hopscope_kernel::Arena;
use hopscope_topology::Port;

/// A message for several hosts that is under way.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MulticastMessage {
    /// Its group of hosts.
    pub group: u16,
    /// Copies that have not arrived, that of the sender included where it is in the group.
    pub copies: u32,
    /// Other hosts that do not have it yet.
    pub undelivered: u32,
}

/// An output on which the packet at the head of a FIFO is, or will be, sent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Leg {
    pub output: Slot,
    /// The packet or copy that goes out there; none before all outputs are captured.
    pub packet: u32,
}

/// The outputs that the head of a FIFO needs to be sent on several at once.
#[derive(Clone, Debug, Default)]
pub(crate) struct Head {
    /// The outputs that it has not captured yet, by their ports.
    pub missing: Vec<Port>,
    /// The outputs that it holds: in the order of their capture, and once it is sent in the order of their slots, the
    /// first of which drains the FIFO.
    pub legs: Vec<Leg>,
}

/// Packets for several hosts, if the traffic has any.
#[derive(Debug)]
pub(crate) struct Multicast {
    pub messages: Arena<MulticastMessage>,
    /// One per slot.
    pub heads: Vec<Head>,
    /// Deliveries that have no packet of their own yet: one packet represents several.
    pub to_copy: u64,
    /// Whether such a packet obeys a stop that comes after it has begun.
    pub obeys_stop: bool,
}

impl Multicast {
    pub fn new(slots: usize, obeys_stop: bool) -> Self {
        Self { messages: Arena::new(), heads: vec![Head::default(); slots], to_copy: 0, obeys_stop }
    }
}
