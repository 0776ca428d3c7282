//! Message numbers for which no reply comes: when the source IMP asks about an incomplete transmission.
//!
//! The program's listing (MESSTO): a two-bit counter counts the periods of 17 s in which the reply to the same number
//! is outstanding, so that after 34 to 51 s the source sends an incomplete query, and another in every period from then
//! on until it is answered.

use crate::protocol::message_numbers::WIDEST_WINDOW;

/// Periods without a reply, at the end of which the source asks.
const PERIODS: u8 = 3;

/// Whose a message number is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Owner {
    /// None.
    #[default]
    Nobody,
    /// A message's.
    Message(u32),
    /// A REQALL's.
    Request,
    /// A GVB's, which is answered at once.
    GiveBack,
}

/// The numbers of one sequence that are outstanding at its source, and how long the oldest has been.
#[derive(Clone, Debug, Default)]
pub struct MessageTimeout {
    owners: [Owner; WIDEST_WINDOW as usize],
    /// One bit a number: all that it is for has left the source.
    sent: u8,
    watched: u32,
    periods: u8,
}

const fn place(number: u32) -> usize {
    (number % WIDEST_WINDOW) as usize
}

impl MessageTimeout {
    /// A number is taken, or goes over to another owner; nothing has been sent under it.
    pub fn own(&mut self, number: u32, owner: Owner) {
        self.owners[place(number)] = owner;
        self.sent &= !(1 << place(number));
    }

    /// Everything has been sent under a number.
    pub fn sent(&mut self, number: u32) {
        self.sent |= 1 << place(number);
    }

    /// Whose a number is.
    #[must_use]
    pub const fn owner(&self, number: u32) -> Owner {
        self.owners[place(number)]
    }

    /// A period is over, at the end of which `oldest` is the first number without a reply. Returns it where the source
    /// is to ask about it.
    pub fn period(&mut self, oldest: Option<u32>) -> Option<u32> {
        let number = oldest.filter(|&number| {
            let asks = matches!(self.owner(number), Owner::Message(_) | Owner::Request);
            asks && self.sent >> place(number) & 1 == 1
        });
        let Some(number) = number else {
            self.periods = 0;
            return None;
        };
        let same = self.watched == number && self.periods > 0;
        self.periods = if same { (self.periods + 1).min(PERIODS) } else { 1 };
        self.watched = number;
        (self.periods == PERIODS).then_some(number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_source_asks_in_the_third_period_and_in_every_one_after_it() {
        let mut timeout = MessageTimeout::default();
        timeout.own(9, Owner::Message(4));
        assert_eq!(timeout.period(Some(9)), None, "it is still being taken in");
        timeout.sent(9);
        let asked = [(); 5].map(|()| timeout.period(Some(9)));
        assert_eq!(asked, [None, None, Some(9), Some(9), Some(9)]);
        assert_eq!(timeout.owner(9), Owner::Message(4));
    }

    #[test]
    fn a_reply_begins_the_count_again() {
        let mut timeout = MessageTimeout::default();
        for number in 0..2 {
            timeout.own(number, Owner::Request);
            timeout.sent(number);
        }
        let oldest = [Some(0), Some(0), Some(1), Some(1), None, Some(1), Some(1), Some(1)];
        assert_eq!(
            oldest.map(|oldest| timeout.period(oldest)),
            [None, None, None, None, None, None, None, Some(1)]
        );
    }

    #[test]
    fn nobody_asks_about_a_returned_allocation() {
        let mut timeout = MessageTimeout::default();
        timeout.own(0, Owner::GiveBack);
        timeout.sent(0);
        assert!((0..9).all(|_| timeout.period(Some(0)).is_none()));
    }
}
