//! Figures of a network under its routes: distances, the root's share, loaded and idle links.

mod demand;
mod of_tables;
mod shortest_paths_lost;
mod single_points;

use std::collections::BTreeMap;

use serde::Serialize;

use crate::graph::{Link, Network, Node, Port, Role, SwitchId};
use crate::routes::Routes;
use crate::routes::walk::{RouteWalk, State};
pub use demand::Demand;
use demand::Talk;
pub use shortest_paths_lost::ShortestPathsLost;
pub use single_points::SinglePoints;

/// The load of a link in one direction.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LinkLoad {
    /// The switch that sends.
    pub from: String,
    /// Its port.
    pub from_port: Port,
    /// The switch that receives.
    pub to: String,
    /// The port of that switch.
    pub to_port: Port,
    /// The share of all messages that pass the link in this direction.
    pub share: f64,
}

/// What can be said of a network and its routes without simulating.
///
/// Messages take all their shortest legal routes, parting equally at every switch among the next hops.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Figures {
    /// The number of switches.
    pub switches: usize,
    /// The number of hosts.
    pub hosts: usize,
    /// The number of hosts that are servers.
    pub servers: usize,
    /// The number of links between switches; each host has one more.
    pub links: usize,
    /// The most links between switches on a route between two switches that have hosts.
    pub diameter: u16,
    /// The mean number of switches on the routes of those who talk.
    pub mean_hops: f64,
    /// Of ordered pairs of hosts that talk, how many are this number of switches apart (1: at the same switch).
    pub hop_histogram: BTreeMap<u32, u64>,
    /// The root of up*/down* routes.
    pub root: Option<String>,
    /// The share of messages that pass the root when both ends are drawn independently among all hosts, so that
    /// a source may draw its own switch or itself. In a d-cube with as many hosts at every switch it is (3/4)^d (AN1
    /// section 3.2).
    pub through_root: Option<f64>,
    /// The share of messages that pass the root among those who talk.
    pub talk_through_root: Option<f64>,
    /// The ten links that carry most, each in one direction.
    pub most_loaded_links: Vec<LinkLoad>,
    /// The links between switches that carry nothing in either direction.
    pub idle_links: Vec<[String; 2]>,
    /// The switches without hosts that nothing passes.
    pub idle_switches: Vec<String>,
    /// The switches and the links between them whose failure alone cuts the network. Hosts are not looked at: one with
    /// one link always loses the network with its switch.
    pub single_points_of_failure: SinglePoints,
}

/// How many links [`Figures::most_loaded_links`] holds.
const MOST_LOADED: usize = 10;

impl Figures {
    /// The figures of a network under these routes.
    #[must_use]
    pub fn new(network: &Network, routes: &Routes, demand: Demand) -> Self {
        let mut tally = Tally::new(network, routes, demand);
        if let Some(tables) = routes.tables() {
            let diameter = tally.follow(tables);
            return tally.figures(network, diameter);
        }
        let mut walk = RouteWalk::new(network, routes);
        let mut diameter = 0;
        for to in walk.sources().to_vec() {
            walk.towards(to);
            tally.spread(&walk, to);
            tally.count_root(&walk, to);
            for &from in walk.sources() {
                let links = if from == to { 0 } else { walk.distance(State { switch: from, phase: 0 }) };
                diameter = diameter.max(links);
                let pairs = tally.talk.pairs(from, to);
                if pairs > 0 {
                    *tally.hops.entry(u32::from(links) + 1).or_default() += pairs;
                }
            }
        }
        tally.figures(network, diameter)
    }
}

/// Sums over destinations.
struct Tally<'a> {
    network: &'a Network,
    routes: &'a Routes,
    talk: Talk,
    hops: BTreeMap<u32, u64>,
    /// Messages that leave each switch by each port.
    sent: Vec<Vec<f64>>,
    /// Messages that pass each switch.
    passed: Vec<f64>,
    /// Pairs that pass the root, of all and of those who talk.
    through_root: f64,
    talk_through_root: f64,
    /// By state, for the destination at hand: messages that are there, and the share of them that pass the root.
    here: Vec<f64>,
    by_root: Vec<f64>,
}

impl<'a> Tally<'a> {
    fn new(network: &'a Network, routes: &'a Routes, demand: Demand) -> Self {
        let states = network.switches().len() * usize::from(routes.phase_count());
        Self {
            network,
            routes,
            talk: Talk::new(network, demand),
            hops: BTreeMap::new(),
            sent: network.switches().iter().map(|switch| vec![0.0; switch.ports.len()]).collect(),
            passed: vec![0.0; network.switches().len()],
            through_root: 0.0,
            talk_through_root: 0.0,
            here: vec![0.0; states],
            by_root: vec![0.0; states],
        }
    }

    /// Sends the messages for a destination along all routes.
    fn spread(&mut self, walk: &RouteWalk<'_>, to: SwitchId) {
        self.here.fill(0.0);
        for &from in walk.sources() {
            let messages = self.talk.pairs(from, to) as f64;
            if from == to {
                self.passed[to.index()] += messages;
            } else {
                self.here[walk.index(State { switch: from, phase: 0 })] = messages;
            }
        }
        for &state in walk.order() {
            let messages = self.here[walk.index(state)];
            self.passed[state.switch.index()] += messages;
            let ports = walk.ports(state);
            let part = messages / ports.len() as f64;
            for (next, &port) in walk.next(state).zip(ports) {
                self.sent[state.switch.index()][usize::from(port)] += part;
                if next.switch == to {
                    self.passed[to.index()] += part;
                } else {
                    self.here[walk.index(next)] += part;
                }
            }
        }
    }

    /// Counts the pairs for a destination that pass the root, from the nearest states to the farthest.
    fn count_root(&mut self, walk: &RouteWalk<'_>, to: SwitchId) {
        let Some(root) = self.routes.root() else { return };
        let at = |switch: SwitchId| if switch == root { 1.0 } else { 0.0 };
        for &state in walk.order().iter().rev() {
            let share = if state.switch == root || to == root {
                1.0
            } else {
                let next = walk.next(state);
                let ways = next.len() as f64;
                let share_of =
                    |next: State| if next.switch == to { 0.0 } else { self.by_root[walk.index(next)] };
                next.map(share_of).sum::<f64>() / ways
            };
            self.by_root[walk.index(state)] = share;
        }
        for &from in walk.sources() {
            let share =
                if from == to { at(to) } else { self.by_root[walk.index(State { switch: from, phase: 0 })] };
            let (a, b) = (self.talk.hosts(from), self.talk.hosts(to));
            self.through_root += share * (a * b) as f64;
            self.talk_through_root += share * self.talk.pairs(from, to) as f64;
        }
    }

    fn figures(self, network: &Network, diameter: u16) -> Figures {
        let talking: u64 = self.hops.values().sum();
        let hops: u64 = self.hops.iter().map(|(hops, pairs)| u64::from(*hops) * pairs).sum();
        let share = |part: f64| if talking == 0 { 0.0 } else { part / talking as f64 };
        let hosts = network.hosts().len();
        let root = self.routes.root();
        let (most_loaded_links, idle_links) = self.links(share);
        let idle = |id: &SwitchId| self.talk.hosts(*id) == 0 && self.passed[id.index()] == 0.0;
        let name = |id: SwitchId| network.switch(id).name.clone();
        let switches = network.switches().iter().map(|switch| &*switch.name);
        let ends = |link: &Link| link.switches().map(|ends| ends.map(|id| &*network.switch(id).name));
        Figures {
            switches: network.switches().len(),
            hosts,
            servers: network.hosts().iter().filter(|host| host.role == Role::Server).count(),
            links: network.links().len() - hosts,
            diameter,
            mean_hops: share(hops as f64),
            root: root.map(name),
            through_root: root.map(|_| self.through_root / (hosts as f64 * hosts as f64)),
            talk_through_root: root.map(|_| share(self.talk_through_root)),
            most_loaded_links,
            idle_links,
            idle_switches: network.switch_ids().filter(idle).map(name).collect(),
            single_points_of_failure: SinglePoints::of(switches, network.links().iter().filter_map(ends)),
            hop_histogram: self.hops,
        }
    }

    /// The links that carry most, and those that carry nothing.
    fn links(&self, share: impl Fn(f64) -> f64) -> (Vec<LinkLoad>, Vec<[String; 2]>) {
        let (mut loads, mut idle) = (Vec::new(), Vec::new());
        for link in self.network.links() {
            let Some(switches) = link.switches() else { continue };
            let names = switches.map(|switch| self.network.switch(switch).name.clone());
            let load = link.ends.map(|end| match end.node {
                Node::Switch(switch) => self.sent[switch.index()][usize::from(end.port)],
                Node::Host(_) => 0.0,
            });
            if load == [0.0, 0.0] {
                idle.push(names.clone());
            }
            let [a, b] = names;
            let ports = link.ends.map(|end| end.port);
            let way = |from: &String, to: &String, [from_port, to_port]: [Port; 2], load: f64| {
                let (from, to) = (from.clone(), to.clone());
                LinkLoad { from, from_port, to, to_port, share: share(load) }
            };
            loads.push(way(&a, &b, ports, load[0]));
            loads.push(way(&b, &a, [ports[1], ports[0]], load[1]));
        }
        loads.sort_by(|a, b| b.share.total_cmp(&a.share));
        loads.truncate(MOST_LOADED);
        (loads, idle)
    }
}
