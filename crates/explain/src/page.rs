//! What an operator asks after the sentence: since when, how much of the time, who is hurt, and what was counted.

use hopscope_measure::{EVERY_CLASS, Interruption, InterruptionWhy, LedgerRow, Report, StageKind};
use serde::Serialize;

use crate::cause::Cause;
use crate::chain::Chain;
use crate::pressure::pressure_at;
use crate::verdict::Verdict;

/// Classes listed as hurt, and pairs.
const CLASSES_HURT: usize = 3;
const PAIRS_HURT: usize = 5;

/// Pairs with fewer than this share of the messages of a pair on average are left out: their mean is chance.
const LEAST_OF_MEAN: f64 = 0.2;

/// With so many messages of a pair its mean is not chance, however many others have: a sender that always has another
/// message sends fewest where it waits longest.
const ENOUGH_OF_A_PAIR: u64 = 100;

/// Counts listed.
const COUNTS: usize = 8;

/// Latency has risen where it stays at this many times what it was on average before.
const RISEN: f64 = 2.0;

/// So many points of a series at least stand before a rise, and after it: fewer are chance.
const POINTS: usize = 3;

/// And of all points this share after it: near full load a queue is long for a tenth of a run by chance.
const AFTER: f64 = 0.2;

/// The evidence behind a verdict.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Page {
    /// Message lifetime over what it would be without any waiting; nothing where messages only wait.
    pub times_minimum: Option<f64>,
    /// The share of a message's lifetime that it waits, 0 to 1.
    pub waiting: f64,
    /// When it began, seconds of simulated time; nothing where it is so from the beginning of the measurement.
    pub since_s: Option<f64>,
    /// How much of the time: how long what is short has nothing to spare, or did not work, 0 to 1.
    pub time_share: Option<f64>,
    /// Who waits most, by name.
    pub hurt: Vec<Hurt>,
    /// Packets lost, refused and rejected, and interruptions, the most first.
    pub counts: Vec<Count>,
    /// Packets lost that nobody sends again.
    pub lost_for_good: u64,
}

/// Messages that wait.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Hurt {
    /// Their class, or from where to where they go.
    pub who: String,
    /// How long each waits on average, microseconds; nothing where that is no number.
    pub waits_us: Option<f64>,
    /// The share of its lifetime, 0 to 1.
    pub share: f64,
    /// How many times as long as all messages wait on average; nothing where that is no number.
    pub times_mean: Option<f64>,
}

/// How often something happened.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Count {
    /// What.
    pub what: &'static str,
    /// Where.
    pub place: String,
    /// How often in the measured window.
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
        // What is lost by a fault is lost for longer than the network stops.
        let stood = of.filter(|_| verdict.first.cause == Cause::Interruption).map(|one| one.total_s / span);
        let root = verdict.path(chain).last().map(|&row| pressure_at(report, row)).filter(|_| of.is_none());
        // A queue that grows without bound grows from the beginning, and delays only tell how long the run was.
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

/// Whether what has nothing to spare for such a share of the measured time may have begun at an instant: what is so for
/// longer than the time since then was so before.
fn may_begin(report: &Report, at_s: f64, share: Option<f64>) -> bool {
    let end_s = report.series.last().map_or(at_s, |point| point.time_s);
    share.is_none_or(|share| share * report.measured.span_s <= end_s - at_s)
}

/// When the mean latency rose for good: to twice what it was before, below which it never fell again. What rises and
/// falls is chance. The last point is of a part of an interval, and does not count.
fn risen_at(report: &Report) -> Option<f64> {
    let name = report.series.first().map(|point| point.series.as_str())?;
    let points: Vec<_> = report.series.iter().filter(|point| point.series == name).collect();
    let (_, points) = points.split_last()?;
    let has_risen = |&at: &usize| {
        let before = points[..at].iter().map(|point| point.value).sum::<f64>() / at as f64;
        points[at..].iter().all(|point| point.value >= RISEN * before)
    };
    let after = POINTS.max((AFTER * points.len() as f64) as usize);
    let at = (POINTS..=points.len().checked_sub(after)?).find(has_risen)?;
    Some(points[at - 1].time_s)
}

/// The classes that wait most, and the pairs of hosts whose messages do, each in order.
fn hurt(report: &Report) -> Vec<Hurt> {
    let mut found = classes_hurt(report);
    found.extend(pairs_hurt(report));
    found
}

/// The waits of a class in the ledger.
fn waits<'a>(report: &'a Report, class: &'a str) -> impl Iterator<Item = &'a LedgerRow> {
    report.ledger.iter().filter(move |row| row.class == class && row.kind == StageKind::Wait)
}

/// How long a message of a class waits on average, microseconds; nothing where that is no number.
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
        Hurt { who: (*class).to_owned(), waits_us, share, times_mean: times(waits_us, all_us) }
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
    let least = LEAST_OF_MEAN * messages as f64 / pairs.len() as f64;
    let settled = wait_us(report, EVERY_CLASS).is_some();
    let is_enough = |count: u64| report.evidence.always_sends && count >= ENOUGH_OF_A_PAIR;
    let mut found: Vec<Hurt> = pairs
        .iter()
        .filter(|pair| (pair.messages as f64 >= least || is_enough(pair.messages)) && pairs.len() > 1)
        .map(|pair| Hurt {
            who: pair.who.clone(),
            waits_us: settled.then_some(pair.wait_us),
            share: if pair.life_us > 0.0 { pair.wait_us / pair.life_us } else { 0.0 },
            times_mean: times(Some(pair.wait_us), Some(all_us)).filter(|_| settled),
        })
        .collect();
    rank(&mut found);
    found.truncate(PAIRS_HURT);
    found
}

/// How many times the mean wait of all it is.
fn times(waits_us: Option<f64>, all_us: Option<f64>) -> Option<f64> {
    waits_us.zip(all_us).filter(|&(_, all)| all > 0.0).map(|(own, all)| own / all)
}

/// The longest waits first.
fn rank(hurt: &mut [Hurt]) {
    let key = |hurt: &Hurt| hurt.waits_us.unwrap_or(hurt.share);
    hurt.sort_by(|a, b| key(b).total_cmp(&key(a)).then_with(|| a.who.cmp(&b.who)));
}

/// Packets that are lost and that nobody sends again.
pub(crate) fn lost_for_good(report: &Report) -> u64 {
    let evidence = &report.evidence;
    let losses = evidence.losses.iter().filter(|loss| !evidence.sends_again && loss.why.is_for_good());
    losses.map(|loss| loss.count).sum()
}

/// What was lost, refused and interrupted. Every processor does other work all the time: that is told only where it is
/// the cause, of the processor that is named.
fn counts(report: &Report, verdict: &Verdict) -> Vec<Count> {
    let losses = report.evidence.losses.iter();
    let lost = losses.map(|loss| (loss.why.word(), loss.place.words.clone(), loss.count));
    let is_told = |one: &&Interruption| {
        let is_named = verdict.first.cause == Cause::Interruption
            && verdict.first.resource.as_deref() == Some(one.place.words.as_str());
        one.why != InterruptionWhy::OtherWork || is_named
    };
    let interruptions = report.evidence.interruptions.iter().filter(is_told);
    let stopped = interruptions.map(|one| {
        let what = if one.count == 1 { "interruption" } else { "interruptions" };
        (what, one.place.words.clone(), one.count)
    });
    let given_up = report.evidence.given_up.iter().map(|given_up| {
        let what = if given_up.count == 1 { "message given up" } else { "messages given up" };
        (what, "their senders".to_owned(), given_up.count)
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
