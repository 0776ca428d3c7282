//! Published cells: what a paper printed, and in which role a study may use it (`published/README.md`).

use serde::Serialize;

use crate::embedded::{self, Kind};

/// One row of a file of `published/`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct PublishedCell {
    /// Its name in studies.
    pub id: String,
    /// What was measured.
    pub quantity: String,
    /// Of what.
    pub configuration: String,
    /// At which place on the axis.
    pub at: String,
    /// As printed: a number, a range "0.64..1.28", or nothing.
    pub value: String,
    /// The unit of the value.
    pub unit: String,
    /// What the cell is for.
    pub role: String,
    /// How far a measurement may be off, relative.
    pub tolerance: f64,
    /// What the transcriber says of it.
    pub note: String,
}

impl PublishedCell {
    /// The value, where it is a number.
    pub fn number(&self) -> Option<f64> {
        self.value.trim().parse().ok()
    }
}

/// The files with published cells.
pub(crate) fn files() -> Vec<&'static str> {
    embedded::list(Kind::Published).into_iter().filter(|path| path.ends_with(".csv")).collect()
}

/// The cells of a file in their order; nothing where there is no such file.
pub(crate) fn cells(file: &str) -> Option<Vec<PublishedCell>> {
    let text = embedded::read(Kind::Published, file)?;
    let mut records = records(text).into_iter();
    let heading = records.next()?;
    let cell = |record: Vec<String>| {
        let field = |name: &str| {
            let column = heading.iter().position(|column| column == name);
            column.and_then(|column| record.get(column)).cloned().unwrap_or_default()
        };
        let at = if heading.iter().any(|column| column == "at") {
            field("at")
        } else {
            [field("era"), field("words")]
                .into_iter()
                .filter(|part| !part.is_empty())
                .collect::<Vec<_>>()
                .join(" ")
        };
        PublishedCell {
            id: field("id"),
            quantity: field("quantity"),
            configuration: field("configuration"),
            at,
            value: field("value"),
            unit: field("unit"),
            role: field("role"),
            tolerance: tolerance(&field("tolerance")),
            note: field("note"),
        }
    };
    Some(records.map(cell).collect())
}

/// A tolerance as written; nothing is none.
fn tolerance(text: &str) -> f64 {
    if text.is_empty() {
        0.0
    } else {
        text.parse().expect("a tolerance is a number: a test reads every file")
    }
}

/// The records of CSV: fields in quotes may hold commas, quotes written twice and line ends (RFC 4180).
fn records(text: &str) -> Vec<Vec<String>> {
    let (mut records, mut record, mut field) = (Vec::new(), Vec::new(), String::new());
    let mut quoted = false;
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '"' if quoted && letters.peek() == Some(&'"') => field.extend(letters.next()),
            '"' => quoted = !quoted,
            ',' if !quoted => record.push(std::mem::take(&mut field)),
            '\r' if !quoted => {}
            '\n' if !quoted => {
                record.push(std::mem::take(&mut field));
                records.push(std::mem::take(&mut record));
            }
            _ => field.push(letter),
        }
    }
    if !field.is_empty() || !record.is_empty() {
        record.push(field);
        records.push(record);
    }
    records.retain(|record| record.iter().any(|field| !field.is_empty()));
    records
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_in_quotes_hold_commas_and_quotes() {
        assert_eq!(records("a,b\n\"1, 2\",\"he \"\"said\"\"\"\n\n"), [["a", "b"], ["1, 2", "he \"said\""]]);
    }

    #[test]
    fn every_row_of_every_file_is_a_cell_of_its_own() {
        for file in files() {
            let text = embedded::read(Kind::Published, file).expect("a file that is listed");
            let cells = cells(file).expect("a file that is listed");
            assert_eq!(cells.len(), records(text).len() - 1, "{file}");
            let ids: std::collections::BTreeSet<_> = cells.iter().map(|cell| &cell.id).collect();
            assert_eq!(ids.len(), cells.len(), "{file}: each id stands once");
            for cell in &cells {
                assert!(
                    !cell.id.is_empty() && !cell.quantity.is_empty() && !cell.role.is_empty(),
                    "{file}: {cell:?}"
                );
            }
        }
    }

    #[test]
    fn what_stands_beside_a_cell_may_be_called_at_or_be_two_columns() {
        let ien = cells("ien138.csv").expect("a file of the project");
        assert_eq!((ien[0].id.as_str(), ien[0].at.as_str()), ("ien138/epr/same/1", "EPR 1"));
        let an1 = cells("an1.csv").expect("a file of the project");
        assert_eq!((an1[0].id.as_str(), an1[0].number()), ("an1/table1/torus/switches", Some(20.0)));
    }
}
