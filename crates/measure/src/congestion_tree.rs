//! A congestion tree: a link that is full and not stopped itself, the links that are stopped because of it, and its
//! victim flows.

use std::fmt;

use hopscope_units::amount;

/// A root of congestion, with the links and flows that wait because of it.
#[derive(Clone, Debug, PartialEq)]
pub struct CongestionTree {
    /// The link at the root, as reports name it.
    pub root: String,
    /// The same by its number, as rows have it in `ResourceRow::link`.
    pub link: u32,
    /// The share of samples in which it was a root, 0 to 1.
    pub share: f64,
    /// The largest number of links stopped because of it at once.
    pub stopped: usize,
    /// The largest number of victim flows at once.
    pub victims: usize,
    /// Sender and receiver of one victim flow.
    pub example: Option<(String, String)>,
}

impl CongestionTree {
    /// At most this many trees of a run are listed, the most frequent first.
    pub const LISTED: usize = 8;
}

impl fmt::Display for CongestionTree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { root, share, stopped, victims, example, .. } = self;
        write!(
            f,
            "congestion tree: root {root} in {:.0} % of samples; up to {} stopped; ",
            share * 100.0,
            amount(*stopped, "link", "links")
        )?;
        match example {
            None => write!(f, "no victim flows"),
            Some((from, to)) => {
                let flows = amount(*victims, "victim flow", "victim flows");
                write!(f, "up to {flows}, such as {from} -> {to}")
            }
        }
    }
}
