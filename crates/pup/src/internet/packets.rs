//! The Pups under way.

use hopscope_units::{Data, Time};

use crate::bsp::StreamPup;
use crate::observe::Journey;
use crate::wire::{Header, Pup};

/// A Pup under way: its header and its data, and what the simulation knows about it. It becomes bytes, with a checksum,
/// only where they are needed: in a capture, and on a line, which sends some bytes twice.
#[derive(Clone, Debug, Default)]
pub(crate) struct Packet {
    /// Whether it is under way; else its slot is free.
    live: bool,
    /// Its header.
    pub header: Header,
    /// Its data.
    pub data: Vec<u8>,
    /// What this copy has been through.
    pub journey: Journey,
    /// The host number on the network that it waits for: 0 is every host.
    pub to: u8,
    /// Radio packets of it under way.
    pub parts: u32,
    /// Its number among the Pups that its radio has sent.
    pub radio_number: u32,
    /// When its radio accepted the last of it.
    pub accepted: Time,
    /// Of an acknowledgment: when the demand for it had come.
    pub demanded: Time,
    /// Of a packet that is no Pup: its length on the cable.
    pub raw: Option<Data>,
    /// Of a stream's Pup that still stands in a queue of its own machine: the stream, and what it is.
    pub in_host_queue: Option<(u32, StreamPup)>,
}

impl Packet {
    /// The Pup.
    pub fn pup(&self) -> Pup<'_> {
        Pup { header: self.header, data: &self.data }
    }

    /// Becomes this Pup.
    pub fn set(&mut self, pup: &Pup<'_>) {
        self.header = pup.header;
        self.data.clear();
        self.data.extend_from_slice(pup.data);
    }
}

/// The Pups under way. Data and journeys keep their memory when a Pup goes and another takes its place.
#[derive(Clone, Debug, Default)]
pub(crate) struct Packets {
    slots: Vec<Packet>,
    free: Vec<u32>,
}

impl Packets {
    /// A Pup that has yet to be set, born now.
    pub fn insert(&mut self, now: Time) -> u32 {
        let id = self.free.pop().unwrap_or_else(|| {
            self.slots.push(Packet::default());
            u32::try_from(self.slots.len() - 1).expect("fewer Pups than memory holds")
        });
        let packet = &mut self.slots[id as usize];
        packet.live = true;
        packet.journey.begin(now);
        (packet.to, packet.parts, packet.accepted, packet.demanded) = (0, 0, now, now);
        (packet.in_host_queue, packet.raw) = (None, None);
        id
    }

    /// A copy of a Pup.
    pub fn copy(&mut self, id: u32) -> u32 {
        let copy = self.insert(Time::ZERO);
        let original = self.slots[id as usize].clone();
        self.slots[copy as usize] = original;
        copy
    }

    pub fn remove(&mut self, id: u32) {
        assert!(std::mem::take(&mut self.slots[id as usize].live), "a Pup goes once");
        self.free.push(id);
    }

    /// Pups under way.
    pub fn len(&self) -> usize {
        self.slots.len() - self.free.len()
    }
}

impl std::ops::Index<u32> for Packets {
    type Output = Packet;
    fn index(&self, id: u32) -> &Packet {
        &self.slots[id as usize]
    }
}

impl std::ops::IndexMut<u32> for Packets {
    fn index_mut(&mut self, id: u32) -> &mut Packet {
        &mut self.slots[id as usize]
    }
}
