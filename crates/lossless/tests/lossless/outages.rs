//! Links and switches that go down: what is lost, where and why, and when the rest goes on, against closed forms.

use std::sync::Arc;

use hopscope_fabric::{Arbiter, Fault, Goes};
use hopscope_lossless::{FrameParams, LosslessPlan};
use hopscope_measure::{JourneyLog, LossWhy, Report, Subject};
use hopscope_topology::{Network, NetworkBuilder, Role};
use hopscope_traffic::OfferSpec;
use hopscope_traffic::flows::ListedFlow;
use hopscope_units::Span;

use crate::universe::{at_once, at_us, credits, dumbbell, fabric, frames, ladder, listed};

fn link(at: Span, a: &str, b: &str, goes: Goes) -> Fault {
    Fault { at, link: Some([a.to_owned(), b.to_owned()]), switch: None, goes }
}

fn switch(at: Span, name: &str, goes: Goes) -> Fault {
    Fault { at, link: None, switch: Some(name.to_owned()), goes }
}

/// A square x - y - z with a way round from x to z over w: hosts a on x and c on z.
fn square() -> Network {
    let mut builder = NetworkBuilder::new();
    let [x, y, z, w] = ["x", "y", "z", "w"].map(|name| builder.add_switch(name));
    for (one, other) in [(x, y), (y, z), (x, w), (w, z)] {
        builder.add_link(one, other, None, None);
    }
    builder.add_host("a", x, Role::Any);
    builder.add_host("c", z, Role::Any);
    builder.build().expect("a square")
}

/// Runs flows through faults, until nothing is left to happen or a millisecond is over.
fn run(network: Network, frames: FrameParams, flows: Vec<ListedFlow>, faults: Vec<Fault>) -> Report {
    let offer = OfferSpec::Flows(vec![at_once("flows", flows)]);
    let params = fabric(FrameParams { arbiter: Arbiter::Lowest, ..frames });
    let params = hopscope_lossless::LosslessParams { faults, ..params };
    let plan = LosslessPlan::new(network, params, offer).expect("a valid scenario");
    let mut simulation = Arc::new(plan).simulation(1, JourneyLog::new(10));
    simulation.run_until(at_us(1_000));
    let now = simulation.now();
    assert_eq!(simulation.model.stuck(now), None);
    assert_eq!(simulation.model.buffered_bits(), 0);
    assert!(simulation.model.credits_under_way().is_none_or(|bits| bits == 0));
    assert_eq!(simulation.model.frames_in_flight().0, 0);
    simulation.model.report(now)
}

fn count(report: &Report, name: &str) -> f64 {
    let metric = report.metric(&format!("{name}.count")).unwrap_or_else(|| panic!("{name} is counted"));
    metric.estimate.expect("a count").value
}

fn rerouted_after(frames: FrameParams, ns: u64) -> FrameParams {
    FrameParams { reroute: Span::from_ns(ns), ..frames }
}

/// Frames of 80 ns leave x for y at 480, 560, ... and cross the link in 180 ns. At 700 ns two have crossed, the third
/// (from 640) is on the link, the fourth and fifth are still to come.
#[test]
fn what_is_on_the_link_is_cut_and_what_comes_later_is_discarded_there() {
    for frames in [frames(), credits(1, 16)] {
        let frames = rerouted_after(frames, 1_000_000_000);
        let faults = vec![link(Span::from_ns(745), "x", "y", Goes::Down)];
        let report = run(dumbbell(), frames, vec![listed("a", "c", 5000)], faults);
        // Crossed by 745: those sent from 480 and from 560 (660, 740). On the link: 640 and 720. Then one more.
        assert_eq!(count(&report, "frames cut"), 2.0);
        assert_eq!(count(&report, "frames discarded"), 1.0);
        assert_eq!(count(&report, "frames without route"), 0.0);
        let told: Vec<_> = report.evidence.losses.iter().map(|loss| (loss.why, loss.count)).collect();
        assert_eq!(told, [(LossWhy::Fault, 2), (LossWhy::LinkDown, 1)]);
        assert!(report.evidence.losses.iter().all(|loss| loss.place.words == "the link x:0 -> y:0"));
        // The sum and the places tell a loss in the same words.
        let notes = report.notes.join("\n");
        for told in [
            "frames: 2 destroyed by a fault, 1 discarded at a link that was down, 0 dropped without a route;",
            "the link x:0 -> y:0: 2 frames destroyed by a fault",
            "the link x:0 -> y:0: 1 frame discarded at a link that was down",
        ] {
            assert!(notes.contains(told), "{notes}");
        }
        assert_eq!(report.evidence.interruptions, []);
        let output = report.resources.iter().find(|row| row.name.as_deref() == Some("x:0 -> y:0"));
        assert_eq!(output.expect("the output").refused, 3);
        let ports = report.ports.as_ref().expect("ports with counters");
        let [x, y] = ports.links[0];
        assert_eq!((x.ended.discards, x.ended.downed, y.ended.discards, y.ended.downed), (3, 1, 0, 1));
    }
}

/// Nothing leads round the only link: after the new tables frames have no route, until the link is back.
#[test]
fn a_link_that_comes_back_carries_frames_from_the_new_tables_on() {
    for frames in [frames(), credits(1, 16)] {
        let faults =
            vec![link(Span::from_us(1), "x", "y", Goes::Down), link(Span::from_us(3), "x", "y", Goes::Up)];
        let flows = vec![
            ListedFlow { start: Span::from_ns(1500), ..listed("a", "c", 1000) },
            ListedFlow { start: Span::from_ns(2900), ..listed("b", "d", 1000) },
            ListedFlow { start: Span::from_ns(4000), ..listed("b", "c", 1000) },
        ];
        let report = run(dumbbell(), rerouted_after(frames, 900), flows, faults);
        // At x at 1980, after the tables of 1900; at x at 3380, before those of 3900; at x at 4480.
        assert_eq!(count(&report, "frames cut"), 0.0);
        assert_eq!(count(&report, "frames discarded"), 0.0);
        assert_eq!(count(&report, "frames without route"), 2.0);
        assert_eq!(report.evidence.losses[0].place.words, "the switch x");
        insta::allow_duplicates! {
            insta::assert_snapshot!(ladder(&report), @"
            0   1500 ..   1580  transmission a -> x:1
            0   1580 ..   1680  propagation  a -> x:1
            0   1680 ..   1980  switching    x:1 -> a
            1   2900 ..   2980  transmission b -> x:2
            1   2980 ..   3080  propagation  b -> x:2
            1   3080 ..   3380  switching    x:2 -> b
            2   4000 ..   4080  transmission b -> x:2
            2   4080 ..   4180  propagation  b -> x:2
            2   4180 ..   4480  switching    x:2 -> b
            2   4480 ..   4560  transmission x:0 -> y:0
            2   4560 ..   4660  propagation  x:0 -> y:0
            2   4660 ..   4960  switching    y:0 -> x:0
            2   4960 ..   5040  transmission y:1 -> c
            2   5040 ..   5140  propagation  y:1 -> c
            ");
        }
    }
}

/// All goes by y, the first of two ways; after the fault one frame is discarded, then all go over w.
#[test]
fn new_tables_lead_round_the_link() {
    let faults = vec![link(Span::from_ns(400), "x", "y", Goes::Down)];
    for frames in [frames(), credits(1, 16)] {
        let flows =
            vec![listed("a", "c", 1000), ListedFlow { start: Span::from_ns(1000), ..listed("a", "c", 1000) }];
        let mut params = rerouted_after(frames, 500);
        params.balancing = hopscope_lossless::Balancing::RoundRobinSpray;
        let report = run(square(), params, flows, faults.clone());
        assert_eq!(count(&report, "frames discarded"), 1.0);
        insta::allow_duplicates! {
            insta::assert_snapshot!(ladder(&report), @"
            0      0 ..     80  transmission a -> x:2
            0     80 ..    180  propagation  a -> x:2
            0    180 ..    480  switching    x:2 -> a
            1   1000 ..   1080  transmission a -> x:2
            1   1080 ..   1180  propagation  a -> x:2
            1   1180 ..   1480  switching    x:2 -> a
            1   1480 ..   1560  transmission x:1 -> w:0
            1   1560 ..   1660  propagation  x:1 -> w:0
            1   1660 ..   1960  switching    w:0 -> x:1
            1   1960 ..   2040  transmission w:1 -> z:1
            1   2040 ..   2140  propagation  w:1 -> z:1
            1   2140 ..   2440  switching    z:1 -> w:1
            1   2440 ..   2520  transmission z:2 -> c
            1   2520 ..   2620  propagation  z:2 -> c
            ");
        }
    }
}

/// A switch with hosts that fails: its hosts wait, and go on when it is back; what was for them is lost meanwhile.
#[test]
fn hosts_of_a_switch_that_fails_wait_until_it_is_back() {
    for frames in [frames(), credits(1, 16)] {
        let faults =
            vec![switch(Span::from_ns(700), "x", Goes::Down), switch(Span::from_us(5), "x", Goes::Up)];
        let flows = vec![
            listed("a", "c", 5000),
            ListedFlow { start: Span::from_us(2), ..listed("b", "d", 1000) },
            ListedFlow { start: Span::from_us(2), ..listed("c", "a", 1000) },
        ];
        let report = run(dumbbell(), rerouted_after(frames, 1_000), flows, faults);
        let lost =
            ["frames cut", "frames discarded", "frames without route"].map(|name| count(&report, name));
        // Of the five frames one has crossed x - y, one is on it, one on the way out of x's pipeline, and two on
        // the link from a or in the pipeline: all but the first are in what fails. The one from c finds no route.
        assert_eq!(lost.iter().sum::<f64>(), 5.0);
        assert_eq!(lost[2], 1.0);
        let interruption = &report.evidence.interruptions[0];
        assert_eq!(interruption.place.words, "the switch x");
        // From 0.7 us until the new tables 1 us after it is back at 5 us.
        assert!((interruption.total_s - 5.3e-6).abs() < 1e-12, "{interruption:?}");
        insta::allow_duplicates! {
            insta::assert_snapshot!(ladder(&report), @"
            0      0 ..     80  transmission a -> x:1
            0     80 ..    160  transmission a -> x:1
            0    160 ..    240  transmission a -> x:1
            0    240 ..    320  transmission a -> x:1
            0    320 ..    400  transmission a -> x:1
            0    400 ..    500  propagation  a -> x:1
            0    500 ..    800  switching    x:1 -> a
            1   2000 ..   6000  send queue   b -> x:2
            1   6000 ..   6080  transmission b -> x:2
            1   6080 ..   6180  propagation  b -> x:2
            1   6180 ..   6480  switching    x:2 -> b
            1   6480 ..   6560  transmission x:0 -> y:0
            1   6560 ..   6660  propagation  x:0 -> y:0
            1   6660 ..   6960  switching    y:0 -> x:0
            1   6960 ..   7040  transmission y:2 -> d
            1   7040 ..   7140  propagation  y:2 -> d
            2   2000 ..   2080  transmission c -> y:1
            2   2080 ..   2180  propagation  c -> y:1
            2   2180 ..   2480  switching    y:1 -> c
            ");
        }
    }
}

/// The longest message that may be under way when a link flaps every microsecond: all that is not lost arrives.
#[test]
fn a_link_that_flaps_loses_frames_each_time_and_nothing_stays_behind() {
    for frames in [frames(), credits(1, 16)] {
        let faults = (0..40).map(|i| {
            let goes = if i % 2 == 0 { Goes::Down } else { Goes::Up };
            link(Span::from_ns(1_000 + 700 * i), "x", "y", goes)
        });
        let flows = vec![listed("a", "c", 600_000), listed("b", "c", 600_000), listed("d", "b", 600_000)];
        let report = run(dumbbell(), rerouted_after(frames, 100), flows, faults.collect());
        let ports = report.ports.as_ref().expect("ports with counters");
        assert_eq!(ports.links[0][0].ended.downed, 20);
        let lost =
            ["frames cut", "frames discarded", "frames without route"].map(|name| count(&report, name));
        assert!(lost[0] >= 20.0, "{lost:?}");
    }
}

#[test]
fn a_fault_plan_is_refused_where_routes_cannot_lead_round() {
    let spec = hopscope_topology::NetworkSpec::Torus(hopscope_topology::Grid::default());
    let mut params = fabric(credits(2, 16));
    params.fabric.routing.rule = hopscope_fabric::Rule::DimensionOrder;
    params.faults = vec![switch(Span::from_us(1), "x0y0", Goes::Down)];
    let flows = vec![at_once("flows", vec![listed("h0", "h1", 1000)])];
    let refused = LosslessPlan::new(spec.build().expect("a torus"), params, OfferSpec::Flows(flows));
    let problems = refused.expect_err("dimension order does not lead round");
    assert!(problems.iter().any(|problem| problem.path == "routing.rule"), "{problems:?}");
}

/// A run of some microseconds does not reach a fault at a second: it is reported as one that did not happen.
#[test]
fn a_fault_after_the_end_of_the_run_did_not_take_place() {
    let faults =
        vec![link(Span::from_us(1), "x", "y", Goes::Down), link(Span::from_ms(1_000), "x", "y", Goes::Up)];
    let notes = run(dumbbell(), frames(), vec![listed("a", "c", 1000)], faults).notes.join("\n");
    assert!(notes.contains("faults: 1; frames: "), "{notes}");
    assert!(notes.contains(" ms: the fault at 1000.000 ms did not take place"), "{notes}");
}
