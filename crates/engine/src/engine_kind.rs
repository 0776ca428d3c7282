//! The routing engines that compute tables, by name, and the roots that a scenario gives them.

use hopscope_fabric::{RoutingParams, Rule, by_family};
use hopscope_topology::{Family, Network, RoutingRule, SwitchId, TableEngine};

/// A routing engine, as the command line and reports name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EngineKind {
    UpDown,
    Shortest,
    DModK,
    DimensionOrder,
}

impl EngineKind {
    /// All of them, in the order in which they are listed.
    pub const ALL: [Self; 4] = [Self::UpDown, Self::Shortest, Self::DModK, Self::DimensionOrder];

    pub const fn word(self) -> &'static str {
        match self {
            Self::UpDown => "up-down",
            Self::Shortest => "shortest",
            Self::DModK => "d-mod-k",
            Self::DimensionOrder => "dimension-order",
        }
    }

    /// The engine of this name.
    pub fn named(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.word() == word)
    }

    /// Whether it has roots.
    pub const fn is_rooted(self) -> bool {
        matches!(self, Self::UpDown)
    }

    /// The engine itself; one without roots leaves them aside.
    pub fn with_roots(self, roots: Vec<SwitchId>) -> TableEngine {
        match self {
            Self::UpDown => TableEngine::UpDown { roots },
            Self::Shortest => TableEngine::Shortest,
            Self::DModK => TableEngine::DModK,
            Self::DimensionOrder => TableEngine::DimensionOrder,
        }
    }

    /// What the network is, where nothing speaks for the tables that come of it: dimension order goes by the numbers of
    /// ports where there are no dimensions.
    pub fn misfit(self, network: &Network) -> Option<&'static str> {
        let has_dimensions = || network.cube().is_some() || matches!(Family::of(network), Family::Grid(_));
        (self == Self::DimensionOrder && !has_dimensions()).then_some("no mesh, torus or hypercube")
    }
}

/// Where the roots of up*/down* come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RootsFrom {
    /// The family of the network.
    Family,
    /// The user: the scenario, or options of the command.
    User,
}

/// The names of the roots of up*/down*, and where they come from. None stands for the switch of the smallest uid.
#[derive(Clone, Debug)]
pub(crate) struct NamedRoots {
    pub names: Vec<String>,
    pub from: RootsFrom,
}

impl NamedRoots {
    /// Those of the family where routes follow that, or else the scenario's. Routes without roots, such as the
    /// shortest, are judged by those of the family: any one spine would make turns at the others illegal.
    pub fn of(network: &Network, routing: &RoutingParams) -> Self {
        let is_named = routing.root.is_some() || !routing.roots.is_empty();
        match routing.rule {
            Rule::ByFamily | Rule::Shortest if !is_named => {
                let names = match by_family(network).1 {
                    RoutingRule::UpDown { roots } => roots,
                    _ => Vec::new(),
                };
                Self { names, from: RootsFrom::Family }
            }
            _ => Self {
                names: routing.root.iter().chain(&routing.roots).cloned().collect(),
                from: RootsFrom::User,
            },
        }
    }
}
