//! What a network does: order and completeness under errors and parallel lines, back-pressure, priorities, stops,
//! lives.

use hopscope_measure::{JourneyLog, Outcome, Report, ResourceKind, RunPlan, StageKind, drive};
use hopscope_sna::{SnaPlan, Subarea};
use proptest::prelude::*;

use crate::shared::{chain, params, plan, run, value};

/// Two nodes with a group of lines between them.
fn pair(group: &str, route: &str, session: &str) -> String {
    format!(
        "[[node]]\nname = \"a\"\n[[node]]\nname = \"b\"\n[[group]]\nname = \"g\"\nbetween = [\"a\", \"b\"]\n{group}\n\
         [[route]]\nname = \"er\"\nfrom = \"a\"\ngroups = [\"g\"]\n[[virtual_route]]\nnumber = 0\nroute = \"er\"\n{route}\n\
         [[session]]\nvirtual_route = 0\n{session}\n"
    )
}

fn share(report: &Report, stage: &str) -> f64 {
    let row = report.ledger.iter().find(|row| row.stage.word() == stage && row.class == "all");
    row.map_or(0.0, |row| row.share)
}

#[test]
fn parallel_lines_carry_as_much_as_they_can_together_and_keep_the_order() {
    // 300 B of 2400 bits at 9.6 kbit/s take 0.25 s: 4 a second a line, and the slow line holds the fast ones up.
    let text = pair(
        "line = [{ rate = \"9.6 kbit/s\" }, { rate = \"9.6 kbit/s\", propagation = \"400 ms\" }, { rate = \"4.8 kbit/s\" }]",
        "window = 20",
        "size = \"271 B\"",
    );
    let report = run(&text, 1, 5_000);
    assert!((value(&report, "throughput.rate") / 10.0 - 1.0).abs() < 0.01, "4 + 4 + 2 a second");
    assert!(share(&report, "resequencing wait") > 0.01);
}

#[test]
fn a_line_sends_again_what_was_in_error() {
    let text = pair("line = [{ rate = \"9.6 kbit/s\", errors = 0.25 }]", "window = 20", "size = \"271 B\"");
    let report = run(&text, 1, 20_000);
    let rate = value(&report, "throughput.rate");
    assert!((rate / 3.0 - 1.0).abs() < 0.02, "a quarter of 4 a second is sent in vain: {rate}");
    assert!((value(&report, "lost frames.mean") / 250.0 - 1.0).abs() < 0.04);
}

#[test]
fn selective_reject_carries_more_than_reject_where_lines_lose_and_both_as_much_where_none_does() {
    let carried = |errors: f64, reject: &str| {
        let line = format!(
            "recovery = \"end\"\nline = [{{ rate = \"64 kbit/s\", propagation = \"200 ms\", errors = {errors} }}]"
        );
        let route = format!("rule = \"hdlc\"\nwindow = 31\nreject = \"{reject}\"");
        let report = run(&pair(&line, &route, ""), 5, 20_000);
        if errors > 0.0 && reject == "selective" {
            // 0.05 of all that is sent, of which 1/0.95 is sent for a message: 52.6 of 1000.
            let repeated = value(&report, "retransmissions.mean");
            assert!((repeated / 52.6 - 1.0).abs() < 0.15, "{repeated} of 1000 are sent again");
        }
        value(&report, "throughput.rate")
    };
    let (go_back, selective) = (carried(0.05, "go-back"), carried(0.05, "selective"));
    assert!(selective > 1.2 * go_back, "{selective} and {go_back}");
    let (go_back, selective) = (carried(0.0, "go-back"), carried(0.0, "selective"));
    assert!((selective / go_back - 1.0).abs() < 1e-9, "{selective} and {go_back}");
}

#[test]
fn a_high_priority_waits_for_no_more_than_the_piu_that_is_being_sent() {
    let text = |priority: u32| {
        let base =
            pair("line = [{ rate = \"9.6 kbit/s\" }]", "priority = 0\nwindow = 30", "size = \"1000 B\"");
        format!(
            "{base}[[virtual_route]]\nnumber = 1\nroute = \"er\"\npriority = {priority}\nwindow = 5\n\
             [[session]]\nvirtual_route = 1\nsize = \"50 B\"\ngap = \"10 s\"\n"
        )
    };
    let high = run(&text(2), 2, 20_000);
    let one = (1029.0 + 79.0) * 8.0 / 9600.0 * 1e3;
    assert!(value(&high, "latency[high].mean") <= one, "one long PIU at most is in front");
    // The short ones of high priority wait behind the long ones only while one of these is sent.
    let used = high.evidence.class_use.expect("there are two priorities");
    let names: Vec<_> = used.classes.iter().map(|class| (class.name.as_str(), class.lane)).collect();
    assert_eq!(names, [("low", 1), ("high", 0)]);
    let line = high.resources.iter().find(|row| row.kind == ResourceKind::Line).expect("there is a line");
    let [low, high] = [0, 1].map(|class: usize| used.outputs[0].behind[class].iter().sum::<f64>());
    assert!((low + high + used.outputs[0].held.iter().sum::<f64>() - line.waiting).abs() < 1e-6);
    assert!(low > 10.0 && high < 0.5, "{low} and {high}");
    let low = run(&text(0), 2, 20_000);
    assert!(value(&low, "latency.mean") > 10.0 * one, "all of a window is in front");
}

#[test]
fn a_long_message_is_over_when_its_last_segment_is() {
    let text = pair(
        "longest = \"129 B\"\nline = [{ rate = \"8 kbit/s\" }]",
        "window = 40",
        "size = \"250 B\"\ngap = \"100 s\"",
    );
    let report = run(&text, 4, 2_000);
    // Segments of 100, 100 and 50 B, each with a header of 29 B.
    let expected = (129.0 + 129.0 + 79.0) * 8.0 / 8_000.0 * 1e3;
    assert!((report.metric("latency.p50").unwrap().estimate.unwrap().value / expected - 1.0).abs() < 0.002);
    // The line is free: a message does not wait while its own segments are sent.
    let waits: f64 =
        report.ledger.iter().filter(|row| row.kind == StageKind::Wait).map(|row| row.share).sum();
    assert!(waits < 0.01, "{waits}");
    let cut = report.evidence.segments.as_ref().expect("its messages are cut");
    assert_eq!((cut.segments, cut.longest, cut.place.nodes.len()), (3, 129.0, 2));
    assert!((cut.headers - 87.0 / 337.0).abs() < 1e-9 && (report.evidence.packets_ahead - 1.0).abs() < 1e-9);
    assert!(run(&text, 4, 2_000) == report, "the same seed gives the same report");
    assert!(run(&text, 5, 2_000).metrics != report.metrics);
}

#[test]
fn buffers_bound_what_a_node_holds_and_the_line_into_it_waits() {
    let text = chain(&[1, 1, 20], "rule = \"sliding\"\nwindow = 30")
        .replace("name = \"n1\"", "name = \"n1\"\nbuffers = 4")
        .replace("name = \"n2\"", "name = \"n2\"\nbuffers = 3");
    let report = run(&text, 1, 20_000);
    assert_eq!(report.outcome, Outcome::Complete);
    let peaks: Vec<f64> = report
        .resources
        .iter()
        .filter(|row| row.kind == ResourceKind::NodeBuffers)
        .map(|row| row.peak)
        .collect();
    assert_eq!(peaks, [4.0, 3.0]);
    assert!(share(&report, "node buffer wait") > 0.0);
    assert!((value(&report, "throughput.rate") / 50.0 - 1.0).abs() < 0.02, "the last node is always at work");
}

const CONGESTED: &str = "[[node]]\nname = \"a\"\n[[node]]\nname = \"b\"\nservice = { fixed = \"20 ms\" }\nmoderate = 6\nsevere = 40\n\
    [[node]]\nname = \"c\"\n[[group]]\nname = \"ab\"\nbetween = [\"a\", \"b\"]\nline = [{ rate = \"1 Mbit/s\" }]\n\
    [[group]]\nname = \"bc\"\nbetween = [\"b\", \"c\"]\nline = [{ rate = \"1 Mbit/s\" }]\n\
    [[route]]\nname = \"er\"\nfrom = \"a\"\ngroups = [\"ab\", \"bc\"]\n\
    [[virtual_route]]\nnumber = 0\nroute = \"er\"\nleast = 1\nmost = 30\n[[session]]\nvirtual_route = 0\n";

#[test]
fn a_congested_node_keeps_windows_small_and_its_rate_full() {
    let told = run(CONGESTED, 1, 10_000);
    let untold = run(&CONGESTED.replace("moderate = 6\nsevere = 40\n", ""), 1, 10_000);
    let window = |report: &Report| value(report, "window[virtual route 0].mean");
    assert!(window(&told) < 6.0, "{}", window(&told));
    assert_eq!(window(&untold), 30.0);
    let rates = [&told, &untold].map(|report| value(report, "throughput.rate"));
    assert!(rates.iter().all(|rate| (rate / 50.0 - 1.0).abs() < 0.01), "{rates:?}");
    assert!(value(&told, "transit.mean") < 0.3 * value(&untold, "transit.mean"));
}

#[test]
fn severe_congestion_resets_the_window_to_its_minimum() {
    let severe = run(&CONGESTED.replace("moderate = 6\nsevere = 40\n", "severe = 6\n"), 1, 10_000);
    let window = value(&severe, "window[virtual route 0].mean");
    assert!((1.0..5.0).contains(&window), "{window}");
}

fn slow_unit(route: &str, session: &str, unit: &str) -> String {
    let text = pair("line = [{ rate = \"64 kbit/s\" }]", route, &format!("unit = \"u\"\n{session}"));
    format!("{text}[[unit]]\nname = \"u\"\nnode = \"b\"\n{unit}\n")
}

#[test]
fn session_pacing_keeps_a_slow_unit_from_filling_its_boundary_node() {
    let peak = |session: &str| {
        let text = slow_unit("window = 255", session, "service = { fixed = \"1 s\" }");
        let text = text.replace("name = \"b\"\n", "name = \"b\"\nbuffers = 50\n");
        let report = run(&text, 1, 2_000);
        assert!((value(&report, "throughput.rate") - 1.0).abs() < 0.01, "the unit is always at work");
        let buffers = report.resources.iter().find(|row| row.kind == ResourceKind::NodeBuffers);
        buffers.expect("the node has buffers").peak
    };
    assert_eq!(peak(""), 50.0);
    assert_eq!(peak("pacing = 4"), 8.0, "2n - 1, and the one that is being taken");
    let adaptive = peak("pacing = 8\nadaptive = true");
    assert!(adaptive < 16.0, "{adaptive}");
}

#[test]
fn a_unit_that_stops_takes_nothing_meanwhile_and_everything_afterwards() {
    let unit =
        "service = { fixed = \"10 ms\" }\nstop = { first = \"5 s\", lasts = \"3 s\", every = \"20 s\" }";
    let report = run(&slow_unit("window = 255", "gap = \"100 ms\"", unit), 9, 20_000);
    assert_eq!(report.outcome, Outcome::Complete);
    let stops = &report.evidence.interruptions;
    assert_eq!(stops.len(), 1);
    assert!((stops[0].total_s / report.measured.span_s - 0.15).abs() < 0.01, "3 s of every 20");
    // Who comes during a stop waits for half of it; a share of 0.15 does.
    assert!(value(&report, "latency.mean") > 0.15 * 1_500.0);
}

#[test]
fn lives_are_whole_and_without_a_gap() {
    let text =
        slow_unit("window = 3", "pacing = 2\ngap = \"60 ms\"", "service = { exponential = \"50 ms\" }");
    let mut simulation = Subarea::simulation(&plan(&text), 4, JourneyLog::new(40));
    let report = drive(&mut simulation, RunPlan::messages(5_000), |_, _| true);
    let rows: Vec<_> = report.journeys.iter().collect();
    let lives: Vec<_> = rows.chunk_by(|a, b| a.message == b.message).collect();
    assert_eq!(lives.len(), 40);
    for life in lives {
        assert!(life.windows(2).all(|pair| pair[0].to_ps == pair[1].from_ps), "{life:?}");
        assert_eq!(life.last().unwrap().place, "u");
    }
    let paced = rows.iter().filter(|row| row.place == "session 1");
    assert!(paced.count() > 0, "nobody waits for the pacing of the session");
}

/// Two sessions over one virtual route, each with a unit of its own at the far node.
#[test]
fn the_window_of_a_session_needs_its_own_unit_and_no_other() {
    let unit = |name: &str| {
        format!("[[unit]]\nname = \"{name}\"\nnode = \"b\"\nservice = {{ fixed = \"50 ms\" }}\n")
    };
    let session = "unit = \"u\"\npacing = 2\n[[session]]\nvirtual_route = 0\nunit = \"v\"\npacing = 2";
    let text = pair("line = [{ rate = \"64 kbit/s\" }]", "window = 9", session);
    let report = run(&format!("{text}{}{}", unit("u"), unit("v")), 3, 2_000);
    let needed = |holder: usize| -> Vec<&str> {
        let of_holder = report.dependences.iter().filter(|each| each.holder == holder);
        let rows = of_holder.map(|each| &report.resources[each.needs]);
        rows.filter(|row| row.kind == ResourceKind::Unit).map(|row| row.place.as_str()).collect()
    };
    let windows =
        report.resources.iter().enumerate().filter(|(_, row)| row.kind == ResourceKind::SessionWindow);
    let units: Vec<Vec<&str>> = windows.map(|(at, _)| needed(at)).collect();
    assert_eq!(units, [["u"], ["v"]]);
}

#[test]
fn buffers_that_wait_for_each_other_are_a_deadlock() {
    let text = "[[node]]\nname = \"a\"\nbuffers = 1\n[[node]]\nname = \"b\"\nbuffers = 1\n[[node]]\nname = \"c\"\nbuffers = 1\n\
        [[group]]\nname = \"g\"\nbetween = [\"a\", \"b\"]\nline = [{ rate = \"9.6 kbit/s\" }]\n\
        [[group]]\nname = \"h\"\nbetween = [\"b\", \"c\"]\nline = [{ rate = \"9.6 kbit/s\" }]\n\
        [[route]]\nname = \"there\"\nfrom = \"a\"\ngroups = [\"g\", \"h\"]\n\
        [[route]]\nname = \"back\"\nfrom = \"c\"\ngroups = [\"h\", \"g\"]\n[[virtual_route]]\nnumber = 0\nroute = \"there\"\n\
        [[virtual_route]]\nnumber = 1\nroute = \"back\"\n[[session]]\nvirtual_route = 0\n[[session]]\nvirtual_route = 1\n";
    assert_eq!(run(text, 1, 1_000).outcome, Outcome::Deadlock);
}

/// By default the greatest window is three times the number of transmission groups.
#[test]
fn the_greatest_window_follows_from_the_groups_of_the_route() {
    let accepted = |least: u32| {
        let text = chain(&[1, 1, 1, 1], &format!("least = {least}"));
        SnaPlan::new(params(&text)).is_ok()
    };
    assert!(accepted(9));
    assert!(!accepted(10));
}

#[test]
fn what_is_wrong_is_said_with_its_path() {
    let told = |text: &str| -> Vec<String> {
        let problems = SnaPlan::new(params(text)).expect_err("it is wrong");
        problems.into_iter().map(|problem| format!("{}: {}", problem.path, problem.problem)).collect()
    };
    let lines = "line = [{ rate = \"9.6 kbit/s\" }]";
    let nine = format!("line = [{}]", ["{ rate = \"9.6 kbit/s\" }"; 9].join(", "));
    let cases = [
        (pair(lines, "window = 0", ""), "virtual_route[0].window: window 0 is out of range"),
        (
            pair(lines, "least = 4\nmost = 2", ""),
            "virtual_route[0].least: the least window, 4, is above the greatest, 2",
        ),
        (
            pair(lines, "least = 4", ""),
            "virtual_route[0].least: the least window, 4, is above the greatest, 3",
        ),
        (pair(&nine, "", ""), "group[0].line: 9 parallel lines are out of range"),
        (
            pair(lines, "", "").replace("groups = [\"g\"]", "groups = [\"g\", \"g\"]"),
            "route[0].groups[1]: the route comes to \"a\" a second time",
        ),
        (
            pair(lines, "", "").replace("groups = [\"g\"]", "groups = []"),
            "route[0].groups: count of groups 0 is out of range",
        ),
        (
            pair(&format!("{lines}\nrecovery = \"end\""), "", ""),
            "virtual_route[0].rule: group \"g\" leaves recovery to the ends, and this rule has none",
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(told(&text), [expected]);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    /// The model itself asserts that each PIU is delivered once and in order, that no window is exceeded and that
    /// stages add up.
    #[test]
    fn random_networks_run_and_lose_nothing(
        lines in prop::collection::vec((1u64..50, 0u64..300, 0.0..0.5), 1..6),
        rule in 0usize..6,
        window in 1u32..20,
        buffers in 2u32..30,
        severe in 1u32..30,
        gap in prop::option::of(20u64..2_000),
        size in 20u64..700,
        seed in any::<u64>(),
    ) {
        let lines: Vec<String> = lines
            .iter()
            .map(|(rate, ms, errors)| {
                format!("{{ rate = \"{rate} kbit/s\", propagation = \"{ms} ms\", errors = {errors:.3} }}")
            })
            .collect();
        let lines = format!("line = [{}]\nlongest = \"256 B\"", lines.join(", "));
        let ends = "\nrecovery = \"end\"";
        let (group, route) = match rule {
            0 => (lines, format!("least = {}\nmost = {window}", window.div_ceil(3))),
            1 => (lines, format!("rule = \"sliding\"\nwindow = {window}")),
            2 => (lines, format!("rule = \"end-acknowledged\"\nwindow = {window}")),
            3 => (lines, format!("rule = \"x25\"\nwindow = {window}")),
            4 => (lines + ends, format!("rule = \"hdlc\"\nwindow = {window}\nreject = \"selective\"")),
            _ => (lines + ends, format!("rule = \"hdlc\"\nwindow = {window}")),
        };
        let gap = gap.map_or(String::new(), |ms| format!("gap = \"{ms} ms\"\n"));
        let pacing = if rule < 4 { "pacing = 3" } else { "" };
        let session = format!("size = \"{size} B\"\n{pacing}\nunit = \"u\"\n{gap}");
        let text = pair(&group, &route, &session)
            .replace("name = \"b\"\n", &format!("name = \"b\"\nbuffers = {buffers}\nmoderate = 1\nsevere = {severe}\n"));
        let text = format!("{text}[[unit]]\nname = \"u\"\nnode = \"b\"\nservice = {{ exponential = \"100 ms\" }}\n");
        let report = run(&text, seed, 200);
        prop_assert!(report.outcome != Outcome::Deadlock, "{text}");
    }
}
