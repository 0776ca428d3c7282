//! The state of the parts of the subnet: IMPs, lines, sequences of message numbers, hosts.

use std::collections::VecDeque;

use hopscope_kernel::RandomStream;
use hopscope_measure::{Pool, StagedPool};
use hopscope_units::{Span, Time};

use crate::protocol::allocation::Allocations;
use crate::protocol::message_block::{MessageBlocks, Setup};
use crate::protocol::message_numbers::MessageNumbers;
use crate::protocol::message_order::MessageOrder;
use crate::protocol::message_timeout::MessageTimeout;
use crate::protocol::modem_line::{CHANNELS, Receiver, Sender};
use crate::protocol::pending_leader_table::PendingTable;
use crate::protocol::reassembly::Reassembly;
use crate::protocol::stage::{Phase, Stage};
use crate::report::causes::{Refused, Requests};
use crate::routing::routing_table::{RoutingClock, RoutingTable, RoutingTimes};
use crate::scenario::params::Version;
use crate::scenario::plan::ArpanetPlan;
use crate::subnet::processor::Processor;

/// Routing vectors that an IMP keeps for messages on their way: five seconds of them.
pub(crate) const VECTORS: u32 = 8;

/// An IMP.
#[derive(Debug)]
pub(crate) struct Imp {
    /// Events scheduled so far: their place among simultaneous ones.
    pub count: u32,
    pub buffers: Pool,
    pub store: Pool,
    pub reassembly: Reassembly,
    pub leaders: PendingTable,
    pub copies: PendingTable,
    pub transmit: MessageBlocks,
    pub receive: MessageBlocks,
    pub processor: Processor,
    pub routes: RoutingTable,
    /// Computations so far.
    pub serial: u32,
    pub vectors: Vec<Vec<u16>>,
    pub hosts: Vec<u32>,
    /// Sequences that begin here.
    pub sequences: Vec<u32>,
    /// Hosts that wait for something that a release may give them.
    pub blocked: u32,
    /// Control messages and recalled messages that wait for a buffer or a channel.
    pub outbox: VecDeque<u32>,
    pub allocations: Allocations,
    /// When the next look at unused allocations is scheduled.
    pub give_back_at: Time,
    /// Sequences whose reply waits for reassembly buffers, in the order in which they began.
    pub waiting_replies: Vec<u32>,
    /// When the next look after hosts is scheduled.
    pub poll_at: Time,
    pub refused: Refused,
}

impl Imp {
    pub fn new(plan: &ArpanetPlan, index: usize, seed: u64) -> Self {
        let imp = &plan.imps[index];
        let protocol = &plan.params.protocol;
        let (buffers, reassembly) = if imp.very_distant_host {
            (protocol.vdh_buffers, protocol.vdh_reassembly_buffers)
        } else {
            (protocol.buffers, protocol.reassembly_buffers)
        };
        let kind = plan.params.processor.of(imp.computer);
        let (estimates, best) = plan.idle_table(index);
        let blocks = u64::from(protocol.message_blocks);
        Self {
            count: 0,
            buffers: Pool::bounded(u64::from(buffers)),
            store: Pool::bounded(u64::from(protocol.store_and_forward)),
            reassembly: Reassembly::new(u64::from(reassembly)),
            leaders: PendingTable::new(u64::from(protocol.pending_leaders)),
            copies: PendingTable::new(u64::from(protocol.pending_packets)),
            transmit: MessageBlocks::new(blocks),
            receive: MessageBlocks::new(blocks),
            processor: Processor::new(kind, RandomStream::named(seed, "processor", index as u64)),
            vectors: vec![estimates.clone(); VECTORS as usize],
            routes: RoutingTable::new(estimates, best, imp.lines.len(), plan.params.routing.hold_down),
            serial: 0,
            hosts: (0..plan.hosts.len() as u32)
                .filter(|&host| usize::from(plan.hosts[host as usize].imp) == index)
                .collect(),
            sequences: Vec::new(),
            blocked: 0,
            outbox: VecDeque::new(),
            allocations: Allocations::default(),
            give_back_at: Time::NEVER,
            waiting_replies: Vec::new(),
            poll_at: Time::NEVER,
            refused: Refused::default(),
        }
    }

    /// Whether so many buffers are free besides those promised to allocations.
    #[inline]
    pub fn has_free(&self, buffers: u64) -> bool {
        self.buffers.free() >= self.reassembly.promised() + buffers
    }

    pub fn restart(&mut self, now: Time) {
        self.buffers.restart(now);
        self.store.restart(now);
        self.reassembly.pool_mut().restart(now);
        self.leaders.restart(now);
        self.copies.restart(now);
        self.transmit.pool.restart(now);
        self.receive.pool.restart(now);
        self.processor.restart();
        self.refused = Refused::default();
    }
}

/// What a line has carried since the restart.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct LineUse {
    pub routing_ps: u64,
    pub data_ps: u64,
    pub reply_ps: u64,
    pub again_ps: u64,
    pub null_ps: u64,
    pub packets: u64,
    /// Waits in the output queue, and of how many messages' packets and RFNMs.
    pub wait_ps: u64,
    pub waited: u64,
    /// Packets from neighbours refused because its output queue was full.
    pub refused: u64,
}

/// One direction of a line.
#[derive(Debug)]
pub(crate) struct Line {
    pub routing: RoutingTimes,
    pub sender: Sender,
    pub receiver: Receiver,
    pub busy_until: Time,
    /// When the next look at the line is scheduled.
    pub wake_at: Time,
    /// When the next look for overdue acknowledgments is scheduled.
    pub timer_at: Time,
    pub clock: RoutingClock,
    /// The first tick of the clock that has not been dealt with, where not every tick is an event.
    pub clock_at: Time,
    /// A look at the clock is scheduled, because its next message tells something new.
    pub clock_watched: bool,
    /// Which computation the last routing message told of.
    pub told: u32,
    /// When the clock asked for a routing message that has not been sent, where not every tick is an event.
    pub asked_at: Time,
    /// Busy since the IMP's last computation.
    pub busy_since_computation_ps: u64,
    /// The computation of the neighbour that has been merged last at the far end.
    pub merged: u32,
    pub channels: Pool,
    pub random: RandomStream,
    pub use_: LineUse,
}

impl Line {
    pub fn new(plan: &ArpanetPlan, index: usize, seed: u64) -> Self {
        let line = &plan.lines[index];
        Self {
            routing: RoutingTimes::new(line.rate, line.output, plan.params.routing.null_before),
            sender: Sender::new(),
            receiver: Receiver::default(),
            busy_until: Time::ZERO,
            wake_at: Time::NEVER,
            timer_at: Time::NEVER,
            clock: RoutingClock::new(),
            clock_at: Time::NEVER,
            clock_watched: false,
            told: 0,
            asked_at: Time::NEVER,
            busy_since_computation_ps: 0,
            merged: 0,
            channels: Pool::bounded(u64::from(CHANNELS)),
            random: RandomStream::named(seed, "line errors", index as u64),
            use_: LineUse::default(),
        }
    }

    /// Is busy from `start` on with a routing message and its null packet, and counts them.
    #[inline]
    pub fn sends_routing(&mut self, start: Time) {
        let RoutingTimes { null, message, sent, .. } = self.routing;
        self.busy_until = start + sent;
        self.use_.null_ps += null.ps();
        self.use_.routing_ps += message.ps();
        self.busy_since_computation_ps += (null + message).ps();
    }
}

/// The message numbers and the order of a pair of IMPs (version 2) or of hosts (version 3), at both ends.
#[derive(Debug)]
pub(crate) struct Sequence {
    pub source: u8,
    pub dest: u8,
    pub hosts: (u32, u32),
    pub numbers: MessageNumbers,
    pub timeout: MessageTimeout,
    pub pool: StagedPool<{ Phase::COUNT }>,
    pub order: MessageOrder,
    pub setup: Setup,
    /// Messages that use it.
    pub users: u32,
    pub last_used: Time,
    /// REQALLs outstanding.
    pub requests: u32,
    pub asked: Requests,
    /// When a request came to the destination, by message number.
    pub request_came: [Time; 8],
    /// The last request answered: its number, when it came, and when it was answered.
    pub answered: Option<(u32, Time, Time)>,
}

impl Sequence {
    pub fn new(source: u8, dest: u8, hosts: (u32, u32), window: u32) -> Self {
        Self {
            source,
            dest,
            hosts,
            numbers: MessageNumbers::new(window),
            timeout: MessageTimeout::default(),
            pool: StagedPool::new(Pool::bounded(u64::from(window))),
            order: MessageOrder::new(),
            setup: Setup::Absent,
            users: 0,
            last_used: Time::ZERO,
            requests: 0,
            asked: Requests::default(),
            request_came: [Time::ZERO; 8],
            answered: None,
        }
    }
}

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
    /// Its IMP has found it dead, until it takes something again.
    pub dead_until: Time,
    pub busy_ps: u64,
    /// Time that messages waited for the way to the host.
    pub wait_ps: u64,
    pub messages: u64,
}

impl Host {
    pub const fn new() -> Self {
        Self {
            step: Step::Idle,
            message: 0,
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
            dead_until: Time::ZERO,
            busy_ps: 0,
            wait_ps: 0,
            messages: 0,
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

/// When a packet on a line with this propagation delay is sent again.
pub(crate) fn timeout(after: Span, delay: Span) -> Span {
    after + delay * 2
}
