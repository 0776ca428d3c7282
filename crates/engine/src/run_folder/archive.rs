//! A run folder as one archive: what a store keeps of a run.
//!
//! It is a zip file without clock or machine in it, so that equal runs are equal bytes; its comment holds the hash of
//! all bytes before it, by which damage is found. Any tool that reads zip files opens it.

use std::io::{Cursor, Read, Write};
use std::path::{Component, Path};

use zip::CompressionMethod;
use zip::read::ZipArchive;
use zip::result::ZipError;
use zip::write::{SimpleFileOptions, ZipWriter};

use super::create;
use crate::output_error::OutputError;
use crate::run::RunResult;

/// What the comment begins with, before the hash in hexadecimal.
const MARK: &[u8] = b"blake3:";
const HASH_BYTES: usize = 64;
/// The length of the comment stands in the last two bytes before it.
const LENGTH_BYTES: usize = 2;
const COMMENT_BYTES: usize = MARK.len() + HASH_BYTES;
/// How the names of tables end. They are compressed already.
const TABLE: &str = ".parquet";
/// Bytes of a text that is not compressed: to make the compressor takes longer than the text is worth.
const LITTLE: usize = 1_000;

impl RunResult {
    /// The files of the run folder as one zip file, the same bytes on every machine.
    ///
    /// # Panics
    /// Never: memory takes whatever is written.
    #[must_use]
    pub fn archive(&self) -> Vec<u8> {
        let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
        for (name, bytes) in self.files() {
            let method = match name.ends_with(TABLE) || bytes.len() < LITTLE {
                true => CompressionMethod::Stored,
                false => CompressionMethod::Deflated,
            };
            let options = SimpleFileOptions::default().compression_method(method);
            zip.start_file(name, options).expect("names are short and each is new");
            zip.write_all(&bytes).expect("memory takes it");
        }
        sealed(zip.finish().expect("memory takes it").into_inner())
    }
}

/// A zip file without a comment, with the hash of its bytes as one.
fn sealed(mut zip: Vec<u8>) -> Vec<u8> {
    let hash = blake3::hash(&zip).to_hex();
    let length = u16::try_from(COMMENT_BYTES).expect("a short comment").to_le_bytes();
    let at = zip.len() - LENGTH_BYTES;
    zip[at..].copy_from_slice(&length);
    zip.extend_from_slice(MARK);
    zip.extend_from_slice(hash.as_bytes());
    zip
}

/// Whether these are the bytes of an [`archive`](RunResult::archive), all of them and unchanged.
#[must_use]
pub fn is_whole(archive: &[u8]) -> bool {
    let Some(at) = archive.len().checked_sub(COMMENT_BYTES + LENGTH_BYTES) else { return false };
    sealed([&archive[..at], &[0; LENGTH_BYTES]].concat()) == archive
}

/// Why an archive could not be read or unpacked.
#[derive(Debug, thiserror::Error)]
pub enum ArchiveError {
    /// It is no archive of a run folder.
    #[error("it is no archive of a run folder: {0}")]
    Damaged(String),
    /// It has no file of this name.
    #[error("the archive has no file {0}")]
    Missing(String),
    /// A file could not be written.
    #[error(transparent)]
    Output(#[from] OutputError),
}

/// A file of an archive by its name.
///
/// # Errors
/// Where the archive is none, or has no such file.
pub fn file_of(archive: &[u8], name: &str) -> Result<Vec<u8>, ArchiveError> {
    let mut files = opened(archive)?;
    let number = files.index_for_name(name).ok_or_else(|| ArchiveError::Missing(name.to_owned()))?;
    bytes_of(&mut files, number).map(|(_, bytes)| bytes)
}

/// Writes the files of an archive into a folder that exists and is empty. Nothing that exists is overwritten.
///
/// # Errors
/// Where the archive is none, or the first file that could not be written.
pub fn unpack(archive: &[u8], folder: &Path) -> Result<(), ArchiveError> {
    let mut files = opened(archive)?;
    for number in 0..files.len() {
        let (name, bytes) = bytes_of(&mut files, number)?;
        // A run folder has no folders in it, and an archive may be anybody's.
        let mut parts = Path::new(&name).components();
        let (Some(Component::Normal(_)), None) = (parts.next(), parts.next()) else {
            return Err(ArchiveError::Damaged(format!("{name:?} is no name of a file in it")));
        };
        create(&folder.join(name), &bytes)?;
    }
    Ok(())
}

fn opened(archive: &[u8]) -> Result<ZipArchive<Cursor<&[u8]>>, ArchiveError> {
    Ok(ZipArchive::new(Cursor::new(archive))?)
}

fn bytes_of(files: &mut ZipArchive<Cursor<&[u8]>>, number: usize) -> Result<(String, Vec<u8>), ArchiveError> {
    let mut file = files.by_index(number)?;
    let name = file.name()?.into_owned();
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes).map_err(ZipError::from)?;
    Ok((name, bytes))
}

impl From<ZipError> for ArchiveError {
    fn from(error: ZipError) -> Self {
        Self::Damaged(error.to_string())
    }
}
