//! A station: a machine's place on a network, with the Pups that wait to be sent there.

use std::collections::VecDeque;

use hopscope_kernel::RandomStream;
use hopscope_measure::Pool;
use hopscope_units::{Span, Time};

use crate::media::ethernet::Backoff;
use crate::media::packet_radio::Assemblies;
use crate::scenario::Extra;

/// A machine's place on a network, with the Pups that wait there.
#[derive(Clone, Debug)]
pub(crate) struct Station {
    /// The output queue; the Pup in front is being sent.
    pub queue: VecDeque<u32>,
    /// Pups in the queue, the one being sent included.
    pub waiting: Pool,
    /// The line's direction or the radio: busy with a Pup or not.
    pub channel: Pool,
    /// Of a line: the time it has sent routing Pups since the restart.
    pub routing: Span,
    pub backoff: Backoff,
    /// On an Ethernet: until when it leaves the cable to others after a packet of its own.
    pub rests_until: Time,
    /// Whether the radio packet before was delayed: delays may come in bursts.
    pub delayed: bool,
    pub random: RandomStream,
    /// Radio packets of the first Pup accepted so far.
    pub accepted: u32,
    /// Pups begun by the radio.
    pub radio_number: u32,
    pub assemblies: Assemblies,
    /// What has been lost here since the restart.
    pub losses: StationLosses,
}

/// Pups and radio packets lost at a station.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct StationLosses {
    /// Pups refused by its full queue.
    pub refused: u64,
    /// Radio packets lost in the network, of those accepted.
    pub radio_lost: u64,
    pub radio_sent: u64,
    /// Radio packets of several parts that came here, and those of them that found all assemblies in use.
    pub parts_came: u64,
    pub unassembled: u64,
    /// Pups given up after sixteen collisions.
    pub given_up: u64,
}

impl Station {
    /// A station whose output queue takes this many Pups, if it has a limit, and this limit of Pups in assembly.
    pub fn new(queue: Option<u32>, assemblies: usize, random: RandomStream) -> Self {
        Self {
            queue: VecDeque::new(),
            waiting: queue.map_or_else(Pool::unbounded, |most| Pool::bounded(u64::from(most))),
            channel: Pool::bounded(1),
            routing: Span::ZERO,
            backoff: Backoff::default(),
            rests_until: Time::ZERO,
            delayed: false,
            random,
            accepted: 0,
            radio_number: 0,
            assemblies: Assemblies::new(assemblies),
            losses: StationLosses::default(),
        }
    }

    /// Whether the next radio packet is delayed. Where delays come in bursts, it depends on the one before, so that the
    /// share is the same and a burst has the mean length (E. N. Gilbert, "Capacity of a Burst-Noise Channel", BSTJ 39,
    /// 1960).
    pub fn is_delayed(&mut self, extra: Extra) -> bool {
        let chance = match (extra.burst, self.delayed) {
            (None, _) => extra.share,
            (Some(burst), true) => 1.0 - 1.0 / burst,
            (Some(burst), false) => extra.share / (burst * (1.0 - extra.share)),
        };
        self.delayed = self.random.chance(chance);
        self.delayed
    }
}
