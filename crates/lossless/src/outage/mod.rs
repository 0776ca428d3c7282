//! Links and switches that go down and come back: when, what is lost with them, and when new tables hold.

mod report;
mod state;
pub(crate) mod timeline;

pub(crate) use state::Outages;
pub(crate) use timeline::Timeline;
