//! Whatever the network, the parameters and the flows: nothing is lost for good, headroom holds, buffers empty, credits
//! come back, order is kept.

use std::collections::BTreeMap;
use std::sync::Arc;

use hopscope_fabric::{Fault, Goes, Rule};
use hopscope_lossless::{
    Balancing, BufferParams, CreditParams, DcqcnParams, DctcpParams, DropParams, EcnParams, FlowControl,
    Forwarding, FrameParams, HpccParams, Lossless, LosslessParams, LosslessPlan, NsccParams, PfcParams,
    PullParams, RateControlParams, RecoveryKind, RecoveryParams, Scheduling, SwiftParams, TimelyParams,
};
use hopscope_measure::{ResourceKind, Subject};
use hopscope_topology::{Link, Network, NetworkSpec, Random};
use hopscope_traffic::OfferSpec;
use hopscope_traffic::flows::{AllToAll, FlowGroup, FlowPattern, Order, PermutationFlows};
use hopscope_units::{Data, Rate, Span, Time};
use proptest::prelude::*;

use crate::networks::{arbiter, mean};
use crate::universe::group;

fn flow_control() -> impl Strategy<Value = (FlowControl, BufferParams)> {
    let pfc = (1u8..5, 3_000u64..40_000, prop_oneof![Just(None), (0.01f64..4.0).prop_map(Some)]).prop_map(
        |(priorities, xoff, alpha)| {
            let xoff = Data::from_bytes(xoff);
            let pfc = PfcParams { priorities, xoff, ..PfcParams::default() };
            (FlowControl::Pfc(pfc), BufferParams { size: Data::from_bytes(100_000_000), alpha })
        },
    );
    let credits = (1u8..5, 1_500u64..40_000).prop_map(|(lanes, bytes)| {
        let buffer_per_lane = Data::from_bytes(bytes);
        (FlowControl::Credits(CreditParams { lanes, buffer_per_lane }), BufferParams::default())
    });
    let drops =
        (1u8..5, 1_500u64..20_000, any::<bool>(), prop_oneof![Just(None), (0.1f64..4.0).prop_map(Some)])
            .prop_map(|(priorities, bytes, trimming, alpha)| {
                let drop = DropParams { priorities, queue: Some(Data::from_bytes(bytes)), trimming };
                (FlowControl::TailDrop(drop), BufferParams { size: Data::from_bytes(60_000), alpha })
            });
    prop_oneof![pfc, credits, drops]
}

/// A law of rates or windows, or none.
fn rate_control() -> impl Strategy<Value = Option<RateControlParams>> {
    let bytes = |from: u64, to: u64| (from..to).prop_map(Data::from_bytes);
    prop_oneof![
        3 => Just(None),
        1 => bytes(1, 50_000).prop_map(|least| {
            let least = Some(least);
            Some(RateControlParams::Dctcp(DctcpParams { least, initial: least, ..DctcpParams::default() }))
        }),
        1 => Just(Some(RateControlParams::Timely(TimelyParams::default()))),
        1 => (1u64..100, bytes(1, 5_000)).prop_map(|(us, additive)| {
            let round_trip = Span::from_us(us);
            Some(RateControlParams::Hpcc(HpccParams { round_trip, additive, ..HpccParams::default() }))
        }),
        1 => (1u64..100, bytes(100, 5_000)).prop_map(|(us, least)| {
            let (target, initial) = (Span::from_us(us), Some(least));
            Some(RateControlParams::Swift(SwiftParams { target, least, initial, ..SwiftParams::default() }))
        }),
        1 => (1u64..100, 0u32..8).prop_map(|(us, gate)| {
            let round_trip = Span::from_us(us);
            Some(RateControlParams::Nscc(NsccParams { round_trip, gate, ..NsccParams::default() }))
        }),
        1 => bytes(1, 20_000)
            .prop_map(|initial| Some(RateControlParams::Pull(PullParams { initial: Some(initial) }))),
    ]
}

/// Recovery that does not give up.
fn recovery() -> impl Strategy<Value = RecoveryParams> {
    (any::<bool>(), 1u32..5).prop_map(|(goes_back, reordering)| RecoveryParams {
        rule: if goes_back { RecoveryKind::GoBackN } else { RecoveryKind::SelectiveRepeat },
        timeout: Span::from_ms(5),
        retries: 100_000,
        reordering,
    })
}

fn frames() -> impl Strategy<Value = FrameParams> {
    let balancing = prop_oneof![
        3 => Just(Balancing::FlowHash),
        1 => Just(Balancing::Spray),
        1 => Just(Balancing::RoundRobinSpray),
        1 => Just(Balancing::Adaptive),
    ];
    let ports = (any::<bool>(), prop::option::of(prop::collection::vec(1u16..5, 5)), any::<bool>());
    let control = (any::<bool>(), rate_control(), prop::option::of(recovery()));
    (flow_control(), 65u64..1_500, 0u64..1_000, (balancing, arbiter(), ports), control).prop_map(
        |((flow_control, buffer), mtu, latency, (balancing, arbiter, ports), control)| {
            let (cut, weights, strict) = ports;
            let (controlled, rate_control, recovery) = control;
            let recovery = match &flow_control {
                FlowControl::Credits(_) => None,
                FlowControl::Pfc(_) => recovery,
                FlowControl::TailDrop(_) => Some(recovery.unwrap_or_default()),
            };
            let needs_marks =
                matches!(rate_control, Some(RateControlParams::Dctcp(_) | RateControlParams::Nscc(_)));
            let services = match &flow_control {
                FlowControl::Pfc(pfc) => pfc.priorities,
                FlowControl::Credits(credits) => credits.lanes,
                FlowControl::TailDrop(drop) => drop.priorities,
            };
            let scheduling = match weights {
                Some(mut weights) => {
                    weights.truncate(usize::from(services));
                    Scheduling::Weighted(weights)
                }
                None if strict => Scheduling::Strict,
                None => Scheduling::RoundRobin,
            };
            FrameParams {
                mtu: Data::from_bytes(mtu),
                latency: Span::from_ns(latency),
                forwarding: if cut { Forwarding::CutThrough } else { Forwarding::StoreAndForward },
                scheduling,
                flow_control,
                buffer,
                ecn: (controlled || needs_marks).then(EcnParams::default),
                dcqcn: (controlled && rate_control.is_none()).then(DcqcnParams::default),
                rate_control,
                recovery,
                balancing,
                arbiter,
                ..FrameParams::default()
            }
        },
    )
}

fn groups() -> impl Strategy<Value = Vec<FlowGroup>> {
    let size = (1u64..20_000).prop_map(Data::from_bytes);
    let group = (size, any::<bool>(), 1u32..4).prop_map(|(size, everybody, rounds)| {
        let pattern = if everybody {
            FlowPattern::AllToAll(AllToAll { size, order: Order::default() })
        } else {
            FlowPattern::Permutation(PermutationFlows { size, to: hopscope_traffic::Permutation::Random })
        };
        FlowGroup { rounds, ..group("flows", pattern) }
    });
    prop::collection::vec(group, 1..4)
}

/// For how long every port has been sending by now.
fn sending_ps(model: &mut Lossless, now: Time) -> BTreeMap<String, f64> {
    let mut sending = BTreeMap::new();
    model.usage(now, &mut |kind, place, usage, _| {
        if kind == ResourceKind::Output {
            sending.insert(place(), usage.used_ps);
        }
    });
    sending
}

/// Faults at any time of links and switches by number, which may or may not come back.
fn faults() -> impl Strategy<Value = Vec<(u64, bool, usize, bool)>> {
    prop::collection::vec((0u64..200, any::<bool>(), 0usize..64, any::<bool>()), 0..6)
}

/// The faults on a network that has these links and switches.
fn on(network: &Network, faults: &[(u64, bool, usize, bool)]) -> Vec<Fault> {
    let links: Vec<_> = network.links().iter().filter_map(Link::switches).collect();
    let name = |id| network.switch(id).name.clone();
    let fault = |&(us, of_link, which, goes_up): &(u64, bool, usize, bool)| {
        let of_link = of_link && !links.is_empty();
        Fault {
            at: Span::from_us(us),
            link: of_link.then(|| links[which % links.len()].map(name)),
            switch: (!of_link).then(|| network.switches()[which % network.switches().len()].name.clone()),
            goes: if goes_up { Goes::Up } else { Goes::Down },
        }
    };
    faults.iter().map(fault).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    /// Every bit of a flow arrives, is lost and counted, or waits in a host that is cut off.
    #[test]
    fn whatever_fails_all_is_accounted_for(
        frames in frames(), mut groups in groups(), plan in faults(), switches in 2u32..8, seed in 0u64..1000,
        reroute in 0u64..100,
    ) {
        let spec = NetworkSpec::Random(Random { switches, degree: 3, hosts_per_switch: 2, seed, ..Random::default() });
        let Ok(network) = spec.build() else { return Ok(()) };
        for (i, group) in groups.iter_mut().enumerate() {
            group.name = Some(format!("flows {i}"));
        }
        let faults = on(&network, &plan);
        // Who is cut off for good is given up.
        let recovery = frames.recovery.clone().map(|recovery| RecoveryParams { retries: 4, ..recovery });
        let frames = FrameParams { reroute: Span::from_us(reroute), recovery, ..frames };
        let mut params = LosslessParams { frames, faults, ..LosslessParams::default() };
        params.fabric.routing.rule = Rule::UpDown;
        (params.fabric.link.rate, params.fabric.link.delay) = (Rate::from_mbit_s(10_000), Span::from_ns(800));
        let plan = LosslessPlan::new(network, params, OfferSpec::Flows(groups))
            .map_err(|problems| TestCaseError::fail(format!("{problems:?}")))?;
        let mut simulation = Arc::new(plan).simulation(seed, ());
        simulation.model.run_out();
        while simulation.run_events(10_000) == 10_000 {
            prop_assert!(simulation.events_handled() < 20_000_000);
        }
        let now = simulation.now();
        // Old and new tables together may deadlock; whatever stands there is then still accounted for.
        if simulation.model.stuck(now).is_none() {
            prop_assert_eq!(simulation.model.frames_in_flight().0, 0);
            prop_assert_eq!(simulation.model.buffered_bits(), 0);
            prop_assert!(simulation.model.credits_under_way().is_none_or(|bits| bits == 0));
        }
        let report = simulation.model.report(now);
        // Frames that come in vain have arrived.
        let losses = report.evidence.losses.iter().filter(|loss| !loss.why.is_in_vain());
        let lost: u64 = losses.map(|loss| loss.count).sum();
        let counted = [
            "frames cut",
            "frames discarded",
            "frames without route",
            "frames dropped",
            "frames trimmed",
        ]
        .map(|name| {
            let metric = report.metric(&format!("{name}.count"));
            metric.and_then(|metric| metric.estimate).map_or(0.0, |estimate| estimate.value)
        });
        prop_assert_eq!(lost as f64, counted.iter().sum::<f64>());
    }

    #[test]
    fn all_that_was_sent_arrives_and_all_that_was_taken_is_given_back(
        frames in frames(), mut groups in groups(), switches in 1u32..8, degree in 2u32..5, seed in 0u64..1000,
        mbit in prop_oneof![Just(800_000u64), Just(100_000), Just(10_000)], delay in 0u64..3_000,
    ) {
        let spec = NetworkSpec::Random(Random { switches, degree, hosts_per_switch: 2, seed, ..Random::default() });
        let Ok(network) = spec.build() else { return Ok(()) };
        for (i, group) in groups.iter_mut().enumerate() {
            group.name = Some(format!("flows {i}"));
        }
        let keeps_order = frames.balancing == Balancing::FlowHash && frames.recovery.is_none();
        let has_credits = matches!(frames.flow_control, FlowControl::Credits(_));
        let mut params = LosslessParams { frames, ..LosslessParams::default() };
        params.fabric.routing.rule = Rule::UpDown;
        (params.fabric.link.rate, params.fabric.link.delay) = (Rate::from_mbit_s(mbit), Span::from_ns(delay));
        let plan = LosslessPlan::new(network, params, OfferSpec::Flows(groups))
            .map_err(|problems| TestCaseError::fail(format!("{problems:?}")))?;
        let mut simulation = Arc::new(plan).simulation(seed, ());
        simulation.model.run_out();
        // Until nothing is left to happen. The machine asserts on the way that no headroom is overrun and no credit
        // overspent, and for each flow that the stages of its life add up.
        let (mut sent, mut since) = (BTreeMap::new(), simulation.now());
        while simulation.run_events(10_000) == 10_000 {
            prop_assert!(simulation.events_handled() < 20_000_000);
            let now = simulation.now();
            let sending = sending_ps(&mut simulation.model, now);
            let window = now.since(since).ps() as f64;
            for (place, sending) in &sending {
                let more = sending - sent.get(place).copied().unwrap_or(0.0);
                prop_assert!(more > -1.0 && more < window + 1.0, "{place}: {more} of {window} ps");
            }
            (sent, since) = (sending, now);
        }
        let now = simulation.now();
        prop_assert_eq!(simulation.model.stuck(now), None);
        prop_assert_eq!(simulation.model.monitor().backlog(), 0);
        prop_assert_eq!(simulation.model.frames_in_flight().0, 0);
        prop_assert_eq!(simulation.model.buffered_bits(), 0);
        prop_assert_eq!(simulation.model.credits_under_way(), has_credits.then_some(0));
        let report = simulation.model.report(now);
        if keeps_order {
            prop_assert_eq!(mean(&report, "reordered.mean"), 0.0);
        }
    }
}
