//! The kinds of roots and their sentences.

use std::collections::BTreeSet;

use hopscope_explain::{Cause, percent};
use hopscope_measure::is_slower_than_its_like;
use hopscope_topology::{Endpoint, Network, Node, listed};
use hopscope_units::{Rate, amount};
use serde::Serialize;

use crate::channels::{Channel, Channels, Counted};
use crate::equal_links::{
    IdleLink, entrances, fewer_links, idle_links, in_words, leads_to, less_used_links, told,
};
use crate::following::End;
use crate::thresholds::{ALWAYS, NAMED, NOTHING, PORT_WAITS, PRESSED};

/// What kind of root waiting has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum RootKind {
    /// A host that takes what arrives more slowly than its link brings it.
    SlowHost,
    /// A host that stops its link nearly all the time and accepts almost nothing.
    PauseStorm,
    /// A link with more to carry than it can.
    FullLink,
    /// A link that is slower than comparable links: full, or busy where nothing else explains the waiting.
    SlowLink,
    /// Links from a switch or into one with much to carry beside equal ones that stand idle or carry less: the routes
    /// share the traffic unevenly.
    UnevenRoutes,
    /// Links to the same places that carry much, where nothing else explains the waiting.
    BusyLinks,
    /// A cable with errors, on which much is sent again.
    RetryingCable,
    /// A switch of which no output explains the waiting for it, by the counters at hand.
    Unknown,
}

impl RootKind {
    /// The class of causes in the words of `explain`.
    #[must_use]
    pub fn cause(self) -> Cause {
        match self {
            Self::SlowHost => Cause::SlowService,
            Self::PauseStorm => Cause::Interruption,
            Self::FullLink | Self::SlowLink | Self::BusyLinks => Cause::Resource,
            Self::UnevenRoutes => Cause::RouteConcentration,
            Self::RetryingCable => Cause::Loss,
            Self::Unknown => Cause::Blocking,
        }
    }
}

/// A root of waiting.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Root {
    /// What it is.
    pub kind: RootKind,
    /// The class of causes.
    pub cause: Cause,
    /// The port, such as "leaf2:11 -> spine1:3".
    pub place: String,
    /// The nodes: the host, or the two that the link joins.
    pub nodes: Vec<String>,
    /// The share of all waiting in the fabric that leads here, 0 to 1.
    pub weight: f64,
    /// How sure it is, 0 to 1: which part of their waiting those that wait for it spend on it; of busy links times
    /// their use. 0 where it is not known what it is.
    pub sure: f64,
    /// The links that lead to the same places as a full one and stand idle, or as uneven ones and carry less: other
    /// routes would relieve it.
    pub idle_links: Vec<IdleLink>,
    /// One sentence; another one on idle links.
    pub sentence: String,
}

impl Root {
    pub(crate) fn new(
        network: &Network,
        channels: &Channels,
        usual: f64,
        (members, weight, sure): (&[End], f64, f64),
    ) -> Self {
        let end = members[0];
        let channel = end.channel();
        let [from, to] = [channels.all[channel].from, channels.all[channel].to];
        let counted = channels.all[channel].counted.unwrap_or_default();
        let kind = kind(end, counted, channels.all[channel].rate, usual);
        let name = |node: Node| network.name(node).to_owned();
        let nodes = match kind {
            RootKind::SlowHost | RootKind::PauseStorm | RootKind::Unknown => vec![name(to.node)],
            _ => vec![name(from.node), name(to.node)],
        };
        let place = place(network, channels, channel);
        let evidence = Evidence { counted, rate: channels.all[channel].rate, usual, weight };
        let members: Vec<usize> = members.iter().map(|end| end.channel()).collect();
        let idle_links = match kind {
            RootKind::FullLink => told(network, channels, &idle_links(network, channels, channel)),
            RootKind::UnevenRoutes => told(network, channels, &beside(network, channels, &members)),
            _ => Vec::new(),
        };
        let sentence = match kind {
            RootKind::BusyLinks => busy_in_words(network, channels, channel, weight),
            RootKind::UnevenRoutes => {
                uneven_in_words(network, channels, &members, weight) + &in_words(&idle_links)
            }
            RootKind::Unknown => {
                sentence(kind, &place, &name(to.node), evidence)
                    + &outputs_in_words(network, channels, to.node)
            }
            _ => sentence(kind, &place, &name(to.node), evidence) + &in_words(&idle_links),
        };
        // A link that is not full explains waiting as far as it is busy.
        let sure = match end {
            End::Unknown(_) => 0.0,
            End::Busy(_) => sure * counted.used,
            _ => sure,
        };
        Self { kind, cause: kind.cause(), place, nodes, weight, sure, idle_links, sentence }
    }
}

/// A channel in words.
pub(crate) fn place(network: &Network, channels: &Channels, channel: usize) -> String {
    place_of(network, &channels.all[channel])
}

/// A channel in words: "leaf2:11 -> spine1:3".
#[must_use]
pub fn place_of(network: &Network, channel: &Channel) -> String {
    [channel.from, channel.to].map(|end| port_in_words(network, end)).join(" -> ")
}

/// A port in words: "leaf2:11", and a host by its name.
pub(crate) fn port_in_words(network: &Network, end: Endpoint) -> String {
    match end.node {
        Node::Switch(_) => format!("{}:{}", network.name(end.node), end.port),
        Node::Host(_) => network.name(end.node).to_owned(),
    }
}

/// The errors of a channel in words, with their share of its packets.
pub(crate) fn errors_in_words(counted: Counted) -> String {
    let errors = amount(counted.errors, "error", "errors");
    match counted.packets {
        0 => format!("{errors}, and no packet was counted"),
        packets => {
            let a_thousand = 1000.0 * counted.errors as f64 / packets as f64;
            format!("{errors}, {a_thousand:.1} for each 1000 packets")
        }
    }
}

fn kind(end: End, counted: Counted, rate: f64, usual: f64) -> RootKind {
    match end {
        End::Unknown(_) => RootKind::Unknown,
        End::Uneven(_) | End::Busy(_) if is_slower_than_its_like(rate, usual) => RootKind::SlowLink,
        End::Uneven(_) => RootKind::UnevenRoutes,
        End::Busy(_) => RootKind::BusyLinks,
        End::Host(_) if counted.waits >= ALWAYS && counted.used <= NOTHING => RootKind::PauseStorm,
        End::Host(_) => RootKind::SlowHost,
        End::Channel(_) if counted.retries() => RootKind::RetryingCable,
        End::Channel(_) if is_slower_than_its_like(rate, usual) => RootKind::SlowLink,
        End::Channel(_) => RootKind::FullLink,
    }
}

/// The numbers of a sentence.
#[derive(Clone, Copy)]
struct Evidence {
    counted: Counted,
    rate: f64,
    usual: f64,
    weight: f64,
}

fn sentence(kind: RootKind, place: &str, node: &str, evidence: Evidence) -> String {
    let Evidence { counted, usual, weight, .. } = evidence;
    let rate = |bit_s: f64| Rate::from_bit_s(bit_s as u64).to_string();
    let (used, waits, of_all) = (percent(counted.used), percent(counted.waits), percent(weight));
    match kind {
        RootKind::SlowHost => format!(
            "The host {node} drains slowly: its link {place} may not send for {waits} of the time and is {used} \
             utilised. {of_all} of all waiting is for it."
        ),
        RootKind::PauseStorm => format!(
            "The host {node} stops its link nearly all the time and takes next to nothing, a pause storm: {place} may \
             not send for {waits} of the time. {of_all} of all waiting is for it."
        ),
        RootKind::FullLink => format!(
            "The link {place} has more to carry than it can: it is {used} utilised, and {of_all} of all waiting is for it."
        ),
        RootKind::SlowLink => format!(
            "The link {place} is slower than comparable links: {}, where most have {}. It is {used} utilised, and \
             {of_all} of all waiting is for it.",
            rate(evidence.rate),
            rate(usual)
        ),
        RootKind::RetryingCable => format!(
            "The cable {place} retries: {}. It carries {used} of its rate, and {of_all} of all waiting is for it.",
            errors_in_words(counted)
        ),
        RootKind::Unknown | RootKind::BusyLinks | RootKind::UnevenRoutes => format!(
            "{of_all} of all waiting is for the switch {node}, but no output of this switch explains the waiting by the \
             counters at hand."
        ),
    }
}

/// The links beside some uneven ones that carry less.
fn beside(network: &Network, channels: &Channels, uneven: &[usize]) -> Vec<usize> {
    let less = uneven.iter().flat_map(|channel| less_used_links(network, channels, *channel));
    let less: BTreeSet<usize> = less.filter(|number| !uneven.contains(number)).collect();
    less.into_iter().collect()
}

/// Shares in words: "61 to 63 %", or "62 %" where they are alike.
fn range(shares: impl Iterator<Item = f64>) -> String {
    let (least, most) =
        shares.fold((f64::MAX, 0.0_f64), |(least, most), share| (share.min(least), share.max(most)));
    let [least, most] = [least, most].map(|share| format!("{:.0}", 100.0 * share));
    if least == most { format!("{most} %") } else { format!("{least} to {most} %") }
}

/// The links that carry too much beside equal ones: of one switch, or into one.
fn uneven_in_words(network: &Network, channels: &Channels, uneven: &[usize], weight: f64) -> String {
    let of = |read: fn(Counted) -> f64| {
        range(uneven.iter().map(|channel| channels.all[*channel].counted.map_or(0.0, read)))
    };
    let used = of(|counted| counted.used);
    let is_waiting =
        |channel: &usize| channels.all[*channel].counted.is_some_and(|counted| counted.waits >= PORT_WAITS);
    let waits = if uneven.iter().all(is_waiting) {
        format!(" and may not send for {} of the time", of(|counted| counted.waits))
    } else {
        String::new()
    };
    let them = if uneven.len() == 1 { "it" } else { "them" };
    let there = format!("{} of all waiting is for {them}", percent(weight));
    let places: Vec<String> = uneven.iter().map(|channel| place(network, channels, *channel)).collect();
    let one = |node: fn(&Channel) -> Node| {
        let first = node(&channels.all[uneven[0]]);
        uneven.iter().all(|channel| node(&channels.all[*channel]) == first).then(|| network.name(first))
    };
    let switch = one(|channel| channel.to.node).map(|into| format!(" into {into}"));
    let switch = switch.or_else(|| one(|channel| channel.from.node).map(|from| format!(" of {from}")));
    match &places[..] {
        [place] => format!(
            "The routes share traffic unevenly: the link {place} is {used} utilised{waits}, {there}, and equal links beside \
             it carry less."
        ),
        _ => format!(
            "The routes share traffic unevenly: {} links{} are {used} utilised{waits}, {there}, and equal links beside them \
             carry less: {}.",
            places.len(),
            switch.unwrap_or_default(),
            listed(&places)
        ),
    }
}

/// The busy links that lead to the same places as this one, and whether links are missing there.
fn busy_in_words(network: &Network, channels: &Channels, of: usize, weight: f64) -> String {
    let used = |channel: usize| channels.all[channel].counted.map_or(0.0, |counted| counted.used);
    if weight < NAMED {
        return format!(
            "Many busy links are waited for, and no single one stands out: the largest part, {:.2} % of all waiting, is for {}, \
             which is {} utilised. No output is full: bursts wait for links so busy.",
            100.0 * weight,
            place(network, channels, of),
            percent(used(of))
        );
    }
    let pressed = (0..channels.all.len()).filter(|channel| used(*channel) >= PRESSED);
    let busy = entrances(network, channels, of, pressed);
    let range = range(busy.iter().map(|channel| used(*channel)));
    let places: Vec<String> = busy.iter().map(|channel| place(network, channels, *channel)).collect();
    let of_all = format!("{} of all waiting is for", percent(weight));
    let why = "no output is full, and nothing else explains the waiting: bursts wait for links so busy";
    let missing = fewer_links(network, &leads_to(network, channels, of));
    let missing = missing.map_or_else(String::new, |words| format!(" {words}."));
    match &places[..] {
        [place] => format!("The link {place} is {range} utilised, and {of_all} it; {why}.{missing}"),
        _ => format!(
            "{} links to the same places are {range} utilised, and {of_all} them: {}; {why}.{missing}",
            places.len(),
            listed(&places)
        ),
    }
}

/// What the outputs of a switch carry at most, where it is not known what is waited for; or that some are not seen.
fn outputs_in_words(network: &Network, channels: &Channels, at: Node) -> String {
    let outputs = || channels.all.iter().enumerate().filter(|(_, channel)| channel.from.node == at);
    match outputs().filter(|(_, channel)| !channel.is_of_sender()).count() {
        0 => {}
        unseen => {
            let have = amount(unseen, "of its outputs has", "of its outputs have");
            return format!(" {have} no counters: what is waited for may be there.");
        }
    }
    let outputs = outputs();
    let used = outputs.filter_map(|(number, channel)| Some((number, channel.counted?.used)));
    used.max_by(|a, b| a.1.total_cmp(&b.1)).map_or_else(String::new, |(busiest, used)| {
        format!(
            " The busiest, {}, is {} utilised. A link that runs slower than the fabric's file says holds traffic \
             up like that: is the file of the time of the readings?",
            place(network, channels, busiest),
            percent(used)
        )
    })
}
