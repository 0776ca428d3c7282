//! A congestion tree: a link that is full and not itself held back, the links that are stopped because of it, and those
//! who are merely in the way.

use std::fmt;

/// A root of congestion, with what stands in line for it.
#[derive(Clone, Debug, PartialEq)]
pub struct CongestionTree {
    /// The link at the root, as reports name it.
    pub root: String,
    /// The same by its number, as rows have it in `ResourceRow::link`.
    pub link: u32,
    /// The share of samples in which it was a root, 0 to 1.
    pub share: f64,
    /// The most links that were stopped because of it at once.
    pub stopped: usize,
    /// The most flows at once that waited because of it, but do not pass it.
    pub victims: usize,
    /// One of them: its sender and its receiver.
    pub example: Option<(String, String)>,
}

impl CongestionTree {
    /// So many of a run's trees are told one by one, those seen most often first.
    pub const LISTED: usize = 8;
}

impl fmt::Display for CongestionTree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { root, share, stopped, victims, example, .. } = self;
        write!(
            f,
            "congestion tree: root {root} in {:.0} % of samples; links stopped: up to {stopped}; victim flows: ",
            share * 100.0
        )?;
        match example {
            None => write!(f, "0"),
            Some((from, to)) => write!(f, "up to {victims}, such as {from} -> {to}"),
        }
    }
}
