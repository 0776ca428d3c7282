//! Receiving hosts: frames are taken at once, and the sender is notified of marks.

use hopscope_fabric::{Slot, time_of};
use hopscope_kernel::EventQueue;
use hopscope_measure::Journal;
use hopscope_units::{Data, Span, Time};

use crate::event::FrameEvent;
use crate::flow_control::pfc::CONTROL_BITS;
use crate::frame::Frame;
use crate::host::Offered;
use crate::machine::Lossless;
use crate::observe::stage::FrameStage;

impl<J: Journal> Lossless<J> {
    /// A frame has arrived at its host, and with the last one its message.
    #[inline]
    pub(crate) fn deliver(&mut self, now: Time, slot: Slot, frame: u32, events: &mut EventQueue<FrameEvent>) {
        if self.answering.is_some() && !self.answer(now, slot, frame, events) {
            return self.pass_over(now, slot, frame, events);
        }
        let done = &self.frames[frame];
        let (flow, bits) = (done.flow, done.bits);
        let state = &mut self.flows[flow];
        if done.sequence < state.expected {
            self.tally.reordered += 1;
        }
        state.expected = state.expected.max(done.sequence + 1);
        self.tally.delivered += 1;
        let part = Data::from_bits(u64::from(bits));
        let is_whole = u64::from(bits) == state.under_way && state.lost == 0;
        if let Offered::Flows(scheduled) = &mut self.offered {
            scheduled.statistics.delivered(done.to, part);
        }
        // A message counts as it arrives. With an offered load above the capacity, a host sends parts of very many
        // messages, and few are ever finished; and what arrived before the window must not count with the rest.
        if !is_whole {
            self.monitor.arrived(now, usize::from(state.class), part);
        }
        self.fairness.delivered(state.from, u64::from(bits));
        if is_whole {
            let life = now.since(done.account.born());
            self.monitor.delivered(now, usize::from(state.class), life, &done.account, part);
            self.monitor.went(state.from, state.to, &done.account);
        }
        let (lane, marked) = (done.lane, done.marked);
        if !self.lossless.frames.degraded.drains.is_empty() {
            self.take_in(now, slot, (lane, bits), events);
        }
        if marked {
            self.tally.marked += 1;
            self.notify(now, slot, frame, events);
        }
        self.frames.remove(frame);
        if self.watch.is_some() {
            self.watch_delivered(now, flow, u64::from(bits));
        }
        self.account_for(now, flow, u64::from(bits), events);
        self.retire(flow);
    }

    /// A frame has arrived that its receiver does not take: a duplicate, one out of order, or a header only.
    #[cold]
    fn pass_over(&mut self, now: Time, slot: Slot, frame: u32, events: &mut EventQueue<FrameEvent>) {
        let Frame { lane, bits, flow, to, .. } = self.frames[frame];
        if self.plan.shows_carried[to as usize] {
            self.tally.passed_over_bits += u64::from(bits);
        }
        if !self.lossless.frames.degraded.drains.is_empty() {
            self.take_in(now, slot, (lane, bits), events);
        }
        self.frames.remove(frame);
        self.retire(flow);
    }

    /// A part of a message has arrived or is lost; with the last of it the message is over.
    pub(crate) fn account_for(
        &mut self,
        now: Time,
        flow: u32,
        bits: u64,
        events: &mut EventQueue<FrameEvent>,
    ) {
        let state = &mut self.flows[flow];
        state.under_way -= bits;
        if state.under_way == 0 {
            let is_whole = state.lost == 0;
            self.destinations.over(now, state.to, Data::from_bits(state.bits));
            if !is_whole {
                self.tally.lost += 1;
                self.monitor.given_up(now);
            }
            match &mut self.recovering {
                Some(recovering) => recovering.lingers(),
                None => self.flows.remove(flow),
            }
            self.flow_ended(now, flow, is_whole, events);
        }
    }

    /// A marked frame has arrived: its sender is notified, unless that was done a short time ago. Notifications take
    /// the frame's path back without ever waiting.
    fn notify(&mut self, now: Time, slot: Slot, frame: u32, events: &mut EventQueue<FrameEvent>) {
        let done = &self.frames[frame];
        let (flow, spent) = (done.flow, done.account.spent_ps());
        let state = &mut self.flows[flow];
        if !self.rates.sends_cnp(state.notified, now) {
            return;
        }
        state.notified = now;
        self.tally.notifications += 1;
        let way = spent[FrameStage::Propagation as usize] + spent[FrameStage::Switching as usize];
        let arrives = now + Span::from_ps(way) + time_of(CONTROL_BITS, self.ports[slot as usize].rate);
        let number = state.number as u32;
        self.schedule(events, slot, arrives, FrameEvent::Notified(flow, number));
    }

    /// A notification arrives; its message may already be sent.
    pub(crate) fn notified(&mut self, now: Time, flow: u32, number: u32) {
        let state = &self.flows[flow];
        if state.number as u32 == number && state.unsent > 0 {
            self.rates.on_cnp(flow, now);
        }
    }
}
