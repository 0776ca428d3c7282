//! Fat trees: switches in levels, hosts at the lowest, and perhaps small switches that hang from its leaves.

mod one_sided;

use std::collections::{BTreeMap, BTreeSet};

use hopscope_units::amount;

use crate::family::leaves::guesses;
use crate::family::{Neighbours, by_uid, cables_by_pair};
use crate::graph::{LinkId, Network, SwitchId};
use crate::routes::{Highest, Orientation, levels_below};

/// The number of cables that may join switches of other than neighbouring levels by mistake, and at most one in
/// `MISPLACED_OF` of all.
const MOST_MISPLACED: usize = 4;
const MISPLACED_OF: usize = 4;

/// A cable from a leaf leads past a level where at most one in this many of its other end leads to leaves: a core
/// switch of three pods has three. This many such cables are considered.
const PAST_OF: usize = 3;
const MOST_PAST: usize = 16;

/// A switch that has hosts is of the highest level only if it is above this number of each `REACHED_OF` leaves. Another
/// one, such as a small switch that hangs from a leaf, is no spine.
const REACHED: usize = 3;
const REACHED_OF: usize = 4;

/// For this number of leaves at most one switch may hang from leaves: with more it is another kind of network.
const LEAVES_OF_HANGING: usize = 2;

/// The level of each switch of a fat tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Levels {
    /// By switch, from 0, where hosts are; below it where a switch hangs from leaves.
    levels: Vec<i32>,
    top: i32,
    /// The switches of the highest level that up*/down* routes may go over together.
    roots: Vec<SwitchId>,
    /// Switches of one level that are joined in pairs.
    pairs: BTreeSet<[SwitchId; 2]>,
}

impl Levels {
    /// The level of a switch; hosts are at level 0. A small switch that hangs from leaves has a negative one: minus the
    /// cables from it to the nearest leaf.
    #[must_use]
    pub fn level(&self, switch: SwitchId) -> i32 {
        self.levels[switch.index()]
    }

    /// The highest level.
    #[must_use]
    pub fn top(&self) -> i32 {
        self.top
    }

    /// Whether it is of four levels or more and all switches of the highest have hosts: rather leaves beside its pods.
    pub(super) fn are_tops_leaves(&self, network: &Network) -> bool {
        let hosts = network.hosts_per_switch();
        self.top > 2 && self.of_level(self.top).all(|switch| hosts[switch] > 0)
    }

    pub(super) fn roots(&self) -> Vec<SwitchId> {
        self.roots.clone()
    }

    fn hangs(&self, switch: usize) -> bool {
        self.levels[switch] < 0
    }

    fn hanging(&self) -> impl Iterator<Item = usize> + use<'_> {
        (0..self.levels.len()).filter(|switch| self.hangs(*switch))
    }

    fn of_level(&self, level: i32) -> impl Iterator<Item = usize> + use<'_> {
        (0..self.levels.len()).filter(move |switch| self.levels[*switch] == level)
    }

    /// What switches of a level are called: one in its name, and several.
    pub(crate) fn role(&self, level: i32) -> (String, String) {
        let (one, many) = match (level, self.top) {
            (0, _) => ("leaf", "leaves"),
            (1, 1 | 2) => ("spine", "spines"),
            (2, 2) => ("core", "core switches"),
            _ => return (format!("level{level}-"), format!("switches of level {level}")),
        };
        (one.to_owned(), many.to_owned())
    }

    /// What one switch of a level is called.
    pub(crate) fn one(&self, level: i32) -> String {
        match (level, self.top) {
            (0, _) | (1, 1 | 2) => self.role(level).0,
            (2, 2) => "core switch".to_owned(),
            _ => format!("switch of level {level}"),
        }
    }

    pub(super) fn words(&self) -> String {
        let of_level = |level| amount(self.of_level(level).count(), &self.one(level), &self.role(level).1);
        let mut levels: Vec<String> = (0..=self.top).map(of_level).collect();
        for level in 0..=self.top {
            let pairs = self.pairs.iter().filter(|[one, _]| self.level(*one) == level).count();
            if pairs > 0 {
                levels.push(format!("{} joined in {}", self.role(level).1, amount(pairs, "pair", "pairs")));
            }
        }
        match self.hanging().count() {
            0 => {}
            1 => levels.push("1 switch that hangs from leaves".to_owned()),
            several => levels.push(format!("{several} switches that hang from leaves")),
        }
        format!("fat tree of {} levels: {}", self.top + 1, levels.join(", "))
    }

    pub(super) fn names(&self, network: &Network) -> Vec<String> {
        let mut names = vec![String::new(); self.levels.len()];
        for level in 0..=self.top {
            let (role, _) = self.role(level);
            for (number, switch) in (1..).zip(by_uid(network, self.of_level(level))) {
                names[switch] = format!("{role}{number}");
            }
        }
        for (number, switch) in (1..).zip(by_uid(network, self.hanging())) {
            names[switch] = format!("below{number}");
        }
        names
    }
}

/// The levels of a network, if it is a fat tree.
pub(super) fn recognised(network: &Network, neighbours: &Neighbours) -> Option<Levels> {
    with_misplaced(network, neighbours, 0, false)
}

/// The levels of a network that is a fat tree but for a few cables between switches of other than neighbouring levels,
/// and perhaps for a few switches that hang from its leaves.
pub(super) fn nearly(network: &Network, neighbours: &Neighbours) -> Option<Levels> {
    let between_switches = network.links().len() - network.hosts().len();
    let most_misplaced = MOST_MISPLACED.min(between_switches / MISPLACED_OF);
    with_misplaced(network, neighbours, most_misplaced, false)
        .or_else(|| with_misplaced(network, neighbours, most_misplaced, true))
}

fn with_misplaced(
    network: &Network,
    neighbours: &Neighbours,
    most_misplaced: usize,
    may_hang: bool,
) -> Option<Levels> {
    let hosts = network.hosts_per_switch();
    guesses(neighbours, &hosts).find_map(|leaves| {
        let hanging = if may_hang { hanging(neighbours, &leaves, &hosts)? } else { BTreeSet::new() };
        let leaves: Vec<SwitchId> =
            leaves.into_iter().map(SwitchId::new).filter(|leaf| !hanging.contains(leaf)).collect();
        let past: BTreeSet<LinkId> = match most_misplaced {
            0 => BTreeSet::new(),
            _ => past_a_level(network, &leaves).collect(),
        };
        let plain = Allowed { misplaced: most_misplaced, one_sided: false };
        let above =
            |past: &BTreeSet<LinkId>| self::above(network, neighbours, &leaves, &hanging, past, plain);
        // A spine with one leaf below has such a cable too: of all of these and each alone it is what leaves fewest out
        // of place.
        let each = past.iter().take(if past.len() > 1 { MOST_PAST } else { 0 });
        let alone = each.filter_map(|link| above(&BTreeSet::from([*link])));
        let lenient = Allowed { misplaced: 0, one_sided: true };
        let one_sided = (most_misplaced > 0 && !may_hang)
            .then(|| self::above(network, neighbours, &leaves, &hanging, &BTreeSet::new(), lenient));
        let found = above(&past).into_iter().chain(alone).chain(one_sided.flatten());
        found.min_by_key(|levels| not_neighbouring(network, levels).count())
    })
}

/// The switches with hosts that have cables to leaves alone, and to fewer of them than a spine would: one for storage
/// or for the management of the subnet that was added below a leaf. Nothing where there is none, or more than a few.
fn hanging(neighbours: &Neighbours, leaves: &[usize], hosts: &[u32]) -> Option<BTreeSet<SwitchId>> {
    let mut is_leaf = vec![false; hosts.len()];
    leaves.iter().for_each(|leaf| is_leaf[*leaf] = true);
    let hangs = |switch: &usize| {
        let near = neighbours.near(*switch);
        hosts[*switch] > 0
            && near.iter().all(|near| is_leaf[*near as usize])
            && near.len() * REACHED_OF < REACHED * leaves.len()
    };
    let hanging: Vec<usize> = (0..hosts.len()).filter(hangs).collect();
    let others = leaves.len() - hanging.iter().filter(|switch| is_leaf[**switch]).count();
    let are_few = !hanging.is_empty() && hanging.len() * LEAVES_OF_HANGING <= others;
    are_few.then(|| hanging.into_iter().map(SwitchId::new).collect())
}

/// What a fat tree may have beside the cables of one.
#[derive(Clone, Copy)]
struct Allowed {
    /// The number of cables between switches of other than neighbouring levels.
    misplaced: usize,
    /// Switches without any cable up, or without any down.
    one_sided: bool,
}

/// The levels above these switches and below them, if they make a fat tree except for a limited number of cables; some
/// lead past a level.
fn above(
    network: &Network,
    neighbours: &Neighbours,
    leaves: &[SwitchId],
    hanging: &BTreeSet<SwitchId>,
    past: &BTreeSet<LinkId>,
    allowed: Allowed,
) -> Option<Levels> {
    if leaves.is_empty() {
        return None;
    }
    let hangs = |link: LinkId| {
        network.link(link).switches().is_some_and(|ends| ends.iter().any(|end| hanging.contains(end)))
    };
    let up = levels_below(network, leaves, |link| !past.contains(&link) && !hangs(link));
    let mut levels: Vec<i32> = up.into_iter().map(i32::from).collect();
    let down = if hanging.is_empty() { Vec::new() } else { levels_below(network, leaves, hangs) };
    hanging.iter().for_each(|id| levels[id.index()] = -i32::from(down[id.index()]));
    if allowed.one_sided {
        one_sided::lower_without_down(neighbours, &mut levels);
    }
    let top = levels.iter().copied().max().filter(|top| *top > 0)?;
    let mut found = Levels { levels, top, roots: Vec::new(), pairs: BTreeSet::new() };
    found.pairs = pairs(network, &found);
    let leads_up = (0..neighbours.count()).all(|switch| {
        let own = found.levels[switch];
        let mut near = neighbours.near(switch).iter().map(|near| found.levels[*near as usize]);
        // The only cable up of a switch may lead to one of its own level by mistake.
        own == top
            || own < 0
            || near.any(|level| level > own || allowed.misplaced > 0 && own > 0 && level == own)
            || allowed.one_sided && one_sided::is_without_up(neighbours, &found.levels, switch)
    });
    let is_layered = out_of_place(network, &found).nth(allowed.misplaced).is_none();
    let hosts = network.hosts_per_switch();
    let are_tops = || {
        let with_hosts = found.of_level(top).filter(|switch| hosts[*switch] > 0);
        let most = |top| leaves_below(&found, neighbours, top) * REACHED_OF >= REACHED * leaves.len();
        with_hosts.into_iter().all(most)
    };
    if !leads_up || !is_layered || !are_tops() {
        return None;
    }
    let roots = roots(network, &found, &hosts, allowed.misplaced)?;
    Some(Levels { roots, ..found })
}

/// The switches of the highest level as roots of up*/down*, if routes from them join all switches with hosts. Two roots
/// have no route to each other, and a leaf may lack its cable to one: where this leaves a few hosts apart, packets for
/// these turn up again at a leaf. Where they cannot, the roots are those without hosts, and of those with some, in the
/// order of their uids, each beside which all are joined. Where misplaced cables leave at most `most_apart` pairs of
/// switches apart, the roots are all that leave them so.
fn roots(network: &Network, levels: &Levels, hosts: &[u32], most_apart: usize) -> Option<Vec<SwitchId>> {
    let tops: Vec<SwitchId> = levels.of_level(levels.top).map(SwitchId::new).collect();
    if Orientation::from_roots(network, &tops).turning().is_some() {
        return Some(tops);
    }
    let apart = |roots: &[SwitchId]| pairs_apart(network, roots, hosts);
    let add = |mut roots: Vec<SwitchId>, tops: Vec<usize>| {
        for top in by_uid(network, tops.into_iter()) {
            roots.push(SwitchId::new(top));
            if apart(&roots) > 0 {
                roots.pop();
            }
        }
        roots.sort_unstable();
        roots
    };
    let (with_hosts, without): (Vec<usize>, Vec<usize>) =
        levels.of_level(levels.top).partition(|top| hosts[*top] > 0);
    let roots = add(without.into_iter().map(SwitchId::new).collect(), with_hosts);
    match apart(&roots) {
        0 => Some(roots),
        pairs if pairs <= most_apart => Some(add(Vec::new(), levels.of_level(levels.top).collect())),
        _ => None,
    }
}

/// The leaves from which cables from level to level lead up to a switch.
fn leaves_below(levels: &Levels, neighbours: &Neighbours, top: usize) -> usize {
    let mut reached = BTreeSet::from([top]);
    for level in (0..levels.top).rev() {
        let below = |switch: &usize| neighbours.near(*switch).iter().map(|near| *near as usize);
        reached = reached.iter().flat_map(below).filter(|near| levels.levels[*near] == level).collect();
    }
    reached.len()
}

/// Two switches with the number of cables between them.
type Joined = ((SwitchId, SwitchId), usize);

/// The switches of one level that are joined in pairs (MLAG), such as leaves that share the links of hosts: most have
/// cables to one other of their level, and all of these pairs as many. One pair alone is a mistake, unless it is that
/// of the only two switches of the highest level, and no other cable is within a level.
fn pairs(network: &Network, levels: &Levels) -> BTreeSet<[SwitchId; 2]> {
    let mut within: BTreeMap<i32, Vec<Joined>> = BTreeMap::new();
    for ((a, b), cables) in cables_by_pair(network) {
        let level = levels.level(a);
        if level == levels.level(b) && (level == 0 || level == levels.top) {
            within.entry(level).or_default().push(((a, b), cables));
        }
    }
    let is_only = within.len() == 1;
    let are_pairs = |level: i32, between: &[Joined]| {
        let paired: BTreeSet<SwitchId> = between.iter().flat_map(|((a, b), _)| [*a, *b]).collect();
        let are_alike = between.windows(2).all(|two| two[0].1 == two[1].1);
        let are_apart = paired.len() == 2 * between.len();
        let all = levels.of_level(level).count();
        let are_the_tops = level == levels.top && all == 2 && is_only;
        are_alike && are_apart && (between.len() > 1 && 2 * paired.len() > all || are_the_tops)
    };
    let of_pairs = within.into_iter().filter(|(level, between)| are_pairs(*level, between));
    of_pairs.flat_map(|(_, between)| between).map(|((a, b), _)| [a, b]).collect()
}

/// The cables between switches that are not of neighbouring levels, which a fat tree does not have; but for those of
/// switches that hang from its leaves, of switches joined in pairs, and of leaves beside the pods.
pub(crate) fn out_of_place<'a>(
    network: &'a Network,
    levels: &'a Levels,
) -> impl Iterator<Item = LinkId> + use<'a> {
    not_neighbouring(network, levels).filter(|link| {
        let switches = network.link(*link).switches();
        switches.is_none_or(|ends| !ends.iter().any(|end| is_above_pods(network, levels, *end)))
    })
}

/// The same with those of leaves beside the pods: the levels that leave fewest of these are the likeliest.
fn not_neighbouring<'a>(network: &'a Network, levels: &'a Levels) -> impl Iterator<Item = LinkId> + use<'a> {
    let is_out = |link: &LinkId| {
        let switches = network.link(*link).switches();
        switches.is_some_and(|[a, b]| {
            let hang = [a, b].iter().any(|end| levels.hangs(end.index()));
            !hang
                && !levels.pairs.contains(&[a.min(b), a.max(b)])
                && levels.level(a).abs_diff(levels.level(b)) != 1
        })
    };
    network.link_ids().filter(is_out)
}

/// Whether all cables up of a leaf lead to switches of one level above the next one: one for storage is joined to the
/// core switches by design. Exchanged cables leave it some to the next level.
fn is_above_pods(network: &Network, levels: &Levels, leaf: SwitchId) -> bool {
    let beyond: Vec<i32> = network.neighbours(leaf).map(|(_, _, far, _)| levels.level(far)).collect();
    levels.level(leaf) == 0
        && !beyond.is_empty()
        && beyond.iter().all(|level| *level > 1 && *level == beyond[0])
}

/// The cables from a leaf to a switch that has few to leaves: by mistake they lead past a level, and say nothing of the
/// level of that switch.
fn past_a_level<'a>(network: &'a Network, leaves: &'a [SwitchId]) -> impl Iterator<Item = LinkId> + use<'a> {
    let mut is_leaf = vec![false; network.switches().len()];
    leaves.iter().for_each(|leaf| is_leaf[leaf.index()] = true);
    let mut cables = vec![(0, 0); is_leaf.len()];
    for switch in network.switch_ids() {
        let beyond = network.neighbours(switch).map(|(_, _, far, _)| is_leaf[far.index()]);
        cables[switch.index()] =
            beyond.fold((0, 0), |(all, to_leaves), leaf| (all + 1, to_leaves + usize::from(leaf)));
    }
    network.link_ids().filter(move |link| {
        let upper = match network.link(*link).switches() {
            Some([a, b]) if is_leaf[a.index()] && !is_leaf[b.index()] => b,
            Some([a, b]) if is_leaf[b.index()] && !is_leaf[a.index()] => a,
            _ => return false,
        };
        let (all, to_leaves) = cables[upper.index()];
        to_leaves * PAST_OF <= all
    })
}

/// The pairs of switches with hosts that have no root above both of them where up*/down* routes begin at these roots.
fn pairs_apart(network: &Network, roots: &[SwitchId], hosts: &[u32]) -> usize {
    if roots.is_empty() {
        return usize::MAX;
    }
    let orientation = Orientation::strictly_from_roots(network, roots);
    Highest::of(network, &orientation).pairs_apart(hosts)
}
