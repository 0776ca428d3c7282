//! Where the cables of a fat tree depart from levels that are joined all to all: pairs of switches with fewer cables
//! than most, and pairs with more.

mod one_sided;
mod parts;
mod wanted;

use std::collections::{BTreeMap, BTreeSet};

use crate::family::{Levels, out_of_place};
pub(super) use crate::family::{cables_by_pair, most_common};
use crate::graph::{HostId, LinkId, Network, Node, Port, SwitchId};
use parts::Parts;
use wanted::Wanted;

/// Two neighbouring levels are meant to be joined all to all where at least this share of their pairs is.
const ALL_TO_ALL: f64 = 0.75;

/// Where more than this share do alike, the others are odd.
pub(super) const MOST: f64 = 0.5;

/// A switch has as many cables below it as others if it has at least this share of theirs: some hosts may be off.
const AS_MANY: f64 = 0.9;

/// Two switches, the one of the lower level first, within a level the one of the smaller id.
pub(super) type Pair = (SwitchId, SwitchId);

/// A pair of switches with fewer cables than most.
#[derive(Clone, Copy, Debug)]
pub(super) struct Short {
    pub has: usize,
    pub wanted: usize,
    /// The cables that are missing and were not found elsewhere.
    pub missing: usize,
}

/// A pair of switches with more cables than most, or with cables where no other pair has any.
#[derive(Clone, Copy, Debug)]
pub(super) struct Over {
    /// The surplus cables that are not reported as misplaced.
    pub cables: usize,
    /// Those that are reported as misplaced.
    pub misplaced: usize,
    /// Whether the pair should have some.
    pub some_wanted: bool,
}

/// Switches of two neighbouring levels that are joined all to all: the lower ones and the upper ones.
pub(super) type Block = (Vec<SwitchId>, Vec<SwitchId>);

/// All departures of a fat tree.
#[derive(Default)]
pub(super) struct Departures {
    pub short: BTreeMap<Pair, Short>,
    pub over: BTreeMap<Pair, Over>,
    /// The blocks in which they were found.
    pub blocks: Vec<Block>,
    /// Those of which most pairs have as many cables, and how many.
    pub joined: Vec<(Block, usize)>,
    /// Lower switches that belong to one of several blocks, if neither their cables nor their ports determine which.
    pub in_doubt: BTreeSet<SwitchId>,
    /// Switches that have another number of cables to each of the other level than most, by no mistake.
    pub of_own_design: BTreeSet<SwitchId>,
}

impl Departures {
    pub fn of(network: &Network, levels: &Levels) -> Self {
        let pairs = cables_by_pair(network);
        let mut found = Self::default();
        for level in 0..levels.top() {
            let blocks = blocks(network, levels, level);
            let wanted: Vec<Option<Wanted>> = blocks.iter().map(|block| Wanted::of(&pairs, block)).collect();
            let usual = Wanted::of_most(&blocks, &wanted);
            let (blocks, wanted) = with_halves_joined(&pairs, blocks, wanted);
            for (block, wanted) in blocks.into_iter().zip(wanted) {
                if let Some(wanted) =
                    wanted.or_else(|| usual.and_then(|n| Wanted::as_most(&pairs, &block, n)))
                {
                    found.add(network, &pairs, block, wanted);
                } else {
                    found.add_parts(network, &pairs, &block, usual.is_some());
                }
            }
        }
        for link in out_of_place(network, levels) {
            if let Some([a, b]) = network.link(link).switches() {
                let stray = Over { cables: 0, misplaced: 0, some_wanted: false };
                let key = |switch: SwitchId| (levels.level(switch), switch);
                let pair = if key(a) < key(b) { (a, b) } else { (b, a) };
                found.over.entry(pair).or_insert(stray).cables += 1;
            }
        }
        found.add_without_up(network, levels);
        found.add_one_sided(network, levels);
        found
    }

    /// A switch whose only cable up leads elsewhere lacks it, where one cable of the level above is out of place: the
    /// other end of that is where it would lead.
    fn add_without_up(&mut self, network: &Network, levels: &Levels) {
        let is_without = |id: &SwitchId| {
            let own = levels.level(*id);
            let mut above = network.neighbours(*id).filter(|(_, _, far, _)| levels.level(*far) > own);
            own >= 0 && own < levels.top() && above.next().is_none()
        };
        for switch in network.switch_ids().filter(is_without) {
            let next = levels.level(switch) + 1;
            let strays = self.over.iter().filter(|(_, over)| !over.some_wanted);
            let above: BTreeSet<SwitchId> = strays
                .flat_map(|((a, b), _)| [*a, *b])
                .filter(|id| *id != switch && levels.level(*id) == next)
                .collect();
            if let (1, Some(upper)) = (above.len(), above.first()) {
                let lacks = Short { has: 0, wanted: 1, missing: 1 };
                self.short.entry((switch, *upper)).or_insert(lacks);
            }
        }
    }

    pub fn is_empty(&self) -> bool {
        self.short.is_empty() && self.over.is_empty()
    }

    fn add(&mut self, network: &Network, pairs: &BTreeMap<Pair, usize>, block: Block, wanted: Wanted) {
        let wanted = wanted.without_lost(|id| has_as_many_below(network, &block, id));
        for (a, b) in all_of(&block) {
            let (has, [fewest, most]) = (count(pairs, a, b), wanted.range((a, b)));
            if has < fewest {
                self.short.insert((a, b), Short { has, wanted: fewest, missing: fewest - has });
            } else if has > most {
                self.over.insert((a, b), Over { cables: has - most, misplaced: 0, some_wanted: true });
            }
        }
        if let Wanted::Each(each, _) = &wanted {
            self.joined.push((block.clone(), *each));
        }
        self.of_own_design.extend(wanted.of_own_design());
        self.blocks.push(block);
    }

    /// A block that is not joined all to all may be several that a few cables join by mistake: then these parts are
    /// looked at, and those cables are too many.
    fn add_parts(
        &mut self,
        network: &Network,
        pairs: &BTreeMap<Pair, usize>,
        block: &Block,
        others_are_joined: bool,
    ) {
        let Parts { blocks: parts, in_doubt } = Parts::of(network, block, others_are_joined);
        let wanted: Option<Vec<Wanted>> = parts.iter().map(|part| Wanted::of(pairs, part)).collect();
        let Some(wanted) = wanted.filter(|wanted| wanted.len() > 1) else { return };
        let within: BTreeSet<Pair> = parts.iter().flat_map(all_of).collect();
        // The only spine of a pod may have all cables of several parts: that is no mistake.
        let is_full = |a: SwitchId, part: usize| {
            parts[part].1.iter().all(|b| count(pairs, a, *b) >= wanted[part].range((a, *b))[0].max(1))
        };
        let part_of = |id: SwitchId, side: fn(&Block) -> &Vec<SwitchId>| {
            parts.iter().position(|part| side(part).contains(&id))
        };
        let belongs_to_both = |a: SwitchId, b: SwitchId| {
            let both = [part_of(a, |(lower, _)| lower), part_of(b, |(_, upper)| upper)];
            both.into_iter().all(|part| part.is_some_and(|part| is_full(a, part)))
        };
        for (a, b) in all_of(block).filter(|pair| !within.contains(pair)) {
            let cables = count(pairs, a, b);
            if cables > 0 && !belongs_to_both(a, b) {
                self.over.insert((a, b), Over { cables, misplaced: 0, some_wanted: false });
            }
        }
        for (part, wanted) in parts.into_iter().zip(wanted) {
            self.add(network, pairs, part, wanted);
        }
        self.in_doubt.extend(in_doubt);
    }

    /// The block in which a pair should have cables.
    pub fn block(&self, (a, b): Pair) -> Option<&Block> {
        self.blocks.iter().find(|(lower, upper)| lower.contains(&a) && upper.contains(&b))
    }

    /// Whether both switches of a pair that lacks a cable have as many cables as most switches of their side, in a
    /// block whose pairs differ: then a cable of each leads elsewhere, and which one is undetermined.
    pub fn are_full(&self, network: &Network, (a, b): Pair) -> bool {
        let cables = |id: SwitchId| network.neighbours(id).count();
        let is_full = |id: SwitchId, side: &[SwitchId]| {
            most_common(side.iter().map(|id| cables(*id))).is_some_and(|(usual, _)| cables(id) >= usual)
        };
        let block = self.block((a, b)).filter(|_| self.has_uneven_block((a, b)));
        block.is_some_and(|(lower, upper)| is_full(a, lower) && is_full(b, upper))
    }

    /// Whether the pairs of a pair's block have different numbers of cables by design.
    pub fn has_uneven_block(&self, pair: Pair) -> bool {
        self.block(pair).is_some_and(|block| self.joined.iter().all(|(joined, _)| joined != block))
    }

    /// The ports of a pair that are empty, where those of most others of their block have the cables that it lacks.
    /// Where these are more or fewer, and the switch lacks no others: its empty ports between those with cables. Where
    /// the number of these differs too, none is named.
    pub fn empty_ports(&self, network: &Network, (a, b): Pair) -> Vec<String> {
        let (Some((lower, upper)), Some(short)) = (self.block((a, b)), self.short.get(&(a, b))) else {
            return Vec::new();
        };
        let sides = [(lower, a, b), (upper, b, a)].map(|(side, own, far)| {
            let ports = side.iter().map(|peer| network.switch(*peer).ports.len()).max().unwrap_or(0);
            let empty = (0..ports as Port).filter(|port| network.far_end(own, *port).is_none());
            let as_others: Vec<Port> =
                empty.filter(|port| usual_beyond(network, side, (own, *port)) == Some(far)).collect();
            let lacks_others =
                self.short.iter().any(|(pair, _)| *pair != (a, b) && (pair.0 == own || pair.1 == own));
            let empty = match as_others.len() == short.missing {
                true => as_others,
                false if lacks_others => Vec::new(),
                false => gaps(network, own),
            };
            let told = if empty.len() == short.missing { empty } else { Vec::new() };
            told.into_iter().map(|port| format!("{}:{port}", network.switch(own).name)).collect::<Vec<_>>()
        });
        sides.concat()
    }

    /// The host that is in a port of a lower switch in which most others of its block have a cable that this pair
    /// lacks.
    pub fn host_instead(&self, network: &Network, (a, b): Pair) -> Option<HostId> {
        let (lower, _) = self.block((a, b))?;
        let mut hosts = network.host_ids().filter(|id| network.host(*id).switch == a);
        hosts.find(|id| usual_beyond(network, lower, (a, network.host(*id).port)) == Some(b))
    }
}

/// Whether a lower switch has about as many cables to what is below it as its like: those to hosts, to switches below.
/// A switch that is meant to have fewer up-links has fewer of these too.
fn has_as_many_below(network: &Network, (lower, upper): &Block, id: SwitchId) -> bool {
    let below = |id: SwitchId| {
        let cables = network.switch(id).ports.iter().flatten();
        let leads_up = |link: &&LinkId| {
            network.link(**link).switches().is_some_and(|ends| ends.iter().any(|end| upper.contains(end)))
        };
        cables.filter(|link| !leads_up(link)).count()
    };
    let mut others: Vec<usize> =
        lower.iter().filter(|other| **other != id).map(|other| below(*other)).collect();
    others.sort_unstable();
    others.get(others.len() / 2).is_some_and(|usual| below(id) as f64 >= AS_MANY * *usual as f64)
}

/// The empty ports of a switch between ports with cables.
pub(super) fn gaps(network: &Network, switch: SwitchId) -> Vec<Port> {
    let ports = &network.switch(switch).ports;
    let first = ports.iter().position(Option::is_some).unwrap_or(0);
    let last = ports.iter().rposition(Option::is_some).unwrap_or(0);
    (first..last).filter(|port| ports[*port].is_none()).map(|port| port as Port).collect()
}

/// The switch that the cables in this port of most of the others on the same side of a block lead to.
pub(super) fn usual_beyond(
    network: &Network,
    side: &[SwitchId],
    (switch, port): (SwitchId, Port),
) -> Option<SwitchId> {
    let peers = || side.iter().filter(|peer| **peer != switch);
    let beyond = peers().filter_map(|peer| match network.far_end(*peer, port)?.node {
        Node::Switch(beyond) => Some(beyond),
        Node::Host(_) => None,
    });
    let most = MOST * peers().count() as f64;
    most_common(beyond).filter(|(_, times)| *times as f64 > most).map(|(usual, _)| usual)
}

fn count(pairs: &BTreeMap<Pair, usize>, a: SwitchId, b: SwitchId) -> usize {
    pairs.get(&(a.min(b), a.max(b))).copied().unwrap_or(0)
}

/// Every lower switch with every upper one.
fn all_of((lower, upper): &Block) -> impl Iterator<Item = Pair> {
    lower.iter().flat_map(move |a| upper.iter().map(move |b| (*a, *b)))
}

/// The parts into which the cables between a level and the one above it divide these: a pod each, or all.
fn blocks(network: &Network, levels: &Levels, level: i32) -> Vec<Block> {
    let mut seen = vec![false; network.switches().len()];
    let mut blocks = Vec::new();
    for first in network.switch_ids().filter(|id| levels.level(*id) == level) {
        if seen[first.index()] {
            continue;
        }
        seen[first.index()] = true;
        let mut members = vec![first];
        let mut next = 0;
        while next < members.len() {
            let at = members[next];
            next += 1;
            for (_, _, far, _) in network.neighbours(at) {
                let between = [levels.level(at), levels.level(far)];
                let is_next = between == [level, level + 1] || between == [level + 1, level];
                if is_next && !seen[far.index()] {
                    seen[far.index()] = true;
                    members.push(far);
                }
            }
        }
        members.sort_unstable();
        blocks.push(members.into_iter().partition(|id| levels.level(*id) == level));
    }
    blocks
}

/// Blocks with those two made one that are the halves of a block of two by two, such as most are: two cables exchanged
/// within it leave each of its lower switches with all of its cables to one upper switch.
fn with_halves_joined(
    pairs: &BTreeMap<Pair, usize>,
    mut blocks: Vec<Block>,
    mut wanted: Vec<Option<Wanted>>,
) -> (Vec<Block>, Vec<Option<Wanted>>) {
    let sides = |(lower, upper): &Block| [lower.len(), upper.len()];
    let of_two = blocks.iter().filter(|block| sides(block) == [2, 2]).count();
    let usual = Wanted::of_most(&blocks, &wanted);
    let is_half = |block: &Block| {
        sides(block) == [1, 1] && Some(count(pairs, block.0[0], block.1[0])) == usual.map(|each| 2 * each)
    };
    let halves: Vec<usize> = (0..blocks.len()).filter(|i| is_half(&blocks[*i])).collect();
    if let [one, other] = halves[..]
        && of_two + 2 == blocks.len()
    {
        let (lower, upper) = blocks.remove(other);
        wanted.remove(other);
        blocks[one].0.extend(lower);
        blocks[one].1.extend(upper);
    }
    (blocks, wanted)
}
