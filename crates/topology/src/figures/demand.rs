//! Which hosts talk to which, as far as figures need to know.

use crate::graph::{Host, Network, Role, SwitchId};

/// Which pairs of hosts talk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Demand {
    /// Every host sends as much to every other host.
    Uniform,
    /// Every client sends as much to every server, and every server to every client.
    ClientServer,
}

impl Demand {
    /// Client/server where the network has clients and servers, else uniform.
    #[must_use]
    pub fn of(network: &Network) -> Self {
        let has = |role| network.hosts().iter().any(|host| host.role == role);
        if has(Role::Client) && has(Role::Server) { Self::ClientServer } else { Self::Uniform }
    }
}

/// How many hosts of each role a switch has.
#[derive(Clone, Copy, Default)]
struct Crowd {
    all: u64,
    clients: u64,
    servers: u64,
}

/// How much the hosts of any two switches say to each other.
pub(crate) struct Talk {
    demand: Demand,
    crowds: Vec<Crowd>,
}

impl Talk {
    pub fn new(network: &Network, demand: Demand) -> Self {
        let mut crowds = vec![Crowd::default(); network.switches().len()];
        for host in network.hosts() {
            let crowd = &mut crowds[host.switch.index()];
            crowd.all += 1;
            crowd.clients += u64::from(host.role == Role::Client);
            crowd.servers += u64::from(host.role == Role::Server);
        }
        Self { demand, crowds }
    }

    /// The hosts of a switch.
    pub fn hosts(&self, switch: SwitchId) -> u64 {
        self.crowds[switch.index()].all
    }

    /// The pairs of hosts at these switches of which the first sends to the second.
    pub fn pairs(&self, from: SwitchId, to: SwitchId) -> u64 {
        let (a, b) = (self.crowds[from.index()], self.crowds[to.index()]);
        match self.demand {
            Demand::Uniform if from == to => a.all * a.all.saturating_sub(1),
            Demand::Uniform => a.all * b.all,
            Demand::ClientServer => a.clients * b.servers + a.servers * b.clients,
        }
    }

    /// The hosts at a switch that send to this one.
    pub fn senders(&self, from: SwitchId, to: &Host) -> u64 {
        let crowd = self.crowds[from.index()];
        match (self.demand, to.role) {
            (Demand::Uniform, _) => crowd.all - u64::from(from == to.switch),
            (Demand::ClientServer, Role::Client) => crowd.servers,
            (Demand::ClientServer, Role::Server) => crowd.clients,
            (Demand::ClientServer, Role::Any) => 0,
        }
    }
}
