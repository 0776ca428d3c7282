//! The burst: the sender of BCPL.

use super::super::sequence::precedes;
use super::{Acknowledgment, Demanding, Recovery, SendingRule};

/// As the clump, but of what is not acknowledged only what went before the last demand is sent again, and new Pups fill
/// the window in the same burst.
#[derive(Clone, Copy, Debug)]
pub(in crate::bsp) struct Burst {
    /// The end of what has been demanded.
    demanded_end: u32,
}

impl Burst {
    pub(super) const fn new(first: u32) -> Self {
        Self { demanded_end: first }
    }
}

impl SendingRule for Burst {
    fn demanding(&self) -> Demanding {
        Demanding::Last
    }

    fn admits(&self, _: usize, _: bool) -> bool {
        true
    }

    fn written(&mut self) {}

    fn demanded(&mut self, end: u32) {
        if precedes(self.demanded_end, end) {
            self.demanded_end = end;
        }
    }

    fn acknowledged(&mut self, acknowledgment: &Acknowledgment) -> Recovery {
        if acknowledgment.outstanding { Recovery::Before(self.demanded_end) } else { Recovery::Nothing }
    }

    fn timed_out(&mut self) -> Recovery {
        Recovery::Probe
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_repeats_what_went_before_the_furthest_demand() {
        let mut burst = Burst::new(u32::MAX - 9);
        burst.demanded(20);
        burst.demanded(10);
        let some = Acknowledgment { released: 1, outstanding: true, in_window: 3, answered: true };
        assert_eq!(burst.acknowledged(&some), Recovery::Before(20));
        assert!(burst.admits(1, true), "the window alone limits it");
        let all = Acknowledgment { outstanding: false, ..some };
        assert_eq!(burst.acknowledged(&all), Recovery::Nothing);
    }
}
