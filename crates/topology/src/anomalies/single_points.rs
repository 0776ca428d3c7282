//! Switches and cables without which hosts of different switches could not reach each other: articulation points and
//! bridges (Tarjan, SIAM J. Computing 1972).

use crate::anomalies::{Anomaly, AnomalyKind, cable, listed};
use crate::family::Family;
use crate::graph::{LinkId, Network, SwitchId};

pub(super) fn anomalies(network: &Network, family: &Family) -> Vec<Anomaly> {
    if matches!(family, Family::SingleSwitch) {
        return Vec::new();
    }
    let Cuts { switches, links } = Cuts::of(network);
    let switches: Vec<String> = switches.iter().map(|id| network.switch(*id).name.clone()).collect();
    let links: Vec<String> = links.iter().map(|id| cable(network, *id)).collect();
    let mut found = Vec::new();
    let mut tell = |names: &[String], one: &str, many: &str| {
        let words = match names {
            [] => return,
            [only] => format!("{one} {only} is a single point of failure: its loss cuts hosts off"),
            _ => format!(
                "{} {many} are single points of failure, and the loss of one cuts hosts off: {}",
                names.len(),
                listed(names)
            ),
        };
        found.push(Anomaly::new(AnomalyKind::SinglePoint, words));
    };
    tell(&switches, "the switch", "switches");
    tell(&links, "the cable", "cables");
    found
}

struct Cuts {
    switches: Vec<SwitchId>,
    links: Vec<LinkId>,
}

/// A switch that is being visited.
struct Visit {
    at: SwitchId,
    /// The link by which it was reached.
    by: Option<LinkId>,
    ports: Vec<(LinkId, SwitchId)>,
    next: usize,
}

impl Cuts {
    fn of(network: &Network) -> Self {
        let own = network.hosts_per_switch();
        let all: u32 = own.iter().sum();
        let count = own.len();
        let (mut found, mut lowest, mut below) = (vec![0_u32; count], vec![0_u32; count], own.clone());
        let mut cuts = Self { switches: Vec::new(), links: Vec::new() };
        let visit = |at, by| {
            let ports = network.neighbours(at).map(|(_, link, far, _)| (link, far)).collect();
            Visit { at, by, ports, next: 0 }
        };
        let mut number = 1;
        (found[0], lowest[0]) = (number, number);
        let mut open = vec![visit(SwitchId::new(0), None)];
        while let Some(Visit { at, by, ports, next }) = open.last_mut() {
            let (here, came_by) = (*at, *by);
            if let Some(&(link, far)) = ports.get(*next) {
                *next += 1;
                if found[far.index()] == 0 {
                    number += 1;
                    (found[far.index()], lowest[far.index()]) = (number, number);
                    open.push(visit(far, Some(link)));
                } else if Some(link) != came_by {
                    lowest[here.index()] = lowest[here.index()].min(found[far.index()]);
                }
                continue;
            }
            open.pop();
            let (Some(link), Some(Visit { at: above, .. })) = (came_by, open.last()) else { continue };
            let above = above.index();
            let (low, hosts) = (lowest[here.index()], below[here.index()]);
            lowest[above] = lowest[above].min(low);
            below[above] += hosts;
            if low > found[above] && hosts > 0 && all > hosts {
                cuts.links.push(link);
            }
            // The hosts of the switch itself are disconnected in any case.
            if low >= found[above] && hosts > 0 && all > hosts + own[above] {
                cuts.switches.push(SwitchId::new(above));
            }
        }
        cuts.switches.sort_unstable();
        cuts.switches.dedup();
        cuts.links.sort_unstable();
        cuts
    }
}
