//! A report without its tables.

use serde::Serialize;

use crate::{LedgerRow, MeasuredWindow, Metric, Outcome, Report, ResourceRow, Stuck, WarmupReport};

/// The summary of a report: all but its tables, which may have millions of rows.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Summary<'a> {
    outcome: Outcome,
    ended_because: &'a str,
    warmup: &'a WarmupReport,
    measured: &'a MeasuredWindow,
    /// The metrics, to which those may be added that are not part of the result.
    pub metrics: &'a [Metric],
    ledger: &'a [LedgerRow],
    /// The use of the resources, which grows with the network.
    pub resources: &'a [ResourceRow],
    notes: &'a [String],
    stuck: &'a Option<Stuck>,
}

impl Report {
    /// The report without its tables: series, journeys, trace, instants, snapshots, pairs and flows.
    #[must_use]
    pub fn summary(&self) -> Summary<'_> {
        Summary {
            outcome: self.outcome,
            ended_because: &self.ended_because,
            warmup: &self.warmup,
            measured: &self.measured,
            metrics: &self.metrics,
            ledger: &self.ledger,
            resources: &self.resources,
            notes: &self.notes,
            stuck: &self.stuck,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, to_value};

    /// A new field of a report is a table, or belongs here.
    #[test]
    fn a_summary_is_a_report_without_its_tables() {
        let report = Report::default();
        let Value::Object(mut whole) = to_value(&report).unwrap() else { panic!("a report is a section") };
        for table in ["series", "journeys"] {
            whole.remove(table).expect("a report has its tables");
        }
        assert_eq!(to_value(report.summary()).unwrap(), Value::Object(whole));
    }
}
