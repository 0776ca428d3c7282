//! One case: an experiment that the seed and its number decide, drawn and mended.

use std::collections::BTreeSet;

use hopscope_engine::embedded::{self, Kind};
use hopscope_engine::{Scenario, ready_scenarios};
use hopscope_kernel::RandomStream;
use hopscope_scenario::Step;
use serde_json::Value as Json;

use crate::draw::{Generator, Temper};
use crate::language::Language;
use crate::path;
use crate::quantity::log_uniform;
use crate::trial::{Bench, Outcome};

/// The number of repairs of a drawn scenario before it is given up.
const ROUNDS: u64 = 40;

/// What all cases are drawn from.
pub struct Case {
    /// The language.
    pub language: Language,
    /// The ready scenarios with every default written out, by model.
    ready: Vec<Json>,
    /// The files that ready scenarios name.
    pub(crate) files: Vec<String>,
}

/// A case as it was drawn and mended.
#[derive(Clone, Debug)]
pub struct Drafted {
    /// Its model.
    pub model: String,
    /// The scenario, ready to run if mending was enough.
    pub scenario: Json,
    /// The leaf parameters that were drawn.
    pub drawn: BTreeSet<String>,
    /// How often it was mended.
    pub rounds: u64,
    /// Events after which its runs are to end.
    pub events: u64,
    /// How it ended, unless it is ready to run.
    pub(crate) ended: Option<Outcome>,
}

impl Case {
    /// The language and the ready scenarios of the program.
    ///
    /// # Panics
    /// Where a ready scenario cannot be read: a mistake of the program.
    #[must_use]
    pub fn new() -> Self {
        let ready = ready_scenarios().unwrap_or_else(|error| panic!("{error}")).into_iter().map(|ready| {
            let scenario = Scenario::load(&ready.name, &[]).unwrap_or_else(|error| panic!("{error}"));
            serde_json::from_str(&scenario.canonical_json()).expect("a canonical form is JSON")
        });
        let files = embedded::list(Kind::Scenarios).into_iter().filter(|path| !path.ends_with(".toml"));
        Self {
            language: Language::of_engine(),
            ready: ready.collect(),
            files: files.filter(|path| !path.contains('/')).map(str::to_owned).collect(),
        }
    }

    /// The case of this number, ready to run or at its end.
    pub(crate) fn drafted(&self, seed: u64, number: u64, bench: &Bench<'_>) -> Drafted {
        let mut generator = self.generator(seed, number);
        let (model, mut scenario) = self.drawn(&mut generator);
        let ready = self.ready_of(&model, &mut generator);
        let drawn = self.language.leaves_of(&scenario);
        let mut rounds = 0;
        let ended = loop {
            match bench.refusal(&scenario) {
                Some(Outcome::Refused(error)) if rounds < ROUNDS => {
                    rounds += 1;
                    generator.mend(&mut scenario, &error, rounds, ready);
                }
                ended => break ended,
            }
        };
        Drafted { model, scenario, drawn, rounds, events: bench.events, ended }
    }

    /// Events after which the runs of this case are to end: few as often as many.
    pub(crate) fn events(seed: u64, number: u64) -> u64 {
        log_uniform(500, 1_000_000, &mut RandomStream::named(seed, "storm events", number))
    }

    /// The leaf parameters of this case as first drawn; nothing is read or run.
    #[must_use]
    pub fn leaves(&self, seed: u64, number: u64) -> BTreeSet<String> {
        self.language.leaves_of(&self.drawn(&mut self.generator(seed, number)).1)
    }

    fn generator(&self, seed: u64, number: u64) -> Generator<'_> {
        let mut random = RandomStream::named(seed, "storm", number);
        let temper = Temper::draw(&self.files, &mut random);
        Generator { language: &self.language, random, temper }
    }

    /// An experiment from nothing, or a ready one with some of its fields drawn anew. Each model comes as often as any.
    fn drawn(&self, generator: &mut Generator<'_>) -> (String, Json) {
        let model = (*generator.random.pick(&self.language.models())).to_owned();
        if generator.random.chance(0.5) {
            let scenario = generator.scenario(&model);
            return (model, scenario);
        }
        let mut scenario = self.ready_of(&model, generator).clone();
        for _ in 0..=generator.random.below(8) {
            self.touch(&mut scenario, generator);
        }
        (model, scenario)
    }

    /// One of a model's ready scenarios.
    fn ready_of(&self, model: &str, generator: &mut Generator<'_>) -> &Json {
        let ready: Vec<&Json> = self.ready.iter().filter(|ready| ready["model"] == model).collect();
        ready[generator.random.below(ready.len() as u64) as usize]
    }

    /// Draws one field of any section anew, or leaves it out where that is possible.
    fn touch(&self, scenario: &mut Json, generator: &mut Generator<'_>) {
        let mut sections = path::all(scenario);
        sections.push(Vec::new());
        sections.retain(|path| path::at(scenario, path).is_some_and(Json::is_object));
        let section = generator.random.pick(&sections).clone();
        let Some(value) = path::at(scenario, &section) else { return };
        let schema = self.language.schema_at(scenario, &section);
        let Some(choice) = schema.and_then(|schema| self.language.choice_of(schema, value)) else { return };
        let keys: Vec<&String> =
            choice["properties"].as_object().into_iter().flatten().map(|(key, _)| key).collect();
        let Some(&key) = (!keys.is_empty()).then(|| generator.random.pick(&keys)) else { return };
        let may_lack = self.language.may_lack(scenario, &[&section[..], &[Step::Key(key.clone())]].concat());
        let fields = path::at_mut(scenario, &section).and_then(Json::as_object_mut).expect("it is a section");
        if may_lack && generator.random.chance(0.2) {
            fields.remove(key);
        } else {
            fields.insert(key.clone(), generator.value(&choice["properties"][key], None));
        }
    }
}

impl Default for Case {
    fn default() -> Self {
        Self::new()
    }
}
