//! Every parameter of the frame machine with its unit, default and source.

use hopscope_fabric::{Arbiter, FabricParams, Fault};
use hopscope_topology::{LinkId, Network};
use hopscope_units::{Data, Rate, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::balancing::Balancing;
use crate::rate_params::{RateControlParams, RecoveryParams};

/// All parameters of the machine.
#[derive(Clone, Debug, Default)]
pub struct LosslessParams {
    /// Routes and links.
    pub fabric: FabricParams,
    /// Frames, switches and hosts.
    pub frames: FrameParams,
    /// The fault plan.
    pub faults: Vec<Fault>,
}

/// A fabric of frames: RoCE or InfiniBand.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct FrameParams {
    /// The largest frame; longer messages are sent in several. The default is the largest MTU of InfiniBand and RoCE.
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "frames {share} as long", "divide": 2.0, "cause": "slow service", "cost": "more headers"},
    ])))]
    pub mtu: Data,
    /// The delay in a switch from a frame's last byte (with cut-through from its first) until the frame is in its
    /// output queue. An assumption; published figures of current switches are 0.1 to 1 us.
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "switch pipelines {factor} as fast", "divide": 2.0, "cause": "slow service", "cost": "switches {factor} as fast"},
    ])))]
    pub latency: Span,
    /// Whether a switch receives a frame whole before it sends it on.
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "cut-through", "to": "cut-through", "cause": "slow service", "cost": "switches that cut through"},
    ])))]
    pub forwarding: Forwarding,
    /// Which priority, or group of virtual lanes, a port serves next.
    pub scheduling: Scheduling,
    /// The flow control of links.
    pub flow_control: FlowControl,
    /// The shared buffer of each switch, with PFC.
    pub buffer: BufferParams,
    /// ECN: when a switch marks frames. By default it never does.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "ECN marks with DCQCN", "to": {}, "absent": {}, "also": [{"path": "frames.dcqcn", "to": {}}], "cause": "blocking", "cost": "adapters with congestion control"},
    ])))]
    pub ecn: Option<EcnParams>,
    /// DCQCN: how hosts reduce their rate when frames are marked. By default they do not.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "no DCQCN", "without": true, "cause": "rate control", "cost": "more pauses"},
    ])))]
    pub dcqcn: Option<DcqcnParams>,
    /// Other laws of rates and windows, instead of DCQCN: `dctcp`, `timely`, `hpcc`, `swift`, `nscc` or `pull`. By
    /// default none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate_control: Option<RateControlParams>,
    /// How what is lost is sent again. By default nothing is, and a message of which a frame is lost is given up.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recovery: Option<RecoveryParams>,
    /// Load balancing: which of several next hops a frame takes.
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "packet spraying", "to": "spray", "cause": "path collision", "cost": "frames out of order"},
        {"words": "adaptive routing", "to": "adaptive", "cause": "path collision", "cost": "frames out of order, switches that compare queues"},
        {"words": "round-robin packet spraying", "to": "round-robin-spray", "cause": "path collision", "cost": "frames out of order"},
    ])))]
    pub balancing: Balancing,
    /// Which frame an output of a switch serves next: with credits, of those at the heads of input lanes that wait for
    /// it; with queues at the outputs, which of those that come at one instant gets into its queue first.
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "outputs that serve the frame that has waited longest", "to": "oldest", "cause": "resource", "speeds": ["Arbiter"], "cost": "arbiters that compare ages"},
        {"words": "outputs that serve their inputs in turn", "to": "round-robin", "cause": "resource", "speeds": ["Arbiter"], "cost": "none"},
    ])))]
    pub arbiter: Arbiter,
    /// Time to live: how many switches a frame may pass before it is dropped, as in IP. By default any number. With a
    /// time to live, forwarding tables may contain loops.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "a time to live {factor} as long", "multiply": 4.0, "cause": "loss", "cost": "frames that stay longer in a loop of the tables"},
    ])))]
    pub ttl: Option<u8>,
    /// With `faults`: the time from a fault until all switches have the tables that follow from it, and until a link
    /// that has come back carries frames again. Until then frames for a link that is down are discarded. An assumption:
    /// subnet managers and routing protocols take from milliseconds to seconds.
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "rerouting in {share} of the time", "divide": 10.0, "cause": "interruption", "relieves": ["loss"], "cost": "a faster subnet manager or routing protocol"},
    ])))]
    pub reroute: Span,
    /// Forwarding tables of files that replace those before, each at its instant. With them, as with `routing.tables`,
    /// none are computed after a fault.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub new_tables: Vec<NewTables>,
    /// The instants, from the start of the run, at which the counters of all ports are read, for `run --counters`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub counters_at: Vec<Span>,
    /// Whether to measure how soon rates are fair after flows begin or end, and to draw rates, queues and the use of
    /// links over time. It needs `[[flows]]`, and changes none of the other results. By default not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub convergence: Option<ConvergenceParams>,
    /// Hosts that take what arrives more slowly than their links bring it, as one whose memory or bus is the
    /// bottleneck. By default hosts take everything at once.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub slow_hosts: Vec<SlowHost>,
    /// Links that send some frames several times, as a bad cable under link-level retransmission. By default none does.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub retrying_links: Vec<RetryingLink>,
}

/// What counts as converged: in intervals one behind the other, the rate of every flow under way is near its max-min
/// fair share of the links.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ConvergenceParams {
    /// How far a rate may be from the fair share, as a share of it: 0.1 by default, above 0 and below 1.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub within: f64,
    /// The interval over which a rate is taken: 100 us by default, 1 us to 1 s. It must hold many frames of each flow:
    /// a frame more or less moves the rate.
    pub interval: Span,
    /// How long all rates must stay there: 1 ms by default, at least `interval`, at most 1 s.
    pub lasts: Span,
}

impl Default for ConvergenceParams {
    fn default() -> Self {
        Self { within: 0.1, interval: Span::from_us(100), lasts: Span::from_ms(1) }
    }
}

/// Whether a switch receives a frame whole before it sends it on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Forwarding {
    /// Store and forward: it does.
    #[default]
    StoreAndForward,
    /// Cut-through: it sends a frame on as its first bytes come, except by a link that is faster than the one by which
    /// it comes: that frame it receives whole.
    CutThrough,
}

/// Which priority, or group of virtual lanes, a port serves next. Classes of messages map to them in turn, the first
/// class to the first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Scheduling {
    /// All in turn, frame by frame.
    #[default]
    RoundRobin,
    /// Strict priorities: the first in which a frame may go.
    Strict,
    /// In proportion to these weights, 1 to 1000, one for each: deficit round robin (Shreedhar and Varghese 1996), by
    /// bytes, with a quantum of one `mtu` a unit of weight.
    Weighted(Vec<u16>),
}

/// Forwarding tables that hold from an instant on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NewTables {
    /// When all switches have them, from the start of the run.
    pub at: Span,
    /// Their file, as OpenSM and `hopscope routes` write it. The path is relative to the scenario's folder.
    pub tables: String,
}

/// A host that takes what arrives at a rate of its own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SlowHost {
    /// The host.
    pub host: String,
    /// The rate at which it takes data out of its receive buffer, which is as large as that of a switch port:
    /// `buffer_per_lane` of credits, or `xoff` of pause frames. From 1 Mbit/s.
    pub drain: Rate,
}

/// A link whose frames are damaged at random and sent again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RetryingLink {
    /// The two nodes that it joins: all links between them.
    pub between: [String; 2],
    /// The share of transmissions that fail, in both directions, from 0 to 0.99.
    pub failing: f64,
}

impl RetryingLink {
    /// Whether this is one of these links.
    #[must_use]
    pub fn is(&self, network: &Network, link: LinkId) -> bool {
        let ends = network.link(link).ends.map(|end| Some(end.node));
        let [a, b] = self.between.each_ref().map(|name| network.node(name));
        ends == [a, b] || ends == [b, a]
    }
}

/// The flow control of links.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FlowControl {
    /// PFC, pause frames by priority (IEEE 802.1Qbb): RoCE. Frames wait at the outputs in a buffer shared by the whole
    /// switch, which counts the bytes of each input and priority.
    Pfc(PfcParams),
    /// Credits by virtual lane: InfiniBand. Frames wait in input FIFOs, one per lane, and a sender transmits only with
    /// credit: room in the next buffer.
    Credits(CreditParams),
    /// None, as in IP networks: a frame that finds its output queue or the switch's buffer full is discarded. Frames
    /// wait at the outputs in a buffer shared by the whole switch.
    TailDrop(DropParams),
}

impl FlowControl {
    /// Whether switches trim frames for which they have no room.
    pub(crate) fn trims(&self) -> bool {
        matches!(self, Self::TailDrop(drop) if drop.trimming)
    }
}

/// Switches that discard.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct DropParams {
    /// What the queue of an output and priority may hold. By default what the switch's buffer has room for; `buffer`
    /// with `alpha` bounds it by what is free.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "queues {factor} as long", "multiply": 4.0, "cause": "loss", "stores": true, "cost": "longer delays in congestion"},
        {"words": "queues {factor} as long", "multiply": 16.0, "cause": "loss", "stores": true, "larger": true, "cost": "longer delays in congestion"},
    ])))]
    pub queue: Option<Data>,
    /// Packet trimming: instead of the frame its payload is discarded, and its header of 64 bytes goes on ahead of
    /// the frames, so that its receiver learns of the loss (Handley et al. 2017). Headers take ten elevenths of a link
    /// at most while frames wait. It needs `recovery`.
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "packet trimming", "to": true, "cause": "loss", "cost": "switches that trim"},
    ])))]
    pub trimming: bool,
    /// Priorities in use, 1 to 8. Classes of messages map to them in turn; each has its own queues.
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "{amount}", "more": 1, "noun": "priority", "cause": "lanes", "cost": "{amount}, buffer for each"},
    ])))]
    #[schemars(range(min = 1, max = 8))]
    pub priorities: u8,
}

/// PFC pause frames (IEEE 802.1Qbb).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct PfcParams {
    /// An input whose frames of one priority occupy more than this pauses its sender. The default is what Zhu et al.
    /// (2015), section 4, compute for a switch of 12 MB and 32 ports.
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "PFC thresholds {factor} as high", "multiply": 2.0, "cause": "blocking", "stores": true, "relieves": ["window"], "cost": "{factor} the buffer per input"},
    ])))]
    pub xoff: Data,
    /// The sender resumes when they occupy no more than this. Default: `xoff` less two frames (Zhu et al. 2015, section
    /// 4).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub xon: Option<Data>,
    /// The buffer reserved per input and priority for data that arrive after a pause frame was sent. Default: the size
    /// that the cable needs.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "PFC headroom {factor} as large", "multiply": 2.0, "cause": "loss", "cost": "{factor} the headroom per input"},
    ])))]
    pub headroom: Option<Data>,
    /// Priorities in use, 1 to 8. Classes of messages map to them in turn; each has its own queues.
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "{amount}", "more": 1, "noun": "priority", "cause": "lanes", "cost": "{amount}, buffer for each"},
    ])))]
    #[schemars(range(min = 1, max = 8))]
    pub priorities: u8,
}

/// The shared buffer of a switch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct BufferParams {
    /// The size of the buffer: 12 MB in Zhu et al. (2015), section 4.
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "switch buffers {factor} as large", "multiply": 2.0, "cause": "blocking", "stores": true, "cost": "{factor} the memory per switch"},
    ])))]
    pub size: Data,
    /// Dynamic threshold: an input pauses its sender above this multiple of the free buffer instead of above `xoff`
    /// (Choudhury and Hahne 1998), and resumes as far below as `xon` is below `xoff`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "dynamic thresholds of the buffer", "to": 1.0, "absent": 0.0, "cause": "blocking", "stores": true, "relieves": ["window"], "cost": "none"},
        {"words": "dynamic thresholds of the buffer at alpha 1", "to": 1.0, "cause": "blocking", "stores": true, "cost": "none"},
        {"words": "dynamic thresholds of the buffer {factor} as high", "multiply": 4.0, "cause": "blocking", "stores": true, "cost": "none"},
    ])))]
    pub alpha: Option<f64>,
}

/// Credit-based flow control.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct CreditParams {
    /// Virtual lanes for data, 1 to 15 (InfiniBand has 16, one of them for management). Classes of messages map to them
    /// in turn; each class uses as many lanes as its routes need to avoid deadlock.
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "{factor} the virtual lanes", "multiply": 2.0, "cause": "lanes", "cost": "{factor} the buffers per port"},
        {"words": "dimension-order routes on 2 virtual lanes", "to": 2, "also": [{"path": "routing.rule", "to": "dimension-order"}], "drops": ["routing.root", "routing.roots", "routing.tables"], "cause": "route concentration", "cost": "virtual lanes"},
    ])))]
    #[schemars(range(min = 1, max = 15))]
    pub lanes: u8,
    /// The input buffer of each lane of each port. An assumption: more than the data in flight on 100 m at 100 Gbit/s.
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "buffers of lanes {factor} as large", "multiply": 2.0, "cause": "blocking", "stores": true, "relieves": ["window"], "cost": "{factor} the memory per port"},
    ])))]
    pub buffer_per_lane: Data,
}

/// ECN marking (RED on the instantaneous queue).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct EcnParams {
    /// Up to this queue length no frame is marked: 5 KB in Zhu et al. (2015), section 5.2.
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "ECN marking from {share} the queue", "divide": 4.0, "cause": "rate control", "relieves": ["window"], "cost": "rates cut earlier"},
        {"words": "ECN marking from {factor} the queue", "multiply": 4.0, "also": [{"path": "frames.ecn.kmax", "multiply": 4.0}], "cause": "rate control", "relieves": ["window"], "cost": "longer queues"},
        {"words": "ECN marking from 5 KB to 200 KB", "to": "5000 B", "also": [{"path": "frames.ecn.kmax", "to": "200000 B"}, {"path": "frames.ecn.pmax", "to": 0.01}], "cause": "rate control", "relieves": ["window"], "cost": "longer queues"},
    ])))]
    pub kmin: Data,
    /// Above this queue length every frame is marked: 200 KB in Zhu et al. (2015), section 5.2.
    pub kmax: Data,
    /// The share of frames marked just below `kmax`; it rises linearly from 0 at `kmin`. 1 % in Zhu et al. (2015),
    /// section 5.2.
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "ECN marking {factor} as likely", "multiply": 10.0, "cause": "rate control", "cost": "rates cut earlier"},
    ])))]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub pmax: f64,
}

/// DCQCN (Zhu et al. 2015, sections 3 and 5.2).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct DcqcnParams {
    /// The minimum time between two CNPs of a receiver for the same flow: 50 us.
    pub cnp_interval: Span,
    /// The gain of the congestion estimate: 1/256.
    pub gain: f64,
    /// The time without a CNP after which the congestion estimate decays: 55 us.
    pub alpha_timer: Span,
    /// The period of the timer that raises the rate: 55 us.
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "DCQCN timers {factor} as fast", "divide": 2.0, "cause": "rate control", "cost": "less stable rates"},
    ])))]
    pub rate_timer: Span,
    /// The amount of data sent after which the rate rises: 10 MB.
    pub byte_counter: Data,
    /// Steps of fast recovery, each halfway back to the previous rate, before any increase: 5.
    pub fast_recovery: u32,
    /// The step of additive increase: 40 Mbit/s.
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "DCQCN steps {factor} as large", "multiply": 4.0, "also": [{"path": "frames.dcqcn.hyper", "multiply": 4.0}], "cause": "rate control", "cost": "less stable rates"},
    ])))]
    pub additive: Rate,
    /// The step of hyper increase. The paper gives no value; the default is ten additive steps, the ratio of QCN.
    pub hyper: Rate,
    /// The minimum rate of a flow. The paper gives no value; the default is one additive step.
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "{factor} DCQCN's least rate", "multiply": 10.0, "cause": "rate control", "cost": "less relief in congestion"},
    ])))]
    pub least: Rate,
}

impl FrameParams {
    /// The name of the law that limits the rates or windows of senders.
    pub(crate) fn law(&self) -> Option<&str> {
        let other = self.rate_control.as_ref().map(RateControlParams::law);
        other.or_else(|| self.dcqcn.is_some().then_some("DCQCN"))
    }
}

impl Default for FrameParams {
    fn default() -> Self {
        Self {
            mtu: Data::from_bytes(4096),
            latency: Span::from_ns(500),
            forwarding: Forwarding::default(),
            scheduling: Scheduling::default(),
            flow_control: FlowControl::Pfc(PfcParams::default()),
            buffer: BufferParams::default(),
            ecn: None,
            dcqcn: None,
            rate_control: None,
            recovery: None,
            balancing: Balancing::default(),
            arbiter: Arbiter::default(),
            ttl: None,
            reroute: Span::from_ms(10),
            new_tables: Vec::new(),
            counters_at: Vec::new(),
            slow_hosts: Vec::new(),
            retrying_links: Vec::new(),
            convergence: None,
        }
    }
}

impl Default for PfcParams {
    fn default() -> Self {
        Self { xoff: Data::from_bytes(24_470), xon: None, headroom: None, priorities: 1 }
    }
}

impl Default for BufferParams {
    fn default() -> Self {
        Self { size: Data::from_bytes(12_000_000), alpha: None }
    }
}

impl Default for CreditParams {
    fn default() -> Self {
        Self { lanes: 1, buffer_per_lane: Data::from_bytes(32_768) }
    }
}

impl Default for DropParams {
    fn default() -> Self {
        Self { queue: None, trimming: false, priorities: 1 }
    }
}

impl Default for EcnParams {
    fn default() -> Self {
        Self { kmin: Data::from_bytes(5_000), kmax: Data::from_bytes(200_000), pmax: 0.01 }
    }
}

impl Default for DcqcnParams {
    fn default() -> Self {
        Self {
            cnp_interval: Span::from_us(50),
            gain: 1.0 / 256.0,
            alpha_timer: Span::from_us(55),
            rate_timer: Span::from_us(55),
            byte_counter: Data::from_bytes(10_000_000),
            fast_recovery: 5,
            additive: Rate::from_mbit_s(40),
            hyper: Rate::from_mbit_s(400),
            least: Rate::from_mbit_s(40),
        }
    }
}

impl PfcParams {
    /// The level at which to resume, as given or by default.
    pub(crate) fn xon(&self, mtu: Data) -> Option<Data> {
        let below = self.xoff.bits().checked_sub(mtu.bits().saturating_mul(2)).map(Data::from_bits);
        self.xon.or(below)
    }
}
