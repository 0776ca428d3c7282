//! Means of too few messages for an interval.

use std::collections::BTreeMap;

use serde::Serialize;

/// What all measured messages took on average, where they are too few for intervals. Such a number is no estimate: it
/// describes this run alone.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BareMeans {
    /// The number of these messages.
    pub messages: u64,
    /// Mean lifetime, microseconds: the stages add up to it.
    pub life_us: f64,
    /// The mean of each delay by the key of its metric, such as "latency.mean", in the metric's unit.
    pub delays: BTreeMap<String, f64>,
}
