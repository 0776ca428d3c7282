//! Cables of a fat tree that lead elsewhere than those like them: cables that are exchanged, two or in a ring of three
//! or with that of a host, and cables of which one end is in a wrong switch; and pairs of switches with more cables
//! than most.

mod rings;

use std::collections::{BTreeMap, BTreeSet};

use hopscope_units::amount;

use crate::anomalies::departures::{Departures, Over, Pair, usual_beyond};
use crate::anomalies::hosts_astray::HostPorts;
use crate::anomalies::mended::{Case, end_at, exchanged};
use crate::anomalies::missing::pair_words;
use crate::anomalies::pairs::exchange_with_host;
use crate::anomalies::{Anomaly, AnomalyKind, NAMED, cable, listed};
use crate::family::Levels;
use crate::graph::{Endpoint, HostId, LinkId, Network, Node, Port, SwitchId};

/// The misplaced cables, two that are exchanged in one anomaly. The pairs of switches that lack them are no longer
/// reported. Second, the hosts whose cables are reported as exchanged with one of them, and where these belong.
pub(super) fn anomalies(
    network: &Network,
    levels: &Levels,
    departures: &mut Departures,
) -> (Vec<Anomaly>, BTreeMap<HostId, Endpoint>) {
    let mut misplaced = Misplaced::new(network, levels, departures);
    let mut words = misplaced.all();
    let more = words.len().saturating_sub(NAMED);
    words.truncate(NAMED);
    if more > 0 {
        words.push(format!("cables are misplaced in {}", amount(more, "more case", "more cases")));
    }
    words.extend(misplaced.surplus());
    let words = words.into_iter().map(|words| Anomaly::new(AnomalyKind::MisplacedLink, words));
    (words.collect(), misplaced.hosts)
}

/// What puts misplaced cables right, and the hosts that this puts right too. The departures are then without them.
pub(super) fn put_right(
    network: &Network,
    levels: &Levels,
    departures: &mut Departures,
) -> (Vec<Case>, BTreeMap<HostId, Endpoint>) {
    let mut misplaced = Misplaced::new(network, levels, departures);
    misplaced.all();
    (misplaced.put_right, misplaced.hosts)
}

struct Misplaced<'a> {
    network: &'a Network,
    levels: &'a Levels,
    departures: &'a mut Departures,
    /// The cables that were named.
    named: BTreeSet<LinkId>,
    /// What puts misplaced cables right.
    put_right: Vec<Case>,
    /// The hosts that should be elsewhere, with a cable in their place.
    hosts: BTreeMap<HostId, Endpoint>,
}

impl<'a> Misplaced<'a> {
    fn new(network: &'a Network, levels: &'a Levels, departures: &'a mut Departures) -> Self {
        let (named, put_right, hosts) = (BTreeSet::new(), Vec::new(), BTreeMap::new());
        Self { network, levels, departures, named, put_right, hosts }
    }

    fn all(&mut self) -> Vec<String> {
        let mut words = self.exchanged();
        words.extend(self.rings());
        words.extend(self.elsewhere());
        words
    }

    /// Two cables that are too many and, with an end of each exchanged, are two that are missing.
    fn exchanged(&mut self) -> Vec<String> {
        let mut words = Vec::new();
        let over: Vec<Pair> = self.departures.over.keys().copied().collect();
        for one in over {
            while let Some((other, missing)) = self.counterpart(one) {
                let cables = [one, other].map(|pair| self.any_of(pair));
                let [one, other] = [one, other].map(|pair| self.take(pair));
                let [here, there] = missing.map(|pair| self.lacks(pair));
                let cables: Vec<(LinkId, Pair)> = cables.into_iter().zip(missing).collect();
                self.put_right.extend(exchanged(self.network, &cables).map(Case::Exchanged));
                let instead = self.instead(missing).unwrap_or_default();
                words.push(format!(
                    "{one} and {other} are probably exchanged: they should be {here} and {there}{instead}"
                ));
                missing.into_iter().for_each(|pair| self.find(pair));
            }
        }
        words
    }

    /// What may be exchanged in place of two cables that these pairs lack, where the parts of both lower switches are
    /// undetermined. In parts of two lower switches the other one may be as odd.
    fn instead(&self, pairs: [Pair; 2]) -> Option<String> {
        let [(a, _), (b, _)] = pairs;
        let name = |id: SwitchId| self.network.switch(id).name.clone();
        let are_in_doubt = a != b && [a, b].iter().all(|lower| self.departures.in_doubt.contains(lower));
        let lower = pairs.map(|pair| self.departures.block(pair).map_or(&[][..], |(lower, _)| &lower[..]));
        are_in_doubt.then(|| match lower.iter().all(|lower| lower.len() == 2) {
            true => {
                let names: Vec<String> = lower.concat().into_iter().map(name).collect();
                format!("; or else two others of the cables up of {}: nothing tells which", names.join(", "))
            }
            false => format!(
                "; or else it is the other half of the cables up of {} and {}: nothing tells the halves apart",
                name(a),
                name(b)
            ),
        })
    }

    /// What a cable of this pair is exchanged with, and the two pairs that lack a cable for it.
    fn counterpart(&self, (a, b): Pair) -> Option<(Pair, [Pair; 2])> {
        self.departures.over.get(&(a, b)).filter(|over| over.cables > 0)?;
        let (of_a, of_b) = (self.lacking(a), self.lacking(b));
        let both = of_a.iter().flat_map(|x| of_b.iter().map(move |y| (*x, *y))).filter(|(x, y)| x != y);
        both.map(|(x, y)| (self.pair(x, y), [self.pair(a, x), self.pair(b, y)])).find(|(other, _)| {
            *other != (a, b) && self.departures.over.get(other).is_some_and(|over| over.cables > 0)
        })
    }

    /// Cables that are too many and, with one end elsewhere, would be one that is missing; and cables that a fat tree
    /// has nowhere.
    fn elsewhere(&mut self) -> Vec<String> {
        let mut words = Vec::new();
        let over: Vec<(Pair, Over)> =
            self.departures.over.iter().map(|(pair, over)| (*pair, *over)).collect();
        for ((a, b), Over { cables, some_wanted, .. }) in over {
            for _ in 0..cables {
                let of = |at: SwitchId| self.lacking(at).into_iter().map(move |x| (at, x));
                let lacking: Vec<Pair> = of(a).chain(of(b)).map(|(at, x)| self.pair(at, x)).collect();
                let is_wrong = !some_wanted || !lacking.is_empty();
                if !is_wrong {
                    break;
                }
                let link = self.any_of((a, b));
                let cable = self.take((a, b));
                if let Some((pair, host)) = self.host_instead(link, &lacking) {
                    words.push(self.exchange_with_host(link, pair, host));
                    continue;
                }
                self.put_right.extend(lacking.first().map(|pair| Case::Elsewhere(link, *pair)));
                let places: Vec<String> = lacking.iter().map(|pair| self.lacks(*pair)).collect();
                let what = if some_wanted { None } else { Some(self.place(a, b)) };
                words.push(match (what, &places[..]) {
                    (Some(what), []) => format!("{cable} {what}; neither end lacks a cable"),
                    (Some(what), _) => {
                        format!("{cable} {what}: it should probably be {}", places.join(" or "))
                    }
                    (None, _) => format!("{cable} should probably be {}", places.join(" or ")),
                });
                lacking.first().into_iter().for_each(|pair| self.find(*pair));
            }
        }
        words
    }

    /// The host that a cable in a port for hosts is exchanged with: the one in a port of a switch where others have a
    /// cable to the end that this cable keeps; with the pair that lacks it.
    fn host_instead(&self, link: LinkId, lacking: &[Pair]) -> Option<(Pair, HostId)> {
        let of_pair = |pair: &Pair| {
            let (lower, upper) = self.departures.block(*pair)?;
            let kept = end_at(self.network, link, *pair)?;
            let lost = self.network.link(link).far(kept);
            let (at, side, to) = match kept.node {
                Node::Switch(id) if id == pair.0 => (pair.1, upper, pair.0),
                _ => (pair.0, lower, pair.1),
            };
            let is_in_place = |port| usual_beyond(self.network, side, (at, port)) == Some(to);
            let hosts = self.network.host_ids().filter(|id| self.network.host(*id).switch == at);
            let mut hosts = hosts.filter(|id| is_in_place(self.network.host(*id).port));
            let host = hosts.next().filter(|_| hosts.next().is_none())?;
            let ports = HostPorts::of(self.network, self.levels);
            // A host that is not at a leaf is itself out of place.
            let is_usual = ports.are_usual(lost) || self.levels.level(at) > 0;
            (is_usual && ports.has_more_than_most(at)).then_some((*pair, host))
        };
        lacking.iter().filter(|_| self.named.contains(&link)).find_map(of_pair)
    }

    /// A cable and that of a host that are exchanged: the sentence about it, and its correction.
    fn exchange_with_host(&mut self, link: LinkId, pair: Pair, id: HostId) -> String {
        let kept = end_at(self.network, link, pair).expect("a cable with one end at the pair");
        self.hosts.insert(id, self.network.link(link).far(kept));
        let (words, case) = exchange_with_host(self.network, link, pair, id, &self.lacks(pair));
        self.put_right.push(case);
        self.find(pair);
        words
    }

    /// Pairs with more cables than most, where no end lacks one elsewhere. In a block whose pairs differ by design,
    /// most of those at the same upper switch have fewer, and not most of all.
    fn surplus(&self) -> Option<String> {
        let over = || self.departures.over.iter().filter(|(_, over)| over.cables > 0);
        let pairs: Vec<String> = over().map(|(pair, over)| self.has_more(*pair, *over)).collect();
        let differ = over().any(|(pair, _)| self.departures.has_uneven_block(*pair));
        let most = if differ { "most others at the same upper switch" } else { "most" };
        let verb = if pairs.len() == 1 { "has" } else { "have" };
        let count = amount(pairs.len(), "pair", "pairs");
        let words = || format!("{count} of switches {verb} more cables than {most}: {}", listed(&pairs));
        (!pairs.is_empty()).then(words)
    }

    /// A pair with cables too many, in words. Those are named whose ports lead to the other switch in neither side of
    /// the block, unless they are more.
    fn has_more(&self, (a, b): Pair, over: Over) -> String {
        let name = |id: SwitchId| &self.network.switch(id).name;
        let between = || self.network.neighbours(a).filter(|(_, _, far, _)| *far == b);
        let is_usual = |ports: [Port; 2]| {
            self.departures.block((a, b)).is_some_and(|(lower, upper)| {
                usual_beyond(self.network, lower, (a, ports[0])) == Some(b)
                    || usual_beyond(self.network, upper, (b, ports[1])) == Some(a)
            })
        };
        let odd: Vec<String> = between()
            .filter(|(port, link, _, far_port)| !self.named.contains(link) && !is_usual([*port, *far_port]))
            .map(|(_, link, _, _)| cable(self.network, link))
            .collect();
        let which =
            if odd.len() == over.cables { format!("; probably {}", odd.join(", ")) } else { String::new() };
        let has = between().count();
        format!(
            "{} - {} (has {has}, most have {}{which})",
            name(a),
            name(b),
            has - over.cables - over.misplaced
        )
    }

    /// Two switches in the order of their levels.
    fn pair(&self, a: SwitchId, b: SwitchId) -> Pair {
        let key = |switch: SwitchId| (self.levels.level(switch), switch);
        if key(a) < key(b) { (a, b) } else { (b, a) }
    }

    /// The switches to which this one lacks a cable.
    fn lacking(&self, switch: SwitchId) -> Vec<SwitchId> {
        let short = self.departures.short.iter().filter(|(_, short)| short.missing > 0);
        let far = |(a, b): Pair| match switch {
            _ if switch == a => Some(b),
            _ if switch == b => Some(a),
            _ => None,
        };
        short.filter_map(|(pair, _)| far(*pair)).collect()
    }

    /// A cable that is missing between a pair is one that leads elsewhere.
    fn find(&mut self, pair: Pair) {
        self.departures.short.get_mut(&pair).expect("a pair that lacks a cable").missing -= 1;
    }

    /// A pair that lacks a cable, in words.
    fn lacks(&self, pair: Pair) -> String {
        let short = self.departures.short[&pair];
        pair_words(self.network, pair, [short.has, short.wanted], &[])
    }

    /// What is wrong with any cable between two switches.
    fn place(&self, a: SwitchId, b: SwitchId) -> String {
        let (a, b) = self.pair(a, b);
        let [lower, upper] = [a, b].map(|switch| self.levels.level(switch));
        let [(_, below), (_, above)] = [lower, upper].map(|level| self.levels.role(level));
        match upper - lower {
            0 => format!("joins two {below}, which no cable of a fat tree does"),
            1 => "leads to another part of the fat tree than those like it".to_owned(),
            _ => format!("joins one of the {below} to one of the {above}, which no cable of a fat tree does"),
        }
    }

    /// A cable of a pair that has too many, in words. The ports determine which one.
    fn take(&mut self, pair: Pair) -> String {
        let odd = self.odd_one(pair);
        let over = self.departures.over.get_mut(&pair).expect("a pair with too many cables");
        over.cables -= 1;
        over.misplaced += 1;
        self.named.extend(odd);
        match odd {
            Some(link) => format!("the cable {}", cable(self.network, link)),
            None => {
                let name = |id: SwitchId| &self.network.switch(id).name;
                format!("a cable {} - {}", name(pair.0), name(pair.1))
            }
        }
    }

    /// The odd cable of a pair, or any of them if nothing distinguishes them.
    fn any_of(&self, (a, b): Pair) -> LinkId {
        let between =
            || self.network.neighbours(a).filter(|(_, _, far, _)| *far == b).map(|(_, link, _, _)| link);
        let is_free = |link: &LinkId| {
            !self.named.contains(link) && !self.put_right.iter().any(|case| case.cables().contains(link))
        };
        let odd = self.odd_one((a, b)).filter(is_free).or_else(|| between().find(is_free));
        odd.expect("a pair with too many cables")
    }

    /// The cable between two switches whose ports lead elsewhere in most other switches of their place; None if that
    /// does not distinguish it.
    fn odd_one(&self, (a, b): Pair) -> Option<LinkId> {
        let over = self.departures.over[&(a, b)];
        let block = self.departures.block((a, b));
        let unlike = |ports: [Port; 2]| {
            block.map_or(0, |(lower, upper)| {
                usize::from(self.is_unlike(lower, (a, ports[0]), b))
                    + usize::from(self.is_unlike(upper, (b, ports[1]), a))
            })
        };
        let mut links: Vec<(usize, LinkId)> = self
            .network
            .neighbours(a)
            .filter(|(_, link, far, _)| *far == b && !self.named.contains(link))
            .map(|(port, link, _, far_port)| (unlike([port, far_port]), link))
            .collect();
        links.sort_unstable_by_key(|(unlike, link)| (std::cmp::Reverse(*unlike), *link));
        let &(most, link) = links.first()?;
        let as_odd = links.iter().filter(|(unlike, _)| *unlike == most).count();
        let is_told = !over.some_wanted || most > 0 && as_odd <= over.cables;
        is_told.then_some(link)
    }

    /// Whether most of the switches on the same side of a block have a cable in this port that leads to another switch.
    fn is_unlike(&self, side: &[SwitchId], near: (SwitchId, Port), far: SwitchId) -> bool {
        usual_beyond(self.network, side, near).is_some_and(|usual| usual != far)
    }
}
