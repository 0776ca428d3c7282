//! The second stage of session-level pacing: from a boundary node to the unit behind it.

use std::collections::VecDeque;

use hopscope_kernel::EventQueue;
use hopscope_measure::{Journal, Pool};
use hopscope_units::Time;

use super::{Cargo, Event, Gauge, Subarea};
use crate::rule::{Answer, ChosenRule, SendingRule, Unit as Marks};
use crate::stage::Stage;

/// The second stage of a session while it works. The unit is at the node: its answers come at once.
#[derive(Clone, Debug)]
pub(crate) struct Boundary {
    pub rule: ChosenRule,
    /// Messages that wait for it, each in a buffer of the node.
    queue: VecDeque<u32>,
    /// Messages outstanding, and who waits.
    pub window: Pool,
    /// Messages that may be sent besides.
    pub open: Gauge,
}

impl Boundary {
    pub fn new(rule: ChosenRule) -> Self {
        let open = Gauge::at(rule.allowance());
        Self { rule, queue: VecDeque::new(), window: Pool::unbounded(), open }
    }

    /// Messages that wait for it.
    pub fn waiting(&self) -> usize {
        self.queue.len()
    }

    /// Records the outstanding messages after an answer has arrived or a message has been sent.
    fn measure(&mut self, now: Time) {
        self.window.hold(now, self.rule.outstanding());
        self.open.set(now, self.rule.allowance());
    }

    pub fn restart(&mut self, now: Time) {
        self.window.restart(now);
        self.open.restart(now);
    }
}

impl<J: Journal> Subarea<J> {
    /// A message waits in its boundary node for the second stage.
    pub(super) fn enter_boundary(
        &mut self,
        now: Time,
        session: usize,
        piu: u32,
        queue: &mut EventQueue<Event>,
    ) {
        if let Some(boundary) = &mut self.sessions[session].boundary {
            boundary.queue.push_back(piu);
            boundary.window.start_waiting(now);
        }
        self.hand_on(now, session, queue);
    }

    /// Lets messages go to their unit as the second stage permits. With the one that carries a request, the boundary
    /// node answers the first stage.
    fn hand_on(&mut self, now: Time, session: usize, queue: &mut EventQueue<Event>) {
        let place = self.boundary_place(session);
        let Some(unit) = self.plan.sessions[session].unit else { return };
        loop {
            let Some(boundary) = &mut self.sessions[session].boundary else { return };
            if boundary.rule.allowance() == 0 {
                return;
            }
            let Some(piu) = boundary.queue.pop_front() else { return };
            let marks = boundary.rule.send();
            boundary.window.stop_waiting(now);
            boundary.measure(now);
            self.close(now, piu, Stage::BoundaryPacing, place);
            let Cargo::Data(segment) = &mut self.pius[piu].cargo else {
                unreachable!("only messages go to units")
            };
            let first = segment.session_unit.replace(marks);
            self.took(now, session, first, queue);
            self.enter_unit(now, unit, piu, queue);
            self.free_buffer(now, self.plan.units[unit], queue);
        }
    }

    /// A unit takes a message out of its own memory: it answers the one that carries a request.
    pub(super) fn took_from_boundary(
        &mut self,
        now: Time,
        session: usize,
        marks: Option<Marks>,
        queue: &mut EventQueue<Event>,
    ) {
        let Some(Marks { number, request: true }) = marks else { return };
        if let Some(boundary) = &mut self.sessions[session].boundary {
            let answer = Answer::Response { request: number, congested: false, reset: false, window: None };
            let held = !boundary.queue.is_empty();
            boundary.rule.answered(answer, held);
            boundary.measure(now);
        }
        self.hand_on(now, session, queue);
    }
}
