//! One link for several virtual channels (Dally and Seitz, IEEE Trans. Computers 1987).
//!
//! Each lane has a FIFO, an output and a directive of its own; what lanes share is the link. It serves one packet at a
//! time: the packet on it keeps it until its last byte has left, or until it is stopped or runs dry; then the next of
//! those that could be sending takes over, in the order in which they began to wait. A packet that resumes after a
//! pause waits like any other. So flows stay piecewise constant, each at full rate or none, and a stopped lane cannot
//! keep another off the link.

use std::collections::VecDeque;

use hopscope_fabric::{NO_SLOT, Slot};
use hopscope_kernel::EventQueue;
use hopscope_measure::Journal;
use hopscope_units::Time;

use crate::event::Event;
use crate::machine::An1;
use crate::switch::directive::Directive;

/// The outputs that share a link.
#[derive(Clone, Debug)]
pub(crate) struct SharedLink {
    /// The output whose packet is on the link, or will be when its set-up ends.
    on_air: Slot,
    /// The outputs whose packets could be.
    line: VecDeque<Slot>,
}

impl SharedLink {
    pub fn new() -> Self {
        Self { on_air: NO_SLOT, line: VecDeque::new() }
    }
}

impl<J: Journal> An1<J> {
    /// Whether outputs share their links at all.
    #[inline]
    pub(crate) fn shares_links(&self) -> bool {
        !self.shared_links.is_empty()
    }

    /// The link that an output of a switch shares.
    fn shared_link(&self, output: Slot) -> Option<usize> {
        (!self.plan.slots.is_host(output)).then(|| output as usize / usize::from(self.plan.slots.lanes))
    }

    /// Takes the link for an output's packet, or puts it in line.
    pub(crate) fn take_link(&mut self, now: Time, output: Slot) -> bool {
        let Some(link) = self.shared_link(output) else { return true };
        let SharedLink { on_air, line } = &mut self.shared_links[link];
        if *on_air == NO_SLOT || *on_air == output {
            *on_air = output;
            return true;
        }
        if line.contains(&output) {
            return false;
        }
        line.push_back(output);
        if self.outputs[output as usize].is_paused {
            self.book_output_pause(now, output);
        } else {
            let out = &mut self.outputs[output as usize];
            let ready = self.inputs[out.holder as usize].ready;
            self.pauses[output as usize].begin(out, now.max(ready));
        }
        self.pauses[output as usize].join_line();
        false
    }

    /// The packet that an output had on the link has left or pauses: the next in line continues.
    pub(crate) fn yield_link(&mut self, now: Time, output: Slot, queue: &mut EventQueue<Event>) {
        let Some(link) = self.shared_link(output) else { return };
        if self.shared_links[link].on_air != output {
            return;
        }
        self.shared_links[link].on_air = NO_SLOT;
        while let Some(next) = self.shared_links[link].line.pop_front() {
            let holder = self.outputs[next as usize].holder;
            let input = &mut self.inputs[holder as usize];
            input.settle(now);
            if input.has_flow() {
                self.start_sending(now, holder, queue);
                self.expect_crossing(now, holder, queue);
                return;
            }
            self.book_output_pause(now, next);
            self.pauses[next as usize].leave_line();
        }
    }

    /// An output that has been stopped does not wait for its link.
    pub(crate) fn leave_line(&mut self, now: Time, output: Slot) {
        if self.pauses[output as usize].is_in_line() {
            let link = self.shared_link(output).expect("only a switch's outputs stand in line");
            self.shared_links[link].line.retain(|&other| other != output);
            self.book_output_pause(now, output);
            self.pauses[output as usize].leave_line();
        }
    }

    /// Whether an output's packet could be sending if no other were on the link.
    pub(crate) fn waits_for_link(&self, output: Slot) -> bool {
        self.pauses[output as usize].is_in_line()
            && self.outputs[output as usize].directive != Directive::Stop
    }
}
