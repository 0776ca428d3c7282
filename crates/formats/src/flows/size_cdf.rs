//! Distributions of flow sizes, as the traffic generators of the literature write them: in each line a size in bytes
//! and the share of flows up to it, in per cent where the last line says 100, else as a fraction. What follows `#` is a
//! comment.

use hopscope_traffic::flows::{CdfPoint, SizeDistribution};

use crate::error::{Fault, FormatError, Place};
use crate::lines::{Cursor, lines};

const LINE: &str = "a size in bytes and the share of flows up to it, such as \"10000 0.15\"";

/// Reads a distribution.
///
/// # Errors
/// The first line that is no such pair, whose share or size falls, or a last one that is not the share of all flows;
/// with its place.
pub fn read(text: &str) -> Result<Vec<CdfPoint>, FormatError> {
    points(text).map_err(|fault| fault.in_text(text))
}

/// Where the point with this number, from 0, stands in a text that [`read`] has read.
#[must_use]
pub fn place_of(text: &str, point: usize) -> Place {
    Place::of_byte(text, told_lines(text).nth(point).map_or(0, |line| line.byte))
}

/// The lines that say something, without comments and the white space before them.
fn told_lines(text: &str) -> impl Iterator<Item = Cursor<'_>> {
    lines(text).filter_map(|(byte, line)| {
        let mut cursor = Cursor::new((byte, line.split('#').next().unwrap_or_default()));
        cursor.blank();
        (!cursor.rest.is_empty()).then_some(cursor)
    })
}

fn points(text: &str) -> Result<Vec<CdfPoint>, Fault> {
    let found: Vec<(usize, CdfPoint)> =
        told_lines(text).map(|cursor| Ok((cursor.byte, point(cursor)?))).collect::<Result<_, Fault>>()?;
    let per_cent = found.last().is_some_and(|(_, point)| point.share == 100.0);
    let scale = if per_cent { 100.0 } else { 1.0 };
    let points: Vec<CdfPoint> =
        found.iter().map(|(_, point)| CdfPoint { share: point.share / scale, ..*point }).collect();
    match SizeDistribution::of(&points) {
        Ok(_) => Ok(points),
        Err((at, problem, expected)) => {
            let byte = found.get(at).map_or(text.len(), |(byte, _)| *byte);
            let fault = Fault::at(byte, problem, expected);
            Err(if at + 1 >= found.len() { fault.hint("is the file cut short?") } else { fault })
        }
    }
}

fn point(mut cursor: Cursor<'_>) -> Result<CdfPoint, Fault> {
    let (byte, word) = field(&mut cursor);
    let bytes = whole(word)
        .ok_or_else(|| Fault::at(byte, format!("\"{word}\" is not a size"), "a size in whole bytes"))?;
    cursor.take(",");
    let (byte, word) = field(&mut cursor);
    let share = match word.parse() {
        Ok(share) if f64::is_finite(share) && share >= 0.0 => share,
        _ if word.is_empty() => return Err(Fault::at(byte, "the line ends here", LINE)),
        _ => {
            return Err(Fault::at(
                byte,
                format!("\"{word}\" is not a share"),
                "a share, from 0 to 1 or to 100 per cent",
            ));
        }
    };
    cursor.blank();
    if !cursor.rest.is_empty() {
        return Err(cursor.missing(LINE));
    }
    Ok(CdfPoint { bytes, share })
}

/// What is next up to white space or a comma.
fn field<'a>(cursor: &mut Cursor<'a>) -> (usize, &'a str) {
    cursor.blank();
    let end = cursor.rest.find([' ', '\t', ',']).unwrap_or(cursor.rest.len());
    let word = (cursor.byte, &cursor.rest[..end]);
    cursor.skip(end);
    word
}

/// A whole number, which generators also write as 1e6 or 1000.0.
fn whole(word: &str) -> Option<u64> {
    word.parse().ok().or_else(|| {
        let number: f64 = word.parse().ok()?;
        ((0.0..1e15).contains(&number) && number.fract() == 0.0).then_some(number as u64)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn told(text: &str) -> String {
        read(text).expect_err("no distribution").to_string()
    }

    #[test]
    fn reads_fractions_and_per_cent_alike() {
        let fractions = read("0 0\n10000 0.15\n2e4 1 # the rest\n").expect("a distribution");
        assert_eq!(fractions, read("# sizes\n0,0\n10000, 15\n\n20000,100\n").expect("a distribution"));
        assert_eq!(fractions[1], CdfPoint { bytes: 10_000, share: 0.15 });
    }

    #[test]
    fn finds_the_points_again() {
        let text = "# sizes\n0 0\n\n  10 0.5 # half\n20 1\n";
        let told = |point| (place_of(text, point).line, place_of(text, point).column);
        assert_eq!([told(0), told(1), told(2)], [(2, 1), (4, 3), (5, 1)]);
    }

    #[test]
    fn says_where_and_what() {
        assert_eq!(
            told("0 0\n10 0.6\n20 0.5\n30 1\n"),
            "line 3, column 1: the cumulative share falls from 0.6 to 0.5; expected cumulative shares that never fall"
        );
        assert_eq!(
            told("0 0\n10 0.6\n9 1\n"),
            "line 3, column 1: size 9 B follows size 10 B; expected sizes in ascending order"
        );
        assert_eq!(
            told("0 0\n10 0.6\n"),
            "line 2, column 1: the last share is 0.6; expected 1, the share of all flows"
        );
        assert_eq!(
            told("10 1\n ten 2\n"),
            "line 2, column 2: \"ten\" is not a size; expected a size in whole bytes"
        );
        assert_eq!(
            told("10\n"),
            "line 1, column 3: the line ends here; expected a size in bytes and the share of flows up to it, such as \"10000 0.15\""
        );
        assert_eq!(told("# no\n"), "line 2, column 1: the distribution has no points; expected at least one");
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "[0-9.e, #a\n-]{0,60}") {
            if let Err(error) = read(&text) {
                prop_assert!(error.line as usize <= text.lines().count() + 1);
            }
        }
    }
}
