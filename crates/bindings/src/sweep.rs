//! Many runs at once: sweeps, and runs that pause to be looked at.

use std::borrow::Cow;
use std::num::NonZeroUsize;

use hopscope_engine as engine;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::progress::Progress;
use crate::{Run, Scenario, errors};

/// Runs scenarios on all cores, or on `threads` threads; the runs come in the order of the scenarios.
#[pyfunction]
#[pyo3(signature = (scenarios, progress = None, threads = None))]
pub(crate) fn sweep(
    py: Python<'_>,
    scenarios: Vec<Py<Scenario>>,
    progress: Option<Py<PyAny>>,
    threads: Option<usize>,
) -> PyResult<Vec<Run>> {
    swept(py, &scenarios, progress, threads, |result| Run { result, capture_failure: None })
}

/// Runs scenarios as `sweep` does, and gives the archive of each: a run is in memory until it has ended, no longer.
#[pyfunction]
#[pyo3(signature = (scenarios, progress = None, threads = None))]
pub(crate) fn sweep_archives(
    py: Python<'_>,
    scenarios: Vec<Py<Scenario>>,
    progress: Option<Py<PyAny>>,
    threads: Option<usize>,
) -> PyResult<Vec<Cow<'static, [u8]>>> {
    swept(py, &scenarios, progress, threads, |result| result.archive().into())
}

/// What `kept` makes of the run of each scenario.
fn swept<K: Send>(
    py: Python<'_>,
    scenarios: &[Py<Scenario>],
    progress: Option<Py<PyAny>>,
    threads: Option<usize>,
    kept: impl Fn(engine::RunResult) -> K + Sync + Send,
) -> PyResult<Vec<K>> {
    let threads = match threads.map(NonZeroUsize::new) {
        Some(None) => return Err(PyValueError::new_err("a sweep needs at least 1 thread")),
        given => given.flatten(),
    };
    let scenarios: Vec<_> = scenarios.iter().map(|scenario| scenario.get().0.clone()).collect();
    let progress = Progress::new(progress);
    let mut tell = |fraction: f64, text: &str| progress.tell(fraction, text);
    let runs = py.detach(|| engine::sweep_into(&scenarios, threads, kept, &mut tell));
    progress.into_result()?;
    runs.map_err(|error| errors::internal(py, &error))
}

/// A run that stops at a number of delivered messages and goes on to the next.
#[pyclass(frozen, module = "hopscope._core")]
pub(crate) struct PausedRun(engine::PausedRun);

#[pymethods]
impl PausedRun {
    #[new]
    fn new(scenario: &Bound<'_, Scenario>) -> Self {
        Self(engine::PausedRun::new(scenario.get().0.clone()))
    }

    /// The ports of switches and the hosts of the network that it has in memory.
    #[getter]
    fn places(&self) -> usize {
        self.0.places()
    }

    /// Frees the memory of its network; asked to go on, it begins anew.
    fn set_aside(&self) {
        self.0.set_aside();
    }
}

/// Continues runs, on all cores, until each has delivered this number of messages. Returns for each the bits offered
/// and delivered since it began, and whether it is in a deadlock.
#[pyfunction]
#[pyo3(signature = (runs, delivered, progress = None))]
pub(crate) fn go_on(
    py: Python<'_>,
    runs: Vec<Py<PausedRun>>,
    delivered: u64,
    progress: Option<Py<PyAny>>,
) -> PyResult<Vec<(u128, u128, bool)>> {
    let progress = Progress::new(progress);
    let mut tell = |fraction: f64, text: &str| progress.tell(fraction, text);
    let runs: Vec<_> = runs.iter().map(|run| &run.get().0).collect();
    let counts = py.detach(|| engine::go_on(&runs, delivered, &mut tell));
    progress.into_result()?;
    let counts = counts.map_err(|error| errors::internal(py, &error))?;
    Ok(counts.iter().map(|counts| (counts.offered, counts.delivered, counts.deadlocked)).collect())
}
