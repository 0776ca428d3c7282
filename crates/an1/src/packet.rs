//! Packets: in the network, and before that in the sending host.

use hopscope_fabric::{NANOBITS, Nanobits};
use hopscope_measure::Account;
use hopscope_units::Time;

use crate::observe::stage::Stage;

/// No packet.
pub(crate) const NO_PACKET: u32 = u32::MAX;

/// A packet in the network.
///
/// Two cache lines; see [`crate::switch::output::Output`].
#[derive(Clone, Debug)]
#[repr(align(64))]
pub(crate) struct Packet {
    /// Its delay ledger so far.
    pub account: Account<{ Stage::COUNT }>,
    /// Its number in order of generation, for journeys. A packet for several hosts has as many, from this one on.
    pub number: u64,
    /// The number of attempts to put it on a link; arrivals of first bytes of earlier attempts are void.
    pub attempt: u8,
    /// Its length.
    pub bits: u32,
    /// The sending host.
    pub from: u32,
    /// The receiving host; for a packet for several hosts their number.
    pub to: u32,
    /// The burst that it belongs to or acknowledges, or the message for several hosts.
    pub burst: u32,
    /// The number of send queues and FIFOs that it is in, plus one until it is delivered. Over links without delay it
    /// can be delivered before its sender's event for the last byte.
    pub places: u16,
    /// What it is.
    pub kind: PacketKind,
    /// The class under which it is reported.
    pub class: u8,
    /// Whether it enters the statistics.
    pub observed: bool,
    /// Its fate.
    pub fate: Fate,
    /// The number of switches that it may still pass, if packets have a time to live.
    pub ttl: u8,
}

const _: () = assert!(size_of::<Packet>() == 128);

/// The fate of a packet in the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    /// It is in transit.
    UnderWay,
    /// A fault has destroyed it, wherever it is.
    Destroyed,
    /// Its time to live has expired. Its rest is dropped where its first byte was dropped.
    Expired,
}

/// What a packet is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PacketKind {
    /// A message of its own.
    Message,
    /// Part of a burst.
    OfBurst,
    /// The acknowledgment of a packet of a burst. It loads the network like any packet, but is not counted.
    Ack,
    /// A message for several hosts, or a copy of it that still is for several or not on the link of its one host.
    Multicast,
    /// The copy for one of several hosts, on its link.
    Copy,
}

impl Packet {
    pub fn length(&self) -> Nanobits {
        Nanobits::from(self.bits) * NANOBITS
    }

    /// Whether it is the copy that AN1's network also sends back to the sender of a message for its own group, which
    /// discards it: the forwarding tables do not know who has sent.
    pub fn is_own_copy(&self) -> bool {
        self.kind == PacketKind::Copy && self.to == self.from
    }
}

/// A generated packet that waits in its host: what is needed to make a [`Packet`] of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pending {
    pub born: Time,
    pub number: u64,
    pub bits: u32,
    pub to: u32,
    pub burst: u32,
    pub kind: PacketKind,
    pub class: u8,
    pub observed: bool,
}

/// An active burst.
#[derive(Clone, Debug)]
pub(crate) struct Burst {
    pub born: Time,
    pub from: u32,
    pub to: u32,
    /// The index of its law in the workload.
    pub law: u16,
    /// Packets not yet generated.
    pub unsent: u32,
    /// Packets whose last byte has not arrived.
    pub undelivered: u32,
    /// Acknowledgments that have not come back.
    pub unacknowledged: u32,
}
