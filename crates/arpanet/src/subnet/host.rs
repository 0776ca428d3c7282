//! The state of a host and of its interface with the IMP.

use std::collections::VecDeque;

use hopscope_units::Time;

use crate::protocol::stage::Stage;
use crate::scenario::params::Version;

/// What a host's input into its IMP waits for or does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// No message.
    Idle,
    /// The host works on a message before it sends it.
    Processing,
    /// Free buffers.
    Buffers,
    /// A packet comes in or is handled.
    Receiving,
    /// Message blocks.
    Block,
    /// A message number.
    Number,
    /// An entry of a pending table.
    Table,
    /// An allocation is looked for, and asked for where there is none.
    Allocation,
    /// An allocation has been asked for.
    Await,
    /// A place in a line's output queue.
    Queue,
}

impl Step {
    /// What the host's message waits for, in words.
    pub const fn waits_for(self) -> &'static str {
        match self {
            Self::Idle => "the next message",
            Self::Processing => "the host that prepares it",
            Self::Buffers => "free buffers in its IMP",
            Self::Receiving => "the line into its IMP",
            Self::Block => "message blocks",
            Self::Number => "a message number",
            Self::Table => "an entry of a pending table",
            Self::Allocation | Self::Await => "an allocation (ALL)",
            Self::Queue => "a place in the output queue of a line",
        }
    }
}

/// What goes from an IMP to its host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Output {
    Message(u32),
    Rfnm(u32),
}

/// A host and its interface.
#[derive(Debug)]
pub(crate) struct Host {
    pub step: Step,
    /// The message that comes in.
    pub message: u32,
    /// When its IMP will have handled the packet that came last.
    pub handled_at: Time,
    /// It waits for something that a release may give it.
    pub blocked: bool,
    /// The stage in which it waits for a place in an output queue, and the line.
    pub waits_for: Option<(Stage, u16)>,
    /// It has a table entry that it had to wait for.
    pub granted: bool,
    /// It has applied for a table entry.
    pub applied: bool,
    /// Its message has an allocation.
    pub has_allocation: bool,
    /// The message number of the REQALL that it has sent for its message.
    pub request: Option<u32>,
    pub queue: VecDeque<u32>,
    /// Flows that always have another message, and whose turn it is.
    pub saturated: Vec<u32>,
    pub turn: usize,
    pub replies: VecDeque<u32>,
    pub output: VecDeque<u32>,
    /// What goes out, and the packet of it that is next.
    pub serving: Option<(Output, u8)>,
    pub is_sending: bool,
    /// It will not take what is being sent in time.
    pub is_tardy: bool,
    /// When it took the last packet of a message.
    pub taken_at: Time,
    /// Its IMP has found it dead, until it takes something again.
    pub dead_until: Time,
    pub busy_ps: u64,
    /// Time that messages waited for the way to the host.
    pub wait_ps: u64,
    pub messages: u64,
    /// Time that it worked on messages to send and put their bits on its line.
    pub sending_ps: u64,
}

impl Host {
    pub const fn new() -> Self {
        Self {
            step: Step::Idle,
            message: 0,
            handled_at: Time::ZERO,
            blocked: false,
            waits_for: None,
            granted: false,
            applied: false,
            has_allocation: false,
            request: None,
            queue: VecDeque::new(),
            saturated: Vec::new(),
            turn: 0,
            replies: VecDeque::new(),
            output: VecDeque::new(),
            serving: None,
            is_sending: false,
            is_tardy: false,
            taken_at: Time::NEVER,
            dead_until: Time::ZERO,
            busy_ps: 0,
            wait_ps: 0,
            messages: 0,
            sending_ps: 0,
        }
    }
}

/// The step after the first packet is in.
pub(crate) const fn first_step(version: Version) -> Step {
    match version {
        Version::Two => Step::Number,
        Version::Three => Step::Block,
    }
}
