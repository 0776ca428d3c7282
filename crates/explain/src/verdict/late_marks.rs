//! ECN that marks too late to keep a queue short: what waits behind others waits for all that they may put there.

use hopscope_measure::{LedgerRow, StageKind};

use super::{Candidate, Judge};
use crate::cause::Cause;
use crate::thresholds::SLOW_TIMES;
use crate::words::{bytes, duration, percent, words};

impl Judge<'_> {
    /// A class waits behind another one at a link where frames are marked only from a queue on that takes ten times as
    /// long to send as a message of the class takes without waiting. Lower thresholds keep that queue short without one
    /// more lane.
    pub(super) fn late_marks(&self) -> Option<Candidate> {
        let marking = self.report.evidence.marking?;
        let found = self.classes().filter(|found| found.cause == Cause::Lanes)?;
        let (root, name, behind) = (found.root?, found.class.clone()?, found.behind.clone()?);
        let queue_s = 8.0 * marking.from / self.report.evidence.rates.get(&root)?;
        let alone_s = self.without_waiting_us(&name)? * 1e-6;
        (alone_s > 0.0 && queue_s >= SLOW_TIMES * alone_s).then(|| {
            let sentence = format!(
                "Late marks: ECN marks frames from a queue of {} on, which takes {} to send at {}; senders of `{behind}` are not told to \
                 slow down before. `{name}` waits behind that queue for {} of its lifetime.",
                bytes(marking.from),
                duration(queue_s),
                words(self.row(root)),
                percent(found.weight)
            );
            let everywhere = Self::everywhere(Cause::RateControl, found.weight, sentence);
            Candidate { class: Some(name.clone()), behind: Some(behind.clone()), ..everywhere }
        })
    }

    /// How long a message of a class lives without its waits, microseconds.
    pub(super) fn without_waiting_us(&self, class: &str) -> Option<f64> {
        let is_meant = |row: &&LedgerRow| row.class == class && row.kind != StageKind::Wait;
        let rows = self.report.ledger.iter().filter(is_meant);
        rows.map(|row| row.estimate.map(|estimate| estimate.value)).sum()
    }
}
