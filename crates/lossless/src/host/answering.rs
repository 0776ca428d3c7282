//! Acknowledgments: the data that travels with a frame for them, and their effect at the sender.
//!
//! The receiver acknowledges each frame. Acknowledgments take the frame's path back without ever waiting, as
//! notifications do.

use hopscope_fabric::{Slot, prefetch, time_of};
use hopscope_kernel::{Arena, EventQueue};
use hopscope_measure::Journal;
use hopscope_topology::HostId;
use hopscope_units::{Span, Time};

use crate::event::FrameEvent;
use crate::flow_control::pfc::CONTROL_BITS;
use crate::host::flow::Standing;
use crate::host::telemetry::{NO_RECORD, TelemetryRecords};
use crate::machine::Lossless;
use crate::observe::stage::FrameStage;
use crate::rate_control::{Ack, Hop, Loss, LossSignal, Telemetry};
use crate::recovery::{Arrival, Outcome, Reply};

/// What travels with a frame and is not read by switches, by the frame's number.
#[derive(Clone, Copy, Debug)]
struct Papers {
    /// When its first bit left the host.
    sent_at: Time,
    /// Bits that its flow had sent by then, including it.
    reached: u64,
    /// The index of the transmission among those of its flow.
    order: u64,
}

/// What switches have written on a frame, by the frame's number. It is stored apart, since every switch on the path
/// reads it: eight to a cache line.
#[derive(Clone, Copy, Debug)]
struct Stamps {
    /// Switches that it has left.
    switches: u32,
    /// The record of their telemetry.
    record: u32,
}

/// An acknowledgment in flight.
#[derive(Clone, Copy, Debug)]
struct Answer {
    flow: u32,
    /// The number of its message: the flow's index may have been reused.
    number: u64,
    bits: u32,
    marked: bool,
    papers: Papers,
    stamps: Stamps,
    reply: Option<Reply>,
}

/// The state of all acknowledgments.
#[derive(Debug)]
pub(crate) struct Answering {
    papers: Vec<Papers>,
    stamps: Vec<Stamps>,
    telemetry: TelemetryRecords,
    answers: Arena<Answer>,
    /// When each host may pull next.
    pulls_at: Vec<Time>,
}

impl Answering {
    pub fn new(hosts: usize) -> Self {
        let pulls_at = vec![Time::ZERO; hosts];
        Self {
            papers: Vec::new(),
            stamps: Vec::new(),
            telemetry: TelemetryRecords::new(),
            answers: Arena::new(),
            pulls_at,
        }
    }

    /// A frame leaves its host.
    pub fn departs(&mut self, frame: u32, sent_at: Time, reached: u64, order: u64) {
        let papers = Papers { sent_at, reached, order };
        match self.papers.get_mut(frame as usize) {
            Some(place) => {
                *place = papers;
                // An earlier frame of this number that never arrived has left its record.
                self.stamps[frame as usize].switches = 0;
            }
            None => {
                self.papers.push(papers);
                self.stamps.push(Stamps { switches: 0, record: NO_RECORD });
            }
        }
    }

    /// Fetches what travels with a frame to its receiver, ahead of its event.
    #[inline]
    pub fn fetch_papers(&self, frame: u32) {
        self.papers.get(frame as usize).into_iter().for_each(prefetch);
    }

    /// Fetches what switches have written on a frame, ahead of its event.
    #[inline]
    pub fn fetch_stamps(&self, frame: u32) {
        self.stamps.get(frame as usize).into_iter().for_each(prefetch);
    }

    /// Fetches where the next switch will write, ahead of its event.
    #[inline]
    pub fn fetch_telemetry(&self, frame: u32) {
        if let Some(stamps) = self.stamps.get(frame as usize) {
            self.telemetry.fetch(stamps.record, stamps.switches);
        }
    }

    /// Fetches an acknowledgment ahead of its event.
    #[inline]
    pub fn fetch_answer(&self, answer: u32) {
        prefetch(&self.answers[answer]);
    }

    /// Fetches the telemetry of an acknowledgment, ahead of its event.
    #[inline]
    pub fn fetch_hops(&self, answer: u32) {
        let Stamps { record, switches } = self.answers[answer].stamps;
        self.telemetry.hops(record, switches).iter().step_by(2).for_each(prefetch);
    }

    /// The flow of an acknowledgment.
    #[inline]
    pub fn flow_of(&self, answer: u32) -> u32 {
        self.answers[answer].flow
    }

    /// The index of a frame's transmission among those of its flow.
    pub fn order(&self, frame: u32) -> u64 {
        self.papers[frame as usize].order
    }
}

impl<J: Journal> Lossless<J> {
    /// A switch writes the telemetry that the law requests on a frame that begins to leave.
    #[inline(never)]
    pub(crate) fn stamp(&mut self, slot: Slot, frame: u32, at: Time) {
        let Some(answering) = &mut self.answering else { return };
        let plan = &self.lossless.frames;
        let stamps = &mut answering.stamps[frame as usize];
        if plan.telemetry == Telemetry::Hops {
            let port = &self.ports[slot as usize];
            let queue = plan.queue(slot, usize::from(self.frames[frame].lane));
            let hop = Hop {
                output: slot,
                rate_kbit_s: port.rate,
                queued_bits: self.queues[queue].bits,
                sent_bits: port.bits_before + port.bits,
                at,
            };
            answering.telemetry.write(&mut stamps.record, stamps.switches, hop);
        }
        stamps.switches += 1;
    }

    /// A frame has arrived: an acknowledgment is sent. Returns whether the receiver takes the frame.
    pub(crate) fn answer(
        &mut self,
        now: Time,
        slot: Slot,
        frame: u32,
        events: &mut EventQueue<FrameEvent>,
    ) -> bool {
        let (arrival, reply, missing) = self.receive(frame);
        let done = &self.frames[frame];
        let (flow, bits, marked, spent) = (done.flow, done.bits, done.marked, done.account.spent_ps());
        let state = &self.flows[flow];
        if reply.is_none() && (self.recovering.is_some() || state.unsent == 0) {
            return arrival == Arrival::Taken;
        }
        let way = spent[FrameStage::Propagation as usize] + spent[FrameStage::Switching as usize];
        let rate = self.ports[slot as usize].rate;
        let way = Span::from_ps(way) + time_of(CONTROL_BITS, rate);
        let (number, to) = (state.number, state.to as usize);
        let frame_time = time_of(self.frames_plan().mtu, rate);
        let pulls = self.rates.has_pulls() && self.rates.sends_pull(flow, missing);
        let Some(answering) = &mut self.answering else { return true };
        let papers = answering.papers[frame as usize];
        let own = &mut answering.stamps[frame as usize];
        let stamps = *own;
        own.record = NO_RECORD;
        let answer = answering.answers.insert(Answer { flow, number, bits, marked, papers, stamps, reply });
        let pull_at = pulls.then(|| {
            let at = now.max(answering.pulls_at[to]);
            answering.pulls_at[to] = at + frame_time;
            at
        });
        self.schedule(events, slot, now + way, FrameEvent::Answered(answer));
        if let Some(at) = pull_at {
            self.schedule(events, slot, at + way, FrameEvent::Pulled(flow, number as u32));
        }
        arrival == Arrival::Taken
    }

    /// An acknowledgment arrives at the sender, whose message may be over.
    pub(crate) fn answered(&mut self, now: Time, answer: u32, events: &mut EventQueue<FrameEvent>) {
        let Some(answering) = &mut self.answering else { return };
        let Answer { flow, number, bits, marked, papers, stamps, reply } = answering.answers[answer];
        let (Papers { sent_at, reached, .. }, Stamps { switches, record }) = (papers, stamps);
        answering.answers.remove(answer);
        let state = &mut self.flows[flow];
        if state.number == number && (reply.is_some() || state.unsent > 0) {
            let (sent, from) = (state.sent, state.from as usize);
            let outcome = match reply {
                Some(reply) => self.hear(now, flow, reply),
                None => {
                    state.outstanding -= u64::from(bits);
                    Some(Outcome { arrived: 1, slipped: false })
                }
            };
            if let Some(outcome) = outcome {
                let bits = if reply.is_some() {
                    u64::from(outcome.arrived) * self.frames_plan().mtu
                } else {
                    u64::from(bits)
                };
                let round_trip = now.since(sent_at);
                self.waits.outstanding[from] += u128::from(bits) * u128::from(round_trip.ps());
                let hops =
                    self.answering.as_ref().map_or(&[][..], |all| all.telemetry.hops(record, switches));
                let (acked_bits, frame_end_bits, sent_bits) = (bits, reached, sent);
                let ack =
                    Ack { now, round_trip, acked_bits, marked, frame_end_bits, sent_bits, switches, hops };
                self.rates.on_ack(flow, &ack);
                if outcome.slipped {
                    let signal = LossSignal::Ack;
                    self.rates.on_loss(flow, &Loss { now, signal, frame_end_bits, sent_bits });
                }
                self.resume(now, flow, events);
            }
        }
        if let Some(answering) = &mut self.answering {
            answering.telemetry.release(record);
        }
    }

    /// A pull arrives at the sender.
    pub(crate) fn pulled(&mut self, now: Time, flow: u32, number: u32, events: &mut EventQueue<FrameEvent>) {
        let state = &self.flows[flow];
        if state.number as u32 == number && (state.unsent > 0 || self.recovering.is_some()) {
            self.rates.on_pull(flow);
            // A receiver pulls at the rate of its link: the sender waits for that link.
            let (from, to) = (state.from as usize, self.plan.slots.host(HostId::new(state.to as usize)));
            self.waits.marked(from, self.ports[to as usize].far);
            self.resume(now, flow, events);
        }
    }

    /// Feedback has arrived: a flow that was stalled without it may resume.
    pub(crate) fn resume(&mut self, now: Time, flow: u32, events: &mut EventQueue<FrameEvent>) {
        let state = &self.flows[flow];
        let (standing, from) = (state.standing, state.from);
        let slot = self.plan.slots.host(HostId::new(from as usize));
        match (standing, self.next_bits(flow)) {
            (Standing::InLine, None) => self.leave_ring(slot, flow),
            (Standing::InLine | Standing::Paced | Standing::Gone, _) => {}
            (Standing::Window | Standing::Idle, None) => self.flows[flow].standing = Standing::Idle,
            (Standing::Window | Standing::Idle, Some(next)) => {
                if self.rates.permits(flow, self.under_way(flow), next) {
                    self.end_wait(now, flow, slot, standing);
                    self.goes_on(now, slot, flow, events);
                    self.start(now, slot, events);
                }
            }
        }
        self.retire(flow);
    }

    /// The wait of a flow for its window, or to send again, is over.
    fn end_wait(&mut self, now: Time, flow: u32, slot: Slot, standing: Standing) {
        let state = &self.flows[flow];
        let (since, from) = (state.account.since(), state.from as usize);
        // The last bit of the previous frame may still be to come.
        let until = now.max(since);
        let stage = match standing {
            Standing::Idle => FrameStage::LaneOrRetransmissionWait,
            Standing::Window | Standing::Paced | Standing::InLine | Standing::Gone => {
                until.since(since).onto(&mut self.waits.paced[from]);
                FrameStage::Pacing
            }
        };
        self.close_flow(flow, stage, slot, until);
    }
}
