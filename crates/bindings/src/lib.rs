//! The engine as the Python module `hopscope._core`: names, types and errors translated, and nothing else.
#![allow(clippy::needless_pass_by_value, reason = "Python's arguments arrive by value")]

mod errors;
mod loading;
mod progress;
mod pup_host;
mod sweep;

use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use hopscope_engine as engine;
use hopscope_engine::counters::Readings;
use hopscope_engine::forwarding_tables::TablesOf;
use hopscope_storm::{Storm, Until};
use pyo3::exceptions::{PyBaseException, PyKeyError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::errors::{InternalError, OutputError, ScenarioError};
use crate::progress::{Progress, planned};

/// How an object is pickled: what makes it again, and of what.
type Reduced<'py> = (Bound<'py, PyAny>, (String, Vec<String>, Option<bool>, bool));

/// A scenario that has been checked: it can be run.
#[pyclass(frozen, module = "hopscope._core")]
struct Scenario(engine::Scenario);

#[pymethods]
impl Scenario {
    /// What it shows, in one line.
    #[getter]
    fn title(&self) -> &str {
        self.0.title()
    }

    /// The model's name.
    #[getter]
    fn model(&self) -> &str {
        self.0.model()
    }

    /// The seed of all randomness.
    #[getter]
    fn seed(&self) -> u64 {
        self.0.seed()
    }

    /// The ready scenario's name, or the file's without its ending.
    #[getter]
    fn name(&self) -> &str {
        self.0.name()
    }

    /// BLAKE3 of the canonical form, in hexadecimal.
    #[getter]
    fn hash(&self) -> &str {
        self.0.hash()
    }

    /// The scenario as JSON with every default written out.
    fn canonical_json(&self) -> String {
        self.0.canonical_json()
    }

    /// Whether the value at this path is given; else it is a default.
    fn is_given(&self, path: &str) -> bool {
        self.0.is_given(path)
    }

    /// The same as TOML.
    fn toml(&self) -> String {
        self.0.toml()
    }

    /// The same scenario with further overrides such as "traffic.load=0.5". Raises ScenarioError.
    fn with_overrides(&self, py: Python<'_>, overrides: Vec<String>) -> PyResult<Self> {
        let changed = planned(py, None, || self.0.with_overrides(&as_texts(&overrides)))?;
        errors::of_reading(changed).map(Self)
    }

    /// The same scenario with each of these lists of further overrides: quicker than one after the other. Raises
    /// ScenarioError for the first that is wrong.
    fn with_each(&self, py: Python<'_>, overrides: Vec<Vec<String>>) -> PyResult<Vec<Self>> {
        let lists: Vec<_> = overrides.iter().map(|list| as_texts(list)).collect();
        let all = errors::of_reading(planned(py, None, || self.0.with_each(&lists))?)?;
        Ok(all.into_iter().map(Self).collect())
    }

    /// The network and its figures as JSON; None for a model without a network.
    fn topology_json(&self, py: Python<'_>) -> PyResult<Option<String>> {
        planned(py, None, || self.0.topology_json())
    }

    /// The bounds of the load, as JSON; None for a model without bounds. Raises ScenarioError.
    fn bounds_json(&self, py: Python<'_>) -> PyResult<Option<String>> {
        capacity(py, &self.0, None, None)
    }

    /// The routes, and with `add_link` the links between switches with free ports, that promise the highest load, as
    /// JSON; None for a model without bounds. `ports` is the size of every switch where the file or family does not
    /// hold. With `engines` the tables of every routing engine are compared too. `progress` is as for `load`. Raises
    /// ScenarioError.
    #[pyo3(signature = (add_link, ports = None, engines = false, progress = None))]
    fn advice_json(
        &self,
        py: Python<'_>,
        add_link: bool,
        ports: Option<u16>,
        engines: bool,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Option<String>> {
        capacity(py, &self.0, Some(engine::Advice { add_link, ports, engines }), progress)
    }

    /// Whether packets pass on its networks that can be captured.
    #[getter]
    fn has_wire(&self) -> bool {
        self.0.has_wire()
    }

    /// The files that it names: the path of each, and whether an override names it.
    fn files(&self) -> Vec<(String, bool)> {
        self.0.files().into_iter().cloned().collect()
    }

    /// The scenario that a fabric's file means, as a text to edit; None for one that was written as a scenario.
    fn assumed_toml(&self) -> Option<String> {
        self.0.assumed_toml()
    }

    /// The facts of the fabric's file that it names, as JSON; None for any other scenario.
    fn facts_json(&self) -> Option<String> {
        self.0.facts_json()
    }

    /// The rules of a user's own program that it needs and this one does not have, by their paths: it can be shown, and
    /// not run. None for any scenario but that of a run folder.
    #[getter]
    fn lacks(&self) -> Vec<String> {
        self.0.lacks().to_vec()
    }

    /// Its text and the files that it names, as one text.
    fn parcel(&self) -> String {
        self.0.parcel()
    }

    /// Its overrides.
    fn overrides(&self) -> Vec<String> {
        self.0.overrides().into_iter().map(str::to_owned).collect()
    }

    /// How it is pickled.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py>> {
        let again = py.import("hopscope._core")?.getattr("unpacked")?;
        Ok((again, (self.parcel(), self.overrides(), None, !self.0.lacks().is_empty())))
    }

    fn __repr__(&self) -> String {
        format!("<hopscope scenario {:?}, model {:?}, seed {}>", self.0.name(), self.0.model(), self.0.seed())
    }
}

fn capacity(
    py: Python<'_>,
    scenario: &engine::Scenario,
    advice: Option<engine::Advice>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Option<String>> {
    let found = planned(py, progress, || scenario.capacity_json(advice.as_ref()).transpose())?;
    errors::of_reading(found)
}

/// The result of a run.
#[pyclass(frozen, module = "hopscope._core")]
struct Run {
    result: engine::RunResult,
    /// Why the capture that was asked for is not whole.
    capture_failure: Option<engine::OutputError>,
}

#[pymethods]
impl Run {
    /// Everything measured but the series and the journeys, as JSON.
    fn summary_json(&self) -> String {
        self.result.summary_json()
    }

    /// summary.json of the run folder, which names the table of the resources in place of their list.
    fn summary_file(&self) -> String {
        self.result.summary_file()
    }

    /// The resources as the list of a summary, as JSON.
    fn resources_json(&self) -> String {
        self.result.resources_json()
    }

    /// Why it was as slow as it was, as JSON.
    fn why_json(&self) -> String {
        self.result.why_json()
    }

    /// The files of the run folder as one zip file.
    fn archive<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &py.detach(|| self.result.archive()))
    }

    /// Writes the run's files into a folder that exists and is empty. Raises OutputError.
    fn write(&self, py: Python<'_>, folder: PathBuf) -> PyResult<()> {
        py.detach(|| self.result.write(&folder)).map_err(|error| errors::output(&error))
    }

    /// The counters of the fabric's ports, as pairs of a file's name and its text: when the measurement began and when
    /// it ended, or at the instants of `frames.counters_at` that the run reached; None where the model has none.
    fn counters(&self, py: Python<'_>, scenario: &Bound<'_, Scenario>) -> Option<Vec<(String, String)>> {
        let scenario = &scenario.get().0;
        py.detach(|| self.result.counters(scenario))
    }

    /// The OutputError that ended the capture before the run; None where the capture is whole or none was asked for.
    #[getter]
    fn capture_failure(&self, py: Python<'_>) -> Option<Py<PyBaseException>> {
        self.capture_failure.as_ref().map(|error| errors::output(error).into_value(py))
    }
}

/// The version of hopscope.
#[pyfunction]
fn version() -> &'static str {
    engine::VERSION
}

/// Name, model and title of every scenario that comes with the program.
#[pyfunction]
fn ready_scenarios(py: Python<'_>) -> PyResult<Vec<(String, String, String)>> {
    let ready = errors::of_reading(planned(py, None, engine::ready_scenarios)?)?;
    Ok(ready.into_iter().map(|scenario| (scenario.name, scenario.model, scenario.title)).collect())
}

/// The names of the studies that come with the program.
#[pyfunction]
fn study_names() -> Vec<String> {
    engine::study::names()
}

/// A study of this name, or in the folder of this path, as JSON with every setting resolved; with `quick` under its
/// quick values. Raises ScenarioError.
#[pyfunction]
#[pyo3(signature = (source, quick, allow_files = false))]
fn study_definition(py: Python<'_>, source: PathBuf, quick: bool, allow_files: bool) -> PyResult<String> {
    let source = source.to_string_lossy();
    let read = || engine::study::definition(&source, quick, allow_files);
    errors::of_reading(planned(py, None, read)?)
}

/// The experiment in a file, as JSON with its values checked. Raises ScenarioError.
#[pyfunction]
fn experiment_definition(py: Python<'_>, file: PathBuf) -> PyResult<String> {
    let file = file.to_string_lossy();
    errors::of_reading(planned(py, None, || engine::experiment::definition(&file))?)
}

/// The factor of a two-sided interval of this confidence: Student's t. Raises ValueError.
#[pyfunction]
fn student_t(confidence: f64, freedom: usize) -> PyResult<f64> {
    if freedom == 0 || !(0.0 < confidence && confidence < 1.0) {
        return Err(PyValueError::new_err("a confidence between 0 and 1, and at least 1 degree of freedom"));
    }
    Ok(engine::student_t(confidence, freedom))
}

/// The JSON Schema of study.toml.
#[pyfunction]
fn study_schema_json() -> String {
    engine::study::schema().to_string()
}

/// The cells of a file of published/ as a JSON list. Raises KeyError.
#[pyfunction]
fn published_cells(file: &str) -> PyResult<String> {
    engine::study::published_cells(file).ok_or_else(|| PyKeyError::new_err(file.to_owned()))
}

/// The formats of fabrics that can be read, as a JSON list.
#[pyfunction]
fn fabric_formats() -> String {
    engine::forwarding_tables::fabric_formats().to_string()
}

/// The JSON Schema of scenarios of all models.
#[pyfunction]
fn schema_json() -> String {
    engine::schema().to_string()
}

/// Whether these are the bytes that `Run.archive` gave, all of them and unchanged.
#[pyfunction]
fn is_whole_archive(archive: &[u8]) -> bool {
    engine::is_whole(archive)
}

/// A file of such an archive, or of any zip file of a run folder. Raises KeyError, and ValueError for what is none.
#[pyfunction]
fn archived_file<'py>(py: Python<'py>, archive: &[u8], name: &str) -> PyResult<Bound<'py, PyBytes>> {
    let bytes = engine::file_of(archive, name).map_err(|error| errors::archive(&error))?;
    Ok(PyBytes::new(py, &bytes))
}

/// Writes the files of such an archive into a folder that exists and is empty. Raises OutputError, and ValueError for
/// what is none.
#[pyfunction]
fn unpack_archive(py: Python<'_>, archive: &[u8], folder: PathBuf) -> PyResult<()> {
    py.detach(|| engine::unpack(archive, &folder)).map_err(|error| errors::archive(&error))
}

/// The list `resources` of a summary as JSON, from the bytes of a run folder's resources.parquet. Raises ValueError.
#[pyfunction]
fn resources_json(py: Python<'_>, table: &[u8]) -> PyResult<String> {
    py.detach(|| engine::resources_of(table)).map_err(|damaged| PyValueError::new_err(damaged.to_string()))
}

/// Runs a scenario. `progress(fraction, text)` is called about every 100 ms and stops the run by returning False.
///
/// With `capture`, a path, what passes on the networks of a scenario that `has_wire` is written there. Raises
/// OutputError where that cannot be begun; the run reports a disk that is full later.
#[pyfunction]
#[pyo3(signature = (scenario, progress = None, capture = None))]
fn run(
    py: Python<'_>,
    scenario: &Bound<'_, Scenario>,
    progress: Option<Py<PyAny>>,
    capture: Option<PathBuf>,
) -> PyResult<Run> {
    let (scenario, progress) = (&scenario.get().0, Progress::new(progress));
    let watch = |fraction: f64, text: &str| progress.tell(fraction, text);
    let result = py.detach(|| match &capture {
        None => engine::run(scenario, &watch).map(|result| Ok((result, Ok(())))),
        Some(path) => engine::run_captured(scenario, &watch, path),
    });
    progress.into_result()?;
    let result = result.map_err(|error| errors::internal(py, &error))?;
    let (result, captured) = result.map_err(|error| errors::output(&error))?;
    Ok(Run { result, capture_failure: captured.err() })
}

/// A storm of cases from the one of number `first` on, as many or as long as given; what it found as JSON. `progress`
/// is as for `run`.
#[pyfunction]
#[pyo3(signature = (seed, first, cases = None, seconds = None, threads = None, progress = None))]
fn storm(
    py: Python<'_>,
    seed: u64,
    first: u64,
    cases: Option<u64>,
    seconds: Option<f64>,
    threads: Option<usize>,
    progress: Option<Py<PyAny>>,
) -> PyResult<String> {
    let until = match (cases, seconds.map(Duration::try_from_secs_f64)) {
        (Some(cases), _) => Until::Cases(cases),
        (None, Some(Ok(seconds))) => Until::Elapsed(seconds),
        (None, _) => return Err(PyValueError::new_err("a storm needs a number of cases or of seconds")),
    };
    let storm = Storm { seed, first, until, threads: threads.and_then(NonZeroUsize::new) };
    let progress = Progress::new(progress);
    let report =
        py.detach(|| engine::guarded(|| storm.run(&mut |fraction, text| progress.tell(fraction, text))));
    progress.into_result()?;
    report.map(|report| report.json().to_string()).map_err(|error| errors::internal(py, &error))
}

/// The classes of causes by their names, in the order of the documents.
#[pyfunction]
fn causes() -> Vec<&'static str> {
    engine::causes()
}

/// The policies that a cause may be, by their ids.
#[pyfunction]
fn policies() -> Vec<&'static str> {
    engine::policies()
}

/// The units of times, data and rates by their names, with their sizes in picoseconds, bits and bit/s.
#[pyfunction]
fn units() -> HashMap<&'static str, HashMap<&'static str, u64>> {
    engine::units().into_iter().map(|(kind, units)| (kind, units.into_iter().collect())).collect()
}

/// The thresholds of explanations that Python uses as well, by their names.
#[pyfunction]
fn thresholds() -> HashMap<&'static str, f64> {
    engine::thresholds().iter().copied().collect()
}

/// The events of a message's life in a trace of model `arpanet`, in their order.
#[pyfunction]
fn trace_events() -> Vec<&'static str> {
    engine::trace_events()
}

/// Every kind of resource, stage and reason to hold, with its word and meaning, as JSON.
#[pyfunction]
fn kinds_json() -> String {
    engine::kinds_json()
}

/// Replays routing messages of the ARPANET in a listed order, from JSON to JSON. Raises ValueError.
#[pyfunction]
fn replay_routing(py: Python<'_>, text: &str) -> PyResult<String> {
    let replayed = engine::guarded(|| engine::replay_routing(text));
    replayed.map_err(|error| errors::internal(py, &error))?.map_err(PyValueError::new_err)
}

/// Checks forwarding tables of a scenario's fabric; whether they are safe, and everything found as JSON. `progress` is
/// as for `load`. Raises ScenarioError.
#[pyfunction]
#[pyo3(signature = (
    scenario, file = None, engine = None, roots = Vec::new(), root_guids = None, path = None, path_sl = None,
    sl2vl = None, progress = None
))]
#[expect(clippy::too_many_arguments, reason = "Python calls them by name")]
fn check(
    py: Python<'_>,
    scenario: &Bound<'_, Scenario>,
    file: Option<String>,
    engine: Option<String>,
    roots: Vec<String>,
    root_guids: Option<String>,
    path: Option<[String; 2]>,
    path_sl: Option<String>,
    sl2vl: Option<String>,
    progress: Option<Py<PyAny>>,
) -> PyResult<(bool, String)> {
    let of = TablesOf { file, engine, roots, root_guids, path_sl, sl2vl, path };
    let scenario = &scenario.get().0;
    let checked = planned(py, progress, || engine::forwarding_tables::check(scenario, &of))?;
    errors::of_reading(checked).map(|checked| (checked.safe, checked.json))
}

/// Diagnoses a scenario's fabric from two readings of its ports' counters, as JSON. `progress` is as for `load`.
/// Raises ScenarioError.
#[pyfunction]
#[pyo3(signature = (scenario, before, after, tables = None, interval_s = None, progress = None))]
fn diagnose(
    py: Python<'_>,
    scenario: &Bound<'_, Scenario>,
    before: String,
    after: String,
    tables: Option<String>,
    interval_s: Option<f64>,
    progress: Option<Py<PyAny>>,
) -> PyResult<String> {
    let (scenario, of) = (&scenario.get().0, Readings { before, after, tables, interval_s });
    errors::of_reading(planned(py, progress, || engine::counters::diagnose(scenario, &of))?)
}

/// Fits traffic to two readings of port counters: a scenario as TOML that calls the fabric's file `path`, and what is
/// to be said of it. Raises ScenarioError.
#[pyfunction]
#[pyo3(signature = (scenario, before, after, path, tables = None, interval_s = None, tables_path = None))]
#[expect(clippy::too_many_arguments, reason = "Python calls them by name")]
fn fit_counters(
    py: Python<'_>,
    scenario: &Bound<'_, Scenario>,
    before: String,
    after: String,
    path: String,
    tables: Option<String>,
    interval_s: Option<f64>,
    tables_path: Option<String>,
) -> PyResult<(String, Vec<String>)> {
    let (scenario, of) = (&scenario.get().0, Readings { before, after, tables, interval_s });
    let called = engine::counters::Called { source: path, tables: tables_path };
    let fitted = planned(py, None, || engine::counters::fit(scenario, &of, &called))?;
    errors::of_reading(fitted).map(|fitted| (fitted.toml, fitted.notes))
}

/// The forms of port counters that can be read, as a JSON list.
#[pyfunction]
fn counter_forms() -> String {
    engine::counters::counter_forms().to_string()
}

/// Forwarding tables as text that OpenSM loads, section by section.
#[pyclass(module = "hopscope._core")]
struct TableText {
    lfts: engine::forwarding_tables::Lfts,
    next: usize,
    /// As `Scenario.facts_json`.
    #[pyo3(get)]
    facts_json: Option<String>,
}

#[pymethods]
impl TableText {
    fn __iter__(this: Bound<'_, Self>) -> Bound<'_, Self> {
        this
    }

    /// The section of the next switch, in UTF-8.
    fn __next__<'py>(&mut self, py: Python<'py>) -> Option<Bound<'py, PyBytes>> {
        let id = Some(self.next).filter(|next| *next < self.lfts.switch_count())?;
        self.next += 1;
        let section = py.detach(|| self.lfts.section(id));
        Some(PyBytes::new(py, section.as_bytes()))
    }
}

/// Forwarding tables of a scenario's fabric by an engine, section by section. `progress` is as for `load`. Raises
/// ScenarioError.
#[pyfunction]
#[pyo3(signature = (scenario, engine = None, roots = Vec::new(), root_guids = None, progress = None))]
fn routes(
    py: Python<'_>,
    scenario: &Bound<'_, Scenario>,
    engine: Option<String>,
    roots: Vec<String>,
    root_guids: Option<String>,
    progress: Option<Py<PyAny>>,
) -> PyResult<TableText> {
    let (scenario, of) = (&scenario.get().0, TablesOf { engine, roots, root_guids, ..TablesOf::default() });
    let routed = planned(py, progress, || engine::forwarding_tables::routes(scenario, &of))?;
    errors::of_reading(routed).map(|lfts| TableText { lfts, next: 0, facts_json: scenario.facts_json() })
}

/// A scenario's fabric as text of the form that the ending of the file's name stands for. Raises ScenarioError.
#[pyfunction]
fn written(py: Python<'_>, scenario: &Bound<'_, Scenario>, file_name: &str) -> PyResult<String> {
    let scenario = &scenario.get().0;
    errors::of_reading(planned(py, None, || engine::forwarding_tables::written(scenario, file_name))?)
}

/// The text of a file that comes with the program. `kind` is "scenarios", "studies" or "published". Raises KeyError.
#[pyfunction]
fn embedded(kind: &str, path: &str) -> PyResult<&'static str> {
    let text = engine::embedded::read(kind_named(kind)?, path);
    text.ok_or_else(|| PyKeyError::new_err(format!("{kind}/{path}")))
}

/// The paths of all files of one kind that come with the program, relative to their folder. Raises KeyError.
#[pyfunction]
fn embedded_list(kind: &str) -> PyResult<Vec<&'static str>> {
    Ok(engine::embedded::list(kind_named(kind)?))
}

fn kind_named(kind: &str) -> PyResult<engine::embedded::Kind> {
    engine::embedded::Kind::named(kind).ok_or_else(|| PyKeyError::new_err(kind.to_owned()))
}

fn as_texts(overrides: &[String]) -> Vec<&str> {
    overrides.iter().map(String::as_str).collect()
}

/// A word such as "50%", "100k" or "1e5" as a number of TOML; None where it is none of these.
#[pyfunction]
fn plain_number(word: &str) -> Option<String> {
    engine::plain_number(word)
}

/// The native module.
#[pymodule]
mod _core {
    #[pymodule_export]
    use crate::loading::{load, load_data, load_run, unpacked};
    #[pymodule_export]
    use crate::pup_host::{PupHost, pup_udp_port};
    #[pymodule_export]
    use crate::sweep::{PausedRun, go_on, sweep, sweep_archives};

    #[pymodule_export]
    use super::{
        InternalError, OutputError, Run, Scenario, ScenarioError, TableText, archived_file, causes, check,
        counter_forms, diagnose, embedded, embedded_list, experiment_definition, fabric_formats,
        fit_counters, is_whole_archive, kinds_json, plain_number, policies, published_cells, ready_scenarios,
        replay_routing, resources_json, routes, run, schema_json, storm, student_t, study_definition,
        study_names, study_schema_json, thresholds, trace_events, units, unpack_archive, version, written,
    };
}
