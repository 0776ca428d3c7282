//! HPCC (Li et al. 2019, algorithm 1): a window set by the busiest link on the path, from the queues and sent data that
//! switches report, and a rate of one window per round trip.

use hopscope_units::Span;

use super::feedback::{Ack, Hop, Loss, LossSignal, Telemetry};
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
    /// The smoothed load of the busiest link: data in flight over what a round trip holds.
    load: u64,
    /// Additive steps since the last multiplicative one.
    stage: u32,
    /// The reference is updated by the acknowledgment of data sent after this.
    updated_to: u64,
    /// The telemetry of the last acknowledgment.
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

    /// The load of the busiest link with earlier telemetry, and the time between the two.
    fn busiest(&self, flow: &Measured, hops: &[Hop]) -> Option<(u64, u64)> {
        let load = |(new, old): (&Hop, &Hop)| {
            let time = new.at.ps().checked_sub(old.at.ps()).filter(|time| *time > 0)?;
            if new.output != old.output {
                return None;
            }
            let rate = u64::from(new.rate_kbit_s);
            let holds = carried(rate, self.round_trip);
            let sending = rate_of(new.sent_bits.saturating_sub(old.sent_bits), Span::from_ps(time));
            let load =
                share(new.queued_bits.min(old.queued_bits), holds).saturating_add(share(sending, rate));
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

    fn new_flow(&self, line: u64, _: u64) -> Measured {
        let window = carried(line, self.round_trip).max(1);
        let bounds = Bounds { least: self.additive.min(window), most: window };
        let (reference, hops) = (window, Vec::new());
        Measured { bounds, line, window, reference, load: ONE, stage: 0, updated_to: 0, hops }
    }

    fn rate_kbit_s(&self, flow: &Measured) -> u64 {
        rate_of(flow.window, self.round_trip).min(flow.line)
    }

    fn window_bits(&self, flow: &Measured) -> u64 {
        flow.window
    }

    fn on_ack(&self, flow: &mut Measured, ack: &Ack<'_>) {
        if !flow.hops.is_empty() {
            self.measure(flow, ack.hops);
            let is_new = ack.frame_end_bits > flow.updated_to;
            self.resize(flow, is_new);
            if is_new {
                flow.updated_to = ack.sent_bits;
            }
        }
        flow.hops.clear();
        flow.hops.extend_from_slice(ack.hops);
    }

    /// The paper is for fabrics without loss; here the window is halved after a timeout.
    fn on_loss(&self, flow: &mut Measured, loss: &Loss) {
        if loss.signal == LossSignal::Timeout {
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

    /// The telemetry of a link of 100 Gbit/s at this microsecond, when it has been busy for `busy_us`.
    fn telemetry(us: u64, busy_us: u64, queued_bits: u64) -> Vec<Hop> {
        let (at, sent_bits) = (Time::ZERO + Span::from_us(us), busy_us * LINE / 1_000);
        vec![Hop { output: 3, rate_kbit_s: LINE as u32, queued_bits, sent_bits, at }]
    }

    fn hear(law: &Hpcc, flow: &mut Measured, hops: &[Hop], sent_bits: u64) -> u64 {
        let ack = Ack::of(8_000, Time::ZERO, Span::from_us(13), hops);
        let ack = Ack { frame_end_bits: sent_bits, sent_bits, ..ack };
        law.on_ack(flow, &ack);
        law.window_bits(flow)
    }

    #[test]
    fn a_full_link_with_a_queue_cuts_the_window_to_what_the_target_leaves() {
        let law = Hpcc::new(&HpccParams::default());
        let mut flow = law.new_flow(LINE, 0);
        let full = law.window_bits(&flow);
        assert_eq!(full, 1_300_000);
        hear(&law, &mut flow, &telemetry(0, 0, full), 1);
        // A round trip later: sent without a gap, with a queue of one round trip: a load of 2.
        let window = hear(&law, &mut flow, &telemetry(13, 13, full), 2);
        let expected = full as f64 * 0.95 / 2.0 + 640.0;
        assert!((window as f64 / expected - 1.0).abs() < 1e-4, "{window}, expected {expected}");
        assert!(law.rate_kbit_s(&flow).abs_diff(window * 1_000 / 13) < 2);
    }

    #[test]
    fn below_the_target_it_takes_five_steps_and_then_multiplies() {
        let law = Hpcc::new(&HpccParams::default());
        let mut flow = law.new_flow(LINE, 0);
        (flow.window, flow.reference) = (200_000, 200_000);
        hear(&law, &mut flow, &telemetry(0, 0, 0), 1);
        let windows: Vec<u64> =
            (1..=6).map(|n| hear(&law, &mut flow, &telemetry(26 * n, 13 * n, 0), n + 1)).collect();
        assert_eq!(windows[..5], [200_640, 201_280, 201_920, 202_560, 203_200]);
        let expected = 203_200.0 * 0.95 / 0.5 + 640.0;
        assert!((windows[5] as f64 / expected - 1.0).abs() < 1e-4, "{windows:?}");
    }
}
