//! Lines and IMPs that fail and come back.

use hopscope_arpanet::{ArpanetParams, OutageParams, SinglePacketRule, When};
use hopscope_measure::{Outcome, Report, ResourceKind};
use hopscope_units::Span;

use crate::nets::{flow, lines, run, value};

fn outage(line: Option<[&str; 2]>, imp: Option<&str>, from_s: u64, length_s: u64) -> OutageParams {
    OutageParams {
        line: line.map(|ends| ends.map(str::to_owned)),
        imp: imp.map(str::to_owned),
        from: Span::from_s(from_s),
        length: Span::from_s(length_s),
    }
}

/// A short way from s to t and one that is longer by a hop; a message of one packet every 100 ms for 100 s, stored
/// where it comes out of order, so that it takes each hop once.
fn two_ways(outages: Vec<OutageParams>) -> ArpanetParams {
    let mut params = lines(&[("s", "a"), ("a", "t"), ("s", "b"), ("b", "c"), ("c", "t")]);
    params.flow = vec![flow("s", "t", 500, When::Every(Span::from_ms(100)))];
    params.duration = Some(Span::from_s(100));
    params.protocol.single_packets = SinglePacketRule::Store;
    params.network.outage = outages;
    params
}

fn packets(report: &Report, place: &str) -> u64 {
    let line = report.resources.iter().find(|row| row.kind == ResourceKind::Line && row.place == place);
    line.expect("a line").acquisitions
}

#[test]
fn traffic_goes_the_longer_way_while_a_line_is_out_and_comes_back() {
    let whole = run(two_ways(Vec::new()), 1);
    assert_eq!(value(&whole, "path length.mean"), 2.0);
    let report = run(two_ways(vec![outage(Some(["a", "t"]), None, 20, 40)]), 1);
    assert_eq!((report.outcome, report.measured.messages), (Outcome::Complete, whole.measured.messages));
    // Out for 40 s of 100, of which it takes 3.2 s to notice and up to two times the hold-down to find the other way.
    let detoured = value(&report, "path length.mean") - 2.0;
    assert!((0.30..=0.42).contains(&detoured), "{detoured} of the messages went over three hops");
    assert!(packets(&report, "s -> b") > 250 && packets(&report, "s -> a") > 550);
}

#[test]
fn an_imp_that_fails_takes_all_its_lines_along() {
    let report = run(two_ways(vec![outage(None, Some("a"), 20, 40)]), 1);
    let lines = [outage(Some(["s", "a"]), None, 20, 40), outage(Some(["a", "t"]), None, 20, 40)];
    assert_eq!(report.metrics, run(two_ways(lines.to_vec()), 1).metrics);
}

#[test]
fn what_cannot_go_on_waits_until_the_line_is_back() {
    let mut params = lines(&[("s", "t")]);
    params.flow = vec![flow("s", "t", 8063, When::Every(Span::from_s(2)))];
    params.duration = Some(Span::from_s(60));
    params.network.outage = vec![outage(Some(["t", "s"]), None, 20, 10)];
    let report = run(params, 1);
    assert_eq!(report.outcome, Outcome::Complete, "{}", report.ended_because);
    let longest = value(&report, "message life.max");
    assert!((8_000.0..=11_000.0).contains(&longest), "{longest} ms");
}

#[test]
fn an_outage_too_short_to_be_noticed_costs_retransmissions_only() {
    let short = OutageParams { length: Span::from_ms(400), ..outage(Some(["a", "t"]), None, 20, 1) };
    let report = run(two_ways(vec![short]), 1);
    assert_eq!((value(&report, "path length.mean"), value(&report, "line switches.count")), (2.0, 0.0));
    assert!(value(&report, "retransmissions.count") >= 2.0);
}

#[test]
fn outages_beyond_the_end_do_not_prolong_a_run() {
    let ends_s = |outages| run(two_ways(outages), 1).measured.span_s;
    let late = vec![outage(Some(["a", "t"]), None, 200, 40), outage(Some(["s", "b"]), None, 90, 4000)];
    assert!(ends_s(late) < ends_s(Vec::new()) + 1.0);
}

#[test]
fn a_note_says_that_an_outage_beyond_the_end_does_not_take_place() {
    let notes = |beginnings: &[u64]| {
        let outage = |&from_s| outage(Some(["a", "t"]), None, from_s, 40);
        run(two_ways(beginnings.iter().map(outage).collect()), 1).notes
    };
    let without = notes(&[99]);
    let told = |beginnings| notes(beginnings).into_iter().filter(|note| !without.contains(note)).collect();
    let [one, two]: [Vec<String>; 2] = [told(&[99, 100]), told(&[100, 200])];
    assert_eq!(one, ["Hosts stop sending at 100 s; 1 outage that begins then or later does not take place."]);
    assert_eq!(two, ["Hosts stop sending at 100 s; 2 outages that begin then or later do not take place."]);
}
