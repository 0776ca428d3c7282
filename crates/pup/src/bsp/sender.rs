//! The sending end of a byte stream.

use hopscope_units::Time;

use super::RetransmissionTimer;
use super::demands::Demands;
use super::send_window::SendWindow;
use super::sending_rule::{Acknowledgment, ChosenRule, Demanding, Recovery, SenderRule, SendingRule};
use super::sequence::precedes;
use super::stream_pup::StreamPup;
use super::throttle::Throttle;
use crate::wire::{Allocation, MOST_DATA, kind};

/// A Pup that a sender wants sent now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transmit {
    /// Its first byte's number; for a probe, the number of the next byte to come.
    pub sequence: u32,
    /// Bytes of data; a probe has none.
    pub length: u16,
    /// Whether it demands an acknowledgment.
    pub demand: bool,
    /// Whether it has been sent before.
    pub again: bool,
}

impl Transmit {
    /// The type of the Pup.
    #[must_use]
    pub const fn kind(&self) -> u8 {
        if self.demand { kind::A_DATA } else { kind::DATA }
    }
}

/// What a sender has counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SenderCounts {
    /// Pups with data sent for the first time.
    pub first: u64,
    /// Pups with data sent again.
    pub again: u64,
    /// Pups without data that only demand an acknowledgment.
    pub probes: u64,
    /// Pups that a full queue on the way has refused.
    pub refused: u64,
    /// Acknowledgments of less than everything sent.
    pub partial: u64,
}

/// The sending end of a byte stream: no clock and no network, only what to send after what has happened.
///
/// The user writes Pups while there is [`room`](Self::room), the network takes what [`poll`](Self::poll) gives until
/// there is nothing, and brings acknowledgments, refusals and the passing of the [`deadline`](Self::deadline).
#[derive(Clone, Debug)]
pub struct ByteStreamSender {
    rule: ChosenRule,
    throttle: Throttle,
    allocation: Allocation,
    window: SendWindow,
    flushed: bool,
    demands: Demands,
    probe_due: bool,
    counts: SenderCounts,
}

impl ByteStreamSender {
    /// A sender whose first byte has this number. Panics at a window of 0.
    #[must_use]
    pub fn new(rule: SenderRule, window: u16, first: u32) -> Self {
        assert!(window > 0, "a window of no Pup sends nothing");
        let rule = rule.begin(first);
        Self {
            rule,
            throttle: Throttle::new(window),
            allocation: Allocation { bytes_a_pup: MOST_DATA as u16, pups: window, bytes: u16::MAX },
            window: SendWindow::new(first),
            flushed: false,
            demands: Demands::new(rule.demanding(), RetransmissionTimer::new()),
            probe_due: false,
            counts: SenderCounts::default(),
        }
    }

    /// The same sender, which sends nothing before the receiver has allowed something:
    /// [`ask`](Self::ask) for that. `timer` is that of the first demand.
    #[must_use]
    pub fn without_allocation(rule: SenderRule, window: u16, first: u32, timer: RetransmissionTimer) -> Self {
        let sender = Self::new(rule, window, first);
        let demands = Demands::new(sender.rule.demanding(), timer);
        Self { allocation: Allocation { bytes_a_pup: 0, pups: 0, bytes: 0 }, demands, ..sender }
    }

    /// Whether another Pup may be written.
    #[must_use]
    pub fn room(&self) -> bool {
        self.room_bytes() > 0
    }

    /// The most bytes that another Pup may have: what is left of the receiver's allocation. 0 where none may be
    /// written.
    #[must_use]
    pub fn room_bytes(&self) -> usize {
        let window = usize::from(self.limit().min(self.allocation.pups));
        if self.in_window() >= window || !self.rule.admits(window, self.demands.awaiting()) {
            return 0;
        }
        let left = usize::from(self.allocation.bytes).saturating_sub(self.window.bytes());
        left.min(usize::from(self.allocation.bytes_a_pup)).min(MOST_DATA)
    }

    /// Asks the receiver what it allows now, by a Pup without data, unless an answer is awaited already.
    pub fn ask(&mut self) {
        if self.deadline().is_none() {
            self.probe_due = true;
        }
    }

    /// Takes the data of one Pup. Panics on no data, or on more than there is [`room`](Self::room_bytes) for: program
    /// errors.
    pub fn write(&mut self, data: &[u8]) {
        assert!(!data.is_empty() && data.len() <= self.room_bytes(), "a Pup was written that does not fit");
        self.window.write(data);
        self.rule.written();
        self.flushed = false;
    }

    /// Nothing more will be written for now: the last Pup is to demand an acknowledgment.
    pub fn flush(&mut self) {
        self.flushed = true;
        self.ask_where_nothing_does();
    }

    /// Pups are under way, none of them demands an acknowledgment, and none that does can follow: a probe has to.
    fn ask_where_nothing_does(&mut self) {
        let can_follow = self.wants() || self.room() && !self.flushed;
        if self.window.outstanding() && self.deadline().is_none() && !can_follow {
            self.probe_due = true;
        }
    }

    /// Whether [`poll`](Self::poll) has something.
    #[must_use]
    pub fn wants(&self) -> bool {
        self.probe_due || self.window.wants()
    }

    /// The next result of [`poll`](Self::poll), to check first whether a copy of it is still in the way.
    pub(crate) fn upcoming(&self) -> Option<StreamPup> {
        let data = self.window.upcoming().map(StreamPup::Data);
        data.or_else(|| self.probe_due.then_some(StreamPup::Probe))
    }

    /// What to send now, if anything; the caller sends it.
    pub fn poll(&mut self, now: Time) -> Option<Transmit> {
        let Some(pup) = self.window.depart() else { return self.probe(now) };
        let demand = match self.rule.demanding() {
            Demanding::Each => true,
            Demanding::Last => !self.window.wants() && (pup.again || self.flushed || !self.room()),
        };
        if pup.again {
            self.counts.again += 1;
        } else {
            self.counts.first += 1;
        }
        if demand {
            self.demanded(now, pup.end, pup.again);
        }
        Some(Transmit { sequence: pup.sequence, length: pup.length, demand, again: pup.again })
    }

    fn probe(&mut self, now: Time) -> Option<Transmit> {
        if !std::mem::take(&mut self.probe_due) {
            return None;
        }
        self.counts.probes += 1;
        let end = self.window.sent_end();
        self.demanded(now, end, true);
        Some(Transmit { sequence: end, length: 0, demand: true, again: true })
    }

    fn demanded(&mut self, now: Time, end: u32, again: bool) {
        self.probe_due = false;
        self.demands.sent(now, end, again);
        self.rule.demanded(end);
    }

    /// The first byte not acknowledged.
    #[must_use]
    pub fn unacknowledged(&self) -> u32 {
        self.window.unacknowledged()
    }

    /// Copies the data of a Pup that [`poll`](Self::poll) gave behind what `data` holds.
    pub fn copy_data(&self, transmit: &Transmit, data: &mut Vec<u8>) {
        self.window.copy_data(transmit.sequence, transmit.length, data);
    }

    /// An acknowledgment: `wanted` is the next byte that the receiver wants. Returns how many Pups are now acknowledged
    /// that were not before.
    pub fn acknowledged(&mut self, now: Time, wanted: u32, allocation: Allocation) -> usize {
        if precedes(wanted, self.unacknowledged()) || precedes(self.window.sent_end(), wanted) {
            return 0;
        }
        self.allocation = allocation;
        let news = wanted != self.unacknowledged();
        if !news && self.demands.too_early(now) {
            return 0;
        }
        let answered = self.demands.answered(now, wanted, news);
        let released = self.window.release(wanted);
        let outstanding = self.window.outstanding();
        self.counts.partial += u64::from(outstanding);
        self.demands.after_acknowledgment(now, outstanding);
        if self.rule.demanding() == Demanding::Last {
            self.probe_due = false;
        }
        let acknowledgment = Acknowledgment { released, outstanding, in_window: self.in_window(), answered };
        let recovery = self.rule.acknowledged(&acknowledgment);
        // A clump that is repeated as a whole is the same clump still, and its answer is awaited still.
        if answered && recovery != Recovery::Everything {
            self.demands.forget();
        }
        self.recover(recovery);
        self.throttle.acknowledged(released);
        self.ask_where_nothing_does();
        released
    }

    fn recover(&mut self, recovery: Recovery) {
        match recovery {
            Recovery::Nothing => return,
            Recovery::Everything => self.window.send_again(|_| true),
            Recovery::Before(end) => self.window.send_again(|sequence| precedes(sequence, end)),
            Recovery::Oldest => {
                if self.window.send_oldest_again() {
                    self.demands.forget();
                } else {
                    // Nothing is under way but the question what the receiver allows.
                    self.probe_due = true;
                }
            }
            Recovery::Probe => self.probe_due = true,
        }
        self.throttle.trouble();
    }

    /// When to say [`time_out`](Self::time_out), unless something comes first.
    #[must_use]
    pub const fn deadline(&self) -> Option<Time> {
        self.demands.deadline()
    }

    /// Whether the demand that the deadline is for is among these Pups.
    pub(crate) fn demand_is_among(&self, pups: &[StreamPup]) -> bool {
        match self.rule.demanding() {
            Demanding::Each => pups.contains(&StreamPup::Data(self.unacknowledged())),
            // A demand is the last of its clump.
            Demanding::Last => pups.iter().any(|pup| matches!(pup, StreamPup::Data(_) | StreamPup::Probe)),
        }
    }

    /// The deadline has passed, but the demand that it was for has not left the machine yet: it runs anew.
    pub(crate) fn postpone(&mut self, now: Time) {
        self.demands.run_anew(now);
    }

    /// The deadline has passed.
    pub fn time_out(&mut self, now: Time) {
        if self.demands.expired(now) {
            let recovery = self.rule.timed_out();
            self.recover(recovery);
        }
    }

    /// A queue on the way was full and refused a Pup of the stream: the window shrinks by one.
    pub fn refused(&mut self) {
        self.throttle.refused();
        self.counts.refused += 1;
        self.ask_where_nothing_does();
    }

    /// Whether everything written is acknowledged.
    #[must_use]
    pub fn idle(&self) -> bool {
        self.window.pups() == 0
    }

    /// Pups written and not acknowledged.
    #[must_use]
    pub fn in_window(&self) -> usize {
        self.window.pups()
    }

    /// Bytes written and not acknowledged.
    #[must_use]
    pub fn in_window_bytes(&self) -> usize {
        self.window.bytes()
    }

    /// The window as refusals have shrunk it.
    #[must_use]
    pub const fn limit(&self) -> u16 {
        self.throttle.limit()
    }

    /// What has been counted.
    #[must_use]
    pub const fn counts(&self) -> SenderCounts {
        self.counts
    }
}
