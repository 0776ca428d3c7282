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
            _ => Ok(self.told_rate()),
        }
    }

    /// The rate in fields that may hold any words: one with a unit, as in "10 Gbps", "155Mb/s", "2 x 2.5G" or "STM-16".
    fn told_rate(&self) -> Option<Rate> {
        self.told().iter().find_map(|text| rate_of_words(text))
    }

    /// What such fields say where that is no rate, though it has a number.
    pub fn unread_rate(&self) -> Option<String> {
        let raw = self.text(&["linkspeedraw"]).map(|text| format!("LinkSpeedRaw {text}"));
        let told = self.told().into_iter().chain(raw);
        told.into_iter().find(|text| text.contains(|c: char| c.is_ascii_digit()))
    }

    /// The fields that may state a rate in words.
    fn told(&self) -> Vec<String> {
        let speed = self.text(&["linkspeed"]).zip(self.text(&["linkspeedunits"]));
        let speed = speed.map(|(speed, unit)| format!("{speed} {unit}"));
        let others = ["bandwidth", "capacity", "linkspeed", "linklabel"];
        let others = others.iter().filter_map(|name| self.text(&[*name]).map(str::to_owned));
        speed.into_iter().chain(others).collect()
    }

    /// Longitude and latitude, in degrees.
    pub fn coordinates(&self) -> Result<Option<(f64, f64)>, Fault> {
        let both = self.float("longitude")?.zip(self.float("latitude")?);
        Ok(both.filter(|(longitude, latitude)| longitude.abs() <= 360.0 && latitude.abs() <= 90.0))
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

/// Units as people write them behind a number, in bits a second.
const UNITS: [(&str, u64); 4] =
    [("k", 1_000), ("m", 1_000_000), ("g", 1_000_000_000), ("t", 1_000_000_000_000)];

/// What may follow the letter of a unit.
const BITS: [&str; 8] = ["", "b", "bps", "b/s", "bit", "bit/s", "bits", "bits/s"];

/// Gigabit Ethernet as people write it behind a number.
const GIGABIT_ETHERNET: [&str; 3] = ["ge", "gbe", "gige"];

/// Signals of which a link carries a number, in bits a second: STM-1 of SDH (ITU-T G.707) and OC-1 of SONET.
const SIGNALS: [(&str, u64); 2] = [("stm", 155_520_000), ("oc", 51_840_000)];

/// The fastest link that such a field may mean: 1 Pbit/s.
const FASTEST_BIT_S: f64 = 1e15;

/// A rate, or a multiple of a rate, such as "2 x 10 Gbps"; nothing for any other text.
fn rate_of_words(text: &str) -> Option<Rate> {
    let one = |text: &str| rate_of_signal(text).or_else(|| rate_with_unit(text));
    let several = text.split_once(['x', 'X']).and_then(|(count, rate)| {
        let bit_s = count.trim().parse::<u64>().ok()?.checked_mul(one(rate)?.bit_s())?;
        (1..=FASTEST_BIT_S as u64).contains(&bit_s).then(|| Rate::from_bit_s(bit_s))
    });
    several.or_else(|| one(text))
}

/// The rate of a signal such as "STM-16" or "OC-48c"; nothing for any other text.
fn rate_of_signal(text: &str) -> Option<Rate> {
    let text = text.trim().to_ascii_lowercase();
    let (of_one, number) =
        SIGNALS.iter().find_map(|(name, of_one)| Some((of_one, text.strip_prefix(name)?)))?;
    let number = number.trim_start_matches(['-', ' ']);
    let number = number.strip_suffix('c').unwrap_or(number).parse::<u64>().ok()?;
    let bit_s = of_one.checked_mul(number)?;
    (1..=FASTEST_BIT_S as u64).contains(&bit_s).then(|| Rate::from_bit_s(bit_s))
}

/// A number with a unit of rates, such as "10 Gbps"; nothing for any other text.
fn rate_with_unit(text: &str) -> Option<Rate> {
    let text = text.trim().trim_start_matches(['<', '>', '=', '~']).trim();
    if text.ends_with('B') {
        // Bytes, not bits.
        return None;
    }
    let text = text.to_ascii_lowercase();
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.')?;
    let (number, unit) = text.split_at(end);
    let unit = if GIGABIT_ETHERNET.contains(&unit.trim()) { "g" } else { unit.trim() };
    let of_unit =
        |(letter, factor): &(&str, u64)| BITS.contains(&unit.strip_prefix(letter)?).then_some(*factor);
    let factor = UNITS.iter().find_map(of_unit)?;
    let bit_s = number.parse::<f64>().ok()? * factor as f64;
    (1.0..=FASTEST_BIT_S).contains(&bit_s).then(|| Rate::from_bit_s(bit_s.round() as u64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_read_from_words_only_with_their_unit() {
        let rate = |text: &str| rate_of_words(text).map(Rate::bit_s);
        assert_eq!(rate("10 Gbps"), Some(10_000_000_000));
        assert_eq!(rate("155Mb/s"), Some(155_000_000));
        assert_eq!(rate("< 2.5 G"), Some(2_500_000_000));
        assert_eq!(rate("34 Mbit/s"), Some(34_000_000));
        assert_eq!(rate("2 x 10 Gbps"), Some(20_000_000_000));
        assert_eq!(rate("2x10G"), Some(20_000_000_000));
        assert_eq!(rate("10 GE"), Some(10_000_000_000));
        // STM-1 carries three times OC-1.
        assert_eq!(rate("STM-16"), Some(2_488_320_000));
        assert_eq!(rate("OC-48c"), rate("STM-16"));
        for words in [
            "",
            "10",
            "OC-",
            "OC-0",
            "10 GB",
            "Lambda",
            "0 M",
            "0 x 10G",
            "10 Gbps, 2.5 Gbps",
            "99999999999 T",
        ] {
            assert_eq!(rate(words), None, "{words}");
        }
    }
}
