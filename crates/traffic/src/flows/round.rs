//! A round of flows: which begin, and which begin for the end of others.

use hopscope_kernel::{Exponential, RandomStream};
use hopscope_topology::HostId;
use hopscope_units::{Data, Span, Time};

use super::list::Waits;
use super::sizes::SizeDistribution;
use super::{AllReduce, AllToAll, Order, all_to_all};
use crate::Permutation;

/// A flow that begins: from, to, how much, and which of its round it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Beginning {
    pub source: HostId,
    pub destination: HostId,
    pub size: Data,
    pub part: u64,
}

/// What a group does, checked and on one network.
#[derive(Clone, Debug)]
pub(crate) enum Doing {
    Permutation { size: Data, to: Permutation },
    Incast { size: Data, senders: usize, receiver: Option<HostId> },
    AllToAll(AllToAll),
    AllReduce(AllReduce),
    Poisson { sizes: SizeDistribution, sources: Vec<PoissonSource> },
    List { flows: Vec<Planned>, waits: Waits },
}

/// One host's flows at random times.
#[derive(Clone, Debug)]
pub(crate) struct PoissonSource {
    pub gap: Exponential,
    pub random: RandomStream,
}

/// A flow of a list.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Planned {
    pub source: HostId,
    pub destination: HostId,
    pub size: Data,
    pub start: Span,
}

/// A round under way: what has begun, what has ended, what waits for what.
#[derive(Clone, Debug)]
pub(crate) struct Round {
    pub begun: Time,
    pub data: Data,
    /// Flows that have not ended, begun or not.
    pub left: u64,
    progress: Progress,
}

#[derive(Clone, Debug)]
enum Progress {
    /// Flows begin at the start, or when the flow before has ended: nothing need be remembered.
    Free,
    /// The flows of a stage that have not ended.
    Stage(usize),
    /// For each rank the steps whose data have come, a bit each.
    Received(Vec<u64>),
    /// For each listed flow how many others must end before it begins.
    Missing(Vec<u32>),
}

/// The flows that a round begins with or that begin since another has ended, at once or after a time of their own.
pub(crate) struct Begins<'a> {
    pub at_once: &'a mut Vec<Beginning>,
    pub later: &'a mut Vec<(Span, u64)>,
}

impl Doing {
    /// The flows of a round among `ranks` hosts; of a permutation the most, since a host may be its own receiver. Flows
    /// at random times come in no rounds.
    pub(crate) fn flows_of_round(&self, ranks: usize) -> usize {
        match self {
            Self::Permutation { .. } => ranks,
            Self::Incast { senders, .. } => *senders,
            Self::AllToAll(_) => ranks * (ranks - 1),
            Self::AllReduce(collective) => ranks * collective.algorithm.steps(ranks),
            Self::Poisson { .. } => 0,
            Self::List { flows, .. } => flows.len(),
        }
    }

    /// Who may receive a flow among these hosts.
    pub(crate) fn receivers(&self, hosts: &[HostId]) -> Vec<HostId> {
        match self {
            Self::Permutation { to, .. } => {
                // Every random permutation includes all hosts.
                let mut random = RandomStream::named(0, "receivers of a permutation", 0);
                let receivers = to.receivers(hosts.len(), &mut random).expect("the permutation was tried");
                let others = receivers.iter().enumerate().filter(|&(rank, &receiver)| rank != receiver);
                others.map(|(_, &receiver)| hosts[receiver]).collect()
            }
            Self::Incast { receiver: Some(receiver), .. } => vec![*receiver],
            Self::List { flows, .. } => flows.iter().map(|flow| flow.destination).collect(),
            Self::Incast { .. } | Self::AllToAll(_) | Self::AllReduce(_) | Self::Poisson { .. } => {
                hosts.to_vec()
            }
        }
    }

    /// Begins a round among these hosts.
    pub(crate) fn begin(
        &self,
        hosts: &[HostId],
        now: Time,
        random: &mut RandomStream,
        begins: &mut Begins<'_>,
    ) -> Round {
        let first = begins.at_once.len();
        let ranks = hosts.len();
        let mut flows = self.flows_of_round(ranks);
        let (data, progress) = match self {
            Self::Permutation { size, to } => {
                permutation(hosts, *size, *to, random, begins.at_once);
                flows = begins.at_once.len() - first;
                (total(&begins.at_once[first..]), Progress::Free)
            }
            Self::Incast { size, senders, receiver } => {
                incast(hosts, (*size, *senders, *receiver), random, begins.at_once);
                (total(&begins.at_once[first..]), Progress::Free)
            }
            Self::AllToAll(exchange) => {
                let stages = if exchange.order == Order::AtOnce { 1..ranks } else { 1..2 };
                let all = stages.flat_map(|stage| (0..ranks).map(move |rank| (stage, rank)));
                begins.at_once.extend(all.map(|(stage, rank)| exchange_flow(exchange, hosts, stage, rank)));
                let progress = match exchange.order {
                    Order::Barrier => Progress::Stage(ranks),
                    Order::AtOnce | Order::Staged => Progress::Free,
                };
                (Data::from_bits(exchange.size.bits() * flows as u64), progress)
            }
            Self::AllReduce(collective) => {
                let first_step = (0..ranks).map(|rank| collective_flow(collective, hosts, 0, rank));
                begins.at_once.extend(first_step);
                let progress = if collective.algorithm.waits_for_all_before() {
                    Progress::Received(vec![0; ranks])
                } else {
                    Progress::Free
                };
                let data = Data::from_bits(collective.size.bytes() * 8 * 2 * (ranks as u64 - 1));
                (data, progress)
            }
            Self::Poisson { .. } => (Data::ZERO, Progress::Free),
            Self::List { flows: listed, waits } => {
                let free = (0..listed.len()).filter(|&flow| waits.missing[flow] == 0);
                begins.later.extend(free.map(|flow| (listed[flow].start, flow as u64)));
                let data = listed.iter().map(|flow| flow.size).sum();
                (data, Progress::Missing(waits.missing.clone()))
            }
        };
        Round { begun: now, data, left: flows as u64, progress }
    }

    /// A flow of a round has ended: what begins for that.
    pub(crate) fn ended(&self, hosts: &[HostId], round: &mut Round, part: u64, begins: &mut Begins<'_>) {
        round.left = round.left.checked_sub(1).expect("a flow ends once");
        let ranks = hosts.len();
        let (stage, rank) = ((part / ranks.max(1) as u64) as usize, (part % ranks.max(1) as u64) as usize);
        match (self, &mut round.progress) {
            (Self::AllToAll(exchange), Progress::Free)
                if exchange.order == Order::Staged && stage + 1 < ranks =>
            {
                begins.at_once.push(exchange_flow(exchange, hosts, stage + 1, rank));
            }
            (Self::AllToAll(exchange), Progress::Stage(left)) => {
                *left -= 1;
                if *left == 0 && stage + 1 < ranks {
                    *left = ranks;
                    let next = (0..ranks).map(|rank| exchange_flow(exchange, hosts, stage + 1, rank));
                    begins.at_once.extend(next);
                }
            }
            (Self::AllReduce(collective), Progress::Free) => {
                let receiver = collective.algorithm.sending(ranks, stage, rank).to;
                if stage + 1 < collective.algorithm.steps(ranks) {
                    begins.at_once.push(collective_flow(collective, hosts, stage + 1, receiver));
                }
            }
            (Self::AllReduce(collective), Progress::Received(received)) => {
                let receiver = collective.algorithm.sending(ranks, stage, rank).to;
                let come = &mut received[receiver];
                let before = come.trailing_ones() as usize;
                *come |= 1 << stage;
                let last = (come.trailing_ones() as usize).min(collective.algorithm.steps(ranks) - 1);
                let next = (before + 1..=last).map(|step| collective_flow(collective, hosts, step, receiver));
                begins.at_once.extend(next);
            }
            (Self::List { flows, waits }, Progress::Missing(missing)) => {
                for &next in &waits.dependents[part as usize] {
                    let left = &mut missing[next as usize];
                    if *left > 0 {
                        *left -= 1;
                        if *left == 0 {
                            begins.later.push((flows[next as usize].start, u64::from(next)));
                        }
                    }
                }
            }
            _ => {}
        }
    }

    /// A listed flow whose time has come.
    pub(crate) fn listed(&self, part: u64) -> Beginning {
        let Self::List { flows, .. } = self else {
            unreachable!("only listed flows have times of their own")
        };
        let Planned { source, destination, size, .. } = flows[part as usize];
        Beginning { source, destination, size, part }
    }
}

fn total(flows: &[Beginning]) -> Data {
    flows.iter().map(|flow| flow.size).sum()
}

fn permutation(
    hosts: &[HostId],
    size: Data,
    to: Permutation,
    random: &mut RandomStream,
    at_once: &mut Vec<Beginning>,
) {
    let receivers = to.receivers(hosts.len(), random).expect("the permutation was tried");
    for (rank, &receiver) in receivers.iter().enumerate().filter(|&(rank, &receiver)| rank != receiver) {
        let (source, destination) = (hosts[rank], hosts[receiver]);
        at_once.push(Beginning { source, destination, size, part: rank as u64 });
    }
}

fn incast(
    hosts: &[HostId],
    (size, senders, receiver): (Data, usize, Option<HostId>),
    random: &mut RandomStream,
    at_once: &mut Vec<Beginning>,
) {
    let receiver = receiver.unwrap_or_else(|| *random.pick(hosts));
    let mut others: Vec<HostId> = hosts.iter().copied().filter(|&host| host != receiver).collect();
    random.shuffle(&mut others);
    let senders = others.into_iter().take(senders).enumerate();
    at_once.extend(senders.map(|(i, source)| Beginning {
        source,
        destination: receiver,
        size,
        part: i as u64,
    }));
}

/// Parts of an all-to-all are numbered stage by stage.
fn exchange_flow(exchange: &AllToAll, hosts: &[HostId], stage: usize, rank: usize) -> Beginning {
    let to = all_to_all::partner(hosts.len(), stage, rank);
    let part = (stage * hosts.len() + rank) as u64;
    Beginning { source: hosts[rank], destination: hosts[to], size: exchange.size, part }
}

/// Parts of an all-reduce are numbered step by step.
fn collective_flow(collective: &AllReduce, hosts: &[HostId], step: usize, rank: usize) -> Beginning {
    let sending = collective.algorithm.sending(hosts.len(), step, rank);
    let size = collective.bytes(hosts.len(), sending);
    let part = (step * hosts.len() + rank) as u64;
    Beginning { source: hosts[rank], destination: hosts[sending.to], size, part }
}
