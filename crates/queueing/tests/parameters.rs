//! Parameters as people write them, right and wrong.

use hopscope_queueing::{Process, QueueingParams, Service};
use hopscope_units::Span;

fn problems(scenario: &str) -> Vec<String> {
    let params: QueueingParams =
        toml::from_str(scenario).unwrap_or_else(|error| panic!("{scenario}: {error}"));
    params
        .validate()
        .into_iter()
        .map(|p| format!("{}: {}; expected {}", p.path, p.problem, p.expected))
        .collect()
}

/// A scenario with one station that is served like this.
fn served(service: &str) -> String {
    format!("arrivals = {{ load = 0.5 }}\n[[station]]\nservice = {service}")
}

#[test]
fn defaults_are_one_server_and_random_arrivals() {
    let params: QueueingParams = toml::from_str(&served("{ exponential = \"1 ms\" }")).unwrap();
    assert_eq!(params.station[0].servers, 1);
    assert_eq!(params.arrivals.process, Process::Poisson);
    assert_eq!(params.station[0].service, Service::Exponential(Span::from_ms(1)));
    assert_eq!(params.mean_gap_ps(), 2e9);
    assert!(params.validate().is_empty());
}

#[test]
fn both_times_of_a_mix_may_be_the_same() {
    let alike = served("{ bimodal = { short = \"2 us\", long = \"2 us\", short_share = 0.5 } }");
    let params: QueueingParams = toml::from_str(&alike).unwrap();
    assert!(params.validate().is_empty());
}

#[test]
fn the_load_is_that_of_the_busiest_station() {
    let scenario = r#"
        arrivals = { gap = "4 us" }
        station = [{ service = { fixed = "1 us" } }, { servers = 2, service = { fixed = "6 us" } }]
    "#;
    let params: QueueingParams = toml::from_str(scenario).unwrap();
    assert_eq!(params.load(), 0.75);
}

#[test]
fn every_wrong_value_is_named_with_its_place_and_what_was_expected() {
    let wrong = [
        "arrivals = {}\nstation = []".to_owned(),
        "arrivals = { load = 0.5, gap = \"1 ms\" }\n station = [{ servers = 0, service = { fixed = \"0 s\" } }]"
            .to_owned(),
        "arrivals = { load = -0.5 }\n station = [{ servers = 10001, service = { exponential = \"2 h\" } }]".to_owned(),
        "arrivals = { load = nan }\n station = [{ service = { fixed = \"1 us\" } }]".to_owned(),
        "arrivals = { gap = \"0 s\" }\n station = [{ service = { fixed = \"1 us\" } }]".to_owned(),
        served("{ uniform = { shortest = \"3 us\", longest = \"2 us\" } }"),
        served("{ erlang = { phases = 0, mean = \"2 us\" } }"),
        served("{ bimodal = { short = \"3 us\", long = \"2 us\", short_share = 1.5 } }"),
        served("{ hyperexponential = { short = \"1 ps\", long = \"2 us\", short_share = -0.1 } }"),
        "arrivals = { load = 0.001 }\n station = [{ service = { fixed = \"100 s\" } }]".to_owned(),
        "arrivals = { load = 10 }\n station = [{ service = { fixed = \"1 ns\" } }]".to_owned(),
    ];
    let found: Vec<String> = wrong.iter().flat_map(|scenario| problems(scenario)).collect();
    insta::assert_snapshot!(found.join("\n"), @r"
    arrivals: the arrival rate is not given; expected `load` or `gap`
    station: 0 stations are out of range; expected from 1 to 8 stations
    arrivals: `load` and `gap` are both given; expected one of the two
    station[0].servers: 0 servers are out of range; expected from 1 to 10000
    station[0].service.fixed: time 0 s is out of range; expected from 1 ns to 100 s
    arrivals.load: load -0.5 is out of range; expected above 0 and at most 10
    station[0].servers: 10001 servers are out of range; expected from 1 to 10000
    station[0].service.exponential: time 7200 s is out of range; expected from 1 ns to 100 s
    arrivals.load: load NaN is out of range; expected above 0 and at most 10
    arrivals.gap: time 0 s is out of range; expected from 1 ns to 100 s
    station[0].service.uniform.shortest: 3 us is longer than the longest, 2 us; expected at most 2 us
    station[0].service.erlang.phases: 0 phases are out of range; expected from 1 to 1000
    station[0].service.bimodal.short: 3 us is longer than the long time, 2 us; expected at most 2 us
    station[0].service.bimodal.short_share: share 1.5 is out of range; expected from 0 to 1
    station[0].service.hyperexponential.short: time 1 ps is out of range; expected from 1 ns to 100 s
    station[0].service.hyperexponential.short_share: share -0.1 is out of range; expected from 0 to 1
    arrivals.load: interarrival time 100000 s is out of range; expected a gap from 1 ns to 100 s
    arrivals.load: interarrival time 100 ps is out of range; expected a gap from 1 ns to 100 s
    ");
}

#[test]
fn nine_stations_are_too_many() {
    let scenario =
        format!("arrivals = {{ load = 0.5 }}\n{}", "[[station]]\nservice = { fixed = \"1 us\" }\n".repeat(9));
    assert_eq!(problems(&scenario), ["station: 9 stations are out of range; expected from 1 to 8 stations"]);
}

#[test]
fn unknown_names_are_refused() {
    let unknown = [
        "arrivals = { load = 0.5, burst = 3 }\n station = [{ service = { fixed = \"1 us\" } }]",
        "arrivals = { load = 0.5 }\n station = [{ server = 1, service = { fixed = \"1 us\" } }]",
        "arrivals = { load = 0.5 }\n station = [{ service = { normal = \"1 us\" } }]",
        "arrivals = { load = 0.5 }\n stations = []",
        "arrivals = { load = 0.5, process = \"bursty\" }\n station = []",
    ];
    for scenario in unknown {
        let error = toml::from_str::<QueueingParams>(scenario).expect_err(scenario);
        assert!(error.to_string().contains("unknown"), "{error}");
    }
}

#[test]
fn parameters_survive_being_written() {
    let scenario = r#"
        arrivals = { process = "regular", gap = "3 us" }
        station = [{ servers = 3, service = { erlang = { phases = 2, mean = "4 us" } } }]
    "#;
    let params: QueueingParams = toml::from_str(scenario).unwrap();
    assert_eq!(toml::from_str::<QueueingParams>(&toml::to_string(&params).unwrap()).unwrap(), params);
}

#[test]
fn the_schema_documents_every_field() {
    let schema = serde_json::to_value(schemars::schema_for!(QueueingParams)).unwrap();
    let definitions = schema["$defs"].as_object().unwrap().values().chain([&schema]);
    for (name, field) in definitions.filter_map(|definition| definition["properties"].as_object()).flatten() {
        assert!(field["description"].is_string(), "{name} has no description");
    }
}

#[test]
#[should_panic(expected = "a model is built from valid parameters only")]
fn no_model_is_built_from_wrong_parameters() {
    let params: QueueingParams = toml::from_str("arrivals = {}\nstation = []").unwrap();
    let _ = hopscope_queueing::Tandem::simulation(&params, 1, ());
}
