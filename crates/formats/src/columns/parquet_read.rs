//! Tables read from Parquet files such as [`super::parquet::encode`] writes. A file may be damaged or foreign.

use ::parquet::column::reader::ColumnReader;
use ::parquet::data_type::ByteArray;
use ::parquet::errors::ParquetError;
use ::parquet::file::reader::{FileReader, SerializedFileReader};
use bytes::Bytes;

use super::parquet::{ELEMENT, LIST};

/// Why a table cannot be read, in words.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct DamagedTable(String);

impl DamagedTable {
    /// With what is wrong.
    #[must_use]
    pub fn new(problem: impl Into<String>) -> Self {
        Self(problem.into())
    }
}

impl From<ParquetError> for DamagedTable {
    fn from(error: ParquetError) -> Self {
        Self(error.to_string())
    }
}

/// A table in memory.
#[derive(Clone, Debug)]
pub struct Table {
    rows: usize,
    columns: Vec<(String, Cells)>,
}

/// The cells of a column, of which some may be empty, and where it is one of records in lists, how many each row has.
#[derive(Clone, Debug)]
struct Cells {
    values: Read,
    lengths: Option<Vec<usize>>,
}

/// Cells by what they hold.
#[derive(Clone, Debug)]
enum Read {
    Float(Vec<Option<f64>>),
    Integer(Vec<Option<i64>>),
    Text(Vec<Option<String>>),
}

impl Table {
    /// Reads all columns of a file.
    ///
    /// # Errors
    /// Where it is no Parquet file, is damaged, or has columns of other types than those that hopscope writes.
    pub fn decode(bytes: Vec<u8>) -> Result<Self, DamagedTable> {
        let reader = SerializedFileReader::new(Bytes::from(bytes))?;
        let schema = reader.metadata().file_metadata().schema_descr_ptr();
        let mut table = Self { rows: 0, columns: Vec::new() };
        for group in 0..reader.num_row_groups() {
            let group = reader.get_row_group(group)?;
            let rows = usize::try_from(group.metadata().num_rows());
            table.rows += rows.map_err(|_| DamagedTable::new("a number of rows below 0"))?;
            for (nth, column) in schema.columns().iter().enumerate() {
                let within = (column.max_def_level(), column.max_rep_level());
                let cells = cells(group.get_column_reader(nth)?, within)?;
                match table.columns.get_mut(nth) {
                    None => table.columns.push((column.path().string(), cells)),
                    Some((_, known)) => known.extend(cells)?,
                }
            }
        }
        table.checked()
    }

    /// How many rows there are.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The number in a column and row; nothing where the cell is empty or there is no such column.
    ///
    /// # Errors
    /// Where the column is of another type.
    ///
    /// # Panics
    /// If the row does not exist: a program error.
    pub fn float(&self, name: &str, row: usize) -> Result<Option<f64>, DamagedTable> {
        match self.values(name) {
            None => Ok(None),
            Some(Read::Float(values)) => Ok(values[row]),
            Some(_) => Err(other_type("numbers", name)),
        }
    }

    /// The whole number in a column and row; nothing where the cell is empty or there is no such column.
    ///
    /// # Errors
    /// Where the column is of another type.
    ///
    /// # Panics
    /// If the row does not exist: a program error.
    pub fn integer(&self, name: &str, row: usize) -> Result<Option<i64>, DamagedTable> {
        match self.values(name) {
            None => Ok(None),
            Some(Read::Integer(values)) => Ok(values[row]),
            Some(_) => Err(other_type("whole numbers", name)),
        }
    }

    /// The text in a column and row; nothing where the cell is empty or there is no such column.
    ///
    /// # Errors
    /// Where the column is of another type.
    ///
    /// # Panics
    /// If the row does not exist: a program error.
    pub fn text(&self, name: &str, row: usize) -> Result<Option<&str>, DamagedTable> {
        match self.values(name) {
            None => Ok(None),
            Some(Read::Text(values)) => Ok(values[row].as_deref()),
            Some(_) => Err(other_type("text", name)),
        }
    }

    /// The records in a column of lists as a table, and how many of them each row has.
    ///
    /// # Errors
    /// Where there is none.
    pub fn lists(&self, name: &str) -> Result<(Self, Vec<usize>), DamagedTable> {
        let within = format!("{name}.{LIST}.{ELEMENT}.");
        let mut lengths = None;
        let mut columns = Vec::new();
        for (path, cells) in &self.columns {
            if let (Some(name), Some(of)) = (path.strip_prefix(&within), &cells.lengths) {
                if lengths.get_or_insert_with(|| of.clone()) != of {
                    return Err(DamagedTable::new(format!("the lists `{name}` differ in their columns")));
                }
                columns.push((name.to_owned(), Cells { lengths: None, ..cells.clone() }));
            }
        }
        let lengths: Vec<usize> =
            lengths.ok_or_else(|| DamagedTable::new(format!("there is no column `{name}` of lists")))?;
        Ok((Self { rows: lengths.iter().sum(), columns }, lengths))
    }

    fn values(&self, name: &str) -> Option<&Read> {
        let mut found = self.columns.iter().filter(|(path, cells)| path == name && cells.lengths.is_none());
        found.next().map(|(_, cells)| &cells.values)
    }

    /// Refuses a table with a column that does not have a cell in each row.
    fn checked(self) -> Result<Self, DamagedTable> {
        for (name, Cells { values, lengths }) in &self.columns {
            let found = lengths.as_ref().map_or(values.len(), Vec::len);
            if found != self.rows {
                let rows = self.rows;
                return Err(DamagedTable::new(format!("`{name}` has {found} cells in {rows} rows")));
            }
        }
        Ok(self)
    }
}

fn other_type(expected: &str, name: &str) -> DamagedTable {
    DamagedTable::new(format!("the column `{name}` is not of {expected}"))
}

impl Cells {
    /// Adds those of the next row group.
    fn extend(&mut self, more: Self) -> Result<(), DamagedTable> {
        match (&mut self.values, more.values) {
            (Read::Float(values), Read::Float(more)) => values.extend(more),
            (Read::Integer(values), Read::Integer(more)) => values.extend(more),
            (Read::Text(values), Read::Text(more)) => values.extend(more),
            _ => return Err(DamagedTable::new("a column whose type changes")),
        }
        if let (Some(lengths), Some(more)) = (&mut self.lengths, more.lengths) {
            lengths.extend(more);
        }
        Ok(())
    }
}

impl Read {
    fn len(&self) -> usize {
        match self {
            Self::Float(values) => values.len(),
            Self::Integer(values) => values.len(),
            Self::Text(values) => values.len(),
        }
    }
}

/// The number of rows requested at a time.
const ROWS: usize = 1 << 13;

/// The cells of a column within a row group, with its greatest definition and repetition level.
fn cells(reader: ColumnReader, within: (i16, i16)) -> Result<Cells, DamagedTable> {
    /// Values, and which cells hold them.
    macro_rules! read {
        ($reader:expr) => {{
            let mut reader = $reader;
            let (mut definition, mut repetition, mut values) = (Vec::new(), Vec::new(), Vec::new());
            while reader.read_records(ROWS, Some(&mut definition), Some(&mut repetition), &mut values)?.0 > 0
            {
            }
            (levels(definition, repetition, values.len(), within)?, values)
        }};
    }
    Ok(match reader {
        ColumnReader::DoubleColumnReader(reader) => {
            let (levels, values) = read!(reader);
            Cells { values: Read::Float(spread(&levels.is_there, values)?), lengths: levels.lengths }
        }
        ColumnReader::Int64ColumnReader(reader) => {
            let (levels, values) = read!(reader);
            Cells { values: Read::Integer(spread(&levels.is_there, values)?), lengths: levels.lengths }
        }
        ColumnReader::ByteArrayColumnReader(reader) => {
            let (levels, values) = read!(reader);
            let texts = values.iter().map(text).collect::<Result<Vec<_>, _>>()?;
            Cells { values: Read::Text(spread(&levels.is_there, texts)?), lengths: levels.lengths }
        }
        _ => return Err(DamagedTable::new("a column of a type that hopscope does not write")),
    })
}

fn text(bytes: &ByteArray) -> Result<String, DamagedTable> {
    Ok(bytes.as_utf8()?.to_owned())
}

/// Which cells hold a value, and how many records each row's list has.
struct Levels {
    is_there: Vec<bool>,
    lengths: Option<Vec<usize>>,
}

fn levels(
    definition: Vec<i16>,
    repetition: Vec<i16>,
    values: usize,
    (most_definition, most_repetition): (i16, i16),
) -> Result<Levels, DamagedTable> {
    if most_repetition == 0 {
        let is_there = match most_definition {
            0 => vec![true; values],
            _ => definition.iter().map(|&level| level == most_definition).collect(),
        };
        return Ok(Levels { is_there, lengths: None });
    }
    if definition.len() != repetition.len() {
        return Err(DamagedTable::new("lists whose levels differ in number"));
    }
    let (mut is_there, mut lengths) = (Vec::new(), Vec::new());
    for (level, repeats) in definition.into_iter().zip(repetition) {
        if repeats == 0 {
            lengths.push(0);
        }
        if level > 0 {
            let length =
                lengths.last_mut().ok_or_else(|| DamagedTable::new("a list before the first row"))?;
            *length += 1;
            is_there.push(level == most_definition);
        }
    }
    Ok(Levels { is_there, lengths: Some(lengths) })
}

/// The values at the cells that hold them.
fn spread<T>(is_there: &[bool], values: Vec<T>) -> Result<Vec<Option<T>>, DamagedTable> {
    let mut values = values.into_iter();
    let cells: Vec<Option<T>> =
        is_there.iter().map(|&is_there| if is_there { values.next() } else { None }).collect();
    let found = cells.iter().flatten().count();
    if found == is_there.iter().filter(|&&is_there| is_there).count() && values.next().is_none() {
        Ok(cells)
    } else {
        Err(DamagedTable::new("a column with more or fewer values than cells"))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::columns::parquet::{Column, Values, encode};

    /// A row: a number, and records with a number and a text.
    type Line = (Option<f64>, Vec<(Option<i64>, String)>);

    fn written(lines: &[Line]) -> Vec<u8> {
        let records = || lines.iter().flat_map(|(_, records)| records);
        let inner = vec![
            Column {
                name: "count",
                values: Values::SomeInteger(records().map(|(count, _)| *count).collect()),
            },
            Column { name: "word", values: Values::Text(records().map(|(_, word)| word.as_str()).collect()) },
        ];
        let lengths = lines.iter().map(|(_, records)| records.len()).collect();
        encode(&[
            Column {
                name: "share",
                values: Values::SomeFloat(lines.iter().map(|(share, _)| *share).collect()),
            },
            Column { name: "records", values: Values::Lists(lengths, inner) },
        ])
    }

    proptest! {
        #[test]
        fn what_is_written_reads_back(lines in prop::collection::vec(any::<Line>(), 1..20)) {
            let table = Table::decode(written(&lines)).expect("it is whole");
            let (records, lengths) = table.lists("records").expect("it has lists");
            prop_assert_eq!(table.rows(), lines.len());
            let mut at = 0;
            for (nth, (share, list)) in lines.iter().enumerate() {
                let read = table.float("share", nth).expect("numbers");
                prop_assert_eq!(read.map(f64::to_bits), share.map(f64::to_bits));
                prop_assert_eq!(lengths[nth], list.len());
                for (count, word) in list {
                    prop_assert_eq!(records.integer("count", at).expect("whole numbers"), *count);
                    prop_assert_eq!(records.text("word", at).expect("text"), Some(word.as_str()));
                    at += 1;
                }
            }
        }
    }

    #[test]
    fn another_type_is_refused_and_a_missing_column_is_empty() {
        let table = Table::decode(written(&[(Some(0.5), Vec::new())])).expect("it is whole");
        assert!(table.text("share", 0).is_err());
        assert_eq!(table.float("missing", 0), Ok(None));
        assert!(table.lists("missing").is_err());
    }

    #[test]
    fn a_file_that_is_cut_short_is_refused() {
        let whole = written(&[(Some(0.5), vec![(None, "word".to_owned())])]);
        for length in 0..whole.len() {
            assert!(Table::decode(whole[..length].to_vec()).is_err(), "{length} bytes");
        }
    }
}
