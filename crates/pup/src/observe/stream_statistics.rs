//! What streams have counted, for each Pup acknowledged, and how much each has carried.

use hopscope_measure::Estimate;
use hopscope_units::{Data, Time};

use super::{BatchedRatio, fairness};

/// The counters of the byte stream protocol at both ends of a stream, since it began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct StreamCounts {
    /// Pups that came to the receiver before their turn.
    pub early: u64,
    /// Pups that came to the receiver and had been there already.
    pub duplicate: u64,
    /// Acknowledgments of less than everything sent.
    pub partial: u64,
    /// Pups without data that only demanded an acknowledgment.
    pub probes: u64,
    /// Times that a full queue has shrunk the window.
    pub throttles: u64,
}

/// How the counters are called, in their order.
const NAMES: [&str; 5] = ["early Pups", "duplicate Pups", "partial acknowledgments", "probes", "throttles"];

impl StreamCounts {
    const fn values(self) -> [u64; 5] {
        [self.early, self.duplicate, self.partial, self.probes, self.throttles]
    }
}

/// One stream's share.
#[derive(Clone, Debug)]
struct Carried {
    counts: [u64; 5],
    /// When its last Pup was acknowledged, or measuring began.
    last: Time,
    /// Bits over picoseconds, from one acknowledged Pup to the next.
    rate: BatchedRatio,
}

/// The statistics of all streams.
#[derive(Clone, Debug)]
pub(crate) struct StreamStatistics {
    streams: Vec<Carried>,
    retransmissions: BatchedRatio,
    counters: [BatchedRatio; 5],
}

impl StreamStatistics {
    /// Empty statistics of `streams` streams.
    pub fn new(streams: usize) -> Self {
        let carried = Carried { counts: [0; 5], last: Time::ZERO, rate: BatchedRatio::new() };
        Self {
            streams: vec![carried; streams],
            retransmissions: BatchedRatio::new(),
            counters: [const { BatchedRatio::new() }; 5],
        }
    }

    /// Forgets everything measured; what streams had counted by now is not counted again.
    pub fn restart(&mut self, now: Time) {
        self.retransmissions = BatchedRatio::new();
        self.counters = [const { BatchedRatio::new() }; 5];
        for stream in &mut self.streams {
            (stream.last, stream.rate) = (now, BatchedRatio::new());
        }
    }

    /// A Pup of a stream is acknowledged after this number of retransmissions.
    pub fn acknowledged(&mut self, now: Time, stream: u32, data: Data, again: u32, counts: StreamCounts) {
        self.retransmissions.add(u64::from(again), 1);
        let stream = &mut self.streams[stream as usize];
        let counts = counts.values();
        for ((counter, now), before) in self.counters.iter_mut().zip(counts).zip(stream.counts) {
            counter.add(now - before, 1);
        }
        stream.counts = counts;
        stream.rate.add(data.bits(), now.since(stream.last).ps());
        stream.last = now;
    }

    /// Retransmissions for a thousand Pups acknowledged.
    pub fn retransmissions(&self) -> Option<Estimate> {
        self.retransmissions.estimate(1e3)
    }

    /// The counters by name, for a thousand Pups acknowledged.
    pub fn counters(&self) -> impl Iterator<Item = (&'static str, Estimate)> {
        NAMES
            .into_iter()
            .zip(&self.counters)
            .filter_map(|(name, counter)| Some((name, counter.estimate(1e3)?)))
    }

    /// What each stream has carried, in kbit/s; nothing for one that has carried too little for an interval.
    pub fn throughputs(&self) -> impl Iterator<Item = Option<Estimate>> {
        self.streams.iter().map(|stream| stream.rate.estimate(1e9))
    }

    /// The fairness between the streams.
    pub fn fairness(&self) -> Option<Estimate> {
        let carried = self.throughputs().map(|rate| rate.map_or(0.0, |rate| rate.value));
        fairness(&carried.collect::<Vec<f64>>())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hopscope_units::Span;

    #[test]
    fn counters_are_for_a_thousand_pups_and_what_was_before_is_forgotten() {
        let mut statistics = StreamStatistics::new(1);
        let mut counts = StreamCounts { probes: 7, ..StreamCounts::default() };
        let at = |n| Time::ZERO + Span::from_ms(n);
        statistics.acknowledged(at(1), 0, Data::from_bytes(1), 0, counts);
        statistics.restart(at(1));
        for n in 0..1_000u64 {
            counts.early += n % 2;
            statistics.acknowledged(at(2 + n), 0, Data::from_bytes(125), 0, counts);
        }
        let found: Vec<(&str, f64)> =
            statistics.counters().map(|(name, found)| (name, found.value)).collect();
        let none = |name| (name, 0.0);
        let expected = [
            ("early Pups", 500.0),
            none("duplicate Pups"),
            none("partial acknowledgments"),
            none("probes"),
            none("throttles"),
        ];
        assert_eq!(found, expected);
        let rate = statistics.throughputs().next().flatten().expect("it has carried much");
        assert!((rate.value - 1_000.0).abs() < 1e-6, "1 kbit a millisecond: {rate:?}");
    }
}
