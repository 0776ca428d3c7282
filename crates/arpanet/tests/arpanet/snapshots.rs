//! The state at an instant.

use std::sync::Arc;

use crate::nets::{chain, run, value};
use hopscope_arpanet::{ArpanetParams, ArpanetPlan, MOST_SNAPSHOT_ROWS, Subnet, When};
use hopscope_measure::{Report, RunPlan, SnapshotTimes, Warmup, drive};
use hopscope_units::{Span, Time};

fn run_with(params: ArpanetParams, times: SnapshotTimes) -> Report {
    let plan = Arc::new(ArpanetPlan::new(params).expect("a valid subnet"));
    let mut simulation = plan.simulation(1, ());
    Subnet::keep_snapshots(&mut simulation, times);
    drive(&mut simulation, RunPlan { warmup: Warmup::None, ..RunPlan::messages(1_000_000) }, |_, _| true)
}

/// The values of this quantity, by place, that are not 0.
fn held(report: &Report, at: Time, quantity: &str) -> Vec<(String, u64)> {
    let rows = report.snapshots.iter().filter(|row| row.at_ps == at.ps() && row.quantity == quantity);
    rows.filter(|row| row.value > 0).map(|row| (row.place.clone(), row.value)).collect()
}

#[test]
fn one_message_is_seen_on_its_way() {
    // Two hops, and one message of eight packets, which begins after 1 s: see the ladder of Fig. 1.
    let mut params = chain(2, 2);
    params.flow[0].when = When::Every(Span::from_s(1));
    params.duration = Some(Span::from_us(1_500_000));
    let at = |ms| Time::ZERO + Span::from_ms(ms);
    let report = run_with(params, SnapshotTimes::At([900, 1005, 1055, 1200].map(at).to_vec()));
    let one = |place: &str, value| vec![(place.to_owned(), value)];
    let tables = ["buffers", "pending leader table", "reassembly buffers", "pending packet table"];
    assert!(tables.iter().all(|table| held(&report, at(900), table).is_empty()), "nothing has begun");
    assert!(held(&report, at(900), "output queue").is_empty());
    // The first packet comes in.
    assert_eq!(held(&report, at(1005), "buffers"), one("imp0", 1));
    assert!(held(&report, at(1005), "pending leader table").is_empty());
    // The ALL is in transit back: it has an entry at the source, and eight buffers at the destination.
    assert_eq!(held(&report, at(1055), "pending leader table"), one("imp0", 1));
    assert_eq!(held(&report, at(1055), "reassembly buffers"), one("imp2", 8));
    // The message itself is in transit: packets are queued for both lines.
    assert_eq!(held(&report, at(1200), "pending leader table"), one("imp0", 1));
    let lines: Vec<String> =
        held(&report, at(1200), "output queue").into_iter().map(|(line, _)| line).collect();
    assert_eq!(lines, ["imp0 -> imp1", "imp1 -> imp2"]);
}

#[test]
fn what_comes_too_late_is_told() {
    let report =
        run_with(chain(1, 5), SnapshotTimes::At([4, 6].map(|s| Time::ZERO + Span::from_s(s)).to_vec()));
    assert!(report.snapshots.iter().all(|row| row.at_ps == Span::from_s(4).ps()));
    insta::assert_snapshot!(report.notes.last().expect("a note"), @"Hosts stop sending at 5 s; no snapshot is taken after that.");
}

#[test]
fn an_idle_net_has_the_routes_of_the_shortest_paths() {
    let mut params = chain(3, 20);
    params.flow[0].when = When::Every(Span::from_s(15));
    let report = run_with(params, SnapshotTimes::At(vec![Time::ZERO + Span::from_s(10)]));
    let routes: Vec<String> = report
        .snapshots
        .iter()
        .filter(|row| row.quantity == "delay estimate" && row.place == "imp1")
        .map(|row| {
            format!(
                "{} by {}: {}{}",
                row.destination,
                row.next,
                row.value,
                if row.held_down { "!" } else { "" }
            )
        })
        .collect();
    assert_eq!(routes, ["imp0 by imp0: 4", "imp2 by imp2: 4", "imp3 by imp2: 8"]);
}

#[test]
fn to_look_changes_nothing_and_ends_where_there_is_no_room() {
    let plain = run(chain(2, 60), 1);
    let watched = run_with(chain(2, 60), SnapshotTimes::Every(Span::from_s(10)));
    assert!(plain.metrics == watched.metrics && plain.resources == watched.resources);
    let seen: std::collections::BTreeSet<u64> = watched.snapshots.iter().map(|row| row.at_ps).collect();
    assert_eq!(seen.into_iter().collect::<Vec<_>>(), [10, 20, 30, 40, 50].map(|s| Span::from_s(s).ps()));
    // Three IMPs with seven resources and two routes each, and four directions of lines.
    assert_eq!(watched.snapshots.len(), 5 * (3 * (7 + 2) + 4));
    let crowded = run_with(chain(2, 60), SnapshotTimes::Every(Span::from_ms(1)));
    assert_eq!(crowded.snapshots.len(), MOST_SNAPSHOT_ROWS / 31 * 31);
    assert!(crowded.notes.iter().any(|note| note.contains("left out")), "{:?}", crowded.notes);
    assert_eq!(value(&crowded, "throughput.rate"), value(&plain, "throughput.rate"));
}
