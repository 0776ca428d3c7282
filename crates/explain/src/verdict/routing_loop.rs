//! Packets that hold-down keeps in loops of the routes.

use super::{Candidate, Judge};
use crate::cause::Cause;
use crate::symptoms::routing_loop::looped;

impl Judge<'_> {
    /// Loop traps. Their share of the lifetime is unknown: packets in loops make others wait for the lines, and the
    /// ledger charges the lines. So a loop trap is never the first cause, but worth a test run.
    pub(super) fn trapped(&self) -> Option<Candidate> {
        let loops = looped(self.report).filter(|loops| loops.is_trap)?;
        let sentence = format!("Routing loops: {}.", loops.evidence);
        Some(Self::everywhere(Cause::RoutingLoop, 0.0, sentence))
    }
}
