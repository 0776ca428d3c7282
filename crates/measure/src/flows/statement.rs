//! The report of the statistics of flows.

use hopscope_units::{Time, amount};

use super::channels::{Label, Told};
use super::rates::Sample;
use super::{FlowStatistics, SIZE_CLASSES, SLOWDOWN_SCALE};
use crate::{DelayUnit, EVERY_CLASS, Estimate, FlowTables, Metric, Observed, Report};

/// Bits a second in a gigabit a second.
const GIGABIT: f64 = 1e9;

impl FlowStatistics {
    /// Adds everything that was measured to a report: metrics, flows, rounds and notes.
    pub fn tell(&self, now: Time, observed: Observed, report: &mut Report) {
        let mut told = Told { metrics: &mut report.metrics, observed, open_above: Vec::new() };
        self.slowdowns(now, &mut told);
        self.round_times(now, &mut told);
        let open = std::mem::take(&mut told.open_above);
        if !open.is_empty() {
            report.notes.push(format!(
                "Too few flows for an upper bound of the p99 interval of {}: the largest value seen stands in for it.",
                open.join(", ")
            ));
        }
        self.host_rates(now, &mut report.metrics);
        self.counts(report);
        report.flows = Some(FlowTables {
            groups: self.groups.clone(),
            hosts: self.hosts.clone(),
            flows: self.flows.rows().copied().collect(),
            rounds: self.rounds.rows().copied().collect(),
        });
        if self.flows.step() > 1 {
            report.notes.push(format!("The list of flows keeps one flow in {}.", self.flows.step()));
        }
    }

    fn slowdowns(&self, now: Time, told: &mut Told<'_>) {
        let label = |class| Label {
            name: "slowdown",
            class,
            unit: "ratio",
            scale: SLOWDOWN_SCALE as f64,
            rounds: false,
        };
        let all: Vec<usize> = (0..SIZE_CLASSES.len()).collect();
        self.channels.tell(now, &all, &label(EVERY_CLASS), told);
        let seen = |&&channel: &&usize| self.channels.count(now, &[channel]) > 0;
        if all.iter().filter(seen).count() > 1 {
            for (&channel, (_, name)) in all.iter().zip(SIZE_CLASSES) {
                self.channels.tell(now, &[channel], &label(name), told);
            }
        }
    }

    fn round_times(&self, now: Time, told: &mut Told<'_>) {
        let first = SIZE_CLASSES.len();
        let unit = DelayUnit::Us;
        for (group, name) in self.groups.iter().enumerate() {
            let class = if self.groups.len() > 1 { name } else { EVERY_CLASS };
            let label =
                Label { name: "round", class, unit: unit.symbol(), scale: unit.picoseconds(), rounds: true };
            self.channels.tell(now, &[first + group], &label, told);
        }
    }

    /// Adds the rates of hosts, and the fairness of hosts and flows.
    fn host_rates(&self, now: Time, metrics: &mut Vec<Metric>) {
        let hosts = self.rates.of_hosts(now);
        let receivers = hosts.len() as u64;
        if receivers > 0 {
            let least = hosts.iter().copied().fold(f64::INFINITY, f64::min);
            let greatest = hosts.iter().copied().fold(0.0, f64::max);
            let mean = hosts.iter().sum::<f64>() / receivers as f64;
            for (statistic, value) in [("mean", mean), ("min", least), ("max", greatest)] {
                let rate = Estimate::exact(value / GIGABIT, receivers);
                let metric = Metric::new("host throughput", EVERY_CLASS, (statistic, "Gbit/s"), rate);
                metrics.push(metric.over_window());
            }
        }
        let mut of_hosts = Sample::default();
        hosts.iter().for_each(|&rate| of_hosts.add(rate));
        for (name, sample) in [("host fairness", of_hosts), ("flow fairness", self.rates.of_flows())] {
            let index = sample.fairness().map(|index| Estimate::exact(index, sample.count));
            metrics.push(Metric::new(name, EVERY_CLASS, ("index", "fraction"), index));
        }
    }

    /// Adds the numbers of flows that began, ended and are unfinished: a mean over those that ended is not a mean over
    /// all.
    fn counts(&self, report: &mut Report) {
        let begun = self.begun - self.begun_before + self.under_way_before;
        let unfinished = self.under_way();
        let mut add = |name: &str, count: u64| {
            let exact = Estimate::exact(count as f64, count);
            report.metrics.push(Metric::new(name, EVERY_CLASS, ("count", "1"), exact));
        };
        add("flows", begun);
        add("unfinished flows", unfinished);
        if unfinished > 0 {
            let left = self.begun_data - self.ended_data;
            report.notes.push(format!(
                "{unfinished} of {} ({left} in all) had not ended. The throughput includes what they delivered; the latencies and \
                 slowdowns are those of the flows that ended.",
                amount(begun, "flow", "flows")
            ));
        }
    }
}
