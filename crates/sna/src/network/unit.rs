//! Units behind boundary nodes, which take messages.

use std::collections::VecDeque;

use hopscope_kernel::EventQueue;
use hopscope_measure::{Journal, Pool};
use hopscope_units::{Span, Time};

use super::node::ServiceTimes;
use super::{Cargo, Event, Subarea};
use crate::params::StopParams;
use crate::plan::SnaPlan;
use crate::rule::{Answer, Unit as Marks};
use crate::stage::Stage;

/// A unit while it works.
#[derive(Clone, Debug)]
pub(crate) struct Unit {
    /// Whether it takes a message, and who waits.
    pub busy: Pool,
    queue: VecDeque<u32>,
    serving: Option<u32>,
    service: ServiceTimes,
    pub stop: Option<StopParams>,
    /// Whether it is to be notified when its stop is over.
    awaits_end: bool,
}

impl Unit {
    pub fn new(plan: &SnaPlan, at: usize, seed: u64) -> Self {
        let params = &plan.params.unit[at];
        Self {
            busy: Pool::bounded(1),
            queue: VecDeque::new(),
            serving: None,
            service: ServiceTimes::new(params.service, seed, "unit", at),
            stop: params.stop,
            awaits_end: false,
        }
    }

    /// Messages that wait for it.
    pub fn waiting(&self) -> usize {
        self.queue.len()
    }
}

impl StopParams {
    /// When the stop ends that lasts at this instant; nothing where none does.
    fn ends(&self, now: Time) -> Option<Time> {
        let since = now.ps().checked_sub(self.first.ps())?;
        let begun = self.every.map_or(since, |every| since % every.ps());
        (begun < self.lasts.ps()).then(|| now + Span::from_ps(self.lasts.ps() - begun))
    }

    /// The stops of a window, each from one second to another.
    pub(crate) fn within(self, from: Time, until: Time) -> impl Iterator<Item = (f64, f64)> {
        let every = self.every.unwrap_or(Span::MAX).ps();
        let skipped = from.ps().saturating_sub(self.first.ps()) / every;
        let begins = (skipped..).map_while(move |nth| {
            let begun = every.checked_mul(nth)?.checked_add(self.first.ps())?;
            (begun < until.ps()).then(|| Time::from_ps(begun))
        });
        begins.map(move |begun| (begun.as_seconds(), begun.as_seconds() + self.lasts.as_seconds()))
    }
}

impl<J: Journal> Subarea<J> {
    /// A message waits for its unit.
    pub(super) fn enter_unit(&mut self, now: Time, unit: usize, piu: u32, queue: &mut EventQueue<Event>) {
        let at = &mut self.units[unit];
        at.queue.push_back(piu);
        at.busy.start_waiting(now);
        self.take_next(now, unit, queue);
    }

    /// A unit that is free and not stopped takes the next message.
    fn take_next(&mut self, now: Time, unit: usize, queue: &mut EventQueue<Event>) {
        let source = self.plan.unit_source(unit);
        let at = &mut self.units[unit];
        if at.serving.is_some() || at.queue.is_empty() || at.awaits_end {
            return;
        }
        if let Some(ends) = at.stop.and_then(|stop| stop.ends(now)) {
            at.awaits_end = true;
            self.schedule(ends, source, Event::Resumed { unit: unit as u32 }, queue);
            return;
        }
        let piu = at.queue.pop_front().expect("a message waits");
        at.busy.stop_waiting(now);
        at.busy.acquire(now, 1);
        at.serving = Some(piu);
        let ends = now + at.service.sample();
        self.close(now, piu, Stage::UnitWait, self.unit_place(unit));
        let segment = self.pius[piu].segment().expect("units take messages");
        self.schedule(ends, source, Event::Taken { unit: unit as u32 }, queue);
        let session = segment.session as usize;
        if self.sessions[session].boundary.is_some() {
            self.took_from_boundary(now, session, segment.session_unit, queue);
        } else {
            self.took(now, session, segment.session_unit, queue);
        }
    }

    pub(super) fn resumed(&mut self, now: Time, unit: usize, queue: &mut EventQueue<Event>) {
        self.units[unit].awaits_end = false;
        self.take_next(now, unit, queue);
    }

    /// A unit has taken a message, which is over.
    pub(super) fn taken(&mut self, now: Time, unit: usize, queue: &mut EventQueue<Event>) {
        let at = &mut self.units[unit];
        at.busy.release(now, 1);
        let piu = at.serving.take().expect("the unit was taking a message");
        self.close(now, piu, Stage::UnitService, self.unit_place(unit));
        self.complete(now, piu);
        let session = self.pius[piu].segment().expect("units take messages").session;
        self.pius.remove(piu);
        if self.sessions[session as usize].boundary.is_none() {
            self.free_buffer(now, self.plan.units[unit], queue);
        }
        self.take_next(now, unit, queue);
    }

    /// A session's end, or the boundary node before its second stage, takes a message: session-level pacing answers the
    /// one that carries a request.
    pub(super) fn took(
        &mut self,
        now: Time,
        session: usize,
        marks: Option<Marks>,
        queue: &mut EventQueue<Event>,
    ) {
        let Some(Marks { number, request: true }) = marks else { return };
        let plan = &self.plan.sessions[session];
        let waiting = match &self.sessions[session].boundary {
            Some(boundary) => boundary.waiting() as u64,
            None => plan.unit.map_or(0, |unit| self.units[unit].waiting() as u64),
        };
        let window = plan.pacing.map(|(_, most)| u64::from(most).saturating_sub(waiting));
        let answer = Answer::Response { request: number, congested: false, reset: false, window };
        let route = plan.route;
        self.answer(now, route, Cargo::SessionAnswer { session: session as u32, answer }, queue);
    }
}
