//! The machine: its state, and what each event does.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

use hopscope_fabric::{FabricPlan, Fairness, Nanobits, Slot, foresight};
use hopscope_kernel::{Arena, EventQueue, Foresight, Model, Order, Presorted};
use hopscope_measure::{Journal, MessageMonitor};
use hopscope_traffic::Workload;
use hopscope_units::Time;

use crate::event::Event;
use crate::multicast::Multicast;
use crate::observe::stage::Stage;
use crate::packet::{Burst, Packet, PacketKind, Pending};
use crate::plan::An1Plan;
use crate::pooled::Pool;
use crate::reconfiguration::control_plane::ControlPlane;
use crate::switch::Switch;
use crate::switch::contest::Contest;
use crate::switch::fifo_entries::FifoEntries;
use crate::switch::input_fifo::InputFifo;
use crate::switch::output::{Output, OutputPauses};
use crate::switch::routing_choice::Paths;
use crate::switch::virtual_channel::SharedLink;

/// A fabric of AN1's switches under traffic: the model's state.
pub struct An1<J: Journal = ()> {
    pub(crate) plan: Arc<FabricPlan>,
    /// The plan of this machine beyond that of the fabric.
    pub(crate) an1: Arc<An1Plan>,
    pub(crate) inputs: Vec<InputFifo>,
    pub(crate) outputs: Vec<Output>,
    pub(crate) pauses: Vec<OutputPauses>,
    pub(crate) switches: Vec<Switch>,
    /// The pools of packets in switches without input FIFOs: one per switch.
    pub(crate) pools: Vec<Pool>,
    /// The links shared by lanes: one per switch port; none if ports have one lane.
    pub(crate) shared_links: Vec<SharedLink>,
    pub(crate) paths: Paths,
    /// The control plane, if there is a fault plan.
    pub(crate) control: Option<Box<ControlPlane>>,
    /// Multicast, if the traffic has packets for several hosts.
    pub(crate) multicast: Option<Box<Multicast>>,
    pub(crate) entries: FifoEntries,
    /// The requests that arbiters decide when this instant is over.
    pub(crate) contest: Contest,
    pub(crate) packets: Arena<Packet>,
    pub(crate) bursts: Arena<Burst>,
    pub(crate) workload: Workload,
    /// Generated packets that wait in each host.
    pub(crate) send_queues: Vec<VecDeque<Pending>>,
    /// For each host the saturated source that fills its empty send queue, if there is one.
    pub(crate) saturated: Vec<Option<u32>>,
    pub(crate) monitor: MessageMonitor,
    pub(crate) fairness: Fairness,
    /// Packets that each switch has dropped since the measurement began because their time to live had expired.
    pub(crate) expired: Vec<u64>,
    pub(crate) journal: J,
    pub(crate) tally: Tally,
    /// The data that the packet in transmission at each output had sent when the measurement began.
    pub(crate) sent_before: Vec<Nanobits>,
}

/// Counters of the fabric besides the monitor's statistics.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tally {
    /// Packets generated since the run began: the next one's number.
    pub generated: u64,
    /// Packets that have left the network since the run began.
    pub consumed: u64,
    /// Bursts not yet fully delivered.
    pub bursts_active: u32,
    /// When the measurement began.
    pub window_start: Time,
    /// Packets forwarded by switches since the run began, counted at each switch.
    pub hops: u64,
    /// Bits delivered since the measurement began that are not part of the carried load.
    pub apart_bits: u64,
    /// Acknowledgments delivered since the measurement began.
    pub acks: u64,
}

impl<J: Journal> An1<J> {
    /// Schedules an event of a slot: the slot and its own count are the event's place in the order of an instant.
    #[inline]
    pub(crate) fn schedule(&mut self, queue: &mut EventQueue<Event>, slot: Slot, at: Time, event: Event) {
        queue.schedule(at, self.next_order(slot), event);
    }

    /// As [`schedule`](Self::schedule), for events that nearly always happen in the order in which they are scheduled.
    #[inline(always)]
    pub(crate) fn schedule_presorted(
        &mut self,
        queue: &mut EventQueue<Event>,
        list: Presorted,
        (slot, at): (Slot, Time),
        event: Event,
    ) {
        queue.schedule_presorted(list, at, self.next_order(slot), event);
    }

    #[inline]
    fn next_order(&mut self, slot: Slot) -> Order {
        let input = &mut self.inputs[slot as usize];
        input.count = input.count.wrapping_add(1);
        Order::new(slot, input.count)
    }

    /// Schedules the next emission of a traffic source, which comes after all slots in the order of an instant.
    pub(crate) fn schedule_emission(&mut self, queue: &mut EventQueue<Event>, source: u32, now: Time) {
        let at = self.workload.sources[source as usize].next(now);
        if at != Time::NEVER {
            let order = Order::new(self.inputs.len() as u32 + source, 0);
            queue.schedule(at, order, Event::Emit(source));
        }
    }

    /// Ends a stage of a packet at an instant, which may be in the future if nothing can happen before. The place is a
    /// link, by the slot that sends on it: the link in use, or for stages at the head of a FIFO the link that feeds it.
    #[inline]
    pub(crate) fn close(&mut self, packet: u32, stage: Stage, place: Slot, at: Time) {
        let packet = &mut self.packets[packet];
        let since = packet.account.since();
        packet.account.close(stage as usize, at);
        self.journal.stage(packet.number, stage as usize, place, since, at);
        if packet.kind == PacketKind::Multicast {
            let others = packet.number + 1..packet.number + u64::from(packet.to);
            self.journal_others(others, stage, place, (since, at));
        }
    }

    /// Ends the same stage of the other messages that a packet for several hosts represents.
    #[cold]
    #[inline(never)]
    fn journal_others(&mut self, numbers: Range<u64>, stage: Stage, place: Slot, (since, at): (Time, Time)) {
        numbers.for_each(|number| self.journal.stage(number, stage as usize, place, since, at));
    }

    /// A packet leaves one of its places; when it leaves the last one, it leaves the network.
    #[inline]
    pub(crate) fn leave(&mut self, packet: u32) {
        let places = &mut self.packets[packet].places;
        *places -= 1;
        if *places == 0 {
            self.packets.remove(packet);
            self.tally.consumed += 1;
        }
    }

    /// The packet at the head of a FIFO.
    #[inline]
    pub(crate) fn head_packet(&self, slot: Slot) -> u32 {
        self.inputs[slot as usize].head
    }

    /// Makes the statistics of messages keep sums alone, for a run that only counts.
    pub fn only_count(&mut self) {
        self.monitor.keep_only_sums();
    }

    /// Packets forwarded by switches, counted at each switch: the work that a fabric does.
    #[must_use]
    pub fn packet_hops(&self) -> u64 {
        self.tally.hops
    }
}

impl<J: Journal> Model for An1<J> {
    type Event = Event;

    fn foresight(&self) -> Foresight {
        foresight(self.inputs.len(), self.packets.len())
    }

    fn look_ahead(&self, foresight: Foresight, events: impl Iterator<Item = Event> + Clone) {
        self.fetch(foresight, events);
    }

    #[inline]
    fn handle(&mut self, now: Time, event: Event, queue: &mut EventQueue<Event>) {
        match event {
            Event::Emit(source) => self.emit(now, source, queue),
            Event::HeadIn(slot, packet, attempt) => self.head_in(now, slot, packet, attempt, queue),
            Event::Request(slot, packet) => self.request(now, slot, packet, queue),
            Event::Decided(slot, packet) => self.decided(now, slot, packet, queue),
            Event::Frame(switch) => self.begin_frame(now, switch, queue),
            Event::Match(switch) => self.match_now(now, switch, queue),
            Event::Sent(slot, packet) => self.sent(now, slot, packet, queue),
            Event::LastOut(slot, packet, output) => self.last_out(now, slot, packet, output, queue),
            Event::TailIn(slot, packet, number) => self.tail_in(now, slot, (packet, number), queue),
            Event::FlowOff(slot) => self.flow_off(now, slot, queue),
            Event::FlowOn(slot) => self.flow_on(now, slot, queue),
            Event::Dry(slot) => self.dry(now, slot, queue),
            Event::Crossing(slot) => self.crossing(now, slot, queue),
            Event::Fault(index) => self.fault(now, index, queue),
            Event::LinkKnown(link) => self.link_known(now, link, queue),
            Event::ControlIn(slot) => self.control_in(now, slot, queue),
            Event::Attended(switch) => self.attended(now, switch, queue),
            Event::Loaded(switch) => self.loaded(now, switch, queue),
            Event::Purged(packet) => self.purged(now, packet, queue),
            Event::Directive(slot, directive) => self.directed(now, slot, directive, queue),
        }
        if self.contest.is_open() && queue.instant_is_over() {
            self.arbitrate(now, queue);
        }
    }
}
