//! RFC 632: MOFFETT to SRI over two paths of three hops, and both remedies.

use crate::nets::{flow, lines, run, value};
use hopscope_arpanet::{ArpanetParams, SinglePacketRule, When};
use hopscope_measure::Report;
use hopscope_units::{Rate, Span};

/// Both three-hop paths; the upper one has two circuits of 230.4 kbit/s.
fn moffett_to_sri(rule: SinglePacketRule) -> ArpanetParams {
    let mut params = lines(&[
        ("MOFF", "LBL"),
        ("LBL", "LLL"),
        ("LLL", "SRI"),
        ("MOFF", "AMES"),
        ("AMES", "AMST"),
        ("AMST", "SRI"),
    ]);
    for line in &mut params.network.line[3..5] {
        line.rate = Rate::from_bit_s(230_400);
    }
    params.protocol.single_packets = rule;
    params.flow = vec![flow("MOFF", "SRI", 1000, When::Saturated)];
    params.duration = Some(Span::from_s(300));
    params
}

/// Messages in transmission on average, by Little's law.
fn outstanding(report: &Report) -> f64 {
    value(report, "throughput.rate") * value(report, "round trip.mean") / 1000.0
}

/// The stage in which a message spends most of its life.
fn longest_stage(report: &Report) -> &str {
    let rows = report.ledger.iter().filter(|row| row.class == "all" || row.class == "message");
    let longest = rows.max_by(|a, b| a.share.total_cmp(&b.share));
    &longest.expect("a ledger").stage
}

#[test]
fn the_trap_closes_and_both_remedies_open_it() {
    let trapped = run(moffett_to_sri(SinglePacketRule::Reject), 1);
    let round_trip = value(&trapped, "round trip.mean");
    assert!((round_trip - 500.0).abs() < 0.25 * 500.0, "{round_trip} ms in the trap, published: about 500");
    assert!(outstanding(&trapped) > 3.0, "{} messages outstanding", outstanding(&trapped));
    assert_eq!(longest_stage(&trapped), "out-of-order wait");
    // Published: under 40 % on every line. Whether routing messages count is not said; with them one line is 45 % busy here.
    for line in trapped.resources.iter().filter(|row| row.name == "line") {
        let routing = line.held_in.iter().filter(|held| held.stage == "routing messages");
        let traffic = line.utilisation - routing.map(|held| held.occupancy).sum::<f64>();
        assert!(traffic < 0.4, "{} is {traffic} busy", line.place);
    }
    for remedy in [SinglePacketRule::RejectUnknown, SinglePacketRule::Store] {
        let free = run(moffett_to_sri(remedy), 1);
        let throughput = value(&free, "throughput.rate");
        assert!(throughput > 30.0 * 0.9, "{remedy:?}: {throughput} kbit/s, published: more than 30");
        assert!(3.0 * value(&trapped, "throughput.rate") < throughput, "{remedy:?}");
    }
}
