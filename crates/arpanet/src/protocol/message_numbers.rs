//! The source's end of a message-number sequence: a window of numbers that may be outstanding.
//!
//! Version 2 has one sequence of 4 for each pair of IMPs, version 3 one of 8 for each pair of hosts (Kleinrock and
//! Opderbeck, sections III and VI). The real numbers have 8 bits; here they count on, which is the same to a window of
//! at most 8.

/// The widest window.
pub const WIDEST_WINDOW: u32 = 8;

/// Message numbers of one sequence, taken and returned at the source IMP.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MessageNumbers {
    window: u32,
    /// The oldest number that is outstanding, or the next where none is.
    oldest: u32,
    next: u32,
    /// Bit k: `oldest + k` has been returned or not yet taken.
    returned: u32,
}

impl MessageNumbers {
    /// A sequence of which this many numbers, from 1 to 8, may be outstanding.
    #[must_use]
    pub fn new(window: u32) -> Self {
        assert!((1..=WIDEST_WINDOW).contains(&window), "a window of {window} message numbers");
        Self { window, oldest: 0, next: 0, returned: 0 }
    }

    /// Whether another number may be taken.
    #[inline]
    #[must_use]
    pub const fn available(&self) -> bool {
        self.next - self.oldest < self.window
    }

    /// Takes the next number; nothing where the window is full.
    #[inline]
    pub fn take(&mut self) -> Option<u32> {
        let number = self.next;
        if !self.available() {
            return None;
        }
        self.next += 1;
        Some(number)
    }

    /// Returns a number, whose reply has come. Panics where it is not outstanding: an error of the model.
    #[inline]
    pub fn give_back(&mut self, number: u32) {
        assert!(
            number >= self.oldest && number < self.next && self.returned >> (number - self.oldest) & 1 == 0,
            "message number {number} is returned, but is not outstanding"
        );
        self.returned |= 1 << (number - self.oldest);
        while self.oldest < self.next && self.returned & 1 == 1 {
            self.returned >>= 1;
            self.oldest += 1;
        }
    }

    /// The oldest number that is outstanding.
    #[must_use]
    pub fn oldest(&self) -> Option<u32> {
        (self.oldest < self.next).then_some(self.oldest)
    }

    /// How many numbers are outstanding.
    #[must_use]
    pub const fn outstanding(&self) -> u32 {
        self.next - self.oldest - self.returned.count_ones()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_fifth_message_waits_for_the_reply_to_the_first() {
        let mut numbers = MessageNumbers::new(4);
        assert_eq!([0; 4].map(|_| numbers.take()), [Some(0), Some(1), Some(2), Some(3)]);
        assert_eq!(numbers.take(), None);
        numbers.give_back(1); // out of order: the window still begins at the first
        assert_eq!(numbers.take(), None);
        numbers.give_back(0);
        assert_eq!([0; 3].map(|_| numbers.take()), [Some(4), Some(5), None]);
    }

    proptest! {
        #[test]
        fn never_more_outstanding_than_the_window(
            window in 1u32..=8,
            steps in prop::collection::vec(any::<u8>(), 0..400),
        ) {
            let mut numbers = MessageNumbers::new(window);
            let mut held = Vec::new();
            for step in steps {
                if step % 2 == 0 {
                    held.extend(numbers.take());
                } else if !held.is_empty() {
                    numbers.give_back(held.swap_remove(usize::from(step) % held.len()));
                }
                prop_assert_eq!(numbers.outstanding() as usize, held.len());
                prop_assert!(held.len() <= window as usize);
            }
        }
    }
}
