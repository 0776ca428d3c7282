//! Tables as Parquet files, compressed with zstd where they are not tiny.
//!
//! The same table gives the same bytes: nothing of the clock or the machine enters the file.

use std::ops::Range;
use std::sync::Arc;

use ::parquet::basic::{ConvertedType, Encoding, LogicalType, Repetition, Type as Physical, ZstdLevel};
use ::parquet::column::writer::{ColumnWriter, get_typed_column_writer_mut};
use ::parquet::data_type::{ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use ::parquet::errors::Result;
use ::parquet::file::properties::{EnabledStatistics, WriterProperties};
use ::parquet::file::writer::SerializedFileWriter;
use ::parquet::schema::types::{ColumnPath, Type};
use hopscope_kernel::in_parts;

use super::chunks::{Chunk, Chunks};

/// The most rows that one row group holds.
const ROW_GROUP: usize = 1 << 20;

/// The number of texts passed to the writer at a time.
const TEXTS: usize = 1 << 13;

/// Whole numbers of a table of more rows than this are written as differences. They mostly are instants and numbers of
/// messages, one close to the next: a dictionary of them takes longer to fill than it saves, and zstd has an eighth to
/// compress. The columns of such a table are shared out to threads.
const LONG: usize = 1 << 16;

/// The number of values examined for repetition.
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
    /// Text.
    Text(Vec<&'a str>),
    /// Text by its number in a list, which columns may share: for tables with millions of rows.
    Numbered(Arc<Vec<u32>>, Vec<&'a str>),
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
            Self::Numbered(numbers, _) => numbers.len(),
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
            Self::Numbered(..) => true,
        }
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
    let mut table = Table::begin(columns, rows).expect("memory takes every byte");
    for first in (0..rows).step_by(ROW_GROUP) {
        let rows = first..rows.min(first + ROW_GROUP);
        table.add(columns, rows).expect("memory takes every byte");
    }
    table.end().expect("memory takes every byte")
}

/// The bytes of a Parquet file of `rows` rows; `columns_of` gives the columns of a range just before they are written:
/// a table of millions of rows is not in memory as a whole.
#[must_use]
pub fn encode_in_groups<'a>(rows: usize, columns_of: impl Fn(Range<usize>) -> Vec<Column<'a>>) -> Vec<u8> {
    let group = |first: usize| columns_of(first..rows.min(first + ROW_GROUP));
    let mut columns = group(0);
    let mut table = Table::begin(&columns, rows).expect("memory takes every byte");
    for first in (0..rows).step_by(ROW_GROUP) {
        if first > 0 {
            // What was written is not needed beside what is next.
            drop(std::mem::take(&mut columns));
            columns = group(first);
        }
        table.add(&columns, 0..rows.min(first + ROW_GROUP) - first).expect("memory takes every byte");
    }
    table.end().expect("memory takes every byte")
}

/// A table that is being written.
struct Table {
    file: SerializedFileWriter<Vec<u8>>,
    properties: Arc<WriterProperties>,
    level: Option<ZstdLevel>,
}

/// What one chunk is made of: the values, the rows, and the levels where they are not those of these rows.
struct Leaf<'a, 'b> {
    values: &'a Values<'b>,
    rows: Range<usize>,
    levels: Levels,
}

impl Table {
    fn begin(columns: &[Column<'_>], rows: usize) -> Result<Self> {
        let fields = columns.iter().map(|column| field(column).map(Arc::new)).collect::<Result<Vec<_>>>()?;
        let schema = Type::group_type_builder("table").with_fields(fields).build()?;
        let properties = Arc::new(properties(columns, rows));
        let file = SerializedFileWriter::new(Vec::new(), Arc::new(schema), Arc::clone(&properties))?;
        Ok(Self { file, properties, level: level(rows)? })
    }

    /// Adds a row group with these rows of the columns.
    fn add(&mut self, columns: &[Column<'_>], rows: Range<usize>) -> Result<()> {
        let leaves = leaves_of(columns, &rows);
        let chunks = if rows.len() > LONG {
            self.on_threads(&leaves)?
        } else {
            let mut chunks = Chunks::new(self.level)?;
            let each = leaves.iter().enumerate();
            each.map(|(nth, leaf)| self.chunk(&mut chunks, nth, leaf)).collect::<Result<_>>()?
        };
        let mut group = self.file.next_row_group()?;
        for chunk in chunks {
            chunk.append(&mut group)?;
        }
        group.close().map(drop)
    }

    /// The chunks of these columns. Each has a compressor of its own, so that its bytes are the same on any thread.
    fn on_threads(&self, leaves: &[Leaf<'_, '_>]) -> Result<Vec<Chunk>> {
        // Every second column, then the others: columns that take long stand beside one another.
        let order: Vec<usize> = (0..leaves.len()).step_by(2).chain((1..leaves.len()).step_by(2)).collect();
        let parts = in_parts(order.len(), 1, |part| {
            let chunk =
                |&nth: &usize| Ok((nth, self.chunk(&mut Chunks::new(self.level)?, nth, &leaves[nth])?));
            order[part].iter().map(chunk).collect::<Result<Vec<_>>>()
        });
        let mut chunks: Vec<_> =
            parts.into_iter().collect::<Result<Vec<_>>>()?.into_iter().flatten().collect();
        chunks.sort_unstable_by_key(|(nth, _)| *nth);
        Ok(chunks.into_iter().map(|(_, chunk)| chunk).collect())
    }

    fn chunk(&self, chunks: &mut Chunks, nth: usize, leaf: &Leaf<'_, '_>) -> Result<Chunk> {
        let column = self.file.schema_descr().column(nth);
        match leaf.values {
            Values::Numbered(numbers, texts) => chunks.numbered(&column, &numbers[leaf.rows.clone()], texts),
            _ => chunks.written(&column, &self.properties, |writer| write(writer, leaf)),
        }
    }

    fn end(self) -> Result<Vec<u8>> {
        self.file.into_inner()
    }
}

/// The columns with values of these rows.
fn leaves_of<'a, 'b>(columns: &'a [Column<'b>], rows: &Range<usize>) -> Vec<Leaf<'a, 'b>> {
    let mut leaves = Vec::new();
    for column in columns {
        match &column.values {
            Values::Lists(lengths, columns) => {
                assert_eq!(*rows, 0..lengths.len(), "a table with lists is one row group");
                leaves.extend(columns.iter().map(|Column { values, .. }| Leaf {
                    values,
                    rows: 0..values.len(),
                    levels: Levels::in_lists(lengths, values),
                }));
            }
            values => {
                leaves.push(Leaf { values, rows: rows.clone(), levels: Levels::of(values, rows.clone()) });
            }
        }
    }
    leaves
}

/// How hard zstd tries. For a small table more effort saves a twentieth and costs a millisecond; beyond level 6 it
/// saves nothing more.
const ZSTD_LEVEL: i32 = 3;
const ZSTD_LEVEL_OF_SMALL: i32 = 6;

/// A table of up to this number of rows is not compressed: the compressor of each of its columns takes longer to make
/// than the table, and saves a few bytes.
const FEW_ROWS: usize = 64;

fn level(rows: usize) -> Result<Option<ZstdLevel>> {
    let level = match rows {
        0..=FEW_ROWS => return Ok(None),
        _ if rows <= ROW_GROUP => ZSTD_LEVEL_OF_SMALL,
        _ => ZSTD_LEVEL,
    };
    ZstdLevel::try_new(level).map(Some)
}

/// Statistics serve to pass over row groups. A table of one group has none: in a small table they take more bytes than
/// the values.
fn properties(columns: &[Column<'_>], rows: usize) -> WriterProperties {
    let statistics = if rows <= ROW_GROUP { EnabledStatistics::None } else { EnabledStatistics::Chunk };
    let mut properties = WriterProperties::builder()
        .set_created_by(concat!("hopscope ", env!("CARGO_PKG_VERSION")).to_owned())
        .set_statistics_enabled(statistics)
        .set_offset_index_disabled(true);
    for (path, values) in leaves(columns) {
        let path = ColumnPath::new(path);
        if matches!(values, Values::Integer(_)) && rows > LONG {
            properties = properties
                .set_column_dictionary_enabled(path.clone(), false)
                .set_column_encoding(path, Encoding::DELTA_BINARY_PACKED);
        } else if !values.repeat() {
            properties = properties.set_column_dictionary_enabled(path, false);
        }
    }
    properties.build()
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
    fn of(values: &Values<'_>, rows: Range<usize>) -> Self {
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

/// Writes the values of a chunk.
fn write(writer: &mut ColumnWriter<'_>, leaf: &Leaf<'_, '_>) -> Result<()> {
    let Leaf { values, rows, levels } = leaf;
    let rows = rows.clone();
    match values {
        Values::Float(values) => batch::<DoubleType>(writer, &values[rows], levels),
        Values::Integer(values) => batch::<Int64Type>(writer, &values[rows], levels),
        Values::SomeFloat(values) => {
            let some: Vec<f64> = values[rows].iter().copied().flatten().collect();
            batch::<DoubleType>(writer, &some, levels)
        }
        Values::SomeInteger(values) => {
            let some: Vec<i64> = values[rows].iter().copied().flatten().collect();
            batch::<Int64Type>(writer, &some, levels)
        }
        Values::SomeText(values) => {
            let mut known = KnownTexts::new();
            let some: Vec<ByteArray> = values[rows].iter().flatten().map(|text| known.bytes(text)).collect();
            batch::<ByteArrayType>(writer, &some, levels)
        }
        Values::Text(values) if levels.repetition.is_some() => {
            let mut known = KnownTexts::new();
            let all: Vec<ByteArray> = values[rows].iter().map(|text| known.bytes(text)).collect();
            batch::<ByteArrayType>(writer, &all, levels)
        }
        Values::Text(values) => {
            let mut known = KnownTexts::new();
            values[rows].chunks(TEXTS).try_for_each(|some| {
                let some: Vec<ByteArray> = some.iter().map(|text| known.bytes(text)).collect();
                batch::<ByteArrayType>(writer, &some, levels)
            })
        }
        Values::Bytes(values) => {
            let bytes: Vec<ByteArray> = values[rows].iter().cloned().map(ByteArray::from).collect();
            batch::<ByteArrayType>(writer, &bytes, levels)
        }
        Values::Numbered(..) => panic!("numbered texts are written as their numbers"),
        Values::Lists(..) => panic!("a list has columns, and no values of its own"),
    }
}

fn batch<T: DataType>(writer: &mut ColumnWriter<'_>, values: &[T::T], levels: &Levels) -> Result<()> {
    let (definition, repetition) = (levels.definition.as_deref(), levels.repetition.as_deref());
    get_typed_column_writer_mut::<T>(writer).write_batch(values, definition, repetition).map(drop)
}

/// The texts that a writer remembers at a time.
const KNOWN: usize = 256;

/// Texts as the writer wants them. Few of a column's texts differ, and the same ones stand at the same address, so most
/// are copied once, and found by their address.
struct KnownTexts<'a>(Vec<Option<(&'a str, ByteArray)>>);

impl<'a> KnownTexts<'a> {
    fn new() -> Self {
        Self(vec![None; KNOWN])
    }

    fn bytes(&mut self, text: &'a str) -> ByteArray {
        let address = text.as_ptr().addr();
        let known = &mut self.0[(address ^ (address >> 8)) % KNOWN];
        match known {
            Some((same, bytes)) if std::ptr::eq(*same, text) => bytes.clone(),
            _ => known.insert((text, ByteArray::from(text))).1.clone(),
        }
    }
}

/// What Parquet calls the two groups within a list.
pub(super) const LIST: &str = "list";
pub(super) const ELEMENT: &str = "element";

fn field(column: &Column<'_>) -> Result<Type> {
    let physical = match &column.values {
        Values::Float(_) | Values::SomeFloat(_) => Physical::DOUBLE,
        Values::Integer(_) | Values::SomeInteger(_) => Physical::INT64,
        Values::Text(_) | Values::Numbered(..) | Values::Bytes(_) | Values::SomeText(_) => {
            Physical::BYTE_ARRAY
        }
        Values::Lists(_, columns) => return list(column.name, columns),
    };
    let repetition = match column.values {
        Values::SomeFloat(_) | Values::SomeInteger(_) | Values::SomeText(_) => Repetition::OPTIONAL,
        _ => Repetition::REQUIRED,
    };
    let field = Type::primitive_type_builder(column.name, physical).with_repetition(repetition);
    match column.values {
        Values::Text(_) | Values::Numbered(..) | Values::SomeText(_) => field
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

    /// For as few texts as take one byte each, for as many as take two, and for none.
    #[test]
    fn numbered_texts_read_back_as_listed_ones_do() {
        for (texts, rows) in [(1, 3), (256, 5_003), (257, 5_003), (3, 300_007), (70_000, 70_001)] {
            // Each text stands in the list twice.
            let words: Vec<String> = (0..2 * texts).map(|word| format!("word {}", word / 2)).collect();
            let numbers: Vec<u32> = (0..rows).map(|row| (row * row % words.len()) as u32).collect();
            let listed = numbers.iter().map(|&number| words[number as usize].as_str()).collect();
            let list = words.iter().map(String::as_str).collect();
            let one = |name, values| Column { name, values };
            let numbered = encode(&[one("a", Values::Numbered(Arc::new(numbers.clone()), list))]);
            assert!(
                super::tests::rows(&numbered)
                    == super::tests::rows(&encode(&[one("a", Values::Text(listed))]))
            );
        }
    }

    #[test]
    fn groups_of_rows_make_the_table_that_all_columns_make() {
        for rows in [0, 5, LONG + 1, ROW_GROUP, 2 * ROW_GROUP + 7] {
            let texts = || vec!["odd", "even", "odd"];
            let columns = |rows: Range<usize>| {
                let numbers = rows.clone().map(|row| (row % 3) as u32).collect();
                vec![
                    Column {
                        name: "a",
                        values: Values::Integer(rows.map(|row| (row * row) as i64).collect()),
                    },
                    Column { name: "b", values: Values::Numbered(Arc::new(numbers), texts()) },
                ]
            };
            assert!(encode_in_groups(rows, columns) == encode(&columns(0..rows)), "{rows} rows");
        }
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
        let values = Values::Integer((0..=LONG).map(number).collect());
        let bytes = encode(&[Column { name: "a", values }]);
        let expected = (0..=LONG).map(|row| format!("{{a: {}}}", number(row)));
        assert!(rows(&bytes).into_iter().eq(expected), "each row has its own");
        assert!(bytes.len() < 4 * LONG, "half of what the numbers take");
    }
}
