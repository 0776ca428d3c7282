//! What the ledger charges a stage to.

use super::{ResourceKind, closed, in_words};

closed! {
    /// Passages: what takes time of messages without being a resource in a report.
    pub enum Passage {
        HostInterface, "host interface", "the line between a host and its IMP";
        SourceHost, "source host", "the host that sends";
        MessageBlocks, "message blocks", "the transmit and receive blocks of a pair of hosts";
        Allocation, "allocation", "eight reassembly buffers at the destination, granted to the source";
        Acknowledgment, "acknowledgment", "the acknowledgment of a packet";
        MessageOrder, "message order", "the delivery of earlier messages";
        RfnmOrder, "RFNM order", "the RFNMs of earlier messages";
        HostLink, "host link", "the link from a host to its switch";
        Link, "link", "the links of the path";
        LastLink, "last link", "the last link of the path";
        IncomingLink, "incoming link", "the link on which a packet is received";
        DownstreamFifo, "downstream FIFO", "room in the FIFO at the far end of a link";
        DownstreamBuffer, "downstream buffer", "room in the buffer at the far end of a link";
        HeadOfFifo, "head of FIFO", "the packets in front in an input FIFO";
        HeadOfLane, "head of lane", "the frames in front in the FIFO of a lane";
        Router, "router", "the routing decision of a switch";
        Crossbar, "crossbar", "the set-up of a crossbar";
        Pipeline, "switch", "the pipeline of a switch";
        Stream, "stream", "the retransmission of a stream";
        Modems, "modems", "the modems of a line";
        RadioNetwork, "radio network", "the packet radios on the way";
        EarlierPius, "earlier PIUs", "the arrival of the PIUs before it";
    }
}

/// What a stage is charged to: a resource that reports list, or something else on the way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Charged {
    /// A kind of resource.
    To(ResourceKind),
    /// Something that is no resource of its own.
    On(Passage),
}

/// The passages by their names, as stages write them.
impl Charged {
    /// The line between a host and its IMP.
    pub const HOST_INTERFACE: Self = Self::On(Passage::HostInterface);
    /// The host that sends.
    pub const SOURCE_HOST: Self = Self::On(Passage::SourceHost);
    /// The blocks of a pair of hosts.
    pub const MESSAGE_BLOCKS: Self = Self::On(Passage::MessageBlocks);
    /// Eight reassembly buffers, granted to the source.
    pub const ALLOCATION: Self = Self::On(Passage::Allocation);
    /// The acknowledgment of a packet.
    pub const ACKNOWLEDGMENT: Self = Self::On(Passage::Acknowledgment);
    /// Earlier messages.
    pub const MESSAGE_ORDER: Self = Self::On(Passage::MessageOrder);
    /// Earlier RFNMs.
    pub const RFNM_ORDER: Self = Self::On(Passage::RfnmOrder);
    /// The link from a host.
    pub const HOST_LINK: Self = Self::On(Passage::HostLink);
    /// Links.
    pub const LINK: Self = Self::On(Passage::Link);
    /// The last link.
    pub const LAST_LINK: Self = Self::On(Passage::LastLink);
    /// The link on which a packet comes.
    pub const INCOMING_LINK: Self = Self::On(Passage::IncomingLink);
    /// Room in the FIFO behind a link.
    pub const DOWNSTREAM_FIFO: Self = Self::On(Passage::DownstreamFifo);
    /// Room in the buffer behind a link.
    pub const DOWNSTREAM_BUFFER: Self = Self::On(Passage::DownstreamBuffer);
    /// The packets in front.
    pub const HEAD_OF_FIFO: Self = Self::On(Passage::HeadOfFifo);
    /// The frames in front.
    pub const HEAD_OF_LANE: Self = Self::On(Passage::HeadOfLane);
    /// The routing decision.
    pub const ROUTER: Self = Self::On(Passage::Router);
    /// The crossbar's set-up.
    pub const CROSSBAR: Self = Self::On(Passage::Crossbar);
    /// The switch's pipeline.
    pub const PIPELINE: Self = Self::On(Passage::Pipeline);
    /// The retransmission of a stream.
    pub const STREAM: Self = Self::On(Passage::Stream);
    /// Modems.
    pub const MODEMS: Self = Self::On(Passage::Modems);
    /// Packet radios.
    pub const RADIO_NETWORK: Self = Self::On(Passage::RadioNetwork);
    /// The PIUs before it.
    pub const EARLIER_PIUS: Self = Self::On(Passage::EarlierPius);

    /// Every one.
    #[must_use]
    pub fn all() -> Vec<Self> {
        let resources = ResourceKind::all().into_iter().map(Self::To);
        resources.chain(Passage::all().into_iter().map(Self::On)).collect()
    }

    /// The word that people read.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::To(kind) => kind.word(),
            Self::On(passage) => passage.word(),
        }
    }

    /// What it means.
    #[must_use]
    pub const fn meaning(self) -> &'static str {
        match self {
            Self::To(kind) => kind.meaning(),
            Self::On(passage) => passage.meaning(),
        }
    }

    /// The name by which programs refer to it.
    #[must_use]
    pub const fn id(self) -> &'static str {
        match self {
            Self::To(kind) => kind.id(),
            Self::On(passage) => passage.id(),
        }
    }

    /// The one with this word.
    #[must_use]
    pub fn of_word(word: &str) -> Option<Self> {
        Self::all().into_iter().find(|one| one.word() == word)
    }

    /// The kind of resource that a wait for it is a wait for.
    #[must_use]
    pub const fn pool(self) -> Option<ResourceKind> {
        match self {
            Self::To(kind) => Some(kind),
            Self::On(passage) => match passage.means() {
                Means::Buffers => Some(ResourceKind::ReassemblyBuffers),
                Means::PacketsInFront | Means::RoomDownstream | Means::Else => None,
            },
        }
    }

    /// Whether a wait for it is one behind others in an input buffer.
    #[must_use]
    pub const fn is_behind_others(self) -> bool {
        match self {
            Self::To(_) => false,
            Self::On(passage) => matches!(passage.means(), Means::PacketsInFront),
        }
    }

    /// Whether a wait for it is one for room downstream.
    #[must_use]
    pub const fn is_room_downstream(self) -> bool {
        match self {
            Self::To(_) => false,
            Self::On(passage) => matches!(passage.means(), Means::RoomDownstream),
        }
    }
}

/// What a wait for a passage means.
#[derive(Clone, Copy)]
enum Means {
    /// It is one for reassembly buffers.
    Buffers,
    /// It is one behind others in an input buffer.
    PacketsInFront,
    /// It is one for room downstream.
    RoomDownstream,
    /// None of these.
    Else,
}

impl Passage {
    /// The only match over passages.
    const fn means(self) -> Means {
        match self {
            Self::Allocation => Means::Buffers,
            Self::HeadOfFifo | Self::HeadOfLane => Means::PacketsInFront,
            Self::DownstreamFifo | Self::DownstreamBuffer => Means::RoomDownstream,
            Self::HostInterface
            | Self::SourceHost
            | Self::MessageBlocks
            | Self::Acknowledgment
            | Self::MessageOrder
            | Self::RfnmOrder
            | Self::HostLink
            | Self::Link
            | Self::LastLink
            | Self::IncomingLink
            | Self::Router
            | Self::Crossbar
            | Self::Pipeline
            | Self::Stream
            | Self::Modems
            | Self::RadioNetwork
            | Self::EarlierPius => Means::Else,
        }
    }
}

in_words!(Charged);
