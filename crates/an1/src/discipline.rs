//! The switch disciplines that avoid head-of-line blocking (SRC 88, section 3.1).

use hopscope_measure::Problem;
use hopscope_units::Data;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::params::{Fifo, LARGEST_FIFO, SwitchParams, Switching};

/// Where packets wait in a switch, and who goes next.
///
/// Other than with input FIFOs, the decision about a packet begins with its first byte in the buffer, not at the
/// buffer's head.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Discipline {
    /// In a FIFO at each input, of which only the head is considered: AN1.
    #[default]
    InputFifo,
    /// In a buffer at each input, out of which any packet may be sent, one at a time: first come, first served among
    /// the packets of the whole switch whose input and output are free.
    RandomAccess,
    /// In a buffer at each input with a virtual queue for each output; free inputs and idle outputs are matched.
    Voq(VirtualQueues),
    /// In a queue without bound at each output, behind a crossbar that takes everything at once: the ideal (Karol,
    /// Hluchyj and Morgan 1987). Decision and set-up delay a packet, but hold no output.
    Output,
    /// As with output queues, but all of a switch share a bounded memory (Hluchyj and Karol 1988). Theirs loses what
    /// does not fit; here the inputs are held back at the end of a packet, as `back_pressure = "packet-boundary"` does,
    /// and each keeps room for a packet.
    SharedOutputBuffer(SharedBuffer),
    /// In frames: what an input has received is offered to the outputs all at once when a frame begins, and each takes
    /// what it can send in the frame (Hluchyj and Karol 1988). Theirs loses the rest; here it waits for the next frame.
    /// For packets of one length on links of one rate.
    InputSmoothing(SmoothingFrame),
}

/// A frame of input smoothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SmoothingFrame {
    /// How many packets a link carries in a frame.
    pub slots: u32,
}

/// The memory that the output queues of a switch share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SharedBuffer {
    /// How much it holds.
    pub memory: Data,
}

/// Virtual output queues.
///
/// A packet with several next hops stands in the queues of all of them. Packets are matched at every instant at which
/// one asks, or an input or output frees, after all else that happens then. With packets of one length in step and
/// switching that takes no time, that is once a slot, as the papers have it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct VirtualQueues {
    /// How inputs and outputs are matched.
    pub scheduler: Scheduler,
    /// How many rounds of request, grant and accept.
    #[serde(default = "one")]
    pub iterations: u32,
}

/// How inputs and outputs are matched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Scheduler {
    /// Parallel iterative matching: outputs grant and inputs accept at random (Anderson, Owicki, Saxe and Thacker
    /// 1993).
    Pim,
    /// Round-robin pointers, which move past what was accepted in the first round (McKeown 1999).
    Islip,
}

const fn one() -> u32 {
    1
}

/// The most rounds that a scenario may ask for.
const MOST_ITERATIONS: u32 = 1_000;
/// The longest frame that a scenario may ask for.
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

    /// Why a switch cannot be of this discipline, or nothing where it can.
    pub(crate) fn problem(self, switch: &SwitchParams) -> Option<Problem> {
        match self {
            Self::Voq(VirtualQueues { iterations, .. }) if !(1..=MOST_ITERATIONS).contains(&iterations) => {
                let problem = format!("{iterations} matching iterations are out of range");
                let expected = format!("from 1 to {MOST_ITERATIONS}");
                Some(Problem::new("switch.discipline.voq.iterations", problem, expected))
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
