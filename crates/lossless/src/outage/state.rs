//! The effect of a fault on frames: those on a failing link are cut, those that are to leave by it are discarded.
//!
//! A frame that is cut is counted when it would have arrived, so that its message is not over before its last bit has
//! left its host. Pause frames and credits are not lost: real receivers repeat them, and nothing is sent meanwhile.

use std::collections::{BTreeMap, VecDeque};

use hopscope_fabric::{NO_SLOT, Slot};
use hopscope_kernel::EventQueue;
use hopscope_measure::Journal;
use hopscope_topology::{HostId, SwitchId};
use hopscope_units::{Span, Time};

use crate::event::FrameEvent;
use crate::flow_control::Control;
use crate::frame::NO_FRAME;
use crate::losses::Lost;
use crate::machine::Lossless;
use crate::outage::timeline::{Change, Timeline};

/// A frame on a link or in the pipeline behind it.
#[derive(Clone, Copy, Debug)]
struct Flying {
    frame: u32,
    /// Its message and its index there: its number may have been reused since.
    message: u64,
    sequence: u32,
    /// When its last bit is off the link.
    crossed: Time,
    /// When it comes out of the pipeline.
    arrives: Time,
}

/// The state of a fabric in which something fails.
#[derive(Clone, Debug)]
pub(crate) struct Outages {
    /// Frames in flight by the slot that sends.
    flying: Vec<VecDeque<Flying>>,
    /// Frames that are lost and have not arrived yet, with the slot that sent them when that happened.
    cut: BTreeMap<u32, Slot>,
    /// How often the link of each slot has gone down since the run began.
    downed: BTreeMap<Slot, u64>,
}

impl Outages {
    pub fn new(slots: usize) -> Self {
        Self { flying: vec![VecDeque::new(); slots], cut: BTreeMap::new(), downed: BTreeMap::new() }
    }

    /// How often the link of a slot has gone down since the run began.
    pub fn downed(&self, slot: Slot) -> u64 {
        self.downed.get(&slot).copied().unwrap_or(0)
    }

    /// A frame no longer exists, cut or not.
    pub fn forget(&mut self, frame: u32) {
        self.cut.remove(&frame);
    }
}

impl<J: Journal> Lossless<J> {
    /// The first events of a fault plan.
    pub(crate) fn schedule_faults(&mut self, timeline: &Timeline, events: &mut EventQueue<FrameEvent>) {
        for (step, planned) in timeline.steps.iter().enumerate() {
            // Before everything else of its instant.
            self.schedule(events, 0, planned.at, FrameEvent::Fault(step as u32));
        }
    }

    /// A frame is sent that will have crossed its link, and come out of the pipeline behind it, at these instants.
    #[inline]
    pub(crate) fn flies(&mut self, now: Time, slot: Slot, frame: u32, [crossed, arrives]: [Time; 2]) {
        let Some(outages) = &mut self.outages else { return };
        let state = &self.frames[frame];
        let (message, sequence) = (self.flows[state.flow].number, state.sequence);
        let flying = &mut outages.flying[slot as usize];
        while flying.front().is_some_and(|first| first.arrives < now && first.crossed < now) {
            flying.pop_front();
        }
        flying.push_back(Flying { frame, message, sequence, crossed, arrives });
    }

    /// A step of the fault plan.
    #[cold]
    pub(crate) fn fault(&mut self, now: Time, step: u32, events: &mut EventQueue<FrameEvent>) {
        let plan = std::sync::Arc::clone(&self.lossless);
        match &plan.timeline.steps[step as usize].change {
            Change::Fails { slots, switch } => {
                for &slot in slots {
                    self.ports[slot as usize].down = true;
                    let outages = self.outages();
                    *outages.downed.entry(slot).or_default() += 1;
                    self.cut_on(slot, |flying| flying.crossed > now);
                }
                if let Some(switch) = switch {
                    self.cut_in(now, *switch);
                }
                for &slot in slots.iter().filter(|&&slot| !plan.fabric.slots.is_host(slot)) {
                    self.discard_queues(now, slot, events);
                }
            }
            Change::Tables { routes, back } => {
                if let Some(routes) = routes {
                    self.routes = routes.clone();
                    self.learn_phases();
                }
                for &slot in back {
                    self.ports[slot as usize].down = false;
                }
                for &slot in back {
                    self.start(now, slot, events);
                }
            }
        }
    }

    fn outages(&mut self) -> &mut Outages {
        self.outages.as_mut().expect("frames are lost only where something fails")
    }

    /// The phases in which frames leave the inputs of switches, by the current tables.
    fn learn_phases(&mut self) {
        for input in &mut self.inputs {
            if !self.plan.slots.is_host(input.slot) {
                let (switch, port) = self.plan.slots.switch_port(input.slot);
                input.phase = self.routes.phase(SwitchId::new(switch), port);
            }
        }
    }

    /// Cuts frames that a slot has sent.
    fn cut_on(&mut self, slot: Slot, is_cut: impl Fn(&Flying) -> bool) {
        let flying = std::mem::take(&mut self.outages().flying[slot as usize]);
        for one in flying.iter().filter(|one| is_cut(one)) {
            let frame = &self.frames[one.frame];
            let is_same = frame.sequence == one.sequence && self.flows[frame.flow].number == one.message;
            if is_same {
                self.outages().cut.entry(one.frame).or_insert(slot);
            }
        }
        self.outages().flying[slot as usize] = flying;
    }

    /// Cuts what is in the pipelines of a switch.
    fn cut_in(&mut self, now: Time, switch: SwitchId) {
        let base = self.switches[switch.index()].base;
        let ports = self.plan.network.switch(switch).ports.len() as Slot;
        for slot in base..base + ports {
            let far = self.ports[slot as usize].far;
            if far != NO_SLOT {
                self.cut_on(far, |flying| flying.arrives >= now);
            }
        }
    }

    /// Discards what waits for a link that is down.
    fn discard_queues(&mut self, now: Time, slot: Slot, events: &mut EventQueue<FrameEvent>) {
        for lane in 0..self.frames_plan().lanes {
            let index = self.frames_plan().queue(slot, lane);
            let waiting: Vec<u32> = self.queued(index).collect();
            let queue = &mut self.queues[index];
            (queue.head, queue.tail, queue.bits, queue.frames) = (NO_FRAME, NO_FRAME, 0, 0);
            self.ports[slot as usize].waiting &= !(1 << lane);
            if let Control::Credits(_) = self.lossless.frames.control {
                // It waited for the credit of a frame that no longer exists.
                self.free_from_hold(now, index, events);
                self.ports[slot as usize].held &= !(1 << lane);
            }
            for frame in waiting {
                if let Some(classes) = &mut self.class_waits {
                    classes.leaves(slot, self.frames[frame].flow, Span::ZERO);
                }
                let (input, bits) = (self.frames[frame].input as usize, self.frames[frame].bits);
                match self.frames_plan().control {
                    Control::Pfc(_) => self.release(now, input, bits, events),
                    Control::Credits(_) => self.leave_lane(now, input, bits, events),
                    Control::TailDrop(_) => self.leaves(now, input, bits),
                }
                self.lose(now, frame, (Lost::LinkDown, slot), events);
            }
        }
    }

    /// Whether an output leads to a switch, or to the frame's destination host: tables of a file may be wrong.
    #[cold]
    pub(crate) fn leads_on(&self, output: Slot, to: u32) -> bool {
        let far = self.ports[output as usize].far;
        let is_wrong_host =
            || self.plan.slots.is_host(far) && far != self.plan.slots.host(HostId::new(to as usize));
        far != NO_SLOT && !is_wrong_host()
    }

    /// A frame that requests an output finds none: it is removed from its input, and lost.
    #[cold]
    pub(crate) fn turn_away(
        &mut self,
        now: Time,
        (input, frame): (usize, u32),
        lost: (Lost, Slot),
        events: &mut EventQueue<FrameEvent>,
    ) {
        if let Control::Credits(_) = self.frames_plan().control {
            self.leave_lane(now, input, self.frames[frame].bits, events);
        }
        self.lose(now, frame, lost, events);
    }

    /// Whether a frame that would arrive here was cut in transit; then it is lost.
    #[cold]
    pub(crate) fn was_cut(
        &mut self,
        now: Time,
        slot: Slot,
        frame: u32,
        events: &mut EventQueue<FrameEvent>,
    ) -> bool {
        let Some(&at) = self.outages().cut.get(&frame) else { return false };
        let (lane, bits) = (self.frames[frame].lane, self.frames[frame].bits);
        if let Control::Credits(_) = self.frames_plan().control
            && self.lossless.holds_back(slot)
        {
            // The state of the link's credits, which its ends exchange before it carries data again.
            let sender = self.ports[slot as usize].far;
            self.credited(now, sender, lane, bits, events);
        }
        self.lose(now, frame, (Lost::Cut, at), events);
        true
    }
}
