//! Retransmissions: both ends of every flow under the scenario's rule, and the timer of the sender.

use hopscope_kernel::EventQueue;
use hopscope_measure::Journal;
use hopscope_topology::HostId;
use hopscope_units::{Span, Time};

use crate::event::FrameEvent;
use crate::frame::HEADER_SERVICE;
use crate::host::flow::Standing;
use crate::machine::Lossless;
use crate::observe::stage::FrameStage;
use crate::plan::RecoveryPlan;
use crate::rate_control::{Loss, LossSignal};
use crate::recovery::{Arrival, Outcome, Receiver, Reply, Sender, Unit};

/// At most this many consecutive timeouts double the time to the next.
const DOUBLINGS: u32 = 6;

/// Both ends of one flow.
#[derive(Clone, Debug)]
struct Transfer {
    sender: Sender,
    receiver: Receiver,
    /// When the retransmission timer expires.
    deadline: Time,
    /// Whether its timer runs.
    is_armed: bool,
    /// Timeouts since the last feedback.
    timeouts: u32,
    /// Frames under way.
    in_network: u32,
    /// Whether the last of its frames has been sent once.
    all_sent: bool,
    /// Whether its sender has given up.
    given_up: bool,
}

/// The flows of a fabric that sends again what is lost, by the flow's number.
#[derive(Debug)]
pub(crate) struct Recovering {
    plan: RecoveryPlan,
    transfers: Vec<Transfer>,
    /// Messages that are over and whose sender does not know it yet.
    lingering: usize,
}

impl Recovering {
    pub fn new(plan: RecoveryPlan) -> Self {
        Self { plan, transfers: Vec::new(), lingering: 0 }
    }

    /// A flow of this many frames begins.
    pub fn begins(&mut self, flow: u32, frames: u32) {
        let rule = self.plan.rule;
        let begun = Transfer {
            sender: Sender::new(rule, frames),
            receiver: Receiver::new(rule),
            deadline: Time::NEVER,
            is_armed: false,
            timeouts: 0,
            in_network: 0,
            all_sent: false,
            given_up: false,
        };
        match self.transfers.get_mut(flow as usize) {
            Some(place) => *place = begun,
            None => self.transfers.push(begun),
        }
    }

    /// The number of a flow's next frame.
    pub fn next(&self, flow: u32) -> Option<u32> {
        let transfer = &self.transfers[flow as usize];
        transfer.sender.next().filter(|_| !transfer.given_up)
    }

    /// A flow's next frame is sent.
    pub fn take(&mut self, flow: u32) -> Option<Unit> {
        let transfer = &mut self.transfers[flow as usize];
        transfer.in_network += 1;
        transfer.sender.take()
    }

    /// Frames of a flow that are sent and neither known to have arrived nor known to be missing.
    pub fn outstanding(&self, flow: u32) -> u32 {
        self.transfers[flow as usize].sender.outstanding()
    }

    /// A frame of a flow is no longer under way.
    pub fn gone(&mut self, flow: u32) {
        self.transfers[flow as usize].in_network -= 1;
    }

    /// A message is over, and is kept until its sender knows.
    pub fn lingers(&mut self) {
        self.lingering += 1;
    }

    /// Messages that are over and whose sender does not know it yet.
    pub fn lingering(&self) -> usize {
        self.lingering
    }

    /// Whether a flow has nothing to send for the first time.
    pub fn is_all_sent_now(&mut self, flow: u32) -> bool {
        !std::mem::replace(&mut self.transfers[flow as usize].all_sent, true)
    }
}

impl<J: Journal> Lossless<J> {
    /// How a receiver treats a frame, and its reply; nothing if lost frames are not retransmitted. The third value is
    /// what must be retransmitted, as far as the receiver knows.
    pub(crate) fn receive(&mut self, frame: u32) -> (Arrival, Option<Reply>, u64) {
        let done = &self.frames[frame];
        let is_whole = done.service != HEADER_SERVICE;
        let (flow, number) = (done.flow, done.sequence);
        let bits = self.bits_of(flow, number);
        let (Some(recovering), Some(answering)) = (&mut self.recovering, &self.answering) else {
            return (Arrival::Taken, None, if is_whole { 0 } else { bits });
        };
        let transfer = &mut recovering.transfers[flow as usize];
        transfer.in_network -= 1;
        if transfer.given_up {
            return (Arrival::Repeated, None, 0);
        }
        let unit = Unit { number, order: answering.order(frame) };
        let (arrival, reply) = transfer.receiver.arrived(unit, is_whole);
        match arrival {
            Arrival::Taken | Arrival::Cut => {}
            Arrival::Repeated => self.tally.repeated += 1,
            Arrival::Rejected => self.tally.rejected += 1,
        }
        (arrival, Some(reply), if arrival == Arrival::Taken { 0 } else { bits })
    }

    /// A reply arrives at the sender; nothing if that has finished.
    pub(crate) fn hear(&mut self, now: Time, flow: u32, reply: Reply) -> Option<Outcome> {
        let recovering = self.recovering.as_mut()?;
        let timeout = recovering.plan.timeout;
        let transfer = &mut recovering.transfers[flow as usize];
        if transfer.sender.is_done() || transfer.given_up {
            return None;
        }
        let outcome = transfer.sender.heard(reply);
        if outcome.arrived > 0 || outcome.slipped {
            (transfer.timeouts, transfer.deadline) = (0, now + timeout);
        }
        Some(outcome)
    }

    /// A frame is sent at this instant: the timer runs from then on.
    pub(crate) fn arm(&mut self, at: Time, flow: u32, events: &mut EventQueue<FrameEvent>) {
        let Some(recovering) = &mut self.recovering else { return };
        let transfer = &mut recovering.transfers[flow as usize];
        transfer.deadline = at + waits(recovering.plan.timeout, transfer.timeouts);
        if !std::mem::replace(&mut transfer.is_armed, true) {
            let deadline = transfer.deadline;
            self.schedule_timeout(flow, deadline, events);
        }
    }

    fn schedule_timeout(&mut self, flow: u32, at: Time, events: &mut EventQueue<FrameEvent>) {
        let state = &self.flows[flow];
        let (number, slot) = (state.number as u32, self.plan.slots.host(HostId::new(state.from as usize)));
        self.schedule(events, slot, at, FrameEvent::TimedOut(flow, number));
    }

    /// The timer of a flow has expired, or its deadline has moved.
    pub(crate) fn timed_out(
        &mut self,
        now: Time,
        flow: u32,
        number: u32,
        events: &mut EventQueue<FrameEvent>,
    ) {
        let state = &self.flows[flow];
        let (is_same, sent, standing) = (state.number as u32 == number, state.sent, state.standing);
        let Some(recovering) = self.recovering.as_mut().filter(|_| is_same) else { return };
        let (timeout, retries) = (recovering.plan.timeout, recovering.plan.retries);
        let transfer = &mut recovering.transfers[flow as usize];
        transfer.is_armed = false;
        let stands = matches!(standing, Standing::Idle | Standing::Window);
        // If nothing is outstanding, it may still wait for a pull.
        let waits_for_something =
            transfer.sender.outstanding() > 0 || stands && transfer.sender.next().is_some();
        if transfer.sender.is_done() || transfer.given_up || !waits_for_something {
            return;
        }
        if now < transfer.deadline {
            transfer.is_armed = true;
            let deadline = transfer.deadline;
            return self.schedule_timeout(flow, deadline, events);
        }
        transfer.timeouts += 1;
        self.tally.timeouts += 1;
        if transfer.timeouts > retries {
            // A queued flow has the timer set again by its next frame, if that is ever sent.
            if stands {
                self.give_up(now, flow, events);
            }
            return;
        }
        transfer.deadline = now + waits(timeout, transfer.timeouts);
        transfer.sender.timed_out();
        if stands {
            // Whatever it seemed to wait for, it waited for the timer.
            let since = self.flows[flow].account.since();
            let slot = self.plan.slots.host(HostId::new(self.flows[flow].from as usize));
            self.close_flow(flow, FrameStage::LaneOrRetransmissionWait, slot, now.max(since));
        }
        let signal = LossSignal::Timeout;
        self.rates.on_loss(flow, &Loss { now, signal, frame_end_bits: sent, sent_bits: sent });
        self.resume(now, flow, events);
    }

    /// A sender has had too many timeouts: its message will not be complete.
    #[cold]
    fn give_up(&mut self, now: Time, flow: u32, events: &mut EventQueue<FrameEvent>) {
        let state = &mut self.flows[flow];
        state.standing = Standing::Idle;
        if let Some(recovering) = &mut self.recovering {
            recovering.transfers[flow as usize].given_up = true;
            if state.under_way > 0 {
                let left = state.under_way;
                state.lost += left;
                self.account_for(now, flow, left, events);
            }
        }
        self.retire(flow);
    }

    /// Removes a flow that is over at both ends and has nothing in flight.
    pub(crate) fn retire(&mut self, flow: u32) {
        let Some(recovering) = &mut self.recovering else { return };
        let transfer = &recovering.transfers[flow as usize];
        let state = &self.flows[flow];
        let is_over = state.under_way == 0 && (transfer.sender.is_done() || transfer.given_up);
        if is_over && transfer.in_network == 0 && state.standing == Standing::Idle {
            recovering.lingering -= 1;
            self.flows[flow].standing = Standing::Gone;
            self.flows.remove(flow);
        }
    }
}

/// The timeout after this many consecutive timeouts.
fn waits(timeout: Span, timeouts: u32) -> Span {
    timeout * (1 << timeouts.min(DOUBLINGS))
}
