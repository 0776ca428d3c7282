//! Every rule against random adversaries: a window is never exceeded, and everything arrives once and in order.

use std::collections::VecDeque;

use hopscope_sna::rule::{
    AdaptivePacing, Answer, Answering, Arrival, ChosenRule, EndAcknowledged, Hdlc, Ordering, Pacing,
    Receiver, Recovery, Reject, SendingRule, Sliding, StopAndWait, Unit, X25,
};
use proptest::prelude::*;

/// Units that a case sends.
const UNITS: u64 = 60;

/// A rule with its receiver.
fn rules() -> impl Strategy<Value = (ChosenRule, Receiver, u64)> {
    let receiver = |answering, ordering| Receiver::new(answering, ordering);
    let kept = Ordering::Kept;
    let bounds = (1u64..6, 0u64..8).prop_map(|(least, more)| (least, least + more));
    prop_oneof![
        bounds.prop_map(move |(least, most)| (
            ChosenRule::Pacing(Pacing::new(least, most)),
            receiver(Answering::Requests, kept),
            2 * most - 1
        )),
        (1u64..9).prop_map(move |most| (
            ChosenRule::AdaptivePacing(AdaptivePacing::adaptive(most)),
            receiver(Answering::Requests, kept),
            2 * most - 1
        )),
        (1u64..12).prop_map(move |window| (
            ChosenRule::Sliding(Sliding::new(window)),
            receiver(Answering::EachAlways, kept),
            window
        )),
        (1u64..12).prop_map(move |window| (
            ChosenRule::EndAcknowledged(EndAcknowledged::new(window)),
            receiver(Answering::Requests, kept),
            window
        )),
        Just((ChosenRule::StopAndWait(StopAndWait::new()), receiver(Answering::EachAlways, kept), 1)),
        (1u64..8).prop_map(move |window| (
            ChosenRule::X25(X25::new(window)),
            receiver(Answering::Each, kept),
            window
        )),
    ]
}

fn lossy() -> impl Strategy<Value = (ChosenRule, Receiver, u64)> {
    (1u64..8, prop_oneof![Just(Reject::GoBack), Just(Reject::Selective)]).prop_map(|(window, reject)| {
        let receiver = Receiver::new(Answering::EachAlways, Ordering::Lossy(reject));
        (ChosenRule::Hdlc(Hdlc::new(window, reject)), receiver, window)
    })
}

/// Both ends with the way between them.
struct Way {
    rule: ChosenRule,
    receiver: Receiver,
    bound: u64,
    /// Units on the way, each with whether a node told it of congestion.
    out: VecDeque<(Unit, bool)>,
    back: VecDeque<Answer>,
    sent: u64,
    taken: u64,
    loses: bool,
}

impl Way {
    fn send(&mut self, told: bool) {
        if self.rule.allowance() > 0 && self.sent < UNITS {
            let unit = self.rule.send();
            assert_eq!(unit.number, self.sent, "units are numbered as they are sent");
            self.sent += 1;
            self.out.push_back((unit, told));
        }
        let (outstanding, bound) = (self.rule.outstanding(), self.bound);
        assert!(
            outstanding <= bound && bound == self.rule.bound(),
            "{outstanding} are outstanding, of {bound}"
        );
    }

    fn recover(&mut self, recovery: Recovery) {
        let numbers = match recovery {
            Recovery::Nothing => return,
            Recovery::One(number) => number..number + 1,
            Recovery::From(number) => number..self.sent,
        };
        assert!(
            numbers.start + self.rule.outstanding() >= self.sent,
            "only what is outstanding is sent again"
        );
        self.out.extend(numbers.map(|number| (Unit { number, request: true }, false)));
    }

    /// The first unit arrives, or is lost.
    fn arrive(&mut self, is_lost: bool, may_keep: bool) {
        let Some((unit, told)) = self.out.pop_front().filter(|_| !(is_lost && self.loses)) else { return };
        let mut answers = Vec::new();
        match self.receiver.arrived(unit, told, may_keep, &mut answers) {
            Arrival::InOrder { kept } => {
                assert_eq!(unit.number, self.taken, "each once and in order");
                self.taken += 1 + kept;
            }
            Arrival::Early | Arrival::Discarded => assert!(self.loses, "nothing is out of order"),
        }
        self.back.extend(answers);
    }

    /// The first answer comes back, or is lost.
    fn answer(&mut self, is_lost: bool, held: bool, next_window: u64) {
        let Some(mut answer) = self.back.pop_front().filter(|_| !(is_lost && self.loses)) else { return };
        if let Answer::Response { reset, window, .. } = &mut answer {
            (*reset, *window) = (is_lost, Some(next_window));
        }
        let recovery = self.rule.answered(answer, held);
        self.recover(recovery);
    }

    fn step(&mut self, choice: u8, coin: u8) {
        let odd = coin.is_multiple_of(4);
        match choice % 8 {
            0..3 => self.send(odd),
            3 | 4 => self.arrive(odd, !coin.is_multiple_of(3)),
            5 => self.answer(odd, coin > 100, u64::from(coin % 11)),
            6 if self.loses => {
                let recovery = self.rule.timed_out();
                self.recover(recovery);
            }
            _ => self.back.extend(self.receiver.becomes(odd)),
        }
        self.send(false);
    }

    /// Nothing is lost any more, and everything goes on until nothing does.
    fn settle(&mut self) {
        self.back.extend(self.receiver.becomes(false));
        for _ in 0..100_000 {
            self.send(false);
            if self.out.is_empty() && self.back.is_empty() {
                let recovery = self.rule.timed_out();
                self.recover(recovery);
            }
            self.arrive(false, true);
            if !self.loses {
                self.answer(false, true, 3);
            } else if let Some(answer) = self.back.pop_front() {
                let recovery = self.rule.answered(answer, true);
                self.recover(recovery);
            }
            if self.sent == UNITS && self.taken == UNITS && self.out.is_empty() && self.back.is_empty() {
                break;
            }
        }
        assert_eq!((self.sent, self.taken), (UNITS, UNITS), "everything arrives in the end");
    }
}

fn play((rule, receiver, bound): (ChosenRule, Receiver, u64), steps: &[(u8, u8)], loses: bool) {
    let (out, back) = (VecDeque::new(), VecDeque::new());
    let mut way = Way { rule, receiver, bound, out, back, sent: 0, taken: 0, loses };
    for &(choice, coin) in steps {
        way.step(choice, coin);
    }
    way.settle();
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 70_000, max_shrink_iters: 2_000, ..ProptestConfig::default() })]

    #[test]
    fn no_window_is_exceeded_and_everything_arrives(
        rule in rules(),
        steps in prop::collection::vec(any::<(u8, u8)>(), 0..120),
    ) {
        play(rule, &steps, false);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40_000, max_shrink_iters: 2_000, ..ProptestConfig::default() })]

    #[test]
    fn over_a_lossy_way_everything_arrives_once_and_in_order(
        rule in lossy(),
        steps in prop::collection::vec(any::<(u8, u8)>(), 0..120),
    ) {
        play(rule, &steps, true);
    }
}
