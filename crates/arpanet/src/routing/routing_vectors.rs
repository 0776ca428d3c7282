//! The vectors of an IMP's last computations: what its routing messages tell of, those on their way included.

use crate::routing::routing_table::Vector;

/// Vectors that are kept: five seconds of them.
const KEPT: u32 = 8;

/// The delay estimates of an IMP at its last computations, by the serial number of the computation.
#[derive(Clone, Debug)]
pub(crate) struct RoutingVectors {
    last: u32,
    kept: [Vector; KEPT as usize],
}

impl RoutingVectors {
    /// Those of an IMP that has not computed yet, and tells of these estimates.
    pub const fn new(estimates: &Vector) -> Self {
        Self { last: 0, kept: [*estimates; KEPT as usize] }
    }

    /// The serial number of the last computation.
    #[inline]
    pub const fn last(&self) -> u32 {
        self.last
    }

    /// A computation has found these estimates.
    pub const fn computed(&mut self, estimates: &Vector) {
        self.last += 1;
        self.kept[(self.last % KEPT) as usize] = *estimates;
    }

    /// The vector of a computation; nothing where it is so old that it is void.
    pub fn of(&self, serial: u32) -> Option<&Vector> {
        (serial + KEPT > self.last).then(|| &self.kept[(serial % KEPT) as usize])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::routing::routing_table::vector_of;

    #[test]
    fn a_vector_is_void_once_eight_others_have_been_computed() {
        let mut vectors = RoutingVectors::new(&vector_of(&[0, 4]));
        for serial in 1..=9 {
            vectors.computed(&vector_of(&[0, serial]));
        }
        assert_eq!((vectors.last(), vectors.of(1)), (9, None));
        assert_eq!(vectors.of(2), Some(&vector_of(&[0, 2])));
        assert_eq!(vectors.of(9), Some(&vector_of(&[0, 9])));
    }
}
