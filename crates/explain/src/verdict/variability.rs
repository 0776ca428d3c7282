//! Variability: messages wait at a resource with spare time, because services differ greatly in length or messages
//! arrive together.

use super::{Candidate, Judge};
use crate::cause::Cause;
use crate::symptoms::synchronised_bursts::{Burst, bursts, waiters_of};
use crate::thresholds::{MOSTLY, VARIATION, WAIT_SHARE, WAITS};
use crate::words::{percent, words};

impl Judge<'_> {
    /// Variability at the root of most waiting: of its services, else of its arrivals.
    pub(super) fn variability(&self) -> Option<Candidate> {
        // A message that waits for its own rate, window or timeout did not arrive together with others.
        if self.waits_in_network() < WAITS {
            return None;
        }
        let &(root, _) = self.chain.roots().first()?;
        if let Some(found) = self.varied(root) {
            return Some(found);
        }
        let row = self.row(root);
        let Burst { waiting, at_random, used, .. } = bursts(self.report, self.chain)?;
        let sentence = format!(
            "Bursts: messages arrive together at {}. It is idle {} of the time, yet {waiting:.2} {} wait for it on average (random \
             arrivals: {at_random:.2}). Messages spend {} of their lifetime waiting.",
            words(row),
            percent(1.0 - used),
            waiters_of(row),
            percent(self.waits())
        );
        Some(self.at_row(Cause::Variability, root, self.weight_of(root), sentence))
    }

    /// Messages wait at a busy station because of the one before it: its services vary more than its arrivals, so its
    /// departures come in bursts. With constant services most messages would wait at neither.
    pub(super) fn varied_before(&self) -> Option<Candidate> {
        let root = self.scarce_root()?;
        let all = self.report.evidence.varying.iter().filter(|varying| varying.row < root);
        let worst = all.max_by(|a, b| a.saves.total_cmp(&b.saves))?;
        (worst.saves >= MOSTLY && self.waits() * worst.saves >= WAIT_SHARE).then(|| {
            let sentence = format!(
                "Variable service: services at {} vary more (squared coefficient of variation {:.1}) than arrivals there ({:.1}), so \
                 messages come to the next station in bunches. This explains about {} of all waiting.",
                words(self.row(worst.row)),
                worst.services,
                worst.arrivals,
                percent(worst.saves)
            );
            self.at_row(Cause::Variability, worst.row, self.waits() * worst.saves, sentence)
        })
    }

    /// The services of a resource are of very different lengths: messages wait (1 + c^2)/2 times as long as with
    /// exponential services (Pollaczek and Khinchine).
    pub(super) fn varied(&self, root: usize) -> Option<Candidate> {
        let row = self.row(root);
        let time = self.report.evidence.services.get(&root).filter(|time| time.variation >= VARIATION)?;
        let effect = if self.report.evidence.frames_a_message > 0.0 || row.capacity != Some(1.0) {
            // Not the formula of Pollaczek and Khinchine: frames of several messages take turns, or short messages pass
            // long ones at several servers.
            "short ones wait behind long ones".to_owned()
        } else {
            let times = f64::midpoint(1.0, time.variation);
            format!("messages wait {times:.1} times as long as behind exponential ones")
        };
        let sentence = format!(
            "Variable service: {} is only {} utilised, but its services vary so much (squared coefficient of variation {:.1}) that \
             {effect}.",
            words(row),
            percent(row.utilisation),
            time.variation,
        );
        Some(self.at_row(Cause::Variability, root, self.weight_of(root), sentence))
    }
}
