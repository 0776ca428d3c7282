//! What all networks have in common: what they are made of, and who takes the Pups that come through.

use hopscope_kernel::EventQueue;
use hopscope_measure::Journal;
use hopscope_units::Time;

use super::{Event, Internet};
use crate::observe::Tap;
use crate::scenario::Medium;
use crate::stations::Job;

impl<J: Journal, T: Tap> Internet<J, T> {
    pub(crate) fn medium(&self, station: u32) -> &Medium {
        let network = self.plan.stations[station as usize].network;
        &self.plan.params.network[network as usize].medium
    }

    /// Passes a Pup that is sent to the tap.
    pub(super) fn show(&mut self, at: Time, station: u32, packet: u32) {
        let from = &self.plan.stations[station as usize];
        let packet = &self.packets[packet];
        if packet.raw.is_some() {
            return;
        }
        self.tap.frame(at, from.network, from.host, packet.to, &packet.pup());
    }

    /// Shows a Pup that stays in its machine, of which this is a station.
    pub(super) fn show_within(&mut self, at: Time, station: u32, packet: u32) {
        let (host, within) = (self.plan.stations[station as usize].host, self.plan.params.network.len());
        self.tap.frame(at, within as u32, host, host, &self.packets[packet].pup());
    }

    /// A Pup from this station has come through its network: every station that it is for takes it.
    pub(super) fn deliver(&mut self, now: Time, from: u32, packet: u32, queue: &mut EventQueue<Event>) {
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
}
