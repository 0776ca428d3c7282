//! Selective repeat, in the manner of IRN (Mittal et al. 2018) and TCP's selective acknowledgments: missing frames
//! alone are sent again. What is missing follows from the order of transmissions (RFC 8985), so that a retransmitted
//! frame may be missing again.

use std::collections::{BTreeSet, VecDeque};

use super::{Outcome, Reply, Said, Unit};

/// The known state of a frame that was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sent {
    /// Unknown since this transmission.
    Waits(u64),
    /// It is missing, and will be retransmitted.
    Missing,
    /// It has arrived.
    Arrived,
}

/// The sender of one flow.
#[derive(Clone, Debug)]
pub(crate) struct SelectiveRepeat {
    frames: u32,
    reordering: u64,
    /// Everything before this has arrived.
    base: u32,
    /// The sent frames from there on.
    sent: VecDeque<Sent>,
    /// Transmissions in order, whose state may be unknown.
    under_way: VecDeque<Unit>,
    missing: BTreeSet<u32>,
    outstanding: u32,
    order: u64,
}

impl SelectiveRepeat {
    pub fn new(frames: u32, reordering: u64) -> Self {
        Self {
            frames,
            reordering,
            base: 0,
            sent: VecDeque::new(),
            under_way: VecDeque::new(),
            missing: BTreeSet::new(),
            outstanding: 0,
            order: 0,
        }
    }

    pub fn next(&self) -> Option<u32> {
        let fresh = self.base + self.sent.len() as u32;
        self.missing.first().copied().or((fresh < self.frames).then_some(fresh))
    }

    pub fn take(&mut self) -> Option<Unit> {
        let number = self.next()?;
        self.order += 1;
        let (unit, place) = (Unit { number, order: self.order }, (number - self.base) as usize);
        match self.sent.get_mut(place) {
            Some(sent) => *sent = Sent::Waits(self.order),
            None => self.sent.push_back(Sent::Waits(self.order)),
        }
        self.missing.remove(&number);
        self.under_way.push_back(unit);
        self.outstanding += 1;
        Some(unit)
    }

    pub fn heard(&mut self, reply: Reply) -> Outcome {
        let mut arrived = 0;
        let mut slipped = false;
        match reply.said {
            Said::Arrived(number) => arrived += u32::from(self.has_arrived(number)),
            Said::Missing(number) => slipped |= self.is_missing(Unit { number, order: reply.order }),
            Said::Nothing => {}
        }
        while self.base < reply.next {
            arrived += u32::from(self.has_arrived(self.base));
            self.sent.pop_front();
            self.base += 1;
        }
        // A trimmed header overtakes other frames: it says nothing about frames sent before.
        let newest = if matches!(reply.said, Said::Missing(_)) { 0 } else { reply.order };
        while let Some(first) = self.under_way.front().copied() {
            let waits = self.state(first.number) == Some(Sent::Waits(first.order));
            if waits && first.order + self.reordering > newest {
                break;
            }
            self.under_way.pop_front();
            slipped |= self.is_missing(first);
        }
        Outcome { arrived, slipped }
    }

    pub fn timed_out(&mut self) {
        for unit in std::mem::take(&mut self.under_way) {
            self.is_missing(unit);
        }
    }

    pub fn outstanding(&self) -> u32 {
        self.outstanding
    }

    pub fn is_done(&self) -> bool {
        self.base == self.frames
    }

    fn state(&self, number: u32) -> Option<Sent> {
        self.sent.get(number.checked_sub(self.base)? as usize).copied()
    }

    /// A frame has arrived. Returns whether that was unknown.
    fn has_arrived(&mut self, number: u32) -> bool {
        match self.state(number) {
            None | Some(Sent::Arrived) => return false,
            Some(Sent::Waits(_)) => self.outstanding -= 1,
            Some(Sent::Missing) => _ = self.missing.remove(&number),
        }
        self.sent[(number - self.base) as usize] = Sent::Arrived;
        true
    }

    /// A transmission is missing. Returns whether that was unknown.
    fn is_missing(&mut self, unit: Unit) -> bool {
        let is_news = self.state(unit.number) == Some(Sent::Waits(unit.order));
        if is_news {
            self.sent[(unit.number - self.base) as usize] = Sent::Missing;
            self.missing.insert(unit.number);
            self.outstanding -= 1;
        }
        is_news
    }
}
