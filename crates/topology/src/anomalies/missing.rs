//! Cables that a regular family would have.

use hopscope_units::amount;

use crate::anomalies::departures::{Departures, Pair, Short, gaps};
pub(super) use crate::anomalies::grids::of_grid_pairs;
use crate::anomalies::{
    Anomaly, AnomalyKind, absent_spines, dragonflies, grids, listed, misplaced, up_links,
};
use crate::family::Family;
use crate::graph::{Network, SwitchId};

pub(super) fn anomalies(network: &Network, family: &Family) -> Vec<Anomaly> {
    match family {
        Family::FatTree(levels) => {
            let mut departures = Departures::of(network, levels);
            let mut found = misplaced::anomalies(network, levels, &mut departures);
            let (unequal, absent_above) = up_links::anomalies(network, levels, &departures);
            found.extend(unequal);
            found.extend(of_levels(network, &departures));
            let absent = absent_spines::told(network, levels, &departures).into_iter();
            let absent =
                absent.filter(|(level, _)| !absent_above.contains(level)).flat_map(|(_, words)| words);
            found.extend(absent.map(|words| Anomaly::new(AnomalyKind::MissingLink, words)));
            found
        }
        Family::Grid(coordinates) => grids::anomalies(network, coordinates),
        Family::Dragonfly(groups) => dragonflies::anomalies(network, groups),
        Family::SingleSwitch | Family::Irregular => Vec::new(),
    }
}

/// A pair that has so many cables of those that it should, with the ports in which the others would be.
pub(super) fn pair_words(
    network: &Network,
    (a, b): Pair,
    [has, wanted]: [usize; 2],
    empty: &[String],
) -> String {
    let [a, b] = [a, b].map(|id| &network.switch(id).name);
    let ports = if empty.len() == 1 { "port" } else { "ports" };
    let empty =
        if empty.is_empty() { String::new() } else { format!("; empty {ports}: {}", empty.join(", ")) };
    format!("{a} - {b} (has {has} of {wanted}{empty})")
}

/// The port in which a cable between two switches is missing, of each that has one empty port alone between those with
/// cables.
pub(super) fn ports_between(network: &Network, ends: [SwitchId; 2]) -> Vec<String> {
    let port = |id: SwitchId| match gaps(network, id)[..] {
        [port] => Some(format!("{}:{port}", network.switch(id).name)),
        _ => None,
    };
    ends.into_iter().filter_map(port).collect()
}

/// The cables of a fat tree that are missing, but for those that were found elsewhere.
fn of_levels(network: &Network, departures: &Departures) -> Option<Anomaly> {
    let short = || departures.short.iter().filter(|(_, short)| short.missing > 0);
    let words = |(pair, short): (&Pair, &Short)| {
        pair_words(network, *pair, [short.has, short.wanted], &departures.empty_ports(network, *pair))
    };
    let names: Vec<String> = short().map(words).collect();
    told(short().map(|(_, short)| short.missing).sum(), "fat tree", &names)
}

/// So many cables that are missing, by the pairs of switches that lack them.
pub(super) fn told(missing: usize, of: &str, pairs: &[String]) -> Option<Anomaly> {
    let verb = if missing == 1 { "is" } else { "are" };
    let words =
        format!("{} {verb} missing from the {of}: {}", amount(missing, "cable", "cables"), listed(pairs));
    (missing > 0).then(|| Anomaly::new(AnomalyKind::MissingLink, words))
}
