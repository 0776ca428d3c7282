//! Routes by the recognised family of a network.

use hopscope_kernel::step;
use hopscope_topology::{ChannelDependencies, Family, Network, Routes, RoutingRule, SwitchId};

/// Shortest routes of networks with more switches than this are not tried: their tables of an irregular network take
/// gigabytes, and they can deadlock in all but trees.
const MOST_TRIED: usize = 2_000;

/// The most central switch is found by the distances from this many switches, spread over all.
const SAMPLED: usize = 256;

/// The family of a network and the rule of its routes: in a fat tree up*/down* from all switches of the highest level,
/// elsewhere shortest routes where they cannot deadlock, else up*/down* from the most central switch.
#[must_use]
pub fn by_family(network: &Network) -> (Family, RoutingRule) {
    let family = Family::of(network);
    let named = |ids: &[SwitchId]| ids.iter().map(|id| network.switch(*id).name.clone()).collect();
    let rule = match &family {
        Family::FatTree(_) => RoutingRule::UpDown { roots: named(&family.tops()) },
        _ if shortest_is_safe(network) => RoutingRule::Shortest,
        _ => RoutingRule::UpDown { roots: named(&[most_central(network)]) },
    };
    (family, rule)
}

fn shortest_is_safe(network: &Network) -> bool {
    network.switches().len() <= MOST_TRIED
        && Routes::compute(network, &RoutingRule::Shortest)
            .is_ok_and(|routes| ChannelDependencies::new(network, &routes).shortest_cycle().is_none())
}

/// The switch with the fewest links to the others in all, of several the one of the smallest uid.
fn most_central(network: &Network) -> SwitchId {
    let switches = network.switches().len();
    let beyond: Vec<Vec<SwitchId>> = network
        .switch_ids()
        .map(|at| {
            let mut near: Vec<SwitchId> = network.neighbours(at).map(|(_, _, near, _)| near).collect();
            near.sort_unstable();
            near.dedup();
            near
        })
        .collect();
    let mut far = vec![0_u64; switches];
    for number in 0..switches.min(SAMPLED) {
        step("looking for the most central switch");
        let from = SwitchId::new(number * switches / switches.min(SAMPLED));
        let mut links = vec![u32::MAX; switches];
        links[from.index()] = 0;
        let mut reached = vec![from];
        let mut next = 0;
        while next < reached.len() {
            let at = reached[next];
            next += 1;
            for near in &beyond[at.index()] {
                if links[near.index()] == u32::MAX {
                    links[near.index()] = links[at.index()] + 1;
                    reached.push(*near);
                }
            }
        }
        far.iter_mut().zip(&links).for_each(|(far, links)| *far += u64::from(*links));
    }
    let key = |id: &SwitchId| (far[id.index()], network.switch(*id).uid);
    network.switch_ids().min_by_key(key).expect("a network has a switch")
}

#[cfg(test)]
mod tests {
    use hopscope_topology::{Chain, NetworkSpec};

    use super::*;

    #[test]
    fn the_middle_of_a_row_is_its_most_central_switch() {
        for (switches, middle) in [(1, "s0"), (5, "s2"), (7, "s3")] {
            let row = NetworkSpec::Line(Chain { switches, ..Chain::default() }).build().expect("a row");
            assert_eq!(row.switch(most_central(&row)).name, middle);
        }
    }
}
