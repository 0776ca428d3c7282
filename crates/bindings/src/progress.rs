//! The caller's progress function, and the interrupt key, from inside a run.

use std::sync::Mutex;

use hopscope_engine::{self as engine, Stopped};
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;

use crate::errors;

/// Calls Python now and then; the first exception that comes of it stops the run and is raised at its end.
pub(crate) struct Progress {
    callback: Option<Py<PyAny>>,
    raised: Mutex<Option<PyErr>>,
}

impl Progress {
    pub fn new(callback: Option<Py<PyAny>>) -> Self {
        Self { callback, raised: Mutex::new(None) }
    }

    /// Whether to go on. Signals are looked at even without a callback, so that Ctrl-C always works.
    pub fn tell(&self, fraction: f64, text: &str) -> bool {
        let answer = Python::attach(|py| {
            py.check_signals()?;
            let Some(callback) = &self.callback else { return Ok(true) };
            let answer = callback.bind(py).call1((fraction, text))?;
            Ok(answer.is_none() || answer.is_truthy()?)
        });
        answer.unwrap_or_else(|exception: PyErr| {
            *self.raised.lock().expect("nothing panics while it is held") = Some(exception);
            false
        })
    }

    /// The exception, if one was raised.
    pub fn into_result(self) -> PyResult<()> {
        let raised = self.raised.into_inner().expect("nothing panics while it is held");
        raised.map_or(Ok(()), Err)
    }
}

/// Does work that may take long without the interpreter, as an interrupt key and the caller's progress function allow.
pub(crate) fn planned<T: Send>(
    py: Python<'_>,
    callback: Option<Py<PyAny>>,
    work: impl FnOnce() -> T + Send,
) -> PyResult<T> {
    let progress = Progress::new(callback);
    let done = py.detach(|| engine::planned(&mut |what| progress.tell(0.0, what), work));
    let done = done.map_err(|error| errors::internal(py, &error))?;
    progress.into_result()?;
    done.map_err(|Stopped| PyKeyboardInterrupt::new_err("stopped"))
}

/// Does work without the interpreter that cannot be interrupted, on the calling thread: a thread of its own would take
/// as long as a small scenario.
pub(crate) fn unwatched<T: Send>(py: Python<'_>, work: impl FnOnce() -> T + Send) -> PyResult<T> {
    py.detach(|| engine::guarded(work)).map_err(|error| errors::internal(py, &error))
}
