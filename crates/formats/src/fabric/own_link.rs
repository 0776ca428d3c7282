//! Cables that join a switch or a host to itself, and loopback plugs: they are left out of networks, and reported.
//! Counters may still name their ports.

use hopscope_topology::{Anomaly, AnomalyKind, Network, Port, SwitchId, listed};

use crate::fabric::cabled::Address;

/// A port whose cable leads back to its own node.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum OwnEnd {
    /// Of a switch of the network.
    Switch {
        /// The switch.
        switch: SwitchId,
        /// The port.
        port: Port,
    },
    /// Of a host: this port is none of the network.
    Host {
        /// What the file calls the host.
        name: String,
        /// The GUID of the node.
        guid: u64,
        /// The port.
        port: Port,
        /// The address of the port.
        address: Address,
    },
}

impl OwnEnd {
    /// A port in words: "leaf2:30", "node7:1".
    pub(crate) fn words(&self, network: &Network) -> String {
        match self {
            Self::Switch { switch, port } => format!("{}:{port}", network.switch(*switch).name),
            Self::Host { name, port, .. } => format!("{name}:{port}"),
        }
    }

    /// The address of a host's port.
    pub(crate) fn address(&self) -> Option<&Address> {
        match self {
            Self::Switch { .. } => None,
            Self::Host { address, .. } => Some(address),
        }
    }
}

/// A link both of whose ends are at one node; one port twice is a loopback plug.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct OwnLink {
    /// Its ports, the lower one first.
    pub ends: [OwnEnd; 2],
}

impl OwnLink {
    pub(super) fn new(mut ends: [OwnEnd; 2]) -> Self {
        ends.sort();
        Self { ends }
    }

    fn is_plug(&self) -> bool {
        self.ends[0] == self.ends[1]
    }

    fn words(&self, network: &Network) -> String {
        let ends = self.ends.each_ref().map(|end| end.words(network));
        if self.is_plug() { ends[0].clone() } else { ends.join(" - ") }
    }
}

/// The anomaly that lists them.
pub(super) fn told(network: &Network, links: &[OwnLink]) -> Option<Anomaly> {
    let names: Vec<String> = links.iter().map(|link| link.words(network)).collect();
    let is_host = |link: &OwnLink| link.ends[0].address().is_some();
    let node = match (links.iter().any(is_host), links.iter().all(is_host)) {
        (false, _) => "a switch",
        (true, true) => "a host",
        (true, false) => "a switch or a host",
    };
    let words = match links {
        [] => return None,
        [link] if link.is_plug() => format!("left out: the loopback plug in port {}", names[0]),
        [_] => format!("left out: the cable {}, which joins {node} to itself", names[0]),
        _ => format!("left out: {} links that each join {node} to itself: {}", links.len(), listed(&names)),
    };
    Some(Anomaly::new(AnomalyKind::LeftOut, words))
}
