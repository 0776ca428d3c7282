//! The run folder: the only interface between the engine and everything that shows.

pub(crate) mod archive;
mod flow_tables;
pub(crate) mod resources;
mod timeline;

use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use hopscope_formats::parquet::{Column, Values, encode, encode_in_groups};
use hopscope_measure::{EventRow, InstantRow, JourneySite, PairRow, SnapshotRow};
use serde_json::Value as Json;

use crate::output_error::OutputError;
use crate::run::RunResult;
use crate::summary::{self, RESOURCES};

impl RunResult {
    /// Writes the run into a folder that exists and is empty: `run.json`, `scenario.toml` (with every default and
    /// override), `summary.json`, `resources.parquet`, `why.json`, `series.parquet`, `timeline.parquet`,
    /// the files that the scenario names, where journeys were asked for `journeys.parquet` and, from models that
    /// support it, `trace.parquet` and `instants.parquet`, where snapshots were asked for `snapshots.parquet`, from
    /// models with pairs `pairs.parquet`, and from those with flows `flows.parquet` and `rounds.parquet`.
    ///
    /// The same scenario, version and seed give the same bytes. Nothing that exists is overwritten. For a folder that
    /// appears whole or not at all, write into a temporary one and rename it.
    ///
    /// # Errors
    /// The first file that could not be written, and why.
    pub fn write(&self, folder: &Path) -> Result<(), OutputError> {
        for (name, bytes) in self.files() {
            create(&folder.join(name), &bytes)?;
        }
        Ok(())
    }

    /// The files of the run folder: their names and bytes.
    fn files(&self) -> Vec<(&str, Vec<u8>)> {
        let mut files = vec![
            ("run.json", self.run_json().into_bytes()),
            ("scenario.toml", self.identity.toml().into_bytes()),
        ];
        let attached = self.identity.attachments.iter();
        files.extend(
            attached.map(|attached| (attached.name.as_str(), attached.text.text.clone().into_bytes())),
        );
        files.extend([
            ("summary.json", self.summary_file().into_bytes()),
            (resources::FILE, resources::table(&self.report.resources, &self.report.measured)),
            ("why.json", self.why_json().into_bytes()),
            ("series.parquet", self.series()),
            ("timeline.parquet", timeline::table(&self.report.timeline)),
        ]);
        if self.identity.header.measure.journeys > 0 {
            files.push(("journeys.parquet", self.journeys()));
        }
        if !self.report.trace.is_empty() {
            files.push(("trace.parquet", self.trace()));
        }
        if !self.report.instants.is_empty() {
            files.push(("instants.parquet", self.instants()));
        }
        if !self.report.snapshots.is_empty() {
            files.push(("snapshots.parquet", self.snapshots()));
        }
        if !self.report.pairs.is_empty() {
            files.push(("pairs.parquet", self.pairs()));
        }
        if let Some(tables) = &self.report.flows {
            files.push(("flows.parquet", flow_tables::flows(tables)));
            files.push(("rounds.parquet", flow_tables::rounds(tables)));
        }
        files
    }

    /// summary.json: the summary with the name of their table in place of the resources.
    #[must_use]
    pub fn summary_file(&self) -> String {
        let mut fields = self.summary_fields();
        fields.insert(RESOURCES.to_owned(), resources::FILE.into());
        Json::Object(fields).to_string()
    }

    /// The resources as the list of a summary, as JSON.
    #[must_use]
    pub fn resources_json(&self) -> String {
        summary::resources_json(&self.report.resources)
    }

    fn series(&self) -> Vec<u8> {
        let points = &self.report.series;
        encode(&[
            Column { name: "time_s", values: Values::Float(points.iter().map(|p| p.time_s).collect()) },
            Column {
                name: "series",
                values: Values::Text(points.iter().map(|p| p.series.as_str()).collect()),
            },
            Column { name: "value", values: Values::Float(points.iter().map(|p| p.value).collect()) },
        ])
    }

    fn trace(&self) -> Vec<u8> {
        let rows = &self.report.trace;
        let text = |of: fn(&EventRow) -> &str| Values::Text(rows.iter().map(of).collect());
        let whole = |of: fn(&EventRow) -> i64| Values::Integer(rows.iter().map(of).collect());
        encode(&[
            Column { name: "event", values: text(|row| &row.event) },
            Column { name: "message", values: whole(|row| row.message.map_or(-1, integer)) },
            Column { name: "number", values: whole(|row| row.number.into()) },
            Column { name: "packet", values: whole(|row| row.packet.into()) },
            Column { name: "sequence", values: text(|row| &row.sequence) },
            Column { name: "place", values: text(|row| &row.place) },
            Column { name: "to", values: text(|row| &row.to) },
            Column { name: "from_ps", values: whole(|row| integer(row.from_ps)) },
            Column { name: "to_ps", values: whole(|row| integer(row.to_ps)) },
        ])
    }

    fn instants(&self) -> Vec<u8> {
        const NAMES: [&str; 7] = ["t1_ps", "t2_ps", "t3_ps", "t4_ps", "t5_ps", "t6_ps", "t7_ps"];
        let rows = &self.report.instants;
        let text = |of: fn(&InstantRow) -> &str| Values::Text(rows.iter().map(of).collect());
        let messages = rows.iter().map(|row| integer(row.message)).collect();
        let mut columns = vec![
            Column { name: "message", values: Values::Integer(messages) },
            Column { name: "class", values: text(|row| &row.class) },
            Column { name: "from", values: text(|row| &row.from) },
            Column { name: "to", values: text(|row| &row.to) },
        ];
        columns.extend(NAMES.into_iter().enumerate().map(|(nth, name)| Column {
            name,
            values: Values::Integer(rows.iter().map(|row| integer(row.instants_ps[nth])).collect()),
        }));
        encode(&columns)
    }

    fn snapshots(&self) -> Vec<u8> {
        let rows = &self.report.snapshots;
        let text = |of: fn(&SnapshotRow) -> &str| Values::Text(rows.iter().map(of).collect());
        let whole = |of: fn(&SnapshotRow) -> i64| Values::Integer(rows.iter().map(of).collect());
        encode(&[
            Column { name: "at_ps", values: whole(|row| integer(row.at_ps)) },
            Column { name: "place", values: text(|row| &row.place) },
            Column { name: "quantity", values: text(|row| &row.quantity) },
            Column { name: "value", values: whole(|row| integer(row.value)) },
            Column { name: "destination", values: text(|row| &row.destination) },
            Column { name: "next", values: text(|row| &row.next) },
            Column { name: "held_down", values: whole(|row| row.held_down.into()) },
        ])
    }

    fn pairs(&self) -> Vec<u8> {
        let rows = &self.report.pairs;
        let text = |of: fn(&PairRow) -> &str| Values::Text(rows.iter().map(of).collect());
        let float = |of: fn(&PairRow) -> f64| Values::Float(rows.iter().map(of).collect());
        let whole =
            |of: fn(&PairRow) -> u64| Values::Integer(rows.iter().map(|row| integer(of(row))).collect());
        // Where there were too few messages for an interval, its ends are absent.
        let bound = |of: fn(&PairRow) -> f64| {
            Values::SomeFloat(rows.iter().map(of).map(|end| end.is_finite().then_some(end)).collect())
        };
        encode(&[
            Column { name: "from", values: text(|row| &row.from) },
            Column { name: "to", values: text(|row| &row.to) },
            Column { name: "class", values: text(|row| &row.class) },
            Column { name: "hops", values: whole(|row| row.hops) },
            Column { name: "messages", values: whole(|row| row.messages) },
            Column { name: "per_minute", values: float(|row| row.per_minute) },
            Column { name: "delay_ms", values: float(|row| row.delay_ms.value) },
            Column { name: "low", values: bound(|row| row.delay_ms.low) },
            Column { name: "high", values: bound(|row| row.delay_ms.high) },
        ])
    }

    fn journeys(&self) -> Vec<u8> {
        let journeys = &self.report.journeys;
        encode_in_groups(journeys.len(), |rows| {
            let mut sites = Vec::with_capacity(rows.len());
            let [mut messages, mut from, mut to] = [(); 3].map(|()| Vec::with_capacity(rows.len()));
            for number in rows {
                let row = journeys.numbers(number);
                sites.push(row.site);
                messages.push(integer(row.message));
                from.push(integer(row.from_ps));
                to.push(integer(row.to_ps));
            }
            let sites = Arc::new(sites);
            let text = |of: fn(JourneySite<'_>) -> &str| {
                Values::Numbered(Arc::clone(&sites), journeys.sites().map(of).collect())
            };
            vec![
                Column { name: "message", values: Values::Integer(messages) },
                Column { name: "stage", values: text(|site| site.stage.word()) },
                Column { name: "kind", values: text(|site| site.stage.kind().word()) },
                Column { name: "resource", values: text(|site| site.resource.word()) },
                Column { name: "place", values: text(|site| site.place) },
                Column { name: "from_ps", values: Values::Integer(from) },
                Column { name: "to_ps", values: Values::Integer(to) },
            ]
        })
    }
}

/// Writes a file that does not exist yet.
fn create(path: &Path, bytes: &[u8]) -> Result<(), OutputError> {
    let written = File::create_new(path).and_then(|mut file| file.write_all(bytes));
    written.map_err(|reason| OutputError { path: path.to_owned(), reason })
}

/// Message numbers and instants stay far below 2^63: a run of 2^63 ps would last 106 days of simulated time at full
/// count.
fn integer(number: u64) -> i64 {
    i64::try_from(number).expect("runs with journeys are within 106 simulated days")
}
