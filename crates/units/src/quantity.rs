//! Quantities as text: numbers with units, read and written.

use core::fmt;

/// One unit of a quantity: its names, the first of which is written, and how many base units it is.
pub(crate) struct Unit {
    pub names: &'static [&'static str],
    pub scale: u64,
}

/// Every name of a unit with its size in base units.
pub(crate) fn sizes(units: &'static [Unit]) -> impl Iterator<Item = (&'static str, u64)> {
    units.iter().flat_map(|unit| unit.names.iter().map(|name| (*name, unit.scale)))
}

/// Why a text is not the quantity that was expected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseQuantityError {
    /// What was expected, with an example.
    pub expected: &'static str,
    /// What is wrong with the text.
    pub problem: String,
}

impl fmt::Display for ParseQuantityError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}; expected {}", self.problem, self.expected)
    }
}

impl core::error::Error for ParseQuantityError {}

/// Reads "12.5 ms" or ".5 ms" exactly: digits, at most one point, optional space, a unit. The value must be whole in
/// base units. Where the unit is none of these, `meant` may know what to write instead of the number and it.
pub(crate) fn parse(
    text: &str,
    units: &[Unit],
    expected: &'static str,
    meant: impl Fn(&str, &str) -> Option<String>,
) -> Result<u64, ParseQuantityError> {
    let refuse = |problem: String| Err(ParseQuantityError { expected, problem });
    let text = text.trim();
    if text.starts_with('-') {
        return refuse(format!("\"{text}\" is negative"));
    }
    let split = text.find(|c: char| !(c.is_ascii_digit() || c == '.' || c == '_')).unwrap_or(text.len());
    let (number, unit) = (text[..split].replace('_', ""), text[split..].trim());
    let names = || units.iter().map(|u| u.names[0]).collect::<Vec<_>>().join(", ");
    let Some(unit) = units.iter().find(|u| u.names.contains(&unit)) else {
        return refuse(if has_exponent(unit) {
            format!("\"{text}\" has an exponent, which is not read")
        } else if unit.is_empty() {
            format!("\"{text}\" has no unit (one of {})", names())
        } else {
            let meant = meant(&number, unit).map(|instead| format!(": {instead}")).unwrap_or_default();
            format!("\"{unit}\" is not one of the units {}{meant}", names())
        });
    };
    let (whole, fraction) = number.split_once('.').unwrap_or((&number, ""));
    if (whole.is_empty() && fraction.is_empty())
        || fraction.contains('.')
        || fraction.len() > 18
        || whole.len() > 20
    {
        return refuse(format!("\"{number}\" is not a number"));
    }
    let digits: u128 = format!("{whole}{fraction}").parse().unwrap_or(u128::MAX);
    let too_large =
        || format!("\"{text}\" is too large: the most is {} {}", u64::MAX / unit.scale, unit.names[0]);
    let Some(scaled) = digits.checked_mul(u128::from(unit.scale)) else {
        return refuse(too_large());
    };
    let parts = 10u128.pow(fraction.len() as u32);
    if !scaled.is_multiple_of(parts) {
        return refuse(format!("\"{text}\" is finer than the simulation can resolve"));
    }
    u64::try_from(scaled / parts).or_else(|_| refuse(too_large()))
}

/// For a quantity without suggestions for unknown units.
pub(crate) fn nothing_else(_: &str, _: &str) -> Option<String> {
    None
}

/// Whether what follows the digits of a number is its exponent, as in "1e30 s".
fn has_exponent(rest: &str) -> bool {
    let digits = rest.strip_prefix(['e', 'E']).map(|power| power.trim_start_matches(['+', '-']));
    digits.is_some_and(|digits| digits.starts_with(|c: char| c.is_ascii_digit()))
}

/// Writes the value in the largest of the units (given largest first) in which it is at least 1, without losing a
/// digit.
pub(crate) fn write(f: &mut fmt::Formatter<'_>, value: u64, units: &[Unit]) -> fmt::Result {
    let unit = if value == 0 { units.first() } else { units.iter().find(|u| value >= u.scale) };
    let unit = unit.or(units.last()).expect("a quantity has units");
    let (whole, rest) = (value / unit.scale, value % unit.scale);
    if rest == 0 {
        return write!(f, "{whole} {}", unit.names[0]);
    }
    let digits = unit.scale.ilog10() as usize;
    let fraction = format!("{rest:0digits$}");
    write!(f, "{whole}.{} {}", fraction.trim_end_matches('0'), unit.names[0])
}

#[cfg(test)]
mod tests {
    use crate::{Data, Rate, Span};
    use proptest::prelude::*;

    #[test]
    fn says_what_is_wrong() {
        let problem = |text: &str| text.parse::<Span>().unwrap_err().problem;
        assert_eq!(problem("12"), "\"12\" has no unit (one of s, ms, us, ns, ps, min, h, d)");
        assert_eq!(problem("12 parsecs"), "\"parsecs\" is not one of the units s, ms, us, ns, ps, min, h, d");
        assert_eq!(problem("-1 s"), "\"-1 s\" is negative");
        assert_eq!(problem("0.5 ps"), "\"0.5 ps\" is finer than the simulation can resolve");
        assert_eq!(".6 s".parse(), Ok(Span::from_ms(600)));
        assert_eq!(problem(". s"), "\".\" is not a number");
        assert_eq!(problem("..6 s"), "\"..6\" is not a number");
        assert_eq!(problem("1.2.3 s"), "\"1.2.3\" is not a number");
        assert_eq!(problem("999999999999 h"), "\"999999999999 h\" is too large: the most is 5124 h");
        assert_eq!(problem("400 d"), "\"400 d\" is too large: the most is 213 d");
        assert_eq!(problem("1e30 s"), "\"1e30 s\" has an exponent, which is not read");
        assert_eq!(problem("2.5E-3s"), "\"2.5E-3s\" has an exponent, which is not read");
        assert_eq!(problem("3 eons"), "\"eons\" is not one of the units s, ms, us, ns, ps, min, h, d");
        assert_eq!(problem(""), "\"\" has no unit (one of s, ms, us, ns, ps, min, h, d)");
        assert_eq!(problem("ms"), "\"\" is not a number");
    }

    proptest! {
        #[test]
        fn what_is_written_reads_back(n: u64) {
            prop_assert_eq!(Span::from_ps(n).to_string().parse(), Ok(Span::from_ps(n)));
            prop_assert_eq!(Rate::from_bit_s(n).to_string().parse(), Ok(Rate::from_bit_s(n)));
            prop_assert_eq!(Data::from_bits(n).to_string().parse(), Ok(Data::from_bits(n)));
        }

        #[test]
        fn no_text_panics(text in "\\PC*") {
            let _ = (text.parse::<Span>(), text.parse::<Rate>(), text.parse::<Data>());
        }
    }
}
