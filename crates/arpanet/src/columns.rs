//! Files of values: CSV with a head that names the columns. Empty rows and those that begin with `#` are skipped.

use std::fmt;

/// What is wrong with a file of values, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableError {
    /// The line of the file, from 1.
    pub line: usize,
    /// What is wrong.
    pub problem: String,
    /// What would have been right.
    pub expected: String,
}

impl fmt::Display for TableError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}; expected {}", self.line, self.problem, self.expected)
    }
}

impl std::error::Error for TableError {}

/// A file whose columns are found by their names.
pub(crate) struct Columns<'a> {
    names: Vec<&'a str>,
    rows: Vec<Row<'a>>,
}

/// A row of it.
pub(crate) struct Row<'a> {
    /// The line of the file, from 1.
    line: usize,
    text: &'a str,
    fields: Vec<&'a str>,
}

impl<'a> Columns<'a> {
    /// Splits a file, which must have the `needed` columns; `head` says in a message what a right head is.
    pub fn read(text: &'a str, needed: &[&str], head: &str) -> Result<Self, TableError> {
        let mut rows =
            text.lines().enumerate().filter(|(_, row)| !row.trim().is_empty() && !row.starts_with('#'));
        let wrong = |line: usize, problem: String| TableError { line, problem, expected: head.to_owned() };
        let (place, first) = rows.next().ok_or_else(|| wrong(1, "the file is empty".into()))?;
        let names: Vec<&str> = first.split(',').map(str::trim).collect();
        if needed.iter().any(|name| !names.contains(name)) {
            return Err(wrong(place + 1, format!("the head is \"{first}\"")));
        }
        let split = |(place, text): (usize, &'a str)| Row {
            line: place + 1,
            text,
            fields: text.split(',').map(str::trim).collect(),
        };
        Ok(Self { names, rows: rows.map(split).collect() })
    }

    /// The place of a column, where it exists.
    pub fn column(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|&known| known == name)
    }

    /// The rows after the head.
    pub fn rows(&self) -> &[Row<'a>] {
        &self.rows
    }

    /// A field of a row, which must not be empty.
    pub fn field<'r>(&self, row: &'r Row<'a>, column: usize) -> Result<&'r str, TableError> {
        let found = row.fields.get(column).filter(|field| !field.is_empty());
        found.copied().ok_or_else(|| {
            let problem = format!("no {} in \"{}\"", self.names[column], row.text);
            row.wrong(problem, "a value in every column")
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
        parse(text).ok_or_else(|| row.wrong(format!("{} is \"{text}\"", self.names[column]), expected))
    }
}

impl Row<'_> {
    fn wrong(&self, problem: String, expected: &str) -> TableError {
        TableError { line: self.line, problem, expected: expected.to_owned() }
    }
}
