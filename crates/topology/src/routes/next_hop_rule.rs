//! Which of the channels out of a switch bring a packet on, under each rule.

use crate::graph::cube::Cube;
use crate::graph::{Network, Port, SwitchId};

use super::distances::{Distances, UNREACHABLE};
use super::up_down::Orientation;
use super::{DESCENDING, FREE, RouteError, RoutingRule};

/// How next hops are found.
#[derive(Clone, Copy)]
pub(super) enum NextHopRule<'a> {
    /// Whatever brings a packet one hop nearer, up*/down* where links have directions.
    Nearer(Option<&'a Orientation>),
    /// The same, on the virtual channel of the hops that are left.
    NearerByClass,
    /// The one next hop of dimension order.
    Dimensions(&'a Cube),
}

/// A channel that a packet may leave by, and the distances from where it leads.
pub(super) struct OutChannel<'a> {
    /// `port * lanes + lane`.
    pub channel: Port,
    pub beyond: &'a [u16],
}

impl<'a> NextHopRule<'a> {
    pub fn of(
        network: &'a Network,
        rule: &RoutingRule,
        orientation: Option<&'a Orientation>,
    ) -> Result<Self, RouteError> {
        Ok(match rule {
            RoutingRule::Shortest | RoutingRule::UpDown { .. } => Self::Nearer(orientation),
            RoutingRule::StructuredPools => Self::NearerByClass,
            RoutingRule::DimensionOrder => Self::Dimensions(network.cube().ok_or(RouteError::NoDimensions)?),
        })
    }

    /// How many virtual channels a link needs.
    pub fn lanes(&self, destinations: &[SwitchId], distances: &Distances) -> u16 {
        match self {
            Self::Nearer(_) => 1,
            Self::Dimensions(cube) => cube.lanes(),
            Self::NearerByClass => {
                let rows = destinations.iter().flat_map(|&switch| distances.row(switch, FREE));
                rows.copied().filter(|&hops| hops != UNREACHABLE).max().unwrap_or(0).max(1)
            }
        }
    }

    /// The phases that packets can be in.
    pub fn phases(&self) -> &'static [u8] {
        if matches!(self, Self::Nearer(Some(_))) { &[FREE, DESCENDING] } else { &[FREE] }
    }

    /// The channels by which a packet in this phase may leave a switch, in the order of their numbers.
    pub fn channels_out<'b>(
        &self,
        network: &Network,
        distances: &'b Distances,
        (switch, phase): (SwitchId, u8),
        lanes: u16,
    ) -> Vec<OutChannel<'b>> {
        let legal = network.neighbours(switch).filter_map(|(port, link, far, _)| {
            let beyond = match self {
                Self::Nearer(Some(up_down)) if !up_down.leads_up(link, switch) => {
                    distances.row(far, DESCENDING)
                }
                Self::Nearer(Some(_)) if phase != FREE => distances.turned((switch, far))?,
                _ => distances.row(far, FREE),
            };
            Some((port, beyond))
        });
        let channels = legal.flat_map(|(port, beyond)| {
            (0..lanes).map(move |lane| OutChannel { channel: port * lanes + lane, beyond })
        });
        channels.collect()
    }

    /// The virtual channel, of `lanes`, of a packet that is `hops` from its destination. None where no packet arrives:
    /// a switch without hosts may be further away than all that have some.
    pub fn lane(&self, hops: u16, lanes: u16) -> Option<u16> {
        let lane = if matches!(self, Self::NearerByClass) { hops - 1 } else { 0 };
        (lane < lanes).then_some(lane)
    }
}
