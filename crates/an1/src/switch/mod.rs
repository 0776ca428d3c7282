//! A switch with input FIFOs: how a packet flows in, is decided on, granted an output and flows out.

pub(crate) mod back_pressure;
pub(crate) mod contest;
pub(crate) mod crossbar;
pub(crate) mod directive;
pub(crate) mod fcfc;
pub(crate) mod fifo_entries;
pub(crate) mod input_fifo;
pub(crate) mod output;
pub(crate) mod routing_choice;
pub(crate) mod time_to_live;
pub(crate) mod virtual_channel;

use hopscope_fabric::Slot;
use hopscope_kernel::RandomStream;
use hopscope_topology::Port;

use crate::switch::fcfc::BlockedHeads;

/// A switch: which outputs are idle, and who waits for one.
///
/// One cache line for switches of up to 64 ports; see [`crate::switch::output::Output`].
#[derive(Debug)]
#[repr(align(64))]
pub(crate) struct Switch {
    /// A bit for each port whose output is idle: neither held nor stopped. The first 64 ports, and the others.
    idle: u64,
    beyond: Option<Box<Beyond>>,
    /// The slot of port 0.
    base: Slot,
    /// FIFOs whose heads wait for an output.
    pub blocked: BlockedHeads,
    /// Picks among idle outputs, and among inputs that ask for one.
    pub random: RandomStream,
}

/// Bits of the ports from 64 on.
#[derive(Debug)]
struct Beyond {
    idle: Vec<u64>,
}

const _: () = assert!(size_of::<Switch>() == 64);

impl Switch {
    pub fn new(base: Slot, ports: usize, random: RandomStream) -> Self {
        let beyond = (ports > 64).then(|| Box::new(Beyond { idle: vec![0; ports.div_ceil(64) - 1] }));
        Self { idle: 0, beyond, base, blocked: BlockedHeads::default(), random }
    }

    /// The slot of a port.
    #[inline]
    pub fn slot(&self, port: Port) -> Slot {
        self.base + Slot::from(port)
    }

    /// The port of a slot.
    #[inline]
    pub fn port(&self, slot: Slot) -> Port {
        (slot - self.base) as Port
    }

    #[inline]
    pub fn set_idle(&mut self, port: Port, idle: bool) {
        let bit = 1 << (port % 64);
        let word = match &mut self.beyond {
            Some(beyond) if port >= 64 => &mut beyond.idle[usize::from(port / 64 - 1)],
            _ => &mut self.idle,
        };
        *word = if idle { *word | bit } else { *word & !bit };
    }

    #[inline]
    pub fn is_idle(&self, port: Port) -> bool {
        let word = match &self.beyond {
            Some(beyond) if port >= 64 => beyond.idle[usize::from(port / 64 - 1)],
            _ => self.idle,
        };
        word >> (port % 64) & 1 == 1
    }

    /// The port that [`pick_idle`](Self::pick_idle) would pick of these if it were asked next.
    #[inline]
    pub fn foresee(&self, ports: &[Port]) -> Option<Port> {
        let idle = ports.iter().filter(|&&port| self.is_idle(port)).count();
        if idle == 0 {
            return None;
        }
        let pick = if idle == 1 { 0 } else { self.random.clone().below(idle as u64) as usize };
        ports.iter().copied().filter(|&port| self.is_idle(port)).nth(pick)
    }

    /// One of these ports whose output is idle and that meets a condition, picked at random, or nothing.
    #[inline]
    pub fn pick_idle(&mut self, ports: &[Port], also: impl Fn(Port) -> bool) -> Option<Port> {
        let idle = ports.iter().filter(|&&port| self.is_idle(port) && also(port)).count();
        if idle == 0 {
            return None;
        }
        let pick = if idle == 1 { 0 } else { self.random.below(idle as u64) as usize };
        ports.iter().copied().filter(|&port| self.is_idle(port) && also(port)).nth(pick)
    }
}
