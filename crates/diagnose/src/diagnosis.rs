//! The verdict with its evidence.

use hopscope_explain::Cause;
use hopscope_formats::counters::Counter;
use hopscope_topology::{Endpoint, Network, Node, Routes, listed};
use hopscope_units::amount;
use serde::Serialize;

use crate::channels::{Channel, Channels};
use crate::following::{End, Following, Shares};
use crate::root::{Root, RootKind, place};
use crate::thresholds::{NAMED, SURE, WAITS};

/// Hosts that are listed as hurt.
const HURT: usize = 10;

/// What the counters tell of a fabric.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Diagnosis {
    /// The class of causes; "healthy" where nobody waits, and where no counter tells of it: then nothing is sure.
    pub cause: Cause,
    /// The answer in one sentence.
    pub sentence: String,
    /// The roots of waiting, the one with most of it first.
    pub roots: Vec<Root>,
    /// From a waiting host to the first root.
    pub chain: Vec<ChainLink>,
    /// The hosts that wait most.
    pub victims: Vec<Victim>,
    /// How many hosts wait; nothing where no counter tells of any host.
    pub hosts_waiting: Option<usize>,
    /// How sure the first root is, 0 to 1: its share of all waiting, times the share of ports with counters; 0 where it
    /// is not known what is waited for.
    pub sure: f64,
    /// What else the counters show, and what they lack.
    pub notes: Vec<String>,
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
    let notes = notes(network, channels);
    if following.waiting().is_empty() {
        let (sentence, sure) = if tells_of_waiting(channels) {
            (healthy(channels, coverage), coverage)
        } else {
            (unknown(channels), 0.0)
        };
        return Diagnosis {
            cause: Cause::Healthy,
            sentence,
            roots: Vec::new(),
            chain: Vec::new(),
            victims: Vec::new(),
            hosts_waiting: victims(network, channels).1,
            sure,
            notes,
        };
    }
    let shares = following.shares();
    let roots = roots(network, channels, &shares);
    let (victims, hosts_waiting) = victims(network, channels);
    let (end, first) = &roots[0];
    // What is not known explains nothing.
    let explained = if first.kind == RootKind::Unknown { 0.0 } else { first.weight };
    Diagnosis {
        cause: first.cause,
        sentence: first.sentence.clone(),
        chain: chain(network, channels, &shares, *end),
        victims,
        hosts_waiting,
        sure: explained * coverage,
        notes,
        roots: roots.into_iter().map(|(_, root)| root).collect(),
    }
}

/// Whether any counter tells of waiting.
fn tells_of_waiting(channels: &Channels) -> bool {
    channels.all.iter().filter_map(|channel| channel.counted).any(|counted| counted.tells_of_waiting)
}

/// Without counters of waiting only the use of links is known.
fn unknown(channels: &Channels) -> String {
    format!(
        "Whether ports wait is not known: no counter of waiting was read. The busiest link is {:.0} % utilised.",
        100.0 * busiest(channels)
    )
}

/// How much the busiest link is used.
fn busiest(channels: &Channels) -> f64 {
    channels.all.iter().filter_map(|channel| channel.counted).map(|counted| counted.used).fold(0.0, f64::max)
}

fn healthy(channels: &Channels, coverage: f64) -> String {
    let counted = || channels.all.iter().filter_map(|channel| channel.counted);
    let waits = counted().map(|counted| counted.waits).fold(0.0, f64::max);
    let seen = if coverage < 1.0 { " of those with counters" } else { "" };
    format!(
        "No port{seen} waits for more than {:.0} % of the time (the most is {:.1} %; the busiest link is {:.0} % \
         utilised).",
        100.0 * WAITS,
        100.0 * waits,
        100.0 * busiest(channels)
    )
}

/// The median rate of the links between switches, or of hosts' links, as the channel is one.
fn usual_rate(channels: &Channels, like: &Channel) -> f64 {
    let is_host =
        |channel: &Channel| [channel.from, channel.to].iter().any(|end| matches!(end.node, Node::Host(_)));
    let mut rates: Vec<f64> = channels
        .all
        .iter()
        .filter(|channel| is_host(channel) == is_host(like))
        .map(|channel| channel.rate)
        .collect();
    rates.sort_by(f64::total_cmp);
    rates[rates.len() / 2]
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
            let (End::Channel(channel) | End::Host(channel) | End::Unknown(channel)) = end.0;
            let usual = usual_rate(channels, &channels.all[channel]);
            (end.0, Root::new(network, channels, usual, *end))
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
    let key =
        |channel: &usize| (from_host(channel), (waits(*channel) * 1e9) as u64, std::cmp::Reverse(*channel));
    let Some(mut at) = begins.max_by_key(key) else { return Vec::new() };
    let mut passed = vec![at];
    while let Some(&next) = shares.next.get(&at).filter(|next| !passed.contains(next)) {
        passed.push(next);
        at = next;
    }
    let (End::Channel(last) | End::Host(last) | End::Unknown(last)) = root;
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
    let mut waiting: Vec<(&str, f64)> = known.into_iter().filter(|(_, waits)| *waits >= WAITS).collect();
    waiting.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(b.0)));
    let count = waiting.len();
    let victims = waiting.into_iter().take(HURT);
    let victims = victims.map(|(host, waits)| Victim { host: host.to_owned(), waits }).collect();
    (victims, is_known.then_some(count))
}

/// What is said of ports without counters, and of those of which the other end tells some.
fn on_missing(network: &Network, channels: &Channels) -> Option<String> {
    let first = channels.all.iter().position(|channel| !channel.is_of_sender())?;
    let missing = || channels.all.iter().filter(|channel| !channel.is_of_sender());
    let half_known =
        missing().filter(|channel| channel.counted.is_some() && !channel.tells_of_waiting()).count();
    let (count, all) = (channels.missing(), channels.all.len());
    let have = if count == 1 { "has" } else { "have" };
    let words =
        format!("{count} of {all} ports {have} no counters, such as {}", place(network, channels, first));
    Some(match half_known {
        0 => words,
        _ => format!(
            "{words}; of {half_known} of them the other end says what they carried, but nothing says how long they \
             waited"
        ),
    })
}

/// What is said of counters that are full.
fn on_full(network: &Network, channels: &Channels) -> Option<String> {
    let name = |(end, counter): &(Endpoint, Counter)| {
        let node = network.name(end.node);
        let port = match end.node {
            Node::Switch(_) => format!("{node}:{}", end.port),
            Node::Host(_) => node.to_owned(),
        };
        format!("{} of {port}", counter.words())
    };
    let names: Vec<String> = channels.full.iter().map(name).collect();
    let counters = amount(names.len(), "counter is full", "counters are full");
    (!names.is_empty()).then(|| format!("{counters}, so these values are lower bounds: {}", listed(&names)))
}

/// What else the counters show: errors and discards; and what they lack.
fn notes(network: &Network, channels: &Channels) -> Vec<String> {
    let mut notes: Vec<String> = on_missing(network, channels).into_iter().collect();
    if !tells_of_waiting(channels) {
        notes.push("no counter of waiting was read: PortXmitWait and pause durations are missing".to_owned());
    }
    notes.extend(on_full(network, channels));
    for (channel, each) in channels.all.iter().enumerate() {
        let Some(counted) = each.counted else { continue };
        if counted.downed > 0 {
            let times =
                if counted.downed == 1 { "once".to_owned() } else { format!("{} times", counted.downed) };
            notes.push(format!("the link {} went down {times}", place(network, channels, channel)));
        }
        if counted.discards > 0 {
            let name = place(network, channels, channel);
            notes.push(format!("{} packets were discarded at {name} instead of sent", counted.discards));
        }
    }
    notes.truncate(MOST_NOTES);
    notes
}

/// Notes beyond these are of the same kind.
const MOST_NOTES: usize = 12;

impl Diagnosis {
    /// Whether the first root explains nearly all waiting.
    #[must_use]
    pub fn is_sure(&self) -> bool {
        self.sure >= SURE
    }
}
