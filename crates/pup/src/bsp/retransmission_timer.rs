//! The retransmission timeout of a byte stream.

use hopscope_units::{Span, Time};

/// The shortest and the longest timeout, and the first one, before any round trip has been measured.
const SHORTEST: Span = Span::from_ms(100);
const LONGEST: Span = Span::from_s(5);
/// Where Pups are lost, a warm-up takes at least this long: a stream that has lost one is silent for its first timeout,
/// the longest, and for some more until it knows its round trip, and arrivals show only the others.
pub const SILENT_AT_FIRST: Span = Span::from_ps(4 * LONGEST.ps());
/// How often the sender looks at its clock.
const BETWEEN_LOOKS: Span = Span::from_ms(100);

/// The retransmission timeout of a stream, smoothed from the time between the demand for an acknowledgment and its
/// arrival (Mesa byte stream protocol, 1981).
#[derive(Clone, Copy, Debug)]
pub struct RetransmissionTimer {
    timeout: Span,
}

impl RetransmissionTimer {
    /// The timer of a new stream.
    #[must_use]
    pub const fn new() -> Self {
        Self::starting_at(LONGEST)
    }

    /// The timer of a new stream with this timeout before any round trip has been measured.
    #[must_use]
    pub const fn starting_at(timeout: Span) -> Self {
        Self { timeout }
    }

    /// A round trip has been measured: in the long run the timeout becomes twice the round trip.
    pub fn measured(&mut self, round_trip: Span) {
        let smoothed = self.timeout * 7 + round_trip.min(LONGEST) * 2;
        self.timeout = (smoothed / 8).clamp(SHORTEST, LONGEST);
    }

    /// The timeout.
    #[must_use]
    pub const fn timeout(&self) -> Span {
        self.timeout
    }

    /// When a demand sent now is given up: at the first look at the clock after the timeout.
    #[must_use]
    pub fn deadline(&self, now: Time) -> Time {
        let over = (now + self.timeout).ps();
        Time::from_ps(over.next_multiple_of(BETWEEN_LOOKS.ps()))
    }
}

impl Default for RetransmissionTimer {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settles_at_twice_the_round_trip_within_its_bounds() {
        for (round_trip_ms, timeout_ms) in [(10, 100u32), (400, 800), (1_000, 2_000), (9_000, 5_000)] {
            let mut timer = RetransmissionTimer::new();
            for _ in 0..200 {
                timer.measured(Span::from_ms(round_trip_ms));
            }
            let off = timer.timeout().as_seconds() - f64::from(timeout_ms) * 1e-3;
            assert!(off.abs() < 1e-6, "{round_trip_ms} ms: {}", timer.timeout());
        }
    }

    #[test]
    fn looks_at_the_clock_ten_times_a_second() {
        let timer = RetransmissionTimer::new();
        assert_eq!(timer.deadline(Time::ZERO + Span::from_ms(1)), Time::ZERO + Span::from_ms(5_100));
        assert_eq!(timer.deadline(Time::ZERO), Time::ZERO + Span::from_ms(5_000));
    }
}
