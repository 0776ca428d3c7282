//! The internet as those see it who draw it and count its gateways.

use std::collections::BTreeMap;

use hopscope_units::Time;

use super::PupPlan;

/// What a machine is there for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MachineKind {
    /// It sends and receives, or only sends.
    Host,
    /// It stands on several networks and forwards.
    Gateway,
}

/// A machine's place on a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OnNetwork<'a> {
    /// The machine's name.
    pub machine: &'a str,
    /// Which of the machine's places it is, counted from 0.
    pub station: usize,
    /// The network's name.
    pub network: &'a str,
    /// The machine's host number there.
    pub address: u8,
}

impl PupPlan {
    /// Hosts and gateways by name, in the order of the scenario.
    pub fn machines(&self) -> impl Iterator<Item = (&str, MachineKind)> {
        self.machines.iter().map(|machine| {
            let kind = if machine.gateway { MachineKind::Gateway } else { MachineKind::Host };
            (machine.name.as_str(), kind)
        })
    }

    /// Every machine's places on networks.
    pub fn attachments(&self) -> impl Iterator<Item = OnNetwork<'_>> {
        self.machines.iter().flat_map(move |machine| {
            machine.stations.iter().enumerate().map(move |(station, &at)| {
                let place = &self.stations[at as usize];
                OnNetwork {
                    machine: &machine.name,
                    station,
                    network: &self.params.network[place.network as usize].name,
                    address: place.host,
                }
            })
        })
    }

    /// Of ordered pairs of different hosts that a route joins, how many have this number of gateways between them.
    #[must_use]
    pub fn gateways_between_hosts(&self) -> BTreeMap<u8, u64> {
        let hosts = || self.machines.iter().filter(|machine| !machine.gateway);
        // Hosts of one network share its number, so that their routes are looked up once.
        let mut on_net: BTreeMap<u8, u64> = BTreeMap::new();
        for host in hosts() {
            *on_net.entry(self.stations[host.stations[0] as usize].net).or_default() += 1;
        }
        let mut found = BTreeMap::new();
        for host in hosts() {
            let own = self.stations[host.stations[0] as usize].net;
            for (&net, &count) in &on_net {
                let others = count - u64::from(net == own);
                if let Some(route) = host.routes.route(Time::ZERO, net).filter(|_| others > 0) {
                    *found.entry(route.hops).or_default() += others;
                }
            }
        }
        found
    }
}
