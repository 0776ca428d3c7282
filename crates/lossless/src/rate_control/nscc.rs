//! NSCC, the sender-based control of Ultra Ethernet: a window by two signals, the queueing delay of a frame and whether
//! a switch marked it, for fabrics whose switches spray.
//!
//! | | not marked | marked |
//! |---|---|---|
//! | below the target delay | it grows by the distance from the target | it stays: another path will do |
//! | above it | it grows gently: the congestion is over | it falls, once in a round trip |
//!
//! If a flow delivers far less than its window, the window becomes what it delivered (quick adapt). The decision is
//! that of Bonato et al. (SMaRTT-REPS, arXiv 2404.01630) and the Ultra Ethernet Transport paper (arXiv 2508.08906);
//! steps and constants are those published for the reference simulator.

use hopscope_units::{Span, Time};

use super::feedback::{Ack, Loss, LossSignal};
use super::parts::{ONE, carried, parts, scaled, share};
use super::{Bounds, HeldBy, RateControl};
use crate::rate_params::NsccParams;

/// The network that the constants are for; in others they grow with what a round trip holds: 100 Gbit/s and 12 us.
const REFERENCE_ROUND_TRIP: Span = Span::from_us(12);
const REFERENCE_HOLDS: u64 = 1_200_000;

/// Steps in frames: of growth far below the target, of gentle growth, and of the growth at every adjustment.
const PROPORTIONAL: f64 = 4.0;
const FAIR: f64 = 5.0;
const ALWAYS: f64 = 0.15;

/// The share of acknowledged data by which the window grows if there is no queue: after a window of round trips that
/// are this close to the shortest.
const FAST: f64 = 0.25;
const NO_QUEUE: Span = Span::from_us(1);

/// Growth is accumulated, and applied when this many frames are acknowledged, or after a round trip.
const ADJUSTED_FRAMES: u64 = 8;

/// The largest single decrease of the window.
const LARGEST_DECREASE: u64 = ONE / 2;

/// Above this multiple of the target delay the window adapts quickly.
const FAR_ABOVE: u64 = 4;

/// Without a mark a high delay counts as a round trip divided by this, unless it exceeds this many round trips.
const DISCOUNT: u64 = 4;
const TRUSTED: u64 = 5;

/// NSCC with its parameters; amounts are bits.
#[derive(Clone, Debug)]
pub(crate) struct Nscc {
    frame: u64,
    round_trip: Span,
    target: Span,
    most: u64,
    decrease: u64,
    smoothing: u64,
    gate: u32,
}

/// The window of one flow.
#[derive(Clone, Debug)]
pub(crate) struct Sprayed {
    line: u64,
    bounds: Bounds,
    window: u64,
    /// The shortest round trip so far.
    base: Span,
    /// What a round trip of the network holds, relative to that of the reference network.
    scale: u64,
    /// The smoothed queueing delay.
    delay: Span,
    /// Growth not yet applied, times the window; and since when, after how many acknowledged bits.
    gathered: u128,
    acknowledged: u64,
    adjusted_at: Time,
    /// Bits acknowledged in a row without a queue.
    unqueued: u64,
    /// When the window last fell; never before it has.
    fell_at: Time,
    quick: Quick,
}

/// The state of quick adapt: whether the window becomes what the flow delivers.
#[derive(Clone, Debug)]
struct Quick {
    /// When this period ends; never before the first acknowledgment.
    ends: Time,
    /// Bits acknowledged in the period, and whether frames were missing.
    achieved: u64,
    is_missing: bool,
    /// Marks on data sent before this are ignored: they are from before the window adapted.
    ignored_to: u64,
}

impl Nscc {
    /// With trimming the target is lower: a trimmed frame signals congestion at once.
    pub fn new(params: &NsccParams, frame: u64, trims: bool) -> Self {
        let round_trip = params.round_trip;
        let nearer = Span::from_ps((round_trip.ps() - round_trip.ps() / 4).max(1));
        Self {
            frame,
            round_trip,
            target: params.target.unwrap_or(if trims { nearer } else { round_trip }),
            most: parts(params.most),
            decrease: parts(params.decrease),
            smoothing: parts(params.smoothing),
            gate: params.gate,
        }
    }

    fn bounds(&self, line: u64, base: Span) -> Bounds {
        Bounds { least: self.frame, most: scaled(carried(line, base), self.most).max(self.frame) }
    }

    /// A step in frames, in this network.
    fn step(&self, flow: &Sprayed, frames: f64) -> u64 {
        scaled(scaled(self.frame, parts(frames)), flow.scale)
    }

    /// The sample of the queueing delay, and the update of the smoothed one: a high delay without a mark is of one path
    /// among many.
    fn measure(&self, flow: &mut Sprayed, round_trip: Span, marked: bool) -> Span {
        if round_trip < flow.base {
            flow.base = round_trip;
            flow.bounds = self.bounds(flow.line, flow.base);
        }
        let delay = round_trip - flow.base;
        let is_doubtful = !marked && delay > self.target && delay.ps() / TRUSTED <= flow.base.ps();
        self.smooth(flow, if is_doubtful { Span::from_ps(flow.base.ps() / DISCOUNT) } else { delay });
        delay
    }

    fn smooth(&self, flow: &mut Sprayed, sample: Span) {
        let kept = scaled(flow.delay.ps(), ONE - self.smoothing);
        flow.delay = Span::from_ps(kept.saturating_add(scaled(sample.ps(), self.smoothing)));
    }

    /// At the end of a period: whether the window became what the flow got in it.
    fn adapts(&self, flow: &mut Sprayed, now: Time, sent: u64, is_far: bool) -> bool {
        let quick = &mut flow.quick;
        if now <= quick.ends && quick.ends != Time::NEVER {
            return false;
        }
        let is_first = quick.ends == Time::NEVER;
        let gate = flow.bounds.most.checked_shr(self.gate).unwrap_or(0);
        let adapts = !is_first && (is_far || quick.is_missing) && quick.achieved < gate;
        if adapts {
            flow.window = flow.bounds.clamp(quick.achieved.min(flow.window));
            quick.ignored_to = sent;
        }
        (quick.ends, quick.achieved, quick.is_missing) = (now + flow.base + self.target, 0, false);
        adapts
    }

    fn grow(&self, flow: &mut Sprayed, delay: Span, bits: u64) {
        if flow.unqueued > flow.window {
            flow.window = flow.window.saturating_add(scaled(scaled(bits, parts(FAST)), flow.scale));
            return;
        }
        let below = share((self.target - delay).ps(), REFERENCE_ROUND_TRIP.ps());
        gather(flow, scaled(self.step(flow, PROPORTIONAL), below), bits);
    }

    fn fall(&self, flow: &mut Sprayed, now: Time) {
        let is_due = flow.fell_at == Time::NEVER || now.since(flow.fell_at) > flow.base;
        if flow.delay > self.target && is_due {
            let beyond = share((flow.delay - self.target).ps(), flow.delay.ps());
            flow.window -= scaled(flow.window, scaled(beyond, self.decrease).min(LARGEST_DECREASE));
            flow.fell_at = now;
        }
    }

    fn adjust(&self, flow: &mut Sprayed, now: Time, bits: u64) {
        flow.acknowledged = flow.acknowledged.saturating_add(bits);
        let is_due = flow.acknowledged > ADJUSTED_FRAMES.saturating_mul(self.frame)
            || now.since(flow.adjusted_at) > self.round_trip;
        if is_due {
            let gathered = u64::try_from(flow.gathered / u128::from(flow.window.max(1))).unwrap_or(u64::MAX);
            let always = self.step(flow, ALWAYS);
            flow.window = flow.window.saturating_add(gathered).saturating_add(always);
            (flow.gathered, flow.acknowledged, flow.adjusted_at) = (0, 0, now);
        }
        flow.window = flow.bounds.clamp(flow.window);
    }
}

/// Keeps a step for the next adjustment: divided by the window there, it is larger for small windows, so flows converge
/// to equal shares.
fn gather(flow: &mut Sprayed, step: u64, bits: u64) {
    flow.gathered = flow.gathered.saturating_add(u128::from(step) * u128::from(bits));
}

impl RateControl for Nscc {
    type Flow = Sprayed;

    const HELD_BY: HeldBy = HeldBy::Window;

    fn new_flow(&self, line: u64, _: u64) -> Sprayed {
        let bounds = self.bounds(line, self.round_trip);
        Sprayed {
            line,
            bounds,
            window: bounds.most,
            base: self.round_trip,
            scale: share(carried(line, self.round_trip), REFERENCE_HOLDS),
            delay: Span::ZERO,
            gathered: 0,
            acknowledged: 0,
            adjusted_at: Time::ZERO,
            unqueued: 0,
            fell_at: Time::NEVER,
            quick: Quick { ends: Time::NEVER, achieved: 0, is_missing: false, ignored_to: 0 },
        }
    }

    fn rate_kbit_s(&self, flow: &Sprayed) -> u64 {
        flow.line
    }

    fn window_bits(&self, flow: &Sprayed) -> u64 {
        flow.window
    }

    fn on_ack(&self, flow: &mut Sprayed, ack: &Ack<'_>) {
        let delay = self.measure(flow, ack.round_trip, ack.marked);
        flow.quick.achieved = flow.quick.achieved.saturating_add(ack.acked_bits);
        let is_old = ack.marked && ack.frame_end_bits <= flow.quick.ignored_to;
        let is_far = delay.ps() / FAR_ABOVE > self.target.ps();
        if is_old || self.adapts(flow, ack.now, ack.sent_bits, is_far) {
            flow.window = flow.bounds.clamp(flow.window);
            return;
        }
        let has_queue = delay >= NO_QUEUE || ack.marked;
        flow.unqueued = if has_queue { 0 } else { flow.unqueued.saturating_add(ack.acked_bits) };
        match (delay < self.target, ack.marked) {
            (true, false) => self.grow(flow, delay, ack.acked_bits),
            (false, false) => gather(flow, self.step(flow, FAIR), ack.acked_bits),
            (false, true) => self.fall(flow, ack.now),
            (true, true) => {}
        }
        self.adjust(flow, ack.now, ack.acked_bits);
    }

    /// A missing frame counts as a delay of one round trip; the window adapts, or falls by a frame. After a timeout it
    /// becomes the minimum, which is our choice.
    fn on_loss(&self, flow: &mut Sprayed, loss: &Loss) {
        if loss.signal == LossSignal::Timeout {
            flow.window = flow.bounds.least;
            return;
        }
        self.smooth(flow, self.round_trip);
        flow.quick.is_missing = true;
        if !self.adapts(flow, loss.now, loss.sent_bits, true) {
            flow.window = flow.bounds.clamp(flow.window.saturating_sub(self.frame));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FRAME: u64 = 32_000;
    const LINE: u64 = 100_000_000;

    fn law() -> Nscc {
        Nscc::new(&NsccParams::default(), FRAME, true)
    }

    /// An acknowledgment of a frame at this microsecond, with a queueing delay beyond 12 us.
    fn hear(law: &Nscc, flow: &mut Sprayed, at_us: u64, delay_us: u64, marked: bool) -> u64 {
        let ack = Ack::of(FRAME, Time::ZERO + Span::from_us(at_us), Span::from_us(12 + delay_us), &[]);
        law.on_ack(flow, &Ack { marked, frame_end_bits: at_us * FRAME, sent_bits: at_us * FRAME, ..ack });
        law.window_bits(flow)
    }

    #[test]
    fn a_window_begins_at_one_and_a_half_times_what_a_round_trip_holds() {
        assert_eq!(law().new_flow(LINE, 0).window, 1_800_000);
        // Where switches trim, the target is three quarters of a round trip.
        assert_eq!(law().target, Span::from_us(9));
        assert_eq!(Nscc::new(&NsccParams::default(), FRAME, false).target, Span::from_us(12));
    }

    #[test]
    fn below_the_target_it_grows_by_the_distance_and_a_mark_holds_it() {
        let law = law();
        let steps = |delay, marked| {
            let mut flow = Sprayed { window: 600_000, ..law.new_flow(LINE, 0) };
            for n in 1..=9 {
                hear(&law, &mut flow, n, delay, marked);
            }
            flow.window - 600_000
        };
        // Nine frames of which each adds 4 frames times the distance over 12 us; and 0.15 frames.
        let grown = |us: f64| 9.0 * 4.0 * FRAME as f64 * (9.0 - us) / 12.0 * FRAME as f64 / 600_000.0;
        let always = 0.15 * FRAME as f64;
        for us in [2, 5, 8] {
            let expected = grown(us as f64) + always;
            assert!((steps(us, false) as f64 - expected).abs() < 3.0, "{us} us: {expected}");
            assert!((steps(us, true) as f64 - always).abs() < 2.0);
        }
        // Above it, gently: five frames, whatever the delay.
        let expected = 9.0 * 5.0 * FRAME as f64 * FRAME as f64 / 600_000.0 + always;
        assert!((steps(11, false) as f64 - expected).abs() < 3.0, "{}", steps(11, false));
    }

    #[test]
    fn marked_and_above_the_target_it_falls_by_the_excess_once_in_a_round_trip() {
        let law = law();
        let mut flow = Sprayed { window: 1_000_000, delay: Span::from_us(18), ..law.new_flow(LINE, 0) };
        // The smoothed delay stays at 18 us, twice the target: 0.8 of a half.
        assert_eq!(hear(&law, &mut flow, 100, 18, true).div_ceil(1_000), 605);
        let before = flow.window;
        assert_eq!(hear(&law, &mut flow, 105, 18, true), before);
        assert!(hear(&law, &mut flow, 118, 18, true) < before * 61 / 100);
        // Never by more than half.
        let mut flow = Sprayed { window: 1_000_000, delay: Span::from_us(900), ..law.new_flow(LINE, 0) };
        flow.quick.ends = Time::ZERO + Span::from_us(1_000);
        assert!(hear(&law, &mut flow, 100, 900, true) >= 500_000);
    }

    #[test]
    fn what_gets_little_through_adapts_at_once_and_ignores_old_marks() {
        let law = law();
        let mut flow = law.new_flow(LINE, 0);
        // A period is 12 us and the target's 9: two frames come in it, 40 us late.
        for us in [100, 110, 115] {
            hear(&law, &mut flow, us, 40, true);
        }
        let before = flow.window;
        assert_eq!(hear(&law, &mut flow, 122, 40, true), 3 * FRAME);
        assert!(before > 20 * FRAME);
        // Marks on data sent before are ignored.
        assert_eq!(hear(&law, &mut flow, 121, 40, true), 3 * FRAME);
    }

    #[test]
    fn missing_frames_take_a_frame_each_and_a_timer_all() {
        let law = law();
        let mut flow = law.new_flow(LINE, 0);
        let loss = |signal, us| {
            let now = Time::ZERO + Span::from_us(us);
            Loss { now, signal, frame_end_bits: 0, sent_bits: 0 }
        };
        law.on_loss(&mut flow, &loss(LossSignal::Ack, 1));
        law.on_loss(&mut flow, &loss(LossSignal::Ack, 2));
        assert_eq!(flow.window, 1_800_000 - 2 * FRAME);
        law.on_loss(&mut flow, &loss(LossSignal::Timeout, 3));
        assert_eq!(flow.window, FRAME);
    }
}
