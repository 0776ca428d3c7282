//! Many runs on all cores.

use std::cmp::Reverse;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};

use rayon::prelude::*;

use crate::drive::{BETWEEN_PROGRESS, Watch};
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
    sweep_into(scenarios, threads, |result| result, progress)
}

/// Runs every scenario as [`sweep`] does, and returns what `kept` makes of each result. It is called on the thread that
/// has run the scenario, at once: if results take megabytes, no more of them are in memory than there are threads.
///
/// # Errors
/// Those of [`sweep`].
pub fn sweep_into<K: Send>(
    scenarios: &[Scenario],
    threads: Option<NonZeroUsize>,
    kept: impl Fn(RunResult) -> K + Sync,
    progress: &mut dyn FnMut(f64, &str) -> bool,
) -> Result<Vec<K>, InternalError> {
    let work = |index: usize, watch: &Watch<'_>| run(&scenarios[index], watch).map(&kept);
    side_by_side(&longest_first(scenarios), threads, &work, progress)
}

/// Runs tasks on all cores, or on a number of threads, in the order of these numbers: each gets its number and a
/// receiver of progress. The results are in the order of the numbers from 0.
///
/// `progress` is as for [`sweep`].
pub(crate) fn side_by_side<K: Send>(
    order: &[usize],
    threads: Option<NonZeroUsize>,
    work: &(impl Fn(usize, &Watch<'_>) -> Result<K, InternalError> + Sync),
    progress: &mut dyn FnMut(f64, &str) -> bool,
) -> Result<Vec<K>, InternalError> {
    let threads = threads.map_or(0, NonZeroUsize::get);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let pool = pool.map_err(|error| InternalError { message: error.to_string(), index: 0 })?;
    let board = Board::new(order.len());
    let (done, wait) = mpsc::channel();
    std::thread::scope(|scope| {
        let board = &board;
        scope.spawn(move || {
            let runs = pool.install(|| board.run_all(order, work));
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

/// The numbers of the scenarios in the order in which they begin: those that are asked for the most messages first, and
/// among as many in the order given. So no long run begins when the other cores have nothing left to do.
fn longest_first(scenarios: &[Scenario]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..scenarios.len()).collect();
    order.sort_by_key(|&index| Reverse(scenarios[index].identity().header.measure.messages));
    order
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

    fn run_all<K: Send>(
        &self,
        order: &[usize],
        work: &(impl Fn(usize, &Watch<'_>) -> Result<K, InternalError> + Sync),
    ) -> Result<Vec<K>, InternalError> {
        // A bridge gives out one at a time, in this order.
        let begun = order.iter().par_bridge();
        let mut results: Vec<_> = begun
            .map(|&index| {
                let fraction = &self.fractions[index];
                let watch = |part: f64, _: &str| {
                    fraction.store((part * WHOLE) as u32, Ordering::Relaxed);
                    !self.stop.load(Ordering::Relaxed)
                };
                let result = work(index, &watch).map_err(|error| InternalError { index, ..error });
                fraction.store(WHOLE as u32, Ordering::Relaxed);
                (index, result)
            })
            .collect();
        results.sort_by_key(|(index, _)| *index);
        results.into_iter().map(|(_, result)| result).collect()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_asked_for_most_messages_begins_first() {
        let asked = [2_000, 6_000, 2_000, 4_000].map(|messages| {
            Scenario::load("queueing-mm1", &[&format!("measure.messages={messages}")]).expect("it is right")
        });
        assert_eq!(longest_first(&asked), [1, 3, 0, 2]);
    }
}
