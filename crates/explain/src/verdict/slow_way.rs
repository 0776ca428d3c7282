//! Equally short paths, one of which has a far slower line than the others.

use hopscope_measure::{SlowBeside, StageId, StageKind};

use super::{Candidate, Judge};
use crate::cause::Cause;
use crate::thresholds::{SLOW_WAY, WAITS};
use crate::words::{percent, rate};

impl Judge<'_> {
    /// Packets on the faster of several paths overtake earlier ones on a slow path: they wait for these, or are
    /// rejected and sent again. The slow line need not be busy. With smaller differences, retransmissions sustain
    /// themselves (RFC 632).
    pub(super) fn slow_way(&self) -> Option<Candidate> {
        let evidence = &self.report.evidence;
        let is_far =
            |slow: &&SlowBeside| slow.usual >= SLOW_WAY * slow.rate && self.row(slow.row).utilisation > 0.0;
        let slow = evidence.slow_beside.iter().filter(is_far);
        let worst =
            slow.max_by(|a, b| (a.usual / a.rate).total_cmp(&(b.usual / b.rate)).then(b.row.cmp(&a.row)))?;
        let is_for_turn = |stage: StageId| stage.is_out_of_order() || stage == StageId::OrderWait;
        let waits = self.of_life(|row| row.kind == StageKind::Wait && is_for_turn(row.stage));
        let before = self.waits_before_entry();
        let inside = waits / (1.0 - before).max(f64::MIN_POSITIVE);
        (inside >= WAITS).then(|| {
            let sentence = format!(
                "Slow way: {} has {} where another way of as few lines has {}. Messages by that way arrive before \
                 their turn: inside the network they spend {} of their time waiting for earlier ones, or rejected \
                 until they are sent again.",
                worst.words,
                rate(worst.rate),
                rate(worst.usual),
                percent(inside)
            );
            self.at_row(Cause::Resource, worst.row, before + waits, sentence).with_weight_stated(before == 0.0)
        })
    }
}
