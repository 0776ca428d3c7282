//! DCTCP (Alizadeh et al. 2010, section 3; RFC 8257): a window that falls by half the share of marked frames, at most
//! once in a window, and grows as TCP's does.

use hopscope_measure::Problem;

use super::feedback::{Ack, Loss, LossSignal};
use super::parts::{ONE, parts, scaled, share};
use super::{Bounds, HeldBy, OwnRateControl, RateControl, Setting};
use crate::rate_params::DctcpParams;

/// Frames of a new flow's window (RFC 6928).
const INITIAL_FRAMES: u64 = 10;

/// Frames of the least window.
const LEAST_FRAMES: u64 = 2;

/// DCTCP with its parameters; amounts are bits. A user-defined rule may build on it.
#[derive(Clone, Debug)]
pub struct Dctcp {
    gain: u64,
    frame: u64,
    initial: u64,
    window: Bounds,
}

/// The window of one flow.
#[derive(Clone, Debug)]
pub struct Window {
    line: u64,
    window: u64,
    /// Below this the window grows by all that is acknowledged (slow start).
    threshold: u64,
    /// The estimate of the marked share.
    alpha: u64,
    /// Bits acknowledged, and marked among them, since the estimate was last updated.
    acknowledged: u64,
    marked: u64,
    /// The estimate is updated by the acknowledgment of data sent after this.
    observed_to: u64,
    /// The window is neither cut again nor grows before data sent after this is acknowledged.
    cut_to: u64,
}

impl Dctcp {
    pub(super) fn with(params: &DctcpParams, frame: u64) -> Self {
        let bits = |given: Option<hopscope_units::Data>, frames: u64| {
            given.map_or(frames * frame, hopscope_units::Data::bits)
        };
        let most = params.most.bits();
        let least = bits(params.least, LEAST_FRAMES).min(most);
        let window = Bounds { least, most };
        Self {
            gain: parts(params.gain),
            frame,
            initial: window.clamp(bits(params.initial, INITIAL_FRAMES)),
            window,
        }
    }

    fn cut(&self, flow: &mut Window, by: u64, sent: u64) {
        flow.window = self.window.clamp(flow.window - scaled(flow.window, by));
        (flow.threshold, flow.cut_to) = (flow.window, sent);
    }
}

impl OwnRateControl for Dctcp {
    type Params = DctcpParams;

    fn new(params: &DctcpParams, setting: &Setting) -> Result<Self, Vec<Problem>> {
        Ok(Self::with(params, setting.frame.bits()))
    }
}

impl RateControl for Dctcp {
    type Flow = Window;

    const HELD_BY: HeldBy = HeldBy::Window;

    fn new_flow(&self, line: u64, _: u64) -> Window {
        Window {
            line,
            window: self.initial,
            threshold: u64::MAX,
            alpha: ONE,
            acknowledged: 0,
            marked: 0,
            observed_to: 0,
            cut_to: 0,
        }
    }

    fn rate_kbit_s(&self, flow: &Window) -> u64 {
        flow.line
    }

    fn window_bits(&self, flow: &Window) -> u64 {
        flow.window
    }

    fn on_ack(&self, flow: &mut Window, ack: &Ack<'_>) {
        flow.acknowledged += ack.acked_bits;
        flow.marked += if ack.marked { ack.acked_bits } else { 0 };
        if ack.frame_end_bits > flow.observed_to {
            let observed = share(flow.marked, flow.acknowledged).min(ONE);
            flow.alpha = flow.alpha - scaled(flow.alpha, self.gain) + scaled(observed, self.gain);
            (flow.acknowledged, flow.marked, flow.observed_to) = (0, 0, ack.sent_bits);
        }
        if ack.frame_end_bits <= flow.cut_to {
            return;
        }
        if ack.marked {
            self.cut(flow, flow.alpha / 2, ack.sent_bits);
        } else {
            let step = match flow.window < flow.threshold {
                true => ack.acked_bits,
                false => scaled(self.frame, share(ack.acked_bits, flow.window)),
            };
            flow.window = self.window.clamp(flow.window.saturating_add(step));
        }
    }

    fn on_loss(&self, flow: &mut Window, loss: &Loss) {
        match loss.signal {
            LossSignal::Ack if loss.frame_end_bits <= flow.cut_to => {}
            LossSignal::Ack => self.cut(flow, ONE / 2, loss.sent_bits),
            LossSignal::Timeout => {
                self.cut(flow, ONE / 2, loss.sent_bits);
                flow.window = self.window.least;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use hopscope_units::{Span, Time};

    use super::*;

    const FRAME: u64 = 12_000;

    fn ack(marked: bool, frame_end_bits: u64, sent_bits: u64) -> Ack<'static> {
        Ack { marked, frame_end_bits, sent_bits, ..Ack::of(FRAME, Time::ZERO, Span::from_us(100), &[]) }
    }

    #[test]
    fn slow_start_doubles_and_the_first_mark_halves_the_window_once() {
        let law = Dctcp::with(&DctcpParams::default(), FRAME);
        let mut flow = law.new_flow(10_000_000, 0);
        for frame in 1..=10 {
            law.on_ack(&mut flow, &ack(false, frame * FRAME, (frame + 10) * FRAME));
        }
        assert_eq!(flow.window, 20 * FRAME);
        // The estimate begins at one and has fallen in one window without a mark to 15/16; this window's marks raise
        // it only when it is over.
        for frame in 11..=20 {
            law.on_ack(&mut flow, &ack(true, frame * FRAME, (frame + 20) * FRAME));
        }
        let left = flow.window as f64 / (20 * FRAME) as f64;
        assert!((0.5..0.57).contains(&left), "{left}");
    }

    #[test]
    fn where_all_is_marked_the_estimate_comes_to_one_and_the_window_to_its_least() {
        let law = Dctcp::with(&DctcpParams::default(), FRAME);
        let mut flow = law.new_flow(10_000_000, 0);
        for frame in 1..=1_000 {
            law.on_ack(&mut flow, &ack(true, frame * FRAME, frame * FRAME));
            assert!(flow.window >= 2 * FRAME);
        }
        assert_eq!((flow.window, flow.alpha / (ONE / 100)), (2 * FRAME, 100));
    }
}
