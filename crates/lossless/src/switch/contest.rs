//! The frames of a switch that request outputs at one instant, and the order in which they join the queues.

use hopscope_fabric::{Arbiter, Slot};
use hopscope_kernel::EventQueue;
use hopscope_measure::Journal;
use hopscope_topology::Port;
use hopscope_units::{Span, Time};

use crate::event::FrameEvent;
use crate::flow_control::Control;
use crate::losses::Lost;
use crate::machine::Lossless;
use crate::observe::stage::FrameStage;
use crate::params::Forwarding;
use crate::plan::FramePlan;

/// A frame that requests its output: the slot and lane by which it came.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ask {
    pub slot: Slot,
    pub input: usize,
    pub frame: u32,
    /// The channel, if it was chosen before the frame was complete.
    pub chosen: Option<Port>,
}

/// The requests of this instant.
#[derive(Debug)]
pub(crate) struct Contest {
    pub asks: Vec<Ask>,
    /// Outputs that choose among lanes when all frames have joined.
    pub idle: Vec<Slot>,
    arbiter: Arbiter,
    /// Whether outputs pick among the waiting heads of input lanes by another rule than first come, first served.
    pub picks_heads: bool,
    /// For each output the port after the one that it served last, if outputs pick in this way.
    turns: Vec<Port>,
}

impl Contest {
    /// For the switches of a plan with this many slots.
    pub fn new(plan: &FramePlan, slots: usize) -> Self {
        let has_lanes = matches!(plan.control, Control::Credits(_));
        let picks_heads = has_lanes && plan.arbiter != Arbiter::Oldest;
        let turns = if picks_heads { vec![0; slots] } else { Vec::new() };
        Self { asks: Vec::new(), idle: Vec::new(), arbiter: plan.arbiter, picks_heads, turns }
    }
}

impl<J: Journal> Lossless<J> {
    /// Whether something is to be done at the end of this instant.
    #[inline]
    pub(crate) fn has_contest(&self) -> bool {
        !self.contest.asks.is_empty() || !self.contest.idle.is_empty()
    }

    /// The instant is over: frames with requests join the queues of outputs, in each switch in the order of its
    /// arbiter.
    #[inline]
    pub(crate) fn arbitrate(&mut self, now: Time, events: &mut EventQueue<FrameEvent>) {
        if self.contest.asks.is_empty() {
            for slot in std::mem::take(&mut self.contest.idle) {
                self.start(now, slot, events);
            }
        } else if let [ask] = self.contest.asks[..] {
            self.contest.asks.clear();
            let (switch, _) = self.plan.slots.switch_port(ask.slot);
            self.let_in(now, switch, ask, events);
        } else {
            self.arbitrate_all(now, events);
        }
    }

    /// Several requests: switch by switch.
    fn arbitrate_all(&mut self, now: Time, events: &mut EventQueue<FrameEvent>) {
        let mut asks = std::mem::take(&mut self.contest.asks);
        // Slots are in order of switches and ports: the order of events has no influence.
        asks.sort_unstable_by_key(|ask| ask.input);
        let mut rest = &mut asks[..];
        while let [first, ..] = rest {
            let (switch, _) = self.plan.slots.switch_port(first.slot);
            let here = rest.partition_point(|ask| self.plan.slots.switch_port(ask.slot).0 == switch);
            let (these, others) = rest.split_at_mut(here);
            if these.len() > 1 {
                let state = &mut self.switches[switch];
                let (base, turn) = (state.base, state.turn);
                let port = |ask: &Ask| (ask.slot - base) as Port;
                self.contest.arbiter.line_up(these, port, turn, &mut state.random);
                state.turn = port(&these[0]) + 1;
            }
            for &ask in &*these {
                self.let_in(now, switch, ask, events);
            }
            rest = others;
        }
        // The memory is kept for the next instant. A rejected frame may have caused further requests.
        asks.clear();
        if self.contest.asks.is_empty() {
            self.contest.asks = asks;
        }
    }

    /// Puts the head that the arbiter chooses at the front of each lane of an output that may send. With credits, the
    /// frames that wait for such a lane are each at the head of an input lane.
    #[cold]
    pub(crate) fn pick_heads(&mut self, slot: Slot) {
        if self.plan.slots.is_host(slot) {
            return;
        }
        let (switch, lanes) = (self.plan.slots.switch_port(slot).0, self.frames_plan().lanes);
        let candidates = self.ports[slot as usize].candidates();
        for lane in (0..lanes).filter(|lane| candidates >> lane & 1 == 1) {
            let index = self.frames_plan().queue(slot, lane);
            let asking: Vec<u32> = self.queued(index).collect();
            let state = &mut self.switches[switch];
            let base = state.base;
            let port = |frame: u32| (self.inputs[self.frames[frame].input as usize].slot - base) as Port;
            let ports: Vec<Port> = asking.iter().map(|&frame| port(frame)).collect();
            let turn = self.contest.turns[slot as usize];
            let chosen = self.contest.arbiter.choose(&ports.iter().copied(), turn, &mut state.random);
            if let Some(place) = chosen.filter(|place| *place > 0) {
                let (before, frame) = (asking[place - 1], asking[place]);
                self.frames[before].next = std::mem::replace(&mut self.frames[frame].next, asking[0]);
                let queue = &mut self.queues[index];
                queue.head = frame;
                if queue.tail == frame {
                    queue.tail = before;
                }
            }
        }
    }

    /// An output serves the head of an input lane.
    #[cold]
    pub(crate) fn serves(&mut self, slot: Slot, frame: u32) {
        let (_, port) = self.plan.slots.switch_port(self.inputs[self.frames[frame].input as usize].slot);
        self.contest.turns[slot as usize] = port + 1;
    }

    /// A frame joins the queue of its output, with pause frames also the buffer of the switch.
    fn let_in(&mut self, now: Time, switch: usize, ask: Ask, events: &mut EventQueue<FrameEvent>) {
        let channel = match ask.chosen {
            Some(channel) => channel,
            None => match self.choose(now, switch, ask, events) {
                Some(channel) => channel,
                None => return,
            },
        };
        let output = self.output_of(switch, channel);
        if ask.chosen.is_some() && self.ports[output as usize].down {
            let bits = self.frames[ask.frame].bits;
            match self.frames_plan().control {
                Control::Pfc(_) => self.release(now, ask.input, bits, events),
                Control::TailDrop(_) => self.leaves(now, ask.input, bits),
                Control::Credits(_) => {}
            }
            return self.turn_away(now, (ask.input, ask.frame), (Lost::LinkDown, output), events);
        }
        if ask.chosen.is_none() && self.has_to_be_whole(now, ask, output) {
            let state = &mut self.frames[ask.frame];
            state.next = u32::from(channel);
            let whole = Time::ZERO + Span::from_ps(state.mark);
            return self.schedule(events, ask.slot, whole, FrameEvent::Whole(ask.slot, ask.frame));
        }
        self.enqueue(now, switch, channel, ask.frame, events);
    }

    /// The slot of a channel.
    fn output_of(&self, switch: usize, channel: Port) -> Slot {
        self.switches[switch].base + Slot::from(channel / self.frames_plan().route_lanes)
    }

    /// The channel of a frame that requests for the first time, which with pause frames is then in the buffer; none if
    /// it is lost.
    #[inline]
    fn choose(
        &mut self,
        now: Time,
        switch: usize,
        Ask { slot, input, frame, .. }: Ask,
        events: &mut EventQueue<FrameEvent>,
    ) -> Option<Port> {
        let state = &self.frames[frame];
        let (bits, hash, to) = (state.bits, state.hash, state.to);
        let channel = self.balance(input, switch, hash, to);
        let lost = match channel.map(|channel| self.output_of(switch, channel)) {
            None => Some((Lost::NoRoute, slot)),
            Some(output) if self.outages.is_some() && !self.leads_on(output, to) => {
                Some((Lost::NoRoute, slot))
            }
            Some(output) if self.ports[output as usize].down => Some((Lost::LinkDown, output)),
            Some(_) => None,
        };
        if let Some(lost) = lost {
            self.turn_away(now, (input, frame), lost, events);
            return None;
        }
        match (&self.frames_plan().control, channel) {
            (Control::Pfc(_), _) => self.admit(now, switch, input, bits, events),
            (Control::TailDrop(_), Some(next)) => {
                let output = self.output_of(switch, next);
                return channel.filter(|_| self.gets_in(now, switch, (input, output, frame), events));
            }
            (Control::TailDrop(_), None) | (Control::Credits(_), _) => {}
        }
        channel
    }

    /// Whether a frame that cuts through arrives more slowly than its output sends, and is still arriving.
    #[inline]
    fn has_to_be_whole(&self, now: Time, ask: Ask, output: Slot) -> bool {
        self.frames_plan().forwarding == Forwarding::CutThrough
            && self.ports[output as usize].rate > self.ports[ask.slot as usize].rate
            && now.ps() < self.frames[ask.frame].mark
    }

    /// A frame is complete, and requests the output that was chosen for it.
    pub(crate) fn whole(&mut self, now: Time, slot: Slot, frame: u32) {
        let sender = self.ports[slot as usize].far;
        self.close(frame, FrameStage::Transmission, sender, now);
        let state = &self.frames[frame];
        let ask = Ask { slot, input: state.input as usize, frame, chosen: Some(state.next as Port) };
        self.contest.asks.push(ask);
    }
}
