//! Links and switches that fail and recover: when, what is lost with them, and when new tables take effect.

mod report;
mod state;
pub(crate) mod timeline;

pub(crate) use state::Outages;
pub(crate) use timeline::Timeline;
