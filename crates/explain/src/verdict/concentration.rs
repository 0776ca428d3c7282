//! Up*/down* routes that lead through their root although there are other paths.

use super::{Candidate, Judge};
use crate::cause::Cause;
use crate::symptoms::root_concentration::{Concentrated, concentrated, others_carry};
use crate::thresholds::{ROOT_USED, WAITS};
use crate::words::percent;

impl Judge<'_> {
    /// Messages wait mostly at the links of the root, while links elsewhere carry little.
    pub(super) fn concentration(&self) -> Option<Candidate> {
        let Concentrated { row, times_mean, waiting, idle } =
            concentrated(self.report, self.chain, ROOT_USED).filter(|_| self.waits() >= WAITS)?;
        let root = self.report.evidence.root.as_ref()?;
        let sentence = format!(
            "Route concentration: the links of {} carry {times_mean:.1} times the mean of those between switches, and {} of the \
             waiting for such links is there; {} less than two thirds of it. Messages spend {} of their \
             lifetime waiting.",
            root.words,
            percent(waiting),
            others_carry(idle),
            percent(self.waits())
        );
        let found = Self::at_place(Cause::RouteConcentration, root, self.waits() * waiting, sentence);
        Some(Candidate { root: Some(row), ..found })
    }
}
