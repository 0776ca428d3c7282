//! Messages that wait for one another: a deadlock, or two resources that block each other.

use super::{Candidate, Judge};
use crate::cause::Cause;
use crate::symptoms::phasing::{Crossed, crossed};
use crate::words::{capitalised, percent, words};

impl Judge<'_> {
    /// Messages wait for one another for ever.
    pub(super) fn deadlock(&self) -> Option<Candidate> {
        let stuck = self.report.stuck.as_ref()?;
        Some(Self::everywhere(Cause::CircularWait, 1.0, format!("Deadlock: {}.", stuck.reason)))
    }

    /// Two scarce resources, each held by messages that need the other one.
    pub(super) fn crossed(&self) -> Option<Candidate> {
        let Crossed { rows: [first, second], shares: [there, back] } = crossed(self.report, self.chain)?;
        let used = |row: usize| percent(self.row(row).utilisation);
        let [one, other] = [first, second].map(|row| words(self.row(row)));
        let sentence = format!(
            "{one} ({} in use) and {other} ({} in use) block each other: {} of the former is held by messages that need the latter, and \
             {} of the latter by messages that need the former.{}",
            used(first),
            used(second),
            percent(there),
            percent(back),
            self.busiest_line()
        );
        Some(self.at_row(Cause::CircularWait, first, self.weight_of(first), capitalised(&sentence)))
    }
}
