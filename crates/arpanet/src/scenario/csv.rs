//! Files of values: CSV with a head that names the columns. Empty rows and those that begin with `#` are skipped.

use std::fmt;

/// What is wrong with a file of values, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableError {
    /// Where.
    pub place: CellPlace,
    /// What is wrong.
    pub problem: String,
    /// What would have been right.
    pub expected: String,
}

impl fmt::Display for TableError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let CellPlace { line, column } = self.place;
        write!(f, "line {line}, column {column}: {}; expected {}", self.problem, self.expected)
    }
}

impl std::error::Error for TableError {}

/// A place in a file of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CellPlace {
    /// The line of the file, from 1.
    pub line: u32,
    /// The character within the line, from 1.
    pub column: u32,
}

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
    /// Where each of these fields stands, row by row.
    rows: Vec<Vec<CellPlace>>,
}

impl CellPlaces {
    /// The column of a row's field, by the name that the parameters have for it, and its place. Where the file has no
    /// such column: that of the row's first field.
    #[must_use]
    pub fn of(&self, row: usize, field: &str) -> (&str, CellPlace) {
        let found = self.fields.iter().position(|(name, _)| *name == field).unwrap_or(0);
        (&self.fields[found].1, self.rows[row][found])
    }
}

/// A file whose columns are found by their names.
pub(crate) struct Columns<'a> {
    head: CellPlace,
    names: Vec<&'a str>,
    rows: Vec<Row<'a>>,
}

/// A row of it.
pub(crate) struct Row<'a> {
    text: &'a str,
    fields: Vec<(&'a str, CellPlace)>,
}

impl<'a> Columns<'a> {
    /// Splits a file, which must have the `needed` columns and a row; `head` says in a message what a right head is.
    pub fn read(text: &'a str, needed: &[&str], head: &str) -> Result<Self, TableError> {
        let mut rows =
            (1..).zip(text.lines()).filter(|(_, row)| !row.trim().is_empty() && !row.starts_with('#'));
        let wrong = |line, problem: String, expected: &str| {
            let place = CellPlace { line, column: 1 };
            TableError { place, problem, expected: expected.to_owned() }
        };
        let (line, first) = rows.next().ok_or_else(|| wrong(1, "the file is empty".into(), head))?;
        let names: Vec<&str> = first.split(',').map(unquoted).collect();
        if needed.iter().any(|name| !names.contains(name)) {
            return Err(wrong(line, format!("the head is \"{first}\""), head));
        }
        let rows: Vec<Row<'a>> = rows.map(|(line, text)| Row { text, fields: split(line, text) }).collect();
        if rows.is_empty() {
            return Err(wrong(line, "there is nothing below the head".into(), "a row for each entry"));
        }
        Ok(Self { head: CellPlace { line, column: 1 }, names, rows })
    }

    /// The same where no column has another name for what one of these columns holds: it would be passed over.
    pub fn without(self, meant: &[(&str, &str)]) -> Result<Self, TableError> {
        let found = self.names.iter().find_map(|name| {
            let (_, known) = meant.iter().find(|(other, known)| name.starts_with(other) && name != known)?;
            Some((name, known))
        });
        let Some((name, known)) = found else { return Ok(self) };
        Err(TableError {
            place: self.head,
            problem: format!("the head has a column \"{name}\""),
            expected: format!("\"{known}\", in the unit that its name states"),
        })
    }

    /// The place of a column, where it exists.
    pub fn column(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|&known| known == name)
    }

    /// What every row holds, by `read`. `fields` are the names that parameters have for a row's fields, each with its
    /// column.
    pub fn table<T>(
        &self,
        fields: &[(&'static str, Option<usize>)],
        read: impl Fn(&Row<'a>) -> Result<T, TableError>,
    ) -> Result<Table<T>, TableError> {
        let fields: Vec<(&'static str, usize)> =
            fields.iter().filter_map(|&(name, column)| Some((name, column?))).collect();
        let places = |row: &Row<'a>| fields.iter().map(|&(_, column)| row.place(column)).collect();
        let names = fields.iter().map(|&(name, column)| (name, self.names[column].to_owned()));
        Ok(Table {
            rows: self.rows.iter().map(read).collect::<Result<_, _>>()?,
            places: CellPlaces { fields: names.collect(), rows: self.rows.iter().map(places).collect() },
        })
    }

    /// A field of a row, which must not be empty.
    pub fn field<'r>(&self, row: &'r Row<'a>, column: usize) -> Result<&'r str, TableError> {
        let found = row.fields.get(column).map(|&(field, _)| field).filter(|field| !field.is_empty());
        found.ok_or_else(|| {
            let problem = format!("no {} in \"{}\"", self.names[column], row.text);
            row.wrong(column, problem, "a value in every column")
        })
    }

    /// A field of a row, read by `parse`.
    pub fn value<T>(
        &self,
        row: &Row<'a>,
        column: usize,
        expected: &str,
        parse: impl FnOnce(&str) -> Option<T>,
    ) -> Result<T, TableError> {
        let text = self.field(row, column)?;
        parse(text)
            .ok_or_else(|| row.wrong(column, format!("{} is \"{text}\"", self.names[column]), expected))
    }
}

impl Row<'_> {
    /// Where a field stands; of one that is missing, where the row begins.
    fn place(&self, column: usize) -> CellPlace {
        self.fields.get(column).or(self.fields.first()).expect("a row has a field").1
    }

    fn wrong(&self, column: usize, problem: String, expected: &str) -> TableError {
        TableError { place: self.place(column), problem, expected: expected.to_owned() }
    }
}

/// The fields of a row, without the blanks and quotation marks around them.
fn split(line: u32, row: &str) -> Vec<(&str, CellPlace)> {
    let mut column = 1;
    let field = |piece: &'_ str| {
        let blanks = piece.chars().count() - piece.trim_start().chars().count();
        let place = CellPlace { line, column: column + blanks as u32 };
        column += piece.chars().count() as u32 + 1;
        place
    };
    let places: Vec<CellPlace> = row.split(',').map(field).collect();
    row.split(',').map(unquoted).zip(places).collect()
}

fn unquoted(field: &str) -> &str {
    let field = field.trim();
    field.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(field)
}
