//! What a stream carries: random bytes that both ends can work out.

use hopscope_kernel::RandomStream;

/// The content of a stream, Pup by Pup.
#[derive(Clone, Debug)]
pub(super) struct Content(RandomStream);

impl Content {
    /// The content of the stream with this index.
    pub fn of_stream(seed: u64, index: u64) -> Self {
        Self(RandomStream::named(seed, "content", index))
    }

    /// Writes the next bytes in place of what `data` holds.
    pub fn fill(&mut self, length: usize, data: &mut Vec<u8>) {
        data.resize(length, 0);
        for eight in data.chunks_mut(8) {
            eight.copy_from_slice(&self.0.next_u64().to_be_bytes()[..eight.len()]);
        }
    }
}
