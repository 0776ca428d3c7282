//! Sending hosts: messages take turns frame by frame, at most as fast as their rates permit.

use std::collections::VecDeque;

use hopscope_fabric::{Slot, scatter, time_of};
use hopscope_kernel::{EventQueue, Order};
use hopscope_measure::{Account, Journal};
use hopscope_topology::HostId;
use hopscope_traffic::Emission;
use hopscope_units::{Data, Span, Time};

use crate::event::FrameEvent;
use crate::frame::{Frame, NO_FRAME, NO_NUMBER};
use crate::host::flow::{FlowState, Standing};
use crate::host::{Messages, Offered};
use crate::machine::Lossless;
use crate::observe::stage::FrameStage;

impl<J: Journal> Lossless<J> {
    /// The first events of all traffic sources.
    pub(crate) fn start_sources(&mut self, events: &mut EventQueue<FrameEvent>) {
        let Offered::Messages(Messages { workload, saturated }) = &mut self.offered else { return };
        for (source, state) in workload.sources.iter().enumerate().filter(|(_, state)| state.is_saturated()) {
            saturated[state.from().index()] = Some(source as u32);
        }
        for source in 0..workload.sources.len() as u32 {
            if self.offered.messages().workload.sources[source as usize].is_saturated() {
                self.generate(Time::ZERO, source, events);
            } else {
                self.schedule_emission(Time::ZERO, source, events);
            }
        }
    }

    /// Schedules the next emission of a traffic source, which comes after all slots in the order of an instant.
    fn schedule_emission(&mut self, now: Time, source: u32, events: &mut EventQueue<FrameEvent>) {
        let at = self.offered.messages().workload.sources[source as usize].next(now);
        if at != Time::NEVER {
            let order = Order::new(self.ports.len() as u32 + source, 0);
            events.schedule(at, order, FrameEvent::Emit(source));
        }
    }

    /// A source sends, and will send again.
    pub(crate) fn emit(&mut self, now: Time, source: u32, events: &mut EventQueue<FrameEvent>) {
        self.generate(now, source, events);
        self.schedule_emission(now, source, events);
    }

    fn generate(&mut self, now: Time, source: u32, events: &mut EventQueue<FrameEvent>) {
        let workload = &mut self.offered.messages().workload;
        let from = workload.sources[source as usize].from().index() as u32;
        let Emission::Message { to, size, class } = workload.draw(source as usize) else {
            unreachable!("bursts and multicast were refused when the plan was made")
        };
        let to = to.index() as u32;
        let hash = (scatter(u64::from(from) << 32 | u64::from(to)) >> 32) as u32 ^ u32::from(class);
        self.open(now, [from, to], size, class, hash, events);
    }

    /// A message is generated.
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

    /// A message is generated, but does not yet take its turns.
    pub(crate) fn new_flow(
        &mut self,
        now: Time,
        [from, to]: [u32; 2],
        size: Data,
        class: u8,
        hash: u32,
    ) -> u32 {
        self.monitor.born(now, size);
        self.destinations.born(now, to, size);
        let plan = &self.lossless.frames;
        let number = self.tally.born;
        self.tally.born += 1;
        let frames = size.bits().div_ceil(plan.mtu) as u32;
        let flow = self.flows.insert(FlowState {
            account: Account::open(now),
            number,
            bits: size.bits(),
            unsent: size.bits(),
            under_way: size.bits(),
            lost: 0,
            sent: 0,
            outstanding: 0,
            mark: 0,
            not_before: now,
            notified: Time::NEVER,
            from,
            to,
            hash,
            standing: Standing::InLine,
            class,
            service: self.service_of([from, to], class, hash),
            frames: 0,
            expected: 0,
        });
        let slot = self.plan.slots.host(HostId::new(from as usize));
        self.rates.new_flow(flow, u64::from(self.ports[slot as usize].rate), size.bits());
        if let Some(recovering) = &mut self.recovering {
            recovering.begins(flow, frames);
        }
        if let Some(classes) = &mut self.class_waits {
            classes.begins(flow, class);
        }
        flow
    }

    /// The group of lanes of a message: that of its class, or the service level of its path if files give levels.
    fn service_of(&self, [from, to]: [u32; 2], class: u8, hash: u32) -> u8 {
        let plan = self.frames_plan();
        let host = |number: u32| HostId::new(number as usize);
        match &plan.virtual_lanes {
            None => class % plan.services() as u8,
            Some(lanes) => lanes.level(self.path_of(hash), host(from), host(to)),
        }
    }

    /// The messages that take turns in a lane of a host.
    pub(crate) fn ring(&self, slot: Slot, lane: usize) -> &VecDeque<u32> {
        let host = slot - self.plan.slots.host(HostId::new(0));
        &self.rings[self.frames_plan().queue(host, lane)]
    }

    /// A message joins the queue with its next frame, which counts as in flight from now on: the window is checked
    /// before.
    pub(crate) fn join_ring(&mut self, now: Time, slot: Slot, flow: u32) {
        let plan = &self.lossless.frames;
        let state = &mut self.flows[flow];
        state.outstanding += state.unsent.min(plan.mtu);
        let lane = usize::from(plan.lane(state.service, 0));
        state.mark = self.queues[plan.queue(slot, lane)].held_in_all(now);
        self.rings[plan.queue(state.from, lane)].push_back(flow);
        self.ports[slot as usize].waiting |= 1 << lane;
        if let Some(classes) = &mut self.class_waits {
            classes.joins(slot, flow);
        }
    }

    /// Removes the message whose turn it is from the ring, with the time at which its next frame begins to leave.
    #[inline]
    fn take_turn(&mut self, now: Time, slot: Slot, lane: usize) -> (u32, Time) {
        let plan = &self.lossless.frames;
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
        waited.onto(&mut queue.wait_ps);
        if let Some(classes) = &mut self.class_waits {
            classes.leaves(slot, flow, waited);
        }
        let held = Span::from_ps(queue.held_in_all(now) - self.flows[flow].mark);
        if held > Span::ZERO {
            let since = self.flows[flow].account.since();
            self.close_flow(flow, FrameStage::Paused, slot, now.min(since + held));
        }
        self.close_flow(flow, FrameStage::SendQueue, slot, begin);
        (flow, begin)
    }

    /// Makes the next frame of the message whose turn it is. Also returns how long one transmission takes.
    #[inline]
    pub(crate) fn cut_frame(
        &mut self,
        now: Time,
        slot: Slot,
        lane: usize,
        events: &mut EventQueue<FrameEvent>,
    ) -> (u32, Span) {
        let (flow, begin) = self.take_turn(now, slot, lane);
        let unit = self.recovering.as_mut().and_then(|recovering| recovering.take(flow));
        let plan = &self.lossless.frames;
        let state = &mut self.flows[flow];
        let sequence = unit.map_or(state.frames, |unit| unit.number);
        let is_fresh = sequence == state.frames;
        let bits = (state.bits - u64::from(sequence) * plan.mtu).min(plan.mtu);
        if is_fresh {
            state.unsent -= bits;
            state.frames += 1;
        } else {
            self.tally.again += 1;
        }
        state.sent += bits;
        let (goes_on, reached) = (state.unsent > 0 || unit.is_some(), state.sent);
        let frame = Frame {
            account: state.account,
            mark: 0,
            number: if state.unsent == 0 { state.number } else { NO_NUMBER },
            flow,
            to: state.to,
            bits: bits as u32,
            next: NO_FRAME,
            input: if goes_on { flow } else { NO_FRAME },
            hash: state.hash,
            sequence,
            lane: lane as u8,
            service: state.service,
            ttl: plan.ttl.unwrap_or(0),
            marked: false,
        };
        if let Some(rate) = self.rates.send(flow, now, bits) {
            state.not_before = begin + paced_time(bits, rate);
        }
        let takes = time_of(bits, self.ports[slot as usize].rate);
        let sent = begin + takes;
        if state.unsent > 0 {
            self.close_flow(flow, FrameStage::Transmission, slot, sent);
        } else if unit.is_some() {
            // The frame records it for its message.
            state.account.close(FrameStage::Transmission as usize, sent);
        }
        let frame = self.frames.insert(frame);
        if let Some(answering) = &mut self.answering {
            answering.departs(frame, begin, reached, unit.map_or(0, |unit| unit.order));
            self.arm(sent, flow, events);
        }
        (frame, takes)
    }

    /// The length of a frame of a message by its index there.
    pub(crate) fn bits_of(&self, flow: u32, number: u32) -> u64 {
        let mtu = self.frames_plan().mtu;
        (self.flows[flow].bits - u64::from(number) * mtu).min(mtu)
    }

    /// The length of the frame that a message would send next; nothing if it has none.
    #[inline]
    pub(crate) fn next_bits(&self, flow: u32) -> Option<u64> {
        match &self.recovering {
            Some(recovering) => recovering.next(flow).map(|number| self.bits_of(flow, number)),
            None => Some(self.flows[flow].unsent.min(self.frames_plan().mtu)).filter(|bits| *bits > 0),
        }
    }

    /// Bits of a message in flight, including those queued.
    pub(crate) fn under_way(&self, flow: u32) -> u64 {
        match &self.recovering {
            Some(recovering) => u64::from(recovering.outstanding(flow)) * self.frames_plan().mtu,
            None => self.flows[flow].outstanding,
        }
    }

    /// As [`close`](Self::close), for a message that still has frames in its host.
    pub(crate) fn close_flow(&mut self, flow: u32, stage: FrameStage, place: Slot, at: Time) {
        let flow = &mut self.flows[flow];
        let since = flow.account.since();
        flow.account.close(stage as usize, at);
        if at > since {
            self.journal.stage(flow.number, stage as usize, place, since, at);
        }
    }

    /// The last bit of a frame has left its host: its message, if it has more, joins the queue again, now or when its
    /// rate permits.
    pub(crate) fn flow_sent(
        &mut self,
        now: Time,
        slot: Slot,
        flow: u32,
        events: &mut EventQueue<FrameEvent>,
    ) {
        let goes_on = flow != NO_FRAME && self.goes_on(now, slot, flow, events);
        if goes_on {
            return;
        }
        if self.ports[slot as usize].waiting == 0
            && let Offered::Messages(Messages { saturated, .. }) = &self.offered
        {
            let host = slot - self.plan.slots.host(HostId::new(0));
            if let Some(&Some(source)) = saturated.get(host as usize) {
                self.generate(now, source, events);
            }
        }
    }

    /// A message continues as far as its rate and its window permit, unless it has nothing to send for the first time.
    #[inline]
    pub(crate) fn goes_on(
        &mut self,
        now: Time,
        slot: Slot,
        flow: u32,
        events: &mut EventQueue<FrameEvent>,
    ) -> bool {
        let Some(next) = self.next_bits(flow) else {
            self.flows[flow].standing = Standing::Idle;
            let is_first =
                self.recovering.as_mut().is_some_and(|recovering| recovering.is_all_sent_now(flow));
            self.retire(flow);
            return !is_first;
        };
        let state = &mut self.flows[flow];
        if state.not_before > now {
            state.standing = Standing::Paced;
            let at = state.not_before;
            self.schedule(events, slot, at, FrameEvent::Paced(flow));
        } else if self.rates.permits(flow, self.under_way(flow), next) {
            self.flows[flow].standing = Standing::InLine;
            self.join_ring(now, slot, flow);
        } else {
            self.flows[flow].standing = Standing::Window;
        }
        true
    }

    /// A message in the queue has nothing to send any more.
    #[cold]
    pub(crate) fn leave_ring(&mut self, slot: Slot, flow: u32) {
        let plan = &self.lossless.frames;
        let state = &mut self.flows[flow];
        let lane = usize::from(plan.lane(state.service, 0));
        let ring = &mut self.rings[plan.queue(state.from, lane)];
        if let Some(place) = ring.iter().position(|other| *other == flow) {
            ring.remove(place);
            state.standing = Standing::Idle;
            if ring.is_empty() {
                self.ports[slot as usize].waiting &= !(1 << lane);
            }
            if let Some(classes) = &mut self.class_waits {
                classes.leaves(slot, flow, Span::ZERO);
            }
        }
    }

    /// A flow's rate permits its next frame.
    pub(crate) fn paced(&mut self, now: Time, flow: u32, events: &mut EventQueue<FrameEvent>) {
        let state = &self.flows[flow];
        let slot = self.plan.slots.host(HostId::new(state.from as usize));
        now.since(state.account.since()).onto(&mut self.waits.paced[state.from as usize]);
        self.close_flow(flow, FrameStage::Pacing, slot, now);
        self.goes_on(now, slot, flow, events);
        self.start(now, slot, events);
    }
}

/// How long a frame takes at its flow's rate, kbit/s, which may be far below that of any link.
fn paced_time(bits: u64, rate: u64) -> Span {
    time_of(bits, rate.clamp(1, u64::from(u32::MAX)) as u32)
}
