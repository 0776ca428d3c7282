//! What lies behind a slow subnet besides waiting: superfluous requests, refusals, slow processors (Kleinrock and
//! Opderbeck 1977, sections VI and VII).

use std::collections::BTreeMap;

use hopscope_measure::{BufferRequests, ProcessorWaits, Report, ResourceKind, StageId};
use serde::Serialize;

use crate::thresholds::{LEAST_REASON, REFUSED, SLOW_PROCESSOR_MS, SUPERFLUOUS, TIMES_AS_SLOW};

/// Nodes listed that refuse most.
const LISTED: usize = 3;

/// What slows a subnet down besides waiting, where the model counts it.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct SubnetOverheads {
    /// Requests for allocations.
    pub requests: Option<Requests>,
    /// Packets refused by neighbours.
    pub refusals: Option<Refusals>,
    /// Slow processors.
    pub processors: Option<Processors>,
}

/// The REQALLs of the measured messages.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Requests {
    /// How many there were.
    pub sent: u64,
    /// How many of them were sent while another one was outstanding.
    pub superfluous: u64,
    /// Whether that is worth a word.
    pub matters: bool,
}

/// A part of a whole, by name.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Weight {
    /// The name, or the reason as a clause.
    pub of: String,
    /// The share of the whole, 0 to 1.
    pub share: f64,
}

/// The packets that nodes refused.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Refusals {
    /// Refused packets per 100 packets that lines carried.
    pub per_hundred: f64,
    /// Reasons of refusal, the most frequent first.
    pub reasons: Vec<Weight>,
    /// The nodes that refused most, by the place of the missing resource.
    pub nodes: Vec<Weight>,
    /// Whether that is worth a word.
    pub matters: bool,
}

/// How long packets wait for processors, milliseconds.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Processors {
    /// Mean wait for a processor of a Honeywell 316, ms.
    pub slow_ms: f64,
    /// Mean wait for a processor of a Honeywell 516, ms, where there are any.
    pub fast_ms: Option<f64>,
    /// Whether that is worth a word.
    pub matters: bool,
}

impl SubnetOverheads {
    /// The overheads of a report.
    #[must_use]
    pub fn new(report: &Report) -> Self {
        Self { requests: requests(report), refusals: refusals(report), processors: processors(report) }
    }
}

fn requests(report: &Report) -> Option<Requests> {
    let BufferRequests { sent, superfluous } = report.evidence.requests?;
    let matters = superfluous as f64 >= (SUPERFLUOUS * sent as f64).max(1.0);
    Some(Requests { sent, superfluous, matters })
}

fn refusals(report: &Report) -> Option<Refusals> {
    let rows = &report.resources;
    let lines = rows.iter().filter(|row| row.kind == ResourceKind::Line);
    let passed: u64 = lines.map(|row| row.acquisitions).sum();
    let total: u64 = rows.iter().map(|row| row.refused).sum();
    if passed == 0 || total == 0 {
        return None;
    }
    let mut by_kind: BTreeMap<ResourceKind, u64> = BTreeMap::new();
    let mut by_node: BTreeMap<u32, (u64, &str)> = BTreeMap::new();
    for row in rows.iter().filter(|row| row.refused > 0) {
        *by_kind.entry(row.kind).or_default() += row.refused;
        let name = row.ends.as_ref().map_or(row.place.as_str(), |[from, _]| from);
        if let Some(node) = row.site.node() {
            by_node.entry(node).or_insert((0, name)).0 += row.refused;
        }
    }
    let of = |name: &str, count: u64| Weight { of: name.to_owned(), share: count as f64 / total as f64 };
    let reasons = by_kind.into_iter().map(|(kind, count)| of(lacking(kind), count));
    let nodes = by_node.into_values().map(|(count, name)| of(name, count));
    let waits = report
        .ledger
        .iter()
        .filter(|row| row.is_of_every_class() && row.stage == StageId::RetransmissionWait);
    Some(Refusals {
        per_hundred: 100.0 * total as f64 / passed as f64,
        reasons: ranked(reasons.filter(|reason| reason.share >= LEAST_REASON).collect(), usize::MAX),
        nodes: ranked(nodes.collect(), LISTED),
        matters: waits.map(|row| row.share).sum::<f64>() >= REFUSED,
    })
}

/// The largest parts, the largest first.
fn ranked(mut parts: Vec<Weight>, most: usize) -> Vec<Weight> {
    parts.sort_by(|a, b| b.share.total_cmp(&a.share));
    parts.truncate(most);
    parts
}

/// The reason of refusal when a resource of this kind is missing.
const fn lacking(kind: ResourceKind) -> &'static str {
    match kind {
        ResourceKind::AcknowledgmentChannels => "the output queue of the next line was full",
        ResourceKind::StoreAndForwardBuffers => "all store-and-forward buffers were in use",
        ResourceKind::Buffers | ResourceKind::ReassemblyBuffers => "too few buffers were free",
        ResourceKind::Output
        | ResourceKind::InputFifo
        | ResourceKind::InputBuffer
        | ResourceKind::SwitchBuffer
        | ResourceKind::Credits
        | ResourceKind::RateLimiter
        | ResourceKind::FlowWindow
        | ResourceKind::PendingLeaderTable
        | ResourceKind::PendingPacketTable
        | ResourceKind::TransmitBlocks
        | ResourceKind::ReceiveBlocks
        | ResourceKind::MessageNumbers
        | ResourceKind::Processor
        | ResourceKind::Line
        | ResourceKind::DestinationHost
        | ResourceKind::HostProcessor
        | ResourceKind::GatewayProcessor
        | ResourceKind::Window
        | ResourceKind::Ethernet
        | ResourceKind::RadioInterval
        | ResourceKind::OutputQueue
        | ResourceKind::NodeProcessor
        | ResourceKind::NodeBuffers
        | ResourceKind::VirtualRouteWindow
        | ResourceKind::SessionWindow
        | ResourceKind::BoundaryWindow
        | ResourceKind::Unit
        | ResourceKind::Station(_) => "it was in use",
    }
}

fn processors(report: &Report) -> Option<Processors> {
    let ProcessorWaits { slow_ms, fast_ms } = report.evidence.processor_waits?;
    let matters = slow_ms >= SLOW_PROCESSOR_MS && fast_ms.is_none_or(|fast| slow_ms >= TIMES_AS_SLOW * fast);
    Some(Processors { slow_ms, fast_ms, matters })
}
