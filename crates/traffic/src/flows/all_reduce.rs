//! All-reduce: the rounds of flows of a ring, and of halving and doubling.

use hopscope_units::{Data, Rate, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::parts::Parts;

/// A sum over the vectors of all hosts, which every host has at the end: how data-parallel training combines gradients.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AllReduce {
    /// The size of each host's vector.
    pub size: Data,
    /// The algorithm.
    #[serde(default)]
    pub algorithm: Algorithm,
}

/// The algorithms (Thakur, Rabenseifner and Gropp, "Optimization of Collective Communication Operations in MPICH",
/// 2005, sections 4.4 and 4.5; Patarasuk and Yuan, "Bandwidth Optimal All-reduce Algorithms for Clusters of
/// Workstations", 2009, for the ring).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Algorithm {
    /// 2(N-1) steps. In each step every host sends 1/N of the vector to the next host: the part that it received in the
    /// step before.
    #[default]
    Ring,
    /// Recursive halving, then recursive doubling: 2 log2 N steps. In each of the first log2 N steps hosts exchange
    /// half as much data as in the step before, at half the distance; the second half reverses this. The number of
    /// hosts must be a power of two.
    HalvingDoubling,
}

/// What one rank sends in one step: to which rank, and which parts of the vector, of which there are as many as ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sending {
    pub to: usize,
    pub first_part: usize,
    pub parts: usize,
}

impl Algorithm {
    /// Steps of a collective over this number of ranks.
    #[must_use]
    pub fn steps(self, ranks: usize) -> usize {
        match self {
            Self::Ring => 2 * (ranks - 1),
            Self::HalvingDoubling => 2 * ranks.trailing_zeros() as usize,
        }
    }

    /// What this rank sends in this step, both counted from 0.
    pub(crate) fn sending(self, ranks: usize, step: usize, rank: usize) -> Sending {
        match self {
            Self::Ring => {
                // The part moves on by one rank a step, so rank r sends the part that began at r - step, modulo N.
                let first_part = (rank + 2 * ranks - step) % ranks;
                Sending { to: (rank + 1) % ranks, first_part, parts: 1 }
            }
            Self::HalvingDoubling => {
                let halvings = ranks.trailing_zeros() as usize;
                let gathering = step >= halvings;
                let level = if gathering { 2 * halvings - 1 - step } else { step };
                let parts = ranks >> (level + 1);
                let to = rank ^ parts;
                // Going down, a host gives the half that its partner will answer for; coming back, the block that it
                // has.
                let block = if gathering { rank } else { to };
                Sending { to, first_part: block & !(parts - 1), parts }
            }
        }
    }

    /// The steps of a rank that wait for something it receives: whether all steps up to this one must have arrived
    /// (halving and doubling sum everything that came), or only this one (a ring passes it on).
    pub(crate) fn waits_for_all_before(self) -> bool {
        self == Self::HalvingDoubling
    }
}

impl AllReduce {
    /// The bytes of one sending.
    pub(crate) fn bytes(&self, ranks: usize, sending: Sending) -> Data {
        Parts::new(self.size, ranks).bytes(sending.first_part, sending.parts)
    }

    /// How long the collective takes on a network without contention where a flow of n bits takes n/rate + latency:
    /// 2(N-1) latencies and 2 S (N-1)/N of the data for the ring, 2 log2 N latencies and the same data for halving and
    /// doubling.
    #[must_use]
    pub fn ideal(&self, ranks: usize, rate: Rate, latency: Span) -> Span {
        let steps = 0..self.algorithm.steps(ranks);
        let longest = |step| {
            let data = (0..ranks).map(|rank| self.bytes(ranks, self.algorithm.sending(ranks, step, rank)));
            data.max().map_or(Span::ZERO, |data| rate.time_for(data) + latency)
        };
        steps.map(longest).fold(Span::ZERO, |sum, step| sum + step)
    }
}
