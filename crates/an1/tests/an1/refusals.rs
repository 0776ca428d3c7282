//! What cannot be built is refused with its place, what is wrong and what would do.

use hopscope_an1::{
    An1Params, An1Plan, BackPressure, Discipline, Fifo, Scheduler, SharedBuffer, SmoothingFrame, Switching,
    Timing, VirtualQueues,
};
use hopscope_traffic::{ArrivalLaw, Bursts, Sizes, TrafficSpec};
use hopscope_units::{Data, Span};

use crate::networks::{flow, tandem};
use crate::runs::flows;

fn refusal(change: impl FnOnce(&mut An1Params, &mut TrafficSpec)) -> String {
    let (mut params, mut traffic) = (An1Params::default(), flows(vec![flow("s1", "d")], 0.5));
    change(&mut params, &mut traffic);
    let problems = An1Plan::new(tandem(), params, traffic).expect_err("a refusal");
    let lines = problems.iter().map(|p| format!("{}: {}; expected {}", p.path, p.problem, p.expected));
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn every_refusal_says_what_would_do() {
    let boundary = |urgent: u64| {
        refusal(|params, _| {
            params.switch.back_pressure = BackPressure::PacketBoundary;
            params.switch.urgent_above = Data::from_bytes(urgent);
        })
    };
    let unbounded = |discipline: Discipline| {
        refusal(|params, traffic| {
            (params.switch.fifo, params.switch.discipline) = (Fifo::Unbounded, discipline);
            traffic.sizes = Sizes::Exponential(Data::from_bytes(1000));
        })
    };
    let no_rounds = VirtualQueues { scheduler: Scheduler::Pim, iterations: 0 };
    let refusals = [
        refusal(|params, _| params.switch.directive = Timing::EverySlots(4096)),
        refusal(|params, _| params.switch.directive = Timing::Every(Span::ZERO)),
        boundary(2000),
        boundary(4096),
        refusal(|params, traffic| {
            params.switch.switching = Switching::StoreAndForward;
            traffic.sizes = Sizes::Fixed(Data::from_bytes(3000));
        }),
        refusal(|params, _| params.switch.discipline = Discipline::Output),
        refusal(|params, _| {
            params.switch.discipline = Discipline::RandomAccess;
            params.switch.switching = Switching::VirtualCutThrough;
        }),
        refusal(|params, _| params.switch.ttl = Some(0)),
        refusal(|params, traffic| {
            params.switch.ttl = Some(3);
            traffic.bursts = Some(Bursts::default());
        }),
        unbounded(Discipline::Voq(no_rounds)),
        unbounded(Discipline::SharedOutputBuffer(SharedBuffer { memory: Data::from_bytes(4096) })),
        unbounded(Discipline::InputSmoothing(SmoothingFrame { slots: 0 })),
        unbounded(Discipline::InputSmoothing(SmoothingFrame { slots: 4 })),
        refusal(|_, traffic| {
            traffic.arrivals = ArrivalLaw::Slotted;
            traffic.sizes = Sizes::Exponential(Data::from_bytes(1000));
        }),
    ];
    insta::assert_snapshot!(refusals.join("\n"), @r#"
    switch.fifo: data in flight on link 2:0 -> 1:0 when it is told to stop would overflow the FIFO; expected at least 6149 B, or a lower stop_above
    switch.directive.every: directive period 0 s is out of range; expected from 1 to 1048576 slots, a time up to 1 s, or "immediate"
    switch.urgent_above: urgent threshold 2000 B is out of range; expected from stop_above (2048 B) to below the FIFO size (4096 B)
    switch.urgent_above: urgent threshold 4096 B is out of range; expected from stop_above (2048 B) to below the FIFO size (4096 B)
    switch.stop_above: a packet of 3000 B never fits whole into a FIFO with stop threshold 2048 B; expected stop_above no less than the longest packet, fifo = "unbounded", or cut-through with equal rates
    switch.discipline: this discipline queues packets at outputs, but input FIFOs are bounded; expected fifo = "unbounded"
    switch.switching: virtual cut-through is defined for packets at the head of a FIFO; expected "cut-through" or "store-and-forward", or discipline = "input-fifo"
    switch.ttl: a time to live of 0 lets no packet pass a switch; expected from 1 to 255, or no ttl
    switch.ttl: a burst that loses a packet would never finish; expected messages without bursts, or no ttl
    switch.discipline.voq.iterations: 0 matching iterations are out of range; expected from 1 to 1000
    switch.discipline.shared-output-buffer.memory: 4096 B is too small for all inputs of switch 1; expected at least 6291471 B
    switch.discipline.input-smoothing.slots: a smoothing frame of 0 slots is out of range; expected from 1 to 10000
    switch.discipline.input-smoothing: smoothing frames need packets of one length; expected messages of one fixed size and no bursts, or another discipline
    traffic.arrivals: slotted arrivals need messages of one length; expected one fixed size and no bursts
    "#);
}
