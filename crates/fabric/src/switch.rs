use hopscope_kernel::RandomStream;
use hopscope_topology::Port;

use crate::slots::Slot;

/// A switch: which outputs are idle, and who waits for one.
#[derive(Debug)]
pub(crate) struct Switch {
    /// A bit for each port whose output is idle: neither held nor stopped.
    idle: Vec<u64>,
    /// FIFOs whose heads wait, in the order of their requests (first come, first considered: SRC 88, section 3.5).
    pub blocked: Vec<Slot>,
    /// Picks among idle outputs.
    pub random: RandomStream,
}

impl Switch {
    pub fn new(ports: usize, random: RandomStream) -> Self {
        Self { idle: vec![0; ports.div_ceil(64)], blocked: Vec::new(), random }
    }

    #[inline]
    pub fn set_idle(&mut self, port: Port, idle: bool) {
        let bit = 1 << (port % 64);
        let word = &mut self.idle[usize::from(port / 64)];
        *word = if idle { *word | bit } else { *word & !bit };
    }

    #[inline]
    fn is_idle(&self, port: Port) -> bool {
        self.idle[usize::from(port / 64)] >> (port % 64) & 1 == 1
    }

    /// One of these ports whose output is idle, picked at random, or nothing.
    #[inline]
    pub fn pick_idle(&mut self, ports: &[Port]) -> Option<Port> {
        if let [only] = ports {
            return self.is_idle(*only).then_some(*only);
        }
        let idle = ports.iter().filter(|&&port| self.is_idle(port)).count();
        if idle == 0 {
            return None;
        }
        let pick = if idle == 1 { 0 } else { self.random.below(idle as u64) as usize };
        ports.iter().copied().filter(|&port| self.is_idle(port)).nth(pick)
    }
}
