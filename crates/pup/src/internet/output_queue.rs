//! The output queues of stations, and what becomes of a Pup where one is full.

use hopscope_kernel::EventQueue;
use hopscope_measure::Journal;
use hopscope_units::Time;

use super::{Event, Internet};
use crate::bsp::SILENT_AT_FIRST;
use crate::observe::Tap;
use crate::scenario::Medium;
use crate::wire::ErrorCode;

impl<J: Journal, T: Tap> Internet<J, T> {
    /// Puts a Pup into a station's output queue, or refuses it where that is full.
    pub(super) fn output(&mut self, now: Time, station: u32, packet: u32, queue: &mut EventQueue<Event>) {
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
            Medium::Ethernet(_) => self.attempt_rested(now, station, queue),
            Medium::Line(_) => self.send_on_line(now, station, queue),
            Medium::Radio(_) => self.next_for_radio(now, station, queue),
        }
    }

    /// A Pup is lost: its stream, if it is of one, is silent for a while.
    pub(super) fn note_loss(&mut self, packet: u32) {
        if self.packets[packet].raw.is_none() {
            self.monitor.settles_not_before(SILENT_AT_FIRST);
        }
    }

    /// A full queue: a gateway reports it to the source, whose stream slows down.
    fn refuse(&mut self, now: Time, station: u32, packet: u32, queue: &mut EventQueue<Event>) {
        self.stations[station as usize].losses.refused += 1;
        self.note_loss(packet);
        self.left_host_queue(now, packet, queue);
        let machine = self.plan.stations[station as usize].machine;
        self.report_error(now, machine, packet, ErrorCode::GatewayQueueFull, queue);
    }

    /// The Pup that a station has sent leaves its queue.
    pub(super) fn leave_queue(&mut self, now: Time, station: u32, queue: &mut EventQueue<Event>) -> u32 {
        let at = &mut self.stations[station as usize];
        at.waiting.release(now, 1);
        let packet = at.queue.pop_front().expect("a Pup was being sent");
        self.left_host_queue(now, packet, queue);
        packet
    }

    /// Whether a radio's queue holds as many Pups of this one's connection as it takes.
    fn over_connection_limit(&self, station: u32, packet: u32) -> bool {
        let Medium::Radio(radio) = self.medium(station) else { return false };
        let connection = |packet: u32| {
            let header = &self.packets[packet].header;
            (header.source, header.destination)
        };
        let queued = &self.stations[station as usize].queue;
        let same = queued.iter().filter(|&&other| connection(other) == connection(packet)).count();
        same >= radio.connection as usize
    }
}
