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
    insta::assert_snapshot!(refused(&GOOD.replace("load", "laod"), &[]), @"");
}

#[test]
fn a_value_of_the_wrong_kind() {
    insta::assert_snapshot!(refused(&GOOD.replace("\"10 us\"", "10"), &[]), @"");
}

#[test]
fn a_value_out_of_range() {
    insta::assert_snapshot!(refused(&GOOD.replace("0.8", "80"), &[]), @"");
}

#[test]
fn several_mistakes_at_once() {
    let text = GOOD.replace("0.8", "\"high\"").replace("10 us", "10 usec") + "servers = 0\n[measure]\nprecision = 2\n";
    insta::assert_snapshot!(refused(&text, &[]), @"");
}

#[test]
fn a_model_that_does_not_exist() {
    insta::assert_snapshot!(refused(&GOOD.replace("queueing", "queuing"), &[]), @"");
}

#[test]
fn text_that_is_not_toml() {
    insta::assert_snapshot!(refused("model = queueing\n[arrivals\nload = 0.8", &[]), @"");
}

#[test]
fn json_that_is_cut_short() {
    insta::assert_snapshot!(refused("{\n  \"model\": \"queueing\",\n  \"arrivals\": {", &[]), @"");
}

#[test]
fn an_override_that_is_wrong() {
    insta::assert_snapshot!(refused(GOOD, &["arrivals.lod=0.5"]), @"");
    insta::assert_snapshot!(refused(GOOD, &["arrivals.load=0.5 %"]), @"");
    insta::assert_snapshot!(refused(GOOD, &["station[1].servers=2"]), @"");
    insta::assert_snapshot!(refused(GOOD, &["seed=-1", "measure.messages"]), @"");
    insta::assert_snapshot!(refused(GOOD, &["station[0].service.fixed=10 us"]), @"");
}

#[test]
fn a_file_that_is_not_there() {
    let error = |wanted: &str| Scenario::load(wanted, &[]).expect_err("there is none").to_string();
    insta::assert_snapshot!(error("queueing-mm2"), @"");
    insta::assert_snapshot!(error("/no/such/folder/mine.toml"), @"");
}
