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
    /// Its life so far.
    pub account: Account<{ Stage::COUNT }>,
    /// Its number in the order of birth, for journeys. A packet for several hosts has as many, from this one on.
    pub number: u64,
    /// Counts the attempts to put it on a link; the arrival of a first byte that belongs to an earlier one has been
    /// called off.
    pub attempt: u8,
    /// Its length.
    pub bits: u32,
    /// The sending host.
    pub from: u32,
    /// The receiving host; of a packet for several hosts how many they are.
    pub to: u32,
    /// The burst that it belongs to or acknowledges, or the message for several hosts.
    pub burst: u32,
    /// The send queue and FIFOs that it stands in, and one more until it is delivered. With links of no delay it can be
    /// delivered before its first sender has heard of the last byte's leaving.
    pub places: u16,
    /// What it is.
    pub kind: PacketKind,
    /// The class under which it is reported.
    pub class: u8,
    /// Whether it enters the statistics.
    pub observed: bool,
    /// What has become of it.
    pub fate: Fate,
    /// How many more switches it may pass, where packets have a time to live.
    pub ttl: u8,
}

const _: () = assert!(size_of::<Packet>() == 128);

/// What has become of a packet that is in the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    /// It is on its way.
    UnderWay,
    /// A fault has destroyed it, wherever it stands.
    Destroyed,
    /// Its time to live has expired. What comes of it where its first byte was dropped is dropped, too.
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

/// A packet that has been generated and waits in its host: what is needed to make a [`Packet`] of it.
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

/// A burst under way.
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
