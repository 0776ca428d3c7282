//! The evidence that an operator asks for: since when, how much of the time, which messages wait most, and what was
//! counted.

use hopscope_measure::{EVERY_CLASS, Interruption, InterruptionWhy, LedgerRow, Report, StageKind};
use serde::Serialize;

use crate::cause::Cause;
use crate::chain::Chain;
use crate::pressure::pressure_at;
use crate::thresholds::{AFTER_A_RISE, ENOUGH_OF_A_PAIR, POINTS_OF_A_RISE, RISEN, TYPICAL_PAIR};
use crate::verdict::Verdict;

/// At most this many classes, and as many pairs of hosts, are listed as waiting most.
const CLASSES_HURT: usize = 3;
const PAIRS_HURT: usize = 5;

/// At most this many counts are listed.
const COUNTS: usize = 8;

/// The evidence behind a verdict.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Page {
    /// Mean message lifetime over its value without any waiting; nothing where messages only wait.
    pub times_minimum: Option<f64>,
    /// The share of waiting in a message's lifetime, 0 to 1.
    pub waiting: f64,
    /// When it began, seconds of simulated time; nothing if before the measurement.
    pub since_s: Option<f64>,
    /// The share of time in which none of the bottleneck is free, or in which it does not work, 0 to 1.
    pub time_share: Option<f64>,
    /// The classes and pairs of hosts that wait most.
    pub hurt: Vec<Hurt>,
    /// Counts of lost, refused and rejected packets and of interruptions, the largest first.
    pub counts: Vec<Count>,
    /// The number of lost packets that are not sent again.
    pub lost_for_good: u64,
}

/// Messages that wait most.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Hurt {
    /// Their class, or their source and destination.
    pub who: String,
    /// Whether these are the messages of one source and destination.
    pub is_pair: bool,
    /// Mean wait of a message, microseconds; nothing where saturated.
    pub waits_us: Option<f64>,
    /// The same as a share of the message lifetime, 0 to 1.
    pub share: f64,
    /// The same as a multiple of the mean wait of all messages; nothing where saturated.
    pub times_mean: Option<f64>,
}

/// The number of times that something happened.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Count {
    /// The event, in words.
    pub what: String,
    /// The place of the event.
    pub place: String,
    /// The number of events in the measured window.
    pub count: u64,
}

impl Page {
    /// The page of a verdict.
    pub(crate) fn new(report: &Report, chain: &Chain, verdict: &Verdict) -> Self {
        let waiting = waits(report, EVERY_CLASS).map(|row| row.share).sum::<f64>().min(1.0);
        let span = report.measured.span_s.max(f64::MIN_POSITIVE);
        let is_told = |why: InterruptionWhy| match verdict.first.cause {
            Cause::Interruption => true,
            Cause::Loss => why != InterruptionWhy::OtherWork,
            _ => false,
        };
        let of = report
            .evidence
            .interruptions
            .iter()
            .find(|one| is_told(one.why) && one.place.nodes == verdict.first.nodes);
        // Packets lost by a fault are missing for longer than the fault lasts.
        let stood = of.filter(|_| verdict.first.cause == Cause::Interruption).map(|one| one.total_s / span);
        let root = verdict.path(chain).last().map(|&row| pressure_at(report, row)).filter(|_| of.is_none());
        // A queue that grows without bound grows from the beginning: its delay depends on the length of the run alone.
        let settled = wait_us(report, EVERY_CLASS).is_some();
        Self {
            times_minimum: (waiting < 1.0 && settled).then(|| 1.0 / (1.0 - waiting)),
            waiting,
            since_s: of
                .map(|one| one.first_s)
                .filter(|&first| first > 0.0)
                .or_else(|| risen_at(report).filter(|&at| settled && may_begin(report, at, root))),
            time_share: stood.map(|share| share.min(1.0)).or(root).filter(|share| *share > 0.0),
            hurt: hurt(report),
            counts: counts(report, verdict),
            lost_for_good: lost_for_good(report),
        }
    }
}

/// Whether a state that lasts for this share of the measured time may have begun at an instant: a state that lasts
/// longer than the time since then began earlier.
fn may_begin(report: &Report, at_s: f64, share: Option<f64>) -> bool {
    let end_s = report.series.last().map_or(at_s, |point| point.time_s);
    share.is_none_or(|share| share * report.measured.span_s <= end_s - at_s)
}

/// When the mean latency rose permanently: to at least twice its earlier mean, without falling below that again. A rise
/// that falls again is chance. The last point covers only a part of an interval and does not count.
fn risen_at(report: &Report) -> Option<f64> {
    let name = report.series.first().map(|point| point.series.as_str())?;
    let points: Vec<_> = report.series.iter().filter(|point| point.series == name).collect();
    let (_, points) = points.split_last()?;
    let has_risen = |&at: &usize| {
        let before = points[..at].iter().map(|point| point.value).sum::<f64>() / at as f64;
        points[at..].iter().all(|point| point.value >= RISEN * before)
    };
    let after = POINTS_OF_A_RISE.max((AFTER_A_RISE * points.len() as f64) as usize);
    let at = (POINTS_OF_A_RISE..=points.len().checked_sub(after)?).find(has_risen)?;
    Some(points[at - 1].time_s)
}

/// The classes with the longest mean waits, then the pairs of hosts with the longest, each in order.
fn hurt(report: &Report) -> Vec<Hurt> {
    let mut found = classes_hurt(report);
    found.extend(pairs_hurt(report));
    found
}

/// The waiting stages of a class in the ledger.
fn waits<'a>(report: &'a Report, class: &'a str) -> impl Iterator<Item = &'a LedgerRow> {
    report.ledger.iter().filter(move |row| row.class == class && row.kind == StageKind::Wait)
}

/// Mean wait of a message of a class, microseconds; nothing where saturated.
fn wait_us(report: &Report, class: &str) -> Option<f64> {
    waits(report, class).map(|row| row.estimate.map(|estimate| estimate.value)).sum()
}

fn classes_hurt(report: &Report) -> Vec<Hurt> {
    let mut classes: Vec<&str> = report.ledger.iter().map(|row| row.class.as_str()).collect();
    classes.dedup();
    let several = classes.len() > 1;
    let all_us = wait_us(report, EVERY_CLASS);
    let of_class = |class: &&str| {
        let (waits_us, share) = (wait_us(report, class), waits(report, class).map(|row| row.share).sum());
        let times_mean = times(waits_us, all_us);
        Hurt { who: (*class).to_owned(), is_pair: false, waits_us, share, times_mean }
    };
    let mut found: Vec<Hurt> =
        classes.iter().filter(|class| !several || **class != EVERY_CLASS).map(of_class).collect();
    rank(&mut found);
    found.truncate(CLASSES_HURT);
    found
}

fn pairs_hurt(report: &Report) -> Vec<Hurt> {
    let pairs = &report.evidence.pairs;
    let messages: u64 = pairs.iter().map(|pair| pair.messages).sum();
    let all_us = pairs.iter().map(|pair| pair.wait_us * pair.messages as f64).sum::<f64>() / messages as f64;
    let least = TYPICAL_PAIR * messages as f64 / pairs.len() as f64;
    let settled = wait_us(report, EVERY_CLASS).is_some();
    let is_enough = |count: u64| report.evidence.always_sends && count >= ENOUGH_OF_A_PAIR;
    let mut found: Vec<Hurt> = pairs
        .iter()
        .filter(|pair| (pair.messages as f64 >= least || is_enough(pair.messages)) && pairs.len() > 1)
        .map(|pair| Hurt {
            who: pair.who.clone(),
            is_pair: true,
            waits_us: settled.then_some(pair.wait_us),
            share: if pair.life_us > 0.0 { pair.wait_us / pair.life_us } else { 0.0 },
            times_mean: times(Some(pair.wait_us), Some(all_us)).filter(|_| settled),
        })
        .collect();
    rank(&mut found);
    found.truncate(PAIRS_HURT);
    found
}

/// A mean wait as a multiple of that of all messages.
fn times(waits_us: Option<f64>, all_us: Option<f64>) -> Option<f64> {
    waits_us.zip(all_us).filter(|&(_, all)| all > 0.0).map(|(own, all)| own / all)
}

/// Sorts by mean wait, the longest first.
fn rank(hurt: &mut [Hurt]) {
    let key = |hurt: &Hurt| hurt.waits_us.unwrap_or(hurt.share);
    hurt.sort_by(|a, b| key(b).total_cmp(&key(a)).then_with(|| a.who.cmp(&b.who)));
}

/// The number of lost packets that are not sent again.
pub(crate) fn lost_for_good(report: &Report) -> u64 {
    let evidence = &report.evidence;
    let losses = evidence.losses.iter().filter(|loss| !evidence.sends_again && loss.why.is_for_good());
    losses.map(|loss| loss.count).sum()
}

/// The unit of what is lost, of one and of several: frames where the model has frames, else packets.
pub(crate) fn units_of_loss(report: &Report) -> [&'static str; 2] {
    if report.evidence.frame_bits > 0.0 { ["frame", "frames"] } else { ["packet", "packets"] }
}

/// Counts of losses, refusals and interruptions. Every processor does other work all the time: that is listed only
/// where it is the cause, for the processor that is named.
fn counts(report: &Report, verdict: &Verdict) -> Vec<Count> {
    let losses = report.evidence.losses.iter();
    let [one, many] = units_of_loss(report);
    let lost = losses.map(|loss| {
        let unit = if loss.count == 1 { one } else { many };
        (format!("{unit} {}", loss.why.word()), loss.place.words.clone(), loss.count)
    });
    let is_told = |one: &&Interruption| {
        let is_named = verdict.first.cause == Cause::Interruption
            && verdict.first.resource.as_deref() == Some(one.place.words.as_str());
        one.why != InterruptionWhy::OtherWork || is_named
    };
    let interruptions = report.evidence.interruptions.iter().filter(is_told);
    let stopped = interruptions.map(|one| {
        let what = if one.count == 1 { "interruption" } else { "interruptions" };
        (what.to_owned(), one.place.words.clone(), one.count)
    });
    let given_up = report.evidence.given_up.iter().map(|given_up| {
        let what = if given_up.count == 1 { "message given up" } else { "messages given up" };
        (what.to_owned(), "their senders".to_owned(), given_up.count)
    });
    let mut found: Vec<Count> = stopped
        .chain(lost)
        .chain(given_up)
        .map(|(what, place, count)| Count { what, place, count })
        .collect();
    found.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.place.cmp(&b.place)));
    found.truncate(COUNTS);
    found
}
