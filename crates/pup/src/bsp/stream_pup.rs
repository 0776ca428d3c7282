//! Which Pup of a connection a Pup is.

/// A Pup of a connection, with its identity in the connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StreamPup {
    /// Data, by the number of the first byte.
    Data(u32),
    /// A demand for an acknowledgment, without data.
    Probe,
    /// The request that opens the connection, or the one that ends it.
    Rendezvous,
    /// The receiver's acknowledgment.
    Acknowledgment,
}
