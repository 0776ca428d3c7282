//! Virtual routes: who may send next at their start, and what their end answers.

use std::collections::{BTreeMap, VecDeque};

use hopscope_kernel::EventQueue;
use hopscope_measure::{Account, Journal, Pool};
use hopscope_units::Time;

use super::{Cargo, Event, Gauge, Piu, Subarea};
use crate::plan::RoutePlan;
use crate::rule::{Answer, Arrival, ChosenRule, Receiver, Recovery, SendingRule};
use crate::stage::Stage;

/// The largest factor of the sender's wait after consecutive timeouts.
const MOST_BACKOFF: u64 = 16;

/// A virtual route while it works.
#[derive(Clone, Debug)]
pub(crate) struct Route {
    /// Whether it may be used.
    active: bool,
    pub rule: ChosenRule,
    pub receiver: Receiver,
    /// PIUs that wait for its window.
    pub queue: VecDeque<u32>,
    /// PIUs outstanding, and who waits.
    pub window: Pool,
    /// PIUs that may be sent besides.
    pub open: Gauge,
    /// The window as the rule has it.
    pub size: Gauge,
    /// What is outstanding, by number, to be sent again.
    copies: BTreeMap<u64, Piu>,
    /// What the end keeps that came before its turn, by number.
    early: BTreeMap<u64, u32>,
    /// The number of the next PIU that is given to its session.
    delivered: u64,
    /// The count of the running timer.
    timer: u32,
    backoff: u64,
    /// Timeouts in a row.
    pub timeouts: u32,
    /// PIUs sent again since the restart.
    pub repeated: u64,
    /// PIUs that have come to the end of the route since the restart, and those of them that were discarded: they came
    /// before their turn or once more.
    pub arrived: u64,
    pub in_vain: u64,
    /// The most that was ever outstanding.
    pub peak: u64,
}

impl Route {
    pub fn new(plan: &RoutePlan) -> Self {
        Self {
            active: !plan.activation,
            rule: plan.rule,
            receiver: plan.receiver.clone(),
            queue: VecDeque::new(),
            window: Pool::unbounded(),
            open: Gauge::at(plan.rule.allowance()),
            size: Gauge::at(plan.rule.window()),
            copies: BTreeMap::new(),
            early: BTreeMap::new(),
            delivered: 0,
            timer: 0,
            backoff: 1,
            timeouts: 0,
            repeated: 0,
            arrived: 0,
            in_vain: 0,
            peak: 0,
        }
    }

    fn measure(&mut self, now: Time) {
        let outstanding = self.rule.outstanding();
        self.window.hold(now, outstanding);
        assert!(outstanding <= self.rule.bound(), "{outstanding} PIUs are outstanding");
        self.peak = self.peak.max(outstanding);
        self.open.set(now, self.rule.allowance());
        self.size.set(now, self.rule.window());
    }

    pub fn restart(&mut self, now: Time) {
        self.window.restart(now);
        self.open.restart(now);
        self.size.restart(now);
        (self.repeated, self.arrived, self.in_vain) = (0, 0, 0);
    }
}

impl<J: Journal> Subarea<J> {
    /// PIUs wait for the window of their route.
    pub(super) fn enqueue(&mut self, now: Time, route: usize, pius: &[u32]) {
        for &piu in pius {
            self.routes[route].queue.push_back(piu);
            self.routes[route].window.start_waiting(now);
        }
    }

    /// Lets PIUs go as the rule permits, and as the first node has room.
    pub(super) fn admit(&mut self, now: Time, route: usize, queue: &mut EventQueue<Event>) {
        let first = self.plan.routes[route].nodes[0];
        let place = self.route_place(route);
        while let Some(&piu) = self.routes[route].queue.front() {
            if !self.routes[route].active || self.routes[route].rule.allowance() == 0 {
                break;
            }
            let is_blocked = self.pius[piu].blocked;
            if self.nodes[first].buffers.free() == 0 {
                if !is_blocked {
                    self.close(now, piu, Stage::VirtualRoute, place);
                    self.pius[piu].blocked = true;
                    self.nodes[first].buffers.start_waiting(now);
                }
                break;
            }
            let stage = if is_blocked { Stage::NodeBuffer } else { Stage::VirtualRoute };
            self.close(now, piu, stage, place);
            if is_blocked {
                self.pius[piu].blocked = false;
                self.nodes[first].buffers.stop_waiting(now);
            }
            self.let_go(now, route, piu, queue);
        }
    }

    fn let_go(&mut self, now: Time, route: usize, piu: u32, queue: &mut EventQueue<Event>) {
        let at = &mut self.routes[route];
        at.queue.pop_front();
        at.window.stop_waiting(now);
        let was_idle = at.rule.outstanding() == 0;
        let unit = at.rule.send();
        at.measure(now);
        let Cargo::Data(segment) = &mut self.pius[piu].cargo else {
            unreachable!("only data wait for a window")
        };
        (segment.unit, segment.admitted) = (unit, now);
        let segment = *segment;
        if self.plan.routes[route].keeps_copies {
            self.routes[route].copies.insert(unit.number, self.pius[piu]);
            if was_idle {
                self.start_timer(now, route, queue);
            }
        }
        self.take_buffer(now, self.plan.routes[route].nodes[0], queue);
        self.enter_node(now, piu, queue);
        if segment.is_last && self.sessions[segment.session as usize].is_saturated() {
            self.offer(now, segment.session as usize);
        }
    }

    /// Whether a PIU that has not left its first node was replaced by a later sending of its number, or has been
    /// acknowledged meanwhile.
    pub(super) fn is_stale(&self, piu: u32) -> bool {
        let piu = &self.pius[piu];
        let route = piu.route as usize;
        let Some(segment) = piu.segment().filter(|_| piu.hop == 0 && self.plan.routes[route].keeps_copies)
        else {
            return false;
        };
        let latest = self.routes[route].copies.get(&segment.unit.number);
        latest.is_none_or(|latest| latest.round != piu.round)
    }

    /// Takes a stale PIU out of its first node. Its route is not yet notified of the free buffer.
    pub(super) fn drop_stale(&mut self, now: Time, piu: u32) {
        let node = self.node_of(piu);
        self.pius.remove(piu);
        self.nodes[node].buffers.release(now, 1);
    }

    fn start_timer(&mut self, now: Time, route: usize, queue: &mut EventQueue<Event>) {
        let at = &mut self.routes[route];
        at.timer = at.timer.wrapping_add(1);
        let (count, backoff) = (at.timer, at.backoff);
        let ends = now + self.plan.params.virtual_route[route].timeout.times(backoff);
        let source = self.plan.route_source(route);
        self.schedule(ends, source, Event::TimedOut { route: route as u32, count }, queue);
    }

    pub(super) fn timed_out(&mut self, now: Time, route: usize, count: u32, queue: &mut EventQueue<Event>) {
        let at = &mut self.routes[route];
        if count != at.timer || at.rule.outstanding() == 0 {
            return;
        }
        at.backoff = MOST_BACKOFF.min(2 * at.backoff);
        at.timeouts += 1;
        let recovery = at.rule.timed_out();
        self.recover(now, route, recovery, queue);
        self.start_timer(now, route, queue);
    }

    /// Sends again what may be lost.
    fn recover(&mut self, now: Time, route: usize, recovery: Recovery, queue: &mut EventQueue<Event>) {
        let again: Vec<Piu> = match recovery {
            Recovery::Nothing => return,
            Recovery::From(number) => {
                self.routes[route].copies.range(number..).map(|(_, &piu)| piu).collect()
            }
            Recovery::One(number) => self.routes[route].copies.get(&number).into_iter().copied().collect(),
        };
        let first = self.plan.routes[route].nodes[0];
        for mut copy in again {
            if self.nodes[first].buffers.free() == 0 {
                break; // The timer tries again.
            }
            copy.round = copy.round.wrapping_add(1);
            let number = copy.segment().expect("only data are sent again").unit.number;
            self.routes[route].copies.insert(number, copy);
            self.routes[route].repeated += 1;
            let piu = self.pius.insert(copy);
            let place = self.route_place(route);
            self.close(now, piu, Stage::Retransmission, place);
            self.take_buffer(now, first, queue);
            self.enter_node(now, piu, queue);
        }
    }

    /// An answer has come back to the start of its route.
    pub(super) fn answered(
        &mut self,
        now: Time,
        route: usize,
        answer: Answer,
        queue: &mut EventQueue<Event>,
    ) {
        let at = &mut self.routes[route];
        let held = !at.queue.is_empty() && at.rule.allowance() == 0;
        let before = at.rule.outstanding();
        let recovery = at.rule.answered(answer, held);
        at.measure(now);
        let outstanding = at.rule.outstanding();
        if self.plan.routes[route].keeps_copies {
            while self.routes[route].copies.len() as u64 > outstanding {
                self.routes[route].copies.pop_first();
            }
            if outstanding < before {
                (self.routes[route].backoff, self.routes[route].timeouts) = (1, 0);
                self.start_timer(now, route, queue);
            }
            self.recover(now, route, recovery, queue);
        }
        self.admit(now, route, queue);
    }

    /// A PIU has come to the end of its route.
    pub(super) fn reached_end(&mut self, now: Time, piu: u32, queue: &mut EventQueue<Event>) {
        let Piu { route, told, .. } = self.pius[piu];
        let segment = self.pius[piu].segment().expect("answers go the other way");
        let (route, end) = (route as usize, self.pius[piu].hop);
        let last = self.plan.routes[route].nodes[end as usize];
        let mut answers = Vec::new();
        // The last free buffer is left to the PIU that is missing.
        let may_keep = self.nodes[last].buffers.free() > 0;
        self.routes[route].arrived += 1;
        match self.routes[route].receiver.arrived(segment.unit, told, may_keep, &mut answers) {
            Arrival::Discarded => {
                self.routes[route].in_vain += 1;
                self.pius.remove(piu);
                self.free_buffer(now, last, queue);
            }
            Arrival::Early => {
                self.routes[route].early.insert(segment.unit.number, piu);
            }
            Arrival::InOrder { kept } => {
                self.deliver(now, piu, queue);
                for number in segment.unit.number + 1..=segment.unit.number + kept {
                    let early = self.routes[route].early.remove(&number).expect("what came early is kept");
                    self.deliver(now, early, queue);
                }
            }
        }
        for answer in answers {
            self.answer(now, route, Cargo::Answer(answer), queue);
        }
    }

    /// Sends an answer from the end of a route to its start.
    pub(super) fn answer(&mut self, now: Time, route: usize, cargo: Cargo, queue: &mut EventQueue<Event>) {
        let end = (self.plan.routes[route].nodes.len() - 1) as u8;
        let piu = self.control(now, route, end, cargo);
        self.pass_answer(now, piu, queue);
    }

    /// A PIU without data at a node of its route.
    fn control(&mut self, now: Time, route: usize, hop: u8, cargo: Cargo) -> u32 {
        self.pius.insert(Piu {
            cargo,
            route: route as u32,
            hop,
            sequence: 0,
            round: 0,
            told: false,
            blocked: false,
            length: self.plan.params.header.answer,
            account: Account::open(now),
        })
    }

    /// Sends the activation of a route that needs one.
    pub(super) fn begin_route(&mut self, route: usize, queue: &mut EventQueue<Event>) {
        if self.plan.routes[route].activation {
            let piu = self.control(Time::ZERO, route, 0, Cargo::Activation);
            self.pass_activation(Time::ZERO, piu, queue);
        }
    }

    /// An activation is in a node on the path to the end of its route, which answers it.
    pub(super) fn pass_activation(&mut self, now: Time, piu: u32, queue: &mut EventQueue<Event>) {
        let Piu { route, hop, .. } = self.pius[piu];
        match self.plan.routes[route as usize].forward.get(usize::from(hop)).copied() {
            Some(trunk) => self.enter_trunk(now, trunk, piu, queue),
            None => {
                self.pius.remove(piu);
                self.answer(now, route as usize, Cargo::Activated, queue);
            }
        }
    }

    /// The response to its activation has come: a route may be used.
    pub(super) fn activated(&mut self, now: Time, route: usize, queue: &mut EventQueue<Event>) {
        self.routes[route].active = true;
        self.admit(now, route, queue);
    }

    /// Gives a PIU to its session, each once and in the order in which they were sent.
    fn deliver(&mut self, now: Time, piu: u32, queue: &mut EventQueue<Event>) {
        let route = self.pius[piu].route as usize;
        let segment = self.pius[piu].segment().expect("answers are not delivered");
        let last = *self.plan.routes[route].nodes.last().expect("a route has nodes");
        assert_eq!(segment.unit.number, self.routes[route].delivered, "each PIU once and in order");
        self.routes[route].delivered += 1;
        let place = self.route_place(route);
        self.close(now, piu, Stage::Resequencing, place);
        match self.plan.sessions[segment.session as usize].unit {
            Some(_) if segment.is_last && self.sessions[segment.session as usize].boundary.is_some() => {
                self.enter_boundary(now, segment.session as usize, piu, queue);
            }
            Some(unit) if segment.is_last => self.enter_unit(now, unit, piu, queue),
            Some(_) => {
                self.pius.remove(piu);
                self.free_buffer(now, last, queue);
            }
            None => {
                self.took(
                    now,
                    segment.session as usize,
                    segment.session_unit.filter(|_| segment.is_last),
                    queue,
                );
                if segment.is_last {
                    self.complete(now, piu);
                }
                self.pius.remove(piu);
                self.free_buffer(now, last, queue);
            }
        }
    }

    /// A message is over.
    pub(super) fn complete(&mut self, now: Time, piu: u32) {
        let Piu { account, .. } = &self.pius[piu];
        let segment = self.pius[piu].segment().expect("messages are over, not answers");
        let session = &self.plan.sessions[segment.session as usize];
        let priority = self.plan.routes[session.route].priority;
        self.monitor.delivered(now, self.class_of[priority], account.total(), account, session.size);
        self.monitor.sample(now, super::TRANSIT, now.since(segment.admitted));
    }

    /// The end node of a route is severely congested, or is so no more.
    pub(super) fn end_becomes(
        &mut self,
        now: Time,
        route: usize,
        congested: bool,
        queue: &mut EventQueue<Event>,
    ) {
        if let Some(answer) = self.routes[route].receiver.becomes(congested) {
            self.answer(now, route, Cargo::Answer(answer), queue);
        }
    }
}
