//! The delivery of Pups at machines: each goes to its socket, or its source is notified that there is none.

use hopscope_kernel::EventQueue;
use hopscope_measure::Journal;
use hopscope_units::Time;

use super::{Event, Internet};
use crate::observe::Tap;
use crate::scenario::{FIRST_ECHO_SOCKET, FIRST_SOCKET};
use crate::stations::Job;
use crate::wire::{ErrorCode, Pup, echo_of, kind};

impl<J: Journal, T: Tap> Internet<J, T> {
    /// A Pup has come to a socket of this machine.
    pub(super) fn local(
        &mut self,
        now: Time,
        machine: u32,
        station: u32,
        packet: u32,
        queue: &mut EventQueue<Event>,
    ) {
        let data = std::mem::take(&mut self.packets[packet].data);
        let pup = Pup { header: self.packets[packet].header, data: &data };
        let delivered = self.hand_to_socket(now, machine, station, packet, &pup, queue);
        self.packets[packet].data = data;
        if delivered {
            self.packets.remove(packet);
        } else {
            self.report_error(now, machine, packet, ErrorCode::NoSuchSocket, queue);
        }
    }

    fn hand_to_socket(
        &mut self,
        now: Time,
        machine: u32,
        station: u32,
        packet: u32,
        pup: &Pup<'_>,
        queue: &mut EventQueue<Event>,
    ) -> bool {
        match pup.header.destination.socket {
            kind::GATEWAY_SOCKET => {
                self.gateway_information(now, machine, station, pup, queue);
                true
            }
            kind::ECHO_SOCKET => {
                let Some(answer) = echo_of(pup) else { return false };
                let echo = self.packets.insert(now);
                self.packets[echo].set(&answer);
                // The life of a round trip: the request's way, and the echo's behind it.
                self.packets[echo].journey = self.packets[packet].journey.clone();
                self.enqueue(now, machine, Job::Send { packet: echo }, queue);
                true
            }
            socket if socket >= FIRST_ECHO_SOCKET => {
                let source = socket - FIRST_ECHO_SOCKET;
                let known = self.plan.echoes.get(source as usize).is_some_and(|plan| plan.from == machine);
                if known {
                    self.echoed(now, source, packet, pup, queue);
                }
                known
            }
            socket => {
                let stream = socket.wrapping_sub(FIRST_SOCKET) / 2;
                let Some(plan) = self.plan.streams.get(stream as usize) else { return false };
                let sender = socket == plan.near.socket;
                if machine != if sender { plan.from } else { plan.to } {
                    return false;
                }
                if sender {
                    self.at_sender(now, stream, packet, pup, queue);
                } else {
                    self.at_receiver(now, stream, packet, pup, queue);
                }
                true
            }
        }
    }
}
