//! The processor of an IMP: it handles packets one after the other, and the ticks of its clock and its routing come in
//! between.

use hopscope_units::{Span, Time};

use crate::scenario::params::TICK;
use crate::scenario::processor_params::ProcessorTimes;

/// A processor. It needs no queue of its own: packets are handled in the order in which they come, so the end of each
/// is known then.
#[derive(Clone, Debug)]
pub(crate) struct Processor {
    kind: ProcessorTimes,
    tick: Piece,
    routing: Piece,
    busy_until: Time,
    /// When the clock ticked first: the phase of everything that the IMP does at its ticks.
    first_tick: Time,
    next_tick: Time,
    /// Use by packets since the restart.
    handled_ps: u64,
    pub wait_ps: u64,
    pub packets: u64,
    /// Pieces of work of higher priority since the restart. Their sum is computed on request: there are more ticks than
    /// packets.
    ticks: u64,
    routes: u64,
}

/// A piece of work of higher priority.
#[derive(Clone, Copy, Debug)]
struct Piece {
    length: Span,
    square_us2: u64,
}

impl Piece {
    const fn new(length: Span) -> Self {
        let us = length.ps() / 1_000_000;
        Self { length, square_us2: us * us }
    }
}

/// Pieces of work of higher priority.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct OtherWork {
    pub count: u64,
    pub ps: u64,
    /// The sum of the squares of their lengths, us^2.
    pub squares_us2: u64,
}

impl Processor {
    /// A processor whose clock ticks first at this instant.
    pub const fn new(kind: ProcessorTimes, first_tick: Time) -> Self {
        Self {
            tick: Piece::new(kind.tick),
            routing: Piece::new(kind.routing),
            kind,
            busy_until: Time::ZERO,
            first_tick,
            next_tick: first_tick,
            handled_ps: 0,
            wait_ps: 0,
            packets: 0,
            ticks: 0,
            routes: 0,
        }
    }

    /// How long it has been busy since the restart, picoseconds.
    pub fn busy_ps(&self) -> u64 {
        self.handled_ps + self.other_work().ps
    }

    /// Work of higher priority since the restart.
    pub fn other_work(&self) -> OtherWork {
        let mut sum = OtherWork::default();
        for (count, piece) in [(self.ticks, self.tick), (self.routes, self.routing)] {
            sum.count += count;
            sum.ps += piece.length.ps() * count;
            sum.squares_us2 += piece.square_us2 * count;
        }
        sum
    }

    /// How long the handling of a packet of this many words takes.
    #[inline]
    pub const fn handling_time(&self, words: u64) -> Span {
        Span::from_ps(self.kind.per_packet.ps() + self.kind.per_word.ps() * words)
    }

    /// How long a routing computation takes.
    #[inline]
    pub const fn routing_time(&self) -> Span {
        self.kind.routing
    }

    /// Handles a packet of this many words that comes now. Returns when it is begun and when it is done.
    #[inline]
    pub fn handle(&mut self, now: Time, words: u64) -> (Time, Time) {
        let start = self.begin(now);
        let length = self.handling_time(words);
        self.busy_until = start + length;
        self.handled_ps += length.ps();
        start.since(now).onto(&mut self.wait_ps);
        self.packets += 1;
        (start, self.busy_until)
    }

    /// Goes through all destinations: a routing computation, or a neighbour's. Returns when it is done.
    pub fn route(&mut self, now: Time) -> Time {
        let start = self.begin(now);
        self.routes += 1;
        self.busy_until = start + self.routing.length;
        self.busy_until
    }

    /// When the IMP looks after its hosts next, once in every such period, in step with its clock.
    pub const fn look_after(&self, now: Time, period: Span) -> Time {
        let since = now.ps() + period.ps() - self.first_tick.ps() % period.ps();
        Time::from_ps(now.ps() + period.ps() - since % period.ps())
    }

    /// How long it takes until the background loop makes a reply.
    pub const fn background(&self) -> Span {
        self.kind.background
    }

    /// Processes the ticks up to now. They are no events: their effect is computed on request.
    #[inline]
    pub fn catch_up(&mut self, now: Time) {
        if self.next_tick <= now && self.tick.length > Span::ZERO {
            self.take_ticks(now);
        }
    }

    fn take_ticks(&mut self, now: Time) {
        while self.next_tick <= now {
            if self.busy_until <= self.next_tick {
                // It is idle, and each tick is over before the next: only the last one can matter now.
                let passed = now.since(self.next_tick).ps() / TICK.ps();
                self.ticks += passed;
                self.next_tick += TICK * passed;
            }
            self.busy_until = self.busy_until.max(self.next_tick) + self.tick.length;
            self.ticks += 1;
            self.next_tick += TICK;
        }
    }

    #[inline]
    fn begin(&mut self, now: Time) -> Time {
        self.catch_up(now);
        self.busy_until.max(now)
    }

    pub fn restart(&mut self) {
        (self.handled_ps, self.wait_ps, self.packets) = (0, 0, 0);
        (self.ticks, self.routes) = (0, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(us: u64) -> Time {
        Time::ZERO + Span::from_us(us)
    }

    fn processor(tick: Span) -> Processor {
        let kind = ProcessorTimes {
            per_packet: Span::from_us(1000),
            per_word: Span::from_us(2),
            output: Span::ZERO,
            tick,
            routing: Span::from_ms(10),
            background: Span::ZERO,
        };
        Processor::new(kind, at(50_000))
    }

    #[test]
    fn packets_wait_for_one_another_and_for_routing() {
        let mut processor = processor(Span::ZERO);
        assert_eq!(processor.handle(at(0), 50), (at(0), at(1100)));
        assert_eq!(processor.handle(at(100), 0), (at(1100), at(2100)));
        assert_eq!(processor.handle(at(9000), 0), (at(9000), at(10_000)));
        assert_eq!(processor.wait_ps, Span::from_us(1000).ps());
        assert_eq!(processor.route(at(20_000)), at(30_000));
        assert_eq!(processor.handle(at(20_000), 0), (at(30_000), at(31_000)));
    }

    #[test]
    fn a_random_packet_waits_half_the_square_of_a_tick_by_its_period() {
        // The residual work that a packet finds at instants that sweep evenly over the period of 25.6 ms.
        let (mut processor, tick_ms) = (processor(Span::from_ms(8)), 8.0);
        for packet in 1..20_001_u64 {
            processor.handle(at(packet * 97_003), 0);
        }
        let mean_ms = processor.wait_ps as f64 * 1e-9 / processor.packets as f64;
        assert!((mean_ms - tick_ms * tick_ms / 2.0 / 25.6).abs() < 0.02, "{mean_ms} ms");
        let busy = processor.busy_ps() as f64 / (20_000.0 * 97_003e6);
        assert!((busy - (tick_ms / 25.6 + 1.0 / 97.003)).abs() < 1e-3, "{busy}");
    }

    #[test]
    fn hosts_are_looked_at_when_the_clock_ticks() {
        let processor = processor(Span::ZERO);
        assert_eq!(processor.look_after(at(0), TICK), at(24_400));
        assert_eq!(processor.look_after(at(24_400), TICK), at(50_000));
        assert_eq!(processor.look_after(at(70_000), TICK), at(75_600));
        assert_eq!(processor.look_after(at(75_599), TICK / 4), at(75_600));
    }

    #[test]
    fn looking_at_ticks_on_the_way_changes_nothing() {
        let [mut seldom, mut often] = [(); 2].map(|()| processor(Span::from_ms(3)));
        for ms in 0..2000 {
            often.catch_up(at(ms * 1000 + 333));
            if ms % 37 == 0 {
                assert_eq!(seldom.handle(at(ms * 1000 + 333), 9), often.handle(at(ms * 1000 + 333), 9));
            }
        }
        assert_eq!(seldom.busy_ps(), often.busy_ps());
    }
}
