//! The events of the machine.

use hopscope_fabric::Slot;

use crate::switch::directive::Directive;

/// What happens in a fabric. Each event belongs to a slot (a port of a switch, or a host); together with the slot's own
/// count that is its place among the events of one instant.
///
/// A tag of four bytes keeps the slot and packet behind it aligned: an event is copied as words, not byte by byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Event {
    /// A traffic source sends.
    Emit(u32),
    /// The first byte of a packet reaches the FIFO at this slot, with the number of the attempt to send it.
    HeadIn(Slot, u32, u8),
    /// The routing decision for a packet in a pool has been made.
    Decided(Slot, u32),
    /// Packets that wait in the pool of this switch are matched with outputs.
    Match(u32),
    /// A frame of input smoothing begins in this switch.
    Frame(u32),
    /// The last byte of a packet has left the output queue at this slot.
    Sent(Slot, u32),
    /// The packet at the head of the FIFO, this one, requests an output.
    Request(Slot, u32),
    /// The last byte of the packet at the head of this FIFO or send queue, this one, has left it by this output.
    LastOut(Slot, u32, Slot),
    /// The last byte of a packet arrives at this slot, with the low bits of the packet's number: over links without
    /// delay it can have left the network before, and the next packet of its host have its place in memory.
    TailIn(Slot, u32, u32),
    /// The link into this FIFO falls silent in the middle of a packet.
    FlowOff(Slot),
    /// The link into this FIFO resumes its packet.
    FlowOn(Slot),
    /// The FIFO has nothing more of the packet that it is sending.
    Dry(Slot),
    /// The content of the FIFO requires another directive than the last.
    Crossing(Slot),
    /// A fault or recovery of the fault plan happens.
    Fault(u32),
    /// A link has been down, or up, long enough for its ends to detect it.
    LinkKnown(u32),
    /// A control packet that this slot sent arrives.
    ControlIn(Slot),
    /// The control processor of this switch has processed the first item in its inbox.
    Attended(u32),
    /// The table of this switch has been computed and loaded.
    Loaded(u32),
    /// The links that a destroyed packet took have been purged.
    Purged(u32),
    /// A directive reaches the output at this slot.
    Directive(Slot, Directive),
}

/// The presorted lists for events of every hop. With packets of one length and equal links, each kind comes in the
/// order in which it is scheduled; other events are sorted.
pub(crate) mod lists {
    use hopscope_kernel::Presorted;

    /// First bytes that reach FIFOs.
    pub const HEADS_IN: Presorted = Presorted::A;
    /// Packets that request an output.
    pub const REQUESTS: Presorted = Presorted::B;
    /// Last bytes that leave.
    pub const LAST_OUT: Presorted = Presorted::C;
    /// Other events over a link: last bytes that arrive, links that fall silent or resume, directives.
    pub const OVER_LINKS: Presorted = Presorted::D;
}
