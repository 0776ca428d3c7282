//! Entries of tables that hand packets to a host for which they are not.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::graph::{HostId, Network, Port, SwitchId};

use super::EXAMPLES;

/// An entry of a table that leads to another host than its own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Misdelivery {
    /// The switch whose table it is in.
    pub switch: String,
    /// The port that it names.
    pub port: Port,
    /// The host for which the packets are.
    pub to: String,
    /// The LID of that host that they carry, where tables have LIDs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lid: Option<u16>,
    /// The host behind the port.
    pub reached: String,
    /// Pairs of hosts whose packets it delivers to the wrong one.
    pub pairs: u64,
}

/// The receiver with its LID, and the switch and port.
type Entry = ((HostId, Option<u16>), SwitchId, Port);

/// What was found so far.
#[derive(Default)]
pub(super) struct Misdelivering {
    pairs: u64,
    /// The first few entries, each with the host reached and its pairs.
    first: BTreeMap<Entry, (HostId, u64)>,
}

impl Misdelivering {
    /// Records that this switch, at this port, hands packets of a number of senders for a host to another host.
    pub fn note(
        &mut self,
        to: (HostId, Option<u16>),
        (switch, port, reached): (SwitchId, Port, HostId),
        senders: u64,
    ) {
        self.pairs += senders;
        self.first.entry((to, switch, port)).or_insert((reached, 0)).1 += senders;
        // What is left out here is never among the first again, so the numbers of those that stay are whole.
        if self.first.len() > EXAMPLES {
            self.first.pop_last();
        }
    }

    /// Adds what was found for other destinations, or under other tables.
    pub fn unite(&mut self, later: Self) {
        let pairs = self.pairs + later.pairs;
        for ((to, switch, port), (reached, senders)) in later.first {
            self.note(to, (switch, port, reached), senders);
        }
        self.pairs = pairs;
    }

    pub fn pairs(&self) -> u64 {
        self.pairs
    }

    pub fn examples(&self, network: &Network) -> Vec<Misdelivery> {
        let name = |host: HostId| network.host(host).name.clone();
        let example =
            |(&((to, lid), switch, port), &(reached, pairs)): (&Entry, &(HostId, u64))| Misdelivery {
                switch: network.switch(switch).name.clone(),
                port,
                to: name(to),
                lid,
                reached: name(reached),
                pairs,
            };
        self.first.iter().map(example).collect()
    }
}
