use std::collections::VecDeque;
use std::sync::Arc;

use hopscope_kernel::{Arena, EventQueue, Model, Order, RandomStream, Simulation};
use hopscope_measure::{FlowStatistics, Journal, MessageMonitor};
use hopscope_topology::SwitchId;
use hopscope_traffic::Workload;
use hopscope_traffic::flows::{Flow, FlowSchedule};
use hopscope_units::Time;

use super::balancing::{hash_seed, turns};
use super::dcqcn::ReactionPoint;
use super::flow::FlowState;
use super::frame::{Frame, NO_NUMBER};
use super::input::Input;
use super::plan::{Control, FramePlan};
use super::port::{Port, Queue};
use super::switch::SwitchState;
use super::trees::Trees;
use super::waits::Waits;
use super::{FrameEvent, FrameStage};
use crate::plan::FabricPlan;
use crate::slots::{NO_SLOT, Slot};

/// A fabric of frames under traffic: the model's state.
pub struct FrameFabric<J: Journal = ()> {
    pub(crate) plan: Arc<FabricPlan>,
    pub(super) ports: Vec<Port>,
    /// Lane by lane of each port.
    pub(super) queues: Vec<Queue>,
    /// Lane by lane of each port of a switch.
    pub(super) inputs: Vec<Input>,
    pub(super) switches: Vec<SwitchState>,
    /// How often each switch has sent to hosts, for spraying in turn.
    pub(super) turns: Vec<u16>,
    /// Messages that take turns in each lane of each host.
    pub(super) rings: Vec<VecDeque<u32>>,
    pub(super) frames: Arena<Frame>,
    pub(super) flows: Arena<FlowState>,
    /// The rates of flows, with DCQCN.
    pub(super) rates: Vec<ReactionPoint>,
    /// What is offered: messages, or flows by a schedule.
    pub(super) workload: Option<Workload>,
    pub(super) schedule: Option<FlowSchedule>,
    /// Of each flow under way what its schedule knows it as.
    pub(super) scheduled: Vec<Flow>,
    /// The next instant at which the schedule is asked for flows.
    pub(super) asked_at: Time,
    /// The source that always has another message for an idle host.
    pub(super) saturated: Vec<Option<u32>>,
    pub(super) monitor: MessageMonitor,
    /// What flows by a schedule are measured by besides.
    pub(super) statistics: Option<FlowStatistics>,
    pub(super) journal: J,
    pub(super) tally: FrameTally,
    pub(super) trees: Trees,
    pub(super) waits: Waits,
    /// How long each queue had been held back in all when the measurement began.
    pub(super) held_before: Vec<u64>,
}

/// What the machine counts besides the monitor's statistics.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct FrameTally {
    /// Messages born since the run began: the next one's number.
    pub born: u64,
    /// Messages of which a frame was thrown away.
    pub lost: u64,
    /// Frames that have passed a switch since the run began, once a switch.
    pub hops: u64,
    /// When the measurement began.
    pub window_start: Time,
    /// Since then: bits delivered to the hosts whose links define the load.
    pub carried_bits: u64,
    /// Frames delivered.
    pub delivered: u64,
    /// Frames that came behind a later one of their message.
    pub reordered: u64,
    /// Frames marked.
    pub marks: u64,
    /// Notifications sent.
    pub notifications: u64,
    /// Frames thrown away at the end of their time to live.
    pub expired: u64,
}

impl<J: Journal> FrameFabric<J> {
    /// Schedules an event on a slot's account: the slot and its own count are the event's place in the order of an instant.
    #[inline]
    pub(super) fn schedule(
        &mut self,
        events: &mut EventQueue<FrameEvent>,
        slot: Slot,
        at: Time,
        event: FrameEvent,
    ) {
        let port = &mut self.ports[slot as usize];
        port.count = port.count.wrapping_add(1);
        events.schedule(at, Order::new(slot, port.count), event);
    }

    #[inline]
    pub(super) fn frames_plan(&self) -> &FramePlan {
        self.plan.frames()
    }

    /// Ends a stage of a frame's life at an instant, which may lie ahead. The place is a link, by the slot that sends on it.
    #[inline]
    pub(super) fn close(&mut self, frame: u32, stage: FrameStage, place: Slot, at: Time) {
        let frame = &mut self.frames[frame];
        let since = frame.account.since();
        frame.account.close(stage as usize, at);
        if frame.number != NO_NUMBER && at > since {
            self.journal.stage(frame.number, stage as usize, place, since, at);
        }
    }

    /// Frames that have crossed a switch, counted once a switch: the work that a fabric does.
    #[must_use]
    pub fn packet_hops(&self) -> u64 {
        self.tally.hops
    }

    /// Frames in the network now, and the memory that each takes.
    #[must_use]
    pub fn frames_in_flight(&self) -> (usize, usize) {
        (self.frames.len(), size_of::<Frame>())
    }

    /// Bits that have arrived of each flow of the schedule that is under way, with its number.
    #[must_use]
    pub fn arrived(&self) -> Vec<(u64, u64)> {
        let under_way =
            (0..self.scheduled.len() as u32).map(|flow| &self.flows[flow]).filter(|flow| flow.under_way > 0);
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

    /// Bits for which senders have no credit although nothing that they sent stands in the receiver's buffer; 0 when nothing is under way.
    /// Nothing with pause frames.
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

impl<J: Journal> Model for FrameFabric<J> {
    type Event = FrameEvent;

    fn look_ahead(&self, events: impl Iterator<Item = FrameEvent> + Clone) {
        self.fetch(events);
    }

    #[inline]
    fn handle(&mut self, now: Time, event: FrameEvent, events: &mut EventQueue<FrameEvent>) {
        match event {
            FrameEvent::Emit(source) => self.emit(now, source, events),
            FrameEvent::Release => self.release_flows(now, events),
            FrameEvent::Arrive(slot, frame) => self.arrive(now, slot, frame, events),
            FrameEvent::Sent(slot) => self.sent(now, slot, events),
            FrameEvent::Pause(slot, lane, stop) => self.paused(now, slot, lane, stop, events),
            FrameEvent::Credit(slot, lane, bits) => self.credited(now, slot, lane, bits, events),
            FrameEvent::Paced(flow) => self.paced(now, flow, events),
            FrameEvent::Notified(flow, number) => self.notified(now, flow, number),
        }
    }
}

impl FabricPlan {
    /// A run of the frame machine at time zero with its first events. Panics where the fabric is not one of frames.
    #[must_use]
    pub fn frame_simulation<J: Journal>(
        self: &Arc<Self>,
        seed: u64,
        journal: J,
    ) -> Simulation<FrameFabric<J>> {
        const CHECKED: &str = "the traffic was checked when the plan was made";
        let (mut workload, mut schedule) = (None, None);
        if self.flows.is_empty() {
            let offered = Workload::new(&self.traffic, &self.network, &self.host_rates, seed);
            workload = Some(offered.expect(CHECKED));
        } else {
            let offered = FlowSchedule::new(&self.flows, &self.network, &self.host_rates, seed);
            schedule = Some(offered.expect(CHECKED));
        }
        let classes = match (&workload, &schedule) {
            (Some(workload), _) => workload.classes.clone(),
            (None, schedule) => schedule.as_ref().map(FlowSchedule::classes).unwrap_or_default(),
        };
        let frames = self.frames();
        let slots = self.slots.cables.len() as Slot;
        let hosts = self.network.hosts().len();
        let switch = |id: SwitchId| SwitchState {
            shared: 0,
            held: 0,
            peak: 0,
            integral: 0,
            changed: Time::ZERO,
            random: RandomStream::named(seed, "switch", id.index() as u64),
            base: self.slots.port(id.index(), 0),
            hash_seed: hash_seed(seed, id),
        };
        let mut fabric = FrameFabric {
            ports: (0..slots).map(|slot| self.frame_port(slot)).collect(),
            queues: (0..slots)
                .flat_map(|slot| vec![Queue::new(self.first_credits(slot)); frames.lanes])
                .collect(),
            inputs: (0..slots).flat_map(|slot| vec![self.frame_input(slot); frames.lanes]).collect(),
            switches: self.network.switch_ids().map(switch).collect(),
            turns: turns(self),
            rings: vec![VecDeque::new(); hosts * frames.lanes],
            frames: Arena::new(),
            flows: Arena::new(),
            rates: Vec::new(),
            saturated: vec![None; hosts],
            monitor: super::report::monitor(frames.stage_labels(), &classes),
            statistics: schedule.is_some().then(|| self.flow_statistics(classes)),
            journal,
            tally: FrameTally::default(),
            trees: Trees::new(self),
            waits: Waits::new(self),
            held_before: vec![0; slots as usize * frames.lanes],
            plan: Arc::clone(self),
            workload,
            schedule,
            scheduled: Vec::new(),
            asked_at: Time::NEVER,
        };
        let mut events = EventQueue::new();
        fabric.start_sources(&mut events);
        fabric.ask_schedule(&mut events);
        Simulation::new(fabric, events)
    }

    fn frame_port(&self, slot: Slot) -> Port {
        let cable = self.slots.cables[slot as usize];
        Port::new(cable, cable.far != NO_SLOT && self.slots.is_host(cable.far))
    }

    /// What a sender may send before it hears of its receiver; hosts take anything.
    fn first_credits(&self, slot: Slot) -> u64 {
        let cable = self.slots.cables[slot as usize];
        match self.frames().control {
            Control::Credits(buffer) if cable.far != NO_SLOT && !self.slots.is_host(cable.far) => buffer,
            _ => u64::MAX,
        }
    }

    fn frame_input(&self, slot: Slot) -> Input {
        if self.slots.is_host(slot) {
            return Input::new(slot, 0, 0);
        }
        let (switch, port) = self.slots.switch_port(slot);
        Input::new(slot, self.routes.phase(SwitchId::new(switch), port), u32::from(port))
    }
}
