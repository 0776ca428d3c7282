//! The arbiter decides which of several frames goes first, and the numbers of ports, hosts and switches do not.

use hopscope_fabric::Arbiter;
use hopscope_lossless::{CreditParams, FlowControl, FrameParams, PfcParams};
use hopscope_measure::{Estimate, Report};
use hopscope_topology::Network;
use hopscope_traffic::{Load, Pattern, TrafficSpec};
use hopscope_units::{Data, Span};

use crate::networks::{NUMBERINGS, assert_alike, crossbar, estimate, numbered};
use crate::universe::{fabric, frames, messages, run};

const ARBITERS: [Arbiter; 3] = [Arbiter::Oldest, Arbiter::Random, Arbiter::RoundRobin];

fn controls() -> [FlowControl; 2] {
    let buffer_per_lane = Data::from_bytes(4_000);
    let xoff = Data::from_bytes(8_000);
    [
        FlowControl::Credits(CreditParams { lanes: 1, buffer_per_lane }),
        FlowControl::Pfc(PfcParams { xoff, ..PfcParams::default() }),
    ]
}

/// Every host always has a frame of 1000 bytes for another. Switches and cables take no time, so frames that begin
/// together stay in step.
fn saturated(network: Network, arbiter: Arbiter, flow_control: FlowControl, pattern: Pattern) -> Report {
    let frames = FrameParams { arbiter, flow_control, latency: Span::ZERO, ..frames() };
    let mut params = fabric(frames);
    params.fabric.link.delay = Span::ZERO;
    let traffic = TrafficSpec { pattern, ..messages(1000, Load::Saturated) };
    run(network, params, &traffic, 600_000)
}

#[test]
fn every_input_of_a_symmetric_switch_gets_its_share() {
    for control in controls() {
        for arbiter in ARBITERS {
            let report = saturated(crossbar(8), arbiter, control.clone(), Pattern::ClientToServer);
            let share = |input| estimate(&report, &format!("fairness[in{input}].mean"));
            let shares: Vec<Estimate> = (0..8).map(share).collect();
            for share in &shares {
                let half = (share.high - share.low) / 2.0;
                let apart = (share.value - 1.0).abs();
                assert!(half < 0.05 && apart <= 2.0 * half.max(1e-3), "{control:?} {arbiter:?}: {shares:?}");
            }
        }
    }
}

#[test]
fn numbers_of_ports_hosts_and_switches_have_no_influence() {
    for control in controls() {
        for arbiter in ARBITERS {
            let of = |(trunk_first, reversed)| {
                let network = numbered(4, trunk_first, reversed);
                estimate(&saturated(network, arbiter, control.clone(), Pattern::default()), "throughput.rate")
            };
            assert_alike(&NUMBERINGS.map(of), &format!("{control:?} {arbiter:?}"));
        }
    }
}

/// With credits frames wait at the heads of input lanes, and an output chooses among them; queues at outputs are first
/// come, first served.
#[test]
fn under_a_fixed_priority_the_other_inputs_starve_only_where_frames_wait_at_inputs() {
    for (control, starves) in controls().into_iter().zip([true, false]) {
        let report = saturated(crossbar(4), Arbiter::Lowest, control.clone(), Pattern::ClientToServer);
        let share = |input| estimate(&report, &format!("fairness[in{input}].mean"));
        let (first, last) = (share(0), share(3));
        assert_eq!(first.low > 1.2 * last.high, starves, "{control:?}: {first:?} and {last:?}");
        assert_eq!(report.evidence.is_fixed_order, starves);
    }
}
