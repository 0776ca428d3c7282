//! The arbiter decides who is served, and the numbers of ports, hosts and switches do not.

use hopscope_an1::{An1Params, Discipline, Fifo};
use hopscope_fabric::Arbiter;
use hopscope_measure::{Estimate, Report};
use hopscope_traffic::{ArrivalLaw, Load, Observed, Pattern, Sizes, TrafficSpec};
use hopscope_units::{Data, Span};

use crate::networks::{NUMBERINGS, assert_alike, crossbar, estimate, mean, numbered};
use crate::runs::{run, run_seed};

const FAIR: [Arbiter; 3] = [Arbiter::Oldest, Arbiter::Random, Arbiter::RoundRobin];

/// Switches that take no time, so that messages of one length that begin together stay in step.
fn slotted(arbiter: Arbiter) -> An1Params {
    let mut params = An1Params::default();
    (params.switch.decision, params.switch.setup, params.fabric.link.delay) =
        (Span::ZERO, Span::ZERO, Span::ZERO);
    params.switch.fifo = Fifo::Unbounded;
    params.switch.arbiter = arbiter;
    params
}

fn traffic(pattern: Pattern, load: Load, arrivals: ArrivalLaw) -> TrafficSpec {
    let sizes = Sizes::Fixed(Data::from_bytes(1000));
    TrafficSpec { pattern, load, sizes, arrivals, bursts: None, observed: Observed::Always }
}

/// An 8 x 8 switch of which every input always has a packet for a random output. FIFOs of two packets: what waits in
/// hosts has not been generated.
fn saturated(arbiter: Arbiter, discipline: Discipline, seed: u64) -> Report {
    let mut params = slotted(arbiter);
    (params.switch.fifo, params.switch.stop_above) =
        (Fifo::Bytes(Data::from_bytes(65_536)), Data::from_bytes(60_000));
    params.switch.discipline = discipline;
    let traffic = traffic(Pattern::ClientToServer, Load::Saturated, ArrivalLaw::Poisson);
    run_seed(crossbar(8), &params, &traffic, seed, 600_000)
}

fn shares(report: &Report) -> Vec<Estimate> {
    (0..8).map(|input| estimate(report, &format!("fairness[in{input}].mean"))).collect()
}

#[test]
fn every_input_of_a_symmetric_switch_gets_its_share() {
    for discipline in [Discipline::InputFifo, Discipline::RandomAccess] {
        for arbiter in FAIR {
            let shares = shares(&saturated(arbiter, discipline, 1));
            for share in &shares {
                // Twice the half width: four standard deviations.
                let half = (share.high - share.low) / 2.0;
                let apart = (share.value - 1.0).abs();
                assert!(
                    half < 0.05 && apart <= 2.0 * half.max(1e-3),
                    "{discipline:?} {arbiter:?}: {shares:?}"
                );
            }
        }
    }
}

#[test]
fn a_fixed_priority_favours_low_ports() {
    let shares = shares(&saturated(Arbiter::Lowest, Discipline::InputFifo, 1));
    assert!(shares[0].low > 1.2 && shares[7].high < 0.8, "{shares:?}");
    let report = saturated(Arbiter::Lowest, Discipline::InputFifo, 1);
    assert!(mean(&report, "fairness.index") < 0.97);
}

#[test]
fn numbers_of_ports_hosts_and_switches_have_no_influence() {
    // All hosts of two switches send to all others, so that the link between the switches is the bottleneck, and one
    // of the inputs that compete with others for the outputs to hosts.
    for (load, what) in [(Load::Saturated, "throughput.rate"), (Load::Fraction(0.2), "latency.mean")] {
        for arbiter in FAIR {
            let of = |(trunk_first, reversed)| {
                let network = numbered(4, trunk_first, reversed);
                let mut params = slotted(arbiter);
                if load == Load::Saturated {
                    (params.switch.fifo, params.switch.stop_above) =
                        (Fifo::Bytes(Data::from_bytes(8_192)), Data::from_bytes(6_000));
                }
                let arrivals =
                    if load == Load::Saturated { ArrivalLaw::Poisson } else { ArrivalLaw::Slotted };
                estimate(&run(network, &params, &traffic(Pattern::default(), load, arrivals), 800_000), what)
            };
            assert_alike(&NUMBERINGS.map(of), &format!("{arbiter:?} {what}"));
        }
    }
}

#[test]
fn a_fixed_priority_depends_on_the_port_of_the_trunk() {
    // What the test above would find if the arbiter did not decide.
    let carried = |trunk_first| {
        let mut params = slotted(Arbiter::Lowest);
        (params.switch.fifo, params.switch.stop_above) =
            (Fifo::Bytes(Data::from_bytes(8_192)), Data::from_bytes(6_000));
        let traffic = traffic(Pattern::default(), Load::Saturated, ArrivalLaw::Poisson);
        estimate(&run(numbered(4, trunk_first, false), &params, &traffic, 800_000), "throughput.rate")
    };
    let (first, last) = (carried(true), carried(false));
    assert!(first.low > last.high || last.low > first.high, "{first:?} {last:?}");
}

#[test]
fn fifos_served_at_random_wait_as_karol_hluchyj_and_morgan_computed() {
    // Their analysis for many inputs (section III): the wait in slots is p E[S(S-1)] / (2 (1 - p E[S])) + E[S] - 1, and
    // S is the time in a slotted queue with Poisson arrivals, served in random order. The numbers are those that its
    // recursion gives.
    for (load, expected) in [(0.2, 0.1641), (0.4, 0.7857)] {
        let traffic = traffic(Pattern::ClientToServer, Load::Fraction(load), ArrivalLaw::Slotted);
        let report = run(crossbar(128), &slotted(Arbiter::Random), &traffic, 3_000_000);
        // A slot of 1000 bytes takes 80 us.
        let slots = mean(&report, "latency.mean") / 80.0;
        assert!((slots / expected - 1.0).abs() < 0.04, "{load}: {slots} slots, not {expected}");
    }
}
