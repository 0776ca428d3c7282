//! The host interface, IMP to host: messages and RFNMs, packet by packet.

use hopscope_measure::Journal;
use hopscope_units::{Data, Span, Time};

use crate::observe::trace::TraceKind;
use crate::protocol::message_order::Place;
use crate::protocol::packet::LEADER_BITS;
use crate::protocol::stage::{Phase, Stage};
use crate::subnet::event::Event;
use crate::subnet::host::Output;
use crate::subnet::{Queue, Subnet};

impl<J: Journal> Subnet<J> {
    /// A reply of any kind is for a host; one that takes nothing any more does not hear it.
    pub(super) fn tell_host(&mut self, now: Time, host: u32, message: u32, queue: &mut Queue) {
        if self.is_dead(now, host) {
            return self.finish_unheard(now, message, queue);
        }
        self.hosts[host as usize].replies.push_back(message);
        self.run_output(now, host, queue);
    }

    /// Sends what an IMP has for a host, as long as that takes no time.
    pub(super) fn run_output(&mut self, now: Time, host: u32, queue: &mut Queue) {
        loop {
            let h = &mut self.hosts[host as usize];
            if h.is_sending {
                return;
            }
            let (item, index) = match h.serving {
                Some(serving) => serving,
                None => {
                    let reply = h.replies.pop_front().map(Output::Rfnm);
                    let Some(item) = reply.or_else(|| h.output.pop_front().map(Output::Message)) else {
                        return;
                    };
                    h.serving = Some((item, 0));
                    if let Output::Message(message) = item {
                        now.since(self.messages[message].account.since()).onto(&mut h.wait_ps);
                        let place = self.place_of_host(host);
                        self.close(message, Stage::HostOutputWait, place, now);
                    }
                    (item, 0)
                }
            };
            let length = self.output_time(now, host, item, index);
            let (at, is_tardy) = self.taken_at(now, host, length);
            if at > now {
                let h = &mut self.hosts[host as usize];
                (h.is_sending, h.is_tardy) = (true, is_tardy);
                h.busy_ps += length.ps();
                let imp = self.plan.hosts[host as usize].imp;
                return self.schedule(queue, imp, at, Event::HostOut(host));
            }
            self.output_done(now, host, queue);
        }
    }

    /// How long a host takes for the next packet of a message or for a RFNM.
    fn output_time(&self, now: Time, host: u32, item: Output, index: u8) -> Span {
        let plan = &self.plan.hosts[host as usize];
        let bits = match item {
            Output::Rfnm(_) => LEADER_BITS,
            Output::Message(message) if index == 0 => self.messages[message].packet_bits(0) + LEADER_BITS,
            Output::Message(message) => self.messages[message].packet_bits(index),
        };
        let line = plan.rate.map_or(Span::ZERO, |rate| rate.time_for(Data::from_bits(u64::from(bits))));
        let accepts = matches!(item, Output::Message(_)) && index == 0;
        if !accepts {
            return line;
        }
        let idle = self.hosts[host as usize].taken_at != now;
        line + plan.per_message + if idle { plan.begins_after } else { Span::ZERO }
    }

    /// A host has taken what its IMP was sending.
    pub(super) fn host_out(&mut self, now: Time, host: u32, queue: &mut Queue) {
        let h = &mut self.hosts[host as usize];
        h.is_sending = false;
        if std::mem::take(&mut h.is_tardy) {
            return self.host_is_tardy(now, host, queue);
        }
        self.output_done(now, host, queue);
        self.run_output(now, host, queue);
    }

    /// A host has taken a packet or a RFNM.
    fn output_done(&mut self, now: Time, host: u32, queue: &mut Queue) {
        let (item, index) = self.hosts[host as usize].serving.expect("a host takes what is being sent");
        match item {
            Output::Rfnm(message) => {
                self.hosts[host as usize].serving = None;
                let place = self.place_of_host(host);
                self.close(message, Stage::ReplyToHost, place, now);
                self.finish(now, message, queue);
            }
            Output::Message(message) => self.packet_delivered(now, host, message, index, queue),
        }
    }

    fn packet_delivered(&mut self, now: Time, host: u32, message: u32, index: u8, queue: &mut Queue) {
        let m = &mut self.messages[message];
        m.buffers -= 1;
        let (dest, sequence, number, phase) = (m.dest, m.sequence, m.number, m.phase);
        let last = index + 1 == m.packets;
        let imp = &mut self.imps[usize::from(dest)];
        imp.reassembly.empty(now, 1, phase);
        imp.buffers.release(now, 1);
        self.hosts[host as usize].serving = (!last).then_some((Output::Message(message), index + 1));
        if index == 0 {
            self.hosts[host as usize].messages += 1;
            let place = self.place_of_host(host);
            self.close(message, Stage::HostOutput, place, now);
            self.advance_phase(now, message, Phase::ReplyWait);
            self.sequences[sequence as usize].order.set(number, Place::Served(message));
            self.note(now, TraceKind::FirstPacketDelivered, message);
        }
        if last {
            self.hosts[host as usize].taken_at = now;
            self.end(message);
        }
        if index == 0 {
            self.reply(now, sequence, queue);
        }
        self.serve_waiting(now, dest, queue);
        self.released(now, dest, queue);
    }
}
