//! The rules that a program adds to those of hopscope, and what scenarios say of them.
//!
//! They are a value that goes with every scenario that is read, not a registry of the process: two programs in one
//! process, or a test, do not see each other's.

use std::collections::BTreeMap;
use std::sync::Arc;

use hopscope_lossless::rate_control::{OwnRateControl, OwnRule};
use hopscope_scenario::{Diagnosis, Node, Path, did_you_mean, one_of, read_below};
use schemars::{JsonSchema, SchemaGenerator};
use serde_json::Value as Json;

/// Where a scenario names a rate control of one's own.
pub(crate) const RATE_CONTROL: &str = "frames.rate_control.own";

/// A rate control that a program adds.
#[derive(Clone, Copy)]
struct RateRule {
    read: fn(&str, &Node, &Path) -> Result<OwnRule, Vec<Diagnosis>>,
    schema: fn(&mut SchemaGenerator) -> Json,
}

/// The program that adds rules: run folders name it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Program {
    pub name: String,
    pub version: String,
}

/// The rules that scenarios may name beside those of hopscope, and whose they are.
#[derive(Clone, Default)]
pub(crate) struct Rules {
    program: Option<Arc<Program>>,
    rate_controls: Arc<BTreeMap<String, RateRule>>,
    /// Scenarios are read to be shown, and may name rules that are missing here.
    are_only_shown: bool,
}

impl Rules {
    /// None yet, of this program.
    pub fn of(program: Program) -> Self {
        Self { program: Some(Arc::new(program)), ..Self::default() }
    }

    /// For scenarios that are read to be shown.
    pub fn for_showing() -> Self {
        Self { are_only_shown: true, ..Self::default() }
    }

    /// Their program; None if they are hopscope's own.
    pub fn program(&self) -> Option<&Program> {
        self.program.as_deref()
    }

    /// Adds a rate control.
    ///
    /// # Panics
    /// Where the name is taken or is no name: a mistake of the program.
    pub fn add_rate_control<C: OwnRateControl>(&mut self, name: &str) {
        let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        assert!(!name.is_empty() && name.bytes().all(is_plain), "\"{name}\" is no name in small letters");
        let rule = RateRule { read: read_rate_control::<C>, schema: schema_of::<C> };
        let before = Arc::make_mut(&mut self.rate_controls).insert(name.to_owned(), rule);
        assert!(before.is_none(), "the rate control \"{name}\" is added twice");
    }

    /// Reads the rate control that a scenario names, with its parameters; `root` is the whole scenario. What is wrong
    /// leaves a rule that is only shown, so that the rest of the scenario can be looked at.
    pub fn read_rate_control(&self, own: &mut OwnRule, root: &Node) -> Vec<Diagnosis> {
        let path = Path::of(RATE_CONTROL).field(own.name());
        let named = (self.rate_controls.get(own.name()), root.at(&path));
        let read = match named {
            (Some(rule), Some(node)) => (rule.read)(own.name(), node, &path),
            _ if self.are_only_shown => Ok(own.only_shown()),
            _ => Err(vec![self.missing(own.name()).at(root.nearest_place(&path))]),
        };
        let (rule, found) = match read {
            Ok(rule) => (rule, Vec::new()),
            Err(found) => (own.only_shown(), found),
        };
        *own = rule;
        found
    }

    fn missing(&self, name: &str) -> Diagnosis {
        let names = || self.rate_controls.keys().map(String::as_str);
        let diagnosis = Diagnosis::new(format!("{RATE_CONTROL}: this program has no rule \"{name}\""));
        if self.rate_controls.is_empty() {
            let hint = "run it with the program that adds this rule: hopscope alone reads, explains and shows such runs";
            return diagnosis.expected("one of hopscope's own rate controls").hint(Some(hint));
        }
        diagnosis.expected(one_of(names())).hint(did_you_mean(name, names()))
    }

    /// The rules that a scenario needs beside those of hopscope, by their paths.
    pub fn needed(canonical: &Json) -> Vec<String> {
        let pointer = format!("/{}", RATE_CONTROL.replace('.', "/"));
        let named = canonical.pointer(&pointer).and_then(Json::as_object);
        named.into_iter().flatten().map(|(name, _)| format!("{RATE_CONTROL}.{name}")).collect()
    }

    /// Whether scenarios that need these rules are only shown.
    pub fn are_only_shown(&self) -> bool {
        self.are_only_shown
    }

    /// The JSON Schema of each rate control by its name.
    pub fn rate_control_schemas(&self, generator: &mut SchemaGenerator) -> Vec<(String, Json)> {
        let schema = |(name, rule): (&String, &RateRule)| (name.clone(), (rule.schema)(generator));
        self.rate_controls.iter().map(schema).collect()
    }
}

fn read_rate_control<C: OwnRateControl>(
    name: &str,
    node: &Node,
    path: &Path,
) -> Result<OwnRule, Vec<Diagnosis>> {
    read_below::<C::Params>(node, path).map(|params| OwnRule::of::<C>(name, params))
}

fn schema_of<C: OwnRateControl>(generator: &mut SchemaGenerator) -> Json {
    C::Params::json_schema(generator).to_value()
}
