//! Stop and start: how a full FIFO stops its sender, if necessary in the middle of a packet, and the effect downstream.

use hopscope_fabric::{NANOBITS, NO_SLOT, Slot};
use hopscope_kernel::EventQueue;
use hopscope_measure::Journal;
use hopscope_units::{Span, Time};

use crate::event::{Event, lists};
use crate::machine::An1;
use crate::packet::NO_PACKET;
use crate::switch::directive::{Directive, Thresholds};
use crate::switch::output::Output;

/// A byte in nanobits.
const BYTE: u64 = 8 * NANOBITS;

impl<J: Journal> An1<J> {
    /// Lets the granted packet at the head flow, as soon as its set-up is over. The FIFO is settled.
    pub(crate) fn start_sending(&mut self, now: Time, slot: Slot, queue: &mut EventQueue<Event>) {
        if self.shares_links() && !self.take_link(now, self.inputs[slot as usize].out) {
            return;
        }
        let packet = self.head_packet(slot);
        let input = &mut self.inputs[slot as usize];
        let begun = input.tx_left < self.packets[packet].length();
        (input.tx_on, input.tx_from) = (true, now.max(input.ready));
        let (from, output) = (input.tx_from, input.out);
        let goes_on = self.end_pause(now, output);
        self.expect_end_of_flow(now, slot, queue);
        // The first bytes of copies are in flight from the grant on, whatever happens during the set-up.
        let begun = begun || goes_on && self.has_legs(slot);
        self.announce_flow(slot, (output, packet), begun, from, queue);
        if self.multicast.is_some() {
            self.start_copies(now, slot, queue);
        }
    }

    /// An output sends from now on. Returns whether it was paused.
    #[inline]
    pub(crate) fn end_pause(&mut self, now: Time, output: Slot) -> bool {
        let was_paused = self.outputs[output as usize].is_paused;
        if was_paused {
            self.book_output_pause(now, output);
            self.outputs[output as usize].is_paused = false;
            self.pauses[output as usize].leave_line();
        }
        was_paused
    }

    /// Schedules the arrival at the far end of a flow that begins or resumes at an output of this slot.
    ///
    /// A grant is a chain of small functions; inlined, it looks up its states once and saves calls.
    #[inline(always)]
    pub(crate) fn announce_flow(
        &mut self,
        slot: Slot,
        (output, packet): (Slot, u32),
        begun: bool,
        from: Time,
        queue: &mut EventQueue<Event>,
    ) {
        let Output { far, delay, to_host, .. } = self.outputs[output as usize];
        if to_host {
            return;
        }
        if begun {
            self.schedule_presorted(queue, lists::OVER_LINKS, (slot, from + delay), Event::FlowOn(far));
        } else {
            let attempt = self.packets[packet].attempt;
            self.schedule_presorted(
                queue,
                lists::HEADS_IN,
                (slot, from + delay),
                Event::HeadIn(far, packet, attempt),
            );
        }
    }

    /// Schedules the end of the flow that runs or is about to run out of a settled FIFO: the packet's last byte, or
    /// running dry.
    #[inline(always)]
    fn expect_end_of_flow(&mut self, now: Time, slot: Slot, queue: &mut EventQueue<Event>) {
        let input = &mut self.inputs[slot as usize];
        if input.head_is_whole() || input.rx_on {
            let at = input.last_out(now);
            (input.flow_ends, input.ends_dry) = (at, false);
            let (packet, output) = (input.head, input.out);
            self.schedule_presorted(queue, lists::LAST_OUT, (slot, at), Event::LastOut(slot, packet, output));
        } else {
            let at = input.runs_dry(now);
            (input.flow_ends, input.ends_dry) = (at, true);
            self.schedule(queue, slot, at, Event::Dry(slot));
        }
    }

    /// Pauses the packet at the head in mid flow, or before it has begun. The FIFO is settled.
    pub(crate) fn pause_sending(&mut self, now: Time, slot: Slot, queue: &mut EventQueue<Event>) {
        let packet = self.head_packet(slot);
        let input = &mut self.inputs[slot as usize];
        (input.tx_on, input.flow_ends) = (false, Time::NEVER);
        let begun = input.tx_left < self.packets[packet].length();
        let (output, silent_from) = (input.out, now.max(input.ready));
        let begun = begun || self.has_legs(slot);
        self.pauses[output as usize].begin(&mut self.outputs[output as usize], now);
        let Output { far, delay, to_host, .. } = self.outputs[output as usize];
        if begun && !to_host {
            self.schedule_presorted(
                queue,
                lists::OVER_LINKS,
                (slot, silent_from + delay),
                Event::FlowOff(far),
            );
        } else if !to_host {
            // Only few attempts can fail within a link's delay, so an old attempt is never mistaken for the present
            // one.
            self.packets[packet].attempt = self.packets[packet].attempt.wrapping_add(1);
        }
        if self.shares_links() {
            self.yield_link(now, output, queue);
        }
        if self.multicast.is_some() {
            self.pause_copies(now, slot, queue);
        }
    }

    /// Records the pause of an output so far: as stopped, as dry, as another lane's turn, or as a wait for other
    /// outputs.
    pub(crate) fn book_output_pause(&mut self, now: Time, output: Slot) {
        let Output { directive, holder, .. } = self.outputs[output as usize];
        let since = self.pauses[output as usize].since();
        if holder != NO_SLOT && self.inputs[holder as usize].out == output {
            let input = &mut self.inputs[holder as usize];
            input.book_pause_out(now.saturating_since(since.max(input.ready)));
        }
        self.pauses[output as usize].book(now, self.tally.window_start, directive);
    }

    /// The link into a FIFO falls silent in the middle of a packet.
    pub(crate) fn flow_off(&mut self, now: Time, slot: Slot, queue: &mut EventQueue<Event>) {
        let input = &mut self.inputs[slot as usize];
        if input.drops {
            return;
        }
        input.settle(now);
        input.rx_on = false;
        input.rx_off_since = now;
        if input.tx_on && !input.head_is_whole() {
            self.expect_end_of_flow(now, slot, queue);
        }
        self.expect_crossing(now, slot, queue);
    }

    /// The link into a FIFO resumes its packet.
    pub(crate) fn flow_on(&mut self, now: Time, slot: Slot, queue: &mut EventQueue<Event>) {
        let input = &mut self.inputs[slot as usize];
        if input.drops {
            return;
        }
        input.settle(now);
        input.rx_on = true;
        input.book_pause_in(now);
        if input.out != NO_SLOT && input.head_is_newest {
            if input.tx_on {
                self.expect_end_of_flow(now, slot, queue);
            } else if self.may_flow(slot) {
                self.start_sending(now, slot, queue);
            }
        }
        self.expect_crossing(now, slot, queue);
    }

    /// A FIFO has sent all that has arrived of the packet at its head.
    pub(crate) fn dry(&mut self, now: Time, slot: Slot, queue: &mut EventQueue<Event>) {
        let input = &mut self.inputs[slot as usize];
        if input.flow_ends != now || !input.ends_dry {
            return;
        }
        input.settle(now);
        self.pause_sending(now, slot, queue);
        self.expect_crossing(now, slot, queue);
    }

    /// A directive of the receiver reaches an output. A stop takes effect at once, in mid packet; one to finish, when
    /// the packet that holds the output has left.
    pub(crate) fn directed(
        &mut self,
        now: Time,
        output: Slot,
        directive: Directive,
        queue: &mut EventQueue<Event>,
    ) {
        if self.is_dead(output) {
            return;
        }
        let Output { holder, directive: before, .. } = self.outputs[output as usize];
        if directive > before {
            self.pauses[output as usize].told_to_stop(now);
        }
        if holder == NO_SLOT {
            let (out, pauses) = (&mut self.outputs[output as usize], &mut self.pauses[output as usize]);
            out.directive = directive;
            if directive == Directive::Start {
                pauses.unbar(now);
            } else if before == Directive::Start {
                pauses.bar(out, now);
            }
            if directive != Directive::Start {
                self.set_idle(output, false);
            } else if !self.plan.slots.is_host(output) {
                self.serve(now, self.inputs[output as usize].switch, output, queue);
            } else if self.inputs[output as usize].head != NO_PACKET {
                self.grant(now, output, output, queue);
            }
            return;
        }
        if self.outputs[output as usize].is_paused {
            self.book_output_pause(now, output);
        }
        self.outputs[output as usize].directive = directive;
        if directive == Directive::Stop && self.shares_links() {
            self.leave_line(now, output);
        }
        let input = &mut self.inputs[holder as usize];
        input.settle(now);
        if self.has_legs(holder) {
            self.directed_of_several(now, holder, output, queue);
            return;
        }
        let stops = directive == Directive::Stop && !self.ignores_stop(holder);
        let input = &mut self.inputs[holder as usize];
        // A packet whose last byte leaves at this very instant is not delayed by a stop.
        if stops && input.tx_on && input.tx_left > 0 {
            self.pause_sending(now, holder, queue);
            self.expect_crossing(now, holder, queue);
        } else if directive != Directive::Stop && input.out == output && !input.tx_on && input.has_flow() {
            self.start_sending(now, holder, queue);
            self.expect_crossing(now, holder, queue);
        }
    }

    /// Notes whether an output can be granted. A host's own output is not a switch's to grant.
    pub(crate) fn set_idle(&mut self, output: Slot, idle: bool) {
        if !self.plan.slots.is_host(output) {
            let switch = &mut self.switches[self.inputs[output as usize].switch as usize];
            switch.set_idle(switch.port(output), idle);
        }
    }

    /// Schedules the next directive of a settled FIFO, unless it is scheduled already. Unbounded FIFOs and send queues
    /// send none.
    ///
    /// Most FIFOs would send none even if all of the incoming packet stayed. A few instructions without a call detect
    /// them.
    #[inline]
    pub(crate) fn expect_crossing(&mut self, now: Time, slot: Slot, queue: &mut EventQueue<Event>) {
        let Some(thresholds) = &self.an1.thresholds else { return };
        let input = &mut self.inputs[slot as usize];
        if input.told == Directive::Start && input.level + input.rx_left <= thresholds.stop_above {
            input.crossing_due = Time::NEVER;
        } else {
            self.compute_crossing(now, slot, *thresholds, queue);
        }
    }

    /// The same for a FIFO whose content may leave the band of its last directive.
    #[inline(never)]
    fn compute_crossing(
        &mut self,
        now: Time,
        slot: Slot,
        thresholds: Thresholds,
        queue: &mut EventQueue<Event>,
    ) {
        if self.plan.slots.is_host(slot) {
            return;
        }
        let input = &mut self.inputs[slot as usize];
        assert!(input.level <= thresholds.capacity, "the FIFO at slot {slot} overflows");
        let due = input.next_crossing(now, thresholds).map_or(Time::NEVER, |crossing| {
            self.an1.params.switch.directive.not_before(crossing, u64::from(input.rx_rate))
        });
        if due != input.crossing_due {
            input.crossing_due = due;
            if due != Time::NEVER {
                self.schedule(queue, slot, due, Event::Crossing(slot));
            }
        }
    }

    /// The content of a FIFO requires another directive, unless it has returned since: it reaches the sender one link
    /// delay later.
    pub(crate) fn crossing(&mut self, now: Time, slot: Slot, queue: &mut EventQueue<Event>) {
        let input = &mut self.inputs[slot as usize];
        if input.crossing_due != now {
            return;
        }
        input.crossing_due = Time::NEVER;
        input.settle(now);
        let directive = match self.an1.thresholds {
            Some(thresholds) => thresholds.directive(input.told, input.level),
            None => self.memory_directive(self.inputs[slot as usize].switch, slot),
        };
        let input = &mut self.inputs[slot as usize];
        if directive != input.told {
            input.told = directive;
            let far = input.far;
            let at = self.reaches_sender(now, slot, directive);
            self.schedule_presorted(queue, lists::OVER_LINKS, (slot, at), Event::Directive(far, directive));
        }
        self.expect_crossing(now, slot, queue);
    }

    /// When a directive reaches the sender. Over a link without delay a stop takes effect at once, and so would the
    /// start after it: where data come faster than they leave, both would alternate without any time passing. So a
    /// sender that was stopped stays so for the time of a byte.
    fn reaches_sender(&self, now: Time, slot: Slot, directive: Directive) -> Time {
        let input = &self.inputs[slot as usize];
        let is_paused = self.outputs[input.far as usize].is_paused;
        if directive == Directive::Stop || input.delay > Span::ZERO || !is_paused {
            return now + input.delay;
        }
        let since = self.pauses[input.far as usize].since();
        now.max(since + Span::from_ps(BYTE.div_ceil(u64::from(input.rx_rate))))
    }
}
