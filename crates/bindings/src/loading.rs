//! Scenarios read: from files, from a run folder, from data in memory, from a parcel.

use std::path::PathBuf;

use hopscope_engine as engine;
use pyo3::prelude::*;
use pyo3::types::PyInt;

use crate::errors;
use crate::progress::{planned, unwatched};
use crate::{Scenario, as_texts};

/// Reads a ready scenario by its name or a file by its path, and plans its routes. `progress(0.0, text)` is called
/// about every 50 ms of it. Raises ScenarioError.
///
/// The files that it names lie in its own folder unless `allow_files`. With `study`, the overrides are those of the
/// study in this folder, and what they and `source` name lies there. With `network_alone`, no load is fitted to a
/// fabric's file.
#[pyfunction]
#[pyo3(signature = (
    source, overrides = Vec::new(), seed = None, allow_files = false, study = None, network_alone = false,
    progress = None
))]
#[expect(clippy::too_many_arguments, reason = "Python calls them by name")]
pub(crate) fn load(
    py: Python<'_>,
    source: PathBuf,
    mut overrides: Vec<String>,
    seed: Option<Bound<'_, PyInt>>,
    allow_files: bool,
    study: Option<PathBuf>,
    network_alone: bool,
    progress: Option<Py<PyAny>>,
) -> PyResult<Scenario> {
    overrides.extend(seed.map(as_override));
    let source = source.to_string_lossy();
    let access = engine::FileAccess { any: allow_files, study };
    let read = if network_alone { engine::Scenario::load_network } else { engine::Scenario::load_with };
    let load = || read(&source, &as_texts(&overrides), &access);
    errors::of_reading(planned(py, progress, load)?).map(Scenario)
}

/// Reads the scenario of a run folder, to show what was run: it may need rules that this program does not have. Raises
/// ScenarioError.
#[pyfunction]
#[pyo3(signature = (file, progress = None))]
pub(crate) fn load_run(py: Python<'_>, file: PathBuf, progress: Option<Py<PyAny>>) -> PyResult<Scenario> {
    let file = file.to_string_lossy();
    errors::of_reading(planned(py, progress, || engine::Scenario::of_run(&file))?).map(Scenario)
}

/// Reads a scenario from data in memory, as JSON; it is called by this name. Otherwise as `load`. Raises ScenarioError.
#[pyfunction]
#[pyo3(signature = (name, json, overrides = Vec::new(), seed = None, allow_files = false, progress = None))]
pub(crate) fn load_data(
    py: Python<'_>,
    name: &str,
    json: &str,
    mut overrides: Vec<String>,
    seed: Option<Bound<'_, PyInt>>,
    allow_files: bool,
    progress: Option<Py<PyAny>>,
) -> PyResult<Scenario> {
    overrides.extend(seed.map(as_override));
    let (overrides, access) = (as_texts(&overrides), engine::FileAccess { any: allow_files, study: None });
    let load = || engine::Scenario::from_data(name, json, &overrides, &access);
    errors::of_reading(planned(py, progress, load)?).map(Scenario)
}

/// A seed of any size is passed on, so that the engine says in its own words what fits.
fn as_override(seed: Bound<'_, PyInt>) -> String {
    format!("seed={seed}")
}

/// The scenario of a parcel with these overrides; it shares with `like` what both have in common. One that is
/// `only_shown` may need rules that this program does not have. Where it is not `watched`, no interrupt key is heard
/// meanwhile, and no thread is made. Raises ScenarioError.
#[pyfunction]
#[pyo3(signature = (parcel, overrides, like = None, only_shown = false, watched = true))]
pub(crate) fn unpacked(
    py: Python<'_>,
    parcel: &str,
    overrides: Vec<String>,
    like: Option<&Bound<'_, Scenario>>,
    only_shown: bool,
    watched: bool,
) -> PyResult<Scenario> {
    let like = like.map(|scenario| &scenario.get().0);
    let unpack = || match only_shown {
        true => engine::Scenario::unpacked_to_show(parcel, &as_texts(&overrides)),
        false => engine::Scenario::unpacked(parcel, &as_texts(&overrides), like),
    };
    let read = if watched { planned(py, None, unpack)? } else { unwatched(py, unpack)? };
    errors::of_reading(read).map(Scenario)
}
