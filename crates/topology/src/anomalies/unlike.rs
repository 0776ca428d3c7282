//! Cables that are slower, narrower or faster than those like them.

mod beside_faster;

use std::collections::{BTreeMap, BTreeSet};

use hopscope_measure::{is_slower_than_its_like, usual};
use hopscope_units::Rate;

use crate::anomalies::{Anomaly, AnomalyKind, cable, listed};
use crate::family::Family;
use crate::graph::{Endpoint, Link, LinkId, Network, Node, Port, SwitchId};

/// What makes cables like each other: the levels or the role of their two ends.
type Class = (i32, i32);

/// The class of hosts' cables, which no two levels have.
const OF_HOSTS: Class = (i32::MAX, i32::MAX);

/// Cables of one class are reported individually up to this share of the class; more of them are a second generation.
const FEW: f64 = 0.25;

/// Fewer cables of a switch than this may all be slow by chance.
const FEWEST_OF_SWITCH: usize = 3;

fn classes(network: &Network, family: &Family) -> BTreeMap<Class, Vec<LinkId>> {
    let mut classes: BTreeMap<Class, Vec<LinkId>> = BTreeMap::new();
    for id in network.link_ids() {
        let class = match (network.link(id).switches(), family) {
            (None, _) => OF_HOSTS,
            (Some([a, b]), Family::FatTree(levels)) => {
                let [a, b] = [a, b].map(|switch| levels.level(switch));
                (a.min(b), a.max(b))
            }
            (Some([a, b]), Family::Dragonfly(groups)) => (i32::from(groups.group(a) == groups.group(b)), 0),
            (Some(_), _) => (0, 0),
        };
        classes.entry(class).or_default().push(id);
    }
    classes
}

fn usual_rate(network: &Network, links: &[LinkId]) -> Option<Rate> {
    let rates = links.iter().filter_map(|id| network.link(*id).rate);
    usual(rates.map(|rate| rate.bit_s() as f64).collect()).map(|rate| Rate::from_bit_s(rate as u64))
}

fn usual_lanes(network: &Network, links: &[LinkId]) -> Option<u8> {
    let lanes = links.iter().filter_map(|id| network.link(*id).lanes);
    usual(lanes.map(f64::from).collect()).map(|lanes| lanes as u8)
}

fn is_slower(rate: Rate, usual: Rate) -> bool {
    is_slower_than_its_like(rate.bit_s() as f64, usual.bit_s() as f64)
}

/// A link that is slower than comparable links, with their rate.
pub(super) struct SlowLink {
    pub link: LinkId,
    pub usual: Rate,
    pub usual_lanes: Option<u8>,
    /// Whether it is one of a few of its class, which are reported as faults; more are a second generation.
    pub is_of_few: bool,
}

/// The links that are slower than comparable links, without those that are so by design.
pub(super) fn slow_links(network: &Network, family: &Family) -> Vec<SlowLink> {
    let mut slow = Vec::new();
    let classes = classes(network, family);
    let lagging = lagging(network, &classes);
    for (&class, links) in &classes {
        let Some(usual) = usual_rate(network, links) else { continue };
        let usual_lanes = usual_lanes(network, links);
        let of_class: Vec<LinkId> = links.iter().copied().filter(|id| lagging.contains(id)).collect();
        let is_of_few = (of_class.len() as f64) <= FEW * links.len() as f64;
        // Links of many rates have no like, unless their lanes say that they could do better.
        if usual_lanes.is_none() && !is_of_few {
            continue;
        }
        let (narrow, others): (Vec<LinkId>, Vec<LinkId>) = of_class
            .into_iter()
            .partition(|id| network.link(*id).lanes.is_some_and(|lanes| Some(lanes) < usual_lanes));
        let narrow = if are_split(class, &narrow, links) { Vec::new() } else { narrow };
        let by_design =
            !of_older_switches(network, &others, &lagging).is_empty() || are_in_same_ports(network, &others);
        let others = if by_design { Vec::new() } else { others };
        let of_class = narrow.into_iter().chain(others);
        slow.extend(of_class.map(|link| SlowLink { link, usual, usual_lanes, is_of_few }));
    }
    let known = slow.iter().map(|slow| slow.link).chain(lagging).collect();
    slow.extend(beside_faster::slow(network, &classes, &known).into_iter().map(|(slow, _)| slow));
    slow.sort_by_key(|slow| slow.link);
    slow
}

/// All links that are slower than most of their class.
fn lagging(network: &Network, classes: &BTreeMap<Class, Vec<LinkId>>) -> BTreeSet<LinkId> {
    let of_class = |links: &Vec<LinkId>| {
        let usual = usual_rate(network, links);
        let is_lagging = |id: &LinkId| {
            let rates = network.link(*id).rate.zip(usual);
            rates.is_some_and(|(rate, usual)| is_slower(rate, usual))
        };
        links.iter().copied().filter(is_lagging).collect::<Vec<_>>()
    };
    classes.values().flat_map(of_class).collect()
}

pub(super) fn anomalies(network: &Network, family: &Family) -> Vec<Anomaly> {
    let mut found = Vec::new();
    let classes = classes(network, family);
    let lagging = lagging(network, &classes);
    for (&class, links) in &classes {
        let of = |id: &LinkId| network.link(*id);
        let mut usual =
            Usual { rate: usual_rate(network, links), lanes: usual_lanes(network, links), is_of_most: false };
        let as_usual = links.iter().filter(|id| usual.is_of(of(id))).count();
        usual.is_of_most = 2 * as_usual > links.len();
        let mut odd: BTreeMap<(AnomalyKind, String), Vec<LinkId>> = BTreeMap::new();
        for id in links {
            if let Some(kind) = usual.oddity(of(id)) {
                odd.entry((kind, usual.words(of(id)))).or_default().push(*id);
            }
        }
        for ((kind, words), odd) in odd {
            // Links of many rates have no like, unless their lanes say that they could do better.
            let are_few = (odd.len() as f64) <= FEW * links.len() as f64;
            let is_told = match kind {
                AnomalyKind::SlowLink => usual.lanes.is_some() || are_few,
                AnomalyKind::FastLink => {
                    class != OF_HOSTS && are_few && are_among_slower(network, &odd, links)
                }
                _ => true,
            };
            if !is_told {
                continue;
            }
            if let Some(by_design) = by_design(network, class, kind, &odd, (links, &words), &lagging) {
                found.extend(by_design);
                continue;
            }
            found.extend(of_cables(network, links, kind, &words, odd));
        }
    }
    let known = found.iter().flat_map(|each| &each.cables).chain(&lagging).copied().collect();
    let slow = beside_faster::slow(network, &classes, &known);
    found.extend(beside_faster::anomalies(network, &slow));
    found.extend(one_lane(network, &found));
    found
}

/// The anomalies of cables that are odd in the same way: one or two individually, more of them together, with the
/// switch to which all of them belong.
fn of_cables(
    network: &Network,
    class: &[LinkId],
    kind: AnomalyKind,
    words: &str,
    odd: Vec<LinkId>,
) -> Vec<Anomaly> {
    let names: Vec<String> = odd.iter().map(|id| cable(network, *id)).collect();
    if odd.len() == 1 || odd.len() == 2 && (odd.len() as f64) <= FEW * class.len() as f64 {
        let each = odd
            .iter()
            .zip(&names)
            .map(|(id, name)| Anomaly::new(kind, format!("the cable {name} {words}")).of_cables(vec![*id]));
        return each.collect();
    }
    let count = odd.len();
    let which = match (all_of_switch(network, &odd, class), network.link(odd[0]).switches()) {
        (Some(id), Some(_)) => {
            format!("all {count} cables between {} and other switches", network.switch(id).name)
        }
        (Some(id), None) => format!("all {count} cables of hosts at {}", network.switch(id).name),
        (None, _) => format!("{count} cables"),
    };
    let words = format!("{which} {}: {}", words.replacen("runs", "run", 1), listed(&names));
    vec![Anomaly::new(kind, words).of_cables(odd)]
}

/// The one switch whose cables of this class are exactly these, if they are too many for chance.
fn all_of_switch(network: &Network, odd: &[LinkId], class: &[LinkId]) -> Option<SwitchId> {
    let has =
        |id: SwitchId, link: &LinkId| network.link(*link).ends.iter().any(|end| end.node == Node::Switch(id));
    let is_of = |id: &SwitchId| {
        odd.iter().all(|link| has(*id, link))
            && class.iter().filter(|link| has(*id, link)).count() == odd.len()
    };
    let mut of = network.switch_ids().filter(is_of);
    of.next().filter(|_| odd.len() >= FEWEST_OF_SWITCH && odd.len() < class.len())
}

/// The anomaly of cables that are slower or narrower than most by design; None for faults. Some designs need no
/// anomaly.
fn by_design(
    network: &Network,
    class: Class,
    kind: AnomalyKind,
    odd: &[LinkId],
    (links, words): (&[LinkId], &str),
    lagging: &BTreeSet<LinkId>,
) -> Option<Option<Anomaly>> {
    let words = words.replacen("runs", "run", 1);
    match kind {
        AnomalyKind::NarrowLink if are_split(class, odd, links) => {
            let words = format!(
                "{} cables of hosts {words}: so many are probably split cables, no faults",
                odd.len()
            );
            Some(Some(Anomaly::new(AnomalyKind::OlderGeneration, words)))
        }
        AnomalyKind::SlowLink => {
            let older = of_older_switches(network, odd, lagging);
            let are_older = !older.is_empty();
            let told = are_older.then(|| of_generation(network, odd, &older, &words));
            (are_older || are_in_same_ports(network, odd)).then_some(told)
        }
        _ => None,
    }
}

/// Whether the number of narrow host cables shows split cables, two to a port of a switch.
fn are_split(class: Class, narrow: &[LinkId], links: &[LinkId]) -> bool {
    class == OF_HOSTS && narrow.len() as f64 > FEW * links.len() as f64
}

/// Whether these are the cables of all hosts in some ports, the same at every leaf: a design has such ports, such as
/// those of the nodes to log in at, and faults do not.
fn are_in_same_ports(network: &Network, slow: &[LinkId]) -> bool {
    let is_slow: BTreeSet<LinkId> = slow.iter().copied().collect();
    let at = |slow: bool| {
        network.hosts().iter().filter(|host| is_slow.contains(&host.link) == slow).collect::<Vec<_>>()
    };
    let ports: BTreeSet<Port> = at(true).iter().map(|host| host.port).collect();
    let leaves: BTreeSet<SwitchId> = network.hosts().iter().map(|host| host.switch).collect();
    leaves.len() >= FEWEST_OF_SWITCH
        && at(true).len() == slow.len()
        && slow.len() == ports.len() * leaves.len()
        && at(false).iter().all(|host| !ports.contains(&host.port))
}

/// Whether each of these cables is beside more slower ones at both of its switches: where a switch has only such, it is
/// newer or needs more.
fn are_among_slower(network: &Network, fast: &[LinkId], class: &[LinkId]) -> bool {
    let among_slower = |id: &SwitchId| {
        let of_switch: Vec<LinkId> = network.switch(*id).ports.iter().flatten().copied().collect();
        let of_class = of_switch.iter().filter(|link| class.contains(link)).count();
        2 * of_switch.iter().filter(|link| fast.contains(link)).count() < of_class
    };
    fast.iter().filter_map(|link| network.link(*link).switches()).all(|ends| ends.iter().all(among_slower))
}

/// The switches that these slow cables are all those of, each with several: of the hosts of a switch, or between
/// switches, and then no host of it has a faster one. None otherwise: then they are reported as faults.
fn of_older_switches(network: &Network, slow: &[LinkId], lagging: &BTreeSet<LinkId>) -> Vec<SwitchId> {
    let fastest = slow.iter().filter_map(|id| network.link(*id).rate).max();
    let of_hosts = slow.iter().any(|id| network.link(*id).switches().is_none());
    let is_older = |id: &SwitchId| {
        let links = || network.switch(*id).ports.iter().flatten();
        let (to_switches, to_hosts): (Vec<LinkId>, Vec<LinkId>) =
            links().partition(|link| network.link(**link).switches().is_some());
        let all_lagging = links().filter(|link| lagging.contains(link)).count();
        let (own, others) = if of_hosts { (to_hosts, Vec::new()) } else { (to_switches, to_hosts) };
        all_lagging >= FEWEST_OF_SWITCH
            && !own.is_empty()
            && own.iter().all(|link| lagging.contains(link))
            && others.iter().all(|link| network.link(*link).rate <= fastest)
    };
    let older: Vec<SwitchId> = network.switch_ids().filter(is_older).collect();
    let is_of_older = |link: &LinkId| {
        network.link(*link).ends.iter().any(|end| matches!(end.node, Node::Switch(id) if older.contains(&id)))
    };
    if slow.iter().all(is_of_older) { older } else { Vec::new() }
}

/// The anomaly of switches all of whose cables are slower: older switches, not faulty cables.
fn of_generation(network: &Network, slow: &[LinkId], older: &[SwitchId], words: &str) -> Anomaly {
    let is_end = |id: &SwitchId| {
        slow.iter().any(|link| network.link(*link).ends.iter().any(|end| end.node == Node::Switch(*id)))
    };
    let names: Vec<String> =
        older.iter().filter(|id| is_end(id)).map(|id| network.switch(*id).name.clone()).collect();
    let of_hosts = slow.iter().any(|id| network.link(*id).switches().is_none());
    let whose = if of_hosts { "of hosts at" } else { "of" };
    let words = format!(
        "all {} cables {whose} {} {words}: probably an older generation, no fault of a cable",
        slow.len(),
        listed(&names)
    );
    Anomaly::new(AnomalyKind::OlderGeneration, words)
}

/// What cables of a class usually have.
struct Usual {
    rate: Option<Rate>,
    lanes: Option<u8>,
    /// Whether more than half of the class have both.
    is_of_most: bool,
}

impl Usual {
    fn is_of(&self, link: &Link) -> bool {
        (link.rate, link.lanes) == (self.rate, self.lanes)
    }

    fn oddity(&self, link: &Link) -> Option<AnomalyKind> {
        if let (Some(lanes), Some(usual)) = (link.lanes, self.lanes)
            && lanes < usual
        {
            return Some(AnomalyKind::NarrowLink);
        }
        match (link.rate, self.rate) {
            (Some(rate), Some(usual)) if is_slower(rate, usual) => Some(AnomalyKind::SlowLink),
            (Some(rate), Some(usual)) if is_slower(usual, rate) && self.is_of_most => {
                Some(AnomalyKind::FastLink)
            }
            _ => None,
        }
    }

    /// What a cable does, and what most or at least others do.
    fn words(&self, link: &Link) -> String {
        let told = |rate: Option<Rate>, lanes: Option<u8>| {
            let lanes = lanes.filter(|_| link.lanes != self.lanes).map(|lanes| format!("{lanes}x"));
            let rate = rate.map(|rate| rate.to_string());
            match (lanes, rate) {
                (Some(lanes), Some(rate)) => format!("{lanes}, {rate}"),
                (Some(only), None) | (None, Some(only)) => only,
                (None, None) => String::new(),
            }
        };
        let who = if self.is_of_most { "most" } else { "others" };
        format!("runs at {}, where {who} have {}", told(link.rate, link.lanes), told(self.rate, self.lanes))
    }
}

/// Ports on one lane, unless they are reported as narrow: wherever lanes are counted, several are usual.
fn one_lane(network: &Network, told: &[Anomaly]) -> Option<Anomaly> {
    let single: Vec<String> = network
        .link_ids()
        .filter(|id| network.link(*id).lanes == Some(1))
        .map(|id| cable(network, id))
        .filter(|name| !told.iter().any(|anomaly| anomaly.words.contains(name.as_str())))
        .collect();
    let known = told.iter().any(|anomaly| anomaly.kind == AnomalyKind::NarrowLink);
    if single.is_empty() || known {
        return None;
    }
    let is_host = |end: &Endpoint| matches!(end.node, Node::Host(_));
    let hosts = network.links().iter().filter(|link| link.lanes == Some(1) && link.ends.iter().any(is_host));
    let of_hosts = hosts.count();
    let words = format!("{} ports run at 1x, {of_hosts} of them of hosts: {}", single.len(), listed(&single));
    Some(Anomaly::new(AnomalyKind::OneLane, words))
}
