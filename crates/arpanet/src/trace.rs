//! What happens to messages and replies at their two ends, taken down for time-space diagrams and ladders.

use hopscope_units::Time;

/// What has happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TraceKind {
    /// The input of a message's first packet begins.
    InputBegins,
    /// A message's first packet is in the source IMP.
    FirstPacketIn,
    /// A message has its message number.
    NumberTaken,
    /// A message has its entry in the pending leader or packet table.
    Tabled,
    /// A REQALL is sent.
    RequestSent,
    /// A REQALL is sent while another is outstanding.
    SuperfluousRequestSent,
    /// A REQALL has come to the destination.
    RequestArrives,
    /// An ALL is sent.
    AllocationSent,
    /// An ALL is back at the source.
    AllocationArrives,
    /// The first packet of a message is queued for its line.
    MessageSent,
    /// A discarded single-packet message is sent again.
    MessageSentAgain,
    /// All packets of a message are in the source IMP.
    InputEnds,
    /// The first packet of a message arrives.
    FirstPacketArrives,
    /// A message is complete at the destination.
    MessageArrives,
    /// A single-packet message is discarded at the destination.
    MessageDiscarded,
    /// The first packet has gone to the destination host.
    FirstPacketDelivered,
    /// A RFNM without allocation is sent.
    RfnmSent,
    /// A RFNM with an allocation is sent.
    RfnmWithAllocationSent,
    /// A RFNM is back at the source.
    RfnmArrives,
    /// A GVB is sent.
    GiveBackSent,
}

/// One thing that has happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TraceRow {
    /// When.
    pub at: Time,
    /// What.
    pub kind: TraceKind,
    /// The message, numbered in the order of birth; `u64::MAX` for a control message that belongs to none.
    pub message: u64,
    /// The sequence of message numbers that it belongs to.
    pub sequence: u32,
    /// Its message number in that sequence; meaningless before it has one.
    pub number: u32,
}

/// The first so many rows of a run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Trace {
    limit: usize,
    rows: Vec<TraceRow>,
}

impl Trace {
    pub const fn new(limit: usize) -> Self {
        Self { limit, rows: Vec::new() }
    }

    #[inline]
    pub fn note(&mut self, row: TraceRow) {
        if self.rows.len() < self.limit {
            self.rows.push(row);
        }
    }

    pub fn rows(&self) -> &[TraceRow] {
        &self.rows
    }
}
