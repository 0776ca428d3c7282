//! Messages that wait for one another: a deadlock, or two resources that block each other.

use hopscope_measure::{Nature, Outstanding, ResourceRow};

use super::{Candidate, Judge};
use crate::cause::Cause;
use crate::symptoms::phasing::{Crossed, crossed};
use crate::thresholds::FULL_LINK;
use crate::words::{capitalised, percent, words};

impl Judge<'_> {
    /// Messages wait for one another for ever.
    pub(super) fn deadlock(&self) -> Option<Candidate> {
        let stuck = self.report.stuck.as_ref()?;
        let sentence = format!("Deadlock: {}.{}", stuck.reason, self.full_buffers());
        Some(Self::everywhere(Cause::CircularWait, 1.0, sentence))
    }

    /// The buffers or tables that most of the waiting leads to, where none of them is free, as a sentence after another
    /// one. That links and windows are full in a deadlock says nothing.
    fn full_buffers(&self) -> String {
        let root = self.chain.roots().first().map(|&(root, _)| self.row(root));
        let is_full = |row: &&ResourceRow| {
            let is_room =
                row.kind.nature() == Nature::Held && row.kind.outstanding() == Outstanding::NoWindow;
            is_room && row.utilisation >= FULL_LINK
        };
        root.filter(is_full).map_or_else(String::new, |row| {
            let share = percent(row.utilisation);
            format!(" What is waited for most are {} ({share} in use).", words(row))
        })
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
