//! The use of every resource over time, in a bounded number of bins.
//!
//! A bin ends after a number of events, at the next pulse of the run. When all bins are taken, pairs are merged and new
//! bins last twice as many events. So memory is bounded, a run has most detail where most happens, and the bins are the
//! same on every machine.

use hopscope_units::Time;

use crate::{HoldWhy, ResourceKind, Subject};

/// Bins that a run keeps at most.
const MOST_BINS: usize = 256;

/// Bytes of a run folder at most: three for each resource and bin, and one for each thing that its holders do.
const MOST_BYTES: usize = 3 << 22;

/// Events of a bin for each resource: reading a resource costs about as much as a fifth of an event.
const EVENTS_A_RESOURCE: u64 = 16;

/// The use of a resource since the restart, integrated over time in picoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Usage {
    /// The share in use, or the amount if unbounded.
    pub used_ps: f64,
    /// The number waiting. Models that record a wait when it ends count it then.
    pub waited_ps: f64,
    /// The share of time in which the far end stopped it.
    pub held_back_ps: f64,
}

impl Usage {
    /// The use of a pool, bounded or not.
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

/// What the holders of a resource do, each with the amount held so, integrated as [`Usage::used_ps`].
pub type HeldSo = [(HoldWhy, f64)];

/// The callback to which a model reports its [`Usage`]: for each resource its kind, its place and the numbers, always
/// in the same order. The place is as in the rows of a report, and requested once. Causes of holding are included if
/// there are several, always the same.
pub type UsageOf<'a> = dyn FnMut(ResourceKind, &dyn Fn() -> String, Usage, &HeldSo) + 'a;

/// The integrals of all resources, and of what their holders do, one resource after the other.
#[derive(Clone, Debug, Default, PartialEq)]
struct Integrals {
    usages: Vec<Usage>,
    held: Vec<f64>,
}

impl Integrals {
    /// The integrals of a model at this instant.
    fn of(now: Time, subject: &mut impl Subject, like: &Self) -> Self {
        let mut found =
            Self { usages: Vec::with_capacity(like.usages.len()), held: Vec::with_capacity(like.held.len()) };
        subject.usage(now, &mut |_, _, usage, held| {
            found.usages.push(usage);
            found.held.extend(held.iter().map(|&(_, ps)| ps));
        });
        found
    }

    fn since(&self, before: &Self) -> Self {
        let usages = self.usages.iter().zip(&before.usages).map(|(now, before)| now.since(*before));
        let held = self.held.iter().zip(&before.held).map(|(now, before)| (now - before).max(0.0));
        Self { usages: usages.collect(), held: held.collect() }
    }

    fn add(&mut self, other: &Self) {
        self.usages.iter_mut().zip(&other.usages).for_each(|(one, other)| *one = one.plus(*other));
        self.held.iter_mut().zip(&other.held).for_each(|(one, other)| *one += other);
    }
}

/// A resource of a timeline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Followed {
    /// What sort of resource it is.
    pub kind: ResourceKind,
    /// Where it is.
    pub place: String,
    /// What its holders do, if they do several things.
    pub activities: Vec<HoldWhy>,
    /// The index of the first of them among those of all resources.
    first: usize,
}

/// The use of every resource in bins of time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Timeline {
    /// The resources, in the order of the model.
    pub resources: Vec<Followed>,
    /// The beginning of each bin, then the end of the last one.
    pub edges: Vec<Time>,
    /// For each bin, the use within it.
    bins: Vec<Integrals>,
    before: Integrals,
    events_a_bin: u64,
    next: u64,
}

impl Timeline {
    /// Begins at the present state of a model.
    pub fn begin(now: Time, subject: &mut impl Subject) -> Self {
        let mut timeline = Self { edges: vec![now], ..Self::default() };
        let before = &mut timeline.before;
        subject.usage(now, &mut |kind, place, usage, held| {
            let activities = held.iter().map(|&(why, _)| why).collect();
            timeline.resources.push(Followed { kind, place: place(), activities, first: before.held.len() });
            before.usages.push(usage);
            before.held.extend(held.iter().map(|&(_, ps)| ps));
        });
        timeline.events_a_bin = EVENTS_A_RESOURCE * timeline.resources.len() as u64;
        timeline.next = timeline.events_a_bin;
        timeline
    }

    /// Ends the bin if it has had its events.
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
        let now_used = Integrals::of(now, subject, &self.before);
        let is_same = (now_used.usages.len(), now_used.held.len());
        assert_eq!(
            is_same,
            (self.before.usages.len(), self.before.held.len()),
            "a model has the same throughout"
        );
        self.bins.push(now_used.since(&self.before));
        self.before = now_used;
        self.edges.push(now);
        if self.bins.len() >= self.most_bins() {
            self.merge();
        }
    }

    /// The model has reset its measurements.
    pub fn restart(&mut self) {
        self.before.usages.fill(Usage::default());
        self.before.held.fill(0.0);
    }

    fn most_bins(&self) -> usize {
        let bytes = 3 * self.resources.len() + self.before.held.len();
        MOST_BINS.min(MOST_BYTES / bytes.max(1)).max(2)
    }

    fn merge(&mut self) {
        let mut bins = std::mem::take(&mut self.bins).into_iter();
        let mut edges = vec![self.edges[0]];
        while let Some(mut first) = bins.next() {
            let second = bins.next();
            edges.push(self.edges[(2 * edges.len()).min(self.edges.len() - 1)]);
            if let Some(second) = second {
                first.add(&second);
            }
            self.bins.push(first);
        }
        self.edges = edges;
        self.events_a_bin *= 2;
    }

    /// The means of one resource in each bin: share in use, number waiting, share of time stopped.
    pub fn means(&self, resource: usize) -> impl Iterator<Item = Usage> + '_ {
        self.bins.iter().zip(self.edges.windows(2)).map(move |(bin, edges)| {
            let span = edges[1].since(edges[0]).ps() as f64;
            let sum = bin.usages[resource];
            Usage {
                used_ps: sum.used_ps / span,
                waited_ps: sum.waited_ps / span,
                held_back_ps: sum.held_back_ps / span,
            }
        })
    }

    /// The amount held for one activity of one resource in each bin, on the scale of [`Usage::used_ps`].
    pub fn held(&self, resource: usize, activity: usize) -> impl Iterator<Item = f64> + '_ {
        let at = self.resources[resource].first + activity;
        let spans = self.edges.windows(2).map(|edges| edges[1].since(edges[0]).ps() as f64);
        self.bins.iter().zip(spans).map(move |(bin, span)| bin.held[at] / span)
    }
}
