//! A number over time.

use hopscope_measure::Pool;
use hopscope_units::Time;

/// A number that changes at instants, with its mean over time.
#[derive(Clone, Debug)]
pub(crate) struct Gauge {
    pool: Pool,
    since: Time,
}

impl Gauge {
    /// A gauge at this value.
    pub fn at(value: u64) -> Self {
        let mut pool = Pool::unbounded();
        pool.acquire(Time::ZERO, value);
        Self { pool, since: Time::ZERO }
    }

    /// It has this value from now on.
    pub fn set(&mut self, now: Time, value: u64) {
        let before = self.pool.held();
        if value > before {
            self.pool.acquire(now, value - before);
        } else if value < before {
            self.pool.release(now, before - value);
        }
    }

    /// The mean since the restart.
    pub fn mean(&self, now: Time) -> f64 {
        let span = now.since(self.since).ps();
        if span == 0 { self.pool.held() as f64 } else { self.pool.held_ps(now) as f64 / span as f64 }
    }

    pub fn restart(&mut self, now: Time) {
        self.pool.restart(now);
        self.since = now;
    }
}
