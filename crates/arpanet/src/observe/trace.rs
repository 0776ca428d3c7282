//! The events of messages and replies at their two ends, recorded for time-space diagrams and ladders.

use hopscope_measure::EventRow;
use hopscope_units::Time;

use crate::protocol::packet::PacketKind;

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
    /// A message has its allocation of eight reassembly buffers.
    AllocationTaken,
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
    /// The source asks about a number without a reply.
    IncompleteQuerySent,
    /// The destination has given up a message or a REQALL, or its host does not accept a message: the source is
    /// notified.
    IncompleteSent,
    /// The source has been notified.
    IncompleteArrives,
    /// A message that has waited too long for a message number is refused.
    MessageBlocked,
}

impl TraceKind {
    /// All of them, in the order of a message's life.
    pub const ALL: [Self; 25] = [
        Self::InputBegins,
        Self::FirstPacketIn,
        Self::NumberTaken,
        Self::Tabled,
        Self::AllocationTaken,
        Self::RequestSent,
        Self::SuperfluousRequestSent,
        Self::RequestArrives,
        Self::AllocationSent,
        Self::AllocationArrives,
        Self::MessageSent,
        Self::MessageSentAgain,
        Self::InputEnds,
        Self::FirstPacketArrives,
        Self::MessageArrives,
        Self::MessageDiscarded,
        Self::FirstPacketDelivered,
        Self::RfnmSent,
        Self::RfnmWithAllocationSent,
        Self::RfnmArrives,
        Self::GiveBackSent,
        Self::IncompleteQuerySent,
        Self::IncompleteSent,
        Self::IncompleteArrives,
        Self::MessageBlocked,
    ];

    /// What has happened, in words.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::InputBegins => "input begins",
            Self::FirstPacketIn => "first packet in",
            Self::NumberTaken => "message number taken",
            Self::Tabled => "table entry made",
            Self::AllocationTaken => "allocation taken",
            Self::RequestSent => "REQALL sent",
            Self::SuperfluousRequestSent => "superfluous REQALL sent",
            Self::RequestArrives => "REQALL arrives",
            Self::AllocationSent => "ALL sent",
            Self::AllocationArrives => "ALL arrives",
            Self::MessageSent => "message sent",
            Self::MessageSentAgain => "message sent again",
            Self::InputEnds => "input ends",
            Self::FirstPacketArrives => "first packet arrives",
            Self::MessageArrives => "message arrives",
            Self::MessageDiscarded => "message discarded",
            Self::FirstPacketDelivered => "first packet delivered",
            Self::RfnmSent => "RFNM sent",
            Self::RfnmWithAllocationSent => "RFNM with ALL sent",
            Self::RfnmArrives => "RFNM arrives",
            Self::GiveBackSent => "GVB sent",
            Self::IncompleteQuerySent => "incomplete query sent",
            Self::IncompleteSent => "incomplete transmission sent",
            Self::IncompleteArrives => "incomplete transmission arrives",
            Self::MessageBlocked => "message blocked",
        }
    }

    /// Whether it happens at the source; everything else happens at the destination.
    #[must_use]
    pub const fn at_source(self) -> bool {
        !matches!(
            self,
            Self::RequestArrives
                | Self::AllocationSent
                | Self::FirstPacketArrives
                | Self::MessageArrives
                | Self::MessageDiscarded
                | Self::FirstPacketDelivered
                | Self::RfnmSent
                | Self::RfnmWithAllocationSent
                | Self::IncompleteSent
        )
    }
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

/// A packet of a message, or a control message, in transit over a line.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Passage {
    /// When the line begins to send it.
    pub from: Time,
    /// When its last bit arrives.
    pub to: Time,
    pub line: u16,
    pub kind: PacketKind,
    /// The message; `u64::MAX` for a control message that belongs to none.
    pub message: u64,
    pub sequence: u32,
    pub number: u32,
    pub packet: u8,
}

/// The first rows of a run, up to a limit, and the same number of passages.
#[derive(Clone, Debug, Default)]
pub(crate) struct Trace {
    limit: usize,
    rows: Vec<TraceRow>,
    passages: Vec<Passage>,
}

impl Trace {
    pub const fn new(limit: usize) -> Self {
        Self { limit, rows: Vec::new(), passages: Vec::new() }
    }

    /// Deletes the records.
    pub fn restart(&mut self) {
        self.rows.clear();
        self.passages.clear();
    }

    /// Whether another passage is recorded.
    #[inline]
    pub const fn follows_packets(&self) -> bool {
        self.passages.len() < self.limit
    }

    pub fn pass(&mut self, passage: Passage) {
        self.passages.push(passage);
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

    /// Everything in the order of time: what happened before what set out at the same instant. `pair` names a sequence
    /// and its two ends, `line` the two ends of a line.
    pub fn events(
        &self,
        pair: impl Fn(u32) -> (String, [String; 2]),
        line: impl Fn(u16) -> [String; 2],
    ) -> Vec<EventRow> {
        let happened = self.rows.iter().map(|row| {
            let (sequence, [source, dest]) = pair(row.sequence);
            let place = if row.kind.at_source() { source } else { dest };
            let event = row.kind.words().to_owned();
            let (message, number) = ((row.message != u64::MAX).then_some(row.message), row.number);
            let at = row.at.ps();
            EventRow {
                event,
                message,
                number,
                packet: 0,
                sequence,
                to: place.clone(),
                place,
                from_ps: at,
                to_ps: at,
            }
        });
        let passed = self.passages.iter().map(|passage| {
            let [place, to] = line(passage.line);
            EventRow {
                event: passage.kind.words().to_owned(),
                message: (passage.message != u64::MAX).then_some(passage.message),
                number: passage.number,
                packet: passage.packet.into(),
                sequence: pair(passage.sequence).0,
                place,
                to,
                from_ps: passage.from.ps(),
                to_ps: passage.to.ps(),
            }
        });
        let mut events: Vec<EventRow> = happened.chain(passed).collect();
        events.sort_by_key(|row| row.from_ps);
        events
    }
}
