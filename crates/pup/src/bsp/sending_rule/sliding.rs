//! The sliding window, which no Pup station had: what the byte stream protocol would have gained by it.

use super::{Acknowledgment, Demanding, Recovery, SendingRule};

/// Acknowledgments of the same byte after which a sliding window takes the oldest Pup for lost.
const SAME_AGAIN: u32 = 3;

/// Every Pup demands an acknowledgment, the window is always full, and only the oldest Pup is sent again.
#[derive(Clone, Copy, Debug)]
pub(in crate::bsp) struct Sliding {
    /// Acknowledgments in a row that brought nothing new.
    same: u32,
}

impl Sliding {
    pub(super) const fn new() -> Self {
        Self { same: 0 }
    }
}

impl SendingRule for Sliding {
    fn demanding(&self) -> Demanding {
        Demanding::Each
    }

    fn admits(&self, _: usize, _: bool) -> bool {
        true
    }

    fn written(&mut self) {}

    fn demanded(&mut self, _: u32) {}

    fn acknowledged(&mut self, acknowledgment: &Acknowledgment) -> Recovery {
        let nothing_new = acknowledgment.released == 0 && acknowledgment.outstanding;
        self.same = if nothing_new { self.same + 1 } else { 0 };
        if self.same == SAME_AGAIN { Recovery::Oldest } else { Recovery::Nothing }
    }

    fn timed_out(&mut self) -> Recovery {
        self.same = 0;
        Recovery::Oldest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_third_acknowledgment_of_nothing_new_and_no_other_repeats_the_oldest() {
        let same = Acknowledgment { released: 0, outstanding: true, in_window: 4, answered: false };
        let said = |sliding: &mut Sliding| (0..4).map(|_| sliding.acknowledged(&same)).collect::<Vec<_>>();
        let third = [Recovery::Nothing, Recovery::Nothing, Recovery::Oldest, Recovery::Nothing];
        let mut sliding = Sliding::new();
        assert_eq!(said(&mut sliding), third);
        sliding.acknowledged(&Acknowledgment { released: 1, ..same });
        assert_eq!(said(&mut sliding), third, "something new begins the count again");
        assert_eq!(sliding.timed_out(), Recovery::Oldest);
        assert_eq!(said(&mut sliding), third, "and so does the timer");
    }
}
