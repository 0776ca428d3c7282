//! Both sides of limits that an explanation draws.

use hopscope_explain::{Cause, explain};
use hopscope_measure::{
    Alternatives, Charged, Choice, Dependence, Interruption, InterruptionWhy, LedgerRow, Loss, LossWhy,
    Outcome, Place, ResourceKind, Site, StageId, UsualService,
};

use crate::reports::{line, link, of_resources, port, resource, stage};

#[test]
fn where_more_is_offered_than_carried_only_a_full_line_is_the_bottleneck() {
    let bottleneck = |used, outcome| {
        let mut report = of_resources(vec![line(used, 3.0)]);
        report.ledger = vec![
            stage(StageId::LineWait, Charged::To(ResourceKind::Line), 0.6),
            stage(StageId::Transmission, Charged::To(ResourceKind::Line), 0.4),
        ];
        report.outcome = outcome;
        explain(&report).verdict.first.sentence.starts_with("Bottleneck: the line A -> B")
    };
    assert!(bottleneck(0.7, Outcome::Complete));
    assert!(!bottleneck(0.5, Outcome::Complete));
    assert!(!bottleneck(0.7, Outcome::Saturated));
}

#[test]
fn a_processor_behind_a_saturated_run_need_not_be_as_full_as_a_line() {
    let processor = resource(ResourceKind::HostProcessor, "b", Site::Node(1), 0.7, 3.0);
    let mut report = of_resources(vec![processor]);
    report.ledger = vec![
        stage(StageId::HostWait, Charged::To(ResourceKind::HostProcessor), 0.6),
        stage(StageId::HostProcessing, Charged::To(ResourceKind::HostProcessor), 0.4),
    ];
    report.outcome = Outcome::Saturated;
    assert_eq!(explain(&report).verdict.first.resource.as_deref(), Some("the host processor of b"));
}

#[test]
fn a_slow_link_is_full_by_itself_and_no_collision_of_paths() {
    let up = |number: u32, used: f64| {
        let ends = [("l:0", port(0, number as u16)), ("x:0", port(1 + number, 0))];
        link(ResourceKind::Output, number, ends, used, 4.0 * used)
    };
    let of = |slow: f64| {
        let mut report = of_resources(vec![up(0, 0.95), up(1, 0.3)]);
        report.ledger = vec![stage(StageId::Queueing, Charged::To(ResourceKind::Output), 0.8)];
        report.evidence.alternatives = vec![Alternatives { rows: vec![0, 1], choice: Choice::Hashed }];
        report.evidence.rates = [(0, slow), (1, 100e9)].into();
        explain(&report)
    };
    assert_eq!(of(100e9).verdict.first.cause, Cause::PathCollision);
    let slow = of(10e9);
    assert_ne!(slow.verdict.first.cause, Cause::PathCollision);
    assert_eq!(slow.roots[0].times_slower, Some(10.0));
}

/// Hosts' links are often slower than those between switches: neither is what the other is compared with.
#[test]
fn links_of_hosts_are_compared_with_one_another() {
    let cable = |number: u32, to: Site, used: f64| {
        let ends = [("l:0", port(0, number as u16)), ("x:0", to)];
        link(ResourceKind::Output, number, ends, used, 4.0 * used)
    };
    let slower = |rates: [f64; 4]| {
        let mut report = of_resources(vec![
            cable(0, Site::Host(0), 0.95),
            cable(1, Site::Host(1), 0.3),
            cable(2, port(1, 0), 0.3),
            cable(3, port(2, 0), 0.3),
        ]);
        report.ledger = vec![stage(StageId::Queueing, Charged::To(ResourceKind::Output), 0.8)];
        report.evidence.rates = rates.into_iter().enumerate().collect();
        explain(&report).roots[0].times_slower
    };
    assert_eq!(slower([25e9, 25e9, 100e9, 100e9]), None);
    assert_eq!(slower([10e9, 25e9, 100e9, 100e9]), Some(2.5));
}

#[test]
fn a_share_has_the_interval_of_its_mean() {
    let mut report = of_resources(vec![line(0.7, 3.0)]);
    report.ledger = vec![stage(StageId::LineWait, Charged::To(ResourceKind::Line), 0.6)];
    let shares = explain(&report).shares;
    let (low, high) = (shares.stages[0].low.expect("it has one"), shares.stages[0].high.expect("it has one"));
    assert!((low - 0.54).abs() < 1e-12 && (high - 0.66).abs() < 1e-12, "{low} to {high}");
}

#[test]
fn a_service_is_slow_from_ten_times_its_usual_length_on_unless_more_is_waited_for_a_processor() {
    let decision = |us, waiting| {
        let mut report =
            of_resources(vec![resource(ResourceKind::HostProcessor, "b", Site::Node(1), 0.95, waiting)]);
        report.ledger = vec![
            stage(StageId::Decision, Charged::ROUTER, 0.3),
            stage(StageId::HostWait, Charged::To(ResourceKind::HostProcessor), 0.7),
        ];
        report.evidence.usual = vec![UsualService { stage: StageId::Decision, us, usual_us: 0.5 }];
        explain(&report).verdict.first.cause
    };
    assert_eq!(decision(6.0, 0.0), Cause::SlowService);
    assert_ne!(decision(4.0, 0.0), Cause::SlowService);
    assert_ne!(decision(6.0, 5.0), Cause::SlowService);
}

#[test]
fn a_full_line_is_the_cause_of_what_is_sent_again_and_a_place_that_loses_twice_the_next_is_named() {
    let lossy = |resources, counts: &[u64]| {
        let mut report = of_resources(resources);
        report.ledger = vec![
            stage(StageId::RetransmissionWait, Charged::ACKNOWLEDGMENT, 0.4),
            stage(StageId::LineWait, Charged::To(ResourceKind::Line), 0.3),
        ];
        let at = |(number, &count): (usize, &u64)| {
            let node = format!("g{number}");
            let place = Place::node(format!("the line to {node}"), node);
            Loss { why: LossWhy::LineErrors, place, count, of: 0, each_s: 0.0 }
        };
        report.evidence.losses = counts.iter().enumerate().map(at).collect();
        explain(&report).verdict.first
    };
    assert_ne!(lossy(vec![line(0.95, 3.0)], &[50, 20, 20, 20]).cause, Cause::Loss);
    let found = lossy(Vec::new(), &[50, 20, 20, 20]);
    assert_eq!((found.cause, found.nodes), (Cause::Loss, vec!["g0".to_owned()]));
    assert_eq!(lossy(Vec::new(), &[50, 40, 40]).nodes, Vec::<String>::new());
}

/// Without times in the ledger a message's wait follows from those that wait (Little).
#[test]
fn an_interruption_explains_waiting_that_has_no_times() {
    let silent = |messages| {
        let mut report = of_resources(vec![line(0.3, 0.4)]);
        (report.measured.span_s, report.measured.messages) = (100.0, messages);
        let wait = stage(StageId::OrderWait, Charged::MESSAGE_ORDER, 0.75);
        report.ledger = vec![LedgerRow { estimate: None, ..wait }];
        let none = Interruption::of(InterruptionWhy::SilentHost, Place::node("the host b", "b"));
        report.evidence.interruptions = vec![none.and((20.0, 36.0), (0.0, 100.0))];
        explain(&report).verdict.first.cause
    };
    // Of 16 s, 16^2 / 200 / 0.84 = 1.52 s each; 0.4 messages wait over 100 s: 2 s each of 20, 8 s of 5.
    assert_eq!(silent(20), Cause::Interruption);
    assert_ne!(silent(5), Cause::Interruption);
}

/// An output with time to spare sends at rates that recover: it is not why limiters are low.
#[test]
fn limiters_wait_for_an_output_only_where_it_is_full() {
    let root = |used: f64| {
        let limiter = resource(ResourceKind::RateLimiter, "h", Site::Node(0), 0.95, 5.0);
        let ends = [("l:0", port(0, 0)), ("x:0", port(1, 0))];
        let mut report = of_resources(vec![limiter, link(ResourceKind::Output, 0, ends, used, 1.0)]);
        report.dependences = vec![Dependence { holder: 0, activity: None, needs: 1 }];
        explain(&report).roots[0].id
    };
    assert_eq!(root(0.99), ResourceKind::Output.id());
    assert_eq!(root(0.8), ResourceKind::RateLimiter.id());
}

#[test]
fn what_is_behind_a_tenth_of_the_waiting_is_worth_telling() {
    let all = |waiting: &[f64]| {
        let line = |(number, &waiting): (usize, &f64)| {
            let site = Site::Line { number: number as u32, from: 0, to: 1 };
            resource(ResourceKind::Line, &format!("A -> {number}"), site, 0.5, waiting)
        };
        let mut report = of_resources(waiting.iter().enumerate().map(line).collect());
        report.ledger = vec![stage(StageId::LineWait, Charged::To(ResourceKind::Line), 0.7)];
        explain(&report).verdict.first.sentence
    };
    let tenth: Vec<f64> = std::iter::repeat_n(0.5, 10).collect();
    assert!(all(&tenth).starts_with("Contention: "), "{}", all(&tenth));
    let less: Vec<f64> = std::iter::repeat_n(0.5, 11).collect();
    assert!(all(&less).starts_with("Contention at many places: "), "{}", all(&less));
}
