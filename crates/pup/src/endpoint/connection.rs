//! One connection of the byte stream protocol with both of its directions, on a clock: calls and their repeats, data,
//! acknowledgments, probes, the end and the dally after it.
//!
//! Sources: Pup specification, 1980; the byte stream protocol of Mesa (1981) and BCPL, and what Altos do on the wire.

use std::collections::VecDeque;

use hopscope_units::{Span, Time};

use super::notice::{Effects, Ending, Notice};
use super::patience::Patience;
use super::{Counts, EndpointParams};
use crate::bsp::{
    Arrival, ByteStreamReceiver, ByteStreamSender, Phase, Rendezvous, RetransmissionTimer, Transmit,
};
use crate::wire::{Allocation, ErrorCode, ErrorReport, Header, MOST_DATA, Port, Pup, kind};

/// From one call, or request for the end, to the next.
const BETWEEN_CALLS: Span = Span::from_s(2);
/// How long an ended connection still answers.
const DALLY: Span = Span::from_s(10);
/// From one question what the receiver allows to the next, and before the first round trip is measured: as the Alto.
const BETWEEN_QUESTIONS: Span = Span::from_ms(650);
/// The most bytes that the user may have written and the stream has not taken, and the most received and not read.
const BUFFER: usize = 1 << 16;

/// A connection.
#[derive(Debug)]
pub(super) struct Connection {
    own: Port,
    rendezvous: Rendezvous,
    sender: ByteStreamSender,
    receiver: ByteStreamReceiver,
    window: u16,
    outbox: VecDeque<u8>,
    inbox: VecDeque<u8>,
    /// Bytes of data received in order.
    received: u64,
    /// The user will write nothing more.
    closing: bool,
    /// The last acknowledgment allowed nothing.
    told_closed: bool,
    /// Nothing of the stream is sent before: a host that has just sent is deaf for a while.
    not_before: Time,
    call_at: Time,
    ask_at: Time,
    /// Repeated calls, and repeated demands, since something came back.
    calls: Patience,
    probes: Patience,
    dally_until: Option<Time>,
}

impl Connection {
    /// A connection from a rendezvous whose number is known.
    fn new(params: &EndpointParams, own: Port, rendezvous: Rendezvous, now: Time) -> Self {
        let (id, window) = (rendezvous.id(), params.window);
        let timer = RetransmissionTimer::starting_at(BETWEEN_QUESTIONS);
        Self {
            own,
            rendezvous,
            sender: ByteStreamSender::without_allocation(params.sender, window, id, timer),
            receiver: ByteStreamReceiver::new(params.receiver, window, id),
            window,
            outbox: VecDeque::new(),
            inbox: VecDeque::new(),
            received: 0,
            closing: false,
            told_closed: false,
            not_before: now,
            call_at: now,
            ask_at: now,
            calls: Patience::new(params.tries),
            probes: Patience::new(params.tries),
            dally_until: None,
        }
    }

    /// A connection that calls.
    pub fn calling(params: &EndpointParams, id: u32, own: Port, far: Port, now: Time) -> Self {
        Self::new(params, own, Rendezvous::calling(id, own, far), now)
    }

    /// A connection that answers the call in this Pup from the port that was called.
    pub fn answering(
        params: &EndpointParams,
        own: Port,
        call: &Pup<'_>,
        now: Time,
        effects: &mut Effects,
    ) -> Option<Self> {
        let mut rendezvous = Rendezvous::answering(call.header.destination, own);
        let answer = rendezvous.received(call)?;
        let connection = Self::new(params, own, rendezvous, now + params.pause);
        effects.answers.push(connection.rendezvous_pup(answer));
        effects.notices.push(Notice::Opened { conversation: own.socket, far: connection.rendezvous.far() });
        Some(connection)
    }

    /// The other end.
    pub const fn far(&self) -> Port {
        self.rendezvous.far()
    }

    /// Whether this Pup calls for this very connection again.
    pub fn is_called_by(&self, call: &Pup<'_>) -> bool {
        call.header.id == self.rendezvous.id() && self.rendezvous.caller_is(call)
    }

    fn rendezvous_pup(&self, kind: u8) -> Vec<u8> {
        let mut bytes = Vec::new();
        self.rendezvous.write(kind, &mut bytes);
        bytes
    }

    fn pup(&self, kind: u8, id: u32, data: &[u8]) -> Vec<u8> {
        let header = Header { transport_control: 0, kind, id, destination: self.far(), source: self.own };
        let mut bytes = Vec::new();
        Pup { header, data }.encode(&mut bytes).expect("what streams send fits into a Pup");
        bytes
    }

    fn ended(&mut self, how: Ending, dally_until: Time, effects: &mut Effects) {
        self.dally_until = Some(dally_until);
        self.outbox.clear();
        effects.notices.push(Notice::Ended { conversation: self.own.socket, how });
    }
}

/// What comes from the other end.
impl Connection {
    /// A Pup for this connection. False where it is none of its protocols'.
    pub fn take(
        &mut self,
        pup: &Pup<'_>,
        now: Time,
        pause: Span,
        counts: &mut Counts,
        effects: &mut Effects,
    ) -> bool {
        match pup.header.kind {
            kind::RENDEZVOUS | kind::END | kind::END_REPLY | kind::ABORT => {
                self.take_rendezvous(pup, now, effects);
            }
            kind::DATA | kind::A_DATA | kind::MARK | kind::A_MARK if self.flowing() => {
                self.take_data(pup, counts, effects);
            }
            kind::ACK if self.flowing() => {
                let Some(allocation) = Allocation::of_data(pup.data) else { return false };
                self.probes.answered();
                self.sender.acknowledged(now, pup.header.id, allocation);
                self.not_before = now + pause;
            }
            kind::INTERRUPT if self.flowing() => {
                effects.answers.push(self.pup(kind::INTERRUPT_REPLY, pup.header.id, &[]));
                effects.notices.push(Notice::Interrupt { conversation: self.own.socket });
            }
            kind::INTERRUPT_REPLY => {}
            _ => return false,
        }
        true
    }

    fn flowing(&self) -> bool {
        matches!(self.rendezvous.phase(), Phase::Open | Phase::Ending)
    }

    fn take_rendezvous(&mut self, pup: &Pup<'_>, now: Time, effects: &mut Effects) {
        let before = self.rendezvous.phase();
        if let Some(kind) = self.rendezvous.received(pup) {
            effects.answers.push(self.rendezvous_pup(kind));
        }
        let after = self.rendezvous.phase();
        if before == Phase::Calling && after == Phase::Open {
            (self.not_before, self.ask_at) = (now, now);
            effects.notices.push(Notice::Opened { conversation: self.own.socket, far: self.far() });
        }
        if after == Phase::Ended && before != Phase::Ended {
            let aborted = pup.header.kind == kind::ABORT;
            let (how, dally) =
                if aborted { (Ending::Aborted, Span::ZERO) } else { (Ending::Complete, DALLY) };
            self.ended(how, now + dally, effects);
        } else if after == Phase::Ended && pup.header.kind == kind::END_REPLY {
            // The other end knows that this one knows: nothing is left to answer.
            self.dally_until = Some(now);
        }
    }

    fn take_data(&mut self, pup: &Pup<'_>, counts: &mut Counts, effects: &mut Effects) {
        let Header { kind, id, .. } = pup.header;
        let marks = matches!(kind, kind::MARK | kind::A_MARK);
        let next = id == self.receiver.wanted();
        // A mark keeps no place among early data, and nothing is taken beyond what the buffer holds.
        if self.inbox.len() < BUFFER && (next || !marks) {
            self.put_in_order(pup, marks, counts, effects);
        } else {
            counts.early += 1;
        }
        if matches!(kind, kind::A_DATA | kind::A_MARK) {
            let acknowledgment = self.acknowledgment();
            effects.answers.push(acknowledgment);
        }
    }

    fn put_in_order(&mut self, pup: &Pup<'_>, marks: bool, counts: &mut Counts, effects: &mut Effects) {
        // A mark takes one place among the bytes.
        let data = if marks { &pup.data[..pup.data.len().min(1)] } else { pup.data };
        let (inbox, received, socket) = (&mut self.inbox, &mut self.received, self.own.socket);
        let arrival = self.receiver.data(pup.header.id, data, |sequence, bytes| {
            if marks && sequence == pup.header.id {
                let mark = Notice::Mark { conversation: socket, mark: bytes[0], behind: *received };
                effects.notices.push(mark);
            } else {
                inbox.extend(bytes);
                *received += bytes.len() as u64;
            }
        });
        match arrival {
            Arrival::Delivered | Arrival::Kept => {}
            Arrival::Early => counts.early += 1,
            Arrival::Duplicate => counts.duplicate += u64::from(!pup.data.is_empty()),
        }
    }

    /// What has come in order, and how much more the buffer has room for.
    fn acknowledgment(&mut self) -> Vec<u8> {
        let room = BUFFER.saturating_sub(self.inbox.len()) / MOST_DATA;
        self.receiver.allow(self.window.min(room as u16));
        let (wanted, allocation) = self.receiver.acknowledge();
        self.told_closed = allocation.pups == 0;
        self.pup(kind::ACK, wanted, &allocation.to_data())
    }

    /// A Pup of this connection was not delivered.
    pub fn undelivered(&mut self, report: &ErrorReport, now: Time, effects: &mut Effects) {
        match report.code {
            ErrorCode::GatewayQueueFull if self.flowing() => self.sender.refused(),
            ErrorCode::NoSuchSocket if self.dally_until.is_none() => {
                self.ended(Ending::NoSuchSocket, now, effects);
            }
            _ => {}
        }
    }
}

/// What goes to the other end.
impl Connection {
    /// The next Pup to send now, if any.
    pub fn poll(&mut self, now: Time, effects: &mut Effects) -> Option<Vec<u8>> {
        if self.dally_until.is_some() {
            return None;
        }
        if self.rendezvous.request().is_some() {
            return self.call(now, effects);
        }
        if now < self.not_before || self.rendezvous.phase() != Phase::Open {
            return None;
        }
        self.fill();
        if self.deadline().is_some_and(|deadline| deadline <= now) {
            if !self.probes.again() {
                return Some(self.give_up(now, effects));
            }
            self.sender.time_out(now);
        }
        if self.blocked() && self.ask_at <= now {
            self.ask_at = now + BETWEEN_QUESTIONS;
            self.sender.ask();
        }
        if let Some(transmit) = self.sender.poll(now) {
            return Some(self.data_pup(&transmit));
        }
        if self.closing && self.outbox.is_empty() && self.sender.idle() {
            self.rendezvous.end();
            self.call_at = now;
            self.calls.answered();
            return self.call(now, effects);
        }
        None
    }

    fn call(&mut self, now: Time, effects: &mut Effects) -> Option<Vec<u8>> {
        if now < self.call_at {
            return None;
        }
        if !self.calls.again() {
            return Some(self.give_up(now, effects));
        }
        self.call_at = now + BETWEEN_CALLS;
        self.rendezvous.request().map(|kind| self.rendezvous_pup(kind))
    }

    fn give_up(&mut self, now: Time, effects: &mut Effects) -> Vec<u8> {
        self.ended(Ending::NoAnswer, now, effects);
        self.pup(kind::ABORT, self.rendezvous.id(), &[])
    }

    /// Hands the user's bytes to the stream, as many as it takes.
    fn fill(&mut self) {
        while !self.outbox.is_empty() && self.sender.room() {
            let length = self.sender.room_bytes().min(self.outbox.len());
            let data: Vec<u8> = self.outbox.drain(..length).collect();
            self.sender.write(&data);
        }
        if self.outbox.is_empty() {
            self.sender.flush();
        }
    }

    /// The user's bytes wait for an allocation, and nothing under way will bring one.
    fn blocked(&self) -> bool {
        !self.outbox.is_empty()
            && self.sender.idle()
            && !self.sender.room()
            && !self.sender.wants()
            && self.sender.deadline().is_none()
    }

    /// When the demand under way is given up.
    fn deadline(&self) -> Option<Time> {
        let deadline = self.sender.deadline()?;
        let more = self.probes.stretched(BETWEEN_QUESTIONS).ps() - BETWEEN_QUESTIONS.ps();
        Some(deadline + Span::from_ps(more))
    }

    fn data_pup(&self, transmit: &Transmit) -> Vec<u8> {
        let mut data = Vec::new();
        self.sender.copy_data(transmit, &mut data);
        self.pup(transmit.kind(), transmit.sequence, &data)
    }

    /// When [`poll`](Self::poll) will next have something, if nothing comes before.
    pub fn next_timer(&self) -> Option<Time> {
        if self.dally_until.is_some() {
            // It stays until it has been read, and needs no timer for that.
            return self.dally_until.filter(|_| self.inbox.is_empty());
        }
        if self.rendezvous.request().is_some() {
            return Some(self.call_at);
        }
        let fills = !self.outbox.is_empty() && self.sender.room();
        let ends = self.closing && self.outbox.is_empty() && self.sender.idle();
        let at_once = fills || ends || self.sender.wants();
        let asks = self.blocked().then_some(self.ask_at);
        let next = if at_once { Some(self.not_before) } else { self.deadline().or(asks) };
        next.map(|next| next.max(self.not_before))
    }

    /// Whether it has ended, answered long enough, and been read to its end.
    pub fn gone(&self, now: Time) -> bool {
        self.dally_until.is_some_and(|until| until <= now) && self.inbox.is_empty()
    }
}

/// The user's side.
impl Connection {
    /// Takes as many of these bytes as the buffer has room for; how many.
    pub fn write(&mut self, data: &[u8]) -> usize {
        if self.closing || self.dally_until.is_some() {
            return 0;
        }
        let taken = data.len().min(BUFFER - self.outbox.len());
        self.outbox.extend(&data[..taken]);
        taken
    }

    /// Nothing more will be written: the connection ends when everything is acknowledged.
    pub fn close(&mut self) {
        self.closing = true;
    }

    /// Breaks the connection off.
    pub fn abort(&mut self, now: Time, effects: &mut Effects) {
        if self.dally_until.is_none() {
            effects.answers.push(self.pup(kind::ABORT, self.rendezvous.id(), &[]));
            self.ended(Ending::Aborted, now, effects);
        }
    }

    /// Appends the data received in order to `data`. A stopped sender is informed of the room.
    pub fn read(&mut self, data: &mut Vec<u8>, effects: &mut Effects) {
        data.extend(self.inbox.drain(..));
        if self.told_closed && self.flowing() {
            let acknowledgment = self.acknowledgment();
            effects.answers.push(acknowledgment);
        }
    }

    /// Bytes written that have not been acknowledged yet.
    pub fn unsent(&self) -> usize {
        self.outbox.len() + self.sender.in_window_bytes()
    }

    /// Bytes of data that it holds.
    pub fn held_bytes(&self) -> usize {
        self.unsent() + self.inbox.len() + self.receiver.kept_bytes()
    }
}
