//! What a run of the model shows beyond its means: saturation, determinism, whole lives, honest intervals.

use hopscope_measure::{JourneyLog, Outcome, Report, RunPlan, drive};
use hopscope_queueing::{QueueingParams, Tandem, erlang_c};

fn params(scenario: &str) -> QueueingParams {
    toml::from_str(scenario).unwrap_or_else(|error| panic!("{scenario}: {error}"))
}

fn run(scenario: &str, seed: u64, plan: RunPlan) -> Report {
    drive(&mut Tandem::simulation(&params(scenario), seed, ()), plan, |_, _| true)
}

fn mm1(load: f64) -> String {
    format!("arrivals = {{ load = {load} }}\n station = [{{ service = {{ exponential = \"1 ms\" }} }}]")
}

#[test]
fn past_saturation_throughput_is_a_number_and_delay_is_not() {
    for load in [1.1, 1.5, 4.0] {
        let report = run(&mm1(load), 2, RunPlan::messages(50_000));
        assert_eq!(report.outcome, Outcome::Saturated, "load {load}");
        assert_eq!(report.metric("latency.mean").unwrap().estimate, None);
        let throughput = report.metric("throughput.rate").unwrap().estimate.unwrap();
        assert!((throughput.value / 1_000.0 - 1.0).abs() < 0.03, "load {load}: {throughput:?}");
        assert!((report.resources[0].utilisation - 1.0).abs() < 1e-9);
        assert!(
            report.notes.iter().all(|note| !note.starts_with("Theory")),
            "there is no steady state to compare with"
        );
    }
}

/// At load 1 a queue grows with the root of time: too slowly for a run to see, and without end all the same.
#[test]
fn from_load_one_on_there_is_no_steady_state_however_short_the_run() {
    for (load, messages) in [(1.0, 100_000), (1.01, 2_000), (1.1, 500)] {
        let report = run(&mm1(load), 1, RunPlan::messages(messages));
        assert_eq!(report.outcome, Outcome::Saturated, "load {load}");
        assert_eq!(report.metric("latency.mean").unwrap().estimate, None);
        assert_eq!((report.notes, report.doubts), (vec![], vec![]));
    }
    let regular =
        "arrivals = { load = 1.0, process = \"regular\" }\n station = [{ service = { fixed = \"1 ms\" } }]";
    let report = run(regular, 1, RunPlan::messages(2_000));
    let latency = report.metric("latency.mean").unwrap().estimate.unwrap();
    assert_eq!(latency.value, 1e3, "where nothing is random, nobody waits at load 1");
}

#[test]
fn a_precise_run_of_a_busy_queue_is_longer_than_that_of_an_idle_one() {
    let plan = RunPlan { min_messages: 5_000, precision: Some(0.03), ..RunPlan::messages(5_000_000) };
    let mut lengths = Vec::new();
    for load in [0.2, 0.6, 0.9] {
        let report = run(&mm1(load), 3, plan);
        let latency = report.metric("latency.mean").unwrap().estimate.unwrap();
        assert!(latency.relative_half_width() <= 0.03, "load {load}: {latency:?}");
        lengths.push(report.measured.messages);
    }
    assert!(lengths.is_sorted() && lengths[2] > 20 * lengths[0], "{lengths:?}");
}

/// Who comes to a Poisson process finds all servers busy for as much of the time as they are (PASTA).
#[test]
fn all_servers_of_a_pool_are_busy_for_as_long_as_erlang_says() {
    let scenario =
        "arrivals = { load = 0.6 }\n station = [{ servers = 4, service = { exponential = \"1 ms\" } }]";
    let report = run(scenario, 1, RunPlan::messages(200_000));
    let found = report.evidence.exhausted[&0];
    assert!((found - erlang_c(4, 2.4)).abs() < 0.01, "{found}");
    assert!(run(&mm1(0.6), 1, RunPlan::messages(1_000)).evidence.exhausted.is_empty());
}

/// Long services that are rare make what leaves a station come in bunches; equal ones make none of its own.
#[test]
fn stations_are_told_whose_services_vary_more_than_what_comes_to_them() {
    let of = |second: &str| {
        let scenario = format!(
            "arrivals = {{ gap = \"10 us\" }}\n station = [{{ service = {{ fixed = \"4 us\" }} }}, {second}, \
             {{ service = {{ exponential = \"8 us\" }} }}]"
        );
        run(&scenario, 1, RunPlan::messages(1_000)).evidence.varying
    };
    let varied =
        of("{ service = { bimodal = { short = \"2 us\", long = \"202 us\", short_share = 0.98 } } }");
    assert_eq!(varied[0].row, 1);
    assert!((varied[0].saves - 0.88).abs() < 0.02 && varied[0].services > 20.0, "{varied:?}");
    assert!(of("{ service = { fixed = \"6 us\" } }").iter().all(|station| station.row == 2));
}

#[test]
fn intervals_cover_the_truth_as_often_as_they_say() {
    // M/M/1 at load 0.8: the time in the system is exponential with a mean of 5 ms. Over 200 runs of 50000 customers a
    // coverage of 95 % has a standard error of 1.5 %; batch means of so short a run cover a little less.
    let truth = [
        ("latency.mean", 5e3),
        ("latency.p50", 5e3 * 2f64.ln()),
        ("latency.p99", 5e3 * 100f64.ln()),
        ("throughput.rate", 800.0),
    ];
    let reports: Vec<Report> = (0..200).map(|seed| run(&mm1(0.8), seed, RunPlan::messages(50_000))).collect();
    for (key, value) in truth {
        let covers = |report: &&Report| report.metric(key).unwrap().estimate.unwrap().covers(value);
        let coverage = reports.iter().filter(covers).count() as f64 / reports.len() as f64;
        assert!((0.905..=0.985).contains(&coverage), "{key}: {coverage}");
    }
}

#[test]
fn the_same_seed_gives_the_same_report_and_another_does_not() {
    let report = |seed| run(&mm1(0.7), seed, RunPlan::messages(20_000));
    assert_eq!(report(5), report(5));
    assert_ne!(report(5).metrics, report(6).metrics);
}

#[test]
fn journeys_are_whole_lives_without_a_gap() {
    let scenario = r#"
        arrivals = { load = 0.9 }
        station = [{ service = { fixed = "1 us" } }, { service = { exponential = "0.8 us" } }]
    "#;
    let mut simulation = Tandem::simulation(&params(scenario), 4, JourneyLog::new(50));
    let report = drive(&mut simulation, RunPlan::messages(20_000), |_, _| true);
    let rows: Vec<_> = report.journeys.iter().collect();
    let lives: Vec<_> = rows.chunk_by(|a, b| a.message == b.message).collect();
    assert_eq!(lives.len(), 50);
    for life in lives {
        let stages: Vec<&str> = life.iter().map(|row| row.stage.word()).collect();
        assert_eq!(
            stages,
            ["wait at station 1", "service at station 1", "wait at station 2", "service at station 2"]
        );
        assert!(life.windows(2).all(|pair| pair[0].to_ps == pair[1].from_ps));
        let until_ps = (report.warmup.until_s * 1e12).round() as u64;
        // Who still waits for the first station when the warm-up ends has not been missed yet.
        assert!(life[0].to_ps >= until_ps, "{} before {until_ps}", life[0].to_ps);
        assert_eq!(life[1].to_ps - life[1].from_ps, 1_000_000);
    }
}

#[test]
fn only_the_stations_of_the_row_are_reported() {
    let report = run(
        "arrivals = { load = 0.5 }\n station = [{ service = { fixed = \"1 us\" } }, { service = { fixed = \"2 us\" } }]",
        1,
        RunPlan::messages(10_000),
    );
    let stages: Vec<(&str, &str)> =
        report.ledger.iter().map(|row| (row.stage.word(), row.resource.word())).collect();
    insta::assert_debug_snapshot!(stages, @r#"
    [
        (
            "wait at station 1",
            "station 1",
        ),
        (
            "service at station 1",
            "station 1",
        ),
        (
            "wait at station 2",
            "station 2",
        ),
        (
            "service at station 2",
            "station 2",
        ),
    ]
    "#);
    let places: Vec<&str> = report.resources.iter().map(|row| row.place.as_str()).collect();
    assert_eq!(places, ["station 1", "station 2"]);
}
