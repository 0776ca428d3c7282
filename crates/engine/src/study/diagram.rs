//! `[[diagram]]`: a time-space diagram, drawn from the trace of one run.

use std::collections::BTreeMap;

use hopscope_scenario::{Joined, Path};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value as Json, json};

use super::event_name::EventName;
use super::resolver::Resolver;
use super::setting::{Context, SettingTable};

/// A diagram with its setting, in which `measure.journeys` must be set.
pub(super) type Diagram = Joined<SettingTable, DiagramHead>;

/// A time-space diagram.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct DiagramHead {
    /// The title above it.
    pub title: String,
    /// A note below it.
    #[serde(default)]
    pub note: String,
    /// The number of message i.
    pub message: u64,
    /// The label of the sending host.
    #[serde(default = "host")]
    pub host: String,
    /// A letter for each marked event, such as "RFNM arrives (i-4)".
    pub labels: BTreeMap<String, EventName>,
    /// The instant marked in the paper.
    #[serde(default)]
    pub slice: Option<Slice>,
}

fn host() -> String {
    "host".to_owned()
}

/// An instant, counted from an event.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Slice {
    /// The event.
    pub event: EventName,
    /// The time after the event, in ms.
    #[serde(default)]
    pub after_ms: f64,
}

impl Resolver<'_> {
    /// The diagrams of a study.
    pub fn diagrams(&mut self, diagrams: &[Diagram], outer: &Context) -> Vec<Json> {
        let mut resolved = Vec::new();
        for (nth, diagram) in diagrams.iter().enumerate() {
            let at = Path::of("diagram").entry(nth);
            let context = self.within(&diagram.shared, &at, outer);
            let head = &diagram.own;
            if head.labels.is_empty() {
                self.refuse(
                    &at.field("labels"),
                    "no event is labelled",
                    "at least one letter with its event",
                    None,
                );
            }
            let labels: BTreeMap<_, _> =
                head.labels.iter().map(|(letter, event)| (letter, &event.0)).collect();
            let slice =
                head.slice.as_ref().map(|cut| json!({ "event": cut.event.0, "after_ms": cut.after_ms }));
            resolved.push(json!({
                "title": head.title,
                "note": head.note,
                "setting": self.setting(&context, &at),
                "message": head.message,
                "host": head.host,
                "labels": labels,
                "slice": slice,
            }));
        }
        resolved
    }
}
