//! Pups on Ethernets: who begins, who collides, who has the cable.

use hopscope_kernel::EventQueue;
use hopscope_measure::{Journal, Pool};
use hopscope_units::Time;

use super::{Event, Internet};
use crate::media::ethernet::{Cable, Settled, airtime};
use crate::observe::{Stage, Tap};
use crate::scenario::{EthernetParams, Medium};

/// An Ethernet's cable.
#[derive(Clone, Debug)]
pub(crate) struct Ether {
    pub cable: Cable,
    pub began: Time,
    /// The station that has the cable.
    pub holder: Option<u32>,
    pub busy: Pool,
    pub collisions: u64,
}

impl Ether {
    pub const fn new() -> Self {
        Self { cable: Cable::new(), began: Time::ZERO, holder: None, busy: Pool::bounded(1), collisions: 0 }
    }
}

impl<J: Journal, T: Tap> Internet<J, T> {
    fn ethernet(&self, network: u32) -> &EthernetParams {
        match &self.plan.params.network[network as usize].medium {
            Medium::Ethernet(ethernet) => ethernet,
            Medium::Line(_) | Medium::Radio(_) => unreachable!("only Ethernets have these events"),
        }
    }

    /// A station listens to its Ethernet and begins to send, or defers.
    pub(super) fn attempt(&mut self, now: Time, station: u32, queue: &mut EventQueue<Event>) {
        let network = self.plan.stations[station as usize].network;
        let delay = self.ethernet(network).delay;
        let ether = &mut self.ethers[network as usize];
        if ether.cable.attempt(station) {
            ether.began = now;
            self.of_network(queue, network, now + delay, Event::Settle(network));
        }
    }

    pub(super) fn settle(&mut self, now: Time, network: u32, queue: &mut EventQueue<Event>) {
        let ethernet = self.ethernet(network).clone();
        let ether = &mut self.ethers[network as usize];
        ether.busy.acquire(now, 1);
        let began = ether.began;
        match ether.cable.settle() {
            Settled::Acquired(station) => {
                ether.holder = Some(station);
                ether.cable.take_starters(&mut self.list);
                let at = &mut self.stations[station as usize];
                at.backoff.succeed();
                let packet = *at.queue.front().expect("a Pup is being sent");
                let place = self.place(station);
                self.packets[packet].journey.close(Stage::EthernetWait, place, began);
                self.show(began, station, packet);
                let over = began + airtime(self.packets[packet].bytes.len(), ethernet.rate) + ethernet.delay;
                self.of_network(queue, network, over.max(now), Event::Quiet(network));
            }
            Settled::Collision => {
                ether.collisions += 1;
                let over = (began + ethernet.collision).max(now);
                self.of_network(queue, network, over, Event::Quiet(network));
            }
        }
    }

    /// The cable is quiet: a Pup has been delivered, or those who collided back off. Those who deferred begin at once.
    pub(super) fn quiet(&mut self, now: Time, network: u32, queue: &mut EventQueue<Event>) {
        let ether = &mut self.ethers[network as usize];
        ether.busy.release(now, 1);
        let mut list = std::mem::take(&mut self.list);
        ether.cable.take_starters(&mut list);
        let sent = ether.holder.take();
        for &station in &list {
            self.back_off(now, network, station, queue);
        }
        self.ethers[network as usize].cable.quiet(&mut list);
        for &station in &list {
            self.attempt(now, station, queue);
        }
        self.list = list;
        if let Some(station) = sent {
            let packet = self.leave_queue(now, station, queue);
            let place = self.place(station);
            self.packets[packet].journey.close(Stage::Ethernet, place, now);
            if !self.stations[station as usize].queue.is_empty() {
                self.attempt(now, station, queue);
            }
            self.deliver(now, station, packet, queue);
        }
    }

    fn back_off(&mut self, now: Time, network: u32, station: u32, queue: &mut EventQueue<Event>) {
        let unit = self.ethernet(network).backoff;
        let at = &mut self.stations[station as usize];
        if let Some(units) = at.backoff.collide(&mut at.random) {
            self.of_station(queue, station, now + unit * units, Event::Attempt(station));
            return;
        }
        self.stations[station as usize].losses.given_up += 1;
        let packet = self.leave_queue(now, station, queue);
        self.packets.remove(packet);
        if !self.stations[station as usize].queue.is_empty() {
            self.of_station(queue, station, now, Event::Attempt(station));
        }
    }
}
