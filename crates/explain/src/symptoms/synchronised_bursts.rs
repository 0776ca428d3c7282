//! Messages that arrive together.

use hopscope_measure::{Nature, Report};

use crate::Findings;
use crate::chain::Chain;
use crate::symptom::{Pattern, Symptom};
use crate::thresholds::{IDLE, TIMES_AT_RANDOM, VARIATION};
use crate::words::{percent, words};

/// Messages that wait at a resource that is idle most of the time.
pub(crate) struct Burst {
    /// Its row.
    pub root: usize,
    /// The mean number that wait for it.
    pub waiting: f64,
    /// How many would, came they at random.
    pub at_random: f64,
}

/// Fewer messages waiting on average are nothing to tell.
const LEAST: f64 = 0.005;

/// Messages wait at a resource that is idle most of the time, whose services are alike: they come at once.
pub(crate) fn bursts(report: &Report, chain: &Chain) -> Option<Burst> {
    let &(root, _) = chain.roots().first()?;
    let row = &report.resources[root];
    let used = row.utilisation;
    // Packets of one message come together, whatever the messages do: a packet waits for those before it.
    let own = used * report.evidence.packets_ahead;
    let at_random = (used * used + own) / (1.0 - used).max(f64::MIN_POSITIVE);
    let varies = report.evidence.services.get(&root).is_some_and(|time| time.variation >= VARIATION);
    let idle = row.kind.nature() == Nature::Works && row.capacity == Some(1.0) && used < IDLE && !varies;
    let waiting = chain.waiting(root);
    (idle && waiting >= TIMES_AT_RANDOM * at_random && used > 0.0).then_some(Burst {
        root,
        waiting,
        at_random,
    })
}

/// Messages wait at a resource that is idle most of the time: they come at once.
pub(super) fn test(report: &Report, found: &Findings) -> Option<Symptom> {
    let Burst { root, waiting, at_random } = bursts(report, &found.chain).filter(|it| it.waiting >= LEAST)?;
    let row = &report.resources[root];
    let evidence = format!(
        "{} is idle {} of the time, yet {waiting:.2} messages wait for it on average; random arrivals would make {at_random:.2} wait",
        words(row),
        percent(1.0 - row.utilisation)
    );
    Some(Symptom::new(Pattern::SynchronisedBursts, evidence))
}
