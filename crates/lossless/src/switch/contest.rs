//! The frames of a switch that ask for outputs at one instant, and the order in which they get into the queues.

use hopscope_fabric::{Arbiter, Slot};
use hopscope_kernel::EventQueue;
use hopscope_measure::Journal;
use hopscope_topology::Port;
use hopscope_units::Time;

use crate::event::FrameEvent;
use crate::flow_control::Control;
use crate::machine::Lossless;
use crate::outage::Lost;

/// A frame that asks for its output: the slot and lane by which it came.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ask {
    pub slot: Slot,
    pub input: usize,
    pub frame: u32,
}

/// What has come up at this instant.
#[derive(Debug)]
pub(crate) struct Contest {
    pub asks: Vec<Ask>,
    arbiter: Arbiter,
}

impl Contest {
    pub fn new(arbiter: Arbiter) -> Self {
        Self { asks: Vec::new(), arbiter }
    }
}

impl<J: Journal> Lossless<J> {
    /// Nothing more happens at this instant: what has asked gets into the queues of outputs, in each switch in the
    /// order of its arbiter.
    #[inline]
    pub(crate) fn arbitrate(&mut self, now: Time, events: &mut EventQueue<FrameEvent>) {
        if let [ask] = self.contest.asks[..] {
            self.contest.asks.clear();
            let (switch, _) = self.plan.slots.switch_port(ask.slot);
            self.let_in(now, switch, ask, events);
        } else {
            self.arbitrate_all(now, events);
        }
    }

    /// Several have asked: switch by switch.
    fn arbitrate_all(&mut self, now: Time, events: &mut EventQueue<FrameEvent>) {
        let mut asks = std::mem::take(&mut self.contest.asks);
        // Slots are in the order of switches and ports: the order of events has no influence.
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
        // The room is kept for the next instant. What was turned away may have made others ask.
        asks.clear();
        if self.contest.asks.is_empty() {
            self.contest.asks = asks;
        }
    }

    /// A frame gets into the queue of its output, with pause frames also into the buffer of the switch.
    fn let_in(&mut self, now: Time, switch: usize, ask: Ask, events: &mut EventQueue<FrameEvent>) {
        let Ask { input, frame, .. } = ask;
        let state = &self.frames[frame];
        let (bits, hash, to) = (state.bits, state.hash, state.to);
        let Some(channel) = self.balance(input, switch, hash, to) else {
            return self.turn_away(now, (input, frame), (Lost::NoRoute, ask.slot), events);
        };
        let output = self.switches[switch].base + Slot::from(channel / self.frames_plan().route_lanes);
        if self.outages.is_some() && !self.leads_on(output, to) {
            return self.turn_away(now, (input, frame), (Lost::NoRoute, ask.slot), events);
        }
        if self.ports[output as usize].down {
            return self.turn_away(now, (input, frame), (Lost::LinkDown, output), events);
        }
        if let Control::Pfc(_) = self.frames_plan().control {
            self.admit(now, switch, input, bits, events);
        }
        self.enqueue(now, switch, channel, frame, events);
    }
}
