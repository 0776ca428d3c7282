//! What an operator asks after the sentence: since when, how much of the time, who is hurt, and what was counted.

use hopscope_measure::{Report, StageKind};
use serde::Serialize;

use crate::chain::Chain;
use crate::pressure::pressure;
use crate::verdict::Verdict;

/// Classes and pairs listed as hurt.
const HURT: usize = 5;

/// Counts listed.
const COUNTS: usize = 8;

/// Latency has risen where it is this many times what it was at its lowest.
const RISEN: f64 = 2.0;

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
}

/// Messages that wait.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Hurt {
    /// Their class, or from where to where they go.
    pub who: String,
    /// How long each waits on average, microseconds; nothing where that is no number.
    pub waits_us: Option<f64>,
    /// The share of its lifetime, 0 to 1; nothing where only the delay is known.
    pub share: Option<f64>,
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
        let waits = report.ledger.iter().filter(|row| row.class == "all" && row.kind == StageKind::Wait);
        let waiting = waits.map(|row| row.share).sum::<f64>().min(1.0);
        let span = report.measured.span_s.max(f64::MIN_POSITIVE);
        let interruptions = || report.evidence.interruptions.iter();
        let of = interruptions().find(|one| one.place.nodes == verdict.first.nodes);
        let root = verdict.path(chain).last().map(|&row| pressure(&report.resources[row]));
        Self {
            times_minimum: (waiting < 1.0).then(|| 1.0 / (1.0 - waiting)),
            waiting,
            since_s: of.map(|one| one.first_s).or_else(|| risen_at(report)),
            time_share: of.map(|one| (one.total_s / span).min(1.0)).or(root),
            hurt: hurt(report),
            counts: counts(report),
        }
    }
}

/// When the mean latency first rose to twice its lowest, where it was low before.
fn risen_at(report: &Report) -> Option<f64> {
    let name = report.series.first().map(|point| point.series.as_str())?;
    let points: Vec<_> = report.series.iter().filter(|point| point.series == name).collect();
    let lowest = points.iter().map(|point| point.value).fold(f64::INFINITY, f64::min);
    let at = points.iter().position(|point| point.value >= RISEN * lowest)?;
    at.checked_sub(1).map(|before| points[before].time_s)
}

/// The classes that wait most, and the pairs with the longest delays where the model tells of pairs.
fn hurt(report: &Report) -> Vec<Hurt> {
    let mut classes: Vec<&str> = report.ledger.iter().map(|row| row.class.as_str()).collect();
    classes.dedup();
    let several = classes.len() > 1;
    let of_class = |class: &&str| {
        let rows = || report.ledger.iter().filter(|row| row.class == *class && row.kind == StageKind::Wait);
        let waits_us: Option<f64> = rows().map(|row| row.estimate.map(|estimate| estimate.value)).sum();
        Hurt { who: (*class).to_owned(), waits_us, share: Some(rows().map(|row| row.share).sum()) }
    };
    let mut found: Vec<Hurt> =
        classes.iter().filter(|class| !several || **class != "all").map(of_class).collect();
    let by_wait = |a: &Hurt, b: &Hurt| {
        let key = |hurt: &Hurt| hurt.waits_us.or(hurt.share).unwrap_or(0.0);
        key(b).total_cmp(&key(a)).then_with(|| a.who.cmp(&b.who))
    };
    found.sort_by(by_wait);
    let mut pairs: Vec<Hurt> = report
        .pairs
        .iter()
        .map(|pair| Hurt {
            who: format!("{} -> {}", pair.from, pair.to),
            waits_us: Some(pair.delay_ms.value * 1e3),
            share: None,
        })
        .collect();
    pairs.sort_by(by_wait);
    found.extend(pairs);
    found.truncate(HURT);
    found
}

fn counts(report: &Report) -> Vec<Count> {
    let losses = report.evidence.losses.iter();
    let lost = losses.map(|loss| (loss.why.word(), loss.place.words.clone(), loss.count));
    let interruptions = report.evidence.interruptions.iter();
    let stopped = interruptions.map(|one| ("interruptions", one.place.words.clone(), one.count));
    let mut found: Vec<Count> =
        stopped.chain(lost).map(|(what, place, count)| Count { what, place, count }).collect();
    found.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.place.cmp(&b.place)));
    found.truncate(COUNTS);
    found
}
