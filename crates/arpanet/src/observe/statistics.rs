//! The measurements of the Network Measurement Center besides mean delays.

use hopscope_measure::{
    CellMeans, DelayLabel, DelayUnit, EVERY_CLASS, Estimate, Metric, Report, SeriesPoint, autocorrelation,
};
use hopscope_units::{Span, Time};

use crate::protocol::packet::Fate;

/// The block of successive messages of which the best is reported (Kleinrock and Opderbeck, section IV).
const BLOCK: usize = 150;
/// Round trips kept for the autocorrelation: over six hours of the paper's experiments.
const MOST_ROUND_TRIPS: usize = 1 << 16;
/// Lags of the autocorrelation.
const LAGS: usize = 10;
/// The histogram's bins: 20 ms each, up to 4 s and all beyond.
const BIN: Span = Span::from_ms(20);
const BINS: usize = 201;

/// The monitor's further delays.
pub(crate) struct Series;

impl Series {
    pub const FROM_FIRST_BIT: usize = 6;
    pub const FROM_LAST_BIT: usize = 7;
    /// The intervals between the instants of RFC 619, and the host's round trip, which ends when the host has its RFNM.
    /// Kleinrock and Opderbeck do not say where it starts. The other statistics of round trips (best 150,
    /// autocorrelation, histogram) start at the last bit accepted, with which the delay over one hop that Fig. 4
    /// publishes agrees.
    pub const LABELS: &'static [DelayLabel] = &[
        ms("T(2)-T(1)"),
        ms("T(3)-T(2)"),
        ms("T(4)-T(3)"),
        ms("T(5)-T(4)"),
        ms("T(6)-T(5)"),
        ms("T(7)-T(6)"),
        ms("round trip from first bit"),
        ms("round trip from last bit"),
    ];
}

const fn ms(name: &'static str) -> DelayLabel {
    DelayLabel { name, unit: DelayUnit::Ms }
}

/// Counters and records of a run.
#[derive(Clone, Debug)]
pub(crate) struct Statistics {
    /// Packets passed from one IMP to the next since the run began.
    pub hops: u64,
    pub retransmissions: u64,
    pub duplicates: u64,
    pub refusals: u64,
    pub requests: u64,
    pub superfluous: u64,
    pub given_back: u64,
    /// RFNMs of multipacket messages without an allocation.
    pub bare_replies: u64,
    pub discarded: u64,
    /// Incomplete queries.
    pub queries: u64,
    /// Messages that did not arrive, by [`Fate::LOST`].
    lost: [u64; Fate::LOST.len()],
    pub switches: u64,
    /// When a message of any traffic arrived last, or when one was born that was alone.
    pub last_delivery: Time,
    delivered: u64,
    path_hops: u64,
    recent: Vec<(Time, u64, u64)>,
    recent_bits: u64,
    recent_ps: u64,
    best_bit_s: f64,
    best_round_trip_ps: u64,
    round_trips: Vec<f64>,
    histogram: Vec<u64>,
    /// Round trips from the first and from the last bit, by class.
    by_class: CellMeans,
    classes: usize,
}

/// How long a message of a class took until its host had the RFNM.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HostRoundTrip {
    pub class: u8,
    pub from_first_bit: Span,
    pub from_last_bit: Span,
}

impl Statistics {
    /// Empty statistics of this number of classes.
    pub fn new(now: Time, classes: usize) -> Self {
        Self {
            by_class: CellMeans::new(now, 2 * classes),
            classes,
            hops: 0,
            retransmissions: 0,
            duplicates: 0,
            refusals: 0,
            requests: 0,
            superfluous: 0,
            given_back: 0,
            bare_replies: 0,
            discarded: 0,
            queries: 0,
            lost: [0; Fate::LOST.len()],
            switches: 0,
            last_delivery: Time::ZERO,
            delivered: 0,
            path_hops: 0,
            recent: Vec::with_capacity(BLOCK),
            recent_bits: 0,
            recent_ps: 0,
            best_bit_s: 0.0,
            best_round_trip_ps: u64::MAX,
            round_trips: Vec::new(),
            histogram: vec![0; BINS],
        }
    }

    pub fn restart(&mut self, now: Time) {
        *self = Self { hops: self.hops, last_delivery: self.last_delivery, ..Self::new(now, self.classes) };
    }

    /// A message has ended its life and has not arrived.
    pub fn lost(&mut self, fate: Fate) {
        for (count, _) in self.lost.iter_mut().zip(Fate::LOST).filter(|(_, (kind, _))| *kind == fate) {
            *count += 1;
        }
    }

    /// A message has ended its life.
    pub fn delivered(&mut self, now: Time, took: HostRoundTrip, bits: u64, hops: u16) {
        let round_trip = took.from_last_bit;
        for (from, span) in [took.from_first_bit, round_trip].into_iter().enumerate() {
            self.by_class.add(now, from * self.classes + usize::from(took.class), span);
        }
        self.path_hops += u64::from(hops);
        if self.round_trips.len() < MOST_ROUND_TRIPS {
            self.round_trips.push(round_trip.ps() as f64 * 1e-9);
        }
        let bin = (round_trip.ps() / BIN.ps()) as usize;
        self.histogram[bin.min(BINS - 1)] += 1;
        let place = (self.delivered % BLOCK as u64) as usize;
        self.delivered += 1;
        self.recent_bits += bits;
        self.recent_ps += round_trip.ps();
        let entry = (now, bits, round_trip.ps());
        if self.recent.len() < BLOCK {
            self.recent.push(entry);
            return;
        }
        // The block is the last 150 messages, and lasts from the end of the one before them.
        let (since, old_bits, old_ps) = std::mem::replace(&mut self.recent[place], entry);
        self.recent_bits -= old_bits;
        self.recent_ps -= old_ps;
        let span = now.since(since).as_seconds();
        if span > 0.0 {
            self.best_bit_s = self.best_bit_s.max(self.recent_bits as f64 / span);
        }
        self.best_round_trip_ps = self.best_round_trip_ps.min(self.recent_ps / BLOCK as u64);
    }

    /// Adds the round trips of each class, as a host sees them, to a report.
    pub fn add_classes(&self, now: Time, classes: &[String], report: &mut Report) {
        for (from, name) in ["round trip from first bit", "round trip from last bit"].into_iter().enumerate()
        {
            for (class, label) in classes.iter().enumerate() {
                let mean = self.by_class.mean(now, &[from * self.classes + class]);
                let mean = mean.map(|mean| mean.in_units_of(1e9)).filter(|mean| mean.low.is_finite());
                report.metrics.push(Metric::new(name, label, ("mean", "ms"), mean).of_delay());
            }
        }
    }

    /// Adds everything to a report.
    pub fn add_to(&self, report: &mut Report) {
        let n = self.delivered;
        let mut add = |name: &str, statistic: &str, unit: &str, value: Option<f64>| {
            let exact = value.map(|value| Estimate::exact(value, n));
            report.metrics.push(Metric::new(name, EVERY_CLASS, (statistic, unit), exact));
        };
        let whole = self.recent.len() == BLOCK && self.best_bit_s > 0.0;
        add("best 150 throughput", "rate", "kbit/s", whole.then_some(self.best_bit_s * 1e-3));
        add(
            "best 150 round trip from last bit",
            "mean",
            "ms",
            whole.then_some(self.best_round_trip_ps as f64 * 1e-9),
        );
        add("path length", "mean", "hops", (n > 0).then(|| self.path_hops as f64 / n as f64));
        for (lag, value) in autocorrelation(&self.round_trips, LAGS).into_iter().enumerate().skip(1) {
            add("round trip from last bit autocorrelation", &format!("lag {lag}"), "", Some(value));
        }
        let counts = [
            ("retransmissions", self.retransmissions),
            ("duplicates", self.duplicates),
            ("refusals", self.refusals),
            ("requests", self.requests),
            ("superfluous requests", self.superfluous),
            ("allocations given back", self.given_back),
            ("replies without allocation", self.bare_replies),
            ("discarded messages", self.discarded),
            ("line switches", self.switches),
            ("incomplete queries", self.queries),
        ];
        let lost = Fate::LOST.iter().zip(self.lost).map(|(&(_, name), count)| (name, count));
        for (name, count) in counts.into_iter().chain(lost) {
            add(name, "count", "", Some(count as f64));
        }
        let filled = self.histogram.iter().rposition(|&count| count > 0).map_or(0, |last| last + 1);
        report.series.extend(self.histogram[..filled].iter().enumerate().map(|(bin, &count)| SeriesPoint {
            time_s: (BIN * (bin as u64 + 1)).as_seconds(),
            series: "round trips from last bit up to this delay and above the one before (messages)".into(),
            value: count as f64,
        }));
    }
}
