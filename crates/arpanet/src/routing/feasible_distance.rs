//! Loop-free routing by feasible distances: a line is taken only where its neighbour is certainly nearer.
//!
//! Kleinrock and Opderbeck, section V, name a loop-free algorithm of Naylor (1975) without its rule. This is another,
//! published and proved: an IMP may turn to a neighbour only if the estimate of that neighbour is less than the lowest
//! that the IMP itself has ever sent for the destination, its feasible distance (Jaffe and Moss 1982;
//! Garcia-Luna-Aceves 1993, the source node condition). Along next hops feasible distances only fall, so no loop exists
//! at any instant, however late routing messages come. The best line may always be followed, up and down.
//!
//! Where all ways have become longer no neighbour may be feasible. Then the destination helps: now and then it raises a
//! number that travels along next hops with its estimates, and an estimate with a newer number counts as nearer
//! (Perkins and Bhagwat 1994; Babel, RFC 8966, section 2). Routing messages of the ARPANET go out all the time, so
//! numbers need no messages of their own, as inquiries among neighbours do (diffusing computations). They take
//! [`NUMBER_BITS`] bits a destination, and routing messages grow by none: the program has five bits for the number of
//! hops, by which it finds what cannot be reached. Without loops no estimate counts up, so that the worst one shows it.

use crate::routing::routing_table::{MOST_DESTINATIONS, NO_PORT, Port, Vector, WORST};

/// Bits of the number of a destination: those of its hop count in the program's routing messages.
pub const NUMBER_BITS: u32 = 5;

/// Computations (640 ms each) from one number of a destination to the next: 5.12 s, about as long as news takes over
/// the longest path. With quicker ones IMPs far away would always be a number behind their neighbours.
const RENEWED_AFTER: u8 = 8;

/// Computations after which an IMP without a route discards what it sent: 41 s. IMPs that depend on it have also had no
/// route for long, and its number is still within half a turn of the destination's.
const FORGOTTEN_AFTER: u8 = 64;

/// The numbers of all destinations that a routing message carries beside its estimates.
pub type Numbers = [u8; MOST_DESTINATIONS];

/// The lowest estimate sent for a destination with its newest number.
#[derive(Clone, Copy, Debug)]
struct Told {
    number: u8,
    estimate: u16,
}

/// The numbers and feasible distances of one IMP.
#[derive(Clone, Debug)]
pub(crate) struct FeasibleDistances {
    /// The number under which the best line leads to each destination.
    numbers: Numbers,
    /// Nothing where it has been forgotten.
    told: Vec<Option<Told>>,
    /// Computations since there was a way to each destination.
    lost_for: Vec<u8>,
    /// Computations until the IMP renews its own number.
    renewed_in: u8,
}

impl FeasibleDistances {
    /// Those of an IMP that has sent these estimates.
    pub fn new(estimates: &[u16]) -> Self {
        Self {
            numbers: [0; MOST_DESTINATIONS],
            told: estimates.iter().map(|&estimate| Some(Told { number: 0, estimate })).collect(),
            lost_for: vec![0; estimates.len()],
            renewed_in: RENEWED_AFTER,
        }
    }

    /// What a routing message carries beside the estimates.
    pub const fn numbers(&self) -> &Numbers {
        &self.numbers
    }

    /// The IMP follows these neighbours' numbers over one of its lines.
    pub fn follow(&mut self, port: Port, best: &[Port], numbers: &Numbers) {
        let own = self.numbers.iter_mut().zip(numbers).zip(best);
        own.filter(|&(_, &line)| line == port).for_each(|((own, &number), _)| *own = number);
    }

    /// Whether a neighbour with this estimate is certainly nearer than the IMP.
    pub fn is_feasible(&self, destination: usize, estimate: u16, numbers: &Numbers) -> bool {
        self.told[destination].is_none_or(|told| is_lower(numbers[destination], estimate, told))
    }

    /// The IMP turns to a neighbour.
    pub const fn turn(&mut self, destination: usize, numbers: &Numbers) {
        self.numbers[destination] = numbers[destination];
    }

    /// The IMP sends its neighbours these estimates from now on.
    pub fn tell(&mut self, estimates: &Vector) {
        for (destination, told) in self.told.iter_mut().enumerate() {
            let (number, estimate) = (self.numbers[destination], estimates[destination]);
            if estimate < WORST && told.is_none_or(|told| is_lower(number, estimate, told)) {
                *told = Some(Told { number, estimate });
            }
        }
    }

    /// One computation has passed, which found these estimates. The IMP itself has no `best` line.
    pub fn tick(&mut self, estimates: &Vector, best: &[Port]) {
        self.renewed_in -= 1;
        if self.renewed_in == 0 {
            self.renewed_in = RENEWED_AFTER;
            let own = self.numbers.iter_mut().zip(best).filter(|&(_, &line)| line == NO_PORT);
            own.for_each(|(number, _)| *number = (*number + 1) % (1 << NUMBER_BITS));
        }
        let lost = self.lost_for.iter_mut().zip(estimates).zip(&mut self.told);
        for ((lost_for, &estimate), told) in lost {
            *lost_for = if estimate < WORST { 0 } else { lost_for.saturating_add(1) };
            if *lost_for >= FORGOTTEN_AFTER {
                *told = None;
            }
        }
    }
}

/// Whether an estimate with this number is lower than the one sent: under the same number by its value, else by the
/// number, as long as that is ahead by less than half a turn.
const fn is_lower(number: u8, estimate: u16, told: Told) -> bool {
    let ahead = number.wrapping_sub(told.number) % (1 << NUMBER_BITS);
    if ahead == 0 { estimate < told.estimate } else { ahead < 1 << (NUMBER_BITS - 1) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::routing::routing_table::vector_of;

    fn numbered(number: u8) -> Numbers {
        [number; MOST_DESTINATIONS]
    }

    #[test]
    fn a_neighbour_must_be_nearer_than_the_imp_has_ever_been() {
        let mut distances = FeasibleDistances::new(&[20]);
        distances.tell(&vector_of(&[40]));
        assert!(distances.is_feasible(0, 19, &numbered(0)));
        assert!(!distances.is_feasible(0, 20, &numbered(0)));
        distances.tell(&vector_of(&[12]));
        assert!(!distances.is_feasible(0, 12, &numbered(0)));
    }

    #[test]
    fn a_newer_number_makes_a_longer_way_feasible_also_when_numbers_begin_anew() {
        let mut distances = FeasibleDistances::new(&[20]);
        for number in (1..80).map(|raised| raised % (1 << NUMBER_BITS)) {
            assert!(distances.is_feasible(0, 300, &numbered(number)), "{number}");
            distances.turn(0, &numbered(number));
            distances.tell(&vector_of(&[304]));
            assert!(!distances.is_feasible(0, 304, &numbered(number)));
            assert!(!distances.is_feasible(0, 4, &numbered((number + 31) % 32)), "an older number");
        }
    }

    #[test]
    fn a_destination_renews_its_own_number_only() {
        let mut distances = FeasibleDistances::new(&[0, 4]);
        (0..2 * RENEWED_AFTER).for_each(|_| distances.tick(&vector_of(&[0, 4]), &[NO_PORT, 0]));
        assert_eq!(distances.numbers()[..2], [2, 0]);
    }

    #[test]
    fn what_was_told_is_forgotten_once_no_way_has_been_known_for_long() {
        let mut distances = FeasibleDistances::new(&[20]);
        for _ in 1..FORGOTTEN_AFTER {
            distances.tick(&vector_of(&[WORST]), &[0]);
            assert!(!distances.is_feasible(0, 24, &numbered(0)));
        }
        distances.tick(&vector_of(&[WORST]), &[0]);
        assert!(distances.is_feasible(0, 24, &numbered(0)));
    }
}
