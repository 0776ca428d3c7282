//! The vectors of an IMP's last computations: those in its routing messages, including messages in transit.

use crate::routing::feasible_distance::Numbers;
use crate::routing::routing_table::{MOST_DESTINATIONS, RoutingTable, Vector};

/// Vectors that are kept: five seconds of them.
const KEPT: u32 = 8;

/// The delay estimates of an IMP at its last computations, by the serial number of the computation.
#[derive(Clone, Debug)]
pub(crate) struct RoutingVectors {
    last: u32,
    kept: [Vector; KEPT as usize],
    /// What goes beside them, with loop-free routing.
    numbers: Vec<Numbers>,
}

/// Beside the vectors of all other routing goes nothing.
const NO_NUMBERS: Numbers = [0; MOST_DESTINATIONS];

impl RoutingVectors {
    /// Those of an IMP that has not computed yet, and sends this table.
    pub fn new(table: &RoutingTable) -> Self {
        let numbers = table.numbers().map_or_else(Vec::new, |&numbers| vec![numbers; KEPT as usize]);
        Self { last: 0, kept: [*table.estimates(); KEPT as usize], numbers }
    }

    /// The serial number of the last computation.
    #[inline]
    pub const fn last(&self) -> u32 {
        self.last
    }

    /// A computation has ended with this table.
    pub fn computed(&mut self, table: &RoutingTable) {
        self.last += 1;
        let place = (self.last % KEPT) as usize;
        self.kept[place] = *table.estimates();
        if let Some(numbers) = table.numbers() {
            self.numbers[place] = *numbers;
        }
    }

    /// The vector of a computation and the numbers beside it; nothing where it is so old that it is void.
    pub fn of(&self, serial: u32) -> Option<(&Vector, &Numbers)> {
        let place = (serial % KEPT) as usize;
        let numbers = self.numbers.get(place).unwrap_or(&NO_NUMBERS);
        (serial + KEPT > self.last).then(|| (&self.kept[place], numbers))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::routing::hold_down::HoldDown;
    use crate::routing::routing_table::{NO_PORT, vector_of};

    #[test]
    fn a_vector_is_void_once_eight_others_have_been_computed() {
        let mut table = RoutingTable::new(&[0, 4], &[NO_PORT, 0], 1, HoldDown::LoopFree);
        let mut vectors = RoutingVectors::new(&table);
        for serial in 1..=9 {
            table.merge(0, &vector_of(&[0, serial]), |_, _| {});
            table.tick();
            vectors.computed(&table);
        }
        assert_eq!((vectors.last(), vectors.of(1)), (9, None));
        let told = |serial| vectors.of(serial).map(|(vector, numbers)| (vector[1], numbers[0]));
        assert_eq!([2, 7, 8, 9].map(told), [Some((6, 0)), Some((11, 0)), Some((12, 1)), Some((13, 1))]);
    }
}
