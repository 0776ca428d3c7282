//! At most 64 ways by a number each, of which the lowest few different numbers are known.

/// Ways that have the same number, as bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Level {
    number: u64,
    ways: u64,
}

/// The lowest few levels, ascending. All other ways have a higher number than these.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Levels<const MOST: usize> {
    known: [Level; MOST],
    count: u32,
    /// Whether no way has a higher number.
    is_all: bool,
}

impl<const MOST: usize> Levels<MOST> {
    /// Nothing is known.
    pub const NONE: Self = Self { known: [Level { number: 0, ways: 0 }; MOST], count: 0, is_all: false };

    /// The levels of the numbers of all ways.
    pub fn of(numbers: impl Iterator<Item = u64>) -> Self {
        let mut levels = Self { is_all: true, ..Self::NONE };
        for (way, number) in numbers.enumerate() {
            levels.insert(number, 1 << way);
        }
        levels
    }

    /// Whether more levels than now can be known.
    pub fn may_be_filled(&self) -> bool {
        !self.is_all && (self.count as usize) < MOST
    }

    fn known(&self) -> &[Level] {
        &self.known[..self.count as usize]
    }

    #[inline]
    fn insert(&mut self, number: u64, way: u64) {
        let count = self.count as usize;
        let at = self.known[..count].iter().position(|level| level.number >= number).unwrap_or(count);
        if at < count && self.known[at].number == number {
            self.known[at].ways |= way;
        } else if at == MOST {
            self.is_all = false;
        } else {
            self.is_all &= count < MOST;
            let count = count.min(MOST - 1);
            self.known.copy_within(at..count, at + 1);
            self.known[at] = Level { number, ways: way };
            self.count = count as u32 + 1;
        }
    }

    /// A way has a higher number than before.
    #[inline]
    pub fn move_up(&mut self, way: u32, before: u64, number: u64) {
        let count = self.count as usize;
        let Some(at) = self.known[..count].iter().position(|level| level.number == before) else {
            // It was among those with higher numbers than are known, and stays there.
            return;
        };
        self.known[at].ways &= !(1 << way);
        if self.known[at].ways == 0 {
            self.known.copy_within(at + 1..count, at);
            self.count -= 1;
        }
        if self.is_all || self.known().last().is_some_and(|last| number <= last.number) {
            self.insert(number, 1 << way);
        }
    }

    /// The way whose higher number of the two, its own and that of `others`, is least, and this number. Of several the
    /// one with the least own number is taken, and then the first. None if the known levels do not determine it.
    #[inline]
    pub fn least_with<const OTHERS: usize>(&self, others: &Levels<OTHERS>) -> Option<(u32, u64)> {
        let (mine, theirs) = (self.known(), others.known());
        let (mut taken, mut my_ways, mut their_ways) = ((0, 0), 0, 0);
        loop {
            // Levels are taken in ascending order: ways in both sets have both numbers at most as high.
            let (my_next, their_next) = (mine.get(taken.0), theirs.get(taken.1));
            let number = match (my_next, their_next) {
                (Some(mine), Some(theirs)) => mine.number.min(theirs.number),
                (Some(mine), None) if others.is_all => mine.number,
                (None, Some(theirs)) if self.is_all => theirs.number,
                _ => return None,
            };
            if let Some(level) = my_next.filter(|level| level.number == number) {
                taken.0 += 1;
                my_ways |= level.ways;
            }
            if let Some(level) = their_next.filter(|level| level.number == number) {
                taken.1 += 1;
                their_ways |= level.ways;
            }
            if my_ways & their_ways != 0 {
                let lowest = mine.iter().map(|level| level.ways & their_ways).find(|ways| *ways != 0)?;
                return Some((lowest.trailing_zeros(), number));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What [`Levels::least_with`] finds, by trying every way.
    fn least(mine: &[u64], theirs: &[u64]) -> (u32, u64) {
        let ways = 0..mine.len();
        let key = |way: &usize| (mine[*way].max(theirs[*way]), mine[*way]);
        let way = ways.min_by_key(key).expect("there are ways");
        (way as u32, key(&way).0)
    }

    /// Numbers that follow from a seed, below `most`.
    fn numbers(seed: &mut u64, count: usize, most: u64) -> Vec<u64> {
        let mut next = || {
            *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (*seed >> 33) % most
        };
        (0..count).map(|_| next()).collect()
    }

    #[test]
    fn what_levels_tell_is_what_trying_every_way_tells() {
        let (mut seed, mut told) = (1977, 0);
        for (count, most) in [(8, 3), (40, 5), (50, 9), (64, 30), (64, 1000)] {
            let mut mine = numbers(&mut seed, count, most);
            let mut levels = Levels::<4>::of(mine.iter().copied());
            for _ in 0..200 {
                let theirs = numbers(&mut seed, count, most);
                let (way, number) = least(&mine, &theirs);
                if let Some(found) = levels.least_with(&Levels::<8>::of(theirs.iter().copied())) {
                    assert_eq!(found, (way, number), "{mine:?} with {theirs:?}");
                    told += 1;
                }
                let before = mine[way as usize];
                mine[way as usize] += 1 + number % 3;
                levels.move_up(way, before, mine[way as usize]);
                let anew = Levels::<4>::of(mine.iter().copied());
                let known = levels.count as usize;
                assert_eq!(levels.known(), &anew.known()[..known], "after a move in {mine:?}");
                if levels.may_be_filled() {
                    levels = anew;
                }
            }
        }
        assert!(told > 300, "levels told {told} times of 1000");
    }
}
