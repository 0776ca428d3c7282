//! The subnet as it runs: its state, and one file for each group of events that says what they do.

pub(crate) mod arrivals;
mod block_setup;
mod dead_host;
mod destination_imp;
pub(crate) mod event;
mod gvb;
pub(crate) mod host;
mod host_input;
mod host_output;
pub(crate) mod imp;
mod incomplete_transmission;
pub(crate) mod line;
mod line_input;
mod line_output;
pub(crate) mod message_end;
mod names;
pub(crate) mod outages;
mod outbox;
mod processor;
mod reqall;
mod rfnm;
pub(crate) mod routing_messages;
pub(crate) mod sequence;
pub(crate) mod site_traffic;
pub(crate) mod snapshots;
mod source_imp;
mod start;
pub(crate) mod traffic_sources;

use std::sync::Arc;

use hopscope_kernel::{Arena, EventQueue, Model};
use hopscope_measure::{Journal, MessageMonitor};
use hopscope_units::Time;

use crate::observe::round_trip_tables::SiteTables;
use crate::observe::statistics::Statistics;
use crate::observe::trace::{Passage, Trace, TraceKind, TraceRow};
use crate::protocol::packet::{Message, Packet, PacketKind};
use crate::protocol::stage::{Phase, Stage};
use crate::routing::loops::Loops;
use crate::scenario::params::Version;
use crate::scenario::plan::ArpanetPlan;
use crate::subnet::arrivals::Due;
use crate::subnet::event::Event;
use crate::subnet::host::Host;
use crate::subnet::imp::Imp;
use crate::subnet::line::Line;
use crate::subnet::message_end::KeptInstants;
use crate::subnet::sequence::Sequence;
use crate::subnet::site_traffic::SiteTraffic;
use crate::subnet::snapshots::Snapshots;
use crate::subnet::traffic_sources::Sources;

/// The pending events of the subnet.
pub(crate) type Queue = EventQueue<Event>;

/// No sequence yet.
const NO_SEQUENCE: u32 = u32::MAX;

/// The subnet under traffic: the model's state.
pub struct Subnet<J: Journal = ()> {
    pub(crate) plan: Arc<ArpanetPlan>,
    pub(crate) imps: Vec<Imp>,
    pub(crate) due: Vec<Due>,
    pub(crate) lines: Vec<Line>,
    pub(crate) hosts: Vec<Host>,
    pub(crate) sequences: Vec<Sequence>,
    /// The sequence of each pair of IMPs (version 2) or hosts (version 3) that has one.
    pub(crate) sequence_of: Vec<u32>,
    pub(crate) packets: Arena<Packet>,
    pub(crate) messages: Arena<Message>,
    pub(crate) sources: Sources,
    pub(crate) site_traffic: SiteTraffic,
    pub(crate) site_tables: Option<SiteTables>,
    /// A look for overdue packets is scheduled.
    pub(crate) watches_overdue: bool,
    pub(crate) loops: Loops,
    /// Every tick of a line's clock and every routing message is an event, even if it carries nothing new.
    pub(crate) every_routing_message: bool,
    pub(crate) monitor: MessageMonitor,
    pub(crate) journal: J,
    pub(crate) trace: Trace,
    /// The instants of the messages that the journal keeps.
    pub(crate) instants: Vec<KeptInstants>,
    /// When a line came back last.
    pub(crate) outage_ended: Time,
    /// Where they are asked for.
    pub(crate) snapshots: Option<Snapshots>,
    pub(crate) statistics: Statistics,
}

impl<J: Journal> Subnet<J> {
    /// Schedules an event of an IMP.
    #[inline]
    pub(crate) fn schedule(&mut self, queue: &mut Queue, imp: u8, at: Time, event: Event) {
        queue.schedule(at, self.imps[usize::from(imp)].next_order(imp), event);
    }

    /// Schedules the end of a piece of work of an IMP's processor.
    #[inline]
    pub(crate) fn schedule_work(&mut self, queue: &mut Queue, imp: u8, at: Time, event: Event) {
        queue.schedule(at, self.imps[usize::from(imp)].order_of_work(imp), event);
    }

    /// Ends a stage of a message's life that is spent in its source or destination.
    #[inline]
    pub(crate) fn close(&mut self, message: u32, stage: Stage, place: u32, at: Time) {
        let message = &mut self.messages[message];
        let since = message.account.since();
        message.account.close(stage as usize, at);
        self.journal.stage(message.serial, stage as usize, place, since, at);
    }

    /// Ends stages of a packet's life one after the other, where it has one that counts: each as a packet of data, as a
    /// reply, and when.
    #[inline]
    pub(crate) fn close_packet(&mut self, packet: u32, place: u32, stages: &[(Stage, Stage, Time)]) {
        let packet = &mut self.packets[packet];
        let is_data = match packet.kind {
            PacketKind::Data => true,
            PacketKind::Rfnm { .. } => false,
            _ => return,
        };
        for &(data, reply, at) in stages {
            let stage = if is_data { data } else { reply };
            let since = packet.account.since();
            packet.account.close(stage as usize, at);
            if J::TAKES_DOWN && packet.in_journey {
                self.journal.stage(self.messages[packet.of].serial, stage as usize, place, since, at);
            }
        }
    }

    /// The place of an IMP in journeys; lines and hosts come after.
    #[inline]
    pub(crate) const fn place_of_imp(imp: u8) -> u32 {
        imp as u32
    }

    /// The place of a line in journeys.
    #[inline]
    pub(crate) fn place_of_line(&self, line: u16) -> u32 {
        (self.imps.len() + usize::from(line)) as u32
    }

    /// The place of a host in journeys.
    #[inline]
    pub(crate) fn place_of_host(&self, host: u32) -> u32 {
        (self.imps.len() + self.lines.len()) as u32 + host
    }

    /// A message and all that it holds go on to another phase.
    pub(crate) fn advance_phase(&mut self, now: Time, message: u32, to: Phase) {
        let m = &mut self.messages[message];
        let from = std::mem::replace(&mut m.phase, to);
        let (single, source, dest, sequence, buffers) =
            (m.is_single(), m.source, m.dest, m.sequence, m.buffers);
        self.imps[usize::from(source)].pending_table(single).advance(now, from, to);
        self.sequences[sequence as usize].pool.advance(now, from as usize, to as usize, 1);
        if buffers > 0 {
            self.imps[usize::from(dest)].reassembly.advance(now, from, to, u64::from(buffers));
        }
    }

    /// The sequence of message numbers from one host to another.
    pub(crate) fn sequence(&mut self, from: u32, to: u32) -> u32 {
        let [source, dest] = [from, to].map(|host| self.plan.hosts[host as usize].imp);
        let key = match self.plan.params.protocol.version {
            Version::Two => usize::from(source) * self.imps.len() + usize::from(dest),
            Version::Three => from as usize * self.hosts.len() + to as usize,
        };
        if self.sequence_of[key] == NO_SEQUENCE {
            self.sequence_of[key] = self.sequences.len() as u32;
            self.imps[usize::from(source)].sequences.push(self.sequences.len() as u32);
            let window = self.plan.params.protocol.message_numbers();
            self.sequences.push(Sequence::new(source, dest, (from, to), window));
        }
        self.sequence_of[key]
    }

    /// An index for every pair that can have a sequence, still without any.
    pub(crate) fn no_sequences(plan: &ArpanetPlan) -> Vec<u32> {
        let ends = match plan.params.protocol.version {
            Version::Two => plan.imps.len(),
            Version::Three => plan.hosts.len(),
        };
        vec![NO_SEQUENCE; ends * ends]
    }

    /// Records an event of a message.
    #[inline]
    pub(crate) fn note(&mut self, at: Time, kind: TraceKind, message: u32) {
        let m = &self.messages[message];
        let (message, sequence, number) = (m.serial, m.sequence, m.number);
        self.trace.note(TraceRow { at, kind, message, sequence, number });
    }

    /// Records an event of a control message of a sequence.
    #[inline]
    pub(crate) fn note_control(&mut self, at: Time, kind: TraceKind, sequence: u32, number: u32) {
        self.trace.note(TraceRow { at, kind, message: u64::MAX, sequence, number });
    }

    /// Records that a packet is in transit over a line; its last bit is sent at `end`.
    #[cold]
    pub(crate) fn follow(&mut self, from: Time, line: u16, packet: u32, end: Time) {
        let p = &self.packets[packet];
        let (message, sequence) = if p.kind.has_message() {
            (self.messages[p.of].serial, self.messages[p.of].sequence)
        } else {
            (u64::MAX, p.of)
        };
        let to = end + self.plan.lines[usize::from(line)].delay;
        let (kind, number, packet) = (p.kind, p.number, p.index);
        self.trace.pass(Passage { from, to, line, kind, message, sequence, number, packet });
    }

    /// Records the first `rows` events of messages, see [`Subnet::trace`], and the same number of passages of their
    /// packets.
    pub fn keep_trace(&mut self, rows: usize) {
        self.trace = Trace::new(rows);
    }

    /// What has happened to messages and replies, as far as it was to be kept.
    #[must_use]
    pub fn trace(&self) -> &[TraceRow] {
        self.trace.rows()
    }

    /// Packets that have been passed from one IMP to the next since the run began: the work that a subnet does.
    #[must_use]
    pub const fn packet_hops(&self) -> u64 {
        self.statistics.hops
    }
}

impl<J: Journal> Model for Subnet<J> {
    type Event = Event;

    #[inline]
    fn handle(&mut self, now: Time, event: Event, queue: &mut Queue) {
        // In which IMP an event happens is found in the same match as what it does: one jump in place of two.
        match event {
            Event::Emit(source) => {
                let host = self.sources.sender(source);
                self.at_host(now, host, queue).emit(now, source, queue);
            }
            Event::SiteMessage(site) => {
                let host = self.sender_of_site(site);
                self.at_host(now, host, queue).site_message(now, site, queue);
            }
            Event::StatusReports(imp) => self.at(now, imp, queue).status_reports(now, imp, queue),
            Event::Statistics(imp) => self.at(now, imp, queue).statistics(now, imp, queue),
            Event::HostReady(host) => self.at_host(now, host, queue).host_ready(now, host, queue),
            Event::HostTask(host) => self.at_host(now, host, queue).host_task(now, host, queue),
            Event::HostOut(host) => self.at_host(now, host, queue).host_out(now, host, queue),
            Event::Arrivals(imp) => self.at(now, imp, queue).look_at_arrivals(now, imp, queue),
            Event::Again { line, channel, parity, acks } => {
                self.at_far_end(now, line, queue).comes_again(now, line, channel, parity, acks, queue);
            }
            Event::Task { line, channel, packet } => {
                self.at_far_end(now, line, queue).task(now, line, channel, packet, queue);
            }
            Event::Background { imp, packet } => self.at(now, imp, queue).send_from(now, imp, packet, queue),
            Event::LocalTask(packet) => {
                let imp = self.packets[packet].to;
                self.at(now, imp, queue).consume(now, packet, queue);
            }
            Event::Merge { line, serial } => {
                self.at_far_end(now, line, queue).routing_handled(now, line, serial, queue);
            }
            Event::LineWake(line) => self.at_near_end(now, line, queue).line_wake(now, line, queue),
            Event::LineTimer(line) => self.at_near_end(now, line, queue).line_timer(now, line, queue),
            Event::Overdue => self.everywhere(now).look_for_overdue(now, queue),
            Event::RoutingClock(line) => self.at_near_end(now, line, queue).routing_clock(now, line, queue),
            Event::Compute(imp) => self.at(now, imp, queue).compute(now, imp, queue),
            Event::Patience { sequence, number } => {
                let imp = self.sequences[sequence as usize].dest;
                self.at(now, imp, queue).patience_ends(now, sequence, number, queue);
            }
            Event::GiveBack(imp) => self.at(now, imp, queue).give_back(now, imp, queue),
            Event::Poll(imp) => self.at(now, imp, queue).poll(now, imp, queue),
            Event::Snapshot => self.everywhere(now).snapshot(now, queue),
            Event::LineChange(index) => self.everywhere(now).line_changes(now, index, queue),
        }
    }
}
