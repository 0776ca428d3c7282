//! The events of the internet.

/// What happens in the internet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// A machine's processor is done with its job.
    Processed(u32),
    /// A station tries to send on its Ethernet.
    Attempt(u32),
    /// On this network, all stations now detect that one has begun.
    Settle(u32),
    /// A transmission or a collision on this network is over.
    Quiet(u32),
    /// A station has sent its Pup on its line.
    LineSent(u32),
    /// A Pup from this station comes out of the line.
    LineArrived(u32, u32),
    /// A station's radio takes the next radio packet.
    RadioAccepts(u32),
    /// Part of a Pup from this station has come through the radio network: the Pup, and which part.
    RadioArrived(u32, u32, u8),
    /// A stream calls its other end, again from time to time, and likewise asks for the end.
    Call(u32),
    /// A stream's retransmission timer, as it was set the so-many-th time.
    Timer(u32, u32),
    /// A stream's receiver sends its acknowledgment.
    Turnaround(u32),
    /// A gateway sends its routes.
    Broadcast(u32),
    /// An echo source asks for its first echo (number 0), or has waited for this one long enough.
    Echo(u32, u32),
    /// A station of a raw source has another packet.
    Raw(u32),
}
