//! Pups through the packet radio network: cut at the entry, each radio packet with its own fate, put together at the
//! exit.

use hopscope_kernel::{EventQueue, UniformSpan};
use hopscope_measure::Journal;
use hopscope_units::Time;

use super::{Event, Internet};
use crate::media::packet_radio::{Cut, Fragment};
use crate::observe::{RadioFragment, Stage, Tap};
use crate::scenario::{Medium, RadioParams, RadioPath};

impl<J: Journal, T: Tap> Internet<J, T> {
    fn radio(&self, station: u32) -> (&RadioParams, RadioPath) {
        match (self.medium(station), self.plan.stations[station as usize].radio) {
            (Medium::Radio(radio), Some(path)) => (radio, path),
            _ => unreachable!("only radio networks have these events"),
        }
    }

    /// Where a radio is free, it takes the first part of the next Pup at once; else it will when it is.
    pub(super) fn next_for_radio(&mut self, now: Time, station: u32, queue: &mut EventQueue<Event>) {
        if self.stations[station as usize].channel.held() == 0 {
            self.radio_accepts(now, station, queue);
        }
    }

    /// A radio is ready for its next radio packet, and takes it if there is one.
    pub(super) fn radio_accepts(&mut self, now: Time, station: u32, queue: &mut EventQueue<Event>) {
        let (radio, path) = self.radio(station);
        let cut = Cut { leader_words: radio.leader_words };
        let rate = radio.rate;
        let at = &mut self.stations[station as usize];
        if at.channel.held() > 0 {
            at.channel.release(now, 1);
        }
        let Some(&packet) = at.queue.front() else { return };
        at.channel.acquire(now, 1);
        let part = at.accepted;
        let bytes = self.packets[packet].pup().length();
        if part == 0 {
            self.begin_radio(now, station, packet);
        } else {
            let place = self.place(station);
            self.packets[packet].journey.close(Stage::RadioInterval, place, now);
        }
        self.show_fragment(now, station, packet, (part, cut));
        self.launch(now, station, packet, part, path, queue);
        let last = part + 1 == cut.fragments(bytes);
        self.stations[station as usize].accepted = if last { 0 } else { part + 1 };
        if last {
            self.leave_queue(now, station, queue);
            self.packets[packet].accepted = now;
            self.drop_if_gone(packet);
        }
        let ready = now + path.interval + rate.time_for(cut.on_channel(bytes, part));
        self.of_station(queue, station, ready, Event::RadioAccepts(station));
    }

    fn begin_radio(&mut self, now: Time, station: u32, packet: u32) {
        let at = &mut self.stations[station as usize];
        at.radio_number = at.radio_number.wrapping_add(1);
        let number = at.radio_number;
        let place = self.place(station);
        self.show(now, station, packet);
        let packet = &mut self.packets[packet];
        packet.journey.close(Stage::RadioWait, place, now);
        packet.radio_number = number;
        // Held by the queue until the last part is accepted.
        packet.parts = 1;
    }

    /// Passes a part of a Pup to the tap; a Pup in one part has been passed whole.
    fn show_fragment(&mut self, at: Time, station: u32, packet: u32, (part, cut): (u32, Cut)) {
        let from = &self.plan.stations[station as usize];
        let packet = &self.packets[packet];
        let parts = cut.fragments(packet.pup().length());
        if parts > 1 {
            let capacity = 2 * cut.capacity_words() as usize;
            let fragment =
                RadioFragment { number: packet.radio_number, part, parts, capacity, pup: packet.pup() };
            self.tap.fragment(at, from.network, from.host, packet.to, fragment);
        }
    }

    /// A radio packet is in transit, unless it is lost.
    fn launch(
        &mut self,
        now: Time,
        station: u32,
        packet: u32,
        part: u32,
        path: RadioPath,
        queue: &mut EventQueue<Event>,
    ) {
        let at = &mut self.stations[station as usize];
        let random = &mut at.random;
        at.losses.radio_sent += 1;
        if random.chance(path.loss) {
            at.losses.radio_lost += 1;
            self.note_loss(packet);
            return;
        }
        let mut arrives = now + path.transit;
        if self.stations[station as usize].is_delayed(path.extra) {
            let random = &mut self.stations[station as usize].random;
            arrives += UniformSpan::new(path.extra.shortest, path.extra.longest).sample(random);
        }
        self.packets[packet].parts += 1;
        self.of_station(queue, station, arrives, Event::RadioArrived(station, packet, part as u8));
    }

    /// Gives up one hold on a Pup; with the last, and the Pup not whole, it is gone.
    fn drop_if_gone(&mut self, packet: u32) {
        self.packets[packet].parts -= 1;
        if self.packets[packet].parts == 0 {
            self.packets.remove(packet);
        }
    }

    pub(super) fn radio_arrived(
        &mut self,
        now: Time,
        station: u32,
        packet: u32,
        part: u8,
        queue: &mut EventQueue<Event>,
    ) {
        let (radio, path) = self.radio(station);
        let cut = Cut { leader_words: radio.leader_words };
        let until = now + radio.assembly_timeout;
        let number = self.packets[packet].radio_number;
        let parts = (u32::from(part), cut.fragments(self.packets[packet].pup().length()));
        let fragment = match self.exit_of(station, packet) {
            Some(exit) => {
                let at = &mut self.stations[exit as usize];
                let fragment = at.assemblies.accept(now, station, number, parts, until);
                at.losses.parts_came += u64::from(parts.1 > 1);
                at.losses.unassembled += u64::from(matches!(fragment, Fragment::NoRoom));
                fragment
            }
            // Without a receiver: it is not reassembled.
            None => Fragment::Waits,
        };
        match fragment {
            Fragment::Completes => {
                let through = self.packets[packet].accepted + path.transit;
                let place = self.place(station);
                let journey = &mut self.packets[packet].journey;
                journey.close(Stage::Radio, place, through);
                journey.close(Stage::RadioDelay, place, now);
                self.deliver(now, station, packet, queue);
            }
            Fragment::Waits | Fragment::Duplicate => self.drop_if_gone(packet),
            Fragment::NoRoom => {
                self.note_loss(packet);
                self.drop_if_gone(packet);
            }
        }
    }

    /// A Pup for every host goes through the radio network once for each. Returns whether it was one.
    pub(super) fn spread(
        &mut self,
        now: Time,
        station: u32,
        packet: u32,
        queue: &mut EventQueue<Event>,
    ) -> bool {
        if self.packets[packet].to != 0 || !matches!(self.medium(station), Medium::Radio(_)) {
            return false;
        }
        let plan = std::sync::Arc::clone(&self.plan);
        let network = plan.stations[station as usize].network;
        for &other in plan.on_network[network as usize].iter().filter(|&&other| other != station) {
            let copy = self.packets.copy(packet);
            self.packets[copy].to = plan.stations[other as usize].host;
            self.output(now, station, copy, queue);
        }
        self.packets.remove(packet);
        true
    }

    /// The station for which a Pup leaves the radio network.
    fn exit_of(&self, from: u32, packet: u32) -> Option<u32> {
        let network = self.plan.stations[from as usize].network;
        let mut stations = self.plan.on_network[network as usize].iter().copied();
        stations.find(|&station| self.plan.stations[station as usize].host == self.packets[packet].to)
    }
}
