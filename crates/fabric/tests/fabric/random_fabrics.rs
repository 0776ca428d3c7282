//! Whatever the network and the load: nothing is lost, no FIFO overflows, up*/down* never locks up, and time is accounted for.

use std::sync::Arc;

use hopscope_fabric::{FabricParams, FabricPlan, Fifo, Switching};
use hopscope_measure::Subject;
use hopscope_topology::{NetworkSpec, Random};
use hopscope_traffic::{Load, Sizes, TrafficSpec};
use hopscope_units::{Data, Rate, Span};
use proptest::prelude::*;

fn params() -> impl Strategy<Value = FabricParams> {
    let fifo = prop_oneof![
        Just((Fifo::Unbounded, Data::from_bytes(2048))),
        (1501u64..4000, 40u64..3000).prop_map(|(stop, headroom)| {
            (Fifo::Bytes(Data::from_bytes(stop + headroom)), Data::from_bytes(stop))
        }),
    ];
    let switching = prop_oneof![Just(Switching::CutThrough), Just(Switching::StoreAndForward)];
    let link = (prop_oneof![Just(1_000u64), Just(100), Just(33), Just(7)], 0u64..1500);
    (fifo, switching, link, 0u64..2000, 0u64..2000).prop_map(
        |((fifo, stop), switching, (mbit, delay), a, b)| {
            let mut params = FabricParams::default();
            (params.switch.fifo, params.switch.stop_above, params.switch.switching) = (fifo, stop, switching);
            (params.switch.decision, params.switch.setup) = (Span::from_ns(a), Span::from_ns(b));
            // No cable holds more than the smallest headroom allows: 40 bytes there and back.
            params.link.rate = Rate::from_mbit_s(mbit);
            params.link.delay = Span::from_ns(delay.min(150_000 / mbit));
            params
        },
    )
}

fn load() -> impl Strategy<Value = Load> {
    prop_oneof![
        Just(Load::Saturated),
        (1u32..=20).prop_map(|twentieths| Load::Fraction(f64::from(twentieths) / 20.0))
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn keep_every_invariant(
        params in params(), load in load(), switches in 1u32..12, degree in 2u32..5, seed in 0u64..1000, bytes in 10u64..1500,
    ) {
        let spec = NetworkSpec::Random(Random { switches, degree, hosts_per_switch: 2, seed, ..Random::default() });
        let Ok(network) = spec.build() else { return Ok(()) };
        let sizes = Sizes::Fixed(Data::from_bytes(bytes));
        let traffic = TrafficSpec { pattern: Default::default(), load, sizes, bursts: None, observed: Default::default() };
        let plan = FabricPlan::new(network, params, traffic).map_err(|p| TestCaseError::fail(format!("{p:?}")))?;
        let mut simulation = Arc::new(plan).simulation(seed, ());
        for _ in 0..4 {
            simulation.run_events(5_000);
            let now = simulation.now();
            prop_assert_eq!(simulation.model.stuck(now), None);
            // The report asserts conservation; the run itself that no FIFO overflows and that every packet's stages add up.
            simulation.model.report(now);
        }
        prop_assert!(simulation.model.monitor().measured() > 0);
    }
}
