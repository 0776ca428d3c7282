//! Incast: many hosts send to one at the same time, and the link into it is full for as long as a round lasts.

use hopscope_measure::ResourceKind;
use hopscope_units::amount;

use super::{Candidate, Judge};
use crate::cause::Cause;
use crate::thresholds::{MOSTLY, NEARLY_FULL, WAITS};
use crate::words::{duration, percent, words};

impl Judge<'_> {
    /// The verdict on rounds with one receiver each. The link into the receiver is not full over the whole run: there
    /// are pauses between rounds, and each round may have another receiver.
    pub(super) fn incast(&self) -> Option<Candidate> {
        let full = |sent_s: f64, round_s: f64| sent_s / round_s.max(f64::MIN_POSITIVE);
        let incasts = self.report.evidence.incasts.iter();
        let most = incasts.max_by(|a, b| a.share.total_cmp(&b.share))?;
        let used = full(most.sent_s, most.round_s).min(1.0);
        let weight = self.waits() * most.share;
        if most.share < MOSTLY || self.waits() < WAITS || used < NEARLY_FULL {
            return None;
        }
        let link =
            most.row.map_or_else(|| "the link into the receiver".to_owned(), |row| words(self.row(row)));
        let sentence = format!(
            "Incast: {link} is {} utilised while a round of `{}` lasts. {} send over this link at once: their data take {} there, and \
             a round takes {}.",
            percent(used),
            most.group,
            amount(most.senders as usize, "host", "hosts"),
            duration(most.sent_s),
            duration(most.round_s),
        );
        if let Some(row) = most.row {
            return Some(self.at_row(Cause::Resource, row, weight, sentence));
        }
        let id = Some(ResourceKind::Output.id());
        let resource = Some("the link into the receiver of each round".to_owned());
        Some(Candidate { resource, id, ..Self::everywhere(Cause::Resource, weight, sentence) })
    }
}
