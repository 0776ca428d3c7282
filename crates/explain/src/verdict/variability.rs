//! Messages wait at what has time to spare: services of very different lengths, or messages that come together.

use super::{Candidate, Judge};
use crate::cause::Cause;
use crate::symptoms::synchronised_bursts::{Burst, bursts, waiters_of};
use crate::thresholds::{MOSTLY, VARIATION, WAIT_SHARE, WAITS};
use crate::words::{percent, words};

impl Judge<'_> {
    /// Of the resource with most waiting behind it: services that vary, else arrivals that come together.
    pub(super) fn variability(&self) -> Option<Candidate> {
        // Who waits for its own rate, window or timeout has not come together with others.
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
            "Bursts: messages arrive together at {}. It is idle {} of the time, yet {waiting:.2} {} wait for it on average, where \
             random arrivals would make {at_random:.2} wait. Messages spend {} of their lifetime waiting.",
            words(row),
            percent(1.0 - used),
            waiters_of(row),
            percent(self.waits())
        );
        Some(self.at_row(Cause::Variability, root, self.weight_of(root), sentence))
    }

    /// Messages wait at a busy station because of one before it: its services vary more than what comes to it, so what
    /// leaves it comes in bunches. With services of one length most would wait neither here nor there.
    pub(super) fn varied_before(&self) -> Option<Candidate> {
        let root = self.scarce_root()?;
        let all = self.report.evidence.varying.iter().filter(|varying| varying.row < root);
        let worst = all.max_by(|a, b| a.saves.total_cmp(&b.saves))?;
        (worst.saves >= MOSTLY && self.waits() * worst.saves >= WAIT_SHARE).then(|| {
            let sentence = format!(
                "Variable service: services at {} vary more (squared coefficient of variation {:.1}) than arrivals there ({:.1}), and so \
                 messages come to the next station in bunches. About {} of all waiting follows from that.",
                words(self.row(worst.row)),
                worst.services,
                worst.arrivals,
                percent(worst.saves)
            );
            self.at_row(Cause::Variability, worst.row, self.waits() * worst.saves, sentence)
        })
    }

    /// The services of a resource are of very different lengths: the long ones make all others wait, by Pollaczek and
    /// Khinchine (1 + c^2)/2 times as long as exponential ones do.
    pub(super) fn varied(&self, root: usize) -> Option<Candidate> {
        let row = self.row(root);
        let time = self.report.evidence.services.get(&root).filter(|time| time.variation >= VARIATION)?;
        let effect = if self.report.evidence.frames_a_message > 0.0 || row.capacity != Some(1.0) {
            // Frames of several messages take turns, and short ones pass long ones at several servers: neither is the
            // queue of Pollaczek and Khinchine.
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
