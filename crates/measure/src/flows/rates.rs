//! The rates of flows and hosts, and their fairness.

use hopscope_units::{Data, Span, Time};

/// Data received by hosts, and rates of flows.
#[derive(Clone, Debug)]
pub(super) struct Rates {
    begun: Time,
    /// Bits delivered to each host.
    received: Vec<u64>,
    of_flows: Sample,
}

/// The number, sum and sum of squares of a set of shares, for Jain's index.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sample {
    pub count: u64,
    sum: f64,
    squares: f64,
}

impl Sample {
    pub fn add(&mut self, share: f64) {
        self.count += 1;
        self.sum += share;
        self.squares += share * share;
    }

    /// The index of fairness: 1 if all shares are equal, 1/n if one has everything (R. Jain, D.-M. Chiu and W. Hawe, "A
    /// Quantitative Measure of Fairness and Discrimination for Resource Allocation in Shared Computer Systems", DEC
    /// TR-301, 1984).
    pub fn fairness(&self) -> Option<f64> {
        (self.squares > 0.0).then(|| self.sum * self.sum / (self.count as f64 * self.squares))
    }
}

impl Rates {
    pub fn new(now: Time, hosts: usize) -> Self {
        Self { begun: now, received: vec![0; hosts], of_flows: Sample::default() }
    }

    #[inline]
    pub fn delivered(&mut self, receiver: u32, data: Data) {
        self.received[receiver as usize] += data.bits();
    }

    pub fn flow(&mut self, data: Data, took: Span) {
        self.of_flows.add(data.bits() as f64 / took.ps().max(1) as f64);
    }

    /// Bits a second of each host that received anything.
    pub fn of_hosts(&self, now: Time) -> Vec<f64> {
        let seconds = now.since(self.begun).as_seconds();
        self.received.iter().filter(|&&bits| bits > 0).map(|&bits| bits as f64 / seconds).collect()
    }

    /// The rates of the flows that have ended, each its data over its completion time.
    pub fn of_flows(&self) -> Sample {
        self.of_flows
    }
}
