//! A switch of an upper level that is not there: in all switches below it the same ports are empty, as many as another
//! one takes, between those with cables up or where all others of their level have cables up.

use std::collections::BTreeMap;

use crate::anomalies::departures::Departures;
use crate::anomalies::mended::usual;
use crate::family::{Family, Levels};
use crate::graph::{Endpoint, Network, Port, SwitchId};

/// Fewer switches than this may have the same ports empty by chance.
const FEWEST: usize = 3;

/// The anomalies of such switches, by the level below them.
pub(super) fn told(
    network: &Network,
    levels: &Levels,
    departures: &Departures,
) -> BTreeMap<i32, Vec<String>> {
    let mut told: BTreeMap<i32, Vec<String>> = BTreeMap::new();
    for Absent { level, lower, empty } in absent(network, levels, departures) {
        let others = others(network, levels, (level, &lower));
        let block = Lower { network, levels, level, others: &others };
        told.entry(level).or_default().push(block.words(&lower, &empty));
    }
    told
}

/// The network with a switch in place of each that is missing from the highest level, in these ports of those below.
/// The cables up of a missing switch in between are unknown.
#[must_use]
pub fn with_missing_switches(network: &Network, family: &Family) -> Network {
    let Family::FatTree(levels) = family else { return network.clone() };
    let highest = network.switch_ids().map(|id| levels.level(id)).max();
    let found = absent(network, levels, &Departures::of(network, levels));
    let found = found.into_iter().filter(|each| Some(each.level + 1) == highest);
    found.fold(network.clone(), |network, Absent { lower, empty, .. }| {
        let below = lower.iter().flat_map(|id| empty.iter().map(|port| Endpoint::switch(*id, *port)));
        let below: Vec<Endpoint> = below.collect();
        let name = |number: usize| format!("missing {number}");
        let free = (1..).map(name).find(|name| network.node(name).is_none());
        network.with_switch(free.expect("some number is free"), &below, usual(&network, &lower))
    })
}

/// A switch that is missing above others, by their level.
struct Absent {
    level: i32,
    lower: Vec<SwitchId>,
    /// The ports of each that are empty.
    empty: Vec<Port>,
}

/// Switches of the same level that belong elsewhere.
fn others(network: &Network, levels: &Levels, (level, lower): (i32, &[SwitchId])) -> Vec<SwitchId> {
    network.switch_ids().filter(|id| levels.level(*id) == level && !lower.contains(id)).collect()
}

fn absent(network: &Network, levels: &Levels, departures: &Departures) -> Vec<Absent> {
    let mut found: Vec<Absent> = Vec::new();
    let mut blocks: BTreeMap<i32, usize> = BTreeMap::new();
    for ((lower, upper), each) in &departures.joined {
        let level = levels.level(lower[0]);
        *blocks.entry(level).or_default() += 1;
        let others = others(network, levels, (level, lower));
        let block = Lower { network, levels, level, others: &others };
        // A switch that exists without any cable to them is reported with its cables.
        if departures
            .short
            .iter()
            .any(|((a, b), short)| short.has == 0 && lower.contains(a) && !upper.contains(b))
        {
            continue;
        }
        let mut empty = lower.iter().map(|id| block.empty(*id, upper));
        let Some(first) = empty.next().filter(|empty| empty.len() == *each && lower.len() >= FEWEST) else {
            continue;
        };
        if empty.all(|empty| empty == first) {
            found.push(Absent { level, lower: lower.clone(), empty: first });
        }
    }
    // Where each of several blocks has such ports, they are left for more switches: one fault takes no switch of each.
    let mut counted: BTreeMap<i32, usize> = BTreeMap::new();
    found.iter().for_each(|each| *counted.entry(each.level).or_default() += 1);
    found.retain(|each| counted[&each.level] == 1 || counted[&each.level] < blocks[&each.level]);
    found
}

/// Switches below others.
struct Lower<'a> {
    network: &'a Network,
    levels: &'a Levels,
    level: i32,
    /// Those of the same level that belong elsewhere.
    others: &'a [SwitchId],
}

impl Lower<'_> {
    fn empty(&self, switch: SwitchId, upper: &[SwitchId]) -> Vec<Port> {
        let up = self.network.neighbours(switch).filter(|(_, _, far, _)| upper.contains(far));
        let up: Vec<Port> = up.map(|(port, ..)| port).collect();
        let (Some(first), Some(last)) = (up.iter().min(), up.iter().max()) else { return Vec::new() };
        let ports = self.network.switch(switch).ports.len() as Port;
        let empty = (0..ports).filter(|port| self.network.far_end(switch, *port).is_none());
        empty.filter(|port| (first..last).contains(&port) || self.leads_up_elsewhere(*port)).collect()
    }

    /// Whether all others of the level have a cable up in this port.
    fn leads_up_elsewhere(&self, port: Port) -> bool {
        let leads_up = |id: &SwitchId| {
            let mut cables = self.network.neighbours(*id).filter(|(own, ..)| *own == port);
            cables.any(|(_, _, far, _)| self.levels.level(far) > self.level)
        };
        !self.others.is_empty() && self.others.iter().all(leads_up)
    }

    fn words(&self, lower: &[SwitchId], empty: &[Port]) -> String {
        let ports = empty.iter().map(Port::to_string).collect::<Vec<_>>().join(", ");
        let (port, are) = if empty.len() == 1 { ("port", "is") } else { ("ports", "are") };
        let (one, (_, above)) = (self.levels.one(self.level), self.levels.role(self.level + 1));
        let whose = match self.others {
            [] => format!("every {one}"),
            _ => {
                let names = lower.iter().map(|id| self.network.switch(*id).name.clone());
                super::listed(&names.collect::<Vec<_>>())
            }
        };
        format!(
            "{port} {ports} of {whose} {are} empty beside ports with cables up: one of the {above} is probably missing"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::{NetworkBuilder, Node, Role};

    /// Four leaves with a host each, below three spines but these.
    fn without(gone: &[u16]) -> Network {
        let mut builder = NetworkBuilder::new();
        let leaves: Vec<SwitchId> = (0..4).map(|leaf| builder.add_switch(format!("leaf{leaf}"))).collect();
        for leaf in &leaves {
            builder.add_host(format!("h{}", leaf.index()), *leaf, Role::Any);
        }
        for spine in (0..3).filter(|spine| !gone.contains(spine)) {
            let id = builder.add_switch(format!("spine{spine}"));
            for (leaf, port) in leaves.iter().zip(0..) {
                builder.add_link_at([(*leaf, Some(1 + spine)), (id, Some(port))], None, None);
            }
        }
        builder.build().expect("a fabric")
    }

    #[test]
    fn a_switch_stands_where_one_is_missing_and_nowhere_else() {
        let whole = without(&[]);
        assert_eq!(with_missing_switches(&whole, &Family::of(&whole)), whole);
        let short = without(&[1]);
        let placed = with_missing_switches(&short, &Family::of(&short));
        let Some(Node::Switch(new)) = placed.node("missing 1") else { panic!("no new switch: {placed:?}") };
        let below: Vec<(Port, SwitchId, Port)> =
            placed.neighbours(new).map(|(own, _, far, port)| (own, far, port)).collect();
        let expected: Vec<(Port, SwitchId, Port)> =
            (0..4).map(|leaf| (leaf, SwitchId::new(usize::from(leaf)), 2)).collect();
        assert_eq!(below, expected);
        assert_eq!(placed.links().len(), whole.links().len());
    }
}
