//! The state of a sequence of message numbers, at both its ends.

use hopscope_measure::{Pool, StagedPool};
use hopscope_units::Time;

use crate::protocol::message_block::Setup;
use crate::protocol::message_numbers::MessageNumbers;
use crate::protocol::message_order::MessageOrder;
use crate::protocol::message_timeout::MessageTimeout;
use crate::protocol::reqall::Requests;
use crate::protocol::stage::Phase;

/// How many REQALLs of one sequence there were.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RequestCounts {
    /// A message that is measured has gone by this sequence.
    pub is_measured: bool,
    pub sent: u64,
    /// Of these, sent while another of the sequence was under way.
    pub superfluous: u64,
}

impl RequestCounts {
    /// Forgets what has been counted.
    pub const fn restart(&mut self) {
        (self.sent, self.superfluous) = (0, 0);
    }
}

/// The message numbers and the order of a pair of IMPs (version 2) or of hosts (version 3), at both ends.
#[derive(Debug)]
pub(crate) struct Sequence {
    pub source: u8,
    pub dest: u8,
    pub hosts: (u32, u32),
    pub numbers: MessageNumbers,
    pub timeout: MessageTimeout,
    pub pool: StagedPool<{ Phase::COUNT }>,
    pub order: MessageOrder,
    pub setup: Setup,
    /// Messages that use it.
    pub users: u32,
    pub last_used: Time,
    pub requests: Requests,
    pub asked: RequestCounts,
}

impl Sequence {
    pub fn new(source: u8, dest: u8, hosts: (u32, u32), window: u32) -> Self {
        Self {
            source,
            dest,
            hosts,
            numbers: MessageNumbers::new(window),
            timeout: MessageTimeout::default(),
            pool: StagedPool::new(Pool::bounded(u64::from(window))),
            order: MessageOrder::new(),
            setup: Setup::Absent,
            users: 0,
            last_used: Time::ZERO,
            requests: Requests::new(),
            asked: RequestCounts::default(),
        }
    }
}
