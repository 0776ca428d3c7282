//! What passes on a model's networks, written to a file while the run goes on.

use std::fs::File;
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};

use hopscope_formats::pcapng::{Interface, Packet, Writer};

use crate::output_error::OutputError;

/// A capture being written. After the first failure nothing more is written; [`finish`](Self::finish) returns it.
#[derive(Debug)]
pub(crate) struct CaptureFile {
    path: PathBuf,
    writer: Writer<BufWriter<File>>,
    failure: Option<io::Error>,
}

impl CaptureFile {
    /// Begins a file, in place of one that is there.
    pub fn create(path: &Path, interfaces: &[Interface<'_>]) -> Result<Self, OutputError> {
        let begun = File::create(path).and_then(|file| Writer::new(BufWriter::new(file), interfaces));
        let writer = begun.map_err(|reason| OutputError { path: path.to_owned(), reason })?;
        Ok(Self { path: path.to_owned(), writer, failure: None })
    }

    /// Adds a packet.
    pub fn packet(&mut self, packet: Packet<'_>) {
        if self.failure.is_none() {
            self.failure = self.writer.packet(packet).err();
        }
    }

    /// Brings everything to the disk.
    pub fn finish(self) -> Result<(), OutputError> {
        let Self { path, writer, failure } = self;
        let flushed = match failure {
            Some(failure) => Err(failure),
            None => writer.into_inner().into_inner().map_err(io::IntoInnerError::into_error),
        };
        flushed.and_then(|file| file.sync_all()).map_err(|reason| OutputError { path, reason })
    }
}
