//! What passes on the networks, for those who want to keep it.

use hopscope_units::Time;

use crate::wire::{EthernetFrame, PUP_TYPE};

/// Sees every Pup that a network carries.
pub trait Tap {
    /// A network (by its place among the scenario's) begins to carry a Pup from one of its hosts to another; 0 is every
    /// host.
    fn frame(&mut self, at: Time, network: u32, from: u8, to: u8, pup: &[u8]);
}

/// Sees nothing and costs nothing.
impl Tap for () {
    #[inline]
    fn frame(&mut self, _: Time, _: u32, _: u8, _: u8, _: &[u8]) {}
}

/// A frame as the experimental Ethernet carries it: destination, source, type, Pup. Other networks are shown in the
/// same dress.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// When it began.
    pub at: Time,
    /// On which network, by its place among the scenario's.
    pub network: u32,
    /// Its bytes, without the CRC.
    pub bytes: Vec<u8>,
}

/// Dresses a Pup as a frame, without the CRC, behind what `bytes` holds.
pub fn write_frame(from: u8, to: u8, pup: &[u8], bytes: &mut Vec<u8>) {
    EthernetFrame { destination: to, source: from, kind: PUP_TYPE, data: pup }.write(bytes);
}

/// Keeps the first so many frames.
#[derive(Clone, Debug)]
pub struct Capture {
    most: usize,
    frames: Vec<Frame>,
}

impl Capture {
    /// A capture of at most so many frames.
    #[must_use]
    pub const fn new(most: usize) -> Self {
        Self { most, frames: Vec::new() }
    }

    /// The frames, those of each network in the order in which they began.
    #[must_use]
    pub fn frames(&self) -> &[Frame] {
        &self.frames
    }
}

impl Tap for Capture {
    fn frame(&mut self, at: Time, network: u32, from: u8, to: u8, pup: &[u8]) {
        if self.frames.len() < self.most {
            let mut bytes = Vec::new();
            write_frame(from, to, pup, &mut bytes);
            self.frames.push(Frame { at, network, bytes });
        }
    }
}
