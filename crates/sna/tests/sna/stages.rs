//! Session-level pacing in two stages, and the activation of virtual routes.

use hopscope_measure::{ResourceKind, Subject};
use hopscope_sna::{SnaPlan, Subarea};
use hopscope_units::{Span, Time};
use proptest::prelude::*;

use crate::shared::{params, plan, run, value};

/// A host and a boundary node with a printer, which takes `ms` for a message.
fn printer(ms: u64, session: &str) -> String {
    format!(
        "[[node]]\nname = \"host\"\n[[node]]\nname = \"boundary\"\nbuffers = 40\n[[group]]\nname = \"g\"\n\
         between = [\"host\", \"boundary\"]\nline = [{{ rate = \"1 Mbit/s\", propagation = \"20 ms\" }}]\n\
         [[route]]\nname = \"er\"\nfrom = \"host\"\ngroups = [\"g\"]\n[[virtual_route]]\nnumber = 0\nroute = \"er\"\n\
         window = 20\n[[unit]]\nname = \"printer\"\nnode = \"boundary\"\nservice = {{ fixed = \"{ms} ms\" }}\n\
         [[session]]\nunit = \"printer\"\n{session}\n"
    )
}

fn occupancy(text: &str, kind: ResourceKind) -> f64 {
    let report = run(text, 1, 2_000);
    let mut rows = report.resources.iter().filter(|row| row.kind == kind);
    rows.next().map_or(0.0, |row| row.occupancy)
}

#[test]
fn what_the_second_stage_lets_go_waits_in_the_units_own_memory() {
    let one = printer(300, "pacing = 4");
    let two = printer(300, "pacing = 4\nboundary = 3");
    for text in [&one, &two] {
        let rate = value(&run(text, 1, 2_000), "throughput.rate");
        assert!((rate * 0.3 - 1.0).abs() < 0.001, "the printer is always busy: {rate} a second");
    }
    let (of_one, of_two) =
        (occupancy(&one, ResourceKind::NodeBuffers), occupancy(&two, ResourceKind::NodeBuffers));
    assert!(of_two < of_one, "{of_two} buffers of the node in place of {of_one}");
    let outstanding = occupancy(&two, ResourceKind::BoundaryWindow);
    assert!(
        outstanding > 3.0 - 1.0 && outstanding <= 5.0,
        "{outstanding} are outstanding, at most 2 x 3 - 1"
    );
}

#[test]
fn the_ledger_tells_the_stages_apart() {
    let report = run(&printer(300, "pacing = 4\nboundary = 1"), 1, 2_000);
    let share = |stage: &str| {
        let row = report.ledger.iter().find(|row| row.stage.word() == stage && row.class == "all");
        row.map_or(0.0, |row| row.share)
    };
    assert!(share("boundary pacing wait") > 0.1 && share("session pacing wait") > 0.1);
    let (waits, taken) = (share("unit wait"), share("unit service"));
    assert!((waits / taken - 1.0).abs() < 0.01, "a window of one: one message waits while one is taken");
}

#[test]
fn a_window_of_one_a_stage_carries_as_much_as_one_of_one_from_end_to_end() {
    // A quick unit: a message goes when the one before it was taken, a round trip later, in either case.
    let carried = |session: &str| value(&run(&printer(1, session), 1, 2_000), "throughput.rate");
    let (one, two) = (carried("pacing = 1"), carried("pacing = 1\nboundary = 1"));
    assert!((two / one - 1.0).abs() < 1e-9, "{two} and {one}");
}

#[test]
fn nothing_goes_over_a_route_before_its_activation_has_been_answered() {
    let text =
        |activation: bool| printer(1, "").replace("window = 20", &format!("activation = {activation}"));
    let delivered_by = |activation: bool, ms: u64| {
        let mut simulation = Subarea::simulation(&plan(&text(activation)), 1, ());
        simulation.run_until(Time::ZERO + Span::from_ms(ms));
        simulation.model.monitor().delivered_in_all()
    };
    // 20 ms one way, 285 B at 1 Mbit/s in 2.28 ms, 29 B of the activation and its response in 0.232 ms, 1 ms taken.
    assert_eq!((delivered_by(false, 23), delivered_by(false, 24)), (0, 1));
    assert_eq!((delivered_by(true, 63), delivered_by(true, 64)), (0, 1));
    let report = run(&text(true), 1, 500);
    assert!(value(&report, "window[virtual route 0].mean") >= 1.0, "it begins at the minimum");
}

#[test]
fn a_second_stage_needs_a_first_one_and_a_unit() {
    let refused = |session: &str, path: &str| {
        let found = SnaPlan::new(params(&printer(1, session))).expect_err("it is refused");
        assert!(found.iter().any(|problem| problem.path == path), "{session}: {found:?}");
    };
    refused("boundary = 2", "session[0].boundary");
    refused("pacing = 2\nboundary = 0", "session[0].boundary");
    refused("pacing = 2\nboundary = 64", "session[0].boundary");
    let without = printer(1, "pacing = 2\nboundary = 2").replace("unit = \"printer\"\n", "");
    let found = SnaPlan::new(params(&without)).expect_err("it is refused");
    assert!(found.iter().any(|problem| problem.path == "session[0].boundary"), "{found:?}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    /// No window of either stage is exceeded, and everything arrives: the model checks each message's place and life.
    #[test]
    fn two_stages_keep_their_windows(
        first in 1u32..=6,
        second in 1u32..=6,
        ms in 0u64..60,
        adaptive in any::<bool>(),
    ) {
        let session = format!("pacing = {first}\nboundary = {second}\nadaptive = {adaptive}\ngap = \"40 ms\"");
        let report = run(&printer(ms, &session), 3, 200);
        for (kind, window) in [(ResourceKind::SessionWindow, first), (ResourceKind::BoundaryWindow, second)] {
            let row = report.resources.iter().find(|row| row.kind == kind).expect("a row for each stage");
            prop_assert!(row.peak <= f64::from(2 * window - 1), "{} of {window}", row.peak);
        }
    }
}
