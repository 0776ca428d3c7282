//! Tables as Parquet files, compressed with zstd where they are not tiny.
//!
//! The same table gives the same bytes: nothing of the clock or the machine enters the file.

use std::sync::Arc;

use ::parquet::basic::{
    Compression, ConvertedType, Encoding, LogicalType, Repetition, Type as Physical, ZstdLevel,
};
use ::parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int64Type};
use ::parquet::errors::Result;
use ::parquet::file::properties::{EnabledStatistics, WriterProperties};
use ::parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use ::parquet::schema::types::{ColumnPath, Type};

/// The most rows that one row group holds.
const ROW_GROUP: usize = 1 << 20;

/// So many values that are asked for by their row are handed to the writer at a time: a multiple of what it writes at
/// once, so that pages are the same.
const VALUES: usize = 1 << 13;

/// Whole numbers of a table of more rows than this are written as differences. They mostly are instants and numbers of
/// messages, one close to the next: a dictionary of them takes longer to fill than it saves, and zstd has an eighth to
/// compress.
const LONG: usize = 1 << 16;

/// So many values show whether values repeat.
const SAMPLE: usize = 256;

/// A column of a table.
pub struct Column<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its values, one a row.
    pub values: Values<'a>,
}

/// The values of a column.
pub enum Values<'a> {
    /// Numbers.
    Float(Vec<f64>),
    /// Whole numbers, such as picoseconds and message numbers.
    Integer(Vec<i64>),
    /// Whole numbers by the number of their row, of so many rows: for tables with millions of rows.
    IntegerOf(usize, Box<dyn Fn(usize) -> i64 + 'a>),
    /// Text.
    Text(Vec<&'a str>),
    /// Text by the number of its row, likewise.
    TextOf(usize, Box<dyn Fn(usize) -> &'a str + 'a>),
    /// Bytes.
    Bytes(Vec<Vec<u8>>),
    /// Measured numbers, where there are any: hardly two of them are equal.
    SomeFloat(Vec<Option<f64>>),
    /// Measured whole numbers, where there are any, likewise.
    SomeInteger(Vec<Option<i64>>),
    /// Text, where there is any.
    SomeText(Vec<Option<&'a str>>),
    /// A list of records in each row: how many, and the columns of all records, one row's after the other's. For tables
    /// of one row group.
    Lists(Vec<usize>, Vec<Column<'a>>),
}

impl Values<'_> {
    fn len(&self) -> usize {
        match self {
            Self::Float(values) => values.len(),
            Self::Integer(values) => values.len(),
            Self::Text(values) => values.len(),
            Self::IntegerOf(rows, _) | Self::TextOf(rows, _) => *rows,
            Self::Bytes(values) => values.len(),
            Self::SomeFloat(values) => values.len(),
            Self::SomeInteger(values) => values.len(),
            Self::SomeText(values) => values.len(),
            Self::Lists(lengths, _) => lengths.len(),
        }
    }

    /// Whether a dictionary pays: of values that repeat. The first ones stand for all.
    fn repeat(&self) -> bool {
        fn few<T: Ord>(values: impl Iterator<Item = T>) -> bool {
            let mut some: Vec<T> = values.take(SAMPLE).collect();
            let all = some.len();
            some.sort_unstable();
            some.dedup();
            2 * some.len() <= all
        }
        match self {
            Self::Float(values) => few(values.iter().map(|value| value.to_bits())),
            Self::Integer(values) => few(values.iter()),
            Self::Text(values) => few(values.iter()),
            Self::SomeText(values) => few(values.iter()),
            Self::SomeFloat(_) | Self::SomeInteger(_) | Self::Bytes(_) | Self::Lists(..) => false,
            Self::IntegerOf(..) | Self::TextOf(..) => true,
        }
    }

    /// Whether these are whole numbers that are written as differences.
    fn by_differences(&self) -> bool {
        matches!(self, Self::Integer(_) | Self::IntegerOf(..)) && self.len() > LONG
    }

    /// Whether cells may be empty, and then whether this one holds a value.
    fn is_there(&self, row: usize) -> Option<bool> {
        match self {
            Self::SomeFloat(values) => Some(values[row].is_some()),
            Self::SomeInteger(values) => Some(values[row].is_some()),
            Self::SomeText(values) => Some(values[row].is_some()),
            _ => None,
        }
    }
}

/// The bytes of a Parquet file with these columns. Panics where the columns differ in length: a program error.
#[must_use]
pub fn encode(columns: &[Column<'_>]) -> Vec<u8> {
    let rows = columns.first().map_or(0, |column| column.values.len());
    assert!(
        columns.iter().all(|column| column.values.len() == rows),
        "the columns of a table are equally long"
    );
    let mut bytes = Vec::new();
    write(columns, rows, &mut bytes).expect("memory takes every byte");
    bytes
}

fn write(columns: &[Column<'_>], rows: usize, bytes: &mut Vec<u8>) -> Result<()> {
    let fields = columns.iter().map(|column| field(column).map(Arc::new)).collect::<Result<Vec<_>>>()?;
    let schema = Type::group_type_builder("table").with_fields(fields).build()?;
    let mut file = SerializedFileWriter::new(bytes, Arc::new(schema), Arc::new(properties(columns, rows)?))?;
    for first in (0..rows).step_by(ROW_GROUP) {
        let last = (first + ROW_GROUP).min(rows);
        let mut group = file.next_row_group()?;
        for column in columns {
            match &column.values {
                Values::Lists(lengths, columns) => {
                    assert!(rows <= ROW_GROUP, "a table with lists is one row group");
                    for Column { values, .. } in columns {
                        let mut writer = group.next_column()?.expect("the schema has every column");
                        write_column(
                            &mut writer,
                            values,
                            0..values.len(),
                            &Levels::in_lists(lengths, values),
                        )?;
                        writer.close()?;
                    }
                }
                values => {
                    let mut writer = group.next_column()?.expect("the schema has every column");
                    write_column(&mut writer, values, first..last, &Levels::of(values, first..last))?;
                    writer.close()?;
                }
            }
        }
        group.close()?;
    }
    file.close().map(drop)
}

/// How hard zstd tries. For a small table more effort saves a twentieth and costs a millisecond; beyond level 6 it
/// saves nothing more.
const ZSTD_LEVEL: i32 = 3;
const ZSTD_LEVEL_OF_SMALL: i32 = 6;

/// A table of so few rows is not compressed: the compressor of each of its columns takes longer to make than the table,
/// and saves a few bytes.
const FEW_ROWS: usize = 64;

/// Statistics serve to pass over row groups. A table of one group has none: in a small table they take more bytes than
/// the values.
fn properties(columns: &[Column<'_>], rows: usize) -> Result<WriterProperties> {
    let compression = match rows {
        0..=FEW_ROWS => Compression::UNCOMPRESSED,
        _ if rows <= ROW_GROUP => Compression::ZSTD(ZstdLevel::try_new(ZSTD_LEVEL_OF_SMALL)?),
        _ => Compression::ZSTD(ZstdLevel::try_new(ZSTD_LEVEL)?),
    };
    let mut properties = WriterProperties::builder()
        .set_compression(compression)
        .set_created_by(concat!("hopscope ", env!("CARGO_PKG_VERSION")).to_owned());
    if rows <= ROW_GROUP {
        properties =
            properties.set_statistics_enabled(EnabledStatistics::None).set_offset_index_disabled(true);
    }
    for (path, values) in leaves(columns) {
        let path = ColumnPath::new(path);
        if values.by_differences() {
            properties = properties
                .set_column_dictionary_enabled(path.clone(), false)
                .set_column_encoding(path, Encoding::DELTA_BINARY_PACKED);
        } else if !values.repeat() {
            properties = properties.set_column_dictionary_enabled(path, false);
        }
    }
    Ok(properties.build())
}

/// The columns with values, each with its path.
fn leaves<'a, 'b>(columns: &'a [Column<'b>]) -> Vec<(Vec<String>, &'a Values<'b>)> {
    let mut found = Vec::new();
    for Column { name, values } in columns {
        match values {
            Values::Lists(_, columns) => found.extend(columns.iter().map(|column| {
                let path = [name, LIST, ELEMENT, column.name].map(str::to_owned).to_vec();
                (path, &column.values)
            })),
            values => found.push((vec![(*name).to_owned()], values)),
        }
    }
    found
}

/// What Parquet calls definition and repetition levels: which cells hold a value, and where lists begin.
#[derive(Default)]
struct Levels {
    definition: Option<Vec<i16>>,
    repetition: Option<Vec<i16>>,
}

impl Levels {
    /// Of a column outside of lists.
    fn of(values: &Values<'_>, rows: std::ops::Range<usize>) -> Self {
        let definition = rows.map(|row| values.is_there(row).map(i16::from)).collect();
        Self { definition, repetition: None }
    }

    /// Of a column of records in lists of these lengths. An empty list has one entry without a value.
    fn in_lists(lengths: &[usize], values: &Values<'_>) -> Self {
        let (mut definition, mut repetition) = (Vec::new(), Vec::new());
        let mut next = 0;
        for &length in lengths {
            if length == 0 {
                definition.push(0);
                repetition.push(0);
            }
            for nth in 0..length {
                definition.push(1 + values.is_there(next).map_or(0, i16::from));
                repetition.push(i16::from(nth > 0));
                next += 1;
            }
        }
        assert_eq!(next, values.len(), "the lists of a column have all its records");
        Self { definition: Some(definition), repetition: Some(repetition) }
    }
}

fn write_column(
    writer: &mut SerializedColumnWriter<'_>,
    values: &Values<'_>,
    rows: std::ops::Range<usize>,
    Levels { definition, repetition }: &Levels,
) -> Result<usize> {
    let (definition, repetition) = (definition.as_deref(), repetition.as_deref());
    let mut known = KnownTexts::new();
    match values {
        Values::Float(values) => {
            writer.typed::<DoubleType>().write_batch(&values[rows], definition, repetition)
        }
        Values::Integer(values) => {
            writer.typed::<Int64Type>().write_batch(&values[rows], definition, repetition)
        }
        Values::SomeFloat(values) => {
            let some: Vec<f64> = values[rows].iter().copied().flatten().collect();
            writer.typed::<DoubleType>().write_batch(&some, definition, repetition)
        }
        Values::SomeInteger(values) => {
            let some: Vec<i64> = values[rows].iter().copied().flatten().collect();
            writer.typed::<Int64Type>().write_batch(&some, definition, repetition)
        }
        Values::SomeText(values) => {
            let some: Vec<ByteArray> = values[rows].iter().flatten().map(|text| known.bytes(text)).collect();
            writer.typed::<ByteArrayType>().write_batch(&some, definition, repetition)
        }
        Values::IntegerOf(_, number) => {
            write_by_row(rows, number, |some| writer.typed::<Int64Type>().write_batch(some, None, None))
        }
        Values::Text(values) if repetition.is_some() => {
            let all: Vec<ByteArray> = values[rows].iter().map(|text| known.bytes(text)).collect();
            writer.typed::<ByteArrayType>().write_batch(&all, definition, repetition)
        }
        Values::Text(values) => write_texts(writer, rows, |row| values[row]),
        Values::TextOf(_, text) => write_texts(writer, rows, text),
        Values::Bytes(values) => {
            let bytes: Vec<ByteArray> = values[rows].iter().cloned().map(ByteArray::from).collect();
            writer.typed::<ByteArrayType>().write_batch(&bytes, definition, repetition)
        }
        Values::Lists(..) => panic!("a list has columns, and no values of its own"),
    }
}

fn write_texts<'a>(
    writer: &mut SerializedColumnWriter<'_>,
    rows: std::ops::Range<usize>,
    text: impl Fn(usize) -> &'a str,
) -> Result<usize> {
    let mut known = KnownTexts::new();
    write_by_row(
        rows,
        |row| known.bytes(text(row)),
        |some| writer.typed::<ByteArrayType>().write_batch(some, None, None),
    )
}

/// Writes values that are asked for by their row, some at a time.
fn write_by_row<T>(
    rows: std::ops::Range<usize>,
    mut value: impl FnMut(usize) -> T,
    mut write: impl FnMut(&[T]) -> Result<usize>,
) -> Result<usize> {
    let mut written = 0;
    for first in rows.clone().step_by(VALUES) {
        let some: Vec<T> = (first..(first + VALUES).min(rows.end)).map(&mut value).collect();
        written += write(&some)?;
    }
    Ok(written)
}

/// The texts that a writer remembers at a time.
const KNOWN: usize = 256;

/// Texts as the writer wants them. Few of a column's texts differ, and the same ones stand at the same address, so most
/// are copied once, and found by their address.
struct KnownTexts<'a>(Vec<(&'a str, ByteArray)>);

impl<'a> KnownTexts<'a> {
    fn new() -> Self {
        Self(vec![("", ByteArray::from("")); KNOWN])
    }

    fn bytes(&mut self, text: &'a str) -> ByteArray {
        let address = text.as_ptr().addr();
        let (known, bytes) = &mut self.0[(address ^ (address >> 8)) % KNOWN];
        if !std::ptr::eq(*known, text) {
            (*known, *bytes) = (text, ByteArray::from(text));
        }
        bytes.clone()
    }
}

/// What Parquet calls the two groups within a list.
pub(super) const LIST: &str = "list";
pub(super) const ELEMENT: &str = "element";

fn field(column: &Column<'_>) -> Result<Type> {
    let physical = match &column.values {
        Values::Float(_) | Values::SomeFloat(_) => Physical::DOUBLE,
        Values::Integer(_) | Values::IntegerOf(..) | Values::SomeInteger(_) => Physical::INT64,
        Values::Text(_) | Values::TextOf(..) | Values::Bytes(_) | Values::SomeText(_) => Physical::BYTE_ARRAY,
        Values::Lists(_, columns) => return list(column.name, columns),
    };
    let repetition = match column.values {
        Values::SomeFloat(_) | Values::SomeInteger(_) | Values::SomeText(_) => Repetition::OPTIONAL,
        _ => Repetition::REQUIRED,
    };
    let field = Type::primitive_type_builder(column.name, physical).with_repetition(repetition);
    match column.values {
        Values::Text(_) | Values::TextOf(..) | Values::SomeText(_) => field
            .with_logical_type(Some(LogicalType::String))
            .with_converted_type(ConvertedType::UTF8)
            .build(),
        _ => field.build(),
    }
}

/// A list of records, as the Parquet specification has it (LogicalTypes, Lists): three groups, one in the other.
fn list(name: &str, columns: &[Column<'_>]) -> Result<Type> {
    let fields = columns.iter().map(|column| field(column).map(Arc::new)).collect::<Result<Vec<_>>>()?;
    let group = |name, repetition, fields| {
        Type::group_type_builder(name).with_repetition(repetition).with_fields(fields)
    };
    let element = group(ELEMENT, Repetition::REQUIRED, fields).build()?;
    let repeated = group(LIST, Repetition::REPEATED, vec![Arc::new(element)]).build()?;
    group(name, Repetition::REQUIRED, vec![Arc::new(repeated)])
        .with_logical_type(Some(LogicalType::List))
        .with_converted_type(ConvertedType::LIST)
        .build()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ::parquet::file::reader::{FileReader, SerializedFileReader};

    fn table() -> Vec<Column<'static>> {
        vec![
            Column { name: "time_s", values: Values::Float(vec![0.5, 1.0, -0.0]) },
            Column { name: "message", values: Values::Integer(vec![1, i64::MAX, i64::MIN]) },
            Column { name: "series", values: Values::Text(vec!["latency (us)", "", "é"]) },
            Column { name: "bins", values: Values::Bytes(vec![vec![0, 255], vec![], vec![7]]) },
        ]
    }

    fn rows(bytes: &[u8]) -> Vec<String> {
        let reader = SerializedFileReader::new(file_of(bytes)).expect("what was written is Parquet");
        let rows = reader.get_row_iter(None).expect("it has rows");
        rows.map(|row| row.expect("each row reads").to_string()).collect()
    }

    /// The reader wants a file: one without a name, which goes with its handle.
    fn file_of(bytes: &[u8]) -> std::fs::File {
        use std::io::{Seek, Write};
        let name = format!("hopscope-parquet-{}-{:?}", std::process::id(), std::thread::current().id());
        let path = std::env::temp_dir().join(name);
        let mut file =
            std::fs::File::options().read(true).write(true).create(true).truncate(true).open(&path).unwrap();
        file.write_all(bytes).unwrap();
        file.rewind().unwrap();
        std::fs::remove_file(path).unwrap();
        file
    }

    #[test]
    fn what_is_written_reads_back() {
        insta::assert_snapshot!(rows(&encode(&table())).join("\n"), @r#"
        {time_s: 0.5, message: 1, series: "latency (us)", bins: [0, 255]}
        {time_s: 1.0, message: 9223372036854775807, series: "", bins: []}
        {time_s: -0E0, message: -9223372036854775808, series: "é", bins: [7]}
        "#);
    }

    /// In as many pieces as there are, also where the last one is short.
    #[test]
    fn values_by_their_row_are_written_as_listed_ones_are() {
        let words: Vec<String> = (0..3 * KNOWN).map(|word| format!("word {word}")).collect();
        let (rows, texts, numbers) = (2 * VALUES + 7, &words, |row: usize| (row % 11) as i64);
        let word = |row: usize| texts[row * row % texts.len()].as_str();
        let one = |name, values| Column { name, values };
        let listed = encode(&[
            one("a", Values::Text((0..rows).map(word).collect())),
            one("b", Values::Integer((0..rows).map(numbers).collect())),
        ]);
        let by_row = encode(&[
            one("a", Values::TextOf(rows, Box::new(word))),
            one("b", Values::IntegerOf(rows, Box::new(numbers))),
        ]);
        assert_eq!(by_row, listed);
        let expected = (0..rows).map(|row| format!("{{a: \"{}\", b: {}}}", word(row), numbers(row)));
        assert!(super::tests::rows(&by_row).into_iter().eq(expected), "each row has its own");
    }

    #[test]
    fn the_same_table_gives_the_same_bytes() {
        assert_eq!(encode(&table()), encode(&table()));
    }

    #[test]
    fn a_table_may_be_empty_or_longer_than_a_row_group() {
        assert_eq!(rows(&encode(&[Column { name: "a", values: Values::Integer(vec![]) }])), [""; 0]);
        let long: Vec<i64> = (0..ROW_GROUP as i64 + 7).collect();
        let bytes = encode(&[Column { name: "a", values: Values::Integer(long.clone()) }]);
        assert_eq!(rows(&bytes).len(), long.len());
    }

    /// Whole numbers of a long table are written as differences, which may be as large as numbers get.
    #[test]
    fn long_columns_of_whole_numbers_read_back() {
        let odd = [i64::MIN, i64::MAX, 0, -1, i64::MAX, i64::MIN];
        let number = |row: usize| if row < odd.len() { odd[row] } else { (row * row) as i64 };
        let values = || Values::IntegerOf(LONG + 1, Box::new(number));
        let bytes = encode(&[Column { name: "a", values: values() }]);
        let expected = (0..=LONG).map(|row| format!("{{a: {}}}", number(row)));
        assert!(rows(&bytes).into_iter().eq(expected), "each row has its own");
        assert!(bytes.len() < 4 * LONG, "half of what the numbers take");
    }
}
