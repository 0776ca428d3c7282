//! Sources: who sends when, and what.

use hopscope_kernel::RandomStream;
use hopscope_topology::HostId;
use hopscope_units::{Data, Time};

use crate::arrivals::{ArrivalProcess, Arrivals};

/// Where the messages of a source go.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Destination {
    /// Always there.
    Fixed(HostId),
    /// To any other host of the network.
    Others,
    /// To any other host of this group of the workload.
    Group(u16),
    /// To the hosts of this weighted list of the workload.
    Weighted(u32),
    /// To all hosts of this group of the workload at once.
    All(u16),
}

/// What a source sends: an index into the workload's laws.
#[derive(Clone, Copy, Debug)]
pub(crate) enum What {
    /// Messages of this size law.
    Messages(u16),
    /// Bursts of this burst law.
    Bursts(u16),
}

/// One sending host and one arrival process, with a random stream of its own.
#[derive(Clone, Debug)]
pub struct Source {
    pub(crate) from: HostId,
    pub(crate) destination: Destination,
    pub(crate) arrivals: Arrivals,
    pub(crate) what: What,
    /// Expected bits a second; nothing for a source that sends whenever it can.
    pub(crate) bit_s: Option<f64>,
    pub(crate) random: RandomStream,
}

/// What a source sends at one instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Emission {
    /// One message.
    Message {
        /// Its destination.
        to: HostId,
        /// Its size.
        size: Data,
        /// Its class.
        class: u8,
    },
    /// One message for several hosts at once.
    Multicast {
        /// The index of their group in the workload.
        group: u16,
        /// Its size.
        size: Data,
        /// Its class.
        class: u8,
    },
    /// A burst of the workload's burst law with this index.
    Burst {
        /// Its destination.
        to: HostId,
        /// The index of its law.
        law: u16,
    },
}

impl Source {
    /// The sending host.
    #[inline]
    #[must_use]
    pub fn from(&self) -> HostId {
        self.from
    }

    /// Whether the source is always ready to send, and so never fires by itself.
    #[inline]
    #[must_use]
    pub fn is_saturated(&self) -> bool {
        matches!(self.arrivals, Arrivals::Saturated(_))
    }

    /// When the source sends next, at or after `now`; never, where that lies beyond simulated time. Call once at the
    /// start and once each time it has sent. A saturated one never does by itself.
    #[inline]
    pub fn next(&mut self, now: Time) -> Time {
        self.arrivals.next(now, &mut self.random)
    }
}
