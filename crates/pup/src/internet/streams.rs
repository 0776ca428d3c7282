//! Streams in the internet: what the two ends of PupTest do when a timer rings, a processor is free or a Pup has come.

use hopscope_kernel::EventQueue;
use hopscope_measure::Journal;
use hopscope_units::{Data, Span, Time};

use super::{Event, Internet};
use crate::bsp::StreamPup;
use crate::observe::{Stage, Tap};
use crate::puptest::{End, Stream};
use crate::scenario::Class;
use crate::stations::Job;
use crate::wire::{Allocation, ErrorCode, ErrorReport, Pup, kind};

/// How long a call, and the request for an end, wait for an answer.
const BETWEEN_CALLS: Span = Span::from_s(2);

impl<J: Journal, T: Tap> Internet<J, T> {
    /// Whether every stream has ended, and no host requests further echoes.
    pub(crate) fn all_over(&self) -> bool {
        self.echoes.is_empty() && self.streams.iter().all(Stream::over)
    }

    /// A stream calls, or asks for its end, until it is answered.
    pub(super) fn call(&mut self, now: Time, stream: u32, queue: &mut EventQueue<Event>) {
        let at = &self.streams[stream as usize];
        let Some(request) = at.request() else { return };
        if !at.in_host_queue(StreamPup::Rendezvous) {
            let machine = at.machine(End::Sender);
            let packet = self.packets.insert(now);
            at.tell_rendezvous(End::Sender, request, |pup| self.packets[packet].set(pup));
            self.enter_host_queue(stream, packet, StreamPup::Rendezvous);
            self.enqueue(now, machine, Job::Send { packet }, queue);
        }
        self.of_stream(queue, stream, now + BETWEEN_CALLS, Event::Call(stream));
    }

    /// The user hands over Pups while the stream takes them.
    fn hand_over(&mut self, now: Time, stream: u32, queue: &mut EventQueue<Event>) {
        let data = Data::from_bytes(self.plan.streams[stream as usize].length as u64);
        let at = &mut self.streams[stream as usize];
        while at.hand_over(now, self.born, &mut self.data) {
            self.born += 1;
            self.monitor.born(now, data);
        }
        at.flush_at_end();
        self.press_on(now, stream, queue);
    }

    /// Whatever the sender wants sent gets in line for the processor, and the timer is set.
    pub(super) fn press_on(&mut self, now: Time, stream: u32, queue: &mut EventQueue<Event>) {
        if let Some((deadline, set)) = self.streams[stream as usize].timer_change() {
            self.of_stream(queue, stream, deadline.max(now), Event::Timer(stream, set));
        }
        let at = &mut self.streams[stream as usize];
        if at.gets_in_line() {
            let machine = at.machine(End::Sender);
            self.enqueue(now, machine, Job::Stream(stream), queue);
        }
    }

    pub(super) fn timer(&mut self, now: Time, stream: u32, set: u32, queue: &mut EventQueue<Event>) {
        if self.streams[stream as usize].timer_rings(now, set) {
            self.press_on(now, stream, queue);
        }
    }

    /// The sender's processor is free for a Pup of the stream: the Pup, if there still is one to send.
    pub(super) fn next_of_stream(&mut self, now: Time, stream: u32) -> Option<u32> {
        let (pup, transmit) = self.streams[stream as usize].next_pup(now)?;
        let packet = self.packets.insert(now);
        self.enter_host_queue(stream, packet, pup);
        let at = &mut self.streams[stream as usize];
        at.begin_journey(&transmit, &mut self.packets[packet].journey);
        let packet_sent = &mut self.packets[packet];
        packet_sent.header = at.write_pup(&transmit, &mut packet_sent.data);
        Some(packet)
    }

    /// A Pup has come to the stream's sender and been handled by its processor.
    pub(super) fn at_sender(
        &mut self,
        now: Time,
        stream: u32,
        packet: u32,
        pup: &Pup<'_>,
        queue: &mut EventQueue<Event>,
    ) {
        match pup.header.kind {
            kind::ACK => self.acknowledged(now, stream, packet, pup, queue),
            kind::ERROR => {
                let full =
                    ErrorReport::of(pup).is_some_and(|report| report.code == ErrorCode::GatewayQueueFull);
                if full {
                    self.streams[stream as usize].refused();
                    self.press_on(now, stream, queue);
                }
            }
            _ => {
                self.rendezvous(now, stream, End::Sender, pup, queue);
                self.hand_over(now, stream, queue);
            }
        }
    }

    /// A Pup of the rendezvous protocol has come to this end of a stream, which may have to answer it.
    fn rendezvous(&mut self, now: Time, stream: u32, end: End, pup: &Pup<'_>, queue: &mut EventQueue<Event>) {
        let at = &mut self.streams[stream as usize];
        let Some(kind) = at.received(end, pup) else { return };
        let machine = at.machine(end);
        let packet = self.packets.insert(now);
        at.tell_rendezvous(end, kind, |pup| self.packets[packet].set(pup));
        self.enqueue(now, machine, Job::Send { packet }, queue);
    }

    fn acknowledged(
        &mut self,
        now: Time,
        stream: u32,
        packet: u32,
        pup: &Pup<'_>,
        queue: &mut EventQueue<Event>,
    ) {
        let Some(allocation) = Allocation::of_data(pup.data) else { return };
        let released = self.streams[stream as usize].acknowledged(now, pup.header.id, allocation);
        for _ in 0..released {
            self.close_message(now, stream, packet);
        }
        if self.streams[stream as usize].end_if_done() {
            self.call(now, stream, queue);
        }
        self.hand_over(now, stream, queue);
    }

    /// The oldest message of a stream is acknowledged by this Pup: the ledger gets its journey, and the
    /// acknowledgment's after it.
    fn close_message(&mut self, now: Time, stream: u32, acknowledgment: u32) {
        let (plan, at) = (&self.plan.streams[stream as usize], &mut self.streams[stream as usize]);
        let message = at.release(now);
        let mut journey = message.taken.expect("only what the receiver has taken is acknowledged");
        let ack = &self.packets[acknowledgment];
        at.count_unanswered(message.answered, ack.demanded);
        journey.close(Stage::AcknowledgmentWait, plan.to, ack.demanded.max(journey.last()));
        journey.close(Stage::Turnaround, plan.to, ack.journey.born().max(journey.last()));
        journey.follow(&ack.journey);
        let data = Data::from_bytes(plan.length as u64);
        let class = if message.demand { Class::AData } else { Class::Data };
        self.statistics.acknowledged(now, stream, data, message.again, at.counts());
        let latency = message.delivered.since(message.born);
        self.monitor.delivered(now, self.plan.class(class), latency, &journey.account(), data);
        self.monitor.went(plan.from, plan.to, &journey.account());
        journey.write(message.number, &mut self.journal);
        self.last_delivery = now;
        at.recycle(journey);
    }

    /// A Pup of the stream has been handled by the receiver's processor.
    pub(super) fn at_receiver(
        &mut self,
        now: Time,
        stream: u32,
        packet: u32,
        pup: &Pup<'_>,
        queue: &mut EventQueue<Event>,
    ) {
        if !matches!(pup.header.kind, kind::DATA | kind::A_DATA) {
            self.rendezvous(now, stream, End::Receiver, pup, queue);
            return;
        }
        let at = &mut self.streams[stream as usize];
        if !at.receiving() {
            return;
        }
        at.take(now, pup, &mut self.packets[packet].journey, &mut self.data);
        if pup.header.kind == kind::A_DATA && at.demand(now) {
            let sends = now + self.plan.params.stream.turnaround;
            self.of_stream(queue, stream, sends, Event::Turnaround(stream));
        }
    }

    /// The receiver's process sends its acknowledgment.
    pub(super) fn turn_around(&mut self, now: Time, stream: u32, queue: &mut EventQueue<Event>) {
        let at = &mut self.streams[stream as usize];
        let machine = at.machine(End::Receiver);
        let Some(acknowledgment) = at.acknowledge() else { return };
        let packet = self.packets.insert(now);
        self.packets[packet].demanded = acknowledgment.demanded;
        acknowledgment.tell(|pup| self.packets[packet].set(pup));
        self.enter_host_queue(stream, packet, StreamPup::Acknowledgment);
        self.enqueue(now, machine, Job::Send { packet }, queue);
    }
}
