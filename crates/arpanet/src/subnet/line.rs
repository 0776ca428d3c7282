//! The state of one direction of a line.

use hopscope_kernel::RandomStream;
use hopscope_measure::{HoldWhy, Pool};
use hopscope_units::{Data, Span, Time};

use crate::protocol::modem_line::{CHANNELS, Receiver, Sender};
use crate::protocol::packet::CONTROL_BITS;
use crate::routing::routing_clock::RoutingTimes;
use crate::routing::routing_schedule::{Passed, RoutingSchedule};
use crate::scenario::params::RoutingMessages;
use crate::scenario::plan::{ArpanetPlan, LinePlan};
use crate::subnet::outages::Health;
use crate::subnet::routing_messages::clock_period;

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
    /// Packets lost to errors, and those lost in an outage, of those sent.
    pub lost: u64,
    pub cut: u64,
    pub sent: u64,
    /// Packets from neighbours refused because its output queue was full.
    pub refused: u64,
}

impl LineUse {
    /// What it has been busy with, and for how long, picoseconds.
    pub const fn shares(&self) -> [(HoldWhy, u64); 5] {
        [
            (HoldWhy::Data, self.data_ps),
            (HoldWhy::Replies, self.reply_ps),
            (HoldWhy::RoutingMessages, self.routing_ps),
            (HoldWhy::Retransmissions, self.again_ps),
            (HoldWhy::NullPackets, self.null_ps),
        ]
    }
}

/// One direction of a line.
#[derive(Debug)]
pub(crate) struct Line {
    /// What the plan says of it: beside its state, so that one look finds both.
    pub plan: LinePlan,
    /// When a packet is sent again that has not been acknowledged.
    pub timeout: Span,
    pub routing: RoutingTimes,
    /// How long it is busy with a control packet.
    pub control: Span,
    pub sender: Sender,
    pub receiver: Receiver,
    pub health: Health,
    pub busy_until: Time,
    /// When the next look at the line is scheduled.
    pub wake_at: Time,
    /// When the next look for overdue acknowledgments is scheduled.
    pub timer_at: Time,
    pub schedule: RoutingSchedule,
    /// The computation in the last routing message that has reached the far end.
    pub merged: u32,
    /// Routing messages that have reached the far end: their computations, and when each is handled.
    pub merging: Vec<(u32, Time)>,
    pub channels: Pool,
    pub random: RandomStream,
    pub use_: LineUse,
}

impl Line {
    pub fn new(plan: &ArpanetPlan, index: usize, seed: u64) -> Self {
        let (line, messages) = (&plan.lines[index], plan.params.routing.messages);
        Self {
            plan: *line,
            timeout: timeout(plan.params.protocol.retransmit_after, line.delay),
            routing: RoutingTimes::new(line.rate, line.output, plan.params.routing.null_before),
            control: line.rate.time_for(Data::from_bits(u64::from(CONTROL_BITS))),
            sender: Sender::new(),
            receiver: Receiver::default(),
            health: Health::Works,
            busy_until: Time::ZERO,
            wake_at: Time::NEVER,
            timer_at: Time::NEVER,
            schedule: RoutingSchedule::new(
                clock_period(messages, line.rate),
                messages == RoutingMessages::Fixed,
            ),
            merged: 0,
            merging: Vec::new(),
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
        self.schedule.is_busy(null + message);
    }

    /// Deals with the routing messages up to now, where not every one is an event; `serial` is the IMP's last
    /// computation. Whether one with news was passed over, which may only be once the run is over.
    #[inline]
    pub fn pass_routing(&mut self, now: Time, serial: u32) -> bool {
        loop {
            match self.schedule.pass(now, self.busy_until, serial) {
                Passed::Nothing => return false,
                Passed::News => return true,
                Passed::Due => self.sender.routing_due = true,
                Passed::Sent(start) => {
                    assert!(!self.sender.acknowledgment_owed, "an acknowledgment was passed over");
                    self.sends_routing(start);
                }
            }
        }
    }
}

/// When a packet on a line with this propagation delay is sent again.
fn timeout(after: Span, delay: Span) -> Span {
    after + delay * 2
}
