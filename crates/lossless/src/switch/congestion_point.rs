//! The congestion point: a switch that marks frames as they leave a queue that has grown (ECN; the CP of DCQCN).

use hopscope_fabric::Slot;
use hopscope_measure::Journal;

use crate::machine::Lossless;

impl<J: Journal> Lossless<J> {
    /// A frame is about to leave a queue of a switch's port, and may be marked.
    #[inline]
    pub(crate) fn mark(&mut self, slot: Slot, queue: usize, frame: u32) {
        let Some(ecn) = &self.lossless.frames.ecn else { return };
        let (switch, _) = self.plan.slots.switch_port(slot);
        let state = &mut self.frames[frame];
        if !state.marked && ecn.marks(self.queues[queue].bits, &mut self.switches[switch].random) {
            state.marked = true;
            self.waits.marked(self.flows[state.flow].from as usize, slot);
        }
    }
}
