//! The events of the machine.

use hopscope_fabric::Slot;

/// What happens in a fabric of frames. Each event belongs to a slot (a port of a switch, or a host); together with the
/// slot's own count that is its place among the events of one instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum FrameEvent {
    /// A traffic source sends.
    Emit(u32),
    /// Flows of the schedule begin.
    Release,
    /// A frame has arrived at this slot, and in a switch has passed the pipeline.
    Arrive(Slot, u32),
    /// A frame that cut through into a switch is complete by now, as its output needs it.
    Whole(Slot, u32),
    /// The last bit of the frame in transmission has left by this slot.
    Sent(Slot),
    /// A pause frame of this lane of an input begins.
    Tell(u32),
    /// A pause frame for this lane reaches the sender at this slot: stop, or start.
    Pause(Slot, u8, bool),
    /// Credits for this many bits of this lane reach the sender at this slot.
    Credit(Slot, u8, u32),
    /// A step of the fault plan.
    Fault(u32),
    /// A host that drains slowly has taken this many bits of this lane out of its buffer.
    Drained(Slot, u8, u32),
    /// The rate of this flow permits its next frame.
    Paced(u32),
    /// An acknowledgment reaches its sender.
    Answered(u32),
    /// A pull reaches the sender of this flow, if it is still the one with this number.
    Pulled(u32, u32),
    /// The retransmission timer of this flow, if it is still the one with this number, may have expired.
    TimedOut(u32, u32),
    /// A congestion notification reaches the sender of this flow, if it is still the one with this number.
    Notified(u32, u32),
}

const _: () = assert!(size_of::<FrameEvent>() == 16);

/// The presorted lists for events of every hop. With frames of one length and equal links, each kind comes in the order
/// in which it is scheduled; other events are sorted. Credits have the list whose events may wait.
pub(crate) mod lists {
    use hopscope_kernel::Presorted;

    /// Arrivals at switches, after their pipeline.
    pub const TO_SWITCHES: Presorted = Presorted::A;
    /// Arrivals at hosts, which have no pipeline.
    pub const TO_HOSTS: Presorted = Presorted::B;
    /// Last bits that leave.
    pub const SENT: Presorted = Presorted::C;
}
