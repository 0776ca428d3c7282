//! What switches tell of frames under way (in-band telemetry).

use hopscope_fabric::prefetch;
use hopscope_units::Time;

use crate::rate_control::Hop;

/// A sheet on which nothing was written.
pub(crate) const NO_SHEET: u32 = u32::MAX;

/// Places of a sheet at first: a tree of three tiers has five switches on its longest way, and six places are three
/// cache lines.
const PLACES: usize = 6;

/// What stands in a place in which nothing has been written.
const NOTHING: Hop = Hop { output: 0, rate: 0, queued: 0, sent: 0, at: Time::ZERO };

/// Sheets on which switches write, a place each. A sheet goes with its frame, then with its acknowledgment, so that
/// nothing is copied or allocated on the way.
#[derive(Debug)]
pub(crate) struct Told {
    /// All sheets, one behind the other.
    hops: Vec<Hop>,
    /// Places of a sheet.
    places: usize,
    /// Sheets that nobody has.
    free: Vec<u32>,
}

impl Told {
    pub fn new() -> Self {
        Self { hops: Vec::new(), places: PLACES, free: Vec::new() }
    }

    /// A switch tells of itself, as the one of this place on the way; where there is no sheet yet, on a new one.
    #[inline]
    pub fn write(&mut self, sheet: &mut u32, place: u32, hop: Hop) {
        let place = place as usize;
        if place >= self.places {
            self.widen(2 * self.places);
        }
        if *sheet == NO_SHEET {
            *sheet = self.free.pop().unwrap_or_else(|| {
                self.hops.resize(self.hops.len() + self.places, NOTHING);
                (self.hops.len() / self.places - 1) as u32
            });
        }
        self.hops[*sheet as usize * self.places + place] = hop;
    }

    /// What the first so many switches told.
    pub fn of(&self, sheet: u32, switches: u32) -> &[Hop] {
        if sheet == NO_SHEET {
            return &[];
        }
        let first = sheet as usize * self.places;
        &self.hops[first..first + switches as usize]
    }

    /// A sheet is needed no more.
    pub fn give_back(&mut self, sheet: u32) {
        if sheet != NO_SHEET {
            self.free.push(sheet);
        }
    }

    /// Fetches a place of a sheet ahead of its event.
    #[inline]
    pub fn fetch(&self, sheet: u32, place: u32) {
        self.hops.get(sheet as usize * self.places + place as usize).into_iter().for_each(prefetch);
    }

    #[cold]
    fn widen(&mut self, places: usize) {
        let mut hops = Vec::with_capacity(self.hops.len() / self.places * places);
        for sheet in self.hops.chunks(self.places) {
            hops.extend_from_slice(sheet);
            hops.resize(hops.len() + places - self.places, NOTHING);
        }
        (self.hops, self.places) = (hops, places);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hop(output: u32) -> Hop {
        Hop { output, ..NOTHING }
    }

    #[test]
    fn sheets_keep_what_is_on_them_when_ways_are_longer_than_any_before() {
        let mut told = Told::new();
        let mut sheets = [NO_SHEET; 3];
        for place in 0..20 {
            for (at, sheet) in (0..).zip(&mut sheets) {
                told.write(sheet, place, hop(100 * at + place));
            }
        }
        for (at, sheet) in (0..).zip(sheets) {
            let expected: Vec<Hop> = (0..20).map(|place| hop(100 * at + place)).collect();
            assert_eq!(told.of(sheet, 20), expected);
        }
        told.give_back(sheets[1]);
        let mut next = NO_SHEET;
        told.write(&mut next, 0, hop(7));
        assert_eq!((next, told.of(next, 1)), (sheets[1], &[hop(7)][..]), "it is used again");
        assert_eq!(told.of(NO_SHEET, 0), []);
    }
}
