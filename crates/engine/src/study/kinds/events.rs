//! `kind = "events"`: events that should happen once each and in this order.

use hopscope_scenario::Path;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value as Json, json};

use super::{Given, Kind};
use crate::study::event_name::EventName;
use crate::study::resolver::Resolver;
use crate::study::setting::Context;

/// Events of message i and those around it. The run must keep journeys.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::study) struct Events {
    /// The values of i, the message numbers.
    pub messages: Vec<u64>,
    /// The events in order, such as "RFNM arrives (i-4)".
    pub events: Vec<EventName>,
}

impl Kind for Events {
    fn resolve(&self, resolver: &mut Resolver<'_>, at: &Path, context: &Context, _: &Given) -> Json {
        for (field, is_empty) in [("messages", self.messages.is_empty()), ("events", self.events.is_empty())]
        {
            if is_empty {
                resolver.refuse(&at.field(field), "the list is empty", "at least one entry", None);
            }
        }
        let events: Vec<_> = self.events.iter().map(|event| &event.0).collect();
        json!({ "setting": resolver.setting(context, at), "messages": self.messages, "events": events })
    }
}
