//! Receiver-driven control, in the manner of NDP (Handley et al. 2017, section 3): after an initial window, a flow may
//! send a frame for each pull of its receiver. The machine decides when pulls are sent: one per transmission time of a
//! frame.

use super::feedback::{Loss, LossSignal};
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
    /// The amount that it may send so far.
    allowed: u64,
    /// The same including pulls that its receiver has decided on.
    promised: u64,
    /// All that has to be sent: the message, and retransmissions.
    wanted: u64,
}

impl Pull {
    pub fn new(params: &PullParams, frame: u64) -> Self {
        let initial = params.initial.map_or(INITIAL_FRAMES * frame, hopscope_units::Data::bits);
        // The first frame is sent in any case. It would overdraw a smaller window, and the pulls would end too soon.
        Self { frame, initial: initial.max(frame) }
    }
}

impl RateControl for Pull {
    type Flow = Pulled;

    const HELD_BY: HeldBy = HeldBy::Pulls;
    const PULLS: bool = true;

    fn new_flow(&self, line: u64, bits: u64) -> Pulled {
        Pulled { line, sent: 0, allowed: self.initial, promised: self.initial, wanted: bits }
    }

    fn rate_kbit_s(&self, flow: &Pulled) -> u64 {
        flow.line
    }

    fn permits(&self, flow: &Pulled, _: u64, next: u64) -> bool {
        flow.sent + next <= flow.allowed
    }

    fn on_send(&self, flow: &mut Pulled, bits: u64) {
        flow.sent += bits;
    }

    fn sends_pull(&self, flow: &mut Pulled, missing: u64) -> bool {
        flow.wanted += missing;
        let pulls = flow.promised < flow.wanted;
        flow.promised += if pulls { self.frame } else { 0 };
        pulls
    }

    fn on_pull(&self, flow: &mut Pulled) {
        flow.allowed += self.frame;
    }

    fn on_loss(&self, flow: &mut Pulled, loss: &Loss) {
        if loss.signal == LossSignal::Timeout {
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
        let mut flow = law.new_flow(100_000_000, 40_000);
        let sends = |flow: &mut Pulled| {
            let may = law.permits(flow, 0, 8_000);
            if may {
                law.on_send(flow, 8_000);
            }
            may
        };
        assert_eq!([0; 3].map(|_| sends(&mut flow)), [true, true, false]);
        // Five frames arrive, one of them trimmed: three more pulls for the message and one for that.
        let pulls: Vec<bool> =
            [0, 0, 8_000, 0, 0].iter().map(|&cut| law.sends_pull(&mut flow, cut)).collect();
        assert_eq!(pulls, [true, true, true, true, false]);
        law.on_pull(&mut flow);
        assert_eq!([0; 2].map(|_| sends(&mut flow)), [true, false]);
    }

    #[test]
    fn a_window_of_less_than_a_frame_is_one_frame() {
        // Found by a property test: the last two bytes were never pulled.
        let law = Pull::new(&PullParams { initial: Some(hopscope_units::Data::from_bytes(1)) }, 8_872);
        let mut flow = law.new_flow(100_000_000, 8_888);
        assert!(law.permits(&flow, 0, 8_872));
        law.on_send(&mut flow, 8_872);
        assert!(!law.permits(&flow, 0, 16));
        assert!(law.sends_pull(&mut flow, 0));
        law.on_pull(&mut flow);
        assert!(law.permits(&flow, 0, 16));
    }
}
