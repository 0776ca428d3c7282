//! Hosts: messages take turns frame by frame, at most as fast as their rates permit; what arrives is taken at once.

use std::collections::VecDeque;

use hopscope_kernel::{EventQueue, Order};
use hopscope_measure::{Account, Journal};
use hopscope_topology::HostId;
use hopscope_traffic::{Emission, Workload};
use hopscope_units::{Data, Span, Time};

use super::dcqcn::ReactionPoint;
use super::flow::FlowState;
use super::frame::{Frame, NO_FRAME, NO_NUMBER};
use super::machine::FrameFabric;
use super::plan::{CONTROL_BITS, time_of};
use super::{FrameEvent, FrameStage};
use crate::routing_choice::scatter;
use crate::slots::Slot;

impl<J: Journal> FrameFabric<J> {
    /// The first events of all traffic sources.
    pub(super) fn start_sources(&mut self, events: &mut EventQueue<FrameEvent>) {
        let sources = self.workload.as_ref().map_or(0, |workload| workload.sources.len());
        for source in 0..sources as u32 {
            let state = &self.workload().sources[source as usize];
            if state.is_saturated() {
                let host = state.from();
                self.saturated[host.index()] = Some(source);
                self.generate(Time::ZERO, source, events);
            } else {
                self.schedule_emission(Time::ZERO, source, events);
            }
        }
    }

    fn workload(&mut self) -> &mut Workload {
        self.workload.as_mut().expect("a source belongs to a workload")
    }

    /// Schedules the next emission of a traffic source, which comes after all slots in the order of an instant.
    fn schedule_emission(&mut self, now: Time, source: u32, events: &mut EventQueue<FrameEvent>) {
        let at = self.workload().sources[source as usize].next(now);
        if at != Time::NEVER {
            let order = Order::new(self.ports.len() as u32 + source, 0);
            events.schedule(at, order, FrameEvent::Emit(source));
        }
    }

    /// A source sends, and will send again.
    pub(super) fn emit(&mut self, now: Time, source: u32, events: &mut EventQueue<FrameEvent>) {
        self.generate(now, source, events);
        self.schedule_emission(now, source, events);
    }

    fn generate(&mut self, now: Time, source: u32, events: &mut EventQueue<FrameEvent>) {
        let from = self.workload().sources[source as usize].from().index() as u32;
        let Emission::Message { to, size, class } = self.workload().draw(source as usize) else {
            unreachable!("bursts were refused when the plan was made")
        };
        let to = to.index() as u32;
        let hash = (scatter(u64::from(from) << 32 | u64::from(to)) >> 32) as u32 ^ u32::from(class);
        self.open(now, [from, to], size, class, hash, events);
    }

    /// A message is born.
    fn open(
        &mut self,
        now: Time,
        [from, to]: [u32; 2],
        size: Data,
        class: u8,
        hash: u32,
        events: &mut EventQueue<FrameEvent>,
    ) {
        let flow = self.new_flow(now, [from, to], size, class, hash);
        let slot = self.plan.slots.host(HostId::new(from as usize));
        self.join_ring(now, slot, flow);
        self.start(now, slot, events);
    }

    /// A message is born, but does not yet take its turns.
    pub(super) fn new_flow(
        &mut self,
        now: Time,
        [from, to]: [u32; 2],
        size: Data,
        class: u8,
        hash: u32,
    ) -> u32 {
        self.monitor.born(now, size);
        let plan = self.plan.frames();
        let number = self.tally.born;
        self.tally.born += 1;
        let flow = self.flows.insert(FlowState {
            account: Account::open(now),
            number,
            bits: size.bits(),
            unsent: size.bits(),
            under_way: size.bits(),
            lost: 0,
            mark: 0,
            not_before: now,
            notified: Time::NEVER,
            from,
            to,
            hash,
            class,
            service: class % plan.services() as u8,
            frames: 0,
            expected: 0,
        });
        let slot = self.plan.slots.host(HostId::new(from as usize));
        if plan.dcqcn.is_some() {
            let line = u64::from(self.ports[slot as usize].rate);
            let point = ReactionPoint::new(line);
            match self.rates.get_mut(flow as usize) {
                Some(rate) => *rate = point,
                None => self.rates.push(point),
            }
        }
        flow
    }

    /// The messages that take turns in a lane of a host.
    pub(super) fn ring(&self, slot: Slot, lane: usize) -> &VecDeque<u32> {
        let host = slot - self.plan.slots.host(HostId::new(0));
        &self.rings[self.frames_plan().queue(host, lane)]
    }

    pub(super) fn join_ring(&mut self, now: Time, slot: Slot, flow: u32) {
        let plan = self.plan.frames();
        let state = &mut self.flows[flow];
        let lane = usize::from(plan.lane(state.service, 0));
        state.mark = self.queues[plan.queue(slot, lane)].held_in_all(now);
        self.rings[plan.queue(state.from, lane)].push_back(flow);
        self.ports[slot as usize].waiting |= 1 << lane;
    }

    /// Cuts the next frame off the message whose turn it is.
    #[inline]
    pub(super) fn cut_frame(&mut self, now: Time, slot: Slot, lane: usize) -> u32 {
        let plan = self.plan.frames();
        let host = slot - self.plan.slots.host(HostId::new(0));
        let ring = &mut self.rings[plan.queue(host, lane)];
        let flow = ring.pop_front().expect("a lane that waits has a message");
        let port = &mut self.ports[slot as usize];
        if ring.is_empty() {
            port.waiting &= !(1 << lane);
        }
        let begin = now.max(port.free_at);
        let waited = begin.since(self.flows[flow].account.since());
        let queue = &mut self.queues[plan.queue(slot, lane)];
        queue.wait_ps += waited.ps();
        let held = Span::from_ps(queue.held_in_all(now) - self.flows[flow].mark);
        if held > Span::ZERO {
            let since = self.flows[flow].account.since();
            self.close_flow(flow, FrameStage::Paused, slot, now.min(since + held));
        }
        self.close_flow(flow, FrameStage::SendQueue, slot, begin);
        let plan = self.plan.frames();
        let state = &mut self.flows[flow];
        let bits = state.unsent.min(plan.mtu);
        state.unsent -= bits;
        let frame = Frame {
            account: state.account,
            mark: 0,
            number: if state.unsent == 0 { state.number } else { NO_NUMBER },
            flow,
            to: state.to,
            bits: bits as u32,
            next: NO_FRAME,
            input: flow,
            hash: state.hash,
            sequence: state.frames,
            lane: lane as u8,
            service: state.service,
            ttl: plan.ttl.unwrap_or(0),
            marked: false,
        };
        state.frames += 1;
        if let Some(dcqcn) = &plan.dcqcn {
            let point = &mut self.rates[flow as usize];
            let rate = point.rate(now, dcqcn);
            state.not_before = begin + time_of(bits, rate as u32);
            point.sends(bits, dcqcn);
        }
        if state.unsent > 0 {
            let sent = begin + time_of(bits, self.ports[slot as usize].rate);
            self.close_flow(flow, FrameStage::Transmission, slot, sent);
        }
        self.frames.insert(frame)
    }

    /// As [`close`](Self::close), for a message that still has frames in its host.
    fn close_flow(&mut self, flow: u32, stage: FrameStage, place: Slot, at: Time) {
        let flow = &mut self.flows[flow];
        let since = flow.account.since();
        flow.account.close(stage as usize, at);
        if at > since {
            self.journal.stage(flow.number, stage as usize, place, since, at);
        }
    }

    /// The last bit of a frame has left its host: its message gets in line again, now or when its rate permits.
    pub(super) fn flow_sent(
        &mut self,
        now: Time,
        slot: Slot,
        flow: u32,
        events: &mut EventQueue<FrameEvent>,
    ) {
        let state = &self.flows[flow];
        if state.unsent > 0 {
            if state.not_before <= now {
                self.join_ring(now, slot, flow);
            } else {
                self.schedule(events, slot, state.not_before, FrameEvent::Paced(flow));
            }
        } else if self.ports[slot as usize].waiting == 0 {
            let host = slot - self.plan.slots.host(HostId::new(0));
            if let Some(source) = self.saturated[host as usize] {
                self.generate(now, source, events);
            }
        }
    }

    /// A flow's rate permits its next frame.
    pub(super) fn paced(&mut self, now: Time, flow: u32, events: &mut EventQueue<FrameEvent>) {
        let state = &self.flows[flow];
        let slot = self.plan.slots.host(HostId::new(state.from as usize));
        self.waits.paced[state.from as usize] += now.since(state.account.since()).ps();
        self.close_flow(flow, FrameStage::Pacing, slot, now);
        self.join_ring(now, slot, flow);
        self.start(now, slot, events);
    }

    /// A frame has arrived at its host, and with the last one its message.
    #[inline]
    pub(super) fn deliver(&mut self, now: Time, slot: Slot, frame: u32, events: &mut EventQueue<FrameEvent>) {
        let done = &self.frames[frame];
        let (flow, bits) = (done.flow, done.bits);
        let state = &mut self.flows[flow];
        if done.sequence < state.expected {
            self.tally.reordered += 1;
        }
        state.expected = state.expected.max(done.sequence + 1);
        self.tally.delivered += 1;
        if let Some(statistics) = &mut self.statistics {
            statistics.delivered(now, done.to, Data::from_bits(u64::from(bits)));
        }
        if self.plan.defines_load[done.to as usize] {
            self.tally.carried_bits += u64::from(bits);
        }
        if u64::from(bits) == state.under_way && state.lost == 0 {
            let (life, data) = (now.since(done.account.born()), Data::from_bits(state.bits));
            self.monitor.delivered(now, usize::from(state.class), life, &done.account, data);
        }
        if done.marked {
            self.notify(now, slot, frame, events);
        }
        self.frames.remove(frame);
        self.account_for(now, flow, bits, events);
    }

    /// So much of a message has arrived or is lost; with the last of it the message is over.
    pub(super) fn account_for(
        &mut self,
        now: Time,
        flow: u32,
        bits: u32,
        events: &mut EventQueue<FrameEvent>,
    ) {
        let state = &mut self.flows[flow];
        state.under_way -= u64::from(bits);
        if state.under_way == 0 {
            let is_whole = state.lost == 0;
            self.tally.lost += u64::from(!is_whole);
            self.flows.remove(flow);
            self.flow_ended(now, flow, is_whole, events);
        }
    }

    /// A marked frame has arrived: its sender is told, unless that was done a short time ago. Notifications take the way of the frame back
    /// without ever waiting.
    fn notify(&mut self, now: Time, slot: Slot, frame: u32, events: &mut EventQueue<FrameEvent>) {
        let Some(dcqcn) = &self.plan.frames().dcqcn else { return };
        let done = &self.frames[frame];
        let (flow, spent) = (done.flow, done.account.spent_ps());
        let state = &mut self.flows[flow];
        if state.notified != Time::NEVER && now.since(state.notified) < dcqcn.cnp_interval {
            return;
        }
        state.notified = now;
        self.tally.notifications += 1;
        let way = spent[FrameStage::Propagation as usize] + spent[FrameStage::Switching as usize];
        let arrives = now + Span::from_ps(way) + time_of(CONTROL_BITS, self.ports[slot as usize].rate);
        let number = state.number as u32;
        self.schedule(events, slot, arrives, FrameEvent::Notified(flow, number));
    }

    /// A notification arrives; it may find its message sent.
    pub(super) fn notified(&mut self, now: Time, flow: u32, number: u32) {
        let state = &self.flows[flow];
        if state.number as u32 == number
            && state.unsent > 0
            && let Some(dcqcn) = &self.plan.frames().dcqcn
        {
            self.rates[flow as usize].notified(now, dcqcn);
        }
    }
}
