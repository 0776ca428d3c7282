//! Cases one after the other on all cores, until a limit or a stop.

use std::fs;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use hopscope_engine::embedded::{self, Kind};
use serde_json::{Value as Json, json};

use crate::case::{Case, Drafted};
use crate::failure::Failure;
use crate::shrink::shrunk;
use crate::tally::Tally;
use crate::trial::{Bench, Outcome, written};

/// A trial of a case is given up after this time.
const PATIENCE: Duration = Duration::from_secs(20);

/// A trial that has neither ended nor been given up this long after its time limit does not respond.
const DEAF: Duration = Duration::from_secs(40);

/// The interval of progress reports.
const BETWEEN_PROGRESS: Duration = Duration::from_millis(100);

/// How long a storm is to last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Until {
    /// This number of cases.
    Cases(u64),
    /// This time.
    Elapsed(Duration),
}

/// A storm of cases, each decided by the seed and its number.
#[derive(Clone, Copy, Debug)]
pub struct Storm {
    /// The seed.
    pub seed: u64,
    /// The number of the first case.
    pub first: u64,
    /// How long it lasts.
    pub until: Until,
    /// Threads; every core works where there is no number.
    pub threads: Option<NonZeroUsize>,
}

/// A failure, and the smallest scenario that shows it.
#[derive(Clone, Debug)]
pub struct Found {
    /// The number of the first case that failed so.
    pub case: u64,
    /// What failed.
    pub failure: Failure,
    /// The scenario's text, shrunk.
    pub scenario: String,
    /// How many cases failed so.
    pub times: u64,
}

/// What a storm found.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Every failure that differs from the others.
    pub found: Vec<Found>,
    /// What was tried.
    pub tally: Tally,
    /// Whether it was stopped.
    pub interrupted: bool,
}

/// A case at its end; `shrunk` is its smallest form where it failed.
struct Ended {
    number: u64,
    drafted: Drafted,
    outcome: Outcome,
    shrunk: Option<Json>,
}

/// What the workers share.
struct Board {
    storm: Storm,
    case: Case,
    next: AtomicU64,
    stop: AtomicBool,
    /// What each worker is at, and when its last trial began.
    at: Vec<Mutex<Option<(u64, Instant)>>>,
    /// Failures that have been shrunk already.
    known: Mutex<Vec<Failure>>,
}

impl Storm {
    /// Lets it storm. `progress` is called about every 100 ms with the share done, and stops it by returning `false`.
    ///
    /// # Panics
    /// Where no temporary folder can be made or written.
    pub fn run(self, progress: &mut dyn FnMut(f64, &str) -> bool) -> Report {
        let threads =
            self.threads.or_else(|| thread::available_parallelism().ok()).map_or(1, NonZeroUsize::get);
        let board = Arc::new(Board {
            storm: self,
            case: Case::new(),
            next: AtomicU64::new(self.first),
            stop: AtomicBool::new(false),
            at: (0..threads).map(|_| Mutex::new(None)).collect(),
            known: Mutex::default(),
        });
        let (done, cases) = mpsc::channel();
        for worker in 0..threads {
            let (board, done) = (Arc::clone(&board), done.clone());
            thread::spawn(move || board.work(worker, &done));
        }
        drop(done);
        let began = Instant::now();
        let mut report = Report::default();
        loop {
            match cases.recv_timeout(BETWEEN_PROGRESS) {
                Ok(ended) => report.add(ended, &board.case),
                Err(RecvTimeoutError::Disconnected) => return report,
                Err(RecvTimeoutError::Timeout) => {}
            }
            let fraction = self.fraction(began, &report);
            if !report.interrupted && !progress(fraction, &report.words()) {
                report.interrupted = true;
                board.stop.store(true, Ordering::Relaxed);
            }
            if let Until::Elapsed(length) = self.until
                && began.elapsed() >= length
            {
                board.stop.store(true, Ordering::Relaxed);
            }
            if let Some(case) = board.deaf() {
                report.found.push(board.found_deaf(case));
                return report;
            }
        }
    }

    fn fraction(&self, began: Instant, report: &Report) -> f64 {
        match self.until {
            Until::Cases(cases) => report.tally.cases() as f64 / cases.max(1) as f64,
            Until::Elapsed(length) => began.elapsed().as_secs_f64() / length.as_secs_f64().max(1e-9),
        }
        .min(1.0)
    }
}

impl Board {
    fn work(&self, worker: usize, done: &Sender<Ended>) {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        for name in &self.case.files {
            let text = embedded::read(Kind::Scenarios, name).expect("the program carries it");
            fs::write(folder.path().join(name), text).expect("a temporary file can be written");
        }
        while let Some(number) = self.take() {
            let bench = Bench {
                folder: folder.path(),
                events: Case::events(self.storm.seed, number),
                patience: PATIENCE,
                stop: &self.stop,
                case: number,
                begun: &self.at[worker],
            };
            bench.begin();
            let ended = self.tried(number, &bench);
            *self.at[worker].lock().expect("nothing panics while it is held") = None;
            if done.send(ended).is_err() {
                return;
            }
        }
    }

    fn take(&self) -> Option<u64> {
        if self.stop.load(Ordering::Relaxed) {
            return None;
        }
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        match self.storm.until {
            Until::Cases(cases) if number - self.storm.first >= cases => None,
            _ => Some(number),
        }
    }

    fn tried(&self, number: u64, bench: &Bench<'_>) -> Ended {
        let drafted = self.case.drafted(self.storm.seed, number, bench);
        let outcome = drafted.ended.clone().unwrap_or_else(|| bench.outcome(&drafted.scenario));
        let shrunk = match &outcome {
            Outcome::Failed(failure) if self.is_new(failure) => Some(self.smallest(&drafted, failure, bench)),
            _ => None,
        };
        Ended { number, drafted, outcome, shrunk }
    }

    /// Whether no failure like this one has been shrunk.
    fn is_new(&self, failure: &Failure) -> bool {
        let mut known = self.known.lock().expect("nothing panics while it is held");
        let is_new = !known.iter().any(|other| other.is_as(failure));
        if is_new {
            known.push(failure.clone());
        }
        is_new
    }

    fn smallest(&self, drafted: &Drafted, failure: &Failure, bench: &Bench<'_>) -> Json {
        shrunk(
            &self.case.language,
            drafted.scenario.clone(),
            |candidate| matches!(bench.outcome(candidate), Outcome::Failed(other) if other.is_as(failure)),
        )
    }

    /// A case of which a trial has been under way for too long.
    fn deaf(&self) -> Option<u64> {
        let at = self.at.iter().filter_map(|at| *at.lock().expect("nothing panics while it is held"));
        at.filter(|(_, since)| since.elapsed() > PATIENCE + DEAF).map(|(number, _)| number).next()
    }

    fn found_deaf(&self, case: u64) -> Found {
        let failure = Failure::Deaf { during: "reading or running a scenario" };
        let scenario = format!("# case {case} of seed {}: not shrunk", self.storm.seed);
        Found { case, failure, scenario, times: 1 }
    }
}

impl Report {
    fn add(&mut self, ended: Ended, case: &Case) {
        self.tally.add(&ended.drafted, &ended.outcome, &case.language);
        let Outcome::Failed(failure) = ended.outcome else { return };
        match self.found.iter_mut().find(|found| found.failure.is_as(&failure)) {
            Some(found) => found.times += 1,
            None => {
                let scenario = ended.shrunk.unwrap_or(ended.drafted.scenario);
                let scenario = written(&scenario).1;
                self.found.push(Found { case: ended.number, failure, scenario, times: 1 });
            }
        }
    }

    fn words(&self) -> String {
        format!("{} cases, {} failures", self.tally.cases(), self.found.len())
    }

    /// Everything as JSON: failures with their scenarios, and by model what was tried.
    #[must_use]
    pub fn json(&self) -> Json {
        let found = self.found.iter().map(|found| {
            json!({"case": found.case, "failure": found.failure.to_string(), "scenario": found.scenario, "times": found.times})
        });
        let models = self.tally.models.iter().map(|(name, of)| {
            json!({
                "model": name, "cases": of.cases, "ran": of.ran, "mended": of.mended, "refused": of.refused,
                "given_up": of.given_up, "failed": of.failed, "cut": of.cut, "events": of.events,
                "accepted": of.accepted(), "drawn": of.drawn, "held": of.held, "reasons": of.reasons,
            })
        });
        json!({
            "found": found.collect::<Vec<_>>(),
            "models": models.collect::<Vec<_>>(),
            "cases": self.tally.cases(),
            "events": self.tally.events(),
            "interrupted": self.interrupted,
        })
    }
}
