//! The routing messages of one line in time: which of them are due, and which have gone out with nothing new in them.
//!
//! Most routing messages carry nothing new: the neighbour has merged their computation, and the acknowledgments in them
//! arrived before. They only keep the line busy. Their times are therefore computed only when the line is examined. A
//! message goes out at its tick or when the line becomes free after it, and nothing else can have gone out in between,
//! because everything that is queued for a line looks at it first. A message that must go out now is left to the line's
//! priorities; one that must wait until the line is free is left for the next look.

use hopscope_units::{Span, Time};

use crate::routing::routing_clock::RoutingClock;

/// What has become of a routing message since the last look at its line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Passed {
    /// None is due that could have been sent: the line is up to date.
    Nothing,
    /// One went out at this instant, with nothing new in it.
    Sent(Time),
    /// One is to go out now.
    Due,
    /// One with a new computation should have been sent.
    News,
}

/// When routing messages are sent on a line, and the computation of the last one.
#[derive(Clone, Debug)]
pub(crate) struct RoutingSchedule {
    clock: RoutingClock,
    /// Between two ticks.
    period: Span,
    /// A message is sent at every tick, whatever the use of the line.
    every_tick: bool,
    /// The first tick that has not been dealt with, where not every tick is an event.
    tick_at: Time,
    /// When the clock asked for a message that has not been sent, where not every tick is an event.
    asked_at: Time,
    /// The computation of the last message.
    told: u32,
    /// The time that the line was busy since the IMP's last computation.
    busy_since_computation: Span,
    /// A check of the clock is scheduled, because its next message is a new computation.
    pub is_watched: bool,
}

impl RoutingSchedule {
    /// That of a line that has not been used. `every_tick`: the use of the line takes no message away.
    pub const fn new(period: Span, every_tick: bool) -> Self {
        Self {
            clock: RoutingClock::new(),
            period,
            every_tick,
            tick_at: Time::NEVER,
            asked_at: Time::NEVER,
            told: 0,
            busy_since_computation: Span::ZERO,
            is_watched: false,
        }
    }

    /// The time between two ticks.
    pub const fn period(&self) -> Span {
        self.period
    }

    /// Not every tick is an event: this is the first.
    pub const fn start(&mut self, at: Time) {
        self.tick_at = at;
    }

    /// The clock ticks: whether a message is sent.
    pub const fn tick(&mut self) -> bool {
        self.clock.tick() || self.every_tick
    }

    /// Whether ticks or messages up to now have not been dealt with.
    #[inline]
    pub fn is_behind(&self, now: Time) -> bool {
        self.next_look() <= now
    }

    /// When the next message or tick is due, as far as the line is free.
    #[inline]
    pub fn next_look(&self) -> Time {
        self.asked_at.min(self.tick_at)
    }

    /// Deals with ticks up to now, as far as the next message. The line is busy until `busy_until`; `serial` is its
    /// IMP's last computation.
    #[inline]
    pub fn pass(&mut self, now: Time, busy_until: Time, serial: u32) -> Passed {
        while self.asked_at == Time::NEVER {
            let tick = self.tick_at;
            if tick > now {
                return Passed::Nothing;
            }
            self.tick_at = tick + self.period;
            if self.tick() {
                self.asked_at = tick;
            }
        }
        // Ticks while a message waits for the line ask for no second one.
        let start = self.asked_at.max(busy_until);
        while self.tick_at <= start.min(now) {
            self.tick();
            self.tick_at += self.period;
        }
        if start > now {
            return Passed::Nothing;
        }
        if start < now && self.has_news(serial) {
            return Passed::News;
        }
        self.asked_at = Time::NEVER;
        if start == now { Passed::Due } else { Passed::Sent(start) }
    }

    /// Whether the next message is the first with its computation.
    #[inline]
    pub const fn has_news(&self, serial: u32) -> bool {
        self.told != serial
    }

    /// A message with this computation is sent.
    pub const fn tells(&mut self, serial: u32) {
        self.told = serial;
    }

    /// The line is busy for this time.
    #[inline]
    pub fn is_busy(&mut self, length: Span) {
        self.busy_since_computation += length;
    }

    /// The IMP computes: the use of the line since the last time says how many messages go out from now on.
    pub fn computed(&mut self) {
        self.clock.used(std::mem::take(&mut self.busy_since_computation));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> Time {
        Time::ZERO + Span::from_ms(ms)
    }

    fn started() -> RoutingSchedule {
        let mut schedule = RoutingSchedule::new(Span::from_ms(128), false);
        schedule.start(at(100));
        schedule
    }

    #[test]
    fn messages_without_news_are_passed_one_by_one() {
        let mut schedule = started();
        assert!(!schedule.is_behind(at(99)) && schedule.is_behind(at(100)));
        let passed = [(); 4].map(|()| schedule.pass(at(356), Time::ZERO, 0));
        assert_eq!(passed, [Passed::Sent(at(100)), Passed::Sent(at(228)), Passed::Due, Passed::Nothing]);
        assert_eq!(schedule.next_look(), at(484));
    }

    #[test]
    fn a_message_waits_for_the_line_and_ticks_meanwhile_ask_for_no_second_one() {
        let mut schedule = started();
        assert_eq!(schedule.pass(at(300), at(400), 0), Passed::Nothing);
        assert_eq!(schedule.pass(at(420), at(400), 0), Passed::Sent(at(400)));
        assert_eq!(schedule.pass(at(420), at(425), 0), Passed::Nothing);
        assert_eq!(schedule.next_look(), at(484));
    }

    #[test]
    fn news_cannot_be_passed_over() {
        let mut schedule = started();
        assert_eq!(schedule.pass(at(101), Time::ZERO, 1), Passed::News);
        schedule.tells(1);
        assert_eq!(schedule.pass(at(101), Time::ZERO, 1), Passed::Sent(at(100)));
    }
}
