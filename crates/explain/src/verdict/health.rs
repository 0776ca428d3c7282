//! Nothing is wrong: messages hardly wait.

use hopscope_measure::Nature;
use hopscope_units::amount;

use super::{Candidate, Judge};
use crate::cause::Cause;
use crate::symptom::names;
use crate::thresholds::FEW_MESSAGES;
use crate::words::{duration, percent, words};

impl Judge<'_> {
    /// The network is healthy. The least latency is that of a message which waits nowhere.
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
        let also = if self.symptoms.is_empty() {
            String::new()
        } else {
            format!(" Also seen: {}.", names(self.symptoms))
        };
        let stored = self.stored().map_or(String::new(), |(sent, again)| {
            format!(
                " Messages spend {} of it being transmitted, {} on links behind the first: switches store frames.",
                percent(sent),
                percent(again)
            )
        });
        let messages = self.report.measured.messages;
        let few = if messages < FEW_MESSAGES {
            format!(
                " Only {} measured: too few for a verdict.",
                amount(messages, "message was", "messages were")
            )
        } else {
            String::new()
        };
        let sentence = format!(
            "This network is healthy: message lifetime is {:.2} times its minimum ({} of it is waiting).{stored}{told}{also}{few}",
            1.0 / (1.0 - waits),
            percent(waits)
        );
        Self::everywhere(Cause::Healthy, waits, sentence)
    }
}
