//! The routing table of one IMP: distance vectors of delay estimates.
//!
//! Kleinrock and Opderbeck, sections III and V; Tables I to III are replayed by the tests of this crate. Each hop costs four units and
//! one more for every packet in the output queue. A neighbour's vector is merged when it arrives: the estimate over the best line
//! follows it up and down, and another line is taken only where it is strictly better and the best line is not held down.

use hopscope_units::{Data, Rate, Span};

use crate::protocol::packet::{CONTROL_BITS, ROUTING_BITS};
use crate::routing::hold_down::{HoldDown, HoldDowns};

/// What one hop adds to a delay estimate, in delay units.
pub const HOP: u16 = 4;

/// The worst estimate: a routing message has 11 bits for each (the program's listing).
pub const WORST: u16 = 2047;

/// The number of one of an IMP's lines.
pub type Port = u8;

/// No line: the IMP itself.
pub const NO_PORT: Port = Port::MAX;

/// What becomes of a better estimate over another line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The best line is that one now.
    Switched,
    /// It is ignored, because the best line is held down.
    Ignored,
}

/// The delay estimates of one IMP and the line that is best for each destination.
#[derive(Clone, Debug)]
pub struct RoutingTable {
    estimates: Vec<u16>,
    best: Vec<Port>,
    /// Packets in the output queue of each line when last sampled.
    queues: Vec<u16>,
    holds: HoldDowns,
}

impl RoutingTable {
    /// A table that starts from these estimates and best lines, with all of `ports` lines idle.
    #[must_use]
    pub fn new(estimates: Vec<u16>, best: Vec<Port>, ports: usize, rule: HoldDown) -> Self {
        assert!(estimates.len() == best.len(), "an estimate and a line for every destination");
        Self { holds: HoldDowns::new(rule, &estimates), estimates, best, queues: vec![0; ports] }
    }

    /// The best line to a destination; [`NO_PORT`] for the IMP itself.
    #[inline]
    #[must_use]
    pub fn best(&self, destination: usize) -> Port {
        self.best[destination]
    }

    /// The delay estimate to a destination.
    #[must_use]
    pub fn estimate(&self, destination: usize) -> u16 {
        self.estimates[destination]
    }

    /// All estimates: what a routing message carries.
    #[must_use]
    pub fn estimates(&self) -> &[u16] {
        &self.estimates
    }

    /// The local delay over a line: the packets in its output queue when last sampled.
    #[must_use]
    pub fn local_delay(&self, port: Port) -> u16 {
        self.queues[usize::from(port)]
    }

    /// Whether the line to a destination is held down.
    #[must_use]
    pub fn held(&self, destination: usize) -> bool {
        self.holds.held(destination)
    }

    /// The queue of a line is sampled.
    pub fn sample(&mut self, port: Port, queued: u16) {
        self.queues[usize::from(port)] = queued;
    }

    /// Ends a computation: hold-downs come one step nearer to their end.
    pub fn tick(&mut self) {
        self.holds.tick(&self.estimates, &self.best, self.queues.len());
    }

    /// Merges the vector of the neighbour at the end of a line, and tells of each destination for which the best line changes or would
    /// change.
    pub fn merge(&mut self, port: Port, vector: &[u16], mut tell: impl FnMut(usize, Verdict)) {
        let cost = HOP + self.queues[usize::from(port)];
        self.holds.heard(port);
        for (destination, &beyond) in vector.iter().enumerate() {
            let (before, after) = (self.estimates[destination], (beyond + cost).min(WORST));
            if self.best[destination] == port {
                if after != before {
                    self.holds.changed(destination, before, after);
                    self.estimates[destination] = after;
                }
            } else if after < before {
                if self.holds.held(destination) {
                    tell(destination, Verdict::Ignored);
                    continue;
                }
                self.estimates[destination] = after;
                self.best[destination] = port;
                tell(destination, Verdict::Switched);
            }
        }
    }
}

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
/// A clock ticks on every line, and a pattern of five says at which ticks a message is sent. With every computation the pattern follows
/// from the time for which the line was busy since the one before: the more, the fewer messages (the program's listing, RSTOUT and RMVFRQ).
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

/// So much more use between two computations takes one message of five away. Five routing messages of 50 kbit/s, each behind its null
/// packet, are 131 ms: a line that carries nothing else sends all of them.
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

    /// A computation finds that the line was busy for so long since the one before.
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

    #[test]
    fn an_equal_estimate_over_another_line_changes_nothing() {
        let mut table = RoutingTable::new(vec![12], vec![0], 2, HoldDown::None);
        table.merge(1, &[8], |_, _| panic!("the line was switched"));
        table.merge(1, &[7], |destination, told| assert_eq!((destination, told), (0, Verdict::Switched)));
        assert_eq!((table.estimate(0), table.best(0)), (11, 1));
    }
}
