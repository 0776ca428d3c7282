//! The monitor fed by hand, so that every number is known.

use hopscope_measure::{
    Account, Basis, Charged, DelayLabel, DelayUnit, Doubt, Estimate, LessStage, MessageMonitor,
    MonitorLayout, Observed, Outcome, Report, ResourceKind, StageId, StageLabel, UnderWay,
};
use hopscope_units::{Data, Span, Time};

const STAGES: [StageLabel; 2] = [
    StageLabel::new(StageId::LineWait, Charged::To(ResourceKind::Line)),
    StageLabel::new(StageId::LineTransmission, Charged::To(ResourceKind::Line)),
];
const BURST: DelayLabel = DelayLabel { name: "burst time", unit: DelayUnit::Ms };
const DELIVERY: DelayLabel = DelayLabel { name: "delivery", unit: DelayUnit::Us };
const SIZE: Data = Data::from_bytes(125);

fn us(us: u64) -> Span {
    Span::from_us(us)
}

/// A message with these times of wait and service that arrives now; its latency is the wait.
fn deliver(monitor: &mut MessageMonitor, now: Time, class: usize, wait: Span, service: Span) {
    let born = Time::from_ps(now.ps() - wait.ps() - service.ps());
    let mut account = Account::<2>::open(born);
    account.close(0, born + wait);
    account.close(1, now);
    monitor.born(now, SIZE);
    monitor.delivered(now, class, wait, &account, SIZE);
}

fn estimate(report: &Report, key: &str) -> Estimate {
    let metric = report.metric(key).unwrap_or_else(|| panic!("no metric {key}"));
    metric.estimate.unwrap_or_else(|| panic!("{key} has no estimate"))
}

/// 4000 messages, one every 10 us: short ones wait 1 us, every fourth is long and waits 5 us; all are served for 2 us.
fn two_classes() -> (MessageMonitor, Time) {
    let layout = MonitorLayout {
        life: Some(DELIVERY),
        series: &[BURST],
        ..MonitorLayout::new(&STAGES, &["short", "long"])
    };
    let mut monitor = MessageMonitor::new(layout);
    let mut now = Time::ZERO;
    for i in 0..4_000u64 {
        now += us(10);
        let long = i % 4 == 3;
        deliver(&mut monitor, now, usize::from(long), us(if long { 5 } else { 1 }), us(2));
        if long {
            monitor.sample(now, 0, Span::from_ms(3));
        }
    }
    (monitor, now)
}

/// Messages of 4 us, of which every other one spends 1 us and the rest nothing in the first of two stages; the report,
/// with a latency that leaves this stage out.
fn without(stage: usize) -> Report {
    let label = DelayLabel { name: "network latency", unit: DelayUnit::Us };
    let layout = MonitorLayout {
        less_stage: Some(LessStage { label, stage }),
        ..MonitorLayout::new(&STAGES, &["short", "long"])
    };
    let mut monitor = MessageMonitor::new(layout);
    let mut now = Time::ZERO;
    for i in 0..4_000u64 {
        now += us(10);
        let mut account = Account::<2>::open(Time::from_ps(now.ps() - us(4).ps()));
        account.close(0, Time::from_ps(now.ps() - us(if i % 2 == 0 { 3 } else { 4 }).ps()));
        account.close(1, now);
        monitor.born(now, SIZE);
        monitor.delivered(now, (i % 2) as usize, us(4), &account, SIZE);
    }
    monitor.report(now)
}

#[test]
fn a_stage_can_be_left_out_of_the_latency() {
    let is = |report: &Report, key, value: f64| {
        let found = estimate(report, key).value;
        assert!((found - value).abs() < 1e-3, "{key}: {found} for {value}");
    };
    let first = without(0);
    is(&first, "network latency.mean", 3.5);
    is(&first, "network latency[short].mean", 3.0);
    is(&first, "network latency[long].max", 4.0);
    is(&first, "latency[short].mean", 4.0);
    let second = without(1);
    is(&second, "network latency.mean", 0.5);
    is(&second, "network latency[short].mean", 1.0);
    is(&second, "network latency[long].mean", 0.0);
}

#[test]
fn a_regular_flow_has_every_metric() {
    let (monitor, now) = two_classes();
    let report = monitor.report(now);
    let lines: Vec<String> = report
        .metrics
        .iter()
        .map(|m| (m, m.estimate.expect("a regular flow has every number")))
        .map(|(m, e)| {
            format!("{} = {:.3} [{:.3}, {:.3}] {} (n = {})", m.key(), e.value, e.low, e.high, m.unit, e.n)
        })
        .collect();
    insta::assert_snapshot!(lines.join("\n"), @r"
    latency.mean = 2.000 [1.996, 2.004] us (n = 4000)
    latency.p50 = 1.000 [1.000, 1.001] us (n = 4000)
    latency.p99 = 5.000 [4.998, 5.000] us (n = 4000)
    latency.max = 5.000 [5.000, 5.000] us (n = 4000)
    delivery.mean = 4.000 [3.996, 4.004] us (n = 4000)
    delivery.p50 = 3.001 [3.000, 3.002] us (n = 4000)
    delivery.p99 = 6.998 [6.995, 7.000] us (n = 4000)
    delivery.max = 7.000 [7.000, 7.000] us (n = 4000)
    latency[short].mean = 1.000 [1.000, 1.000] us (n = 3000)
    latency[short].p50 = 1.000 [1.000, 1.000] us (n = 3000)
    latency[short].p99 = 1.000 [1.000, 1.000] us (n = 3000)
    latency[short].max = 1.000 [1.000, 1.000] us (n = 3000)
    delivery[short].mean = 3.000 [3.000, 3.000] us (n = 3000)
    delivery[short].p50 = 3.000 [3.000, 3.000] us (n = 3000)
    delivery[short].p99 = 3.000 [3.000, 3.000] us (n = 3000)
    delivery[short].max = 3.000 [3.000, 3.000] us (n = 3000)
    latency[long].mean = 5.000 [5.000, 5.000] us (n = 1000)
    latency[long].p50 = 5.000 [5.000, 5.000] us (n = 1000)
    latency[long].p99 = 5.000 [5.000, 5.000] us (n = 1000)
    latency[long].max = 5.000 [5.000, 5.000] us (n = 1000)
    delivery[long].mean = 7.000 [7.000, 7.000] us (n = 1000)
    delivery[long].p50 = 7.000 [7.000, 7.000] us (n = 1000)
    delivery[long].p99 = 7.000 [7.000, 7.000] us (n = 1000)
    delivery[long].max = 7.000 [7.000, 7.000] us (n = 1000)
    burst time.mean = 3.000 [3.000, 3.000] ms (n = 1000)
    burst time.p50 = 3.000 [3.000, 3.000] ms (n = 1000)
    burst time.p99 = 3.000 [3.000, 3.000] ms (n = 1000)
    burst time.max = 3.000 [3.000, 3.000] ms (n = 1000)
    throughput.rate = 0.100 [0.100, 0.100] Gbit/s (n = 4000)
    throughput[short].rate = 0.075 [0.075, 0.075] Gbit/s (n = 3000)
    throughput[long].rate = 0.025 [0.025, 0.025] Gbit/s (n = 1000)
    offered.rate = 0.100 [0.100, 0.100] Gbit/s (n = 4000)
    ");
    assert_eq!(report.outcome, Outcome::Complete);
    assert_eq!(report.measured.messages, 4_000);
    assert!((report.measured.span_s - 0.04).abs() < 1e-12);
}

#[test]
fn the_ledger_says_where_the_life_went() {
    let (monitor, now) = two_classes();
    let rows: Vec<String> = monitor
        .report(now)
        .ledger
        .iter()
        .map(|r| {
            format!(
                "{} {} ({} {}): {:.3} us, {:.3}",
                r.class,
                r.stage,
                r.kind.word(),
                r.resource,
                r.estimate.unwrap().value,
                r.share
            )
        })
        .collect();
    insta::assert_snapshot!(rows.join("\n"), @r"
    all line wait (wait line): 2.000 us, 0.500
    all line (service line): 2.000 us, 0.500
    short line wait (wait line): 1.000 us, 0.333
    short line (service line): 2.000 us, 0.667
    long line wait (wait line): 5.000 us, 0.714
    long line (service line): 2.000 us, 0.286
    ");
}

#[test]
fn a_restart_forgets_all_but_the_backlog() {
    let (mut monitor, now) = two_classes();
    monitor.born(now, SIZE);
    monitor.restart(now);
    assert_eq!((monitor.backlog(), monitor.measured(), monitor.delivered_in_all()), (1, 0, 4_000));
    let empty = monitor.report(now);
    assert!(empty.metrics.iter().all(|metric| metric.estimate.is_none()), "{:?}", empty.metrics);
    assert_eq!((empty.measured.messages, empty.measured.span_s), (0, 0.0));

    let mut later = now;
    for _ in 0..1_000 {
        later += us(20);
        deliver(&mut monitor, later, 0, us(7), us(2));
    }
    let report = monitor.report(later);
    assert_eq!(estimate(&report, "latency.mean").value, 7.0);
    assert_eq!(estimate(&report, "latency.max"), Estimate::exact(7.0, 1_000));
    assert!((estimate(&report, "throughput.rate").value - 0.05).abs() < 1e-12);
    assert_eq!(report.metric("latency[long].mean").unwrap().estimate, None);
    let backlog = report.series.iter().rfind(|point| point.series == "backlog (messages)").unwrap();
    assert_eq!(backlog.value, 1.0, "the message from before the restart is still under way");
    // Of the others none is under way for any time: each is born when it arrives.
    assert_eq!(report.under_way, Some(UnderWay { mean: 1.0, end: 1 }));
    assert_eq!(empty.under_way, None);
}

/// Messages that are born and do not arrive yet: they are on a link that is 10 ms long.
#[test]
fn links_that_fill_are_no_saturation() {
    let saturated_at = |crossing| {
        let layout = MonitorLayout { crossing, ..MonitorLayout::new(&STAGES, &["message"]) };
        let mut monitor = MessageMonitor::new(layout);
        let mut now = Time::ZERO;
        for i in 0..2_000 {
            now += us(5);
            monitor.born(now, SIZE);
            if i % 4 == 0 {
                deliver(&mut monitor, now, 0, us(1), us(2));
            }
        }
        monitor.saturated(now)
    };
    assert!(!saturated_at(Span::from_ms(11)), "nothing could have arrived yet");
    assert!(saturated_at(Span::from_ms(1)), "nine tenths of the time, everything could");
    assert!(saturated_at(Span::ZERO));
}

#[test]
fn parts_of_a_message_count_as_they_arrive_and_once() {
    let mut monitor = MessageMonitor::new(MonitorLayout::new(&STAGES, &["message"]));
    let mut now = Time::ZERO;
    for _ in 0..1_000 {
        now += us(10);
        monitor.arrived(now, 0, Data::from_bytes(400));
        deliver(&mut monitor, now, 0, us(1), us(2));
    }
    let whole = SIZE.bits() + 3_200;
    let found = estimate(&monitor.report(now), "throughput.rate").value;
    assert!((found - whole as f64 * 1e-4).abs() < 1e-9, "{found}");
}

#[test]
fn so_few_messages_that_all_may_be_below_the_quantile_leave_it_without_an_upper_bound() {
    let doubts_of = |messages: u64| {
        let mut monitor = MessageMonitor::new(MonitorLayout::new(&STAGES, &["message"]));
        let mut now = Time::ZERO;
        for _ in 0..messages {
            now += us(10);
            deliver(&mut monitor, now, 0, us(1), us(2));
        }
        monitor.report(now).doubts
    };
    // 0.99^298 is 5 %.
    assert_eq!(doubts_of(250), [Doubt::NoUpperBound { metric: "latency.p99".into() }]);
    assert_eq!(doubts_of(350), []);
}

#[test]
fn too_few_messages_for_an_interval_have_a_mean_all_the_same() {
    let of = |messages: u64| {
        let mut monitor = MessageMonitor::new(MonitorLayout::new(&STAGES, &["message"]));
        for nth in 0..messages {
            deliver(&mut monitor, Time::ZERO + us(10), 0, us(1 + nth), us(2));
        }
        monitor.report(Time::ZERO + us(20))
    };
    let report = of(2);
    assert_eq!(report.metric("latency.mean").expect("a delay").estimate, None);
    let means = report.bare_means.as_ref().expect("two messages");
    assert_eq!((means.messages, means.life_us, means.delays["latency.mean"]), (2, 3.5, 1.5));
    let mut saturated = report.clone();
    saturated.saturate();
    assert_eq!(saturated.bare_means, None, "a saturated network has no delay");
    assert_eq!(of(0).bare_means, None);
}

/// As many messages as there are, in batches so unlike that a sample of them would say little.
#[test]
fn a_whole_job_has_all_figures_without_intervals_or_doubts() {
    for messages in [1, 2, 250] {
        let mut monitor = MessageMonitor::new(MonitorLayout::new(&STAGES, &["message"]));
        let mut now = Time::ZERO;
        for nth in 0..messages {
            now += us(10);
            deliver(&mut monitor, now, 0, us(1 + nth), us(2));
        }
        monitor.has_observed(Observed::Whole);
        let report = monitor.report(now);
        let mean = 1.0 + (messages - 1) as f64 / 2.0;
        let exact = |value: f64| Estimate::exact(value, messages);
        assert_eq!(estimate(&report, "latency.mean"), exact(mean));
        assert_eq!(estimate(&report, "latency.max"), exact(messages as f64));
        for (key, share) in [("latency.p50", 0.5), ("latency.p99", 0.99)] {
            let found = estimate(&report, key);
            let expected = (share * messages as f64).ceil();
            assert!((found.value / expected - 1.0).abs() < 1e-3, "{key}: {found:?} for {expected}");
            assert_eq!((found.low, found.high, found.n), (found.value, found.value, messages), "{key}");
        }
        let offered = messages as f64 * SIZE.bits() as f64 / now.since(Time::ZERO).as_seconds() / 1e9;
        for key in ["throughput.rate", "offered.rate"] {
            let found = estimate(&report, key);
            assert!((found.value / offered - 1.0).abs() < 1e-9, "{key}");
            assert_eq!((found.low, found.high), (found.value, found.value), "{key}");
        }
        assert_eq!(report.ledger[0].estimate, Some(exact(mean)));
        assert_eq!((report.doubts, report.bare_means), (vec![], None));
        assert_eq!(
            report.notes,
            ["All messages of the job were measured, so its latencies and rates have no intervals. \
              `hopscope sweep --seeds 5` shows how much they differ between seeds."]
        );
    }
}

/// The notes where every message but these of `others` is of the first class.
fn notes_of(others: u64) -> Vec<String> {
    let mut monitor = MessageMonitor::new(MonitorLayout::new(&STAGES, &["a", "b"]));
    let mut now = Time::ZERO;
    for i in 0..2_000 {
        now += us(10);
        deliver(&mut monitor, now, usize::from(i < others), us(1), us(2));
    }
    monitor.report(now).notes
}

#[test]
fn a_class_of_which_nothing_arrives_is_named() {
    let notes = notes_of(0);
    assert_eq!(
        notes,
        [
            "Nothing of class b was delivered in the measured window, but 2000 messages of other classes. If the class \
          offered any, it starves."
        ]
    );
    assert!(notes_of(1).iter().all(|note| !note.contains("starves")));
    assert!(notes_of(1_000).is_empty());
}

#[test]
fn a_growing_backlog_is_saturation_and_leaves_no_delay() {
    let mut monitor = MessageMonitor::new(MonitorLayout::new(&STAGES, &["message"]));
    let mut now = Time::ZERO;
    for i in 0..10_000u64 {
        now += us(10);
        deliver(&mut monitor, now, 0, us(i % 9 + 1), us(2));
        if i % 20 == 0 {
            monitor.born(now, SIZE); // one in twenty never arrives
        }
    }
    let report = monitor.report(now);
    assert_eq!(report.outcome, Outcome::Saturated);
    for metric in &report.metrics {
        assert_eq!(metric.estimate.is_some(), metric.statistic == "rate", "{}", metric.key());
    }
    assert!((estimate(&report, "throughput.rate").value - 0.1).abs() < 1e-3);
    assert!((estimate(&report, "offered.rate").value - 0.105).abs() < 1e-3);
    assert!(report.ledger.iter().all(|row| row.estimate.is_none() && row.share > 0.0));
}

#[test]
fn a_report_survives_json() {
    let (monitor, now) = two_classes();
    let mut report = monitor.report(now);
    let json = serde_json::to_value(&report).unwrap();
    assert_eq!(json["outcome"], "complete");
    // Why a number may be none is for the run that finds it, and no part of the result.
    report.metrics.iter_mut().for_each(|metric| metric.basis = Basis::default());
    // Other parts of the summary of a run are not compared either.
    report.under_way = None;
    report.tails.clear();
    assert_eq!(serde_json::from_value::<Report>(json).unwrap(), report);
}

#[test]
fn points_over_time_cover_the_window_and_hold_its_mean() {
    let (monitor, now) = two_classes();
    let series = monitor.report(now).series;
    let of = |name: &str| series.iter().filter(|point| point.series == name).collect::<Vec<_>>();
    let throughput = of("throughput (Gbit/s)");
    assert!((32..=65).contains(&throughput.len()));
    assert_eq!(throughput[throughput.len() - 1].time_s, now.as_seconds());
    assert!(throughput.windows(2).all(|pair| pair[0].time_s < pair[1].time_s));
    assert!(of("latency (us)").iter().all(|point| (1.0..=5.0).contains(&point.value)));
    assert!(of("backlog (messages)").iter().all(|point| point.value == 0.0));
}

#[test]
#[should_panic(expected = "the stages of a message add up to")]
fn a_message_whose_stages_do_not_add_up_is_refused() {
    let mut monitor = MessageMonitor::new(MonitorLayout::new(&STAGES, &["message"]));
    monitor.born(Time::ZERO, SIZE);
    let mut account = Account::<2>::open(Time::ZERO);
    account.close(0, Time::from_ps(10));
    monitor.delivered(Time::from_ps(11), 0, Span::from_ps(10), &account, SIZE);
}

#[test]
#[should_panic(expected = "more messages were delivered than born")]
fn a_message_that_was_never_born_is_refused() {
    let mut monitor = MessageMonitor::new(MonitorLayout::new(&STAGES, &["message"]));
    monitor.delivered(Time::ZERO, 0, Span::ZERO, &Account::<2>::open(Time::ZERO), SIZE);
}
