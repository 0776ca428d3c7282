//! The reaction point of DCQCN, in integers: how fast a flow may send (Zhu et al. 2015, section 3.2).
//!
//! The congestion estimate decays by a timer of its own. It only matters for the next notification, and is updated
//! then.

use hopscope_units::{Span, Time};

use crate::params::DcqcnParams;
use crate::plan::kbit_s;
use crate::rate_control::parts::{ONE, parts, scaled};

/// The parameters in kbit/s, bits and parts of 2^32.
#[derive(Clone, Debug)]
pub(crate) struct Reaction {
    gain: u64,
    alpha_timer: Span,
    rate_timer: Span,
    byte_counter: u64,
    fast_recovery: u32,
    additive: u64,
    hyper: u64,
    least: u64,
}

impl Reaction {
    pub fn new(params: &DcqcnParams) -> Self {
        Self {
            gain: parts(params.gain),
            alpha_timer: params.alpha_timer,
            rate_timer: params.rate_timer,
            byte_counter: params.byte_counter.bits(),
            fast_recovery: params.fast_recovery,
            additive: kbit_s(params.additive),
            hyper: kbit_s(params.hyper),
            least: kbit_s(params.least),
        }
    }
}

/// The rate of one flow.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ReactionPoint {
    /// The rate of the host's link, in kbit/s like all rates here.
    line: u64,
    rate: u64,
    target: u64,
    alpha: u64,
    /// When the estimate last changed.
    alpha_at: Time,
    /// When the timer last expired, or was set.
    timer_at: Time,
    /// Increases by the timer and by the byte counter since the last decrease.
    steps: [u32; 2],
    /// Bits sent since the byte counter last expired.
    sent: u64,
}

/// Increases by the timer.
const BY_TIME: usize = 0;
/// Increases by the byte counter.
const BY_DATA: usize = 1;

impl ReactionPoint {
    /// A flow begins at the rate of its link.
    pub fn new(line: u64) -> Self {
        Self {
            line,
            rate: line,
            target: line,
            alpha: ONE,
            alpha_at: Time::ZERO,
            timer_at: Time::ZERO,
            steps: [0; 2],
            sent: 0,
        }
    }

    /// The rate until the next timer expires, in kbit/s.
    #[inline]
    pub fn rate_kbit_s(&self) -> u64 {
        self.rate
    }

    /// When the rate next rises by the timer. A flow at the rate of its link needs none.
    #[inline]
    pub fn next_timer(&self, law: &Reaction) -> Time {
        if self.rate < self.line { self.timer_at + law.rate_timer } else { Time::NEVER }
    }

    /// The timer expires.
    pub fn on_timer(&mut self, law: &Reaction) {
        self.timer_at += law.rate_timer;
        self.increase(BY_TIME, law);
    }

    /// This many bits are sent.
    #[inline]
    pub fn on_send(&mut self, bits: u64, law: &Reaction) {
        self.sent += bits;
        while self.sent >= law.byte_counter {
            self.sent -= law.byte_counter;
            if self.rate < self.line {
                self.increase(BY_DATA, law);
            }
        }
    }

    /// A notification arrives; the timer is up to date.
    pub fn on_cnp(&mut self, now: Time, law: &Reaction) {
        self.decay(now, law);
        self.target = self.rate;
        let cut = (u128::from(self.rate) * u128::from(self.alpha)) >> 33;
        self.rate = (self.rate - cut as u64).max(law.least.min(self.line));
        self.alpha += scaled(ONE - self.alpha, law.gain);
        (self.alpha_at, self.timer_at, self.steps, self.sent) = (now, now, [0; 2], 0);
    }

    /// The estimate falls once in each period without a notification.
    fn decay(&mut self, now: Time, law: &Reaction) {
        if self.alpha_at == Time::ZERO {
            return;
        }
        let periods = now.since(self.alpha_at).ps() / law.alpha_timer.ps();
        for _ in 0..periods {
            let fall = scaled(self.alpha, law.gain);
            if fall == 0 {
                break;
            }
            self.alpha -= fall;
        }
    }

    fn increase(&mut self, by: usize, law: &Reaction) {
        self.steps[by] += 1;
        let [time, data] = self.steps;
        let recovery = law.fast_recovery;
        if time.min(data) > recovery {
            let rounds = u64::from(time.min(data) - recovery);
            self.target += rounds * law.hyper;
        } else if time.max(data) > recovery {
            self.target += law.additive;
        }
        self.target = self.target.min(self.line);
        // Rounded up, so that the rate reaches its target.
        self.rate = (self.rate + self.target).div_ceil(2);
    }
}

#[cfg(test)]
mod tests {
    use super::super::Dcqcn;
    use super::*;
    use crate::rate_control::RateControl;

    /// A flow and its law, driven in order of time.
    struct Flow(Dcqcn, ReactionPoint);

    impl Flow {
        fn new(line: u64) -> Self {
            let dcqcn = Dcqcn::new(&DcqcnParams::default());
            let flow = dcqcn.new_flow(line, 0);
            Self(dcqcn, flow)
        }

        fn on_cnp(&mut self, us: u64) {
            self.0.run_timers(&mut self.1, at(us));
            self.0.on_cnp(&mut self.1, at(us));
        }

        fn rate_kbit_s(&mut self, us: u64) -> u64 {
            self.0.run_timers(&mut self.1, at(us));
            self.0.rate_kbit_s(&self.1)
        }

        fn on_send(&mut self, bits: u64) {
            self.0.on_send(&mut self.1, bits);
        }
    }

    fn at(us: u64) -> Time {
        Time::ZERO + Span::from_us(us)
    }

    #[test]
    fn the_first_notification_halves_the_rate_and_recovery_halves_the_gap() {
        let mut flow = Flow::new(40_000_000);
        flow.on_cnp(100);
        assert_eq!(flow.rate_kbit_s(100), 20_000_000);
        let recovered: Vec<u64> = (1..=5).map(|n| flow.rate_kbit_s(100 + 55 * n)).collect();
        assert_eq!(recovered, [30_000_000, 35_000_000, 37_500_000, 38_750_000, 39_375_000]);
    }

    #[test]
    fn after_fast_recovery_the_target_rises_in_additive_steps_and_then_faster() {
        let mut flow = Flow::new(100_000_000);
        flow.on_cnp(50);
        // Now the target is half of the link's rate.
        flow.on_cnp(100);
        flow.rate_kbit_s(100 + 55 * 6);
        assert_eq!(flow.1.target, 50_040_000);
        for _ in 0..6 {
            flow.on_send(80_000_000);
        }
        // Five more additive steps, and with the sixth of both kinds the first of hyper increase.
        assert_eq!(flow.1.target, 50_040_000 + 5 * 40_000 + 400_000);
    }

    #[test]
    fn without_notifications_the_estimate_decays() {
        let mut flow = Flow::new(40_000_000);
        flow.on_cnp(0);
        flow.on_cnp(50);
        let before = flow.1.alpha as f64;
        flow.on_cnp(50 + 55 * 256);
        let expected = before * (1.0f64 - 1.0 / 256.0).powi(256);
        assert!((flow.1.alpha as f64 / (expected + (ONE as f64 - expected) / 256.0) - 1.0).abs() < 1e-6);
    }
}
