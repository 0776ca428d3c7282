//! In-band telemetry: what the switches on the path write on frames.

use hopscope_fabric::prefetch;
use hopscope_units::Time;

use crate::rate_control::Hop;

/// The number that stands for no record.
pub(crate) const NO_RECORD: u32 = u32::MAX;

/// The initial number of hops of a record: a tree of three tiers has five switches on its longest path, and six hops
/// are three cache lines.
const FIRST_HOPS: usize = 6;

/// A hop that has not been written.
const UNWRITTEN: Hop = Hop { output: 0, rate_kbit_s: 0, queued_bits: 0, sent_bits: 0, at: Time::ZERO };

/// The telemetry of all frames in flight: a record each, with a hop for each switch passed. A record stays with its
/// frame, then with its acknowledgment, so that nothing is copied or allocated on the path.
#[derive(Debug)]
pub(crate) struct TelemetryRecords {
    /// All records, one after the other.
    hops: Vec<Hop>,
    /// The number of hops of a record.
    width: usize,
    /// Free records.
    free: Vec<u32>,
}

impl TelemetryRecords {
    pub fn new() -> Self {
        Self { hops: Vec::new(), width: FIRST_HOPS, free: Vec::new() }
    }

    /// Writes the hop of this index of a frame's record; a frame without a record gets one.
    #[inline]
    pub fn write(&mut self, record: &mut u32, index: u32, hop: Hop) {
        let index = index as usize;
        if index >= self.width {
            self.widen(2 * self.width);
        }
        if *record == NO_RECORD {
            *record = self.free.pop().unwrap_or_else(|| {
                self.hops.resize(self.hops.len() + self.width, UNWRITTEN);
                (self.hops.len() / self.width - 1) as u32
            });
        }
        self.hops[*record as usize * self.width + index] = hop;
    }

    /// The first hops of a record, one for each switch passed.
    pub fn hops(&self, record: u32, switches: u32) -> &[Hop] {
        if record == NO_RECORD {
            return &[];
        }
        let first = record as usize * self.width;
        &self.hops[first..first + switches as usize]
    }

    /// Frees the record for another frame.
    pub fn release(&mut self, record: u32) {
        if record != NO_RECORD {
            self.free.push(record);
        }
    }

    /// Fetches a hop of a record ahead of its event.
    #[inline]
    pub fn fetch(&self, record: u32, index: u32) {
        self.hops.get(record as usize * self.width + index as usize).into_iter().for_each(prefetch);
    }

    #[cold]
    fn widen(&mut self, width: usize) {
        let mut hops = Vec::with_capacity(self.hops.len() / self.width * width);
        for record in self.hops.chunks(self.width) {
            hops.extend_from_slice(record);
            hops.resize(hops.len() + width - self.width, UNWRITTEN);
        }
        (self.hops, self.width) = (hops, width);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hop(output: u32) -> Hop {
        Hop { output, ..UNWRITTEN }
    }

    #[test]
    fn records_keep_their_hops_when_ways_are_longer_than_any_before() {
        let mut telemetry = TelemetryRecords::new();
        let mut records = [NO_RECORD; 3];
        for index in 0..20 {
            for (at, record) in (0..).zip(&mut records) {
                telemetry.write(record, index, hop(100 * at + index));
            }
        }
        for (at, record) in (0..).zip(records) {
            let expected: Vec<Hop> = (0..20).map(|index| hop(100 * at + index)).collect();
            assert_eq!(telemetry.hops(record, 20), expected);
        }
        telemetry.release(records[1]);
        let mut next = NO_RECORD;
        telemetry.write(&mut next, 0, hop(7));
        assert_eq!((next, telemetry.hops(next, 1)), (records[1], &[hop(7)][..]), "it is used again");
        assert_eq!(telemetry.hops(NO_RECORD, 0), []);
    }
}
