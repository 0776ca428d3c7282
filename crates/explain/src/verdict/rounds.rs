//! Periodic rounds that start sooner than the links carry the data of one.

use hopscope_measure::RoundsUse;

use super::{Candidate, Judge};
use crate::cause::Cause;
use crate::policy::Policy;
use crate::thresholds::WAITS;
use crate::words::{duration, percent};

impl Judge<'_> {
    /// The data of a round take longer on a host's own link than the period of rounds: rounds pile up whatever the
    /// network between. Faster links of hosts or a longer period end that.
    pub(super) fn piled_up_rounds(&self) -> Option<Candidate> {
        let too_much = self.report.evidence.rounds.iter().filter(|rounds| rounds.sent_s > rounds.every_s);
        let worst = too_much.max_by(|a, b| (a.sent_s / a.every_s).total_cmp(&(b.sent_s / b.every_s)))?;
        let RoundsUse { group, number, every_s, round_s, sent_s } = worst;
        (self.waits() >= WAITS).then(|| {
            let sentence = format!(
                "Overload: rounds of `{group}` start every {}, and the data of one take {} on a host's link: each starts before the earlier \
                 ones have ended, and takes {}. Messages spend {} of their lifetime waiting.",
                duration(*every_s),
                duration(*sent_s),
                duration(*round_s),
                percent(self.waits())
            );
            let found = Self::everywhere(Cause::Overload, self.waits(), sentence).with_weight_stated(true);
            Candidate {
                resource: Some(format!("the period of `{group}`")),
                place: Some(format!("flow group {number}")),
                id: Some(Policy::Rounds.id()),
                ..found
            }
        })
    }
}
