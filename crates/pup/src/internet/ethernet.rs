//! Pups on the networks: queues at the stations, Ethernets and lines. Packet radio is in `radio_network.rs`.

use hopscope_kernel::EventQueue;
use hopscope_measure::Journal;
use hopscope_units::Time;

use super::{Event, Internet, Job};
use crate::media::ethernet::{Settled, airtime};
use crate::media::line::on_line;
use crate::observe::{Stage, Tap};
use crate::scenario::{EthernetParams, LineParams, Medium};
use crate::wire::{ErrorCode, read_header};

impl<J: Journal, T: Tap> Internet<J, T> {
    /// Puts a Pup into a station's output queue, or refuses it where that is full.
    pub(crate) fn output(&mut self, now: Time, station: u32, packet: u32, queue: &mut EventQueue<Event>) {
        if self.spread(now, station, packet, queue) {
            return;
        }
        let at = &self.stations[station as usize];
        if at.waiting.free() == 0 || self.over_connection_limit(station, packet) {
            self.refuse(now, station, packet, queue);
            return;
        }
        let at = &mut self.stations[station as usize];
        at.waiting.acquire(now, 1);
        at.queue.push_back(packet);
        if at.queue.len() > 1 {
            return;
        }
        match self.medium(station) {
            Medium::Ethernet(_) => self.attempt(now, station, queue),
            Medium::Line(_) => self.send_on_line(now, station, queue),
            Medium::Radio(_) => self.next_for_radio(now, station, queue),
        }
    }

    pub(crate) fn medium(&self, station: u32) -> &Medium {
        let network = self.plan.stations[station as usize].network;
        &self.plan.params.network[network as usize].medium
    }

    /// A full queue: a gateway reports it to the source, whose stream slows down.
    fn refuse(&mut self, now: Time, station: u32, packet: u32, queue: &mut EventQueue<Event>) {
        self.tally.refused += 1;
        self.left_host_queue(now, packet, queue);
        let machine = self.plan.stations[station as usize].machine;
        self.report_error(now, machine, packet, ErrorCode::GatewayQueueFull, queue);
    }

    /// The Pup that a station has sent leaves its queue.
    pub(crate) fn leave_queue(&mut self, now: Time, station: u32, queue: &mut EventQueue<Event>) -> u32 {
        let at = &mut self.stations[station as usize];
        at.waiting.release(now, 1);
        let packet = at.queue.pop_front().expect("a Pup was being sent");
        self.left_host_queue(now, packet, queue);
        packet
    }

    /// Shows a Pup that begins its way to whoever watches.
    pub(crate) fn show(&mut self, at: Time, station: u32, packet: u32) {
        let from = &self.plan.stations[station as usize];
        let packet = &self.packets[packet];
        self.tap.frame(at, from.network, from.host, packet.to, &packet.bytes);
    }

    /// A Pup from this station has come through its network: every station that it is for takes it.
    pub(crate) fn deliver(&mut self, now: Time, from: u32, packet: u32, queue: &mut EventQueue<Event>) {
        let plan = std::sync::Arc::clone(&self.plan);
        let on_network = &plan.on_network[plan.stations[from as usize].network as usize];
        let to = self.packets[packet].to;
        if to == 0 {
            for &station in on_network.iter().filter(|&&station| station != from) {
                let packet = self.packets.copy(packet);
                let machine = plan.stations[station as usize].machine;
                self.enqueue(now, machine, Job::Receive { packet, station }, queue);
            }
            self.packets.remove(packet);
        } else if let Some(&station) = on_network.iter().find(|&&s| plan.stations[s as usize].host == to) {
            let machine = plan.stations[station as usize].machine;
            self.enqueue(now, machine, Job::Receive { packet, station }, queue);
        } else {
            self.tally.astray += 1;
            self.packets.remove(packet);
        }
    }

    fn ethernet(&self, network: u32) -> &EthernetParams {
        match &self.plan.params.network[network as usize].medium {
            Medium::Ethernet(ethernet) => ethernet,
            Medium::Line(_) | Medium::Radio(_) => unreachable!("only Ethernets have these events"),
        }
    }

    /// A station listens to its Ethernet and begins to send, or defers.
    pub(crate) fn attempt(&mut self, now: Time, station: u32, queue: &mut EventQueue<Event>) {
        let network = self.plan.stations[station as usize].network;
        let delay = self.ethernet(network).delay;
        let ether = &mut self.ethers[network as usize];
        if ether.cable.attempt(station) {
            ether.began = now;
            self.of_network(queue, network, now + delay, Event::Settle(network));
        }
    }

    pub(crate) fn settle(&mut self, now: Time, network: u32, queue: &mut EventQueue<Event>) {
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
                self.packets[packet].trail.close(Stage::EthernetWait, place, began);
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
    pub(crate) fn quiet(&mut self, now: Time, network: u32, queue: &mut EventQueue<Event>) {
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
            self.packets[packet].trail.close(Stage::Ethernet, place, now);
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
        self.tally.given_up += 1;
        let packet = self.leave_queue(now, station, queue);
        self.packets.remove(packet);
        if !self.stations[station as usize].queue.is_empty() {
            self.of_station(queue, station, now, Event::Attempt(station));
        }
    }

    fn line(&self, station: u32) -> &LineParams {
        match self.medium(station) {
            Medium::Line(line) => line,
            Medium::Ethernet(_) | Medium::Radio(_) => unreachable!("only lines have these events"),
        }
    }

    fn send_on_line(&mut self, now: Time, station: u32, queue: &mut EventQueue<Event>) {
        let packet = *self.stations[station as usize].queue.front().expect("a Pup is to be sent");
        let place = self.place(station);
        self.packets[packet].trail.close(Stage::LineWait, place, now);
        self.show(now, station, packet);
        let line = self.line(station);
        let sent = now + line.rate.time_for(on_line(&self.packets[packet].bytes, line.framing));
        self.stations[station as usize].channel.acquire(now, 1);
        self.of_station(queue, station, sent, Event::LineSent(station));
    }

    pub(crate) fn line_sent(&mut self, now: Time, station: u32, queue: &mut EventQueue<Event>) {
        self.stations[station as usize].channel.release(now, 1);
        let packet = self.leave_queue(now, station, queue);
        let place = self.place(station);
        self.packets[packet].trail.close(Stage::Line, place, now);
        let arrives = now + self.line(station).transit;
        self.of_station(queue, station, arrives, Event::LineArrived(station, packet));
        if !self.stations[station as usize].queue.is_empty() {
            self.send_on_line(now, station, queue);
        }
    }

    pub(crate) fn line_arrived(
        &mut self,
        now: Time,
        station: u32,
        packet: u32,
        queue: &mut EventQueue<Event>,
    ) {
        let place = self.place(station);
        self.packets[packet].trail.close(Stage::LineTransit, place, now);
        self.deliver(now, station, packet, queue);
    }

    /// Whether a radio's queue holds as many Pups of this one's connection as it takes.
    fn over_connection_limit(&self, station: u32, packet: u32) -> bool {
        let Medium::Radio(radio) = self.medium(station) else { return false };
        let connection = |packet: u32| {
            let header = read_header(&self.packets[packet].bytes);
            (header.source, header.destination)
        };
        let queued = &self.stations[station as usize].queue;
        let same = queued.iter().filter(|&&other| connection(other) == connection(packet)).count();
        same >= radio.connection as usize
    }
}
