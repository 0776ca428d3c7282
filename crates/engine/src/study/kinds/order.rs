//! `kind = "order"`: quantities that should stand in an order.

use std::collections::BTreeMap;

use hopscope_scenario::{Path, did_you_mean};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json, json};

use super::{Given, Kind, Measured};
use crate::study::resolver::Resolver;
use crate::study::setting::Context;

/// How much two quantities may differ and still be called equal.
const SLACK: f64 = 0.02;
const EXPECTED: &str = "NAME < NAME ~ NAME << NAME with a table for each name in `of`";

/// An order of quantities.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::study) struct Order {
    /// The names of the quantities, separated by "<", "<<" (at least a factor of two), "~" (equal within `slack`) or
    /// "<~" (less or equal), as in "torus < floors ~ mstage".
    pub order: String,
    /// The quantities, by name.
    pub of: BTreeMap<String, Measured>,
    /// The relative difference up to which quantities count as equal. Default 0.02.
    #[serde(default = "slack")]
    pub slack: f64,
}

fn slack() -> f64 {
    SLACK
}

/// How two neighbours in an order should stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
enum Relation {
    #[serde(rename = "<")]
    Below,
    #[serde(rename = "<<")]
    FarBelow,
    #[serde(rename = "~")]
    Equal,
    #[serde(rename = "<~")]
    AtMost,
}

impl Relation {
    fn of(text: &str) -> Option<Self> {
        match text {
            "<" => Some(Self::Below),
            "<<" => Some(Self::FarBelow),
            "~" => Some(Self::Equal),
            "<~" => Some(Self::AtMost),
            _ => None,
        }
    }
}

/// The names of an order and the relations between them; nothing where the text is none.
fn read(text: &str) -> Option<(Vec<&str>, Vec<Relation>)> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let names: Vec<&str> = words.iter().copied().step_by(2).collect();
    let relations =
        words.iter().skip(1).step_by(2).map(|word| Relation::of(word)).collect::<Option<Vec<_>>>()?;
    (names.len() == relations.len() + 1).then_some((names, relations))
}

impl Kind for Order {
    fn resolve(&self, resolver: &mut Resolver<'_>, at: &Path, context: &Context, _: &Given) -> Json {
        let place = at.field("order");
        let mut parts = Map::new();
        for (name, part) in &self.of {
            let at = at.field("of").field(name);
            parts.insert(name.clone(), resolver.quantity(part, &at, context, &Given::default()));
        }
        let Some((names, relations)) = read(&self.order) else {
            let problem = format!("the order \"{}\" cannot be read", self.order);
            resolver.refuse(&place, &problem, EXPECTED, None);
            return json!({});
        };
        for name in &names {
            if !self.of.contains_key(*name) {
                let hint = did_you_mean(name, self.of.keys().map(String::as_str));
                resolver.refuse(&place, &format!("`of` has no table \"{name}\""), EXPECTED, hint);
            }
        }
        for name in self.of.keys().filter(|name| !names.contains(&name.as_str())) {
            let at = at.field("of").field(name);
            resolver.refuse(&at, "`order` does not name it", "a name of the order", None);
        }
        json!({ "names": names, "relations": relations, "parts": parts, "slack": self.slack })
    }
}
