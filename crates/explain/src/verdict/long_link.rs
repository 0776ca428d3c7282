//! A link along which bits travel far longer than along those like it, and a line far slower than those beside it.

use std::collections::{BTreeMap, BTreeSet};

use hopscope_measure::{ResourceKind, ResourceRow, StageId, usual};

use super::{Candidate, Judge};
use crate::cause::Cause;
use crate::symptoms::synchronised_bursts::bursts;
use crate::thresholds::{APART_S, LIKE, MOSTLY, OF_ROUND_TRIP, WAITS};
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

/// A link along which messages spend most of their lifetime.
struct Far {
    row: usize,
    delay_s: f64,
    /// The median of those like it.
    usual_s: f64,
    /// The share of a lifetime spent on it.
    share: f64,
    /// Whether no shorter path leads to its other end.
    is_a_distance: bool,
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
        let Far { row, delay_s, usual_s, share, is_a_distance } = self.far()?;
        (!is_a_distance).then(|| {
            let sentence = format!(
                "Long link: messages spend {} of their lifetime travelling along {}, which takes {} where the others like it take {}.",
                percent(share),
                words(self.row(row)),
                duration(delay_s),
                duration(usual_s)
            );
            self.at_row(Cause::SlowService, row, share, sentence)
        })
    }

    /// The same where no shorter path leads to the other end, as a sentence after another one: it is as long as the
    /// places are far apart, and nothing is wrong with it.
    pub(super) fn distance(&self) -> String {
        let far = self.far().filter(|far| far.is_a_distance);
        far.map_or_else(|| self.far_switch().unwrap_or_default(), |far| {
            format!(
                " Messages spend {} of it travelling along {}, which takes {}; no shorter path leads to its other end.",
                percent(far.share),
                words(self.row(far.row)),
                duration(far.delay_s)
            )
        })
    }

    /// The same of a switch all of whose cables to others are far longer than theirs, one of which alone has no great
    /// share of it.
    fn far_switch(&self) -> Option<String> {
        let mut travels = self.travels();
        travels.retain(|_, travel| !Like::of(self.row(travel.row)).is_of_a_host);
        let usual_s = usual(travels.values().map(|travel| travel.delay_s).collect())?;
        let bits =
            |travels: &BTreeMap<Vec<String>, Travel>| travels.values().map(|travel| travel.bits).sum::<f64>();
        let all = bits(&self.travels());
        travels.retain(|_, travel| travel.delay_s >= LIKE * usual_s);
        let (first, _) = travels.first_key_value()?;
        let switch = first.iter().find(|switch| travels.keys().all(|ends| ends.contains(switch)))?;
        let share = self.of_life(|row| row.stage == StageId::Propagation) * bits(&travels) / all;
        let longest = travels.values().map(|travel| travel.delay_s).fold(0.0, f64::max);
        (travels.len() > 1 && share >= MOSTLY).then(|| {
            format!(
                " Messages spend {} of it travelling along the {} cables of {switch} ({}; most others {}).",
                percent(share),
                travels.len(),
                duration(longest),
                duration(usual_s)
            )
        })
    }

    /// The link along which messages spend most of their lifetime, where it is far longer than those like it.
    fn far(&self) -> Option<Far> {
        let travels = self.travels();
        let all: f64 = travels.values().map(|travel| travel.bits).sum();
        let longest = travels.values().max_by(|a, b| a.bits.total_cmp(&b.bits).then(b.row.cmp(&a.row)))?;
        let &Travel { row, delay_s, bits } = longest;
        let like = Like::of(self.row(row));
        let others = travels.values().filter(|travel| travel.row != row);
        let others = others.filter(|travel| Like::of(self.row(travel.row)) == like);
        let usual_s = usual(others.map(|travel| travel.delay_s).collect())?;
        let share = self.of_life(|row| row.stage == StageId::Propagation) * bits / all;
        (delay_s >= LIKE * usual_s && share >= MOSTLY).then(|| {
            let may_be_apart = !like.is_of_a_host && delay_s <= APART_S && !self.stops_and_starts();
            let is_a_distance = may_be_apart && self.has_no_way_round(&travels, row, LIKE * usual_s);
            Far { row, delay_s, usual_s, share, is_a_distance }
        })
    }

    /// Whether switches stop and start what comes, as AN1's: the FIFO of an input has to hold what arrives until a stop
    /// has effect, so a link reaches no other site.
    fn stops_and_starts(&self) -> bool {
        self.report.resources.iter().any(|row| row.kind == ResourceKind::InputFifo)
    }

    /// Whether links that are shorter than this join the ends of one in no way.
    fn has_no_way_round(&self, travels: &BTreeMap<Vec<String>, Travel>, long: usize, least_s: f64) -> bool {
        let short: Vec<&Vec<String>> =
            travels.iter().filter(|(_, travel)| travel.delay_s < least_s).map(|(ends, _)| ends).collect();
        let ends = self.row(long).nodes();
        let mut reached: BTreeSet<&String> = ends.first().into_iter().collect();
        let mut before = 0;
        while before < reached.len() {
            before = reached.len();
            for joined in &short {
                if joined.iter().any(|node| reached.contains(node)) {
                    reached.extend(*joined);
                }
            }
        }
        ends.iter().any(|node| !reached.contains(node))
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
