//! The receiver of one flow: which frames it takes, and its replies.

use std::collections::BTreeSet;

use super::{RecoveryRule, Reply, Said, Unit};

/// The treatment of a frame by its receiver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Arrival {
    /// It is taken.
    Taken,
    /// It was taken before.
    Repeated,
    /// It arrived out of order, and is rejected.
    Rejected,
    /// Its payload had been trimmed.
    Cut,
}

/// The receiver of one flow.
#[derive(Clone, Debug)]
pub(crate) struct Receiver {
    rule: RecoveryRule,
    /// Everything before this has arrived.
    next: u32,
    /// Frames that were taken out of order.
    early: BTreeSet<u32>,
    /// Whether it has reported the next one as missing.
    has_told: bool,
}

impl Receiver {
    pub fn new(rule: RecoveryRule) -> Self {
        Self { rule, next: 0, early: BTreeSet::new(), has_told: false }
    }

    /// The first frame that has not arrived.
    #[cfg(test)]
    pub fn next(&self) -> u32 {
        self.next
    }

    /// A transmission arrives, whole or without its payload.
    pub fn arrived(&mut self, unit: Unit, is_whole: bool) -> (Arrival, Reply) {
        let (arrival, said) = match self.rule {
            RecoveryRule::GoBackN => self.in_turn(unit.number, is_whole),
            RecoveryRule::SelectiveRepeat { .. } => self.in_any_order(unit.number, is_whole),
        };
        (arrival, Reply { next: self.next, order: unit.order, said })
    }

    /// Only the next frame is taken. It is reported missing once.
    fn in_turn(&mut self, number: u32, is_whole: bool) -> (Arrival, Said) {
        if number < self.next {
            return (Arrival::Repeated, Said::Nothing);
        }
        if number == self.next && is_whole {
            (self.next, self.has_told) = (self.next + 1, false);
            return (Arrival::Taken, Said::Nothing);
        }
        let said = if std::mem::replace(&mut self.has_told, true) {
            Said::Nothing
        } else {
            Said::Missing(self.next)
        };
        (if is_whole { Arrival::Rejected } else { Arrival::Cut }, said)
    }

    fn in_any_order(&mut self, number: u32, is_whole: bool) -> (Arrival, Said) {
        if number < self.next || self.early.contains(&number) {
            return (Arrival::Repeated, Said::Arrived(number));
        }
        if !is_whole {
            return (Arrival::Cut, Said::Missing(number));
        }
        if number > self.next {
            self.early.insert(number);
        } else {
            self.next += 1;
            while self.early.remove(&self.next) {
                self.next += 1;
            }
        }
        (Arrival::Taken, Said::Arrived(number))
    }
}
