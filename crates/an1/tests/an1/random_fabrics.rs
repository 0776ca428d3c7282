//! Whatever the network and the load: nothing is lost, no FIFO overflows, up*/down* never locks up, and time is
//! accounted for.

use std::collections::BTreeMap;
use std::sync::Arc;

use hopscope_an1::{
    An1Params, An1Plan, BackPressure, Discipline, Fifo, Scheduler, SharedBuffer, SmoothingFrame,
    SwitchParams, Switching, Timing, VirtualQueues,
};
use hopscope_fabric::Choice;
use hopscope_measure::{Report, ResourceKind, Subject};
use hopscope_topology::{NetworkSpec, Random};
use hopscope_traffic::{Load, Sizes, TrafficSpec};
use hopscope_units::{Data, Rate, Span, Time};
use proptest::prelude::*;

use crate::networks::arbiter;

/// FIFOs, what they tell and when: every one has room for what still comes when it says stop.
fn buffers() -> impl Strategy<Value = SwitchParams> {
    let timing = prop_oneof![
        2 => Just(Timing::Immediate),
        1 => (1u32..300).prop_map(Timing::EverySlots),
    ];
    let bounded = (1501u64..4000, 0u64..1000, 40u64..3000, timing, any::<bool>()).prop_map(
        |(stop, until_urgent, headroom, directive, boundary)| {
            let waits = if let Timing::EverySlots(slots) = directive { u64::from(slots) + 1 } else { 0 };
            let back_pressure = if boundary { BackPressure::PacketBoundary } else { BackPressure::MidPacket };
            SwitchParams {
                stop_above: Data::from_bytes(stop),
                urgent_above: Data::from_bytes(stop + until_urgent),
                fifo: Fifo::Bytes(Data::from_bytes(stop + until_urgent + headroom + waits)),
                directive,
                back_pressure,
                ..SwitchParams::default()
            }
        },
    );
    prop_oneof![
        1 => Just(SwitchParams { fifo: Fifo::Unbounded, ..SwitchParams::default() }),
        3 => bounded,
    ]
}

/// Disciplines and switching; what is not defined together is put right.
fn switches() -> impl Strategy<Value = SwitchParams> {
    let switching = prop_oneof![
        Just(Switching::CutThrough),
        Just(Switching::StoreAndForward),
        Just(Switching::VirtualCutThrough),
    ];
    let scheduler = prop_oneof![Just(Scheduler::Pim), Just(Scheduler::Islip)];
    let discipline = prop_oneof![
        3 => Just(Discipline::InputFifo),
        1 => Just(Discipline::RandomAccess),
        1 => Just(Discipline::Output),
        1 => (60_000u64..70_000).prop_map(|bytes| {
            Discipline::SharedOutputBuffer(SharedBuffer { memory: Data::from_bytes(bytes) })
        }),
        1 => (1u32..5).prop_map(|slots| Discipline::InputSmoothing(SmoothingFrame { slots })),
        1 => (scheduler, 1u32..4)
            .prop_map(|(scheduler, iterations)| Discipline::Voq(VirtualQueues { scheduler, iterations })),
    ];
    (buffers(), switching, discipline, 0u64..2000, 0u64..2000).prop_map(
        |(buffers, switching, discipline, a, b)| {
            let (decision, setup) = (Span::from_ns(a), Span::from_ns(b));
            let mut params = SwitchParams { switching, discipline, decision, setup, ..buffers };
            if discipline != Discipline::InputFifo && switching == Switching::VirtualCutThrough {
                params.switching = Switching::CutThrough;
            }
            if matches!(
                discipline,
                Discipline::Output | Discipline::SharedOutputBuffer(_) | Discipline::InputSmoothing(_)
            ) {
                params.fifo = Fifo::Unbounded;
            }
            params
        },
    )
}

fn params() -> impl Strategy<Value = An1Params> {
    let link = (prop_oneof![Just(1_000u64), Just(100), Just(33), Just(7)], 0u64..1500);
    let choice = prop_oneof![
        Just(Choice::MultiPath),
        Just(Choice::SinglePath),
        Just(Choice::PairPath),
        Just(Choice::InputPath),
        Just(Choice::LowestNumbered),
        Just(Choice::LeastRecentlyStopped),
    ];
    let ttl = prop_oneof![3 => Just(None), 1 => (1u8..6).prop_map(Some)];
    (switches(), arbiter(), link, choice, ttl).prop_map(|(switch, arbiter, (mbit, delay), choice, ttl)| {
        let mut params = An1Params { switch: SwitchParams { ttl, ..switch }, ..An1Params::default() };
        if !matches!(params.switch.discipline, Discipline::Voq(_)) {
            params.switch.arbiter = arbiter;
        }
        params.fabric.routing.choice = choice;
        // No cable holds more than the smallest headroom allows: 40 bytes there and back.
        params.fabric.link.rate = Rate::from_mbit_s(mbit);
        params.fabric.link.delay = Span::from_ns(delay.min(150_000 / mbit));
        params
    })
}

fn load() -> impl Strategy<Value = Load> {
    prop_oneof![
        Just(Load::Saturated),
        (1u32..=20).prop_map(|twentieths| Load::Fraction(f64::from(twentieths) / 20.0))
    ]
}

/// What every FIFO has held since a time, in byte seconds, with the most it ever held; and for how long every output
/// has been sending.
struct Contents {
    at: Time,
    byte_seconds: BTreeMap<String, (f64, f64)>,
    sending_s: BTreeMap<String, f64>,
}

impl Contents {
    /// By a report whose window began at the start.
    fn of(report: &Report, at: Time) -> Self {
        let fifos = report.resources.iter().filter(|row| row.kind == ResourceKind::InputFifo);
        let seconds = report.measured.span_s;
        let held = fifos.map(|row| (row.place.clone(), (row.occupancy * seconds, row.peak))).collect();
        let outputs = report.resources.iter().filter(|row| row.kind == ResourceKind::Output);
        let sending = outputs.map(|row| (row.place.clone(), row.held_in[0].occupancy * seconds)).collect();
        Self { at, byte_seconds: held, sending_s: sending }
    }

    /// Between two reports of one window a FIFO has held something between nothing and the most it ever did, whatever
    /// was inside at either; and no output has been sending for longer than that, whatever was under way.
    fn follow(&self, earlier: &Self) -> Result<(), TestCaseError> {
        let seconds = self.at.since(earlier.at).as_seconds();
        for (place, &(held, peak)) in &self.byte_seconds {
            let before = earlier.byte_seconds.get(place).map_or(0.0, |&(held, _)| held);
            let slack = 1e-9 * (1.0 + held.abs());
            let held_since = held - before;
            prop_assert!(
                held_since > -slack && held_since < peak * seconds + slack,
                "{place}: {held_since} {peak}"
            );
        }
        for (place, sending) in &self.sending_s {
            let sent = sending - earlier.sending_s.get(place).copied().unwrap_or(0.0);
            let slack = 1e-12 + 1e-9 * seconds;
            prop_assert!(sent > -slack && sent < seconds + slack, "{place}: {sent} of {seconds} s");
        }
        Ok(())
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn keep_every_invariant(
        params in params(), load in load(), switches in 1u32..12, degree in 2u32..5, seed in 0u64..1000,
        bytes in 10u64..1500,
    ) {
        let spec = NetworkSpec::Random(Random { switches, degree, hosts_per_switch: 2, seed, ..Random::default() });
        let Ok(network) = spec.build() else { return Ok(()) };
        let sizes = Sizes::Fixed(Data::from_bytes(bytes));
        let traffic = TrafficSpec {
            pattern: Default::default(),
            load,
            sizes,
            arrivals: Default::default(),
            bursts: None,
            observed: Default::default(),
        };
        let plan = An1Plan::new(network, params, traffic).map_err(|p| TestCaseError::fail(format!("{p:?}")))?;
        let mut simulation = Arc::new(plan).simulation(seed, ());
        let mut before: Option<Contents> = None;
        for part in 0..4 {
            simulation.run_events(5_000);
            let now = simulation.now();
            prop_assert_eq!(simulation.model.stuck(now), None);
            // The report asserts conservation; the run itself that no FIFO overflows and that every packet's stages add
            // up.
            let later = Contents::of(&simulation.model.report(now), now);
            if let Some(earlier) = &before {
                later.follow(earlier)?;
            }
            before = Some(later);
            if part == 1 {
                simulation.model.restart(now);
                before = Some(Contents { at: now, byte_seconds: BTreeMap::new(), sending_s: BTreeMap::new() });
            }
        }
        prop_assert!(simulation.model.monitor().measured() > 0);
    }
}
