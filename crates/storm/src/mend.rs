//! A refused scenario changed where its refusal points, until it makes sense.

use std::sync::Arc;

use hopscope_engine::{Diagnosis, ScenarioError};
use hopscope_scenario::{Step, parse};
use serde_json::Value as Json;

use crate::draw::{Generator, Temper};
use crate::path;

impl Generator<'_> {
    /// Changes what each mistake points at: by the word that the hint gives, by another value, or by leaving it out.
    /// After many rounds, what is around it is changed as well.
    pub(crate) fn mend(&mut self, scenario: &mut Json, refused: &ScenarioError, round: u64) {
        let usual = self.temper.calm();
        let drawn = std::mem::replace(&mut self.temper, usual);
        for diagnosis in &refused.diagnoses {
            if let Some(path) = place_of(diagnosis, scenario) {
                self.change(scenario, path, diagnosis, round);
            }
        }
        self.temper = Temper { texts: self.temper.texts.clone(), ..drawn };
    }

    fn change(&mut self, scenario: &mut Json, mut path: Vec<Step>, diagnosis: &Diagnosis, round: u64) {
        let language = self.language;
        let outwards = self.random.below(1 + round / 6);
        path.truncate(path.len().saturating_sub(outwards as usize));
        let Some(schema) = language.schema_at(scenario, &path).cloned() else { return };
        let advice = advised(diagnosis);
        let is_text = path::at(scenario, &path).is_some_and(Json::is_string);
        if is_text && !advice.is_empty() && self.random.chance(0.6) {
            let advised: Json = (*self.random.pick(&advice)).into();
            // A word that is no value here, such as the name of another field, would only be refused again.
            if language.choice_of(&schema, &advised).is_some() {
                set(scenario, &path, advised);
                return;
            }
        }
        let is_last_resort = path.is_empty();
        if language.may_lack(scenario, &path) && self.random.chance(0.4) {
            path::remove(scenario, &path);
            return;
        }
        let texts = self.temper.texts.len();
        // The texts that stand in the scenario by now are names that something may have.
        self.temper.texts.extend(advice.iter().map(|text| (*text).to_owned()));
        let value = match (is_last_resort, scenario["model"].as_str().map(str::to_owned)) {
            (true, Some(model)) => self.scenario(&model),
            _ => self.value(&schema, None),
        };
        self.temper.texts.truncate(texts);
        set(scenario, &path, value);
    }
}

fn set(scenario: &mut Json, path: &[Step], value: Json) {
    if let Some(at) = path::at_mut(scenario, path) {
        *at = value;
    }
}

/// What stands in quotes in the hint or in what was expected: the words that a refusal offers.
fn advised(diagnosis: &Diagnosis) -> Vec<&str> {
    let texts = [&diagnosis.hint, &diagnosis.expected].into_iter().flatten();
    texts.flat_map(|text| text.split('"').skip(1).step_by(2)).filter(|word| !word.is_empty()).collect()
}

/// The path of what a mistake points at; of the file's name, where it points into a file. Nothing where it points at
/// nothing in the scenario.
fn place_of(diagnosis: &Diagnosis, scenario: &Json) -> Option<Vec<Step>> {
    let place = diagnosis.place.as_ref()?;
    let source = Arc::clone(&place.source);
    let is_scenario =
        source.label.ends_with(crate::trial::TOML) || source.label.ends_with(crate::trial::JSON);
    if is_scenario {
        let root = parse(&source).ok()?;
        return Some(path::around(&root, place.span.start).0);
    }
    let names_it = |path: &Vec<Step>| {
        let text = path::at(scenario, path).and_then(Json::as_str);
        text.is_some_and(|text| !text.is_empty() && source.label.ends_with(text))
    };
    path::all(scenario).into_iter().find(names_it)
}
