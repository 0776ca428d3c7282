//! Hints with the right form worked out, where a number or its unit is not written as the field takes it.

use hopscope_units::{Data, Rate, Span};

use crate::shorthand::plain_number;
use crate::tree::Value;

/// What has a unit.
#[derive(Clone, Copy)]
enum Quantity {
    Time,
    Rate,
    Data,
}

/// Units as names of fields end with them, and how many base units each is: picoseconds, bit/s, bits.
const ENDINGS: [(&str, Quantity, u64); 22] = [
    ("ps", Quantity::Time, 1),
    ("ns", Quantity::Time, 1_000),
    ("us", Quantity::Time, 1_000_000),
    ("ms", Quantity::Time, 1_000_000_000),
    ("s", Quantity::Time, 1_000_000_000_000),
    ("sec", Quantity::Time, 1_000_000_000_000),
    ("seconds", Quantity::Time, 1_000_000_000_000),
    ("bps", Quantity::Rate, 1),
    ("kbps", Quantity::Rate, 1_000),
    ("mbps", Quantity::Rate, 1_000_000),
    ("gbps", Quantity::Rate, 1_000_000_000),
    ("tbps", Quantity::Rate, 1_000_000_000_000),
    ("mbit", Quantity::Rate, 1_000_000),
    ("gbit", Quantity::Rate, 1_000_000_000),
    ("bits", Quantity::Data, 1),
    ("bytes", Quantity::Data, 8),
    ("b", Quantity::Data, 8),
    ("kb", Quantity::Data, 8_000),
    ("mb", Quantity::Data, 8_000_000),
    ("kib", Quantity::Data, 8 * 1024),
    ("mib", Quantity::Data, 8 * 1024 * 1024),
    ("gib", Quantity::Data, 8 * 1024 * 1024 * 1024),
];

impl Quantity {
    /// The base units of a text such as "10 us".
    fn read(self, text: &str) -> Option<u64> {
        match self {
            Self::Time => text.parse().ok().map(Span::ps),
            Self::Rate => text.parse().ok().map(Rate::bit_s),
            Self::Data => text.parse().ok().map(Data::bits),
        }
    }

    fn write(self, base: u64) -> String {
        match self {
            Self::Time => Span::from_ps(base).to_string(),
            Self::Rate => Rate::from_bit_s(base).to_string(),
            Self::Data => Data::from_bits(base).to_string(),
        }
    }
}

/// What to write where the text of a number stands in a field that takes one: `load = "50%"`, `bytes = "1 kB"`.
pub(crate) fn number_instead(field: &str, text: &str) -> Option<String> {
    let text = text.trim();
    if let Some(number) = bare(text) {
        return Some(format!("write {field} = {number}"));
    }
    if let Some((_, quantity, scale)) = ending(field) {
        #[allow(clippy::cast_precision_loss, reason = "a hint shows what people type")]
        return quantity.read(text).map(|base| format!("write {field} = {}", base as f64 / scale as f64));
    }
    if is_quantity(text) {
        return Some(format!("{field} is a number without a unit"));
    }
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, words) = text.split_at(end);
    let is_counted = words.trim_start().chars().all(char::is_alphabetic);
    bare(number).filter(|_| is_counted).map(|number| format!("write {field} = {number}"))
}

/// What was meant where the right of `=` is no TOML.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Meant {
    /// A number, as TOML has it: `messages = 50,000`, `load = 10 %`.
    Number(String),
    /// A text without its quotes: `rate = 1 Gbit/s`.
    Quantity(String),
    /// What begins as a number does, and may be either: `12abc`.
    NumberOrText,
}

impl Meant {
    /// What was meant by this text; nothing where no number begins it.
    pub fn by(text: &str) -> Option<Self> {
        let close: String = text.split_whitespace().collect();
        let number = without_commas(text).or_else(|| with_zero(text)).or_else(|| plain_number(&close));
        let is_number_begun =
            || text.trim_start_matches(['+', '-', '.']).starts_with(|c: char| c.is_ascii_digit());
        match number {
            Some(number) => Some(Self::Number(number)),
            None if is_quantity(text) => Some(Self::Quantity(text.to_owned())),
            None => is_number_begun().then_some(Self::NumberOrText),
        }
    }

    /// What this is, in the words of a message.
    pub const fn expected(&self) -> &'static str {
        match self {
            Self::Number(_) => "a number",
            Self::Quantity(_) => TEXT,
            Self::NumberOrText => "a number, or text in quotes",
        }
    }

    /// What to write for it.
    pub fn hint(&self, field: &str) -> Option<String> {
        match self {
            Self::Number(number) => Some(format!("write {field} = {number}")),
            Self::Quantity(text) => Some(format!("put it in quotes: {field} = \"{text}\"")),
            Self::NumberOrText => None,
        }
    }
}

/// What is expected where a value is a text.
pub(crate) const TEXT: &str = "text in quotes";

/// A number whose digits commas group, or that has one in the place of the point.
fn without_commas(text: &str) -> Option<String> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let groups: Vec<&str> = digits.split(',').collect();
    let is_number = groups.iter().all(|group| !group.is_empty() && group.chars().all(|c| c.is_ascii_digit()));
    if groups.len() < 2 || !is_number {
        return None;
    }
    let is_grouped = !groups[0].starts_with('0') && groups[1..].iter().all(|group| group.len() == 3);
    let mark = if is_grouped { "_" } else { "." };
    (is_grouped || groups.len() == 2).then(|| text.replace(',', mark))
}

/// A number that begins or ends with its point, with the zero that TOML wants there.
fn with_zero(text: &str) -> Option<String> {
    let (sign, digits) = text.strip_prefix('-').map_or(("", text), |digits| ("-", digits));
    let (whole, fraction) = digits.split_once('.')?;
    let is_digits = |part: &str| part.chars().all(|c| c.is_ascii_digit());
    let is_number = is_digits(whole) && is_digits(fraction) && whole.is_empty() != fraction.is_empty();
    let or_zero = |part| if str::is_empty(part) { "0" } else { part };
    is_number.then(|| format!("{sign}{}.{}", or_zero(whole), or_zero(fraction)))
}

/// What to write where a field that takes a text with its unit was called by that unit, as in `delay_us = 5`.
pub(crate) fn quantity_instead(name: &str, known: &[&str], value: &Value) -> Option<String> {
    let (stem, quantity, scale) = ending(name)?;
    let field = known.iter().find(|field| **field == stem)?;
    #[allow(clippy::cast_precision_loss, reason = "a hint shows what people type")]
    let number = match value {
        Value::Integer(number) => *number as f64,
        Value::Float(number) => *number,
        _ => return None,
    };
    #[allow(clippy::cast_precision_loss, reason = "a hint shows what people type")]
    let base = (number * scale as f64).round();
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the range is checked")]
    (0.0..1e18).contains(&base).then(|| format!("write {field} = \"{}\"", quantity.write(base as u64)))
}

/// What to write where one of several laws is to be chosen, and its constant alone is given: `sizes = "1000 B"`. A law
/// of nothing is none: 0 is not proposed.
pub(crate) fn choice_instead(text: &str, choices: &[&str]) -> Option<String> {
    // No law gives rates, and a count such as "4k" reads as one.
    let base = [Quantity::Time, Quantity::Data].iter().find_map(|quantity| quantity.read(text));
    let is_meant = choices.contains(&FIXED) && base.is_some_and(|base| base > 0);
    is_meant.then(|| format!("write {{ {FIXED} = \"{text}\" }}"))
}

/// What laws call the one that always gives the same.
const FIXED: &str = "fixed";

/// The stem of a name that ends with a unit, and the unit; a name that is a unit is its own stem.
fn ending(name: &str) -> Option<(&str, Quantity, u64)> {
    let (stem, unit) = name.rsplit_once('_').unwrap_or((name, name));
    let is_whole_name = stem == name;
    let found = ENDINGS.iter().find(|(ending, ..)| unit.eq_ignore_ascii_case(ending))?;
    // A field that is called "s" or "b" is no unit.
    (!is_whole_name || unit.len() > 3).then_some((stem, found.1, found.2))
}

/// Whether a text is a quantity, whichever.
fn is_quantity(text: &str) -> bool {
    [Quantity::Time, Quantity::Rate, Quantity::Data].iter().any(|quantity| quantity.read(text).is_some())
}

/// The number that a text is by itself, as TOML has it.
fn bare(text: &str) -> Option<String> {
    if let Some(number) = with_zero(text) {
        return Some(number);
    }
    let is_digits = text.starts_with(|c: char| c.is_ascii_digit() || c == '-');
    let number = text.parse::<f64>().ok().filter(|number| is_digits && number.is_finite());
    plain_number(text).or_else(|| number.map(|_| text.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_in_quotes_or_with_a_unit_is_worked_out() {
        let told = |field, text| number_instead(field, text).unwrap_or_default();
        assert_eq!(told("load", "0.5"), "write load = 0.5");
        assert_eq!(told("load", "50%"), "write load = 0.5");
        assert_eq!(told("load", ".6"), "write load = 0.6");
        assert_eq!(told("load", "1."), "write load = 1.0");
        assert_eq!(told("load", "."), "");
        assert_eq!(told("messages", "100k"), "write messages = 100000");
        assert_eq!(told("bytes", "1.5 kB"), "write bytes = 1500");
        assert_eq!(told("below_bits", "1 KiB"), "write below_bits = 8192");
        assert_eq!(told("rate_gbps", "100 Gbit/s"), "write rate_gbps = 100");
        assert_eq!(told("delay_us", "2.5 ms"), "write delay_us = 2500");
        assert_eq!(told("window", "10 us"), "window is a number without a unit");
        assert_eq!(told("buffers", "34 buffers"), "write buffers = 34");
        for text in ["high", "", "10 us or so", "0.5.1", "-", "nan", "delay_us"] {
            assert_eq!(told("load", text), "", "{text}");
        }
        assert_eq!(told("delay_us", "100 Gbit/s"), "");
    }

    #[test]
    fn a_field_called_by_its_unit_is_worked_out() {
        let told = |name, value| quantity_instead(name, &["rate", "delay"], &value).unwrap_or_default();
        assert_eq!(told("rate_gbps", Value::Integer(100)), "write rate = \"100 Gbit/s\"");
        assert_eq!(told("delay_us", Value::Float(0.48)), "write delay = \"480 ns\"");
        assert_eq!(told("delay_us", Value::Integer(-1)), "");
        assert_eq!(told("delay_us", Value::Text("5 us".into())), "");
        assert_eq!(told("speed_gbps", Value::Integer(100)), "");
        assert_eq!(told("delay", Value::Integer(1)), "");
    }

    #[test]
    fn a_constant_is_a_law() {
        assert_eq!(
            choice_instead("1000 B", &["fixed", "uniform"]).as_deref(),
            Some("write { fixed = \"1000 B\" }")
        );
        assert_eq!(choice_instead("1000 B", &["uniform"]), None);
        assert_eq!(choice_instead("4k", &["fixed", "uniform"]), None);
        assert_eq!(choice_instead("0 B", &["fixed", "uniform"]), None);
        assert_eq!(choice_instead("unifrom", &["fixed", "uniform"]), None);
    }
}
