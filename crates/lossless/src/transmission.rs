//! Frames on links: which is sent next, its first and its last bit.

use hopscope_fabric::{Slot, time_of};
use hopscope_kernel::EventQueue;
use hopscope_measure::Journal;
use hopscope_topology::SwitchId;
use hopscope_units::{Span, Time};

use crate::event::{FrameEvent, lists};
use crate::flow_control::Control;
use crate::frame::NO_FRAME;
use crate::machine::Lossless;
use crate::observe::stage::FrameStage;
use crate::params::{Forwarding, Scheduling};
use crate::rate_control::Telemetry;
use crate::switch::contest::Ask;
use crate::switch::scheduling::in_turn;

impl<J: Journal> Lossless<J> {
    /// Sends the next frame by a port, if it is idle and one may be sent. Half of the time none may: inlined, so that
    /// this case costs no call.
    #[inline(always)]
    pub(crate) fn start(&mut self, now: Time, slot: Slot, events: &mut EventQueue<FrameEvent>) {
        let port = &self.ports[slot as usize];
        if !port.busy && !port.down && port.candidates() != 0 {
            self.start_idle(now, slot, events);
        }
    }

    /// Sends the next frame by an idle port in which something waits, if it may be sent.
    #[inline(never)]
    fn start_idle(&mut self, now: Time, slot: Slot, events: &mut EventQueue<FrameEvent>) {
        if self.contest.picks_heads {
            self.pick_heads(slot);
        }
        let Some(lane) = self.pick_lane(now, slot, events) else { return };
        let (frame, takes) = if self.plan.slots.is_host(slot) {
            self.cut_frame(now, slot, lane, events)
        } else {
            let (frame, takes) = self.dequeue(now, slot, lane);
            if self.contest.picks_heads {
                self.serves(slot, frame);
            }
            (frame, takes)
        };
        self.send(slot, (frame, takes), now, events);
    }

    /// The lane whose turn it is, among those with a frame that may be sent. With credits, they are spent.
    #[inline]
    fn pick_lane(&mut self, now: Time, slot: Slot, events: &mut EventQueue<FrameEvent>) -> Option<usize> {
        loop {
            let port = &self.ports[slot as usize];
            let candidates = port.candidates();
            if candidates == 0 {
                return None;
            }
            let turn = port.turn;
            let header_lane = self.frames_plan().header_lane;
            let candidates = self.header_runs.permitted(slot, candidates, header_lane);
            if candidates & header_lane != 0 {
                return Some(candidates.trailing_zeros() as usize);
            }
            let lane = match &self.lossless.frames.scheduling {
                Scheduling::RoundRobin => in_turn(candidates, turn),
                Scheduling::Strict => in_turn(self.frames_plan().first_service(candidates), turn),
                Scheduling::Weighted(_) => self.in_proportion(slot, candidates),
            };
            if let Control::Credits(_) = self.frames_plan().control {
                let needed = self.next_length(slot, lane);
                let index = self.frames_plan().queue(slot, lane);
                if self.queues[index].credits < needed && self.is_held_for_credits(now, index, needed, events)
                {
                    self.ports[slot as usize].held |= 1 << lane;
                    continue;
                }
                self.queues[index].credits -= needed;
            }
            if let Scheduling::Weighted(_) = self.lossless.frames.scheduling {
                let bits = self.next_length(slot, lane);
                self.deficits.spend(slot, bits);
            }
            let turn = lane as u8 + 1;
            self.ports[slot as usize].turn =
                if usize::from(turn) == self.frames_plan().lanes { 0 } else { turn };
            return Some(lane);
        }
    }

    /// The length of the frame that a lane would send next.
    #[inline]
    pub(crate) fn next_length(&self, slot: Slot, lane: usize) -> u64 {
        if self.plan.slots.is_host(slot) {
            let flow = *self.ring(slot, lane).front().expect("a lane that waits has a message");
            return self.next_bits(flow).expect("a message in line has a frame");
        }
        u64::from(self.frames[self.queues[self.frames_plan().queue(slot, lane)].head].bits)
    }

    /// Puts a frame in the queue of an output.
    #[inline]
    pub(crate) fn enqueue(
        &mut self,
        now: Time,
        switch: usize,
        channel: u16,
        frame: u32,
        events: &mut EventQueue<FrameEvent>,
    ) {
        let plan = &self.lossless.frames;
        let (port, route_lane) = if plan.route_lanes == 1 {
            (channel, 0)
        } else {
            (channel / plan.route_lanes, channel % plan.route_lanes)
        };
        let slot = self.switches[switch].base + Slot::from(port);
        let state = &mut self.frames[frame];
        let lane = match &plan.virtual_lanes {
            None => plan.lane(state.service, route_lane),
            Some(lanes) => {
                let came_by = (state.input as usize / plan.lanes) as Slot;
                let (at, in_port) = self.plan.slots.switch_port(came_by);
                lanes.lane(SwitchId::new(at), in_port, port, state.service)
            }
        };
        let queue = &mut self.queues[plan.queue(slot, usize::from(lane))];
        (state.lane, state.next, state.mark) = (lane, NO_FRAME, queue.held_in_all(now));
        queue.bits += u64::from(state.bits);
        queue.peak = queue.peak.max(queue.bits);
        queue.frames += 1;
        match std::mem::replace(&mut queue.tail, frame) {
            NO_FRAME => {
                queue.head = frame;
                self.ports[slot as usize].waiting |= 1 << lane;
            }
            last => self.frames[last].next = frame,
        }
        if let Some(classes) = &mut self.class_waits {
            classes.joins(slot, self.frames[frame].flow);
        }
        self.start(now, slot, events);
    }

    /// Takes the first frame out of a queue, and ends its wait. Also returns how long one transmission takes.
    #[inline]
    fn dequeue(&mut self, now: Time, slot: Slot, lane: usize) -> (u32, Span) {
        let index = self.frames_plan().queue(slot, lane);
        let frame = self.queues[index].head;
        self.mark(slot, index, frame);
        let queue = &mut self.queues[index];
        let state = &self.frames[frame];
        queue.head = state.next;
        queue.bits -= u64::from(state.bits);
        queue.frames -= 1;
        let port = &mut self.ports[slot as usize];
        if queue.head == NO_FRAME {
            queue.tail = NO_FRAME;
            port.waiting &= !(1 << lane);
        }
        let since = state.account.since();
        let held = Span::from_ps(queue.held_in_all(now) - state.mark);
        let begin = now.max(port.free_at);
        let wait = begin.since(since);
        wait.onto(&mut queue.wait_ps);
        if let Some(classes) = &mut self.class_waits {
            classes.leaves(slot, state.flow, wait);
        }
        let takes = time_of(u64::from(state.bits), port.rate);
        self.waits.needed(self.inputs[state.input as usize].slot, slot, wait + takes);
        if self.answering.is_some() && wait > takes {
            let host = self.flows[self.frames[frame].flow].from;
            self.waits.marked(host as usize, slot);
        }
        if held > Span::ZERO {
            self.close(frame, FrameStage::Paused, slot, now.min(since + held));
        }
        self.close(frame, FrameStage::Queueing, slot, begin);
        (frame, takes)
    }

    /// Puts a frame on the link, with this time for one transmission. All events up to its arrival are known now.
    #[inline]
    fn send(
        &mut self,
        slot: Slot,
        (frame, once): (u32, Span),
        now: Time,
        events: &mut EventQueue<FrameEvent>,
    ) {
        let latency = self.frames_plan().latency;
        let (bits, input) = (self.frames[frame].bits, self.frames[frame].input);
        let begins = now.max(self.ports[slot as usize].free_at);
        let takes = if self.lossless.frames.degraded.failing.is_empty() {
            once
        } else {
            let bits = u64::from(bits);
            let transmissions = self.degraded.transmissions(slot, bits, begins, once);
            time_of(bits * transmissions, self.ports[slot as usize].rate)
        };
        let port = &mut self.ports[slot as usize];
        let sent = begins + takes;
        // With cut-through the next switch reacts to the first bit of the transmission that succeeds.
        let seen = match self.lossless.frames.forwarding {
            Forwarding::CutThrough if !port.to_host => begins + (takes - once),
            _ => sent,
        };
        port.free_at = sent;
        (port.busy, port.holder, port.sending) = (true, input, bits);
        port.bits += u64::from(bits);
        port.frames += 1;
        let (far, to_host) = (port.far, port.to_host);
        let delay = port.delay;
        if let Some(classes) = &mut self.class_waits {
            let plan = &self.lossless.frames;
            let (held, services, has_one_lane) = (port.held, plan.services(), plan.route_lanes == 1);
            let sent = (u64::from(bits), takes);
            let is_held = |class: usize| has_one_lane && held >> (class % services) & 1 == 1;
            classes.sends(slot, self.frames[frame].flow, sent, is_held);
        }
        if self.lossless.frames.telemetry != Telemetry::None && !self.plan.slots.is_host(slot) {
            self.stamp(slot, frame, begins);
        }
        let crossed = sent + delay;
        let mut arrives = seen + delay;
        self.close(frame, FrameStage::Transmission, slot, seen);
        self.close(frame, FrameStage::Propagation, slot, arrives);
        if !to_host {
            arrives += latency;
            self.close(frame, FrameStage::Switching, far, arrives);
        }
        if self.outages.is_some() {
            self.flies(now, slot, frame, [crossed, arrives]);
        }
        let list = if to_host { lists::TO_HOSTS } else { lists::TO_SWITCHES };
        self.schedule_presorted(events, list, (slot, arrives), FrameEvent::Arrive(far, frame));
        self.schedule_presorted(events, lists::SENT, (slot, sent), FrameEvent::Sent(slot));
    }

    /// The last bit of a frame has left: its holder is free, and the next frame may be sent.
    #[inline]
    pub(crate) fn sent(&mut self, now: Time, slot: Slot, events: &mut EventQueue<FrameEvent>) {
        let port = &mut self.ports[slot as usize];
        port.busy = false;
        let (holder, bits) = (port.holder, port.sending);
        if self.plan.slots.is_host(slot) {
            self.flow_sent(now, slot, holder, events);
        } else {
            match self.frames_plan().control {
                Control::Pfc(_) => self.release(now, holder as usize, bits, events),
                Control::TailDrop(_) => self.leaves(now, holder as usize, bits),
                Control::Credits(_) => {
                    self.leave_lane(now, holder as usize, bits, events);
                    if self.contest.picks_heads || self.frames_plan().scheduling != Scheduling::RoundRobin {
                        // The new head of that lane may have precedence over frames that already wait.
                        return self.contest.idle.push(slot);
                    }
                }
            }
        }
        self.start(now, slot, events);
    }

    /// A frame has arrived.
    #[inline]
    pub(crate) fn arrive(&mut self, now: Time, slot: Slot, frame: u32, events: &mut EventQueue<FrameEvent>) {
        if self.outages.is_some() && self.was_cut(now, slot, frame, events) {
            return;
        }
        if self.plan.slots.is_host(slot) {
            return self.deliver(now, slot, frame, events);
        }
        self.tally.hops += 1;
        let (switch, _) = self.plan.slots.switch_port(slot);
        let plan = &self.lossless.frames;
        let state = &mut self.frames[frame];
        let input = plan.queue(slot, usize::from(state.lane));
        if plan.ttl.is_some() {
            if state.ttl == 0 {
                return self.expire(now, input, frame, events);
            }
            state.ttl -= 1;
        }
        state.input = input as u32;
        if plan.forwarding == Forwarding::CutThrough {
            state.mark = (now + time_of(u64::from(state.bits), self.ports[slot as usize].rate)).ps();
        }
        match plan.control {
            Control::Credits(_) => self.join_lane(now, switch, input, frame),
            Control::Pfc(_) | Control::TailDrop(_) => {
                self.contest.asks.push(Ask { slot, input, frame, chosen: None });
            }
        }
    }

    /// Drops a frame that has passed as many switches as it may.
    #[cold]
    fn expire(&mut self, now: Time, input: usize, frame: u32, events: &mut EventQueue<FrameEvent>) {
        let bits = self.frames[frame].bits;
        if let Control::Credits(_) = self.frames_plan().control {
            self.give_credit(now, input, bits, events);
        }
        self.tally.expired += 1;
        let (switch, _) = self.plan.slots.switch_port(self.inputs[input].slot);
        self.switches[switch].expired += 1;
        self.drop_frame(now, frame, events);
    }

    /// A frame is lost, and its message will not be complete.
    #[cold]
    pub(crate) fn drop_frame(&mut self, now: Time, frame: u32, events: &mut EventQueue<FrameEvent>) {
        let (flow, bits) = (self.frames[frame].flow, u64::from(self.frames[frame].bits));
        self.frames.remove(frame);
        if let Some(recovering) = &mut self.recovering {
            recovering.gone(flow);
            return self.retire(flow);
        }
        let state = &mut self.flows[flow];
        state.lost += bits;
        if self.answering.is_some() && state.unsent > 0 {
            // It will not be acknowledged, and nothing waits for its message: the rest continues without it.
            state.outstanding -= bits;
            self.rates.on_pull(flow);
            self.resume(now, flow, events);
        }
        self.account_for(now, flow, bits, events);
    }
}
