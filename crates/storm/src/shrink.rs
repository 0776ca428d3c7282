//! A failing scenario made as small as it can be while it fails the same way.

use hopscope_scenario::Step;
use serde_json::{Value as Json, json};

use crate::language::Language;
use crate::path;

/// Trials that a shrinking takes at most.
const MOST_TRIALS: u32 = 400;

/// The smallest scenario found that `fails` as this one does: without what it needs not, with defaults and small
/// numbers where they do.
pub(crate) fn shrunk(language: &Language, mut scenario: Json, mut fails: impl FnMut(&Json) -> bool) -> Json {
    let mut left = MOST_TRIALS;
    loop {
        let before = scenario.clone();
        for simpler in [without, simplified] {
            // From the last value back: what was taken out moves none of those that come next.
            for path in path::all(&scenario).into_iter().rev() {
                for candidate in simpler(language, &scenario, &path) {
                    if left == 0 {
                        return scenario;
                    }
                    left -= 1;
                    if fails(&candidate) {
                        scenario = candidate;
                        break;
                    }
                }
            }
        }
        if scenario == before {
            return scenario;
        }
    }
}

fn without(_: &Language, scenario: &Json, path: &[Step]) -> Vec<Json> {
    let mut candidate = scenario.clone();
    if path::remove(&mut candidate, path) { vec![candidate] } else { Vec::new() }
}

/// The scenario with the value at this path as it is by default, and with smaller ones.
fn simplified(language: &Language, scenario: &Json, path: &[Step]) -> Vec<Json> {
    let Some(value) = path::at(scenario, path) else { return Vec::new() };
    let usual = language.schema_at(scenario, path).and_then(|schema| schema.get("default"));
    let smaller: Vec<Json> = match value.as_u64() {
        Some(number) => {
            [0, 1, 2, 10, number / 2].into_iter().filter(|&less| less < number).map(Json::from).collect()
        }
        None if value.is_f64() => vec![json!(0.5)],
        None => Vec::new(),
    };
    let with = |other: Json| {
        let mut candidate = scenario.clone();
        *path::at_mut(&mut candidate, path)? = other;
        Some(candidate)
    };
    let others = usual.cloned().into_iter().chain(smaller).filter(|other| other != value);
    others.filter_map(with).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_matter_goes() {
        let scenario = json!({"model": "queueing", "seed": 7, "measure": {"journeys": 9, "messages": 700},
            "arrivals": {"load": 0.7}, "station": [{"servers": 3, "service": {"fixed": "1 s"}}, {"servers": 40}]});
        let language = Language::of_engine();
        let fails = |scenario: &Json| {
            scenario["model"] == "queueing"
                && scenario["station"].as_array().is_some_and(|stations| {
                    stations.iter().any(|station| station["servers"].as_u64() > Some(4))
                })
        };
        let smallest = shrunk(&language, scenario, fails);
        assert_eq!(smallest, json!({"model": "queueing", "station": [{"servers": 5}]}));
    }
}
