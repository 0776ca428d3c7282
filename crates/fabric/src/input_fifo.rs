use hopscope_units::{Span, Time};

use crate::fifo_entries::NO_ENTRY;
use crate::packet::Nanobits;
use crate::slots::{NO_SLOT, Slot};

/// An input FIFO, or a host's send queue: what flows into it, what it holds, what flows out.
///
/// Flows are piecewise constant. Every change is an event that first settles the account up to its instant; between changes the content
/// is a straight line, so the instants at which it crosses a threshold or runs dry are computed, not waited for.
#[derive(Clone, Debug)]
pub(crate) struct InputFifo {
    /// First and last place in line.
    pub head: u32,
    pub tail: u32,
    /// The content at `settled`, and the most it ever was.
    pub level: Nanobits,
    pub peak: Nanobits,
    pub settled: Time,
    /// The integral of the content over time since the restart, nanobit picoseconds: a statistic, so a float will do.
    pub area: f64,
    /// What is still to come of the packet at the tail, and whether it is coming now.
    pub rx_left: Nanobits,
    pub rx_rate: u64,
    pub rx_on: bool,
    /// Whether its sender has been told to stop.
    pub told_stop: bool,
    /// Whether the switch needs a whole packet before it sends it on.
    pub whole_first: bool,
    /// Whether the decision about the packet at the head has begun.
    pub asked: bool,
    /// The phase of a packet that has come in here: whether it may still go up.
    pub phase: u8,
    /// Whether the packet at the head is sending, from `tx_from` on, which may lie ahead.
    pub tx_on: bool,
    pub tx_from: Time,
    pub tx_left: Nanobits,
    pub tx_rate: u64,
    /// The output granted to the packet at the head.
    pub out: Slot,
    /// Counts this slot's events, for their order within an instant.
    pub count: u32,
    /// When the granted packet's set-up ends.
    pub ready: Time,
    /// When the events that are under way are due; an event due at another time has been overtaken and means nothing.
    pub last_out_due: Time,
    pub dry_due: Time,
    pub crossing_due: Time,
}

/// The thresholds of a bounded FIFO.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Thresholds {
    /// Stop when more than this is held, start when less.
    pub stop_above: Nanobits,
    /// What it holds at most.
    pub capacity: Nanobits,
}

impl InputFifo {
    pub fn new(rx_rate: u64) -> Self {
        Self {
            head: NO_ENTRY,
            tail: NO_ENTRY,
            level: 0,
            peak: 0,
            settled: Time::ZERO,
            area: 0.0,
            rx_left: 0,
            rx_rate,
            rx_on: false,
            told_stop: false,
            whole_first: false,
            asked: false,
            phase: 0,
            tx_on: false,
            tx_from: Time::ZERO,
            tx_left: 0,
            tx_rate: 0,
            out: NO_SLOT,
            count: 0,
            ready: Time::ZERO,
            last_out_due: Time::NEVER,
            dry_due: Time::NEVER,
            crossing_due: Time::NEVER,
        }
    }

    /// Brings level, `rx_left` and `tx_left` up to now.
    #[inline]
    pub fn settle(&mut self, now: Time) {
        let span_ps = now.since(self.settled).ps();
        self.area += self.level as f64 * span_ps as f64;
        if self.rx_on && self.rx_left > 0 {
            let came = self.rx_rate.saturating_mul(span_ps).min(self.rx_left);
            self.rx_left -= came;
            self.level += came;
            self.area += area_of_flow(came, self.rx_rate, span_ps);
            self.peak = self.peak.max(self.level);
        }
        if self.tx_on {
            let flowing = now.saturating_since(self.settled.max(self.tx_from));
            // Instants are rounded up to whole picoseconds, so a flow may seem to have sent a picosecond's worth more than there was.
            let went = self.tx_rate.saturating_mul(flowing.ps()).min(self.tx_left).min(self.level);
            self.tx_left -= went;
            self.level -= went;
            self.area -= area_of_flow(went, self.tx_rate, flowing.ps());
        }
        self.settled = now;
    }

    /// Whether the packet at the head is also the last in line.
    #[inline]
    pub fn head_is_tail(&self) -> bool {
        self.head == self.tail
    }

    /// Whether the packet at the head has come in whole. Settle first.
    #[inline]
    pub fn head_is_whole(&self) -> bool {
        !self.head_is_tail() || self.rx_left == 0
    }

    /// Whether the granted packet has something to send now. Settle first.
    pub fn has_flow(&self) -> bool {
        self.level > 0 || self.tx_left == 0 || (self.rx_on && self.rx_left > 0)
    }

    /// When the packet at the head will have sent its last byte, if nothing comes between. Settle first.
    pub fn last_out(&self, now: Time) -> Time {
        now.max(self.tx_from) + Span::from_ps(self.tx_left.div_ceil(self.tx_rate))
    }

    /// When the packet at the head will have sent all that has come of it. Settle first.
    pub fn runs_dry(&self, now: Time) -> Time {
        now.max(self.tx_from) + Span::from_ps(self.level.div_ceil(self.tx_rate))
    }

    /// The next instant at which the content rises above the stop threshold (or, after a stop, falls below it), if the flows go on as
    /// they are. Settle first.
    pub fn next_crossing(&self, now: Time, thresholds: Thresholds) -> Option<Time> {
        let stop = thresholds.stop_above;
        let crossed = if self.told_stop { self.level < stop } else { self.level > stop };
        if crossed {
            return Some(now);
        }
        let receiving = self.rx_on && self.rx_left > 0;
        if !self.told_stop && (!receiving || self.level + self.rx_left <= stop) {
            return None;
        }
        let rx_ends = if receiving { now + Span::from_ps(self.rx_left.div_ceil(self.rx_rate)) } else { now };
        let tx_starts = if self.tx_on { now.max(self.tx_from) } else { Time::NEVER };
        let mut level = self.level;
        let mut from = now;
        loop {
            let rises = if from < rx_ends { self.rx_rate } else { 0 };
            let falls = if from >= tx_starts { self.tx_rate } else { 0 };
            let changes = [rx_ends, tx_starts].into_iter().filter(|&change| change > from).min();
            let until = changes.unwrap_or(Time::NEVER);
            if let Some(at) = self.crosses(level, from, rises, falls, stop).filter(|&at| at <= until) {
                return Some(at);
            }
            if until == Time::NEVER {
                return None;
            }
            let length = until.since(from).ps();
            level = level
                .saturating_add(rises.saturating_mul(length))
                .saturating_sub(falls.saturating_mul(length));
            from = until;
        }
    }

    /// When a content that rises and falls at these rates crosses the threshold in the direction that matters now.
    fn crosses(&self, level: Nanobits, from: Time, rises: u64, falls: u64, stop: Nanobits) -> Option<Time> {
        let (gap, slope) = if self.told_stop {
            ((level + 1).saturating_sub(stop), falls.checked_sub(rises)?)
        } else {
            ((stop + 1).saturating_sub(level), rises.checked_sub(falls)?)
        };
        (slope > 0).then(|| from + Span::from_ps(gap.div_ceil(slope)))
    }
}

/// The integral over a time of an amount that grows from 0 at a rate and then stays.
fn area_of_flow(amount: Nanobits, rate: u64, span_ps: u64) -> f64 {
    amount as f64 * (span_ps as f64 - amount as f64 / (2 * rate) as f64)
}
