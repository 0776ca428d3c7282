//! What holds of every subnet and every seed.

use crate::nets::{background, chain, flow, lines, run, value, version_3, very_distant};
use hopscope_arpanet::{ArpanetParams, HoldDown, OutageParams, SinglePacketRule, When};
use hopscope_measure::{HoldWhy, Outcome, ResourceKind, StageId};
use hopscope_units::Span;
use proptest::prelude::*;

#[test]
fn the_same_seed_gives_the_same_report() {
    let params = || {
        let mut params = chain(4, 30);
        params.network.errors = 0.01;
        params
    };
    assert_eq!(run(params(), 5), run(params(), 5));
    assert_ne!(run(params(), 5).metrics, run(params(), 6).metrics);
}

#[test]
fn routing_messages_delay_packets_on_an_idle_net_as_published() {
    // RFC 619: 18.125 % of the line and a mean wait of 2.10 ms a hop; by the ledger, over one hop each way. It reckons
    // with the messages alone, without the null packets before them and the output program.
    let mut params = lines(&[("a", "b")]);
    (params.routing.null_before, params.processor.h516.output) = (false, Span::ZERO);
    params.flow = vec![flow("a", "b", 100, When::Poisson(Span::from_s(4)))];
    params.duration = Some(Span::from_s(160_000));
    let report = run(params, 1);
    let wait = report.ledger.iter().find(|row| row.stage == StageId::LineWait).and_then(|row| row.estimate);
    let wait_ms = wait.expect("messages waited").value * 1e-3;
    assert!((wait_ms - 2.10).abs() < 0.05 * 2.10, "{wait_ms} ms");
    let line = report.resources.iter().find(|row| row.kind == ResourceKind::Line).expect("a line");
    let routing = line
        .held_in
        .iter()
        .find(|held| held.activity.why == HoldWhy::RoutingMessages)
        .expect("routing messages");
    assert!((routing.occupancy - 0.18125).abs() < 0.0005, "{}", routing.occupancy);
}

#[test]
fn no_message_without_lines_between_hosts_of_one_imp() {
    let mut params = lines(&[("a", "b")]);
    params.flow =
        vec![flow("a", "a", 500, When::Saturated), flow("b", "b", 8063, When::Poisson(Span::from_ms(50)))];
    params.duration = Some(Span::from_s(5));
    let report = run(params, 1);
    assert_eq!(value(&report, "path length.mean"), 0.0);
    assert!(value(&report, "message life.mean") > 0.0);
}

fn rules() -> impl Strategy<Value = SinglePacketRule> {
    prop_oneof![
        Just(SinglePacketRule::Reject),
        Just(SinglePacketRule::RejectUnknown),
        Just(SinglePacketRule::Store)
    ]
}

fn hold_downs() -> impl Strategy<Value = HoldDown> {
    prop_oneof![
        Just(HoldDown::None),
        Just(HoldDown::ByMessage),
        Just(HoldDown::ByTime),
        Just(HoldDown::LoopFree)
    ]
}

/// Five IMPs with hosts that send for 20 s. Each outage has the number of a line, its beginning and its length in
/// milliseconds.
fn failing_net(outages: &[(usize, u64, u64)]) -> ArpanetParams {
    let mut params = lines(&[("a", "b"), ("b", "c"), ("c", "d"), ("d", "a"), ("d", "e")]);
    params.flow = vec![
        flow("a", "e", 8063, When::Poisson(Span::from_ms(700))),
        flow("b", "d", 1000, When::Poisson(Span::from_ms(150))),
        flow("e", "a", 3000, When::Poisson(Span::from_ms(400))),
    ];
    params.background = Some(background());
    params.duration = Some(Span::from_s(20));
    let failing = |&(line, from, length): &(usize, u64, u64)| OutageParams {
        line: Some(params.network.line[line].between.clone()),
        imp: None,
        from: Span::from_ms(from),
        length: Span::from_ms(length),
    };
    params.network.outage = outages.iter().map(failing).collect();
    params
}

#[test]
fn a_line_that_was_declared_dead_a_moment_ago_still_looks_after_its_packets() {
    // It comes back 12 ms after that, before what was on it has been taken back, and between two looks for packets that
    // may be overdue: one of its packets is due before the next.
    let mut params = failing_net(&[(4, 16_775, 3_212)]);
    params.routing.hold_down = HoldDown::None;
    (params.protocol.pending_leaders, params.protocol.message_numbers) = (2, Some(2));
    params.protocol.message_blocks = 1;
    let report = run(params, 58);
    assert_eq!(report.outcome, Outcome::Complete, "{}", report.ended_because);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    /// Whatever the protocol, the errors and the traffic: everything sent arrives, and every pool is empty at the end.
    #[test]
    fn everything_arrives(
        seed in 0u64..1000,
        third in any::<bool>(),
        fix in any::<bool>(),
        errors in prop_oneof![Just(0.0), 0.0f64..0.1],
        rule in rules(),
        hold_down in hold_downs(),
        leaders in 1u32..8,
        numbers in 1u32..=8,
        blocks in 1u32..6,
        poll in any::<bool>(),
        outages in prop::collection::vec((0usize..5, 0u64..18_000, 1u64..9_000), 0..4),
    ) {
        let mut params = failing_net(&outages);
        if third {
            params = version_3(params);
            params.protocol.phasing_fix = fix;
        }
        params.network.errors = errors;
        (params.protocol.single_packets, params.routing.hold_down) = (rule, hold_down);
        (params.protocol.pending_leaders, params.protocol.message_numbers) = (leaders, Some(numbers));
        params.protocol.message_blocks = blocks;
        params.protocol.host_poll = poll.then_some(Span::from_us(25_600));
        let report = run(params, seed);
        prop_assert_eq!(report.outcome, Outcome::Complete, "{}", report.ended_because);
    }
}

#[test]
fn a_lockup_is_found_and_told() {
    // Ten reassembly buffers, and single-packet messages beside multipacket ones in one sequence: a REQALL waits for
    // the buffers of a message behind it, which waits for its turn behind a discarded message, whose allocation waits
    // behind the REQALL.
    let mut params = chain(1, 600);
    params.network.imp = vec![very_distant("imp1")];
    // No IMP queries about missing messages.
    params.protocol.message_timeout = Span::from_s(100_000);
    params.flow.push(flow("imp0", "imp1", 500, When::Poisson(Span::from_ms(500))));
    let report = run(params, 1);
    assert_eq!(report.outcome, Outcome::Deadlock, "{}", report.ended_because);
    let stuck = report.stuck.expect("who waits");
    assert!(stuck.reason.contains("none has arrived for 300 s"), "{stuck:?}");
}
