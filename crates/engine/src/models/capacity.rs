//! What a fabric can carry before any simulation, as JSON for those who print it and search on from there.

use hopscope_an1::{Discipline, SwitchParams};
use hopscope_fabric::FabricPlan;
use hopscope_measure::Problem;
use hopscope_topology::capacity::{
    Bound, CapacityBounds, Effort, IdleByLevels, PacketService, Place, RootShare, Stream,
};
use hopscope_topology::{Endpoint, Network, Node, Port, Routes, RoutingRule, SwitchId};
use hopscope_traffic::{TrafficSpec, Workload};
use hopscope_units::Rate;
use serde_json::{Value as Json, json};

/// The load at which the traffic is compiled; everything is in proportion to it.
const REFERENCE_LOAD: f64 = 0.5;

/// At most so many added links are tried out for switches that the levels leave idle.
const MOST_CURES: usize = 8;

/// What is asked of a search for a better root or link.
#[derive(Clone, Copy, Debug)]
pub struct Advice {
    /// Whether to look for a link to add.
    pub add_link: bool,
    /// The most ports of a switch.
    pub ports: u16,
}

/// A fabric as the analysis sees it.
pub(crate) struct Analysis<'a> {
    network: &'a Network,
    routes: &'a Routes,
    streams: Vec<Stream>,
    default_rate: f64,
    service: Option<PacketService>,
}

impl<'a> Analysis<'a> {
    /// # Errors
    /// Traffic of which a part does not depend on the load.
    pub fn new(
        fabric: &'a FabricPlan,
        switch: &SwitchParams,
        traffic: &TrafficSpec,
        seed: u64,
    ) -> Result<Self, Problem> {
        if let Some(problem) = traffic.fixed_part() {
            return Err(problem);
        }
        let FabricPlan { network, routes, .. } = fabric;
        let workload =
            Workload::new(&traffic.at_load(REFERENCE_LOAD), network, &fabric.host_rates(), seed)
                .map_err(|problems| problems.into_iter().next().expect("what is refused has a reason"))?;
        let mut streams = workload.streams();
        for (_, bit_s) in streams.iter_mut().flat_map(|stream| &mut stream.senders) {
            *bit_s /= REFERENCE_LOAD;
        }
        let (mean_bits, squared_cv) = traffic.packet_lengths();
        let service = PacketService {
            mean_bits,
            squared_cv,
            decision_s: switch.decision.as_seconds(),
            setup_s: switch.setup.as_seconds(),
        };
        let fifo_inputs = switch.discipline == Discipline::InputFifo;
        Ok(Self {
            network,
            routes,
            streams,
            default_rate: fabric.params.link.rate.bit_s() as f64,
            service: fifo_inputs.then_some(service),
        })
    }

    fn rates(&self, network: &Network) -> Vec<f64> {
        let rate = |rate: Option<Rate>| rate.map_or(self.default_rate, |rate| rate.bit_s() as f64);
        network.links().iter().map(|link| rate(link.rate)).collect()
    }

    fn bounds(&self, network: &Network, routes: &Routes, effort: Effort) -> CapacityBounds {
        let rates = self.rates(network);
        CapacityBounds::new(network, routes, &self.streams, &rates, self.service.as_ref(), effort)
    }

    /// The bounds of the scenario as it is.
    pub fn bounds_json(&self) -> Json {
        let bounds = self.bounds(self.network, self.routes, Effort::for_network(self.network));
        let mut json = bounds_json(self.network, &bounds);
        let idle = match self.routes.root() {
            Some(root) => self.idle_json(root, &bounds),
            None => Json::Null,
        };
        json["idle_by_levels"] = idle;
        json
    }

    /// What carries nothing because of the levels, and what a link from the root to each such switch would change.
    fn idle_json(&self, root: SwitchId, bounds: &CapacityBounds) -> Json {
        let idle = IdleByLevels::new(self.network, &bounds.flows, &self.streams);
        let name = |id: SwitchId| self.network.switch(id).name.as_str();
        let links = idle.links.iter().map(|id| {
            let [a, b] = self.network.link(*id).switches().expect("a link between switches");
            json!([name(a), name(b)])
        });
        let cures = idle.switches.iter().take(MOST_CURES).map(|switch| {
            let (network, routes) = joined(self.network, [root, *switch], root);
            let found = self.bounds(&network, &routes, NO_SEARCH);
            let left = IdleByLevels::new(&network, &found.flows, &self.streams);
            json!({
                "between": [name(root), name(*switch)],
                "expected": found.expected(),
                "still_idle": left.links.len(),
            })
        });
        json!({
            "links": links.collect::<Vec<_>>(),
            "switches": idle.switches.iter().map(|id| name(*id)).collect::<Vec<_>>(),
            "cures": cures.collect::<Vec<_>>(),
        })
    }

    /// Every root, and where asked for links that might be added, the most promising first.
    ///
    /// # Errors
    /// Routes without a root.
    pub fn advice_json(&self, advice: &Advice) -> Result<Json, Problem> {
        let Some(now) = self.routes.root() else {
            let problem = "the routes have no root to choose";
            return Err(Problem::new("routing.rule", problem, "rule = \"up-down\""));
        };
        let mut roots: Vec<Candidate> = self.network.switch_ids().map(|root| self.try_root(root)).collect();
        let current = roots[now.index()];
        roots.sort_by_key(|candidate| std::cmp::Reverse(candidate.worth(now)));
        let (links, possible) =
            if advice.add_link { self.try_links(&roots, now, advice.ports) } else { (Vec::new(), 0) };
        let all = |candidates: &[Candidate]| {
            candidates.iter().map(|candidate| candidate.json(self.network)).collect::<Vec<_>>()
        };
        Ok(json!({
            "now": current.json(self.network),
            "roots": all(&roots),
            "links": all(&links),
            "possible_links": possible,
        }))
    }

    fn try_root(&self, root: SwitchId) -> Candidate {
        let routes = rooted(self.network, root);
        Candidate::new(None, root, &self.bounds(self.network, &routes, NO_SEARCH))
    }

    /// Every pair of switches with free ports, each with as many of the best roots as time allows; the best of each
    /// pair, the most promising pairs first. Also how many pairs there are.
    fn try_links(&self, roots: &[Candidate], now: SwitchId, ports: u16) -> (Vec<Candidate>, usize) {
        let free: Vec<SwitchId> = self
            .network
            .switch_ids()
            .filter(|id| used_ports(self.network, *id) < usize::from(ports))
            .collect();
        let pairs = free.iter().enumerate().flat_map(|(i, a)| free[i + 1..].iter().map(|b| [*a, *b]));
        let mut pairs: Vec<[SwitchId; 2]> = pairs.collect();
        let possible = pairs.len();
        let switches = self.network.switches().len();
        let affordable = (AFFORDABLE_PAIRS_OF_SWITCHES / (switches * switches)).max(1);
        // A link to the root of today moves its other end up to the first level: what is most likely to help comes
        // first.
        pairs.sort_by_key(|pair| !pair.contains(&now));
        pairs.truncate(affordable);
        let tried = (affordable / pairs.len().max(1)).clamp(1, roots.len());
        let mut tried: Vec<SwitchId> = roots[..tried].iter().map(|root| root.root).collect();
        if !tried.contains(&now) {
            tried.insert(0, now);
        }
        let mut best: Vec<Candidate> =
            pairs.iter().filter_map(|pair| self.try_link(*pair, now, &tried)).collect();
        best.sort_by_key(|candidate| std::cmp::Reverse(candidate.worth(now)));
        (best, possible)
    }

    /// A link with the best of these roots; the root of today where none is better.
    fn try_link(&self, between: [SwitchId; 2], now: SwitchId, roots: &[SwitchId]) -> Option<Candidate> {
        let network = self.network.with_link(between, None, None);
        let tried = roots.iter().map(|root| {
            let bounds = self.bounds(&network, &rooted(&network, *root), NO_SEARCH);
            Candidate::new(Some(between), *root, &bounds)
        });
        tried.max_by_key(|candidate| candidate.worth(now))
    }
}

/// No looking for the best split: candidates are compared by even parts.
const NO_SEARCH: Effort = Effort { rounds: 0 };

/// How many pairs of switches are looked at in all for links to add: a few seconds' worth.
const AFFORDABLE_PAIRS_OF_SWITCHES: usize = 4_000_000;

/// A root, perhaps with an added link, and what it promises.
#[derive(Clone, Copy)]
struct Candidate {
    between: Option<[SwitchId; 2]>,
    root: SwitchId,
    expected: f64,
    at_most: f64,
    passing: f64,
}

impl Candidate {
    fn new(between: Option<[SwitchId; 2]>, root: SwitchId, bounds: &CapacityBounds) -> Self {
        let passing = bounds.root_share.map_or(0.0, |share| share.passing);
        Self { between, root, expected: bounds.expected(), at_most: bounds.at_most(), passing }
    }

    /// To compare by: where the estimates agree to the digits that they are worth, the root of today is better.
    fn worth(&self, now: SwitchId) -> (u64, bool) {
        ((self.expected * 1e3).round() as u64, self.root == now)
    }

    fn json(&self, network: &Network) -> Json {
        let name = |id: SwitchId| network.switch(id).name.as_str();
        json!({
            "root": name(self.root),
            "between": self.between.map(|ends| ends.map(name)),
            "expected": finite(self.expected),
            "at_most": finite(self.at_most),
            "through_root": self.passing,
        })
    }
}

fn used_ports(network: &Network, switch: SwitchId) -> usize {
    network.switch(switch).ports.iter().flatten().count()
}

fn rooted(network: &Network, root: SwitchId) -> Routes {
    let rule = RoutingRule::UpDown { root: Some(network.switch(root).name.clone()) };
    Routes::compute_unshared(network, &rule).expect("the root is one of the network's switches")
}

/// The network with a link more, and its routes under this root.
fn joined(network: &Network, ends: [SwitchId; 2], root: SwitchId) -> (Network, Routes) {
    let network = network.with_link(ends, None, None);
    let routes = rooted(&network, root);
    (network, routes)
}

fn bounds_json(network: &Network, bounds: &CapacityBounds) -> Json {
    let bound = |bound: Bound| {
        let (from, to) = ends(network, bound.place);
        json!({"load": bound.load, "from": from, "to": to})
    };
    let root = |share: RootShare| {
        json!({
            "name": network.switch(share.root).name,
            "load": bounds.root.map(|bound| bound.load),
            "through": share.passing,
            "unavoidable": share.unavoidable,
        })
    };
    let head_of_line = bounds.head_of_line.map(|estimate| {
        let switch = network.switch(estimate.switch).name.as_str();
        json!({"load": estimate.load, "switch": switch, "from": far_name(network, estimate.switch, estimate.port)})
    });
    json!({
        "host_link": bounds.host_link.map(bound),
        "even_split": bounds.even_split.map(bound),
        "best_split": bounds.best_split.map(
            |split| json!({"attainable": split.attainable, "at_most": split.at_most})
        ),
        "root": bounds.root_share.map(root),
        "head_of_line": head_of_line,
        "at_most": finite(bounds.at_most()),
        "expected": finite(bounds.expected()),
    })
}

/// JSON has no infinity: nothing bounds what carries nothing.
fn finite(load: f64) -> Option<f64> {
    load.is_finite().then_some(load)
}

/// The names of both ends of a link in the direction of a bound; of a switch its own and nothing.
fn ends(network: &Network, place: Place) -> (String, Option<String>) {
    match place {
        Place::FromHost(host) => {
            let host = network.host(host);
            (host.name.clone(), Some(network.switch(host.switch).name.clone()))
        }
        Place::Port(switch, port) => {
            (network.switch(switch).name.clone(), Some(far_name(network, switch, port)))
        }
        Place::Switch(switch) => (network.switch(switch).name.clone(), None),
    }
}

fn far_name(network: &Network, switch: SwitchId, port: Port) -> String {
    let Endpoint { node, .. } = network.far_end(switch, port).expect("traffic passes by ports with links");
    match node {
        Node::Switch(id) => network.switch(id).name.clone(),
        Node::Host(id) => network.host(id).name.clone(),
    }
}
