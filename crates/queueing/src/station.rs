//! One station while it works.

use std::collections::VecDeque;

use hopscope_kernel::RandomStream;
use hopscope_measure::{Pool, ServiceTime};
use hopscope_units::Time;

use crate::params::StationParams;
use crate::service::ServiceSampler;

/// A station of the row while it works.
#[derive(Clone, Debug)]
pub(crate) struct Station {
    /// Its servers: who holds one is being served, who waits for one stands in the queue.
    pub(crate) servers: Pool,
    pub(crate) queue: VecDeque<u32>,
    /// How long all of them have been busy at once.
    pub(crate) all_busy: AllBusy,
    pub(crate) service: ServiceSampler,
    pub(crate) random: RandomStream,
    /// How long services take.
    pub(crate) time: ServiceTime,
    /// Services begun so far, which order its departures among the events of one instant.
    pub(crate) begun: u32,
}

impl Station {
    pub(crate) fn new(params: &StationParams, seed: u64, index: usize) -> Self {
        Self {
            servers: Pool::bounded(u64::from(params.servers)),
            queue: VecDeque::new(),
            all_busy: AllBusy::default(),
            service: ServiceSampler::new(&params.service),
            random: RandomStream::named(seed, "service", index as u64),
            time: params.service.time(),
            begun: 0,
        }
    }

    /// Notes whether all servers are busy from now on.
    pub(crate) fn note(&mut self, now: Time) {
        self.all_busy.is_so(now, self.servers.free() == 0);
    }

    /// Customers here, waiting or in service.
    pub(crate) fn present(&self) -> u64 {
        self.queue.len() as u64 + self.servers.held()
    }
}

/// For how long all servers of a station are busy at once.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct AllBusy {
    /// Since when they are, if they are.
    since: Option<Time>,
    spent_ps: u64,
    begun: Time,
}

impl AllBusy {
    fn is_so(&mut self, now: Time, all: bool) {
        match self.since {
            None if all => self.since = Some(now),
            Some(since) if !all => {
                self.spent_ps += now.since(since).ps();
                self.since = None;
            }
            _ => {}
        }
    }

    /// Forgets what has been measured.
    pub(crate) fn restart(&mut self, now: Time) {
        *self = Self { since: self.since.map(|_| now), spent_ps: 0, begun: now };
    }

    /// The share of time since the restart, 0 to 1.
    pub(crate) fn share(&self, now: Time) -> f64 {
        let lasting = self.since.map_or(0, |since| now.since(since).ps());
        let span = now.since(self.begun).ps();
        if span == 0 { 0.0 } else { (self.spent_ps + lasting) as f64 / span as f64 }
    }
}
