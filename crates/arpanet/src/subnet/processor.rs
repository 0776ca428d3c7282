//! The processor of an IMP: it handles packets one after the other, and work of higher priority comes in between.

use hopscope_kernel::{Exponential, PoissonProcess, RandomStream};
use hopscope_units::{Span, Time};

use crate::scenario::params::ProcessorKind;

/// Work of higher priority: at random instants, each of exponential length.
#[derive(Clone, Debug)]
struct Interruptions {
    process: PoissonProcess,
    length: Exponential,
    random: RandomStream,
    next: Time,
}

/// A processor. It needs no queue of its own: packets are handled in the order in which they come, so the end of each
/// is known then.
#[derive(Clone, Debug)]
pub(crate) struct Processor {
    per_packet: Span,
    per_word: Span,
    busy_until: Time,
    interruptions: Option<Interruptions>,
    /// Use since the restart.
    pub busy_ps: u64,
    pub wait_ps: u64,
    pub packets: u64,
    /// Work of higher priority since the restart.
    pub other_work: OtherWork,
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
    pub fn new(kind: &ProcessorKind, random: RandomStream) -> Self {
        let mut random = random;
        let interruptions = kind.interruption.map(|length| {
            let mut process = PoissonProcess::new(Time::ZERO, kind.interruption_gap);
            let next = process.next(&mut random);
            Interruptions { process, length: Exponential::new(length), random, next }
        });
        Self {
            per_packet: kind.per_packet,
            per_word: kind.per_word,
            busy_until: Time::ZERO,
            interruptions,
            busy_ps: 0,
            wait_ps: 0,
            packets: 0,
            other_work: OtherWork::default(),
        }
    }

    /// Handles a packet of this many words that comes now. Returns when it is begun and when it is done.
    #[inline]
    pub fn handle(&mut self, now: Time, words: u64) -> (Time, Time) {
        if let Some(interruptions) = &mut self.interruptions {
            while interruptions.next <= now {
                let length = interruptions.length.sample(&mut interruptions.random);
                self.busy_until = self.busy_until.max(interruptions.next) + length;
                self.busy_ps += length.ps();
                let us = length.ps() / 1_000_000;
                self.other_work.count += 1;
                self.other_work.ps += length.ps();
                self.other_work.squares_us2 += us * us;
                interruptions.next = interruptions.process.next(&mut interruptions.random);
            }
        }
        let start = self.busy_until.max(now);
        let work = self.per_packet + self.per_word * words;
        self.busy_until = start + work;
        self.busy_ps += work.ps();
        self.wait_ps += start.since(now).ps();
        self.packets += 1;
        (start, self.busy_until)
    }

    pub fn restart(&mut self) {
        (self.busy_ps, self.wait_ps, self.packets) = (0, 0, 0);
        self.other_work = OtherWork::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn processor(interruption: Option<Span>) -> Processor {
        let kind = ProcessorKind {
            per_packet: Span::from_us(1000),
            per_word: Span::from_us(2),
            output: Span::ZERO,
            interruption_gap: Span::from_ms(400),
            interruption,
        };
        Processor::new(&kind, RandomStream::named(1, "processor", 0))
    }

    #[test]
    fn packets_wait_for_one_another() {
        let mut processor = processor(None);
        let at = |us| Time::ZERO + Span::from_us(us);
        assert_eq!(processor.handle(at(0), 50), (at(0), at(1100)));
        assert_eq!(processor.handle(at(100), 0), (at(1100), at(2100)));
        assert_eq!(processor.handle(at(9000), 0), (at(9000), at(10_000)));
        assert_eq!(processor.wait_ps, Span::from_us(1000).ps());
    }

    #[test]
    fn interruptions_cost_their_share_times_their_mean() {
        // An M/M/1 queue of interruptions, 16 % busy, as seen by rare packets: rho x mean / (1 - rho).
        let mut processor = processor(Some(Span::from_ms(64)));
        for packet in 1..20_000 {
            processor.handle(Time::ZERO + Span::from_s(packet), 0);
        }
        let mean_ms = processor.wait_ps as f64 * 1e-9 / processor.packets as f64;
        assert!((mean_ms - 0.16 * 64.0 / 0.84).abs() < 1.0, "{mean_ms} ms");
    }
}
