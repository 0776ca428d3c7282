//! REQALLs of one sequence: those that are outstanding at the source, and when the destination had and answered them.

use hopscope_units::Time;

use crate::protocol::message_numbers::WIDEST_WINDOW;

/// An answered REQALL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Answer {
    number: u32,
    /// When the REQALL came to the destination.
    pub came: Time,
    /// When its ALL was sent.
    pub sent: Time,
}

/// The REQALLs of one sequence of message numbers.
#[derive(Clone, Debug)]
pub(crate) struct Requests {
    outstanding: u32,
    /// When each came to the destination, by message number.
    came: [Time; WIDEST_WINDOW as usize],
    last_answer: Option<Answer>,
}

impl Requests {
    /// None has been sent.
    pub const fn new() -> Self {
        Self { outstanding: 0, came: [Time::ZERO; WIDEST_WINDOW as usize], last_answer: None }
    }

    /// Requests that have been sent and of which the source has heard no more.
    pub const fn outstanding(&self) -> u32 {
        self.outstanding
    }

    /// The source sends one. Whether it is superfluous: another is outstanding (Kleinrock and Opderbeck, section VI).
    pub const fn send(&mut self) -> bool {
        self.outstanding += 1;
        self.outstanding > 1
    }

    /// The source has heard what has become of one.
    pub const fn end(&mut self) {
        self.outstanding -= 1;
    }

    /// One comes to the destination.
    pub const fn arrive(&mut self, now: Time, number: u32) {
        self.came[(number % WIDEST_WINDOW) as usize] = now;
    }

    /// The destination sends the ALL that answers one.
    pub const fn answer(&mut self, now: Time, number: u32) {
        let came = self.came[(number % WIDEST_WINDOW) as usize];
        self.last_answer = Some(Answer { number, came, sent: now });
    }

    /// The answer to the one with this number, where none has been answered after it.
    pub fn answer_to(&self, number: u32) -> Option<Answer> {
        self.last_answer.filter(|answer| answer.number == number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hopscope_units::Span;

    #[test]
    fn a_request_is_superfluous_while_another_is_outstanding() {
        let mut requests = Requests::new();
        assert_eq!([(); 2].map(|()| requests.send()), [false, true]);
        requests.end();
        requests.end();
        assert_eq!((requests.outstanding(), requests.send()), (0, false));
    }

    #[test]
    fn an_answer_knows_when_its_request_came() {
        let at = |ms| Time::ZERO + Span::from_ms(ms);
        let mut requests = Requests::new();
        requests.arrive(at(10), 9);
        requests.arrive(at(20), 10);
        requests.answer(at(30), 9);
        assert_eq!(requests.answer_to(9), Some(Answer { number: 9, came: at(10), sent: at(30) }));
        assert_eq!(requests.answer_to(10), None);
    }
}
