//! Picks by the destination's number alone, tier by tier (Zahavi et al., J. Parallel Distrib. Comput. 2010).

use std::collections::BTreeMap;

use super::candidates::NextHop;
use crate::graph::{Network, Port, SwitchId};
use crate::routes::Orientation;

/// What a host's number picks at each switch. Nothing can be picked by default.
#[derive(Default)]
pub(super) struct ByNumber {
    /// What the number is divided by at a switch.
    divisors: Vec<u64>,
    /// By switch its up links in the order of its ports: the switch above, and the port there.
    ups: Vec<Vec<(SwitchId, Port)>>,
}

impl ByNumber {
    /// In tier t a host's number is divided by the product of the numbers of parents in the tiers below, so that each
    /// tier goes by a digit of its own. Tiers begin where most hosts are; switches below pick as those do.
    pub fn new(network: &Network, tiers: &Orientation) -> Self {
        let of_switch = |id: SwitchId| {
            let up = network.neighbours(id).filter(|(_, link, ..)| tiers.leads_up(*link, id));
            let mut up: Vec<_> = up.map(|(port, _, far, far_port)| (port, (far, far_port))).collect();
            up.sort_unstable();
            up.into_iter().map(|(_, above)| above).collect()
        };
        let ups: Vec<Vec<(SwitchId, Port)>> = network.switch_ids().map(of_switch).collect();
        let lowest = level_of_most_hosts(network, tiers);
        let tier = |id: SwitchId| usize::from(lowest.saturating_sub(tiers.level(id)));
        let mut most = vec![1; usize::from(lowest) + 1];
        for id in network.switch_ids().filter(|id| tiers.level(*id) <= lowest) {
            most[tier(id)] = most[tier(id)].max(ups[id.index()].len() as u64);
        }
        let below = most.iter().scan(1_u64, |product, parents| {
            let divisor = *product;
            *product = product.saturating_mul(*parents);
            Some(divisor)
        });
        let by_tier: Vec<u64> = below.collect();
        Self { divisors: network.switch_ids().map(|id| by_tier[tier(id)]).collect(), ups }
    }

    /// The port for the host of this number. Down it is the other end of the cable that the switch below would take up
    /// for the same number: of parallel cables a host's packets take the same one either way.
    #[inline]
    pub fn pick(&self, from: SwitchId, ways: &[NextHop], number: u64) -> Port {
        let mirrors = |way: &&NextHop| {
            let ups = &self.ups[way.beyond.index()];
            !ups.is_empty() && ups[self.place(way.beyond, number, ups.len())] == (from, way.port)
        };
        if let Some(way) = ways.iter().find(mirrors) {
            return way.port;
        }
        // The switch whose links these are: the lower one.
        let beyond = ways[0].beyond;
        let lower = if self.ups[beyond.index()].iter().any(|up| up.0 == from) { beyond } else { from };
        ways[self.place(lower, number, ways.len())].port
    }

    /// The choice of a number at a switch.
    #[inline]
    fn place(&self, at: SwitchId, number: u64, of: usize) -> usize {
        (number / self.divisors[at.index()] % of as u64) as usize
    }
}

/// The level at which most hosts are; of several the highest.
fn level_of_most_hosts(network: &Network, tiers: &Orientation) -> u16 {
    let mut hosts: BTreeMap<u16, u32> = BTreeMap::new();
    for (id, count) in network.switch_ids().zip(network.hosts_per_switch()) {
        *hosts.entry(tiers.level(id)).or_default() += count;
    }
    let most = hosts.values().copied().max().unwrap_or(0);
    hosts.into_iter().find(|(_, count)| *count == most).map_or(0, |(level, _)| level)
}
