//! Comma-separated lines under a heading, with the place of every field. Lines that begin with `#` are comments.

use std::borrow::Cow;
use std::collections::BTreeMap;

use hopscope_units::amount;

use crate::error::Fault;
use crate::lines::{Piece, content_lines, lines};

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

/// The lines below a heading.
pub(crate) struct Csv<'a> {
    /// The place in the lines of each column that the heading has.
    columns: BTreeMap<&'a str, usize>,
    fields: usize,
    rows: Vec<(usize, Vec<Piece<'a>>)>,
}

/// A line.
pub(crate) struct Row<'a, 'b> {
    csv: &'b Csv<'a>,
    /// Where it begins.
    pub byte: usize,
    fields: &'b [Piece<'a>],
}

impl<'a> Row<'a, '_> {
    /// A field, where the heading has its column; an empty one counts as not given.
    pub fn get(&self, column: &str) -> Option<Piece<'a>> {
        let piece = self.fields[*self.csv.columns.get(column)?];
        (!piece.1.is_empty()).then_some(piece)
    }

    /// A field that must not be empty, of a column that the heading needs.
    pub fn need(&self, column: &str, expected: &str) -> Result<Piece<'a>, Fault> {
        let (byte, field) = self.fields[self.csv.columns[column]];
        if field.is_empty() { Err(Fault::at(byte, "an empty field", expected)) } else { Ok((byte, field)) }
    }
}

/// Whether the first line that is no comment begins with these columns.
pub(crate) fn has_heading(text: &str, columns: &[&str]) -> bool {
    let Some(heading) = content_lines(text).next() else { return false };
    let mut found = heading.rest.split(',').map(str::trim);
    columns.iter().all(|column| found.next() == Some(column))
}

impl<'a> Csv<'a> {
    /// Reads a text whose heading has the first `needed` of these columns, in any order, and perhaps some of the
    /// others.
    pub fn read(text: &'a str, known: &[&str], needed: usize) -> Result<Self, Fault> {
        let mut csv = Self { columns: BTreeMap::new(), fields: 0, rows: Vec::new() };
        for (byte, line) in lines(text) {
            if line.trim().is_empty() || line.starts_with('#') {
                continue;
            }
            let fields = fields(byte, line);
            if csv.fields == 0 {
                csv.fields = fields.len();
                csv.read_heading(byte, fields, known, needed)?;
            } else if fields.len() == csv.fields {
                csv.rows.push((byte, fields));
            } else {
                return Err(miscounted(byte, line, [fields.len(), csv.fields]));
            }
        }
        if csv.rows.is_empty() {
            let expected = format!("a heading such as \"{}\" and lines below it", known[..needed].join(","));
            return Err(Fault::at(text.len(), "the file ends without a line", expected));
        }
        Ok(csv)
    }

    fn read_heading(
        &mut self,
        byte: usize,
        fields: Vec<Piece<'a>>,
        known: &[&str],
        needed: usize,
    ) -> Result<(), Fault> {
        for (place, (byte, name)) in fields.into_iter().enumerate() {
            if !known.contains(&name) {
                let expected = format!("one of {}", known.join(", "));
                let fault = Fault::at(byte, format!("no column is called \"{name}\""), expected);
                return Err(match meant(name, known) {
                    Some(column) => fault.hint(format!("did you mean \"{column}\"?")),
                    None => fault,
                });
            }
            if self.columns.insert(name, place).is_some() {
                return Err(Fault::at(byte, format!("a second column \"{name}\""), "each column once"));
            }
        }
        match known[..needed].iter().find(|column| !self.columns.contains_key(**column)) {
            None => Ok(()),
            Some(missing) => {
                let problem = format!("the heading has no column \"{missing}\"");
                let expected = format!("a heading such as \"{}\"", known[..needed].join(","));
                Err(Fault::at(byte, problem, expected))
            }
        }
    }

    /// The lines below the heading.
    pub fn rows(&self) -> impl Iterator<Item = Row<'a, '_>> {
        self.rows.iter().map(|(byte, fields)| Row { csv: self, byte: *byte, fields })
    }
}

/// A line that has another number of fields than the heading has columns.
fn miscounted(byte: usize, line: &str, [found, wanted]: [usize; 2]) -> Fault {
    let problem = amount(found, "field", "fields");
    let hint = if line.matches('"').count() % 2 == 1 {
        "a quotation mark is open; fields stand here without them"
    } else if found < wanted {
        "is the file cut short?"
    } else {
        "is a comma within a field, or a column missing in the heading?"
    };
    Fault::at(byte, problem, format!("{wanted}, as in the heading")).hint(hint)
}

/// The column that another tool's name for it means, where it is one of these.
fn meant(name: &str, known: &[&str]) -> Option<&'static str> {
    let name = name.to_lowercase();
    let name = name.split(['_', ' ', '-', '(']).next().unwrap_or_default();
    MEANT.iter().find(|(called, column)| *called == name && known.contains(column)).map(|(_, column)| *column)
}

/// A name as a field that no spreadsheet takes for a formula: behind an apostrophe where it begins as one.
pub(crate) fn shielded(name: &str) -> Cow<'_, str> {
    if is_formula(name) { format!("'{name}").into() } else { name.into() }
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

/// The fields of a line without the white space around them.
fn fields(byte: usize, line: &str) -> Vec<Piece<'_>> {
    let mut start = byte;
    let field = |raw: &'_ str| {
        let at = start + raw.len() - raw.trim_start().len();
        start += raw.len() + 1;
        at
    };
    let starts: Vec<usize> = line.split(',').map(field).collect();
    starts.into_iter().zip(line.split(',').map(str::trim)).collect()
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
