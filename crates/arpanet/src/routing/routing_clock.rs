//! When an IMP sends routing messages on a line, and how long the line is busy with each.

use hopscope_units::{Data, Rate, Span};

use crate::protocol::packet::{CONTROL_BITS, ROUTING_BITS};

/// How long a line is busy with a routing message.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RoutingTimes {
    /// With the null packet before it, which carries acknowledgments; not at all where none goes before.
    pub null: Span,
    /// With the message, which carries none.
    pub message: Span,
    /// From the moment in which the line is free to the last bit of the null packet: the output program runs before it.
    pub null_sent: Span,
    /// From that moment to the last bit of the message.
    pub sent: Span,
}

impl RoutingTimes {
    /// On a line of this rate, whose IMP takes `output` to prepare each packet.
    pub fn new(rate: Rate, output: Span, null_before: bool) -> Self {
        let time = |bits: u32| rate.time_for(Data::from_bits(u64::from(bits)));
        let (null, message) = (time(CONTROL_BITS), time(ROUTING_BITS));
        let (null, null_sent) = if null_before { (null, output + null) } else { (Span::ZERO, Span::ZERO) };
        Self { null, message, null_sent, sent: null_sent + output + message }
    }
}

/// When routing messages are sent on a line.
///
/// A clock ticks on every line, and a pattern of five says at which ticks a message is sent. With every computation the
/// pattern follows from the time for which the line was busy since the one before: the more, the fewer messages (the
/// program's listing, RSTOUT and RMVFRQ).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RoutingClock {
    /// The tick's place in the pattern: one bit.
    tick: u8,
    pattern: u8,
}

/// Ticks of a pattern.
const PATTERN_TICKS: u8 = 5;

/// Patterns from a line that is hardly used to one in use all the time, one bit a tick.
const PATTERNS: [u8; PATTERN_TICKS as usize] = [0b11111, 0b11011, 0b01101, 0b00101, 0b00001];

/// The additional use between two computations that removes one message of five. Five routing messages of 50 kbit/s,
/// each behind its null packet, are 131 ms: a line that carries nothing else sends all of them.
const USE_STEP: Span = Span::from_ms(132);

impl RoutingClock {
    /// The clock of a line that has not been used.
    #[must_use]
    pub const fn new() -> Self {
        Self { tick: 1, pattern: PATTERNS[0] }
    }

    /// The clock ticks: whether a message is sent.
    pub const fn tick(&mut self) -> bool {
        self.tick = if self.tick == 1 { 1 << (PATTERN_TICKS - 1) } else { self.tick >> 1 };
        self.pattern & self.tick != 0
    }

    /// A computation finds that the line was busy for `busy` since the one before.
    pub fn used(&mut self, busy: Span) {
        let steps = (busy.ps() / USE_STEP.ps()) as usize;
        self.pattern = PATTERNS[steps.min(PATTERNS.len() - 1)];
    }
}

impl Default for RoutingClock {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_sent_in_one_to_five_of_five_ticks() {
        for (busy_ms, expected) in
            [(0, 5), (131, 5), (132, 4), (263, 4), (264, 3), (527, 2), (528, 1), (640, 1)]
        {
            let mut clock = RoutingClock::new();
            clock.used(Span::from_ms(busy_ms));
            for _ in 0..2 {
                assert_eq!((0..5).filter(|_| clock.tick()).count(), expected, "busy for {busy_ms} ms");
            }
        }
    }
}
