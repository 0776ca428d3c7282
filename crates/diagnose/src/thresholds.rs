//! The thresholds of diagnoses, each with its reason. Two are those of explanations:
//!
//! - from [`NEARLY_FULL`] on a link is full where others wait for it;
//! - a link that is [`PRESSED`] beside equal ones carries too much of their traffic where it is utilised at least
//!   [`UNEVENLY_USED`] times as much as they are on average, and evenly shared none of them would be pressed.

pub(crate) use hopscope_explain::thresholds::{NEARLY_FULL, UNEVENLY_USED};

/// A port waits where it may not send for at least this share of the time: below it, a link at 90 % of its capacity is
/// not held back by anybody.
pub(crate) const PORT_WAITS: f64 = 0.1;

/// A link is idle beside a full one below this use: it takes half of what the full one carries, and does not become
/// full ([`NEARLY_FULL`]) itself.
pub(crate) const IDLE_BESIDE_FULL: f64 = NEARLY_FULL - 0.5;

/// The least use of a switch's outputs at which waiting there is for them: no output of a switch with input FIFOs
/// carries more than 0.586 under random traffic (Karol, Hluchyj and Morgan 1987). Below [`NEARLY_FULL`] that explains
/// waiting only where nothing else does; where equal links are idle, the routes are at fault.
pub(crate) const PRESSED: f64 = 0.58;

/// A link that sends or waits for at least this share of the time always has something to send: what comes to it is
/// more than it gets away.
pub(crate) const ALWAYS_BUSY: f64 = 0.95;

/// A link retries if at least this share of packets has an error: bit error rates that links are built for, 1e-12 and
/// less, spoil one 4 KiB packet in 30 million.
pub(crate) const ERRORS_A_PACKET: f64 = 1e-3;

/// A port loses packets if it discards at least this share of them: the limit of loss in `explain`.
pub(crate) const DISCARDS_A_PACKET: f64 = 1e-3;

/// Fewer errors or discards than these are no share: the standard error of a count of ten is a third of it, and a link
/// that comes up counts one or two.
pub(crate) const FEWEST_ERRORS: u64 = 10;

/// Errors hold others up where they take at least this share of the link's time: a tenth of the least waiting that
/// counts ([`PORT_WAITS`]). Less leaves a link that is not full free for senders.
pub(crate) const LOST: f64 = 0.01;

/// A host pauses its link all the time from this share on.
pub(crate) const ALWAYS: f64 = 0.95;

/// Below this use it takes almost nothing.
pub(crate) const NOTHING: f64 = 0.02;

/// A root with less than this share of all waiting is not named.
pub(crate) const NAMED: f64 = 0.1;

/// Links to the same places are named together where each has at least this share of all waiting: up to 64 of them make
/// a root that is named.
pub(crate) const PART_OF_NAMED: f64 = NAMED / 64.0;

/// A root is sure where it has at least this share of all waiting.
pub(crate) const SURE: f64 = 0.8;

/// No link carries more than its rate. The ports of a large fabric are read one after another, which takes seconds, so
/// that the time between two readings of a port may differ from the stated one by this factor. Beyond it, the time is
/// wrong. Ticks of waiting are those in which nothing was sent, so that they and the data together take no longer
/// either. The two ends of a link may differ by as much.
pub(crate) const MOST_USED: f64 = 1.2;

/// Counters are those of another fabric where ports without a cable carry data and the ends of at least this share of
/// all links have different counts: a reset or a late reading concerns single ports.
pub(crate) const MISMATCHED: f64 = 0.1;

/// The most steps over which waiting is passed on: the longest path of a fabric is shorter.
pub(crate) const ROUNDS: usize = 64;
