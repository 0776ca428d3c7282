//! The arbiter: which of several inputs of a switch that request one output is served next.
//!
//! Events of one instant are handled in a canonical order that follows the numbers of ports. That order must not decide
//! which input is served: the machines collect the requests of an instant, and the arbiter chooses when all of its
//! events have been handled. So the numbers of ports, hosts and switches have no influence, unless the arbiter is
//! `lowest`. One file a rule, each an [`Arbitration`].

mod lowest;
mod oldest;
mod random;
mod round_robin;

use hopscope_kernel::RandomStream;
use hopscope_topology::Port;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use self::lowest::Lowest;
use self::oldest::Oldest;
use self::random::Random;
use self::round_robin::RoundRobin;

/// A rule of arbiters. It has no state: the switch keeps the turn and the random stream.
trait Arbitration {
    /// The index, among the ports of the requesting inputs in order of request, of the one that is served. `turn` is
    /// the port after the one that was served last. Nothing if there is no request.
    fn choose(
        asking: &(impl Iterator<Item = Port> + Clone),
        turn: Port,
        random: &mut RandomStream,
    ) -> Option<usize>;

    /// Sorts inputs that made requests at one instant into the order in which they are considered.
    fn line_up<T>(asking: &mut [T], port: impl Fn(&T) -> Port, turn: Port, random: &mut RandomStream);
}

/// The place of the port with the least rank; the first of those with the same.
#[inline]
fn first_by(asking: &(impl Iterator<Item = Port> + Clone), rank: impl Fn(Port) -> Port) -> Option<usize> {
    let ranked = asking.clone().enumerate().min_by_key(|&(_, port)| rank(port));
    ranked.map(|(place, _)| place)
}

/// Which of several inputs that ask for an output of a switch is served first.
///
/// It chooses among all packets that stand at the heads of input buffers and wait for the output, also with `[frames]`
/// and credits. Queues at outputs stay first come, first served: there it orders only what comes at one instant, and
/// nobody starves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Arbiter {
    /// The one that has waited longest, as AN1's first come, first considered (SRC 88, section 3.5). Among those that
    /// have asked at one instant it is drawn: the paper names no order for them.
    #[default]
    Oldest,
    /// One drawn at random, each with the same chance (Karol, Hluchyj and Morgan 1987). Every switch has a random
    /// stream of its own, from the scenario's seed.
    Random,
    /// The next input after the one that was served last, in the order of ports.
    RoundRobin,
    /// The input with the lowest port number: a fixed priority, under which the others may starve.
    Lowest,
}

impl Arbiter {
    /// The index, among the ports of the requesting inputs in order of request, of the one that is served. `turn` is
    /// the port after the one that was served last. Nothing if there is no request.
    #[inline]
    pub fn choose(
        self,
        asking: &(impl Iterator<Item = Port> + Clone),
        turn: Port,
        random: &mut RandomStream,
    ) -> Option<usize> {
        match self {
            Self::Oldest => Oldest::choose(asking, turn, random),
            Self::Random => Random::choose(asking, turn, random),
            Self::RoundRobin => RoundRobin::choose(asking, turn, random),
            Self::Lowest => Lowest::choose(asking, turn, random),
        }
    }

    /// The rule for requests of one instant, of which none is the oldest.
    #[must_use]
    pub fn among_equals(self) -> Self {
        match self {
            Self::Oldest => Self::Random,
            Self::Random | Self::RoundRobin | Self::Lowest => self,
        }
    }

    /// Sorts inputs that made requests at one instant into the order in which they are considered.
    pub fn line_up<T>(
        self,
        asking: &mut [T],
        port: impl Fn(&T) -> Port,
        turn: Port,
        random: &mut RandomStream,
    ) {
        match self {
            Self::Oldest => Oldest::line_up(asking, port, turn, random),
            Self::Random => Random::line_up(asking, port, turn, random),
            Self::RoundRobin => RoundRobin::line_up(asking, port, turn, random),
            Self::Lowest => Lowest::line_up(asking, port, turn, random),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn random() -> RandomStream {
        RandomStream::named(1, "arbiter", 0)
    }

    #[test]
    fn each_chooses_by_its_rule() {
        let asking = [5, 2, 9];
        let chosen = |arbiter: Arbiter, turn| {
            arbiter.choose(&asking.iter().copied(), turn, &mut random()).map(|place| asking[place])
        };
        assert_eq!(chosen(Arbiter::Oldest, 0), Some(5));
        assert_eq!(chosen(Arbiter::Lowest, 0), Some(2));
        assert_eq!([0, 3, 6, 10].map(|turn| chosen(Arbiter::RoundRobin, turn)), [2, 5, 9, 2].map(Some));
        assert_eq!(Arbiter::Random.choose(&std::iter::empty(), 0, &mut random()), None);
    }

    #[test]
    fn random_gives_each_the_same_chance() {
        let (mut counts, mut random) = ([0u32; 3], random());
        for _ in 0..30_000 {
            let place = Arbiter::Random.choose(&[4, 1, 7].into_iter(), 0, &mut random);
            counts[place.expect("somebody asks")] += 1;
        }
        // Four standard deviations of a count are 327.
        assert!(counts.iter().all(|&count| count.abs_diff(10_000) < 330), "{counts:?}");
    }

    #[test]
    fn those_of_one_instant_are_lined_up_by_the_rule() {
        let lined_up = |arbiter: Arbiter, turn, seed| {
            let mut asking = [5, 2, 9];
            arbiter.line_up(&mut asking, |&port| port, turn, &mut RandomStream::named(seed, "arbiter", 0));
            asking
        };
        assert_eq!(lined_up(Arbiter::Lowest, 3, 1), [2, 5, 9]);
        assert_eq!(lined_up(Arbiter::RoundRobin, 3, 1), [5, 9, 2]);
        for arbiter in [Arbiter::Oldest, Arbiter::Random] {
            let orders: std::collections::BTreeSet<_> =
                (0..60).map(|seed| lined_up(arbiter, 0, seed)).collect();
            assert_eq!(orders.len(), 6, "{arbiter:?}");
        }
    }
}
