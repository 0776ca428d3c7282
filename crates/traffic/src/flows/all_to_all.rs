//! All-to-all: every rank sends to every other rank.

use hopscope_measure::Problem;
use hopscope_units::Data;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Every host sends to every other host: a shuffle, or the all-to-all of a mixture-of-experts model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AllToAll {
    /// The data that each host sends to each other host.
    pub size: Data,
    /// The order of the flows.
    #[serde(default)]
    pub order: Order,
}

/// The start of the flows of an all-to-all. In stage s a host sends to the host s ranks after it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Order {
    /// All flows start with the round.
    AtOnce,
    /// A host starts its next stage when its flow of the current stage has ended.
    #[default]
    Staged,
    /// All hosts start the next stage when all flows of the current stage have ended.
    Barrier,
}

/// The most flows that may begin at once: more take too much memory.
const MOST_AT_ONCE: usize = 10_000_000;
/// All of a round together.
const MOST_DATA: Data = Data::from_bits(1 << 60);

impl AllToAll {
    /// Why there is no such exchange among `ranks` hosts, or None if there is one.
    pub(crate) fn problem(&self, ranks: usize, path: &str) -> Option<Problem> {
        let flows = ranks * (ranks - 1);
        if self.order == Order::AtOnce && flows > MOST_AT_ONCE {
            let problem = format!("{flows} flows at once among {ranks} hosts");
            let expected = format!("at most {MOST_AT_ONCE}, or order = \"staged\"");
            return Some(Problem::new(format!("{path}.order"), problem, expected));
        }
        let most = MOST_DATA.bits() / flows as u64;
        (self.size.bits() > most).then(|| {
            let problem = format!("{} from each of {ranks} hosts to every other is too much", self.size);
            Problem::new(format!("{path}.size"), problem, format!("at most {} B", most / 8))
        })
    }
}

/// The rank to which `rank` sends in a stage, counted from 1: the one `stage` further.
pub(crate) fn partner(ranks: usize, stage: usize, rank: usize) -> usize {
    (rank + stage) % ranks
}
