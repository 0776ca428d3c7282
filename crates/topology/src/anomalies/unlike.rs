//! Cables that are slower or narrower than those like them.

use std::collections::{BTreeMap, BTreeSet};

use hopscope_measure::{is_slower_than_its_like, usual};
use hopscope_units::Rate;

use crate::anomalies::{Anomaly, AnomalyKind, cable, listed};
use crate::family::Family;
use crate::graph::{Endpoint, Link, LinkId, Network, Node, SwitchId};

/// What makes cables like each other: the levels or the role of their two ends.
type Class = (i32, i32);

/// The class of hosts' cables, which no two levels have.
const OF_HOSTS: Class = (i32::MAX, i32::MAX);

/// Cables of one class are told one by one up to this share of the class; more of them are a second generation.
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

/// A link that is slower than its like, with what these have.
pub(super) struct SlowLink {
    pub link: LinkId,
    pub usual: Rate,
    pub usual_lanes: Option<u8>,
    /// Whether it is one of a few of its class, which are told as faults; more are a second generation.
    pub is_of_few: bool,
}

/// The links that are slower than their like, but for those of switches that are older.
pub(super) fn slow_links(network: &Network, family: &Family) -> Vec<SlowLink> {
    let mut slow = Vec::new();
    for links in classes(network, family).into_values() {
        let rate = |id: &LinkId| network.link(*id).rate;
        let Some(usual) = usual_rate(network, &links) else { continue };
        let usual_lanes = usual_lanes(network, &links);
        let lagging: Vec<LinkId> =
            links.iter().copied().filter(|id| rate(id).is_some_and(|rate| is_slower(rate, usual))).collect();
        let is_of_few = (lagging.len() as f64) <= FEW * links.len() as f64;
        // Links of many rates have no like, unless their lanes say that they could do better.
        if usual_lanes.is_some() || is_of_few {
            if !of_older_switches(network, &lagging).is_empty() {
                continue;
            }
            slow.extend(lagging.into_iter().map(|link| SlowLink { link, usual, usual_lanes, is_of_few }));
        }
    }
    slow
}

pub(super) fn anomalies(network: &Network, family: &Family) -> Vec<Anomaly> {
    let mut found = Vec::new();
    for links in classes(network, family).into_values() {
        let of = |id: &LinkId| network.link(*id);
        let mut usual = Usual {
            rate: usual_rate(network, &links),
            lanes: usual_lanes(network, &links),
            is_of_most: false,
        };
        let as_usual = links.iter().filter(|id| usual.is_of(of(id))).count();
        usual.is_of_most = 2 * as_usual > links.len();
        let mut odd: BTreeMap<(AnomalyKind, String), Vec<LinkId>> = BTreeMap::new();
        for id in &links {
            if let Some(kind) = usual.oddity(of(id)) {
                odd.entry((kind, usual.words(of(id)))).or_default().push(*id);
            }
        }
        for ((kind, words), odd) in odd {
            // Links of many rates have no like, unless their lanes say that they could do better.
            let alike = (odd.len() as f64) <= FEW * links.len() as f64;
            if kind == AnomalyKind::SlowLink && usual.lanes.is_none() && !alike {
                continue;
            }
            let older = of_older_switches(network, &odd);
            if kind == AnomalyKind::SlowLink && !older.is_empty() {
                let words = words.replacen("runs", "run", 1);
                found.push(of_generation(network, &odd, &older, &words));
                continue;
            }
            let names: Vec<String> = odd.iter().map(|id| cable(network, *id)).collect();
            if odd.len() == 1 || alike && odd.len() <= 2 {
                let each = odd.iter().zip(&names).map(|(id, name)| {
                    Anomaly::new(kind, format!("the cable {name} {words}")).of_cables(vec![*id])
                });
                found.extend(each);
            } else {
                let words = words.replacen("runs", "run", 1);
                let words = format!("{} cables {words}: {}", odd.len(), listed(&names));
                found.push(Anomaly::new(kind, words).of_cables(odd));
            }
        }
    }
    found.extend(one_lane(network, &found));
    found
}

/// The switches that these slow cables are all those of, each with several: of the hosts of a switch, or between
/// switches, and then no host of it has a faster one. Nothing where some are not: then they are told as faults.
fn of_older_switches(network: &Network, slow: &[LinkId]) -> Vec<SwitchId> {
    let is_slow: BTreeSet<LinkId> = slow.iter().copied().collect();
    let fastest = slow.iter().filter_map(|id| network.link(*id).rate).max();
    let of_hosts = slow.iter().any(|id| network.link(*id).switches().is_none());
    let is_older = |id: &SwitchId| {
        let links = || network.switch(*id).ports.iter().flatten();
        let (to_switches, to_hosts): (Vec<LinkId>, Vec<LinkId>) =
            links().partition(|link| network.link(**link).switches().is_some());
        let (own, others) = if of_hosts { (to_hosts, Vec::new()) } else { (to_switches, to_hosts) };
        own.len() >= FEWEST_OF_SWITCH
            && own.iter().all(|link| is_slow.contains(link))
            && others.iter().all(|link| network.link(*link).rate <= fastest)
    };
    let older: Vec<SwitchId> = network.switch_ids().filter(is_older).collect();
    let is_of_older = |link: &LinkId| {
        network.link(*link).ends.iter().any(|end| matches!(end.node, Node::Switch(id) if older.contains(&id)))
    };
    if slow.iter().all(is_of_older) { older } else { Vec::new() }
}

/// What is said of switches all of whose cables are slower: they are older, not these at fault.
fn of_generation(network: &Network, slow: &[LinkId], older: &[SwitchId], words: &str) -> Anomaly {
    let names: Vec<String> = older.iter().map(|id| network.switch(*id).name.clone()).collect();
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

/// Ports on one lane, unless they have been told of as narrow ones: wherever lanes are counted, several are usual.
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
