//! EFTP, the easy file transfer protocol: one block under way at a time, each sent again until it is acknowledged by
//! its number. The end is a block of its own; when that is acknowledged, the sender says so once more with the next
//! number, and the receiver need not wait any longer for a repeated end.
//!
//! Source: the EFTP specification of the Pup file servers; types 30 to 33 (octal).

use std::collections::VecDeque;

use hopscope_units::{Span, Time};

use super::notice::{Effects, Ending, Notice};
use super::patience::Patience;
use crate::wire::{ErrorCode, ErrorReport, Header, MOST_DATA, Port, Pup, kind};

/// From one copy of a block to the next.
const BETWEEN_COPIES: Span = Span::from_s(1);
/// How long a receiver still answers a repeated end.
const DALLY: Span = Span::from_s(10);
/// The most bytes written and not sent, or received and not read.
const BUFFER: usize = 1 << 16;

fn pup(kind: u8, id: u32, source: Port, destination: Port, data: &[u8]) -> Vec<u8> {
    let header = Header { transport_control: 0, kind, id, destination, source };
    let mut bytes = Vec::new();
    Pup { header, data }.encode(&mut bytes).expect("a block fits into a Pup");
    bytes
}

/// The end of a transfer that sends.
#[derive(Debug)]
pub(super) struct EftpSender {
    own: Port,
    far: Port,
    outbox: VecDeque<u8>,
    /// The block under way; nothing between two.
    block: Option<Vec<u8>>,
    number: u32,
    closing: bool,
    again_at: Time,
    patience: Patience,
    over: bool,
}

impl EftpSender {
    /// A transfer to this port.
    pub fn new(own: Port, far: Port, tries: u32, now: Time) -> Self {
        Self {
            own,
            far,
            outbox: VecDeque::new(),
            block: None,
            number: 0,
            closing: false,
            again_at: now,
            patience: Patience::new(tries),
            over: false,
        }
    }

    /// The other end.
    pub const fn far(&self) -> Port {
        self.far
    }

    fn end(&mut self, how: Ending, effects: &mut Effects) {
        self.over = true;
        self.outbox.clear();
        effects.notices.push(Notice::Ended { conversation: self.own.socket, how });
    }

    /// A Pup for this transfer. False where it is none of its protocol's.
    pub fn take(&mut self, arrived: &Pup<'_>, now: Time, pause: Span, effects: &mut Effects) -> bool {
        match arrived.header.kind {
            kind::EFTP_ACK if arrived.header.id == self.number && self.block.is_some() && !self.over => {
                let ends = self.block.take().is_some_and(|block| block.is_empty());
                self.number = self.number.wrapping_add(1);
                self.patience.answered();
                self.again_at = now + pause;
                if ends {
                    effects.answers.push(pup(kind::EFTP_END, self.number, self.own, self.far, &[]));
                    self.end(Ending::Complete, effects);
                }
            }
            kind::EFTP_ACK => {}
            kind::EFTP_ABORT if !self.over => self.end(Ending::Aborted, effects),
            _ => return false,
        }
        true
    }

    /// A Pup of this transfer was not delivered.
    pub fn undelivered(&mut self, report: &ErrorReport, effects: &mut Effects) {
        if report.code == ErrorCode::NoSuchSocket && !self.over {
            self.end(Ending::NoSuchSocket, effects);
        }
    }

    /// The next Pup to send now, if any: the end is the block without data.
    pub fn poll(&mut self, now: Time, effects: &mut Effects) -> Option<Vec<u8>> {
        if self.over || now < self.again_at {
            return None;
        }
        if self.block.is_none() {
            if self.outbox.len() < MOST_DATA && !self.closing {
                return None;
            }
            let length = self.outbox.len().min(MOST_DATA);
            self.block = Some(self.outbox.drain(..length).collect());
        } else if !self.patience.again() {
            self.end(Ending::NoAnswer, effects);
            return Some(pup(kind::EFTP_ABORT, self.number, self.own, self.far, &[]));
        }
        self.again_at = now + self.patience.stretched(BETWEEN_COPIES);
        let block = self.block.as_deref().unwrap_or_default();
        let kind = if block.is_empty() { kind::EFTP_END } else { kind::EFTP_DATA };
        Some(pup(kind, self.number, self.own, self.far, block))
    }

    /// When [`poll`](Self::poll) will next have something.
    pub fn next_timer(&self) -> Option<Time> {
        let something = self.block.is_some() || self.outbox.len() >= MOST_DATA || self.closing;
        (something && !self.over).then_some(self.again_at)
    }

    /// Takes as many of these bytes as the buffer has room for; how many.
    pub fn write(&mut self, data: &[u8]) -> usize {
        if self.closing || self.over {
            return 0;
        }
        let taken = data.len().min(BUFFER - self.outbox.len());
        self.outbox.extend(&data[..taken]);
        taken
    }

    /// Nothing more will be written.
    pub fn close(&mut self) {
        self.closing = true;
    }

    /// Breaks the transfer off.
    pub fn abort(&mut self, effects: &mut Effects) {
        if !self.over {
            effects.answers.push(pup(kind::EFTP_ABORT, self.number, self.own, self.far, &[]));
            self.end(Ending::Aborted, effects);
        }
    }

    /// Whether it is over.
    pub const fn gone(&self) -> bool {
        self.over
    }

    /// Bytes written that have not been acknowledged yet.
    pub fn unsent(&self) -> usize {
        self.outbox.len() + self.block.as_ref().map_or(0, Vec::len)
    }
}

/// The end of a transfer that receives.
#[derive(Debug)]
pub(super) struct EftpReceiver {
    own: Port,
    far: Port,
    next: u32,
    inbox: Vec<u8>,
    /// Since the end has come.
    dally_until: Option<Time>,
}

impl EftpReceiver {
    /// The transfer that this Pup begins, if it does.
    pub fn begun_by(first: &Pup<'_>, own: Port, effects: &mut Effects) -> Option<Self> {
        if !matches!(first.header.kind, kind::EFTP_DATA | kind::EFTP_END) || first.header.id != 0 {
            return None;
        }
        let far = first.header.source;
        effects.notices.push(Notice::Opened { conversation: own.socket, far });
        Some(Self { own, far, next: 0, inbox: Vec::new(), dally_until: None })
    }

    /// The other end.
    pub const fn far(&self) -> Port {
        self.far
    }

    fn end(&mut self, how: Ending, until: Time, effects: &mut Effects) {
        self.dally_until = Some(until);
        effects.notices.push(Notice::Ended { conversation: self.own.socket, how });
    }

    /// A Pup for this transfer. False where it is none of its protocol's.
    pub fn take(&mut self, arrived: &Pup<'_>, now: Time, effects: &mut Effects) -> bool {
        let (kind, id) = (arrived.header.kind, arrived.header.id);
        let (next, over) = (id == self.next, self.dally_until.is_some());
        match kind {
            kind::EFTP_DATA if next && !over => {
                if self.inbox.len() + arrived.data.len() > BUFFER {
                    // No acknowledgment: the sender tries again when the user may have read.
                    return true;
                }
                self.inbox.extend_from_slice(arrived.data);
                self.next = id.wrapping_add(1);
            }
            kind::EFTP_END if next && !over => {
                self.next = id.wrapping_add(1);
                self.end(Ending::Complete, now + DALLY, effects);
            }
            kind::EFTP_END if next => {
                self.dally_until = Some(now);
                return true;
            }
            kind::EFTP_DATA | kind::EFTP_END if id == self.next.wrapping_sub(1) => {}
            kind::EFTP_ABORT if !over => {
                self.end(Ending::Aborted, now, effects);
                return true;
            }
            kind::EFTP_DATA | kind::EFTP_END => return true,
            _ => return false,
        }
        effects.answers.push(pup(kind::EFTP_ACK, id, self.own, self.far, &[]));
        true
    }

    /// Moves what has come behind what `data` holds.
    pub fn read(&mut self, data: &mut Vec<u8>) {
        data.append(&mut self.inbox);
    }

    /// Breaks the transfer off.
    pub fn abort(&mut self, now: Time, effects: &mut Effects) {
        if self.dally_until.is_none() {
            effects.answers.push(pup(kind::EFTP_ABORT, self.next, self.own, self.far, &[]));
            self.end(Ending::Aborted, now, effects);
        }
    }

    /// When it stops to answer, if it has been read by then.
    pub fn next_timer(&self) -> Option<Time> {
        self.dally_until.filter(|_| self.inbox.is_empty())
    }

    /// Whether it has ended, answered long enough, and been read to its end.
    pub fn gone(&self, now: Time) -> bool {
        self.dally_until.is_some_and(|until| until <= now) && self.inbox.is_empty()
    }

    /// Bytes that it holds.
    pub fn held_bytes(&self) -> usize {
        self.inbox.len()
    }
}
