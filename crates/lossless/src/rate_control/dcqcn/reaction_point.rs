//! The reaction point of DCQCN, in integers: how fast a flow may send (Zhu et al. 2015, section 3.2).
//!
//! Sans-IO: told of notifications and of what is sent. The timers have no events: what they would have done is done when a rate is next
//! asked for.

use hopscope_units::{Span, Time};

use super::params::DcqcnParams;
use super::plan::kbit_s;

/// One, as the estimate of congestion counts it.
const ONE: u64 = 1 << 32;

/// The parameters in kbit/s, bits and parts of 2^32.
#[derive(Clone, Debug)]
pub(crate) struct Dcqcn {
    pub cnp_interval: Span,
    gain: u64,
    alpha_timer: Span,
    rate_timer: Span,
    byte_counter: u64,
    fast_recovery: u32,
    additive: u64,
    hyper: u64,
    least: u64,
}

impl Dcqcn {
    pub fn new(params: &DcqcnParams) -> Self {
        Self {
            cnp_interval: params.cnp_interval,
            gain: (params.gain * ONE as f64) as u64,
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
    /// When the timer last ran out, or was set.
    timer_at: Time,
    /// Increases by the timer and by the byte counter since the last decrease.
    steps: [u32; 2],
    /// Bits sent since the byte counter last ran out.
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

    /// The rate now, in kbit/s.
    pub fn rate(&mut self, now: Time, dcqcn: &Dcqcn) -> u64 {
        while self.rate < self.line && now.since(self.timer_at) >= dcqcn.rate_timer {
            self.timer_at += dcqcn.rate_timer;
            self.increase(BY_TIME, dcqcn);
        }
        self.rate
    }

    /// So many bits go out.
    pub fn sends(&mut self, bits: u64, dcqcn: &Dcqcn) {
        self.sent += bits;
        while self.sent >= dcqcn.byte_counter {
            self.sent -= dcqcn.byte_counter;
            if self.rate < self.line {
                self.increase(BY_DATA, dcqcn);
            }
        }
    }

    /// A notification comes.
    pub fn notified(&mut self, now: Time, dcqcn: &Dcqcn) {
        self.rate(now, dcqcn);
        self.decay(now, dcqcn);
        self.target = self.rate;
        let cut = (u128::from(self.rate) * u128::from(self.alpha)) >> 33;
        self.rate = (self.rate - cut as u64).max(dcqcn.least.min(self.line));
        self.alpha += scaled(ONE - self.alpha, dcqcn.gain);
        (self.alpha_at, self.timer_at, self.steps, self.sent) = (now, now, [0; 2], 0);
    }

    /// The estimate falls once in each period without a notification.
    fn decay(&mut self, now: Time, dcqcn: &Dcqcn) {
        if self.alpha_at == Time::ZERO {
            return;
        }
        let periods = now.since(self.alpha_at).ps() / dcqcn.alpha_timer.ps();
        for _ in 0..periods {
            let fall = scaled(self.alpha, dcqcn.gain);
            if fall == 0 {
                break;
            }
            self.alpha -= fall;
        }
    }

    fn increase(&mut self, by: usize, dcqcn: &Dcqcn) {
        self.steps[by] += 1;
        let [time, data] = self.steps;
        let recovery = dcqcn.fast_recovery;
        if time.min(data) > recovery {
            let rounds = u64::from(time.min(data) - recovery);
            self.target += rounds * dcqcn.hyper;
        } else if time.max(data) > recovery {
            self.target += dcqcn.additive;
        }
        self.target = self.target.min(self.line);
        // Rounded up, so that the rate reaches its target.
        self.rate = (self.rate + self.target).div_ceil(2);
    }
}

fn scaled(amount: u64, gain: u64) -> u64 {
    ((u128::from(amount) * u128::from(gain)) >> 32) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dcqcn() -> Dcqcn {
        Dcqcn::new(&DcqcnParams::default())
    }

    fn at(us: u64) -> Time {
        Time::ZERO + Span::from_us(us)
    }

    #[test]
    fn the_first_notification_halves_the_rate_and_recovery_halves_the_gap() {
        let dcqcn = dcqcn();
        let mut flow = ReactionPoint::new(40_000_000);
        flow.notified(at(100), &dcqcn);
        assert_eq!(flow.rate(at(100), &dcqcn), 20_000_000);
        let recovered: Vec<u64> = (1..=5).map(|n| flow.rate(at(100 + 55 * n), &dcqcn)).collect();
        assert_eq!(recovered, [30_000_000, 35_000_000, 37_500_000, 38_750_000, 39_375_000]);
    }

    #[test]
    fn after_fast_recovery_the_target_rises_in_additive_steps_and_then_faster() {
        let dcqcn = dcqcn();
        let mut flow = ReactionPoint::new(100_000_000);
        flow.notified(at(50), &dcqcn);
        // Now the target is half of the link's rate.
        flow.notified(at(100), &dcqcn);
        flow.rate(at(100 + 55 * 6), &dcqcn);
        assert_eq!(flow.target, 50_040_000);
        for _ in 0..6 {
            flow.sends(80_000_000, &dcqcn);
        }
        // Five more additive steps, and with the sixth of both kinds the first of hyper increase.
        assert_eq!(flow.target, 50_040_000 + 5 * 40_000 + 400_000);
    }

    #[test]
    fn without_notifications_the_estimate_decays() {
        let dcqcn = dcqcn();
        let mut flow = ReactionPoint::new(40_000_000);
        flow.notified(at(0), &dcqcn);
        flow.notified(at(50), &dcqcn);
        let before = flow.alpha as f64;
        flow.notified(at(50 + 55 * 256), &dcqcn);
        let expected = before * (1.0f64 - 1.0 / 256.0).powi(256);
        assert!((flow.alpha as f64 / (expected + (ONE as f64 - expected) / 256.0) - 1.0).abs() < 1e-6);
    }
}
