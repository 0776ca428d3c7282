//! Files of values: CSV whose head names the columns. Further columns are left alone.

use crate::columns::records::{Record, records};
use crate::error::{Fault, FormatError, Place};

/// What a file of values holds.
#[derive(Clone, Debug)]
pub struct Table<T> {
    /// The rows, in the order of the file.
    pub rows: Vec<T>,
    /// Where they stand: what is wrong with a value may be found only when all is put together.
    pub places: CellPlaces,
}

/// Where the fields of a file's rows stand.
#[derive(Clone, Debug)]
pub struct CellPlaces {
    /// The fields of a row as parameters call them, and the names of their columns.
    fields: Vec<(&'static str, String)>,
    /// The byte at which each of these fields begins, row by row.
    rows: Vec<Vec<usize>>,
}

impl CellPlaces {
    /// The column of a row's field, by the name that the parameters have for it, and its place in the text that was
    /// read. Where the file has no such column: that of the row's first field.
    #[must_use]
    pub fn of(&self, text: &str, row: usize, field: &str) -> (&str, Place) {
        let found = self.fields.iter().position(|(name, _)| *name == field).unwrap_or(0);
        (&self.fields[found].1, Place::of_byte(text, self.rows[row][found]))
    }
}

/// A file whose columns are found by their names.
pub struct Columns<'a> {
    text: &'a str,
    head: Record<'a>,
    rows: Vec<Record<'a>>,
}

/// A row of such a file.
pub struct Row<'a, 'b> {
    columns: &'b Columns<'a>,
    record: &'b Record<'a>,
}

impl<'a> Columns<'a> {
    /// Splits a file, which must have the `needed` columns and a row; `head` says in a message what a right head is.
    ///
    /// # Errors
    /// The first thing that is wrong, with its place.
    pub fn read(text: &'a str, needed: &[&str], head: &str) -> Result<Self, FormatError> {
        Self::split(text, needed, head).map_err(|fault| fault.in_text(text))
    }

    fn split(text: &'a str, needed: &[&str], expected: &str) -> Result<Self, Fault> {
        let mut records = records(text);
        let head = records.next().unwrap_or_else(|| Err(Fault::at(0, "the file is empty", expected)))?;
        if needed.iter().any(|name| head.fields.iter().all(|field| field.text != *name)) {
            return Err(Fault::at(head.byte, format!("the head is \"{}\"", head.text), expected));
        }
        let rows: Vec<Record<'a>> = records.collect::<Result<_, _>>()?;
        if rows.is_empty() {
            return Err(Fault::at(0, "there is nothing below the head", "a row for each entry"));
        }
        Ok(Self { text, head, rows })
    }

    /// The same where no column has another name for what one of these columns holds: it would be passed over.
    ///
    /// # Errors
    /// The first column that has such a name.
    pub fn without(self, meant: &[(&str, &str)]) -> Result<Self, FormatError> {
        let found = self.head.fields.iter().find_map(|field| {
            let (_, known) =
                meant.iter().find(|(other, known)| field.text.starts_with(other) && field.text != *known)?;
            Some((&field.text, known))
        });
        let Some((name, known)) = found else { return Ok(self) };
        let problem = format!("the head has a column \"{name}\"");
        let expected = format!("\"{known}\", in the unit that its name states");
        Err(Fault::at(self.head.byte, problem, expected).in_text(self.text))
    }

    /// The number of a column, where it exists.
    #[must_use]
    pub fn column(&self, name: &str) -> Option<usize> {
        self.head.fields.iter().position(|known| known.text == name)
    }

    /// What every row holds, by `read`. `fields` are the names that parameters have for a row's fields, each with its
    /// column.
    ///
    /// # Errors
    /// The first of `read`.
    pub fn table<T>(
        &self,
        fields: &[(&'static str, Option<usize>)],
        read: impl Fn(&Row<'a, '_>) -> Result<T, FormatError>,
    ) -> Result<Table<T>, FormatError> {
        let fields: Vec<(&'static str, usize)> =
            fields.iter().filter_map(|&(name, column)| Some((name, column?))).collect();
        let rows = || self.rows.iter().map(|record| Row { columns: self, record });
        let places = |row: Row<'a, '_>| fields.iter().map(|&(_, column)| row.byte(column)).collect();
        let names = fields.iter().map(|&(name, column)| (name, self.name(column).to_owned()));
        Ok(Table {
            rows: rows().map(|row| read(&row)).collect::<Result<_, _>>()?,
            places: CellPlaces { fields: names.collect(), rows: rows().map(places).collect() },
        })
    }

    fn name(&self, column: usize) -> &str {
        &self.head.fields[column].text
    }
}

impl Row<'_, '_> {
    /// A field, which must not be empty.
    ///
    /// # Errors
    /// The file has no such field in this row.
    pub fn field(&self, column: usize) -> Result<&str, FormatError> {
        let found = self.record.fields.get(column).map(|field| &*field.text);
        found.filter(|field| !field.is_empty()).ok_or_else(|| {
            let problem = format!("no {} in \"{}\"", self.columns.name(column), self.record.text);
            self.wrong(column, problem, "a value in every column")
        })
    }

    /// A field, read by `parse`.
    ///
    /// # Errors
    /// The field is missing, or `parse` has no value for it.
    pub fn value<T>(
        &self,
        column: usize,
        expected: &str,
        parse: impl FnOnce(&str) -> Option<T>,
    ) -> Result<T, FormatError> {
        let text = self.field(column)?;
        parse(text).ok_or_else(|| {
            self.wrong(column, format!("{} is \"{text}\"", self.columns.name(column)), expected)
        })
    }

    /// Where a field stands; of one that is missing, where the row begins.
    fn byte(&self, column: usize) -> usize {
        self.record.fields.get(column).map_or(self.record.byte, |field| field.byte)
    }

    fn wrong(&self, column: usize, problem: String, expected: &str) -> FormatError {
        Fault::at(self.byte(column), problem, expected).in_text(self.columns.text)
    }
}
