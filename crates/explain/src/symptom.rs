//! A known pattern of trouble.

use serde::Serialize;

/// A known pattern that a report shows.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Symptom {
    /// Its name, such as "head-of-line blocking".
    pub name: &'static str,
    /// What shows it, with its numbers.
    pub evidence: String,
    /// Where it was described, or where its threshold comes from.
    pub source: &'static str,
}

/// A share as a whole percentage.
pub(crate) fn percent(share: f64) -> String {
    format!("{:.0} %", share * 100.0)
}
