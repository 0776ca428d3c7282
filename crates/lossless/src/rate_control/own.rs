//! User-defined laws: laws that another program adds, with parameters in scenarios under
//! `[frames.rate_control.own.NAME]`.

use std::fmt;
use std::sync::Arc;

use hopscope_measure::Problem;
use hopscope_units::Data;
use schemars::JsonSchema;
use serde::de::{self, DeserializeOwned, MapAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value as Json;

use super::RateControl;
use super::flows::{Flows, Ruled};

/// A law that a program adds to those of hopscope, with its parameters.
///
/// `examples/own-rate-control` is a whole program with one.
pub trait OwnRateControl: RateControl {
    /// The parameters in scenarios. Derive serde with `deny_unknown_fields` and `JsonSchema`: the comments of fields,
    /// which should give units, defaults and sources, become the schema's descriptions. With `default` every field may
    /// be omitted.
    type Params: Serialize + DeserializeOwned + JsonSchema + Send + Sync + 'static;

    /// The law with these parameters.
    ///
    /// # Errors
    /// All problems of the parameters. Each problem's path is the name of a field; empty for the law as a whole.
    fn new(params: &Self::Params, setting: &Setting) -> Result<Self, Vec<Problem>>;
}

/// The settings of a scenario that a law may read beside its own parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setting {
    /// The largest frame: `frames.mtu`.
    pub frame: Data,
    /// Whether switches mark frames: `frames.ecn`.
    pub marks: bool,
    /// Whether lost frames are retransmitted: `frames.recovery`.
    pub recovers: bool,
}

/// The parameters of a user-defined law, whose type is known to its program.
trait OwnParams: Send + Sync {
    fn problems(&self, setting: &Setting) -> Vec<Problem>;
    fn flows(&self, setting: &Setting) -> Box<dyn Ruled>;
}

/// A law's parameters with its type.
struct Typed<C: OwnRateControl>(C::Params);

impl<C: OwnRateControl> OwnParams for Typed<C> {
    fn problems(&self, setting: &Setting) -> Vec<Problem> {
        C::new(&self.0, setting).err().unwrap_or_default()
    }

    fn flows(&self, setting: &Setting) -> Box<dyn Ruled> {
        let law = C::new(&self.0, setting).expect("the law's parameters were checked");
        Box::new(Flows::new(law))
    }
}

/// The state of knowledge about a user-defined law.
#[derive(Clone)]
enum Knowledge {
    /// Only its name and its parameters as data.
    Named,
    /// The law itself.
    Read(Arc<dyn OwnParams>),
    /// Only its name and data, which is enough: the scenario is shown, and not run.
    Shown,
}

/// A user-defined law as in a scenario: by its name, with its parameters.
#[derive(Clone)]
pub struct OwnRule {
    name: String,
    /// With all defaults once the law is known.
    parameters: Json,
    knowledge: Knowledge,
}

impl OwnRule {
    /// The law `C` with parameters, by the name that the program gives it.
    ///
    /// # Panics
    /// If the parameters cannot be written as data: a mistake in their type.
    #[must_use]
    pub fn of<C: OwnRateControl>(name: &str, params: C::Params) -> Self {
        let parameters = serde_json::to_value(&params).expect("parameters are plain data");
        Self { name: name.to_owned(), parameters, knowledge: Knowledge::Read(Arc::new(Typed::<C>(params))) }
    }

    /// The same for a scenario that is shown and never run: the law may be missing from this program.
    #[must_use]
    pub fn only_shown(&self) -> Self {
        Self { knowledge: Knowledge::Shown, ..self.clone() }
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its problems in this setting, with paths below the law's own section.
    pub(crate) fn problems(&self, setting: &Setting) -> Vec<Problem> {
        match &self.knowledge {
            Knowledge::Named => vec![Problem::new("", "this program has no such rule", "a rule that it has")],
            Knowledge::Read(params) => params.problems(setting),
            Knowledge::Shown => Vec::new(),
        }
    }

    /// Its flows, if the law is known; the scenario was checked before.
    pub(super) fn flows(&self, setting: &Setting) -> Option<Box<dyn Ruled>> {
        match &self.knowledge {
            Knowledge::Read(params) => Some(params.flows(setting)),
            Knowledge::Named | Knowledge::Shown => None,
        }
    }
}

impl PartialEq for OwnRule {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name && self.parameters == other.parameters
    }
}

impl fmt::Debug for OwnRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OwnRule").field("name", &self.name).field("parameters", &self.parameters).finish()
    }
}

impl Serialize for OwnRule {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut map = to.serialize_map(Some(1))?;
        map.serialize_entry(&self.name, &self.parameters)?;
        map.end()
    }
}

impl<'de> Deserialize<'de> for OwnRule {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Reading;
        impl<'de> Visitor<'de> for Reading {
            type Value = OwnRule;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("one rule by its name, with its parameters in a section")
            }
            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<OwnRule, M::Error> {
                let none = || de::Error::custom("no rule is named; expected one, with its parameters");
                let (name, parameters) = map.next_entry()?.ok_or_else(none)?;
                let rule = OwnRule { name, parameters, knowledge: Knowledge::Named };
                match map.next_entry::<String, Json>()? {
                    None => Ok(rule),
                    Some((second, _)) => {
                        let first = &rule.name;
                        let problem = format!("\"{first}\" and \"{second}\" are given together");
                        Err(de::Error::custom(format!("{problem}; expected exactly one rule")))
                    }
                }
            }
        }
        from.deserialize_map(Reading)
    }
}
