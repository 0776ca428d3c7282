//! What a quantity or figure is swept over: one path, with a list of values or a range.

use std::fmt;

use hopscope_scenario::{Diagnosis, Entry, Node, Place, Value};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, de};

/// The most values of a range.
const MOST_VALUES: u64 = 10_000;
const RANGE: &str = "FROM..TO:STEP with FROM not above TO and a step above 0, such as \"0.1..0.7:0.1\"";

/// Values by path. The values may be anything that a scenario may hold: what they are to be is known once they are set
/// there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, JsonSchema)]
#[schemars(transparent)]
pub(crate) struct ByPath(#[schemars(with = "std::collections::BTreeMap<String, serde_json::Value>")] ());

impl<'de> Deserialize<'de> for ByPath {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Reading;
        impl<'de> de::Visitor<'de> for Reading {
            type Value = ByPath;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("values by path, such as { \"traffic.load\" = 0.5 }")
            }
            fn visit_map<M: de::MapAccess<'de>>(self, mut map: M) -> Result<ByPath, M::Error> {
                while map.next_entry::<String, AnyValue>()?.is_some() {}
                Ok(ByPath(()))
            }
        }
        from.deserialize_map(Reading)
    }
}

/// A value of any kind that scenarios have.
struct AnyValue;

impl<'de> Deserialize<'de> for AnyValue {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Reading;
        impl<'de> de::Visitor<'de> for Reading {
            type Value = AnyValue;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a text, a number, true or false, a list or a section")
            }
            fn visit_bool<E>(self, _: bool) -> Result<AnyValue, E> {
                Ok(AnyValue)
            }
            fn visit_i64<E>(self, _: i64) -> Result<AnyValue, E> {
                Ok(AnyValue)
            }
            fn visit_f64<E>(self, _: f64) -> Result<AnyValue, E> {
                Ok(AnyValue)
            }
            fn visit_str<E>(self, _: &str) -> Result<AnyValue, E> {
                Ok(AnyValue)
            }
            fn visit_seq<S: de::SeqAccess<'de>>(self, mut items: S) -> Result<AnyValue, S::Error> {
                while items.next_element::<AnyValue>()?.is_some() {}
                Ok(AnyValue)
            }
            fn visit_map<M: de::MapAccess<'de>>(self, mut map: M) -> Result<AnyValue, M::Error> {
                while map.next_entry::<String, AnyValue>()?.is_some() {}
                Ok(AnyValue)
            }
        }
        from.deserialize_any(Reading)
    }
}

/// What is swept.
#[derive(Clone, Debug)]
pub(crate) struct Swept {
    /// The path with its place.
    pub entry: Entry,
    /// At least one value.
    pub values: Vec<Node>,
}

/// Reads `over`, which names one path.
///
/// # Errors
/// No path or several; no values, or a text that is no range.
pub(super) fn swept(over: &Node) -> Result<Swept, Diagnosis> {
    let Value::Table(table) = &over.value else { panic!("`over` was read as a section") };
    let [entry] = table.entries.as_slice() else {
        let problem = format!("`over` names {} paths", table.entries.len());
        return Err(Diagnosis::new(problem).at(over.place.clone()).expected("one path to sweep over"));
    };
    swept_path(entry)
}

/// The values of a range such as `0.1..0.7:0.1`; nothing for a text that is none.
///
/// # Errors
/// A range with too many values.
pub(crate) fn values_of_range(text: &str, place: &Place) -> Option<Result<Vec<Node>, Diagnosis>> {
    let values = range(text, place)?;
    if values.len() as u64 <= MOST_VALUES {
        return Some(Ok(values));
    }
    let problem = format!("the range holds more than {MOST_VALUES} values");
    Some(Err(Diagnosis::new(problem).at(place.clone()).expected("a larger step")))
}

/// Reads one path that is swept over, with its values.
///
/// # Errors
/// No values, or a text that is no range.
pub(crate) fn swept_path(entry: &Entry) -> Result<Swept, Diagnosis> {
    let refuse = |problem: String, expected: &str| {
        Err(Diagnosis::new(problem).at(entry.node.place.clone()).expected(expected))
    };
    let values = match &entry.node.value {
        Value::List(items) if items.is_empty() => {
            return refuse("there are no values".into(), "at least one value");
        }
        Value::List(items) => {
            let is_boundless =
                |node: &&Node| matches!(node.value, Value::Float(number) if !number.is_finite());
            if let Some(node) = items.iter().find(is_boundless) {
                let diagnosis = Diagnosis::new(format!("{} does not fit here", node.describe()));
                return Err(diagnosis.at(node.place.clone()).expected("a number"));
            }
            items.clone()
        }
        Value::Text(text) => match values_of_range(text, &entry.node.place) {
            Some(values) => values?,
            None => return refuse(format!("\"{text}\" is not a range"), RANGE),
        },
        _ => {
            let problem = format!("{} does not fit here", entry.node.describe());
            return refuse(problem, "a list of values, or a range such as \"0.1..0.7:0.1\"");
        }
    };
    Ok(Swept { entry: entry.clone(), values })
}

/// Refuses to vary the seed where every setting runs with several: they differ in it already, and means go over them.
pub(crate) fn refuse_seed(path: &str, place: &Place) -> Result<(), Diagnosis> {
    if path != "seed" {
        return Ok(());
    }
    let hint = "`seeds` runs every setting with so many consecutive seeds, from that of the scenario on";
    Err(Diagnosis::new("the seed is no path to vary").at(place.clone()).hint(Some(hint)))
}

/// A number in decimal digits: a number of units of 10^-places.
struct Decimal {
    units: i64,
    places: u32,
}

impl Decimal {
    fn of(text: &str) -> Option<Self> {
        let (whole, part) = text.split_once('.').unwrap_or((text, ""));
        let is_plain = |digits: &str| digits.bytes().all(|digit| digit.is_ascii_digit());
        if !is_plain(part) || !is_plain(whole.trim_start_matches(['-', '+'])) {
            return None;
        }
        let units = format!("{whole}{part}").parse().ok()?;
        Some(Self { units, places: u32::try_from(part.len()).ok()? })
    }

    /// In units of 10^-places.
    fn in_units(&self, places: u32) -> Option<i64> {
        self.units.checked_mul(10_i64.checked_pow(places.checked_sub(self.places)?)?)
    }
}

/// The values of a range in decimal steps, the last included: 0.1..0.7:0.1 holds 0.3, not 0.30000000000000004. One
/// value more than there may be where there are too many; nothing for what is no range.
fn range(text: &str, place: &Place) -> Option<Vec<Node>> {
    let (ends, step) = text.split_once(':')?;
    let (first, last) = ends.split_once("..")?;
    let parts = [first, last, step].map(Decimal::of);
    let [Some(first), Some(last), Some(step)] = parts else { return None };
    let places = first.places.max(last.places).max(step.places);
    let [from, to, by] = [&first, &last, &step].map(|part| part.in_units(places));
    let (from, to, by) = (from?, to?, by?);
    if by <= 0 || to < from {
        return None;
    }
    let is_whole = first.places == 0 && step.places == 0;
    let scale = 10_f64.powi(i32::try_from(places).ok()?);
    let value = |units: i64| {
        let value = if is_whole {
            Value::Integer(units / 10_i64.pow(places))
        } else {
            Value::Float(units as f64 / scale)
        };
        Node { value, place: place.clone() }
    };
    let steps = (to - from) / by;
    Some((0..=steps.min(MOST_VALUES as i64)).map(|nth| value(from + nth * by)).collect())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use hopscope_scenario::{Origin, SourceText};

    use super::*;

    fn values(text: &str) -> Option<String> {
        let source = SourceText { label: "s".into(), text: text.into(), origin: Origin::Scenario };
        let place = Place { source: Arc::new(source), span: 0..0 };
        let values = range(text, &place)?;
        Some(values.iter().map(Node::toml).collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn ranges_step_in_decimals() {
        assert_eq!(values("0.1..0.7:0.1").as_deref(), Some("0.1 0.2 0.3 0.4 0.5 0.6 0.7"));
        assert_eq!(values("1..10:4").as_deref(), Some("1 5 9"));
        assert_eq!(values("0.15..0.75:0.15").as_deref(), Some("0.15 0.3 0.45 0.6 0.75"));
        assert_eq!(values("-1..0:0.5").as_deref(), Some("-1.0 -0.5 0.0"));
        for wrong in
            ["", "1..2", "2..1:1", "1..2:0", "1..2:-1", "a..b:c", "1...2:1", "99999999999999999999..1:1"]
        {
            assert_eq!(values(wrong), None, "{wrong}");
        }
    }
}
