//! The use of every resource over time, in a bounded number of bins.
//!
//! A bin ends after a number of events, at the next pulse of the run. When all bins are taken, pairs are merged and new
//! bins last twice as many events. So memory is bounded, a run has most detail where most happens, and the bins are the
//! same on every machine.

use hopscope_units::Time;

use crate::{ResourceKind, Subject};

/// Bins that a run keeps at most.
const MOST_BINS: usize = 256;

/// Resources times bins at most: three bytes each make 12 MB of a run folder.
const MOST_CELLS: usize = 1 << 22;

/// Events of a bin for each resource: reading a resource costs about as much as a fifth of an event.
const EVENTS_A_RESOURCE: u64 = 16;

/// What has been used of a resource since the restart, integrated over time in picoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Usage {
    /// The share in use, or the amount where there is no bound.
    pub used_ps: f64,
    /// The number waiting. Models that book a wait when it ends count it there.
    pub waited_ps: f64,
    /// The share of time in which the far end held it back.
    pub held_back_ps: f64,
}

impl Usage {
    /// Of a pool of which there is a bound, or not.
    #[must_use]
    pub fn of(pool: &crate::Pool, now: Time) -> Self {
        let whole = pool.capacity().map_or(1.0, |capacity| capacity.max(1) as f64);
        Self {
            used_ps: pool.held_ps(now) as f64 / whole,
            waited_ps: pool.waiting_ps(now) as f64,
            held_back_ps: 0.0,
        }
    }

    fn since(self, before: Self) -> Self {
        Self {
            used_ps: (self.used_ps - before.used_ps).max(0.0),
            waited_ps: (self.waited_ps - before.waited_ps).max(0.0),
            held_back_ps: (self.held_back_ps - before.held_back_ps).max(0.0),
        }
    }

    fn plus(self, other: Self) -> Self {
        Self {
            used_ps: self.used_ps + other.used_ps,
            waited_ps: self.waited_ps + other.waited_ps,
            held_back_ps: self.held_back_ps + other.held_back_ps,
        }
    }
}

/// Where a model tells its [`Usage`]: of each resource its kind, its place and the numbers, always in the same order.
/// The place is as in the rows of a report, and asked for once.
pub type UsageOf<'a> = dyn FnMut(ResourceKind, &dyn Fn() -> String, Usage) + 'a;

/// The use of every resource in bins of time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Timeline {
    /// The kinds and places of the resources, in the order of the model.
    pub resources: Vec<(ResourceKind, String)>,
    /// When each bin begins, and last when the last one ends.
    pub edges: Vec<Time>,
    /// For each bin, what was used of each resource within it.
    bins: Vec<Vec<Usage>>,
    before: Vec<Usage>,
    events_a_bin: u64,
    next: u64,
}

impl Timeline {
    /// Begins at the present state of a model.
    pub fn begin(now: Time, subject: &mut impl Subject) -> Self {
        let mut timeline = Self { edges: vec![now], ..Self::default() };
        subject.usage(now, &mut |kind, place, usage| {
            timeline.resources.push((kind, place()));
            timeline.before.push(usage);
        });
        timeline.events_a_bin = EVENTS_A_RESOURCE * timeline.resources.len() as u64;
        timeline.next = timeline.events_a_bin;
        timeline
    }

    /// Ends the bin where it has had its events.
    pub fn pulse(&mut self, now: Time, events: u64, subject: &mut impl Subject) {
        if events >= self.next {
            self.cut(now, subject);
            self.next = events + self.events_a_bin;
        }
    }

    /// Ends the bin at the present instant; nothing where it has just begun.
    pub fn cut(&mut self, now: Time, subject: &mut impl Subject) {
        if self.edges.last().is_none_or(|&last| last >= now) || self.resources.is_empty() {
            return;
        }
        let mut bin = Vec::with_capacity(self.before.len());
        let before = &mut self.before;
        subject.usage(now, &mut |_, _, usage| {
            let at = bin.len();
            bin.push(usage.since(before[at]));
            before[at] = usage;
        });
        assert_eq!(bin.len(), self.before.len(), "a model has the same resources throughout");
        self.bins.push(bin);
        self.edges.push(now);
        if self.bins.len() >= self.most_bins() {
            self.merge();
        }
    }

    /// The model has forgotten what it had measured.
    pub fn restart(&mut self) {
        self.before.fill(Usage::default());
    }

    fn most_bins(&self) -> usize {
        MOST_BINS.min(MOST_CELLS / self.resources.len().max(1)).max(2)
    }

    fn merge(&mut self) {
        let mut bins = std::mem::take(&mut self.bins).into_iter();
        let mut edges = vec![self.edges[0]];
        while let Some(mut first) = bins.next() {
            let second = bins.next();
            edges.push(self.edges[(2 * edges.len()).min(self.edges.len() - 1)]);
            for (one, other) in first.iter_mut().zip(second.into_iter().flatten()) {
                *one = one.plus(other);
            }
            self.bins.push(first);
        }
        self.edges = edges;
        self.events_a_bin *= 2;
    }

    /// Of one resource the mean in each bin: share in use, number waiting, share of time held back.
    pub fn means(&self, resource: usize) -> impl Iterator<Item = Usage> + '_ {
        self.bins.iter().zip(self.edges.windows(2)).map(move |(bin, edges)| {
            let span = edges[1].since(edges[0]).ps() as f64;
            let sum = bin[resource];
            Usage {
                used_ps: sum.used_ps / span,
                waited_ps: sum.waited_ps / span,
                held_back_ps: sum.held_back_ps / span,
            }
        })
    }
}
