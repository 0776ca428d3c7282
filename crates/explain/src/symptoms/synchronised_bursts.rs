//! Synchronised bursts: messages that arrive together.

use hopscope_measure::{InterruptionWhy, Nature, Report, ResourceKind, ResourceRow};

use crate::Findings;
use crate::chain::Chain;
use crate::symptom::{Pattern, Symptom};
use crate::thresholds::{IDLE, LEAST_WAIT, TIMES_AT_RANDOM, VARIATION, WAITING_IN_A_BURST};
use crate::words::{percent, words};

/// Messages that wait at a resource that is idle most of the time.
pub(crate) struct Burst {
    /// Its row.
    pub root: usize,
    /// The mean number that wait for it.
    pub waiting: f64,
    /// The mean number that would wait with random arrivals.
    pub at_random: f64,
    /// The share of time in which it is used or held.
    pub used: f64,
}

/// The unit of what waits for a resource, as a sentence names it: packets or frames for links, else messages.
pub(crate) fn waiters_of(row: &ResourceRow) -> &'static str {
    if row.kind == ResourceKind::Output { "packets" } else { "messages" }
}

/// Messages wait at a resource that is idle most of the time and whose service times are alike: they arrive together.
pub(crate) fn bursts(report: &Report, chain: &Chain) -> Option<Burst> {
    let &(root, _) = chain.roots().first()?;
    let row = &report.resources[root];
    // A packet that is stopped holds its link without sending: the link has no spare time.
    let held: f64 = row.held_in.iter().map(|part| part.occupancy).sum();
    let used = row.utilisation.max(held);
    // Packets of one message always come together: each waits for those before it. Frames of one message come one after
    // another: messages wait for each other, each with all of its frames.
    let own = used * report.evidence.packets_ahead;
    let frames = report.evidence.frames_a_message.max(1.0);
    let at_random = (frames * used * used + own) / (1.0 - used).max(f64::MIN_POSITIVE);
    let varies = report.evidence.services.get(&root).is_some_and(|time| time.variation >= VARIATION);
    let idle = row.kind.nature() == Nature::Works && row.capacity == Some(1.0) && used < IDLE && !varies;
    let waiting = chain.waiting(root);
    let idle = idle && !is_interrupted(report, row);
    (idle && waiting >= TIMES_AT_RANDOM * at_random && used > 0.0).then_some(Burst {
        root,
        waiting,
        at_random,
        used,
    })
}

/// Whether a node of a resource was interrupted: messages that came during the interruption wait together, however far
/// apart they came.
fn is_interrupted(report: &Report, row: &ResourceRow) -> bool {
    let (least_s, nodes) = (LEAST_WAIT * report.measured.span_s, row.nodes());
    report.evidence.interruptions.iter().any(|one| {
        let is_there = one.place.nodes.iter().all(|node| nodes.contains(node));
        one.why != InterruptionWhy::OtherWork && is_there && one.total_s >= least_s
    })
}

/// Messages wait at a resource that is idle most of the time: they arrive together.
pub(super) fn test(report: &Report, found: &Findings) -> Option<Symptom> {
    let Burst { root, waiting, at_random, used } =
        bursts(report, &found.chain).filter(|it| it.waiting >= WAITING_IN_A_BURST)?;
    let row = &report.resources[root];
    let evidence = format!(
        "{} is idle {} of the time, yet {waiting:.2} {} wait for it on average (random arrivals: {at_random:.2})",
        words(row),
        percent(1.0 - used),
        waiters_of(row)
    );
    Some(Symptom::new(Pattern::SynchronisedBursts, evidence))
}
