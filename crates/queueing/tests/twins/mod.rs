//! The cases in which theory knows the answer, for both test targets.

use hopscope_measure::{Outcome, RunPlan, Subject, drive, student_t};
use hopscope_queueing::{ClosedForm, QueueingParams, Tandem};

/// A scenario as TOML, the name of its closed form, and the mean latency in microseconds worked out by hand.
pub struct Twin {
    pub scenario: &'static str,
    pub theory: &'static str,
    pub mean_latency_us: f64,
}

pub const TWINS: [Twin; 9] = [
    Twin {
        scenario: r#"
            arrivals = { load = 0.7 }
            station = [{ service = { exponential = "1 ms" } }]
        "#,
        theory: "M/M/1",
        mean_latency_us: 1e3 / 0.3,
    },
    Twin {
        scenario: r#"
            arrivals = { load = 0.8 }
            station = [{ service = { fixed = "1 us" } }]
        "#,
        theory: "M/D/1 (Pollaczek-Khinchine)",
        mean_latency_us: 1.0 + 0.8 / (2.0 * 0.2),
    },
    Twin {
        scenario: r#"
            arrivals = { load = 0.75 }
            station = [{ service = { erlang = { phases = 4, mean = "8 us" } } }]
        "#,
        theory: "M/G/1 (Pollaczek-Khinchine)",
        mean_latency_us: 8.0 + 8.0 * 0.75 * 1.25 / (2.0 * 0.25),
    },
    Twin {
        scenario: r#"
            arrivals = { gap = "20 us" }
            station = [{ service = { uniform = { shortest = "2 us", longest = "22 us" } } }]
        "#,
        theory: "M/G/1 (Pollaczek-Khinchine)",
        // Second moment 532/3 us^2, load 0.6.
        mean_latency_us: 12.0 + (532.0 / 3.0) / 20.0 / (2.0 * 0.4),
    },
    Twin {
        scenario: r#"
            arrivals = { gap = "30 us" }
            station = [{ service = { bimodal = { short = "10 us", long = "60 us", short_share = 0.9 } } }]
        "#,
        theory: "M/G/1 (Pollaczek-Khinchine)",
        // Mean 15 us, second moment 0.9 x 100 + 0.1 x 3600 = 450 us^2, load 0.5.
        mean_latency_us: 15.0 + 450.0 / 30.0 / (2.0 * 0.5),
    },
    Twin {
        scenario: r#"
            arrivals = { gap = "40 us" }
            station = [{ service = { hyperexponential = { short = "10 us", long = "60 us", short_share = 0.9 } } }]
        "#,
        theory: "M/G/1 (Pollaczek-Khinchine)",
        // Mean 15 us, second moment 900 us^2, load 0.375.
        mean_latency_us: 15.0 + 900.0 / 40.0 / (2.0 * 0.625),
    },
    Twin {
        scenario: r#"
            arrivals = { load = 0.5 }
            station = [{ servers = 2, service = { exponential = "1 ms" } }]
        "#,
        theory: "M/M/c (Erlang C)",
        // Erlang C of 2 servers at 1 erlang is 1/3.
        mean_latency_us: 1e3 + 1e3 / 3.0,
    },
    Twin {
        scenario: r#"
            arrivals = { gap = "2 ms" }
            station = [
                { service = { exponential = "1 ms" } },
                { service = { exponential = "0.5 ms" } },
                { servers = 2, service = { exponential = "2 ms" } },
            ]
        "#,
        theory: "a tandem of M/M/c (Burke, Jackson)",
        mean_latency_us: 2e3 + 0.5e3 / 0.75 + 2e3 + 2e3 / 3.0,
    },
    Twin {
        scenario: r#"
            arrivals = { process = "regular", load = 1.0 }
            station = [{ service = { fixed = "3 us" } }, { servers = 2, service = { fixed = "8 us" } }]
        "#,
        theory: "the deterministic tandem",
        mean_latency_us: 11.0,
    },
];

pub fn params(toml: &str) -> QueueingParams {
    toml::from_str(toml).unwrap_or_else(|error| panic!("{toml}: {error}"))
}

/// The mean latency measured over this many customers lies within its own 99 % interval and within `bound` of theory,
/// and the mean number in each pool and the throughput agree with it.
pub fn agrees_with_theory(twin: &Twin, customers: u64, bound: f64) {
    let params = params(twin.scenario);
    let theory = ClosedForm::of(&params).expect("the twin has a closed form");
    assert_eq!(theory.name, twin.theory);
    assert!((theory.mean_latency_us / twin.mean_latency_us - 1.0).abs() < 1e-9, "{theory}");

    let mut simulation = Tandem::simulation(&params, 1, ());
    let report = drive(&mut simulation, RunPlan::messages(customers), |_, _| true);
    assert_eq!(report.outcome, Outcome::Complete, "{}: {:?}", twin.scenario, report.warmup);
    assert!(report.measured.messages >= customers);
    let latency = report.metric("latency.mean").and_then(|metric| metric.estimate).expect("a mean latency");
    let batches = simulation.model.monitor().mean_latency(simulation.now()).expect("batches").batches;
    let half_width =
        (latency.high - latency.value) * student_t(0.99, batches - 1) / student_t(0.95, batches - 1);
    let miss = (latency.value - theory.mean_latency_us).abs();
    assert!(
        miss <= half_width * (1.0 + 1e-9),
        "{theory} {latency:?} is off by {miss}, its 99 % interval is {half_width}"
    );
    assert!(
        miss <= bound * theory.mean_latency_us,
        "{theory} {latency:?} is off by {:.2} %",
        100.0 * miss / latency.value
    );

    let throughput =
        report.metric("throughput.rate").and_then(|metric| metric.estimate).expect("a throughput").value;
    // Little's law, stage by stage: customers at a station = throughput x time spent there.
    for (resource, stages) in report.resources.iter().zip(report.ledger.chunks(2)) {
        let spent_s: f64 = stages.iter().map(|row| row.estimate.expect("a mean").value * 1e-6).sum();
        let present = resource.occupancy + resource.waiting;
        assert!(
            (present / (throughput * spent_s) - 1.0).abs() < 1e-3,
            "{} at {}",
            twin.scenario,
            resource.kind
        );
    }
}
