//! The classes of causes: why messages wait.

use serde::{Serialize, Serializer};

/// The class of a cause. Every slow network has one; a healthy one has none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cause {
    /// There is none: messages hardly wait.
    Healthy,
    /// A resource is nearly always busy, or always in use.
    Resource,
    /// A service takes far longer than is usual, whether or not anybody waits for it.
    SlowService,
    /// A resource has time to spare, but services of very different lengths or messages that come together make others
    /// wait.
    Variability,
    /// Something did not work for a while: a fault, a silent host, a processor that did other work.
    Interruption,
    /// What is lost, refused or rejected must be sent again.
    Loss,
    /// Messages wait for one another in a cycle.
    CircularWait,
    /// Messages wait behind others that need something else.
    Blocking,
    /// A sender has as much outstanding as it may.
    Window,
    /// Congestion control keeps senders slower than the network would.
    RateControl,
    /// Routes lead through one place although there are others.
    RouteConcentration,
    /// A hash puts several flows on one of several equal links.
    PathCollision,
    /// Packets go round in loops of the routes.
    RoutingLoop,
    /// Classes share a lane, so that one holds up another.
    Lanes,
    /// More is offered than what there is could carry, however it were shared.
    Overload,
}

impl Cause {
    /// Every class, in the order of the documents.
    pub const ALL: [Self; 15] = [
        Self::Healthy,
        Self::Resource,
        Self::SlowService,
        Self::Variability,
        Self::Interruption,
        Self::Loss,
        Self::CircularWait,
        Self::Blocking,
        Self::Window,
        Self::RateControl,
        Self::RouteConcentration,
        Self::PathCollision,
        Self::RoutingLoop,
        Self::Lanes,
        Self::Overload,
    ];

    /// Its name, such as "resource".
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Healthy => "healthy",
            Self::Resource => "resource",
            Self::SlowService => "slow service",
            Self::Variability => "variability",
            Self::Interruption => "interruption",
            Self::Loss => "loss",
            Self::CircularWait => "circular wait",
            Self::Blocking => "blocking",
            Self::Window => "window",
            Self::RateControl => "rate control",
            Self::RouteConcentration => "route concentration",
            Self::PathCollision => "path collision",
            Self::RoutingLoop => "routing loop",
            Self::Lanes => "lanes",
            Self::Overload => "overload",
        }
    }
}

impl Serialize for Cause {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.word())
    }
}
