//! What the `data` elements of a node or edge say.

use std::collections::BTreeMap;
use std::str::FromStr;

use hopscope_topology::{Port, Role};
use hopscope_units::{ParseQuantityError, Rate};
use roxmltree::Node;

use super::{TagName, byte_of, required, role_named};
use crate::error::Fault;

/// What a key's data belong to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Subject {
    Node,
    Edge,
    All,
}

/// A declared key.
pub(super) struct Key {
    subject: Subject,
    /// The attribute's name in lower case.
    name: String,
    default: Option<(String, usize)>,
}

/// The keys of a file by their ids.
pub(super) fn keys(root: Node<'_, '_>) -> Result<BTreeMap<String, Key>, Fault> {
    let mut keys = BTreeMap::new();
    for element in root.children().filter(|child| child.has_tag_name_of("key")) {
        let id = required(element, "id")?;
        let subject = match element.attribute("for") {
            Some("node") => Subject::Node,
            Some("edge") => Subject::Edge,
            None | Some("all") => Subject::All,
            Some(_) => continue,
        };
        // yEd keeps a node's label within a drawing of the node.
        let drawing = element.attributes().any(|a| a.name() == "yfiles.type" && a.value() == "nodegraphics");
        let name = if drawing { "label" } else { element.attribute("attr.name").unwrap_or(id) };
        let default = element.children().find(|child| child.has_tag_name_of("default"));
        let default = default.and_then(|element| Some((text_in(element)?, byte_of(element))));
        keys.insert(id.to_owned(), Key { subject, name: name.to_ascii_lowercase(), default });
    }
    Ok(keys)
}

/// The text of a `data` element, that of the first label where it holds a drawing. Blank text says nothing.
fn text_in(element: Node<'_, '_>) -> Option<String> {
    let label = element.descendants().find(|inner| inner.has_tag_name_of("NodeLabel"));
    let text = label.unwrap_or(element).text()?.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

/// The data of one node or edge by their names in lower case.
pub(super) struct Values {
    by_name: BTreeMap<String, (String, usize)>,
}

impl Values {
    pub fn of(element: Node<'_, '_>, subject: Subject, keys: &BTreeMap<String, Key>) -> Result<Self, Fault> {
        let mut by_name = BTreeMap::new();
        let ours = keys.values().filter(|key| key.subject == subject || key.subject == Subject::All);
        for key in ours {
            if let Some(default) = &key.default {
                by_name.insert(key.name.clone(), default.clone());
            }
        }
        for data in element.children().filter(|child| child.has_tag_name_of("data")) {
            let id = required(data, "key")?;
            let Some(key) = keys.get(id) else {
                let error =
                    Fault::at(byte_of(data), format!("no <key> has the id \"{id}\""), "a declared key");
                return Err(error);
            };
            if let Some(text) = text_in(data) {
                by_name.insert(key.name.clone(), (text, byte_of(data)));
            }
        }
        Ok(Self { by_name })
    }

    /// The first of these that is given.
    fn first<'a>(&self, names: &[&'a str]) -> Option<(&'a str, &str, usize)> {
        names.iter().find_map(|name| {
            let (text, byte) = self.by_name.get(*name)?;
            Some((*name, text.as_str(), *byte))
        })
    }

    /// The text of the first of these that is given.
    pub fn text(&self, names: &[&str]) -> Option<&str> {
        self.first(names).map(|(_, text, _)| text)
    }

    /// The quantity in the first of these that is given.
    pub fn quantity<T: FromStr<Err = ParseQuantityError>>(&self, names: &[&str]) -> Result<Option<T>, Fault> {
        let Some((name, text, byte)) = self.first(names) else { return Ok(None) };
        let refused =
            |error: ParseQuantityError| Fault::at(byte, format!("{name}: {}", error.problem), error.expected);
        text.parse().map(Some).map_err(refused)
    }

    /// The rate of an edge, with its unit or as the Topology Zoo writes it, in bits a second ("10000000000.0"), where
    /// zero says nothing.
    pub fn rate(&self) -> Result<Option<Rate>, Fault> {
        let (names, raw) = (["rate", "speed"], "linkspeedraw");
        if let Some(rate) = self.quantity::<Rate>(&names)? {
            return match self.first(&names) {
                Some((name, text, byte)) if rate.bit_s() == 0 => {
                    Err(Fault::at(byte, format!("the {name} is {text}"), "more than zero"))
                }
                _ => Ok(Some(rate)),
            };
        }
        match (self.float(raw)?, self.first(&[raw])) {
            (Some(bit_s), Some((.., byte))) if !(0.0..=1e18).contains(&bit_s) => {
                Err(Fault::at(byte, format!("{raw} is {bit_s}"), "bits a second, from 0 to 10^18"))
            }
            (Some(bit_s), _) if bit_s >= 1.0 => Ok(Some(Rate::from_bit_s(bit_s as u64))),
            _ => Ok(None),
        }
    }

    fn float(&self, name: &str) -> Result<Option<f64>, Fault> {
        let Some((name, text, byte)) = self.first(&[name]) else { return Ok(None) };
        match text.parse::<f64>() {
            Ok(value) if value.is_finite() => Ok(Some(value)),
            _ => Err(Fault::at(byte, format!("{name}: \"{text}\" is not a number"), "a number")),
        }
    }

    pub fn whole_number(&self, names: &[&str]) -> Result<Option<u64>, Fault> {
        let Some((name, text, byte)) = self.first(names) else { return Ok(None) };
        text.parse().map(Some).map_err(|_| {
            Fault::at(byte, format!("{name}: \"{text}\" is not a whole number"), "a whole number")
        })
    }

    pub fn port(&self, name: &str) -> Result<Option<Port>, Fault> {
        let Some((name, text, byte)) = self.first(&[name]) else { return Ok(None) };
        text.parse().map(Some).map_err(|_| {
            Fault::at(byte, format!("{name}: \"{text}\" is not a port"), "a number from 0 to 65534")
        })
    }

    /// The role of a host; nothing for a switch.
    pub fn host(&self) -> Result<Option<Role>, Fault> {
        let role = match self.first(&["role"]) {
            None => None,
            Some((_, text, byte)) => {
                let role = role_named(&text.to_ascii_lowercase());
                let refused =
                    || Fault::at(byte, format!("\"{text}\" is no role"), "\"client\", \"server\" or \"any\"");
                Some(role.ok_or_else(refused)?)
            }
        };
        let Some((_, text, byte)) = self.first(&["kind"]) else { return Ok(role) };
        match text.to_ascii_lowercase().as_str() {
            "switch" | "router" => Ok(None),
            "host" => Ok(Some(role.unwrap_or_default())),
            kind => {
                let problem = format!("\"{text}\" is no kind of node");
                let expected = "\"switch\", \"router\", \"host\", \"client\" or \"server\"";
                role_named(kind).map(Some).ok_or_else(|| Fault::at(byte, problem, expected))
            }
        }
    }

    /// Where to draw a node, with y downwards.
    pub fn position(&self) -> Result<Option<(f64, f64)>, Fault> {
        if let (Some(x), Some(y)) = (self.float("x")?, self.float("y")?) {
            return Ok(Some((x, y)));
        }
        let (longitude, latitude) = (self.float("longitude")?, self.float("latitude")?);
        Ok(longitude.zip(latitude).map(|(longitude, latitude)| (longitude, -latitude)))
    }
}
