//! A conversation with another port: a connection of the byte stream protocol, or a transfer by EFTP.

use hopscope_units::{Span, Time};

use super::Counts;
use super::connection::Connection;
use super::eftp::{EftpReceiver, EftpSender};
use super::notice::Effects;
use crate::wire::{ErrorReport, Port, Pup};

/// Which protocol a conversation speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// The byte stream protocol, both ways.
    Stream,
    /// EFTP, one way.
    Eftp,
}

/// A conversation.
#[derive(Debug)]
pub(super) enum Conversation {
    Stream(Box<Connection>),
    Sending(EftpSender),
    Receiving(EftpReceiver),
}

impl Conversation {
    /// The other end.
    pub fn far(&self) -> Port {
        match self {
            Self::Stream(connection) => connection.far(),
            Self::Sending(sender) => sender.far(),
            Self::Receiving(receiver) => receiver.far(),
        }
    }

    /// A Pup for this conversation. False where it is none of its protocol's.
    pub fn take(
        &mut self,
        pup: &Pup<'_>,
        now: Time,
        pause: Span,
        counts: &mut Counts,
        effects: &mut Effects,
    ) -> bool {
        match self {
            Self::Stream(connection) => connection.take(pup, now, pause, counts, effects),
            Self::Sending(sender) => sender.take(pup, now, pause, effects),
            Self::Receiving(receiver) => receiver.take(pup, now, effects),
        }
    }

    /// A Pup of this conversation was not delivered.
    pub fn undelivered(&mut self, report: &ErrorReport, now: Time, effects: &mut Effects) {
        match self {
            Self::Stream(connection) => connection.undelivered(report, now, effects),
            Self::Sending(sender) => sender.undelivered(report, effects),
            Self::Receiving(_) => {}
        }
    }

    /// The next Pup to send now, if any.
    pub fn poll(&mut self, now: Time, effects: &mut Effects) -> Option<Vec<u8>> {
        match self {
            Self::Stream(connection) => connection.poll(now, effects),
            Self::Sending(sender) => sender.poll(now, effects),
            Self::Receiving(_) => None,
        }
    }

    /// When there is next something to do.
    pub fn next_timer(&self) -> Option<Time> {
        match self {
            Self::Stream(connection) => connection.next_timer(),
            Self::Sending(sender) => sender.next_timer(),
            Self::Receiving(receiver) => receiver.next_timer(),
        }
    }

    /// Whether nothing is left to answer or to read.
    pub fn gone(&self, now: Time) -> bool {
        match self {
            Self::Stream(connection) => connection.gone(now),
            Self::Sending(sender) => sender.gone(),
            Self::Receiving(receiver) => receiver.gone(now),
        }
    }

    /// Takes bytes to send; how many.
    pub fn write(&mut self, data: &[u8]) -> usize {
        match self {
            Self::Stream(connection) => connection.write(data),
            Self::Sending(sender) => sender.write(data),
            Self::Receiving(_) => 0,
        }
    }

    /// Moves what has come behind what `data` holds.
    pub fn read(&mut self, data: &mut Vec<u8>, effects: &mut Effects) {
        match self {
            Self::Stream(connection) => connection.read(data, effects),
            Self::Receiving(receiver) => receiver.read(data),
            Self::Sending(_) => {}
        }
    }

    /// Nothing more will be written.
    pub fn close(&mut self) {
        match self {
            Self::Stream(connection) => connection.close(),
            Self::Sending(sender) => sender.close(),
            Self::Receiving(_) => {}
        }
    }

    /// Breaks it off.
    pub fn abort(&mut self, now: Time, effects: &mut Effects) {
        match self {
            Self::Stream(connection) => connection.abort(now, effects),
            Self::Sending(sender) => sender.abort(effects),
            Self::Receiving(receiver) => receiver.abort(now, effects),
        }
    }

    /// Bytes written that have not been acknowledged yet.
    pub fn unsent(&self) -> usize {
        match self {
            Self::Stream(connection) => connection.unsent(),
            Self::Sending(sender) => sender.unsent(),
            Self::Receiving(_) => 0,
        }
    }

    /// Bytes of data that it holds.
    pub fn held_bytes(&self) -> usize {
        match self {
            Self::Stream(connection) => connection.held_bytes(),
            Self::Sending(sender) => sender.unsent(),
            Self::Receiving(receiver) => receiver.held_bytes(),
        }
    }
}
