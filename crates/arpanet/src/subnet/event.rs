//! The events of the subnet: a closed, small set.

/// What happens in the subnet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// A traffic source sends a message.
    Emit(u32),
    /// A site sends a message.
    SiteMessage(u16),
    /// An IMP sends its status reports.
    StatusReports(u8),
    /// An IMP sends its accumulated statistics.
    Statistics(u8),
    /// A host has done its work on a message that it sends.
    HostReady(u32),
    /// An IMP has handled a packet from this host, unless its processor was busy before.
    HostTask(u32),
    /// A host has taken a packet from its IMP.
    HostOut(u32),
    /// Something has come to an IMP in which something waits.
    Arrivals(u8),
    /// The last bit of a packet arrives that the line has sent before.
    Again {
        /// The line, one number for each direction.
        line: u16,
        /// The acknowledgment channel.
        channel: u8,
        /// The channel's odd/even bit.
        parity: bool,
        /// The acknowledgments of the other direction that ride along.
        acks: u8,
    },
    /// An IMP has handled a packet that came over a line, unless its processor was busy before.
    Task {
        /// The line.
        line: u16,
        /// The acknowledgment channel.
        channel: u8,
        /// The packet.
        packet: u32,
    },
    /// The background loop of an IMP comes to a reply.
    Background {
        /// The IMP.
        imp: u8,
        /// The reply.
        packet: u32,
    },
    /// An IMP has handled a control message to itself.
    LocalTask(u32),
    /// An IMP has handled a routing message, unless its processor was busy before.
    Merge {
        /// The line.
        line: u16,
        /// The computation of the neighbour in it.
        serial: u32,
    },
    /// A line can send.
    LineWake(u16),
    /// A packet on a line may not have been acknowledged in time.
    LineTimer(u16),
    /// A look for packets of all lines that may not be acknowledged in time.
    Overdue,
    /// The clock of a line's routing messages ticks.
    RoutingClock(u16),
    /// An IMP samples its queues and makes up its routing message.
    Compute(u8),
    /// A reply has waited for buffers as long as it may.
    Patience {
        /// The sequence.
        sequence: u32,
        /// The last 16 bits of the message number: none of the few that are outstanding has the same.
        number: u16,
    },
    /// An unused allocation may be due to be given back.
    GiveBack(u8),
    /// An IMP looks after the hosts that wait.
    Poll(u8),
    /// The state is recorded.
    Snapshot,
    /// Something happens to a line: which, in the plan.
    LineChange(u32),
}

/// One word, which goes to the event queue in a register.
const _: () = assert!(size_of::<Event>() == 8);
