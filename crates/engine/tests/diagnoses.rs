//! What a person reads who got a scenario wrong.

use hopscope_engine::Scenario;

const GOOD: &str = r#"
model = "queueing"

[arrivals]
load = 0.8

[[station]]
service = { exponential = "10 us" }
"#;

fn refused(text: &str, overrides: &[&str]) -> String {
    Scenario::from_text("mine.toml", text, overrides).expect_err("the scenario is wrong").to_string()
}

#[test]
fn a_name_that_nobody_knows() {
    insta::assert_snapshot!(refused(&GOOD.replace("load", "laod"), &[]), @r#"
    error: arrivals: there is no field "laod"
     --> mine.toml:5:1
      |
    5 | laod = 0.8
      | ^^^^ expected "process", "load" or "gap"
    hint: did you mean "load"?
    "#);
}

#[test]
fn a_value_of_the_wrong_kind() {
    insta::assert_snapshot!(refused(&GOOD.replace("\"10 us\"", "10"), &[]), @r#"
    error: station[0].service.exponential: the number 10 does not fit here
     --> mine.toml:8:27
      |
    8 | service = { exponential = 10 }
      |                           ^^ expected a time with its unit in quotes, such as "0.48 us"
    "#);
}

#[test]
fn a_value_out_of_range() {
    insta::assert_snapshot!(refused(&GOOD.replace("0.8", "80"), &[]), @r"
    error: arrivals.load: load 80 is out of range
     --> mine.toml:5:8
      |
    5 | load = 80
      |        ^^ expected above 0 and at most 10
    ");
}

#[test]
fn several_mistakes_at_once() {
    let text = GOOD.replace("0.8", "\"high\"").replace("10 us", "10 usec")
        + "servers = 0\n[measure]\nprecision = 2\n";
    insta::assert_snapshot!(refused(&text, &[]), @r#"
    error: arrivals.load: the text "high" does not fit here
     --> mine.toml:5:8
      |
    5 | load = "high"
      |        ^^^^^^ expected a number

    error: station[0].service.exponential: "usec" is not one of the units s, ms, us, ns, ps, min, h, d
     --> mine.toml:8:27
      |
    8 | service = { exponential = "10 usec" }
      |                           ^^^^^^^^^ expected a time such as "0.48 us" or "125 ms"

    error: measure.precision: precision 2 is out of range
      --> mine.toml:11:13
       |
    11 | precision = 2
       |             ^ expected a share above 0 and below 0.5, such as 0.02 for two per cent
    "#);
}

#[test]
fn a_field_that_is_missing() {
    insta::assert_snapshot!(refused("model = \"queueing\"\n[arrivals]\nload = 0.5\n[[station]]\nservers = 2", &[]), @r#"
    error: station[0]: the field "service" is missing
     --> mine.toml:4:1
      |
    4 | [[station]]
      | ^^^^^^^^^^^ expected service: the distribution of service times
    "#);
}

#[test]
fn a_model_that_does_not_exist() {
    insta::assert_snapshot!(refused(&GOOD.replace("queueing", "queuing"), &[]), @r#"
    error: model: there is no model "queuing"
     --> mine.toml:2:9
      |
    2 | model = "queuing"
      |         ^^^^^^^^^ expected "arpanet", "fabric", "pup", "queueing" or "sna"
    hint: did you mean "queueing"?
    "#);
}

#[test]
fn text_that_is_not_toml() {
    insta::assert_snapshot!(refused("model = queueing\n[arrivals\nload = 0.8", &[]), @r"
    error: this is not TOML: string values must be quoted
     --> mine.toml:1:9
      |
    1 | model = queueing
      |         ^^^^^^^^ expected text in quotes

    error: this is not TOML: unclosed table
     --> mine.toml:2:10
      |
    2 | [arrivals
      |          ^ expected `]`
    ");
}

#[test]
fn json_that_is_cut_short() {
    insta::assert_snapshot!(refused("{\n  \"model\": \"queueing\",\n  \"arrivals\": {", &[]), @r#"
    error: this is not JSON: the text ends inside an object
     --> mine.toml:3:15
      |
    3 |   "arrivals": {
      |               ^
    "#);
}

#[test]
fn an_override_that_is_wrong() {
    insta::assert_snapshot!(refused(GOOD, &["arrivals.lod=0.5"]), @r#"
    error: arrivals: there is no field "lod"
     --> --set:1:10
      |
    1 | arrivals.lod=0.5
      |          ^^^ expected "process", "load" or "gap"
    hint: did you mean "load"?
    "#);
    insta::assert_snapshot!(refused(GOOD, &["arrivals.load=0.5 %"]), @r#"
    error: arrivals.load: the text "0.5 %" does not fit here
     --> --set:1:15
      |
    1 | arrivals.load=0.5 %
      |               ^^^^^ expected a number
    "#);
    insta::assert_snapshot!(refused(GOOD, &["station[1].servers=2"]), @r"
    error: station: there is no entry 1
     --> --set:1:8
      |
    1 | station[1].servers=2
      |        ^^^ expected entry 0, the only one
    ");
    insta::assert_snapshot!(refused(GOOD, &["seed=-1", "measure.messages"]), @r#"
    error: this override has no "="
     --> --set:1:1
      |
    1 | measure.messages
      | ^^^^^^^^^^^^^^^^ expected path=value, such as traffic.load=0.5
    "#);
    insta::assert_snapshot!(refused(GOOD, &["station[0].service.fixed=10 us"]), @r#"
    error: station[0].service: "exponential" and "fixed" are given together
     --> --set:1:20
      |
    1 | station[0].service.fixed=10 us
      |                    ^^^^^ expected exactly one of "exponential", "fixed", "uniform", "erlang", "bimodal" or "hyperexponential"
    hint: to replace the whole section, set it as one value: --set 'station[0].service={ fixed = ... }'
    "#);
}

#[test]
fn a_file_that_is_not_there() {
    let error = |wanted: &str| Scenario::load(wanted, &[]).expect_err("there is none").to_string();
    insta::assert_snapshot!(error("queueing-mm2"), @r#"
    error: there is no ready scenario and no file "queueing-mm2"
    hint: did you mean "queueing-mmc"?
    "#);
    insta::assert_snapshot!(error("mm1"), @r#"
    error: there is no ready scenario and no file "mm1"
    hint: did you mean "queueing-mm1"?
    "#);
    insta::assert_snapshot!(error("/no/such/folder/mine.toml"), @r#"
    error: there is no ready scenario and no file "/no/such/folder/mine.toml"
    hint: `hopscope scenarios` lists the ready ones
    "#);
}
