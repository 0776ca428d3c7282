//! A message of the delay ledger: a Pup of a stream from its user's hand to its acknowledgment.

use hopscope_units::Time;

use crate::observe::Journey;

/// A Pup of a stream from its user's hand to its acknowledgment, whatever number of copies that takes.
#[derive(Clone, Debug)]
pub(crate) struct Message {
    /// Messages of all streams are numbered in the order of their birth.
    pub number: u64,
    pub born: Time,
    /// What the copy that the receiver has taken went through; nothing until then.
    pub taken: Option<Journey>,
    /// Whether that copy demanded an acknowledgment.
    pub demand: bool,
    /// Times that it was sent again.
    pub again: u32,
    /// When the first acknowledgment of it was demanded that the receiver sent; nothing until then.
    pub answered: Option<Time>,
    /// When the receiver's user got it.
    pub delivered: Time,
}
