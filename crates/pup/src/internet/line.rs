//! Pups on lines: one after the other, escaped and framed.

use hopscope_kernel::EventQueue;
use hopscope_measure::Journal;
use hopscope_units::{Span, Time};

use super::{Event, Internet};
use crate::media::line::on_line;
use crate::observe::{Stage, Tap};
use crate::scenario::{LineParams, Medium};
use crate::wire::kind::GATEWAY_INFORMATION;

impl<J: Journal, T: Tap> Internet<J, T> {
    fn line(&self, station: u32) -> &LineParams {
        match self.medium(station) {
            Medium::Line(line) => line,
            Medium::Ethernet(_) | Medium::Radio(_) => unreachable!("only lines have these events"),
        }
    }

    pub(super) fn send_on_line(&mut self, now: Time, station: u32, queue: &mut EventQueue<Event>) {
        let packet = *self.stations[station as usize].queue.front().expect("a Pup is to be sent");
        let place = self.place(station);
        self.packets[packet].journey.close(Stage::LineWait, place, now);
        self.show(now, station, packet);
        // How long it takes depends on its bytes: some are sent twice.
        let mut bytes = std::mem::take(&mut self.data);
        self.packets[packet].pup().encode(&mut bytes).expect("the data of a Pup fit a Pup");
        let line = self.line(station);
        let takes = line.rate.time_for(on_line(&bytes, line.framing));
        let sent = now + takes;
        self.data = bytes;
        let tells_of_routes = self.packets[packet].header.kind == GATEWAY_INFORMATION;
        let at = &mut self.stations[station as usize];
        at.routing += if tells_of_routes { takes } else { Span::ZERO };
        at.channel.acquire(now, 1);
        self.of_station(queue, station, sent, Event::LineSent(station));
    }

    pub(super) fn line_sent(&mut self, now: Time, station: u32, queue: &mut EventQueue<Event>) {
        self.stations[station as usize].channel.release(now, 1);
        let packet = self.leave_queue(now, station, queue);
        let place = self.place(station);
        self.packets[packet].journey.close(Stage::Line, place, now);
        let arrives = now + self.line(station).transit;
        self.of_station(queue, station, arrives, Event::LineArrived(station, packet));
        if !self.stations[station as usize].queue.is_empty() {
            self.send_on_line(now, station, queue);
        }
    }

    pub(super) fn line_arrived(
        &mut self,
        now: Time,
        station: u32,
        packet: u32,
        queue: &mut EventQueue<Event>,
    ) {
        let place = self.place(station);
        self.packets[packet].journey.close(Stage::LineTransit, place, now);
        self.deliver(now, station, packet, queue);
    }
}
