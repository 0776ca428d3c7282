//! Pairs of hosts whose packets do not arrive, and the entries and loops of tables that are to blame.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

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
    /// How many pairs are lost for the same reason, or follow the same loop: this one and those with other senders, and
    /// where a port has no cable also those with other receivers.
    pub pairs: u64,
    /// The further switches that have no entry for the receiver.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub also_at: Vec<String>,
    /// How many further receivers' packets are lost at the port that has no cable.
    #[serde(skip_serializing_if = "is_none")]
    pub also_to: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde gives a reference")]
const fn is_none(count: &u64) -> bool {
    *count == 0
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
            also_at: Vec::new(),
            also_to: 0,
        })
    }
}

/// Why packets do not arrive.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Cause {
    /// Switches have no entry for this receiver with its LID.
    NoEntry(HostId, Option<u16>),
    /// Packets for this receiver follow a loop, by the first of its switches.
    Loop(HostId, Option<u16>, SwitchId),
}

impl Cause {
    fn receiver(self) -> (HostId, Option<u16>) {
        match self {
            Self::NoEntry(host, lid) | Self::Loop(host, lid, _) => (host, lid),
        }
    }
}

/// A port without a cable that entries name.
struct Uncabled {
    /// A pair that meets it.
    example: Pair,
    /// The receiver whose packets were last lost there.
    last: (HostId, Option<u16>),
}

/// What was found so far.
#[derive(Default)]
pub(super) struct Failing {
    pairs: u64,
    uncabled: BTreeMap<(SwitchId, Port), Uncabled>,
    /// The first few other causes, each with a pair that meets it.
    first: BTreeMap<Cause, Pair>,
}

impl Failing {
    /// Records that packets of a number of senders at a switch do not arrive at a host.
    pub fn note(
        &mut self,
        network: &Network,
        walk: &TableWalk<'_>,
        tables: &DestinationTables,
        (from, to): (SwitchId, HostId),
        senders: u64,
    ) {
        self.pairs += senders;
        let receiver = (to, tables.lid(to));
        let is_lost = walk.fate(from) == Fate::Lost;
        let is_behind = self.first.keys().nth(EXAMPLES - 1).is_some_and(|cause| cause.receiver() < receiver);
        // To look for a cause costs a walk; of loops there is none to be kept behind the first few.
        if senders == 0 || (is_behind && !is_lost) {
            return;
        }
        let way = walk.way(from);
        let last = way[way.len() - 1];
        let port = tables.uncabled(last, to).or(tables.port(last, to)).filter(|_| is_lost);
        if let Some(known) = port.and_then(|port| self.uncabled.get_mut(&(last, port))) {
            known.example.pairs += senders;
            known.example.also_to += u64::from(known.last != receiver);
            known.last = receiver;
            return;
        }
        if port.is_none() && is_behind {
            return;
        }
        let example = Pair::new(network, walk, tables, (from, to));
        let Some(example) = example.map(|pair| Pair { pairs: senders, ..pair }) else { return };
        let (to, lid) = receiver;
        if let Some(port) = port {
            self.uncabled.insert((last, port), Uncabled { example, last: receiver });
        } else if is_lost {
            self.keep(Cause::NoEntry(to, lid), example);
        } else {
            let again = way.iter().position(|switch| *switch == last).unwrap_or(0);
            let switch = way[again..].iter().min().copied().unwrap_or(last);
            self.keep(Cause::Loop(to, lid, switch), example);
        }
    }

    /// What is left out here is never among the first again, so the numbers of those that stay are whole.
    fn keep(&mut self, cause: Cause, example: Pair) {
        match self.first.entry(cause) {
            Entry::Vacant(new) => {
                new.insert(example);
            }
            Entry::Occupied(known) => {
                let known = known.into_mut();
                known.pairs += example.pairs;
                for switch in example.way.into_iter().next_back().into_iter().chain(example.also_at) {
                    let is_told = known.way.last() == Some(&switch) || known.also_at.contains(&switch);
                    if matches!(cause, Cause::NoEntry(..)) && !is_told {
                        known.also_at.push(switch);
                    }
                }
            }
        }
        if self.first.len() > EXAMPLES {
            self.first.pop_last();
        }
    }

    /// Adds what was found for other destinations, or under other tables.
    pub fn unite(&mut self, later: Self) {
        self.pairs += later.pairs;
        later.first.into_iter().for_each(|(cause, pair)| self.keep(cause, pair));
        for (port, later) in later.uncabled {
            match self.uncabled.entry(port) {
                Entry::Vacant(new) => {
                    new.insert(later);
                }
                Entry::Occupied(known) => {
                    let known = &mut known.into_mut().example;
                    known.pairs += later.example.pairs;
                    known.also_to += 1 + later.example.also_to;
                }
            }
        }
    }

    pub fn pairs(&self) -> u64 {
        self.pairs
    }

    /// Missing entries and loops by receiver, behind the ports without a cable.
    pub fn examples(self) -> Vec<Pair> {
        let uncabled = self.uncabled.into_values().map(|each| each.example);
        uncabled.chain(self.first.into_values()).take(EXAMPLES).collect()
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
