//! PupTest, the workload: streams between two processes whose sender always has another Pup to send (IEN 138). The
//! content is random and is compared, byte by byte, with what was sent.

mod content;
mod message;
mod stream;

pub(crate) use stream::{End, HeldBack, Stream};
