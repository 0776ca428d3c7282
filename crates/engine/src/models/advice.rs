//! Which routes, which root and which added link promise to carry more than a fabric carries today.

use hopscope_fabric::{FabricParams, Upgrade, with_nominal_rates};
use hopscope_topology::capacity::CapacityBounds;
use hopscope_topology::{
    ChannelDependencies, Dragonfly, Family, Network, NetworkSpec, Port, Routes, RoutingRule, SwitchId, cable,
    slow_links,
};
use hopscope_units::Rate;
use serde_json::{Value as Json, json};

use crate::engine_kind::EngineKind;
use crate::models::capacity::{Analysis, NO_SEARCH, finite, rooted};

/// What is asked of a search for better routes or links.
#[derive(Clone, Copy, Debug)]
pub struct Advice {
    /// Whether to look for a link to add.
    pub add_link: bool,
    /// The ports of every switch, where they are not those of the file or the family.
    pub ports: Option<u16>,
    /// Whether to compare the tables of routing engines.
    pub engines: bool,
}

/// How many ports switches have, and how that is known.
pub(crate) struct PortCounts {
    /// By switch.
    pub counts: Vec<u16>,
    /// How it is known.
    pub known_from: PortsFrom,
}

/// How the number of a switch's ports is known.
#[derive(Clone, Copy, Debug)]
pub(crate) enum PortsFrom {
    /// The user says.
    Asked,
    /// The file of the network says.
    File,
    /// The family of networks is made of such switches.
    Family,
    /// AN1's switches have 12 (SRC report 88, section 2.1).
    An1,
    /// Not stated: all are assumed to be as large as the one with most cables.
    Largest,
}

impl PortsFrom {
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Asked => "as asked",
            Self::File => "by the file",
            Self::Family => "by the family",
            Self::An1 => "as AN1's",
            Self::Largest => "as the largest switch in use",
        }
    }
}

/// How many ports of a switch on the way to another one are looked at in all for better roots: some seconds' worth.
const AFFORDABLE_STEPS: usize = 4_000_000_000;

/// How many pairs of switches are looked at in all for links to add: a few seconds' worth.
const AFFORDABLE_PAIRS_OF_SWITCHES: usize = 4_000_000;

/// The routes of a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Routing {
    /// Those of the scenario, whatever they are.
    AsNow,
    /// Up*/down* from this root.
    UpDown(SwitchId),
    /// All shortest paths.
    Shortest,
}

impl Routing {
    const fn word(self) -> &'static str {
        match self {
            Self::AsNow => "as now",
            Self::UpDown(_) => EngineKind::UpDown.word(),
            Self::Shortest => EngineKind::Shortest.word(),
        }
    }
}

impl Analysis<'_> {
    /// Other routes, and where asked for links that might be added, the most promising first.
    ///
    /// Under up*/down* every root is looked at. Under any other rule, and under tables of the user's own, these are the
    /// roots that up*/down* could have instead; all shortest paths are looked at where they cannot deadlock.
    pub fn advice_json(&self, asked: &Advice, ports: &PortCounts) -> Json {
        let now = self.now();
        let today = self.bounds(self.network, self.routes, NO_SEARCH);
        let current = Candidate::new(None, now, &today);
        let tried = self.roots_to_try(now);
        let mut routings: Vec<Candidate> =
            tried.into_iter().filter_map(|routing| self.try_routing(self.network, None, routing)).collect();
        if !routings.is_empty() && !self.is_shortest() && self.is_free_of_deadlock(&shortest(self.network)) {
            routings.extend(self.try_routing(self.network, None, Routing::Shortest));
        }
        routings.sort_by_key(|candidate| std::cmp::Reverse(candidate.worth(now)));
        let (links, possible) =
            if asked.add_link { self.try_links(&routings, now, &ports.counts) } else { (Vec::new(), 0) };
        let with_free = self.network.switch_ids().filter(|id| self.has_free_port(*id, &ports.counts)).count();
        let all = |candidates: &[Candidate]| {
            candidates.iter().map(|candidate| candidate.json(self.network)).collect::<Vec<_>>()
        };
        json!({
            "now": current.json(self.network),
            "roots": all(&routings),
            "hosts": self.network.hosts().len(),
            "possible_roots": self.network.switches().len(),
            "slow_cables": self.slow_cables_json(),
            "engines": asked.engines.then(|| self.engines_json(&today)),
            "links": all(&links),
            "possible_links": possible,
            "switches_with_free_ports": with_free,
            "ports": {
                "least": ports.counts.iter().min(),
                "most": ports.counts.iter().max(),
                "known_from": ports.known_from.word(),
            },
        })
    }

    /// The cables that are slower than comparable cables, and the expected result without them; None if there are none.
    fn slow_cables_json(&self) -> Json {
        let slow =
            slow_links(&with_nominal_rates(self.network, &self.params.link), &Family::of(self.network));
        if slow.is_empty() || self.params.upgrade.replace_slow_cables {
            return Json::Null;
        }
        let replaced = FabricParams {
            upgrade: Upgrade { replace_slow_cables: true, ..self.params.upgrade.clone() },
            ..self.params.clone()
        };
        let without = Analysis { params: &replaced, streams: self.streams.clone(), ..*self };
        let rates = self.rates(self.network);
        let cables = slow.iter().map(|(link, usual)| {
            json!({
                "cable": cable(self.network, *link),
                "rate": Rate::from_bit_s(rates[link.index()] as u64).to_string(),
                "usual": Rate::from_bit_s(*usual as u64).to_string(),
            })
        });
        let expected = without.bounds(self.network, self.routes, NO_SEARCH).expected();
        json!({ "cables": cables.collect::<Vec<_>>(), "expected": finite(expected) })
    }

    /// Up*/down* with its root, unless packets follow something else.
    fn now(&self) -> Routing {
        match self.routes.root() {
            Some(root) if self.routes.tables().is_none() => Routing::UpDown(root),
            _ => Routing::AsNow,
        }
    }

    /// The roots that time allows: all of them in a network of up to a few hundred switches. Of a larger one those with
    /// the most links, and today's; none where a single one would take too long.
    fn roots_to_try(&self, now: Routing) -> Vec<Routing> {
        let channels: usize = self.network.switches().iter().map(|switch| switch.ports.len()).sum();
        let most = AFFORDABLE_STEPS / (channels * self.network.switches().len()).max(1);
        if most == 0 {
            return Vec::new();
        }
        let mut roots: Vec<SwitchId> = self.network.switch_ids().collect();
        if most < roots.len() {
            roots.sort_by_key(|id| std::cmp::Reverse(self.network.neighbours(*id).count()));
            roots.truncate(most);
        }
        let mut tried: Vec<Routing> = roots.into_iter().map(Routing::UpDown).collect();
        if matches!(now, Routing::UpDown(_)) && !tried.contains(&now) {
            tried.push(now);
        }
        tried
    }

    pub(crate) fn has_free_port(&self, switch: SwitchId, ports: &[u16]) -> bool {
        used_ports(self.network, switch) < usize::from(ports[switch.index()])
    }

    fn is_shortest(&self) -> bool {
        self.params.routing.rule == hopscope_fabric::Rule::Shortest && self.routes.tables().is_none()
    }

    fn is_free_of_deadlock(&self, routes: &Routes) -> bool {
        ChannelDependencies::new(self.network, routes).shortest_cycle().is_none()
    }

    /// A network with these routes; nothing where routes as they are today do not fit it.
    fn try_routing(
        &self,
        network: &Network,
        between: Option<[SwitchId; 2]>,
        routing: Routing,
    ) -> Option<Candidate> {
        let routes = match routing {
            Routing::UpDown(root) => rooted(network, root),
            Routing::Shortest => shortest(network),
            // There are no tables for another network.
            Routing::AsNow if self.routes.tables().is_some() => return None,
            Routing::AsNow => hopscope_fabric::routes(network, self.params).ok()?,
        };
        Some(Candidate::new(between, routing, &self.bounds(network, &routes, NO_SEARCH)))
    }

    /// Every pair of switches with free ports, each with as many of the best routings as time allows; the best of each
    /// pair, the most promising pairs first. Also how many pairs there are.
    fn try_links(&self, routings: &[Candidate], now: Routing, ports: &[u16]) -> (Vec<Candidate>, usize) {
        let free: Vec<SwitchId> =
            self.network.switch_ids().filter(|id| self.has_free_port(*id, ports)).collect();
        let pairs = free.iter().enumerate().flat_map(|(i, a)| free[i + 1..].iter().map(|b| [*a, *b]));
        let mut pairs: Vec<[SwitchId; 2]> = pairs.collect();
        let possible = pairs.len();
        let switches = self.network.switches().len();
        let affordable = (AFFORDABLE_PAIRS_OF_SWITCHES / (switches * switches)).max(1);
        // A link to the root of today moves its other end up to the first level: what is most likely to help comes
        // first.
        if let Some(root) = self.routes.root() {
            pairs.sort_by_key(|pair| !pair.contains(&root));
        }
        pairs.truncate(affordable);
        let most = (affordable / pairs.len().max(1)).max(1).min(routings.len());
        let mut tried: Vec<Routing> = routings[..most].iter().map(|candidate| candidate.routing).collect();
        if !tried.contains(&now) {
            tried.insert(0, now);
        }
        let best = |pair: &[SwitchId; 2]| {
            let network = self.network.with_link(*pair, None, None);
            let found = tried.iter().filter_map(|routing| self.try_routing(&network, Some(*pair), *routing));
            found.max_by_key(|candidate| candidate.worth(now))
        };
        let mut best: Vec<Candidate> = pairs.iter().filter_map(best).collect();
        best.sort_by_key(|candidate| std::cmp::Reverse(candidate.worth(now)));
        (best, possible)
    }
}

/// Routes, perhaps with an added link, and what they promise.
#[derive(Clone, Copy)]
struct Candidate {
    between: Option<[SwitchId; 2]>,
    routing: Routing,
    expected: f64,
    at_most: f64,
    passing: f64,
}

impl Candidate {
    fn new(between: Option<[SwitchId; 2]>, routing: Routing, bounds: &CapacityBounds) -> Self {
        let passing = bounds.root_share.map_or(0.0, |share| share.passing);
        Self { between, routing, expected: bounds.expected(), at_most: bounds.at_most(), passing }
    }

    /// To compare by: where the estimates agree to the digits that they are worth, the routes of today are better.
    fn worth(&self, now: Routing) -> (u64, bool) {
        ((self.expected * 1e3).round() as u64, self.routing == now)
    }

    fn json(&self, network: &Network) -> Json {
        let name = |id: SwitchId| network.switch(id).name.as_str();
        let root = match self.routing {
            Routing::UpDown(root) => Some(name(root)),
            Routing::AsNow | Routing::Shortest => None,
        };
        json!({
            "routing": self.routing.word(),
            "root": root,
            "between": self.between.map(|ends| ends.map(name)),
            "expected": finite(self.expected),
            "at_most": finite(self.at_most),
            "through_root": self.passing,
        })
    }
}

fn shortest(network: &Network) -> Routes {
    Routes::compute_unshared(network, &RoutingRule::Shortest)
        .expect("a network with routes has shortest ones")
}

pub(crate) fn used_ports(network: &Network, switch: SwitchId) -> usize {
    network.switch(switch).ports.iter().flatten().count()
}

/// The ports of each switch, in the families that are made of switches of one size.
pub(crate) fn ports_of_family(network: &NetworkSpec) -> Option<Port> {
    let ports = match network {
        NetworkSpec::FatTree(tree) => tree.radix,
        NetworkSpec::Dragonfly(Dragonfly { routers, hosts_per_router, global_links, .. }) => {
            routers.saturating_sub(1).saturating_add(*hosts_per_router).saturating_add(*global_links)
        }
        _ => return None,
    };
    Port::try_from(ports).ok()
}

/// The ports of every switch: as asked, by the file, by the family, as AN1's, or as the largest switch in use.
pub(crate) fn port_counts(
    network: &Network,
    asked: Option<u16>,
    by_file: &[Option<Port>],
    by_family: Option<u16>,
    is_an1: bool,
) -> PortCounts {
    let used = || network.switch_ids().map(|id| used_ports(network, id) as u16);
    let alike = |count: u16, known_from| PortCounts { counts: used().map(|_| count).collect(), known_from };
    if let Some(count) = asked {
        return alike(count, PortsFrom::Asked);
    }
    if by_file.iter().any(Option::is_some) {
        // A switch of which the file says nothing is not known to have a free port.
        let counts = by_file.iter().zip(used()).map(|(ports, used)| ports.unwrap_or(used)).collect();
        return PortCounts { counts, known_from: PortsFrom::File };
    }
    if let Some(count) = by_family {
        return alike(count, PortsFrom::Family);
    }
    let largest = used().max().unwrap_or(0);
    if is_an1 && largest <= AN1_PORTS {
        return alike(AN1_PORTS, PortsFrom::An1);
    }
    alike(largest, PortsFrom::Largest)
}

/// SRC report 88, section 2.1.
const AN1_PORTS: u16 = 12;
