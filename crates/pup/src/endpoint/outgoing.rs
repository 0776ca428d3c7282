//! Pups that wait to be sent: answers, which leave a pause after what they answer, since an Alto that has just sent is
//! deaf for some milliseconds.

use std::collections::VecDeque;

use hopscope_units::Time;

/// The most answers that wait. What is beyond is dropped, as by any host whose queue is full.
const MOST: usize = 256;

/// A Pup that waits.
#[derive(Clone, Debug)]
pub(super) struct Waiting {
    pub due: Time,
    /// The host to hand it to, where that is known from what it answers; 0 is every host.
    pub via: Option<u8>,
    pub pup: Vec<u8>,
}

/// Answers in the order in which they are due: the pause is the same for all.
#[derive(Clone, Debug, Default)]
pub(super) struct Outgoing(VecDeque<Waiting>);

impl Outgoing {
    /// Puts an answer into the queue. False where that is full.
    pub fn push(&mut self, waiting: Waiting) -> bool {
        let fits = self.0.len() < MOST;
        if fits {
            self.0.push_back(waiting);
        }
        fits
    }

    /// The first answer, if it is due.
    pub fn due(&mut self, now: Time) -> Option<Waiting> {
        self.0.front().filter(|first| first.due <= now)?;
        self.0.pop_front()
    }

    /// When the first one is due.
    pub fn next_timer(&self) -> Option<Time> {
        self.0.front().map(|first| first.due)
    }

    /// Bytes that wait.
    pub fn held_bytes(&self) -> usize {
        self.0.iter().map(|waiting| waiting.pup.len()).sum()
    }
}
