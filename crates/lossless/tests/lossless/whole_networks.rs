//! Whole networks: output queues, full bisection, collectives.

use hopscope_lossless::{Balancing, FrameParams};
use hopscope_measure::Subject;
use hopscope_topology::{FatTree, NetworkSpec, Star};
use hopscope_traffic::flows::{Algorithm, AllReduce, FlowPattern};
use hopscope_traffic::{ArrivalLaw, Load, Pattern, Permutation, TrafficSpec};
use hopscope_units::{Data, Span};

use crate::networks::{crossbar, mean};
use crate::universe::{at_us, boundless, fabric, flows, frames, group, messages, report_at, run};

#[test]
fn queues_at_outputs_wait_as_karol_hluchyj_and_morgan_computed() {
    // (N - 1) / N * p / (2 (1 - p)) slots of 80 ns, beside a slot on each of two links.
    for (n, p) in [(2, 0.5), (4, 0.8), (16, 0.8)] {
        let mut params = fabric(FrameParams { latency: Span::ZERO, ..boundless() });
        params.fabric.link.delay = Span::ZERO;
        let traffic = TrafficSpec {
            pattern: Pattern::ClientToServer,
            arrivals: ArrivalLaw::Slotted,
            ..messages(1000, Load::Fraction(p))
        };
        let report = run(crossbar(n), params, &traffic, 5_000_000);
        let slots = mean(&report, "latency.mean") / 0.08 - 2.0;
        let closed_form = (n - 1) as f64 / n as f64 * p / (2.0 * (1.0 - p));
        assert!(
            (slots / closed_form - 1.0).abs() < 0.02,
            "{n} x {n} at {p}: {slots} slots, not {closed_form}"
        );
    }
}

/// What hosts of a fat tree receive when each sends all it can to one other.
fn permuted(balancing: Balancing) -> (f64, f64) {
    let network =
        NetworkSpec::FatTree(FatTree { radix: 8, ..FatTree::default() }).build().expect("a fat tree");
    let traffic =
        TrafficSpec { pattern: Pattern::Permutation(Permutation::Random), ..messages(1000, Load::Saturated) };
    let report = run(network, fabric(FrameParams { balancing, ..frames() }), &traffic, 1_000_000);
    (mean(&report, "carried.mean"), mean(&report, "paused.mean"))
}

#[test]
fn spraying_gives_a_fat_tree_its_full_bisection_and_hashing_does_not() {
    let (in_turn, paused) = permuted(Balancing::RoundRobinSpray);
    assert!(in_turn > 0.999 && paused == 0.0, "{in_turn}, paused {paused}");
    // Chance and queues that are seen a moment too late cost some hundredths where every link is full.
    for balancing in [Balancing::Spray, Balancing::Adaptive] {
        let (sprayed, _) = permuted(balancing);
        assert!(sprayed > 0.96, "{balancing:?}: {sprayed}");
    }
    // Flows that share a link by chance halve each other's rate, and hold back others where they meet.
    let (hashed, paused) = permuted(Balancing::FlowHash);
    assert!(hashed < 0.6 && paused > 0.1, "{hashed}, paused {paused}");
}

#[test]
fn a_ring_all_reduce_takes_its_closed_form() {
    // 2 (N - 1) steps, each the N-th part over two links, cut into frames of 1000 bytes.
    let (hosts, bytes) = (8, 800_000);
    let star =
        NetworkSpec::Star(Star { arms: 0, hosts_at_hub: hosts, ..Star::default() }).build().expect("a star");
    let size = Data::from_bytes(bytes);
    let pattern = FlowPattern::AllReduce(AllReduce { size, algorithm: Algorithm::Ring });
    let mut simulation = flows(star, frames(), vec![group("ring", pattern)]);
    let report = report_at(&mut simulation, at_us(1_000_000));
    assert_eq!(report.measured.messages, u64::from(2 * hosts * (hosts - 1)));
    let part_ns = bytes as f64 / f64::from(hosts) * 8.0 / 100.0;
    let step_ns = part_ns + 80.0 + 2.0 * 100.0 + 300.0;
    let expected_us = 2.0 * f64::from(hosts - 1) * step_ns * 1e-3;
    let took_us = simulation.now().as_seconds() * 1e6;
    assert!((took_us / expected_us - 1.0).abs() < 1e-6, "{took_us} us, not {expected_us}");
    assert_eq!(simulation.model.buffered_bits(), 0);
    let now = simulation.now();
    assert_eq!(simulation.model.stuck(now), None);
}
