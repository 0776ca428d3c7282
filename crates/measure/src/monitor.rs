//! The statistics of all messages of a run.

mod distributions;
mod layout;
mod statement;
mod sums;

pub use layout::{DelayLabel, DelayUnit, LessStage, MonitorLayout, RateUnit};

use hopscope_units::{Data, Span, Time};

use crate::histogram::Histogram;
use crate::mser::{Cut, SettlingSeries};
use crate::pair_lives::{PairLives, PairWait};
use crate::time_batches::TimeBatches;
use crate::{Account, EVERY_CLASS, Observed, StageKind, StageLabel};
pub(crate) use distributions::{Distribution, Distributions};
use sums::{BITS, Columns, LATENCY, MESSAGES, STAGES, Sums};

/// Batches of time for sums.
pub(crate) const MOST_BATCHES: usize = 64;

/// Batches of time for distributions, which take far more memory.
pub(crate) const MOST_DISTRIBUTIONS: usize = 16;

/// The statistics of all messages of a run.
///
/// Everything is summed by batches of time, exactly in integers, so that each mean has a confidence interval; and
/// every delay is counted in a histogram, for quantiles. Memory is bounded, whatever the length of the run.
#[derive(Clone, Debug)]
pub struct MessageMonitor {
    stages: &'static [StageLabel],
    classes: Vec<String>,
    latency: DelayLabel,
    life: Option<DelayLabel>,
    less_stage: Option<LessStage>,
    series: Vec<DelayLabel>,
    rate: RateUnit,
    crossing: Span,
    columns: Columns,
    born: u64,
    delivered: u64,
    given_up: u64,
    restarted_at: Time,
    delivered_before: u64,
    backlog_before: u64,
    /// The end of the current batches of both kinds.
    rolls: Time,
    sums: TimeBatches<Sums>,
    distributions: TimeBatches<Distributions>,
    settling: Option<SettlingSeries>,
    pairs: PairLives,
    /// Nothing but the sums is kept.
    only_sums: bool,
    observed: Observed,
}

impl MessageMonitor {
    /// An empty monitor. Panics if the layout has no class or one called "all".
    #[must_use]
    pub fn new(layout: MonitorLayout<'_>) -> Self {
        assert!(!layout.classes.is_empty(), "messages have a class");
        assert!(
            layout.classes.len() == 1 || !layout.classes.contains(&EVERY_CLASS),
            "{EVERY_CLASS:?} is every class together"
        );
        let columns = Columns {
            stages: layout.stages.len(),
            classes: layout.classes.len(),
            series: layout.series.len(),
        };
        let mut monitor = Self {
            stages: layout.stages,
            classes: layout.classes.iter().map(|&class| class.to_owned()).collect(),
            latency: layout.latency,
            life: layout.life,
            less_stage: layout.less_stage,
            series: layout.series.to_vec(),
            rate: layout.rate,
            crossing: layout.crossing,
            columns,
            born: 0,
            delivered: 0,
            given_up: 0,
            restarted_at: Time::ZERO,
            delivered_before: 0,
            backlog_before: 0,
            rolls: Time::ZERO,
            sums: TimeBatches::new(Time::ZERO, MOST_BATCHES, Sums::new(columns)),
            distributions: TimeBatches::new(Time::ZERO, MOST_DISTRIBUTIONS, Distributions(Vec::new())),
            settling: Some(SettlingSeries::new()),
            pairs: PairLives::new(0),
            only_sums: false,
            observed: Observed::Sample,
        };
        monitor.begin(Time::ZERO);
        monitor
    }

    /// The same, with the waits of messages between any two of this many hosts.
    #[must_use]
    pub fn among_hosts(self, hosts: usize) -> Self {
        Self { pairs: PairLives::new(hosts), ..self }
    }

    /// Keeps sums alone from now on, for a run that only counts: no distributions, and nothing by hosts. Sums take a
    /// fraction of the time and memory.
    pub fn keep_only_sums(&mut self) {
        self.only_sums = true;
        self.settling = None;
        self.pairs = PairLives::new(0);
        self.rolls = self.sums.ends();
    }

    /// What the measured window holds of the messages, from which the report follows.
    pub fn has_observed(&mut self, observed: Observed) {
        self.observed = observed;
    }

    #[inline]
    fn advance(&mut self, now: Time) {
        if now >= self.rolls {
            self.roll(now);
        }
    }

    #[cold]
    fn roll(&mut self, now: Time) {
        self.sums.roll(now);
        self.rolls = self.sums.ends();
        if !self.only_sums {
            self.distributions.roll(now);
            self.rolls = self.rolls.min(self.distributions.ends());
        }
    }

    /// A message of this size is offered to the network.
    #[inline]
    pub fn born(&mut self, now: Time, data: Data) {
        self.advance(now);
        self.born += 1;
        self.sums.current().offer(data.bits());
    }

    /// Part of a message has arrived, and counts in the throughput; the message goes on.
    #[inline]
    pub fn arrived(&mut self, now: Time, class: usize, part: Data) {
        self.advance(now);
        self.sums.current().class_mut(self.columns, class)[BITS] += u128::from(part.bits());
    }

    /// A message ends. `latency` is the delay of main interest, which may end before the message does; `data` is what
    /// has not [arrived](Self::arrived) before.
    ///
    /// Panics unless the stages of the account add up to its age, exactly; this holds for every message of every run.
    #[inline]
    pub fn delivered<const N: usize>(
        &mut self,
        now: Time,
        class: usize,
        latency: Span,
        account: &Account<N>,
        data: Data,
    ) {
        let life = now.since(account.born());
        assert!(
            account.total() == life,
            "the stages of a message add up to {:?} of its {life:?}",
            account.total()
        );
        assert!(
            self.columns.stages == N && class < self.columns.classes,
            "stages and classes are as laid out"
        );
        assert!(self.delivered + self.given_up < self.born, "more messages were delivered than born");
        self.advance(now);
        self.delivered += 1;
        let sums = self.sums.current().class_mut(self.columns, class);
        sums[MESSAGES] += 1;
        sums[BITS] += u128::from(data.bits());
        sums[LATENCY] += u128::from(latency.ps());
        for (sum, &spent) in sums[STAGES..].iter_mut().zip(account.spent_ps()) {
            *sum += u128::from(spent);
        }
        if self.only_sums {
            return;
        }
        let less_stage = self.first_less_stage_channel() + class;
        let histograms = &mut self.distributions.current().0;
        histograms[class].record(latency);
        if self.life.is_some() {
            histograms[self.columns.classes + class].record(life);
        }
        if let Some(LessStage { stage, .. }) = self.less_stage {
            let rest = latency.ps().checked_sub(account.spent_ps()[stage]);
            let rest = Span::from_ps(rest.expect("the stage lies within the latency"));
            histograms[less_stage].record(rest);
        }
        if let Some(settling) = &mut self.settling {
            settling.push(latency.ps());
        }
    }

    /// Adds the closed account of a message from one host to another; see [`Self::among_hosts`].
    #[inline]
    pub fn went<const N: usize>(&mut self, from: u32, to: u32, account: &Account<N>) {
        if self.only_sums {
            return;
        }
        let stages = self.stages.iter().zip(account.spent_ps());
        let waits = stages.filter(|(label, _)| label.stage.kind() == StageKind::Wait);
        let waited = waits.map(|(_, &spent)| spent).sum();
        self.pairs.add(from, to, account.total(), Span::from_ps(waited));
    }

    /// Waits of messages, by source and destination host.
    #[must_use]
    pub fn waits_between_hosts(&self) -> Vec<PairWait> {
        self.pairs.waits()
    }

    /// The network gives up a message: nothing else about it is measured.
    pub fn given_up(&mut self, now: Time) {
        assert!(self.delivered + self.given_up < self.born, "more messages are over than were born");
        self.advance(now);
        self.given_up += 1;
        self.sums.current().give_up();
    }

    /// One value of a further delay, by its index in the layout.
    #[inline]
    pub fn sample(&mut self, now: Time, series: usize, value: Span) {
        assert!(series < self.columns.series, "the series is in the layout");
        self.advance(now);
        self.sums.current().sample(series, value.ps());
        if self.only_sums {
            return;
        }
        let channel = self.first_series_channel() + series;
        self.distributions.current().0[channel].record(value);
    }

    fn first_less_stage_channel(&self) -> usize {
        self.columns.classes * (1 + usize::from(self.life.is_some()))
    }

    fn first_series_channel(&self) -> usize {
        self.first_less_stage_channel() + self.columns.classes * usize::from(self.less_stage.is_some())
    }

    /// Begins to measure.
    fn begin(&mut self, now: Time) {
        self.sums = TimeBatches::new(now, MOST_BATCHES, Sums::new(self.columns));
        let empty = Distributions(vec![Histogram::new(); self.first_series_channel() + self.columns.series]);
        self.distributions = TimeBatches::new(now, MOST_DISTRIBUTIONS, empty);
        self.rolls = self.sums.ends().min(self.distributions.ends());
    }

    /// The warm-up is over: drops everything but the number of messages under way.
    pub fn restart(&mut self, now: Time) {
        self.restarted_at = now;
        self.delivered_before = self.delivered;
        self.backlog_before = self.backlog();
        self.settling = None;
        self.pairs.restart();
        self.begin(now);
    }

    /// Messages under way.
    #[inline]
    #[must_use]
    pub const fn backlog(&self) -> u64 {
        self.born - self.delivered - self.given_up
    }

    /// Messages delivered since the restart.
    #[inline]
    #[must_use]
    pub const fn measured(&self) -> u64 {
        self.delivered - self.delivered_before
    }

    /// Messages offered since the start of the run.
    #[must_use]
    pub const fn born_in_all(&self) -> u64 {
        self.born
    }

    /// Messages delivered since the start of the run.
    #[must_use]
    pub const fn delivered_in_all(&self) -> u64 {
        self.delivered
    }

    /// Messages given up since the start of the run.
    #[must_use]
    pub const fn given_up_in_all(&self) -> u64 {
        self.given_up
    }

    /// When the measured window began.
    #[must_use]
    pub const fn measuring_since(&self) -> Time {
        self.restarted_at
    }

    /// No warm-up ends before this time: messages delivered by then do not show all that has happened.
    pub fn settles_not_before(&mut self, since_start: Span) {
        self.crossing = self.crossing.max(since_start);
    }

    /// Whether messages have had the time to cross the network.
    #[must_use]
    pub fn is_crossed(&self, now: Time) -> bool {
        now.since(Time::ZERO) >= self.crossing
    }

    /// The message from which the latencies since the start have settled by the MSER-5 rule; nothing after a restart.
    #[must_use]
    pub fn settling(&self) -> Option<Cut> {
        self.settling.as_ref().map(SettlingSeries::cut)
    }
}
