//! Line hold-down: when the delay over the best line suddenly gets worse, keep to that line for a while.
//!
//! Kleinrock and Opderbeck, section V. The published criterion compares consecutive routing messages, so it depends on how often they
//! come; the corrected one does not. How it was corrected is not published: here the estimate is compared with the best of the last
//! [`HOLD_TICKS`] computations, so any worsening within that time counts, however many messages it came in.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A worsening of more than this starts a hold-down, in delay units.
pub const SUDDEN: u16 = 8;

/// Computations (640 ms each) for which a line is held down: the program's 2-bit timer, 1.28 to 1.92 s.
pub const HOLD_TICKS: u8 = 3;

/// Computations after a hold-down in which no other begins. Not published: two IMPs that send to each other worsen their estimates with
/// every message, so without a pause in which every neighbour is heard they would hold on to each other for ever, where "almost 2 s" were
/// observed.
const REST_TICKS: u8 = 2;

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
}

/// The hold-down timers of one IMP, one a destination.
#[derive(Clone, Debug)]
pub struct HoldDowns {
    rule: HoldDown,
    /// Computations until the end of the hold-down and of the rest after it.
    timers: Vec<u8>,
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
            history: [(); HOLD_TICKS as usize].map(|()| kept.to_vec()),
        }
    }

    /// Whether the line to this destination is held down.
    #[inline]
    #[must_use]
    pub fn held(&self, destination: usize) -> bool {
        self.timers[destination] > REST_TICKS
    }

    /// The estimate over the best line has changed from `before` to `after`.
    #[inline]
    pub fn changed(&mut self, destination: usize, before: u16, after: u16) {
        let reference = match self.rule {
            HoldDown::None => return,
            HoldDown::ByMessage => before,
            HoldDown::ByTime => {
                self.history.iter().map(|estimates| estimates[destination]).fold(before, u16::min)
            }
        };
        if after > reference.saturating_add(SUDDEN) && self.timers[destination] == 0 {
            self.timers[destination] = HOLD_TICKS + REST_TICKS;
        }
    }

    /// One computation has passed, which found these estimates.
    pub fn tick(&mut self, estimates: &[u16]) {
        match self.rule {
            HoldDown::None => return,
            HoldDown::ByMessage => {}
            HoldDown::ByTime => {
                self.history.rotate_right(1);
                self.history[0].copy_from_slice(estimates);
            }
        }
        for timer in &mut self.timers {
            *timer = timer.saturating_sub(1);
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
            downs.tick(&[25]);
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
                downs.tick(&[29]);
                held
            })
            .collect();
        assert_eq!(held, [true, true, true, false]);
        // The next one begins after a rest.
        downs.changed(0, 29, 50);
        assert!(!downs.held(0));
        downs.tick(&[50]);
        downs.changed(0, 50, 70);
        assert!(downs.held(0));
    }

    #[test]
    fn what_worsened_long_ago_is_not_sudden() {
        let mut downs = HoldDowns::new(HoldDown::ByTime, &[20]);
        downs.changed(0, 20, 26);
        for _ in 0..HOLD_TICKS {
            downs.tick(&[26]);
        }
        downs.changed(0, 26, 32);
        assert!(!downs.held(0));
    }
}
