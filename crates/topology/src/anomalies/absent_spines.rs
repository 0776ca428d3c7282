//! A switch of an upper level that is not there: in all switches below it the same ports are empty, as many as another
//! one takes, between those with cables up or where all others of their level have cables up.

use std::collections::BTreeMap;

use crate::anomalies::departures::Departures;
use crate::family::Levels;
use crate::graph::{Network, Port, SwitchId};

/// Fewer switches than this may have the same ports empty by chance.
const FEWEST: usize = 3;

/// What is said of such switches, by the level below them.
pub(super) fn told(
    network: &Network,
    levels: &Levels,
    departures: &Departures,
) -> BTreeMap<i32, Vec<String>> {
    let mut told: BTreeMap<i32, Vec<String>> = BTreeMap::new();
    let mut blocks: BTreeMap<i32, usize> = BTreeMap::new();
    for ((lower, upper), each) in &departures.joined {
        let level = levels.level(lower[0]);
        *blocks.entry(level).or_default() += 1;
        let others: Vec<SwitchId> =
            network.switch_ids().filter(|id| levels.level(*id) == level && !lower.contains(id)).collect();
        let block = Lower { network, levels, level, others: &others };
        // One that is there without any cable to them is told with its cables.
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
            told.entry(level).or_default().push(block.words(lower, &first));
        }
    }
    // Where each of several blocks has such ports, they are left for more switches: one fault takes no switch of each.
    told.retain(|level, words| words.len() == 1 || words.len() < blocks[level]);
    told
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
        let ((one, _), (_, above)) = (self.levels.role(self.level), self.levels.role(self.level + 1));
        let whose = match self.others {
            [] => format!("every {}", one.trim_end_matches('-')),
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
