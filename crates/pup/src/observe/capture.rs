//! What passes on the networks, for those who want to keep it.

use hopscope_units::Time;

use crate::wire::{EthernetFrame, PUP_TYPE, Pup};

/// Sees every Pup that a network carries.
pub trait Tap {
    /// A network (by its place among the scenario's) begins to carry a Pup from one of its hosts to another; 0 is every
    /// host.
    ///
    /// The number behind the last network's stands for Pups that do not leave their machine.
    fn frame(&mut self, at: Time, network: u32, from: u8, to: u8, pup: &Pup<'_>);

    /// A radio network begins to carry a part of a Pup that it has cut.
    fn fragment(&mut self, at: Time, network: u32, from: u8, to: u8, fragment: RadioFragment<'_>);
}

/// A part of a Pup in a radio packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RadioFragment<'a> {
    /// The Pup's number among those that its station has sent.
    pub number: u32,
    /// Which part, counted from 0.
    pub part: u32,
    /// How many parts there are.
    pub parts: u32,
    /// The most bytes of a part.
    pub capacity: usize,
    /// The whole Pup.
    pub pup: Pup<'a>,
}

/// Sees nothing and costs nothing.
impl Tap for () {
    #[inline]
    fn frame(&mut self, _: Time, _: u32, _: u8, _: u8, _: &Pup<'_>) {}

    #[inline]
    fn fragment(&mut self, _: Time, _: u32, _: u8, _: u8, _: RadioFragment<'_>) {}
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
pub fn write_frame(from: u8, to: u8, pup: &Pup<'_>, bytes: &mut Vec<u8>) {
    EthernetFrame { destination: to, source: from, kind: PUP_TYPE, data: &on_the_wire(pup) }.write(bytes);
}

/// A Pup of the simulation, which is a header and data, in bytes.
fn on_the_wire(pup: &Pup<'_>) -> Vec<u8> {
    let mut bytes = Vec::new();
    pup.encode(&mut bytes).expect("the data of a Pup fit a Pup");
    bytes
}

/// The type of a frame that shows a part of a Pup: hopscope's own, beside that of a Pup.
const FRAGMENT_TYPE: u16 = PUP_TYPE + 1;

/// Dresses a part of a Pup as a frame behind what `bytes` holds: the Pup's number, the part and how many there are in a
/// byte each, the part's bytes. A radio packet has two words for them (Stewart's driver), whose layout is not
/// published.
pub fn write_fragment(from: u8, to: u8, fragment: RadioFragment<'_>, bytes: &mut Vec<u8>) {
    EthernetFrame { destination: to, source: from, kind: FRAGMENT_TYPE, data: &[] }.write(bytes);
    bytes.extend_from_slice(&(fragment.number as u16).to_be_bytes());
    bytes.extend_from_slice(&[fragment.part as u8, fragment.parts as u8]);
    let whole = on_the_wire(&fragment.pup);
    bytes.extend_from_slice(whole.chunks(fragment.capacity).nth(fragment.part as usize).unwrap_or_default());
}

/// Keeps the first frames, up to a limit.
#[derive(Clone, Debug)]
pub struct Capture {
    most: usize,
    frames: Vec<Frame>,
}

impl Capture {
    /// A capture with this limit of frames.
    #[must_use]
    pub const fn new(most: usize) -> Self {
        Self { most, frames: Vec::new() }
    }

    /// The frames, those of each network in the order in which they began.
    #[must_use]
    pub fn frames(&self) -> &[Frame] {
        &self.frames
    }

    fn keep(&mut self, at: Time, network: u32, write: impl FnOnce(&mut Vec<u8>)) {
        if self.frames.len() < self.most {
            let mut bytes = Vec::new();
            write(&mut bytes);
            self.frames.push(Frame { at, network, bytes });
        }
    }
}

impl Tap for Capture {
    fn frame(&mut self, at: Time, network: u32, from: u8, to: u8, pup: &Pup<'_>) {
        self.keep(at, network, |bytes| write_frame(from, to, pup, bytes));
    }

    fn fragment(&mut self, at: Time, network: u32, from: u8, to: u8, fragment: RadioFragment<'_>) {
        self.keep(at, network, |bytes| write_fragment(from, to, fragment, bytes));
    }
}
