//! The experimental Ethernet: carrier sense, collision detection and backing off.
//!
//! Sources: R. M. Metcalfe and D. R. Boggs, "Ethernet: Distributed Packet Switching for Local Computer Networks", CACM
//! 19(7), 1976; the Alto's Ethernet microcode.

use hopscope_kernel::RandomStream;
use hopscope_units::{Data, Rate, Span};

/// A Pup's frame around it: a synchronisation bit, destination and source, the type, and a CRC.
const FRAME_BITS: u64 = 1 + 8 + 8 + 16 + 16;

/// Collisions in a row after which a station gives a packet up.
const MOST_COLLISIONS: u8 = 16;

/// The time that a Pup of this many bytes is on the cable.
#[must_use]
pub fn airtime(bytes: usize, rate: Rate) -> Span {
    rate.time_for(Data::from_bits(FRAME_BITS + 8 * bytes as u64))
}

/// How a station waits after collisions: a random number of units, under a mask that grows by a bit with each.
#[derive(Clone, Copy, Debug, Default)]
pub struct Backoff {
    mask: u8,
    collisions: u8,
}

impl Backoff {
    /// Another collision: the units to wait, or nothing where the packet is given up.
    pub fn collide(&mut self, random: &mut RandomStream) -> Option<u64> {
        self.collisions += 1;
        if self.collisions >= MOST_COLLISIONS {
            *self = Self::default();
            return None;
        }
        self.mask = self.mask << 1 | 1;
        Some(random.below(256) & u64::from(self.mask))
    }

    /// The packet is in transit: the next one starts afresh.
    pub fn succeed(&mut self) {
        *self = Self::default();
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Idle,
    /// A station has begun, and not all stations detect it yet.
    Contention,
    Busy,
}

/// What has become of those who began.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Settled {
    /// One alone has the cable.
    Acquired(u32),
    /// Several began within the propagation delay of each other.
    Collision,
}

/// The cable as its stations hear it. Every two stations are the same propagation delay apart.
#[derive(Clone, Debug)]
pub struct Cable {
    phase: Phase,
    starters: Vec<u32>,
    deferring: Vec<u32>,
}

impl Cable {
    /// A quiet cable.
    #[must_use]
    pub const fn new() -> Self {
        Self { phase: Phase::Idle, starters: Vec::new(), deferring: Vec::new() }
    }

    /// A station wants to send: it begins where it hears nothing, and else defers. True where it is the first to begin:
    /// what becomes of it is [`settle`](Self::settle)d after the propagation delay.
    pub fn attempt(&mut self, station: u32) -> bool {
        if self.phase == Phase::Busy {
            self.deferring.push(station);
            return false;
        }
        self.starters.push(station);
        std::mem::replace(&mut self.phase, Phase::Contention) == Phase::Idle
    }

    /// All stations now detect that one has begun.
    pub fn settle(&mut self) -> Settled {
        assert!(self.phase == Phase::Contention, "somebody had begun");
        self.phase = Phase::Busy;
        if let [alone] = self.starters[..] { Settled::Acquired(alone) } else { Settled::Collision }
    }

    /// Those who began, handed over to `into`.
    pub fn take_starters(&mut self, into: &mut Vec<u32>) {
        into.clear();
        into.append(&mut self.starters);
    }

    /// The cable is quiet again: those who deferred, handed over to `into`, begin at once.
    pub fn quiet(&mut self, into: &mut Vec<u32>) {
        assert!(self.phase == Phase::Busy, "the cable was in use");
        self.phase = Phase::Idle;
        into.clear();
        into.append(&mut self.deferring);
    }
}

impl Default for Cable {
    fn default() -> Self {
        Self::new()
    }
}

/// The efficiency of an Ethernet on which `stations` always have a packet, each taking a slot with the best probability
/// (Metcalfe and Boggs, section 6.2). `packet` and `slot` are times.
#[must_use]
pub fn metcalfe_boggs_efficiency(stations: u32, packet: Span, slot: Span) -> f64 {
    let q = f64::from(stations);
    let acquired = if stations == 1 { 1.0 } else { power(1.0 - 1.0 / q, stations - 1) };
    let wait = (1.0 - acquired) / acquired;
    packet.as_seconds() / (packet.as_seconds() + wait * slot.as_seconds())
}

fn power(base: f64, exponent: u32) -> f64 {
    (0..exponent).fold(1.0, |power, _| power * base)
}
