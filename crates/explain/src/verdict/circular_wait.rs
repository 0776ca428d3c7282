//! Circular wait: a deadlock, or two resources that block each other.

use hopscope_measure::{Loss, LossWhy, Nature, Outstanding, ResourceRow};

use super::{Candidate, Judge};
use crate::cause::Cause;
use crate::symptoms::phasing::{Crossed, crossed};
use crate::thresholds::FULL_LINK;
use crate::words::{all_of, capitalised, percent, words};

impl Judge<'_> {
    /// A deadlock, or a place that refuses all packets although it is never full for long: retransmissions are lost
    /// there again and again, and no cycle of waits exists.
    pub(super) fn deadlock(&self) -> Option<Candidate> {
        let stuck = self.report.stuck.as_ref()?;
        let refused = self.most_refused();
        let full = self.full_buffers(refused.is_some());
        if let Some(loss) = refused.filter(|loss| full.is_empty() && loss.of > 0) {
            let sentence = format!(
                "Standstill: {}. {} refuse {} of what comes there ({} times in all), since none of them is free, and it is sent again.",
                stuck.reason,
                capitalised(&loss.place.words),
                percent(loss.count as f64 / loss.of as f64),
                loss.count
            );
            return Some(Self::at_place(Cause::Loss, &loss.place, 1.0, sentence));
        }
        Some(Self::everywhere(Cause::CircularWait, 1.0, format!("Deadlock: {}.{full}", stuck.reason)))
    }

    /// The place with most refusals for lack of a buffer.
    fn most_refused(&self) -> Option<&Loss> {
        let losses = self.report.evidence.losses.iter().filter(|loss| loss.why == LossWhy::NoBuffers);
        losses.max_by_key(|loss| loss.count)
    }

    /// A further sentence on the buffers or tables that cause most waiting and of which none is free; where nodes
    /// refuse packets, on all such resources. Links and windows are full in any deadlock and are not listed.
    fn full_buffers(&self, are_refused: bool) -> String {
        let is_full = |row: &&ResourceRow| {
            let is_room =
                row.kind.nature() == Nature::Held && row.kind.outstanding() == Outstanding::NoWindow;
            is_room && row.utilisation >= FULL_LINK
        };
        let root = self.chain.roots().first().map(|&(root, _)| self.row(root));
        if let Some(row) = root.filter(is_full) {
            let share = percent(row.utilisation);
            return format!(" What is waited for most are {} ({share} in use).", words(row));
        }
        let rooms = self.report.resources.iter().filter(is_full);
        let Some(kind) = rooms.clone().map(|row| row.kind).next().filter(|_| are_refused) else {
            return String::new();
        };
        let places: Vec<String> = rooms.filter(|row| row.kind == kind).map(|row| row.place.clone()).collect();
        format!(
            " All {} at {} are in use: what holds them waits for one at the next node, which refuses it.",
            kind.word(),
            all_of(&places)
        )
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
