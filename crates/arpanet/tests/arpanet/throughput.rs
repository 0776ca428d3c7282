//! Figures of Kleinrock and Opderbeck that a net without other traffic can show.

use crate::nets::{chain, run, value, version_3};
use hopscope_arpanet::{Computer, ImpParams};
use hopscope_measure::{HoldWhy, ResourceKind, StageId};
use hopscope_units::Span;

#[test]
fn an_idle_line_carries_its_bits_less_routing_and_headers() {
    // 8 packets of 1176 bits, each after 185 us of the output program, for 8063 data bits; beside them, every 640 ms,
    // one routing message of 1160 bits behind a null packet of 152.
    let [packet, routing] = [1176.0 / 50.0 + 0.185, (1160.0 + 152.0) / 50.0 + 2.0 * 0.185];
    let bound = (1.0 - routing / 640.0) * 8063.0 / (8.0 * packet);
    for hops in [1, 5, 9] {
        let throughput = value(&run(chain(hops, 300), 1), "throughput.rate");
        assert!(
            throughput <= bound * 1.003 && throughput > bound * 0.98,
            "{throughput} kbit/s over {hops} hops"
        );
    }
}

#[test]
fn round_trips_are_those_of_the_real_program() {
    // Facts: about 200 and 420 ms over 1 and 5 hops of an idle net, from the last bit accepted, with hosts polled every
    // 25.6 ms.
    for (hops, published) in [(1, 200.0), (5, 420.0)] {
        let mut params = chain(hops, 300);
        params.protocol.host_poll = Some(Span::from_us(25_600));
        let found = value(&run(params, 1), "round trip from last bit.mean");
        assert!((found - published).abs() < 0.1 * published, "{found} ms over {hops} hops");
    }
}

#[test]
fn phasing_uses_all_six_entries() {
    // ko/feb75/plt: one host has all entries of the table while phasing, over more than 4 hops.
    let report = run(version_3(chain(12, 300)), 1);
    let table = report
        .resources
        .iter()
        .find(|row| row.kind == ResourceKind::PendingLeaderTable && row.place == "imp0")
        .expect("the source's table");
    assert_eq!(table.peak, 6.0);
    let waiting = table
        .held_in
        .iter()
        .find(|held| held.activity.why == HoldWhy::RfnmWaiting)
        .expect("replies that wait");
    assert!(waiting.occupancy > 0.5, "{:?}", table.held_in);
    assert!(report.ledger.iter().any(|row| row.stage == StageId::LeaderTableWait && row.share > 0.05));
}

#[test]
fn a_very_distant_host_loses_far_more() {
    let mut params = version_3(chain(3, 300));
    params.network.imp = vec![ImpParams {
        name: "imp3".into(),
        number: None,
        processor: Computer::H516,
        very_distant_host: true,
    }];
    let phasing = value(&run(params.clone(), 1), "throughput.rate");
    params.protocol.phasing_fix = true;
    let fixed = value(&run(params, 1), "throughput.rate");
    assert!(phasing < 0.4 * fixed, "{phasing} and {fixed} kbit/s");
}
