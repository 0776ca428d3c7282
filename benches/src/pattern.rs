//! The hold pattern: every event that is taken leads to one later.

use hopscope_kernel::{Exponential, Order, RandomStream};
use hopscope_units::{Span, Time};

use crate::Pending;

/// How many gaps are drawn beforehand, so that the drawing is not measured.
const GAPS: usize = 1 << 16;

/// How many sources schedule events.
const SOURCES: u32 = 1024;

/// How far ahead of the present a pattern schedules: gaps that are repeated without end.
pub struct Pattern {
    gaps: Vec<Span>,
    next: usize,
    scheduled: u32,
}

impl Pattern {
    /// The hold model of the literature: exponential gaps.
    #[must_use]
    pub fn exponential() -> Self {
        let gap = Exponential::new(Span::from_us(100));
        Self::of(|stream| gap.sample(stream))
    }

    /// What a packet network at 100 Mbit/s schedules: link and routing delays that are always the same and often tie,
    /// whole numbers of byte times, transmissions of 1000 bytes, short random waits, and now and then a source's next
    /// message some hundred microseconds ahead.
    #[must_use]
    pub fn network() -> Self {
        Self::of(|stream| match stream.below(20) {
            0..4 => Span::from_ns(200),
            4..8 => Span::from_ns(480),
            8..12 => Span::from_ns(80) * (1 + stream.below(10)),
            12..16 => Span::from_us(80),
            16..19 => Span::from_ps(stream.below(40_000_000)),
            _ => Span::from_us(100) + Span::from_ps(stream.below(300_000_000)),
        })
    }

    fn of(mut gap: impl FnMut(&mut RandomStream) -> Span) -> Self {
        let mut stream = RandomStream::named(1, "gaps", 0);
        Self { gaps: (0..GAPS).map(|_| gap(&mut stream)).collect(), next: 0, scheduled: 0 }
    }

    #[inline]
    fn schedule_after(&mut self, now: Time, queue: &mut impl Pending) {
        let gap = self.gaps[self.next % GAPS];
        self.next += 1;
        self.scheduled = self.scheduled.wrapping_add(1);
        let order = Order::new(self.scheduled % SOURCES, self.scheduled);
        queue.schedule(now + gap, order, [u64::from(self.scheduled), gap.ps()]);
    }

    /// A queue with this many events pending.
    pub fn fill<Q: Pending>(&mut self, pending: usize) -> Q {
        let mut queue = Q::empty();
        (0..pending).for_each(|_| self.schedule_after(Time::ZERO, &mut queue));
        queue
    }

    /// Pops the first event and schedules another. Panics where nothing is pending.
    #[inline]
    pub fn hold(&mut self, queue: &mut impl Pending) -> Time {
        let (now, _) = queue.pop().expect("a held queue never runs empty");
        self.schedule_after(now, queue);
        now
    }
}
