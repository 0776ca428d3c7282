//! Numbers as people type them on a command line: `50%`, `100k`, `2.5M`, `1e5`, `.6`. Files are TOML alone.

use crate::tree::{Node, Value};

/// Below this, a float holds every whole number.
const WHOLE_IN_A_FLOAT: f64 = 9_007_199_254_740_992.0;

/// The number that an unquoted word stands for; nothing where it is none of these forms.
pub(crate) fn number(word: &str) -> Option<Value> {
    if let Some(share) = word.strip_suffix('%') {
        // The decimal point is moved in the text, so that 0.1% is the float nearest to 0.001.
        return decimal(share, "e-2").map(Value::Float);
    }
    for (suffix, exponent) in [('k', "e3"), ('M', "e6")] {
        if let Some(count) = word.strip_suffix(suffix) {
            return decimal(count, exponent).and_then(whole);
        }
    }
    // TOML has no number that begins or ends with its point.
    if word.trim_start_matches(['+', '-']).starts_with('.') || word.ends_with('.') {
        return decimal(word, "").map(Value::Float);
    }
    let mantissa = word.split_once(['e', 'E'])?.0;
    decimal(mantissa, "").and_then(|_| word.parse().ok()).and_then(whole)
}

/// The same as a number of TOML: `50%` is `0.5`, `100k` is `100000`.
#[must_use]
pub fn plain_number(word: &str) -> Option<String> {
    match number(word)? {
        Value::Integer(number) => Some(number.to_string()),
        Value::Float(number) => Some(format!("{number:?}")),
        _ => None,
    }
}

/// The word that a number was typed as in an override, where a file would not have it as one: a field that takes a text
/// may mean the text, as a rate of `100M`.
pub(crate) fn of(node: &Node) -> Option<&str> {
    let is_number = matches!(node.value, Value::Integer(_) | Value::Float(_));
    let word = &node.place.source.text[node.place.span.clone()];
    (is_number && node.place.source.is_override() && number(word).is_some()).then_some(word)
}

/// What looks like a range: its two ends, and the step where it says one.
#[derive(Debug, PartialEq)]
pub(crate) struct Range<'a> {
    pub first: &'a str,
    pub last: &'a str,
    pub step: Option<&'a str>,
}

/// The range that a word looks like: `0.1..0.9`, with or without its step, or `0.1:0.9:0.1` as other tools have it.
pub(crate) fn range(word: &str) -> Option<Range<'_>> {
    let found = match word.split_once("..") {
        Some((first, rest)) => {
            let (last, step) = rest.split_once(':').map_or((rest, None), |(last, step)| (last, Some(step)));
            Range { first, last, step }
        }
        None => {
            let mut parts = word.split(':');
            let (first, last, step) = (parts.next()?, parts.next()?, parts.next()?);
            // Some tools have the step in the middle: whichever reaches further is the end.
            let is_end = decimal(last, "")? >= decimal(step, "")?;
            let (last, step) = if is_end { (last, step) } else { (step, last) };
            let range = Range { first, last, step: Some(step) };
            if parts.next().is_some() { return None } else { range }
        }
    };
    let is_number = |text| decimal(text, "").is_some() || number(text).is_some();
    (is_number(found.first) && is_number(found.last)).then_some(found)
}

fn decimal(digits: &str, exponent: &str) -> Option<f64> {
    let is_plain = digits.starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c))
        && digits.chars().all(|c| c.is_ascii_digit() || "+-._".contains(c));
    let text = digits.replace('_', "");
    if is_plain { format!("{text}{exponent}").parse().ok() } else { None }
}

fn whole(number: f64) -> Option<Value> {
    #[allow(clippy::cast_possible_truncation, reason = "the number is whole and small enough")]
    (number.fract() == 0.0 && number.abs() < WHOLE_IN_A_FLOAT).then_some(Value::Integer(number as i64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_people_type() {
        for (word, meant) in [("50%", 0.5), ("0.1%", 0.001), ("7%", 0.07), ("12.5%", 0.125), ("-3%", -0.03)] {
            assert!(matches!(number(word), Some(Value::Float(read)) if read == meant), "{word}");
        }
        for (word, meant) in
            [("100k", 100_000), ("2.5M", 2_500_000), ("1e5", 100_000), ("2.5E3", 2_500), ("1_0k", 10_000)]
        {
            assert!(matches!(number(word), Some(Value::Integer(read)) if read == meant), "{word}");
        }
        // With or without a unit, a number may begin or end with its point.
        for (word, meant) in
            [(".6", 0.6), ("-.6", -0.6), ("+.5", 0.5), ("1.", 1.0), (".6%", 0.006), ("6.%", 0.06)]
        {
            assert!(matches!(number(word), Some(Value::Float(read)) if read == meant), "{word}");
        }
    }

    #[test]
    fn writes_them_as_toml_does() {
        assert_eq!(plain_number("50%").as_deref(), Some("0.5"));
        assert_eq!(plain_number("1e5").as_deref(), Some("100000"));
        assert_eq!(plain_number("100 Mbit/s"), None);
    }

    #[test]
    fn leaves_alone_what_is_none_of_these() {
        for word in [
            "",
            ".",
            "-.",
            "+-.5",
            "0.5.",
            "..",
            "%",
            "k",
            "0.5",
            "12",
            "100 Mbit/s",
            "1.0001k",
            "1e-3",
            "5kk",
            "e5",
            "1e99",
            "nan%",
            "hot%",
        ] {
            assert!(number(word).is_none(), "{word}");
        }
    }

    #[test]
    fn knows_a_range() {
        for word in ["0.1..0.9", "0.1..0.9:0.1", "10%..90%", "1k..5k:1k"] {
            assert!(range(word).is_some(), "{word}");
        }
        for word in ["0.1:0.9:0.1", "0.1:0.1:0.9", "0.1..0.9:0.1"] {
            assert_eq!(range(word), Some(Range { first: "0.1", last: "0.9", step: Some("0.1") }), "{word}");
        }
        for word in ["0.1", "../file.csv", "a..b", "1..", "..2", "1:2", "1:2:3:4", "leaf:1:2", "1:2:b"] {
            assert!(range(word).is_none(), "{word}");
        }
    }
}
