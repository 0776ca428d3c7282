//! Pups in radio packets: network-specific fragmentation at the entry, reassembly at the exit (Pup paper, 1980; IEN
//! 138, comment 5).

use hopscope_units::{Data, Time};

/// The words of a radio packet.
const RADIO_PACKET_WORDS: u32 = 127;
/// Words that the Pup driver adds to each.
const FRAGMENT_WORDS: u32 = 2;

/// How a Pup is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cut {
    /// Words of leader in each radio packet.
    pub leader_words: u32,
}

impl Cut {
    /// Words of a Pup that one radio packet takes.
    #[must_use]
    pub const fn capacity_words(self) -> u32 {
        RADIO_PACKET_WORDS - FRAGMENT_WORDS - self.leader_words
    }

    /// Radio packets for a Pup of this many bytes.
    #[must_use]
    pub const fn fragments(self, bytes: usize) -> u32 {
        (bytes as u32).div_ceil(2).div_ceil(self.capacity_words())
    }

    /// What fragment `index` of such a Pup takes on the channel.
    #[must_use]
    pub fn on_channel(self, bytes: usize, index: u32) -> Data {
        let left = (bytes as u32).div_ceil(2) - index * self.capacity_words();
        let words = self.leader_words + FRAGMENT_WORDS + left.min(self.capacity_words());
        Data::from_bits(16 * u64::from(words))
    }
}

/// What became of a fragment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fragment {
    /// With it, the Pup is whole.
    Completes,
    /// Others are missing.
    Waits,
    /// It was there already.
    Duplicate,
    /// As many Pups as fit are in assembly already.
    NoRoom,
}

#[derive(Clone, Copy, Debug)]
struct Assembly {
    key: (u32, u32),
    missing: u32,
    until: Time,
}

/// The Pups in assembly at one station, by their source and number there.
#[derive(Clone, Debug)]
pub struct Assemblies {
    most: usize,
    entries: Vec<Assembly>,
}

impl Assemblies {
    /// Room for this many Pups.
    #[must_use]
    pub const fn new(most: usize) -> Self {
        Self { most, entries: Vec::new() }
    }

    /// Fragment `index` of `count` of Pup `number` from `source` has come. An assembly that it begins is given up after
    /// `until`.
    pub fn accept(
        &mut self,
        now: Time,
        source: u32,
        number: u32,
        (index, count): (u32, u32),
        until: Time,
    ) -> Fragment {
        if count == 1 {
            return Fragment::Completes;
        }
        let key = (source, number);
        self.entries.retain(|entry| entry.until > now);
        if !self.entries.iter().any(|entry| entry.key == key) {
            if self.entries.len() >= self.most {
                return Fragment::NoRoom;
            }
            self.entries.push(Assembly { key, missing: (1 << count) - 1, until });
        }
        let at = self.entries.iter().position(|entry| entry.key == key).expect("it is there by now");
        let entry = &mut self.entries[at];
        if entry.missing & 1 << index == 0 {
            return Fragment::Duplicate;
        }
        entry.missing &= !(1 << index);
        if entry.missing > 0 {
            return Fragment::Waits;
        }
        self.entries.remove(at);
        Fragment::Completes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::LONGEST;
    use hopscope_units::Span;

    #[test]
    fn fragments_are_those_of_the_paper() {
        let (epr, ipr) = (Cut { leader_words: 11 }, Cut { leader_words: 14 });
        assert_eq!((epr.capacity_words(), ipr.capacity_words()), (114, 111));
        // A Pup of 100 words of data is 111 words: it just fits one radio packet of either era.
        assert_eq!([epr.fragments(222), ipr.fragments(222), ipr.fragments(224)], [1, 1, 2]);
        let words = |index| ipr.on_channel(LONGEST, index).bits() / 16;
        assert_eq!([words(0), words(1), words(2)], [127, 127, 16 + 55]);
    }

    #[test]
    fn a_pup_is_whole_in_whatever_order_its_fragments_come() {
        let (now, until) = (Time::ZERO, Time::ZERO + Span::from_s(3));
        let mut assemblies = Assemblies::new(2);
        assert_eq!(assemblies.accept(now, 7, 1, (2, 3), until), Fragment::Waits);
        assert_eq!(assemblies.accept(now, 7, 1, (2, 3), until), Fragment::Duplicate);
        assert_eq!(assemblies.accept(now, 8, 1, (0, 2), until), Fragment::Waits);
        assert_eq!(assemblies.accept(now, 9, 1, (0, 2), until), Fragment::NoRoom);
        assert_eq!(assemblies.accept(now, 7, 1, (0, 3), until), Fragment::Waits);
        assert_eq!(assemblies.accept(now, 7, 1, (1, 3), until), Fragment::Completes);
        assert_eq!(
            assemblies.accept(until, 9, 1, (0, 2), until + Span::from_s(3)),
            Fragment::Waits,
            "the other has timed out"
        );
        assert_eq!(assemblies.entries.len(), 1);
    }
}
