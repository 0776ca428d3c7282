//! Each symptom on the smallest report that shows it, and its absence where one figure is otherwise.

use hopscope_explain::{Found, explain};
use hopscope_measure::{
    Dependence, Estimate, HeldIn, LedgerRow, Metric, Outcome, Report, ResourceRow, Stuck,
};

fn resource(name: &str, kind: &str, place: &str, utilisation: f64, waiting: f64) -> ResourceRow {
    ResourceRow {
        name: name.into(),
        kind: kind.into(),
        place: place.into(),
        capacity: Some(1.0),
        unit: "messages".into(),
        occupancy: utilisation,
        utilisation,
        peak: 1.0,
        waiting,
        wait_us: waiting,
        acquisitions: 100,
        refused: 0,
        held_in: Vec::new(),
    }
}

fn held(row: ResourceRow, stages: &[(&str, f64)]) -> ResourceRow {
    let held_in = stages.iter().map(|&(stage, occupancy)| HeldIn::of(stage, occupancy)).collect();
    ResourceRow { held_in, ..row }
}

fn report(resources: Vec<ResourceRow>, dependences: &[(usize, &'static str, usize)]) -> Report {
    let dependences =
        dependences.iter().map(|&(holder, stage, needs)| Dependence { holder, stage, needs }).collect();
    let mut report = Report { resources, dependences, ..Report::default() };
    report.measured.span_s = 1.0;
    report
}

fn stage(stage: &str, kind: &str, resource: &str, share: f64) -> LedgerRow {
    LedgerRow {
        stage: stage.into(),
        kind: kind.into(),
        resource: resource.into(),
        class: "all".into(),
        unit: "us".into(),
        estimate: Some(Estimate { value: share, low: 0.9 * share, high: 1.1 * share, n: 100 }),
        share,
    }
}

fn count(name: &str, value: f64) -> Metric {
    Metric {
        name: name.into(),
        class: "all".into(),
        statistic: "count".into(),
        unit: "loops".into(),
        estimate: Some(Estimate::exact(value, 1)),
    }
}

fn symptoms(report: &Report) -> Vec<&'static str> {
    explain(report).symptoms.iter().map(|symptom| symptom.name).collect()
}

#[test]
fn a_line_in_use_nearly_always_is_saturated_and_one_with_time_to_spare_is_not() {
    assert_eq!(
        symptoms(&report(vec![resource("line", "line", "A -> B", 0.95, 3.0)], &[])),
        ["saturated line"]
    );
    assert_eq!(symptoms(&report(vec![resource("line", "line", "A -> B", 0.8, 3.0)], &[])), [] as [&str; 0]);
}

#[test]
fn messages_that_wait_for_an_idle_line_come_at_once() {
    let bursts = |waiting| report(vec![resource("line", "line", "A -> B", 0.2, waiting)], &[]);
    assert_eq!(symptoms(&bursts(0.4)), ["synchronised bursts"]);
    // Random arrivals make 0.05 wait.
    assert_eq!(symptoms(&bursts(0.1)), [] as [&str; 0]);
}

#[test]
fn two_scarce_pools_held_crosswise_are_phasing_unless_hardly_anybody_waits() {
    let pools = |waiting| {
        let entries = held(resource("entries", "table", "A", 0.9, 0.5), &[("reply", 0.4), ("message", 0.5)]);
        let buffers =
            held(resource("buffers", "buffer", "B", 0.9, waiting), &[("spare", 0.3), ("message", 0.6)]);
        report(vec![entries, buffers], &[(0, "reply", 1), (1, "spare", 0)])
    };
    assert_eq!(symptoms(&pools(0.3)), ["phasing"]);
    let found = explain(&pools(0.3)).verdict;
    assert_eq!(found.found, Found::Circle);
    assert!(
        found.sentence.contains("44 % of the former are held by messages that need the latter"),
        "{}",
        found.sentence
    );
    assert_eq!(symptoms(&pools(0.1)), [] as [&str; 0]);
}

#[test]
fn a_full_window_with_nothing_short_behind_it_limits_by_itself() {
    let window = |used| {
        let mut report = report(vec![resource("window", "allocation", "a to b", used, 0.0)], &[]);
        report.ledger = vec![stage("transit", "service", "modems", 1.0)];
        report
    };
    assert_eq!(symptoms(&window(1.0)), ["window limit"]);
    assert_eq!(explain(&window(1.0)).verdict.found, Found::Window);
    assert_eq!(symptoms(&window(0.5)), [] as [&str; 0]);
}

#[test]
fn a_window_whose_round_trips_are_spent_at_a_host_is_held_back_by_it() {
    let host = resource("host processor", "processor", "b", 0.5, 0.1);
    let mut report = report(vec![resource("window", "allocation", "a to b", 1.0, 0.0), host], &[]);
    report.ledger = vec![
        stage("host processing", "service", "host processor", 0.4),
        stage("acknowledgment wait", "wait", "acknowledgment", 0.5),
        stage("transit", "service", "modems", 0.1),
    ];
    assert_eq!(symptoms(&report), ["slow host", "window limit"]);
    assert_eq!(explain(&report).verdict.resource.as_deref(), Some("the host processor of b"));
}

#[test]
fn links_stopped_by_one_further_down_make_a_tree_with_a_root() {
    let link = |name: &str, place: &str, stopped| {
        held(resource(name, "output", place, 0.9 - stopped, 0.5), &[("stopped", stopped)])
    };
    let fifo = |name: &str, place: &str| resource(name, "fifo", place, 0.9, 1.0);
    let tree = |stopped| {
        let rows = vec![
            link("a -> r:0", "a", stopped),
            fifo("a -> r:0", "r:0"),
            link("b -> r:1", "b", stopped),
            fifo("b -> r:1", "r:1"),
            resource("r:2 -> h", "output", "r:2", 1.0, 2.0),
        ];
        report(rows, &[(0, "stopped", 1), (1, "", 4), (2, "stopped", 3), (3, "", 4)])
    };
    assert!(symptoms(&tree(0.5)).contains(&"congestion tree"));
    assert!(!symptoms(&tree(0.05)).contains(&"congestion tree"));
    let found = explain(&tree(0.5));
    assert_eq!(found.verdict.resource.as_deref(), Some("the link r:2 -> h"));
    assert!(found.chain.iter().any(|link| link.resource.contains("FIFO")), "{:?}", found.chain);
}

#[test]
fn packets_behind_heads_that_wait_for_outputs_with_time_to_spare_are_blocked() {
    let switch = |used| {
        let fifo = held(resource("a -> s:0", "fifo", "s:0", 0.5, 2.0), &[("packets", 4.0)]);
        report(vec![resource("s:1 -> b", "output", "s:1", used, 1.5), fifo], &[])
    };
    assert!(symptoms(&switch(0.55)).contains(&"head-of-line blocking"));
    assert!(!symptoms(&switch(0.97)).contains(&"head-of-line blocking"));
}

#[test]
fn heads_are_compared_with_heads_however_much_is_behind_them() {
    let deep = |heads_waiting| {
        let fifo = held(resource("a -> s:0", "fifo", "s:0", 0.9, 100.0), &[("packets", 101.0)]);
        let host = resource("a -> s:0", "output", "a", 0.5, 50.0);
        report(vec![host, resource("s:1 -> b", "output", "s:1", 0.6, heads_waiting), fifo], &[])
    };
    assert!(symptoms(&deep(0.4)).contains(&"head-of-line blocking"));
    assert!(!symptoms(&deep(0.1)).contains(&"head-of-line blocking"));
}

/// The link in front is used for half of the time: that is short of nothing, however long messages wait behind those who need it.
#[test]
fn what_waits_behind_others_for_much_of_its_life_is_blocked_and_told_where_and_by_what() {
    let switch = |behind, outcome| {
        let fifo = held(resource("a -> s:0", "fifo", "s:0", 0.5, 3.0), &[("packets", 4.0)]);
        let rows = vec![resource("s:1 -> b", "output", "s:1", 0.5, 0.8), fifo];
        let mut report = report(rows, &[(1, "packets", 0)]);
        report.ledger =
            vec![stage("FIFO wait", "wait", "head of FIFO", behind), stage("body", "service", "link", 0.5)];
        Report { outcome, ..report }
    };
    let found = |behind, outcome| explain(&switch(behind, outcome)).verdict;
    let blocked = found(0.4, Outcome::Complete);
    assert_eq!((blocked.found, blocked.resource.as_deref()), (Found::Blocking, Some("the FIFO at s:0")));
    assert_eq!(
        blocked.sentence,
        "For 40 % of their life messages wait behind others in input buffers or for room in them, though the links that the heads need are \
         50 % in use on average (head-of-line blocking); nowhere more than in the FIFO at s:0 (100 %), where the heads need the link \
         s:1 -> b most, which is 50 % in use."
    );
    assert_eq!(found(0.1, Outcome::Complete).found, Found::Nothing);
    // Without end, lives are as long as the run: their shares tell nothing.
    assert_eq!(found(0.1, Outcome::Saturated).found, Found::Blocking);
}

#[test]
fn where_the_heads_wait_for_a_window_the_window_is_short() {
    let way = |used| {
        let fifo = held(resource("a -> s:0", "fifo", "s:0", 0.9, 3.0), &[("frames", 4.0)]);
        let link = resource("s:1 -> t:0", "output", "s:1", 0.4, 0.9);
        let link = held(link, &[("sending", 0.4), ("without credit", 0.5)]);
        let credits = held(resource("credits", "allocation", "s:1 -> t:0", used, 0.0), &[("under way", 1.0)]);
        let mut report = report(vec![link, fifo, credits], &[(1, "frames", 0), (0, "without credit", 2)]);
        report.ledger = vec![stage("lane wait", "wait", "head of lane", 0.6)];
        explain(&report).verdict.found
    };
    assert_eq!(way(1.0), Found::Window);
    assert_eq!(way(0.4), Found::Blocking);
}

#[test]
fn one_switch_that_carries_far_more_than_any_other_is_where_traffic_concentrates() {
    let star = |centre: f64, second: f64| {
        let uses = [("s0", centre), ("s1", second), ("s2", 0.1), ("s3", 0.1), ("s4", 0.1)];
        let rows = uses.iter().flat_map(|&(switch, used)| {
            let name = format!("{switch}:0 -> t:0");
            let place = format!("{switch}:0");
            [resource(&name, "output", &place, used, used), resource(&name, "fifo", "t:0", 0.1, 0.0)]
        });
        report(rows.collect(), &[])
    };
    assert!(symptoms(&star(0.6, 0.1)).contains(&"root concentration"));
    assert!(!symptoms(&star(0.6, 0.5)).contains(&"root concentration"));
}

#[test]
fn what_comes_out_of_order_and_waits_to_be_sent_again_is_in_the_trap() {
    let mut report = report(Vec::new(), &[]);
    report.ledger = vec![stage("out-of-order wait", "wait", "allocation", 0.4)];
    assert_eq!(symptoms(&report), ["retransmission trap"]);
    report.ledger[0].share = 0.1;
    assert_eq!(symptoms(&report), [] as [&str; 0]);
}

#[test]
fn what_is_lost_is_the_cause_where_it_is_waited_for_longest() {
    let mut report = report(Vec::new(), &[]);
    report.ledger = vec![
        stage("retransmission wait", "wait", "acknowledgment", 0.4),
        stage("line wait", "wait", "line", 0.3),
    ];
    assert_eq!(explain(&report).verdict.found, Found::Loss);
    report.ledger[1].share = 0.5;
    assert_eq!(explain(&report).verdict.found, Found::Nothing);
}

#[test]
fn loops_that_packets_met_are_told_and_traps_by_their_own_name() {
    let mut report = report(Vec::new(), &[]);
    report.metrics = vec![count("loops", 3.0), count("packets returned", 0.0)];
    assert_eq!(symptoms(&report), Vec::<&str>::new());
    report.metrics[1] = count("packets returned", 40.0);
    assert_eq!(symptoms(&report), ["routing loop"]);
    report.metrics.push(count("loop traps", 1.0));
    assert_eq!(symptoms(&report), ["loop trap"]);
}

#[test]
fn a_circle_of_waits_is_a_deadlock_and_the_verdict() {
    let mut report = report(Vec::new(), &[]);
    report.stuck = Some(Stuck { reason: "four packets wait for each other".into(), cycle: Vec::new() });
    assert_eq!(symptoms(&report), ["deadlock"]);
    assert_eq!(explain(&report).verdict.sentence, "Deadlock: four packets wait for each other.");
}

#[test]
fn a_chain_stops_at_what_is_held_where_its_holders_need_nothing_scarce() {
    let busy = |used| {
        let entries = held(resource("entries", "table", "A", 1.0, 2.0), &[("message", 1.0)]);
        report(vec![entries, resource("line", "line", "A -> B", used, 0.5)], &[(0, "message", 1)])
    };
    let short = |used| explain(&busy(used)).verdict.resource;
    assert_eq!(short(0.95).as_deref(), Some("the line A -> B"));
    assert_eq!(short(0.7).as_deref(), Some("the entries at A"));
}

#[test]
fn nothing_is_short_where_nobody_waits() {
    let found = explain(&report(vec![resource("line", "line", "A -> B", 0.3, 0.05)], &[]));
    assert_eq!(found.verdict.found, Found::Nothing);
    assert!(found.verdict.sentence.starts_with("Nothing is short: the busiest resource, the line A -> B"));
    assert!(found.chain.is_empty());
}
