//! Link-level flow control: a receiver stops its sender by pause frames or by credits, or not at all.

mod credits;
pub(crate) mod pfc;
pub(crate) mod tail_drop;
pub(crate) mod thresholds;

use self::tail_drop::TailDrop;
use self::thresholds::PfcThresholds;

/// How receivers stop their senders; amounts are bits.
#[derive(Clone, Debug)]
pub(crate) enum Control {
    Pfc(PfcThresholds),
    /// The buffer of an input lane.
    Credits(u64),
    /// They do not: frames without room are discarded.
    TailDrop(TailDrop),
}

impl Control {
    /// The thresholds of a fabric with pause frames.
    pub fn thresholds(&self) -> &PfcThresholds {
        match self {
            Self::Pfc(thresholds) => thresholds,
            Self::Credits(_) | Self::TailDrop(_) => unreachable!("only pause frames have thresholds"),
        }
    }
}
