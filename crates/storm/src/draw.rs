//! Values drawn from the schema: what it accepts, by construction.

use hopscope_kernel::RandomStream;
use serde_json::{Map, Value as Json, json};

use crate::language::{Language, kind, names};
use crate::quantity::{self, log_uniform};

/// How one experiment is drawn. Each is drawn anew for each experiment, so that some are plain and some are not.
#[derive(Clone, Debug)]
pub(crate) struct Temper {
    /// The chance that a number is drawn from everything that fits instead of near what is usual.
    pub wild: f64,
    /// The chance that a field is given that may be left out.
    pub given: f64,
    /// The most entries of a list.
    pub entries: u64,
    /// What texts are drawn from: names, which then meet by chance, and the files of the ready scenarios.
    pub texts: Vec<String>,
}

/// Draws values of a language.
pub(crate) struct Generator<'a> {
    pub language: &'a Language,
    pub random: RandomStream,
    pub temper: Temper,
}

/// What every name that the storm makes up begins with.
pub(crate) const NAME: &str = "n";

/// Texts that programs have stumbled over.
const AWKWARD: [&str; 14] = [
    "",
    " ",
    "all",
    "host",
    "x0y0",
    "0",
    "n1 -> n2",
    "a=b",
    "\"",
    "größe 終点",
    "\u{1b}[31m",
    "line\nbreak",
    "../n",
    "a.b[0]",
];

impl Temper {
    /// How to draw an experiment; `files` are those that lie beside it.
    pub fn draw(files: &[String], random: &mut RandomStream) -> Self {
        let names = (1..=2 + random.below(6)).map(|nth| format!("{NAME}{nth}"));
        let mut texts: Vec<String> = names.collect();
        if random.chance(0.3) {
            texts.push((*random.pick(&AWKWARD)).to_owned());
        }
        if random.chance(0.3) && !files.is_empty() {
            texts.push(random.pick(files).clone());
        }
        let wild = *random.pick(&[0.0, 0.0, 0.02, 0.1, 0.5]);
        Self { wild, given: random.unit(), entries: 1 + random.below(6), texts }
    }

    /// The same without anything unusual.
    pub fn calm(&self) -> Self {
        Self { wild: 0.0, given: self.given.min(0.3), ..self.clone() }
    }
}

impl Generator<'_> {
    /// A whole scenario of this model.
    pub fn scenario(&mut self, model: &str) -> Json {
        let language = self.language;
        self.value(language.scenario(model), None)
    }

    /// A value that the schema accepts. `usual` is the default of the field that it is for.
    pub fn value(&mut self, schema: &Json, usual: Option<&Json>) -> Json {
        let language = self.language;
        let usual = schema.get("default").or(usual);
        let choices = language.choices(schema);
        // The name or the kind of section that stands there by default comes as often as any other.
        let choice = *self.random.pick(&choices);
        let usual = usual.filter(|usual| language.choice_of(choice, usual).is_some());
        let names = names(choice);
        if !names.is_empty() {
            return (*self.random.pick(&names)).clone();
        }
        let wild = self.random.chance(self.temper.wild);
        match kind(choice) {
            "object" => self.section(choice, usual),
            "array" => self.list(choice),
            "integer" => integer(choice, usual, wild, &mut self.random),
            "number" => number(choice, usual, wild, &mut self.random),
            "boolean" => Json::Bool(self.random.chance(0.5)),
            _ if choice.get("pattern").is_some() => {
                quantity::draw(choice, usual.and_then(Json::as_str), wild, &mut self.random).into()
            }
            _ => self.random.pick(&self.temper.texts).clone().into(),
        }
    }

    fn section(&mut self, schema: &Json, usual: Option<&Json>) -> Json {
        let required: Vec<&str> =
            schema["required"].as_array().into_iter().flatten().filter_map(Json::as_str).collect();
        let mut fields = Map::new();
        for (key, field) in schema["properties"].as_object().into_iter().flatten() {
            if required.contains(&key.as_str()) || self.random.chance(self.temper.given) {
                fields.insert(key.clone(), self.value(field, usual.and_then(|usual| usual.get(key))));
            }
        }
        Json::Object(fields)
    }

    fn list(&mut self, schema: &Json) -> Json {
        let least = schema["minItems"].as_u64().unwrap_or(0);
        let most = schema["maxItems"].as_u64().unwrap_or(u64::MAX).min(self.temper.entries.max(least));
        let length = least + self.random.below(most - least + 1);
        (0..length).map(|_| self.value(&schema["items"], None)).collect()
    }
}

/// The least and the greatest whole number that fit.
fn bounds(schema: &Json) -> (u64, u64) {
    let widest = match schema["format"].as_str() {
        Some("uint8") => u64::from(u8::MAX),
        Some("uint16") => u64::from(u16::MAX),
        Some("uint32") => u64::from(u32::MAX),
        _ => u64::MAX,
    };
    (schema["minimum"].as_u64().unwrap_or(0), schema["maximum"].as_u64().unwrap_or(widest))
}

fn integer(schema: &Json, usual: Option<&Json>, wild: bool, random: &mut RandomStream) -> Json {
    let (least, most) = bounds(schema);
    let few = least + random.below((most - least).min(8) + 1);
    let drawn = match (wild, usual.and_then(Json::as_u64)) {
        (true, _) => match random.below(5) {
            0 => least,
            1 => most,
            2 => most - (most - least).min(1),
            _ => log_uniform(least, most, random),
        },
        (false, Some(usual)) if random.chance(0.5) => {
            (usual / 4 + random.below(usual * 2 + 1)).clamp(least, most)
        }
        (false, _) => few,
    };
    json!(drawn)
}

fn number(schema: &Json, usual: Option<&Json>, wild: bool, random: &mut RandomStream) -> Json {
    let bound = |keys: [&str; 2]| keys.iter().find_map(|key| schema[*key].as_f64());
    let least = bound(["minimum", "exclusiveMinimum"]);
    let most = bound(["maximum", "exclusiveMaximum"]);
    let (from, to) = (least.unwrap_or(0.0), most.unwrap_or(1.0));
    let between = from + (to - from) * random.unit();
    let drawn = match (wild, usual.and_then(Json::as_f64)) {
        (true, _) => match random.below(6) {
            0 => from,
            1 => to,
            2 => 10f64.powf(-300.0 * random.unit()).max(from).min(most.unwrap_or(f64::MAX)),
            3 if most.is_none() => 10f64.powf(300.0 * random.unit()),
            4 if least.is_none() => -between,
            _ => between,
        },
        (false, Some(usual)) if random.chance(0.5) => usual,
        (false, _) => between,
    };
    json!(drawn)
}
