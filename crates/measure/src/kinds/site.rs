//! The site of a resource, in numbers that can be compared.

/// The site of a resource, by the model's own numbers. Two rows of one report are at the same place if their sites are
/// equal; the name of the place is for people only.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Site {
    /// No site that could be compared.
    #[default]
    Nowhere,
    /// A switch, an IMP, a station, a host or gateway of an internet.
    Node(u32),
    /// A host, where hosts have numbers of their own.
    Host(u32),
    /// A port of a switch.
    Port {
        /// The switch.
        switch: u32,
        /// The port.
        port: u16,
        /// The lane of the port; 0 where it has one.
        lane: u16,
    },
    /// One direction of a line.
    Line {
        /// The line.
        number: u32,
        /// The node that sends on it.
        from: u32,
        /// The node that receives.
        to: u32,
    },
    /// A pair of nodes.
    Pair {
        /// The source.
        from: u32,
        /// The destination.
        to: u32,
    },
    /// A network of an internet.
    Network(u32),
    /// A node's station on a network.
    Interface {
        /// The node.
        node: u32,
        /// The network.
        network: u32,
    },
}

impl Site {
    /// The switch, if the site is a port.
    #[must_use]
    pub const fn switch(self) -> Option<u32> {
        match self {
            Self::Port { switch, .. } => Some(switch),
            Self::Nowhere
            | Self::Node(_)
            | Self::Host(_)
            | Self::Line { .. }
            | Self::Pair { .. }
            | Self::Network(_)
            | Self::Interface { .. } => None,
        }
    }

    /// The port of a switch, if the site is one.
    #[must_use]
    pub const fn port(self) -> Option<u16> {
        match self {
            Self::Port { port, .. } => Some(port),
            Self::Nowhere
            | Self::Node(_)
            | Self::Host(_)
            | Self::Line { .. }
            | Self::Pair { .. }
            | Self::Network(_)
            | Self::Interface { .. } => None,
        }
    }

    /// The node that sends on a line; any other node or pair has its first.
    #[must_use]
    pub const fn node(self) -> Option<u32> {
        match self {
            Self::Node(node) | Self::Interface { node, .. } => Some(node),
            Self::Line { from, .. } | Self::Pair { from, .. } => Some(from),
            Self::Nowhere | Self::Host(_) | Self::Port { .. } | Self::Network(_) => None,
        }
    }

    /// Whether it joins two nodes: its name then contains both.
    #[must_use]
    pub const fn joins(self) -> bool {
        matches!(self, Self::Line { .. } | Self::Pair { .. })
    }
}
