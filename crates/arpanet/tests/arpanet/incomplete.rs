//! Messages that do not arrive: two IMPs event by event, and what holds whatever is lost.

use crate::nets::{
    background, chain, finish, flow, ladder, lines, pdp_11, run, simulation, value, version_3, very_distant,
};
use hopscope_arpanet::{ArpanetParams, SilenceParams, When};
use hopscope_measure::Outcome;
use hopscope_units::{Rate, Span};
use proptest::prelude::*;

const fn silence(from_s: u64, length_s: u64) -> SilenceParams {
    SilenceParams { from: Span::from_s(from_s), length: Span::from_s(length_s) }
}

/// A message of two packets every 20 s from one IMP to a host of another that takes nothing for 50 s.
fn to_a_silent_host() -> ArpanetParams {
    let mut params = chain(1, 75);
    params.host = vec![pdp_11("imp1")];
    params.host[0].silent = vec![silence(1, 50)];
    params.flow = vec![flow("imp0", "PDP-11", 1500, When::Every(Span::from_s(20)))];
    params
}

/// What these ladders show: how requests and messages end at their two IMPs.
const ENDS: [&str; 11] = [
    "RequestArrives",
    "AllocationSent",
    "MessageArrives",
    "MessageDiscarded",
    "MessageBlocked",
    "RfnmSent",
    "RfnmWithAllocationSent",
    "RfnmArrives",
    "IncompleteQuerySent",
    "IncompleteSent",
    "IncompleteArrives",
];

#[test]
fn a_tardy_host_is_dead_until_it_takes_something_again() {
    // The first message is discarded after 30 s, the second finds the host dead, the third is delivered.
    let mut simulation = simulation(to_a_silent_host(), 1);
    simulation.model.keep_trace(100);
    let report = finish(&mut simulation);
    let ladder = ladder(&simulation);
    let told: Vec<&str> = ladder.lines().filter(|row| ENDS.iter().any(|kind| row.ends_with(kind))).collect();
    insta::assert_snapshot!(told.join("\n"), @"
    20007.49 ms  - RequestArrives
    20007.49 ms  - AllocationSent
    20083.94 ms  0 MessageArrives
    40024.39 ms  - RequestArrives
    50083.94 ms  0 IncompleteSent
    50083.94 ms  - AllocationSent
    50090.94 ms  0 IncompleteArrives
    50161.09 ms  1 MessageArrives
    50161.09 ms  1 IncompleteSent
    50186.08 ms  1 IncompleteArrives
    60007.49 ms  - RequestArrives
    60007.49 ms  - AllocationSent
    60083.94 ms  2 MessageArrives
    60094.34 ms  2 RfnmWithAllocationSent
    60101.34 ms  2 RfnmArrives
    ");
    assert_eq!(simulation.model.held(), Vec::<String>::new());
    let lost = ["tardy", "dead"].map(|host| value(&report, &format!("messages to {host} hosts.count")));
    assert_eq!(lost, [1.0, 1.0]);
}

/// Single-packet messages beside multipacket ones in one sequence, to an IMP that can reassemble one message: a REQALL
/// waits for the buffers of a message behind it, which waits for its turn behind a discarded message, whose allocation
/// waits behind the REQALL.
fn lockup() -> ArpanetParams {
    let mut params = chain(1, 600);
    params.network.imp = vec![very_distant("imp1")];
    params.flow.push(flow("imp0", "imp1", 500, When::Poisson(Span::from_ms(500))));
    params
}

#[test]
fn an_incomplete_query_opens_a_lockup() {
    let mut simulation = simulation(lockup(), 1);
    simulation.model.keep_trace(100_000);
    let report = finish(&mut simulation);
    assert_eq!(report.outcome, Outcome::Complete, "{}", report.ended_because);
    let ladder = ladder(&simulation);
    let rows: Vec<&str> = ladder.lines().filter(|row| ENDS.iter().any(|kind| row.ends_with(kind))).collect();
    let asked = rows.iter().position(|row| row.ends_with("IncompleteQuerySent")).expect("a query");
    let told = &rows[asked - 14..asked + 9];
    insta::assert_snapshot!(told.join("\n"), @"
      149.26 ms  - RequestArrives
      294.52 ms  0 MessageArrives
      294.52 ms  0 RfnmWithAllocationSent
      294.52 ms  2 AllocationSent
      304.05 ms  0 RfnmArrives
      308.25 ms  4 MessageDiscarded
      372.35 ms  2 MessageArrives
      372.35 ms  2 RfnmSent
      394.08 ms  2 RfnmArrives
      422.91 ms  - RequestArrives
      568.18 ms  3 MessageArrives
    16061.42 ms  6 MessageBlocked
    31421.42 ms  7 MessageBlocked
    46781.42 ms  8 MessageBlocked
    51261.42 ms  - IncompleteQuerySent
    51288.39 ms  - IncompleteSent
    51288.39 ms  4 AllocationSent
    51297.92 ms  - IncompleteArrives
    51314.84 ms  9 MessageDiscarded
    51328.63 ms  4 MessageArrives
    51328.63 ms  4 RfnmSent
    51328.63 ms  3 RfnmWithAllocationSent
    51346.86 ms  4 RfnmArrives
    ");
    assert_eq!(simulation.model.held(), Vec::<String>::new());
}

#[test]
fn a_message_without_a_number_for_15_s_is_blocked() {
    // One number, and a destination whose host holds it for longer.
    let mut params = to_a_silent_host();
    params.protocol.message_numbers = Some(1);
    params.flow[0].when = When::Every(Span::from_s(5));
    let report = run(params, 1);
    assert!(value(&report, "blocked messages.count") > 0.0);
    assert_eq!(report.outcome, Outcome::Complete, "{}", report.ended_because);
}

/// Whatever happens to messages, no resource stays held, and every message ends as delivered or as lost.
fn at_rest_in_the_end(params: ArpanetParams, seed: u64) {
    let mut simulation = simulation(params, seed);
    let report = finish(&mut simulation);
    assert!(report.stuck.is_none(), "{}", report.ended_because);
    assert_eq!(simulation.model.held(), Vec::<String>::new());
}

/// A triangle with a tail, on whose line of this rate four pairs of hosts and background traffic meet.
fn triangle(tail: Rate) -> ArpanetParams {
    let mut params = lines(&[("a", "b"), ("b", "c"), ("c", "a"), ("c", "d")]);
    params.network.line[3].rate = tail;
    params.host = vec![pdp_11("d")];
    params.flow = vec![
        flow("a", "PDP-11", 8063, When::Poisson(Span::from_ms(900))),
        flow("b", "PDP-11", 1000, When::Poisson(Span::from_ms(300))),
        flow("PDP-11", "a", 3000, When::Poisson(Span::from_ms(700))),
        flow("d", "d", 2000, When::Poisson(Span::from_ms(900))),
    ];
    params.background = Some(background());
    params.duration = Some(Span::from_s(40));
    params
}

/// A message of the IMP's own takes the allocation that one of the PDP-11 has asked for, and is then given up, so that
/// no RFNM brings another.
#[test]
fn a_message_whose_allocation_another_takes_asks_again() {
    let mut params = triangle(Rate::from_bit_s(2_400));
    params.protocol.message_numbers = Some(1);
    params.protocol.message_timeout = Span::from_ms(1_030);
    at_rest_in_the_end(params, 262);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, ..ProptestConfig::default() })]

    /// Whatever lines lose, whenever a host dies, and however soon sources ask.
    #[test]
    fn nothing_leaks(
        seed in 0u64..1000,
        third in any::<bool>(),
        fix in any::<bool>(),
        superfluous in any::<bool>(),
        errors in prop_oneof![Just(0.0), 0.0f64..0.4],
        distant in any::<bool>(),
        numbers in 1u32..=8,
        deaths in prop::collection::vec((0u64..40, 1u64..60), 0..3),
        timeout_ms in prop_oneof![1000u64..2000, Just(17_000)],
        rate in prop_oneof![Just(2_400u64), Just(50_000)],
    ) {
        let mut params = triangle(Rate::from_bit_s(rate));
        if third {
            params = version_3(params);
            params.protocol.phasing_fix = fix;
        }
        if distant {
            params.network.imp = vec![very_distant("d")];
        }
        params.network.errors = errors;
        params.protocol.superfluous_requests = superfluous;
        params.protocol.message_numbers = Some(numbers);
        params.protocol.message_timeout = Span::from_ms(timeout_ms);
        params.host[0].silent = deaths.iter().map(|&(from, length)| silence(from, length)).collect();
        at_rest_in_the_end(params, seed);
    }
}
