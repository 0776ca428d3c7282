//! What several of the tests need: a run, a number from its report, every pair of rules.

use std::sync::Arc;

use hopscope_measure::{Report, RunPlan, Warmup, drive};
use hopscope_pup::bsp::{ReceiverRule, SenderRule};
use hopscope_pup::{PupParams, PupPlan};
use hopscope_units::Span;
use proptest::prelude::*;

/// Runs an internet until `pups` Pups are measured, after a warm-up of a minute.
pub fn run(params: PupParams, pups: u64) -> Report {
    let plan = PupPlan::new(params).expect("the internet is right");
    let warmup = Warmup::Fixed(Span::from_s(60));
    let length = RunPlan { max_messages: pups, min_messages: pups, precision: None, warmup };
    drive(&mut Arc::new(plan).simulation(1, (), ()), length, |_, _| true)
}

/// A metric of a run.
pub fn value(report: &Report, key: &str) -> f64 {
    report.metric(key).and_then(|metric| metric.estimate).expect("it was measured").value
}

/// Every pair of rules for the two ends of a stream.
pub fn rules() -> impl Strategy<Value = (SenderRule, ReceiverRule)> {
    let sender = prop_oneof![Just(SenderRule::Clump), Just(SenderRule::Burst), Just(SenderRule::Sliding)];
    let receiver =
        prop_oneof![Just(ReceiverRule::InOrder), Just(ReceiverRule::Keep), Just(ReceiverRule::KeepAll)];
    (sender, receiver)
}
