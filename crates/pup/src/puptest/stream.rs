//! A stream with both of its ends, and the messages in its window.

use std::collections::VecDeque;

use hopscope_kernel::RandomStream;
use hopscope_measure::Pool;
use hopscope_units::{Span, Time};

use super::content::Content;
use super::message::Message;
use crate::bsp::{
    Arrival, ByteStreamReceiver, ByteStreamSender, Phase, ReceiverRule, Rendezvous, StreamPup, Transmit,
};
use crate::observe::{Journey, Stage, StreamCounts};
use crate::scenario::{StreamParams, StreamPlan};
use crate::wire::{Allocation, Header, Pup, kind};

/// What has waited until the last copy of it left its own machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HeldBack {
    /// The sender's next Pup.
    Pup,
    /// The receiver's acknowledgment.
    Acknowledgment,
}

/// An end of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// The one that calls and sends.
    Sender,
    /// The one that is called and receives.
    Receiver,
}

/// A stream and both of its ends.
#[derive(Clone, Debug)]
pub(crate) struct Stream {
    plan: StreamPlan,
    near: Rendezvous,
    far: Rendezvous,
    sender: ByteStreamSender,
    receiver: ByteStreamReceiver,
    /// Pups that it had dropped before their turn when the measurement began.
    rejected_before: u64,
    /// Since the restart, what messages waited because an acknowledgment of them did not arrive.
    unanswered: Span,
    messages: VecDeque<Message>,
    /// Number of the first byte of the first message.
    base: u32,
    written: u64,
    content: Content,
    expected: Content,
    /// Its next Pup waits for the sender's processor.
    queued: bool,
    timer: Option<Time>,
    timer_set: u32,
    /// When a demand came that has not been answered.
    demanded: Option<Time>,
    /// When it was last decided to send something again.
    ordered: Time,
    early: u64,
    duplicate: u64,
    /// Its Pups in the queues of its own machines.
    in_host_queue: Vec<StreamPup>,
    /// Something waits to be sent until the last copy of it has left the sender's machine, or of the acknowledgment the
    /// receiver's.
    held_back: bool,
    answer_held_back: bool,
    /// Journeys that have no Pup, kept for their memory.
    spare: Vec<Journey>,
    /// The messages in the window.
    pub window: Pool,
}

impl Stream {
    /// A stream before it calls; `index` is its place among the scenario's.
    pub fn new(plan: StreamPlan, params: &StreamParams, index: u64, seed: u64) -> Self {
        let id = RandomStream::named(seed, "connection", index).next_u64() as u32;
        let content = Content::of_stream(seed, index);
        let window = params.window as u16;
        Self {
            near: Rendezvous::calling(id, plan.near, plan.far),
            far: Rendezvous::listening(plan.far),
            sender: ByteStreamSender::new(params.sender, window, id),
            receiver: ByteStreamReceiver::new(params.receiver, window, id),
            rejected_before: 0,
            unanswered: Span::ZERO,
            messages: VecDeque::new(),
            base: id,
            written: 0,
            expected: content.clone(),
            content,
            queued: false,
            timer: None,
            timer_set: 0,
            demanded: None,
            ordered: Time::ZERO,
            early: 0,
            duplicate: 0,
            in_host_queue: Vec::new(),
            held_back: false,
            answer_held_back: false,
            spare: Vec::new(),
            window: Pool::bounded(u64::from(params.window)),
            plan,
        }
    }

    /// The message in the window that begins with this byte.
    fn message_at(&self, sequence: u32) -> usize {
        sequence.wrapping_sub(self.base) as usize / self.plan.length
    }

    /// Messages handed over and not acknowledged.
    pub fn outstanding(&self) -> usize {
        assert_eq!(self.messages.len(), self.sender.in_window(), "every Pup in the window is a message");
        self.messages.len()
    }

    /// What both ends have counted.
    pub fn counts(&self) -> StreamCounts {
        let sender = self.sender.counts();
        StreamCounts {
            early: self.early,
            duplicate: self.duplicate,
            partial: sender.partial,
            probes: sender.probes,
            throttles: sender.refused,
        }
    }

    /// Whether the connection has ended.
    pub fn over(&self) -> bool {
        self.near.phase() == Phase::Ended
    }

    /// The Pup type with which the sender calls or asks for the end, as long as it has to.
    pub const fn request(&self) -> Option<u8> {
        self.near.request()
    }

    /// A Pup of the rendezvous protocol has come to this end; the type of the answer, if any.
    pub fn received(&mut self, end: End, pup: &Pup<'_>) -> Option<u8> {
        match end {
            End::Sender => self.near.received(pup),
            End::Receiver => self.far.received(pup),
        }
    }

    /// Gives this end's Pup of the rendezvous protocol to `to`.
    pub fn tell_rendezvous(&self, end: End, kind: u8, to: impl FnOnce(&Pup<'_>)) {
        match end {
            End::Sender => self.near.tell(kind, to),
            End::Receiver => self.far.tell(kind, to),
        }
    }

    /// The machine of this end.
    pub const fn machine(&self, end: End) -> u32 {
        match end {
            End::Sender => self.plan.from,
            End::Receiver => self.plan.to,
        }
    }
}

/// The queues of its own machines.
impl Stream {
    /// A Pup is queued in its own machine.
    pub fn enters_host_queue(&mut self, pup: StreamPup) {
        self.in_host_queue.push(pup);
    }

    /// Whether such a Pup is queued in its own machine.
    pub fn in_host_queue(&self, pup: StreamPup) -> bool {
        self.in_host_queue.contains(&pup)
    }

    /// A Pup has left its own machine; what may be sent now that was held back on its account.
    pub fn left_host_queue(&mut self, now: Time, pup: StreamPup) -> Option<HeldBack> {
        let place = self.in_host_queue.iter().position(|&other| other == pup).expect("it was queued there");
        self.in_host_queue.remove(place);
        if self.in_host_queue(pup) {
            return None;
        }
        if pup == StreamPup::Acknowledgment {
            return std::mem::take(&mut self.answer_held_back).then_some(HeldBack::Acknowledgment);
        }
        std::mem::take(&mut self.held_back).then(|| {
            self.ordered = now;
            HeldBack::Pup
        })
    }
}

/// The sending end.
impl Stream {
    /// The user hands over the next Pup of data, if the stream takes one; false where it does not.
    pub fn hand_over(&mut self, now: Time, number: u64, data: &mut Vec<u8>) -> bool {
        let takes = self.near.phase() == Phase::Open && self.written < self.plan.pups && self.sender.room();
        if takes {
            self.content.fill(self.plan.length, data);
            self.sender.write(data);
            self.written += 1;
            self.window.acquire(now, 1);
            self.messages.push_back(Message {
                number,
                born: now,
                taken: None,
                demand: false,
                again: 0,
                answered: None,
                delivered: now,
            });
        }
        takes
    }

    /// If everything is written, the sender is informed.
    pub fn flush_at_end(&mut self) {
        if self.written == self.plan.pups {
            self.sender.flush();
        }
    }

    /// When the timer is to ring, and its number, where that has changed.
    pub fn timer_change(&mut self) -> Option<(Time, u32)> {
        let deadline = self.sender.deadline();
        if self.timer == deadline {
            return None;
        }
        self.timer = deadline;
        self.timer_set = self.timer_set.wrapping_add(1);
        deadline.map(|deadline| (deadline, self.timer_set))
    }

    /// The timer that was set the so-many-th time rings. False where it has been set again since.
    pub fn timer_rings(&mut self, now: Time, set: u32) -> bool {
        let valid = self.timer_set == set;
        if valid {
            // A Pup that has not left its machine cannot have been answered.
            if self.sender.demand_is_among(&self.in_host_queue) {
                self.sender.postpone(now);
            } else {
                self.sender.time_out(now);
                self.ordered = now;
            }
        }
        valid
    }

    /// Whether the stream has to be put in line for the sender's processor; from then on it is in line.
    pub fn gets_in_line(&mut self) -> bool {
        self.sender.wants() && !std::mem::replace(&mut self.queued, true)
    }

    /// The sender's processor is free: what to send, if there still is something whose last copy has left.
    pub fn next_pup(&mut self, now: Time) -> Option<(StreamPup, Transmit)> {
        self.queued = false;
        let upcoming = self.sender.upcoming()?;
        if self.in_host_queue(upcoming) {
            self.held_back = true;
            return None;
        }
        let transmit = self.sender.poll(now)?;
        Some((upcoming, transmit))
    }

    /// The journey of a copy begins where its message was born; if it is sent again, with the wait for that.
    pub fn begin_journey(&mut self, transmit: &Transmit, journey: &mut Journey) {
        let at = self.message_at(transmit.sequence);
        let Some(message) = self.messages.get_mut(at).filter(|_| transmit.length > 0) else { return };
        journey.begin(message.born);
        if transmit.again {
            message.again += 1;
            journey.close(Stage::Retransmission, self.plan.from, self.ordered.max(message.born));
        }
    }

    /// The header of a Pup; its data take the place of what `data` holds.
    pub fn write_pup(&self, transmit: &Transmit, data: &mut Vec<u8>) -> Header {
        data.clear();
        self.sender.copy_data(transmit, data);
        Header {
            transport_control: 0,
            kind: transmit.kind(),
            id: transmit.sequence,
            destination: self.near.far(),
            source: self.plan.near,
        }
    }

    /// The measurement begins anew.
    pub fn restart(&mut self, now: Time) {
        self.window.restart(now);
        self.rejected_before = self.receiver.dropped();
        self.unanswered = Span::ZERO;
    }

    /// Pups that the receiver has dropped since the restart because they came before their turn.
    pub fn rejected_early(&self) -> u64 {
        self.receiver.dropped() - self.rejected_before
    }

    /// A full queue has refused a Pup of the stream.
    pub fn refused(&mut self) {
        self.sender.refused();
    }

    /// An acknowledgment has come; the number of messages to [`release`](Self::release).
    pub fn acknowledged(&mut self, now: Time, wanted: u32, allocation: Allocation) -> usize {
        self.ordered = now;
        self.sender.acknowledged(now, wanted, allocation)
    }

    /// The oldest message leaves the window: it is acknowledged.
    pub fn release(&mut self, now: Time) -> Message {
        self.base = self.base.wrapping_add(self.plan.length as u32);
        self.window.release(now, 1);
        self.messages.pop_front().expect("every Pup in the window is a message")
    }

    /// A message was released by an acknowledgment demanded at this time: what it waited since the demand of the first
    /// one that the receiver sent is because that one did not arrive.
    pub fn count_unanswered(&mut self, first: Option<Time>, demanded: Time) {
        self.unanswered += first.map_or(Span::ZERO, |first| demanded.max(first).since(first));
    }

    /// What messages have waited since the restart because an acknowledgment of them did not arrive, all together.
    pub const fn unanswered(&self) -> Span {
        self.unanswered
    }

    /// Keeps the memory of a journey that is over.
    pub fn recycle(&mut self, journey: Journey) {
        self.spare.push(journey);
    }

    /// Asks for the end of the connection where all is written and acknowledged. Returns whether it has.
    pub fn end_if_done(&mut self) -> bool {
        let done = self.written == self.plan.pups && self.sender.idle() && self.near.phase() == Phase::Open;
        if done {
            self.near.end();
        }
        done
    }
}

/// The receiving end.
impl Stream {
    /// Whether the receiver knows of the connection.
    pub fn receiving(&self) -> bool {
        self.far.phase() == Phase::Open
    }

    /// A Pup of data comes to the receiver, which compares what is delivered with what was written; `data` is scratch.
    /// The first copy that the receiver takes, at once or to keep, is the one whose journey becomes the message's.
    pub fn take(&mut self, now: Time, pup: &Pup<'_>, journey: &mut Journey, data: &mut Vec<u8>) {
        let (id, wanted_before) = (pup.header.id, self.receiver.wanted());
        let (expected, length) = (&mut self.expected, self.plan.length);
        let arrival = self.receiver.data(id, pup.data, |_, delivered| {
            expected.fill(length, data);
            assert!(delivered == &data[..], "a stream delivers what was written, in order");
        });
        match arrival {
            Arrival::Delivered => {}
            Arrival::Kept | Arrival::Early => self.early += 1,
            // A probe has no data that could have been there.
            Arrival::Duplicate => self.duplicate += u64::from(!pup.data.is_empty()),
        }
        let wanted = self.receiver.wanted();
        let taken = wanted != wanted_before || self.receiver.keeps(id);
        let here = self.message_at(id);
        if let Some(message) = self.messages.get_mut(here).filter(|message| taken && message.taken.is_none())
        {
            message.taken = Some(std::mem::replace(journey, self.spare.pop().unwrap_or_default()));
            message.demand = pup.header.kind == kind::A_DATA;
        }
        let end = |sequence| self.message_at(sequence).min(self.messages.len());
        let (from, to) = (end(wanted_before), end(wanted));
        self.messages.range_mut(from..to).for_each(|message| message.delivered = now);
    }

    /// A demand for an acknowledgment has come. False where one before it has not been answered yet.
    pub fn demand(&mut self, now: Time) -> bool {
        let first = self.demanded.is_none();
        self.demanded.get_or_insert(now);
        first
    }

    /// The acknowledgment to send now. Nothing where an earlier one is still queued in the receiver's machine: it
    /// follows that one.
    pub fn acknowledge(&mut self) -> Option<Acknowledgment> {
        if self.in_host_queue(StreamPup::Acknowledgment) {
            self.answer_held_back = true;
            return None;
        }
        let (wanted, allocation) = self.receiver.acknowledge();
        if self.receiver.rule() == ReceiverRule::Keep {
            // What was kept is discarded now: other copies have to arrive.
            let still = self.message_at(wanted).min(self.messages.len());
            self.messages.range_mut(still..).for_each(|message| message.taken = None);
        }
        let demanded = self.demanded.take().expect("there was a demand");
        let covered = self.message_at(wanted).min(self.messages.len());
        self.messages.range_mut(..covered).for_each(|message| {
            message.answered.get_or_insert(demanded);
        });
        let header = Header {
            transport_control: 0,
            kind: kind::ACK,
            id: wanted,
            destination: self.far.far(),
            source: self.plan.far,
        };
        Some(Acknowledgment { demanded, header, allocation })
    }
}

/// An acknowledgment that the receiver sends.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Acknowledgment {
    /// When it was demanded.
    pub demanded: Time,
    header: Header,
    allocation: Allocation,
}

impl Acknowledgment {
    /// Gives the Pup to `to`.
    pub fn tell(&self, to: impl FnOnce(&Pup<'_>)) {
        to(&Pup { header: self.header, data: &self.allocation.to_data() });
    }
}
