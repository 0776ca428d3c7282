//! The kinds of resources of all models.

use super::closed;

closed! {
    /// A kind of resource: what messages hold, wait for or are served by.
    pub enum ResourceKind {
        Output, "output", "one direction of a switched link, from the output that sends on it";
        InputFifo, "input FIFO", "the FIFO of an input: packets in it wait for the one at its head";
        InputBuffer, "input buffer", "the part of a switch's buffer that holds what came by one link; its frames wait at outputs";
        SwitchBuffer, "switch buffer", "the memory of a switch that all its ports share";
        Credits, "credits", "the credits of a link: what its sender may have outstanding";
        RateLimiter, "rate limiter", "what keeps a host's flows at the rates that congestion control allows";
        FlowWindow, "flow window", "what a host's flows may have outstanding, or what their receivers have pulled";
        Buffers, "buffers", "all packet buffers of an IMP";
        StoreAndForwardBuffers, "store-and-forward buffers", "the buffers of an IMP for packets that it passes on";
        ReassemblyBuffers, "reassembly buffers", "the buffers of a destination IMP in which messages are put together; an allocation (ALL) is eight of them";
        PendingLeaderTable, "pending leader table", "an IMP's table of multipacket messages and REQALLs that are not answered yet";
        PendingPacketTable, "pending packet table", "an IMP's table of single-packet messages that are not answered yet";
        TransmitBlocks, "transmit blocks", "the message blocks of pairs of hosts at a source IMP";
        ReceiveBlocks, "receive blocks", "the message blocks of pairs of hosts at a destination IMP";
        MessageNumbers, "message numbers", "the messages from one source to one destination that may be outstanding";
        AcknowledgmentChannels, "acknowledgment channels", "the packets on one line that may be unacknowledged";
        Processor, "processor", "the processor of an IMP";
        Line, "line", "one direction of a point-to-point line";
        DestinationHost, "destination host", "the host that receives, with the line to it";
        HostProcessor, "host processor", "the processor of a host";
        GatewayProcessor, "gateway processor", "the processor of a gateway";
        Window, "window", "the Pups of a stream that may be unacknowledged";
        Ethernet, "Ethernet", "the cable that all stations of an Ethernet share";
        RadioInterval, "radio interval", "the time until a packet radio accepts the next packet";
        OutputQueue, "output queue", "the queue of a station for its network; the packet in service counts as well";
        NodeProcessor, "node processor", "the processor of a subarea node";
        NodeBuffers, "node buffers", "the buffers of a subarea node for PIUs";
        VirtualRouteWindow, "virtual route window", "the PIUs of a virtual route that may be outstanding";
        SessionWindow, "session window", "the messages of a session that may be outstanding";
        BoundaryWindow, "boundary window", "the messages of a session that may be outstanding between its boundary node and its unit";
        Unit, "unit", "a unit behind a boundary node, which takes one message after the other";
    }
    numbered {
        Station, [
            "station 1", "station 2", "station 3", "station 4", "station 5", "station 6", "station 7", "station 8",
        ], "the servers of one station in a row";
    }
}

/// How a resource is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Nature {
    /// It serves one thing after the other: a line, a server, a processor. While it is used it is working.
    Works,
    /// It is held by messages that may need something else meanwhile: a buffer, a table entry, a number of a window.
    Held,
    /// A queue: what is in it needs something else.
    Queue,
}

impl Nature {
    /// The word that people read.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Works => "works",
            Self::Held => "held",
            Self::Queue => "queue",
        }
    }
}

/// Which of the messages counted in a row wait because of its resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaitersAt {
    /// Those that wait for it, or behind others in it.
    Waiting,
    /// Those in it beyond the ones that are being served.
    BeyondServed,
    /// None: messages that wait for room in it wait at the link that leads to it, and its content waits at outputs.
    /// Both are counted there.
    Elsewhere,
}

/// Whether a resource bounds what a sender may have outstanding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outstanding {
    /// It is a window.
    Window,
    /// It is a window if messages wait for it; else other limits apply first.
    WindowWhereAwaited,
    /// It does not.
    NoWindow,
}

/// What a kind of resource implies.
#[derive(Clone, Copy)]
struct Traits {
    nature: Nature,
    waiters: WaitersAt,
    carries_bits: bool,
    outstanding: Outstanding,
    is_host: bool,
}

impl Traits {
    const fn of(nature: Nature) -> Self {
        let (waiters, outstanding) = (WaitersAt::Waiting, Outstanding::NoWindow);
        Self { nature, waiters, carries_bits: false, outstanding, is_host: false }
    }
}

impl ResourceKind {
    /// The only match over kinds: a new kind does not compile until it is listed here.
    const fn traits(self) -> Traits {
        match self {
            Self::Output | Self::Line | Self::Ethernet | Self::RadioInterval => {
                Traits { carries_bits: true, ..Traits::of(Nature::Works) }
            }
            Self::RateLimiter
            | Self::Processor
            | Self::GatewayProcessor
            | Self::NodeProcessor
            | Self::Station(_) => Traits::of(Nature::Works),
            Self::DestinationHost | Self::HostProcessor | Self::Unit => {
                Traits { is_host: true, ..Traits::of(Nature::Works) }
            }
            Self::SwitchBuffer
            | Self::Buffers
            | Self::StoreAndForwardBuffers
            | Self::ReassemblyBuffers
            | Self::PendingLeaderTable
            | Self::PendingPacketTable
            | Self::TransmitBlocks
            | Self::ReceiveBlocks
            | Self::AcknowledgmentChannels
            | Self::NodeBuffers => Traits::of(Nature::Held),
            Self::Credits
            | Self::FlowWindow
            | Self::Window
            | Self::VirtualRouteWindow
            | Self::SessionWindow
            | Self::BoundaryWindow => Traits { outstanding: Outstanding::Window, ..Traits::of(Nature::Held) },
            Self::MessageNumbers => {
                Traits { outstanding: Outstanding::WindowWhereAwaited, ..Traits::of(Nature::Held) }
            }
            Self::InputFifo => Traits::of(Nature::Queue),
            Self::InputBuffer => Traits { waiters: WaitersAt::Elsewhere, ..Traits::of(Nature::Queue) },
            Self::OutputQueue => Traits { waiters: WaitersAt::BeyondServed, ..Traits::of(Nature::Queue) },
        }
    }

    /// How it is used.
    #[must_use]
    pub const fn nature(self) -> Nature {
        self.traits().nature
    }

    /// Which of the messages in it or at it wait because of it.
    #[must_use]
    pub const fn waiters(self) -> WaitersAt {
        self.traits().waiters
    }

    /// Whether it carries bits from one place to another: a line, a link, a cable, a radio.
    #[must_use]
    pub const fn carries_bits(self) -> bool {
        self.traits().carries_bits
    }

    /// Whether it bounds what a sender may have outstanding.
    #[must_use]
    pub const fn outstanding(self) -> Outstanding {
        self.traits().outstanding
    }

    /// Whether it is a window, with or without waiters.
    #[must_use]
    pub const fn is_window(self) -> bool {
        matches!(self.outstanding(), Outstanding::Window)
    }

    /// Whether it is a host or a host's processor: not the link that leads to it.
    #[must_use]
    pub const fn is_host(self) -> bool {
        self.traits().is_host
    }

    /// The rule by which it is taken and released, as a sentence after "there are six of it"; nothing if a row says
    /// enough.
    #[must_use]
    pub const fn rule(self) -> Option<&'static str> {
        match self {
            Self::PendingLeaderTable => {
                Some("every multipacket message and every REQALL holds an entry until it is answered")
            }
            Self::PendingPacketTable => {
                Some("every single-packet message holds an entry until its RFNM is back")
            }
            Self::MessageNumbers => {
                Some("every message and every REQALL holds a number until it is answered")
            }
            Self::ReassemblyBuffers => Some(
                "eight are held from the moment an allocation (ALL) is sent until the host has taken the message",
            ),
            Self::Credits => Some("a frame holds credits from when it is sent until its credit is back"),
            Self::FlowWindow => {
                Some("a frame is outstanding from when it is sent until its acknowledgment is back")
            }
            Self::Window => Some("a Pup is outstanding from when it is sent until it is acknowledged"),
            Self::VirtualRouteWindow => {
                Some("a PIU is outstanding from when it is sent until an answer says that it has arrived")
            }
            Self::SessionWindow | Self::BoundaryWindow => {
                Some("a message is outstanding from when it is sent until a response says that it was taken")
            }
            Self::NodeBuffers => Some(
                "a PIU holds a buffer from when a line begins to send it to the node until it has left it",
            ),
            Self::AcknowledgmentChannels => {
                Some("a packet holds a channel from when it is queued for the line until it is acknowledged")
            }
            Self::Output
            | Self::InputFifo
            | Self::InputBuffer
            | Self::SwitchBuffer
            | Self::RateLimiter
            | Self::Buffers
            | Self::StoreAndForwardBuffers
            | Self::TransmitBlocks
            | Self::ReceiveBlocks
            | Self::Processor
            | Self::Line
            | Self::DestinationHost
            | Self::HostProcessor
            | Self::GatewayProcessor
            | Self::Ethernet
            | Self::RadioInterval
            | Self::OutputQueue
            | Self::NodeProcessor
            | Self::Unit
            | Self::Station(_) => None,
        }
    }
}
