//! JSON text as a tree: the canonical form of a scenario is read back as it was written.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};
use serde_json::value::RawValue;

use crate::diagnosis::Diagnosis;
use crate::tree::{DEEPEST, DEPTH, Entry, Node, Place, SourceText, Table, Value};

/// Reads a whole scenario.
pub(crate) fn parse(source: &Arc<SourceText>) -> Result<Node, Vec<Diagnosis>> {
    let raw: &RawValue = serde_json::from_str(&source.text).map_err(|error| vec![syntax(source, &error)])?;
    Reader { source }.value(raw, 1).map_err(|problem| vec![problem])
}

/// The members of an object, as they stand. Keys written twice are refused.
struct Members<'a>(Vec<(String, &'a RawValue)>);

impl<'de: 'a, 'a> Deserialize<'de> for Members<'a> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Reading;
        impl<'de> Visitor<'de> for Reading {
            type Value = Members<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members<'de>, A::Error> {
                let (mut members, mut seen) = (Vec::new(), std::collections::BTreeSet::new());
                while let Some((key, value)) = map.next_entry::<String, &'de RawValue>()? {
                    if !seen.insert(key.clone()) {
                        return Err(A::Error::custom(format!("the key \"{key}\" is written twice")));
                    }
                    members.push((key, value));
                }
                Ok(Members(members))
            }
        }
        from.deserialize_map(Reading)
    }
}

struct Reader<'a> {
    source: &'a Arc<SourceText>,
}

impl Reader<'_> {
    fn place(&self, raw: &RawValue) -> Place {
        let start = raw.get().as_ptr() as usize - self.source.text.as_ptr() as usize;
        Place { source: Arc::clone(self.source), span: start..start + raw.get().len() }
    }

    fn value(&self, raw: &RawValue, depth: usize) -> Result<Node, Diagnosis> {
        let (place, text) = (self.place(raw), raw.get());
        if depth > DEEPEST {
            return Err(Diagnosis::new("objects are nested too deeply").at(place).expected(DEPTH));
        }
        let value = match text.as_bytes()[0] {
            b'{' => Value::Table(self.table(text, depth, &place)?),
            b'[' => {
                let items: Vec<&RawValue> = self.read(text, &place)?;
                Value::List(
                    items.into_iter().map(|item| self.value(item, depth + 1)).collect::<Result<_, _>>()?,
                )
            }
            b'"' => Value::Text(self.read(text, &place)?),
            b'n' => return Err(Diagnosis::new("null is no value").at(place).expected("a value")),
            b't' | b'f' => Value::Bool(text == "true"),
            // To the last bit, as TOML's are read; the JSON parser rounds some numbers another way.
            _ if text.contains(['.', 'e', 'E']) => match text.parse::<f64>() {
                Ok(number) if number.is_finite() => Value::Float(number),
                _ => {
                    let problem = format!("the number {text} is out of range");
                    return Err(Diagnosis::new(problem).at(place).expected("a smaller number"));
                }
            },
            _ => match text.parse() {
                Ok(number) => Value::Integer(number),
                Err(_) => {
                    let problem = format!("the number {text} does not fit 64 bits");
                    return Err(Diagnosis::new(problem).at(place).expected("a smaller number"));
                }
            },
        };
        Ok(Node { value, place })
    }

    /// The entries of an object. A `null` says that the entry is not given.
    fn table(&self, text: &str, depth: usize, place: &Place) -> Result<Table, Diagnosis> {
        let Members(members) = self.read(text, place)?;
        let mut entries = Vec::with_capacity(members.len());
        for (key, raw) in members.into_iter().filter(|(_, raw)| raw.get() != "null") {
            let node = self.value(raw, depth + 1)?;
            entries.push(Entry { key_place: self.key_place(&key, &node.place), key, node });
        }
        Ok(Table { entries })
    }

    /// Where the key before a value stands; where it is written with escapes, the value's place stands for it.
    fn key_place(&self, key: &str, value: &Place) -> Place {
        let before = &self.source.text[..value.span.start];
        let quoted =
            before.trim_end().strip_suffix(':').map(str::trim_end).filter(|text| text.ends_with('"'));
        let start = quoted.and_then(|text| text[..text.len() - 1].strip_suffix(key)).map(str::len);
        let span = start.map_or(value.span.clone(), |start| start..start + key.len());
        Place { source: Arc::clone(&value.source), span }
    }

    fn read<'t, T: Deserialize<'t>>(&self, text: &'t str, place: &Place) -> Result<T, Diagnosis> {
        serde_json::from_str(text).map_err(|error| Diagnosis::new(words(&error)).at(place.clone()))
    }
}

/// The parser's message without its place, which is counted from the piece that it was given.
fn words(error: &serde_json::Error) -> String {
    let words = error.to_string();
    let words = words.split(" at line ").next().unwrap_or_default();
    format!("this is not JSON: {}", words.replace("EOF while parsing", "the text ends inside"))
}

fn syntax(source: &Arc<SourceText>, error: &serde_json::Error) -> Diagnosis {
    let line_start: usize =
        source.text.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len).sum();
    let at = (line_start + error.column().saturating_sub(1)).min(source.text.len());
    let span: Range<usize> = at..at + 1;
    let place = Place { source: Arc::clone(source), span };
    Diagnosis::new(words(error)).at(place)
}
