//! What RFC 619 tabulates: round trips by hops, from a site, to a site and between two sites, with and without status
//! reports; and the intervals between its instants T(1) to T(7), for which it gives no figures.

use hopscope_measure::{CellMeans, EVERY_CLASS, Estimate, Metric, PairRow, Report};
use hopscope_units::Time;

use crate::observe::statistics::Series;
use crate::protocol::packet::Message;
use crate::scenario::plan::ArpanetPlan;
use crate::scenario::site_plan::{KINDS, MESSAGE, STATISTICS, STATUS_REPORT};

/// Intervals between the instants T(1) to T(7).
const INTERVALS: usize = 6;
/// All kinds of messages, and those that are no status reports.
const ALL_KINDS: [usize; KINDS] = [0, 1, 2];
const NOT_REPORTS: [usize; 2] = [0, 2];
/// Rows of the table by hops.
const MOST_HOPS: usize = 32;

/// The sums behind the tables: fixed memory, whatever the length of the run.
#[derive(Clone, Debug)]
pub(crate) struct SiteTables {
    imps: usize,
    /// Round trips by kind (messages, status reports, accumulated statistics), source IMP and destination IMP.
    round_trips: CellMeans,
    /// The intervals of ordinary messages by hops on the shortest path.
    intervals: CellMeans,
}

impl SiteTables {
    pub fn new(now: Time, imps: usize) -> Self {
        Self {
            imps,
            round_trips: CellMeans::new(now, KINDS * imps * imps),
            intervals: CellMeans::new(now, MOST_HOPS * INTERVALS),
        }
    }

    /// The cells of these pairs, of these kinds of messages.
    fn cells(&self, pairs: &[(usize, usize)], kinds: &[usize]) -> Vec<usize> {
        let cell = |kind: usize, (from, to): (usize, usize)| (kind * self.imps + from) * self.imps + to;
        kinds.iter().flat_map(|&kind| pairs.iter().map(move |&pair| cell(kind, pair))).collect()
    }
}

/// A row of a table: its name in metrics, and the pairs of sites that it is about.
struct TableRow {
    table: &'static str,
    name: String,
    pairs: Vec<(usize, usize)>,
}

impl SiteTables {
    /// Counts a message that has lived from T(1) to T(7).
    pub fn count(&mut self, now: Time, plan: &ArpanetPlan, m: &Message, instants: &[Time; INTERVALS + 1]) {
        let Some(kind) = plan.sites.as_ref().and_then(|sites| sites.kind(m.class)) else { return };
        let pair = usize::from(m.source) * self.imps + usize::from(m.dest);
        let cell = kind * self.imps * self.imps + pair;
        self.round_trips.add(now, cell, instants[5].since(instants[1]));
        if kind == 0 {
            let hops = usize::from(plan.hops[pair]).min(MOST_HOPS - 1);
            for (interval, ends) in instants.windows(2).enumerate() {
                self.intervals.add(now, hops * INTERVALS + interval, ends[1].since(ends[0]));
            }
        }
    }

    /// Adds the tables to a report.
    pub fn add_to(&self, now: Time, plan: &ArpanetPlan, report: &mut Report) {
        for row in self.table_rows(plan) {
            self.add_row(now, &row, report);
        }
        self.add_reports(now, &self.all_pairs(), report);
        let hops = |pair: &(usize, usize)| f64::from(plan.hops[pair.0 * self.imps + pair.1]);
        self.add_shortest_paths(now, &self.all_pairs(), hops, report);
        self.add_intervals(now, report);
        self.add_pairs(now, plan, report);
    }

    fn all_pairs(&self) -> Vec<(usize, usize)> {
        let imps = self.imps;
        (0..imps * imps).map(|pair| (pair / imps, pair % imps)).collect()
    }

    /// Tables 1 to 3.
    fn table_rows(&self, plan: &ArpanetPlan) -> Vec<TableRow> {
        let (imps, all) = (self.imps, self.all_pairs());
        let row = |table, name, keep: &dyn Fn(usize, usize) -> bool| {
            let pairs = all.iter().copied().filter(|&(from, to)| keep(from, to)).collect();
            TableRow { table, name, pairs }
        };
        let hops = |from: usize, to: usize| usize::from(plan.hops[from * imps + to]);
        let most = all.iter().map(|&(from, to)| hops(from, to)).max().unwrap_or(0);
        let mut rows = vec![row("between sites", EVERY_CLASS.into(), &|_, _| true)];
        rows.extend((0..=most).map(|n| row("over hops", n.to_string(), &|from, to| hops(from, to) == n)));
        for imp in 0..imps {
            let name = &plan.imps[imp].name;
            rows.push(row("from", name.clone(), &|from, _| from == imp));
            rows.push(row("to", name.clone(), &|_, to| to == imp));
        }
        rows.sort_by_key(|row| row.table);
        rows
    }

    fn add_pairs(&self, now: Time, plan: &ArpanetPlan, report: &mut Report) {
        for (from, to) in self.all_pairs() {
            for (kind, class) in [MESSAGE, STATUS_REPORT, STATISTICS].into_iter().enumerate() {
                let cell = self.cells(&[(from, to)], &[kind]);
                let Some((mean, rate)) =
                    self.round_trips.mean(now, &cell).zip(self.round_trips.rate(now, &cell))
                else {
                    continue;
                };
                report.pairs.push(PairRow {
                    from: plan.imps[from].name.clone(),
                    to: plan.imps[to].name.clone(),
                    class: class.to_owned(),
                    hops: u64::from(plan.hops[from * self.imps + to]),
                    messages: mean.n,
                    per_minute: rate.value * 60.0,
                    delay_ms: mean.in_units_of(1e9),
                });
            }
        }
    }

    /// Messages a minute and round trips, with status reports and without; accumulated statistics are in both, as in
    /// RFC 619.
    fn add_row(&self, now: Time, row: &TableRow, report: &mut Report) {
        let plain = self.cells(&row.pairs, &NOT_REPORTS);
        let with = self.cells(&row.pairs, &ALL_KINDS);
        let named = |what: &str| format!("{what} {}", row.table);
        let a_minute = self.round_trips.rate(now, &with).map(|rate| rate.in_units_of(1.0 / 60.0));
        let rate = metric(&named("messages"), &row.name, ("rate", "1/min"), a_minute);
        report.metrics.push(rate.over_window());
        let mean = |cells: &[usize]| self.round_trips.mean(now, cells).map(|mean| mean.in_units_of(1e9));
        for (what, cells) in [("round trip", &with), ("round trip without status reports", &plain)] {
            report.metrics.push(metric(&named(what), &row.name, ("mean", "ms"), mean(cells)).of_delay());
        }
    }

    /// Status reports a minute.
    fn add_reports(&self, now: Time, pairs: &[(usize, usize)], report: &mut Report) {
        let rate =
            self.round_trips.rate(now, &self.cells(pairs, &[1])).map(|rate| rate.in_units_of(1.0 / 60.0));
        report
            .metrics
            .push(metric("status reports between sites", EVERY_CLASS, ("rate", "1/min"), rate).over_window());
    }

    /// The mean number of hops on shortest paths, over all messages.
    fn add_shortest_paths(
        &self,
        now: Time,
        pairs: &[(usize, usize)],
        hops: impl Fn(&(usize, usize)) -> f64,
        report: &mut Report,
    ) {
        let count = |pair: &(usize, usize)| self.round_trips.count(now, &self.cells(&[*pair], &ALL_KINDS));
        let (mut messages, mut total) = (0, 0.0);
        for pair in pairs {
            let seen = count(pair);
            messages += seen;
            total += hops(pair) * seen as f64;
        }
        let estimate = (messages > 0).then(|| Estimate::exact(total / messages as f64, messages));
        report.metrics.push(metric("shortest path length", EVERY_CLASS, ("mean", "hops"), estimate));
    }

    /// The decomposition of RFC 619 by hops, of ordinary messages.
    fn add_intervals(&self, now: Time, report: &mut Report) {
        for hops in 0..MOST_HOPS {
            for (interval, label) in Series::LABELS[..INTERVALS].iter().enumerate() {
                let mean = self.intervals.mean(now, &[hops * INTERVALS + interval]);
                if let Some(mean) = mean {
                    let name = format!("{} over hops", label.name);
                    let ms = Some(mean.in_units_of(1e9));
                    report.metrics.push(metric(&name, &hops.to_string(), ("mean", "ms"), ms).of_delay());
                }
            }
        }
    }
}

/// A metric; one without bounds to its interval has no number.
fn metric(name: &str, class: &str, statistic_and_unit: (&str, &str), estimate: Option<Estimate>) -> Metric {
    Metric::new(name, class, statistic_and_unit, estimate.filter(|estimate| estimate.low.is_finite()))
}
