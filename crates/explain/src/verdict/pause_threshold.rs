//! A pause threshold below the data in flight on a long cable: like a window that is too small for its round trip.

use std::collections::BTreeMap;

use hopscope_measure::{ResourceKind, ResourceRow};

use super::{Candidate, Judge};
use crate::cause::Cause;
use crate::thresholds::{FULL_LINK, STOPPED, WAITS};
use crate::words::{bytes, duration, percent, words};

/// A link whose pause threshold is less than what arrives in a round trip.
struct TooEarly {
    /// The row of the link.
    link: usize,
    /// The switch that stops it.
    by: u32,
    /// The threshold, and what arrives in a round trip, bytes.
    threshold: f64,
    under_way: f64,
    /// The propagation delay of the cable, seconds.
    delay_s: f64,
    /// The share of time in which it is paused.
    paused: f64,
}

impl Judge<'_> {
    /// A link that is paused again and again while the outputs behind it have spare time. After a pause nothing arrives
    /// for a round trip of the cable, and the buffer content at the threshold lasts for less.
    pub(super) fn pause_threshold(&self) -> Option<Candidate> {
        let waits = self.waits_in_network();
        if waits < WAITS {
            return None;
        }
        let short = self.short_thresholds();
        let stopped = short.values().filter(|early| early.paused >= STOPPED);
        let for_nothing = stopped
            .filter(|early| self.could_send_on(early.link, early.by, |link| short.contains_key(&link)));
        let TooEarly { link, threshold, under_way, delay_s, paused, .. } =
            for_nothing.max_by(|a, b| a.paused.total_cmp(&b.paused).then(b.link.cmp(&a.link)))?;
        let sentence = format!(
            "Pause threshold: {} is paused {} of the time, though the outputs behind it have time to spare. It is paused from {} in the \
             buffer at its far end on, and {} come in a round trip on its cable, {} one way. Messages spend {} of their lifetime waiting.",
            words(self.row(*link)),
            percent(*paused),
            bytes(*threshold),
            bytes(*under_way),
            duration(*delay_s),
            percent(waits)
        );
        Some(self.at_row(Cause::Window, *link, waits, sentence).with_weight_stated(true))
    }

    /// The links into input buffers whose threshold is less than what arrives in a round trip of the cable, by number.
    fn short_thresholds(&self) -> BTreeMap<u32, TooEarly> {
        let rows = self.report.resources.iter().enumerate();
        let outputs: BTreeMap<u32, usize> = rows
            .filter(|(_, row)| row.kind == ResourceKind::Output)
            .filter_map(|(at, row)| Some((row.link?, at)))
            .collect();
        let short = |buffer: &ResourceRow| {
            let number = buffer.link?;
            let &link = outputs.get(&number)?;
            let evidence = &self.report.evidence;
            let (&rate, &delay_s) = (evidence.rates.get(&link)?, evidence.delays.get(&link)?);
            let (threshold, under_way) = (buffer.capacity?, 2.0 * delay_s * rate / 8.0);
            let (by, paused) = (buffer.site.switch()?, self.row(link).held_back());
            let found = TooEarly { link, by, threshold, under_way, delay_s, paused };
            (threshold < under_way).then_some((number, found))
        };
        let buffers = self.report.resources.iter().filter(|row| row.kind == ResourceKind::InputBuffer);
        buffers.filter_map(short).collect()
    }

    /// Whether a switch that stops a link could forward all its traffic: none of its outputs is full or stopped. Where
    /// no link is full, outputs in `stopped_early`, by number, are stopped for the same reason and do not count.
    pub(super) fn could_send_on(&self, stopped: usize, by: u32, stopped_early: impl Fn(u32) -> bool) -> bool {
        let none_is_full = self.fullest_line() < FULL_LINK;
        let is_stopped_early = |output: &ResourceRow| none_is_full && output.link.is_some_and(&stopped_early);
        let is_held_up = |output: &ResourceRow| {
            output.utilisation >= FULL_LINK || (output.held_back() >= STOPPED && !is_stopped_early(output))
        };
        // Traffic in the opposite direction does not come by this link.
        let from = self.row(stopped).site;
        let mut onward = self.report.resources.iter().filter(|row| {
            row.kind == ResourceKind::Output && row.site.switch() == Some(by) && row.far != from
        });
        !onward.any(is_held_up)
    }
}
