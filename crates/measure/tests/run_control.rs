//! When a run's warm-up is over and when it stops: the controller fed by hand, and the loop around it on small models.

use hopscope_kernel::{EventQueue, Model, Order, RandomStream, Simulation};
use hopscope_measure::{
    Account, Charged, Doubt, Ending, HoldWhy, MessageMonitor, MonitorLayout, Outcome, Report, ResourceKind,
    RunController, RunPlan, StageId, StageLabel, Step, Stuck, Subject, Usage, UsageOf, Warmup, count, drive,
};
use hopscope_units::{Data, Span, Time};

const STAGES: [StageLabel; 1] = [StageLabel::new(StageId::LineTransmission, Charged::To(ResourceKind::Line))];
const GAP: Span = Span::from_us(10);

/// A flow of one message every 10 us whose latencies a closure makes from their number, and some of which never arrive.
struct Flow<L> {
    monitor: MessageMonitor,
    latency: L,
    lost_one_in: u64,
    sent: u64,
    ends_after: u64,
    is_finite: bool,
    stuck: Option<Stuck>,
}

impl<L: FnMut(u64) -> Span> Flow<L> {
    fn simulation(latency: L) -> Simulation<Self> {
        Self::across(Span::ZERO, latency)
    }

    /// The same in a network with this crossing time.
    fn across(crossing: Span, latency: L) -> Simulation<Self> {
        let layout = MonitorLayout { crossing, ..MonitorLayout::new(&STAGES, &["message"]) };
        let monitor = MessageMonitor::new(layout);
        let flow = Self {
            monitor,
            latency,
            lost_one_in: u64::MAX,
            sent: 0,
            ends_after: u64::MAX,
            is_finite: false,
            stuck: None,
        };
        let mut queue = EventQueue::new();
        // Late enough for the first message to have been born before.
        queue.schedule(Time::ZERO + Span::from_s(1), Order::new(0, 0), ());
        Simulation::new(flow, queue)
    }
}

impl<L: FnMut(u64) -> Span> Model for Flow<L> {
    type Event = ();

    fn handle(&mut self, now: Time, (): (), queue: &mut EventQueue<()>) {
        self.sent += 1;
        self.monitor.born(now, Data::from_bytes(100));
        if !self.sent.is_multiple_of(self.lost_one_in) {
            let latency = (self.latency)(self.sent);
            let mut account = Account::<1>::open(Time::from_ps(now.ps() - latency.ps()));
            account.close(0, now);
            self.monitor.delivered(now, 0, latency, &account, Data::from_bytes(100));
        }
        if self.sent < self.ends_after {
            queue.schedule(now + GAP, Order::new(0, 0), ());
        }
    }
}

impl<L: FnMut(u64) -> Span> Subject for Flow<L> {
    fn monitor(&self) -> &MessageMonitor {
        &self.monitor
    }
    fn whole_workload(&self) -> Option<u64> {
        self.is_finite.then_some(self.ends_after)
    }
    fn restart(&mut self, now: Time) {
        self.monitor.restart(now);
    }
    fn stuck(&mut self, _: Time) -> Option<Stuck> {
        self.stuck.clone()
    }
    fn report(&mut self, now: Time) -> Report {
        self.monitor.report(now)
    }
    fn usage(&mut self, now: Time, tell: &mut UsageOf<'_>) {
        let used_ps = now.since(self.monitor.measuring_since()).ps() as f64 / 4.0;
        let held = [(HoldWhy::Data, used_ps / 4.0), (HoldWhy::Replies, used_ps * 3.0 / 4.0)];
        tell(ResourceKind::Line, &|| "the line".to_owned(), Usage { used_ps, ..Usage::default() }, &held);
    }
}

/// Independent latencies, uniform from 0 to 20 us.
fn noise(seed: u64) -> impl FnMut(u64) -> Span {
    let mut random = RandomStream::named(seed, "noise", 0);
    move |_| Span::from_ps(random.below(20_000_000))
}

fn run<L: FnMut(u64) -> Span>(simulation: &mut Simulation<Flow<L>>, plan: RunPlan) -> Report {
    drive(simulation, plan, |_, _| true)
}

#[test]
fn a_settled_flow_is_measured_after_two_checks() {
    let report = run(&mut Flow::simulation(noise(1)), RunPlan::messages(20_000));
    assert_eq!((report.outcome, report.warmup.rule.as_str()), (Outcome::Complete, "MSER-5"));
    assert!((2_000..3_000).contains(&report.warmup.messages), "{:?}", report.warmup);
    assert!((20_000..20_400).contains(&report.measured.messages));
    assert_eq!(
        report.ended_because,
        format!("{} messages measured, 20000 requested", report.measured.messages)
    );
}

/// The flow starts at 1 s, so it has settled 20 ms later.
#[test]
fn a_warm_up_is_not_over_before_messages_can_have_crossed_the_network() {
    let report = run(&mut Flow::across(Span::from_ms(1_080), noise(1)), RunPlan::messages(20_000));
    assert_eq!((report.outcome, report.warmup.rule.as_str()), (Outcome::Complete, "MSER-5"));
    assert!(report.warmup.until_s >= 1.08, "{:?}", report.warmup);
}

#[test]
fn a_ramp_at_the_start_is_cut_off() {
    let mut random = noise(2);
    let ramp = move |i: u64| random(i) + Span::from_us(5_000u64.saturating_sub(i) / 10);
    let report = run(&mut Flow::simulation(ramp), RunPlan::messages(100_000));
    assert_eq!(report.outcome, Outcome::Complete);
    assert!(report.warmup.messages > 5_000, "{:?}", report.warmup);
    let mean = report.metric("latency.mean").unwrap().estimate.unwrap();
    assert!((mean.value - 10.0).abs() < 0.2, "{mean:?}");
}

#[test]
fn a_flow_that_never_settles_is_measured_from_half_of_the_run() {
    let rising = |i: u64| Span::from_ns(i);
    let report = run(&mut Flow::simulation(rising), RunPlan::messages(10_000));
    assert_eq!(report.outcome, Outcome::Unsettled);
    assert!((5_000..5_500).contains(&report.warmup.messages), "{:?}", report.warmup);
    assert_eq!(report.warmup.rule, "MSER-5 found no end within half of the run");
}

#[test]
fn warm_ups_of_a_set_length_and_none() {
    let plan = |warmup| RunPlan { warmup, ..RunPlan::messages(10_000) };
    // The flow starts at 1 s; 30 ms are 3000 messages.
    let fixed = run(&mut Flow::simulation(noise(3)), plan(Warmup::Fixed(Span::from_ms(1_030))));
    assert_eq!((fixed.outcome, fixed.warmup.rule.as_str()), (Outcome::Complete, "fixed at 1.03 s"));
    assert!((3_000..3_200).contains(&fixed.warmup.messages), "{:?}", fixed.warmup);
    let none = run(&mut Flow::simulation(noise(3)), plan(Warmup::None));
    assert_eq!((none.outcome, none.warmup.messages, none.warmup.until_s), (Outcome::Complete, 0, 0.0));
}

/// A job of 5000 messages, or sources that go on and are cut off after as many.
fn cut_off(is_finite: bool, plan: RunPlan) -> Report {
    let mut simulation = Flow::simulation(noise(12));
    (simulation.model.ends_after, simulation.model.is_finite) = (5_000, is_finite);
    run(&mut simulation, plan)
}

#[test]
fn a_finite_workload_is_measured_whole_and_has_no_transient() {
    let auto = RunPlan::messages(20_000);
    let fixed = RunPlan { warmup: Warmup::Fixed(Span::from_s(3_600)), ..auto };
    let none = RunPlan { warmup: Warmup::None, ..auto };
    for plan in [auto, fixed, none] {
        let report = cut_off(true, plan);
        assert_eq!((report.outcome, report.doubts), (Outcome::Complete, vec![]), "{plan:?}");
        assert_eq!((report.warmup.messages, report.measured.messages), (0, 5_000), "{plan:?}");
        assert!(report.notes.is_empty(), "{:?}", report.notes);
    }
}

#[test]
fn sources_that_end_before_the_warm_up_have_not_settled() {
    let report =
        cut_off(false, RunPlan { warmup: Warmup::Fixed(Span::from_s(3_600)), ..RunPlan::messages(20_000) });
    assert_eq!((report.outcome, report.doubts), (Outcome::Unsettled, vec![Doubt::Transient]));
}

#[test]
fn a_workload_longer_than_the_run_or_a_precision_asks_for_the_steady_state() {
    let precise = RunPlan { min_messages: 1_000, precision: Some(0.05), ..RunPlan::messages(20_000) };
    for plan in [RunPlan::messages(2_500), precise] {
        let report = cut_off(true, plan);
        assert_eq!((report.outcome, report.warmup.rule.as_str()), (Outcome::Complete, "MSER-5"), "{plan:?}");
        assert!(report.warmup.messages > 0, "{:?}", report.warmup);
    }
}

#[test]
fn a_run_stops_at_the_precision_asked_for() {
    let plan = RunPlan { min_messages: 1_000, precision: Some(0.01), ..RunPlan::messages(10_000_000) };
    let report = run(&mut Flow::simulation(noise(4)), plan);
    let mean = report.metric("latency.mean").unwrap().estimate.unwrap();
    assert!(mean.relative_half_width() <= 0.01, "{mean:?}");
    // Uniform latencies scatter by 0.577 of their mean: about (0.577 x 2.04 / 0.01)^2 = 13900 messages.
    assert!((6_000..30_000).contains(&report.measured.messages), "{}", report.measured.messages);
    assert!(report.ended_because.starts_with("mean delay within 1 % after"));
}

#[test]
fn precision_is_not_believed_before_the_fewest_messages() {
    let plan = RunPlan { min_messages: 50_000, precision: Some(0.1), ..RunPlan::messages(10_000_000) };
    let report = run(&mut Flow::simulation(noise(5)), plan);
    assert!((50_000..55_000).contains(&report.measured.messages), "{}", report.measured.messages);
}

#[test]
fn a_saturated_warm_up_is_given_up_and_the_run_ends_when_throughput_is_known() {
    let mut simulation = Flow::simulation(noise(6));
    simulation.model.lost_one_in = 5;
    let plan = RunPlan { min_messages: 1_000, precision: Some(0.02), ..RunPlan::messages(10_000_000) };
    let report = run(&mut simulation, plan);
    assert_eq!(report.outcome, Outcome::Saturated);
    assert!(report.warmup.messages + report.measured.messages < 20_000, "{:?}", report.warmup);
    assert_eq!(report.ended_because, "the offered load exceeds the capacity, so queues grow without bound");
    assert_eq!(report.metric("latency.mean").unwrap().estimate, None);
    let throughput = report.metric("throughput.rate").unwrap().estimate.unwrap();
    assert!((throughput.value / (0.8 * 0.08) - 1.0).abs() < 0.01, "{throughput:?}");
}

#[test]
fn a_backlog_longer_than_the_run_ends_it() {
    let mut simulation = Flow::simulation(noise(7));
    simulation.model.lost_one_in = 1; // nothing ever arrives
    let report = run(&mut simulation, RunPlan::messages(1_000));
    assert_eq!(report.outcome, Outcome::Saturated);
    assert!(simulation.model.monitor.backlog() < 110_000);
    assert_eq!(report.warmup.rule, "the run ended during the warm-up");
}

#[test]
fn the_end_of_all_events_ends_a_run() {
    let mut simulation = Flow::simulation(noise(8));
    simulation.model.ends_after = 5_000;
    let report = run(&mut simulation, RunPlan::messages(20_000));
    let why = "the traffic has ended, and every message has arrived or was lost";
    assert_eq!((report.outcome, report.ended_because.as_str()), (Outcome::Complete, why));
    assert_eq!(report.warmup.messages + report.measured.messages, 5_000);
}

#[test]
fn messages_that_can_never_arrive_are_a_deadlock() {
    let mut simulation = Flow::simulation(noise(9));
    (simulation.model.ends_after, simulation.model.lost_one_in) = (5_000, 1_000);
    let unexplained = run(&mut simulation, RunPlan::messages(20_000));
    assert_eq!(unexplained.outcome, Outcome::Deadlock);
    assert_eq!(unexplained.ended_because, "no events are left, but 5 messages have not arrived");

    let mut simulation = Flow::simulation(noise(9));
    let stuck = Stuck {
        reason: "two hosts wait for each other".into(),
        cycle: vec!["a for b".into(), "b for a".into()],
    };
    simulation.model.stuck = Some(stuck.clone());
    let explained = run(&mut simulation, RunPlan::messages(1_000_000_000));
    assert_eq!((explained.outcome, explained.stuck), (Outcome::Deadlock, Some(stuck)));
}

#[test]
fn a_deadlock_leaves_neither_delays_nor_rates() {
    let mut simulation = Flow::simulation(noise(9));
    (simulation.model.ends_after, simulation.model.lost_one_in) = (500, 100);
    let report = run(&mut simulation, RunPlan { warmup: Warmup::None, ..RunPlan::messages(20_000) });
    assert_eq!(report.outcome, Outcome::Deadlock);
    for key in ["latency.mean", "latency.p99", "latency.max", "throughput.rate", "offered.rate"] {
        assert_eq!(report.metric(key).expect("it is told of").estimate, None, "{key}");
    }
    assert!(report.ledger.iter().all(|row| row.estimate.is_none()));
    assert_eq!(report.ledger.iter().map(|row| row.share).sum::<f64>(), 1.0);
    // Nothing is said about intervals that there are not.
    assert_eq!((report.notes, report.doubts), (Vec::<String>::new(), Vec::new()));
}

#[test]
fn whoever_watches_can_stop_a_run_and_sees_it_progress() {
    let mut told = Vec::new();
    let report = drive(&mut Flow::simulation(noise(10)), RunPlan::messages(50_000), |fraction, _| {
        told.push(fraction);
        fraction < 0.5
    });
    assert_eq!(report.outcome, Outcome::Interrupted);
    assert!(told.windows(2).all(|pair| pair[0] <= pair[1]) && told[told.len() - 1] < 0.55, "{told:?}");
}

#[test]
fn the_controller_asks_for_one_restart_and_then_counts() {
    let mut monitor = MessageMonitor::new(MonitorLayout::new(&STAGES, &["message"]));
    let mut controller =
        RunController::new(RunPlan { warmup: Warmup::Fixed(Span::from_us(5)), ..RunPlan::messages(3) });
    let mut steps = Vec::new();
    for i in 1..=8u64 {
        let now = Time::from_ps(i * 1_000_000);
        monitor.born(now, Data::ZERO);
        monitor.delivered(
            now,
            0,
            Span::ZERO,
            &{
                let mut account = Account::<1>::open(now);
                account.close(0, now);
                account
            },
            Data::ZERO,
        );
        let step = controller.pulse(now, &monitor);
        if step == Step::RestartMeasurement {
            monitor.restart(now);
        }
        steps.push(step);
    }
    let expected = [
        vec![Step::Continue; 4],
        vec![Step::RestartMeasurement],
        vec![Step::Continue; 2],
        vec![Step::Stop(Ending::Messages)],
    ];
    assert_eq!(steps, expected.concat());
}

#[test]
fn a_run_ends_before_its_clock_does() {
    let monitor = MessageMonitor::new(MonitorLayout::new(&STAGES, &["message"]));
    let mut controller = RunController::new(RunPlan::messages(1_000));
    assert_eq!(controller.pulse(Time::ZERO + Span::from_s(86_400 * 106), &monitor), Step::Continue);
    assert_eq!(
        controller.pulse(Time::ZERO + Span::from_s(86_400 * 107), &monitor),
        Step::Stop(Ending::Clock)
    );
}

#[test]
fn a_timeline_covers_the_run_in_bounded_bins_whose_means_are_exact() {
    let report = run(&mut Flow::simulation(noise(9)), RunPlan::messages(200_000));
    let timeline = &report.timeline;
    let bins: Vec<_> = timeline.means(0).collect();
    assert!((64..=256).contains(&bins.len()), "{} bins", bins.len());
    assert_eq!(timeline.edges.len(), bins.len() + 1);
    assert!(timeline.edges.is_sorted_by(|a, b| a < b));
    assert!(bins.iter().all(|mean| (mean.used_ps - 0.25).abs() < 1e-9), "a quarter is used throughout");
    let span = timeline.edges[bins.len()].since(timeline.edges[0]).as_seconds();
    assert!((span - report.warmup.until_s - report.measured.span_s).abs() < 1e-9, "{span} s");
    let [line] = timeline.resources.as_slice() else { panic!("one line") };
    assert_eq!((line.kind, line.place.as_str()), (ResourceKind::Line, "the line"));
    assert_eq!(line.activities, [HoldWhy::Data, HoldWhy::Replies]);
    for (activity, share) in [0.0625, 0.1875].into_iter().enumerate() {
        assert!(timeline.held(0, activity).all(|held| (held - share).abs() < 1e-9), "activity {activity}");
    }
}

/// A run whose messages all loop until they are dropped would take too long.
#[test]
fn a_run_in_which_nearly_all_is_lost_ends() {
    let mut controller = RunController::new(RunPlan::messages(100));
    let mut monitor = MessageMonitor::new(MonitorLayout::new(&STAGES, &["message"]));
    let now = Time::ZERO + Span::from_s(1);
    let mut lose = |many| {
        for _ in 0..many {
            monitor.born(now, Data::from_bytes(100));
            monitor.given_up(now);
        }
        controller.pulse(now, &monitor)
    };
    assert_eq!(lose(2_000), Step::Continue);
    assert_eq!(lose(20), Step::Stop(Ending::Losses));
    let report = controller.conclude(&Ending::Losses, Report::default());
    assert_eq!(report.outcome, Outcome::Unsettled);
    assert_eq!(
        report.ended_because,
        "more than 20 times as many messages were lost as were to be measured (0 of 100 measured)"
    );
}

#[test]
fn a_run_that_pauses_counts_what_one_counts_that_does_not() {
    let at = |stops: &[u64]| {
        let mut simulation = Flow::simulation(noise(10));
        simulation.model.monitor.keep_only_sums();
        for &messages in stops {
            assert_eq!(count(&mut simulation, messages, |_, _| true), Ending::Messages);
        }
        let monitor = &simulation.model.monitor;
        (simulation.now(), monitor.delivered_in_all(), monitor.bits_since_restart(simulation.now()))
    };
    let (now, delivered, bits) = at(&[5_000]);
    assert_eq!(at(&[300, 1_000, 1_001, 5_000]), (now, delivered, bits));
    // It stops where a run of as many messages ends.
    let mut whole = Flow::simulation(noise(10));
    let plan = RunPlan { warmup: Warmup::None, ..RunPlan::messages(5_000) };
    let report = run(&mut whole, plan);
    assert_eq!((whole.now(), report.measured.messages), (now, delivered));
    assert_eq!(bits, (800 * u128::from(delivered), 800 * u128::from(delivered)));
}

#[test]
fn what_ends_while_it_is_counted_says_why() {
    let mut simulation = Flow::simulation(noise(10));
    simulation.model.ends_after = 1_000;
    assert_eq!(count(&mut simulation, 5_000, |_, _| true), Ending::Drained);
    let mut simulation = Flow::simulation(noise(10));
    let mut pulses = 0;
    let ending = count(&mut simulation, 5_000, |_, _| {
        pulses += 1;
        pulses < 3
    });
    assert_eq!(ending, Ending::Interrupted);
    let mut simulation = Flow::simulation(noise(10));
    simulation.model.stuck = Some(Stuck { reason: "a circle".to_owned(), cycle: Vec::new() });
    assert!(matches!(count(&mut simulation, 100_000, |_, _| true), Ending::Deadlock(_)));
}
