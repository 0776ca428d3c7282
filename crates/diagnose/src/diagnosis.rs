//! The verdict with its evidence.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use hopscope_explain::{Cause, percent};
use hopscope_measure::usual;
use hopscope_topology::{Network, Node, Routes};
use hopscope_units::amount;
use serde::Serialize;

use crate::channels::{Channel, Channels, Counted};
use crate::following::{End, Following, Shares};
use crate::notes::notes;
use crate::root::{Root, RootKind, errors_in_words, place};
use crate::thresholds::{NAMED, PORT_WAITS, SURE};

/// Hosts that are listed as hurt.
const HURT: usize = 10;

/// The diagnosis of a fabric from its counters.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Diagnosis {
    /// The class of causes: that of the first root. Where no port waits, or no counter measures it (then nothing is
    /// sure), "loss" if a cable has many errors, and else "healthy".
    pub cause: Cause,
    /// The answer in one sentence.
    pub sentence: String,
    /// The roots of waiting, the one with most of it first.
    pub roots: Vec<Root>,
    /// The cables with errors on at least one in a thousand packets, the one with most errors first.
    pub cables_with_errors: Vec<CableErrors>,
    /// From a waiting host to the first root.
    pub chain: Vec<ChainLink>,
    /// The hosts that wait most.
    pub victims: Vec<Victim>,
    /// The number of hosts that wait; None if no counter measures any host.
    pub hosts_waiting: Option<usize>,
    /// How sure the first root is, 0 to 1: which part of their waiting those that wait for it spend on it, times the
    /// share of ports with counters; 0 where it is not known what is waited for.
    pub sure: f64,
    /// What else the counters show, and what they lack.
    pub notes: Vec<String>,
}

/// A cable with many errors, in the direction in which they were counted.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CableErrors {
    /// The channel.
    pub place: String,
    /// The nodes that it joins.
    pub nodes: [String; 2],
    /// The errors that its receiver counted.
    pub errors: u64,
    /// The packets that it carried.
    pub packets: u64,
    /// The share of the interval, 0 to 1, that errors took, about.
    pub lost: f64,
}

/// A channel on the way to a root.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ChainLink {
    /// The channel.
    pub place: String,
    /// Its utilisation, 0 to 1.
    pub used: f64,
    /// The share of the interval, 0 to 1, in which it had something to send and was not allowed to.
    pub waits: f64,
}

/// A host that waits.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Victim {
    /// The host.
    pub host: String,
    /// The share of the time that it may not send.
    pub waits: f64,
}

/// Follows the waiting of a fabric's channels along its routes to the roots.
#[must_use]
pub fn diagnose(network: &Network, routes: &Routes, channels: &Channels) -> Diagnosis {
    let following = Following::new(network, routes, channels);
    let coverage = channels.coverage();
    let with_errors = with_errors(channels);
    let cables_with_errors =
        with_errors.iter().map(|channel| cable_errors(network, channels, *channel)).collect();
    if following.waiting().is_empty() {
        let (no_waiting, sure) = if tells_of_waiting(channels) {
            (healthy(network, channels, coverage), coverage)
        } else {
            (unknown(network, channels), 0.0)
        };
        let bad_cable = with_errors.first().map(|channel| bad_cable(network, channels, *channel));
        let losses: Vec<String> = bad_cable.into_iter().chain(losing_port(network, channels)).collect();
        return Diagnosis {
            cause: if losses.is_empty() { Cause::Healthy } else { Cause::Loss },
            sentence: losses.into_iter().chain([no_waiting]).collect::<Vec<_>>().join(" "),
            roots: Vec::new(),
            notes: notes(network, channels, &other_cables(&with_errors, with_errors.first().copied())),
            cables_with_errors,
            chain: Vec::new(),
            victims: Vec::new(),
            hosts_waiting: victims(network, channels).1,
            sure,
        };
    }
    let shares = following.shares();
    let roots = roots(network, channels, &shares);
    let (victims, hosts_waiting) = victims(network, channels);
    let (end, first) = &roots[0];
    let is_told = |channel: &usize| roots.iter().any(|(end, root)| is_of_errors(*channel, *end, root));
    let untold = other_cables(&with_errors, with_errors.iter().copied().filter(is_told));
    Diagnosis {
        cause: first.cause,
        sentence: first.sentence.clone(),
        chain: chain(network, channels, &shares, *end),
        victims,
        hosts_waiting,
        sure: first.sure * coverage,
        notes: notes(network, channels, &untold),
        cables_with_errors,
        roots: roots.into_iter().map(|(_, root)| root).collect(),
    }
}

/// The cables of these channels that are not reported, each once by its channel with most errors.
fn other_cables(with_errors: &[usize], told: impl IntoIterator<Item = usize>) -> Vec<usize> {
    // The two directions of a cable stand side by side.
    let cable = |channel: usize| channel / 2;
    let mut known: BTreeSet<usize> = told.into_iter().map(cable).collect();
    with_errors.iter().copied().filter(|channel| known.insert(cable(*channel))).collect()
}

/// Whether any counter measures waiting.
pub(crate) fn tells_of_waiting(channels: &Channels) -> bool {
    channels.all.iter().filter_map(|channel| channel.counted).any(|counted| counted.tells_of_waiting)
}

/// Without counters of waiting only the use of links is known.
fn unknown(network: &Network, channels: &Channels) -> String {
    format!(
        "Whether ports wait is not known: no counter of waiting was read. The busiest link{}.",
        busiest(network, channels)
    )
}

/// Which link is the busiest, and how much it is used; of several the first.
fn busiest(network: &Network, channels: &Channels) -> String {
    let used = |channel: &usize| channels.all[*channel].counted.map_or(0.0, |counted| counted.used);
    let busiest = (0..channels.all.len()).max_by(|a, b| used(a).total_cmp(&used(b)).then(b.cmp(a)));
    busiest.map_or_else(String::new, |channel| {
        format!(", {}, is {} utilised", place(network, channels, channel), percent(used(&channel)))
    })
}

fn healthy(network: &Network, channels: &Channels, coverage: f64) -> String {
    let counted = || channels.all.iter().filter_map(|channel| channel.counted);
    let waits = counted().map(|counted| counted.waits).fold(0.0, f64::max);
    let seen = if coverage < 1.0 { " of those with counters" } else { "" };
    format!(
        "No port{seen} waits for more than {:.0} % of the time (the most is {:.1} %; the busiest link{}).",
        100.0 * PORT_WAITS,
        100.0 * waits,
        busiest(network, channels)
    )
}

/// The median rate of the links between switches, or of hosts' links, as the channel is one.
fn usual_rate(channels: &Channels, like: &Channel) -> f64 {
    let is_host =
        |channel: &Channel| [channel.from, channel.to].iter().any(|end| matches!(end.node, Node::Host(_)));
    let alike = channels.all.iter().filter(|channel| is_host(channel) == is_host(like));
    usual(alike.map(|channel| channel.rate).collect()).unwrap_or(like.rate)
}

/// The ends that are worth naming, as roots; those that are not known come last.
fn roots(network: &Network, channels: &Channels, shares: &Shares) -> Vec<(End, Root)> {
    let named = |(number, (_, share)): &(usize, &(End, f64))| *number == 0 || *share >= NAMED;
    let mut roots: Vec<(End, Root)> = shares
        .ends
        .iter()
        .enumerate()
        .filter(named)
        .map(|(_, end)| {
            let (end, weight) = *end;
            let usual = usual_rate(channels, &channels.all[end.channel()]);
            let members = shares.members.get(&end).cloned().unwrap_or_else(|| vec![end]);
            (end, Root::new(network, channels, usual, (&members, weight, shares.sure[&end])))
        })
        .collect();
    // What is not known is no answer where something is.
    let known = roots.iter().any(|(_, root)| root.kind != RootKind::Unknown && root.weight >= NAMED);
    if known {
        roots.sort_by_key(|(_, root)| root.kind == RootKind::Unknown);
    }
    roots
}

/// From the host that waits most, of those whose waiting comes to this end, channel by channel.
fn chain(network: &Network, channels: &Channels, shares: &Shares, root: End) -> Vec<ChainLink> {
    let waits = |channel: usize| channels.all[channel].counted.map_or(0.0, |counted| counted.waits);
    let begins = shares.end_of.iter().filter(|(_, end)| **end == root).map(|(channel, _)| *channel);
    let from_host = |channel: &usize| matches!(channels.all[*channel].from.node, Node::Host(_));
    let key = |channel: &usize| (from_host(channel), (waits(*channel) * 1e9) as u64, Reverse(*channel));
    let Some(mut at) = begins.max_by_key(key) else { return Vec::new() };
    let mut passed = vec![at];
    while let Some(&next) = shares.next.get(&at).filter(|next| !passed.contains(next)) {
        passed.push(next);
        at = next;
    }
    let last = root.channel();
    if passed.last() != Some(&last) {
        passed.push(last);
    }
    let link = |channel: usize| {
        let counted = channels.all[channel].counted.unwrap_or_default();
        ChainLink { place: place(network, channels, channel), used: counted.used, waits: counted.waits }
    };
    passed.into_iter().map(link).collect()
}

/// The hosts that wait most, and how many wait; no number where nothing is known of any.
fn victims(network: &Network, channels: &Channels) -> (Vec<Victim>, Option<usize>) {
    let host = |channel: &Channel| match channel.from.node {
        Node::Host(_) if channel.tells_of_waiting() => {
            Some((network.name(channel.from.node), channel.counted?.waits))
        }
        _ => None,
    };
    let known: Vec<(&str, f64)> = channels.all.iter().filter_map(host).collect();
    let is_known = !known.is_empty() || network.hosts().is_empty();
    let mut waiting: Vec<(&str, f64)> = known.into_iter().filter(|(_, waits)| *waits >= PORT_WAITS).collect();
    waiting.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(b.0)));
    let count = waiting.len();
    let victims = waiting.into_iter().take(HURT);
    let victims = victims.map(|(host, waits)| Victim { host: host.to_owned(), waits }).collect();
    (victims, is_known.then_some(count))
}

/// The channels with many errors, the one with most first.
fn with_errors(channels: &Channels) -> Vec<usize> {
    let errors = |channel: &usize| channels.all[*channel].counted.filter(Counted::has_many_errors);
    let mut found: Vec<usize> = (0..channels.all.len()).filter(|channel| errors(channel).is_some()).collect();
    found.sort_by_key(|channel| Reverse(errors(channel).map(|counted| counted.errors)));
    found
}

fn cable_errors(network: &Network, channels: &Channels, channel: usize) -> CableErrors {
    let each = &channels.all[channel];
    let counted = each.counted.unwrap_or_default();
    CableErrors {
        place: place(network, channels, channel),
        nodes: [each.from, each.to].map(|end| network.name(end.node).to_owned()),
        errors: counted.errors,
        packets: counted.packets,
        lost: counted.lost(),
    }
}

/// The answer if no port waits for a cable with errors.
fn bad_cable(network: &Network, channels: &Channels, channel: usize) -> String {
    let counted = channels.all[channel].counted.unwrap_or_default();
    format!("The cable {} is bad: {}.", place(network, channels, channel), errors_in_words(counted))
}

/// The answer if no port waits and a port discards packets: the port that discards most.
fn losing_port(network: &Network, channels: &Channels) -> Option<String> {
    let losing = |channel: &usize| channels.all[*channel].counted.filter(Counted::loses_packets);
    let discards = |channel: &usize| (losing(channel).map(|counted| counted.discards), Reverse(*channel));
    let worst = (0..channels.all.len()).filter(|channel| losing(channel).is_some()).max_by_key(discards)?;
    let Counted { discards, packets, .. } = losing(&worst)?;
    let of_all = match packets {
        0 => "and sent none".to_owned(),
        _ => format!("{:.1} for each 1000 that it sent", 1000.0 * discards as f64 / packets as f64),
    };
    let place = place(network, channels, worst);
    Some(format!(
        "The port of {place} discards packets: {}, {of_all}.",
        amount(discards, "packet", "packets")
    ))
}

/// Whether the sentence of a root states the errors of this channel.
fn is_of_errors(channel: usize, end: End, root: &Root) -> bool {
    end == End::Channel(channel) && root.kind == RootKind::RetryingCable
}

impl Diagnosis {
    /// Whether the first root explains nearly all waiting.
    #[must_use]
    pub fn is_sure(&self) -> bool {
        self.sure >= SURE
    }
}
