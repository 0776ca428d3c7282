//! The flow on every channel where packets follow tables by destination: none of it parts.

use crate::graph::{HostId, Network, Node};
use crate::tables::DestinationTables;
use crate::tables::walk::TableWalk;

use super::demand::{Demands, Target};
use super::flows::ChannelFlows;

impl ChannelFlows {
    /// The flows that tables lead. What they lose, or send into a forwarding loop, is left out.
    pub(super) fn of_tables(network: &Network, tables: &DestinationTables, demands: &Demands) -> Self {
        let mut walk = TableWalk::new(network);
        let base: Vec<usize> = network.switch_ids().map(|id| walk.place(id, 0)).collect();
        let mut sent = vec![0.0; walk.port_count()];
        let mut offered = vec![0.0; base.len()];
        let mut here = vec![0.0; base.len()];
        for target in demands.targets() {
            offered.fill(0.0);
            demands.for_each_sender(target, |switch, _, bit_s| offered[switch.index()] += bit_s);
            for (host, share) in receivers(network, target) {
                walk.towards(host, tables.column(host));
                here.iter_mut().zip(&offered).for_each(|(here, bit_s)| *here = bit_s * share);
                for &switch in walk.nearest_first().iter().rev() {
                    let bit_s = here[switch.index()];
                    if bit_s > 0.0 {
                        let (place, next) = walk.hop(switch);
                        sent[place] += bit_s;
                        here[next.index()] += bit_s;
                    }
                }
                sent[walk.place(target.switch, network.host(host).port)] += here[target.switch.index()];
            }
        }
        add_local(network, demands, &base, &mut sent);
        Self {
            base,
            sent,
            turns: None,
            from_hosts: demands.sent.clone(),
            total: demands.total,
            through_root: None,
        }
    }
}

/// The receivers of a target and their shares.
fn receivers(network: &Network, target: &Target) -> impl Iterator<Item = (HostId, f64)> {
    target.ports.iter().map(|&(port, share)| match network.far_end(target.switch, port).map(|end| end.node) {
        Some(Node::Host(host)) => (host, share),
        _ => unreachable!("a receiver is at the port of its switch"),
    })
}

/// What hosts of one switch send to one another.
pub(super) fn add_local(network: &Network, demands: &Demands, base: &[usize], sent: &mut [f64]) {
    for switch in network.switch_ids() {
        demands.for_each_local(switch, |port, bit_s| sent[base[switch.index()] + usize::from(port)] += bit_s);
    }
}
