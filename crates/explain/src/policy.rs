//! Policies: the order of service, the time of starts, the length of a segment. They are no resources, yet a change of
//! them may relieve a network.

/// A rule of the network or of its load that holds messages back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Policy {
    /// Which input an output serves next.
    Arbiter,
    /// When rounds of flows start.
    Rounds,
    /// How long a segment of a message may be.
    Segments,
}

impl Policy {
    /// Every policy.
    pub const ALL: [Self; 3] = [Self::Arbiter, Self::Rounds, Self::Segments];

    /// The identifier by which changes refer to it.
    #[must_use]
    pub const fn id(self) -> &'static str {
        match self {
            Self::Arbiter => "Arbiter",
            Self::Rounds => "Rounds",
            Self::Segments => "Segments",
        }
    }
}
