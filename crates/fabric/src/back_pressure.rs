//! Stop and start: how a full FIFO holds its sender back, in the middle of a packet where need be, and what that does downstream.

use hopscope_kernel::EventQueue;
use hopscope_measure::Journal;
use hopscope_units::Time;

use crate::event::Event;
use crate::fabric::Fabric;
use crate::slots::{NO_SLOT, Slot};

impl<J: Journal> Fabric<J> {
    /// Lets the granted packet at the head flow, as soon as its set-up is over. The FIFO is settled.
    pub(crate) fn start_sending(&mut self, now: Time, slot: Slot, queue: &mut EventQueue<Event>) {
        let packet = self.head_packet(slot);
        let input = &mut self.inputs[slot as usize];
        let begun = input.tx_left < self.packets[packet].length();
        (input.tx_on, input.tx_from) = (true, now.max(input.ready));
        let (from, output) = (input.tx_from, input.out);
        self.idle_time_ends(now, output);
        self.expect_end_of_flow(now, slot, queue);
        let cable = self.plan.slots.cables[output as usize];
        if self.plan.slots.is_host(cable.far) {
            return;
        }
        let at = from + cable.delay;
        if begun {
            self.schedule(queue, cable.far, at, Event::FlowOn(cable.far));
        } else {
            self.packets[packet].head_in_due = at;
            self.schedule(queue, cable.far, at, Event::HeadIn(cable.far, packet));
        }
    }

    /// Schedules the end of the flow that runs or is about to run out of a settled FIFO: the packet's last byte, or running dry.
    fn expect_end_of_flow(&mut self, now: Time, slot: Slot, queue: &mut EventQueue<Event>) {
        let input = &mut self.inputs[slot as usize];
        (input.last_out_due, input.dry_due) = (Time::NEVER, Time::NEVER);
        if input.head_is_whole() || input.rx_on {
            let at = input.last_out(now);
            input.last_out_due = at;
            self.schedule(queue, slot, at, Event::LastOut(slot));
        } else {
            let at = input.runs_dry(now);
            input.dry_due = at;
            self.schedule(queue, slot, at, Event::Dry(slot));
        }
    }

    /// Holds the packet at the head in mid flow, or before it has begun. The FIFO is settled.
    fn pause_sending(&mut self, now: Time, slot: Slot, queue: &mut EventQueue<Event>) {
        let packet = self.head_packet(slot);
        let input = &mut self.inputs[slot as usize];
        input.tx_on = false;
        (input.last_out_due, input.dry_due) = (Time::NEVER, Time::NEVER);
        let begun = input.tx_left < self.packets[packet].length();
        let output = input.out;
        self.outputs[output as usize].idle_since = now;
        let cable = self.plan.slots.cables[output as usize];
        if self.plan.slots.is_host(cable.far) {
            return;
        }
        if begun {
            self.schedule(queue, cable.far, now + cable.delay, Event::FlowOff(cable.far));
        } else {
            self.packets[packet].head_in_due = Time::NEVER;
        }
    }

    /// Books the time since an output fell idle in its packet's midst: stopped, or dry.
    fn idle_time_ends(&mut self, now: Time, output: Slot) {
        let start = self.tally.window_start;
        let out = &mut self.outputs[output as usize];
        let idle = now.saturating_since(out.idle_since.max(start)).ps();
        if out.stopped {
            out.use_.stopped_ps += idle;
        } else {
            out.use_.dry_ps += idle;
        }
        out.idle_since = Time::NEVER;
    }

    /// The link into a FIFO falls silent in the middle of a packet.
    pub(crate) fn flow_off(&mut self, now: Time, slot: Slot, queue: &mut EventQueue<Event>) {
        let input = &mut self.inputs[slot as usize];
        input.settle(now);
        input.rx_on = false;
        if input.tx_on && !input.head_is_whole() {
            self.expect_end_of_flow(now, slot, queue);
        }
        self.expect_crossing(now, slot, queue);
    }

    /// The link into a FIFO goes on with its packet.
    pub(crate) fn flow_on(&mut self, now: Time, slot: Slot, queue: &mut EventQueue<Event>) {
        let input = &mut self.inputs[slot as usize];
        input.settle(now);
        input.rx_on = true;
        if input.out != NO_SLOT && input.head_is_tail() {
            if input.tx_on {
                self.expect_end_of_flow(now, slot, queue);
            } else if !self.outputs[input.out as usize].stopped {
                self.start_sending(now, slot, queue);
            }
        }
        self.expect_crossing(now, slot, queue);
    }

    /// A FIFO has sent all that has come of the packet at its head.
    pub(crate) fn dry(&mut self, now: Time, slot: Slot, queue: &mut EventQueue<Event>) {
        let input = &mut self.inputs[slot as usize];
        if input.dry_due != now {
            return;
        }
        input.settle(now);
        self.pause_sending(now, slot, queue);
        self.expect_crossing(now, slot, queue);
    }

    /// The receiver's stop reaches an output. It takes effect at once, in mid packet.
    pub(crate) fn stop(&mut self, now: Time, output: Slot, queue: &mut EventQueue<Event>) {
        let out = &mut self.outputs[output as usize];
        let holder = out.holder;
        if holder == NO_SLOT {
            out.stopped = true;
            self.set_idle(output, false);
            return;
        }
        if out.idle_since != Time::NEVER {
            self.idle_time_ends(now, output);
            self.outputs[output as usize].idle_since = now;
        }
        self.outputs[output as usize].stopped = true;
        let input = &mut self.inputs[holder as usize];
        input.settle(now);
        // A packet whose last byte leaves at this very instant is not held back by it.
        if input.tx_on && input.tx_left > 0 {
            self.pause_sending(now, holder, queue);
            self.expect_crossing(now, holder, queue);
        }
    }

    /// The receiver's start reaches an output.
    pub(crate) fn start(&mut self, now: Time, output: Slot, queue: &mut EventQueue<Event>) {
        let out = &self.outputs[output as usize];
        let (holder, was_idle) = (out.holder, out.idle_since != Time::NEVER);
        if holder != NO_SLOT {
            if was_idle {
                self.idle_time_ends(now, output);
                self.outputs[output as usize].idle_since = now;
            }
            self.outputs[output as usize].stopped = false;
            let input = &mut self.inputs[holder as usize];
            input.settle(now);
            if !input.tx_on && input.has_flow() {
                self.start_sending(now, holder, queue);
                self.expect_crossing(now, holder, queue);
            }
            return;
        }
        self.outputs[output as usize].stopped = false;
        if !self.plan.slots.is_host(output) {
            self.serve(now, output, queue);
        } else if self.inputs[output as usize].head != crate::fifo_entries::NO_ENTRY {
            self.grant(now, output, output, queue);
        }
    }

    /// Notes whether an output can be granted. A host's own output is not a switch's to grant.
    pub(crate) fn set_idle(&mut self, output: Slot, idle: bool) {
        if !self.plan.slots.is_host(output) {
            let (switch, port) = self.plan.slots.switch_port(output);
            self.switches[switch].set_idle(port, idle);
        }
    }

    /// Schedules the next crossing of a threshold by a settled FIFO, unless it is scheduled already. Unbounded FIFOs and send queues
    /// have no threshold.
    pub(crate) fn expect_crossing(&mut self, now: Time, slot: Slot, queue: &mut EventQueue<Event>) {
        let Some(thresholds) = self.plan.thresholds else { return };
        if self.plan.slots.is_host(slot) {
            return;
        }
        let input = &mut self.inputs[slot as usize];
        assert!(input.level <= thresholds.capacity, "the FIFO at slot {slot} overflows");
        let due = input.next_crossing(now, thresholds).unwrap_or(Time::NEVER);
        if due != input.crossing_due {
            input.crossing_due = due;
            if due != Time::NEVER {
                self.schedule(queue, slot, due, Event::Crossing(slot));
            }
        }
    }

    /// The content of a FIFO crosses a threshold: its sender is told, one link delay away.
    pub(crate) fn crossing(&mut self, now: Time, slot: Slot, queue: &mut EventQueue<Event>) {
        let input = &mut self.inputs[slot as usize];
        if input.crossing_due != now {
            return;
        }
        input.crossing_due = Time::NEVER;
        input.settle(now);
        input.told_stop = !input.told_stop;
        let cable = self.plan.slots.cables[slot as usize];
        let directive = if self.inputs[slot as usize].told_stop {
            Event::Stop(cable.far)
        } else {
            Event::Start(cable.far)
        };
        self.schedule(queue, cable.far, now + cable.delay, directive);
        self.expect_crossing(now, slot, queue);
    }
}
