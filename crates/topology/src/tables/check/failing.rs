//! Pairs of hosts whose packets do not arrive, and the entries and loops of tables that are to blame.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::graph::{HostId, Network, Port, SwitchId};
use crate::tables::DestinationTables;
use crate::tables::walk::{Fate, TableWalk};

use super::EXAMPLES;

/// A pair of hosts whose packets do not arrive.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Pair {
    /// A sender.
    pub from: String,
    /// The receiver.
    pub to: String,
    /// The LID of the receiver that its packets carry, where tables have LIDs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lid: Option<u16>,
    /// The switches on the way. The last one loses the packets, or it has been there before.
    pub way: Vec<String>,
    /// The port by which packets leave each of these switches but the last.
    pub ports: Vec<Port>,
    /// The port that the last switch's entry names, where packets are dropped because it has no cable.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub port: Option<Port>,
    /// The host that gets the packets instead, where one does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wrong_host: Option<String>,
    /// How many pairs are lost at the same entry, or follow the same loop: this one and those with other senders.
    pub pairs: u64,
}

impl Pair {
    /// A sender at a switch and the receiver; nothing where the receiver is alone there.
    fn new(
        network: &Network,
        walk: &TableWalk<'_>,
        tables: &DestinationTables,
        (from, to): (SwitchId, HostId),
    ) -> Option<Self> {
        let mut senders = network.host_ids().filter(|id| *id != to);
        let sender = senders.find(|id| network.host(*id).switch == from)?;
        let way = walk.way(from);
        let (last, before) = way.split_last().expect("a way begins with a switch");
        let is_lost = walk.fate(from) == Fate::Lost;
        Some(Self {
            from: network.host(sender).name.clone(),
            to: network.host(to).name.clone(),
            lid: tables.lid(to),
            way: way.iter().map(|switch| network.switch(*switch).name.clone()).collect(),
            ports: before.iter().map(|switch| walk.port(*switch)).collect(),
            port: tables.uncabled(*last, to).or(tables.port(*last, to)).filter(|_| is_lost),
            wrong_host: walk.handed_over(from).map(|(.., host)| network.host(host).name.clone()),
            pairs: 1,
        })
    }
}

/// The receiver with its LID, and the switch that loses packets, or the first of those in a loop.
type Cause = (HostId, Option<u16>, SwitchId);

/// What was found so far.
#[derive(Default)]
pub(super) struct Failing {
    pairs: u64,
    /// The first few causes, each with a pair that meets it.
    first: BTreeMap<Cause, Pair>,
}

impl Failing {
    /// Packets of so many senders at a switch do not arrive at a host.
    pub fn note(
        &mut self,
        network: &Network,
        walk: &TableWalk<'_>,
        tables: &DestinationTables,
        (from, to): (SwitchId, HostId),
        senders: u64,
    ) {
        self.pairs += senders;
        let is_later = |(host, lid, _): &Cause| (to, tables.lid(to)) > (*host, *lid);
        // To look for a cause costs a walk; there is none to be kept behind the first few.
        if senders == 0
            || (self.first.len() == EXAMPLES && self.first.keys().next_back().is_some_and(is_later))
        {
            return;
        }
        let way = walk.way(from);
        let last = way[way.len() - 1];
        let again = way.iter().position(|switch| *switch == last).unwrap_or(0);
        let switch = way[again..].iter().min().copied().unwrap_or(last);
        let example = Pair::new(network, walk, tables, (from, to));
        self.keep((to, tables.lid(to), switch), example.map(|pair| Pair { pairs: senders, ..pair }));
    }

    /// What is left out here is never among the first again, so the numbers of those that stay are whole.
    fn keep(&mut self, cause: Cause, example: Option<Pair>) {
        let Some(example) = example else { return };
        let pairs = example.pairs;
        self.first.entry(cause).and_modify(|known| known.pairs += pairs).or_insert(example);
        if self.first.len() > EXAMPLES {
            self.first.pop_last();
        }
    }

    /// Adds what was found for other destinations, or under other tables.
    pub fn unite(&mut self, later: Self) {
        self.pairs += later.pairs;
        later.first.into_iter().for_each(|(cause, pair)| self.keep(cause, Some(pair)));
    }

    pub fn pairs(&self) -> u64 {
        self.pairs
    }

    pub fn examples(self) -> Vec<Pair> {
        self.first.into_values().collect()
    }
}

impl DestinationTables {
    /// The first pair of hosts, by receiver, whose packets do not arrive.
    #[must_use]
    pub fn undelivered(&self, network: &Network) -> Option<Pair> {
        self.first_pair(network, |fate| !matches!(fate, Fate::Arrives(_)))
    }

    /// The first pair of hosts, by receiver, whose packets are dropped or handed to another host; forwarding loops
    /// do not count.
    #[must_use]
    pub fn dropped(&self, network: &Network) -> Option<Pair> {
        self.first_pair(network, |fate| matches!(fate, Fate::Lost | Fate::WrongHost))
    }

    /// The first pair of hosts, by receiver, whose packets follow a forwarding loop.
    #[must_use]
    pub fn looping(&self, network: &Network) -> Option<Pair> {
        self.first_pair(network, |fate| fate == Fate::Loops)
    }

    fn first_pair(&self, network: &Network, asked_for: impl Fn(Fate) -> bool) -> Option<Pair> {
        let mut walk = TableWalk::new(network);
        network.host_ids().find_map(|host| {
            walk.towards(host, self.column(host));
            let from = *walk.sources().iter().find(|from| asked_for(walk.fate(**from)))?;
            Pair::new(network, &walk, self, (from, host))
        })
    }
}
