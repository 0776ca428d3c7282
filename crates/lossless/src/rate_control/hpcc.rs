//! HPCC (Li et al. 2019, algorithm 1): a window set by the busiest link on the way, of which switches tell queue and
//! sent data, and a rate of one window in a round trip.

use hopscope_units::Span;

use super::heard::{Heard, Hop, Missing, Slip, Telemetry};
use super::parts::{ONE, carried, parts, rate_of, scaled, share};
use super::{Bounds, HeldBy, RateControl};
use crate::rate_params::HpccParams;

/// HPCC with its parameters; amounts are bits.
#[derive(Clone, Debug)]
pub(crate) struct Hpcc {
    round_trip: Span,
    target: u64,
    stages: u32,
    additive: u64,
}

/// The window of one flow.
#[derive(Clone, Debug)]
pub(crate) struct Measured {
    bounds: Bounds,
    line: u64,
    window: u64,
    /// The window from which the next is computed: as it was a round trip ago.
    reference: u64,
    /// The smoothed load of the busiest link: data under way of what a round trip holds.
    load: u64,
    /// Additive steps since the last multiplicative one.
    stage: u32,
    /// The reference follows the acknowledgment of what is sent after this.
    updated_to: u64,
    /// What switches told last.
    hops: Vec<Hop>,
}

impl Hpcc {
    pub fn new(params: &HpccParams) -> Self {
        Self {
            round_trip: params.round_trip,
            target: parts(params.target),
            stages: params.stages,
            additive: params.additive.bits(),
        }
    }

    /// The load of the busiest link that told something before, and the time between the two.
    fn busiest(&self, flow: &Measured, hops: &[Hop]) -> Option<(u64, u64)> {
        let load = |(new, old): (&Hop, &Hop)| {
            let time = new.at.ps().checked_sub(old.at.ps()).filter(|time| *time > 0)?;
            if new.output != old.output {
                return None;
            }
            let rate = u64::from(new.rate);
            let holds = carried(rate, self.round_trip);
            let sending = rate_of(new.sent.saturating_sub(old.sent), Span::from_ps(time));
            let load = share(new.queued.min(old.queued), holds).saturating_add(share(sending, rate));
            Some((load, time))
        };
        hops.iter().zip(&flow.hops).filter_map(load).max_by_key(|(load, _)| *load)
    }

    fn measure(&self, flow: &mut Measured, hops: &[Hop]) {
        let Some((load, time)) = self.busiest(flow, hops) else { return };
        let weight = share(time.min(self.round_trip.ps()), self.round_trip.ps());
        flow.load = scaled(flow.load, ONE - weight).saturating_add(scaled(load, weight));
    }

    fn resize(&self, flow: &mut Measured, is_new: bool) {
        let multiplies = flow.load >= self.target || flow.stage >= self.stages;
        let from = if multiplies {
            let over = share(flow.load, self.target).max(1);
            share(flow.reference, over)
        } else {
            flow.reference
        };
        flow.window = flow.bounds.clamp(from.saturating_add(self.additive));
        if is_new {
            flow.stage = if multiplies { 0 } else { flow.stage + 1 };
            flow.reference = flow.window;
        }
    }
}

impl RateControl for Hpcc {
    type Flow = Measured;

    const HELD_BY: HeldBy = HeldBy::Window;
    const TELEMETRY: Telemetry = Telemetry::Hops;

    fn begins(&self, line: u64, _: u64) -> Measured {
        let window = carried(line, self.round_trip).max(1);
        let bounds = Bounds { least: self.additive.min(window), most: window };
        let (reference, hops) = (window, Vec::new());
        Measured { bounds, line, window, reference, load: ONE, stage: 0, updated_to: 0, hops }
    }

    fn rate(&self, flow: &Measured) -> u64 {
        rate_of(flow.window, self.round_trip).min(flow.line)
    }

    fn window(&self, flow: &Measured) -> u64 {
        flow.window
    }

    fn answered(&self, flow: &mut Measured, heard: &Heard<'_>) {
        if !flow.hops.is_empty() {
            self.measure(flow, heard.hops);
            let is_new = heard.reached > flow.updated_to;
            self.resize(flow, is_new);
            if is_new {
                flow.updated_to = heard.sent;
            }
        }
        flow.hops.clear();
        flow.hops.extend_from_slice(heard.hops);
    }

    /// The paper is for fabrics without loss; after a timer has run out the window is halved here.
    fn slipped(&self, flow: &mut Measured, slip: &Slip) {
        if slip.how == Missing::TimedOut {
            flow.window = flow.bounds.clamp(flow.window / 2);
            flow.reference = flow.window;
        }
    }
}

#[cfg(test)]
mod tests {
    use hopscope_units::Time;

    use super::*;

    const LINE: u64 = 100_000_000;

    /// What a link of 100 Gbit/s tells at this microsecond, when it has been busy for so many.
    fn told(us: u64, busy_us: u64, queued: u64) -> Vec<Hop> {
        let (at, sent) = (Time::ZERO + Span::from_us(us), busy_us * LINE / 1_000);
        vec![Hop { output: 3, rate: LINE as u32, queued, sent, at }]
    }

    fn hear(law: &Hpcc, flow: &mut Measured, hops: &[Hop], reached: u64) -> u64 {
        let heard = Heard::of(8_000, Time::ZERO, Span::from_us(13), hops);
        let heard = Heard { reached, sent: reached, ..heard };
        law.answered(flow, &heard);
        law.window(flow)
    }

    #[test]
    fn a_full_link_with_a_queue_cuts_the_window_to_what_the_target_leaves() {
        let law = Hpcc::new(&HpccParams::default());
        let mut flow = law.begins(LINE, 0);
        let full = law.window(&flow);
        assert_eq!(full, 1_300_000);
        hear(&law, &mut flow, &told(0, 0, full), 1);
        // A round trip later: sent without a gap, and a round trip's worth waits: a load of 2.
        let window = hear(&law, &mut flow, &told(13, 13, full), 2);
        let expected = full as f64 * 0.95 / 2.0 + 640.0;
        assert!((window as f64 / expected - 1.0).abs() < 1e-4, "{window}, expected {expected}");
        assert!(law.rate(&flow).abs_diff(window * 1_000 / 13) < 2);
    }

    #[test]
    fn below_the_target_it_takes_five_steps_and_then_multiplies() {
        let law = Hpcc::new(&HpccParams::default());
        let mut flow = law.begins(LINE, 0);
        (flow.window, flow.reference) = (200_000, 200_000);
        hear(&law, &mut flow, &told(0, 0, 0), 1);
        let windows: Vec<u64> =
            (1..=6).map(|n| hear(&law, &mut flow, &told(26 * n, 13 * n, 0), n + 1)).collect();
        assert_eq!(windows[..5], [200_640, 201_280, 201_920, 202_560, 203_200]);
        let expected = 203_200.0 * 0.95 / 0.5 + 640.0;
        assert!((windows[5] as f64 / expected - 1.0).abs() < 1e-4, "{windows:?}");
    }
}
