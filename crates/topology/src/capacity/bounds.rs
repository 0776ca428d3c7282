//! What bounds the load of a network.

use crate::graph::{HostId, LinkId, Network, Node, Port, SwitchId};
use crate::routes::{Routes, RoutingRule};

use super::best_split::{BestSplit, Effort};
use super::demand::Demands;
use super::flows::ChannelFlows;
use super::head_of_line::{HeadOfLine, MOST_PORTS, PacketService};
use super::{RootShare, Stream};

/// Where a bound is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// The link by which a host sends.
    FromHost(HostId),
    /// A switch's port: what leaves by it, to a host or another switch.
    Port(SwitchId, Port),
    /// A switch.
    Switch(SwitchId),
}

/// A load that something cannot carry more than.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bound {
    /// The load.
    pub load: f64,
    /// Where.
    pub place: Place,
}

/// What bounds the load of a network under its routes and traffic.
#[derive(Clone, Debug)]
pub struct CapacityBounds {
    /// The busiest host link: no routes change it.
    pub host_link: Option<Bound>,
    /// The busiest link between switches where packets part evenly among their routes, or follow their
    /// tables.
    pub even_split: Option<Bound>,
    /// The same for the best split; nothing where it was not looked for.
    pub best_split: Option<BestSplit>,
    /// The links of the root, for what has no route around it.
    pub root: Option<Bound>,
    /// What passes the root.
    pub root_share: Option<RootShare>,
    /// Where head-of-line blocking is estimated to saturate a switch; nothing where that was not asked for.
    pub head_of_line: Option<HeadOfLine>,
    /// The flows that all this comes from.
    pub flows: ChannelFlows,
}

impl CapacityBounds {
    /// The bounds of streams on a network whose links have these rates in bits a second, by link.
    ///
    /// With a packet service also the estimate of head-of-line blocking, except for networks of thousands of switches
    /// or with switches of over a thousand ports, where how flows turn in each switch costs too much to follow.
    #[must_use]
    pub fn new(
        network: &Network,
        routes: &Routes,
        streams: &[Stream],
        rates: &[f64],
        service: Option<&PacketService>,
        effort: Effort,
    ) -> Self {
        let demands = Demands::new(network, streams);
        let small = network.switches().len() <= MOST_SWITCHES
            && network.switches().iter().all(|switch| switch.ports.len() <= MOST_PORTS);
        let has_tables = routes.tables().is_some();
        let service = service.filter(|_| small && !has_tables);
        let flows = ChannelFlows::of(network, routes, &demands, service.is_some());
        let rate = |switch: SwitchId, port: Port| {
            network.switch(switch).ports[usize::from(port)].map_or(f64::INFINITY, |link| rates[link.index()])
        };
        let head_of_line = service.and_then(|service| HeadOfLine::new(network, &flows, service, rate));
        let root_share = flows.through_root();
        // Tables leave nothing to split.
        let effort = if has_tables { Effort { rounds: 0 } } else { effort };
        Self {
            host_link: host_link(network, &demands, rates),
            even_split: even_split(network, &flows, &rate),
            best_split: BestSplit::search(network, routes, &demands, &flows, &rate, effort),
            root: root_share.and_then(|share| root_bound(network, share, rates)),
            root_share,
            head_of_line,
            flows,
        }
    }

    /// The same where these hosts take what arrives at these rates in bits a second, however fast their links are.
    #[must_use]
    pub fn with_intakes(
        mut self,
        network: &Network,
        streams: &[Stream],
        intakes: impl IntoIterator<Item = (HostId, f64)>,
    ) -> Self {
        let received = Demands::new(network, streams).received;
        for (id, bit_s) in intakes {
            let (host, offered) = (network.host(id), received[id.index()]);
            if offered > 0.0 {
                let place = Place::Port(host.switch, host.port);
                self.host_link = lesser(self.host_link, bit_s / offered, place);
            }
        }
        self
    }

    /// The least load that is known not to be carried, whatever the switches: host links, the root, and links under the
    /// best split.
    #[must_use]
    pub fn at_most(&self) -> f64 {
        let bounds = [self.host_link, self.root].into_iter().flatten().map(|bound| bound.load);
        bounds.chain(self.best_split.map(|split| split.at_most)).fold(f64::INFINITY, f64::min)
    }

    /// The load at which saturation is expected: the least of the bounds, of even parts and of the estimate.
    #[must_use]
    pub fn expected(&self) -> f64 {
        let even = self.even_split.map(|bound| bound.load);
        let blocked = self.head_of_line.map(|estimate| estimate.load);
        even.into_iter().chain(blocked).fold(self.at_most(), f64::min)
    }

    /// The load at which a link between switches, or a host's, is full: what links alone carry.
    #[must_use]
    pub fn of_links(&self) -> f64 {
        let bounds = [self.host_link, self.even_split].into_iter().flatten();
        bounds.map(|bound| bound.load).fold(f64::INFINITY, f64::min)
    }

    /// The utilisation of the busiest link between switches over the mean of all, each direction for itself: 1 where
    /// all are used alike. Nothing where none is used. Rates are as in [`new`](Self::new).
    #[must_use]
    pub fn imbalance(&self, network: &Network, rates: &[f64]) -> Option<f64> {
        let of_switch = |from: SwitchId| {
            network.neighbours(from).map(move |(port, link, ..)| (from, port, rates[link.index()]))
        };
        let used = network.switch_ids().flat_map(of_switch);
        let used = used.map(|(from, port, rate)| self.flows.sent(from, port) / rate);
        let (count, sum, most) = used
            .fold((0_u32, 0.0, 0.0_f64), |(count, sum, most), each| (count + 1, sum + each, most.max(each)));
        (sum > 0.0).then(|| most * f64::from(count) / sum)
    }
}

/// In larger networks turns are not followed.
const MOST_SWITCHES: usize = 3_000;

fn lesser(least: Option<Bound>, load: f64, place: Place) -> Option<Bound> {
    if least.is_some_and(|least| least.load <= load) { least } else { Some(Bound { load, place }) }
}

fn host_link(network: &Network, demands: &Demands, rates: &[f64]) -> Option<Bound> {
    let mut least = None;
    for id in network.host_ids() {
        let host = network.host(id);
        let directions = [
            (demands.sent[id.index()], Place::FromHost(id)),
            (demands.received[id.index()], Place::Port(host.switch, host.port)),
        ];
        for (bit_s, place) in directions.into_iter().filter(|(bit_s, _)| *bit_s > 0.0) {
            least = lesser(least, rates[host.link.index()] / bit_s, place);
        }
    }
    least
}

fn even_split(
    network: &Network,
    flows: &ChannelFlows,
    rate: &dyn Fn(SwitchId, Port) -> f64,
) -> Option<Bound> {
    let mut least = None;
    for switch in network.switch_ids() {
        for (port, ..) in network.neighbours(switch) {
            let bit_s = flows.sent(switch, port);
            if bit_s > 0.0 {
                least = lesser(least, rate(switch, port) / bit_s, Place::Port(switch, port));
            }
        }
    }
    least
}

/// All that enters or leaves the root passes its links to other switches.
fn root_bound(network: &Network, share: RootShare, rates: &[f64]) -> Option<Bound> {
    let links: f64 = network.neighbours(share.root).map(|(_, link, ..)| rates[link.index()]).sum();
    let most = share.entering.max(share.leaving);
    (most > 0.0).then(|| Bound { load: links / most, place: Place::Switch(share.root) })
}

/// What carries nothing because of the levels: under up*/down* nothing passes there, on shortest routes something
/// would.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IdleByLevels {
    /// Links between switches, by id.
    pub links: Vec<LinkId>,
    /// Switches that none of those links leads anything to or from, and that have no hosts.
    pub switches: Vec<SwitchId>,
}

impl IdleByLevels {
    /// Compares flows with those on all shortest routes of the same network.
    ///
    /// # Panics
    /// Where the network has more switches than routes are computed for: then there were no flows either.
    #[must_use]
    pub fn new(network: &Network, flows: &ChannelFlows, streams: &[Stream]) -> Self {
        let shortest =
            Routes::compute_unshared(network, &RoutingRule::Shortest).expect("routes of this size exist");
        let free = ChannelFlows::new(network, &shortest, streams, false);
        let carries = |flows: &ChannelFlows, id: LinkId| {
            network.link(id).ends.iter().any(|end| match end.node {
                Node::Switch(switch) => flows.sent(switch, end.port) > 0.0,
                Node::Host(_) => false,
            })
        };
        let links: Vec<LinkId> = network
            .link_ids()
            .filter(|id| network.link(*id).switches().is_some())
            .filter(|id| !carries(flows, *id) && carries(&free, *id))
            .collect();
        let hosts = network.hosts_per_switch();
        let idle = |id: &SwitchId| {
            let mut ends = network.neighbours(*id).peekable();
            hosts[id.index()] == 0
                && ends.peek().is_some()
                && ends.all(|(_, link, ..)| !carries(flows, link))
                && network.neighbours(*id).any(|(_, link, ..)| links.contains(&link))
        };
        let switches = network.switch_ids().filter(idle).collect();
        Self { links, switches }
    }
}
