//! The run loop, on the smallest model there is.

use std::cell::RefCell;

use hopscope_kernel::{EventQueue, Foresight, Model, Order, Presorted, RandomStream, Simulation};
use hopscope_units::{Span, Time};

/// Counts down, one event a microsecond, and keeps the times.
#[derive(Default)]
struct Countdown {
    times: Vec<Time>,
}

impl Model for Countdown {
    type Event = u32;

    fn handle(&mut self, now: Time, left: u32, queue: &mut EventQueue<u32>) {
        self.times.push(now);
        if left > 0 {
            queue.schedule(now + Span::from_us(1), Order::new(0, left), left - 1);
        }
    }
}

/// Eleven events, from 0 to 10 us.
fn countdown_from_ten() -> Simulation<Countdown> {
    let mut queue = EventQueue::new();
    queue.schedule(Time::ZERO, Order::new(0, 0), 10);
    Simulation::new(Countdown::default(), queue)
}

fn at_us(us: u64) -> Time {
    Time::ZERO + Span::from_us(us)
}

#[test]
fn handles_as_many_events_as_asked() {
    let mut simulation = countdown_from_ten();
    assert_eq!(simulation.run_events(4), 4);
    assert_eq!((simulation.now(), simulation.events_handled()), (at_us(3), 4));
    assert_eq!(simulation.run_events(100), 7);
    assert_eq!((simulation.now(), simulation.events_handled()), (at_us(10), 11));
    assert_eq!(simulation.run_events(100), 0);
    assert_eq!(simulation.model.times, (0..=10).map(at_us).collect::<Vec<_>>());
}

#[test]
fn handles_events_up_to_and_including_an_instant() {
    let mut simulation = countdown_from_ten();
    assert_eq!(simulation.run_until(at_us(2)), 3);
    assert_eq!(simulation.now(), at_us(2));
    assert_eq!(simulation.run_until(at_us(2) + Span::from_ns(999)), 0);
    assert_eq!((simulation.now(), simulation.queue.next_time()), (at_us(2), Some(at_us(3))));
    assert_eq!(simulation.run_until(Time::NEVER), 8);
    assert_eq!((simulation.events_handled(), simulation.queue.is_empty()), (11, true));
}

#[test]
fn events_of_one_instant_come_by_source_and_count() {
    struct Names(Vec<&'static str>);
    impl Model for Names {
        type Event = &'static str;
        fn handle(&mut self, _: Time, name: &'static str, queue: &mut EventQueue<&'static str>) {
            self.0.push(name);
            if name == "second" {
                // Of this instant still, and before what waits in it.
                queue.schedule(queue.now(), Order::new(1, 7), "third");
            }
        }
    }
    let mut queue = EventQueue::new();
    queue.schedule(at_us(1), Order::new(2, 0), "last");
    queue.schedule(at_us(1), Order::new(1, 9), "fourth");
    queue.schedule(at_us(1), Order::new(1, 2), "second");
    queue.schedule(at_us(1), Order::new(0, u32::MAX), "first");
    let mut simulation = Simulation::new(Names(Vec::new()), queue);
    simulation.run_events(10);
    assert_eq!(simulation.model.0, ["first", "second", "third", "fourth", "last"]);
}

/// Schedules one event for each that it handles, most of them in a list, and sees what `sees` says in turns of 100.
struct Seer {
    sees: &'static [Foresight],
    stream: RandomStream,
    handled: Vec<(Time, u32)>,
    shown: RefCell<Vec<u32>>,
}

impl Model for Seer {
    type Event = u32;

    fn handle(&mut self, now: Time, event: u32, queue: &mut EventQueue<u32>) {
        self.handled.push((now, event));
        let next = self.handled.len() as u32 + PENDING;
        let (order, span) = (Order::new(0, next), Span::from_ns(1 + self.stream.below(3)));
        match self.stream.below(4) {
            0 => queue.schedule(now + span * 20, order, next),
            1 => queue.schedule_presorted(Presorted::A, now + Span::from_ns(50), order, next),
            _ => queue.schedule_presorted(Presorted::B, now + span * 30, order, next),
        }
    }

    fn foresight(&self) -> Foresight {
        self.sees[self.handled.len() / 100 % self.sees.len()]
    }

    fn look_ahead(&self, _: Foresight, events: impl Iterator<Item = u32> + Clone) {
        self.shown.borrow_mut().extend(events);
    }
}

/// Events that are pending all the time.
const PENDING: u32 = 500;

fn seer(sees: &'static [Foresight]) -> Seer {
    let mut queue = EventQueue::new();
    for event in 0..PENDING {
        queue.schedule(at_us(1), Order::new(0, event), event);
    }
    let stream = RandomStream::named(1977, "seer", 0);
    let model = Seer { sees, stream, handled: Vec::new(), shown: RefCell::default() };
    let mut simulation = Simulation::new(model, queue);
    simulation.run_events(20_000);
    simulation.model
}

#[test]
fn what_a_model_sees_changes_nothing_that_happens() {
    use Foresight::{Everything, Lists, Nothing};
    let blind = seer(&[Nothing]);
    assert!(blind.shown.into_inner().is_empty());
    for sees in [&[Lists] as &[_], &[Everything], &[Nothing, Everything, Lists, Everything]] {
        let seeing = seer(sees);
        assert_eq!(seeing.handled, blind.handled);
        let shown = seeing.shown.into_inner();
        assert!(!shown.is_empty() && shown.iter().all(|event| *event < 20_000 + PENDING));
    }
}

#[test]
fn a_model_that_sees_everything_is_shown_most_events_and_none_twice() {
    let seer = seer(&[Foresight::Everything]);
    let mut shown = seer.shown.into_inner();
    shown.sort_unstable();
    let mut distinct = shown.clone();
    distinct.dedup();
    assert_eq!(shown, distinct);
    let unseen = seer.handled.iter().filter(|(_, event)| shown.binary_search(event).is_err()).count();
    // An event that is scheduled before the end of the front comes unseen.
    assert!(unseen < seer.handled.len() / 5, "{unseen} were not shown");
}

/// Sums are taken out of a till and come back some time later, in a presorted list that may wait. Sums of the first
/// source are taken at the end of their instant, others at once; what finds too little waits for what comes back.
struct Till {
    /// Whether what comes back may wait to be counted.
    defers: bool,
    holds: u64,
    wanted: Option<u64>,
    at_the_end: Vec<u64>,
    stream: RandomStream,
    scheduled: u32,
    taken: Vec<(Time, u64)>,
    /// Sums that waited to be counted.
    waited: usize,
}

#[derive(Clone, Copy)]
enum Sum {
    Out { at_once: bool },
    Back(u64),
}

impl Till {
    fn next_order(&mut self) -> Order {
        self.scheduled += 1;
        Order::new(self.stream.below(6) as u32, self.scheduled)
    }

    fn take(&mut self, now: Time, sum: u64, queue: &mut EventQueue<Sum>) {
        if self.holds < sum {
            self.catch_up(queue);
        }
        if self.wanted.is_some() || self.holds < sum {
            if self.wanted.is_none() {
                self.wanted = Some(sum);
                queue.defer(false);
            }
            return;
        }
        self.holds -= sum;
        self.taken.push((now, sum));
        // Now and then not in the order of the list, and now and then at this very instant.
        let units = [0, 3, 7, 7, 7, 7, 7, 7, 7, 9][self.stream.below(10) as usize];
        let order = self.next_order();
        queue.schedule_deferrable(now + Span::from_ns(10 * units), order, Sum::Back(sum));
    }
}

impl Model for Till {
    type Event = Sum;

    fn catch_up(&mut self, queue: &mut EventQueue<Sum>) {
        while let Some(event) = queue.take_due() {
            let Sum::Back(sum) = event else { panic!("only what comes back waits") };
            self.holds += sum;
            self.waited += 1;
        }
    }

    fn foresight(&self) -> Foresight {
        use Foresight::{Everything, Lists, Nothing};
        [Nothing, Lists, Everything][self.taken.len() / 500 % 3]
    }

    fn handle(&mut self, now: Time, event: Sum, queue: &mut EventQueue<Sum>) {
        match event {
            Sum::Back(sum) => {
                self.holds += sum;
                if let Some(wanted) = self.wanted.filter(|&wanted| self.holds >= wanted) {
                    self.wanted = None;
                    queue.defer(self.defers);
                    self.take(now, wanted, queue);
                }
            }
            Sum::Out { at_once } => {
                let sum = 1 + self.stream.below(9);
                if at_once {
                    self.take(now, sum, queue);
                } else {
                    self.at_the_end.push(sum);
                }
                let (order, units) = (self.next_order(), self.stream.below(8));
                let at_once = self.stream.below(2) == 0;
                queue.schedule(now + Span::from_ns(10 * units), order, Sum::Out { at_once });
            }
        }
        while !self.at_the_end.is_empty() && queue.instant_is_over() {
            for sum in std::mem::take(&mut self.at_the_end) {
                self.take(now, sum, queue);
            }
        }
    }
}

/// What is seen of a simulation: events handled, the time, events pending, what the till holds.
type Seen = Vec<(u64, Time, usize, u64)>;

/// The amounts taken out of a till that holds `holds`, and the amount seen after each of these numbers of events.
fn taken(defers: bool, holds: u64, numbers: &[u64]) -> (Vec<(Time, u64)>, Seen) {
    let stream = RandomStream::named(1987, "till", holds);
    let mut queue = EventQueue::new();
    queue.defer(defers);
    for source in 0..4 {
        queue.schedule(at_us(1), Order::new(source, 0), Sum::Out { at_once: source > 0 });
    }
    let (wanted, at_the_end, taken, waited) = Default::default();
    let till = Till { defers, holds, wanted, at_the_end, stream, scheduled: 0, taken, waited };
    let mut simulation = Simulation::new(till, queue);
    let mut seen = Vec::new();
    for &number in numbers {
        assert_eq!(simulation.run_events(number), number);
        let (now, pending) = (simulation.now(), simulation.queue.len());
        seen.push((simulation.events_handled(), now, pending, simulation.model.holds));
    }
    let Till { taken, waited, .. } = simulation.model;
    // In a till that is seldom short, looked at seldom, much waits.
    let much_waits = defers && holds >= 100 && numbers.iter().any(|&number| number > 1_000);
    assert!(waited >= if much_waits { taken.len() / 4 } else { 0 }, "{waited} waited");
    assert!(defers || waited == 0, "{waited} waited");
    (taken, seen)
}

#[test]
fn events_that_wait_to_be_taken_change_nothing_that_can_be_seen() {
    let mut stream = RandomStream::named(1987, "numbers", 0);
    // From tills that are nearly always short to those that never are.
    for holds in [10, 20, 40, 60, 80, 100, 1_000_000] {
        for longest in [3, 20, 400, 5_000] {
            let numbers: Vec<u64> = (0..60).map(|_| 1 + stream.below(longest)).collect();
            let (waiting, coming) = (taken(true, holds, &numbers), taken(false, holds, &numbers));
            let differ = waiting.0.iter().zip(&coming.0).position(|(one, other)| one != other);
            assert_eq!(differ, None, "what a till of {holds} gave, looked at within {longest} events");
            assert_eq!(waiting.1, coming.1, "a till of {holds}, looked at within {longest} events");
        }
    }
}

#[test]
fn what_waits_alone_still_comes() {
    let mut queue = EventQueue::new();
    queue.defer(true);
    for n in 1..=100 {
        queue.schedule_deferrable(at_us(n), Order::new(0, n as u32), Sum::Back(1));
    }
    let (defers, stream) = (true, RandomStream::named(1, "till", 0));
    let (wanted, at_the_end, taken, waited) = Default::default();
    let till = Till { defers, holds: 0, wanted, at_the_end, stream, scheduled: 0, taken, waited };
    let mut simulation = Simulation::new(till, queue);
    assert_eq!((simulation.run_events(60), simulation.now(), simulation.model.holds), (60, at_us(60), 60));
    assert_eq!((simulation.run_until(at_us(70)), simulation.model.holds), (10, 70));
    assert_eq!(
        (simulation.run_events(1_000), simulation.now(), simulation.model.holds),
        (30, at_us(100), 100)
    );
    assert!(simulation.queue.is_empty());
}

#[test]
fn an_order_is_a_source_and_a_count() {
    let order = Order::new(7, 9);
    assert_eq!((order.source(), order.count()), (7, 9));
    assert_eq!(format!("{order:?}"), "source 7 count 9");
    assert!(Order::new(1, u32::MAX) < Order::new(2, 0));
}
