//! The whole net of December 1973, and the two ways to follow its routing messages.

use std::sync::Arc;

use hopscope_arpanet::{
    ArpanetParams, ArpanetPlan, HoldDown, RoutingMessages, SitesParams, StatisticsParams, StatusReportParams,
    When, read_lines, read_pairs, read_sizes,
};
use hopscope_measure::Subject;
use hopscope_units::{Data, Rate, Span, Time};
use proptest::prelude::*;

use crate::nets::{chain, flow, version_3};

macro_rules! scenario_file {
    ($name:literal) => {
        include_str!(concat!("../../../../scenarios/", $name))
    };
}

/// The net of December 1973 with its traffic and status reports, for this long.
fn december(duration: Span) -> ArpanetParams {
    let mut params = ArpanetParams { duration: Some(duration), ..ArpanetParams::default() };
    params.network.line = read_lines(scenario_file!("arpanet-lines-1973-12.csv")).expect("a good file").rows;
    params.sites = Some(SitesParams {
        file: None,
        measured: true,
        pair: read_pairs(scenario_file!("arpanet-traffic-1973-12.csv")).expect("a good file").rows,
        scale: 1.0,
        bursts: None,
        sizes_file: None,
        sizes: read_sizes(scenario_file!("arpanet-message-sizes.csv")).expect("a good file").rows,
        host_rate: Rate::from_bit_s(100_000),
        host_delay: Span::from_ms(20),
        hosts_file: None,
        host: Vec::new(),
        host_of_file: Vec::new(),
        status_reports: Some(StatusReportParams {
            to: "NCCT".into(),
            every: Span::from_us(52_428_800),
            count: 2,
            size: Data::from_bits(500),
            delay: None,
            begins_after: Span::ZERO,
        }),
        statistics: Some(StatisticsParams {
            to: "UCLA".into(),
            every: Span::from_s(300),
            size: Data::from_bits(3824),
        }),
    });
    params
}

/// Runs both ways side by side and compares everything that is known at many instants. Returns the events that each
/// took.
fn follow_both_ways(params: ArpanetParams, seed: u64, looks: u64, between: Span) -> (u64, u64) {
    let plan = Arc::new(ArpanetPlan::new(params).expect("a good net"));
    let mut every = plan.simulation_with(seed, (), true);
    let mut needed = plan.simulation_with(seed, (), false);
    for look in 1..=looks {
        let now = Time::ZERO + between * look;
        every.run_until(now);
        needed.run_until(now);
        if look == 2 {
            every.model.restart(now);
            needed.model.restart(now);
        }
        let [first, second] = [every.model.report(now), needed.model.report(now)];
        for (one, other) in first.metrics.iter().zip(&second.metrics) {
            assert_eq!(one, other, "at {now}");
        }
        for (one, other) in first.resources.iter().zip(&second.resources) {
            assert_eq!(one, other, "at {now}");
        }
        assert!(first == second, "at {now}: ledgers, series or pairs differ");
        assert_eq!(every.model.packet_hops(), needed.model.packet_hops());
    }
    (every.events_handled(), needed.events_handled())
}

#[test]
fn routing_messages_that_tell_nothing_new_need_no_events() {
    let (every, needed) = follow_both_ways(december(Span::from_s(1000)), 1, 12, Span::from_ms(10_007));
    assert!(needed * 3 < every * 2, "{needed} events instead of {every}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, ..ProptestConfig::default() })]

    #[test]
    fn and_none_in_small_nets_under_heavy_traffic(
        seed in 0u64..1000,
        hops in 1usize..5,
        slow in any::<bool>(),
        fixed in any::<bool>(),
        late in any::<bool>(),
        gap_ms in 20u64..2000,
        bits in 1u64..8063,
    ) {
        let mut params = chain(hops, 60);
        if late {
            params = version_3(params);
        }
        for line in params.network.line.iter_mut().step_by(2) {
            line.rate = Rate::from_bit_s(if slow { 9600 } else { 230_400 });
        }
        params.flow.push(flow("imp1", "imp0", bits, When::Poisson(Span::from_ms(gap_ms))));
        params.routing.hold_down = HoldDown::ByTime;
        if fixed {
            params.routing.messages = RoutingMessages::Fixed;
        }
        follow_both_ways(params, seed, 15, Span::from_ms(1999));
    }
}

#[test]
fn status_reports_leave_at_one_instant_and_their_share_is_that_of_rfc_619() {
    let plan = Arc::new(ArpanetPlan::new(december(Span::from_s(1100))).expect("a good net"));
    let mut run = plan.simulation(1, ());
    run.run_until(Time::ZERO + Span::from_s(1100));
    let report = run.model.report(run.now());
    let reports: u64 =
        report.pairs.iter().filter(|pair| pair.class == "status report").map(|pair| pair.messages).sum();
    // 45 IMPs, 2 each, at 20 instants of 52.4288 s.
    assert_eq!(reports, 45 * 2 * 20);
    // Every IMP sends its statistics each 300 s, at times of its own.
    let statistics: Vec<u64> = report
        .pairs
        .iter()
        .filter(|pair| pair.class == "accumulated statistics" && pair.to == "UCLA")
        .map(|pair| pair.messages)
        .collect();
    assert!(
        statistics.len() == 45 && statistics.iter().all(|&sent| sent == 3 || sent == 4),
        "{statistics:?}"
    );
    let rate = |key: &str| report.metric(key).and_then(|metric| metric.estimate).expect("a rate").value;
    let share = reports as f64 / report.measured.messages as f64;
    assert!((share - 0.0463).abs() < 0.003, "{share}");
    assert!((rate("messages between sites.rate") - 2226.0).abs() < 60.0);
}

#[test]
fn the_centers_own_host_begins_late_and_delays_no_other_messages() {
    let mut params = december(Span::from_s(600));
    let status = params.sites.as_mut().and_then(|sites| sites.status_reports.as_mut());
    let status = status.expect("it has reports");
    (status.delay, status.begins_after) = (Some(Span::ZERO), Span::from_s(2));
    let plan = Arc::new(ArpanetPlan::new(params).expect("a good net"));
    let mut run = plan.simulation(1, ());
    run.run_until(Time::ZERO + Span::from_s(600));
    let report = run.model.report(run.now());
    let mean = |key: &str| report.metric(key).and_then(|metric| metric.estimate).expect("a mean").value;
    // 90 reports come for 66 reassembly buffers, so some are sent again and may find the host idle once more.
    let reports = mean("round trip[status report].mean");
    assert!((1500.0..6000.0).contains(&reports), "{reports} ms");
    let others = mean("round trip without status reports to[NCCT].mean");
    assert!(others < 400.0, "{others} ms");
}

#[test]
fn every_number_of_hops_has_its_published_pairs() {
    let plan = ArpanetPlan::new(december(Span::from_s(1))).expect("a good net");
    let pairs: Vec<u64> = plan.hop_histogram().into_values().collect();
    assert_eq!(pairs, [45, 100, 138, 168, 196, 228, 258, 256, 234, 208, 124, 46, 20, 4]);
}
