//! The switch disciplines that avoid head-of-line blocking (SRC 88, section 3.1).

use hopscope_fabric::Arbiter;
use hopscope_measure::Problem;
use hopscope_units::Data;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::params::{Fifo, LARGEST_FIFO, SwitchParams, Switching};

/// Where packets wait in a switch, and which is served next.
///
/// With input FIFOs the routing decision begins when the packet reaches the head of the buffer; with all other
/// disciplines, when its first byte enters the buffer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Discipline {
    /// A FIFO at each input, of which only the head can be served: AN1.
    #[default]
    InputFifo,
    /// A buffer at each input from which any packet can be served, one at a time. The switch serves packets whose input
    /// and output are free, first come, first served.
    RandomAccess,
    /// Virtual output queues: a buffer at each input with a queue for each output. Free inputs are matched with idle
    /// outputs.
    Voq(VirtualQueues),
    /// Ideal output queueing: an unbounded queue at each output, behind a crossbar without contention (Karol, Hluchyj
    /// and Morgan 1987). Decision and set-up delay a packet but hold no output.
    Output,
    /// Output queues that share a bounded memory (Hluchyj and Karol 1988). Their switch drops packets that do not fit.
    /// Here inputs are stopped on packet boundaries, as with `back_pressure = "packet-boundary"`, and each input
    /// reserves room for one packet.
    SharedOutputBuffer(SharedBuffer),
    /// Input smoothing: at the start of a frame each input offers all packets that it has received, and each output
    /// accepts as many as it can send in the frame (Hluchyj and Karol 1988). Their switch drops the rest; here they
    /// wait for the next frame. For packets of one length on links of one rate.
    InputSmoothing(SmoothingFrame),
}

/// The frame of input smoothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SmoothingFrame {
    /// The number of packets that a link carries in a frame.
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "smoothing frames {share} as long", "divide": 2.0, "cause": "slow service", "cost": "more packets that wait for the next frame"},
    ])))]
    pub slots: u32,
}

/// The memory that the output queues of a switch share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SharedBuffer {
    /// The size of the memory.
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "shared memories {factor} as large", "multiply": 2.0, "cause": "blocking", "sort": "memory", "stores": true, "cost": "{factor} the memory of each switch"},
    ])))]
    pub memory: Data,
}

/// Virtual output queues.
///
/// A packet with several next hops is in the queues of all of them. The switch computes a matching whenever a packet
/// requests an output or an input or output becomes free, after all other events of that instant. With packets of one
/// length in step, and switching that takes no time, that is once per slot, as in the papers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct VirtualQueues {
    /// The algorithm that matches inputs with outputs.
    pub scheduler: Scheduler,
    /// The number of rounds of request, grant and accept.
    #[serde(default = "one")]
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "{factor} the rounds of matching", "multiply": 4.0, "cause": "blocking", "relieves": ["resource"], "cost": "a scheduler {factor} as fast"},
    ])))]
    pub iterations: u32,
}

/// The algorithm that matches inputs with outputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Scheduler {
    /// Parallel iterative matching: outputs grant and inputs accept at random (Anderson, Owicki, Saxe and Thacker
    /// 1993).
    Pim,
    /// iSLIP: round-robin pointers that move past the grants accepted in the first round (McKeown 1999).
    Islip,
}

const fn one() -> u32 {
    1
}

/// The largest number of rounds in a scenario.
const MOST_ITERATIONS: u32 = 1_000;
/// The longest frame in a scenario, slots.
const MOST_SLOTS: u32 = 10_000;

impl Discipline {
    /// Whether any packet of an input's buffer may be sent next, one at a time.
    pub(crate) fn picks_from_buffers(self) -> bool {
        matches!(self, Self::RandomAccess | Self::Voq(_))
    }

    /// Whether packets wait in queues at the outputs, into which all inputs send at once.
    pub(crate) fn queues_at_outputs(self) -> bool {
        matches!(self, Self::Output | Self::SharedOutputBuffer(_) | Self::InputSmoothing(_))
    }

    /// Why a switch cannot have this discipline; nothing if it can.
    pub(crate) fn problem(self, switch: &SwitchParams) -> Option<Problem> {
        match self {
            Self::Voq(VirtualQueues { iterations, .. }) if !(1..=MOST_ITERATIONS).contains(&iterations) => {
                let problem = format!("{iterations} matching iterations are out of range");
                let expected = format!("from 1 to {MOST_ITERATIONS}");
                Some(Problem::new("switch.discipline.voq.iterations", problem, expected))
            }
            Self::Voq(_) if switch.arbiter != Arbiter::default() => {
                let problem = "virtual output queues are matched by their scheduler, not by an arbiter";
                Some(Problem::new("switch.arbiter", problem, "no arbiter, or another discipline"))
            }
            _ if self.queues_at_outputs() && switch.fifo != Fifo::Unbounded => {
                let problem = "this discipline queues packets at outputs, but input FIFOs are bounded";
                Some(Problem::new("switch.discipline", problem, "fifo = \"unbounded\""))
            }
            Self::SharedOutputBuffer(SharedBuffer { memory }) if memory > LARGEST_FIFO => {
                let problem = format!("memory size {memory} is out of range");
                let path = "switch.discipline.shared-output-buffer.memory";
                Some(Problem::new(path, problem, format!("at most {LARGEST_FIFO}")))
            }
            Self::InputSmoothing(SmoothingFrame { slots }) if !(1..=MOST_SLOTS).contains(&slots) => {
                let problem = format!("a smoothing frame of {slots} slots is out of range");
                let path = "switch.discipline.input-smoothing.slots";
                Some(Problem::new(path, problem, format!("from 1 to {MOST_SLOTS}")))
            }
            Self::InputFifo => None,
            _ if switch.switching == Switching::VirtualCutThrough => {
                let problem = "virtual cut-through is defined for packets at the head of a FIFO";
                let expected = "\"cut-through\" or \"store-and-forward\", or discipline = \"input-fifo\"";
                Some(Problem::new("switch.switching", problem, expected))
            }
            _ => None,
        }
    }
}
