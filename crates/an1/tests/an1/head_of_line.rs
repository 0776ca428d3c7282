//! Saturated input-FIFO switches against their closed forms (SRC 88, section 3.1).

use crate::networks::{crossbar, mean};
use crate::runs::run;
use hopscope_an1::{An1Params, Fifo};
use hopscope_traffic::{Load, Observed, Pattern, Sizes, TrafficSpec};
use hopscope_units::{Data, Span};

/// The utilisation of the outputs when every input always has a packet for a random output, and switching takes no
/// time.
fn saturation(n: usize, sizes: Sizes, events: u64) -> f64 {
    let mut params = An1Params::default();
    (params.switch.decision, params.switch.setup, params.fabric.link.delay) =
        (Span::ZERO, Span::ZERO, Span::ZERO);
    (params.switch.fifo, params.switch.stop_above) =
        (Fifo::Bytes(Data::from_bytes(65_536)), Data::from_bytes(60_000));
    let traffic = TrafficSpec {
        pattern: Pattern::ClientToServer,
        load: Load::Saturated,
        sizes,
        arrivals: Default::default(),
        bursts: None,
        observed: Observed::Always,
    };
    mean(&run(crossbar(n), &params, &traffic, events), "carried.mean")
}

#[test]
fn asynchronous_switches_carry_n_over_2n_minus_1() {
    for n in [2, 4, 8] {
        let carried = saturation(n, Sizes::Exponential(Data::from_bytes(1000)), 3_000_000);
        let closed_form = n as f64 / (2 * n - 1) as f64;
        assert!((carried / closed_form - 1.0).abs() < 0.01, "{n} x {n}: {carried}, not {closed_form}");
    }
}

#[test]
fn slotted_switches_carry_what_karol_hluchyj_and_morgan_computed() {
    // With fixed lengths and no delays everything stays in step. Their Table I: 0.7500, 0.6825, 0.6553 for n = 2, 3, 4.
    for (n, published) in [(2, 0.75), (3, 0.6825), (4, 0.6553)] {
        let carried = saturation(n, Sizes::Fixed(Data::from_bytes(1000)), 3_000_000);
        assert!((carried / published - 1.0).abs() < 0.005, "{n} x {n}: {carried}, not {published}");
    }
}
