//! The machine that a fabric runs on.

use std::sync::Arc;

use hopscope_an1::An1Plan;
use hopscope_fabric::{FabricParams, FabricPlan};
use hopscope_lossless::LosslessPlan;
use hopscope_topology::{DestinationTables, Network, VirtualLanes};

/// The machine that a fabric runs on, with its network and what it is offered.
pub(super) enum Machine {
    /// Flows through FIFOs.
    An1(Arc<An1Plan>),
    /// Whole frames.
    Lossless(Arc<LosslessPlan>),
    /// No machine: the network alone was asked for.
    Network(Box<(Network, FabricParams)>),
}

/// Nothing asks for more than the network of a scenario that was read for it.
pub(super) const NOT_PLANNED: &str = "a scenario that was read for its network alone has no routes";

impl Machine {
    pub(super) fn fabric(&self) -> &FabricPlan {
        match self {
            Self::An1(plan) => plan.fabric(),
            Self::Lossless(plan) => plan.fabric(),
            Self::Network(_) => panic!("{NOT_PLANNED}"),
        }
    }

    pub(super) fn network(&self) -> (&Network, &FabricParams) {
        match self {
            Self::Network(alone) => (&alone.0, &alone.1),
            _ => (&self.fabric().network, &self.fabric().params),
        }
    }

    /// The tables that packets follow, of each path to a host; none where the scenario has none.
    pub(super) fn tables(&self) -> &[DestinationTables] {
        match self {
            Self::Network(_) => &[],
            _ => self.fabric().routes.tables_of_paths(),
        }
    }

    /// The virtual lanes of packets from files.
    pub(super) fn lanes(&self) -> Option<&VirtualLanes> {
        match self {
            Self::Lossless(plan) => plan.virtual_lanes(),
            Self::An1(_) | Self::Network(_) => None,
        }
    }
}
