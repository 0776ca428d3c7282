//! Line hold-down: when the delay over the best line suddenly gets worse, keep to that line for a while.
//!
//! Kleinrock and Opderbeck, section V. The published criterion compares consecutive routing messages, so it depends on
//! how often they come; the corrected one does not. How it was corrected is not published: here the estimate is
//! compared with the best of the last [`HOLD_TICKS`] computations, so any worsening within that time counts, however
//! many messages it came in. A delay that goes on getting worse while the line is held down prolongs that, once as long
//! again at most, because neighbours do not know of it yet. What has been held down is known everywhere when that ends,
//! and counts no more.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A worsening of more than this starts a hold-down, in delay units.
pub const SUDDEN: u16 = 8;

/// Computations (640 ms each) for which a line is held down: the program's 2-bit timer, 1.28 to 1.92 s.
pub const HOLD_TICKS: u8 = 3;

/// When a line is held down.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum HoldDown {
    /// Never: loops form at every sudden change (Table I).
    None,
    /// When one routing message worsens the estimate by more than 8 units: loops can be trapped (Table III).
    #[default]
    ByMessage,
    /// When the estimate has worsened by more than 8 units within the last computations, in however many messages.
    ByTime,
    /// Never, and no loop forms either: an IMP turns only to a neighbour whose estimate is lower than the lowest
    /// that it has told itself since the destination last renewed its number, every 5.12 s. Naylor's loop-free
    /// routing, which section V names, is not at hand; this is the rule of Jaffe and Moss (1982) and of RFC 8966,
    /// section 2.4.
    LoopFree,
}

/// The hold-down timers of one IMP, one a destination.
#[derive(Clone, Debug)]
pub struct HoldDowns {
    rule: HoldDown,
    /// Computations until the end of the hold-down.
    timers: Vec<u8>,
    /// Computations by which the hold-down may still be prolonged; used by [`HoldDown::ByTime`] only.
    in_reserve: Vec<u8>,
    /// One bit a line that has not been heard since the last hold-down, the best line left out; none follows before all
    /// have been. Neither the paper nor the program's listing of 1973 has such a rest. Two IMPs that send to each other
    /// worsen their estimates with every message, so without it they can hold on to each other until the estimates are
    /// at their worst, a minute later, where "almost 2 s" were observed. A corrected hold-down needs it only where all
    /// of the reserve was used.
    unheard: Vec<u32>,
    /// Any line has not been heard.
    any_unheard: bool,
    /// One bit a destination whose timer runs.
    running: u64,
    /// The estimates at the last computations, newest first; used by [`HoldDown::ByTime`] only.
    history: [Vec<u16>; HOLD_TICKS as usize],
}

impl HoldDowns {
    /// Timers for these destinations, none running, after a time in which the estimates did not change.
    #[must_use]
    pub fn new(rule: HoldDown, estimates: &[u16]) -> Self {
        let kept: &[u16] = if rule == HoldDown::ByTime { estimates } else { &[] };
        Self {
            rule,
            timers: vec![0; estimates.len()],
            in_reserve: vec![0; estimates.len()],
            unheard: vec![0; estimates.len()],
            any_unheard: false,
            running: 0,
            history: [(); HOLD_TICKS as usize].map(|()| kept.to_vec()),
        }
    }

    /// Whether the line to this destination is held down.
    #[inline]
    #[must_use]
    pub fn held(&self, destination: usize) -> bool {
        self.running >> destination & 1 == 1
    }

    /// A neighbour is heard at the end of a line.
    #[inline]
    pub fn heard(&mut self, port: u8) {
        if self.any_unheard {
            self.unheard.iter_mut().for_each(|lines| *lines &= !(1 << port));
            self.any_unheard = self.unheard.iter().any(|&lines| lines != 0);
        }
    }

    /// The estimate over the best line has changed from `before` to `after`.
    #[inline]
    pub fn changed(&mut self, destination: usize, before: u16, after: u16) {
        let reference = match self.rule {
            HoldDown::None | HoldDown::LoopFree => return,
            HoldDown::ByMessage => before,
            HoldDown::ByTime => {
                self.history.iter().map(|estimates| estimates[destination]).fold(before, u16::min)
            }
        };
        if after <= reference.saturating_add(SUDDEN) {
            return;
        }
        let (timer, reserve) = (&mut self.timers[destination], &mut self.in_reserve[destination]);
        if *timer > 0 && self.rule == HoldDown::ByTime && after > before {
            let more = (HOLD_TICKS - *timer).min(*reserve);
            *timer += more;
            *reserve -= more;
        } else if *timer == 0 && self.unheard[destination] == 0 {
            (*timer, *reserve) = (HOLD_TICKS, HOLD_TICKS);
            self.running |= 1 << destination;
        }
    }

    /// One computation has passed, which found these estimates. `best` are the best lines, of `ports`.
    pub fn tick(&mut self, estimates: &[u16], best: &[u8], ports: usize) {
        match self.rule {
            HoldDown::None | HoldDown::LoopFree => return,
            HoldDown::ByMessage => {}
            HoldDown::ByTime => {
                self.history.rotate_right(1);
                self.history[0].copy_from_slice(estimates);
            }
        }
        let mut running = self.running;
        while running != 0 {
            let destination = running.trailing_zeros() as usize;
            running &= running - 1;
            self.timers[destination] -= 1;
            if self.timers[destination] > 0 {
                continue;
            }
            self.running &= !(1 << destination);
            if self.rule == HoldDown::ByTime {
                self.history.iter_mut().for_each(|past| past[destination] = estimates[destination]);
                if self.in_reserve[destination] > 0 {
                    continue;
                }
            }
            let all = (1_u64 << ports) - 1;
            self.unheard[destination] = (all & !(1 << best[destination])) as u32;
            self.any_unheard |= self.unheard[destination] != 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_steps_of_five_are_sudden_only_by_time() {
        for (rule, held) in [(HoldDown::None, false), (HoldDown::ByMessage, false), (HoldDown::ByTime, true)]
        {
            let mut downs = HoldDowns::new(rule, &[20]);
            downs.changed(0, 20, 25);
            downs.tick(&[25], &[0], 1);
            assert!(!downs.held(0), "{rule:?}");
            downs.changed(0, 25, 30);
            assert_eq!(downs.held(0), held, "{rule:?}");
        }
    }

    #[test]
    fn a_line_is_held_for_three_computations() {
        let mut downs = HoldDowns::new(HoldDown::ByMessage, &[20]);
        downs.changed(0, 20, 29);
        let held: Vec<bool> = (0..4)
            .map(|_| {
                let held = downs.held(0);
                downs.tick(&[29], &[0], 1);
                held
            })
            .collect();
        assert_eq!(held, [true, true, true, false]);
        downs.changed(0, 29, 38);
        assert!(downs.held(0), "the next one begins with the next sudden change");
    }

    #[test]
    fn every_neighbour_is_heard_between_two_hold_downs() {
        let mut downs = HoldDowns::new(HoldDown::ByMessage, &[20]);
        downs.changed(0, 20, 29);
        (0..HOLD_TICKS).for_each(|_| downs.tick(&[29], &[1], 3));
        for port in [1, 2, 0] {
            downs.changed(0, 29, 38);
            assert!(!downs.held(0));
            downs.heard(port);
        }
        downs.changed(0, 29, 38);
        assert!(downs.held(0));
    }

    #[test]
    fn what_goes_on_getting_worse_is_held_down_once_as_long_again() {
        let mut downs = HoldDowns::new(HoldDown::ByTime, &[20]);
        let mut estimate = 20;
        let held = (0..9).take_while(|_| {
            downs.changed(0, estimate, estimate + 9);
            estimate += 9;
            downs.tick(&[estimate], &[0], 2);
            downs.held(0)
        });
        assert_eq!(held.count(), 2 * usize::from(HOLD_TICKS) - 1);
        downs.changed(0, estimate, estimate + 9);
        assert!(!downs.held(0), "the other line is to be heard first");
        downs.heard(1);
        downs.changed(0, estimate, estimate + 9);
        assert!(downs.held(0));
    }

    #[test]
    fn what_has_been_held_down_counts_once() {
        let mut downs = HoldDowns::new(HoldDown::ByTime, &[20]);
        downs.changed(0, 20, 29);
        for estimate in [29, 37, 45] {
            assert!(downs.held(0));
            downs.tick(&[estimate], &[0], 1);
        }
        downs.changed(0, 45, 53);
        assert!(!downs.held(0));
        downs.changed(0, 53, 54);
        assert!(downs.held(0));
    }

    #[test]
    fn what_worsened_long_ago_is_not_sudden() {
        let mut downs = HoldDowns::new(HoldDown::ByTime, &[20]);
        downs.changed(0, 20, 26);
        for _ in 0..HOLD_TICKS {
            downs.tick(&[26], &[0], 1);
        }
        downs.changed(0, 26, 32);
        assert!(!downs.held(0));
    }
}
