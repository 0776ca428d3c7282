//! Traffic that reproduces counters: the loads of pairs of hosts of which the sum over the routes comes nearest to what
//! the ports carried.
//!
//! The squares of the differences are least under the condition that no load is negative. The multiplicative update of
//! Lee and Seung (Nature 1999) never increases them and keeps loads positive. It starts from the gravity model, in
//! which each pair's load is the product of what its sender sends and its receiver receives; so what the counters leave
//! open stays as near to that as the steps allow (Zhang, Roughan, Duffield and Greenberg, SIGMETRICS 2003).

use std::collections::BTreeMap;

use hopscope_kernel::step;
use hopscope_topology::{DestinationTables, Endpoint, HostId, Network, Routes, SwitchId};

use crate::channels::Channels;

/// More hosts than this are not fitted: a million pairs take a minute.
pub const MOST_HOSTS: usize = 1_000;

/// Updates: the differences hardly shrink any more.
const UPDATES: usize = 300;

/// The loads of a fabric.
#[derive(Clone, Debug, PartialEq)]
pub struct Fit {
    /// What each pair of hosts sends, bit/s; pairs that send nothing are left out.
    pub pairs: Vec<(HostId, HostId, f64)>,
    /// The root of the mean square of the differences, as a share of the mean that a counted channel carries.
    pub residual: f64,
    /// How many channels were counted.
    pub equations: usize,
    /// How many pairs of hosts there are: what is to be found.
    pub unknowns: usize,
}

/// Where traffic between switches passes, with the part that passes there.
type Ways = Vec<(usize, f64)>;

struct Problem<'a> {
    channels: &'a Channels,
    /// By host as a sender: the number of its switch, of those with hosts.
    sender: Vec<usize>,
    /// By host as a receiver: the number of the ways to it. Forwarding tables have ways of its own for each host; else
    /// all hosts of a switch have the same.
    receiver: Vec<usize>,
    /// How many of these there are.
    receivers: usize,
    /// By sender, then receiver; empty within a switch.
    ways: Vec<Ways>,
    /// What each channel carried, bit/s, where it was counted.
    carried: Vec<Option<f64>>,
    up: Vec<usize>,
    down: Vec<usize>,
}

/// Fits the loads of pairs of hosts; nothing for a fabric with more hosts than [`MOST_HOSTS`], or none that sends.
#[must_use]
pub fn fit(network: &Network, routes: &Routes, channels: &Channels) -> Option<Fit> {
    let hosts = network.hosts().len();
    if hosts > MOST_HOSTS {
        return None;
    }
    let problem = Problem::new(network, routes, channels);
    let mut loads = problem.gravity()?;
    for _ in 0..UPDATES {
        step("fitting loads");
        problem.update(&mut loads);
    }
    let carried = problem.carried_by(&loads);
    let counted =
        || problem.carried.iter().zip(&carried).filter_map(|(counted, fitted)| Some(((*counted)?, fitted)));
    let equations = counted().count();
    let squares: f64 = counted().map(|(counted, fitted)| (counted - fitted).powi(2)).sum();
    let mean = counted().map(|(counted, _)| counted).sum::<f64>() / equations.max(1) as f64;
    let ids = || network.host_ids();
    let pairs = ids().flat_map(|from| ids().map(move |to| (from, to)));
    Some(Fit {
        pairs: pairs
            .map(|(from, to)| (from, to, loads[from.index() * hosts + to.index()]))
            .filter(|(.., load)| *load > 0.0)
            .collect(),
        residual: (squares / equations.max(1) as f64).sqrt() / mean.max(f64::MIN_POSITIVE),
        equations,
        unknowns: hosts * hosts.saturating_sub(1),
    })
}

impl<'a> Problem<'a> {
    fn new(network: &'a Network, routes: &Routes, channels: &'a Channels) -> Self {
        let channel = |port| channels.from(port).expect("every port with a link has a channel");
        let up: Vec<usize> = network.host_ids().map(|id| channel(Endpoint::host(id))).collect();
        let port = |id: HostId| Endpoint::switch(network.host(id).switch, network.host(id).port);
        let down: Vec<usize> = network.host_ids().map(|id| channel(port(id))).collect();
        let carried = channels.all.iter().map(|channel| Some(channel.counted?.used * channel.rate)).collect();
        let mut switches: Vec<SwitchId> = network.hosts().iter().map(|host| host.switch).collect();
        switches.sort_unstable();
        switches.dedup();
        let number =
            |id: HostId| switches.binary_search(&network.host(id).switch).expect("a switch with hosts");
        let sender: Vec<usize> = network.host_ids().map(number).collect();
        let by_host = routes.tables().is_some();
        let receiver = network.host_ids().map(|id| if by_host { id.index() } else { number(id) }).collect();
        // A host of each receiver.
        let of_switch = |switch: &SwitchId| network.host_ids().find(|id| network.host(*id).switch == *switch);
        let to: Vec<HostId> = if by_host {
            network.host_ids().collect()
        } else {
            switches.iter().filter_map(of_switch).collect()
        };
        let mut ways = Vec::with_capacity(switches.len() * to.len());
        for &from in &switches {
            step("following routes");
            ways.extend(to.iter().map(|to| ways_between(network, routes, channels, from, *to)));
        }
        Self { channels, sender, receiver, receivers: to.len(), ways, carried, up, down }
    }

    /// The product of what senders send and receivers receive, for each pair, by sender, then receiver.
    fn gravity(&self) -> Option<Vec<f64>> {
        let hosts = self.up.len();
        let of = |channels: &[usize]| -> Vec<f64> {
            channels.iter().map(|channel| self.carried[*channel].unwrap_or(0.0)).collect()
        };
        let (sent, received) = (of(&self.up), of(&self.down));
        let total: f64 = received.iter().sum();
        if total <= 0.0 || hosts < 2 {
            return None;
        }
        let mut loads = vec![0.0; hosts * hosts];
        for (from, sent) in sent.iter().enumerate() {
            for (to, received) in received.iter().enumerate().filter(|(to, _)| *to != from) {
                loads[from * hosts + to] = sent * received / total;
            }
        }
        Some(loads)
    }

    /// The number of the ways between two hosts.
    fn way(&self, from: usize, to: usize) -> usize {
        self.sender[from] * self.receivers + self.receiver[to]
    }

    /// What each channel carries under these loads.
    fn carried_by(&self, loads: &[f64]) -> Vec<f64> {
        let hosts = self.up.len();
        let mut carried = vec![0.0; self.channels.all.len()];
        let mut between = vec![0.0; self.ways.len()];
        for from in 0..hosts {
            for to in 0..hosts {
                let load = loads[from * hosts + to];
                carried[self.up[from]] += load;
                carried[self.down[to]] += load;
                between[self.way(from, to)] += load;
            }
        }
        for (ways, load) in self.ways.iter().zip(between) {
            for &(channel, part) in ways {
                carried[channel] += part * load;
            }
        }
        carried
    }

    /// One multiplicative update of all loads.
    fn update(&self, loads: &mut [f64]) {
        let hosts = self.up.len();
        let fitted = self.carried_by(loads);
        // Of each channel what it should carry and what it does; of one that was not counted nothing.
        let wanted = |channel: usize| self.carried[channel].unwrap_or(0.0);
        let given = |channel: usize| if self.carried[channel].is_some() { fitted[channel] } else { 0.0 };
        let sum = |ways: &Ways, of: &dyn Fn(usize) -> f64| -> f64 {
            ways.iter().map(|(channel, part)| part * of(*channel)).sum()
        };
        let along: Vec<(f64, f64)> =
            self.ways.iter().map(|ways| (sum(ways, &wanted), sum(ways, &given))).collect();
        for from in 0..hosts {
            for to in 0..hosts {
                let load = &mut loads[from * hosts + to];
                let (wanted_along, given_along) = along[self.way(from, to)];
                let above = wanted(self.up[from]) + wanted(self.down[to]) + wanted_along;
                let below = given(self.up[from]) + given(self.down[to]) + given_along;
                if below > 0.0 {
                    *load *= above / below;
                }
            }
        }
    }
}

/// The channels between a switch and that of a host, with the part of what goes from one to the other that passes each:
/// packets part evenly among next hops, and among the LIDs of a host where each has a path of its own.
fn ways_between(
    network: &Network,
    routes: &Routes,
    channels: &Channels,
    from: SwitchId,
    host: HostId,
) -> Ways {
    let to = network.host(host).switch;
    if from == to {
        return Ways::new();
    }
    let mut found: BTreeMap<usize, f64> = BTreeMap::new();
    for path in 0..routes.paths() {
        let tables = routes.tables_of_paths().get(path);
        add_path(network, routes, channels, tables, (from, host), &mut found);
    }
    found.into_iter().collect()
}

/// Adds what passes on one of the paths between a switch and a host.
fn add_path(
    network: &Network,
    routes: &Routes,
    channels: &Channels,
    tables: Option<&DestinationTables>,
    (from, host): (SwitchId, HostId),
    found: &mut BTreeMap<usize, f64>,
) {
    let to = network.host(host).switch;
    let part = 1.0 / routes.paths() as f64;
    let mut here: BTreeMap<(SwitchId, u8), f64> = BTreeMap::from([((from, 0), part)]);
    let longest = network.switches().len();
    for _ in 0..longest {
        let mut next: BTreeMap<(SwitchId, u8), f64> = BTreeMap::new();
        for ((at, phase), part) in here {
            let ports: Vec<_> = match tables {
                None => routes.next_ports(at, phase, to).to_vec(),
                Some(tables) => tables.port(at, host).into_iter().collect(),
            };
            for &port in &ports {
                let each = part / ports.len() as f64;
                let Some(channel) = channels.from(Endpoint::switch(at, port)) else { continue };
                *found.entry(channel).or_default() += each;
                let (beyond, phase) = routes.step(at, port);
                if beyond != to {
                    *next.entry((beyond, phase)).or_default() += each;
                }
            }
        }
        here = next;
        if here.is_empty() {
            break;
        }
    }
}
