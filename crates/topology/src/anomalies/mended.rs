//! A network as after its cabling is mended: misplaced cables where those like them are, and missing ones plugged in.

use std::collections::BTreeMap;

use hopscope_units::{Rate, Span};

use crate::anomalies::departures::{Departures, Pair, most_common};
use crate::anomalies::hosts_astray::{HostPorts, Unequal, of_leaves};
use crate::anomalies::{dragonflies, grids, misplaced, tried};
use crate::family::{Family, as_fat_tree};
use crate::graph::{Endpoint, HostId, LinkId, Network, Node, Port, SwitchId};

/// The network as after its misplaced cables are put right, and those that its family has and it lacks are plugged in.
/// Exchanged cables keep their ports and exchange their ends, also with that of a host, and a host at a wrong leaf
/// moves to the port that lacks one. A cable that is new, or has one end elsewhere, takes the first free port. A cable
/// that is missing between two groups of a dragonfly joins the switches with the fewest cables to other groups.
#[must_use]
pub fn with_cables_mended(network: &Network, family: &Family) -> Network {
    let (network, lacking) = match family {
        Family::FatTree(levels) => {
            if let Some((_, mended)) = tried::exchange(network, levels)
                && let Some(levels) = as_fat_tree(&mended)
            {
                return with_cables_mended(&mended, &Family::FatTree(levels));
            }
            let mut departures = Departures::of(network, levels);
            let (mut cases, hosts) = misplaced::put_right(network, levels, &mut departures);
            let unequal = Unequal::of(&of_leaves(network, levels, &hosts));
            let astray = unequal.and_then(|unequal| unequal.astray(&HostPorts::of(network, levels)));
            cases.extend(astray.map(|(host, to)| Case::of_host(network, host, to)));
            let short = departures.short.iter().filter(|(pair, _)| !departures.are_full(network, **pair));
            let short = short.map(|(pair, short)| (*pair, short.missing));
            (cases.iter().fold(network.clone(), |network, case| case.mended(&network)), short.collect())
        }
        Family::Grid(coordinates) => (grids::mended(network, coordinates), Vec::new()),
        Family::Dragonfly(groups) => (dragonflies::mended(network, groups), Vec::new()),
        Family::SingleSwitch | Family::Irregular => (network.clone(), Vec::new()),
    };
    lacking.into_iter().fold(network, |network, (pair, missing)| plugged_in(network, pair, missing))
}

/// What puts misplaced cables right.
pub(super) enum Case {
    /// Cables whose ends are exchanged, or a host in a wrong port: what each joins instead.
    Exchanged(BTreeMap<LinkId, [Endpoint; 2]>),
    /// A cable with one end at a wrong switch, and the pair that it should join: it takes the first free port.
    Elsewhere(LinkId, Pair),
}

impl Case {
    /// A host that should be in this port.
    fn of_host(network: &Network, host: HostId, to: Endpoint) -> Self {
        Self::Exchanged(BTreeMap::from([(network.host(host).link, [to, Endpoint::host(host)])]))
    }

    /// The cables that it moves.
    pub fn cables(&self) -> Vec<LinkId> {
        match self {
            Self::Exchanged(cables) => cables.keys().copied().collect(),
            Self::Elsewhere(link, _) => vec![*link],
        }
    }

    pub fn mended(&self, network: &Network) -> Network {
        match self {
            Self::Exchanged(cables) => network.replugged(cables),
            Self::Elsewhere(link, pair) => {
                let Some(end) = end_at(network, *link, *pair) else { return network.clone() };
                let to = if end.node == Node::Switch(pair.0) { pair.1 } else { pair.0 };
                network.replugged(&BTreeMap::from([(*link, [end, free_port(network, to)])]))
            }
        }
    }
}

/// Cables that exchange their ends, each with the pair that it should join: one keeps the end that it has at that pair,
/// and gets the end that another one loses there.
pub(super) fn exchanged(
    network: &Network,
    cables: &[(LinkId, Pair)],
) -> Option<BTreeMap<LinkId, [Endpoint; 2]>> {
    let kept: Option<Vec<(LinkId, Pair, Endpoint)>> =
        cables.iter().map(|(link, pair)| Some((*link, *pair, end_at(network, *link, *pair)?))).collect();
    let kept = kept?;
    let mut lost: Vec<Endpoint> = kept.iter().map(|(link, _, end)| network.link(*link).far(*end)).collect();
    let mut moved = BTreeMap::new();
    for (link, (a, b), end) in kept {
        let to = Node::Switch(if end.node == Node::Switch(a) { b } else { a });
        let at = lost.iter().position(|end| end.node == to)?;
        moved.insert(link, [end, lost.remove(at)]);
    }
    Some(moved)
}

/// The end that a misplaced cable keeps: the one at a switch of the pair that it should join.
pub(super) fn end_at(network: &Network, link: LinkId, (a, b): Pair) -> Option<Endpoint> {
    let is_of_pair = |end: &Endpoint| end.node == Node::Switch(a) || end.node == Node::Switch(b);
    network.link(link).ends.into_iter().find(is_of_pair)
}

fn free_port(network: &Network, switch: SwitchId) -> Endpoint {
    let ports = &network.switch(switch).ports;
    let free = ports.iter().position(Option::is_none).unwrap_or(ports.len());
    Endpoint::switch(switch, Port::try_from(free).expect("a port number is left"))
}

/// The network with `count` more cables between two switches, like most of their cables.
pub(super) fn plugged_in(network: Network, (a, b): Pair, count: usize) -> Network {
    let (rate, delay) = usual(&network, &[a, b]);
    (0..count).fold(network, |network, _| network.with_link([a, b], rate, delay))
}

/// The rate and the delay that most cables of these switches to others state.
pub(super) fn usual(network: &Network, switches: &[SwitchId]) -> (Option<Rate>, Option<Span>) {
    let links = switches.iter().flat_map(|switch| network.neighbours(*switch)).map(|(_, link, _, _)| link);
    let stated = links.map(|link| (network.link(link).rate, network.link(link).delay));
    most_common(stated).map_or((None, None), |(usual, _)| usual)
}
