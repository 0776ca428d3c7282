//! Virtual-route pacing: the first unit of a window asks for the next one.

use super::paced::{NextWindow, Paced, Response};

/// Virtual-route pacing: a window of k units, the first of which carries the pacing request. The response opens the
/// next k, so that at most 2k - 1 units are outstanding. k moves between a minimum and a maximum.
///
/// Sources: IBM, z/OS Communications Server, SNA Network Implementation Guide, virtual-route pacing; M. Schwartz,
/// "Performance analysis of the SNA virtual route pacing control", IEEE Trans. Comm. COM-30(1), 1982. The rule for k is
/// from memory, not from a source: it falls by one for a window with congestion, to the minimum for one with severe
/// congestion, and rises by one if a unit was held for a response without congestion. With minimum and maximum alike it
/// is fixed session-level pacing.
pub type Pacing = Paced<ByCongestion>;

impl Pacing {
    /// A route that was just activated: its window is the minimum. Panics unless 0 < `least` <= `most`.
    #[must_use]
    pub fn new(least: u64, most: u64) -> Self {
        assert!(0 < least && least <= most, "a window has room for a unit, and no minimum above its maximum");
        Self::opened(least, most, ByCongestion { least })
    }

    /// A constant window: fixed session-level pacing.
    #[must_use]
    pub fn fixed(window: u64) -> Self {
        Self::new(window, window)
    }
}

/// The congestion of the way moves the window.
#[derive(Clone, Copy, Debug)]
pub struct ByCongestion {
    least: u64,
}

impl NextWindow for ByCongestion {
    fn next(&self, window: u64, most: u64, told: Response) -> u64 {
        if told.reset {
            self.least
        } else if told.congested {
            self.least.max(window - 1)
        } else if told.held {
            most.min(window + 1)
        } else {
            window
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rule::{Answer, SendingRule, Unit};

    fn response(request: u64) -> Answer {
        Answer::Response { request, congested: false, reset: false, window: None }
    }

    fn drain(pacing: &mut Pacing) -> Vec<(u64, bool)> {
        (0..pacing.allowance())
            .map(|_| {
                let Unit { number, request } = pacing.send();
                (number, request)
            })
            .collect()
    }

    #[test]
    fn the_first_of_a_window_asks_and_the_response_opens_the_next() {
        let mut pacing = Pacing::fixed(3);
        assert_eq!(drain(&mut pacing), [(0, true), (1, false), (2, false)]);
        pacing.answered(response(0), true);
        assert_eq!(drain(&mut pacing), [(3, true), (4, false), (5, false)]);
        assert_eq!(pacing.outstanding(), 5, "2k - 1: all but the one that was answered");
        pacing.answered(response(3), true);
        assert_eq!(pacing.outstanding(), 2);
    }

    #[test]
    fn a_response_before_the_end_of_its_window_opens_the_next_one_behind_it() {
        let mut pacing = Pacing::fixed(3);
        assert_eq!(pacing.send(), Unit { number: 0, request: true });
        pacing.answered(response(0), false);
        assert_eq!(pacing.allowance(), 5);
        assert_eq!(drain(&mut pacing), [(1, false), (2, false), (3, true), (4, false), (5, false)]);
    }

    #[test]
    fn the_window_grows_where_it_held_a_unit_and_shrinks_where_it_was_told_to() {
        let mut pacing = Pacing::new(2, 4);
        let mut windows = Vec::new();
        let told =
            [(false, false), (false, false), (false, false), (true, false), (false, false), (true, true)];
        for (congested, reset) in told {
            let units = drain(&mut pacing);
            let request = units.iter().find(|(_, request)| *request).expect("every window asks").0;
            pacing.answered(Answer::Response { request, congested, reset, window: None }, true);
            windows.push(pacing.window());
        }
        assert_eq!(windows, [3, 4, 4, 3, 4, 2]);
        let request = drain(&mut pacing)[0].0;
        pacing.answered(response(request), false);
        assert_eq!(pacing.window(), 2, "nobody was held: it is large enough");
    }
}
