//! The engine's errors as Python exceptions.

use hopscope_engine as engine;
use pyo3::create_exception;
use pyo3::exceptions::{PyKeyError, PyOSError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;

create_exception!(
    hopscope._core,
    ScenarioError,
    PyValueError,
    "A scenario that cannot be run. The text is the complete message."
);
create_exception!(
    hopscope._core,
    InternalError,
    PyRuntimeError,
    "A mistake of hopscope itself. `index` says in which run of a sweep."
);
create_exception!(hopscope._core, OutputError, PyOSError, "A file that could not be written.");

/// A scenario that was read, or refused.
pub(crate) fn of_reading<T>(read: Result<T, engine::ScenarioError>) -> PyResult<T> {
    read.map_err(|error| ScenarioError::new_err(error.to_string()))
}

pub(crate) fn internal(py: Python<'_>, error: &engine::InternalError) -> PyErr {
    let exception = InternalError::new_err(error.message.clone());
    match exception.value(py).setattr("index", error.index) {
        Ok(()) => exception,
        Err(failure) => failure,
    }
}

/// With number, reason and path as every OSError has them, so that Python distinguishes a full disk from a missing
/// right.
pub(crate) fn output(error: &engine::OutputError) -> PyErr {
    let path = error.path.display().to_string();
    match error.reason.raw_os_error() {
        Some(number) => OutputError::new_err((number, strip_number(&error.reason), path)),
        None => OutputError::new_err(error.to_string()),
    }
}

/// What was wrong with an archive, or with the place that it was unpacked to.
pub(crate) fn archive(error: &engine::ArchiveError) -> PyErr {
    match error {
        engine::ArchiveError::Damaged(_) => PyValueError::new_err(error.to_string()),
        engine::ArchiveError::Missing(name) => PyKeyError::new_err(name.clone()),
        engine::ArchiveError::Output(error) => output(error),
    }
}

/// Rust writes "No space left on device (os error 28)"; Python puts the number in front itself.
fn strip_number(reason: &std::io::Error) -> String {
    let text = reason.to_string();
    text.split(" (os error").next().unwrap_or(&text).to_owned()
}
