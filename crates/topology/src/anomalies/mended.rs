//! A network as after its cabling is mended: misplaced cables where those like them are, and missing ones plugged in.

use std::collections::BTreeMap;

use hopscope_units::{Rate, Span};

use crate::anomalies::departures::{Departures, Pair, most_common};
use crate::anomalies::{dragonflies, exchanges, misplaced, missing};
use crate::family::Family;
use crate::graph::{Endpoint, LinkId, Network, Node, Port, SwitchId};

/// The network as after its misplaced cables are put right, and those that its family has and it lacks are plugged in.
/// Two exchanged cables keep their ports and exchange their ends. A cable that is new, or has one end elsewhere, takes
/// the first free port. Between which switches of two groups of a dragonfly a cable is missing nobody knows: it is
/// plugged in at those that have fewest to other groups.
#[must_use]
pub fn with_cables_mended(network: &Network, family: &Family) -> Network {
    let (network, lacking) = match family {
        Family::FatTree(levels) => {
            let mut departures = Departures::of(network, levels);
            let cases = misplaced::put_right(network, levels, &mut departures);
            let short = departures.short.iter().map(|(pair, short)| (*pair, short.missing));
            (cases.iter().fold(network.clone(), |network, case| replugged(&network, case)), short.collect())
        }
        Family::Grid(coordinates) => {
            let exchange = coordinates.exchanges.first();
            let mended =
                exchange.map_or_else(|| network.clone(), |exchange| exchanges::mended(network, *exchange));
            (mended, missing::of_grid_pairs(network, coordinates))
        }
        Family::Dragonfly(groups) => (dragonflies::mended(network, groups), Vec::new()),
        Family::SingleSwitch | Family::Irregular => (network.clone(), Vec::new()),
    };
    lacking.into_iter().fold(network, |network, (pair, missing)| plugged_in(network, pair, missing))
}

/// The network with the cables of one case between the pairs that they should join.
pub(super) fn replugged(network: &Network, case: &[(LinkId, Pair)]) -> Network {
    let moved: BTreeMap<LinkId, [Endpoint; 2]> = match *case {
        [(one, ours), (other, theirs)] => {
            let keeps = |link: LinkId, pair: Pair| end_at(network, link, pair);
            let (Some(here), Some(there)) = (keeps(one, ours), keeps(other, theirs)) else {
                return network.clone();
            };
            let far = [(one, here), (other, there)].map(|(link, end)| network.link(link).far(end));
            BTreeMap::from([(one, [here, far[1]]), (other, [there, far[0]])])
        }
        [(link, pair)] => {
            let Some(end) = end_at(network, link, pair) else { return network.clone() };
            let to = if end.node == Node::Switch(pair.0) { pair.1 } else { pair.0 };
            BTreeMap::from([(link, [end, free_port(network, to)])])
        }
        _ => return network.clone(),
    };
    network.replugged(&moved)
}

/// The end that a misplaced cable keeps: the one at a switch of the pair that it should join.
fn end_at(network: &Network, link: LinkId, (a, b): Pair) -> Option<Endpoint> {
    let is_of_pair = |end: &Endpoint| end.node == Node::Switch(a) || end.node == Node::Switch(b);
    network.link(link).ends.into_iter().find(is_of_pair)
}

fn free_port(network: &Network, switch: SwitchId) -> Endpoint {
    let ports = &network.switch(switch).ports;
    let free = ports.iter().position(Option::is_none).unwrap_or(ports.len());
    Endpoint::switch(switch, Port::try_from(free).expect("a port number is left"))
}

/// The network with so many more cables between two switches, like most cables that these have.
pub(super) fn plugged_in(network: Network, (a, b): Pair, count: usize) -> Network {
    let (rate, delay) = usual(&network, [a, b]);
    (0..count).fold(network, |network, _| network.with_link([a, b], rate, delay))
}

/// The rate and the delay that most cables of these switches to others state.
fn usual(network: &Network, ends: [SwitchId; 2]) -> (Option<Rate>, Option<Span>) {
    let links = ends.into_iter().flat_map(|switch| network.neighbours(switch)).map(|(_, link, _, _)| link);
    let stated = links.map(|link| (network.link(link).rate, network.link(link).delay));
    most_common(stated).map_or((None, None), |(usual, _)| usual)
}
