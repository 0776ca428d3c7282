//! Links that lead to the same places as a full one and stand idle: what is there carries more under other routes.

use std::collections::{BTreeSet, VecDeque};

use hopscope_kernel::step;
use hopscope_measure::usual;
use hopscope_topology::{Network, Node, SwitchId, listed};
use hopscope_units::amount;
use serde::Serialize;

use crate::channels::{Channel, Channels};
use crate::root::place;
use crate::thresholds::{ALWAYS_BUSY, IDLE_BESIDE_FULL, PRESSED, UNEVENLY_USED};

/// A link that could carry a part of what a full one does.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct IdleLink {
    /// The channel, such as "leaf2:12 -> spine2:3".
    pub place: String,
    /// Its utilisation, 0 to 1.
    pub used: f64,
}

/// The equal links that are known to be idle, with less than half of this one's use.
pub(crate) fn idle_links(network: &Network, channels: &Channels, of: usize) -> Vec<usize> {
    let full = used(channels, of);
    let is_idle = |used: f64| used < IDLE_BESIDE_FULL && 2.0 * used < full;
    equal_links(network, channels, of, is_idle)
}

/// The equal links of a pressed one that carry too much of what they carry together: those used no more than all are
/// on average. None where even shares would press them, or where this one's is hardly greater.
fn lighter_links(network: &Network, channels: &Channels, of: usize) -> Vec<usize> {
    let own = used(channels, of);
    if own < PRESSED || equal_links(network, channels, of, |used| UNEVENLY_USED * used < own).is_empty() {
        return Vec::new();
    }
    let mut equal = equal_links(network, channels, of, |_| true);
    let whole: f64 = equal.iter().map(|number| used(channels, *number)).sum();
    let mean = (own + whole) / (1 + equal.len()) as f64;
    if mean >= PRESSED || own < UNEVENLY_USED * mean {
        return Vec::new();
    }
    equal.retain(|number| used(channels, *number) <= mean);
    equal
}

/// The equal links of one that carries too much beside them: those that carry less than an even share, else those that
/// are idle.
pub(crate) fn less_used_links(network: &Network, channels: &Channels, of: usize) -> Vec<usize> {
    let lighter = lighter_links(network, channels, of);
    if lighter.is_empty() { idle_links(network, channels, of) } else { lighter }
}

fn used(channels: &Channels, of: usize) -> f64 {
    channels.all[of].counted.map_or(0.0, |counted| counted.used)
}

/// The links between switches that are as fast as this one, lead to the same places on paths as short, and are known
/// to have such a use: from the same switch on, or from where the same traffic comes into the same switch.
fn equal_links(
    network: &Network,
    channels: &Channels,
    of: usize,
    is_asked_for: impl Fn(f64) -> bool,
) -> Vec<usize> {
    let full = &channels.all[of];
    let Some([from, to]) = switches(full) else { return Vec::new() };
    let may_be = |number: &usize| {
        let other = &channels.all[*number];
        let asked = other.counted.is_some_and(|counted| is_asked_for(counted.used));
        *number != of && asked && other.rate >= full.rate && switches(other).is_some()
    };
    // The two directions of a link have numbers that differ in the last bit.
    let onward = channels.out_of(network, from);
    let inward = channels.out_of(network, to).map(|output| output ^ 1);
    let likely: BTreeSet<usize> = onward.chain(inward).filter(may_be).collect();
    if likely.is_empty() {
        // The usual case: distances are computed only where they matter.
        return Vec::new();
    }
    let [of_from, of_to] = [from, to].map(|switch| Hops::from(network, switch));
    let with_hosts = with_hosts(network);
    let ahead = beyond(of_to.nearer_than(&of_from, &with_hosts), to);
    let behind = beyond(of_from.nearer_than(&of_to, &with_hosts), from);
    let is_equal = |number: &usize| {
        let Some([start, end]) = switches(&channels.all[*number]) else { return false };
        let as_near = |at: SwitchId, than: &Hops, places: &[SwitchId]| {
            let hops = Hops::from(network, at);
            !places.is_empty() && places.iter().all(|place| hops.of(*place) <= than.of(*place))
        };
        let is_onward = start == from && (end == to || as_near(end, &of_to, &ahead));
        is_onward || (end == to && (start == from || as_near(start, &of_from, &behind)))
    };
    likely.into_iter().filter(is_equal).collect()
}

/// Links with what they carry.
pub(crate) fn told(network: &Network, channels: &Channels, links: &[usize]) -> Vec<IdleLink> {
    let link =
        |number: &usize| IdleLink { place: place(network, channels, *number), used: used(channels, *number) };
    links.iter().map(link).collect()
}

/// Whether a link between switches always has something to send, and equal ones beside it stand idle. A link that is
/// idle itself waits for what is behind it: however much of it others took, it would wait.
pub(crate) fn is_busy_beside_idle(network: &Network, channels: &Channels, of: usize) -> bool {
    let counted = channels.all[of].counted.unwrap_or_default();
    counted.used + counted.waits >= ALWAYS_BUSY
        && counted.used >= IDLE_BESIDE_FULL
        && !idle_links(network, channels, of).is_empty()
}

/// Whether a link between switches carries enough that others wait for it, and equal ones beside it stand idle or would
/// relieve it if all carried the same.
pub(crate) fn is_pressed_beside_others(network: &Network, channels: &Channels, of: usize) -> bool {
    used(channels, of) >= PRESSED && !less_used_links(network, channels, of).is_empty()
}

/// The switches with hosts to which a link between switches leads: those that are nearer to its end than to its start.
/// None for a link of a host.
pub(crate) fn leads_to(network: &Network, channels: &Channels, of: usize) -> Vec<SwitchId> {
    let Some(ends) = switches(&channels.all[of]) else { return Vec::new() };
    let [from, to] = ends.map(|switch| Hops::from(network, switch));
    to.nearer_than(&from, &with_hosts(network))
}

/// Of some links those that lead to the same places as a link between switches.
pub(crate) fn entrances(
    network: &Network,
    channels: &Channels,
    of: usize,
    among: impl Iterator<Item = usize>,
) -> Vec<usize> {
    let own = leads_to(network, channels, of);
    let Some(&first) = own.first() else { return vec![of] };
    // One switch there and one elsewhere rule out nearly all links: distances from both ends of every link would take
    // minutes in a large fabric.
    let there = Hops::from(network, first);
    let elsewhere = with_hosts(network).into_iter().find(|id| !own.contains(id));
    let elsewhere = elsewhere.map(|id| Hops::from(network, id));
    let may_lead_there = |number: &usize| {
        let is_nearer = |hops: &Hops, [from, to]: [SwitchId; 2]| hops.of(to) < hops.of(from);
        switches(&channels.all[*number]).is_some_and(|ends| {
            is_nearer(&there, ends) && !elsewhere.as_ref().is_some_and(|hops| is_nearer(hops, ends))
        })
    };
    let likely = among.filter(may_lead_there);
    likely.filter(|&number| number == of || leads_to(network, channels, number) == own).collect()
}

/// The sentence on switches with hosts that all have fewer links to switches than most: the other links carry the
/// traffic of the missing ones.
pub(crate) fn fewer_links(network: &Network, switches: &[SwitchId]) -> Option<String> {
    let links = |id: &SwitchId| network.neighbours(*id).count();
    let most = usual(with_hosts(network).iter().map(|id| links(id) as f64).collect())? as usize;
    let names: Vec<String> = switches.iter().map(|id| network.switch(*id).name.clone()).collect();
    let greatest = switches.iter().map(links).max().filter(|greatest| *greatest < most)?;
    let (have, each) = if names.len() == 1 { ("has", "") } else { ("have", " each") };
    let links = amount(greatest, "link to switches", "links to switches");
    Some(format!(
        "{} {have} {links}{each}, where most have {most}: these carry the others' part",
        listed(&names)
    ))
}

fn with_hosts(network: &Network) -> Vec<SwitchId> {
    let hosts = network.hosts_per_switch();
    network.switch_ids().filter(|id| hosts[id.index()] > 0).collect()
}

/// What is to be said of idle links; nothing without any.
pub(crate) fn in_words(links: &[IdleLink]) -> String {
    let most = links.iter().map(|link| link.used).fold(0.0, f64::max);
    let names: Vec<String> = links.iter().map(|link| link.place.clone()).collect();
    let equal = amount(links.len(), "equal link to the same places", "equal links to the same places");
    let carry = match (links.len(), format!("{:.0}", 100.0 * most).as_str()) {
        (0, _) => return String::new(),
        (1, "0") => "carries nothing".to_owned(),
        (_, "0") => "carry nothing".to_owned(),
        (1, most) => format!("carries {most} % of its rate"),
        (_, most) => format!("carry at most {most} % of their rate"),
    };
    format!(
        " {equal} {carry}: {}. Spread the routes (another routing engine or hash, or adaptive routing) before you replace \
         the link by a faster one.",
        listed(&names)
    )
}

/// The places on one side of a link, without the switch at its end: what is for that switch's own hosts has no other
/// way. That switch alone where there is no other place.
fn beyond(mut places: Vec<SwitchId>, end: SwitchId) -> Vec<SwitchId> {
    if places.len() > 1 {
        places.retain(|place| *place != end);
    }
    places
}

/// The switches that a channel joins; nothing for one of a host.
fn switches(channel: &Channel) -> Option<[SwitchId; 2]> {
    match [channel.from.node, channel.to.node] {
        [Node::Switch(from), Node::Switch(to)] => Some([from, to]),
        _ => None,
    }
}

/// The links on the shortest path from one switch to every other.
struct Hops(Vec<u32>);

impl Hops {
    fn from(network: &Network, start: SwitchId) -> Self {
        step("looking for equal links");
        let mut hops = vec![u32::MAX; network.switches().len()];
        hops[start.index()] = 0;
        let mut queue = VecDeque::from([start]);
        while let Some(at) = queue.pop_front() {
            for (_, _, far, _) in network.neighbours(at) {
                if hops[far.index()] == u32::MAX {
                    hops[far.index()] = hops[at.index()] + 1;
                    queue.push_back(far);
                }
            }
        }
        Self(hops)
    }

    fn of(&self, switch: SwitchId) -> u32 {
        self.0[switch.index()]
    }

    /// Those of the switches that are nearer to here than to there.
    fn nearer_than(&self, there: &Self, switches: &[SwitchId]) -> Vec<SwitchId> {
        switches.iter().copied().filter(|id| self.of(*id) < there.of(*id)).collect()
    }
}
