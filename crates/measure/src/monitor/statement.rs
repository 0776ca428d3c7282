//! The monitor's report.

use hopscope_units::{Span, Time, amount};

use super::sums::{BITS, LATENCY, MESSAGES, STAGES, Sums};
use super::{DelayLabel, DelayUnit, LessStage, MessageMonitor, RateUnit};
use crate::batch_means::{Batch, BatchMean, CONFIDENCE, mean_of_batches};
use crate::monitor::distributions::Distribution;
use crate::saturation::backlog_grew;
use crate::{
    BareMeans, Doubt, EVERY_CLASS, Estimate, LedgerRow, MeasuredWindow, Metric, Observed, Report,
    SeriesPoint, UnderWay,
};

const PS_PER_S: f64 = 1e12;

/// The quantiles of every delay, by the name of the statistic.
const QUANTILES: [(&str, f64); 2] = [("p50", 0.5), ("p99", 0.99)];

/// The quantile of the tail of every delay.
const TAIL: (&str, f64) = ("p999", 0.999);

/// Time has no single observations, so there cannot be too few: every batch counts.
const ALL_OF_TIME: u64 = u64::MAX;

/// A class starves if none of its messages arrives among this many of others: with one message in a hundred that
/// happens by chance in 4 of 100,000 runs.
const FEWEST_BESIDE: u64 = 1_000;

/// Why the figures of a finite workload have no intervals, and what tells their uncertainty.
const NOTE_ON_A_WHOLE_JOB: &str = "All messages of the job were measured, so its latencies and rates have no intervals. \
     `hopscope sweep --seeds 5` shows how much they differ between seeds.";

/// A class as reports name it, and which classes it stands for.
struct ClassGroup<'a> {
    name: &'a str,
    classes: Vec<usize>,
}

impl MessageMonitor {
    /// The mean latency over all classes in picoseconds, by batch means; nothing where too little has been measured.
    #[must_use]
    pub fn mean_latency(&self, now: Time) -> Option<BatchMean> {
        let all: Vec<usize> = (0..self.classes.len()).collect();
        self.message_mean(now, &all, |sums, classes| sums.over(self.columns, classes, LATENCY))
    }

    /// Messages delivered a second, by batch means; nothing where too little has been measured.
    #[must_use]
    pub fn delivery_rate(&self, now: Time) -> Option<BatchMean> {
        let all: Vec<usize> = (0..self.classes.len()).collect();
        let delivered = |sums: &Sums| sums.over(self.columns, &all, MESSAGES) as f64;
        mean_of_batches(&self.batches_of_time(now, delivered), ALL_OF_TIME, CONFIDENCE)
    }

    /// Bits offered and bits delivered since the restart.
    #[must_use]
    pub fn bits_since_restart(&self, now: Time) -> (u128, u128) {
        let all: Vec<usize> = (0..self.classes.len()).collect();
        self.sums.iter(now).fold((0, 0), |(offered, delivered), (sums, _)| {
            (offered + sums.offered_bits(), delivered + sums.over(self.columns, &all, BITS))
        })
    }

    /// Whether the backlog has grown over the measured window: by over 1 % of the messages offered and over 4 standard
    /// errors. What was measured before messages could have crossed the network does not count: it fills the links.
    #[must_use]
    pub fn saturated(&self, now: Time) -> bool {
        self.grew_until(Time::NEVER, now)
    }

    /// The same while messages were offered, until `end`: later measurements do not count, since the network empties.
    #[must_use]
    pub fn grew_until(&self, end: Time, now: Time) -> bool {
        let all: Vec<usize> = (0..self.classes.len()).collect();
        let growth = |sums: &Sums| {
            let over = sums.over(self.columns, &all, MESSAGES) + sums.given_up();
            sums.offered_messages() as f64 - over as f64
        };
        let mut ends = self.sums.start();
        let crossed = self.sums.iter(now).filter(|(_, span)| {
            ends += *span;
            self.is_crossed(ends) && ends <= end
        });
        let (growth, offered): (Vec<f64>, Vec<u128>) =
            crossed.map(|(sums, _)| (growth(sums), sums.offered_messages())).unzip();
        backlog_grew(&growth, offered.iter().sum::<u128>() as f64)
    }

    /// Everything measured since the restart: the outcome (complete or saturated), window, metrics, ledger and series.
    /// The model adds its resources, and the run controller the warm-up and the end.
    #[must_use]
    pub fn report(&self, now: Time) -> Report {
        let span_s = now.since(self.restarted_at).as_seconds();
        let mut report = Report {
            measured: MeasuredWindow { span_s, messages: self.measured() },
            series: self.over_time(now),
            ..Report::default()
        };
        for group in self.groups() {
            self.add_delays(now, &group, &mut report);
            self.add_ledger(now, &group, &mut report.ledger);
        }
        for (series, &label) in self.series.iter().enumerate() {
            let batches: Vec<Batch> = self.sums.iter(now).map(|(sums, _)| sums.series(series)).collect();
            let n = batches.iter().map(|batch| batch.weight).sum::<f64>() as u64;
            let mean = self.observed.mean(&batches, n, n);
            let channel = self.first_series_channel() + series;
            self.add_delay(now, label, EVERY_CLASS, mean, &[channel], &mut report);
        }
        report.bare_means = self.bare_means(now);
        report.under_way = self.under_way(now);
        note_on_bounds(&mut report);
        self.add_rates(now, &mut report.metrics);
        if self.saturated(now) {
            report.notes.clear();
            report.saturate();
        } else {
            self.note_on_intervals(now, &mut report);
        }
        report.interval_notes = report.notes.len();
        self.note_on_starving_classes(now, &mut report);
        report
    }

    /// The means over all messages, if these are too few for intervals.
    fn bare_means(&self, now: Time) -> Option<BareMeans> {
        let all: Vec<usize> = (0..self.classes.len()).collect();
        let messages = self.messages_of(now, &all);
        if messages == 0 || self.observed == Observed::Whole || self.mean_latency(now).is_some() {
            return None;
        }
        let total = |column: usize| -> u128 {
            self.sums.iter(now).map(|(sums, _)| sums.over(self.columns, &all, column)).sum()
        };
        let life = (0..self.stages.len()).map(|stage| total(STAGES + stage)).sum::<u128>();
        let latency = total(LATENCY);
        let less = self.less_stage.map(|less| (less.label, latency - total(STAGES + less.stage)));
        let told = [Some((self.latency, latency)), self.life.map(|label| (label, life)), less];
        let delays = told.into_iter().flatten().map(|(label, sum)| {
            let key = Metric::new(label.name, EVERY_CLASS, ("mean", label.unit.symbol()), None).key();
            (key, sum as f64 / messages as f64 / label.unit.picoseconds())
        });
        let life_us = life as f64 / messages as f64 / DelayUnit::Us.picoseconds();
        Some(BareMeans { messages, life_us, delays: delays.collect() })
    }

    /// "all", and each class where there are several.
    fn groups(&self) -> Vec<ClassGroup<'_>> {
        let mut groups = vec![ClassGroup { name: EVERY_CLASS, classes: (0..self.classes.len()).collect() }];
        if self.classes.len() > 1 {
            groups.extend(
                self.classes
                    .iter()
                    .enumerate()
                    .map(|(class, name)| ClassGroup { name, classes: vec![class] }),
            );
        }
        groups
    }

    /// The mean of the quantity `sum` over the messages of some classes, by batch means.
    fn message_mean(
        &self,
        now: Time,
        classes: &[usize],
        sum: impl Fn(&Sums, &[usize]) -> u128,
    ) -> Option<BatchMean> {
        mean_of_batches(&self.batches(now, classes, sum), self.messages_of(now, classes), CONFIDENCE)
    }

    /// The same as the report has it.
    fn message_estimate(
        &self,
        now: Time,
        classes: &[usize],
        sum: impl Fn(&Sums, &[usize]) -> u128,
    ) -> Option<Estimate> {
        let n = self.messages_of(now, classes);
        self.observed.mean(&self.batches(now, classes, sum), n, n)
    }

    fn batches(&self, now: Time, classes: &[usize], sum: impl Fn(&Sums, &[usize]) -> u128) -> Vec<Batch> {
        let messages = |sums: &Sums| sums.over(self.columns, classes, MESSAGES);
        let batch = |sums: &Sums| Batch { sum: sum(sums, classes) as f64, weight: messages(sums) as f64 };
        self.sums.iter(now).map(|(sums, _)| batch(sums)).collect()
    }

    fn messages_of(&self, now: Time, classes: &[usize]) -> u64 {
        let messages: u128 =
            self.sums.iter(now).map(|(sums, _)| sums.over(self.columns, classes, MESSAGES)).sum();
        u64::try_from(messages).expect("messages are counted in 64 bits")
    }

    /// The quantity `sum` in each batch of time.
    fn batches_of_time(&self, now: Time, sum: impl Fn(&Sums) -> f64) -> Vec<Batch> {
        let batch = |(sums, span): (&Sums, Span)| Batch { sum: sum(sums), weight: span.as_seconds() };
        self.sums.iter(now).map(batch).collect()
    }

    fn add_delays(&self, now: Time, group: &ClassGroup<'_>, report: &mut Report) {
        let latency = |sums: &Sums, classes: &[usize]| sums.over(self.columns, classes, LATENCY);
        let mean = self.message_estimate(now, &group.classes, latency);
        self.add_delay(now, self.latency, group.name, mean, &group.classes, report);
        if let Some(label) = self.life {
            let life = |sums: &Sums, classes: &[usize]| -> u128 {
                (0..self.stages.len()).map(|stage| sums.over(self.columns, classes, STAGES + stage)).sum()
            };
            let mean = self.message_estimate(now, &group.classes, life);
            let channels: Vec<usize> = group.classes.iter().map(|class| self.classes.len() + class).collect();
            self.add_delay(now, label, group.name, mean, &channels, report);
        }
        if let Some(LessStage { label, stage }) = self.less_stage {
            let rest = |sums: &Sums, classes: &[usize]| {
                latency(sums, classes) - sums.over(self.columns, classes, STAGES + stage)
            };
            let mean = self.message_estimate(now, &group.classes, rest);
            let first = self.first_less_stage_channel();
            let channels: Vec<usize> = group.classes.iter().map(|class| first + class).collect();
            self.add_delay(now, label, group.name, mean, &channels, report);
        }
    }

    /// The mean, quantiles and maximum of one delay. The estimate of the mean is in picoseconds.
    fn add_delay(
        &self,
        now: Time,
        label: DelayLabel,
        class: &str,
        mean: Option<Estimate>,
        channels: &[usize],
        report: &mut Report,
    ) {
        let metric = |statistic: &str, estimate: Option<Estimate>| {
            let estimate = estimate.map(|estimate| estimate.in_units_of(label.unit.picoseconds()));
            Metric::new(label.name, class, (statistic, label.unit.symbol()), estimate).of_delay()
        };
        let distribution = Distribution::of(&self.distributions, now, channels);
        report.metrics.push(metric("mean", mean));
        for (statistic, share) in QUANTILES {
            let quantile = distribution.quantile(share, self.observed);
            let metric = metric(statistic, quantile.map(|quantile| quantile.estimate));
            if quantile.is_some_and(|quantile| quantile.open_above || quantile.too_few) {
                report.doubts.push(Doubt::NoUpperBound { metric: metric.key() });
            }
            report.metrics.push(metric);
        }
        let (statistic, share) = TAIL;
        let tail = distribution.quantile(share, self.observed);
        let tail = tail.filter(|tail| !tail.open_above && !tail.too_few).map(|tail| tail.estimate);
        report.tails.push(metric(statistic, tail));
        report.metrics.push(metric("max", distribution.max()));
    }

    fn add_ledger(&self, now: Time, group: &ClassGroup<'_>, ledger: &mut Vec<LedgerRow>) {
        let in_stage = |stage: usize| -> u128 {
            self.sums.iter(now).map(|(sums, _)| sums.over(self.columns, &group.classes, STAGES + stage)).sum()
        };
        let life: u128 = (0..self.stages.len()).map(in_stage).sum();
        for (stage, label) in self.stages.iter().enumerate() {
            let spent = |sums: &Sums, classes: &[usize]| sums.over(self.columns, classes, STAGES + stage);
            let mean = self.message_estimate(now, &group.classes, spent);
            ledger.push(LedgerRow {
                stage: label.stage,
                kind: label.stage.kind(),
                resource: label.charged,
                class: group.name.to_owned(),
                unit: DelayUnit::Us.symbol().to_owned(),
                estimate: mean.map(|mean| mean.in_units_of(DelayUnit::Us.picoseconds())),
                share: if life == 0 { 0.0 } else { in_stage(stage) as f64 / life as f64 },
            });
        }
    }

    fn add_rates(&self, now: Time, metrics: &mut Vec<Metric>) {
        let mut add = |name: &str, class: &str, sum: &dyn Fn(&Sums) -> f64, n: u64| {
            let rate = self.observed.mean(&self.batches_of_time(now, sum), ALL_OF_TIME, n);
            let rate = rate.map(|rate| rate.in_units_of(self.rate.scale()));
            metrics.push(Metric::new(name, class, ("rate", self.rate.symbol()), rate).over_window());
        };
        let by_message = self.rate == RateUnit::MessagesPerS;
        for group in self.groups() {
            let column = if by_message { MESSAGES } else { BITS };
            let delivered = |sums: &Sums| sums.over(self.columns, &group.classes, column) as f64;
            add("throughput", group.name, &delivered, self.messages_of(now, &group.classes));
        }
        let offered = |sums: &Sums| {
            if by_message { sums.offered_messages() as f64 } else { sums.offered_bits() as f64 }
        };
        let n: u128 = self.sums.iter(now).map(|(sums, _)| sums.offered_messages()).sum();
        add("offered", EVERY_CLASS, &offered, n as u64);
    }

    /// Adds a note that names the starving classes: nothing of them arrives while messages of others do.
    fn note_on_starving_classes(&self, now: Time, report: &mut Report) {
        let all: u64 = self.measured();
        if all < FEWEST_BESIDE {
            return;
        }
        let delivered = self.groups().into_iter().skip(1).map(|group| self.messages_of(now, &group.classes));
        for (name, _) in self.classes.iter().zip(delivered).filter(|(_, messages)| *messages == 0) {
            report.notes.push(format!(
                "Nothing of class {name} was delivered in the measured window, but {} of other classes. If the \
                 class offered any, it starves.",
                amount(all, "message", "messages")
            ));
        }
    }

    fn note_on_intervals(&self, now: Time, report: &mut Report) {
        if self.observed == Observed::Whole {
            return report.notes.push(NOTE_ON_A_WHOLE_JOB.to_owned());
        }
        let (note, doubt) = match self.mean_latency(now) {
            None => ("Too few messages were delivered for confidence intervals.".to_owned(), Doubt::TooFew),
            Some(mean) if !mean.independent => {
                let note = format!(
                    "The run is too short: delays in successive batches are correlated ({:.2}), so the intervals \
                     of delays are too narrow.",
                    mean.lag_one
                );
                (note, Doubt::Correlated)
            }
            Some(_) => return,
        };
        report.notes.push(note);
        report.doubts.push(doubt);
    }

    /// The mean latency, the throughput and the backlog in each batch of time.
    fn over_time(&self, now: Time) -> Vec<SeriesPoint> {
        let all: Vec<usize> = (0..self.classes.len()).collect();
        let by_message = self.rate == RateUnit::MessagesPerS;
        let latency_name = format!("{} ({})", self.latency.name, self.latency.unit.symbol());
        let rate_name = format!("throughput ({})", self.rate.symbol());
        let mut points = Vec::new();
        let mut ends = self.sums.start();
        let mut backlog = self.backlog_before;
        for (sums, span) in self.sums.iter(now).filter(|(_, span)| span.ps() > 0) {
            ends += span;
            let mut add = |series: &str, value: f64| {
                points.push(SeriesPoint { time_s: ends.as_seconds(), series: series.to_owned(), value });
            };
            let messages = sums.over(self.columns, &all, MESSAGES);
            if messages > 0 {
                let latency = sums.over(self.columns, &all, LATENCY) as f64 / messages as f64;
                add(&latency_name, latency / self.latency.unit.picoseconds());
            }
            let carried = if by_message { messages } else { sums.over(self.columns, &all, BITS) };
            add(&rate_name, carried as f64 * PS_PER_S / span.ps() as f64 / self.rate.scale());
            backlog = self.backlog_after(backlog, sums);
            add("backlog (messages)", backlog as f64);
        }
        points
    }

    /// The messages under way after a batch of time, from those before it.
    fn backlog_after(&self, before: u64, sums: &Sums) -> u64 {
        let all: Vec<usize> = (0..self.classes.len()).collect();
        let delivered = sums.over(self.columns, &all, MESSAGES);
        before + sums.offered_messages() as u64 - delivered as u64 - sums.given_up() as u64
    }

    /// The messages under way in the window: each batch of time has half those before it and half those after it.
    fn under_way(&self, now: Time) -> Option<UnderWay> {
        let (mut before, mut twice, mut window_ps) = (self.backlog_before, 0_u128, 0_u128);
        for (sums, span) in self.sums.iter(now).filter(|(_, span)| span.ps() > 0) {
            let after = self.backlog_after(before, sums);
            let span_ps = u128::from(span.ps());
            twice += u128::from(before + after) * span_ps;
            window_ps += span_ps;
            before = after;
        }
        (window_ps > 0).then(|| UnderWay { mean: twice as f64 / window_ps as f64 / 2.0, end: before })
    }
}

/// One note for all quantiles without an upper bound.
fn note_on_bounds(report: &mut Report) {
    let without: Vec<&str> = report
        .doubts
        .iter()
        .filter_map(|doubt| match doubt {
            Doubt::NoUpperBound { metric } => Some(metric.as_str()),
            _ => None,
        })
        .collect();
    if !without.is_empty() {
        report.notes.push(format!("No upper bound of {}: too few messages.", without.join(", ")));
    }
}
