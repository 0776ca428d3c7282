//! A cable that is slower than all others of one of its switches, where both kinds are many: spines of two generations
//! have cables of two rates, and one of the lower rate at a faster spine is like those at others.

use std::collections::{BTreeMap, BTreeSet};

use super::{Class, FEWEST_OF_SWITCH, OF_HOSTS, SlowLink, is_slower};
use crate::anomalies::{Anomaly, AnomalyKind, cable};
use crate::graph::{LinkId, Network, SwitchId};

/// The only slow cable of each switch whose other cables of its class all have one rate, with that switch; but for
/// those whose other switch has none as fast, which is of an older generation.
pub(super) fn slow(
    network: &Network,
    classes: &BTreeMap<Class, Vec<LinkId>>,
    known: &BTreeSet<LinkId>,
) -> Vec<(SlowLink, SwitchId)> {
    let mut found = Vec::new();
    for (_, links) in classes.iter().filter(|(class, _)| **class != OF_HOSTS) {
        let mut of: BTreeMap<SwitchId, Vec<LinkId>> = BTreeMap::new();
        for id in links {
            let ends = network.link(*id).switches().into_iter().flatten();
            ends.for_each(|end| of.entry(end).or_default().push(*id));
        }
        let rate = |id: LinkId| network.link(id).rate;
        for (switch, links) in &of {
            let Some(usual) = links.iter().filter_map(|id| rate(*id)).max() else { continue };
            let (others, slower): (Vec<LinkId>, Vec<LinkId>) =
                links.iter().partition(|id| rate(**id) == Some(usual));
            let [link] = slower[..] else { continue };
            let far = network.link(link).switches().into_iter().flatten().find(|end| end != switch);
            let is_fast = far.is_some_and(|far| of[&far].iter().any(|id| rate(*id) >= Some(usual)));
            let is_slow = rate(link).is_some_and(|rate| is_slower(rate, usual));
            if others.len() >= FEWEST_OF_SWITCH && is_fast && is_slow && !known.contains(&link) {
                let usual_lanes = network.link(others[0]).lanes;
                found.push((SlowLink { link, usual, usual_lanes, is_of_few: true }, *switch));
            }
        }
    }
    found
}

/// Their anomalies.
pub(super) fn anomalies(network: &Network, slow: &[(SlowLink, SwitchId)]) -> Vec<Anomaly> {
    let words = |(SlowLink { link, usual, .. }, switch): &(SlowLink, SwitchId)| {
        let rate = network.link(*link).rate.map_or_else(String::new, |rate| rate.to_string());
        let words = format!(
            "the cable {} runs at {rate}, where the other cables of {} have {usual}",
            cable(network, *link),
            network.switch(*switch).name
        );
        Anomaly::new(AnomalyKind::SlowLink, words).of_cables(vec![*link])
    };
    slow.iter().map(words).collect()
}

#[cfg(test)]
mod tests {
    use hopscope_units::Rate;

    use crate::anomalies::{AnomalyKind, anomalies, slow_links};
    use crate::family::Family;
    use crate::graph::{Network, NetworkBuilder, Role, SwitchId};

    /// Six leaves below two spines with fast cables and two with slow ones; the rate of each cable in Gbit/s by its
    /// leaf and spine.
    fn of_two_generations(rate: impl Fn(usize, usize) -> u64) -> Network {
        let mut builder = NetworkBuilder::new();
        let [leaves, spines] = [("leaf", 6), ("spine", 4)].map(|(name, count)| {
            (0..count).map(|i| builder.add_switch(format!("{name}{i}"))).collect::<Vec<SwitchId>>()
        });
        for (i, leaf) in leaves.iter().enumerate() {
            let host = builder.add_loose_host(format!("h{i}"), Role::Any);
            builder.attach(host, *leaf, None, Some(Rate::from_mbit_s(100_000)), None);
            for (j, spine) in spines.iter().enumerate() {
                builder.add_link(*leaf, *spine, Some(Rate::from_mbit_s(1000 * rate(i, j))), None);
            }
        }
        builder.build().expect("a fabric")
    }

    fn told(network: &Network) -> Vec<String> {
        let found = anomalies(network, &Family::of(network)).into_iter();
        found.filter(|each| each.kind == AnomalyKind::SlowLink).map(|each| each.words).collect()
    }

    #[test]
    fn a_slow_cable_of_a_fast_spine_is_told_and_an_old_leaf_is_not() {
        let by_spine = |j| if j < 2 { 200 } else { 100 };
        let slow = of_two_generations(|i, j| if (i, j) == (2, 0) { 100 } else { by_spine(j) });
        let [words] = &told(&slow)[..] else { panic!("{:?}", told(&slow)) };
        assert!(words.starts_with("the cable leaf2:1 - spine0:2 runs at 100 Gbit/s"), "{words}");
        assert!(words.ends_with("where the other cables of spine0 have 200 Gbit/s"), "{words}");
        assert_eq!(slow_links(&slow, &Family::of(&slow)).len(), 1);
        let old = of_two_generations(|i, j| if i == 2 { 100 } else { by_spine(j) });
        assert_eq!(told(&old), [""; 0]);
    }
}
