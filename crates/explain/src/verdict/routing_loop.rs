//! Packets that hold-down keeps in loops of the routes.

use super::{Candidate, Judge};
use crate::cause::Cause;
use crate::symptoms::routing_loop::looped;

impl Judge<'_> {
    /// Loop traps. Nothing tells how much of a message's life they take: what packets travel in vain makes others wait
    /// for the lines, and is charged to these. So it is never the first cause, but worth a try.
    pub(super) fn trapped(&self) -> Option<Candidate> {
        let loops = looped(self.report).filter(|loops| loops.is_trap)?;
        let sentence = format!("Routing loops: {}.", loops.evidence);
        Some(Self::everywhere(Cause::RoutingLoop, 0.0, sentence))
    }
}
