//! Packets and messages: their kinds, their lengths on a line, and the instants of a message's life (RFC 619).

use hopscope_measure::Account;
use hopscope_units::Time;

use crate::protocol::stage::{Phase, Stage};

/// The account of a message of this model.
pub(crate) type Ledger = Account<{ Stage::COUNT }>;

/// Bits of a control message or a null packet on the line: 80 of header and 72 of framing (facts: RFC 635 and the
/// program's listing).
pub(crate) const CONTROL_BITS: u32 = 152;
/// Bits that a packet has on the line besides its data: header, checksum and framing.
pub(crate) const OVERHEAD_BITS: u32 = 168;
/// Bits of a routing message on the line (RFC 619).
pub(crate) const ROUTING_BITS: u32 = 1160;
/// Data bits of a full packet.
pub(crate) const PACKET_BITS: u32 = 1008;
/// Data bits of the longest message.
pub(crate) const LONGEST_MESSAGE: u32 = 8063;
/// Bits of a leader between host and IMP.
pub(crate) const LEADER_BITS: u32 = 32;

/// A packet in an IMP or on a line.
#[derive(Clone, Debug)]
pub(crate) struct Packet {
    /// The life so far of the message, as this packet has seen it.
    pub account: Ledger,
    /// When the IMP that it has come to will have handled it.
    pub handled_at: Time,
    /// IMPs that it has left, one bit each.
    pub visited: u64,
    /// The message, or the sequence of a control message that has none.
    pub of: u32,
    /// The message number of a control message.
    pub number: u32,
    pub bits: u16,
    pub to: u8,
    pub kind: PacketKind,
    /// Which packet of its message.
    pub index: u8,
    /// IMPs to which it came back after it had left them.
    pub returns: u16,
    /// Whether its stages are those of its message's journey.
    pub in_journey: bool,
}

/// What a packet is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PacketKind {
    Data,
    Rfnm {
        with_allocation: bool,
    },
    /// ALL for a REQALL.
    Allocation,
    /// ALL for a single-packet message that was discarded.
    Recall,
    /// REQALL.
    Request,
    /// GVB.
    GiveBack,
    GaveBack,
    BlockAsk,
    BlockGrant,
    /// The source asks about a number that is without a reply.
    IncompleteQuery,
    /// A message will not arrive: the transmission is incomplete, or the host is dead.
    Incomplete,
    /// A REQALL was in vain.
    RequestOver,
}

impl PacketKind {
    /// What it is called in diagrams.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Data => "data packet",
            Self::Rfnm { with_allocation: false } => "RFNM",
            Self::Rfnm { with_allocation: true } => "RFNM with ALL",
            Self::Allocation | Self::Recall => "ALL",
            Self::Request => "REQALL",
            Self::GiveBack => "GVB",
            Self::GaveBack => "reply to GVB",
            Self::BlockAsk => "request for a receive block",
            Self::BlockGrant => "grant of a receive block",
            Self::IncompleteQuery => "incomplete query",
            Self::Incomplete | Self::RequestOver => "incomplete transmission",
        }
    }

    /// Whether it belongs to a message, and not to a sequence only.
    pub const fn has_message(self) -> bool {
        matches!(self, Self::Data | Self::Rfnm { .. } | Self::Recall | Self::Incomplete)
    }

    /// Replies and control messages go before data.
    pub const fn is_reply(self) -> bool {
        !matches!(self, Self::Data)
    }

    /// Whether the background loop of an IMP makes it: all replies and control messages but the REQALL, which the code
    /// for input from hosts sends (the program's listing).
    pub const fn is_made_in_background(self) -> bool {
        !matches!(self, Self::Data | Self::Request)
    }

    /// Whether the account is that of a message's reply.
    pub const fn is_rfnm(self) -> bool {
        matches!(self, Self::Rfnm { .. })
    }
}

/// How the life of a message ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    /// It is delivered, or in transit.
    Delivered,
    /// It did not get a message number in time.
    Blocked,
    /// The destination has given it up.
    Incomplete,
    /// It was discarded when its host took nothing for too long.
    Tardy,
    /// Its host had been found dead before.
    Dead,
    /// It was delivered, but its own host was found dead before it heard of that.
    Unheard,
}

impl Fate {
    pub const LOST: [(Self, &'static str); 5] = [
        (Self::Blocked, "blocked messages"),
        (Self::Incomplete, "incomplete transmissions"),
        (Self::Tardy, "messages to tardy hosts"),
        (Self::Dead, "messages to dead hosts"),
        (Self::Unheard, "replies to dead hosts"),
    ];
}

/// The instants T(2) to T(5) of a message's life (RFC 619); T(1) is its birth, T(6) and T(7) end it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Instants {
    pub tabled: Time,
    pub queued: Time,
    pub complete: Time,
    pub replied: Time,
    pub arrived: Time,
    /// The first bit has come into the source IMP.
    pub first_bit: Time,
    /// All of it has.
    pub last_bit: Time,
}

/// A message under way.
#[derive(Clone, Debug)]
pub(crate) struct Message {
    pub account: Ledger,
    /// Its number in the order of birth, for journeys.
    pub serial: u64,
    pub times: Instants,
    pub from: u32,
    pub to: u32,
    pub sequence: u32,
    pub number: u32,
    pub bits: u16,
    pub source: u8,
    pub dest: u8,
    pub packets: u8,
    /// Packets that have been queued by the source IMP.
    pub sent: u8,
    /// Packets that have come to the destination.
    pub received: u8,
    /// Packets of it, and allocations for it alone, that are in the net.
    pub in_net: u8,
    pub fate: Fate,
    /// Reassembly buffers that it has.
    pub buffers: u8,
    /// Hops of its first packet.
    pub hops: u16,
    pub phase: Phase,
    pub class: u8,
    pub observed: bool,
    /// Its first table entry has been made: T(2) has come.
    pub is_tabled: bool,
    /// Ends of its life that are open: the delivery and the reply.
    pub open_ends: u8,
}

impl Message {
    pub const fn is_single(&self) -> bool {
        self.packets == 1
    }

    /// The data bits of one of its packets on the line and in the host interface. The interface appends at least one
    /// bit, up to whole words of 16.
    pub fn packet_bits(&self, index: u8) -> u32 {
        let padded = (u32::from(self.bits) + 1).div_ceil(16) * 16;
        (padded - u32::from(index) * PACKET_BITS).min(PACKET_BITS)
    }
}

/// Packets that a message of this many data bits has.
pub(crate) fn packets_of(bits: u32) -> u8 {
    (bits + 1).div_ceil(16).saturating_mul(16).div_ceil(PACKET_BITS).max(1) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_padding_bit_makes_1008_bits_two_packets() {
        assert_eq!([0, 1007, 1008, LONGEST_MESSAGE].map(packets_of), [1, 1, 2, 8]);
    }
}
