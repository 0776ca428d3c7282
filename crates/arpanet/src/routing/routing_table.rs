//! The routing table of one IMP: distance vectors of delay estimates.
//!
//! Kleinrock and Opderbeck, sections III and V; Tables I to III are replayed by the tests of this crate. Each hop costs
//! four units and one more for every packet in the output queue. A neighbour's vector is merged when it arrives: the
//! estimate over the best line follows it up and down, and another line is taken only where it is strictly better and
//! the best line is not held down.

use crate::routing::feasible_distance::{FeasibleDistances, Numbers};
use crate::routing::hold_down::{HoldDown, HoldDowns};

/// What one hop adds to a delay estimate, in delay units.
pub const HOP: u16 = 4;

/// The worst estimate: a routing message has 11 bits for each (the program's listing).
pub const WORST: u16 = 2047;

/// The number of one of an IMP's lines.
pub type Port = u8;

/// No line: the IMP itself.
pub const NO_PORT: Port = Port::MAX;

/// The most destinations of a table: one bit each.
pub const MOST_DESTINATIONS: usize = u64::BITS as usize;

/// The estimates that a routing message carries, the first of them for as many destinations as there are. All of one
/// length, so that they are compared many at once.
pub type Vector = [u16; MOST_DESTINATIONS];

/// What becomes of a better estimate over another line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RouteUpdate {
    /// The best line is that one now.
    Switched,
    /// It is ignored, because the best line is held down or, with loop-free routing, the neighbour is not certainly
    /// nearer.
    Ignored,
}

/// The delay estimates of one IMP and the line that is best for each destination.
#[derive(Clone, Debug)]
pub struct RoutingTable {
    destinations: usize,
    estimates: Vector,
    best: [Port; MOST_DESTINATIONS],
    /// Packets in the output queue of each line when last sampled.
    queues: Vec<u16>,
    holds: HoldDowns,
    /// With loop-free routing only.
    feasible: Option<FeasibleDistances>,
}

impl RoutingTable {
    /// A table that starts from these estimates and best lines, with all of `ports` lines idle.
    #[must_use]
    pub fn new(estimates: &[u16], best: &[Port], ports: usize, rule: HoldDown) -> Self {
        assert!(estimates.len() == best.len(), "an estimate and a line for every destination");
        let mut lines = [NO_PORT; MOST_DESTINATIONS];
        lines[..best.len()].copy_from_slice(best);
        Self {
            destinations: estimates.len(),
            holds: HoldDowns::new(rule, estimates),
            feasible: (rule == HoldDown::LoopFree).then(|| FeasibleDistances::new(estimates)),
            estimates: vector_of(estimates),
            best: lines,
            queues: vec![0; ports],
        }
    }

    /// The best line to a destination; [`NO_PORT`] for the IMP itself.
    #[inline]
    #[must_use]
    pub fn best(&self, destination: usize) -> Port {
        self.best[destination]
    }

    /// The delay estimate to a destination.
    #[must_use]
    pub fn estimate(&self, destination: usize) -> u16 {
        self.estimates[destination]
    }

    /// All estimates: what a routing message carries.
    #[must_use]
    pub const fn estimates(&self) -> &Vector {
        &self.estimates
    }

    /// The numbers that a routing message carries beside the estimates, with loop-free routing.
    #[must_use]
    pub fn numbers(&self) -> Option<&Numbers> {
        self.feasible.as_ref().map(FeasibleDistances::numbers)
    }

    /// The local delay over a line: the packets in its output queue when last sampled.
    #[must_use]
    pub fn local_delay(&self, port: Port) -> u16 {
        self.queues[usize::from(port)]
    }

    /// Whether the line to a destination is held down.
    #[must_use]
    pub fn held(&self, destination: usize) -> bool {
        self.holds.held(destination)
    }

    /// The queue of a line is sampled.
    pub fn sample(&mut self, port: Port, queued: u16) {
        self.queues[usize::from(port)] = queued;
    }

    /// A line is dead: the estimates over it are at their worst.
    pub fn line_died(&mut self, port: Port) {
        for destination in 0..self.destinations {
            let before = self.estimates[destination];
            if self.best[destination] == port && before < WORST {
                self.holds.changed(destination, before, WORST);
                self.estimates[destination] = WORST;
            }
        }
    }

    /// Ends a computation, whose estimates are sent to neighbours from now on: hold-downs come one step nearer to their
    /// end.
    pub fn tick(&mut self) {
        let destinations = ..self.destinations;
        self.holds.tick(&self.estimates[destinations], &self.best[destinations], self.queues.len());
        if let Some(feasible) = &mut self.feasible {
            feasible.tick(&self.estimates, &self.best[destinations]);
        }
        self.tell();
    }

    /// The estimates in the table are sent to neighbours from now on, without a computation.
    pub fn tell(&mut self) {
        if let Some(feasible) = &mut self.feasible {
            feasible.tell(&self.estimates);
        }
    }

    /// The destinations, one bit each, for which a neighbour's vector may change the estimate or the line: few, mostly.
    #[inline]
    fn changes(&self, port: Port, vector: &Vector, over: impl Fn(u16) -> u16) -> u64 {
        // First a byte each, which takes no branch and many at once; then eight bytes to a byte of bits.
        let mut changed = [0_u8; MOST_DESTINATIONS];
        for (destination, changed) in changed.iter_mut().enumerate() {
            let (before, after) = (self.estimates[destination], over(vector[destination]));
            let follows = self.best[destination] == port;
            *changed = u8::from((after < before) | ((after > before) & follows));
        }
        let eights = changed.chunks_exact(8).enumerate();
        eights.fold(0, |bits, (place, eight)| {
            let eight = u64::from_le_bytes(eight.try_into().expect("eight bytes"));
            bits | (eight.wrapping_mul(0x0102_0408_1020_4080) >> 56) << (8 * place)
        })
    }

    /// Merges the vector of the neighbour at the end of a line, and passes each destination whose best line changes or
    /// would change to `tell`.
    pub fn merge(&mut self, port: Port, vector: &Vector, tell: impl FnMut(usize, RouteUpdate)) {
        self.merge_numbered(port, vector, &[0; MOST_DESTINATIONS], tell);
    }

    /// Merges a vector with the numbers beside it, which loop-free routing heeds.
    pub fn merge_numbered(
        &mut self,
        port: Port,
        vector: &Vector,
        numbers: &Numbers,
        mut tell: impl FnMut(usize, RouteUpdate),
    ) {
        let cost = HOP + self.queues[usize::from(port)];
        self.holds.heard(port);
        if let Some(feasible) = &mut self.feasible {
            feasible.follow(port, &self.best[..self.destinations], numbers);
        }
        let over = |beyond: u16| beyond.saturating_add(cost).min(WORST);
        let mut changed = self.changes(port, vector, over);
        while changed != 0 {
            let destination = changed.trailing_zeros() as usize;
            changed &= changed - 1;
            let (before, after) = (self.estimates[destination], over(vector[destination]));
            if self.best[destination] == port {
                self.holds.changed(destination, before, after);
                self.estimates[destination] = after;
            } else {
                let told = vector[destination];
                let is_barred =
                    |feasible: &FeasibleDistances| !feasible.is_feasible(destination, told, numbers);
                if self.holds.held(destination) || self.feasible.as_ref().is_some_and(is_barred) {
                    tell(destination, RouteUpdate::Ignored);
                    continue;
                }
                if let Some(feasible) = &mut self.feasible {
                    feasible.turn(destination, numbers);
                }
                self.estimates[destination] = after;
                self.best[destination] = port;
                tell(destination, RouteUpdate::Switched);
            }
        }
    }
}

/// The vector of these estimates, at most [`MOST_DESTINATIONS`]. Entries beyond them have no effect: no estimate is
/// better than 0, and no line leads there.
#[must_use]
pub fn vector_of(estimates: &[u16]) -> Vector {
    assert!(estimates.len() <= MOST_DESTINATIONS, "one bit for every destination");
    let mut vector = [0; MOST_DESTINATIONS];
    vector[..estimates.len()].copy_from_slice(estimates);
    vector
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dead_line_is_left_for_any_other_once_it_is_held_down_no_more() {
        let mut table = RoutingTable::new(&[12, 8], &[0, 1], 2, HoldDown::ByMessage);
        table.line_died(0);
        assert_eq!((table.estimate(0), table.estimate(1)), (WORST, 8));
        table.merge(1, &vector_of(&[20, 4]), |_, told| assert_eq!(told, RouteUpdate::Ignored));
        (0..3).for_each(|_| table.tick());
        table.merge(1, &vector_of(&[20, 4]), |destination, told| {
            assert_eq!((destination, told), (0, RouteUpdate::Switched));
        });
        assert_eq!((table.estimate(0), table.best(0)), (24, 1));
    }

    #[test]
    fn an_equal_estimate_over_another_line_changes_nothing() {
        let mut table = RoutingTable::new(&[12], &[0], 2, HoldDown::None);
        table.merge(1, &vector_of(&[8]), |_, _| panic!("the line was switched"));
        table.merge(1, &vector_of(&[7]), |destination, told| {
            assert_eq!((destination, told), (0, RouteUpdate::Switched));
        });
        assert_eq!((table.estimate(0), table.best(0)), (11, 1));
    }
}
