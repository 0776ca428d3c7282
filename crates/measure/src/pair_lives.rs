//! Lifetimes and waits of messages by source and destination: which pairs a bottleneck delays.

use hopscope_units::Span;

/// In networks of more hosts than this, messages are counted by receiver, not by pair: a table of all pairs would take
/// megabytes.
const MOST_HOSTS: usize = 128;

/// Lifetimes and waits of the messages from one host to another, or of all to one.
#[derive(Clone, Copy, Debug, Default)]
struct Lives {
    messages: u64,
    life_ps: u128,
    wait_ps: u128,
}

/// Lifetimes and waits of messages by pairs of hosts.
#[derive(Clone, Debug)]
pub(crate) struct PairLives {
    hosts: usize,
    lives: Vec<Lives>,
}

/// The waits of messages from one host to another.
#[derive(Clone, Debug, PartialEq)]
pub struct PairWait {
    /// The source; nothing if messages of all sources are counted together.
    pub from: Option<u32>,
    /// The destination.
    pub to: u32,
    /// The number of measured messages.
    pub messages: u64,
    /// Mean lifetime, microseconds.
    pub life_us: f64,
    /// Mean wait within the lifetime, microseconds.
    pub wait_us: f64,
}

impl PairLives {
    /// A table for this many hosts.
    pub fn new(hosts: usize) -> Self {
        let rows = if hosts <= MOST_HOSTS { hosts * hosts } else { hosts };
        Self { hosts, lives: vec![Lives::default(); rows] }
    }

    /// Adds the lifetime and wait of a message.
    #[inline]
    pub fn add(&mut self, from: u32, to: u32, life: Span, wait: Span) {
        let row = if self.hosts <= MOST_HOSTS { from as usize * self.hosts } else { 0 } + to as usize;
        let lives = &mut self.lives[row];
        lives.messages += 1;
        lives.life_ps += u128::from(life.ps());
        lives.wait_ps += u128::from(wait.ps());
    }

    /// Forgets everything.
    pub fn restart(&mut self) {
        self.lives.fill(Lives::default());
    }

    /// The pairs that exchanged messages, by number.
    pub fn waits(&self) -> Vec<PairWait> {
        let rows = self.lives.iter().enumerate().filter(|(_, lives)| lives.messages > 0);
        let by_pairs = self.hosts <= MOST_HOSTS;
        rows.map(|(row, lives)| {
            let each = |ps: u128| ps as f64 * 1e-6 / lives.messages as f64;
            PairWait {
                from: by_pairs.then(|| (row / self.hosts) as u32),
                to: (row % self.hosts) as u32,
                messages: lives.messages,
                life_us: each(lives.life_ps),
                wait_us: each(lives.wait_ps),
            }
        })
        .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn waits_after(hosts: usize, messages: &[(u32, u32, u64, u64)]) -> Vec<PairWait> {
        let mut lives = PairLives::new(hosts);
        for &(from, to, life, wait) in messages {
            lives.add(from, to, Span::from_us(life), Span::from_us(wait));
        }
        lives.waits()
    }

    #[test]
    fn each_pair_has_the_means_of_its_own_messages() {
        let found = waits_after(3, &[(0, 2, 10, 4), (0, 2, 20, 10), (1, 0, 5, 0)]);
        let first = PairWait { from: Some(0), to: 2, messages: 2, life_us: 15.0, wait_us: 7.0 };
        let second = PairWait { from: Some(1), to: 0, messages: 1, life_us: 5.0, wait_us: 0.0 };
        assert_eq!(found, [first, second]);
    }

    #[test]
    fn large_networks_are_told_by_receivers() {
        let found = waits_after(MOST_HOSTS + 1, &[(0, 2, 10, 4), (1, 2, 20, 10)]);
        assert_eq!(found, [PairWait { from: None, to: 2, messages: 2, life_us: 15.0, wait_us: 7.0 }]);
    }

    #[test]
    fn a_restart_forgets_all() {
        let mut lives = PairLives::new(2);
        lives.add(0, 1, Span::from_us(3), Span::ZERO);
        lives.restart();
        assert_eq!(lives.waits(), []);
    }
}
