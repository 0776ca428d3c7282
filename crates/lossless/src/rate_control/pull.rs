//! Receiver-driven control, in the manner of NDP (Handley et al. 2017, section 3): after an initial window, a flow may
//! send a frame for each pull of its receiver. When pulls go, the machine says: one in a frame's time of the link.

use super::heard::{Missing, Slip};
use super::{HeldBy, RateControl};
use crate::rate_params::PullParams;

/// Frames before the first pull.
const INITIAL_FRAMES: u64 = 30;

/// Pulling with its parameters; amounts are bits.
#[derive(Clone, Debug)]
pub(crate) struct Pull {
    frame: u64,
    initial: u64,
}

/// What one flow may send.
#[derive(Clone, Debug)]
pub(crate) struct Pulled {
    line: u64,
    sent: u64,
    /// Up to this it may.
    allowed: u64,
    /// The same, when all pulls have come that its receiver has decided on.
    promised: u64,
    /// All that has to be sent: the message, and what must come once more.
    wanted: u64,
}

impl Pull {
    pub fn new(params: &PullParams, frame: u64) -> Self {
        let initial = params.initial.map_or(INITIAL_FRAMES * frame, hopscope_units::Data::bits);
        // The first frame goes in any case. It would overdraw a smaller window, and the pulls would end too soon.
        Self { frame, initial: initial.max(frame) }
    }
}

impl RateControl for Pull {
    type Flow = Pulled;

    const HELD_BY: HeldBy = HeldBy::Pulls;
    const PULLS: bool = true;

    fn begins(&self, line: u64, bits: u64) -> Pulled {
        Pulled { line, sent: 0, allowed: self.initial, promised: self.initial, wanted: bits }
    }

    fn rate(&self, flow: &Pulled) -> u64 {
        flow.line
    }

    fn permits(&self, flow: &Pulled, _: u64, next: u64) -> bool {
        flow.sent + next <= flow.allowed
    }

    fn sent(&self, flow: &mut Pulled, bits: u64) {
        flow.sent += bits;
    }

    fn pulls(&self, flow: &mut Pulled, missing: u64) -> bool {
        flow.wanted += missing;
        let pulls = flow.promised < flow.wanted;
        flow.promised += if pulls { self.frame } else { 0 };
        pulls
    }

    fn pulled(&self, flow: &mut Pulled) {
        flow.allowed += self.frame;
    }

    fn slipped(&self, flow: &mut Pulled, slip: &Slip) {
        if slip.how == Missing::TimedOut {
            flow.allowed = flow.allowed.max(flow.sent + self.frame);
            flow.promised = flow.promised.max(flow.allowed);
            flow.wanted = flow.wanted.max(flow.allowed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn after_the_initial_window_each_pull_permits_a_frame_and_no_more_are_sent_than_needed() {
        let law = Pull::new(&PullParams { initial: Some(hopscope_units::Data::from_bytes(2_000)) }, 8_000);
        let mut flow = law.begins(100_000_000, 40_000);
        let sends = |flow: &mut Pulled| {
            let may = law.permits(flow, 0, 8_000);
            if may {
                law.sent(flow, 8_000);
            }
            may
        };
        assert_eq!([0; 3].map(|_| sends(&mut flow)), [true, true, false]);
        // Five frames arrive, of which one was cut off: three more pulls for the message and one for that.
        let pulls: Vec<bool> = [0, 0, 8_000, 0, 0].iter().map(|&cut| law.pulls(&mut flow, cut)).collect();
        assert_eq!(pulls, [true, true, true, true, false]);
        law.pulled(&mut flow);
        assert_eq!([0; 2].map(|_| sends(&mut flow)), [true, false]);
    }

    #[test]
    fn a_window_of_less_than_a_frame_is_one_frame() {
        // Found by a property test: the last two bytes were never pulled.
        let law = Pull::new(&PullParams { initial: Some(hopscope_units::Data::from_bytes(1)) }, 8_872);
        let mut flow = law.begins(100_000_000, 8_888);
        assert!(law.permits(&flow, 0, 8_872));
        law.sent(&mut flow, 8_872);
        assert!(!law.permits(&flow, 0, 16));
        assert!(law.pulls(&mut flow, 0));
        law.pulled(&mut flow);
        assert!(law.permits(&flow, 0, 16));
    }
}
