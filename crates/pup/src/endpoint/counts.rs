//! What an endpoint counts.

/// What has come in and gone wrong.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Datagrams that have come.
    pub datagrams: u64,
    /// Of these, datagrams that hold no frame, or whose Pup has an impossible length.
    pub malformed: u64,
    /// Frames for other hosts, or of other types.
    pub not_for_us: u64,
    /// Pups whose checksum is wrong.
    pub bad_checksums: u64,
    /// Pups for a socket without a listener.
    pub no_such_socket: u64,
    /// Calls refused because there are as many conversations as the endpoint takes.
    pub socket_full: u64,
    /// Pups of types that their socket does not know, or from another port than the conversation there is with.
    pub out_of_place: u64,
    /// Pups of streams that came before their turn and were dropped.
    pub early: u64,
    /// Pups of streams that had been there already.
    pub duplicate: u64,
    /// Echoes sent.
    pub echoed: u64,
    /// Answers dropped because too many were waiting.
    pub answers_dropped: u64,
    /// Notices that the user did not take in time.
    pub notices_lost: u64,
}
