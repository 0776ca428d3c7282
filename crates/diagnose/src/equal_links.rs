//! Links that lead to the same places as a full one and stand idle: what is there carries more under other routes.

use std::collections::{BTreeSet, VecDeque};

use hopscope_kernel::step;
use hopscope_topology::{Network, Node, SwitchId, listed};
use hopscope_units::amount;
use serde::Serialize;

use crate::channels::{Channel, Channels};
use crate::root::place;
use crate::thresholds::{ALWAYS_BUSY, IDLE, PRESSED};

/// A link that could carry a part of what a full one does.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct IdleLink {
    /// The channel, such as "leaf2:12 -> spine2:3".
    pub place: String,
    /// Its utilisation, 0 to 1.
    pub used: f64,
}

/// The links between switches that are as fast as this one, lead to the same places on paths as short, and are known
/// to be idle: from the same switch on, or from where the same traffic comes into the same switch.
pub(crate) fn idle_links(network: &Network, channels: &Channels, of: usize) -> Vec<IdleLink> {
    let full = &channels.all[of];
    let Some([from, to]) = switches(full) else { return Vec::new() };
    let [of_from, of_to] = [from, to].map(|switch| Hops::from(network, switch));
    let hosts = network.hosts_per_switch();
    let with_hosts = || network.switch_ids().filter(|id| hosts[id.index()] > 0);
    let ahead = beyond(with_hosts().filter(|id| of_to.of(*id) < of_from.of(*id)).collect(), to);
    let behind = beyond(with_hosts().filter(|id| of_from.of(*id) < of_to.of(*id)).collect(), from);
    let mut found: BTreeSet<usize> = BTreeSet::new();
    for (number, other) in channels.all.iter().enumerate() {
        let Some([start, end]) = switches(other) else { continue };
        let is_idle = other.counted.is_some_and(|counted| counted.used < IDLE);
        if number == of || !is_idle || other.rate < full.rate {
            continue;
        }
        let as_near = |at: SwitchId, than: &Hops, places: &[SwitchId]| {
            let hops = Hops::from(network, at);
            !places.is_empty() && places.iter().all(|place| hops.of(*place) <= than.of(*place))
        };
        let is_onward = start == from && (end == to || as_near(end, &of_to, &ahead));
        let is_inward = end == to && (start == from || as_near(start, &of_from, &behind));
        if is_onward || is_inward {
            found.insert(number);
        }
    }
    let link = |number: usize| {
        let used = channels.all[number].counted.map_or(0.0, |counted| counted.used);
        IdleLink { place: place(network, channels, number), used }
    };
    found.into_iter().map(link).collect()
}

/// Whether a link between switches always has something to send, and equal ones beside it stand idle.
pub(crate) fn is_busy_beside_idle(network: &Network, channels: &Channels, of: usize) -> bool {
    let counted = channels.all[of].counted.unwrap_or_default();
    counted.used + counted.waits >= ALWAYS_BUSY && !idle_links(network, channels, of).is_empty()
}

/// Whether a link between switches carries enough that others wait for it, and equal ones beside it stand idle.
pub(crate) fn is_pressed_beside_idle(network: &Network, channels: &Channels, of: usize) -> bool {
    let counted = channels.all[of].counted.unwrap_or_default();
    counted.used >= PRESSED && !idle_links(network, channels, of).is_empty()
}

/// What is to be said of idle links; nothing without any.
pub(crate) fn in_words(links: &[IdleLink]) -> String {
    let most = links.iter().map(|link| link.used).fold(0.0, f64::max);
    let names: Vec<String> = links.iter().map(|link| link.place.clone()).collect();
    let carry = amount(
        links.len(),
        "equal link to the same places carries",
        "equal links to the same places carry at most",
    );
    match links {
        [] => String::new(),
        _ => format!(
            " {carry} {:.0} % of {} rate: {}. Spread the routes (another routing engine or hash, or adaptive routing) \
             before you replace the link by a faster one.",
            100.0 * most,
            if links.len() == 1 { "its" } else { "their" },
            listed(&names)
        ),
    }
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
}
