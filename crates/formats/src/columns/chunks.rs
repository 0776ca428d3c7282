//! Column chunks of Parquet files. The columns of a table share one compressor: each made for itself would take longer
//! to make than a small table to compress.

use std::collections::BTreeMap;
use std::sync::Arc;

use ::parquet::basic::{Compression, Encoding, PageType, ZstdLevel};
use ::parquet::column::page::{CompressedPage, Page, PageWriteSpec, PageWriter};
use ::parquet::column::writer::{ColumnCloseResult, ColumnWriter, get_column_writer};
use ::parquet::errors::Result;
use ::parquet::file::metadata::ColumnChunkMetaData;
use ::parquet::file::properties::WriterPropertiesPtr;
use ::parquet::file::writer::{SerializedPageWriter, SerializedRowGroupWriter, TrackedWrite};
use ::parquet::schema::types::ColumnDescPtr;
use bytes::Bytes;
use zstd::bulk::Compressor;

/// The values of a page of numbered texts.
const VALUES_A_PAGE: usize = 1 << 17;

/// A column of a row group, as it will stand in the file.
pub(super) struct Chunk {
    bytes: Bytes,
    close: ColumnCloseResult,
}

impl Chunk {
    /// Puts it behind the columns that the group has.
    pub fn append<W: std::io::Write + Send>(self, group: &mut SerializedRowGroupWriter<'_, W>) -> Result<()> {
        group.append_column(&self.bytes, self.close)
    }
}

/// Makes the chunks of a table.
pub(super) struct Chunks {
    compressor: Option<(ZstdLevel, Compressor<'static>)>,
}

impl Chunks {
    /// Of a table that is compressed so hard, or not at all.
    pub fn new(level: Option<ZstdLevel>) -> Result<Self> {
        let compressor = |level: ZstdLevel| Compressor::new(level.compression_level());
        let compressor =
            level.map(|level| compressor(level).map(|compressor| (level, compressor))).transpose()?;
        Ok(Self { compressor })
    }

    /// What a writer of the crate makes of a column.
    pub fn written(
        &mut self,
        column: &ColumnDescPtr,
        properties: &WriterPropertiesPtr,
        write: impl FnOnce(&mut ColumnWriter<'_>) -> Result<()>,
    ) -> Result<Chunk> {
        let mut sink = TrackedWrite::new(Vec::new());
        let pages = Pages { to: SerializedPageWriter::new(&mut sink), by: self.by() };
        let mut writer = get_column_writer(Arc::clone(column), Arc::clone(properties), Box::new(pages));
        write(&mut writer)?;
        let mut close = writer.close()?;
        // The writer knows nothing of the compression.
        close.metadata = close.metadata.into_builder().set_compression(self.compression()).build()?;
        Ok(Chunk { bytes: sink.into_inner()?.into(), close })
    }

    /// Texts by their numbers in a list, with each text that occurs in the list once. Numbers take whole bytes, which
    /// are quick to write, and whose order a compressor finds.
    pub fn numbered(&mut self, column: &ColumnDescPtr, numbers: &[u32], texts: &[&str]) -> Result<Chunk> {
        let dictionary = Dictionary::of(texts);
        let mut sink = TrackedWrite::new(Vec::new());
        let mut pages = Pages { to: SerializedPageWriter::new(&mut sink), by: self.by() };
        let mut written = vec![pages.write(dictionary.page())?];
        for numbers in numbers.chunks(VALUES_A_PAGE) {
            written.push(pages.write(dictionary.numbers(numbers))?);
        }
        let all = |of: fn(&PageWriteSpec) -> usize| written.iter().map(of).sum::<usize>() as i64;
        let offset =
            |of: PageType| written.iter().find(|page| page.page_type == of).map(|page| page.offset as i64);
        let metadata = ColumnChunkMetaData::builder(Arc::clone(column))
            .set_compression(self.compression())
            .set_encodings(vec![Encoding::PLAIN, Encoding::RLE, Encoding::RLE_DICTIONARY])
            .set_total_compressed_size(all(|page| page.compressed_size))
            .set_total_uncompressed_size(all(|page| page.uncompressed_size))
            .set_num_values(numbers.len() as i64)
            .set_data_page_offset(offset(PageType::DATA_PAGE).unwrap_or(0))
            .set_dictionary_page_offset(offset(PageType::DICTIONARY_PAGE))
            .build()?;
        let bytes = Bytes::from(sink.into_inner()?);
        let close = ColumnCloseResult {
            bytes_written: bytes.len() as u64,
            rows_written: numbers.len() as u64,
            metadata,
            bloom_filter: None,
            column_index: None,
            offset_index: None,
        };
        Ok(Chunk { bytes, close })
    }

    fn by(&mut self) -> Option<&mut Compressor<'static>> {
        self.compressor.as_mut().map(|(_, compressor)| compressor)
    }

    fn compression(&self) -> Compression {
        self.compressor.as_ref().map_or(Compression::UNCOMPRESSED, |(level, _)| Compression::ZSTD(*level))
    }
}

/// Pages for a chunk, through a compressor if there is one.
struct Pages<'a> {
    to: SerializedPageWriter<'a, Vec<u8>>,
    by: Option<&'a mut Compressor<'static>>,
}

impl Pages<'_> {
    fn write(&mut self, page: Page) -> Result<PageWriteSpec> {
        let size = page.buffer().len();
        self.write_page(CompressedPage::new(page, size))
    }
}

impl PageWriter for Pages<'_> {
    fn write_page(&mut self, page: CompressedPage) -> Result<PageWriteSpec> {
        let Some(compressor) = &mut self.by else { return self.to.write_page(page) };
        let mut compressed = page.compressed_page().clone();
        let (Page::DataPage { buf, .. } | Page::DataPageV2 { buf, .. } | Page::DictionaryPage { buf, .. }) =
            &mut compressed;
        *buf = compressor.compress(buf)?.into();
        self.to.write_page(CompressedPage::new(compressed, page.uncompressed_size()))
    }

    fn close(&mut self) -> Result<()> {
        self.to.close()
    }
}

/// The texts of a column, each once, in the order in which they first stand in a list.
struct Dictionary<'a> {
    texts: Vec<&'a str>,
    /// For each text of the list its number here.
    numbers: Vec<u32>,
    /// The bytes of a number.
    width: usize,
}

impl<'a> Dictionary<'a> {
    fn of(list: &[&'a str]) -> Self {
        let (mut texts, mut known) = (Vec::new(), BTreeMap::new());
        let mut number = |text: &'a str| {
            *known.entry(text).or_insert_with(|| {
                texts.push(text);
                texts.len() as u32 - 1
            })
        };
        let numbers = list.iter().map(|text| number(text)).collect();
        let width = match texts.len() {
            0..=0x100 => 1,
            0x101..=0x1_0000 => 2,
            _ => 4,
        };
        Self { texts, numbers, width }
    }

    fn page(&self) -> Page {
        let mut bytes = Vec::new();
        for text in &self.texts {
            bytes.extend(u32::try_from(text.len()).expect("a name is short").to_le_bytes());
            bytes.extend(text.as_bytes());
        }
        Page::DictionaryPage {
            buf: bytes.into(),
            num_values: self.texts.len() as u32,
            encoding: Encoding::PLAIN,
            is_sorted: false,
        }
    }

    /// A page with the texts of these numbers in the list, as the Parquet specification has it (Encodings, Dictionary
    /// encoding): the bits of a number, then one run of all of them, in groups of eight.
    fn numbers(&self, numbers: &[u32]) -> Page {
        const GROUP: usize = 8;
        let groups = numbers.len().div_ceil(GROUP);
        let mut bytes = Vec::with_capacity(8 + groups * GROUP * self.width);
        bytes.push(8 * self.width as u8);
        let mut head = groups << 1 | 1;
        while head > 0x7f {
            bytes.push(head as u8 | 0x80);
            head >>= 7;
        }
        bytes.push(head as u8);
        let first = bytes.len();
        for &number in numbers {
            bytes.extend(&self.numbers[number as usize].to_le_bytes()[..self.width]);
        }
        bytes.resize(first + groups * GROUP * self.width, 0);
        Page::DataPage {
            buf: bytes.into(),
            num_values: numbers.len() as u32,
            encoding: Encoding::RLE_DICTIONARY,
            def_level_encoding: Encoding::RLE,
            rep_level_encoding: Encoding::RLE,
            statistics: None,
        }
    }
}
