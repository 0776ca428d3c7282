//! The state of one direction of a line.

use hopscope_kernel::RandomStream;
use hopscope_measure::Pool;
use hopscope_units::{Span, Time};

use crate::protocol::modem_line::{CHANNELS, Receiver, Sender};
use crate::routing::routing_clock::{RoutingClock, RoutingTimes};
use crate::scenario::plan::ArpanetPlan;

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

/// When a packet on a line with this propagation delay is sent again.
pub(crate) fn timeout(after: Span, delay: Span) -> Span {
    after + delay * 2
}
