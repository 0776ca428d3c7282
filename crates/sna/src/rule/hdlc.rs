//! The window of an HDLC link, which sends again what was lost.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Answer, Numbers, Recovery, SendingRule};

/// What an HDLC receiver asks for where a frame is missing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Reject {
    /// REJ: everything from the missing frame on is sent again, and the receiver discards what comes out of order.
    #[default]
    GoBack,
    /// SREJ: the missing frame alone is sent again, and the receiver keeps what came before its turn.
    Selective,
}

/// The window of an HDLC link: frames are acknowledged by RR; REJ or SREJ asks for what is missing; a timer sends the
/// oldest frame again, where nothing comes at all.
///
/// Source: ISO 4335, elements of procedure of HDLC. Frames are numbered modulo 8 or 128, which bounds the window to 7
/// or 127. A sender in timer recovery polls the receiver first; this one sends again at once.
#[derive(Clone, Copy, Debug)]
pub struct Hdlc {
    window: u64,
    reject: Reject,
    numbers: Numbers,
}

impl Hdlc {
    /// A link with this window. Panics at 0.
    #[must_use]
    pub fn new(window: u64, reject: Reject) -> Self {
        Self { window, reject, numbers: Numbers::new(window) }
    }
}

impl SendingRule for Hdlc {
    fn numbers(&self) -> &Numbers {
        &self.numbers
    }

    fn numbers_mut(&mut self) -> &mut Numbers {
        &mut self.numbers
    }

    fn answered(&mut self, answer: Answer, _: bool) -> Recovery {
        match answer {
            Answer::Acknowledge { next, .. } => self.numbers.slide(next, self.window),
            Answer::Reject(from) => {
                self.numbers.slide(from, self.window);
                if from >= self.numbers.base && self.numbers.outstanding() > 0 {
                    return Recovery::From(from);
                }
            }
            Answer::SelectiveReject(only) if (self.numbers.base..self.numbers.next).contains(&only) => {
                return Recovery::One(only);
            }
            Answer::SelectiveReject(_) | Answer::Response { .. } => {}
        }
        Recovery::Nothing
    }

    fn timed_out(&mut self) -> Recovery {
        match self.reject {
            _ if self.numbers.outstanding() == 0 => Recovery::Nothing,
            Reject::GoBack => Recovery::From(self.numbers.base),
            Reject::Selective => Recovery::One(self.numbers.base),
        }
    }

    fn window(&self) -> u64 {
        self.window
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(reject: Reject, count: u64) -> Hdlc {
        let mut rule = Hdlc::new(7, reject);
        for _ in 0..count {
            rule.send();
        }
        rule
    }

    #[test]
    fn a_reject_acknowledges_what_comes_before_it_and_asks_for_the_rest() {
        let mut rule = sent(Reject::GoBack, 5);
        assert_eq!(rule.answered(Answer::Reject(2), false), Recovery::From(2));
        assert_eq!(rule.outstanding(), 3);
        rule.answered(Answer::Acknowledge { next: 5, ready: true }, false);
        assert_eq!(rule.answered(Answer::Reject(2), false), Recovery::Nothing, "it was overtaken");
        assert_eq!(rule.timed_out(), Recovery::Nothing, "nothing is outstanding");
    }

    #[test]
    fn a_selective_reject_asks_for_one() {
        let mut rule = sent(Reject::Selective, 5);
        assert_eq!(rule.answered(Answer::SelectiveReject(3), false), Recovery::One(3));
        assert_eq!(rule.outstanding(), 5, "nothing is acknowledged by it");
        assert_eq!(rule.timed_out(), Recovery::One(0));
        assert_eq!(rule.answered(Answer::SelectiveReject(9), false), Recovery::Nothing, "it was never sent");
    }
}
