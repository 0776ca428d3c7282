//! Cables that join a switch to itself, and loopback plugs: they are left out of networks, and told.

use hopscope_topology::{Anomaly, AnomalyKind, Network, Port, SwitchId, listed};

/// A link both of whose ends are at one switch; one port twice is a loopback plug.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct OwnLink {
    pub switch: SwitchId,
    /// Its ports, the lower one first.
    pub ports: [Port; 2],
}

impl OwnLink {
    pub fn new(switch: SwitchId, [one, other]: [Port; 2]) -> Self {
        Self { switch, ports: [one.min(other), one.max(other)] }
    }

    fn name(&self, network: &Network) -> String {
        let name = &network.switch(self.switch).name;
        match self.ports {
            [one, other] if one == other => format!("{name}:{one}"),
            [one, other] => format!("{name}:{one} - {name}:{other}"),
        }
    }
}

/// What is said of them: which they are.
pub(super) fn told(network: &Network, links: &[OwnLink]) -> Option<Anomaly> {
    let names: Vec<String> = links.iter().map(|link| link.name(network)).collect();
    let words = match links {
        [] => return None,
        [link] if link.ports[0] == link.ports[1] => {
            format!("left out: the loopback plug in port {}", names[0])
        }
        [_] => format!("left out: the cable {}, which joins a switch to itself", names[0]),
        _ => {
            format!("left out: {} links that each join a switch to itself: {}", links.len(), listed(&names))
        }
    };
    Some(Anomaly::new(AnomalyKind::LeftOut, words))
}
