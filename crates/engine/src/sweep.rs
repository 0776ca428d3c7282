//! Many runs on all cores.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};

use rayon::prelude::*;

use crate::drive::BETWEEN_PROGRESS;
use crate::run::{InternalError, RunResult, run};
use crate::scenario::Scenario;

/// Fractions are kept in parts of a million: an atomic holds no float.
const WHOLE: f64 = 1_000_000.0;

/// Runs every scenario and returns the results in the order given. They do not depend on the number of threads.
///
/// `progress` is called on the calling thread about every 100 ms with the mean fraction; once it answers `false`, the
/// runs end as interrupted. Without a number of threads, every core works.
///
/// # Errors
/// A mistake of the program in the first of the runs that has one.
pub fn sweep(
    scenarios: &[Scenario],
    threads: Option<NonZeroUsize>,
    progress: &mut dyn FnMut(f64, &str) -> bool,
) -> Result<Vec<RunResult>, InternalError> {
    let threads = threads.map_or(0, NonZeroUsize::get);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let pool = pool.map_err(|error| InternalError { message: error.to_string(), index: 0 })?;
    let board = Board::new(scenarios.len());
    let (done, wait) = mpsc::channel();
    std::thread::scope(|scope| {
        let board = &board;
        scope.spawn(move || {
            let runs = pool.install(|| board.run_all(scenarios));
            done.send(runs).expect("the caller waits for the runs");
        });
        loop {
            match wait.recv_timeout(BETWEEN_PROGRESS) {
                Ok(runs) => return runs,
                Err(RecvTimeoutError::Timeout) => {
                    let stopped = board.stop.load(Ordering::Relaxed);
                    if !stopped && !progress(board.fraction(), &board.text()) {
                        board.stop.store(true, Ordering::Relaxed);
                    }
                }
                Err(RecvTimeoutError::Disconnected) => panic!("the runs ended without results"),
            }
        }
    })
}

/// How far every run is, and whether they are to stop.
struct Board {
    fractions: Vec<AtomicU32>,
    stop: AtomicBool,
}

impl Board {
    fn new(runs: usize) -> Self {
        Self { fractions: (0..runs).map(|_| AtomicU32::new(0)).collect(), stop: AtomicBool::new(false) }
    }

    fn run_all(&self, scenarios: &[Scenario]) -> Result<Vec<RunResult>, InternalError> {
        let runs = scenarios.par_iter().zip(&self.fractions).enumerate().with_max_len(1);
        let results: Vec<_> = runs
            .map(|(index, (scenario, fraction))| {
                let watch = |part: f64, _: &str| {
                    fraction.store((part * WHOLE) as u32, Ordering::Relaxed);
                    !self.stop.load(Ordering::Relaxed)
                };
                let result = run(scenario, &watch).map_err(|error| InternalError { index, ..error });
                fraction.store(WHOLE as u32, Ordering::Relaxed);
                result
            })
            .collect();
        results.into_iter().collect()
    }

    fn fraction(&self) -> f64 {
        let parts = self.fractions.iter().map(|part| f64::from(part.load(Ordering::Relaxed)));
        parts.sum::<f64>() / (WHOLE * self.fractions.len().max(1) as f64)
    }

    fn text(&self) -> String {
        let done = self.fractions.iter().filter(|part| part.load(Ordering::Relaxed) == WHOLE as u32).count();
        format!("{done} of {} runs", self.fractions.len())
    }
}
