//! Switches without head-of-line blocking, against closed forms and published saturation throughputs.

use hopscope_an1::{
    An1Params, Discipline, Fifo, Scheduler, SharedBuffer, SmoothingFrame, Switching, VirtualQueues,
};
use hopscope_fabric::Choice;
use hopscope_topology::{NetworkBuilder, Role};
use hopscope_traffic::{ArrivalLaw, Load, Pattern, Sizes, TrafficSpec};
use hopscope_units::{Data, Rate, Span};

use crate::networks::{crossbar, mean};
use crate::runs::run;

/// A switch that takes no time, on links of no delay, and keeps whatever comes.
fn instant(discipline: Discipline) -> An1Params {
    let mut params = An1Params::default();
    (params.switch.decision, params.switch.setup, params.fabric.link.delay) =
        (Span::ZERO, Span::ZERO, Span::ZERO);
    (params.switch.discipline, params.switch.fifo) = (discipline, Fifo::Unbounded);
    params
}

/// Messages of one length to random outputs, in step.
fn slotted(load: Load) -> TrafficSpec {
    TrafficSpec {
        pattern: Pattern::ClientToServer,
        load,
        sizes: Sizes::Fixed(Data::from_bytes(1000)),
        arrivals: ArrivalLaw::Slotted,
        bursts: None,
        observed: Default::default(),
    }
}

fn voq(scheduler: Scheduler, iterations: u32) -> Discipline {
    Discipline::Voq(VirtualQueues { scheduler, iterations })
}

#[test]
fn output_queues_wait_as_karol_hluchyj_and_morgan_computed() {
    // (N - 1) / N * p / (2 (1 - p)) slots of 80 us.
    for (n, p) in [(2, 0.5), (4, 0.8), (16, 0.8)] {
        let params = instant(Discipline::Output);
        let report = run(crossbar(n), &params, &slotted(Load::Fraction(p)), 6_000_000);
        let slots = mean(&report, "latency.mean") / 80.0;
        let closed_form = (n - 1) as f64 / n as f64 * p / (2.0 * (1.0 - p));
        assert!(
            (slots / closed_form - 1.0).abs() < 0.02,
            "{n} x {n} at {p}: {slots} slots, not {closed_form}"
        );
    }
}

/// The utilisation of the outputs of a switch whose inputs always receive, of which it keeps what it cannot send.
fn saturation(n: usize, discipline: Discipline) -> f64 {
    let params = instant(discipline);
    mean(&run(crossbar(n), &params, &slotted(Load::Saturated), 1_000_000), "carried.mean")
}

#[test]
fn parallel_iterative_matching_carries_what_was_published() {
    // One round with random grants reaches 1 - (1 - 1/N)^N, which tends to 63 %; four rounds, nearly everything
    // (Anderson et al. 1993).
    let one_round = saturation(16, voq(Scheduler::Pim, 1));
    assert!((one_round - 0.644).abs() < 0.02, "{one_round}");
    let four_rounds = saturation(16, voq(Scheduler::Pim, 4));
    assert!(four_rounds > 0.97, "{four_rounds}");
}

#[test]
fn round_robin_matching_needs_one_round() {
    // With all queues full it carries everything, as the unit tests of the matching show; here inputs receive no more
    // than they send, and some queues are empty at times.
    let carried = saturation(16, voq(Scheduler::Islip, 1));
    assert!(carried > 0.97, "{carried}");
}

/// A quantity measured at 16 x 16.
fn sixteen(scheduler: Scheduler, rounds: u32, load: f64, key: &str) -> f64 {
    let traffic = slotted(Load::Fraction(load));
    mean(&run(crossbar(16), &instant(voq(scheduler, rounds)), &traffic, 400_000), key)
}

/// The mean wait in slots at 16 x 16.
fn wait_of_sixteen(scheduler: Scheduler, rounds: u32, load: f64) -> f64 {
    sixteen(scheduler, rounds, load, "latency.mean") / 80.0
}

#[test]
fn delay_curves_of_sixteen_ports_have_their_published_shape() {
    // Anderson et al. 1993, section 3, and McKeown 1999, section III: output queues bound all from below; four rounds
    // of either matching stay close to them up to high loads; one round of iSLIP waits longer but carries any load,
    // where one of PIM ends at 63 %.
    for load in [0.3, 0.9] {
        let ideal = 15.0 / 16.0 * load / (2.0 * (1.0 - load));
        let [pim, islip, one_round] = [(Scheduler::Pim, 4), (Scheduler::Islip, 4), (Scheduler::Islip, 1)]
            .map(|(scheduler, rounds)| wait_of_sixteen(scheduler, rounds, load));
        assert!(ideal < pim && pim < 2.6 * ideal, "{load}: PIM {pim}, output queues {ideal}");
        assert!((islip / pim - 1.0).abs() < 0.1, "{load}: iSLIP {islip}, PIM {pim}");
        assert!(one_round > islip, "{load}: {one_round} in one round, {islip} in four");
    }
    let one_pim = wait_of_sixteen(Scheduler::Pim, 1, 0.6);
    let one_islip = wait_of_sixteen(Scheduler::Islip, 1, 0.6);
    assert!(one_pim > one_islip, "near its end PIM waits longer: {one_pim}, not {one_islip}");
    let carried = sixteen(Scheduler::Islip, 1, 0.95, "carried.mean");
    assert!(carried > 0.9, "{carried}");
}

#[test]
fn random_access_buffers_end_head_of_line_blocking() {
    let carried = saturation(16, Discipline::RandomAccess);
    assert!(carried > 0.95, "{carried}");
}

/// The mean wait in slots in a switch of four ports.
fn wait(discipline: Discipline, load: f64) -> f64 {
    let report = run(crossbar(4), &instant(discipline), &slotted(Load::Fraction(load)), 2_000_000);
    mean(&report, "latency.mean") / 80.0
}

#[test]
fn frames_of_one_slot_are_random_access_and_longer_ones_make_packets_wait() {
    let smoothed = |slots, load| wait(Discipline::InputSmoothing(SmoothingFrame { slots }), load);
    // In a frame of one slot every input sends and every output takes at most one packet, in the order in which they
    // came.
    let random_access = wait(Discipline::RandomAccess, 0.8);
    let one_slot = smoothed(1, 0.8);
    assert!((one_slot / random_access - 1.0).abs() < 0.02, "{one_slot} and {random_access} slots");
    // A lone packet waits for the next frame: (b - 1) / 2 slots on average, and hardly for others.
    let lone = smoothed(5, 0.01);
    assert!((lone - 2.0).abs() < 0.05, "{lone} slots");
}

#[test]
fn a_shared_memory_large_enough_is_as_good_as_output_queues_and_a_small_one_holds_back() {
    let throughput = |discipline| {
        let mut params = instant(discipline);
        params.fabric.link.delay = Span::from_ns(200);
        mean(&run(crossbar(4), &params, &slotted(Load::Saturated), 1_000_000), "carried.mean")
    };
    let shared = |memory| Discipline::SharedOutputBuffer(SharedBuffer { memory: Data::from_bytes(memory) });
    // Eight ports keep 2005 bytes each.
    let (large, small) = (throughput(shared(1_000_000)), throughput(shared(8 * 2005)));
    assert!(large > 0.97, "{large}");
    assert!(small < 0.8, "{small}");
}

#[test]
fn what_goes_through_an_idle_switch_takes_the_same_time() {
    let traffic = crate::runs::flows(vec![crate::networks::flow("s1", "d")], 0.0001);
    let shared = Discipline::SharedOutputBuffer(SharedBuffer { memory: Data::from_bytes(100_000) });
    for discipline in [
        Discipline::InputFifo,
        Discipline::RandomAccess,
        voq(Scheduler::Islip, 1),
        Discipline::Output,
        shared,
    ] {
        for (switching, expected) in [(Switching::CutThrough, 11.2), (Switching::StoreAndForward, 411.2)] {
            let mut params = An1Params::default();
            (params.switch.discipline, params.switch.switching, params.switch.fifo) =
                (discipline, switching, Fifo::Unbounded);
            params.fabric.routing.choice = Choice::LowestNumbered;
            let latency = mean(&run(crate::networks::tandem(), &params, &traffic, 20_000), "latency.p50");
            assert!((latency / expected - 1.0).abs() < 0.002, "{discipline:?}, {switching:?}: {latency} us");
        }
    }
}

#[test]
fn a_packet_that_has_left_before_its_last_byte_came_in_is_not_taken_for_the_next_one() {
    // Nothing takes any time: the first switch has sent a packet to b before it hears that all of it came in, and the
    // host has given the packet's number to the next one. One to c, on a faster link, has to be complete.
    let mut builder = NetworkBuilder::new();
    let switch = builder.add_switch("s");
    for name in ["a", "b", "d"] {
        builder.add_host(name, switch, Role::Any);
    }
    let fast = builder.add_loose_host("c", Role::Any);
    builder.attach(fast, switch, None, Some(Rate::from_bit_s(200_000_000)), None);
    let network = builder.build().expect("a switch with hosts is a network");
    let traffic = TrafficSpec {
        pattern: Pattern::Uniform,
        arrivals: ArrivalLaw::default(),
        ..slotted(Load::Fraction(0.4))
    };
    let carried =
        |discipline| mean(&run(network.clone(), &instant(discipline), &traffic, 200_000), "carried.mean");
    let ideal = carried(Discipline::Output);
    for discipline in [Discipline::RandomAccess, voq(Scheduler::Islip, 1)] {
        let found = carried(discipline);
        assert!((found / ideal - 1.0).abs() < 0.01, "{discipline:?}: {found}, not {ideal}");
    }
}
