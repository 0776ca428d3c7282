//! The state of a sequence of message numbers, at both its ends.

use hopscope_measure::{Pool, StagedPool};
use hopscope_units::Time;

use crate::protocol::message_block::Setup;
use crate::protocol::message_numbers::MessageNumbers;
use crate::protocol::message_order::MessageOrder;
use crate::protocol::message_timeout::MessageTimeout;
use crate::protocol::stage::Phase;

/// The REQALLs of one sequence.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Requests {
    /// A message that is measured has gone by this sequence.
    pub is_measured: bool,
    pub sent: u64,
    /// Of these, sent while another of the sequence was under way.
    pub superfluous: u64,
}

impl Requests {
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
    /// REQALLs outstanding.
    pub requests: u32,
    pub asked: Requests,
    /// When a request came to the destination, by message number.
    pub request_came: [Time; 8],
    /// The last request answered: its number, when it came, and when it was answered.
    pub answered: Option<(u32, Time, Time)>,
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
            requests: 0,
            asked: Requests::default(),
            request_came: [Time::ZERO; 8],
            answered: None,
        }
    }
}
