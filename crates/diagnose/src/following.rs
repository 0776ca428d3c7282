//! From each waiting channel along the routes to what is behind its waiting.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use hopscope_kernel::step;
use hopscope_topology::{DestinationTables, Endpoint, HostId, Network, Node, Port, Routes, SwitchId};

use crate::channels::{Channels, Counted};
use crate::equal_links::{is_busy_beside_idle, is_pressed_beside_others, leads_to};
use crate::thresholds::{NAMED, NEARLY_FULL, PART_OF_NAMED, PORT_WAITS, PRESSED, ROUNDS};

/// What is behind the waiting of channels.
pub(crate) struct Following<'a> {
    network: &'a Network,
    routes: &'a Routes,
    channels: &'a Channels,
    /// The hosts of each switch that has any, and the switches that have some.
    hosts_at: BTreeMap<SwitchId, Vec<HostId>>,
    /// Of channels that were asked about: whether they are pressed although equal links would relieve them.
    pressed_beside_others: RefCell<BTreeMap<usize, bool>>,
    /// Of busy links: the switches with hosts to which they lead.
    ahead: RefCell<BTreeMap<usize, Vec<SwitchId>>>,
}

/// The end of a search: a port that others wait for and that does not wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum End {
    /// A channel, by its number.
    Channel(usize),
    /// The host at the end of a channel, by the channel's number.
    Host(usize),
    /// A switch of which no output is pressed by what is known, by the number of the channel to it.
    Unknown(usize),
    /// Links from a switch or into one beside equal ones that carry less, where nothing else explains the waiting, by
    /// the number of the one with most of it.
    Uneven(usize),
    /// A link that carries much, where nothing else explains the waiting, by the channel's number.
    Busy(usize),
}

/// What ends of a kind have in common that are one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum InCommon {
    /// The switch at which it is not known what is waited for.
    Unknown(Node),
    /// The switch whose links share unevenly.
    From(Node),
    /// The switch to which others send more than to comparable switches.
    Into(Node),
    /// The switches with hosts to which busy links lead.
    Busy(Vec<SwitchId>),
}

impl End {
    /// The channel by whose number it is known.
    pub fn channel(self) -> usize {
        match self {
            Self::Channel(channel)
            | Self::Host(channel)
            | Self::Unknown(channel)
            | Self::Uneven(channel)
            | Self::Busy(channel) => channel,
        }
    }
}

/// The share of all waiting that comes to each end, and where the waiting of each channel goes next.
pub(crate) struct Shares {
    pub ends: Vec<(End, f64)>,
    /// Of ends that stand for several: all of them.
    pub members: BTreeMap<End, Vec<End>>,
    /// Of the ends that are worth naming: which part of their waiting those that wait for it spend on it, 0 to 1.
    pub sure: BTreeMap<End, f64>,
    /// By waiting channel: the channel to which most of its waiting is handed on, where that is not an end.
    pub next: BTreeMap<usize, usize>,
    /// By waiting channel: the end that most of its waiting comes to.
    pub end_of: BTreeMap<usize, End>,
}

/// A way on: to an end, or to a channel that waits itself.
#[derive(Clone, Copy)]
enum Way {
    End(End),
    On(usize),
}

impl<'a> Following<'a> {
    pub fn new(network: &'a Network, routes: &'a Routes, channels: &'a Channels) -> Self {
        let mut hosts_at: BTreeMap<SwitchId, Vec<HostId>> = BTreeMap::new();
        for id in network.host_ids() {
            hosts_at.entry(network.host(id).switch).or_default().push(id);
        }
        let (pressed_beside_others, ahead) = (RefCell::default(), RefCell::default());
        Self { network, routes, channels, hosts_at, pressed_beside_others, ahead }
    }

    fn counted(&self, channel: usize) -> Counted {
        self.channels.all[channel].counted.unwrap_or_default()
    }

    /// The channels that wait.
    pub fn waiting(&self) -> Vec<usize> {
        (0..self.channels.all.len()).filter(|channel| self.counted(*channel).waits >= PORT_WAITS).collect()
    }

    /// Hands the waiting of all channels on until it has come to ends.
    pub fn shares(&self) -> Shares {
        let waiting = self.waiting();
        let ways: BTreeMap<usize, Vec<(Way, f64)>> =
            waiting.iter().map(|channel| (*channel, self.ways(*channel))).collect();
        let total: f64 = waiting.iter().map(|channel| self.counted(*channel).waits).sum();
        let mut ends: BTreeMap<End, f64> = BTreeMap::new();
        let mut held: BTreeMap<usize, f64> =
            waiting.iter().map(|channel| (*channel, self.counted(*channel).waits / total)).collect();
        for _ in 0..ROUNDS {
            let mut handed_on: BTreeMap<usize, f64> = BTreeMap::new();
            for (channel, share) in held {
                for &(way, part) in &ways[&channel] {
                    match way {
                        Way::End(end) => *ends.entry(end).or_default() += share * part,
                        Way::On(next) => *handed_on.entry(next).or_default() += share * part,
                    }
                }
            }
            held = handed_on;
            if held.is_empty() {
                break;
            }
        }
        let mut ends = both_ways_as_one(&ends);
        let most_first = |ends: &mut Vec<(End, f64)>| {
            ends.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        };
        most_first(&mut ends);
        self.look_ahead_of_busy(&ends);
        let mut members = BTreeMap::new();
        ends = alike_as_one(ends, &mut members, |end| self.in_common(end));
        most_first(&mut ends);
        ends = alike_as_one(ends, &mut members, |end| self.entered(end));
        most_first(&mut ends);
        let (next, end_of) = main_ways(&ways);
        let named = ends.iter().enumerate().filter(|(number, (_, share))| *number == 0 || *share >= NAMED);
        let sure = named
            .map(|(_, (end, _))| *end)
            .map(|end| (end, self.certainty(&ways, end, members.get(&end).map_or(&[], Vec::as_slice))));
        let sure = sure.collect();
        Shares { ends, members, sure, next, end_of }
    }

    /// That by which uneven links of several switches are one: too many routes lead into the same switch.
    fn entered(&self, end: End) -> Option<InCommon> {
        match end {
            End::Uneven(channel) => Some(InCommon::Into(self.channels.all[channel].to.node)),
            _ => None,
        }
    }

    /// Finds out where busy links lead. Links with next to none of the waiting are left out: all links of a large
    /// fabric may be busy, and many of them together are no root.
    fn look_ahead_of_busy(&self, ends: &[(End, f64)]) {
        let told = ends.iter().filter(|(_, share)| *share >= PART_OF_NAMED);
        let busy =
            told.filter_map(|(end, _)| if let End::Busy(channel) = end { Some(*channel) } else { None });
        let ahead = busy.map(|channel| (channel, leads_to(self.network, self.channels, channel)));
        self.ahead.borrow_mut().extend(ahead);
    }

    /// That by which ends of its kind are one; nothing for those that are one each.
    fn in_common(&self, end: End) -> Option<InCommon> {
        match end {
            End::Unknown(channel) => Some(InCommon::Unknown(self.channels.all[channel].to.node)),
            End::Uneven(channel) => Some(InCommon::From(self.channels.all[channel].from.node)),
            End::Busy(channel) => {
                let ahead = self.ahead.borrow().get(&channel).cloned()?;
                (!ahead.is_empty()).then_some(InCommon::Busy(ahead))
            }
            End::Channel(_) | End::Host(_) => None,
        }
    }

    /// Which part of their waiting those that wait for an end spend on it, each by how long it waits for that. The end
    /// may stand for several.
    fn certainty(&self, ways: &BTreeMap<usize, Vec<(Way, f64)>>, of: End, members: &[End]) -> f64 {
        let is_it = |end: End| match (end, of) {
            // Both directions of a cable are one.
            (End::Channel(one), End::Channel(other)) => one | 1 == other | 1,
            _ => end == of || members.contains(&end),
        };
        let mut leads: BTreeMap<usize, f64> = BTreeMap::new();
        for _ in 0..ROUNDS {
            step("following the waiting");
            let part = |(way, part): &(Way, f64)| match way {
                Way::End(end) => {
                    if is_it(*end) {
                        *part
                    } else {
                        0.0
                    }
                }
                Way::On(next) => part * leads.get(next).copied().unwrap_or(0.0),
            };
            let after: BTreeMap<usize, f64> =
                ways.iter().map(|(channel, ways)| (*channel, ways.iter().map(part).sum())).collect();
            if after == leads {
                break;
            }
            leads = after;
        }
        let waits = |channel: &usize| self.counted(*channel).waits;
        let all: f64 = leads.iter().map(|(channel, part)| waits(channel) * part).sum();
        let squares: f64 = leads.iter().map(|(channel, part)| waits(channel) * part * part).sum();
        if all > 0.0 { squares / all } else { 0.0 }
    }

    /// What the waiting of a channel is handed on to, with the part of each.
    fn ways(&self, channel: usize) -> Vec<(Way, f64)> {
        step("following the waiting");
        let to = self.channels.all[channel].to;
        if matches!(to.node, Node::Host(_)) {
            return vec![(Way::End(End::Host(channel)), 1.0)];
        }
        let mut ways: Vec<(Way, f64)> = Vec::new();
        for output in self.outputs(channel) {
            if let Some((way, pressure)) = self.pressed(output).filter(|_| self.leads_to(channel, output)) {
                ways.push((way, pressure));
            }
        }
        // What is sent again on the channel itself keeps its own sender waiting.
        let own = self.counted(channel);
        if own.retries() {
            ways.push((Way::End(End::Channel(channel)), own.lost()));
        }
        if ways.is_empty() {
            ways = self.bad_the_other_way(channel);
        }
        if ways.is_empty() {
            ways = self.uneven(channel);
        }
        let whole: f64 = ways.iter().map(|(_, pressure)| pressure).sum();
        ways.into_iter().map(|(way, pressure)| (way, pressure / whole)).collect()
    }

    /// What a channel waits for where no output behind it is pressed: for itself where it always has something to send
    /// and equal links stand idle, or where it carries too much of what they carry together (less would come into the
    /// buffer that it waits for); else for outputs that do. Else it is not known.
    fn uneven(&self, channel: usize) -> Vec<(Way, f64)> {
        if is_busy_beside_idle(self.network, self.channels, channel) || self.is_pressed_beside_others(channel)
        {
            return vec![(Way::End(End::Uneven(channel)), 1.0)];
        }
        let pressed = self
            .outputs(channel)
            .filter(|output| self.is_pressed_beside_others(*output) && self.leads_to(channel, *output))
            .map(|output| (Way::End(End::Uneven(output)), self.counted(output).used));
        let found: Vec<(Way, f64)> = pressed.collect();
        if found.is_empty() { self.busy(channel) } else { found }
    }

    /// The outputs behind a channel, if any, whose cables have many errors in the other direction and whose receivers
    /// have no counters: a bad cable mostly is bad both ways, and what is sent again over it is not seen.
    fn bad_the_other_way(&self, channel: usize) -> Vec<(Way, f64)> {
        // The two directions of a link have numbers that differ in the last bit.
        let is_unseen = |back: &usize| !self.channels.all[*back].is_of_sender();
        let backs = self.outputs(channel).map(|output| output ^ 1);
        let bad = backs.filter(|back| is_unseen(back) && self.counted(*back).retries());
        bad.filter(|back| self.leads_to(channel, back ^ 1))
            .map(|back| (Way::End(End::Channel(back)), self.counted(back).lost()))
            .collect()
    }

    /// The outputs behind a channel that carry much, each by how long one waits for a server of its use (M/M/1: use
    /// over what is left); else it is not known what the channel waits for.
    fn busy(&self, channel: usize) -> Vec<(Way, f64)> {
        let busy = self.outputs(channel).filter(|output| self.counted(*output).used >= PRESSED);
        let found: Vec<(Way, f64)> = busy
            .filter(|output| self.leads_to(channel, *output))
            .map(|output| (output, self.counted(output).used))
            .map(|(output, used)| (Way::End(End::Busy(output)), used / (1.0 - used)))
            .collect();
        if found.is_empty() { vec![(Way::End(End::Unknown(channel)), 1.0)] } else { found }
    }

    /// The outputs of the switch at the end of a channel, but that back along it.
    fn outputs(&self, channel: usize) -> impl Iterator<Item = usize> + '_ {
        let to = self.channels.all[channel].to;
        let switch = if let Node::Switch(switch) = to.node { Some(switch) } else { None };
        let outputs = switch.into_iter().flat_map(|switch| self.channels.out_of(self.network, switch));
        outputs.filter(move |output| self.channels.all[*output].from != to)
    }

    fn is_pressed_beside_others(&self, channel: usize) -> bool {
        let find = || is_pressed_beside_others(self.network, self.channels, channel);
        *self.pressed_beside_others.borrow_mut().entry(channel).or_insert_with(find)
    }

    /// Whether an output is one to wait for, where that leads, and how hard pressed it is.
    fn pressed(&self, output: usize) -> Option<(Way, f64)> {
        let counted = self.counted(output);
        let Counted { used, waits, .. } = counted;
        if waits >= PORT_WAITS && used < NEARLY_FULL {
            let to_host = matches!(self.channels.all[output].to.node, Node::Host(_));
            let way = if to_host { Way::End(End::Host(output)) } else { Way::On(output) };
            return Some((way, waits));
        }
        if used >= NEARLY_FULL {
            return Some((Way::End(End::Channel(output)), used));
        }
        counted.retries().then(|| (Way::End(End::Channel(output)), counted.lost()))
    }

    /// Whether what comes by a channel may leave by this output of the switch at its end.
    fn leads_to(&self, channel: usize, output: usize) -> bool {
        let (from, to) = (self.channels.all[channel].from, self.channels.all[channel].to);
        let (Node::Switch(at), output) = (to.node, &self.channels.all[output]) else { return false };
        let reached = |destination: SwitchId| self.passes(from, (at, to.port), destination, output.from.port);
        match output.to.node {
            Node::Host(host) => self.arrives(from, (at, host)),
            Node::Switch(_) => self.hosts_at.keys().any(|destination| reached(*destination)),
        }
    }

    /// Whether what is for a host at the far switch comes by the channel from this port.
    fn arrives(&self, from: Endpoint, (at, host): (SwitchId, HostId)) -> bool {
        let Node::Switch(before) = from.node else { return true };
        match self.routes.tables_of_paths() {
            [] => self.leaves(before, from.port, at),
            paths => paths.iter().any(|tables| tables.port(before, host) == Some(from.port)),
        }
    }

    /// Whether some phase of packets for this destination leaves a switch by this port.
    fn leaves(&self, switch: SwitchId, port: Port, destination: SwitchId) -> bool {
        (0..self.routes.phase_count())
            .any(|phase| self.routes.next_ports(switch, phase, destination).contains(&port))
    }

    /// Whether what comes by the channel from this port for the hosts of a destination leaves by that port.
    fn passes(
        &self,
        from: Endpoint,
        (at, input): (SwitchId, Port),
        destination: SwitchId,
        output: Port,
    ) -> bool {
        if destination == at {
            return false;
        }
        // A host with several LIDs has a path for each.
        let paths = self.routes.tables_of_paths();
        if !paths.is_empty() {
            let comes = |tables: &DestinationTables, host: HostId| match from.node {
                Node::Host(_) => true,
                Node::Switch(before) => tables.port(before, host) == Some(from.port),
            };
            return self.hosts_at[&destination].iter().any(|host| {
                paths.iter().any(|tables| comes(tables, *host) && tables.port(at, *host) == Some(output))
            });
        }
        let comes = match from.node {
            Node::Host(_) => true,
            Node::Switch(before) => self.leaves(before, from.port, destination),
        };
        let phase = self.routes.phase(at, input);
        comes && self.routes.next_ports(at, phase, destination).contains(&output)
    }
}

/// A cable that is the root in both directions is one root, by the direction that has more waiting.
fn both_ways_as_one(ends: &BTreeMap<End, f64>) -> Vec<(End, f64)> {
    // The two directions of a link have numbers that differ in the last bit.
    let other = |end: &End| match end {
        End::Channel(channel) => ends.get(&End::Channel(channel ^ 1)).copied(),
        End::Host(_) | End::Unknown(_) | End::Uneven(_) | End::Busy(_) => None,
    };
    let is_first = |end: &End, share: f64| match (end, other(end)) {
        (End::Channel(channel), Some(back)) => share > back || (share >= back && channel & 1 == 0),
        _ => true,
    };
    ends.iter()
        .filter(|(end, share)| is_first(end, **share))
        .map(|(end, share)| (*end, share + other(end).unwrap_or(0.0)))
        .collect()
}

/// What comes to one switch by several channels and goes nowhere known from there has one end, the first of these; the
/// uneven links from one switch or into one are one, and so are busy links that lead to the same places. `members` are
/// the ends that each stands for, and is kept.
fn alike_as_one<Common: Ord>(
    ends: Vec<(End, f64)>,
    members: &mut BTreeMap<End, Vec<End>>,
    in_common: impl Fn(End) -> Option<Common>,
) -> Vec<(End, f64)> {
    let mut first: BTreeMap<Common, usize> = BTreeMap::new();
    let mut found: Vec<(End, f64)> = Vec::new();
    for (end, share) in ends {
        match in_common(end).map(|common| first.entry(common)) {
            Some(Entry::Occupied(known)) => {
                let (one, whole) = &mut found[*known.get()];
                *whole += share;
                let joined = members.remove(&end).unwrap_or_else(|| vec![end]);
                members.entry(*one).or_insert_with(|| vec![*one]).extend(joined);
            }
            Some(Entry::Vacant(new)) => {
                new.insert(found.len());
                found.push((end, share));
            }
            None => found.push((end, share)),
        }
    }
    found
}

/// Of each channel the way that most of its waiting goes: the next channel, and the end that it comes to.
fn main_ways(ways: &BTreeMap<usize, Vec<(Way, f64)>>) -> (BTreeMap<usize, usize>, BTreeMap<usize, End>) {
    let most = |channel: usize| {
        let largest = ways[&channel].iter().max_by(|a, b| a.1.total_cmp(&b.1));
        largest.expect("a waiting channel has a way").0
    };
    let mut next = BTreeMap::new();
    let mut end_of = BTreeMap::new();
    for &channel in ways.keys() {
        if let Way::On(on) = most(channel) {
            next.insert(channel, on);
        }
        let (mut at, mut left) = (channel, ROUNDS);
        let end = loop {
            match most(at) {
                Way::End(end) => break Some(end),
                Way::On(on) if left > 0 => (at, left) = (on, left - 1),
                Way::On(_) => break None,
            }
        };
        end_of.extend(end.map(|end| (channel, end)));
    }
    (next, end_of)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_ends_of_one_switch_are_one() {
        // Channels of even numbers lead to one switch, those of odd numbers to another.
        let switch = |end: End| match end {
            End::Unknown(channel) => Some(channel % 2),
            _ => None,
        };
        let ends = vec![
            (End::Unknown(4), 0.375),
            (End::Channel(6), 0.25),
            (End::Unknown(2), 0.1875),
            (End::Unknown(3), 0.125),
            (End::Unknown(8), 0.0625),
        ];
        let expected = [(End::Unknown(4), 0.625), (End::Channel(6), 0.25), (End::Unknown(3), 0.125)];
        let mut members = BTreeMap::new();
        assert_eq!(alike_as_one(ends, &mut members, switch), expected);
        assert_eq!(members, [(expected[0].0, [4, 2, 8].map(End::Unknown).to_vec())].into());
    }
}
