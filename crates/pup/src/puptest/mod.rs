//! PupTest: streams between two processes whose sender always has another Pup to send (IEN 138). The content is random and is compared,
//! byte by byte, with what was sent.

use std::collections::VecDeque;

use hopscope_kernel::{EventQueue, RandomStream};
use hopscope_measure::{Journal, Pool};
use hopscope_units::{Data, Span, Time};

use crate::bsp::{
    ByteStreamReceiver, ByteStreamSender, Phase, ReceiverRule, Rendezvous, StreamPup, Transmit,
};
use crate::internet::{Event, Internet, Job};
use crate::observe::{Stage, Tap, Trail};
use crate::scenario::PupPlan;
use crate::wire::{Allocation, ErrorCode, ErrorReport, Header, MOST_DATA, Pup, kind};

/// How long a call, and the request for an end, wait for an answer.
const BETWEEN_CALLS: Span = Span::from_s(2);

/// A Pup of the stream from its user's hand to its acknowledgment.
#[derive(Clone, Debug)]
struct Life {
    /// Pups of all streams are numbered in the order of their birth.
    number: u64,
    born: Time,
    /// What the copy that the receiver has taken went through; nothing until then.
    taken: Option<Trail>,
    demand: bool,
    /// Times that it was sent again.
    again: u32,
    /// When the receiver's user got it.
    delivered: Time,
}

/// A stream and both of its ends.
#[derive(Clone, Debug)]
pub(crate) struct Stream {
    near: Rendezvous,
    far: Rendezvous,
    pub(crate) sender: ByteStreamSender,
    receiver: ByteStreamReceiver,
    lives: VecDeque<Life>,
    /// Number of the first byte of the first life.
    base: u32,
    written: u64,
    content: RandomStream,
    expected: RandomStream,
    /// Its next Pup waits for the sender's processor.
    queued: bool,
    timer: Option<Time>,
    timer_set: u32,
    /// When a demand came that has not been answered.
    demanded: Option<Time>,
    /// When it was last decided to send something again.
    pub(crate) ordered: Time,
    /// Its Pups in the queues of its own machines.
    pub(crate) in_host_queue: Vec<StreamPup>,
    /// Something waits to be sent until the last copy of it has left the sender's machine, or of the acknowledgment the receiver's.
    pub(crate) held_back: bool,
    pub(crate) answer_held_back: bool,
    /// Trails that have no Pup, kept for their memory.
    spare: Vec<Trail>,
    pub window: Pool,
}

impl Stream {
    pub fn new(plan: &PupPlan, at: usize, seed: u64) -> Self {
        let params = &plan.params.stream;
        let stream = &plan.streams[at];
        let index = at as u64;
        let id = RandomStream::named(seed, "connection", index).next_u64() as u32;
        let content = RandomStream::named(seed, "content", index);
        let window = params.window as u16;
        Self {
            near: Rendezvous::calling(id, stream.near, stream.far),
            far: Rendezvous::listening(stream.far),
            sender: ByteStreamSender::new(params.sender, window, id),
            receiver: ByteStreamReceiver::new(params.receiver, window, id),
            lives: VecDeque::new(),
            base: id,
            written: 0,
            expected: content.clone(),
            content,
            queued: false,
            timer: None,
            timer_set: 0,
            demanded: None,
            ordered: Time::ZERO,
            in_host_queue: Vec::new(),
            held_back: false,
            answer_held_back: false,
            spare: Vec::new(),
            window: Pool::bounded(u64::from(params.window)),
        }
    }

    fn life(&self, sequence: u32, length: usize) -> Option<usize> {
        let at = sequence.wrapping_sub(self.base) as usize / length;
        (at < self.lives.len()).then_some(at)
    }

    /// Pups handed over and not acknowledged.
    pub fn outstanding(&self) -> usize {
        assert_eq!(self.lives.len(), self.sender.in_window(), "every Pup in the window has its life");
        self.lives.len()
    }

    fn over(&self) -> bool {
        self.near.phase() == Phase::Ended
    }
}

/// The next bytes of a stream's content.
fn fill(content: &mut RandomStream, length: usize, data: &mut Vec<u8>) {
    data.clear();
    while data.len() < length {
        data.extend_from_slice(&content.next_u64().to_be_bytes());
    }
    data.truncate(length);
}

impl<J: Journal, T: Tap> Internet<J, T> {
    /// Whether every stream has come to its end.
    pub(crate) fn all_over(&self) -> bool {
        self.streams.iter().all(Stream::over)
    }

    /// A stream calls, or asks for its end, until it is answered.
    pub(crate) fn call(&mut self, now: Time, stream: u32, queue: &mut EventQueue<Event>) {
        let near = &self.streams[stream as usize].near;
        let Some(request) = near.request() else { return };
        if !self.streams[stream as usize].in_host_queue.contains(&StreamPup::Rendezvous) {
            let machine = self.plan.streams[stream as usize].from;
            let packet = self.packets.insert(now);
            near.write(request, &mut self.packets[packet].bytes);
            self.enter_host_queue(stream, packet, StreamPup::Rendezvous);
            self.enqueue(now, machine, Job::Send { packet }, queue);
        }
        self.of_stream(queue, stream, now + BETWEEN_CALLS, Event::Call(stream));
    }

    /// The user hands over Pups while the stream takes them.
    fn hand_over(&mut self, now: Time, stream: u32, queue: &mut EventQueue<Event>) {
        let plan = &self.plan.streams[stream as usize];
        let at = &mut self.streams[stream as usize];
        while at.near.phase() == Phase::Open && at.written < plan.pups && at.sender.room() {
            fill(&mut at.content, plan.length, &mut self.data);
            at.sender.write(&self.data);
            at.written += 1;
            at.window.acquire(now, 1);
            at.lives.push_back(Life {
                number: self.born,
                born: now,
                taken: None,
                demand: false,
                again: 0,
                delivered: now,
            });
            self.born += 1;
            self.monitor.born(now, Data::from_bytes(plan.length as u64));
        }
        if at.written == plan.pups {
            at.sender.flush();
        }
        self.press_on(now, stream, queue);
    }

    /// Whatever the sender wants sent gets in line for the processor, and the timer is set.
    pub(crate) fn press_on(&mut self, now: Time, stream: u32, queue: &mut EventQueue<Event>) {
        let at = &mut self.streams[stream as usize];
        let deadline = at.sender.deadline();
        if at.timer != deadline {
            at.timer = deadline;
            at.timer_set = at.timer_set.wrapping_add(1);
            let set = at.timer_set;
            if let Some(deadline) = deadline {
                self.of_stream(queue, stream, deadline.max(now), Event::Timer(stream, set));
            }
        }
        let at = &mut self.streams[stream as usize];
        if at.sender.wants() && !at.queued {
            at.queued = true;
            let machine = self.plan.streams[stream as usize].from;
            self.enqueue(now, machine, Job::Stream(stream), queue);
        }
    }

    pub(crate) fn timer(&mut self, now: Time, stream: u32, set: u32, queue: &mut EventQueue<Event>) {
        let stands = self.demand_in_host_queue(stream);
        let at = &mut self.streams[stream as usize];
        if at.timer_set == set {
            if stands {
                at.sender.postpone(now);
            } else {
                at.sender.time_out(now);
                at.ordered = now;
            }
            self.press_on(now, stream, queue);
        }
    }

    /// The sender's processor is free for a Pup of the stream: its bytes, if there still is one to send.
    pub(crate) fn next_of_stream(&mut self, now: Time, stream: u32) -> Option<u32> {
        let plan = std::sync::Arc::clone(&self.plan);
        let plan = &plan.streams[stream as usize];
        let at = &mut self.streams[stream as usize];
        at.queued = false;
        let upcoming = at.sender.upcoming()?;
        if at.in_host_queue.contains(&upcoming) {
            at.held_back = true;
            return None;
        }
        let transmit = at.sender.poll(now)?;
        let packet = self.packets.insert(now);
        self.enter_host_queue(stream, packet, upcoming);
        let at = &mut self.streams[stream as usize];
        let place = plan.from;
        if let Some(life) = at.life(transmit.sequence, plan.length).filter(|_| transmit.length > 0) {
            let trail = &mut self.packets[packet].trail;
            trail.begin(at.lives[life].born);
            if transmit.again {
                at.lives[life].again += 1;
                trail.close(Stage::Retransmission, place, at.ordered.max(trail.born()));
            }
        }
        self.data.clear();
        at.sender.copy_data(&transmit, &mut self.data);
        let header = header_of(&transmit, &at.near, plan.near);
        Pup { header, data: &self.data }.encode(&mut self.packets[packet].bytes).expect("a Pup's data fit");
        Some(packet)
    }

    /// A Pup has come to the stream's sender and been handled by its processor.
    pub(crate) fn at_sender(
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
                    self.streams[stream as usize].sender.refused();
                    self.press_on(now, stream, queue);
                }
            }
            _ => {
                let at = &mut self.streams[stream as usize];
                let answer = at.near.received(pup);
                self.answer(now, stream, true, answer, queue);
                self.hand_over(now, stream, queue);
            }
        }
    }

    fn answer(
        &mut self,
        now: Time,
        stream: u32,
        near: bool,
        answer: Option<u8>,
        queue: &mut EventQueue<Event>,
    ) {
        let Some(kind) = answer else { return };
        let (plan, at) = (&self.plan.streams[stream as usize], &self.streams[stream as usize]);
        let (machine, end) = if near { (plan.from, &at.near) } else { (plan.to, &at.far) };
        let packet = self.packets.insert(now);
        end.write(kind, &mut self.packets[packet].bytes);
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
        let plan = std::sync::Arc::clone(&self.plan);
        let plan = &plan.streams[stream as usize];
        let at = &mut self.streams[stream as usize];
        let released = at.sender.acknowledged(now, pup.header.id, allocation);
        at.ordered = now;
        for _ in 0..released {
            let life = at.lives.pop_front().expect("every Pup in the window has its life");
            at.base = at.base.wrapping_add(plan.length as u32);
            at.window.release(now, 1);
            let mut trail = life.taken.expect("only what the receiver has taken is acknowledged");
            let ack = &self.packets[packet];
            trail.close(Stage::AcknowledgmentWait, plan.to, ack.demanded.max(trail.last()));
            trail.close(Stage::Turnaround, plan.to, ack.trail.born().max(trail.last()));
            trail.follow(&ack.trail);
            let data = Data::from_bytes(plan.length as u64);
            let class = usize::from(life.demand);
            self.retransmissions.add(life.again);
            self.monitor.delivered(now, class, life.delivered.since(life.born), &trail.account(), data);
            trail.write(life.number, &mut self.journal);
            self.last_delivery = now;
            at.spare.push(trail);
        }
        if at.written == plan.pups && at.sender.idle() && at.near.phase() == Phase::Open {
            at.near.end();
            self.call(now, stream, queue);
        }
        self.hand_over(now, stream, queue);
    }

    /// A Pup of the stream has been handled by the receiver's processor.
    pub(crate) fn at_receiver(
        &mut self,
        now: Time,
        stream: u32,
        packet: u32,
        pup: &Pup<'_>,
        queue: &mut EventQueue<Event>,
    ) {
        if !matches!(pup.header.kind, kind::DATA | kind::A_DATA) {
            let at = &mut self.streams[stream as usize];
            let answer = at.far.received(pup);
            self.answer(now, stream, false, answer, queue);
            return;
        }
        if self.streams[stream as usize].far.phase() != Phase::Open {
            return;
        }
        let demand = pup.header.kind == kind::A_DATA;
        self.take(now, stream, packet, pup, demand);
        let at = &mut self.streams[stream as usize];
        if demand && at.demanded.is_none() {
            at.demanded = Some(now);
            let sends = now + self.plan.params.stream.turnaround;
            self.of_stream(queue, stream, sends, Event::Turnaround(stream));
        }
    }

    fn take(&mut self, now: Time, stream: u32, packet: u32, pup: &Pup<'_>, demand: bool) {
        let length = self.plan.streams[stream as usize].length;
        let Stream { receiver, expected, lives, base, spare, .. } = &mut self.streams[stream as usize];
        let scratch = &mut self.data;
        let wanted_before = receiver.wanted();
        receiver.data(pup.header.id, pup.data, |_, data| {
            fill(expected, length, scratch);
            assert!(data == &scratch[..], "a stream delivers what was written, in order");
        });
        let index = |sequence: u32| sequence.wrapping_sub(*base) as usize / length;
        let here = index(pup.header.id);
        // The first copy that the receiver takes, at once or to keep, is the one whose way the message has gone.
        let kept = receiver.wanted() != wanted_before || receiver.keeps(pup.header.id);
        if let Some(life) = lives.get_mut(here).filter(|life| kept && life.taken.is_none()) {
            let trail = &mut self.packets[packet].trail;
            life.taken = Some(std::mem::replace(trail, spare.pop().unwrap_or_default()));
            life.demand = demand;
        }
        for life in
            lives.range_mut(index(wanted_before).min(lives.len())..index(receiver.wanted()).min(lives.len()))
        {
            life.delivered = now;
        }
    }

    /// The receiver's process sends its acknowledgment.
    pub(crate) fn turn_around(&mut self, now: Time, stream: u32, queue: &mut EventQueue<Event>) {
        let plan = std::sync::Arc::clone(&self.plan);
        let plan = &plan.streams[stream as usize];
        let at = &mut self.streams[stream as usize];
        if at.in_host_queue.contains(&StreamPup::Acknowledgment) {
            at.answer_held_back = true;
            return;
        }
        let (wanted, allocation) = at.receiver.acknowledge();
        if self.plan.params.stream.receiver == ReceiverRule::Keep {
            // What was kept is thrown away now: other copies have to come.
            let still = wanted.wrapping_sub(at.base) as usize / plan.length;
            at.lives.range_mut(still.min(at.lives.len())..).for_each(|life| life.taken = None);
        }
        let demanded = at.demanded.take().expect("there was a demand");
        let header = Header {
            transport_control: 0,
            kind: kind::ACK,
            id: wanted,
            destination: at.far.far(),
            source: plan.far,
        };
        let packet = self.packets.insert(now);
        self.packets[packet].demanded = demanded;
        let pup = Pup { header, data: &allocation.to_data() };
        pup.encode(&mut self.packets[packet].bytes).expect("an allocation is short");
        self.enter_host_queue(stream, packet, StreamPup::Acknowledgment);
        self.enqueue(now, plan.to, Job::Send { packet }, queue);
    }
}

fn header_of(transmit: &Transmit, near: &Rendezvous, source: crate::wire::Port) -> Header {
    assert!(usize::from(transmit.length) <= MOST_DATA, "a Pup's data fit");
    Header {
        transport_control: 0,
        kind: transmit.kind(),
        id: transmit.sequence,
        destination: near.far(),
        source,
    }
}
