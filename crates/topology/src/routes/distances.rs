//! Distances of every switch from every destination, in each phase.

use std::collections::{BTreeMap, VecDeque};

use hopscope_kernel::step;

use crate::graph::{Network, SwitchId};

use super::turning::Turning;
use super::up_down::Orientation;
use super::{DESCENDING, FREE};

/// No legal route. It stays itself when a hop is added, with saturation.
pub(super) const UNREACHABLE: u16 = u16::MAX;

/// The progress text.
const MEASURING: &str = "computing distances";

/// The number of destinations that are processed together: their distances from a switch are one run of memory that the
/// processor handles several at a time, and those of all switches stay in its cache.
const BLOCK: usize = u128::BITS as usize;

/// Links on the shortest legal route from each (switch, phase) to each destination.
pub(super) struct Distances {
    /// By phase, then switch, then destination.
    by_phase: Vec<Vec<u16>>,
    destinations: usize,
    /// Of each switch at which packets may turn up again the distances of those that do, and may.
    turned: BTreeMap<SwitchId, Vec<u16>>,
}

impl Distances {
    /// The distances from one switch in one phase, by the destination's place in the list.
    pub fn row(&self, switch: SwitchId, phase: u8) -> &[u16] {
        let first = switch.index() * self.destinations;
        &self.by_phase[usize::from(phase)][first..first + self.destinations]
    }

    /// Without phases: breadth-first search from a block of destinations at once. Each is a bit of a word that spreads
    /// over links, so that a link is passed once for all destinations that reach it in the same number of hops (Then et
    /// al. 2014, "The more the merrier: efficient multi-source graph traversal", section 3).
    pub fn shortest(network: &Network, destinations: &[SwitchId]) -> Self {
        let (switches, width) = (network.switches().len(), destinations.len());
        let neighbours: Vec<Vec<SwitchId>> = network
            .switch_ids()
            .map(|id| network.neighbours(id).map(|(_, _, far, _)| far).collect())
            .collect();
        let mut all = vec![UNREACHABLE; switches * width];
        let mut wave = Wave::new(switches);
        for (first, block) in (0..).step_by(BLOCK).zip(destinations.chunks(BLOCK)) {
            let mut distance = 0;
            wave.begin(block);
            while !wave.switches.is_empty() {
                step(MEASURING);
                for &switch in &wave.switches {
                    let row = switch.index() * width + first;
                    ones(wave.front[switch.index()]).for_each(|place| all[row + place] = distance);
                }
                distance += 1;
                wave.advance(&neighbours);
            }
        }
        Self { by_phase: vec![all], destinations: width, turned: BTreeMap::new() }
    }

    /// Under up*/down*. Both phases are shortest paths in a graph without cycles, so one pass over the switches in the
    /// order of their links' directions finds each.
    pub fn up_down(network: &Network, orientation: &Orientation, destinations: &[SwitchId]) -> Self {
        let (switches, width) = (network.switches().len(), destinations.len());
        let order = orientation.downwards(network);
        let mut ups = vec![Vec::new(); switches];
        let mut downs = vec![Vec::new(); switches];
        for &switch in &order {
            for (_, link, far, _) in network.neighbours(switch) {
                let side = if orientation.leads_up(link, switch) { &mut ups } else { &mut downs };
                side[switch.index()].push(far);
            }
        }
        let mut free = vec![UNREACHABLE; switches * width];
        let mut descending = vec![UNREACHABLE; switches * width];
        for first in (0..width).step_by(BLOCK) {
            let last = width.min(first + BLOCK);
            for (place, destination) in (first..last).zip(&destinations[first..last]) {
                descending[destination.index() * width + place] = 0;
            }
            // A descending packet only goes down: the switches below are done before the switch itself.
            for switch in order.iter().rev() {
                step(MEASURING);
                for below in &downs[switch.index()] {
                    nearer_by(&mut descending, (switch.index(), below.index()), width, first..last);
                }
            }
            // A free packet turns down here, or goes up once more: the switches above are done before.
            for switch in &order {
                step(MEASURING);
                let row = switch.index() * width;
                free[row + first..row + last].copy_from_slice(&descending[row + first..row + last]);
                for above in &ups[switch.index()] {
                    nearer_by(&mut free, (switch.index(), above.index()), width, first..last);
                }
            }
        }
        let mut by_phase = vec![Vec::new(), Vec::new()];
        by_phase[usize::from(FREE)] = free;
        by_phase[usize::from(DESCENDING)] = descending;
        let mut distances = Self { by_phase, destinations: width, turned: BTreeMap::new() };
        if let Some(turning) = orientation.turning() {
            distances.turn(network, orientation, turning, destinations);
        }
        distances
    }

    /// The distances of a packet that has come down to a switch at which it may turn up again, by which it goes up to
    /// this one; nothing where it may not turn.
    pub fn turned(&self, (from, to): (SwitchId, SwitchId)) -> Option<&[u16]> {
        self.turned.get(&from).and(self.turned.get(&to)).map(Vec::as_slice)
    }

    /// Finds the distances from the destinations towards which packets may turn, of which there are few, anew.
    fn turn(
        &mut self,
        network: &Network,
        orientation: &Orientation,
        turning: &Turning,
        destinations: &[SwitchId],
    ) {
        let is_towards: Vec<bool> = destinations.iter().map(|to| turning.is_towards(*to)).collect();
        for (place, &destination) in destinations.iter().enumerate().filter(|(place, _)| is_towards[*place]) {
            step(MEASURING);
            let mut reached = VecDeque::new();
            for phase in [FREE, DESCENDING] {
                let own = &mut self.by_phase[usize::from(phase)];
                own.iter_mut().skip(place).step_by(is_towards.len()).for_each(|left| *left = UNREACHABLE);
                own[destination.index() * is_towards.len() + place] = 0;
                reached.push_back((destination, phase, 0));
            }
            while let Some((at, phase, left)) = reached.pop_front() {
                for (_, link, before, _) in network.neighbours(at) {
                    let phases: &[u8] = match (orientation.leads_up(link, before), phase) {
                        (true, FREE) if turning.is_at(before) => &[FREE, DESCENDING],
                        (true, FREE) => &[FREE],
                        (false, DESCENDING) => &[FREE, DESCENDING],
                        _ => continue,
                    };
                    for &phase in phases {
                        let known =
                            &mut self.by_phase[usize::from(phase)][before.index() * is_towards.len() + place];
                        if *known == UNREACHABLE {
                            *known = left + 1;
                            reached.push_back((before, phase, left + 1));
                        }
                    }
                }
            }
        }
        for switch in turning.switches() {
            let row = self.row(switch, FREE).iter().zip(&is_towards);
            let row = row.map(|(left, is_towards)| if *is_towards { *left } else { UNREACHABLE }).collect();
            self.turned.insert(switch, row);
        }
    }
}

/// A breadth-first search from up to [`BLOCK`] destinations, a bit each.
struct Wave {
    /// The destinations that have reached each switch.
    seen: Vec<u128>,
    /// Those that have reached it in the last hop.
    front: Vec<u128>,
    /// Those that reach it in the next one.
    next: Vec<u128>,
    /// The switches with a front.
    switches: Vec<SwitchId>,
    /// The switches that some destination reaches in the next hop.
    reached: Vec<SwitchId>,
}

impl Wave {
    fn new(switches: usize) -> Self {
        let none = vec![0; switches];
        Self {
            seen: none.clone(),
            front: none.clone(),
            next: none,
            switches: Vec::new(),
            reached: Vec::new(),
        }
    }

    /// Begins at these destinations.
    fn begin(&mut self, destinations: &[SwitchId]) {
        self.seen.fill(0);
        for (place, &destination) in destinations.iter().enumerate() {
            self.seen[destination.index()] = 1 << place;
            self.front[destination.index()] = 1 << place;
        }
        self.switches.extend(destinations);
    }

    /// One hop further.
    fn advance(&mut self, neighbours: &[Vec<SwitchId>]) {
        for switch in self.switches.drain(..) {
            let spreading = std::mem::take(&mut self.front[switch.index()]);
            for &far in &neighbours[switch.index()] {
                let news = spreading & !self.seen[far.index()];
                if news != 0 {
                    if self.next[far.index()] == 0 {
                        self.reached.push(far);
                    }
                    self.next[far.index()] |= news;
                }
            }
        }
        for &switch in &self.reached {
            let news = std::mem::take(&mut self.next[switch.index()]);
            self.seen[switch.index()] |= news;
            self.front[switch.index()] = news;
        }
        std::mem::swap(&mut self.switches, &mut self.reached);
    }
}

/// The places of the ones in a word.
pub(super) fn ones(mut word: u128) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let place = (word != 0).then(|| word.trailing_zeros() as usize)?;
        word &= word - 1;
        Some(place)
    })
}

/// Takes the way from one switch by another wherever that is shorter, for a block of destinations.
fn nearer_by(all: &mut [u16], (from, by): (usize, usize), width: usize, block: std::ops::Range<usize>) {
    let (from, by) = (from * width, by * width);
    let (low, high) = all.split_at_mut(from.max(by));
    let (mine, theirs) = if from < by {
        (&mut low[from + block.start..from + block.end], &high[block])
    } else {
        (&mut high[block.clone()], &low[by + block.start..by + block.end])
    };
    for (mine, theirs) in mine.iter_mut().zip(theirs) {
        *mine = (*mine).min(theirs.saturating_add(1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::NetworkSpec;
    use crate::generators::{Grid, Random};

    /// One destination after the other, a switch at a time.
    fn one_by_one(network: &Network, destination: SwitchId) -> Vec<u16> {
        let mut distances = vec![UNREACHABLE; network.switches().len()];
        distances[destination.index()] = 0;
        let mut reached = vec![destination];
        let mut next = 0;
        while let Some(&switch) = reached.get(next) {
            next += 1;
            for (_, _, far, _) in network.neighbours(switch) {
                if distances[far.index()] == UNREACHABLE {
                    distances[far.index()] = distances[switch.index()] + 1;
                    reached.push(far);
                }
            }
        }
        distances
    }

    /// Irregular and long networks, of more destinations than one block and of fewer, some of which are left out.
    #[test]
    fn blocks_of_destinations_find_what_each_finds_alone() {
        let random =
            |switches, seed| Random { switches, seed, regular: false, degree: 5, ..Random::default() };
        let long = Grid { width: 3, height: 100, ..Grid::default() };
        let mut specs = vec![NetworkSpec::Torus(long.clone()), NetworkSpec::Mesh(long)];
        specs.extend((1..10).map(|seed| NetworkSpec::Random(random(40 * seed as u32, seed))));
        for spec in specs {
            let network = spec.build().expect("a network");
            let destinations: Vec<SwitchId> = network.switch_ids().filter(|id| id.index() % 7 != 3).collect();
            let distances = Distances::shortest(&network, &destinations);
            for (place, &destination) in destinations.iter().enumerate() {
                let alone = one_by_one(&network, destination);
                for switch in network.switch_ids() {
                    assert_eq!(distances.row(switch, FREE)[place], alone[switch.index()]);
                }
            }
        }
    }
}
