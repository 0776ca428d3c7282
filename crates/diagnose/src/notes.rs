//! What else counters show, beside the roots of waiting, and what they lack.

use hopscope_formats::counters::Counter;
use hopscope_topology::{Endpoint, Network, listed};
use hopscope_units::amount;

use crate::channels::{Channel, Channels, Counted};
use crate::diagnosis::tells_of_waiting;
use crate::root::{errors_in_words, place, port_in_words};

/// The note on ports without counters, and on those with some from the other end.
fn on_missing(network: &Network, channels: &Channels) -> Option<String> {
    let first = channels.all.iter().position(|channel| !channel.is_of_sender())?;
    let missing = || channels.all.iter().filter(|channel| !channel.is_of_sender());
    let half_known =
        missing().filter(|channel| channel.counted.is_some() && !channel.tells_of_waiting()).count();
    let (count, all) = (channels.missing(), channels.all.len());
    let first = place(network, channels, first);
    let words = match count {
        1 => format!("1 of {all} ports has no counters: {first}"),
        _ => format!("{count} of {all} ports have no counters, such as {first}"),
    };
    Some(match half_known {
        0 => words,
        all if all == count => {
            format!("{words}; the other end says what was carried, but nothing says for how long it waited")
        }
        _ => format!(
            "{words}; for {half_known} of them the other end says what was carried, but nothing says for how long they \
             waited"
        ),
    })
}

/// Counters in words, each with its port.
fn counters_in_words(network: &Network, counters: &[(Endpoint, Counter)]) -> Vec<String> {
    let words = |(end, counter): &(Endpoint, Counter)| {
        format!("{} of {}", counter.words(), port_in_words(network, *end))
    };
    counters.iter().map(words).collect()
}

/// The note on ports that were cleared between the readings.
fn on_cleared(network: &Network, channels: &Channels) -> Option<String> {
    let names = counters_in_words(network, &channels.cleared);
    let ports = amount(names.len(), "port is left out", "ports are left out");
    (!names.is_empty())
        .then(|| format!("{ports}, because counters ran backwards, as after a reset: {}", listed(&names)))
}

/// The note on ports whose cables join a node to itself: they count no traffic between nodes.
fn on_own_ports(channels: &Channels) -> Option<String> {
    let ports = &channels.own_ports;
    let counters = amount(ports.len(), "port is left out", "ports are left out");
    let lead = if ports.len() == 1 { "its cable leads" } else { "their cables lead" };
    (!ports.is_empty()).then(|| {
        format!("counters of {counters}, because {lead} back to the same node (a loop): {}", listed(ports))
    })
}

/// The note on ports that carry data where the fabric has no cable.
fn on_uncabled(channels: &Channels) -> Option<String> {
    let ports = &channels.uncabled;
    let carry = amount(ports.len(), "port carries data, but has", "ports carry data, but have");
    (!ports.is_empty()).then(|| {
        format!(
            "{carry} no cable in the fabric's file: {}: is the file older than the readings?",
            listed(ports)
        )
    })
}

/// The note on counters that are full.
fn on_full(network: &Network, channels: &Channels) -> Option<String> {
    let names = counters_in_words(network, &channels.full);
    let counters = amount(names.len(), "counter is full", "counters are full");
    (!names.is_empty()).then(|| format!("{counters}, so these values are lower bounds: {}", listed(&names)))
}

/// The note on cables with errors that no sentence states.
fn on_errors(network: &Network, channels: &Channels, untold: &[usize]) -> Option<String> {
    let told = |channel: &usize| {
        let counted = channels.all[*channel].counted.unwrap_or_default();
        format!("{} ({})", place(network, channels, *channel), errors_in_words(counted))
    };
    let cables: Vec<String> = untold.iter().map(told).collect();
    let count = amount(cables.len(), "cable has many errors", "cables have many errors");
    (!cables.is_empty()).then(|| format!("{count}: {}", listed(&cables)))
}

/// The note on links that went down: each link once, for both of its directions.
fn on_downed(network: &Network, channels: &Channels) -> Option<String> {
    let told = |link: &[Channel]| {
        let times = link.iter().filter_map(|channel| channel.counted).map(|counted| counted.downed).max()?;
        let ends = [link[0].from, link[0].to].map(|end| port_in_words(network, end)).join(" - ");
        (times > 0).then(|| {
            format!("{ends} {}", if times == 1 { "once".to_owned() } else { format!("{times} times") })
        })
    };
    let links: Vec<String> = channels.all.chunks(2).filter_map(told).collect();
    let count = amount(links.len(), "link went down", "links went down");
    (!links.is_empty()).then(|| format!("{count}: {}", listed(&links)))
}

/// The note on packets that were discarded.
fn on_discards(network: &Network, channels: &Channels) -> Option<String> {
    let told = |(channel, each): (usize, &Channel)| {
        let discards = each.counted?.discards;
        (discards > 0).then(|| format!("{discards} at {}", place(network, channels, channel)))
    };
    let ports: Vec<String> = channels.all.iter().enumerate().filter_map(told).collect();
    (!ports.is_empty()).then(|| format!("packets were discarded instead of sent: {}", listed(&ports)))
}

/// The note on links whose ends have different counts.
fn on_disagreeing(network: &Network, channels: &Channels) -> Option<String> {
    let told = |(channel, each): (usize, &Channel)| {
        let counted = each.counted.filter(Counted::ends_disagree)?;
        let (used, received) = (100.0 * counted.used, 100.0 * counted.received?);
        let place = place(network, channels, channel);
        Some(format!("{place} ({used:.0} % of its rate sent, {received:.0} % received)"))
    };
    let links: Vec<String> = channels.all.iter().enumerate().filter_map(told).collect();
    let ends = amount(links.len(), "link disagree on what it", "links disagree on what they");
    (!links.is_empty()).then(|| {
        format!(
            "the two ends of {ends} carried: {}; do not trust the counters of these ports: a reset between the readings, \
             or one not read at the same time, does that",
            listed(&links)
        )
    })
}

/// Further findings in the counters: errors, discards and missing counters. `untold` are the channels with many errors
/// that no sentence states.
pub(crate) fn notes(network: &Network, channels: &Channels, untold: &[usize]) -> Vec<String> {
    let no_waiting = "no counter of waiting was read: PortXmitWait and pause durations are missing";
    let no_waiting = (!tells_of_waiting(channels)).then(|| no_waiting.to_owned());
    let notes = [
        on_cleared(network, channels),
        on_own_ports(channels),
        on_uncabled(channels),
        on_missing(network, channels),
        no_waiting,
        on_full(network, channels),
        on_disagreeing(network, channels),
        on_errors(network, channels, untold),
        on_downed(network, channels),
        on_discards(network, channels),
    ];
    notes.into_iter().flatten().collect()
}
