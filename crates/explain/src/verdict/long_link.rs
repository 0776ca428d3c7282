//! A link along which bits travel far longer than along those like it, and a line far slower than those beside it.

use std::collections::BTreeMap;

use hopscope_measure::{ResourceRow, StageId, usual};

use super::{Candidate, Judge};
use crate::cause::Cause;
use crate::symptoms::synchronised_bursts::bursts;
use crate::thresholds::{LIKE, MOSTLY, OF_ROUND_TRIP, WAITS};
use crate::words::{Like, duration, percent, rate, words};

/// What travels along one link, both ways.
pub(super) struct Travel {
    /// The row that carries most.
    pub row: usize,
    /// The propagation delay, seconds; of several cables the longest.
    pub delay_s: f64,
    /// Bits on the way, on average.
    pub bits: f64,
}

impl Judge<'_> {
    /// Messages wait for those that a slow line carries, beside faster ones: all leave the lines in the order in which
    /// they came.
    pub(super) fn slow_beside(&self) -> Option<Candidate> {
        let waits = self.of_life(|row| row.stage.is_for_missing());
        let slow = self.report.evidence.slow_beside.iter();
        let worst =
            slow.max_by(|a, b| (a.usual / a.rate).total_cmp(&(b.usual / b.rate)).then(b.row.cmp(&a.row)))?;
        // What has waited for an earlier one leaves with it: messages come to the next line in bunches.
        let bunches = bursts(self.report, self.chain).map_or(0.0, |burst| {
            let [own, next] = [worst.row, burst.root].map(|row| self.row(row).ends.as_ref());
            let is_next = own.zip(next).is_some_and(|(own, next)| own[1] == next[0]);
            if is_next { self.weight_of(burst.root) } else { 0.0 }
        });
        (waits >= WAITS || waits >= OF_ROUND_TRIP && waits + bunches >= WAITS).then(|| {
            let sentence = format!(
                "Slow line: {} has {} where the lines beside it have {}. They keep the order of messages, which spend {} of their \
                 lifetime waiting for earlier ones to arrive.",
                worst.words,
                rate(worst.rate),
                rate(worst.usual),
                percent(waits)
            );
            let found = self.at_row(Cause::Resource, worst.row, waits + bunches, sentence);
            Candidate { resource: Some(worst.words.clone()), ..found }
        })
    }

    /// Messages spend most of their lifetime travelling along one link, which is far longer than those like it.
    pub(super) fn long_link(&self) -> Option<Candidate> {
        let travels = self.travels();
        let all: f64 = travels.values().map(|travel| travel.bits).sum();
        let longest = travels.values().max_by(|a, b| a.bits.total_cmp(&b.bits).then(b.row.cmp(&a.row)))?;
        let like = Like::of(self.row(longest.row));
        let others = travels.values().filter(|travel| travel.row != longest.row);
        let others = others.filter(|travel| Like::of(self.row(travel.row)) == like);
        let usual_s = usual(others.map(|travel| travel.delay_s).collect())?;
        let share = self.of_life(|row| row.stage == StageId::Propagation) * longest.bits / all;
        (longest.delay_s >= LIKE * usual_s && share >= MOSTLY).then(|| {
            let sentence = format!(
                "Long link: messages spend {} of their lifetime travelling along {}, which takes {} where the others like it take {}.",
                percent(share),
                words(self.row(longest.row)),
                duration(longest.delay_s),
                duration(usual_s)
            );
            self.at_row(Cause::SlowService, longest.row, share, sentence)
        })
    }

    /// What travels along each link whose delay is known, by the names of its ends.
    pub(super) fn travels(&self) -> BTreeMap<Vec<String>, Travel> {
        let mut found: BTreeMap<Vec<String>, Travel> = BTreeMap::new();
        let carried = |at: usize, row: &ResourceRow| {
            self.report.evidence.rates.get(&at).copied().unwrap_or(0.0) * row.utilisation
        };
        for (&at, &delay_s) in &self.report.evidence.delays {
            let row = self.row(at);
            let mut ends = row.nodes();
            ends.sort();
            let bits = carried(at, row) * delay_s;
            let travel = found.entry(ends).or_insert(Travel { row: at, delay_s, bits: 0.0 });
            travel.bits += bits;
            travel.delay_s = travel.delay_s.max(delay_s);
            if carried(at, row) > carried(travel.row, self.row(travel.row)) {
                travel.row = at;
            }
        }
        found
    }
}
