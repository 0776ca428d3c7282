//! A switch with input FIFOs: how a packet flows in, is routed, granted an output and flows out.

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

/// A switch: which outputs are idle, and which heads wait for one.
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
    /// The random stream that picks among idle outputs, and among inputs that request one.
    pub random: RandomStream,
}

/// Bits of the ports from 64 on.
#[derive(Debug)]
struct Beyond {
    idle: Vec<u64>,
}

const _: () = assert!(size_of::<Switch>() == 64);

/// A set of ports of a switch, one bit each, so that all of them are examined in one step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PortBits(u64);

impl PortBits {
    /// The empty set. Ports from 64 on have no bit, and a set with one of them has no bits: each port is then examined.
    pub const NONE: Self = Self(0);

    pub fn of(ports: &[Port]) -> Self {
        let bits = ports.iter().try_fold(0, |bits, &port| Some(bits | 1u64.checked_shl(port.into())?));
        bits.map_or(Self::NONE, Self)
    }

    /// The bits of both.
    pub fn with(self, others: Self) -> Self {
        Self(self.0 | others.0)
    }

    /// The bits of these that the others do not have.
    pub fn without(self, others: Self) -> Self {
        Self(self.0 & !others.0)
    }

    /// Whether a bit is common to both.
    pub fn meets(self, others: Self) -> bool {
        self.0 & others.0 != 0
    }
}

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

    /// Those of the first 64 ports whose output is idle.
    #[inline]
    pub fn idle(&self) -> PortBits {
        PortBits(self.idle)
    }

    /// Whether one of these outputs is idle. `ports` lists them one by one, for sets without bits.
    #[inline]
    pub fn any_idle<'a>(&self, bits: PortBits, ports: impl FnOnce() -> &'a [Port]) -> bool {
        match bits {
            PortBits::NONE => ports().iter().any(|&port| self.is_idle(port)),
            PortBits(bits) => self.idle & bits != 0,
        }
    }

    /// The port that the next call of [`pick_idle`](Self::pick_idle) would pick of these.
    #[inline]
    pub fn foresee(&self, ports: &[Port]) -> Option<Port> {
        pick_where(ports, |port| self.is_idle(port), &mut self.random.clone())
    }

    /// One of these ports whose output is idle and that meets a condition, picked at random, or nothing.
    #[inline]
    pub fn pick_idle(&mut self, ports: &[Port], also: impl Fn(Port) -> bool) -> Option<Port> {
        let mut random = self.random.clone();
        let port = pick_where(ports, |port| self.is_idle(port) && also(port), &mut random);
        self.random = random;
        port
    }
}

/// One of the ports that meet a condition, picked at random, or nothing.
///
/// Of up to 64 ports each is examined once and gives a bit: a switch of a large fat tree has 32 ports up.
#[inline]
fn pick_where(ports: &[Port], may: impl Fn(Port) -> bool, random: &mut RandomStream) -> Option<Port> {
    let mut draw = |count: u32| if count == 1 { 0 } else { random.below(u64::from(count)) };
    if ports.len() > 64 {
        let count = ports.iter().filter(|&&port| may(port)).count() as u32;
        let pick = if count == 0 { return None } else { draw(count) };
        return ports.iter().copied().filter(|&port| may(port)).nth(pick as usize);
    }
    let mut places = ports.iter().rev().fold(0u64, |places, &port| places << 1 | u64::from(may(port)));
    if places == 0 {
        return None;
    }
    for _ in 0..draw(places.count_ones()) {
        places &= places - 1;
    }
    Some(ports[places.trailing_zeros() as usize])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_and_ports_one_by_one_find_the_same_idle_outputs() {
        let mut switch = Switch::new(0, 130, RandomStream::named(1, "switch", 0));
        let ways: [&[Port]; 5] = [&[3], &[3, 63], &[64], &[3, 64], &[70, 129]];
        for idle in [3, 63, 64, 129] {
            switch.set_idle(idle, true);
            for ports in ways {
                let expected = ports.contains(&idle);
                assert_eq!(
                    switch.any_idle(PortBits::of(ports), || ports),
                    expected,
                    "{ports:?}, idle {idle}"
                );
            }
            switch.set_idle(idle, false);
        }
    }
}
