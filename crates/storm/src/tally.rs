//! What a storm has tried, by model.

use std::collections::{BTreeMap, BTreeSet};

use crate::case::Drafted;
use crate::failure::without_values;
use crate::language::Language;
use crate::trial::Outcome;

/// The cases of one model.
#[derive(Clone, Debug, Default)]
pub struct OfModel {
    /// All cases.
    pub cases: u64,
    /// Those that ran as they were drawn.
    pub ran: u64,
    /// Those that ran after they had been mended.
    pub mended: u64,
    /// Those that mending did not help.
    pub refused: u64,
    /// Those that took too long.
    pub given_up: u64,
    /// Those that failed.
    pub failed: u64,
    /// Those that ran and were ended by the limit of events.
    pub cut: u64,
    /// Events of all runs.
    pub events: u64,
    /// What those were refused for that mending did not help, without names and numbers, and how often.
    pub reasons: BTreeMap<String, u64>,
    /// Leaf parameters that were drawn.
    pub drawn: BTreeSet<String>,
    /// Those of cases that ran.
    pub held: BTreeSet<String>,
}

/// All cases.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// By model.
    pub models: BTreeMap<String, OfModel>,
}

impl OfModel {
    /// The share of the cases that were not refused in the end.
    #[must_use]
    pub fn accepted(&self) -> f64 {
        (self.cases - self.refused) as f64 / self.cases.max(1) as f64
    }
}

impl Tally {
    /// Counts a case.
    pub(crate) fn add(&mut self, drafted: &Drafted, outcome: &Outcome, language: &Language) {
        let of = self.models.entry(drafted.model.clone()).or_default();
        of.cases += 1;
        of.drawn.extend(drafted.drawn.iter().cloned());
        match outcome {
            Outcome::Refused(error) => {
                of.refused += 1;
                for diagnosis in &error.diagnoses {
                    *of.reasons.entry(without_values(&diagnosis.problem)).or_default() += 1;
                }
            }
            Outcome::Failed(_) => of.failed += 1,
            Outcome::GivenUp { events } => {
                of.given_up += 1;
                of.events += events;
            }
            Outcome::Ran { events, cut } => {
                *(if drafted.rounds == 0 { &mut of.ran } else { &mut of.mended }) += 1;
                of.cut += u64::from(*cut);
                of.events += events;
                of.held.extend(language.leaves_of(&drafted.scenario));
            }
        }
    }

    /// All cases.
    #[must_use]
    pub fn cases(&self) -> u64 {
        self.models.values().map(|of| of.cases).sum()
    }

    /// Events of all runs.
    #[must_use]
    pub fn events(&self) -> u64 {
        self.models.values().map(|of| of.events).sum()
    }
}
