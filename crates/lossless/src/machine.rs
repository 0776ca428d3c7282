//! The machine: its state, what each event does, and how a run begins.

use std::collections::VecDeque;
use std::sync::Arc;

use hopscope_fabric::{FabricPlan, Fairness, NO_SLOT, Slot, foresight};
use hopscope_kernel::{Arena, EventQueue, Foresight, Model, Order, Presorted, RandomStream, Simulation};
use hopscope_measure::{Destinations, Journal, MessageMonitor};
use hopscope_topology::{Routes, SwitchId};
use hopscope_units::Time;

use crate::balancing::{hash_seed, path_seed, turns};
use crate::degraded::DegradedState;
use crate::event::FrameEvent;
use crate::flow_control::Control;
use crate::frame::{Frame, NO_NUMBER};
use crate::host::Offered;
use crate::host::answering::Answering;
use crate::host::flow::FlowState;
use crate::host::recovering::Recovering;
use crate::losses::Losses;
use crate::observe::class_waits::ClassWaits;
use crate::observe::congestion_trees::Trees;
use crate::observe::convergence::Watch;
use crate::observe::counters::{CountedBefore, Readings};
use crate::observe::report::monitor;
use crate::observe::stage::FrameStage;
use crate::observe::waits::Waits;
use crate::outage::Outages;
use crate::plan::FramePlan;
use crate::plan::LosslessPlan;
use crate::rate_control::RateControls;
use crate::switch::buffer::SwitchState;
use crate::switch::contest::Contest;
use crate::switch::input::Input;
use crate::switch::port::{Port, Queue};
use crate::switch::scheduling::{Deficits, HeaderRuns};

/// A fabric of frames under its offered traffic: the model's state.
pub struct Lossless<J: Journal = ()> {
    pub(crate) plan: Arc<FabricPlan>,
    /// The plan of this machine beyond that of the fabric.
    pub(crate) lossless: Arc<LosslessPlan>,
    pub(crate) ports: Vec<Port>,
    /// The queues, for each lane of each port.
    pub(crate) queues: Vec<Queue>,
    /// The number of queues that are stopped until credits come. While it is zero, credit events may be deferred.
    pub(crate) short_of_credits: u32,
    /// The inputs, for each lane of each switch port.
    pub(crate) inputs: Vec<Input>,
    pub(crate) switches: Vec<SwitchState>,
    /// The frames that arbiters order when this instant is over.
    pub(crate) contest: Contest,
    /// The turn counters of switches, for spraying in turn.
    pub(crate) turns: Vec<u16>,
    /// Messages that take turns in each lane of each host.
    pub(crate) rings: Vec<VecDeque<u32>>,
    pub(crate) frames: Arena<Frame>,
    pub(crate) flows: Arena<FlowState>,
    /// The rates and windows of flows.
    pub(crate) rates: RateControls,
    /// Acknowledgments, if receivers send any.
    pub(crate) answering: Option<Box<Answering>>,
    /// Retransmission, if lost frames are sent again.
    pub(crate) recovering: Option<Box<Recovering>>,
    /// Frames lost.
    pub(crate) losses: Losses,
    /// The offered traffic: messages, or scheduled flows.
    pub(crate) offered: Offered,
    pub(crate) monitor: MessageMonitor,
    pub(crate) destinations: Destinations,
    pub(crate) fairness: Fairness,
    pub(crate) journal: J,
    pub(crate) tally: FrameTally,
    pub(crate) trees: Trees,
    pub(crate) waits: Waits,
    /// Which class makes which other one wait, if there are several.
    pub(crate) class_waits: Option<Box<ClassWaits>>,
    /// The total time for which each queue had been stopped when the measurement began.
    pub(crate) held_before: Vec<u64>,
    /// Hosts that drain slowly and links that retry.
    pub(crate) degraded: DegradedState,
    /// The counters of ports when the measurement began.
    pub(crate) counted_before: CountedBefore,
    /// The end of the last frame at each port after which a pause frame was sent.
    pub(crate) followed: Vec<Time>,
    /// The counters of ports at the instants asked for.
    pub(crate) readings: Readings,
    /// The current routes, and the seed by which a flow picks one of several paths to its receiver.
    pub(crate) routes: Routes,
    pub(crate) path_seed: u32,
    /// What the services of ports may send, if they have weights.
    pub(crate) deficits: Deficits,
    /// How many headers of trimmed frames ports have sent while frames waited.
    pub(crate) header_runs: HeaderRuns,
    /// The observation of converging rates, if asked for.
    pub(crate) watch: Option<Box<Watch>>,
    /// The outages, if there is a fault plan.
    pub(crate) outages: Option<Box<Outages>>,
}

/// Counters of the machine besides the monitor's statistics.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct FrameTally {
    /// Messages generated since the run began: the next one's number.
    pub born: u64,
    /// Messages of which a frame was dropped.
    pub lost: u64,
    /// Frames forwarded by switches since the run began, counted at each switch.
    pub hops: u64,
    /// When the measurement began.
    pub window_start: Time,
    /// Frames delivered since then.
    pub delivered: u64,
    /// Of these, frames that a switch had marked.
    pub marked: u64,
    /// Bits of frames that hosts did not take, if their links show the carried load.
    pub passed_over_bits: u64,
    /// Frames that arrived after a later one of their message.
    pub reordered: u64,
    /// Notifications sent.
    pub notifications: u64,
    /// Frames dropped because their time to live expired.
    pub expired: u64,
    /// Frames sent again.
    pub again: u64,
    /// Duplicate frames that arrived.
    pub repeated: u64,
    /// Frames that arrived out of order, and were not taken.
    pub rejected: u64,
    /// The number of retransmission timeouts.
    pub timeouts: u64,
}

impl<J: Journal> Lossless<J> {
    /// Schedules an event of a slot: the slot and its own count are the event's place in the order of an instant.
    #[inline]
    pub(crate) fn schedule(
        &mut self,
        events: &mut EventQueue<FrameEvent>,
        slot: Slot,
        at: Time,
        event: FrameEvent,
    ) {
        events.schedule(at, self.next_order(slot), event);
    }

    /// As [`schedule`](Self::schedule), for events that nearly always happen in the order in which they are scheduled.
    #[inline(always)]
    pub(crate) fn schedule_presorted(
        &mut self,
        events: &mut EventQueue<FrameEvent>,
        list: Presorted,
        (slot, at): (Slot, Time),
        event: FrameEvent,
    ) {
        events.schedule_presorted(list, at, self.next_order(slot), event);
    }

    #[inline]
    pub(crate) fn next_order(&mut self, slot: Slot) -> Order {
        let port = &mut self.ports[slot as usize];
        port.count = port.count.wrapping_add(1);
        Order::new(slot, port.count)
    }

    #[inline]
    pub(crate) fn frames_plan(&self) -> &FramePlan {
        &self.lossless.frames
    }

    /// Ends a stage of a frame at an instant, which may be in the future. The place is a link, by the slot that sends
    /// on it.
    #[inline]
    pub(crate) fn close(&mut self, frame: u32, stage: FrameStage, place: Slot, at: Time) {
        let frame = &mut self.frames[frame];
        let since = frame.account.since();
        frame.account.close(stage as usize, at);
        if frame.number != NO_NUMBER && at > since {
            self.journal.stage(frame.number, stage as usize, place, since, at);
        }
    }

    /// Makes the statistics of messages keep sums alone, for a run that only counts.
    pub fn only_count(&mut self) {
        self.monitor.keep_only_sums();
        self.destinations = Destinations::new(0);
    }

    /// Frames forwarded by switches, counted at each switch: the work that a fabric does.
    #[must_use]
    pub fn packet_hops(&self) -> u64 {
        self.tally.hops
    }

    /// The number of frames in the network now, and the memory of each.
    #[must_use]
    pub fn frames_in_flight(&self) -> (usize, usize) {
        (self.frames.len(), size_of::<Frame>())
    }

    /// The arrived bits of each active scheduled flow, with its number.
    #[must_use]
    pub fn arrived(&self) -> Vec<(u64, u64)> {
        let Offered::Flows(scheduled) = &self.offered else { return Vec::new() };
        let numbers = 0..scheduled.flows.len() as u32;
        let under_way = numbers.map(|flow| &self.flows[flow]).filter(|flow| flow.under_way > 0);
        let mut arrived: Vec<(u64, u64)> =
            under_way.map(|flow| (flow.number, flow.bits - flow.under_way)).collect();
        arrived.sort_unstable();
        arrived
    }

    /// Bits of frames in the buffers of all switches.
    #[must_use]
    pub fn buffered_bits(&self) -> u64 {
        self.inputs.iter().map(|input| input.held).sum()
    }

    /// Bits for which senders have no credit although nothing that they sent is in the receiver's buffer; 0 when
    /// nothing is in flight. Nothing with pause frames.
    #[must_use]
    pub fn credits_under_way(&self) -> Option<u64> {
        let Control::Credits(buffer) = self.frames_plan().control else { return None };
        let lanes = self.frames_plan().lanes;
        let missing = |(index, queue): (usize, &Queue)| {
            let port = &self.ports[index / lanes];
            if port.far == NO_SLOT || port.to_host {
                return 0;
            }
            let held = self.inputs[port.far as usize * lanes + index % lanes].held;
            buffer - held - queue.credits
        };
        Some(self.queues.iter().enumerate().map(missing).sum())
    }
}

impl<J: Journal> Model for Lossless<J> {
    type Event = FrameEvent;

    #[inline]
    fn catch_up(&mut self, events: &mut EventQueue<FrameEvent>) {
        self.take_credits(events);
    }

    fn foresight(&self) -> Foresight {
        foresight(self.ports.len(), self.frames.len())
    }

    fn look_ahead(&self, foresight: Foresight, events: impl Iterator<Item = FrameEvent> + Clone) {
        self.fetch(foresight, events);
    }

    #[inline]
    fn handle(&mut self, now: Time, event: FrameEvent, events: &mut EventQueue<FrameEvent>) {
        if now > self.readings.next {
            self.read_ports(now);
        }
        match event {
            FrameEvent::Emit(source) => self.emit(now, source, events),
            FrameEvent::Release => self.release_flows(now, events),
            FrameEvent::Arrive(slot, frame) => self.arrive(now, slot, frame, events),
            FrameEvent::Whole(slot, frame) => self.whole(now, slot, frame),
            FrameEvent::Sent(slot) => self.sent(now, slot, events),
            FrameEvent::Tell(input) => self.told(now, input, events),
            FrameEvent::Pause(slot, lane, stop) => self.paused(now, slot, lane, stop, events),
            FrameEvent::Credit(slot, lane, bits) => self.credited(now, slot, lane, bits, events),
            FrameEvent::Fault(step) => self.fault(now, step, events),
            FrameEvent::Drained(slot, lane, bits) => self.drained(now, slot, (lane, bits), events),
            FrameEvent::Paced(flow) => self.paced(now, flow, events),
            FrameEvent::Answered(answer) => self.answered(now, answer, events),
            FrameEvent::Pulled(flow, number) => self.pulled(now, flow, number, events),
            FrameEvent::TimedOut(flow, number) => self.timed_out(now, flow, number, events),
            FrameEvent::Notified(flow, number) => self.notified(now, flow, number),
        }
        while self.has_contest() && events.instant_is_over() {
            self.arbitrate(now, events);
        }
    }
}

impl LosslessPlan {
    /// A run at time zero with its first events.
    ///
    /// # Panics
    /// Never: the offer was checked with the plan.
    #[must_use]
    pub fn simulation<J: Journal>(self: &Arc<Self>, seed: u64, journal: J) -> Simulation<Lossless<J>> {
        let LosslessPlan { fabric: plan, frames, offer, timeline } = &**self;
        let offer =
            offer.on(&plan.network, &plan.host_rates(), seed).expect("the offer was checked with the plan");
        let classes = offer.classes();
        let saturated = offer.saturated_hosts();
        let slots = plan.slots.links.len() as Slot;
        let hosts = plan.network.hosts().len();
        let switch = |id: SwitchId| SwitchState {
            shared: 0,
            held: 0,
            peak: 0,
            integral: 0,
            changed: Time::ZERO,
            random: RandomStream::named(seed, "switch", id.index() as u64),
            base: plan.slots.port(id.index(), 0),
            turn: 0,
            expired: 0,
            hash_seed: hash_seed(seed, id),
        };
        let mut fabric = Lossless {
            ports: (0..slots).map(|slot| self.frame_port(slot)).collect(),
            queues: (0..slots)
                .flat_map(|slot| vec![Queue::new(self.first_credits(slot)); frames.lanes])
                .collect(),
            short_of_credits: 0,
            inputs: (0..slots).flat_map(|slot| vec![self.frame_input(slot); frames.lanes]).collect(),
            switches: plan.network.switch_ids().map(switch).collect(),
            contest: Contest::new(frames, slots as usize),
            turns: turns(plan, frames.balancing),
            rings: vec![VecDeque::new(); hosts * frames.lanes],
            frames: Arena::new(),
            flows: Arena::new(),
            rates: frames.rate_control.clone(),
            answering: frames.has_answers().then(|| Box::new(Answering::new(hosts))),
            recovering: frames.recovery.map(|recovery| Box::new(Recovering::new(recovery))),
            losses: Losses::default(),
            fairness: Fairness::new(hosts, saturated),
            destinations: Destinations::new(hosts),
            monitor: monitor(frames.stage_labels(), &classes, hosts, plan.crossing),
            journal,
            tally: FrameTally::default(),
            trees: Trees::new(plan, frames),
            waits: Waits::new(plan),
            class_waits: ClassWaits::new(classes.len(), slots as usize),
            held_before: vec![0; slots as usize * frames.lanes],
            degraded: DegradedState::new(&frames.degraded, seed),
            counted_before: CountedBefore::new(slots as usize, slots as usize * frames.lanes),
            followed: vec![Time::ZERO; slots as usize],
            readings: Readings::new(&frames.counters_at),
            routes: plan.routes.clone(),
            path_seed: path_seed(seed),
            deficits: Deficits::new(frames, slots as usize),
            header_runs: HeaderRuns::new(frames, slots as usize),
            watch: frames.convergence.map(|asked| {
                Box::new(Watch::new(asked, plan.slots.links.iter().map(|link| link.rate).collect()))
            }),
            outages: (!timeline.steps.is_empty()).then(|| Box::new(Outages::new(slots as usize))),
            offered: Offered::new(offer, plan),
            plan: Arc::clone(plan),
            lossless: Arc::clone(self),
        };
        let mut events = EventQueue::new();
        events.defer(matches!(frames.control, Control::Credits(_)));
        fabric.schedule_faults(timeline, &mut events);
        fabric.start_sources(&mut events);
        fabric.ask_schedule(&mut events);
        Simulation::new(fabric, events)
    }

    fn frame_port(&self, slot: Slot) -> Port {
        let link = self.fabric.slots.links[slot as usize];
        Port::new(link, link.far != NO_SLOT && self.fabric.slots.is_host(link.far))
    }

    /// Whether a receiver may have no room: a switch, or a host that drains slowly.
    pub(crate) fn holds_back(&self, receiver: Slot) -> bool {
        !self.fabric.slots.is_host(receiver) || self.frames.degraded.drains.contains_key(&receiver)
    }

    /// The initial credits of a sender; unlimited towards hosts that take anything.
    fn first_credits(&self, slot: Slot) -> u64 {
        let link = self.fabric.slots.links[slot as usize];
        match self.frames.control {
            Control::Credits(buffer) if link.far != NO_SLOT && self.holds_back(link.far) => buffer,
            _ => u64::MAX,
        }
    }

    fn frame_input(&self, slot: Slot) -> Input {
        if self.fabric.slots.is_host(slot) {
            return Input::new(slot, 0, 0);
        }
        let (switch, port) = self.fabric.slots.switch_port(slot);
        Input::new(slot, self.fabric.routes.phase(SwitchId::new(switch), port), u32::from(port))
    }
}
