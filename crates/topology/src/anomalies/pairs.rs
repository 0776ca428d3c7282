//! Pairs of switches with more or fewer cables than they should have, in a family that says how many that are: what of
//! it is two exchanged cables, or one of which an end is elsewhere, perhaps exchanged with the cable of a host.

use std::collections::BTreeMap;

use crate::anomalies::departures::Pair;
use crate::anomalies::exchanges;
use crate::anomalies::hosts_astray::HostPorts;
use crate::anomalies::mended::{Case, end_at, plugged_in};
use crate::anomalies::missing::{pair_words, ports_between, told};
use crate::anomalies::{Anomaly, AnomalyKind, cable, listed};
use crate::family::Exchange;
use crate::graph::{Endpoint, HostId, LinkId, Network, Node, SwitchId};

/// A pair of switches, the cables that it has and those that it should have.
pub(super) type Counted = (Pair, [usize; 2]);

/// The pairs of a network that have not as many cables as they should.
pub(super) struct Unlike {
    /// Two cables that are exchanged.
    pub exchange: Option<Exchange>,
    moved: Option<Moved>,
    /// Pairs with fewer, but for those of misplaced cables.
    short: Vec<Counted>,
    /// Pairs with more, but for those of misplaced cables.
    over: Vec<Counted>,
}

/// A cable of which one end is at a wrong switch.
struct Moved {
    /// One of the cables of the pair that has too many; the only one that it may be, or else any.
    link: LinkId,
    is_known: bool,
    /// The pair that it should join.
    to: Counted,
    /// The host that is in its place, and it in that of the host.
    host: Option<HostId>,
}

impl Unlike {
    /// From the pairs with other numbers of cables than they should have.
    pub fn of(network: &Network, pairs: impl Iterator<Item = Counted>) -> Self {
        let mut unlike: Vec<Counted> = pairs.filter(|(_, [has, wanted])| has != wanted).collect();
        unlike.sort_unstable();
        let (over, short): (Vec<Counted>, Vec<Counted>) =
            unlike.into_iter().partition(|(_, [has, wanted])| has > wanted);
        let mut found = Self { exchange: None, moved: None, short, over };
        let ends = |pairs: &[Counted]| pairs.iter().map(|((a, b), _)| sorted([*a, *b])).collect::<Vec<_>>();
        let exchange = Exchange::between(&ends(&found.over), &ends(&found.short));
        if let Some([misplaced, should]) = exchange {
            found.exchange = Some(Exchange { misplaced, should });
            misplaced.into_iter().for_each(|ends| put_right(&mut found.over, ends));
            should.into_iter().for_each(|ends| put_right(&mut found.short, ends));
        }
        if let Some((moved, from)) = Moved::of(network, &found.over, &found.short) {
            put_right(&mut found.over, from);
            put_right(&mut found.short, [moved.to.0.0, moved.to.0.1]);
            found.moved = Some(moved);
        }
        found
    }

    /// What is odd about them, in a network of this family.
    pub fn anomalies(&self, network: &Network, of: &str) -> Vec<Anomaly> {
        let mut found: Vec<Anomaly> =
            exchanges::told(network, self.exchange.as_slice()).into_iter().collect();
        let misplaced = |words: String| Anomaly::new(AnomalyKind::MisplacedLink, words);
        found.extend(self.moved.iter().map(|moved| misplaced(moved.words(network))));
        let words = |((a, b), [has, wanted]): &Counted| {
            // For a switch that lacks several, the empty port of each is undetermined.
            let lacks_one = |id: &SwitchId| {
                let lacking = self.short.iter().filter(|((a, b), _)| [a, b].contains(&id));
                lacking.map(|(_, [has, wanted])| wanted - has).sum::<usize>() == 1
            };
            let ends: Vec<SwitchId> = [*a, *b].into_iter().filter(lacks_one).collect();
            let empty = ports_between(network, &ends);
            pair_words(network, (*a, *b), [*has, *wanted], &empty)
        };
        let short: Vec<String> = self.short.iter().map(words).collect();
        found.extend(told(self.short.iter().map(|(_, [has, wanted])| wanted - has).sum(), of, &short));
        let (strays, over): (Vec<Counted>, Vec<Counted>) =
            self.over.iter().partition(|(_, [_, wanted])| *wanted == 0);
        found.extend(strays.into_iter().flat_map(|(pair, _)| between(network, pair)).map(|link| {
            let words = "joins two switches that are not neighbours";
            misplaced(format!("the cable {} {words} in the {of}", cable(network, link)))
        }));
        found.extend(surplus(network, &over).map(misplaced));
        found
    }

    /// The network with misplaced cables put right and missing ones plugged in.
    pub fn mended(&self, network: &Network) -> Network {
        let mut mended = network.clone();
        if let Some(moved) = &self.moved {
            mended = moved.case(network).mended(&mended);
        }
        if let Some(exchange) = self.exchange {
            mended = exchanges::mended(&mended, exchange);
        }
        let lacks = self.short.iter().map(|(pair, [has, wanted])| (*pair, wanted - has));
        lacks.fold(mended, |network, (pair, cables)| plugged_in(network, pair, cables))
    }
}

impl Moved {
    /// The one cable of a pair with too many that, with one end elsewhere, is the one that another pair lacks, and its
    /// ends now. If several are possible, the ports of a host decide.
    fn of(network: &Network, over: &[Counted], short: &[Counted]) -> Option<(Self, [SwitchId; 2])> {
        let ports = HostPorts::of_switches(network, network.switch_ids().collect());
        let ways = over.iter().flat_map(|((a, b), [has, wanted])| {
            let to = short
                .iter()
                .filter(move |(to, _)| [to.0, to.1].iter().filter(|id| [a, b].contains(id)).count() == 1);
            let links = between(network, (*a, *b));
            let is_known = *wanted == 0 && *has == 1;
            to.flat_map(move |to| links.clone().into_iter().map(move |link| (link, *to, is_known)))
        });
        let ways: Vec<Self> = ways
            .map(|(link, to, is_known)| {
                let host = host_instead(network, &ports, link, to.0);
                Self { link, is_known: is_known || host.is_some(), to, host }
            })
            .collect();
        let (with_host, without): (Vec<Self>, Vec<Self>) =
            ways.into_iter().partition(|way| way.host.is_some());
        let are_of_one = |ways: &[Self]| {
            ways.windows(2).all(|two| {
                let ends = |way: &Self| network.link(way.link).switches().map(sorted);
                two[0].to == two[1].to && ends(&two[0]) == ends(&two[1])
            })
        };
        let ways = match &with_host[..] {
            [] => without,
            [_] => with_host,
            _ => return None,
        };
        let moved = are_of_one(&ways).then(|| ways.into_iter().next())??;
        let ends = network.link(moved.link).switches()?;
        Some((moved, ends))
    }

    fn words(&self, network: &Network) -> String {
        let lacks = pair_words(network, self.to.0, self.to.1, &[]);
        match self.host {
            Some(host) => exchange_with_host(network, self.link, self.to.0, host, &lacks).0,
            None if self.is_known => {
                format!("the cable {} should probably be {lacks}", cable(network, self.link))
            }
            None => {
                let ends = network.link(self.link).switches().expect("a cable between switches");
                let [a, b] = ends.map(|id| &network.switch(id).name);
                format!("a cable {a} - {b} should probably be {lacks}")
            }
        }
    }

    fn case(&self, network: &Network) -> Case {
        match self.host {
            Some(host) => exchange_with_host(network, self.link, self.to.0, host, "").1,
            None => Case::Elsewhere(self.link, self.to.0),
        }
    }
}

/// The host that is where a pair lacks this cable, and this cable in a port in which most switches have hosts.
pub(super) fn host_instead(
    network: &Network,
    ports: &HostPorts<'_>,
    link: LinkId,
    to: Pair,
) -> Option<HostId> {
    let kept = end_at(network, link, to)?;
    let at = if kept.node == Node::Switch(to.0) { to.1 } else { to.0 };
    let host = ports.in_port_of_a_cable(at)?;
    ports.are_usual(network.link(link).far(kept)).then_some(host)
}

/// A cable and that of a host that are exchanged, where the pair in these words lacks the cable: the sentence about it,
/// and its correction.
pub(super) fn exchange_with_host(
    network: &Network,
    link: LinkId,
    pair: Pair,
    id: HostId,
    lacks: &str,
) -> (String, Case) {
    let kept = end_at(network, link, pair).expect("a cable with one end at the pair");
    let lost = network.link(link).far(kept);
    let host = network.host(id);
    let moved = BTreeMap::from([
        (link, [kept, Endpoint::switch(host.switch, host.port)]),
        (host.link, [lost, Endpoint::host(id)]),
    ]);
    let words = format!(
        "the cable {} and the host's cable {} are probably exchanged: they should be {lacks} and {}:{} - {}",
        cable(network, link),
        cable(network, host.link),
        network.name(lost.node),
        lost.port,
        host.name
    );
    (words, Case::Exchanged(moved))
}

fn between(network: &Network, (a, b): Pair) -> Vec<LinkId> {
    network.neighbours(a).filter(|(_, _, far, _)| *far == b).map(|(_, link, ..)| link).collect()
}

/// Pairs with more cables than they should have, in words.
fn surplus(network: &Network, over: &[Counted]) -> Option<String> {
    let name = |id: SwitchId| network.switch(id).name.as_str();
    let words = |((a, b), [has, wanted]): &Counted| {
        format!("{} - {} (has {has}, most have {wanted})", name(*a), name(*b))
    };
    let pairs: Vec<String> = over.iter().map(words).collect();
    let (count, have) = if pairs.len() == 1 { ("pair", "has") } else { ("pairs", "have") };
    let words =
        || format!("{} {count} of switches {have} more cables than most: {}", pairs.len(), listed(&pairs));
    (!pairs.is_empty()).then(words)
}

fn put_right(pairs: &mut Vec<Counted>, ends: [SwitchId; 2]) {
    let is_pair = |((a, b), _): &Counted| sorted([*a, *b]) == sorted(ends);
    let at = pairs.iter().position(is_pair).expect("a pair with other cables than it should have");
    let (_, [has, wanted]) = &mut pairs[at];
    *has = if has > wanted { *has - 1 } else { *has + 1 };
    if has == wanted {
        pairs.remove(at);
    }
}

fn sorted([a, b]: [SwitchId; 2]) -> [SwitchId; 2] {
    [a.min(b), a.max(b)]
}
