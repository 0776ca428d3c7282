//! Every parameter of the machine with its unit, default and source. The defaults are AN1's.

use hopscope_fabric::{FabricParams, Fault, NANOBITS};
use hopscope_measure::Problem;
use hopscope_units::{Data, Span, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::discipline::Discipline;
use crate::reconfiguration::ReconfigurationParams;

/// A switch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SwitchParams {
    /// When a packet may leave again.
    #[schemars(extend("what-if" = [
        {"words": "cut-through switches", "to": "cut-through", "cause": "slow service", "cost": "new switches"},
    ]))]
    pub switching: Switching,
    /// The routing decision: from a packet's first byte at the head of its FIFO to its request for an output. AN1's
    /// router decided 2 million packets a second.
    #[schemars(extend("what-if" = [
        {"words": "routing decisions {factor} as fast", "divide": 2.0, "cause": "slow service", "cost": "switches that decide {factor} as fast"},
    ]))]
    pub decision: Span,
    /// From the grant of an output, which is held from then on, to the first byte on it. With the decision it makes
    /// AN1's 2 us a switch.
    #[schemars(extend("what-if" = [
        {"words": "crossbar set-up {factor} as fast", "divide": 2.0, "cause": "slow service", "cost": "crossbars {factor} as fast"},
    ]))]
    pub setup: Span,
    /// The input buffer of each port, or of each virtual channel of a port where the routes have several.
    #[schemars(extend("what-if" = [
        {"words": "FIFOs {factor} as large", "multiply": 2.0, "also": [{"path": "switch.stop_above", "multiply": 2.0}, {"path": "switch.urgent_above", "multiply": 2.0}], "cause": "blocking", "cost": "{factor} the memory per input"},
        {"words": "unbounded FIFOs", "to": "unbounded", "cause": "blocking", "cost": "memory without bound"},
    ]))]
    pub fifo: Fifo,
    /// A FIFO that holds more than this tells its sender to stop, one that holds less to start: half of AN1's 4 KB
    /// (section 2.1).
    pub stop_above: Data,
    /// Where that stop takes effect.
    #[schemars(extend("what-if" = [
        {"words": "stops at the ends of packets", "to": "packet-boundary", "cause": "blocking", "cost": "room for a packet per input"},
    ]))]
    pub back_pressure: BackPressure,
    /// With back-pressure on packet boundaries: a FIFO that holds more than this stops its sender in mid packet after
    /// all. 3 KB of AN1's 4 KB, so that only packets of over 1 KB are cut where all stand still.
    pub urgent_above: Data,
    /// When a directive to stop or start may leave.
    #[schemars(extend("what-if" = [
        {"words": "stops and starts sent at once", "to": "immediate", "cause": "blocking", "cost": "a control channel of its own"},
    ]))]
    pub directive: Timing,
    /// Where packets wait, and who goes next.
    #[schemars(extend("what-if" = [
        {"words": "any packet of a buffer may leave", "to": "random-access", "cause": "blocking", "cost": "random-access input buffers"},
        {"words": "queues at the outputs", "to": "output", "also": [{"path": "switch.fifo", "to": "unbounded"}], "cause": "blocking", "cost": "a crossbar that takes all inputs at once"},
    ]))]
    pub discipline: Discipline,
}

/// Where a stop takes effect.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum BackPressure {
    /// At once, in mid packet: AN1.
    #[default]
    MidPacket,
    /// When the packet that has been granted the link has left, unless it is longer than the FIFO has room for (section
    /// 3.5: "stop when ready" and "urgent stop").
    PacketBoundary,
}

/// When a directive to stop or start may leave.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Timing {
    /// At once.
    #[default]
    Immediate,
    /// In every so many slots one, a slot being the time of a byte on the link; counted from time zero. Every 256 in
    /// AN1 (Schroeder et al. 1991).
    #[serde(rename = "every_slots")]
    EverySlots(u32),
    /// Once in every period of this length, counted from time zero.
    Every(Span),
}

impl Timing {
    /// The time between directives on a link of this rate in kbit/s; nothing where they need not wait.
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

/// When a packet may leave a switch again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Switching {
    /// As soon as its head has been looked at (section 3.3). Where an output is faster than the input, once all of it
    /// has come, since the output would run dry.
    #[default]
    CutThrough,
    /// Once all of it has come.
    StoreAndForward,
    /// As soon as its head has been looked at if an output is idle then, else once all of it has come (Kermani and
    /// Kleinrock 1979; see section 3.3).
    VirtualCutThrough,
}

/// How much a FIFO holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Fifo {
    /// This much.
    Bytes(Data),
    /// Whatever comes: no back-pressure, as in the paper's comparisons of Tables 2 and 3 and Fig. 6.
    Unbounded,
}

/// All parameters of the machine.
#[derive(Clone, Debug, Default)]
pub struct An1Params {
    /// Routes and links.
    pub fabric: FabricParams,
    /// The switches.
    pub switch: SwitchParams,
    /// What fails and comes back.
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
    /// What is wrong with the parameters, whatever the network.
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
