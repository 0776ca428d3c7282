//! Pups on Ethernets: who begins, who collides, who has the cable.

use hopscope_kernel::EventQueue;
use hopscope_measure::{Journal, Pool};
use hopscope_units::{Rate, Span, Time};

use super::{Event, Internet};
use crate::media::ethernet::{Cable, Settled, airtime};
use crate::observe::{BatchedRatio, Stage, Tap};
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
    /// The shares of time in which packets and collisions are on the cable, observed up to an instant.
    pub useful: BatchedRatio,
    pub collided: BatchedRatio,
    observed: Time,
}

impl Ether {
    pub const fn new() -> Self {
        Self {
            cable: Cable::new(),
            began: Time::ZERO,
            holder: None,
            busy: Pool::bounded(1),
            collisions: 0,
            useful: BatchedRatio::new(),
            collided: BatchedRatio::new(),
            observed: Time::ZERO,
        }
    }

    /// Forgets everything measured.
    pub fn restart(&mut self, now: Time) {
        self.busy.restart(now);
        self.collisions = 0;
        (self.useful, self.collided, self.observed) = (BatchedRatio::new(), BatchedRatio::new(), now);
    }

    /// The cable is quiet after a packet of this time on it, or after a collision.
    fn observe(&mut self, now: Time, packet: Option<Span>) {
        let since = now.since(self.observed).ps();
        let useful = packet.map_or(0, Span::ps).min(since);
        let collided = if packet.is_none() { now.since(self.began).ps().min(since) } else { 0 };
        self.useful.add(useful, since);
        self.collided.add(collided, since);
        self.observed = now;
    }
}

impl<J: Journal, T: Tap> Internet<J, T> {
    fn ethernet(&self, network: u32) -> &EthernetParams {
        match &self.plan.params.network[network as usize].medium {
            Medium::Ethernet(ethernet) => ethernet,
            Medium::Line(_) | Medium::Radio(_) => unreachable!("only Ethernets have these events"),
        }
    }

    /// The time that a packet is on the cable.
    fn on_cable(&self, packet: u32, rate: Rate) -> Span {
        let packet = &self.packets[packet];
        packet.raw.map_or_else(|| airtime(packet.pup().length(), rate), |length| rate.time_for(length))
    }

    /// A station that has a packet tries to send it, once the gap after its last one is over.
    pub(super) fn attempt_rested(&mut self, now: Time, station: u32, queue: &mut EventQueue<Event>) {
        let rests_until = self.stations[station as usize].rests_until;
        if now < rests_until {
            self.of_station(queue, station, rests_until, Event::Attempt(station));
        } else {
            self.attempt(now, station, queue);
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
                let over = began + self.on_cable(packet, ethernet.rate) + ethernet.delay;
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
        let EthernetParams { rate, gap, .. } = *self.ethernet(network);
        let holder = self.ethers[network as usize].holder;
        let front = holder.and_then(|station| self.stations[station as usize].queue.front().copied());
        let packet = front.map(|packet| self.on_cable(packet, rate));
        let ether = &mut self.ethers[network as usize];
        ether.observe(now, packet);
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
            self.stations[station as usize].rests_until = now + gap;
            if !self.stations[station as usize].queue.is_empty() {
                self.attempt_rested(now, station, queue);
            }
            if self.packets[packet].raw.is_some() {
                self.raw_sent(now, station, packet, queue);
            } else {
                self.deliver(now, station, packet, queue);
            }
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
        self.note_loss(packet);
        let raw = self.packets[packet].raw.is_some();
        self.packets.remove(packet);
        if raw {
            self.raw_given_up(now, station, queue);
        }
        if !self.stations[station as usize].queue.is_empty() {
            self.of_station(queue, station, now, Event::Attempt(station));
        }
    }
}
