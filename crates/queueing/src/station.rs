//! One station while it works.

use std::collections::VecDeque;

use hopscope_kernel::RandomStream;
use hopscope_measure::{Pool, ServiceTime};

use crate::params::StationParams;
use crate::service::ServiceSampler;

/// A station of the row while it works.
#[derive(Clone, Debug)]
pub(crate) struct Station {
    /// Its servers: who holds one is being served, who waits for one stands in the queue.
    pub(crate) servers: Pool,
    pub(crate) queue: VecDeque<u32>,
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
            service: ServiceSampler::new(&params.service),
            random: RandomStream::named(seed, "service", index as u64),
            time: params.service.time(),
            begun: 0,
        }
    }

    /// Customers here, waiting or in service.
    pub(crate) fn present(&self) -> u64 {
        self.queue.len() as u64 + self.servers.held()
    }
}
