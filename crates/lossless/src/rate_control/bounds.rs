//! Whatever feedback a sender gets, windows and rates stay within their bounds, and a frame may always be sent in the
//! end.

use hopscope_kernel::RandomStream;
use hopscope_units::{Data, Span, Time};

use super::dctcp::Dctcp;
use super::hpcc::Hpcc;
use super::nscc::Nscc;
use super::pull::Pull;
use super::swift::Swift;
use super::timely::Timely;
use super::{Ack, Hop, Loss, LossSignal, RateControl};
use crate::rate_params::{DctcpParams, HpccParams, NsccParams, PullParams, SwiftParams, TimelyParams};

const FRAME: u64 = 12_000;
const LINE: u64 = 100_000_000;

/// A number of any size up to a bound: as often small as large.
fn any(random: &mut RandomStream, most: u64) -> u64 {
    let scale = random.below(u64::from(most.ilog2()) + 1);
    random.below((most >> scale) + 1)
}

fn hops(random: &mut RandomStream, now: Time) -> Vec<Hop> {
    let hop = |output| Hop {
        output,
        rate_kbit_s: LINE as u32,
        queued_bits: any(random, 1 << 30),
        sent_bits: any(random, 1 << 40),
        at: Time::ZERO + Span::from_ps(any(random, now.ps().max(1))),
    };
    (0..3).map(hop).collect()
}

/// Applies this many random feedback events to one flow, in any order and of any size.
fn stays_within<C: RateControl>(law: &C, seed: u64, windows: (u64, u64), rates: (u64, u64)) {
    let mut random = RandomStream::named(seed, "whatever is heard", 0);
    let mut flow = law.new_flow(LINE, 1 << 30);
    let (mut now, mut sent_bits) = (Time::ZERO, 0);
    for _ in 0..1_000 {
        now += Span::from_ps(any(&mut random, 1_000_000_000));
        let frame_end_bits = random.below(sent_bits + 1);
        match random.below(8) {
            0 => {
                let signal = if random.chance(0.5) { LossSignal::Ack } else { LossSignal::Timeout };
                law.on_loss(&mut flow, &Loss { now, signal, frame_end_bits, sent_bits });
            }
            1 if law.permits(&flow, 0, FRAME) => {
                law.on_send(&mut flow, FRAME);
                sent_bits += FRAME;
            }
            _ => {
                let (round_trip, marked) = (Span::from_ps(any(&mut random, 1 << 40)), random.chance(0.3));
                let hops = &hops(&mut random, now);
                let switches = random.below(9) as u32;
                let acked_bits = any(&mut random, FRAME);
                law.on_ack(
                    &mut flow,
                    &Ack { now, round_trip, acked_bits, marked, frame_end_bits, sent_bits, switches, hops },
                );
            }
        }
        let (window, rate) = (law.window_bits(&flow), law.rate_kbit_s(&flow));
        assert!(window >= windows.0 && window <= windows.1, "seed {seed}: a window of {window} bits");
        assert!(rate >= rates.0 && rate <= rates.1, "seed {seed}: a rate of {rate} kbit/s");
    }
}

#[test]
fn windows_and_rates_stay_within_their_bounds_whatever_is_heard() {
    let bytes = |bytes| Some(Data::from_bytes(bytes));
    let dctcp = DctcpParams { least: bytes(2_000), most: Data::from_bytes(90_000), ..DctcpParams::default() };
    let swift = SwiftParams { most: Data::from_bytes(90_000), ..SwiftParams::default() };
    let anything = (0, u64::MAX);
    for seed in 0..100 {
        stays_within(&Dctcp::with(&dctcp, FRAME), seed, (16_000, 720_000), (LINE, LINE));
        stays_within(&Timely::new(&TimelyParams::default()), seed, anything, (10_000, LINE));
        // A window of 13 us at 100 Gbit/s, down to one step of 80 bytes; the rate is a window in that time.
        stays_within(&Hpcc::new(&HpccParams::default()), seed, (640, 1_300_000), (49_000, LINE));
        stays_within(&Swift::new(&swift, FRAME), seed, (64, 720_000), (1, LINE));
        // From a frame to one and a half times what 12 us carry.
        stays_within(&Nscc::new(&NsccParams::default(), FRAME, true), seed, (FRAME, 1_800_000), (LINE, LINE));
        stays_within(&Pull::new(&PullParams::default(), FRAME), seed, anything, (LINE, LINE));
    }
}
