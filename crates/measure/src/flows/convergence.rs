//! The time until rates become fair after a flow begins or ends.

use std::collections::BTreeMap;

use hopscope_units::{Span, Time};

use super::max_min::fair_shares;
use crate::{EVERY_CLASS, Estimate, Metric, Report};

/// A tolerance is counted in parts of a million.
const MILLION: u64 = 1_000_000;

/// What counts as converged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Converged {
    /// The tolerance of a rate about its fair share, in millionths of it.
    pub within: u64,
    /// The interval over which a rate is measured.
    pub interval: Span,
    /// How long all rates must stay within the tolerance.
    pub lasts: Span,
}

/// The convergence of the flows of a run. After each change (flows begin or end) time is cut into intervals; the rate
/// of a flow is the data delivered to its receiver in one. The rates have converged if in all consecutive intervals of
/// `lasts` the rate of each active flow is within `within` of its max-min fair share of the links. The convergence time
/// is from the change to the beginning of the first of them. A change that is followed by another earlier has not
/// converged; if less than `lasts` lies between the two, it was too short to decide.
///
/// It covers the whole run: a warm-up would cut off the transients of interest.
#[derive(Clone, Debug)]
pub struct Convergence {
    asked: Converged,
    /// The rates of links, kbit/s, by link.
    links: Vec<u64>,
    /// Active flows, by the model's own number.
    flows: BTreeMap<u32, Served>,
    /// When flows last began or ended.
    changed: Time,
    /// The end of the present interval.
    ends: Time,
    /// Since when all intervals were fair.
    fair_since: Option<Time>,
    /// The convergence time of the present flows.
    took: Option<Span>,
    times: Vec<Span>,
    not_converged: u64,
    too_short: u64,
}

/// A flow under way.
#[derive(Clone, Debug)]
struct Served {
    /// The links on its path.
    way: Vec<u32>,
    /// Its fair share, kbit/s.
    share: u64,
    /// Bits that have arrived in the present interval.
    bits: u64,
}

impl Convergence {
    /// For flows over links of these rates, kbit/s.
    #[must_use]
    pub fn new(asked: Converged, links: Vec<u64>) -> Self {
        Self {
            asked,
            links,
            flows: BTreeMap::new(),
            changed: Time::ZERO,
            ends: Time::ZERO,
            fair_since: None,
            took: None,
            times: Vec::new(),
            not_converged: 0,
            too_short: 0,
        }
    }

    /// A flow begins over these links.
    pub fn begun(&mut self, now: Time, flow: u32, way: Vec<u32>) {
        self.change(now);
        self.flows.insert(flow, Served { way, share: 0, bits: 0 });
    }

    /// A flow has ended.
    pub fn ended(&mut self, now: Time, flow: u32) {
        self.change(now);
        self.flows.remove(&flow);
    }

    /// Some of a flow has arrived.
    #[inline]
    pub fn delivered(&mut self, now: Time, flow: u32, bits: u64) {
        if now >= self.ends {
            self.look(now);
        }
        if let Some(flow) = self.flows.get_mut(&flow) {
            flow.bits += bits;
        }
    }

    /// The set of active flows changes now.
    fn change(&mut self, now: Time) {
        self.look(now);
        self.close(now);
        for flow in self.flows.values_mut() {
            flow.bits = 0;
        }
        (self.changed, self.ends) = (now, now + self.asked.interval);
        (self.fair_since, self.took) = (None, None);
    }

    /// Records the result of the last change.
    fn close(&mut self, now: Time) {
        if self.flows.is_empty() || now == self.changed {
            return;
        }
        match self.took {
            Some(took) => self.times.push(took),
            None if now.since(self.changed) < self.asked.lasts => self.too_short += 1,
            None => self.not_converged += 1,
        }
    }

    /// Judges the intervals that have ended.
    fn look(&mut self, now: Time) {
        if self.flows.is_empty() || now < self.ends {
            return;
        }
        if self.took.is_some() {
            self.ends = now + self.asked.interval;
            return;
        }
        if self.ends == self.changed + self.asked.interval {
            self.share();
        }
        self.judge();
        // In intervals without arrivals no flow has its share.
        while now >= self.ends {
            let behind = now.since(self.ends).ps() / self.asked.interval.ps();
            self.fair_since = None;
            self.ends += self.asked.interval * (behind + 1);
        }
    }

    /// Judges the interval that ends first.
    fn judge(&mut self) {
        let (interval, within) = (self.asked.interval, self.asked.within);
        let is_fair = |flow: &Served| {
            let rate = u128::from(flow.bits) * 1_000_000_000 / u128::from(interval.ps());
            let distance = rate.abs_diff(u128::from(flow.share));
            distance * u128::from(MILLION) <= u128::from(flow.share) * u128::from(within)
        };
        if self.flows.values().all(is_fair) {
            let begins = Time::ZERO + self.ends.since(Time::ZERO + interval);
            let since = *self.fair_since.get_or_insert(begins);
            if self.ends.since(since) >= self.asked.lasts {
                self.took = Some(since.since(self.changed));
            }
        } else {
            self.fair_since = None;
        }
        for flow in self.flows.values_mut() {
            flow.bits = 0;
        }
        self.ends += interval;
    }

    fn share(&mut self) {
        let ways: Vec<&[u32]> = self.flows.values().map(|flow| flow.way.as_slice()).collect();
        let shares = fair_shares(&ways, &self.links);
        for (flow, share) in self.flows.values_mut().zip(shares) {
            flow.share = share;
        }
    }

    /// Adds convergence times, and the number of changes without one, to a report.
    pub fn tell(&self, now: Time, report: &mut Report) {
        let mut all = self.clone();
        all.look(now);
        all.close(now);
        let Self { times, not_converged, too_short, .. } = all;
        let converged = times.len() as u64;
        let us = |span: &Span| span.ps() as f64 * 1e-6;
        let time = |value: f64| (converged > 0).then(|| Estimate::exact(value, converged));
        let mean = times.iter().map(us).sum::<f64>() / (converged as f64).max(1.0);
        let most = times.iter().map(us).fold(0.0, f64::max);
        let mut add = |name: &str, (statistic, unit): (&str, &str), estimate| {
            report.metrics.push(Metric::new(name, EVERY_CLASS, (statistic, unit), estimate));
        };
        add("convergence", ("mean", "us"), time(mean));
        add("convergence", ("max", "us"), time(most));
        let counts = [("converged", converged), ("not converged", not_converged), ("too short", too_short)];
        for (name, count) in counts {
            add(name, ("count", "1"), Some(Estimate::exact(count as f64, count)));
        }
        let changes = converged + not_converged + too_short;
        if converged < changes {
            report.notes.push(format!(
                "Rates have not converged after {not_converged} of {changes} changes of the flows under way, and after {too_short} \
                 the next came too soon to tell: the convergence time is that of the other {converged}."
            ));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000_000;

    fn at(us: u64) -> Time {
        Time::ZERO + Span::from_us(us)
    }

    /// One link of 1 Gbit/s, rates of a millisecond, within a tenth, for three of them.
    fn watch() -> Convergence {
        let (interval, lasts) = (Span::from_ps(MS), Span::from_ps(3 * MS));
        Convergence::new(Converged { within: 100_000, interval, lasts }, vec![1_000_000])
    }

    /// Gives two flows these kilobits in each millisecond from one on, a kilobit at a time.
    fn give(watch: &mut Convergence, from_ms: u64, kilobits: &[[u64; 2]]) {
        for (nth, each) in (from_ms..).zip(kilobits) {
            for (flow, &kilobits) in (0..).zip(each) {
                // All of it in the middle of the interval.
                watch.delivered(at(1_000 * nth + 500), flow, 1_000 * kilobits);
            }
        }
    }

    fn told(watch: &Convergence, now: Time) -> (Option<f64>, Vec<f64>) {
        let mut report = Report::default();
        watch.tell(now, &mut report);
        let value = |key: &str| report.metric(key).expect("it is told").estimate.map(|found| found.value);
        let counts = ["converged.count", "not converged.count", "too short.count"];
        (value("convergence.mean"), counts.iter().filter_map(|key| value(key)).collect())
    }

    #[test]
    fn rates_have_converged_at_the_first_of_three_fair_intervals() {
        let mut watch = watch();
        for flow in 0..2 {
            watch.begun(at(0), flow, vec![0]);
        }
        // Half the link is 500 kbit in a millisecond. Fair from the fifth on: the second is fair alone.
        let given =
            [[900, 100], [520, 480], [700, 300], [560, 440], [545, 455], [500, 500], [451, 549], [500, 500]];
        give(&mut watch, 0, &given);
        assert_eq!(told(&watch, at(8_600)), (Some(4_000.0), vec![1.0, 0.0, 0.0]));
    }

    #[test]
    fn a_pause_of_both_is_not_fair_and_no_time_is_made_up_where_there_is_none() {
        let mut watch = watch();
        for flow in 0..2 {
            watch.begun(at(0), flow, vec![0]);
        }
        give(&mut watch, 0, &[[500, 500], [500, 500]]);
        // Nothing for two milliseconds.
        give(&mut watch, 4, &[[500, 500], [500, 500], [100, 900]]);
        assert_eq!(told(&watch, at(7_500)), (None, vec![0.0, 1.0, 0.0]));
        watch.ended(at(8_000), 1);
        assert_eq!(told(&watch, at(9_000)).1, [0.0, 1.0, 1.0], "a millisecond alone is too short to tell");
        // Alone it has all of the link.
        give(&mut watch, 8, &[[1_000, 0], [1_000, 0], [1_000, 0], [1_000, 0]]);
        assert_eq!(told(&watch, at(12_500)), (Some(0.0), vec![1.0, 1.0, 0.0]));
    }
}
