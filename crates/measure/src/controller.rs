//! When a warm-up is over, and when a run ends.

use hopscope_units::{Span, Time, amount};

use crate::saturation::BacklogTrend;
use crate::{Doubt, EndedBy, MessageMonitor, Outcome, Report, Stuck, WarmupReport};

/// How the start of a run is cut off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Warmup {
    /// By the MSER-5 rule, see [`RunController`].
    Auto,
    /// After this much simulated time.
    Fixed(Span),
    /// Not at all.
    None,
}

/// How long to run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RunPlan {
    /// Stop after this many messages delivered in the measured window.
    pub max_messages: u64,
    /// Do not stop for precision before this many.
    pub min_messages: u64,
    /// Stop when half of the 95 % interval of the mean latency is at most this share of the mean.
    pub precision: Option<f64>,
    /// How the start is cut off.
    pub warmup: Warmup,
}

impl RunPlan {
    /// This many messages after an automatic warm-up; no precision asked for.
    #[must_use]
    pub const fn messages(max_messages: u64) -> Self {
        Self { max_messages, min_messages: max_messages, precision: None, warmup: Warmup::Auto }
    }
}

/// Why a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// As many messages as asked for have been measured.
    Messages,
    /// The mean latency is known as precisely as asked for.
    Precision,
    /// The network is saturated, and going on would only lengthen its queues.
    Saturation,
    /// No event is left: everything offered has been delivered.
    Drained,
    /// Messages wait for each other in a cycle.
    Deadlock(Stuck),
    /// Nearly every message is lost, so that those to be measured would never come together.
    Losses,
    /// Simulated time is nearly used up: a clock of 64 bits counts 213 days of picoseconds.
    Clock,
    /// Stopped from outside.
    Interrupted,
}

impl Ending {
    /// The reason without its details.
    const fn by(&self) -> EndedBy {
        match self {
            Self::Messages => EndedBy::Messages,
            Self::Precision => EndedBy::Precision,
            Self::Saturation => EndedBy::Saturation,
            Self::Drained => EndedBy::Drained,
            Self::Deadlock(_) => EndedBy::Deadlock,
            Self::Losses => EndedBy::Losses,
            Self::Clock => EndedBy::Clock,
            Self::Interrupted => EndedBy::Interruption,
        }
    }
}

/// What to do after a pulse.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// Go on.
    Continue,
    /// The warm-up is over: restart the model's measurement, then go on.
    RestartMeasurement,
    /// Enough.
    Stop(Ending),
}

/// The first check of an automatic warm-up and of the precision comes after this many messages, or an eighth of the
/// run.
const FIRST_CHECK: u64 = 1_000;

/// Checks in a row at which the latency must have settled.
const AGREEING_CHECKS: u32 = 2;

/// A backlog of at most this many messages does not end a run, however short.
const LEAST_BACKLOG_LIMIT: u64 = 100_000;

/// A backlog of more messages than this ends a run, however long, to save memory.
const GREATEST_BACKLOG_LIMIT: u64 = 2_000_000;

/// A run ends if it loses this many times as many messages as it is to measure.
const LOST_FOR_ONE: u64 = 20;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    WarmUp,
    Measuring,
}

/// Decides when the warm-up is over and when to stop.
///
/// It is asked at pulses, which come every fixed number of events and never by a wall clock, so that a run ends at the
/// same event on every machine.
///
/// The automatic warm-up is checked after 1000 messages (or an eighth of the longest run, if that is less) and then
/// each time the number has doubled. It is over when at two checks in a row the MSER-5 rule cuts the latency in the
/// first half of the series: everything so far is then forgotten and the measurement begins, so that all counters and
/// pools cover one and the same window. When half of the longest run has gone by without that, or when the backlog
/// grows as a saturated network's does ([`BacklogTrend`](crate::BacklogTrend)), the measurement begins all the same
/// and the outcome is at best "unsettled". A finite workload that fits the run has no transient, and is measured from
/// its first message on.
///
/// The precision is checked each time the measured messages have grown by a quarter: checks at every pulse would stop
/// the run at the first interval that happens to be narrow. It counts only while the batches behind the interval are
/// uncorrelated and the network is not saturated. A saturated run ends when its throughput is as precise as was asked
/// for the latency, or when its backlog exceeds the length of the run.
#[derive(Clone, Debug)]
pub struct RunController {
    plan: RunPlan,
    phase: Phase,
    next_check: u64,
    agreed: u32,
    trend: BacklogTrend,
    warmup: WarmupReport,
    unsettled: bool,
    /// The estimated share of the messages needed for the requested precision.
    reached: f64,
    /// The messages of a finite workload.
    workload: Option<u64>,
}

impl RunController {
    /// A controller for one run whose sources go on without end. Panics where the plan asks for no message or a
    /// precision that is not positive.
    #[must_use]
    pub fn new(plan: RunPlan) -> Self {
        Self::of_workload(plan, None)
    }

    /// A controller for one run of a workload with this many messages, or without end. A finite workload that the run
    /// has room for is measured whole: it has no steady state, so nothing at its start is a transient.
    #[must_use]
    pub fn of_workload(plan: RunPlan, workload: Option<u64>) -> Self {
        assert!(plan.max_messages > 0, "a run of no message measures nothing");
        assert!(plan.precision.is_none_or(|precision| precision > 0.0), "a precision is positive");
        let mut controller = Self {
            plan,
            phase: Phase::WarmUp,
            next_check: FIRST_CHECK.min(plan.max_messages / 8).max(1),
            agreed: 0,
            trend: BacklogTrend::default(),
            warmup: WarmupReport::default(),
            unsettled: false,
            reached: 0.0,
            workload,
        };
        let is_whole =
            workload.is_some_and(|messages| messages <= plan.max_messages) && plan.precision.is_none();
        match plan.warmup {
            Warmup::None => controller.measure(Time::ZERO, 0, "none, as configured"),
            Warmup::Auto if is_whole => {
                controller.measure(Time::ZERO, 0, "none: the whole of a finite workload is measured");
            }
            Warmup::Auto | Warmup::Fixed(_) => {}
        }
        controller
    }

    /// Decides what to do at this pulse.
    pub fn pulse(&mut self, now: Time, monitor: &MessageMonitor) -> Step {
        if monitor.backlog() > self.plan.max_messages.clamp(LEAST_BACKLOG_LIMIT, GREATEST_BACKLOG_LIMIT)
            && (self.phase == Phase::WarmUp || monitor.saturated(now))
        {
            return Step::Stop(Ending::Saturation);
        }
        if monitor.given_up_in_all() / LOST_FOR_ONE > self.plan.max_messages {
            return Step::Stop(Ending::Losses);
        }
        // There is still room for the events of one more pulse.
        if now > Time::HORIZON {
            return Step::Stop(Ending::Clock);
        }
        match self.phase {
            Phase::WarmUp => self.warm_up(now, monitor),
            Phase::Measuring => self.measured(now, monitor),
        }
    }

    fn warm_up(&mut self, now: Time, monitor: &MessageMonitor) -> Step {
        let delivered = monitor.delivered_in_all();
        if let Warmup::Fixed(span) = self.plan.warmup {
            return if now.since(Time::ZERO) < span {
                Step::Continue
            } else {
                self.measure(now, delivered, &format!("fixed at {span}"));
                Step::RestartMeasurement
            };
        }
        if delivered < self.next_check {
            return Step::Continue;
        }
        let crossed = monitor.is_crossed(now);
        let settled = monitor.settling().is_some_and(|cut| cut.settled) && crossed;
        self.agreed = if settled { self.agreed + 1 } else { 0 };
        let hopeless = self.trend.check(monitor.born_in_all(), monitor.backlog()) && crossed;
        let longest = (self.plan.max_messages / 2).max(1);
        let rule = if hopeless {
            "MSER-5 found no end: the backlog kept growing"
        } else if self.agreed >= AGREEING_CHECKS {
            "MSER-5"
        } else if delivered >= longest {
            "MSER-5 found no end within half of the run"
        } else {
            self.next_check = (delivered * 2).min(longest);
            return Step::Continue;
        };
        self.unsettled = hopeless || self.agreed < AGREEING_CHECKS;
        self.measure(now, delivered, rule);
        Step::RestartMeasurement
    }

    fn measure(&mut self, now: Time, messages: u64, rule: &str) {
        self.phase = Phase::Measuring;
        self.warmup = WarmupReport { rule: rule.to_owned(), until_s: now.as_seconds(), messages };
        self.next_check = FIRST_CHECK.min(self.plan.max_messages / 8).max(self.plan.min_messages).max(1);
    }

    fn measured(&mut self, now: Time, monitor: &MessageMonitor) -> Step {
        let messages = monitor.measured();
        if messages >= self.plan.max_messages {
            return Step::Stop(Ending::Messages);
        }
        let Some(precision) = self.plan.precision else { return Step::Continue };
        if messages < self.next_check {
            return Step::Continue;
        }
        self.next_check = messages + messages.div_ceil(4);
        let saturated = monitor.saturated(now);
        let mean = if saturated { monitor.delivery_rate(now) } else { monitor.mean_latency(now) };
        let Some(mean) = mean else { return Step::Continue };
        let half_width = mean.relative_half_width();
        // The half width shrinks with the square root of the number of messages.
        self.reached = self.reached.max((precision / half_width).powi(2));
        if half_width > precision || !mean.independent {
            return Step::Continue;
        }
        Step::Stop(if saturated { Ending::Saturation } else { Ending::Precision })
    }

    /// The progress of the run, 0 to 1, without the warm-up; an estimate if a precision is asked for.
    #[must_use]
    pub fn fraction(&self, monitor: &MessageMonitor) -> f64 {
        let share = monitor.measured() as f64 / self.plan.max_messages as f64;
        if self.measuring() { share.max(self.reached).min(1.0) } else { 0.0 }
    }

    /// Whether the measured window has begun.
    #[must_use]
    pub fn measuring(&self) -> bool {
        self.phase == Phase::Measuring
    }

    /// Completes the model's report with the outcome, the reason of the end and the warm-up.
    #[must_use]
    pub fn conclude(&self, ending: &Ending, mut report: Report) -> Report {
        report.ended_because = self.reason(ending, &report);
        report.ended_by = ending.by();
        report.warmup = self.warmup.clone();
        if !self.measuring() {
            "the run ended during the warm-up".clone_into(&mut report.warmup.rule);
        }
        match ending {
            Ending::Saturation => report.saturate(),
            Ending::Deadlock(stuck) => report.lock(stuck.clone()),
            Ending::Messages
            | Ending::Precision
            | Ending::Drained
            | Ending::Losses
            | Ending::Clock
            | Ending::Interrupted => {}
        }
        let is_whole = self.workload.is_some() && *ending == Ending::Drained && !self.measuring();
        if report.outcome == Outcome::Complete && (self.unsettled || !self.measuring()) && !is_whole {
            report.outcome = Outcome::Unsettled;
            report.notes.push(match self.plan.warmup {
                Warmup::Fixed(span) if !self.measuring() => {
                    format!("The run ended within its warm-up of {span}: these figures are those of the warm-up.")
                }
                _ => {
                    "The start-up transient had not ended when the measurement began, so the means may be biased."
                        .to_owned()
                }
            });
            report.doubts.push(Doubt::Transient);
        }
        if *ending == Ending::Interrupted {
            report.outcome = Outcome::Interrupted;
        }
        report
    }

    fn reason(&self, ending: &Ending, report: &Report) -> String {
        let messages = report.measured.messages;
        match ending {
            Ending::Messages => {
                let measured = amount(messages, "message", "messages");
                format!("{measured} measured, {} requested", self.plan.max_messages)
            }
            Ending::Precision => format!(
                "mean delay within {} % after {}",
                self.plan.precision.unwrap_or(0.0) * 100.0,
                amount(messages, "message", "messages")
            ),
            Ending::Saturation => {
                "the offered load exceeds the capacity, so queues grow without bound".to_owned()
            }
            Ending::Drained => drained(report).to_owned(),
            Ending::Deadlock(stuck) => stuck.reason.clone(),
            Ending::Losses => format!(
                "more than {LOST_FOR_ONE} times as many messages were lost as were to be measured ({messages} of {} measured)",
                self.plan.max_messages
            ),
            Ending::Clock => "106 days of simulated time have passed, half the range of the clock".to_owned(),
            Ending::Interrupted => "stopped on request".to_owned(),
        }
    }
}

/// Why no event is left in a network without deadlock, in the model's words for the end of its work.
fn drained(report: &Report) -> &'static str {
    match report.metric("unfinished flows.count").and_then(|metric| metric.estimate) {
        Some(unfinished) if unfinished.value > 0.0 => {
            "no flow has anything left to send, and some did not finish"
        }
        Some(_) => "all flows finished",
        None => "the traffic has ended, and every message has arrived or was lost",
    }
}
