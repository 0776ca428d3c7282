//! A resource: the held amount, the number of waiters, and its use over time.

use hopscope_units::Time;

use crate::{HeldIn, HoldActivity, HoldWhy, ResourceKind, ResourceRow, Site};

/// How a pool is named in a report. Kept out of the pool, because a network has hundreds of thousands of them.
#[derive(Clone, Copy, Debug)]
pub struct PoolLabel<'a> {
    /// The kind of resource.
    pub kind: ResourceKind,
    /// Where it is, such as "l0s3 port 4".
    pub place: &'a str,
    /// The same in numbers.
    pub site: Site,
    /// What is counted, such as "B" or "packets".
    pub unit: &'a str,
}

/// A resource of which messages hold an amount and for which messages wait, with its use over time.
///
/// Integrals are exact: amounts are integers and time is in picoseconds. Every operation panics where it would take
/// more than the capacity, give back more than is held, or go back in time, for that is an error of the model.
#[derive(Clone, Debug)]
pub struct Pool {
    /// `u64::MAX` stands for no bound.
    capacity: u64,
    held: u64,
    waiting: u64,
    peak: u64,
    acquisitions: u64,
    since: Time,
    touched: Time,
    held_ps: u128,
    waiting_ps: u128,
}

impl Pool {
    /// A pool of this much, all of it free.
    #[must_use]
    pub const fn bounded(capacity: u64) -> Self {
        Self {
            capacity,
            held: 0,
            waiting: 0,
            peak: 0,
            acquisitions: 0,
            since: Time::ZERO,
            touched: Time::ZERO,
            held_ps: 0,
            waiting_ps: 0,
        }
    }

    /// A pool that never runs out.
    #[must_use]
    pub const fn unbounded() -> Self {
        Self::bounded(u64::MAX)
    }

    #[inline]
    fn touch(&mut self, now: Time) {
        let span = u128::from(now.since(self.touched).ps());
        self.held_ps += span * u128::from(self.held);
        // Mostly nothing waits: the branch is predicted, and saves a wide sum at each change.
        if self.waiting > 0 {
            self.waiting_ps += span * u128::from(self.waiting);
        }
        self.touched = now;
    }

    /// Takes some of the resource.
    #[inline]
    pub fn acquire(&mut self, now: Time, amount: u64) {
        assert!(
            amount <= self.capacity - self.held,
            "took {amount} where {} of {} were held",
            self.held,
            self.capacity
        );
        self.touch(now);
        self.held += amount;
        self.acquisitions += 1;
        self.peak = self.peak.max(self.held);
    }

    /// Gives some of the resource back.
    #[inline]
    pub fn release(&mut self, now: Time, amount: u64) {
        assert!(amount <= self.held, "gave back {amount} where {} were held", self.held);
        self.touch(now);
        self.held -= amount;
    }

    /// Takes or gives back the difference to this amount.
    #[inline]
    pub fn hold(&mut self, now: Time, amount: u64) {
        if amount > self.held {
            self.acquire(now, amount - self.held);
        } else if amount < self.held {
            self.release(now, self.held - amount);
        }
    }

    /// One more message waits for the resource.
    #[inline]
    pub fn start_waiting(&mut self, now: Time) {
        self.touch(now);
        self.waiting += 1;
    }

    /// One message less waits for the resource.
    #[inline]
    pub fn stop_waiting(&mut self, now: Time) {
        assert!(self.waiting > 0, "stopped a wait that nobody had started");
        self.touch(now);
        self.waiting -= 1;
    }

    /// How much there is; nothing where there is no bound.
    #[must_use]
    pub const fn capacity(&self) -> Option<u64> {
        if self.capacity == u64::MAX { None } else { Some(self.capacity) }
    }

    /// How much is held.
    #[inline]
    #[must_use]
    pub const fn held(&self) -> u64 {
        self.held
    }

    /// How much is free; of an unbounded pool, `u64::MAX` less what is held.
    #[inline]
    #[must_use]
    pub const fn free(&self) -> u64 {
        self.capacity - self.held
    }

    /// How many messages wait.
    #[inline]
    #[must_use]
    pub const fn waiting(&self) -> u64 {
        self.waiting
    }

    /// The largest amount held at once since the restart.
    #[must_use]
    pub const fn peak(&self) -> u64 {
        self.peak
    }

    /// The number of acquisitions since the restart.
    #[must_use]
    pub const fn acquisitions(&self) -> u64 {
        self.acquisitions
    }

    /// Amount held, integrated over the time since the restart, in units x picoseconds.
    #[must_use]
    pub fn held_ps(&self, now: Time) -> u128 {
        self.held_ps + u128::from(now.since(self.touched).ps()) * u128::from(self.held)
    }

    /// Number waiting, integrated over the time since the restart, in messages x picoseconds: the waits of all
    /// messages.
    #[must_use]
    pub fn waiting_ps(&self, now: Time) -> u128 {
        self.waiting_ps + u128::from(now.since(self.touched).ps()) * u128::from(self.waiting)
    }

    /// Resets the measurement. Held amounts and waiters stay.
    pub fn restart(&mut self, now: Time) {
        assert!(now >= self.touched, "time ran backwards: {now:?} after {:?}", self.touched);
        *self = Self {
            peak: self.held,
            acquisitions: 0,
            since: now,
            touched: now,
            held_ps: 0,
            waiting_ps: 0,
            ..*self
        };
    }

    /// The use of the resource since the restart. `messages` is the number delivered in that time, over which waits
    /// are shared.
    #[must_use]
    pub fn row(&self, now: Time, label: PoolLabel<'_>, messages: u64) -> ResourceRow {
        let occupancy = mean_over(self.held_ps(now), now, self.since);
        let capacity = self.capacity().map(|capacity| capacity as f64);
        ResourceRow {
            capacity,
            occupancy,
            utilisation: capacity
                .filter(|&capacity| capacity > 0.0)
                .map_or(0.0, |capacity| occupancy / capacity),
            peak: self.peak as f64,
            waiting: mean_over(self.waiting_ps(now), now, self.since),
            wait_us: self.waiting_ps(now) as f64 * 1e-6 / messages.max(1) as f64,
            acquisitions: self.acquisitions,
            ..ResourceRow::unused(label)
        }
    }
}

fn mean_over(integral: u128, now: Time, since: Time) -> f64 {
    let span = now.since(since).ps();
    if span == 0 { 0.0 } else { integral as f64 / span as f64 }
}

/// A pool that also knows in which stage its holders are: "held by packets that wait for an output". `N` is the number
/// of stages of the model's ledger.
#[derive(Clone, Debug)]
pub struct StagedPool<const N: usize> {
    pool: Pool,
    held: [u64; N],
    touched: [Time; N],
    held_ps: [u128; N],
    entered: [u64; N],
}

impl<const N: usize> StagedPool<N> {
    /// Wraps a pool of which nothing is held yet.
    #[must_use]
    pub fn new(pool: Pool) -> Self {
        assert!(pool.held == 0, "stages are kept from the first holder on");
        Self { pool, held: [0; N], touched: [Time::ZERO; N], held_ps: [0; N], entered: [0; N] }
    }

    #[inline]
    fn touch(&mut self, now: Time, stage: usize) {
        self.held_ps[stage] += u128::from(now.since(self.touched[stage]).ps()) * u128::from(self.held[stage]);
        self.touched[stage] = now;
    }

    /// A message in `stage` takes some of the resource.
    #[inline]
    pub fn acquire(&mut self, now: Time, stage: usize, amount: u64) {
        self.pool.acquire(now, amount);
        self.touch(now, stage);
        self.held[stage] += amount;
        self.entered[stage] += amount;
    }

    /// A holder of this much goes from one stage to another.
    #[inline]
    pub fn advance(&mut self, now: Time, from: usize, to: usize, amount: u64) {
        assert!(
            amount <= self.held[from],
            "moved {amount} where {} were held in that stage",
            self.held[from]
        );
        self.touch(now, from);
        self.touch(now, to);
        self.held[from] -= amount;
        self.held[to] += amount;
        self.entered[to] += if from == to { 0 } else { amount };
    }

    /// A message in `stage` gives some of the resource back.
    #[inline]
    pub fn release(&mut self, now: Time, stage: usize, amount: u64) {
        assert!(
            amount <= self.held[stage],
            "gave back {amount} where {} were held in that stage",
            self.held[stage]
        );
        self.pool.release(now, amount);
        self.touch(now, stage);
        self.held[stage] -= amount;
    }

    /// One more message waits for the resource.
    #[inline]
    pub fn start_waiting(&mut self, now: Time) {
        self.pool.start_waiting(now);
    }

    /// One message less waits for the resource.
    #[inline]
    pub fn stop_waiting(&mut self, now: Time) {
        self.pool.stop_waiting(now);
    }

    /// The resource without the stages.
    #[must_use]
    pub const fn pool(&self) -> &Pool {
        &self.pool
    }

    /// How much is held by messages in this stage.
    #[must_use]
    pub const fn held_in(&self, stage: usize) -> u64 {
        self.held[stage]
    }

    /// Amount held by messages in this stage, integrated over the time since the restart, in units x picoseconds.
    #[must_use]
    pub fn held_in_ps(&self, now: Time, stage: usize) -> u128 {
        self.held_ps[stage] + u128::from(now.since(self.touched[stage]).ps()) * u128::from(self.held[stage])
    }

    /// The share of the capacity held in each stage, integrated over the time since the restart, in picoseconds.
    #[must_use]
    pub fn held_so(&self, now: Time, stages: &[HoldActivity; N]) -> [(HoldWhy, f64); N] {
        let whole = self.pool.capacity().map_or(1.0, |capacity| capacity.max(1) as f64);
        std::array::from_fn(|stage| (stages[stage].why, self.held_in_ps(now, stage) as f64 / whole))
    }

    /// Resets the measurement, as [`Pool::restart`].
    pub fn restart(&mut self, now: Time) {
        self.pool.restart(now);
        self.touched = [now; N];
        self.held_ps = [0; N];
        self.entered = [0; N];
    }

    /// The use of the resource since the restart, with what its holders did in each stage, largest first; stages that
    /// never held any of it are left out.
    #[must_use]
    pub fn row(
        &self,
        now: Time,
        label: PoolLabel<'_>,
        messages: u64,
        stages: &[HoldActivity],
    ) -> ResourceRow {
        assert_eq!(stages.len(), N, "an activity for every stage");
        let row = |(stage, &activity)| (self.held_in_ps(now, stage), self.entered[stage], activity);
        let mut held: Vec<(u128, u64, HoldActivity)> = stages.iter().enumerate().map(row).collect();
        held.retain(|&(integral, ..)| integral > 0);
        held.sort_by_key(|&(integral, ..)| std::cmp::Reverse(integral));
        let held_in = held
            .into_iter()
            .map(|(integral, entered, activity)| HeldIn {
                activity,
                occupancy: mean_over(integral, now, self.pool.since),
                entered,
            })
            .collect();
        ResourceRow { held_in, ..self.pool.row(now, label, messages) }
    }
}
