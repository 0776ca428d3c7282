//! Instants and spans of simulated time.

use core::fmt;
use core::iter::Sum;
use core::ops::{Add, AddAssign, Div, Mul, Sub, SubAssign};
use core::str::FromStr;

use crate::quantity::{self, ParseQuantityError, Unit};

/// An instant of simulated time: picoseconds since the run began. 64 bits hold 213 days.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(u64);

/// A length of simulated time in picoseconds.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span(u64);

const UNITS: &[Unit] = &[
    Unit { names: &["s"], scale: 1_000_000_000_000 },
    Unit { names: &["ms"], scale: 1_000_000_000 },
    Unit { names: &["us", "\u{b5}s", "\u{3bc}s"], scale: 1_000_000 },
    Unit { names: &["ns"], scale: 1_000 },
    Unit { names: &["ps"], scale: 1 },
    Unit { names: &["min"], scale: 60_000_000_000_000 },
    Unit { names: &["h"], scale: 3_600_000_000_000_000 },
    Unit { names: &["d"], scale: 86_400_000_000_000_000 },
];

impl Time {
    /// The start of every run.
    pub const ZERO: Self = Self(0);
    /// Later than anything that happens.
    pub const NEVER: Self = Self(u64::MAX);
    /// The end of simulated time, 106 days after the start. What follows from something that happens before it can
    /// still be counted in 64 bits.
    pub const HORIZON: Self = Self(u64::MAX / 2);

    /// The instant this many picoseconds after the start.
    #[inline]
    #[must_use]
    pub const fn from_ps(ps: u64) -> Self {
        Self(ps)
    }

    /// Picoseconds since the start.
    #[inline]
    #[must_use]
    pub const fn ps(self) -> u64 {
        self.0
    }

    /// The instant after this span; [`NEVER`](Self::NEVER) where that lies beyond the end of simulated time.
    #[inline]
    #[must_use]
    pub fn after(self, span: Span) -> Self {
        match self.0.checked_add(span.0) {
            Some(ps) if ps <= Self::HORIZON.0 => Self(ps),
            _ => Self::NEVER,
        }
    }

    /// The time since an earlier instant. Panics where `earlier` is later: a model that did this would count negative
    /// waits.
    #[inline]
    #[must_use]
    pub fn since(self, earlier: Self) -> Span {
        assert!(self.0 >= earlier.0, "time ran backwards: {self:?} since {earlier:?}");
        Span(self.0 - earlier.0)
    }

    /// The time since an earlier instant, or nothing where that instant has not come yet.
    #[inline]
    #[must_use]
    pub const fn saturating_since(self, earlier: Self) -> Span {
        Span(self.0.saturating_sub(earlier.0))
    }

    /// Seconds since the start, for summaries.
    #[must_use]
    pub fn as_seconds(self) -> f64 {
        Span(self.0).as_seconds()
    }
}

impl Span {
    /// The units in which times are read: their names with their sizes in picoseconds.
    pub fn units() -> impl Iterator<Item = (&'static str, u64)> {
        quantity::sizes(UNITS)
    }

    /// Adds it to a sum of picoseconds that many share, such as the waiting of all packets at an output. The sum stays
    /// at the most that 64 bits hold, 213 days.
    #[inline]
    pub fn onto(self, sum: &mut u64) {
        *sum = sum.saturating_add(self.0);
    }

    /// This multiple of the span; [`MAX`](Self::MAX) where 64 bits do not hold it.
    #[inline]
    #[must_use]
    pub const fn times(self, count: u64) -> Self {
        Self(self.0.saturating_mul(count))
    }

    /// No time at all.
    pub const ZERO: Self = Self(0);
    /// Longer than any run.
    pub const MAX: Self = Self(u64::MAX);

    /// A span of this many picoseconds.
    #[inline]
    #[must_use]
    pub const fn from_ps(ps: u64) -> Self {
        Self(ps)
    }

    /// A span of this many nanoseconds.
    #[inline]
    #[must_use]
    pub const fn from_ns(ns: u64) -> Self {
        Self(ns * 1_000)
    }

    /// A span of this many microseconds.
    #[inline]
    #[must_use]
    pub const fn from_us(us: u64) -> Self {
        Self(us * 1_000_000)
    }

    /// A span of this many milliseconds.
    #[inline]
    #[must_use]
    pub const fn from_ms(ms: u64) -> Self {
        Self(ms * 1_000_000_000)
    }

    /// A span of this many seconds.
    #[inline]
    #[must_use]
    pub const fn from_s(s: u64) -> Self {
        Self(s * 1_000_000_000_000)
    }

    /// Picoseconds.
    #[inline]
    #[must_use]
    pub const fn ps(self) -> u64 {
        self.0
    }

    /// Seconds, for summaries.
    #[must_use]
    pub fn as_seconds(self) -> f64 {
        self.0 as f64 * 1e-12
    }

    /// Microseconds, for summaries.
    #[must_use]
    pub fn as_us(self) -> f64 {
        self.0 as f64 * 1e-6
    }
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        quantity::write(f, self.0, &UNITS[..5])
    }
}

impl fmt::Debug for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&Span(self.0), f)
    }
}

impl fmt::Debug for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "t={self}")
    }
}

impl FromStr for Span {
    type Err = ParseQuantityError;

    /// Reads "0.48 us", "125 ms", "1 h". The value must be a whole number of picoseconds.
    fn from_str(text: &str) -> Result<Self, ParseQuantityError> {
        quantity::parse(text, UNITS, "a time such as \"0.48 us\" or \"125 ms\"", quantity::nothing_else)
            .map(Self)
    }
}

impl Add<Span> for Time {
    type Output = Self;
    #[inline]
    fn add(self, span: Span) -> Self {
        Self(self.0 + span.0)
    }
}

impl AddAssign<Span> for Time {
    #[inline]
    fn add_assign(&mut self, span: Span) {
        self.0 += span.0;
    }
}

impl Add for Span {
    type Output = Self;
    #[inline]
    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

impl AddAssign for Span {
    #[inline]
    fn add_assign(&mut self, other: Self) {
        self.0 += other.0;
    }
}

impl Sub for Span {
    type Output = Self;
    #[inline]
    fn sub(self, other: Self) -> Self {
        Self(self.0 - other.0)
    }
}

impl SubAssign for Span {
    #[inline]
    fn sub_assign(&mut self, other: Self) {
        self.0 -= other.0;
    }
}

impl Mul<u64> for Span {
    type Output = Self;
    #[inline]
    fn mul(self, times: u64) -> Self {
        Self(self.0 * times)
    }
}

impl Div<u64> for Span {
    type Output = Self;
    #[inline]
    fn div(self, parts: u64) -> Self {
        Self(self.0 / parts)
    }
}

impl Sum for Span {
    fn sum<I: Iterator<Item = Self>>(spans: I) -> Self {
        spans.fold(Self::ZERO, Add::add)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_and_writes_times() {
        assert_eq!("0.48 us".parse(), Ok(Span::from_ns(480)));
        assert_eq!("1.5ms".parse(), Ok(Span::from_us(1500)));
        // The micro sign and the Greek mu look alike, and keyboards have either.
        assert_eq!("10 \u{b5}s".parse(), Ok(Span::from_us(10)));
        assert_eq!("10 \u{3bc}s".parse(), Ok(Span::from_us(10)));
        assert_eq!("1 h".parse(), Ok(Span::from_s(3600)));
        assert_eq!(Span::from_ns(480).to_string(), "480 ns");
        assert_eq!(Span::from_us(1520).to_string(), "1.52 ms");
        assert_eq!(Span::ZERO.to_string(), "0 s");
        assert_eq!(Span::from_s(604_800).to_string(), "604800 s");
    }

    #[test]
    fn beyond_the_horizon_is_never() {
        let horizon = Time::HORIZON.since(Time::ZERO);
        assert_eq!(Time::ZERO.after(horizon), Time::HORIZON);
        assert_eq!(Time::from_ps(1).after(horizon), Time::NEVER);
        assert_eq!(Time::HORIZON.after(Span::MAX), Time::NEVER);
        let mut sum = u64::MAX - 1;
        Span::from_ns(1).onto(&mut sum);
        assert_eq!(sum, u64::MAX);
        assert_eq!(
            (Span::from_ns(2).times(3), Span::from_s(2).times(u64::MAX)),
            (Span::from_ns(6), Span::MAX)
        );
    }

    #[test]
    #[should_panic(expected = "time ran backwards")]
    fn refuses_negative_waits() {
        let _ = Time::ZERO.since(Time::from_ps(1));
    }
}
