//! The event queue gives what a binary heap over (time, order) gives, for every pattern of scheduling and popping.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

use hopscope_kernel::{EventQueue, Order, Presorted, RandomStream};
use hopscope_units::{Span, Time};
use proptest::prelude::*;

/// How far ahead of now the events of a burst lie.
#[derive(Clone, Copy, Debug)]
enum Ahead {
    /// All this far: a crowded instant.
    Exactly(u64),
    /// Anywhere below this.
    Within(u64),
    /// This far times a small number: many ties.
    Multiples(u64),
    /// Every magnitude equally.
    Magnitudes,
    /// In the last picoseconds that can be scheduled.
    AtTheEnd,
}

#[derive(Clone, Copy, Debug)]
enum Step {
    Schedule { events: usize, ahead: Ahead },
    SchedulePresorted { list: Presorted, events: usize, ahead: Ahead },
    Pop { events: usize },
    PopWithin { span: u64 },
    Peek,
    Clear,
}

/// The queue under test and its oracle. An event carries its order and a number of its own.
struct Pair {
    queue: EventQueue<(Order, u64)>,
    oracle: BinaryHeap<Reverse<(Time, Order)>>,
    pending: BTreeSet<u64>,
    scheduled: u64,
    stream: RandomStream,
}

impl Pair {
    fn new(seed: u64) -> Self {
        Self {
            queue: EventQueue::new(),
            oracle: BinaryHeap::new(),
            pending: BTreeSet::new(),
            scheduled: 0,
            stream: RandomStream::named(seed, "queue order", 0),
        }
    }

    fn schedule(&mut self, ahead: Ahead) {
        self.schedule_in(None, ahead);
    }

    /// Schedules an event in one of the presorted lists, or in none.
    fn schedule_in(&mut self, list: Option<Presorted>, ahead: Ahead) {
        let last = Time::NEVER.ps() - 1;
        let span = match ahead {
            Ahead::Exactly(span) => span,
            Ahead::Within(span) => self.stream.below(span),
            Ahead::Multiples(span) => span * self.stream.below(5),
            Ahead::Magnitudes => self.stream.next_u64() >> self.stream.below(64),
            Ahead::AtTheEnd => (last - self.queue.now().ps()).saturating_sub(self.stream.below(100)),
        };
        let at = Time::from_ps(self.queue.now().ps().saturating_add(span).min(last));
        let order = Order::new(self.stream.below(9) as u32, self.stream.below(40) as u32);
        let event = (order, self.scheduled);
        match list {
            Some(list) => self.queue.schedule_presorted(list, at, order, event),
            None => self.queue.schedule(at, order, event),
        }
        self.oracle.push(Reverse((at, order)));
        self.pending.insert(self.scheduled);
        self.scheduled += 1;
    }

    /// What the queue gave is what the oracle gives, and an event that has not been given before.
    fn check_popped(&mut self, popped: Option<(Time, (Order, u64))>) {
        let expected = self.oracle.pop().map(|Reverse(first)| first);
        assert_eq!(popped.map(|(at, (order, _))| (at, order)), expected);
        if let Some((at, (_, number))) = popped {
            assert!(self.pending.remove(&number), "event {number} was popped twice");
            assert_eq!(self.queue.now(), at);
            self.check_instant(at);
        }
    }

    /// The queue knows whether more happens at the instant of the last popped event.
    fn check_instant(&mut self, now: Time) {
        let over = self.oracle.peek().is_none_or(|Reverse((at, _))| *at != now);
        assert_eq!(self.queue.instant_is_over(), over);
    }

    fn schedule_many(&mut self, list: Option<Presorted>, events: usize, ahead: Ahead) {
        (0..events).for_each(|_| self.schedule_in(list, ahead));
        if self.pending.len() < self.scheduled as usize {
            self.check_instant(self.queue.now());
        }
    }

    fn step(&mut self, step: Step) {
        match step {
            Step::Schedule { events, ahead } => self.schedule_many(None, events, ahead),
            Step::SchedulePresorted { list, events, ahead } => self.schedule_many(Some(list), events, ahead),
            Step::Pop { events } => {
                for _ in 0..events {
                    let popped = self.queue.pop();
                    self.check_popped(popped);
                }
            }
            Step::PopWithin { span } => {
                let until = Time::from_ps(self.queue.now().ps().saturating_add(span));
                while let Some(popped) = self.queue.pop_until(until) {
                    assert!(popped.0 <= until);
                    self.check_popped(Some(popped));
                }
                assert!(self.oracle.peek().is_none_or(|Reverse((at, _))| *at > until));
            }
            Step::Peek => {
                let first = self.oracle.peek().map(|Reverse((at, _))| *at);
                assert_eq!(self.queue.next_time(), first);
            }
            Step::Clear => {
                let now = self.queue.now();
                self.queue.clear();
                self.oracle.clear();
                self.pending.clear();
                assert_eq!((self.queue.now(), self.queue.pop()), (now, None));
            }
        }
        assert_eq!(self.queue.len(), self.oracle.len());
        assert_eq!(self.queue.is_empty(), self.oracle.is_empty());
    }

    fn finish(mut self) {
        self.step(Step::Pop { events: self.oracle.len() + 1 });
        assert!(self.pending.is_empty());
    }
}

fn ahead() -> impl Strategy<Value = Ahead> {
    prop_oneof![
        prop_oneof![Just(0), Just(1), 0..1u64 << 40].prop_map(Ahead::Exactly),
        (1..60u32, 0..60u64).prop_map(|(bits, extra)| Ahead::Within((1 << bits) + extra)),
        (0..40u32).prop_map(|bits| Ahead::Multiples(1 << bits)),
        Just(Ahead::Multiples(80_000)),
        Just(Ahead::Magnitudes),
        Just(Ahead::AtTheEnd),
    ]
}

fn list() -> impl Strategy<Value = Presorted> {
    prop_oneof![Just(Presorted::A), Just(Presorted::B), Just(Presorted::C), Just(Presorted::D)]
}

fn step() -> impl Strategy<Value = Step> {
    let events = prop_oneof![0..4usize, 0..300usize];
    prop_oneof![
        4 => (events.clone(), ahead()).prop_map(|(events, ahead)| Step::Schedule { events, ahead }),
        4 => (list(), events.clone(), ahead())
            .prop_map(|(list, events, ahead)| Step::SchedulePresorted { list, events, ahead }),
        3 => events.prop_map(|events| Step::Pop { events }),
        1 => (0..50u32).prop_map(|bits| Step::PopWithin { span: 1 << bits }),
        1 => Just(Step::Peek),
        1 => Just(Step::Clear),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn pops_in_the_order_of_the_oracle(seed: u64, steps in prop::collection::vec(step(), 1..40)) {
        let mut pair = Pair::new(seed);
        steps.into_iter().for_each(|step| pair.step(step));
        pair.finish();
    }

    #[test]
    fn holds_in_the_order_of_the_oracle(
        seed: u64, pending in 1..3000usize, kinds in prop::collection::vec(ahead(), 1..6)
    ) {
        let mut pair = Pair::new(seed);
        for n in 0..pending {
            pair.schedule(kinds[n % kinds.len()]);
        }
        for n in 0..2 * pending {
            pair.step(Step::Pop { events: 1 });
            pair.schedule(kinds[n % kinds.len()]);
        }
        pair.finish();
    }
}

/// As a network does: every kind of event lies as far ahead as every other of its kind, but for one, which is anywhere.
#[test]
fn kinds_of_events_in_lists_of_their_own_come_in_order() {
    use Presorted::{A, B, C, D};
    let list_of = |kind: usize| [None, Some(A), Some(B), Some(C), Some(D)][kind % 5];
    for seed in 0..50 {
        let mut pair = Pair::new(seed);
        for n in 0..200 {
            pair.schedule_in(list_of(n), Ahead::Within(1 << 30));
        }
        for n in 0..20_000 {
            pair.step(Step::Pop { events: 1 });
            let ahead = match n % 5 {
                0 => Ahead::Magnitudes,
                1 => Ahead::Multiples(80_000),
                kind => Ahead::Exactly([0, 500_000, 580_000][kind - 2]),
            };
            pair.schedule_in(list_of(n), ahead);
        }
        pair.finish();
    }
}

#[test]
fn a_million_events_of_one_instant_and_then_widely_spread() {
    let mut pair = Pair::new(1);
    let events = 1_000_000;
    pair.step(Step::Schedule { events, ahead: Ahead::Exactly(5_000_000) });
    pair.step(Step::Pop { events: 10 });
    // More of the same instant while it is being worked off, and of what follows it.
    for _ in 0..events {
        pair.schedule(Ahead::Exactly(0));
        pair.step(Step::Pop { events: 1 });
        pair.schedule(Ahead::Magnitudes);
    }
    pair.finish();
}

#[test]
fn events_may_still_come_before_one_that_was_looked_at() {
    let mut pair = Pair::new(2);
    pair.step(Step::Schedule { events: 100, ahead: Ahead::Exactly(Span::from_s(1).ps()) });
    pair.step(Step::Peek);
    pair.step(Step::Schedule { events: 100_000, ahead: Ahead::Within(Span::from_s(2).ps()) });
    pair.step(Step::Pop { events: 70_000 });
    pair.finish();
}

/// A burst at one instant shortens the front to before what stands in the crowd, which is then the last of all.
#[test]
fn an_instant_is_not_over_while_more_is_scheduled_at_it() {
    let mut pair = Pair::new(0);
    let steps = [
        Step::Schedule { events: 1, ahead: Ahead::Within(1 << 43) },
        Step::Pop { events: 1 },
        Step::Schedule { events: 238, ahead: Ahead::Exactly(0) },
        Step::Schedule { events: 12, ahead: Ahead::Within(1 << 24) },
        Step::Pop { events: 2 },
        Step::Schedule { events: 2, ahead: Ahead::Multiples(1) },
        Step::PopWithin { span: 1 },
        Step::Pop { events: 2 },
        Step::Schedule { events: 6, ahead: Ahead::Multiples(1) },
    ];
    steps.into_iter().for_each(|step| pair.step(step));
    pair.finish();
}

#[test]
#[should_panic(expected = "an event is scheduled for t=4 ps at t=5 ps")]
fn refuses_the_past() {
    let mut queue = EventQueue::new();
    queue.schedule(Time::from_ps(5), Order::new(0, 0), ());
    queue.pop();
    queue.schedule(Time::from_ps(4), Order::new(0, 1), ());
}

#[test]
#[should_panic(expected = "an event is scheduled for t=18446744.073709551615 s")]
fn refuses_never() {
    EventQueue::new().schedule(Time::NEVER, Order::new(0, 0), ());
}
