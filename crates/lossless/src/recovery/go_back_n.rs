//! Go-back-N, as adapters of RoCE: everything from a missing frame on is sent again.

use super::{Outcome, Reply, Said, Unit};

/// The sender of one flow.
#[derive(Clone, Debug)]
pub(crate) struct GoBackN {
    frames: u32,
    /// Everything before this has arrived.
    base: u32,
    next: u32,
    order: u64,
}

impl GoBackN {
    pub fn new(frames: u32) -> Self {
        Self { frames, base: 0, next: 0, order: 0 }
    }

    pub fn next(&self) -> Option<u32> {
        (self.next < self.frames).then_some(self.next)
    }

    pub fn take(&mut self) -> Option<Unit> {
        let number = self.next()?;
        self.next += 1;
        self.order += 1;
        Some(Unit { number, order: self.order })
    }

    pub fn heard(&mut self, reply: Reply) -> Outcome {
        let before = self.base;
        self.base = self.base.max(reply.next);
        self.next = self.next.max(self.base);
        // An overtaken reply may report a frame missing that has arrived since.
        let slipped = reply.said == Said::Missing(self.base) && self.next > self.base;
        if slipped {
            self.next = self.base;
        }
        Outcome { arrived: self.base - before, slipped }
    }

    pub fn timed_out(&mut self) {
        self.next = self.base;
    }

    pub fn outstanding(&self) -> u32 {
        self.next - self.base
    }

    pub fn is_done(&self) -> bool {
        self.base == self.frames
    }
}
