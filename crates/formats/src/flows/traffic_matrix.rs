//! Traffic matrices as CSV: a heading `from,to,weight`, then one line for each pair of hosts. Lines that begin with `#`
//! are comments.

use hopscope_traffic::WeightedPair;
use hopscope_units::amount;

use crate::columns::records::{Field, Record, records};
use crate::error::{Fault, FormatError, Place};

const HEADING: [&str; 3] = ["from", "to", "weight"];

/// Reads a traffic matrix.
///
/// # Errors
/// The first line that is no pair of hosts with a weight, or a file without any.
pub fn read(text: &str) -> Result<Vec<WeightedPair>, FormatError> {
    pairs(text).map_err(|fault| fault.in_text(text))
}

/// Where a field of the pair with this number, from 0, stands in a text that [`read`] has read; without a name, the
/// pair.
#[must_use]
pub fn place_of(text: &str, pair: usize, field: &str) -> Place {
    let found = records(text).nth(1 + pair).and_then(Result::ok).map(|record| {
        let column = HEADING.iter().position(|column| *column == field);
        column.and_then(|column| record.fields.get(column)).map_or(record.byte, |field| field.byte)
    });
    Place::of_byte(text, found.unwrap_or(0))
}

fn pairs(text: &str) -> Result<Vec<WeightedPair>, Fault> {
    let mut pairs = Vec::new();
    let mut heading_seen = false;
    for record in records(text) {
        let record = record?;
        let fields = fields(&record)?;
        if heading_seen {
            pairs.push(pair(fields)?);
        } else if fields.iter().map(|field| &*field.text).eq(HEADING) {
            heading_seen = true;
        } else {
            let problem = format!("the heading is \"{}\"", record.text);
            return Err(Fault::at(record.byte, problem, "\"from,to,weight\""));
        }
    }
    if pairs.is_empty() {
        let problem = "the file ends without a pair of hosts";
        return Err(Fault::at(text.len(), problem, "lines \"from,to,weight\""));
    }
    Ok(pairs)
}

fn fields<'a, 'b>(record: &'b Record<'a>) -> Result<&'b [Field<'a>; 3], Fault> {
    let found = record.fields.len();
    let expected = "three, separated by commas: from, to and weight";
    let fields = record.fields.as_slice().try_into();
    fields.map_err(|_| Fault::at(record.byte, amount(found, "field", "fields"), expected))
}

fn pair(fields: &[Field<'_>; 3]) -> Result<WeightedPair, Fault> {
    let [(from, from_at), (to, to_at), (weight, weight_at)] =
        fields.each_ref().map(|field| (&*field.text, field.byte));
    for (name, at) in [(from, from_at), (to, to_at)] {
        if name.is_empty() {
            return Err(Fault::at(at, "an empty name", "the name of a host"));
        }
    }
    match weight.parse() {
        Ok(weight) if f64::is_finite(weight) && weight >= 0.0 => {
            Ok(WeightedPair { from: from.to_owned(), to: to.to_owned(), weight })
        }
        _ => Err(Fault::at(weight_at, format!("a weight of \"{weight}\""), "a number of 0 or more")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn reads_pairs() {
        let pairs = read("# measured in May\nfrom,to,weight\na, b, 2.5\n\nb,a,1\n").expect("a matrix");
        let told: Vec<_> = pairs.iter().map(|p| (p.from.as_str(), p.to.as_str(), p.weight)).collect();
        assert_eq!(told, [("a", "b", 2.5), ("b", "a", 1.0)]);
    }

    #[test]
    fn finds_the_fields_again() {
        let text = "# of May\nfrom,to,weight\n\n a,  b, 1\nc,d,2\n";
        let told = |pair, field| {
            let Place { line, column } = place_of(text, pair, field);
            (line, column)
        };
        assert_eq!([told(0, "from"), told(0, "to"), told(0, "weight")], [(4, 2), (4, 6), (4, 9)]);
        assert_eq!([told(1, "weight"), told(1, ""), told(0, "")], [(5, 5), (5, 1), (4, 2)]);
        assert_eq!(told(7, "to"), (1, 1), "a pair that there is not");
    }

    #[test]
    fn reads_csv_as_spreadsheets_write_it() {
        let text = "\u{feff}\"from\",to,weight\r\n\r\n\"a, \"\"b\"\"\nc\",d,\"2\"";
        let pairs = read(text).expect("a matrix");
        assert_eq!(
            (pairs[0].from.as_str(), pairs[0].to.as_str(), pairs[0].weight),
            ("a, \"b\"\nc", "d", 2.0)
        );
        let Place { line, column } = place_of(text, 0, "to");
        assert_eq!((line, column), (4, 4));
    }

    #[test]
    fn says_where_and_what() {
        let told = |text: &str| read(text).expect_err("no matrix").to_string();
        assert_eq!(
            told("a,b,1\n"),
            "line 1, column 1: the heading is \"a,b,1\"; expected \"from,to,weight\""
        );
        assert_eq!(
            told("from,to,weight\na,b, x\n"),
            "line 2, column 6: a weight of \"x\"; expected a number of 0 or more"
        );
        assert_eq!(
            told("from,to,weight\na,b\n"),
            "line 2, column 1: 2 fields; expected three, separated by commas: from, to and weight"
        );
        assert_eq!(
            told("from,to,weight\na,,1\n"),
            "line 2, column 3: an empty name; expected the name of a host"
        );
        assert_eq!(
            told(""),
            "line 1, column 1: the file ends without a pair of hosts; expected lines \"from,to,weight\""
        );
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "(from,to,weight\n)?[a-c,0-9. \n#é-]{0,60}") {
            if let Err(error) = read(&text) {
                prop_assert!(error.line as usize <= text.lines().count() + 1);
            }
        }
    }
}
