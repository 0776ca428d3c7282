//! The sending end of a byte stream.

use std::collections::VecDeque;

use hopscope_units::{Span, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::RetransmissionTimer;
use crate::internet::Standing;
use crate::wire::{Allocation, MOST_DATA, kind};

/// Clumps without any trouble after which a throttled sender ventures one Pup more.
const GOOD_CLUMPS: u32 = 10;
/// Acknowledgments of the same byte after which a sliding window takes the oldest Pup for lost.
const SAME_AGAIN: u32 = 3;

/// When a sender sends, and what it sends again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SenderRule {
    /// The Mesa sender: a clump as large as the window, then nothing until all of it is acknowledged. An acknowledgment of less makes it
    /// send everything again that is not acknowledged.
    #[default]
    Clump,
    /// The BCPL sender: as the clump, but of what is not acknowledged it sends again only what went before the last demand for an
    /// acknowledgment, and fills the window in the same burst.
    Burst,
    /// A sliding window, which the Pup stations did not have: every Pup demands an acknowledgment, the window is always full, and only
    /// the oldest Pup is sent again.
    Sliding,
}

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
}

#[derive(Clone, Copy, Debug)]
struct Segment {
    sequence: u32,
    length: u16,
    sent: bool,
    /// It is to be sent again.
    due: bool,
}

/// A demand for an acknowledgment that is under way.
#[derive(Clone, Copy, Debug)]
struct Demand {
    /// The end of what it covers.
    end: u32,
    sent: Time,
    /// Whether it is the first for its clump, so that the answer is its own.
    first: bool,
}

impl Segment {
    fn end(&self) -> u32 {
        self.sequence.wrapping_add(u32::from(self.length))
    }
}

/// The sending end of a byte stream: no clock and no network, only what to send after what has happened.
///
/// The user writes Pups while there is [`room`](Self::room), the network takes what [`poll`](Self::poll) gives until there is nothing, and
/// brings acknowledgments, refusals and the passing of the [`deadline`](Self::deadline).
#[derive(Clone, Debug)]
pub struct ByteStreamSender {
    rule: SenderRule,
    window: u16,
    /// The window as refusals have shrunk it.
    limit: u16,
    allocation: Allocation,
    segments: VecDeque<Segment>,
    content: VecDeque<u8>,
    next: u32,
    /// Pups written since the clump began.
    written: u16,
    flushed: bool,
    /// The last demand, as long as nothing has come back for it.
    demand: Option<Demand>,
    /// The shortest time from a demand to its answer, of those that left no doubt which answer it was.
    shortest: Option<Span>,
    demanded_end: u32,
    deadline: Option<Time>,
    timer: RetransmissionTimer,
    probe_due: bool,
    same: u32,
    /// Pups acknowledged since the last trouble.
    good: u32,
    counts: SenderCounts,
}

/// Whether `a` comes before `b` in the circle of sequence numbers.
pub(crate) fn precedes(a: u32, b: u32) -> bool {
    (a.wrapping_sub(b) as i32) < 0
}

impl ByteStreamSender {
    /// A sender whose first byte has this number. Panics at a window of 0.
    #[must_use]
    pub fn new(rule: SenderRule, window: u16, first: u32) -> Self {
        assert!(window > 0, "a window of no Pup sends nothing");
        let allocation = Allocation { bytes_a_pup: MOST_DATA as u16, pups: window, bytes: u16::MAX };
        Self {
            rule,
            window,
            limit: window,
            allocation,
            segments: VecDeque::new(),
            content: VecDeque::new(),
            next: first,
            written: 0,
            flushed: false,
            demand: None,
            shortest: None,
            demanded_end: first,
            deadline: None,
            timer: RetransmissionTimer::new(),
            probe_due: false,
            same: 0,
            good: 0,
            counts: SenderCounts::default(),
        }
    }

    /// Whether another Pup may be written.
    #[must_use]
    pub fn room(&self) -> bool {
        // One Pup is always ventured: a receiver that allows none would have to wake the sender up again.
        let window = usize::from(self.limit.min(self.allocation.pups).max(1));
        let bytes = self.content.len() + usize::from(self.allocation.bytes_a_pup)
            <= usize::from(self.allocation.bytes);
        let clump =
            self.rule != SenderRule::Clump || usize::from(self.written) < window && self.demand.is_none();
        self.segments.len() < window && (bytes || self.segments.is_empty()) && clump
    }

    /// Takes the data of one Pup. Panics without [`room`](Self::room), on no data, or on more than a Pup holds: program errors.
    pub fn write(&mut self, data: &[u8]) {
        assert!(
            self.room() && !data.is_empty() && data.len() <= MOST_DATA,
            "a Pup was written that does not fit"
        );
        let length = data.len() as u16;
        self.segments.push_back(Segment { sequence: self.next, length, sent: false, due: false });
        self.content.extend(data);
        self.next = self.next.wrapping_add(u32::from(length));
        self.written += 1;
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
        if self.outstanding() && self.deadline.is_none() && !can_follow {
            self.probe_due = true;
        }
    }

    /// Whether [`poll`](Self::poll) has something.
    #[must_use]
    pub fn wants(&self) -> bool {
        self.probe_due || self.segments.iter().any(|segment| segment.due || !segment.sent)
    }

    /// The segment whose turn it is: what is to be sent again comes first.
    fn first_wanted(&self) -> Option<usize> {
        let due = self.segments.iter().position(|segment| segment.due);
        due.or_else(|| self.segments.iter().position(|segment| !segment.sent))
    }

    /// What [`poll`](Self::poll) would give, for whoever has to see first whether a copy of it still stands in the way.
    pub(crate) fn upcoming(&self) -> Option<Standing> {
        let segment = self.first_wanted().map(|at| Standing::Data(self.segments[at].sequence));
        segment.or_else(|| self.probe_due.then_some(Standing::Probe))
    }

    /// What to send now, if anything; the caller sends it.
    pub fn poll(&mut self, now: Time) -> Option<Transmit> {
        let Some(at) = self.first_wanted() else { return self.probe(now) };
        let again = self.segments[at].sent;
        (self.segments[at].sent, self.segments[at].due) = (true, false);
        let segment = self.segments[at];
        let last_now = !self.segments.iter().any(|segment| segment.due || !segment.sent);
        let closes = last_now && (again || self.flushed || !self.room());
        let demand = self.rule == SenderRule::Sliding || closes;
        if again {
            self.counts.again += 1;
        } else {
            self.counts.first += 1;
        }
        if demand {
            self.demanded(now, segment.end(), again);
        }
        Some(Transmit { sequence: segment.sequence, length: segment.length, demand, again })
    }

    fn probe(&mut self, now: Time) -> Option<Transmit> {
        if !std::mem::take(&mut self.probe_due) {
            return None;
        }
        self.counts.probes += 1;
        self.demanded(now, self.sent_end(), true);
        Some(Transmit { sequence: self.sent_end(), length: 0, demand: true, again: true })
    }

    fn demanded(&mut self, now: Time, end: u32, again: bool) {
        self.probe_due = false;
        // A sliding window times one Pup at a time, and none that was sent twice.
        let sliding = self.rule == SenderRule::Sliding;
        if !sliding || self.demand.is_none() && !again {
            self.demand = Some(Demand { end, sent: now, first: !again });
        }
        if !sliding || self.deadline.is_none() {
            self.deadline = Some(self.timer.deadline(now));
        }
        if precedes(self.demanded_end, end) {
            self.demanded_end = end;
        }
    }

    /// The end of what has been sent.
    fn sent_end(&self) -> u32 {
        self.segments.iter().find(|segment| !segment.sent).map_or(self.next, |segment| segment.sequence)
    }

    /// The first byte not acknowledged.
    #[must_use]
    pub fn unacknowledged(&self) -> u32 {
        self.segments.front().map_or(self.next, |segment| segment.sequence)
    }

    /// Copies the data of a Pup that [`poll`](Self::poll) gave behind what `data` holds.
    pub fn copy_data(&self, transmit: &Transmit, data: &mut Vec<u8>) {
        let start = transmit.sequence.wrapping_sub(self.unacknowledged()) as usize;
        let (older, newer) = self.content.as_slices();
        let end = start + usize::from(transmit.length);
        let cut = older.len();
        data.extend_from_slice(&older[start.min(cut)..end.min(cut)]);
        data.extend_from_slice(&newer[start.max(cut) - cut..end.max(cut) - cut]);
    }

    /// An acknowledgment: `wanted` is the next byte that the receiver wants. Returns how many Pups are now acknowledged that were not before.
    pub fn acknowledged(&mut self, now: Time, wanted: u32, allocation: Allocation) -> usize {
        if precedes(wanted, self.unacknowledged()) || precedes(self.sent_end(), wanted) {
            return 0;
        }
        self.allocation = allocation;
        if wanted == self.unacknowledged() && self.answers_an_earlier_demand(now) {
            return 0;
        }
        self.measure(now, wanted);
        let mut released = 0;
        while let Some(&oldest) = self.segments.front()
            && !precedes(wanted, oldest.end())
            && oldest.sent
        {
            self.segments.pop_front();
            self.content.drain(..usize::from(oldest.length));
            released += 1;
        }
        match self.rule {
            SenderRule::Clump => self.clump_acknowledged(),
            SenderRule::Burst => self.burst_acknowledged(),
            SenderRule::Sliding => self.slide(now, released),
        }
        self.venture(released);
        self.ask_where_nothing_does();
        released
    }

    /// Whether an acknowledgment of nothing new cannot be the answer to the last demand: there is none, or it is the first of its clump
    /// and no answer to such a one has ever come so fast.
    ///
    /// A sender that acted on it would repeat the clump, the repetition would be acknowledged twice, and so on with every clump for ever:
    /// one needless probe would be enough.
    fn answers_an_earlier_demand(&self, now: Time) -> bool {
        let too_fast = |demand: Demand| {
            demand.first && self.shortest.is_some_and(|shortest| now.since(demand.sent) < shortest)
        };
        self.rule != SenderRule::Sliding && self.demand.is_none_or(too_fast)
    }

    fn measure(&mut self, now: Time, wanted: u32) {
        if let Some(demand) = self.demand
            && (self.rule != SenderRule::Sliding || !precedes(wanted, demand.end))
        {
            let round_trip = now.since(demand.sent);
            self.timer.measured(round_trip);
            if demand.first && precedes(self.unacknowledged(), wanted) {
                self.shortest = Some(self.shortest.map_or(round_trip, |shortest| shortest.min(round_trip)));
            }
            if self.rule != SenderRule::Clump {
                self.demand = None;
            }
        }
    }

    fn outstanding(&self) -> bool {
        self.segments.front().is_some_and(|oldest| oldest.sent)
    }

    fn clump_acknowledged(&mut self) {
        self.deadline = None;
        self.probe_due = false;
        if self.outstanding() {
            self.good = 0;
            self.send_again(|_| true);
        } else if self.demand.take().is_some() {
            self.written = self.segments.len() as u16;
        }
    }

    fn burst_acknowledged(&mut self) {
        self.deadline = None;
        self.probe_due = false;
        let demanded = self.demanded_end;
        if self.outstanding() {
            self.good = 0;
            self.send_again(|segment| precedes(segment.sequence, demanded));
        }
    }

    fn slide(&mut self, now: Time, released: usize) {
        self.deadline = self.outstanding().then(|| self.timer.deadline(now));
        self.same = if released > 0 || !self.outstanding() { 0 } else { self.same + 1 };
        if self.same == SAME_AGAIN {
            self.good = 0;
            self.send_oldest_again();
        }
    }

    fn send_again(&mut self, which: impl Fn(&Segment) -> bool) {
        for segment in self.segments.iter_mut().filter(|segment| segment.sent && which(segment)) {
            segment.due = true;
        }
    }

    fn send_oldest_again(&mut self) {
        if let Some(oldest) = self.segments.front_mut().filter(|oldest| oldest.sent) {
            oldest.due = true;
            self.demand = None;
        }
    }

    /// After ten clumps without trouble the window grows again by one Pup.
    fn venture(&mut self, released: usize) {
        self.good += released as u32;
        if self.good >= GOOD_CLUMPS * u32::from(self.limit) {
            self.good = 0;
            self.limit = (self.limit + 1).min(self.window);
        }
    }

    /// When to say [`time_out`](Self::time_out), unless something comes first.
    #[must_use]
    pub const fn deadline(&self) -> Option<Time> {
        self.deadline
    }

    /// The deadline has passed, but the demand that it was for has not left the machine yet: it runs anew.
    pub(crate) fn postpone(&mut self, now: Time) {
        self.deadline = Some(self.timer.deadline(now));
    }

    /// The deadline has passed.
    pub fn time_out(&mut self, now: Time) {
        if self.deadline.is_none_or(|deadline| now < deadline) {
            return;
        }
        self.deadline = None;
        self.good = 0;
        match self.rule {
            SenderRule::Sliding => {
                self.same = 0;
                self.send_oldest_again();
            }
            SenderRule::Clump | SenderRule::Burst => self.probe_due = true,
        }
    }

    /// A queue on the way was full and refused a Pup of the stream: the window shrinks by one.
    pub fn refused(&mut self) {
        self.limit = (self.limit - 1).max(1);
        self.good = 0;
        self.counts.refused += 1;
        self.ask_where_nothing_does();
    }

    /// Whether everything written is acknowledged.
    #[must_use]
    pub fn idle(&self) -> bool {
        self.segments.is_empty()
    }

    /// Pups written and not acknowledged.
    #[must_use]
    pub fn in_window(&self) -> usize {
        self.segments.len()
    }

    /// The window as refusals have shrunk it.
    #[must_use]
    pub const fn limit(&self) -> u16 {
        self.limit
    }

    /// What has been counted.
    #[must_use]
    pub const fn counts(&self) -> SenderCounts {
        self.counts
    }
}
