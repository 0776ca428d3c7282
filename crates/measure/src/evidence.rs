//! What a model knows beyond its rows, for whoever explains a run: interruptions, losses, what services usually take,
//! which ways there were. None of it is part of the result.

mod served;

use std::collections::BTreeMap;

use crate::{PairWait, ResourceKind, StageId};

pub use served::{SegmentUse, SharedPauses, SmoothingUse, StopUse, VaryingService};

/// What a model tells besides the use of its resources.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Evidence {
    /// What did not work for a while.
    pub interruptions: Vec<Interruption>,
    /// What failed, each time that it did, in the order of time; whether or not anybody waited for it.
    pub failures: Vec<Failure>,
    /// Where packets were lost, refused or rejected.
    pub losses: Vec<Loss>,
    /// Messages that came before their turn and were rejected, since the run began, where no loss has counted them.
    pub rejected: u64,
    /// Whether what is lost is sent again, whatever the reason.
    pub sends_again: bool,
    /// Whether nobody sends anything again, though something besides faults may lose it.
    pub never_repeats: bool,
    /// The rate of a link or line, bit/s, by its row in `Report::resources`.
    pub rates: BTreeMap<usize, f64>,
    /// How many equal lines side by side a row stands for, where these are several.
    pub side_by_side: BTreeMap<usize, usize>,
    /// The propagation delay of a link, seconds, by its row.
    pub delays: BTreeMap<usize, f64>,
    /// The service times of what works, by its row.
    pub services: BTreeMap<usize, ServiceTime>,
    /// Services whose usual length is known.
    pub usual: Vec<UsualService>,
    /// Whether switches pass a packet on before all of it has come, as soon as the next link would not run dry.
    pub is_cut_through: bool,
    /// The frames at whose beginnings alone switches offer packets to their outputs, where they do.
    pub smoothing: Option<SmoothingUse>,
    /// When FIFOs stop the links into them, where they have an end.
    pub stops: Option<StopUse>,
    /// The share of time in which all of a resource of several parts is in use, 0 to 1, by its row.
    pub exhausted: BTreeMap<usize, f64>,
    /// Stations whose services vary more than arrivals there do, so that what leaves them comes in bunches.
    pub varying: Vec<VaryingService>,
    /// Messages that are cut into segments, where there are such.
    pub segments: Option<SegmentUse>,
    /// By the row of a processor, what takes much of its work on a message and may be spared.
    pub parts_of_work: BTreeMap<usize, PartOfWork>,
    /// By their rows, windows of pacing that are always of one size k: as many as 2k - 1 may be outstanding.
    pub paced: BTreeMap<usize, u64>,
    /// How often switches look after hosts that wait, where they do so from time to time.
    pub host_scan: Option<HostScan>,
    /// Outputs of a switch by which the same destinations can be reached on legal routes.
    pub alternatives: Vec<Alternatives>,
    /// The lanes of links and the classes that share them, where there are classes to part.
    pub lanes: Option<LaneUse>,
    /// How ports serve several classes, and which of these waits behind which.
    pub class_use: Option<ClassUse>,
    /// The law that bounds the rates or windows of senders, such as "DCQCN".
    pub law: Option<String>,
    /// When inputs of switches pause their senders, where that follows what is free.
    pub shared_pauses: Option<SharedPauses>,
    /// The queues from which on switches mark frames, where they do.
    pub marking: Option<Marking>,
    /// How long the bits of a message take on the link of its own host on average, microseconds, where switches receive
    /// frames whole before they send them on.
    pub sent_once_us: Option<f64>,
    /// The longest frame, bits; 0 where messages are not sent in frames.
    pub frame_bits: f64,
    /// Whether frames of one message take several ways to its destination, so that they overtake one another.
    pub is_sprayed: bool,
    /// Whether an output always serves the input with the lowest number first: then the others may starve.
    pub is_fixed_order: bool,
    /// Who gets nothing through, where somebody always has something to send.
    pub starving: Option<Starving>,
    /// Rounds that start by the clock.
    pub rounds: Vec<RoundsUse>,
    /// How long a sender waits for an acknowledgment until it sends again, seconds, where it does.
    pub timeout_s: Option<f64>,
    /// Messages that were given up after as many timeouts in a row as are allowed, and all that began.
    pub given_up: Option<GivenUp>,
    /// The switch that up*/down* routes concentrate at.
    pub root: Option<Place>,
    /// Transfers that stall until an acknowledgment is back.
    pub windows: Vec<WindowUse>,
    /// Hosts that send, where the report has no row for them.
    pub senders: Vec<SenderUse>,
    /// How long messages waited, by the names of the hosts between which they went.
    pub pairs: Vec<PairUse>,
    /// Packets of its own message that a packet finds before it on average, where all of a message come at once.
    pub packets_ahead: f64,
    /// Frames of the message that a frame belongs to, on average over frames, where messages are sent in frames one
    /// after the other; 0 where they are not.
    pub frames_a_message: f64,
    /// Rounds in which many hosts send to one, where there are such.
    pub incasts: Vec<IncastUse>,
    /// Whether what is sent is a job of flows, whose senders may wait for one another: it fills links without offering
    /// more than they carry.
    pub is_job: bool,
    /// Routing loops that were seen, where the model looks for them.
    pub loops: Option<Loops>,
    /// Whether some sender has another message as soon as it may send one: what it sends is what the network lets it.
    pub always_sends: bool,
    /// Lines that are slower than others beside which they send, where messages leave them in order.
    pub slow_beside: Vec<SlowBeside>,
    /// Nodes that keep windows small since they call themselves congested.
    pub congested: Vec<CongestedNode>,
    /// Requests for buffers at a destination, of what is measured, where there are such.
    pub requests: Option<BufferRequests>,
    /// How long packets wait for processors, where there are slow ones.
    pub processor_waits: Option<ProcessorWaits>,
}

/// Hosts from which nothing arrives, although they always have something to send.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Starving {
    /// The hosts, by name.
    pub hosts: Vec<String>,
    /// How many others there are that always have something to send.
    pub served: usize,
}

/// A group of flows whose rounds start at set times.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RoundsUse {
    /// The group.
    pub group: String,
    /// Its number in the scenario, from 1.
    pub number: usize,
    /// From the start of a round to that of the next one, seconds.
    pub every_s: f64,
    /// How long a round takes on average, seconds.
    pub round_s: f64,
    /// How long the data of a round take on the host's link that carries most of them, seconds.
    pub sent_s: f64,
}

/// Messages that were given up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GivenUp {
    /// How many.
    pub count: u64,
    /// Of how many that ended, delivered or given up.
    pub of: u64,
    /// After so many timeouts in a row.
    pub retries: u32,
}

/// A group of flows whose rounds send to one host each.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct IncastUse {
    /// The group.
    pub group: String,
    /// The row of the link into the receiver, where every round has the same.
    pub row: Option<usize>,
    /// How many hosts send to that one.
    pub senders: u64,
    /// How long a round takes on average, seconds.
    pub round_s: f64,
    /// How long the data of a round take on the receiver's link, seconds.
    pub sent_s: f64,
    /// Of the time that all flows take beyond what they would on the empty network, the share of this group's, 0 to 1.
    pub share: f64,
}

/// A line that is slower than others beside it. What they carry is taken in the order in which it was sent, so that all
/// wait for what the slow one carries.
#[derive(Clone, Debug, PartialEq)]
pub struct SlowBeside {
    /// Its row, or that of the lines together where these have one.
    pub row: usize,
    /// The line as a sentence names it.
    pub words: String,
    /// Its rate, bit/s.
    pub rate: f64,
    /// The rate of most of the lines, bit/s.
    pub usual: f64,
}

/// A node that told senders of its congestion, and so kept a window small.
#[derive(Clone, Debug, PartialEq)]
pub struct CongestedNode {
    /// Which.
    pub place: Place,
    /// From how much in it on it calls itself congested.
    pub from: u64,
    /// The share of what passed it that it told so, 0 to 1.
    pub share: f64,
    /// The row of the window.
    pub window: usize,
    /// The window on average, the least and the greatest that it may have.
    pub size: [f64; 3],
}

/// What a run counts of routing loops.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Loops {
    /// Loops that formed.
    pub formed: u64,
    /// Those of them that hold-down prolonged.
    pub prolonged: u64,
    /// How often a packet came back to a node that it had left.
    pub returns: u64,
}

/// Requests for buffers at a destination.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BufferRequests {
    /// How many there were.
    pub sent: u64,
    /// Those sent while another one of the same sequence was under way.
    pub superfluous: u64,
}

/// How long a packet waits for a processor on average, milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ProcessorWaits {
    /// At the slower kind of computer.
    pub slow_ms: f64,
    /// At the faster kind, where packets passed any.
    pub fast_ms: Option<f64>,
}

/// A place by the names of its nodes: one, or the two that a link joins.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// As a sentence names it.
    pub words: String,
    /// The names of its nodes.
    pub nodes: Vec<String>,
}

impl Place {
    /// A place with one node.
    #[must_use]
    pub fn node(words: impl Into<String>, node: impl Into<String>) -> Self {
        Self { words: words.into(), nodes: vec![node.into()] }
    }
}

/// Why something did not work for a while.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum InterruptionWhy {
    /// It had failed.
    Fault,
    /// It failed or came back, and the network stood still while its routes were worked out anew.
    Reconfiguration,
    /// A host took nothing.
    SilentHost,
    /// A processor did work of higher priority.
    OtherWork,
}

/// Something that did not work for a while, once or several times.
#[derive(Clone, Debug, PartialEq)]
pub struct Interruption {
    /// Why.
    pub why: InterruptionWhy,
    /// Where.
    pub place: Place,
    /// How often in the measured window.
    pub count: u64,
    /// When it first began, seconds of simulated time.
    pub first_s: f64,
    /// All interruptions together, seconds within the window.
    pub total_s: f64,
    /// The sum of the squares of their lengths, s^2: who comes during one waits for half of it on average.
    pub squares_s2: f64,
}

impl Interruption {
    /// None yet, of something at a place.
    #[must_use]
    pub const fn of(why: InterruptionWhy, place: Place) -> Self {
        Self { why, place, count: 0, first_s: f64::INFINITY, total_s: 0.0, squares_s2: 0.0 }
    }

    /// One more, from one time to another in seconds, of which only what lies in the window counts.
    #[must_use]
    pub fn and(mut self, (from_s, until_s): (f64, f64), window_s: (f64, f64)) -> Self {
        let (from, until) = (from_s.max(window_s.0), until_s.min(window_s.1));
        if until > from {
            self.count += 1;
            self.first_s = self.first_s.min(from_s);
            self.total_s += until - from;
            self.squares_s2 += (until - from).powi(2);
        }
        self
    }
}

/// Something that failed.
#[derive(Clone, Debug, PartialEq)]
pub struct Failure {
    /// What.
    pub place: Place,
    /// When, seconds of simulated time.
    pub from_s: f64,
    /// When it came back; nothing where it never did.
    pub until_s: Option<f64>,
}

/// Why a packet was lost, refused or rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LossWhy {
    /// Bits were wrong on a line.
    LineErrors,
    /// A radio packet was not heard.
    Radio,
    /// A queue was full.
    FullQueue,
    /// A queue was full, and nobody sends it again.
    Dropped,
    /// Buffers were lacking.
    NoBuffers,
    /// It came before its turn, and was rejected.
    OutOfOrder,
    /// It had come before.
    Twice,
    /// It was in what failed.
    Fault,
    /// It was to leave by a link that was down.
    LinkDown,
    /// No route led to its destination.
    NoRoute,
    /// Its time to live had expired under tables with a forwarding loop.
    Looping,
    /// Its time to live had expired on a way that leads to its destination.
    Expired,
    /// A station gave up after too many collisions.
    Collisions,
}

impl LossWhy {
    /// Whether nobody sends again what is lost so.
    #[must_use]
    pub const fn is_for_good(self) -> bool {
        match self {
            Self::Fault | Self::LinkDown | Self::NoRoute | Self::Looping | Self::Expired | Self::Dropped => {
                true
            }
            Self::LineErrors
            | Self::Radio
            | Self::FullQueue
            | Self::NoBuffers
            | Self::OutOfOrder
            | Self::Twice
            | Self::Collisions => false,
        }
    }

    /// Whether it came to its receiver, in vain.
    #[must_use]
    pub const fn is_in_vain(self) -> bool {
        matches!(self, Self::OutOfOrder | Self::Twice)
    }

    /// As a clause after a count of packets.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Twice => "arrived twice",
            Self::LineErrors => "lost to line errors",
            Self::Radio => "lost by radio",
            Self::FullQueue => "dropped by a full queue",
            Self::Dropped => "dropped by a full queue",
            Self::NoBuffers => "refused without free buffers",
            Self::OutOfOrder => "rejected as out of order",
            Self::Fault => "destroyed by a fault",
            Self::LinkDown => "discarded at a link that was down",
            Self::NoRoute => "dropped without a route",
            Self::Looping => "dropped in a forwarding loop",
            Self::Expired => "dropped after as many switches as `ttl` allows",
            Self::Collisions => "given up after sixteen collisions",
        }
    }
}

/// Packets that were lost at one place for one reason.
#[derive(Clone, Debug, PartialEq)]
pub struct Loss {
    /// Why.
    pub why: LossWhy,
    /// Where.
    pub place: Place,
    /// How many in the measured window.
    pub count: u64,
    /// Of how many that came there; 0 where the model does not count them.
    pub of: u64,
    /// What each costs whoever waits for it, seconds; 0 where the ledger has it as a wait to be sent again.
    pub each_s: f64,
}

/// The service times of one resource.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ServiceTime {
    /// The mean, microseconds.
    pub mean_us: f64,
    /// The squared coefficient of variation: the variance over the square of the mean. 1 of exponential times.
    pub variation: f64,
}

/// A service with what it usually takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UsualService {
    /// The stage of the ledger.
    pub stage: StageId,
    /// What one such service takes here, microseconds.
    pub us: f64,
    /// What it takes by default, microseconds.
    pub usual_us: f64,
}

/// Messages between two hosts.
#[derive(Clone, Debug, PartialEq)]
pub struct PairUse {
    /// From where to where, such as "h1 -> h0"; of large networks all that go to one.
    pub who: String,
    /// How many were measured.
    pub messages: u64,
    /// How long each lived on average, microseconds.
    pub life_us: f64,
    /// How long each waited of that, microseconds.
    pub wait_us: f64,
}

impl PairUse {
    /// The waits between hosts, with the hosts' names.
    #[must_use]
    pub fn named(waits: Vec<PairWait>, name: impl Fn(u32) -> String) -> Vec<Self> {
        let named = waits.into_iter().map(|PairWait { from, to, messages, life_us, wait_us }| Self {
            who: format!("{} -> {}", from.map_or_else(|| "all".to_owned(), &name), name(to)),
            messages,
            life_us,
            wait_us,
        });
        named.collect()
    }
}

/// A part of a processor's work.
#[derive(Clone, Debug, PartialEq)]
pub struct PartOfWork {
    /// What it does, as a clause: "computing checksums".
    pub what: String,
    /// The share of its work on a message, 0 to 1.
    pub share: f64,
}

/// How often a switch looks whether hosts that wait may go on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HostScan {
    /// From one look to the next, seconds.
    pub every_s: f64,
    /// What is usual, seconds.
    pub usual_s: f64,
}

/// A host that sends.
#[derive(Clone, Debug, PartialEq)]
pub struct SenderUse {
    /// Which.
    pub place: Place,
    /// The share of time in which it works on messages or puts their bits on its line, 0 to 1.
    pub utilisation: f64,
}

/// Why packets to one destination do not share the ways that there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Choice {
    /// A hash of each flow picks one (ECMP).
    Hashed,
    /// All to one destination take the same.
    Single,
}

/// Outputs of a switch by which the same destinations can be reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alternatives {
    /// The rows of the outputs.
    pub rows: Vec<usize>,
    /// How one of them is picked.
    pub choice: Choice,
}

/// The lanes of links, and the classes of messages that share them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaneUse {
    /// Lanes for data.
    pub lanes: usize,
    /// Classes of messages.
    pub classes: usize,
}

/// In which order a port serves the lanes of classes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ServiceOrder {
    /// One after the other.
    InTurn,
    /// The first in which something waits.
    Strict,
    /// In proportion to their weights.
    InProportion,
}

/// How ports serve several classes, and which of these waits behind which.
#[derive(Clone, Debug, PartialEq)]
pub struct ClassUse {
    /// The order of lanes.
    pub order: ServiceOrder,
    /// The classes, in the order of the scenario.
    pub classes: Vec<ClassLane>,
    /// The outputs at which some of them have waited.
    pub outputs: Vec<ClassOutput>,
}

/// A class of messages as ports serve it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClassLane {
    /// Its name.
    pub name: String,
    /// Its lane, the first one served first under strict priority.
    pub lane: usize,
    /// The weight of that lane, where there are weights.
    pub weight: u16,
}

/// One output and the classes that pass it.
#[derive(Clone, Debug, PartialEq)]
pub struct ClassOutput {
    /// Its row in `Report::resources`.
    pub row: usize,
    /// The share of each class in what it sends, 0 to 1.
    pub sent: Vec<f64>,
    /// The mean number of each class that waits while something of each class is sent.
    pub behind: Vec<Vec<f64>>,
    /// The mean number of each class that waits while nothing is sent, or its own lane is held back.
    pub held: Vec<f64>,
}

/// From which queue on switches mark frames.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Marking {
    /// From this queue on frames may be marked, bytes.
    pub from: f64,
    /// Beyond this one all are, bytes.
    pub all: f64,
    /// The longest frame, bytes.
    pub frame: f64,
    /// The share of frames that were marked, 0 to 1.
    pub marked: f64,
}

/// Transfers under a window.
#[derive(Clone, Debug, PartialEq)]
pub struct WindowUse {
    /// From where to where.
    pub place: Place,
    /// Packets that may be unacknowledged.
    pub window: u64,
    /// The mean time of a transfer, seconds.
    pub transfer_s: f64,
    /// What its bits take on its own link, seconds.
    pub sending_s: f64,
}

impl WindowUse {
    /// The share of a transfer in which its window is full and it stalls, 0 to 1.
    #[must_use]
    pub fn standing(&self) -> f64 {
        if self.transfer_s > 0.0 { (1.0 - self.sending_s / self.transfer_s).max(0.0) } else { 0.0 }
    }
}

/// What refuses where there is none of it.
impl From<ResourceKind> for LossWhy {
    fn from(kind: ResourceKind) -> Self {
        match kind {
            ResourceKind::AcknowledgmentChannels | ResourceKind::OutputQueue => Self::FullQueue,
            _ => Self::NoBuffers,
        }
    }
}
