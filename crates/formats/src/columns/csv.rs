//! Records of CSV under a heading of known columns, with the place of every field.

use std::borrow::Cow;
use std::collections::BTreeMap;

use hopscope_units::amount;

use crate::columns::records::{Record, records};
use crate::error::Fault;
use crate::lines::Piece;

/// What other tools call columns, each with what may be meant here.
const MEANT: [(&str, &str); 22] = [
    ("source", "from"),
    ("src", "from"),
    ("sender", "from"),
    ("local", "from"),
    ("a", "from"),
    ("destination", "to"),
    ("dest", "to"),
    ("dst", "to"),
    ("target", "to"),
    ("receiver", "to"),
    ("remote", "to"),
    ("neighbor", "to"),
    ("b", "to"),
    ("bytes", "size"),
    ("length", "size"),
    ("time", "start"),
    ("speed", "rate"),
    ("bandwidth", "rate"),
    ("latency", "delay"),
    ("id", "name"),
    ("port", "from_port"),
    ("type", "kind"),
];

/// The records below a heading.
pub(crate) struct Csv<'a> {
    /// The place in the records of each column that the heading has.
    columns: BTreeMap<String, usize>,
    rows: Vec<Record<'a>>,
}

/// A record.
pub(crate) struct Row<'a, 'b> {
    csv: &'b Csv<'a>,
    /// Where it begins.
    pub byte: usize,
    record: &'b Record<'a>,
}

impl<'b> Row<'_, 'b> {
    /// A field, where the heading has its column; an empty one counts as not given.
    pub fn get(&self, column: &str) -> Option<Piece<'b>> {
        let piece = self.record.fields[*self.csv.columns.get(column)?].piece();
        (!piece.1.is_empty()).then_some(piece)
    }

    /// A field that must not be empty, of a column that the heading needs.
    pub fn need(&self, column: &str, expected: &str) -> Result<Piece<'b>, Fault> {
        let (byte, field) = self.record.fields[self.csv.columns[column]].piece();
        if field.is_empty() { Err(Fault::at(byte, "an empty field", expected)) } else { Ok((byte, field)) }
    }
}

/// The first record's fields: the columns, where the text is CSV under a heading.
#[must_use]
pub fn csv_heading(text: &str) -> Vec<Cow<'_, str>> {
    let Some(Ok(heading)) = records(text).next() else { return Vec::new() };
    heading.fields.into_iter().map(|field| field.text).collect()
}

/// Whether the heading begins with these columns.
pub(crate) fn has_heading(text: &str, columns: &[&str]) -> bool {
    let found = csv_heading(text);
    columns.len() <= found.len() && columns.iter().zip(&found).all(|(column, found)| column == found)
}

impl<'a> Csv<'a> {
    /// Reads a text whose heading has the first `needed` of these columns, in any order, and perhaps some of the
    /// others.
    pub fn read(text: &'a str, known: &[&str], needed: usize) -> Result<Self, Fault> {
        let mut records = records(text);
        let (columns, fields) = match records.next() {
            Some(heading) => {
                let heading = heading?;
                (columns(&heading, known, needed)?, heading.fields.len())
            }
            None => (BTreeMap::new(), 0),
        };
        let whole = |record: Record<'a>| {
            let found = record.fields.len();
            if found == fields { Ok(record) } else { Err(miscounted(record.byte, [found, fields])) }
        };
        let csv = Self { columns, rows: records.map(|record| whole(record?)).collect::<Result<_, _>>()? };
        if csv.rows.is_empty() {
            let expected = format!("a heading such as \"{}\" and lines below it", known[..needed].join(","));
            return Err(Fault::at(text.len(), "the file ends without a line", expected));
        }
        Ok(csv)
    }

    /// The records below the heading.
    pub fn rows(&self) -> impl Iterator<Item = Row<'a, '_>> {
        self.rows.iter().map(|record| Row { csv: self, byte: record.byte, record })
    }
}

/// The place of each column in a heading that has the first `needed` of the known columns.
fn columns(heading: &Record<'_>, known: &[&str], needed: usize) -> Result<BTreeMap<String, usize>, Fault> {
    let mut columns = BTreeMap::new();
    for (place, field) in heading.fields.iter().enumerate() {
        let (byte, name) = field.piece();
        if !known.contains(&name) {
            let expected = format!("one of {}", known.join(", "));
            let fault = Fault::at(byte, format!("no column is called \"{name}\""), expected);
            return Err(match meant(name, known) {
                Some(column) => fault.hint(format!("did you mean \"{column}\"?")),
                None => fault,
            });
        }
        if columns.insert(name.to_owned(), place).is_some() {
            return Err(Fault::at(byte, format!("a second column \"{name}\""), "each column once"));
        }
    }
    match known[..needed].iter().find(|column| !columns.contains_key(**column)) {
        None => Ok(columns),
        Some(missing) => {
            let problem = format!("the heading has no column \"{missing}\"");
            let expected = format!("a heading such as \"{}\"", known[..needed].join(","));
            Err(Fault::at(heading.byte, problem, expected))
        }
    }
}

/// A record that has another number of fields than the heading has columns.
fn miscounted(byte: usize, [found, wanted]: [usize; 2]) -> Fault {
    let problem = amount(found, "field", "fields");
    let hint = if found < wanted {
        "is the file cut short?"
    } else {
        "is a column missing in the heading, or a comma in a field that is not in quotation marks?"
    };
    Fault::at(byte, problem, format!("{wanted}, as in the heading")).hint(hint)
}

/// The column that another tool's name for it means, where it is one of these.
fn meant(name: &str, known: &[&str]) -> Option<&'static str> {
    let name = name.to_lowercase();
    let name = name.split(['_', ' ', '-', '(']).next().unwrap_or_default();
    MEANT.iter().find(|(called, column)| *called == name && known.contains(column)).map(|(_, column)| *column)
}

/// A name as a field that no spreadsheet takes for a formula: behind an apostrophe if it begins as one, and within
/// quotation marks if it begins with such a mark.
pub(crate) fn shielded(name: &str) -> Cow<'_, str> {
    match name {
        _ if is_formula(name) => format!("'{name}").into(),
        _ if name.starts_with('"') => format!("\"{}\"", name.replace('"', "\"\"")).into(),
        _ => name.into(),
    }
}

/// The name that a field stands for: without the apostrophe that [`shielded`] puts before it.
pub(crate) fn unshielded((byte, field): Piece<'_>) -> Piece<'_> {
    match field.strip_prefix('\'') {
        Some(name) if is_formula(name) => (byte, name),
        _ => (byte, field),
    }
}

/// Whether a spreadsheet would compute this, apostrophes before it aside.
fn is_formula(name: &str) -> bool {
    name.trim_start_matches('\'').starts_with(['=', '+', '-', '@', '\t'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_other_tools_lead_to_the_column() {
        let known = ["from", "to", "size", "start"];
        for (heading, hint) in [
            ("source,to,size", Some("did you mean \"from\"?")),
            ("from,dst,size", Some("did you mean \"to\"?")),
            ("from,to,Bytes", Some("did you mean \"size\"?")),
            ("from,to,size,Time (us)", Some("did you mean \"start\"?")),
            ("from,to,size,speed", None),
            ("from,to,size,colour", None),
        ] {
            let text = format!("{heading}\nx,y,1 KiB\n");
            let fault = Csv::read(&text, &known, 3).err().expect(heading).in_text(&text);
            assert_eq!(fault.hint.as_deref(), hint, "{heading}");
        }
    }

    #[test]
    fn no_name_is_a_formula_and_every_name_comes_back() {
        for name in ["=1+1", "+a", "-", "@SUM(A1)", "'=1+1", "''-1", "leaf-1", "'quoted'", "", "\tx"] {
            let field = shielded(name);
            assert!(!field.starts_with(['=', '+', '-', '@', '\t']), "{field}");
            assert_eq!(unshielded((0, &field)).1, name);
        }
    }
}
