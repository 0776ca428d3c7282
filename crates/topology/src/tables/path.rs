//! The path of one pair's packets under tables by destination.

use serde::Serialize;

use crate::graph::{HostId, Network, Node};
use crate::tables::DestinationTables;
use crate::tables::check::Hop;

/// What becomes of packets at the end of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum PathEnd {
    /// They arrive.
    Arrives,
    /// The last switch drops them.
    Lost,
    /// The last switch hands them to another host.
    WrongHost,
    /// The last switch has had them before.
    Loops,
}

/// The path from a host to another, from its switch on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TablePath {
    /// The links in their order; the last one of a path to a host is that of the host.
    pub hops: Vec<Hop>,
    /// What becomes of packets.
    pub end: PathEnd,
}

impl DestinationTables {
    /// The path of packets from a host to another.
    #[must_use]
    pub fn path(&self, network: &Network, from: HostId, to: HostId) -> TablePath {
        let mut at = network.host(from).switch;
        let mut has_been = vec![false; network.switches().len()];
        let mut hops = Vec::new();
        let end = loop {
            if std::mem::replace(&mut has_been[at.index()], true) {
                break PathEnd::Loops;
            }
            let port = self.port(at, to).filter(|p| usize::from(*p) < network.switch(at).ports.len());
            let Some((port, far)) = port.and_then(|port| Some((port, network.far_end(at, port)?))) else {
                break PathEnd::Lost;
            };
            let (from, receiver) = (network.switch(at).name.clone(), network.name(far.node).to_owned());
            hops.push(Hop { from, port, to: receiver, to_port: far.port, lane: None });
            match far.node {
                Node::Switch(next) => at = next,
                Node::Host(host) if host == to => break PathEnd::Arrives,
                Node::Host(_) => break PathEnd::WrongHost,
            }
        };
        TablePath { hops, end }
    }
}
