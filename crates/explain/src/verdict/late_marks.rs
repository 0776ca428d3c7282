//! ECN that marks too late to keep a queue short: a class waits behind a queue that others fill.

use hopscope_measure::{Charged, LedgerRow, StageKind};

use super::{Candidate, Judge};
use crate::cause::Cause;
use crate::thresholds::{HELD_BACK, SLOW_TIMES};
use crate::words::{bytes, duration, percent, words};

/// A class that waits behind a queue which ECN lets grow.
struct Late {
    /// The verdict as for a shared lane, with the class and the one that it waits behind.
    found: Candidate,
    /// The row of the link.
    root: usize,
    /// The class, and the one that it waits behind.
    name: String,
    behind: String,
    /// The queue from which frames are marked, bytes, and its transmission time, seconds.
    from: f64,
    queue_s: f64,
    /// Lifetime of a message of the class without waits, seconds.
    alone_s: f64,
}

impl Judge<'_> {
    /// Late marks as the first cause, where the thresholds make the queue: inputs pause their senders before any frame
    /// is marked, so that pauses spread instead of senders slowing down; or the class takes ten times its minimum
    /// latency in queues that are not marked yet.
    pub(super) fn marks_too_late(&self) -> Option<Candidate> {
        let late = self.late()?;
        let pauses = self.row(late.root).site.switch().and_then(|switch| self.pause_level(switch));
        let pauses = pauses
            .filter(|&level| level <= late.from && self.waits_for(Charged::is_room_downstream) >= HELD_BACK);
        let waits_s = 1e-6 * self.waits_us(&late.name)?;
        (pauses.is_some() || waits_s >= SLOW_TIMES * late.alone_s).then(|| self.told_late(late, pauses))
    }

    /// A class that waits behind another one at a link where frames are marked only above a queue whose transmission
    /// time is ten times the class's latency without waiting. Lower thresholds keep that queue short without another
    /// lane.
    pub(super) fn late_marks(&self) -> Option<Candidate> {
        self.late().map(|late| self.told_late(late, None))
    }

    fn late(&self) -> Option<Late> {
        let from = self.report.evidence.marking?.from;
        let found = self.classes().filter(|found| found.cause == Cause::Lanes)?;
        let (root, name, behind) = (found.root?, found.class.clone()?, found.behind.clone()?);
        let queue_s = 8.0 * from / self.report.evidence.rates.get(&root)?;
        let alone_s = self.without_waiting_us(&name)? * 1e-6;
        let is_late = alone_s > 0.0 && queue_s >= SLOW_TIMES * alone_s;
        is_late.then_some(Late { found, root, name, behind, from, queue_s, alone_s })
    }

    /// The verdict on a queue that ECN lets grow; `pauses` is the smaller level from which inputs pause their senders,
    /// bytes, if there is one.
    fn told_late(&self, late: Late, pauses: Option<f64>) -> Candidate {
        let Late { found, root, name, behind, from, queue_s, .. } = late;
        let before = pauses.map_or_else(
            || format!("senders of `{behind}` are not told to slow down before"),
            |level| {
                let level = bytes(level);
                format!("inputs pause their senders from {level} on, before senders of `{behind}` are told to slow down")
            },
        );
        let sentence = format!(
            "Late marks: ECN marks frames from a queue of {} on, which takes {} to send at {}; {before}. `{name}` waits behind that \
             queue for {} of its lifetime.",
            bytes(from),
            duration(queue_s),
            words(self.row(root)),
            percent(found.weight)
        );
        let everywhere =
            Self::everywhere(Cause::RateControl, found.weight, sentence).with_weight_stated(true);
        Candidate { class: Some(name), behind: Some(behind), ..everywhere }
    }

    /// Mean wait of a message of a class, microseconds.
    fn waits_us(&self, class: &str) -> Option<f64> {
        let is_meant = |row: &&LedgerRow| row.class == class && row.kind == StageKind::Wait;
        let rows = self.report.ledger.iter().filter(is_meant);
        rows.map(|row| row.estimate.map(|estimate| estimate.value)).sum()
    }

    /// Mean lifetime of a message of a class without its waits, microseconds.
    pub(super) fn without_waiting_us(&self, class: &str) -> Option<f64> {
        let is_meant = |row: &&LedgerRow| row.class == class && row.kind != StageKind::Wait;
        let rows = self.report.ledger.iter().filter(is_meant);
        rows.map(|row| row.estimate.map(|estimate| estimate.value)).sum()
    }
}
