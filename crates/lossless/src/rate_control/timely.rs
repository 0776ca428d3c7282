//! TIMELY (Mittal et al. 2015, algorithm 1): a rate that rises and falls with the gradient of the round trip.

use hopscope_units::{Data, Span};

use super::feedback::{Ack, Loss, LossSignal};
use super::parts::{ONE, parts, scaled, share};
use super::{Bounds, HeldBy, RateControl};
use crate::plan::kbit_s;
use crate::rate_params::TimelyParams;

/// Hyperactive increase: this many steps at once.
const HYPER_STEPS: u64 = 5;

/// TIMELY with its parameters; rates are kbit/s.
#[derive(Clone, Debug)]
pub(crate) struct Timely {
    low: Span,
    high: Span,
    round_trip: Span,
    segment: u64,
    gain: u64,
    decrease: u64,
    additive: u64,
    patience: u32,
    least: u64,
}

/// The rate of one flow.
#[derive(Clone, Debug)]
pub(crate) struct Rising {
    bounds: Bounds,
    rate: u64,
    /// The round trip of the previous segment.
    before: Option<u64>,
    /// The smoothed difference of round trips, ps.
    difference: i64,
    /// Consecutive segments whose round trip did not grow.
    falling: u32,
    /// Bits acknowledged of this segment.
    acknowledged: u64,
}

impl Timely {
    pub fn new(params: &TimelyParams) -> Self {
        Self {
            low: params.low,
            high: params.high,
            round_trip: params.round_trip,
            segment: Data::bits(params.segment),
            gain: parts(params.gain),
            decrease: parts(params.decrease),
            additive: kbit_s(params.additive),
            patience: params.patience,
            least: kbit_s(params.least),
        }
    }

    /// Adds a round trip; the difference is smoothed in whole picoseconds.
    fn learn(&self, flow: &mut Rising, ps: u64) {
        let newest = flow.before.map_or(0, |before| ps as i64 - before as i64);
        flow.before = Some(ps);
        let step = i128::from(newest - flow.difference) * i128::from(self.gain) / i128::from(ONE);
        flow.difference += step as i64;
    }

    fn lower(&self, flow: &mut Rising, by: u64) {
        flow.rate = flow.bounds.clamp(flow.rate - scaled(flow.rate, scaled(by, self.decrease).min(ONE)));
        flow.falling = 0;
    }
}

impl RateControl for Timely {
    type Flow = Rising;

    const HELD_BY: HeldBy = HeldBy::Rate;

    fn new_flow(&self, line: u64, _: u64) -> Rising {
        let bounds = Bounds { least: self.least.min(line), most: line };
        Rising { bounds, rate: line, before: None, difference: 0, falling: 0, acknowledged: 0 }
    }

    fn rate_kbit_s(&self, flow: &Rising) -> u64 {
        flow.rate
    }

    fn on_ack(&self, flow: &mut Rising, ack: &Ack<'_>) {
        flow.acknowledged += ack.acked_bits;
        if flow.acknowledged < self.segment {
            return;
        }
        flow.acknowledged = 0;
        self.learn(flow, ack.round_trip.ps());
        if ack.round_trip < self.low {
            flow.rate = flow.bounds.clamp(flow.rate + self.additive);
        } else if ack.round_trip > self.high {
            self.lower(flow, ONE - share(self.high.ps(), ack.round_trip.ps()));
        } else if flow.difference <= 0 {
            flow.falling += 1;
            let steps = if flow.falling >= self.patience { HYPER_STEPS } else { 1 };
            flow.rate = flow.bounds.clamp(flow.rate + steps * self.additive);
        } else {
            self.lower(flow, share(flow.difference.unsigned_abs(), self.round_trip.ps()));
        }
    }

    /// The paper is for fabrics without loss; here the rate is halved after a timeout.
    fn on_loss(&self, flow: &mut Rising, loss: &Loss) {
        if loss.signal == LossSignal::Timeout {
            flow.rate = flow.bounds.clamp(flow.rate / 2);
        }
    }
}

#[cfg(test)]
mod tests {
    use hopscope_units::Time;

    use super::*;

    fn after(law: &Timely, flow: &mut Rising, us: u64) -> u64 {
        law.on_ack(flow, &Ack::of(128_000, Time::ZERO, Span::from_us(us), &[]));
        law.rate_kbit_s(flow)
    }

    #[test]
    fn the_thresholds_come_before_the_gradient() {
        let law = Timely::new(&TimelyParams::default());
        let mut flow = law.new_flow(10_000_000, 0);
        // Above the upper threshold: 1 - 0.8 (1 - 500/1000) of the rate is left.
        assert!(after(&law, &mut flow, 1_000).abs_diff(6_000_000) <= 1);
        // Below the lower one it rises by a step, although round trips fall steeply, and although they grow.
        assert!(after(&law, &mut flow, 30).abs_diff(6_010_000) <= 1);
        assert!(after(&law, &mut flow, 49).abs_diff(6_020_000) <= 1);
    }

    #[test]
    fn between_them_growing_round_trips_lower_the_rate_and_patience_raises_it_faster() {
        let law = Timely::new(&TimelyParams::default());
        let mut flow = law.new_flow(10_000_000, 0);
        after(&law, &mut flow, 100);
        // A difference of 8 us, smoothed by 0.875 to 7, of 20: 1 - 0.8 x 0.35 is left.
        let rate = after(&law, &mut flow, 108);
        assert!(rate.abs_diff(7_200_000) < 10, "{rate}");
        // Once it does not grow, the smoothed difference falls below zero only when round trips fall.
        let lower: Vec<u64> = (0..6).map(|n| after(&law, &mut flow, 90 - n)).collect();
        let steps: Vec<u64> = lower.windows(2).map(|pair| pair[1] - pair[0]).collect();
        assert_eq!(steps, [10_000, 10_000, 10_000, 50_000, 50_000]);
    }
}
