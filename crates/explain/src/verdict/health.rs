//! Nothing is wrong: messages hardly wait.

use std::iter;

use hopscope_measure::{Nature, Outcome, StageId};
use hopscope_units::amount;

use super::{Candidate, Judge};
use crate::cause::Cause;
use crate::symptom::{Pattern, Symptom, names};
use crate::thresholds::{FEW_MESSAGES, LEAST_WAIT, MOSTLY, WORTH_TELLING};
use crate::words::{duration, percent, words};

impl Judge<'_> {
    /// The verdict on a healthy network. The minimum latency is that of a message without waits.
    pub(super) fn healthy(&self) -> Candidate {
        let nothing_lived = self.report.ledger.iter().all(|row| row.share == 0.0);
        if self.report.measured.messages == 0 && nothing_lived {
            let window = duration(self.report.measured.span_s);
            let sentence = format!("No message was delivered in the measured {window}: there is no verdict.");
            return Self::everywhere(Cause::Healthy, 0.0, sentence);
        }
        let busiest = self.report.resources.iter().filter(|row| row.kind.nature() == Nature::Works);
        let busiest = busiest.max_by(|a, b| a.utilisation.total_cmp(&b.utilisation));
        let told = busiest.map_or(String::new(), |row| {
            format!(" The busiest resource is {} ({} utilised).", words(row), percent(row.utilisation))
        });
        let waits = self.waits().min(1.0 - f64::EPSILON);
        // Bursts that hardly wait do no harm.
        let harmful = self.symptoms.iter().filter(|it| it.name != Pattern::SynchronisedBursts);
        let harmful: Vec<Symptom> = harmful.cloned().collect();
        let also =
            if harmful.is_empty() { String::new() } else { format!(" Also seen: {}.", names(&harmful)) };
        let stored = self.stored().map_or(String::new(), |(sent, again)| {
            format!(
                " Messages spend {} of it being transmitted, {} on links behind the first: switches store frames.",
                percent(sent),
                percent(again)
            )
        });
        let messages = self.report.measured.messages;
        let few = amount(messages, "message was", "messages were");
        let begins = if messages < FEW_MESSAGES {
            format!("Only {few} measured: too few for a verdict. Message")
        } else if self.report.outcome == Outcome::Unsettled {
            format!(
                "Too short to judge: {few} measured, and the warm-up had not ended. Nothing was seen that holds them back. Message"
            )
        } else {
            "This network is healthy: message".to_owned()
        };
        let (bound, far) = (self.bound_by_latency(), self.distance());
        let sentence = format!(
            "{begins} lifetime is {:.2} times its minimum ({} of it is waiting).{stored}{bound}{far}{told}{also}",
            1.0 / (1.0 - waits),
            percent(waits)
        );
        Self::everywhere(Cause::Healthy, waits, sentence).with_weight_stated(true)
    }

    /// A further sentence on the stages in which a job neither waits nor uses its links: its steps depend on one
    /// another, so a faster link does not shorten them.
    fn bound_by_latency(&self) -> String {
        let share = |stage: StageId| self.of_life(|row| row.stage == stage);
        let [travelling, switching] = [StageId::Propagation, StageId::Switching].map(share);
        let is_idle = self.waits() < LEAST_WAIT && self.fullest_line() < MOSTLY;
        if !self.report.evidence.is_job || !is_idle || travelling + switching < MOSTLY {
            return String::new();
        }
        let ways = [("shorter ways", travelling), ("faster switches", switching)];
        let ways = ways.into_iter().filter(|&(_, share)| share >= WORTH_TELLING).map(|(way, _)| way);
        format!(
            " Its job is bound by latency: of each step {} is propagation along cables and {} switching, and only {} transmission. {} \
             shorten it.",
            percent(travelling),
            percent(switching),
            percent(share(StageId::Transmission)),
            one_of(iter::once("Fewer steps").chain(ways).collect())
        )
    }
}

/// Alternatives as "a, b or c".
fn one_of(mut ways: Vec<&str>) -> String {
    let last = ways.pop().unwrap_or_default();
    if ways.is_empty() { last.to_owned() } else { format!("{} or {last}", ways.join(", ")) }
}
