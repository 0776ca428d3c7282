//! The tables of single flows and rounds.

use hopscope_units::Time;
use serde::{Deserialize, Serialize};

use super::{FlowEnd, RoundSeen};

/// The flows and rounds that have ended, with the names that their rows refer to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FlowTables {
    /// The groups of flows.
    pub groups: Vec<String>,
    /// The hosts.
    pub hosts: Vec<String>,
    /// The flows, or an even sample of them.
    pub flows: Vec<FlowRow>,
    /// The rounds of their groups: collectives, incasts, shuffles.
    pub rounds: Vec<RoundRow>,
}

/// A flow that has ended, as a run folder keeps it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FlowRow {
    /// Its number in the order in which flows began.
    pub number: u64,
    /// Its group, an index into the table's groups.
    pub group: u16,
    /// The round of the group.
    pub round: u32,
    /// The sending host, by index.
    pub source: u32,
    /// The receiving host, by index.
    pub destination: u32,
    /// The data that it carried, bytes.
    pub bytes: u64,
    /// When it began, picoseconds of simulated time.
    pub begun_ps: u64,
    /// When its last byte arrived.
    pub ended_ps: u64,
    /// Its completion time on the idle network, picoseconds.
    pub ideal_ps: u64,
}

impl FlowRow {
    pub(super) fn new(flow: &FlowEnd, now: Time) -> Self {
        Self {
            number: flow.number,
            group: flow.group,
            round: flow.round,
            source: flow.source,
            destination: flow.destination,
            bytes: flow.data.bytes(),
            begun_ps: flow.begun.ps(),
            ended_ps: now.ps(),
            ideal_ps: flow.ideal.ps(),
        }
    }
}

/// A round that has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RoundRow {
    /// Its group, an index into the table's groups.
    pub group: u16,
    /// Its number, from 0.
    pub round: u32,
    /// When it began, picoseconds of simulated time.
    pub begun_ps: u64,
    /// When its last flow ended.
    pub ended_ps: u64,
    /// What its flows carried.
    pub bytes: u64,
}

impl RoundRow {
    pub(super) fn new(round: &RoundSeen, now: Time) -> Self {
        Self {
            group: round.group,
            round: round.round,
            begun_ps: round.begun.ps(),
            ended_ps: now.ps(),
            bytes: round.data.bytes(),
        }
    }
}

/// The largest number of rows kept; beyond it, every other one is dropped.
const MOST_ROWS: usize = 1 << 16;

/// Rows whose numbers are multiples of a step, which doubles when there are too many: a uniform sample, whatever the
/// length of the run.
#[derive(Clone, Debug)]
pub(super) struct Sampled<T> {
    step: u64,
    rows: Vec<(u64, T)>,
}

impl<T> Sampled<T> {
    pub fn new() -> Self {
        Self { step: 1, rows: Vec::new() }
    }

    pub fn offer(&mut self, number: u64, row: impl FnOnce() -> T) {
        if !number.is_multiple_of(self.step) {
            return;
        }
        self.rows.push((number, row()));
        while self.rows.len() > MOST_ROWS {
            self.step *= 2;
            let step = self.step;
            self.rows.retain(|(number, _)| number.is_multiple_of(step));
        }
    }

    /// One in this many rows is kept.
    pub fn step(&self) -> u64 {
        self.step
    }

    pub fn rows(&self) -> impl Iterator<Item = &T> {
        self.rows.iter().map(|(_, row)| row)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_run_keeps_an_even_sample() {
        let mut sampled = Sampled::new();
        for number in 0..1_000_000u64 {
            sampled.offer(number, || number);
        }
        let kept: Vec<u64> = sampled.rows().copied().collect();
        assert_eq!(sampled.step(), 16);
        assert_eq!(kept, (0..1_000_000).step_by(16).collect::<Vec<u64>>());
    }
}
