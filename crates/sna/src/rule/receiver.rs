//! The other end of every rule: takes units in order, once, and answers.

use std::collections::BTreeSet;

use super::{Answer, Reject, Unit};

/// What is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answering {
    /// The unit that carries a request, by a response. Where the receiver is congested it is held back.
    Requests,
    /// Every unit, by an acknowledgment that is receive not ready (RNR) where the receiver is congested.
    Each,
    /// Every unit, whether or not the receiver is congested.
    EachAlways,
}

/// What the way from the sender does, and so what the receiver does about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ordering {
    /// It loses nothing and keeps the order.
    Kept,
    /// It loses units, and the receiver asks for what is missing.
    Lossy(Reject),
}

/// What becomes of a unit that has arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrival {
    /// It is the next one. With it, this number of kept units is in order.
    InOrder {
        /// Units kept before, which now follow it.
        kept: u64,
    },
    /// It came before its turn and is kept.
    Early,
    /// It came before its turn or for the second time, and is discarded.
    Discarded,
}

/// The receiving end of a rule.
#[derive(Clone, Debug)]
pub struct Receiver {
    answering: Answering,
    ordering: Ordering,
    /// The number of the next unit in order.
    next: u64,
    /// Those that came before their turn.
    early: BTreeSet<u64>,
    /// Whether what is missing was asked for already.
    asked: bool,
    /// Whether a unit since the last response was marked for congestion.
    told: bool,
    congested: bool,
    /// A request whose response is held back.
    held: Option<u64>,
}

impl Receiver {
    /// A receiver that waits for the first unit.
    #[must_use]
    pub const fn new(answering: Answering, ordering: Ordering) -> Self {
        Self {
            answering,
            ordering,
            next: 0,
            early: BTreeSet::new(),
            asked: false,
            told: false,
            congested: false,
            held: None,
        }
    }

    /// A unit has arrived; `told` is whether a node on its path marked it for congestion (CWI), `may_keep` whether
    /// there is room to keep it should it have come before its turn. What is to be answered is added to `answers`.
    /// Panics where a way that keeps the order did not.
    pub fn arrived(&mut self, unit: Unit, told: bool, may_keep: bool, answers: &mut Vec<Answer>) -> Arrival {
        self.told |= told;
        if unit.number == self.next {
            self.next += 1;
            let mut kept = 0;
            while self.early.remove(&self.next) {
                (self.next, kept) = (self.next + 1, kept + 1);
            }
            self.asked &= !self.early.is_empty();
            self.answer(unit, answers);
            return Arrival::InOrder { kept };
        }
        let Ordering::Lossy(reject) = self.ordering else {
            panic!(
                "unit {} arrived where {} was next, on a way that keeps the order",
                unit.number, self.next
            );
        };
        if unit.number < self.next {
            answers.push(self.acknowledgment());
            return Arrival::Discarded;
        }
        match reject {
            Reject::GoBack => {
                if !self.asked {
                    answers.push(Answer::Reject(self.next));
                    self.asked = true;
                }
                Arrival::Discarded
            }
            Reject::Selective => {
                let known = self.early.last().map_or(self.next, |last| last + 1);
                if !may_keep || self.early.contains(&unit.number) {
                    return Arrival::Discarded;
                }
                answers.extend((known..unit.number).map(Answer::SelectiveReject));
                self.early.insert(unit.number);
                Arrival::Early
            }
        }
    }

    fn acknowledgment(&self) -> Answer {
        let ready = !(self.congested && self.answering == Answering::Each);
        Answer::Acknowledge { next: self.next, ready }
    }

    fn answer(&mut self, unit: Unit, answers: &mut Vec<Answer>) {
        match self.answering {
            Answering::Each | Answering::EachAlways => answers.push(self.acknowledgment()),
            Answering::Requests if !unit.request => {}
            Answering::Requests if self.congested => self.held = Some(unit.number),
            Answering::Requests => answers.push(self.response(unit.number)),
        }
    }

    fn response(&mut self, request: u64) -> Answer {
        let congested = std::mem::take(&mut self.told);
        Answer::Response { request, congested, reset: false, window: None }
    }

    /// The receiver has become congested, or is so no more: held answers are sent, and a stopped sender is restarted.
    pub fn becomes(&mut self, congested: bool) -> Option<Answer> {
        if self.congested == congested {
            return None;
        }
        self.congested = congested;
        match self.answering {
            // Nothing is held back before it is congested.
            Answering::Requests => self.held.take().map(|request| self.response(request)),
            Answering::Each => Some(self.acknowledgment()),
            Answering::EachAlways => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unit(number: u64) -> Unit {
        Unit { number, request: number == 0 }
    }

    fn take(receiver: &mut Receiver, number: u64) -> (Arrival, Vec<Answer>) {
        let mut answers = Vec::new();
        let arrival = receiver.arrived(unit(number), false, true, &mut answers);
        (arrival, answers)
    }

    #[test]
    fn a_missing_frame_is_asked_for_once_and_all_after_it_are_discarded() {
        let mut receiver = Receiver::new(Answering::EachAlways, Ordering::Lossy(Reject::GoBack));
        take(&mut receiver, 0);
        assert_eq!(take(&mut receiver, 2), (Arrival::Discarded, vec![Answer::Reject(1)]));
        assert_eq!(take(&mut receiver, 3), (Arrival::Discarded, vec![]));
        assert_eq!(take(&mut receiver, 1).0, Arrival::InOrder { kept: 0 });
        assert_eq!(take(&mut receiver, 4).1, vec![Answer::Reject(2)], "the next gap is another one");
    }

    #[test]
    fn kept_frames_follow_the_one_that_was_missing() {
        let mut receiver = Receiver::new(Answering::EachAlways, Ordering::Lossy(Reject::Selective));
        assert_eq!(take(&mut receiver, 2).1, [Answer::SelectiveReject(0), Answer::SelectiveReject(1)]);
        assert_eq!(take(&mut receiver, 4).1, [Answer::SelectiveReject(3)]);
        assert_eq!(take(&mut receiver, 4), (Arrival::Discarded, vec![]));
        assert_eq!(take(&mut receiver, 0).0, Arrival::InOrder { kept: 0 });
        let (arrival, answers) = take(&mut receiver, 1);
        assert_eq!(arrival, Arrival::InOrder { kept: 1 });
        assert_eq!(answers, [Answer::Acknowledge { next: 3, ready: true }]);
        assert_eq!(take(&mut receiver, 1).0, Arrival::Discarded);
        assert_eq!(
            receiver.arrived(unit(9), false, false, &mut Vec::new()),
            Arrival::Discarded,
            "there is no room"
        );
    }

    #[test]
    fn a_congested_receiver_holds_its_response_back_and_a_told_one_tells() {
        let mut receiver = Receiver::new(Answering::Requests, Ordering::Kept);
        assert_eq!(receiver.becomes(true), None);
        let mut answers = Vec::new();
        receiver.arrived(unit(0), true, true, &mut answers);
        assert_eq!(answers, []);
        let response = Answer::Response { request: 0, congested: true, reset: false, window: None };
        assert_eq!(receiver.becomes(false), Some(response));
        assert_eq!(receiver.becomes(false), None);
    }

    #[test]
    fn a_circuit_says_not_ready_and_ready_again() {
        let mut receiver = Receiver::new(Answering::Each, Ordering::Kept);
        assert_eq!(receiver.becomes(true), Some(Answer::Acknowledge { next: 0, ready: false }));
        assert_eq!(take(&mut receiver, 0).1, [Answer::Acknowledge { next: 1, ready: false }]);
        assert_eq!(receiver.becomes(false), Some(Answer::Acknowledge { next: 1, ready: true }));
    }
}
