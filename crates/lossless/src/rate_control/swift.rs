//! Swift (Kumar et al. 2020, section 3): a window by the distance of the round trip from a target. A window below one
//! frame becomes a pace.

use hopscope_units::{Span, Time};

use super::feedback::{Ack, Loss, LossSignal, Telemetry};
use super::parts::{ONE, parts, rate_of, scaled, share};
use super::{Bounds, HeldBy, RateControl};
use crate::rate_params::SwiftParams;

/// Frames of a new flow's window.
const INITIAL_FRAMES: u64 = 10;

/// After this many consecutive timeouts the window falls to its minimum.
const RESETTING_TIMEOUTS: u32 = 5;

/// Swift with its parameters; amounts are bits.
#[derive(Clone, Debug)]
pub(crate) struct Swift {
    frame: u64,
    initial: u64,
    window: Bounds,
    additive: u64,
    decrease: u64,
    largest_decrease: u64,
    target: Span,
    per_switch: Span,
    scaling: Scaling,
}

/// The addition to the target for small windows: it falls with the square root of the window.
#[derive(Clone, Debug)]
struct Scaling {
    range: u64,
    /// The inverse square roots of the windows between which it applies.
    nothing_at: u64,
    all_at: u64,
}

impl Scaling {
    /// The time to add for a window, in parts of a frame.
    fn adds(&self, window: u64) -> Span {
        let above = inverse_root(window).saturating_sub(self.nothing_at);
        let share = share(above, self.all_at - self.nothing_at).min(ONE);
        Span::from_ps(scaled(self.range, share))
    }
}

/// One over the square root of a number in parts, in parts of 2^20.
fn inverse_root(window: u64) -> u64 {
    (1 << 36) / window.max(1).isqrt().max(1)
}

/// The window of one flow.
#[derive(Clone, Debug)]
pub(crate) struct Targeted {
    line: u64,
    window: u64,
    /// The last round trip.
    round_trip: Span,
    /// When the window last fell; never if it has not.
    fell_at: Time,
    /// Timeouts since the last feedback.
    timeouts: u32,
}

impl Swift {
    pub fn new(params: &SwiftParams, frame: u64) -> Self {
        let window = Bounds { least: params.least.bits(), most: params.most.bits() };
        let inverse = |frames: f64| inverse_root((frames * ONE as f64) as u64);
        let nothing_at = inverse(params.largest);
        Self {
            frame,
            initial: window.clamp(params.initial.map_or(INITIAL_FRAMES * frame, hopscope_units::Data::bits)),
            window,
            additive: scaled(frame, parts(params.additive)).max(1),
            decrease: parts(params.decrease),
            largest_decrease: parts(params.largest_decrease),
            target: params.target,
            per_switch: params.per_switch,
            scaling: Scaling {
                range: params.range.ps(),
                nothing_at,
                all_at: inverse(params.smallest).max(nothing_at + 1),
            },
        }
    }

    fn target_of(&self, flow: &Targeted, switches: u32) -> Span {
        let window = share(flow.window, self.frame);
        self.target + self.per_switch * u64::from(switches) + self.scaling.adds(window)
    }

    /// Falls by a share, unless it did so less than a round trip ago.
    fn fall(&self, flow: &mut Targeted, by: u64, now: Time) {
        if flow.fell_at == Time::NEVER || now.since(flow.fell_at) >= flow.round_trip {
            flow.window = self.window.clamp(flow.window - scaled(flow.window, by.min(self.largest_decrease)));
            flow.fell_at = now;
        }
    }
}

impl RateControl for Swift {
    type Flow = Targeted;

    const HELD_BY: HeldBy = HeldBy::Window;
    const TELEMETRY: Telemetry = Telemetry::Count;

    fn new_flow(&self, line: u64, _: u64) -> Targeted {
        let round_trip = self.target;
        Targeted { line, window: self.initial, round_trip, fell_at: Time::NEVER, timeouts: 0 }
    }

    fn rate_kbit_s(&self, flow: &Targeted) -> u64 {
        if flow.window >= self.frame {
            return flow.line;
        }
        rate_of(flow.window, flow.round_trip).min(flow.line)
    }

    fn window_bits(&self, flow: &Targeted) -> u64 {
        flow.window
    }

    fn on_ack(&self, flow: &mut Targeted, ack: &Ack<'_>) {
        flow.timeouts = 0;
        flow.round_trip = ack.round_trip;
        let target = self.target_of(flow, ack.switches);
        if ack.round_trip < target {
            let grows = share(ack.acked_bits, flow.window.max(self.frame));
            flow.window = self.window.clamp(flow.window.saturating_add(scaled(self.additive, grows)));
        } else {
            let beyond = share((ack.round_trip - target).ps(), ack.round_trip.ps());
            self.fall(flow, scaled(beyond, self.decrease), ack.now);
        }
    }

    fn on_loss(&self, flow: &mut Targeted, loss: &Loss) {
        if loss.signal == LossSignal::Timeout {
            flow.timeouts += 1;
            if flow.timeouts >= RESETTING_TIMEOUTS {
                flow.window = self.window.least;
                return;
            }
        }
        self.fall(flow, self.largest_decrease, loss.now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FRAME: u64 = 8_000;

    fn hear(law: &Swift, flow: &mut Targeted, at_us: u64, us: u64) -> u64 {
        let ack = Ack::of(FRAME, Time::ZERO + Span::from_us(at_us), Span::from_us(us), &[]);
        let ack = Ack { switches: 5, ..ack };
        law.on_ack(flow, &ack);
        law.window_bits(flow)
    }

    #[test]
    fn a_window_grows_by_a_frame_in_a_round_trip_and_falls_once_in_one() {
        let law = Swift::new(&SwiftParams { range: Span::ZERO, ..SwiftParams::default() }, FRAME);
        let mut flow = law.new_flow(100_000_000, 0);
        for n in 0..10 {
            hear(&law, &mut flow, n, 20);
        }
        assert!(flow.window.abs_diff(11 * FRAME) < FRAME / 10, "{}", flow.window);
        // The target is 25 us and five switches: at 40 us a quarter of the round trip is beyond it.
        let before = flow.window;
        let after = hear(&law, &mut flow, 100, 40);
        assert!(after.abs_diff(before * 8 / 10) < 10, "{after}");
        assert_eq!(hear(&law, &mut flow, 110, 80), after);
        // Five eighths beyond, of which 0.8 are the largest decrease.
        assert!(hear(&law, &mut flow, 190, 80).abs_diff(after / 2) <= 1);
    }

    #[test]
    fn small_windows_have_later_targets() {
        let law = Swift::new(&SwiftParams::default(), FRAME);
        let target = |frames: f64| {
            let flow = Targeted { window: (frames * FRAME as f64) as u64, ..law.new_flow(100_000_000, 0) };
            law.target_of(&flow, 0).ps() as f64 * 1e-6
        };
        assert!((target(0.1) - 50.0).abs() < 0.01 && (target(100.0) - 25.0).abs() < 0.01);
        let (root, end) = (0.1f64.sqrt().recip(), 0.1);
        let expected = 25.0 + 25.0 * (1.0 - end) / (root - end);
        assert!((target(1.0) - expected).abs() < 0.01, "{}, expected {expected}", target(1.0));
    }
}
