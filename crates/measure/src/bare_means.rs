//! Means of so few messages that no interval can be given.

use std::collections::BTreeMap;

use serde::Serialize;

/// What all measured messages took on average, where they are too few for intervals. Such a number is no estimate: it
/// tells what happened, and nothing of other runs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BareMeans {
    /// How many messages these are.
    pub messages: u64,
    /// The mean of a whole life, microseconds: the stages add up to it.
    pub life_us: f64,
    /// The mean of each delay by the key of its metric, such as "latency.mean", in the unit of that.
    pub delays: BTreeMap<String, f64>,
}
