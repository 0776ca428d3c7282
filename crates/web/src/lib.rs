//! The engine in a page: a request comes as JSON, and the answer goes as JSON.
//!
//! A page calls it in a worker. To stop it, the page ends the worker; a mistake of the program ends the worker too.

#[cfg(target_family = "wasm")]
mod exports;

use hopscope_engine::{RunResult, Scenario, ScenarioError, ready_scenarios, run};
use serde::Deserialize;
use serde_json::{Value as Json, json};

/// What a page asks for.
#[derive(Debug, Deserialize)]
#[serde(tag = "do", rename_all = "kebab-case", deny_unknown_fields)]
enum Request {
    /// The ready scenarios, with model and title.
    Scenarios {},
    /// A run of a scenario.
    Run {
        scenario: Asked,
        /// Overrides such as `traffic.load=0.5`.
        #[serde(default)]
        set: Vec<String>,
    },
}

/// The scenario that a page names or brings.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Asked {
    /// A ready one, by its name.
    Ready(String),
    /// One in the language of scenarios, which names no files.
    Text(String),
    /// One with its files, as [`Scenario::parcel`] makes it.
    Parcel(String),
}

/// Answers a request with a section of JSON: what was asked for, or `error` in words for the user. `progress` is called
/// about every 100 ms with the progress of a run, 0 to 1.
///
/// # Panics
/// For a mistake of the program, and for a parcel of another version.
#[must_use]
pub fn answer(request: &str, progress: &(dyn Fn(f64) + Sync)) -> String {
    let request: Result<Request, String> =
        serde_json::from_str(request).map_err(|error| format!("this is no request: {error}"));
    let answered = request.and_then(|request| match request {
        Request::Scenarios {} => listed().map_err(|error| error.to_string()),
        Request::Run { scenario, set } => ran(&scenario, &set, progress),
    });
    answered.unwrap_or_else(|error| json!({ "error": error })).to_string()
}

fn listed() -> Result<Json, ScenarioError> {
    let ready = ready_scenarios()?;
    let row = |one: hopscope_engine::ReadyScenario| json!({ "name": one.name, "model": one.model, "title": one.title });
    Ok(json!({ "scenarios": ready.into_iter().map(row).collect::<Vec<_>>() }))
}

fn ran(asked: &Asked, set: &[String], progress: &(dyn Fn(f64) + Sync)) -> Result<Json, String> {
    let set: Vec<&str> = set.iter().map(String::as_str).collect();
    let scenario = match asked {
        Asked::Ready(name) => Scenario::load(name, &set),
        Asked::Text(text) => Scenario::from_text("page", text, &set),
        Asked::Parcel(parcel) => Scenario::unpacked(parcel, &set, None),
    };
    let scenario = scenario.map_err(|error| error.to_string())?;
    let watch = |fraction: f64, _: &str| {
        progress(fraction);
        true
    };
    let found = run(&scenario, &watch).map_err(|error| format!("hopscope is at fault: {error}"))?;
    Ok(section(&scenario, &found))
}

/// What a run folder says in JSON, and the network.
fn section(scenario: &Scenario, found: &RunResult) -> Json {
    let parsed = |text: &str| -> Json { serde_json::from_str(text).expect("the engine writes JSON") };
    json!({
        "summary": parsed(&found.summary_json()),
        "why": parsed(&found.why_json()),
        "topology": scenario.topology_json().as_deref().map(parsed),
        "scenario": scenario.toml(),
    })
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;

    fn asked(request: &Json) -> Json {
        serde_json::from_str(&answer(&request.to_string(), &|_| ())).expect("an answer is JSON")
    }

    #[test]
    fn a_run_has_the_same_hash_as_outside_of_a_page() {
        let set = ["measure.messages=2000"];
        let scenario = Scenario::load("queueing-mm1", &set).expect("a ready scenario");
        let native = run(&scenario, &|_, _| true).expect("nothing breaks");
        for scenario in [json!({ "ready": "queueing-mm1" }), json!({ "parcel": scenario.parcel() })] {
            let found = asked(&json!({ "do": "run", "scenario": scenario, "set": set }));
            assert_eq!(found["summary"]["result_hash"], native.result_hash());
            assert_eq!(found["why"]["result_hash"], native.result_hash());
            assert_eq!(found["topology"], Json::Null);
        }
    }

    #[test]
    fn what_is_wrong_is_told_with_its_place() {
        let text = "model = \"queueing\"\n[[station]]\nservice = { exponential = \"10 us\" }\n[arrivals]\nload = -7\n";
        let found = asked(&json!({ "do": "run", "scenario": { "text": text } }));
        let error = found["error"].as_str().expect("an error");
        assert!(error.contains("page:5:8") && error.contains("arrivals.load"), "{error}");
        for request in ["", "7", "{\"do\":\"fly\"}", "{\"do\":\"scenarios\",\"more\":1}"] {
            let found: Json = serde_json::from_str(&answer(request, &|_| ())).expect("an answer is JSON");
            assert!(found["error"].as_str().is_some_and(|error| error.starts_with("this is no request")));
        }
    }

    #[test]
    fn progress_is_told_and_the_ready_scenarios_are_listed() {
        let told = AtomicU32::new(0);
        let request = json!({ "do": "run", "scenario": { "ready": "queueing-mm1" } });
        let _ = answer(&request.to_string(), &|fraction| {
            assert!((0.0..=1.0).contains(&fraction));
            told.fetch_add(1, Ordering::Relaxed);
        });
        assert!(told.load(Ordering::Relaxed) > 0);
        let listed = asked(&json!({ "do": "scenarios" }));
        let names: Vec<&str> = listed["scenarios"]
            .as_array()
            .expect("a list")
            .iter()
            .filter_map(|one| one["name"].as_str())
            .collect();
        assert!(names.contains(&"an1-mstage") && names.contains(&"roce-fat-tree-incast"));
    }
}
