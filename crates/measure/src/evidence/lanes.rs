//! The lanes of links, and the classes of messages in them.

/// What a lane of a link is called.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LaneName {
    /// A lane: virtual lanes with credits, virtual channels.
    #[default]
    Lane,
    /// A priority: of pause frames, of queues, of virtual routes.
    Priority,
}

impl LaneName {
    /// The word for one of them.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Lane => "lane",
            Self::Priority => "priority",
        }
    }

    /// A number of them, such as "2 priorities"; of one, "one lane".
    #[must_use]
    pub fn several(self, count: usize) -> String {
        match (self, count) {
            (_, 1) => format!("one {}", self.word()),
            (Self::Lane, _) => format!("{count} lanes"),
            (Self::Priority, _) => format!("{count} priorities"),
        }
    }
}

/// The lanes of links, and the classes of messages that share them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaneUse {
    /// Lanes for data.
    pub lanes: usize,
    /// Classes of messages.
    pub classes: usize,
}

/// The order in which a port serves the lanes of classes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ServiceOrder {
    /// Round robin.
    InTurn,
    /// The first lane in which something waits.
    Strict,
    /// In proportion to their weights.
    InProportion,
}

/// How ports serve several classes, and which of these waits behind which.
#[derive(Clone, Debug, PartialEq)]
pub struct ClassUse {
    /// The order of lanes.
    pub order: ServiceOrder,
    /// The classes, in the order of the scenario.
    pub classes: Vec<ClassLane>,
    /// The outputs at which messages of these classes waited.
    pub outputs: Vec<ClassOutput>,
}

/// A class of messages as ports serve it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClassLane {
    /// Its name.
    pub name: String,
    /// Its lane, the first one served first under strict priority.
    pub lane: usize,
    /// The weight of that lane, where there are weights.
    pub weight: u16,
}

/// One output and the classes that pass it.
#[derive(Clone, Debug, PartialEq)]
pub struct ClassOutput {
    /// Its row in `Report::resources`.
    pub row: usize,
    /// The share of each class in what it sends, 0 to 1.
    pub sent: Vec<f64>,
    /// For each pair of classes, the mean number of messages of the one that wait while the other is sent.
    pub behind: Vec<Vec<f64>>,
    /// For each class, the mean number of messages that wait while nothing is sent or their own lane is stopped.
    pub held: Vec<f64>,
}
