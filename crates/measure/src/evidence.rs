//! Evidence of a model beyond its resource rows, for explanations of a run: interruptions, losses, usual service times,
//! alternative outputs. It is not part of the result.

mod lanes;
mod served;

use std::collections::BTreeMap;

use crate::{PairWait, ResourceKind, StageId};

pub use lanes::{ClassLane, ClassOutput, ClassUse, LaneName, LaneUse, ServiceOrder};
pub use served::{SegmentUse, SharedPauses, SmoothingUse, StopUse, VaryingService};

/// The evidence of a model besides the use of its resources.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Evidence {
    /// What did not work for a while.
    pub interruptions: Vec<Interruption>,
    /// Every failure, in order of time, whether or not messages waited for it.
    pub failures: Vec<Failure>,
    /// Where packets were lost, refused or rejected.
    pub losses: Vec<Loss>,
    /// The number of messages rejected as out of order since the run began, where no loss counts them.
    pub rejected: u64,
    /// Whether what is lost is retransmitted, whatever the reason.
    pub sends_again: bool,
    /// Whether nothing is retransmitted although packets may be lost for reasons other than faults.
    pub never_repeats: bool,
    /// The rate of a link or line, bit/s, by its row in `Report::resources`.
    pub rates: BTreeMap<usize, f64>,
    /// The number of equal parallel lines that a row stands for, if several.
    pub side_by_side: BTreeMap<usize, usize>,
    /// The propagation delay of a link, seconds, by its row.
    pub delays: BTreeMap<usize, f64>,
    /// The service times of a working resource, by its row.
    pub services: BTreeMap<usize, ServiceTime>,
    /// Services whose usual time is known.
    pub usual: Vec<UsualService>,
    /// Whether switches cut through: they forward a packet before all of it has arrived, as soon as the next link would
    /// not run dry.
    pub is_cut_through: bool,
    /// Input smoothing, if switches use it: they offer packets to their outputs only at the beginning of a smoothing
    /// frame.
    pub smoothing: Option<SmoothingUse>,
    /// When FIFOs stop the links into them, if they are bounded.
    pub stops: Option<StopUse>,
    /// The share of time in which all of a resource of several parts is in use, 0 to 1, by its row.
    pub exhausted: BTreeMap<usize, f64>,
    /// Stations whose services vary more than their arrivals, so that departures come in bursts.
    pub varying: Vec<VaryingService>,
    /// Messages that are cut into segments, if there are any.
    pub segments: Option<SegmentUse>,
    /// A considerable and avoidable part of a processor's work on a message, by the processor's row.
    pub parts_of_work: BTreeMap<usize, PartOfWork>,
    /// Pacing windows of constant size k, by their rows: as many as 2k - 1 may be outstanding.
    pub paced: BTreeMap<usize, u64>,
    /// How often switches scan waiting hosts, if they do so periodically.
    pub host_scan: Option<HostScan>,
    /// Outputs of a switch by which the same destinations can be reached on legal routes.
    pub alternatives: Vec<Alternatives>,
    /// The lanes of links and the classes that share them, if there are several classes.
    pub lanes: Option<LaneUse>,
    /// What a lane is called.
    pub lane_name: LaneName,
    /// How ports serve several classes, and which of these waits behind which.
    pub class_use: Option<ClassUse>,
    /// The law that bounds the rates or windows of senders, such as "DCQCN".
    pub law: Option<String>,
    /// When inputs of switches pause their senders, if the threshold follows the free buffer.
    pub shared_pauses: Option<SharedPauses>,
    /// The queue lengths from which switches mark frames, if they do.
    pub marking: Option<Marking>,
    /// Mean transmission time of a message on the link of its own host, microseconds, if switches store and forward.
    pub sent_once_us: Option<f64>,
    /// The longest frame, bits; 0 where messages are not sent in frames.
    pub frame_bits: f64,
    /// Whether frames of one message take several ways to its destination, so that they overtake one another.
    pub is_sprayed: bool,
    /// Whether an output always serves the input with the lowest number first: then the others may starve.
    pub is_fixed_order: bool,
    /// The starving hosts, if some hosts always have something to send.
    pub starving: Option<Starving>,
    /// Rounds that start at set times.
    pub rounds: Vec<RoundsUse>,
    /// The retransmission timeout of a sender, seconds, if it has one.
    pub timeout_s: Option<f64>,
    /// Messages given up after the allowed number of consecutive timeouts.
    pub given_up: Option<GivenUp>,
    /// The switch at which up*/down* routes concentrate.
    pub root: Option<Place>,
    /// Transfers that stall until an acknowledgment arrives.
    pub windows: Vec<WindowUse>,
    /// Sending hosts that have no row in the report.
    pub senders: Vec<SenderUse>,
    /// Waits of messages by the names of source and destination.
    pub pairs: Vec<PairUse>,
    /// The mean number of packets of the same message ahead of a packet, if all packets of a message come at once.
    pub packets_ahead: f64,
    /// The mean over frames of the number of frames in their message, if messages are sent in consecutive frames; else
    /// 0.
    pub frames_a_message: f64,
    /// Rounds in which many hosts send to one, if there are any.
    pub incasts: Vec<IncastUse>,
    /// Whether the traffic is a job of flows whose senders may wait for one another: it fills links without an excess
    /// of offered load.
    pub is_job: bool,
    /// Counts of routing loops, if the model looks for them.
    pub loops: Option<Loops>,
    /// Whether some sender always has another message to send: the network then determines its rate.
    pub always_sends: bool,
    /// Lines that are slower than parallel ones, where messages leave the lines in order.
    pub slow_beside: Vec<SlowBeside>,
    /// Nodes that keep windows small by reporting congestion.
    pub congested: Vec<CongestedNode>,
    /// Requests for buffers at a destination, of measured messages, if there are any.
    pub requests: Option<BufferRequests>,
    /// Waits of packets for processors, if there are slow ones.
    pub processor_waits: Option<ProcessorWaits>,
}

/// Starving hosts: nothing arrives from them although they always have something to send.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Starving {
    /// The hosts, by name.
    pub hosts: Vec<String>,
    /// The number of other hosts that always have something to send.
    pub served: usize,
}

/// A group of flows whose rounds start at set times.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RoundsUse {
    /// The group.
    pub group: String,
    /// Its number in the scenario, from 1.
    pub number: usize,
    /// The period of rounds, seconds.
    pub every_s: f64,
    /// Mean duration of a round, seconds.
    pub round_s: f64,
    /// The transmission time of a round's data on the host link that carries most of them, seconds.
    pub sent_s: f64,
}

/// Messages that were given up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GivenUp {
    /// The number of messages given up.
    pub count: u64,
    /// The number of messages that ended, delivered or given up.
    pub of: u64,
    /// The number of consecutive timeouts after which a message is given up.
    pub retries: u32,
}

/// A group of flows whose rounds send to one host each.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct IncastUse {
    /// The group.
    pub group: String,
    /// The row of the link into the receiver, if every round has the same receiver.
    pub row: Option<usize>,
    /// The number of hosts that send to one.
    pub senders: u64,
    /// Mean duration of a round, seconds.
    pub round_s: f64,
    /// The transmission time of a round's data on the receiver's link, seconds.
    pub sent_s: f64,
    /// This group's share of the excess time of all flows over the idle network, 0 to 1.
    pub share: f64,
}

/// A line that is slower than parallel ones. Messages are taken from them in the order of sending, so that all wait for
/// those on the slow line.
#[derive(Clone, Debug, PartialEq)]
pub struct SlowBeside {
    /// Its row, or that of the parallel lines together if they share one.
    pub row: usize,
    /// The line as named in a sentence.
    pub words: String,
    /// Its rate, bit/s.
    pub rate: f64,
    /// The rate of most of the lines, bit/s.
    pub usual: f64,
}

/// A node that reported congestion to senders, and so kept a window small.
#[derive(Clone, Debug, PartialEq)]
pub struct CongestedNode {
    /// Which.
    pub place: Place,
    /// The content from which it reports congestion.
    pub from: u64,
    /// The share of passing units that it marked, 0 to 1.
    pub share: f64,
    /// The row of the window.
    pub window: usize,
    /// The mean window, and its minimum and maximum.
    pub size: [f64; 3],
}

/// What a run counts of routing loops.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Loops {
    /// Loops that formed.
    pub formed: u64,
    /// Those of them that hold-down prolonged.
    pub prolonged: u64,
    /// How often a packet returned to a node that it had left.
    pub returns: u64,
}

/// Requests for buffers at a destination.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BufferRequests {
    /// The number of requests.
    pub sent: u64,
    /// The number sent while another one of the same sequence was outstanding.
    pub superfluous: u64,
}

/// How long a packet waits for a processor on average, milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ProcessorWaits {
    /// Mean wait at the slower kind of computer, ms.
    pub slow_ms: f64,
    /// Mean wait at the faster kind, ms, if packets passed any.
    pub fast_ms: Option<f64>,
}

/// A place by the names of its nodes: one, or the two that a link joins.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The place as named in a sentence.
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
    /// A failure.
    Fault,
    /// A reconfiguration: something failed or recovered, and the network stopped while its routes were recomputed.
    Reconfiguration,
    /// A host that accepted nothing.
    SilentHost,
    /// A processor that did work of higher priority.
    OtherWork,
}

/// Something that did not work for a while, once or several times.
#[derive(Clone, Debug, PartialEq)]
pub struct Interruption {
    /// Why.
    pub why: InterruptionWhy,
    /// Where.
    pub place: Place,
    /// The number of interruptions in the measured window.
    pub count: u64,
    /// When it first began, seconds of simulated time.
    pub first_s: f64,
    /// All interruptions together, seconds within the window.
    pub total_s: f64,
    /// The sum of the squares of their lengths, s^2: arrivals during an interruption wait for half of it on average.
    pub squares_s2: f64,
}

impl Interruption {
    /// No interruption yet, at a place.
    #[must_use]
    pub const fn of(why: InterruptionWhy, place: Place) -> Self {
        Self { why, place, count: 0, first_s: f64::INFINITY, total_s: 0.0, squares_s2: 0.0 }
    }

    /// Adds an interruption from one time to another, seconds; only its part within the window counts.
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

/// A failure.
#[derive(Clone, Debug, PartialEq)]
pub struct Failure {
    /// What.
    pub place: Place,
    /// When, seconds of simulated time.
    pub from_s: f64,
    /// When it recovered, seconds; nothing if it never did.
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
    /// A queue was full, and it is not retransmitted.
    Dropped,
    /// A queue was full and took its header only.
    Trimmed,
    /// No buffer was free.
    NoBuffers,
    /// It arrived out of order, and was rejected.
    OutOfOrder,
    /// It was a duplicate.
    Twice,
    /// It was inside a failed part.
    Fault,
    /// Its output link was down.
    LinkDown,
    /// No route led to its destination.
    NoRoute,
    /// Its time to live had expired under tables with a forwarding loop.
    Looping,
    /// Its time to live had expired on a path that leads to its destination.
    Expired,
    /// A station gave up after too many collisions.
    Collisions,
}

impl LossWhy {
    /// Whether what is lost for this reason is never retransmitted.
    #[must_use]
    pub const fn is_for_good(self) -> bool {
        match self {
            Self::Fault | Self::LinkDown | Self::NoRoute | Self::Looping | Self::Expired | Self::Dropped => {
                true
            }
            Self::LineErrors
            | Self::Radio
            | Self::FullQueue
            | Self::Trimmed
            | Self::NoBuffers
            | Self::OutOfOrder
            | Self::Twice
            | Self::Collisions => false,
        }
    }

    /// Whether a queue was full, and it is retransmitted.
    #[must_use]
    pub const fn is_of_full_queue(self) -> bool {
        matches!(self, Self::FullQueue | Self::Trimmed)
    }

    /// Whether it reached its receiver, in vain.
    #[must_use]
    pub const fn is_in_vain(self) -> bool {
        matches!(self, Self::OutOfOrder | Self::Twice)
    }

    /// The reason as a clause after a count of packets.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Twice => "arrived twice",
            Self::LineErrors => "lost to line errors",
            Self::Radio => "lost by radio",
            Self::FullQueue => "dropped by a full queue",
            Self::Dropped => "dropped by a full queue",
            Self::Trimmed => "trimmed by a full queue",
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
    /// The number lost in the measured window.
    pub count: u64,
    /// The number that arrived there; 0 if the model does not count them.
    pub of: u64,
    /// The delay that each loss costs, seconds; 0 if the ledger counts it as a wait for retransmission.
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

/// A service time with its usual value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UsualService {
    /// The stage of the ledger.
    pub stage: StageId,
    /// The service time here, microseconds.
    pub us: f64,
    /// The default service time, microseconds.
    pub usual_us: f64,
}

/// Messages between two hosts.
#[derive(Clone, Debug, PartialEq)]
pub struct PairUse {
    /// Source and destination, such as "h1 -> h0"; in large networks the destination alone.
    pub who: String,
    /// The number of measured messages.
    pub messages: u64,
    /// Mean lifetime, microseconds.
    pub life_us: f64,
    /// Mean wait within the lifetime, microseconds.
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

/// How often a switch scans its waiting hosts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HostScan {
    /// The period of the scan, seconds.
    pub every_s: f64,
    /// The usual period, seconds.
    pub usual_s: f64,
}

/// A sending host.
#[derive(Clone, Debug, PartialEq)]
pub struct SenderUse {
    /// Which.
    pub place: Place,
    /// The share of time in which it processes messages or transmits them, 0 to 1.
    pub utilisation: f64,
}

/// Why packets to one destination do not share all outputs that lead there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Choice {
    /// A hash of each flow picks one (ECMP).
    Hashed,
    /// All packets to one destination take the same output.
    Single,
}

/// Outputs of a switch by which the same destinations can be reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alternatives {
    /// The rows of the outputs.
    pub rows: Vec<usize>,
    /// How an output is picked.
    pub choice: Choice,
}

/// The queue lengths at which switches mark frames.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Marking {
    /// The queue from which frames may be marked, bytes.
    pub from: f64,
    /// The queue above which all frames are marked, bytes.
    pub all: f64,
    /// The longest frame, bytes.
    pub frame: f64,
    /// The share of frames that were marked, 0 to 1.
    pub marked: f64,
}

/// Transfers under a window.
#[derive(Clone, Debug, PartialEq)]
pub struct WindowUse {
    /// Source and destination.
    pub place: Place,
    /// Packets that may be unacknowledged.
    pub window: u64,
    /// The mean time of a transfer, seconds.
    pub transfer_s: f64,
    /// Its transmission time on its own link, seconds.
    pub sending_s: f64,
}

impl WindowUse {
    /// The share of a transfer in which it stalls on a full window, 0 to 1.
    #[must_use]
    pub fn standing(&self) -> f64 {
        if self.transfer_s > 0.0 { (1.0 - self.sending_s / self.transfer_s).max(0.0) } else { 0.0 }
    }
}

/// The reason of loss when none of a resource is free.
impl From<ResourceKind> for LossWhy {
    fn from(kind: ResourceKind) -> Self {
        match kind {
            ResourceKind::AcknowledgmentChannels | ResourceKind::OutputQueue => Self::FullQueue,
            _ => Self::NoBuffers,
        }
    }
}
