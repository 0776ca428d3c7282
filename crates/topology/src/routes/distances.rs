//! Distances of every switch from every destination, in each phase.

use hopscope_kernel::step;

use crate::graph::{Network, SwitchId};

use super::up_down::Orientation;
use super::{DESCENDING, FREE};

/// No legal route. It stays itself when a hop is added, with saturation.
pub(super) const UNREACHABLE: u16 = u16::MAX;

/// What is said of the work.
const MEASURING: &str = "computing distances";

/// So many destinations are worked on together: their distances from a switch are one run of memory that the processor
/// handles several at a time, and those of all switches stay in its cache.
const BLOCK: usize = 128;

/// Links on the shortest legal route from each (switch, phase) to each destination.
pub(super) struct Distances {
    /// By phase, then switch, then destination.
    by_phase: Vec<Vec<u16>>,
    destinations: usize,
}

impl Distances {
    /// The distances from one switch in one phase, by the destination's place in the list.
    pub fn row(&self, switch: SwitchId, phase: u8) -> &[u16] {
        let first = switch.index() * self.destinations;
        &self.by_phase[usize::from(phase)][first..first + self.destinations]
    }

    /// Without phases: breadth-first search from each destination.
    pub fn shortest(network: &Network, destinations: &[SwitchId]) -> Self {
        let (switches, width) = (network.switches().len(), destinations.len());
        let neighbours: Vec<Vec<SwitchId>> = network
            .switch_ids()
            .map(|id| network.neighbours(id).map(|(_, _, far, _)| far).collect())
            .collect();
        let mut all = vec![UNREACHABLE; switches * width];
        let mut from_here = Vec::new();
        let mut reached = Vec::with_capacity(switches);
        for (place, &destination) in destinations.iter().enumerate() {
            step(MEASURING);
            from_here.clear();
            from_here.resize(switches, UNREACHABLE);
            from_here[destination.index()] = 0;
            reached.clear();
            reached.push(destination);
            let mut next = 0;
            while next < reached.len() {
                let switch = reached[next];
                next += 1;
                let distance = from_here[switch.index()];
                all[switch.index() * width + place] = distance;
                for &far in &neighbours[switch.index()] {
                    if from_here[far.index()] == UNREACHABLE {
                        from_here[far.index()] = distance + 1;
                        reached.push(far);
                    }
                }
            }
        }
        Self { by_phase: vec![all], destinations: width }
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
        Self { by_phase, destinations: width }
    }
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
