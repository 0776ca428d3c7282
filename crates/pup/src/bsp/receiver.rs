//! The receiving end of a byte stream, and what it does with Pups out of order.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::sequence::precedes;
use crate::wire::{Allocation, MOST_DATA};

/// What a receiver does with Pups that come before their turn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ReceiverRule {
    /// It drops them: the Mesa receiver.
    #[default]
    InOrder,
    /// It keeps them until it sends an acknowledgment: the BCPL receiver.
    Keep,
    /// It keeps them until their turn has come.
    KeepAll,
}

/// What became of a Pup of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrival {
    /// It was the next one, and was delivered; others that were kept may have followed.
    Delivered,
    /// It came before its turn and was kept.
    Kept,
    /// It came before its turn and was dropped.
    Early,
    /// It had been there already.
    Duplicate,
}

/// The receiving end of a byte stream.
#[derive(Clone, Debug)]
pub struct ByteStreamReceiver {
    rule: ReceiverRule,
    window: u16,
    next: u32,
    /// Pups before their turn, in the order of their arrival: at most a window of them.
    kept: Vec<(u32, Vec<u8>)>,
    dropped: u64,
}

impl ByteStreamReceiver {
    /// A receiver that waits for the byte of this number and allows this many Pups beyond it.
    #[must_use]
    pub fn new(rule: ReceiverRule, window: u16, first: u32) -> Self {
        Self { rule, window, next: first, kept: Vec::new(), dropped: 0 }
    }

    /// A Pup of the stream has come. Everything that is now in order goes to `deliver`, Pup by Pup.
    pub fn data(&mut self, sequence: u32, data: &[u8], mut deliver: impl FnMut(u32, &[u8])) -> Arrival {
        if precedes(sequence, self.next) || data.is_empty() || self.keeps(sequence) {
            return Arrival::Duplicate;
        }
        if sequence != self.next {
            if self.rule == ReceiverRule::InOrder || self.kept.len() >= usize::from(self.window) {
                self.dropped += 1;
                return Arrival::Early;
            }
            self.kept.push((sequence, data.to_vec()));
            return Arrival::Kept;
        }
        self.take(sequence, data, &mut deliver);
        while let Some(at) = self.kept.iter().position(|(kept, _)| *kept == self.next) {
            let (sequence, data) = self.kept.swap_remove(at);
            self.take(sequence, &data, &mut deliver);
        }
        Arrival::Delivered
    }

    fn take(&mut self, sequence: u32, data: &[u8], deliver: &mut impl FnMut(u32, &[u8])) {
        deliver(sequence, data);
        self.next = self.next.wrapping_add(data.len() as u32);
    }

    /// The window of Pups from the next acknowledgment on; 0 stops the sender.
    pub fn allow(&mut self, window: u16) {
        self.window = window;
    }

    /// The acknowledgment to send now: the next byte wanted, and what the sender may send beyond it.
    pub fn acknowledge(&mut self) -> (u32, Allocation) {
        if self.rule == ReceiverRule::Keep {
            self.dropped += self.kept.len() as u64;
            self.kept.clear();
        }
        let bytes = usize::from(self.window) * MOST_DATA;
        let allocation = Allocation {
            bytes_a_pup: MOST_DATA as u16,
            pups: self.window,
            bytes: u16::try_from(bytes).unwrap_or(u16::MAX),
        };
        (self.next, allocation)
    }

    /// Whether a Pup before its turn, which begins with this byte, is kept.
    #[must_use]
    pub fn keeps(&self, sequence: u32) -> bool {
        self.kept.iter().any(|(kept, _)| *kept == sequence)
    }

    /// Bytes of the Pups that are kept before their turn.
    #[must_use]
    pub fn kept_bytes(&self) -> usize {
        self.kept.iter().map(|(_, data)| data.len()).sum()
    }

    /// What it does with Pups that come before their turn.
    #[must_use]
    pub const fn rule(&self) -> ReceiverRule {
        self.rule
    }

    /// The next byte wanted.
    #[must_use]
    pub const fn wanted(&self) -> u32 {
        self.next
    }

    /// Pups dropped because they came before their turn.
    #[must_use]
    pub const fn dropped(&self) -> u64 {
        self.dropped
    }
}
