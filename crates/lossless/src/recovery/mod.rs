//! Recovery from loss: what a sender retransmits, and what a receiver takes. Both ends of a flow, one file per rule.
//!
//! Sans-IO: a rule has no clock and no network, only the numbers of frames. Frames and replies may be lost, repeated
//! and come in any order; each frame is taken once.

mod go_back_n;
mod receiver;
mod selective_repeat;

use self::go_back_n::GoBackN;
pub(crate) use self::receiver::{Arrival, Receiver};
use self::selective_repeat::SelectiveRepeat;

/// A transmission of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Unit {
    /// The index of the frame in its flow, from 0.
    pub number: u32,
    /// The index of the transmission among all of the flow.
    pub order: u64,
}

/// A receiver's reply to a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Reply {
    /// Everything before this has arrived.
    pub next: u32,
    /// The transmission that caused the reply.
    pub order: u64,
    pub said: Said,
}

/// The second part of a reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Said {
    Nothing,
    /// This frame has arrived.
    Arrived(u32),
    /// This frame is missing.
    Missing(u32),
}

/// The effect of a reply at the sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Outcome {
    /// Frames now known to have arrived.
    pub arrived: u32,
    /// Whether frames are now known to be missing.
    pub slipped: bool,
}

/// The rule of a scenario.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RecoveryRule {
    /// Everything from the missing frame on is sent again.
    GoBackN,
    /// Missing frames alone are sent again. A frame is missing if one has arrived that was sent at least this many
    /// transmissions later.
    SelectiveRepeat { reordering: u64 },
}

/// The sender of one flow.
#[derive(Clone, Debug)]
pub(crate) enum Sender {
    GoBackN(GoBackN),
    SelectiveRepeat(SelectiveRepeat),
}

impl Sender {
    /// A flow of this many frames begins.
    pub fn new(rule: RecoveryRule, frames: u32) -> Self {
        match rule {
            RecoveryRule::GoBackN => Self::GoBackN(GoBackN::new(frames)),
            RecoveryRule::SelectiveRepeat { reordering } => {
                Self::SelectiveRepeat(SelectiveRepeat::new(frames, reordering))
            }
        }
    }

    /// The number of the frame that would be sent next.
    pub fn next(&self) -> Option<u32> {
        match self {
            Self::GoBackN(rule) => rule.next(),
            Self::SelectiveRepeat(rule) => rule.next(),
        }
    }

    /// The next frame is sent.
    pub fn take(&mut self) -> Option<Unit> {
        match self {
            Self::GoBackN(rule) => rule.take(),
            Self::SelectiveRepeat(rule) => rule.take(),
        }
    }

    /// A reply arrives.
    pub fn heard(&mut self, reply: Reply) -> Outcome {
        match self {
            Self::GoBackN(rule) => rule.heard(reply),
            Self::SelectiveRepeat(rule) => rule.heard(reply),
        }
    }

    /// The retransmission timer has expired: whatever is outstanding is missing.
    pub fn timed_out(&mut self) {
        match self {
            Self::GoBackN(rule) => rule.timed_out(),
            Self::SelectiveRepeat(rule) => rule.timed_out(),
        }
    }

    /// Frames that were sent and are not known to have arrived or to be missing.
    pub fn outstanding(&self) -> u32 {
        match self {
            Self::GoBackN(rule) => rule.outstanding(),
            Self::SelectiveRepeat(rule) => rule.outstanding(),
        }
    }

    /// Whether all frames are known to have arrived.
    pub fn is_done(&self) -> bool {
        match self {
            Self::GoBackN(rule) => rule.is_done(),
            Self::SelectiveRepeat(rule) => rule.is_done(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Deterministic numbers that differ from case to case.
    struct Dice(u64);

    impl Dice {
        fn below(&mut self, n: u64) -> u64 {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            self.0 % n
        }
    }

    /// A network that loses, repeats, reorders and trims frames and replies at random.
    struct Adversary {
        dice: Dice,
        loses: u64,
        repeats: u64,
        cuts: u64,
        frames: Vec<Unit>,
        replies: Vec<Reply>,
    }

    impl Adversary {
        fn passes<T: Copy>(&mut self, one: T) -> Vec<T> {
            let lost = self.dice.below(100) < self.loses;
            let times = if self.dice.below(100) < self.repeats { 2 } else { 1 };
            if lost { Vec::new() } else { vec![one; times] }
        }
    }

    /// One flow against one adversary: each frame is taken exactly once, what is in order grows without a gap, and the
    /// window holds.
    fn flow_against_adversary(seed: u64) {
        let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        (0..8).for_each(|_| _ = dice.below(2));
        let (frames, window) = (1 + dice.below(24) as u32, 1 + dice.below(12) as u32);
        let rule = match dice.below(2) {
            0 => RecoveryRule::GoBackN,
            _ => RecoveryRule::SelectiveRepeat { reordering: 1 + dice.below(4) },
        };
        let (loses, repeats, cuts) = (dice.below(60), dice.below(30), dice.below(30));
        let mut network = Adversary { dice, loses, repeats, cuts, frames: Vec::new(), replies: Vec::new() };
        let (mut sender, mut receiver) = (Sender::new(rule, frames), Receiver::new(rule));
        let mut taken = vec![0u32; frames as usize];
        for step in 0..100_000 {
            if sender.is_done() {
                assert!(taken.iter().all(|times| *times == 1), "seed {seed}: {taken:?}");
                assert_eq!(receiver.next(), frames, "seed {seed}");
                return;
            }
            match network.dice.below(4) {
                0 if sender.outstanding() < window => {
                    if let Some(unit) = sender.take() {
                        let passing = network.passes(unit);
                        network.frames.extend(passing);
                    }
                    assert!(sender.outstanding() <= window, "seed {seed}");
                }
                1 if !network.frames.is_empty() => {
                    let which = network.dice.below(network.frames.len() as u64) as usize;
                    let unit = network.frames.swap_remove(which);
                    let is_whole = network.dice.below(100) >= network.cuts;
                    let before = receiver.next();
                    let (arrival, reply) = receiver.arrived(unit, is_whole);
                    taken[unit.number as usize] += u32::from(arrival == Arrival::Taken);
                    let in_order = before..receiver.next();
                    assert!(in_order.clone().all(|number| taken[number as usize] == 1), "seed {seed}");
                    let passing = network.passes(reply);
                    network.replies.extend(passing);
                }
                2 if !network.replies.is_empty() => {
                    let which = network.dice.below(network.replies.len() as u64) as usize;
                    let reply = network.replies.swap_remove(which);
                    sender.heard(reply);
                }
                _ if step % 50 == 49 => sender.timed_out(),
                _ => {}
            }
        }
        panic!("seed {seed}: {rule:?} does not end: {sender:?}");
    }

    #[test]
    fn every_frame_is_taken_once_and_in_order_against_a_hundred_thousand_adversaries() {
        (0..100_000).for_each(flow_against_adversary);
    }
}
