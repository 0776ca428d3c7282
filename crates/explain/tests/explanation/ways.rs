//! Links on one way that are as full as one another, stations side by side, and since when something is so.

use hopscope_explain::{Cause, Page, explain};
use hopscope_measure::{
    Charged, Interruption, InterruptionWhy, Loss, LossWhy, Place, Report, ResourceKind, ResourceRow,
    SeriesPoint, Site, StageId,
};

use crate::reports::{first, line, link, of_resources, port, resource, stage};

/// Messages that wait for 80 % of their lifetime.
fn of_life(mut report: Report) -> Report {
    report.measured.messages = 100;
    report.ledger = vec![
        stage(StageId::OutputWait, Charged::To(ResourceKind::Output), 0.8),
        stage(StageId::Transmission, Charged::To(ResourceKind::Output), 0.2),
    ];
    report
}

/// Three links in a row to a host, the last of which has this use; messages wait for the first.
fn in_a_row(last: f64) -> Report {
    let mut rows = vec![
        link(ResourceKind::Output, 0, [("s:1", port(0, 1)), ("t:0", port(1, 0))], 0.94, 5.0),
        link(ResourceKind::Output, 1, [("t:1", port(1, 1)), ("u:0", port(2, 0))], 0.93, 0.3),
        link(ResourceKind::Output, 2, [("u:1", port(2, 1)), ("h", Site::Host(0))], last, 0.0),
    ];
    // Links that have time to spare: this is no overload.
    rows.extend((1..5).map(|host| {
        let ends = [("x", Site::Host(host)), ("s:9", port(0, 9))];
        link(ResourceKind::Output, 10 + host, ends, 0.5, 0.0)
    }));
    of_life(of_resources(rows))
}

#[test]
fn all_links_on_the_way_that_are_as_full_are_told() {
    let whole = first(&in_a_row(0.93));
    assert_eq!(whole.beyond, ["t", "u", "h"]);
    let told = "The link t:1 -> u:0 and the link u:1 -> h after it are as full (at least 93 % utilised)";
    assert!(whole.sentence.contains(told), "{}", whole.sentence);
    let next = first(&in_a_row(0.5));
    assert_eq!(next.beyond, ["t", "u"]);
    assert!(next.sentence.contains("The link t:1 -> u:0 after it is as full (93 % utilised)"));
}

#[test]
fn a_way_round_a_ring_ends_where_it_began() {
    let around = (0..3u32).map(|at| {
        let next = (at + 1) % 3;
        let ends = [format!("s{at}:0"), format!("s{next}:1")];
        let ends = [(ends[0].as_str(), port(at, 0)), (ends[1].as_str(), port(next, 1))];
        link(ResourceKind::Output, at, ends, 0.9, if at == 0 { 5.0 } else { 0.0 })
    });
    let mut rows: Vec<ResourceRow> = around.collect();
    // Links that have time to spare: this is no overload. All switches have hosts.
    for host in 0..9u32 {
        let at = host % 3;
        let ends = [("h", Site::Host(host)), ("s:9", port(at, 9))];
        rows.push(link(ResourceKind::Output, 10 + host, ends, 0.5, 0.0));
    }
    assert_eq!(first(&of_life(of_resources(rows))).beyond, ["s1", "s2", "s0"]);
}

/// A triangle with root `r`, and a switch `c` that only `r` leads to, over a link with this use.
fn pendant(used: f64) -> Report {
    let ends = |from: (&'static str, u32), to: (&'static str, u32)| {
        [(from.0, port(from.1, 7)), (to.0, port(to.1, 8))]
    };
    let [r, a, b, c] = [("r", 0), ("a", 1), ("b", 2), ("c", 3)];
    let output = |number, ends, used, waiting| link(ResourceKind::Output, number, ends, used, waiting);
    let mut report = of_life(of_resources(vec![
        output(0, ends(a, r), 0.93, 5.0),
        output(1, ends(r, c), used, 0.1),
        output(2, ends(r, a), 0.05, 0.0),
        output(3, ends(c, r), 0.05, 0.0),
        output(4, ends(b, r), 0.0, 0.0),
        output(5, ends(a, b), 0.0, 0.0),
        output(6, ends(b, a), 0.0, 0.0),
    ]));
    report.evidence.root = Some(Place::node("the root r", "r"));
    report
}

#[test]
fn routes_are_not_to_blame_where_the_full_link_is_the_only_way() {
    assert_eq!(first(&pendant(0.3)).cause, Cause::RouteConcentration);
    // Whatever leads from a to r, all of it goes on to c.
    assert_eq!(first(&pendant(0.93)).cause, Cause::Resource);
}

/// Stations, each with the number of its servers, their use, the share of time in which all are busy, and the number
/// waiting.
fn stations(each: &[(f64, f64, f64, f64)], waits: f64) -> Report {
    let rows = each.iter().enumerate().map(|(at, &(servers, used, _, waiting))| {
        let kind = ResourceKind::Station(u8::try_from(at).expect("few"));
        let row = resource(kind, "x", Site::Node(at as u32), used, waiting);
        ResourceRow { capacity: Some(servers), ..row }
    });
    let mut report = of_resources(rows.collect());
    report.measured.messages = 100;
    report.evidence.exhausted = each.iter().map(|each| each.2).enumerate().collect();
    let own = Charged::To(ResourceKind::Station(0));
    report.ledger =
        vec![stage(StageId::StationWait(0), own, waits), stage(StageId::StationService(0), own, 1.0 - waits)];
    report
}

#[test]
fn of_stations_the_one_where_most_messages_wait_is_named() {
    let pool = stations(&[(1.0, 0.9, 0.9, 4.2), (12.0, 0.94, 0.78, 5.7)], 0.8);
    assert!(first(&pool).sentence.starts_with("Bottleneck: station 2 (94 % utilised; 58 %"), "{pool:?}");
}

#[test]
fn a_station_that_others_outnumber_is_told_with_its_servers() {
    let of = |third: f64| {
        let sizes = [4.0, 4.0, 3.0, third].map(|servers| (servers, 0.6, 0.6, 0.1));
        let mut each = sizes.to_vec();
        each[2] = (3.0, 0.93, 0.9, 9.0);
        first(&stations(&each, 0.8)).sentence
    };
    assert!(of(4.0).contains("It has 3 servers, where the others have 4."), "{}", of(4.0));
    assert!(!of(5.0).contains("It has"), "{}", of(5.0));
}

/// The fuller a station is, the less waiting makes it the bottleneck.
#[test]
fn moderate_use_with_moderate_waits_is_healthy() {
    let found = |used: f64, waits: f64| first(&stations(&[(1.0, used, used, 1.0)], waits)).cause;
    assert_eq!(
        [0.6, 0.7, 0.85].map(|used| found(used, 0.2)),
        [Cause::Healthy, Cause::Healthy, Cause::Resource]
    );
    assert_eq!([0.6, 0.7].map(|used| found(used, 0.42)), [Cause::Resource; 2]);
}

/// All of many servers seldom work at once, and a tenth more load than they can do makes the queue grow.
#[test]
fn a_pool_of_servers_that_is_used_as_much_as_a_full_link_is_a_bottleneck() {
    let found = |used: f64, waits: f64| first(&stations(&[(20.0, used, 0.55, 1.0)], waits)).cause;
    assert_eq!([0.92, 0.8].map(|used| found(used, 0.25)), [Cause::Resource, Cause::Healthy]);
    // Almost no customer waits for one of a hundred.
    assert_eq!(found(0.92, 0.05), Cause::Healthy);
}

#[test]
fn a_line_slower_than_its_like_is_told_also_where_moderate_use_makes_moderate_waits() {
    let found = |rate: f64| {
        let other = |number: u32| {
            let site = Site::Line { number, from: number, to: number + 1 };
            resource(ResourceKind::Line, "B -> C", site, 0.2, 0.0)
        };
        let mut report = of_resources(vec![line(0.7, 4.0), other(1), other(2)]);
        report.measured.messages = 100;
        report.evidence.rates = [(0, rate), (1, 50e3), (2, 50e3)].into();
        report.ledger = vec![
            stage(StageId::LineWait, Charged::To(ResourceKind::Line), 0.2),
            stage(StageId::Transmission, Charged::To(ResourceKind::Line), 0.8),
        ];
        first(&report).cause
    };
    assert_eq!([50e3, 5e3].map(found), [Cause::Healthy, Cause::Resource]);
}

/// The report of forty seconds, in the last `last` of which latency is ten times as long.
fn page_of(used: f64, last: usize) -> Page {
    let mut report = of_resources(vec![line(used, 4.0)]);
    report.measured.messages = 100;
    report.measured.span_s = 40.0;
    report.ledger = vec![stage(StageId::LineWait, Charged::To(ResourceKind::Line), 0.8)];
    let point = |at: usize| SeriesPoint {
        time_s: (at + 1) as f64,
        series: "latency (us)".into(),
        value: if at >= 40 - last { 10.0 } else { 1.0 },
    };
    report.series = (0..40).map(point).collect();
    explain(&report).page
}

#[test]
fn what_is_so_all_the_time_has_not_begun_during_the_run() {
    assert_eq!(page_of(0.4, 20).since_s, Some(20.0));
    assert_eq!(page_of(0.97, 20).since_s, None, "97 % of the time is more than since then");
    assert_eq!(page_of(0.4, 6).since_s, None, "a long queue at the end is chance");
}

#[test]
fn what_is_lost_for_good_is_lost_for_longer_than_the_network_stood_still() {
    let place = Place::node("the switch s".to_owned(), "s");
    let mut report = of_resources(vec![line(0.2, 0.0)]);
    report.measured.messages = 100;
    report.ledger = vec![stage(StageId::Transmission, Charged::To(ResourceKind::Line), 1.0)];
    report.evidence.losses =
        vec![Loss { why: LossWhy::LinkDown, place: place.clone(), count: 100, of: 0, each_s: 0.0 }];
    let stood = Interruption::of(InterruptionWhy::Reconfiguration, place).and((0.25, 0.26), (0.0, 1.0));
    report.evidence.interruptions = vec![stood];
    let found = explain(&report);
    assert_eq!(found.verdict.first.cause, Cause::Loss);
    assert_eq!((found.page.since_s, found.page.time_share), (Some(0.25), None));
}
