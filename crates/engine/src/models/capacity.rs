//! What a fabric can carry before any simulation, as JSON for those who print it and search on from there.

use hopscope_an1::{Discipline, SwitchParams};
use hopscope_fabric::{FabricParams, FabricPlan};
use hopscope_lossless::FrameParams;
use hopscope_measure::Problem;
use hopscope_topology::capacity::{
    Bound, CapacityBounds, Effort, IdleByLevels, PacketService, Place, RootShare, Stream,
};
use hopscope_topology::{
    Demand, Endpoint, Network, Node, Port, Routes, RoutingRule, ShortestPathsLost, SwitchId,
};
use hopscope_traffic::{Pattern, TrafficSpec, Workload};
use serde_json::{Value as Json, json};

use crate::models::advice::PortCounts;

/// The load at which the traffic is compiled; everything is in proportion to it.
const REFERENCE_LOAD: f64 = 0.5;

/// The most switches whose routes are compared with all shortest paths.
const MOST_SWITCHES_COMPARED: usize = 3_000;

/// The most added links that are tried for switches that the levels leave idle.
const MOST_CURES: usize = 8;

/// A fabric as the analysis sees it.
pub(crate) struct Analysis<'a> {
    pub(super) network: &'a Network,
    pub(super) routes: &'a Routes,
    pub(super) streams: Vec<Stream>,
    pub(super) params: &'a FabricParams,
    pub(super) service: Option<PacketService>,
    /// Switches of frames, with hosts and links that are slower than their rates say.
    pub(super) frames: Option<&'a FrameParams>,
    /// Which hosts may talk, acknowledgments included.
    pub(super) demand: Demand,
}

impl<'a> Analysis<'a> {
    /// `switch` is AN1's; switches of frames have other queues.
    ///
    /// # Errors
    /// Traffic of which a part does not depend on the load or goes to several hosts at once.
    pub fn new(
        fabric: &'a FabricPlan,
        switch: Option<&SwitchParams>,
        frames: Option<&'a FrameParams>,
        traffic: &TrafficSpec,
        seed: u64,
    ) -> Result<Self, Problem> {
        let FabricPlan { network, routes, .. } = fabric;
        let streams = Self::streams(fabric, traffic, seed)?;
        let service = switch.and_then(|switch| Self::service(switch, traffic));
        let demand = match traffic.pattern {
            Pattern::ClientServer | Pattern::ClientToServer => Demand::ClientServer,
            _ => Demand::Uniform,
        };
        Ok(Self { network, routes, streams, params: &fabric.params, service, frames, demand })
    }

    /// What packets cost a switch with input FIFOs; nothing for any other.
    pub fn service(switch: &SwitchParams, traffic: &TrafficSpec) -> Option<PacketService> {
        let (mean_bits, squared_cv) = traffic.packet_lengths();
        let service = PacketService {
            mean_bits,
            squared_cv,
            decision_s: switch.decision.as_seconds(),
            setup_s: switch.setup.as_seconds(),
        };
        (switch.discipline == Discipline::InputFifo).then_some(service)
    }

    /// What every host sends to which others at load 1.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn streams(fabric: &FabricPlan, traffic: &TrafficSpec, seed: u64) -> Result<Vec<Stream>, Problem> {
        if let Some(problem) = traffic.fixed_part() {
            return Err(problem);
        }
        if let Some(path) = traffic.multicast() {
            let problem = "capacity bounds do not apply to messages for several hosts";
            return Err(Problem::new(path, problem, "one receiver for each message"));
        }
        let reference = traffic.at_load(REFERENCE_LOAD);
        let workload = Workload::new(&reference, &fabric.network, &fabric.host_rates(), seed)
            .map_err(|problems| problems.into_iter().next().expect("what is refused has a reason"))?;
        let mut streams = workload.streams();
        for (_, bit_s) in streams.iter_mut().flat_map(|stream| &mut stream.senders) {
            *bit_s /= REFERENCE_LOAD;
        }
        Ok(streams)
    }

    pub(super) fn rates(&self, network: &Network) -> Vec<f64> {
        let rates = hopscope_fabric::rates(network, self.params);
        let mut rates: Vec<f64> = rates.iter().map(|rate| rate.bit_s() as f64).collect();
        for retrying in self.frames.iter().flat_map(|frames| &frames.retrying_links) {
            // A frame is sent until it arrives whole.
            let links = network.link_ids().filter(|link| retrying.is(network, *link));
            links.for_each(|link| rates[link.index()] *= 1.0 - retrying.failing);
        }
        rates
    }

    pub(super) fn bounds(&self, network: &Network, routes: &Routes, effort: Effort) -> CapacityBounds {
        let rates = self.rates(network);
        let slow_hosts = self.frames.iter().flat_map(|frames| &frames.slow_hosts);
        let intakes = slow_hosts.filter_map(|slow| match network.node(&slow.host) {
            Some(Node::Host(id)) => Some((id, slow.drain.bit_s() as f64)),
            _ => None,
        });
        CapacityBounds::new(network, routes, &self.streams, &rates, self.service.as_ref(), effort)
            .with_intakes(network, &self.streams, intakes)
    }

    /// The bounds of the scenario as it is.
    pub fn bounds_json(&self, ports: &PortCounts) -> Json {
        let bounds = self.bounds(self.network, self.routes, Effort::for_network(self.network));
        let mut json = bounds_json(self.network, &bounds);
        let idle = match self.routes.root() {
            Some(root) => self.idle_json(root, &bounds, ports),
            None => Json::Null,
        };
        json["idle_by_levels"] = idle;
        json["shortest_paths_lost"] = json!(self.shortest_paths_lost());
        json
    }

    /// What up*/down* takes from the shortest paths between hosts that talk; nothing under other rules, of tables, and
    /// of networks that are too large to be walked twice.
    fn shortest_paths_lost(&self) -> Option<ShortestPathsLost> {
        let is_small = self.network.switches().len() <= MOST_SWITCHES_COMPARED;
        if !is_small || self.routes.root().is_none() || self.routes.tables().is_some() {
            return None;
        }
        let shortest = Routes::compute(self.network, &RoutingRule::Shortest).ok()?;
        Some(ShortestPathsLost::new(self.network, self.routes, &shortest, self.demand))
    }

    /// What carries nothing because of the levels, and what a link from the root to each such switch would change,
    /// where both have a free port.
    fn idle_json(&self, root: SwitchId, bounds: &CapacityBounds, ports: &PortCounts) -> Json {
        let idle = IdleByLevels::new(self.network, &bounds.flows, &self.streams);
        let name = |id: SwitchId| self.network.switch(id).name.as_str();
        let links = idle.links.iter().map(|id| {
            let [a, b] = self.network.link(*id).switches().expect("a link between switches");
            json!([name(a), name(b)])
        });
        let has_port = |id: &&SwitchId| self.has_free_port(**id, &ports.counts);
        let may_get_one = idle.switches.iter().filter(|_| has_port(&&root)).filter(has_port);
        let cures = may_get_one.take(MOST_CURES).map(|switch| {
            let (network, routes) = joined(self.network, [root, *switch], root);
            let found = self.bounds(&network, &routes, NO_SEARCH);
            let left = IdleByLevels::new(&network, &found.flows, &self.streams);
            json!({
                "switch": name(*switch),
                "between": [name(root), name(*switch)],
                "expected": found.expected(),
                "still_idle": left.links.len(),
            })
        });
        json!({
            "links": links.collect::<Vec<_>>(),
            "switches": idle.switches.iter().map(|id| name(*id)).collect::<Vec<_>>(),
            "cures": cures.collect::<Vec<_>>(),
            "ports_known_from": ports.known_from.word(),
        })
    }
}

/// No looking for the best split: candidates are compared by even parts.
pub(super) const NO_SEARCH: Effort = Effort { rounds: 0 };

pub(super) fn rooted(network: &Network, root: SwitchId) -> Routes {
    let rule = RoutingRule::UpDown { roots: vec![network.switch(root).name.clone()] };
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
pub(super) fn finite(load: f64) -> Option<f64> {
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
