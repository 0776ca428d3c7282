//! The instants at which a model's state is kept.

use hopscope_units::{Span, Time};

/// The instants at which the state of a model is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SnapshotTimes {
    /// One after each such time from the start of the run.
    Every(Span),
    /// These, in any order.
    At(Vec<Time>),
}

impl SnapshotTimes {
    /// The first instant after this one.
    #[must_use]
    pub fn after(&self, now: Time) -> Option<Time> {
        match self {
            Self::Every(gap) => Some(Time::ZERO + *gap * (now.ps() / gap.ps() + 1)),
            Self::At(times) => times.iter().copied().filter(|&at| at > now).min(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instants_follow_one_another() {
        let at = |s| Time::ZERO + Span::from_s(s);
        let every = SnapshotTimes::Every(Span::from_s(10));
        assert_eq!([0, 9, 10].map(|s| every.after(at(s))), [10, 10, 20].map(|s| Some(at(s))));
        let listed = SnapshotTimes::At(vec![at(7), at(3), at(7)]);
        assert_eq!([0, 3, 7].map(|s| listed.after(at(s))), [Some(at(3)), Some(at(7)), None]);
    }
}
