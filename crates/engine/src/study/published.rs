//! Published cells: what a paper printed, and in which role a study may use it (`published/README.md`).

use hopscope_formats::columns::table::{Columns, Row};
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
    let columns = columns(embedded::read(Kind::Published, file)?);
    let cell = |row: &Row<'_, '_>| {
        let field = |name: &str| {
            let field = columns.column(name).and_then(|column| row.field(column).ok());
            field.unwrap_or_default().to_owned()
        };
        let at = if columns.column("at").is_some() {
            field("at")
        } else {
            [field("era"), field("words")]
                .into_iter()
                .filter(|part| !part.is_empty())
                .collect::<Vec<_>>()
                .join(" ")
        };
        Ok(PublishedCell {
            id: field("id"),
            quantity: field("quantity"),
            configuration: field("configuration"),
            at,
            value: field("value"),
            unit: field("unit"),
            role: field("role"),
            tolerance: tolerance(&field("tolerance")),
            note: field("note"),
        })
    };
    Some(columns.table(&[], cell).expect("no cell is refused").rows)
}

fn columns(text: &str) -> Columns<'_> {
    Columns::read(text, &["id"], "a head with the column id")
        .expect("published cells: a test reads every file")
}

/// A tolerance as written; nothing is none.
fn tolerance(text: &str) -> f64 {
    if text.is_empty() {
        0.0
    } else {
        text.parse().expect("a tolerance is a number: a test reads every file")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_hold_commas_quotation_marks_and_line_ends() {
        let text = "\u{feff}id,note\r\n\r\na,\"1, 2\"\r\nb,\"he \"\"said\"\"\r\nso\"";
        let columns = columns(text);
        let note = columns.column("note").expect("a column");
        let notes = columns.table(&[], |row| row.field(note).map(str::to_owned)).expect("notes").rows;
        assert_eq!(notes, ["1, 2", "he \"said\"\r\nso"]);
    }

    #[test]
    fn every_row_of_every_file_is_a_cell_of_its_own() {
        for file in files() {
            let text = embedded::read(Kind::Published, file).expect("a file that is listed");
            let cells = cells(file).expect("a file that is listed");
            assert_eq!(cells.len(), text.lines().count() - 1, "{file}: a cell a line");
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
