//! Input FIFOs as exact flows: inflow, content, outflow, and when they change.

use hopscope_fabric::{Link, NANOBITS, NO_SLOT, Nanobits, Slot};
use hopscope_units::{Span, Time};

use crate::packet::NO_PACKET;
use crate::switch::directive::{Band, Directive, Thresholds};
use crate::switch::fifo_entries::NO_ENTRY;

/// The progress of the packet at the head of a FIFO.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Progress {
    /// The decision has not begun.
    Arrived,
    /// The decision has begun, or been made.
    Asked,
    /// The decision has been made, but no output was idle and the rest must come first: virtual cut-through.
    AwaitsRest,
}

/// An input FIFO, or a host's send queue: inflow, content and outflow.
///
/// Flows are piecewise constant. Every change is an event that first settles the account up to its instant; between
/// changes the content is linear in time, so the instants at which it crosses a threshold or runs dry are computed.
///
/// Three cache lines, see [`crate::switch::output::Output`], with the fields in this order: first the flows and the
/// content, then the state of the head, and last what only a packet's last byte or a pause needs. So a packet's arrival
/// and its request fetch two lines.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub(crate) struct InputFifo {
    /// The content at `settled`.
    pub level: Nanobits,
    pub settled: Time,
    /// The data still to arrive of the packet at the tail, at `rx_rate` nanobits per picosecond.
    pub rx_left: Nanobits,
    /// The data that the granted packet at the head has still to send, from `tx_from` on, which may be in the future.
    pub tx_left: Nanobits,
    pub tx_from: Time,
    pub rx_rate: u32,
    pub tx_rate: u32,
    /// The packet at the head.
    pub head: u32,
    /// The output granted to the packet at the head.
    pub out: Slot,
    /// Whether the packet at the tail is arriving now.
    pub rx_on: bool,
    /// Whether the packet at the head is sending.
    pub tx_on: bool,
    /// The last directive to the sender.
    pub told: Directive,
    /// Whether the switch needs some packets complete before it forwards them.
    pub may_need_whole: bool,
    /// Whether the packet at the head is the last that has come in.
    pub head_is_newest: bool,
    /// The progress of the packet at the head.
    pub progress: Progress,
    /// The phase of a packet that has come in here: whether it may still go up.
    pub phase: u8,
    /// Whether the flow out is due to end by running dry, not with the packet's last byte.
    pub ends_dry: bool,

    /// The largest content so far.
    pub peak: Nanobits,
    /// When the first byte of the packet at the head came.
    pub head_first_in: Time,
    /// When the granted packet's set-up ends.
    pub ready: Time,
    /// When the flow out ends, with the packet's last byte or by running dry, and when the content crosses a threshold.
    /// An event scheduled for another time is void.
    pub flow_ends: Time,
    pub crossing_due: Time,
    /// The delay of the link.
    pub delay: Span,
    /// The places in line of the next packet and of the last.
    pub next: u32,
    pub tail: u32,
    /// The number of events that this slot has scheduled, for their order within an instant.
    pub count: u32,
    /// The switch that it belongs to.
    pub switch: u32,

    /// Since the restart: the time that data has spent here, summed over the nanobits of the packets that have left;
    /// the time from first byte in to last byte out and the time spent behind others, summed over packets, in
    /// picoseconds; packets that have left.
    pub dwelt: i128,
    pub held_ps: u64,
    pub wait_ps: u64,
    pub packets: u32,
    /// The slot at the other end of the link.
    pub far: Slot,
    /// Since when the packet at the tail has not been arriving.
    pub rx_off_since: Time,
    /// Whether the packet that is coming in is dropped as it comes: its time to live has expired.
    pub drops: bool,
}

const _: () = assert!(size_of::<InputFifo>() == 192);

impl InputFifo {
    pub fn new(cable: Link, switch: u32) -> Self {
        Self {
            level: 0,
            settled: Time::ZERO,
            rx_left: 0,
            tx_left: 0,
            tx_from: Time::ZERO,
            rx_rate: u32::try_from(cable.rate).expect("parameters keep links within 4 Tbit/s"),
            tx_rate: 0,
            head: NO_PACKET,
            out: NO_SLOT,
            rx_on: false,
            tx_on: false,
            told: Directive::Start,
            may_need_whole: false,
            head_is_newest: true,
            progress: Progress::Arrived,
            phase: 0,
            ends_dry: false,
            peak: 0,
            head_first_in: Time::ZERO,
            ready: Time::ZERO,
            flow_ends: Time::NEVER,
            crossing_due: Time::NEVER,
            delay: cable.delay,
            next: NO_ENTRY,
            tail: NO_ENTRY,
            count: 0,
            switch,
            dwelt: 0,
            held_ps: 0,
            wait_ps: 0,
            packets: 0,
            far: cable.far,
            rx_off_since: Time::ZERO,
            drops: false,
        }
    }

    /// Brings level, `rx_left` and `tx_left` up to now. Nearly every event does that first: inlined, because a call
    /// would cost more than the work when nothing flows.
    #[inline(always)]
    pub fn settle(&mut self, now: Time) {
        let elapsed = now.since(self.settled).ps();
        let flowing = if self.tx_on { now.saturating_since(self.tx_from).ps().min(elapsed) } else { 0 };
        if self.rx_on && self.rx_left > 0 {
            let rate = u64::from(self.rx_rate);
            let came = rate.saturating_mul(elapsed).min(self.rx_left);
            if flowing > 0 {
                // With a link out as fast as the link in, the content is at its highest when it begins to flow out.
                let before = rate.saturating_mul(elapsed - flowing).min(came);
                self.peak = self.peak.max(self.level + before);
            }
            self.rx_left -= came;
            self.level += came;
        }
        if flowing > 0 {
            // Instants are rounded up to whole picoseconds, so a flow may seem to have sent up to a picosecond's data
            // more than there was.
            let went = u64::from(self.tx_rate).saturating_mul(flowing).min(self.there_to_send());
            self.tx_left -= went;
            self.level -= went;
        }
        self.peak = self.peak.max(self.level);
        self.settled = now;
    }

    /// Counts a packet that leaves the head: all its data stayed from its first byte's arrival to the end of its
    /// set-up, a little more or less where the link out is slower or faster than the link in, and longer or shorter by
    /// the pauses.
    #[inline]
    pub fn book_packet(&mut self, length: Nanobits, now: Time) {
        self.dwelt += i128::from(length) * i128::from(self.ready.since(self.head_first_in).ps());
        if self.tx_rate != self.rx_rate {
            let spread =
                i128::from(length / u64::from(self.tx_rate)) - i128::from(length / u64::from(self.rx_rate));
            self.dwelt += i128::from(length) * spread / 2;
        }
        self.held_ps += now.since(self.head_first_in).ps();
        self.packets = self.packets.saturating_add(1);
    }

    /// Counts a pause in the outflow, for the data that had not yet left.
    pub fn book_pause_out(&mut self, pause: Span) {
        self.dwelt += i128::from(self.tx_left) * i128::from(pause.ps());
    }

    /// Counts the pause in the inflow that ends now, for the data that had not yet arrived.
    pub fn book_pause_in(&mut self, now: Time) {
        self.dwelt -= i128::from(self.rx_left) * i128::from(now.since(self.rx_off_since).ps());
    }

    /// The time that the data of a packet inside have spent here and that is not yet in `dwelt`. Settle first.
    ///
    /// The data arrived one after the other from `first_in` on, which shortens the mean stay by half of the time that
    /// this took. The counted pauses of the inflow are for all data that had not arrived, but data still to arrive has
    /// spent no time here.
    pub fn unbooked(&self, length: Nanobits, first_in: Time, is_newest: bool, now: Time) -> i128 {
        let left = if is_newest { self.rx_left } else { 0 };
        let rate = i128::from(self.rx_rate);
        // If flows are not tracked, at most the data that the link can have delivered since.
        let came = i128::from(length - left).min(rate * i128::from(now.since(first_in).ps()));
        let until = if self.rx_on { now } else { self.rx_off_since };
        let paused =
            if left > 0 { i128::from(until.saturating_since(first_in).ps()) - came / rate } else { 0 };
        came * i128::from(now.since(first_in).ps()) - came * came / (2 * rate) + i128::from(left) * paused
    }

    /// The same for data that the packet at the head has sent, which is no longer here: at most 0. `paused_since` is
    /// since when its output is paused, if it is. Settle first.
    pub fn unbooked_sent(&self, length: Nanobits, paused_since: Option<Time>, now: Time) -> i128 {
        let (left, rate) = (i128::from(self.tx_left), i128::from(self.tx_rate));
        let sent = i128::from(length) - left;
        let since_ready = |until: Time| i128::from(until.saturating_since(self.ready).ps());
        let paused = since_ready(paused_since.unwrap_or(now)) - sent / rate;
        sent * sent / (2 * rate) - sent * since_ready(now) - left * paused
    }

    /// Resets the counts. The packets inside have `unbooked`, which is not part of the new window. Settle first.
    pub fn restart(&mut self, unbooked: i128) {
        (self.peak, self.dwelt, self.held_ps, self.wait_ps, self.packets) = (self.level, -unbooked, 0, 0, 0);
    }

    /// The mean content over a window, bytes, including `unbooked` of the packets inside.
    pub fn mean_bytes(&self, unbooked: i128, window_ps: f64) -> f64 {
        (self.dwelt + unbooked) as f64 / (8 * NANOBITS) as f64 / window_ps
    }

    /// The data of the granted packet that has arrived and not been sent. Settle first.
    #[inline]
    fn there_to_send(&self) -> Nanobits {
        self.tx_left - if self.head_is_newest { self.rx_left } else { 0 }
    }

    /// Whether the packet at the head has arrived completely. Settle first.
    #[inline]
    pub fn head_is_whole(&self) -> bool {
        !self.head_is_newest || self.rx_left == 0
    }

    /// Whether the packet at the head has arrived completely by now.
    pub fn has_come(&mut self, now: Time) -> bool {
        self.settle(now);
        self.head_is_whole()
    }

    /// Whether the granted packet has something to send now. Settle first.
    #[inline]
    pub fn has_flow(&self) -> bool {
        self.head_is_whole() || self.rx_on || self.there_to_send() > 0
    }

    /// When the packet at the head will have sent its last byte, if nothing happens before. Settle first.
    #[inline]
    pub fn last_out(&self, now: Time) -> Time {
        now.max(self.tx_from) + Span::from_ps(self.tx_left.div_ceil(u64::from(self.tx_rate)))
    }

    /// When the packet at the head will have sent all that has arrived of it. Settle first.
    #[inline]
    pub fn runs_dry(&self, now: Time) -> Time {
        now.max(self.tx_from) + Span::from_ps(self.there_to_send().div_ceil(u64::from(self.tx_rate)))
    }

    /// The next instant at which the content leaves the band of the last directive, if the flows go on as they are.
    /// Settle first.
    #[inline]
    pub fn next_crossing(&self, now: Time, thresholds: Thresholds) -> Option<Time> {
        let band = thresholds.band(self.told);
        if self.level > band.most || self.level < band.least {
            return Some(now);
        }
        let receiving = self.rx_on && self.rx_left > 0;
        if band.least == 0 && (!receiving || self.level + self.rx_left <= band.most) {
            return None;
        }
        if band.most == Nanobits::MAX && !self.tx_on {
            return None;
        }
        let rx_ends =
            if receiving { now + Span::from_ps(self.rx_left.div_ceil(u64::from(self.rx_rate))) } else { now };
        let tx_starts = if self.tx_on { now.max(self.tx_from) } else { Time::NEVER };
        let mut level = self.level;
        let mut from = now;
        loop {
            let rises = if from < rx_ends { u64::from(self.rx_rate) } else { 0 };
            let falls = if from >= tx_starts { u64::from(self.tx_rate) } else { 0 };
            let ahead = |change: Time| if change > from { change } else { Time::NEVER };
            let until = ahead(rx_ends).min(ahead(tx_starts));
            if let Some(at) = leaves(band, level, from, rises, falls).filter(|&at| at <= until) {
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
}

/// When a content that rises and falls at these rates leaves a band.
fn leaves(band: Band, level: Nanobits, from: Time, rises: u64, falls: u64) -> Option<Time> {
    let (gap, slope) = if rises > falls {
        if band.most == Nanobits::MAX {
            return None;
        }
        ((band.most + 1).saturating_sub(level), rises - falls)
    } else {
        ((level + 1).saturating_sub(band.least), falls - rises)
    };
    (slope > 0 && (rises > falls || band.least > 0)).then(|| from + Span::from_ps(gap.div_ceil(slope)))
}
