//! Transfers told event by event, to be read beside the papers' figures.

use crate::nets::{chain, finish, ladder, simulation, version_3, very_distant};
use hopscope_arpanet::{TraceKind, When};
use hopscope_measure::{RunPlan, StageId, Warmup, drive};
use hopscope_units::{Span, Time};

#[test]
fn figure_1_one_multipacket_message() {
    // Two hops; the only message comes after 1 s.
    let mut params = chain(2, 2);
    params.flow[0].when = When::Every(Span::from_s(1));
    params.duration = Some(Span::from_us(1_500_000));
    let mut simulation = simulation(params, 1);
    simulation.model.keep_trace(100);
    finish(&mut simulation);
    insta::assert_snapshot!(ladder(&simulation), @"
    1000.00 ms  0 InputBegins
    1010.40 ms  0 FirstPacketIn
    1011.59 ms  0 NumberTaken
    1011.59 ms  0 Tabled
    1011.59 ms  - RequestSent
    1048.19 ms  - RequestArrives
    1048.19 ms  - AllocationSent
    1064.02 ms  - AllocationArrives
    1064.02 ms  0 AllocationTaken
    1064.02 ms  0 NumberTaken
    1064.02 ms  0 Tabled
    1064.02 ms  0 MessageSent
    1118.05 ms  0 FirstPacketArrives
    1142.89 ms  0 InputEnds
    1337.20 ms  0 MessageArrives
    1337.20 ms  0 FirstPacketDelivered
    1337.20 ms  0 RfnmWithAllocationSent
    1354.50 ms  0 RfnmArrives
    1604.50 ms  - GiveBackSent
    ");
}

#[test]
fn figure_2_the_fifth_message_waits_for_the_rfnm_of_the_first() {
    let mut params = chain(9, 20);
    params.protocol.message_numbers = Some(4);
    let mut simulation = simulation(params, 1);
    simulation.model.keep_trace(100_000);
    let report = finish(&mut simulation);
    let when = |kind: TraceKind, message: u64| {
        let mut rows = simulation.model.trace().iter();
        rows.rfind(|row| row.kind == kind && row.message == message).map(|row| row.at)
    };
    // In the steady state a number is taken once its predecessor by four is over.
    for message in 20..60 {
        let (Some(taken), Some(over)) =
            (when(TraceKind::NumberTaken, message + 4), when(TraceKind::RfnmArrives, message))
        else {
            panic!("message {message} is not traced");
        };
        assert!(taken >= over, "message {} has its number before {message} is over", message + 4);
    }
    assert!(report.ledger.iter().any(|row| row.stage == StageId::MessageNumberWait && row.share > 0.0));
}

#[test]
fn figure_8_one_message_in_reassembly_and_a_request_for_each() {
    let mut params = version_3(chain(3, 60));
    params.network.imp = vec![very_distant("imp3")];
    let mut simulation = simulation(params, 1);
    simulation.model.keep_trace(100_000);
    finish(&mut simulation);
    let rows = simulation.model.trace();
    let settled = |kinds: &[TraceKind]| {
        let late = Time::ZERO + Span::from_s(20);
        rows.iter().filter(|row| row.at > late && kinds.contains(&row.kind)).count() as f64
    };
    let messages = settled(&[TraceKind::MessageSent]);
    let requests = settled(&[TraceKind::RequestSent, TraceKind::SuperfluousRequestSent]);
    let bare = settled(&[TraceKind::RfnmSent]);
    assert!((requests / messages - 1.0).abs() < 0.05, "{requests} requests for {messages} messages");
    assert!((bare / messages - 1.0).abs() < 0.05, "{bare} of {messages} RFNMs waited their second in vain");
}

#[test]
fn a_trace_begins_with_the_measurement() {
    let warmup = Span::from_s(5);
    let mut simulation = simulation(chain(2, 200), 1);
    // So few rows that the warm-up alone would fill them.
    simulation.model.keep_trace(20);
    let plan = RunPlan { warmup: Warmup::Fixed(warmup), ..RunPlan::messages(100_000_000) };
    drive(&mut simulation, plan, |_, _| true);
    let rows = simulation.model.trace();
    assert_eq!(rows.len(), 20);
    assert!(rows.iter().all(|row| row.at >= Time::ZERO + warmup), "{:?}", rows[0]);
}
