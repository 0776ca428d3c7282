//! Cut-through: what a frame takes over switches, and where it is received whole after all, against closed forms.

use hopscope_lossless::{Forwarding, FrameParams};
use hopscope_topology::{Network, NetworkBuilder, Role};
use hopscope_units::{Rate, Span};

use crate::networks::mean;
use crate::universe::{at_once, at_us, credits, flows, frames, listed, report_at};

fn cut(frames: FrameParams) -> FrameParams {
    FrameParams { forwarding: Forwarding::CutThrough, ..frames }
}

/// A row of switches between a and b, whose links have these rates in Gbit/s, first to last.
fn row(rates: &[u64]) -> Network {
    let mut builder = NetworkBuilder::new();
    let rate = |of: usize| Some(Rate::from_mbit_s(1_000 * rates[of]));
    let switches: Vec<_> = (1..rates.len()).map(|i| builder.add_switch(format!("s{i}"))).collect();
    for (i, pair) in switches.windows(2).enumerate() {
        builder.add_link(pair[0], pair[1], rate(i + 1), None);
    }
    for (name, switch, of) in [("a", switches[0], 0), ("b", switches[switches.len() - 1], rates.len() - 1)] {
        let host = builder.add_loose_host(name, Role::Any);
        builder.attach(host, switch, None, rate(of), None);
    }
    builder.build().expect("a row")
}

/// The time of a message of `bytes` bytes from a to b, in ns.
fn takes(rates: &[u64], bytes: u64, frames: FrameParams) -> f64 {
    let mut simulation = flows(row(rates), frames, vec![at_once("one", vec![listed("a", "b", bytes)])]);
    let report = report_at(&mut simulation, at_us(1_000));
    // Alone, a flow takes as long as is said that it takes alone.
    assert!((mean(&report, "slowdown.max") - 1.0).abs() < 1e-9);
    mean(&report, "latency.max") * 1e3
}

/// Every switch costs its pipeline and a cable, and only the last link the transmission: k (300 + 100) + 80 + 100 ns
/// for a frame over k switches, and 80 ns for each further frame. Stored, each switch costs 80 ns more.
#[test]
fn only_the_last_link_costs_a_transmission() {
    for switches in 1..5u64 {
        let rates = vec![100; switches as usize + 1];
        for frame in [frames(), credits(1, 16)] {
            for n in [1, 2, 7] {
                let expected = (400 * switches + 180 + 80 * (n - 1)) as f64;
                let found = takes(&rates, 1000 * n, cut(frame.clone()));
                assert!((found - expected).abs() < 1e-6, "{found} {expected}");
                let stored = takes(&rates, 1000 * n, frame.clone());
                assert!((stored - expected - (80 * switches) as f64).abs() < 1e-6, "{stored}");
            }
        }
    }
}

/// To a faster link a frame goes whole: from 25 to 100 Gbit/s it is received for 320 ns. To a slower one it is cut
/// through, and the slower link sets the pace.
#[test]
fn a_frame_goes_whole_to_a_faster_link() {
    for frame in [frames(), credits(1, 16)] {
        let up = takes(&[25, 100, 100], 1000, cut(frame.clone()));
        assert!((up - f64::from(320 + 400 + 400 + 180)).abs() < 1e-6, "{up}");
        let down = takes(&[100, 100, 25], 1000, cut(frame.clone()));
        assert!((down - f64::from(400 + 400 + 320 + 100)).abs() < 1e-6, "{down}");
        let three = takes(&[100, 25, 100], 3000, cut(frame));
        assert!((three - f64::from(400 + 3 * 320 + 400 + 80 + 100)).abs() < 1e-6, "{three}");
    }
}

/// Several flows that meet: nothing is lost, and no headroom or credit is overrun.
#[test]
fn what_meets_waits_and_arrives() {
    for frame in [frames(), credits(1, 2)] {
        let all = vec![listed("a", "b", 200_000), listed("b", "a", 200_000), listed("a", "b", 100_001)];
        let mut simulation = flows(
            row(&[100, 25, 100]),
            cut(FrameParams { latency: Span::ZERO, ..frame }),
            vec![at_once("both", all)],
        );
        let report = report_at(&mut simulation, at_us(1_000));
        assert_eq!(report.measured.messages, 3);
        assert_eq!((simulation.model.buffered_bits(), simulation.model.frames_in_flight().0), (0, 0));
    }
}
