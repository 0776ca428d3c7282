//! What is no resource, and yet a change relieves: in which order something is served, when something starts.

/// A rule of the network or of its load that holds messages back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Policy {
    /// Which input an output serves next.
    Arbiter,
    /// When rounds of flows start.
    Rounds,
}

impl Policy {
    /// As changes refer to it among what they make faster.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Arbiter => "Arbiter",
            Self::Rounds => "Rounds",
        }
    }
}
