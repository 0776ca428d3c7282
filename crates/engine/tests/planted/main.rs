//! Networks with a planted bottleneck, and healthy ones: the verdict names what was planted, and nothing where nothing
//! was.
//!
//! A case is a scenario and what was planted in it; the code that explains sees the scenario's report alone.

mod arpanet;
mod fabric;
mod frames;
mod papers;
mod pup;
mod queueing;
mod sna;

use std::io::{Write, stderr};

use hopscope_engine::{RunResult, Scenario, run};
use hopscope_explain::{Cause as Class, Explanation, Pattern};

/// What was planted.
#[derive(Debug)]
pub(crate) enum Cause {
    /// Nothing: the network is healthy.
    Nothing,
    /// A resource, by the words that the sentence must name it with.
    Resource(String),
    /// What is lost must be sent again.
    Loss,
    /// A window.
    Window,
    /// Rates that do not recover, by the words that the sentence must name the sender's limiter with.
    RateControl(&'static str),
    /// A service that takes far longer than is usual.
    SlowService,
    /// Waiting behind others in input buffers.
    Blocking,
    /// The same, and nowhere more than there, by the words that the sentence must name it with.
    BlockingAt(&'static str),
    /// A pattern, by its name.
    Symptom(Pattern),
    /// No such pattern.
    Not(Pattern),
}

/// A scenario and what was planted in it.
pub(crate) struct Case {
    pub name: String,
    /// The scenario's text, or the name of a ready one.
    pub scenario: String,
    pub overrides: Vec<String>,
    pub cause: Cause,
}

impl Case {
    pub fn new(name: impl Into<String>, scenario: String, cause: Cause) -> Self {
        Self { name: name.into(), scenario, overrides: Vec::new(), cause }
    }
}

/// The share of planted causes that must be named.
const NAMED: f64 = 0.95;

/// The least number of cases with a planted cause.
const PLANTED: usize = 60;

fn explained(case: &Case) -> (RunResult, Explanation) {
    let overrides: Vec<&str> = case.overrides.iter().map(String::as_str).collect();
    let scenario = if case.scenario.contains('\n') {
        Scenario::from_text(&case.name, &case.scenario, &overrides)
    } else {
        Scenario::load(&case.scenario, &overrides)
    };
    let scenario = scenario.unwrap_or_else(|error| panic!("{}: {error}", case.name));
    let result = run(&scenario, &|_, _| true).expect("the run does not break");
    let explanation = result.explanation();
    (result, explanation)
}

/// Whether the verdict, or the symptom where the cause is a pattern, names what was planted.
fn is_named(cause: &Cause, found: &Explanation) -> bool {
    let verdict = &found.verdict.first;
    match cause {
        Cause::Nothing => verdict.cause == Class::Healthy,
        Cause::Resource(words) => verdict.resource.as_ref() == Some(words),
        Cause::Loss => verdict.cause == Class::Loss,
        Cause::Window => verdict.cause == Class::Window,
        Cause::RateControl(words) => {
            verdict.cause == Class::RateControl && verdict.resource.as_deref() == Some(*words)
        }
        Cause::SlowService => verdict.cause == Class::SlowService,
        Cause::Blocking => verdict.cause == Class::Blocking,
        Cause::BlockingAt(words) => {
            verdict.cause == Class::Blocking && verdict.resource.as_deref() == Some(*words)
        }
        Cause::Not(pattern) => found.symptoms.iter().all(|symptom| symptom.name != *pattern),
        Cause::Symptom(pattern) => found.symptoms.iter().any(|symptom| symptom.name == *pattern),
    }
}

/// The cases in which what was planted is not named, a line each: the case, what was planted, what was said instead.
fn missed(cases: &[Case]) -> Vec<String> {
    let told = cases.iter().filter_map(|case| {
        let (_, found) = explained(case);
        let names: Vec<_> = found.symptoms.iter().map(|symptom| symptom.name.word()).collect();
        let sentence = &found.verdict.first.sentence;
        (!is_named(&case.cause, &found))
            .then(|| format!("{} | {:?} | {sentence} | {}", case.name, case.cause, names.join(", ")))
    });
    told.collect()
}

fn check(cases: &[Case]) {
    let missed = missed(cases);
    let table = format!(
        "{} of {} missed\ncase | planted | verdict | symptoms\n{}",
        missed.len(),
        cases.len(),
        missed.join("\n")
    );
    if !missed.is_empty() {
        writeln!(stderr(), "{table}").expect("there is somebody to tell");
    }
    let least = (NAMED * cases.len() as f64).ceil() as usize;
    assert!(cases.len() - missed.len() >= least, "{table}");
}

#[test]
fn in_a_row_of_stations_the_slow_one_is_named() {
    check(&queueing::cases());
}

#[test]
fn in_a_fabric_the_planted_link_or_pattern_is_named() {
    check(&fabric::cases());
}

#[test]
fn in_a_fabric_of_frames_the_planted_link_rate_or_window_is_named() {
    check(&frames::cases());
}

#[test]
fn in_a_subnet_the_planted_line_table_or_host_is_named() {
    check(&arpanet::cases());
}

#[test]
fn in_an_internet_the_planted_machine_channel_or_window_is_named() {
    check(&pup::cases());
}

#[test]
fn in_a_subarea_network_the_planted_window_node_or_unit_is_named() {
    check(&sna::cases());
}

#[test]
fn the_diagnoses_of_the_papers_are_found() {
    check(&papers::cases());
}

#[test]
fn there_are_many_cases_of_every_model() {
    let rooms = [
        queueing::cases(),
        fabric::cases(),
        frames::cases(),
        arpanet::cases(),
        pup::cases(),
        sna::cases(),
        papers::cases(),
    ];
    let is_planted = |case: &&Case| !matches!(case.cause, Cause::Nothing | Cause::Not(_));
    let planted: Vec<usize> = rooms.iter().map(|room| room.iter().filter(is_planted).count()).collect();
    assert!(planted.iter().sum::<usize>() >= PLANTED, "{planted:?}");
    let healthy = rooms.iter().flatten().filter(|case| matches!(case.cause, Cause::Nothing)).count();
    assert!(healthy >= 10, "{healthy}");
}

#[test]
fn an_explanation_is_the_same_each_time() {
    let case = &queueing::cases()[0];
    let [first, second] = [explained(case).0.why_json(), explained(case).0.why_json()];
    assert_eq!(first, second);
    assert!(first.contains("\"verdict\""));
}
