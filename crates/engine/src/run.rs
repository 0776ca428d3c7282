//! One run of a scenario, and what it found out.

use std::cell::RefCell;
use std::panic::{self, AssertUnwindSafe};
use std::path::Path;
use std::sync::{Arc, Once};

use hopscope_explain::{Explanation, explain};
use hopscope_measure::{KindTable, Report};
use hopscope_units::{Data, Rate, Span};
use serde_json::{Map, Value as Json, json};

use crate::capture::CaptureFile;
use crate::drive::{Driven, Driver, Watch};
use crate::output_error::OutputError;
use crate::registry::Prepared;
use crate::result_hash::result_hash;
use crate::scenario::{Identity, Scenario};
use crate::summary::SummaryFile;

/// The program's version, which stands in everything it writes.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The result of a run.
#[derive(Clone, Debug)]
pub struct RunResult {
    pub(crate) identity: Arc<Identity>,
    pub(crate) report: Report,
    pub(crate) events: u64,
    pub(crate) result_hash: String,
}

/// A mistake of the program itself: a broken invariant of a model or of the engine.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{message}")]
pub struct InternalError {
    /// What broke, and where in the source.
    pub message: String,
    /// Which of the scenarios of a sweep, counted from 0; 0 for a single run.
    pub index: usize,
}

/// Runs a scenario to its end. `watch` is called about every 100 ms with the progress, and stops the run by returning
/// `false`.
///
/// # Errors
/// Only for a mistake of the program itself; bad scenarios do not get this far.
pub fn run(scenario: &Scenario, watch: &Watch<'_>) -> Result<RunResult, InternalError> {
    simulated(scenario, None, watch, Prepared::run)
}

/// Runs a scenario as [`run`] does, and interrupts it at the first pulse after this number of events: at the same one
/// on every machine.
///
/// # Errors
/// Those of [`run`].
pub fn run_within(scenario: &Scenario, events: u64, watch: &Watch<'_>) -> Result<RunResult, InternalError> {
    simulated(scenario, Some(events), watch, Prepared::run)
}

/// What a run found out, and whether its packets could be written to the end.
pub type Captured = (RunResult, Result<(), OutputError>);

/// Runs a scenario to its end as [`run`] does, and writes what passes on its networks to a file, which is begun anew. A
/// disk that is full before the end takes nothing but the capture.
///
/// # Errors
/// Those of [`run`], and within, where the file could not be begun: nothing was simulated then.
///
/// # Panics
/// Where the scenario has no packets on a wire: see [`Scenario::has_wire`].
pub fn run_captured(
    scenario: &Scenario,
    watch: &Watch<'_>,
    path: &Path,
) -> Result<Result<Captured, OutputError>, InternalError> {
    let interfaces = scenario.prepared().interfaces();
    assert!(!interfaces.is_empty(), "a scenario without packets on a wire was to be captured");
    let mut file = match CaptureFile::create(path, &interfaces) {
        Ok(file) => file,
        Err(failure) => return Ok(Err(failure)),
    };
    let result =
        simulated(scenario, None, watch, |prepared, driver| prepared.run_captured(driver, &mut file))?;
    Ok(Ok((result, file.finish())))
}

fn simulated(
    scenario: &Scenario,
    events: Option<u64>,
    watch: &Watch<'_>,
    run: impl FnOnce(&dyn Prepared, &Driver<'_>) -> Driven,
) -> Result<RunResult, InternalError> {
    let identity = scenario.identity();
    let driver = Driver { seed: identity.header.seed, measure: &identity.header.measure, watch, events };
    let Driven { mut report, events } = guarded(|| {
        assert!(scenario.lacks().is_empty(), "a scenario that was read to be shown was to be run");
        run(scenario.prepared(), &driver)
    })?;
    let result_hash = result_hash(&report);
    // Added after the hash is taken: the same scenario written out has the same results.
    report.notes.splice(0..0, identity.assumed.clone());
    Ok(RunResult { identity: Arc::clone(identity), report, events, result_hash })
}

impl RunResult {
    /// Everything measured.
    #[must_use]
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// Events handled.
    #[must_use]
    pub fn events(&self) -> u64 {
        self.events
    }

    /// The seed that it ran with.
    #[must_use]
    pub fn seed(&self) -> u64 {
        self.identity.header.seed
    }

    /// BLAKE3 of every number that the run found out, in hexadecimal.
    #[must_use]
    pub fn result_hash(&self) -> &str {
        &self.result_hash
    }

    /// Everything measured but the series, the journeys, the pairs and the flows, with what was run, as JSON.
    #[must_use]
    pub fn summary_json(&self) -> String {
        let file = SummaryFile { fields: self.summary_fields(), resources: &self.report.resources };
        serde_json::to_string(&file).expect("a report is plain data")
    }

    /// The fields of the summary, of which that of the resources is an empty list.
    pub(crate) fn summary_fields(&self) -> Map<String, Json> {
        let header = &self.identity.header;
        let mut told = self.report.summary();
        let metrics = self.report.all_metrics();
        (told.metrics, told.resources) = (&metrics, &[]);
        let Json::Object(mut fields) = serde_json::to_value(told).expect("a report is plain data") else {
            panic!("a summary is a section");
        };
        for (key, value) in [
            ("hopscope", VERSION.into()),
            ("model", header.model.clone().into()),
            ("title", header.title.clone().into()),
            ("scenario_hash", self.identity.hash.clone().into()),
            ("seed", header.seed.into()),
            ("result_hash", self.result_hash.clone().into()),
            ("events", Json::from(self.events)),
            ("doubts", serde_json::to_value(&self.report.doubts).expect("doubts are plain data")),
            ("bare_means", serde_json::to_value(&self.report.bare_means).expect("means are plain data")),
            ("under_way", serde_json::to_value(self.report.under_way).expect("counts are plain data")),
        ] {
            fields.insert(key.to_owned(), value);
        }
        fields
    }

    /// Why it was as slow as it was.
    #[must_use]
    pub fn explanation(&self) -> Explanation {
        explain(&self.report)
    }

    /// The explanation as JSON, with what it is about.
    #[must_use]
    pub fn why_json(&self) -> String {
        let header = &self.identity.header;
        let mut why = json!({
            "hopscope": VERSION,
            "model": header.model,
            "title": header.title,
            "seed": header.seed,
            "outcome": self.report.outcome,
            "result_hash": self.result_hash,
        });
        let explanation = serde_json::to_value(self.explanation()).expect("an explanation is plain data");
        let Json::Object(mut fields) = explanation else { panic!("an explanation is a section") };
        if let Some(facts) = &self.identity.facts {
            fields.insert("anomalies".to_owned(), json!(facts.anomalies));
            fields.insert("names".to_owned(), json!(facts.names));
        }
        fields
            .extend(self.identity.assumed.clone().map(|assumed| ("assumed".to_owned(), Json::from(assumed))));
        why.as_object_mut().expect("it is a section").extend(fields);
        why.to_string()
    }

    /// What was run, so that it can be run again: the canonical scenario, its hash, the version, the seed and the
    /// result's hash.
    #[must_use]
    pub fn run_json(&self) -> String {
        let attached = self.identity.attachments.iter().map(|attachment| {
            json!({"name": attachment.name, "blake3": blake3::hash(attachment.text.text.as_bytes()).to_hex().as_str()})
        });
        let mut record = json!({
            "hopscope": VERSION,
            "scenario": self.identity.canonical,
            "scenario_hash": self.identity.hash,
            "attachments": attached.collect::<Vec<_>>(),
            "seed": self.identity.header.seed,
            "result_hash": self.result_hash,
        });
        if let Some(program) = &self.identity.program {
            record["needs"] = self.identity.needs.clone().into();
            record["program"] = json!({"name": program.name, "version": program.version});
        }
        record.to_string()
    }
}

/// Every kind of resource, stage and reason to hold with its id, word, meaning and what it implies, as JSON.
#[must_use]
pub fn kinds_json() -> String {
    serde_json::to_string(&KindTable::new()).expect("a table is plain data")
}

/// The classes of causes by their names, in the order of the documents.
#[must_use]
pub fn causes() -> Vec<&'static str> {
    hopscope_explain::Cause::ALL.iter().map(|cause| cause.word()).collect()
}

/// The policies that a cause may be, by their ids.
#[must_use]
pub fn policies() -> Vec<&'static str> {
    hopscope_explain::Policy::ALL.iter().map(|policy| policy.id()).collect()
}

/// The units of times, data and rates by their names, with their sizes in picoseconds, bits and bit/s.
#[must_use]
pub fn units() -> [(&'static str, Vec<(&'static str, u64)>); 3] {
    [("time", Span::units().collect()), ("data", Data::units().collect()), ("rate", Rate::units().collect())]
}

/// The thresholds of explanations that Python uses as well, by their names.
#[must_use]
pub fn thresholds() -> &'static [(&'static str, f64)] {
    &hopscope_explain::thresholds::SHARED
}

/// The events of a message's life in a trace of model `arpanet`, in their order.
#[must_use]
pub fn trace_events() -> Vec<&'static str> {
    hopscope_arpanet::TraceKind::ALL.iter().map(|event| event.words()).collect()
}

thread_local! {
    /// Where the panic that this thread is about to catch says what happened. `None`: it catches none.
    static CAUGHT: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Runs a piece of the program so that a panic in it becomes an error with its place in the source, and prints nothing.
///
/// # Errors
/// The panic, which is a mistake of the program.
pub fn guarded<T>(work: impl FnOnce() -> T) -> Result<T, InternalError> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            let noted =
                CAUGHT.with_borrow_mut(|caught| caught.as_mut().map(|note| *note = note_of(info)).is_some());
            if !noted {
                before(info);
            }
        }));
    });
    let outer = CAUGHT.replace(Some(String::new()));
    let result = panic::catch_unwind(AssertUnwindSafe(work));
    let note = CAUGHT.replace(outer).unwrap_or_default();
    result.map_err(|_| InternalError { message: note, index: 0 })
}

fn note_of(info: &panic::PanicHookInfo<'_>) -> String {
    let payload = info.payload();
    let literal = payload.downcast_ref::<&str>().copied();
    let payload =
        literal.or_else(|| payload.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message");
    match info.location() {
        Some(place) => format!("{payload} ({}:{})", place.file(), place.line()),
        None => payload.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_broken_invariant_becomes_an_error_that_says_where() {
        let broken = std::hint::black_box(0);
        let error = guarded(|| assert_eq!(broken, 1, "a packet was delivered twice")).unwrap_err();
        assert!(error.message.contains("a packet was delivered twice"), "{error}");
        assert!(error.message.contains("run.rs:"), "{error}");
        assert_eq!(guarded(|| 7).expect("nothing broke"), 7);
    }
}
