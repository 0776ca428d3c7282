//! Which priorities wait for the lines of a group while which are sent.

use hopscope_units::Time;

use super::trunk::PRIORITIES;

/// How many PIUs with data wait, and how many lines send, by transmission priority.
#[derive(Clone, Debug, Default)]
pub(crate) struct ClassWaits {
    waiting: [u64; PRIORITIES],
    sending: [u64; PRIORITIES],
    lines: u64,
    touched: Time,
    since: Time,
    /// Waiters times lines that send, by the priority of either, in picoseconds.
    behind_ps: [[u128; PRIORITIES]; PRIORITIES],
    /// Waiters times lines that send nothing.
    idle_ps: [u128; PRIORITIES],
}

impl ClassWaits {
    /// Empty statistics for this number of lines.
    pub fn of(lines: u64) -> Self {
        Self { lines, ..Self::default() }
    }

    fn touch(&mut self, now: Time) {
        let span = u128::from(now.since(self.touched).ps());
        let idle = u128::from(self.lines - self.sending.iter().sum::<u64>());
        for (own, &waiting) in self.waiting.iter().enumerate() {
            let spent = span * u128::from(waiting);
            self.idle_ps[own] += spent * idle;
            for (other, &sending) in self.sending.iter().enumerate() {
                self.behind_ps[own][other] += spent * u128::from(sending);
            }
        }
        self.touched = now;
    }

    /// One more waits.
    pub fn wait(&mut self, now: Time, priority: usize) {
        self.touch(now);
        self.waiting[priority] += 1;
    }

    /// One less waits.
    pub fn leave(&mut self, now: Time, priority: usize) {
        self.touch(now);
        self.waiting[priority] -= 1;
    }

    /// A line begins to send.
    pub fn begin(&mut self, now: Time, priority: usize) {
        self.touch(now);
        self.sending[priority] += 1;
    }

    /// A line has sent.
    pub fn end(&mut self, now: Time, priority: usize) {
        self.touch(now);
        self.sending[priority] -= 1;
    }

    /// Forgets what has been measured.
    pub fn restart(&mut self, now: Time) {
        self.touch(now);
        (self.since, self.behind_ps, self.idle_ps) = (now, Default::default(), Default::default());
    }

    /// The mean number of one priority that waits while another is sent.
    pub fn behind(&self, now: Time, own: usize, other: usize) -> f64 {
        self.mean(now, |waits| waits.behind_ps[own][other])
    }

    /// The mean number of one priority that waits while nothing is sent.
    pub fn held(&self, now: Time, own: usize) -> f64 {
        self.mean(now, |waits| waits.idle_ps[own])
    }

    fn mean(&self, now: Time, of: impl Fn(&Self) -> u128) -> f64 {
        let mut until = self.clone();
        until.touch(now);
        let whole = now.since(self.since).ps() as f64 * self.lines as f64;
        if whole > 0.0 { of(&until) as f64 / whole } else { 0.0 }
    }
}
