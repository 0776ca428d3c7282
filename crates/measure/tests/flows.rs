//! Statistics of flows against numbers worked out by hand.

use hopscope_measure::{FlowEnd, FlowStatistics, Observed, Report, RoundSeen};
use hopscope_units::{Data, Span, Time};

fn statistics() -> FlowStatistics {
    FlowStatistics::new(vec!["mice".into(), "elephants".into()], vec!["a".into(), "b".into(), "c".into()])
}

fn us(us: u64) -> Time {
    Time::ZERO + Span::from_us(us)
}

/// A flow from host 0 that began at `begun`, would ideally take `ideal` us, and ends at `ends`.
fn end(statistics: &mut FlowStatistics, number: u64, data: u64, (begun, ideal, ends): (u64, u64, u64)) {
    let (group, destination) = if data > 100_000 { (1, 2) } else { (0, 1) };
    let flow = FlowEnd {
        number,
        group,
        round: 0,
        source: 0,
        destination,
        data: Data::from_bytes(data),
        begun: us(begun),
        ideal: Span::from_us(ideal),
    };
    statistics.delivered(destination, flow.data);
    statistics.ended(us(ends), &flow);
}

fn value(report: &Report, key: &str) -> f64 {
    let metric = report.metric(key).unwrap_or_else(|| panic!("there is a metric {key}"));
    metric.estimate.unwrap_or_else(|| panic!("{key} has an estimate")).value
}

#[test]
fn means_slowdowns_rates_and_fairness_are_those_of_the_flows() {
    let mut flows = statistics();
    for data in [1_000, 1_000, 2_000_000, 5_000] {
        flows.begun(Data::from_bytes(data));
    }
    end(&mut flows, 0, 1_000, (0, 10, 10));
    end(&mut flows, 1, 1_000, (0, 10, 30));
    end(&mut flows, 2, 2_000_000, (20, 50, 120));
    let mut report = Report::default();
    flows.tell(us(200), Observed::Sample, &mut report);
    assert_eq!(value(&report, "slowdown[to 1 kB].max"), 3.0);
    assert_eq!(value(&report, "slowdown[to 10 MB].max"), 2.0);
    assert_eq!(value(&report, "slowdown.mean"), 2.0);
    // In 200 us host b has 2 kB, host c 2 MB.
    let (b, c) = (2_000.0f64, 2_000_000.0f64);
    let jain = (b + c).powi(2) / (2.0 * (b * b + c * c));
    assert!((value(&report, "host fairness.index") - jain).abs() < 1e-12);
    let gbit_s = |bytes: f64| bytes * 8.0 / 200e-6 / 1e9;
    for (key, expected) in [("mean", gbit_s((b + c) / 2.0)), ("min", gbit_s(b)), ("max", gbit_s(c))] {
        assert!((value(&report, &format!("host throughput.{key}")) - expected).abs() < 1e-9, "{key}");
    }
    // Bytes a microsecond of each flow that ended.
    let rates = [1_000.0 / 10.0, 1_000.0 / 30.0, 2_000_000.0 / 100.0];
    let (sum, squares): (f64, f64) = (rates.iter().sum(), rates.iter().map(|rate| rate * rate).sum());
    assert!((value(&report, "flow fairness.index") - sum * sum / (3.0 * squares)).abs() < 1e-12);
    assert_eq!(value(&report, "flows.count"), 4.0);
    assert_eq!(value(&report, "unfinished flows.count"), 1.0);
    assert!(report.notes.iter().any(|note| note.contains("1 of 4 flows (5000 B in all) had not ended")));
    let tables = report.flows.expect("a report of flows has them");
    assert_eq!(
        tables.flows.iter().map(|row| row.ended_ps).collect::<Vec<_>>(),
        [10, 30, 120].map(|t| t * 1_000_000)
    );
}

#[test]
fn a_mean_of_one_flow_has_no_interval_and_so_no_estimate() {
    let mut flows = statistics();
    flows.begun(Data::from_bytes(1_000));
    end(&mut flows, 0, 1_000, (0, 10, 10));
    let mut report = Report::default();
    flows.tell(us(20), Observed::Sample, &mut report);
    assert_eq!(report.metric("slowdown.mean").expect("a metric").estimate, None);
    assert_eq!(value(&report, "slowdown.max"), 1.0);
}

/// One flow, or three of which the last is slowest, as all that there is.
#[test]
fn flows_of_a_whole_job_have_slowdowns_without_intervals_and_rounds_with() {
    let of = |took: &[u64]| {
        let mut flows = statistics();
        for (number, &took) in took.iter().enumerate() {
            flows.begun(Data::from_bytes(1_000));
            end(&mut flows, number as u64, 1_000, (0, 10, took));
            let (round, ended) = (number as u32, us(took));
            let seen = RoundSeen { group: 0, round, begun: us(0), data: Data::from_bytes(1) };
            flows.round(ended, &seen);
        }
        let mut report = Report::default();
        flows.tell(us(200), Observed::Whole, &mut report);
        report
    };
    let figures = |report: &Report, key: &str| {
        let found = report.metric(key).expect("a metric").estimate.expect("an estimate");
        (found.low, found.value, found.high, found.n)
    };
    let one = of(&[30]);
    for key in ["slowdown.mean", "slowdown.p50", "slowdown.p99", "slowdown.max"] {
        assert_eq!(figures(&one, key), (3.0, 3.0, 3.0, 1), "{key}");
    }
    let three = of(&[10, 20, 60]);
    assert_eq!(figures(&three, "slowdown.mean"), (3.0, 3.0, 3.0, 3));
    assert_eq!(figures(&three, "slowdown.p99"), (6.0, 6.0, 6.0, 3));
    assert!(three.notes.is_empty(), "{:?}", three.notes);
    let (low, mean, high, _) = figures(&three, "round[mice].mean");
    assert!(low < mean && mean == 30.0 && mean < high, "{low} {mean} {high}");
}

#[test]
fn a_restart_forgets_all_but_the_flows_under_way() {
    let mut flows = statistics();
    flows.begun(Data::from_bytes(1_000));
    flows.begun(Data::from_bytes(1_000));
    end(&mut flows, 0, 1_000, (0, 10, 10));
    flows.round(us(10), &RoundSeen { group: 0, round: 0, begun: us(0), data: Data::from_bytes(1_000) });
    flows.restart(us(50));
    end(&mut flows, 1, 1_000, (0, 10, 60));
    let mut report = Report::default();
    flows.tell(us(100), Observed::Sample, &mut report);
    assert_eq!(value(&report, "slowdown.max"), 6.0);
    assert_eq!(value(&report, "flows.count"), 1.0);
    assert_eq!(value(&report, "unfinished flows.count"), 0.0);
    assert!(report.metric("round[mice].max").is_none());
    assert!((value(&report, "host throughput.max") - 8_000.0 / 50e-6 / 1e9).abs() < 1e-9);
}

#[test]
fn rounds_have_their_own_times() {
    let mut flows = statistics();
    for (round, (begun, ended)) in [(0, 10), (20, 40), (50, 80)].into_iter().enumerate() {
        let seen = RoundSeen { group: 1, round: round as u32, begun: us(begun), data: Data::from_bytes(1) };
        flows.round(us(ended), &seen);
    }
    let mut report = Report::default();
    flows.tell(us(100), Observed::Sample, &mut report);
    assert_eq!(value(&report, "round[elephants].mean"), 20.0);
    assert_eq!(value(&report, "round[elephants].max"), 30.0);
}
