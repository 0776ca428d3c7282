//! Every parameter of the machine with its unit, default and source. The defaults are AN1's.

use hopscope_fabric::{Arbiter, FabricParams, Fault, NANOBITS};
use hopscope_measure::Problem;
use hopscope_units::{Data, Span, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::discipline::Discipline;
use crate::reconfiguration::ReconfigurationParams;

/// The switches.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SwitchParams {
    /// When a packet may leave the switch.
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "cut-through switches", "to": "cut-through", "cause": "slow service", "cost": "new switches"},
    ])))]
    pub switching: Switching,
    /// The routing decision: from a packet's first byte at the head of its FIFO to its request for an output. AN1's
    /// router made 2 million decisions per second.
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "routing decisions {factor} as fast", "divide": 2.0, "cause": "slow service", "cost": "switches that decide {factor} as fast"},
    ])))]
    pub decision: Span,
    /// The crossbar set-up: from the grant of an output to the first byte on it. The packet holds the output from the
    /// grant on. Decision and set-up are AN1's 2 us per switch.
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "crossbar set-up {factor} as fast", "divide": 2.0, "cause": "slow service", "cost": "crossbars {factor} as fast"},
    ])))]
    pub setup: Span,
    /// The input buffer of each port, or of each virtual channel if the routes use several.
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "FIFOs {factor} as large", "multiply": 2.0, "also": [{"path": "switch.stop_above", "multiply": 2.0}, {"path": "switch.urgent_above", "multiply": 2.0}], "cause": "blocking", "cost": "{factor} the memory per input"},
        {"words": "unbounded FIFOs", "to": "unbounded", "cause": "blocking", "cost": "memory without bound"},
    ])))]
    pub fifo: Fifo,
    /// Above this level a FIFO stops its sender; below it the sender may start again. Half of AN1's 4 KB (SRC 88,
    /// section 2.1).
    pub stop_above: Data,
    /// Where a stop takes effect.
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "stops at the ends of packets", "to": "packet-boundary", "cause": "blocking", "cost": "room for a packet per input"},
    ])))]
    pub back_pressure: BackPressure,
    /// With back-pressure on packet boundaries: above this level a FIFO stops its sender in mid packet. 3 KB of AN1's 4
    /// KB, so that only packets of more than 1 KB are interrupted.
    pub urgent_above: Data,
    /// When a stop or start directive may be sent.
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "stops and starts sent at once", "to": "immediate", "cause": "blocking", "relieves": ["window"], "cost": "a control channel of its own"},
    ])))]
    pub directive: Timing,
    /// Where packets wait, and which is served next.
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "any packet of a buffer may leave", "to": "random-access", "cause": "blocking", "sort": "switch", "cost": "random-access input buffers"},
        {"words": "queues at the outputs", "to": "output", "also": [{"path": "switch.fifo", "to": "unbounded"}], "cause": "blocking", "sort": "switch", "cost": "a crossbar that takes all inputs at once"},
    ])))]
    pub discipline: Discipline,
    /// Which of several inputs that ask for an output is served first.
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "the oldest request served first", "to": "oldest", "cause": "resource", "speeds": ["Arbiter"], "cost": "another arbiter"},
    ])))]
    pub arbiter: Arbiter,
    /// Whether a packet for several hosts that has begun obeys a stop. In AN1 it does not (Schroeder et al. 1991).
    #[serde(skip_serializing_if = "MulticastStop::is_ignored")]
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "packets for several hosts that ignore a stop once they have begun", "to": "ignored", "cause": "circular wait", "cost": "room for the rest of such a packet per input"},
    ])))]
    pub multicast_stop: MulticastStop,
    /// Time to live: how many switches a packet may pass before it is dropped, as in IP. By default any number, as in
    /// AN1. With a time to live, forwarding tables may contain loops.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "a time to live {factor} as long", "multiply": 4.0, "cause": "loss", "cost": "packets that stay longer in a loop of the tables"},
    ])))]
    pub ttl: Option<u8>,
}

/// Where a stop takes effect.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum BackPressure {
    /// At once, in mid packet, as in AN1.
    #[default]
    MidPacket,
    /// After the packet in transmission, unless the FIFO has no room for the rest of it (SRC 88, section 3.5: "stop
    /// when ready" and "urgent stop").
    PacketBoundary,
}

/// What a stop does to a packet for several hosts, which is sent on several outputs at the same time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MulticastStop {
    /// Nothing, once the packet has begun: AN1. Then up*/down* routes cannot deadlock, and a FIFO must have room above
    /// `stop_above` for a whole packet.
    #[default]
    Ignored,
    /// It stops the packet on all outputs until all may send again. Such packets and others can then wait for each
    /// other in a cycle, in spite of up*/down* routes.
    Obeyed,
}

impl MulticastStop {
    fn is_ignored(&self) -> bool {
        *self == Self::Ignored
    }
}

/// When a stop or start directive may be sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Timing {
    /// At once.
    #[default]
    Immediate,
    /// Once in this number of slots, counted from time zero; a slot is the transmission time of one byte. 256 in AN1
    /// (Schroeder et al. 1991).
    #[serde(rename = "every_slots")]
    EverySlots(u32),
    /// Once per period of this length, counted from time zero.
    Every(Span),
}

impl Timing {
    /// The time between directives on a link of this rate, kbit/s; zero if they need not wait.
    pub(crate) fn period(self, rate: u64) -> Span {
        match self {
            Self::Immediate => Span::ZERO,
            Self::EverySlots(slots) => Span::from_ps((u64::from(slots) * 8 * NANOBITS).div_ceil(rate)),
            Self::Every(period) => period,
        }
    }

    /// The first instant for a directive at or after this one.
    #[inline]
    pub(crate) fn not_before(self, at: Time, rate: u64) -> Time {
        match self.period(rate).ps() {
            0 => at,
            period => Time::from_ps(at.ps().next_multiple_of(period)),
        }
    }
}

/// When a packet may leave a switch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Switching {
    /// As soon as the routing decision is made and an output is free (SRC 88, section 3.3). If the output is faster
    /// than the input, only when the packet has arrived completely, because the output would underrun.
    #[default]
    CutThrough,
    /// When it has arrived completely.
    StoreAndForward,
    /// At once if an output is idle when the decision is made; otherwise only when it has arrived completely (Kermani
    /// and Kleinrock 1979; see SRC 88, section 3.3).
    VirtualCutThrough,
}

/// The size of a FIFO.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Fifo {
    /// A FIFO of this size.
    Bytes(Data),
    /// No limit, so no back-pressure, as in SRC 88, Tables 2 and 3 and Fig. 6.
    Unbounded,
}

/// All parameters of the machine.
#[derive(Clone, Debug, Default)]
pub struct An1Params {
    /// Routes and links.
    pub fabric: FabricParams,
    /// The switches.
    pub switch: SwitchParams,
    /// Failures and recoveries of links and switches.
    pub faults: Vec<Fault>,
    /// How fast switches reconfigure the network.
    pub reconfiguration: ReconfigurationParams,
}

impl Default for SwitchParams {
    fn default() -> Self {
        Self {
            switching: Switching::CutThrough,
            decision: Span::from_ns(480),
            setup: Span::from_ns(1520),
            fifo: Fifo::Bytes(Data::from_bytes(4096)),
            stop_above: Data::from_bytes(2048),
            back_pressure: BackPressure::MidPacket,
            urgent_above: Data::from_bytes(3072),
            directive: Timing::Immediate,
            discipline: Discipline::InputFifo,
            arbiter: Arbiter::Oldest,
            multicast_stop: MulticastStop::Ignored,
            ttl: None,
        }
    }
}

/// The longest decision or set-up.
const LONGEST_SERVICE: Span = Span::from_s(1);
/// The most slots between directives.
const MOST_SLOTS: u32 = 1 << 20;
/// The largest FIFO that the model counts exactly.
pub(crate) const LARGEST_FIFO: Data = Data::from_bytes(1 << 30);

impl An1Params {
    /// The problems of the parameters that do not depend on the network.
    #[must_use]
    pub fn problems(&self) -> Vec<Problem> {
        let mut problems = self.fabric.problems();
        for (path, span) in [("switch.decision", self.switch.decision), ("switch.setup", self.switch.setup)] {
            if span > LONGEST_SERVICE {
                problems.push(Problem::new(
                    path,
                    format!("time {span} is out of range"),
                    format!("at most {LONGEST_SERVICE}"),
                ));
            }
        }
        if self.switch.ttl == Some(0) {
            let problem = "a time to live of 0 lets no packet pass a switch";
            problems.push(Problem::new("switch.ttl", problem, "from 1 to 255, or no ttl"));
        }
        if let Fifo::Bytes(size) = self.switch.fifo {
            self.fifo_problems(size, &mut problems);
        }
        problems.extend(self.switch.discipline.problem(&self.switch));
        problems.extend(self.reconfiguration.problems());
        problems
    }

    fn fifo_problems(&self, size: Data, problems: &mut Vec<Problem>) {
        if size.bits() == 0 || size > LARGEST_FIFO {
            let expected = format!("from 1 byte to {LARGEST_FIFO}, or \"unbounded\"");
            problems.push(Problem::new(
                "switch.fifo.bytes",
                format!("FIFO size {size} is out of range"),
                expected,
            ));
        } else if self.switch.stop_above >= size {
            let problem =
                format!("stop threshold {} is not below the FIFO size {size}", self.switch.stop_above);
            problems.push(Problem::new("switch.stop_above", problem, "less than the FIFO holds"));
        } else if self.switch.stop_above.bits() == 0 {
            let problem = "stop threshold 0: the FIFO would never tell its sender to start again";
            problems.push(Problem::new("switch.stop_above", problem, "at least 1 byte"));
        } else if self.switch.back_pressure == BackPressure::PacketBoundary {
            let SwitchParams { stop_above, urgent_above, .. } = self.switch;
            if urgent_above < stop_above || urgent_above >= size {
                let problem = format!("urgent threshold {urgent_above} is out of range");
                let expected = format!("from stop_above ({stop_above}) to below the FIFO size ({size})");
                problems.push(Problem::new("switch.urgent_above", problem, expected));
            }
        }
        let refused = match self.switch.directive {
            Timing::Immediate => None,
            Timing::EverySlots(slots) => (slots == 0 || slots > MOST_SLOTS).then(|| {
                ("switch.directive.every_slots", format!("directive period {slots} slots is out of range"))
            }),
            Timing::Every(period) => (period == Span::ZERO || period > LONGEST_SERVICE)
                .then(|| ("switch.directive.every", format!("directive period {period} is out of range"))),
        };
        if let Some((path, problem)) = refused {
            let expected =
                format!("from 1 to {MOST_SLOTS} slots, a time up to {LONGEST_SERVICE}, or \"immediate\"");
            problems.push(Problem::new(path, problem, expected));
        }
    }
}
