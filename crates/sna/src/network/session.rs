//! Sessions: where messages come from, and session-level pacing.

use std::collections::VecDeque;

use hopscope_kernel::{EventQueue, PoissonProcess, RandomStream};
use hopscope_measure::{Account, Journal, Pool};
use hopscope_units::Time;

use super::piu::Segment;
use super::{Boundary, Cargo, Event, Gauge, Piu, Subarea};
use crate::plan::SnaPlan;
use crate::rule::{Answer, ChosenRule, SendingRule, Unit};
use crate::stage::Stage;

/// A session while it works.
#[derive(Clone, Debug)]
pub(crate) struct Session {
    /// When messages come; nothing where there is always another one.
    arrivals: Option<(PoissonProcess, RandomStream)>,
    /// Session-level pacing, where there is any.
    pub pacing: Option<ChosenRule>,
    /// Messages that wait for it, as their segments.
    queue: VecDeque<Vec<u32>>,
    /// Messages outstanding, and who waits.
    pub window: Pool,
    /// Messages that may be sent besides.
    pub open: Gauge,
    /// Messages that have come since the restart.
    pub came: u64,
    /// The second stage of session-level pacing, where there is one.
    pub boundary: Option<Boundary>,
}

impl Session {
    pub fn new(plan: &SnaPlan, at: usize, seed: u64) -> Self {
        let gap = plan.params.session[at].gap;
        let arrivals = gap.map(|gap| {
            (PoissonProcess::new(Time::ZERO, gap), RandomStream::named(seed, "messages", at as u64))
        });
        let pacing = plan.sessions[at].pacing.map(|(rule, _)| rule);
        let open = pacing.map_or(0, |rule| rule.allowance());
        Self {
            arrivals,
            pacing,
            queue: VecDeque::new(),
            window: Pool::unbounded(),
            open: Gauge::at(open),
            came: 0,
            boundary: plan.sessions[at].boundary.map(Boundary::new),
        }
    }

    /// Whether there is always another message.
    pub const fn is_saturated(&self) -> bool {
        self.arrivals.is_none()
    }

    /// Messages that wait for session-level pacing.
    pub fn waiting(&self) -> usize {
        self.queue.len()
    }

    fn measure(&mut self, now: Time) {
        let Some(rule) = &self.pacing else { return };
        self.window.hold(now, rule.outstanding());
        self.open.set(now, rule.allowance());
    }

    pub fn restart(&mut self, now: Time) {
        self.window.restart(now);
        self.open.restart(now);
        self.came = 0;
        self.boundary.iter_mut().for_each(|boundary| boundary.restart(now));
    }
}

impl<J: Journal> Subarea<J> {
    pub(super) fn begin_session(&mut self, session: usize, queue: &mut EventQueue<Event>) {
        if self.sessions[session].is_saturated() {
            let event = Event::Message { session: session as u32 };
            self.schedule(Time::ZERO, session, event, queue);
        } else {
            self.await_message(session, queue);
        }
    }

    fn await_message(&mut self, session: usize, queue: &mut EventQueue<Event>) {
        let Some((process, random)) = &mut self.sessions[session].arrivals else { return };
        let next = process.next(random);
        if next != Time::NEVER {
            self.schedule(next, session, Event::Message { session: session as u32 }, queue);
        }
    }

    /// A session has another message.
    pub(super) fn next_message(&mut self, now: Time, session: usize, queue: &mut EventQueue<Event>) {
        self.offer(now, session);
        self.await_message(session, queue);
        self.admit(now, self.plan.sessions[session].route, queue);
    }

    /// A message is born, and goes to its virtual route where session-level pacing lets it.
    pub(super) fn offer(&mut self, now: Time, session: usize) {
        let plan = &self.plan.sessions[session];
        self.monitor.born(now, plan.size);
        let message = self.messages;
        self.messages += 1;
        let (route, last) = (plan.route as u32, plan.segments.len() - 1);
        let segments: Vec<u32> = plan
            .segments
            .iter()
            .enumerate()
            .map(|(nth, &length)| {
                let segment = Segment {
                    message,
                    session: session as u32,
                    is_last: nth == last,
                    unit: Unit { number: 0, request: false },
                    session_unit: None,
                    admitted: now,
                };
                self.pius.insert(Piu {
                    cargo: Cargo::Data(segment),
                    route,
                    hop: 0,
                    sequence: 0,
                    round: 0,
                    told: false,
                    blocked: false,
                    length,
                    account: Account::open(now),
                })
            })
            .collect();
        let at = &mut self.sessions[session];
        at.came += 1;
        if at.pacing.is_none() {
            self.enqueue(now, route as usize, &segments);
        } else {
            at.queue.push_back(segments);
            at.window.start_waiting(now);
            self.pace(now, session);
        }
    }

    /// Lets messages go to their virtual route as session-level pacing permits.
    fn pace(&mut self, now: Time, session: usize) {
        let place = self.session_place(session);
        loop {
            let at = &mut self.sessions[session];
            let Some(rule) = at.pacing.as_mut().filter(|rule| rule.allowance() > 0) else { break };
            let Some(segments) = at.queue.pop_front() else { break };
            let unit = rule.send();
            at.window.stop_waiting(now);
            at.measure(now);
            for &piu in &segments {
                self.close(now, piu, Stage::SessionPacing, place);
                if let Cargo::Data(segment) = &mut self.pius[piu].cargo {
                    segment.session_unit = Some(unit);
                }
            }
            self.enqueue(now, self.plan.sessions[session].route, &segments);
        }
    }

    /// A response of session-level pacing has come.
    pub(super) fn session_answered(
        &mut self,
        now: Time,
        session: usize,
        answer: Answer,
        queue: &mut EventQueue<Event>,
    ) {
        let at = &mut self.sessions[session];
        let held = !at.queue.is_empty();
        let rule = at.pacing.as_mut().expect("only a session that is paced is answered");
        rule.answered(answer, held);
        at.measure(now);
        self.pace(now, session);
        self.admit(now, self.plan.sessions[session].route, queue);
    }
}
