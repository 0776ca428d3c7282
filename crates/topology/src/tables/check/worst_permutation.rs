//! A permutation that puts as many flows as possible on one link.
//!
//! Under tables by destination the pairs that use a channel form a bipartite graph of senders and receivers, and the
//! most flows that a permutation puts on it are a maximum matching in that graph. The channels are tried in the order
//! of promise, each exactly; on a large fabric only the first few.

use std::collections::VecDeque;

use hopscope_kernel::{in_parts, step};
use serde::Serialize;

use super::{Hop, Survey};
use crate::deadlock::{Channel, ChannelDependencies};
use crate::graph::{Host, HostId, Port, SwitchId};
use crate::tables::DestinationTables;
use crate::tables::walk::TableWalk;

/// Each host sends to one other, and one link carries the most flows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct WorstPermutation {
    /// The link.
    pub channel: Hop,
    /// The flows on it: each gets at most 1/flows of the link.
    pub flows: u64,
    /// Whether every link was tried, so that no permutation puts more flows on one.
    pub exact: bool,
    /// The flows: sender and receiver. All other hosts may send where they like.
    pub pairs: Vec<(String, String)>,
}

/// Destinations times switches that are walked at most, if more than a few channels would be tried.
const MOST_STEPS: u64 = 2_000_000_000;
/// The channels that are tried whatever it takes.
const LEAST_TRIED: usize = 4;

/// Receivers at least that a thread of its own is worth.
const LEAST_IN_PART: usize = 500;

/// A channel that is to be tried.
struct Trial {
    /// What one receiver's senders and all receivers allow: what it is likely to come to.
    promise: u64,
    /// The receivers behind the channel.
    receivers: u64,
    /// What no permutation exceeds: the receivers, or the hosts whose packets can come to the channel at all.
    most: u64,
    channel: Channel,
}

pub(super) fn search(
    survey: &mut Survey<'_>,
    tables: &DestinationTables,
    channels: &[(u64, Channel)],
    dependencies: &ChannelDependencies,
) -> Option<WorstPermutation> {
    let place = |channel: &Channel| survey.walk.place(channel.from, channel.port);
    let behind = hosts_behind(survey, dependencies);
    let mut tried: Vec<Trial> = channels
        .iter()
        .map(|(_, c)| {
            let port = &survey.ports[place(c)];
            let (receivers, one) = (u64::from(port.destinations), u64::from(port.senders));
            Trial {
                promise: receivers.min(one),
                receivers,
                most: receivers.min(behind[place(c)]),
                channel: *c,
            }
        })
        .collect();
    tried.sort_by_key(|trial| (std::cmp::Reverse((trial.promise, trial.receivers)), trial.channel));
    let mut best: Option<(Vec<(HostId, HostId)>, Channel)> = None;
    let mut steps = 0;
    let mut exact = true;
    for (number, &Trial { receivers, most, channel, .. }) in tried.iter().enumerate() {
        step("looking for the worst permutation");
        if most <= best.as_ref().map_or(0, |(pairs, _)| pairs.len() as u64) {
            continue;
        }
        steps += receivers * survey.network.switches().len() as u64;
        if number >= LEAST_TRIED && steps > MOST_STEPS {
            exact = false;
            break;
        }
        let pairs = Matching::of(survey, tables, channel).pairs(survey);
        if pairs.len() > best.as_ref().map_or(0, |(pairs, _)| pairs.len()) {
            best = Some((pairs, channel));
        }
    }
    let (pairs, channel) = best?;
    let name = |id: HostId| survey.network.host(id).name.clone();
    Some(WorstPermutation {
        channel: Hop::of(survey.network, channel),
        flows: pairs.len() as u64,
        exact,
        pairs: pairs.into_iter().map(|(from, to)| (name(from), name(to))).collect(),
    })
}

/// By the place of each port: the upper limit of the hosts whose packets leave there. They are the hosts of the switch
/// and those that send on the channels before it; where these depend on one another in a cycle, all hosts.
fn hosts_behind(survey: &Survey<'_>, dependencies: &ChannelDependencies) -> Vec<u64> {
    let all = survey.network.hosts().len() as u64;
    let own = |channel: &Channel| u64::from(survey.hosts[channel.from.index()]);
    let sums = dependencies.sums_of_those_before(own, all);
    let mut behind = vec![all; survey.walk.port_count()];
    for (channel, hosts) in sums {
        behind[survey.walk.place(channel.from, channel.port)] = hosts;
    }
    behind
}

/// Follows tables to one receiver after another, to see which senders' packets pass a channel.
struct Passing<'a> {
    walk: &'a TableWalk<'a>,
    channel: Channel,
    /// By switch twice the number of the receiver for which it was met last, and one more where its packets pass.
    met: Vec<u32>,
    number: u32,
    path: Vec<SwitchId>,
}

impl<'a> Passing<'a> {
    fn new(walk: &'a TableWalk<'a>, channel: Channel, switches: usize) -> Self {
        Self { walk, channel, met: vec![0; switches], number: 0, path: Vec::new() }
    }

    /// The switches with hosts whose packets for a receiver pass the channel and arrive, as bits; nothing where there
    /// are none.
    fn to(&mut self, column: &[Port], receiver: &Host, hosts: &[u32]) -> Option<Vec<u64>> {
        let to = receiver.switch;
        // A table may send packets on at their receiver's own switch.
        if column[to.index()] != receiver.port || !self.arrives(column, to) {
            return None;
        }
        self.number += 1;
        let (not, passes) = (2 * self.number, 2 * self.number + 1);
        self.met[to.index()] = not;
        self.met[self.channel.from.index()] = passes;
        let mut senders = vec![0; self.met.len().div_ceil(64)];
        for &from in self.walk.sources() {
            let mut at = from;
            let found = loop {
                let met = &mut self.met[at.index()];
                if *met >= not {
                    break *met;
                }
                // Where the tables come to it again they loop, and its packets pass nothing.
                *met = not;
                self.path.push(at);
                match self.walk.beyond(at, column[at.index()]) {
                    Some(next) => at = next,
                    None => break not,
                }
            };
            for at in self.path.drain(..) {
                self.met[at.index()] = found;
            }
            if found == passes && hosts[from.index()] > 0 {
                senders[from.index() / 64] |= 1 << (from.index() % 64);
            }
        }
        senders.iter().any(|word| *word != 0).then_some(senders)
    }

    /// Whether packets that leave by the channel come to their receiver's switch.
    fn arrives(&self, column: &[Port], to: SwitchId) -> bool {
        let mut at = self.channel.from;
        for _ in 0..self.met.len() {
            match self.walk.beyond(at, column[at.index()]) {
                Some(next) if next == to => return true,
                Some(next) => at = next,
                None => return false,
            }
        }
        false
    }
}

/// Receivers matched with the switches of their senders, each of which has as many as hosts.
struct Matching {
    /// The receivers behind the channel, and the switches that send to each by it, as bits.
    receivers: Vec<HostId>,
    senders: Vec<u64>,
    words: usize,
    /// The receivers that each switch sends to so far, at most as many as it has hosts.
    sends_to: Vec<Vec<usize>>,
    /// Switches that no way leads on from, as bits; a search that failed leaves them so for good.
    dead: Vec<u64>,
}

impl Matching {
    /// A maximum matching of the pairs that use a channel.
    fn of(survey: &mut Survey<'_>, tables: &DestinationTables, channel: Channel) -> Self {
        let switches = survey.network.switches().len();
        let words = switches.div_ceil(64);
        let mut matching = Self {
            receivers: Vec::new(),
            senders: Vec::new(),
            words,
            sends_to: vec![Vec::new(); switches],
            dead: vec![0; words],
        };
        let all = survey.network.host_ids();
        let bound: Vec<HostId> =
            all.filter(|host| tables.port(channel.from, *host) == Some(channel.port)).collect();
        let (network, walk, hosts) = (survey.network, &survey.walk, &survey.hosts);
        let parts = in_parts(bound.len(), LEAST_IN_PART, |part| {
            let mut passing = Passing::new(walk, channel, switches);
            let mut found = (Vec::new(), Vec::new());
            for &host in &bound[part] {
                step("looking for the worst permutation");
                if let Some(senders) = passing.to(tables.column(host), network.host(host), hosts) {
                    found.0.push(host);
                    found.1.extend(senders);
                }
            }
            found
        });
        for (receivers, senders) in parts {
            matching.receivers.extend(receivers);
            matching.senders.extend(senders);
        }
        for receiver in 0..matching.receivers.len() {
            matching.augment(receiver, &survey.hosts);
        }
        matching
    }

    /// Finds a sender for one more receiver, moving others along an alternating path of fewest steps.
    fn augment(&mut self, receiver: usize, hosts: &[u32]) {
        let mut seen = self.dead.clone();
        let mut came_from: Vec<Option<(usize, usize)>> = vec![None; self.sends_to.len()];
        let mut queue = VecDeque::from([(receiver, None)]);
        while let Some((at, from)) = queue.pop_front() {
            for (word, seen) in seen.iter_mut().enumerate() {
                let mut fresh = self.senders[at * self.words + word] & !*seen;
                *seen |= fresh;
                while fresh != 0 {
                    let switch = 64 * word + fresh.trailing_zeros() as usize;
                    fresh &= fresh - 1;
                    came_from[switch] = from.map(|from| (from, at));
                    if self.sends_to[switch].len() < hosts[switch] as usize {
                        self.shift(receiver, switch, &came_from);
                        return;
                    }
                    queue.extend(self.sends_to[switch].iter().map(|other| (*other, Some(switch))));
                }
            }
        }
        self.dead = seen;
    }

    /// Moves receivers along the path that ends at a switch with a host to spare.
    fn shift(&mut self, receiver: usize, last: usize, came_from: &[Option<(usize, usize)>]) {
        let mut switch = last;
        while let Some((before, moved)) = came_from[switch] {
            self.sends_to[before].retain(|other| *other != moved);
            self.sends_to[switch].push(moved);
            switch = before;
        }
        self.sends_to[switch].push(receiver);
    }

    /// The pairs of hosts, in the order of the senders' switches.
    fn pairs(&self, survey: &Survey<'_>) -> Vec<(HostId, HostId)> {
        let mut next_host: Vec<Vec<HostId>> = vec![Vec::new(); self.sends_to.len()];
        for id in survey.network.host_ids() {
            next_host[survey.network.host(id).switch.index()].push(id);
        }
        let senders = self.sends_to.iter().zip(next_host);
        let pairs = senders.flat_map(|(receivers, hosts)| {
            hosts
                .into_iter()
                .zip(receivers.iter().map(|receiver| self.receivers[*receiver]).collect::<Vec<_>>())
        });
        pairs.collect()
    }
}
