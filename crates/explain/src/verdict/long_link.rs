//! A link with a far longer propagation delay than those like it, and a line that is far slower than parallel ones.

use std::collections::{BTreeMap, BTreeSet};

use hopscope_measure::{ResourceKind, ResourceRow, StageId, usual};

use super::{Candidate, Judge};
use crate::cause::Cause;
use crate::symptoms::synchronised_bursts::bursts;
use crate::thresholds::{APART_S, MOSTLY, OF_ROUND_TRIP, TIMES_THE_USUAL, WAITS};
use crate::words::{Like, duration, percent, rate, words};

/// The propagation along one link, both directions.
pub(super) struct Travel {
    /// The row with most traffic.
    pub row: usize,
    /// The propagation delay, seconds; the longest of several cables.
    pub delay_s: f64,
    /// Mean number of bits in flight.
    pub bits: f64,
}

/// A link along which messages spend most of their lifetime.
struct Far {
    row: usize,
    delay_s: f64,
    /// The median propagation delay of links like it, seconds.
    usual_s: f64,
    /// The share of the lifetime spent on it.
    share: f64,
    /// Whether no shorter path leads to its other end.
    is_a_distance: bool,
}

impl Judge<'_> {
    /// Messages wait for those on a slow line parallel to faster ones: all leave the lines in order of arrival.
    pub(super) fn slow_beside(&self) -> Option<Candidate> {
        let waits = self.of_life(|row| row.stage.is_for_missing());
        let slow = self.report.evidence.slow_beside.iter();
        let worst =
            slow.max_by(|a, b| (a.usual / a.rate).total_cmp(&(b.usual / b.rate)).then(b.row.cmp(&a.row)))?;
        // Messages that waited for an earlier one leave with it: they reach the next line in bursts.
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
            Candidate { resource: Some(worst.words.clone()), weight_stated: bunches == 0.0, ..found }
        })
    }

    /// Messages spend most of their lifetime in propagation along one link, which is far longer than those like it.
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
            self.at_row(Cause::SlowService, row, share, sentence).with_weight_stated(true)
        })
    }

    /// A further sentence on a long link to whose other end no shorter path leads: its length is the distance between
    /// the places, and nothing is wrong with it.
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
        travels.retain(|_, travel| travel.delay_s >= TIMES_THE_USUAL * usual_s);
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

    /// The link on which messages spend most of their lifetime, if it is far longer than those like it.
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
        (delay_s >= TIMES_THE_USUAL * usual_s && share >= MOSTLY).then(|| {
            let may_be_apart = !like.is_of_a_host && delay_s <= APART_S && !self.stops_and_starts();
            let is_a_distance =
                may_be_apart && self.has_no_way_round(&travels, row, TIMES_THE_USUAL * usual_s);
            Far { row, delay_s, usual_s, share, is_a_distance }
        })
    }

    /// Whether switches use stop and start, as AN1's do: the input FIFO must hold what arrives until a stop takes
    /// effect, so no link reaches another site.
    fn stops_and_starts(&self) -> bool {
        self.report.resources.iter().any(|row| row.kind == ResourceKind::InputFifo)
    }

    /// Whether no path of shorter links joins the two ends of a link.
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

    /// The propagation along each link of known delay, by the names of its ends.
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
