//! A refused scenario changed where its refusal points, until it makes sense.

use std::sync::Arc;

use hopscope_engine::{Diagnosis, ScenarioError};
use hopscope_scenario::{Step, parse};
use serde_json::Value as Json;

use crate::draw::{Generator, Temper};
use crate::path;

/// How often something is put in where a mistake points at.
const GROWS: f64 = 0.3;
/// The number of rounds after which a part of a ready scenario may replace a refused one, and the probability of that.
const LATE: u64 = 20;
const BORROWS: f64 = 0.3;

impl Generator<'_> {
    /// Changes what each mistake points at: by the word that the hint gives, by another value, by leaving it out, or by
    /// putting in what may be missing. After many rounds, what is around it is changed as well, or taken from `ready`,
    /// a scenario that is accepted.
    pub(crate) fn mend(&mut self, scenario: &mut Json, refused: &ScenarioError, round: u64, ready: &Json) {
        let usual = self.temper.calm();
        let drawn = std::mem::replace(&mut self.temper, usual);
        for diagnosis in &refused.diagnoses {
            if let Some(path) = place_of(diagnosis, scenario) {
                self.change(scenario, path, diagnosis, round, ready);
            }
        }
        self.temper = Temper { texts: self.temper.texts.clone(), ..drawn };
    }

    fn change(
        &mut self,
        scenario: &mut Json,
        mut path: Vec<Step>,
        diagnosis: &Diagnosis,
        round: u64,
        ready: &Json,
    ) {
        let language = self.language;
        let outwards = self.random.below(1 + round / 6);
        path.truncate(path.len().saturating_sub(outwards as usize));
        if round > LATE
            && !path.is_empty()
            && self.random.chance(BORROWS)
            && let Some(part) = path::at(ready, &path)
        {
            set(scenario, &path, part.clone());
            return;
        }
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
        if self.random.chance(GROWS) && self.grow(scenario, &path, &schema) {
            return;
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

impl Generator<'_> {
    /// Gives a section a field that it does not have, or a list in it or at this path one more entry: where there are
    /// no IMPs, the refusal points at the network that should have some. Says whether it did.
    fn grow(&mut self, scenario: &mut Json, path: &[Step], schema: &Json) -> bool {
        let language = self.language;
        let Some(choice) =
            path::at(scenario, path).and_then(|value| language.choice_of(schema, value)).cloned()
        else {
            return false;
        };
        let Some(value) = path::at_mut(scenario, path) else { return false };
        if let Json::Array(items) = value {
            return self.append(items, &choice);
        }
        let Some(fields) = value.as_object_mut() else { return false };
        let can_grow = |key: &&String| fields.get(*key).is_none_or(Json::is_array);
        let keys: Vec<&String> =
            choice["properties"].as_object().into_iter().flatten().map(|(key, _)| key).collect();
        let keys: Vec<&String> = keys.into_iter().filter(can_grow).collect();
        if keys.is_empty() {
            return false;
        }
        let key = *self.random.pick(&keys);
        let of_field = &choice["properties"][key];
        match fields.get_mut(key) {
            Some(Json::Array(items)) => {
                let list =
                    language.choices(of_field).into_iter().find(|choice| choice.get("items").is_some());
                list.is_some_and(|list| self.append(items, list))
            }
            _ => {
                fields.insert(key.clone(), self.value(of_field, None));
                true
            }
        }
    }

    fn append(&mut self, items: &mut Vec<Json>, list: &Json) -> bool {
        let most = list["maxItems"].as_u64().unwrap_or(u64::MAX);
        let has_room = (items.len() as u64) < most;
        if has_room {
            items.push(self.value(&list["items"], None));
        }
        has_room
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
