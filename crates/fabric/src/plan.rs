//! From a network and parameters to a fabric with routes and numbered links, on which a machine is built.

use hopscope_measure::Problem;
use hopscope_topology::{HostId, Network, Port, RouteError, Routes, RoutingRule};
use hopscope_units::{Rate, Span};

use crate::by_family::by_family;
use crate::crossing::crossing;
use crate::load::OfferedLoad;
use crate::params::{FabricParams, LONGEST_DELAY, LinkParams, RoutingParams, Rule, rate_problem};
use crate::slots::{NO_SWITCH, Slots};
use crate::upgrade::nominal_rates;

/// A fabric that has been checked, with routes computed. A plan that exists cannot fail; any number of runs may share
/// it.
#[derive(Clone, Debug)]
pub struct FabricPlan {
    /// The network.
    pub network: Network,
    /// The scenario's parameters of routes and links.
    pub params: FabricParams,
    /// The routes.
    pub routes: Routes,
    /// The links by number.
    pub slots: Slots,
    /// The switch that delivers packets to each host, and the host's port there as its first channel; [`NO_SWITCH`] if
    /// a table leads packets on from the host's switch.
    pub attached: Vec<(u32, Port)>,
    /// The time that the first bits need to cross the network.
    pub crossing: Span,
    /// The offered load as the scenario defines it, where it is one number for the whole network.
    pub load: Option<f64>,
    /// Whether a host's receiving link is one of those whose utilisation is the carried load.
    pub shows_carried: Vec<bool>,
    /// Whether the tables that packets follow contain a forwarding loop.
    pub(crate) loops: bool,
}

/// What gets a slot of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SlotLayout {
    /// Each lane of the routes on each port: lanes are virtual channels with buffers of their own.
    PerLane,
    /// Each port: lanes are those of queues.
    PerPort,
}

impl FabricPlan {
    /// Computes the routes and numbers the links.
    ///
    /// # Errors
    /// A network that has no such routes, as the problem of `routing.rule` or `routing.root`.
    pub fn new(
        network: Network,
        params: FabricParams,
        layout: SlotLayout,
        offered: OfferedLoad,
    ) -> Result<Self, Problem> {
        let routes = routes(&network, &params)?;
        let lanes = match layout {
            SlotLayout::PerLane => routes.lanes(),
            SlotLayout::PerPort => 1,
        };
        let delays: Vec<Span> =
            network.links().iter().map(|l| l.delay.unwrap_or(params.link.delay)).collect();
        let OfferedLoad { load, shows_carried } = offered;
        Ok(Self {
            slots: Slots::new(&network, &rates(&network, &params), &delays, lanes),
            attached: attached(&network, routes.lanes()),
            crossing: crossing(&network, &delays),
            routes,
            load,
            shows_carried,
            loops: false,
            network,
            params,
        })
    }

    /// The same fabric on other routes. Where lanes have slots, the slots stay.
    pub(crate) fn on_routes(self, routes: Routes) -> Self {
        let attached = match self.slots.lanes {
            1 => attached(&self.network, routes.lanes()),
            _ => self.attached,
        };
        Self { attached, routes, ..self }
    }

    /// The same fabric, in which no switch delivers packets to these hosts.
    pub(crate) fn leading_on_from(mut self, hosts: &[HostId]) -> Self {
        for host in hosts {
            self.attached[host.index()].0 = NO_SWITCH;
        }
        self
    }

    /// The rate of each host's link that loads refer to: the rate without an upgrade.
    #[must_use]
    pub fn host_rates(&self) -> Vec<Rate> {
        host_rates(&self.network, &self.params.link)
    }
}

/// Checks the links of a network, besides the problems already found in a machine's parameters, and returns the rates
/// of the hosts' links that loads refer to.
///
/// # Errors
/// The problems already found, wrongly described links, and problems of the offer, which cannot be checked further.
pub fn check_links(
    mut found: Vec<Problem>,
    network: &Network,
    params: &FabricParams,
    offer: impl FnOnce() -> Vec<Problem>,
) -> Result<Vec<Rate>, Vec<Problem>> {
    found.extend(link_problems(network, &params.link));
    found.extend(params.upgrade.rates(network, &params.link).err().into_iter().flatten());
    if found.is_empty() {
        return Ok(host_rates(network, &params.link));
    }
    found.extend(offer());
    Err(found)
}

/// The rate of each link, after an upgrade.
///
/// # Panics
/// For an upgrade that does not fit the network: a plan has checked that.
#[must_use]
pub fn rates(network: &Network, params: &FabricParams) -> Vec<Rate> {
    params.upgrade.rates(network, &params.link).expect("an upgrade is checked with its network")
}

fn host_rates(network: &Network, default: &LinkParams) -> Vec<Rate> {
    let rates = nominal_rates(network, default);
    network.hosts().iter().map(|host| rates[host.link.index()]).collect()
}

fn link_problems(network: &Network, default: &LinkParams) -> Vec<Problem> {
    let rates = nominal_rates(network, default);
    let bad = network.links().iter().zip(&rates).flat_map(|(link, rate)| {
        let [a, b] = link.ends.map(|end| network.name(end.node));
        let rate = link.rate.and_then(|_| rate_problem(*rate)).map(|problem| {
            let expected = "whole kbit/s from 1 kbit/s to 4 Tbit/s";
            Problem::new("network", format!("{problem} between {a} and {b}"), expected)
        });
        let delay = link.delay.filter(|delay| *delay > LONGEST_DELAY).map(|delay| {
            let problem = format!("delay {delay} is out of range between {a} and {b}");
            Problem::new("network", problem, format!("at most {LONGEST_DELAY}"))
        });
        rate.into_iter().chain(delay)
    });
    bad.collect()
}

/// The routes of a network.
///
/// # Errors
/// A network that has no such routes, as the problem of `routing.rule` or `routing.root`.
pub fn routes(network: &Network, params: &FabricParams) -> Result<Routes, Problem> {
    let RoutingParams { root, roots, .. } = &params.routing;
    let rule = routing_rule(network, &params.routing);
    let field = if roots.is_empty() { "routing.root" } else { "routing.roots" };
    Routes::compute(network, &rule).map_err(|error| {
        let hint = root.iter().chain(roots).find(|root| network.node(root).is_none());
        let hint = hint.and_then(|root| network.name_like(root));
        let hint = hint.map(|near| format!("did you mean \"{near}\"?"));
        match error {
            RouteError::NoDimensions => {
                Problem::new("routing.rule", error.to_string(), "a mesh, torus, hypercube, line or ring")
                    .hint("rule = \"up-down\" is deadlock-free on any network")
            }
            RouteError::TooManyChannels { .. } => {
                Problem::new("routing.rule", error.to_string(), "rule = \"up-down\", or a smaller network")
            }
            RouteError::NoRoute { .. } => {
                Problem::new(field, error.to_string(), "roots above every switch that has hosts")
            }
            _ => Problem {
                hint,
                ..Problem::new(field, error.to_string(), "the name of a switch of the network")
            },
        }
    })
}

/// The rule of a network's routes.
#[must_use]
pub fn routing_rule(network: &Network, params: &RoutingParams) -> RoutingRule {
    let RoutingParams { rule, root, roots, .. } = params;
    match rule {
        Rule::UpDown => RoutingRule::UpDown { roots: root.iter().chain(roots).cloned().collect() },
        Rule::Shortest => RoutingRule::Shortest,
        Rule::DimensionOrder => RoutingRule::DimensionOrder,
        Rule::StructuredPools => RoutingRule::StructuredPools,
        Rule::ByFamily => by_family(network).1,
    }
}

/// The switch of each host, and its port as its first channel.
fn attached(network: &Network, lanes: u16) -> Vec<(u32, Port)> {
    network.hosts().iter().map(|host| (host.switch.index() as u32, host.port * lanes)).collect()
}
