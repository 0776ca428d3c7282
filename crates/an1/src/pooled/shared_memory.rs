//! Output queues in one memory of bounded size, which all of them share (Hluchyj and Karol 1988), without loss.
//!
//! A packet occupies its whole length in the memory from its first byte in to its last byte out. Every input reserves
//! room for one packet, so that one congested output cannot block the others, and up*/down* routes stay deadlock-free.
//! The rest is shared. When it is used up, each input that has data in the memory is stopped at the end of its packet.

use hopscope_fabric::{NANOBITS, NO_SLOT, Nanobits, Slot};
use hopscope_kernel::EventQueue;
use hopscope_measure::{Journal, Problem};
use hopscope_topology::{Port, SwitchId};
use hopscope_units::{Data, Time};

use crate::event::Event;
use crate::machine::An1;
use crate::plan::An1Plan;
use crate::switch::directive::Directive;

/// The memory of a switch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SharedMemory {
    /// Inputs are stopped when more than this is used.
    finish_above: Nanobits,
    capacity: Nanobits,
}

impl An1Plan {
    /// The memories of all switches, if each has room for what every input may still receive after a finish directive.
    pub(crate) fn shared_memories(&self, size: Data, longest: Data) -> Result<Vec<SharedMemory>, Problem> {
        let capacity = size.bits() * NANOBITS;
        let memory = |switch: SwitchId| {
            let ports = 0..self.fabric.network.switch(switch).ports.len() as Port;
            let cables = ports
                .map(|port| self.fabric.slots.links[self.fabric.slots.port(switch.index(), port) as usize]);
            let reserves = cables.filter(|cable| cable.far != NO_SLOT).map(|cable| {
                // The input's own packet, the data that follows until the directive takes effect, and the rest of the
                // last packet.
                let wait = self.params.switch.directive.period(cable.rate);
                cable.rate.saturating_mul(2 * cable.delay.ps() + wait.ps()) + 2 * longest.bits() * NANOBITS
            });
            let reserved = reserves.fold(0, Nanobits::saturating_add);
            let finish_above = capacity.checked_sub(reserved).ok_or_else(|| {
                let name = &self.fabric.network.switch(switch).name;
                let problem = format!("{size} is too small for all inputs of switch {name}");
                let expected = format!("at least {} B", reserved.div_ceil(8 * NANOBITS));
                Problem::new("switch.discipline.shared-output-buffer.memory", problem, expected)
            })?;
            Ok(SharedMemory { finish_above, capacity })
        };
        self.fabric.network.switch_ids().map(memory).collect()
    }
}

impl<J: Journal> An1<J> {
    /// The content of a switch's memory has changed: some of its inputs may need a directive.
    pub(crate) fn watch_memory(&mut self, now: Time, of: u32, queue: &mut EventQueue<Event>) {
        let Some(&memory) = self.an1.memories.get(of as usize) else { return };
        assert!(self.used(of) <= memory.capacity, "the memory of switch {of} overflows");
        for port in 0..self.pools[of as usize].lanes.len() as Port {
            let slot = self.switches[of as usize].slot(port);
            if self.memory_directive(of, slot) != self.inputs[slot as usize].told {
                let input = &mut self.inputs[slot as usize];
                let due = self.an1.params.switch.directive.not_before(now, u64::from(input.rx_rate));
                if input.crossing_due != due {
                    input.crossing_due = due;
                    self.schedule(queue, slot, due, Event::Crossing(slot));
                }
            }
        }
    }

    /// The directive that an input of a switch with a shared memory should send now.
    pub(crate) fn memory_directive(&self, of: u32, slot: Slot) -> Directive {
        let crowded = self.used(of) > self.an1.memories[of as usize].finish_above;
        if crowded && self.inputs[slot as usize].level > 0 { Directive::Finish } else { Directive::Start }
    }

    fn used(&self, of: u32) -> Nanobits {
        let ports = 0..self.pools[of as usize].lanes.len() as Port;
        ports.map(|port| self.inputs[self.switches[of as usize].slot(port) as usize].level).sum()
    }
}
