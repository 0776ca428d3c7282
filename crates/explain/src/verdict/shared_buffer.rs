//! Dynamic pause thresholds that are too low to let inputs fill the buffer that they share.

use std::collections::BTreeSet;

use hopscope_measure::{Charged, ResourceKind, SharedPauses};

use super::{Candidate, Judge};
use crate::cause::Cause;
use crate::thresholds::{HELD_BACK, NEVER_FILLED, STOPPED};
use crate::words::{bytes, figures, percent, words};

impl Judge<'_> {
    /// A link that is paused although the buffer at its far end is nearly empty and the outputs behind it have spare
    /// time. Each input pauses its sender at such a small part of the free buffer that all inputs together would not
    /// fill a tenth of it: such pauses do not prevent an overflow.
    pub(super) fn paused_while_free(&self) -> Option<Candidate> {
        let pauses = self.report.evidence.shared_pauses.as_ref()?;
        let share = self.waits_for(Charged::is_room_downstream);
        if share < HELD_BACK {
            return None;
        }
        let outputs = || {
            let rows = self.report.resources.iter().enumerate();
            rows.filter(|(_, row)| row.kind == ResourceKind::Output)
        };
        let is_low = |switch: &u32| self.all_paused(pauses, *switch) <= NEVER_FILLED;
        let early: BTreeSet<u32> = outputs()
            .filter(|(_, row)| row.far.switch().is_some_and(|switch| is_low(&switch)))
            .filter_map(|(_, row)| row.link)
            .collect();
        let for_nothing = outputs().filter(|&(at, row)| {
            let by = row.far.switch().filter(is_low);
            row.held_back() >= STOPPED
                && by.is_some_and(|by| self.could_send_on(at, by, |link| early.contains(&link)))
        });
        let (link, row) =
            for_nothing.max_by(|a, b| a.1.held_back().total_cmp(&b.1.held_back()).then(b.0.cmp(&a.0)))?;
        let switch = row.far.switch()?;
        let sentence = format!(
            "Pause threshold: {} is paused {} of the time, though the outputs behind it have time to spare. An input pauses its sender \
             from {} on, which is {} times what is free (`frames.buffer.alpha`): {} of {} are free on average. Messages wait for room \
             downstream for {} of their lifetime.",
            words(row),
            percent(row.held_back()),
            bytes(self.pause_level(switch)?),
            figures(pauses.alpha),
            bytes(pauses.shared.get(&switch)? - self.stands_in(switch)),
            bytes(*pauses.shared.get(&switch)?),
            percent(share)
        );
        Some(self.at_row(Cause::Blocking, link, share, sentence).with_weight_stated(true))
    }

    /// The share of a switch's buffer that is in use if all of its inputs pause their senders at the same time: each
    /// then holds the same multiple of the free buffer.
    fn all_paused(&self, pauses: &SharedPauses, switch: u32) -> f64 {
        let inputs = self.input_buffers(switch).count() as f64 * pauses.alpha;
        inputs / (1.0 + inputs)
    }

    /// The content of an input from which it pauses its sender, bytes; for a dynamic threshold, at the mean free
    /// buffer.
    pub(super) fn pause_level(&self, switch: u32) -> Option<f64> {
        if let Some(pauses) = &self.report.evidence.shared_pauses {
            return Some(pauses.alpha * (pauses.shared.get(&switch)? - self.stands_in(switch)));
        }
        self.input_buffers(switch).filter_map(|row| row.capacity).min_by(f64::total_cmp)
    }

    /// Mean content of the inputs of a switch, bytes.
    fn stands_in(&self, switch: u32) -> f64 {
        self.input_buffers(switch).map(|row| row.occupancy).sum()
    }

    fn input_buffers(&self, switch: u32) -> impl Iterator<Item = &hopscope_measure::ResourceRow> {
        let rows = self.report.resources.iter();
        rows.filter(move |row| row.kind == ResourceKind::InputBuffer && row.site.switch() == Some(switch))
    }
}
