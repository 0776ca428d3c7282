//! A run folder as one archive: what a store keeps of a run.
//!
//! It is a zip file without clock or machine in it, so that equal runs are equal bytes; its comment holds the hash of
//! all bytes before it, by which damage is found. Any tool that reads zip files opens it.

use std::io::{Cursor, Write};

use zip::CompressionMethod;
use zip::write::{SimpleFileOptions, ZipWriter};

use crate::run::RunResult;

/// What the comment begins with, before the hash in hexadecimal.
const MARK: &[u8] = b"blake3:";
const HASH_BYTES: usize = 64;
/// The length of the comment stands in the last two bytes before it.
const LENGTH_BYTES: usize = 2;
const COMMENT_BYTES: usize = MARK.len() + HASH_BYTES;

impl RunResult {
    /// The files of the run folder as one zip file, the same bytes on every machine.
    ///
    /// # Panics
    /// Never: memory takes whatever is written.
    #[must_use]
    pub fn archive(&self) -> Vec<u8> {
        let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
        let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
        for (name, bytes) in self.files() {
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
