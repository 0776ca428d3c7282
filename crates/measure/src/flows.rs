//! Statistics of flows beside those of messages: slowdowns, rounds such as collectives, and fairness. (Flow completion
//! times are the latencies of a message monitor whose messages are the flows.)

mod channels;
mod convergence;
mod max_min;
mod rates;
mod rates_over_time;
mod rows;
mod statement;

pub use convergence::{Converged, Convergence};
pub use rates_over_time::{LinkNow, RatesOverTime};
pub use rows::{FlowRow, FlowTables, RoundRow};

use hopscope_units::{Data, Span, Time};

use channels::Channels;
use rates::Rates;
use rows::Sampled;

/// A slowdown of 1 in a histogram: slowdowns are kept in millionths.
const SLOWDOWN_SCALE: u64 = 1_000_000;

/// The upper ends of the size classes in bytes; the last class has none.
const SIZE_CLASSES: [(u64, &str); 6] = [
    (1_000, "to 1 kB"),
    (10_000, "to 10 kB"),
    (100_000, "to 100 kB"),
    (1_000_000, "to 1 MB"),
    (10_000_000, "to 10 MB"),
    (u64::MAX, "over 10 MB"),
];

/// A flow that has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlowEnd {
    /// Its number in the order in which flows began.
    pub number: u64,
    /// Its group, an index into the names that the statistics were made with.
    pub group: u16,
    /// The round of the group.
    pub round: u32,
    /// The sending host.
    pub source: u32,
    /// The receiving host.
    pub destination: u32,
    /// The data that it carried.
    pub data: Data,
    /// When it began.
    pub begun: Time,
    /// Its completion time on the idle network.
    pub ideal: Span,
}

/// A round that has ended: a collective, an incast, a shuffle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RoundSeen {
    /// Its group.
    pub group: u16,
    /// Its number, from 0.
    pub round: u32,
    /// When it began.
    pub begun: Time,
    /// What its flows carried.
    pub data: Data,
}

/// The statistics of all flows of a run. Memory is bounded, whatever the length of the run: sums and histograms by
/// batches of time, and a sample of the flows themselves.
///
/// A flow counts in the window in which it ends. What it delivers counts when it is delivered, so that long flows and
/// those that never end are in the throughput of hosts.
#[derive(Clone, Debug)]
pub struct FlowStatistics {
    groups: Vec<String>,
    hosts: Vec<String>,
    /// Slowdowns by size class, rounds by group.
    channels: Channels,
    rates: Rates,
    begun: u64,
    ended: u64,
    begun_data: Data,
    ended_data: Data,
    /// Flows under way when the measured window began.
    under_way_before: u64,
    begun_before: u64,
    flows: Sampled<FlowRow>,
    rounds: Sampled<RoundRow>,
}

impl FlowStatistics {
    /// Empty statistics for flows of these groups among these hosts.
    #[must_use]
    pub fn new(groups: Vec<String>, hosts: Vec<String>) -> Self {
        let channels = Channels::new(Time::ZERO, SIZE_CLASSES.len() + groups.len());
        Self {
            rates: Rates::new(Time::ZERO, hosts.len()),
            groups,
            hosts,
            channels,
            begun: 0,
            ended: 0,
            begun_data: Data::ZERO,
            ended_data: Data::ZERO,
            under_way_before: 0,
            begun_before: 0,
            flows: Sampled::new(),
            rounds: Sampled::new(),
        }
    }

    /// The warm-up is over: forgets everything but how many flows are under way.
    pub fn restart(&mut self, now: Time) {
        self.channels = Channels::new(now, SIZE_CLASSES.len() + self.groups.len());
        self.rates = Rates::new(now, self.hosts.len());
        self.under_way_before = self.under_way();
        self.begun_before = self.begun;
        self.flows = Sampled::new();
        self.rounds = Sampled::new();
    }

    /// A flow of this size begins.
    pub fn begun(&mut self, data: Data) {
        self.begun += 1;
        self.begun_data += data;
    }

    /// Some of a flow has arrived at its receiver.
    #[inline]
    pub fn delivered(&mut self, receiver: u32, data: Data) {
        self.rates.delivered(receiver, data);
    }

    /// A flow has ended: its last byte has arrived.
    ///
    /// Panics where it began after now, or more end than have begun.
    pub fn ended(&mut self, now: Time, flow: &FlowEnd) {
        assert!(self.ended < self.begun, "more flows ended than began");
        self.ended += 1;
        self.ended_data += flow.data;
        let took = now.since(flow.begun);
        self.channels.record(now, size_class(flow.data), slowdown(took, flow.ideal));
        self.rates.flow(flow.data, took);
        self.flows.offer(flow.number, || FlowRow::new(flow, now));
    }

    /// A round has ended.
    pub fn round(&mut self, now: Time, round: &RoundSeen) {
        let channel = SIZE_CLASSES.len() + usize::from(round.group);
        self.channels.record(now, channel, now.since(round.begun).ps());
        self.rounds.offer(u64::from(round.round), || RoundRow::new(round, now));
    }

    /// Whether a round has ended.
    #[must_use]
    pub fn has_rounds(&self) -> bool {
        self.rounds.rows().next().is_some()
    }

    /// Flows that have begun and not ended.
    #[must_use]
    pub fn under_way(&self) -> u64 {
        self.begun - self.ended
    }
}

/// The index of the size class of a flow.
fn size_class(data: Data) -> usize {
    SIZE_CLASSES.iter().position(|&(most, _)| data.bytes() <= most).expect("the last class has no end")
}

/// The slowdown against the idle network, in millionths.
fn slowdown(took: Span, ideal: Span) -> u64 {
    let ratio = u128::from(took.ps()) * u128::from(SLOWDOWN_SCALE) / u128::from(ideal.ps().max(1));
    u64::try_from(ratio).unwrap_or(u64::MAX)
}
