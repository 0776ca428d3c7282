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

#[test]
fn an_order_is_a_source_and_a_count() {
    let order = Order::new(7, 9);
    assert_eq!((order.source(), order.count()), (7, 9));
    assert_eq!(format!("{order:?}"), "source 7 count 9");
    assert!(Order::new(1, u32::MAX) < Order::new(2, 0));
}
