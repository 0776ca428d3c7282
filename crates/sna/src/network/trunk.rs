//! Transmission groups: parallel lines, priorities, errors, order.

use std::collections::{BTreeMap, VecDeque};

use hopscope_kernel::{EventQueue, RandomStream};
use hopscope_measure::{Journal, Pool};
use hopscope_units::{Rate, Span, Time};

use super::{ClassWaits, Event, Gauge, Subarea, Turn};
use crate::params::Recovery;
use crate::plan::SnaPlan;
use crate::stage::Stage;

/// Transmission priorities.
pub(super) const PRIORITIES: usize = 3;

/// A line of a group, in one direction.
#[derive(Clone, Debug)]
struct Line {
    rate: Rate,
    propagation: Span,
    errors: f64,
    random: RandomStream,
    sending: Option<u32>,
}

/// One direction of a transmission group while it works.
#[derive(Clone, Debug)]
pub(crate) struct Trunk {
    /// Its lines, and who waits for one.
    pub busy: Pool,
    lines: Vec<Line>,
    recovery: Recovery,
    /// What was in error and is sent before anything else.
    repeats: VecDeque<u32>,
    /// What waits, by transmission priority.
    queues: [VecDeque<u32>; PRIORITIES],
    /// Numbers given and numbers that have left the group in order.
    given: u64,
    left: u64,
    /// PIUs at the far end that wait for those before them, by number.
    early: BTreeMap<u64, u32>,
    /// Frames sent and lost since the restart.
    pub sent: u64,
    pub lost: u64,
    /// Time spent sending, by priority, since the restart.
    pub sending_ps: [u128; PRIORITIES],
    /// Of that the time for answers.
    pub answers_ps: u128,
    /// Which priorities wait behind which, where there are several.
    pub classes: Option<Box<ClassWaits>>,
    /// The message that is sent.
    turn: Turn,
    /// Lines that are idle although something waits, since the next node has no buffer for it.
    pub stopped: Gauge,
}

impl Trunk {
    pub fn new(plan: &SnaPlan, at: usize, seed: u64) -> Self {
        let group = &plan.params.group[plan.trunks[at].group];
        let line = |(number, params): (usize, &crate::params::LineParams)| Line {
            rate: params.rate,
            propagation: params.propagation,
            errors: params.errors,
            random: RandomStream::named(seed, "line errors", (at * SnaPlan::LINES + number) as u64),
            sending: None,
        };
        Self {
            busy: Pool::bounded(group.line.len() as u64),
            lines: group.line.iter().enumerate().map(line).collect(),
            recovery: group.recovery,
            repeats: VecDeque::new(),
            queues: Default::default(),
            given: 0,
            left: 0,
            early: BTreeMap::new(),
            sent: 0,
            lost: 0,
            sending_ps: [0; PRIORITIES],
            answers_ps: 0,
            classes: plan.shares_priorities().then(|| Box::new(ClassWaits::of(group.line.len() as u64))),
            turn: Turn::default(),
            stopped: Gauge::at(0),
        }
    }

    /// PIUs that wait for a line.
    pub fn waiting(&self) -> usize {
        self.repeats.len() + self.queues.iter().map(VecDeque::len).sum::<usize>()
    }

    pub fn restart(&mut self, now: Time) {
        self.busy.restart(now);
        self.stopped.restart(now);
        (self.sent, self.lost, self.sending_ps, self.answers_ps) = (0, 0, [0; PRIORITIES], 0);
        self.classes.iter_mut().for_each(|classes| classes.restart(now));
    }
}

impl SnaPlan {
    const LINES: usize = crate::params::SnaParams::MOST_LINES;
}

impl<J: Journal> Subarea<J> {
    /// A PIU waits for a line of a group.
    pub(super) fn enter_trunk(&mut self, now: Time, trunk: usize, piu: u32, queue: &mut EventQueue<Event>) {
        let priority = self.plan.routes[self.pius[piu].route as usize].priority;
        let is_data = self.pius[piu].is_data();
        let at = &mut self.trunks[trunk];
        at.classes.iter_mut().filter(|_| is_data).for_each(|classes| classes.wait(now, priority));
        at.queues[priority].push_back(piu);
        at.busy.start_waiting(now);
        self.start_lines(now, trunk, queue);
    }

    /// Every free line takes the next PIU.
    pub(super) fn start_lines(&mut self, now: Time, trunk: usize, queue: &mut EventQueue<Event>) {
        let mut has_dropped = false;
        while let Some(line) = self.trunks[trunk].lines.iter().position(|line| line.sending.is_none()) {
            has_dropped |= self.drop_stale_on(now, trunk);
            let Some((piu, is_repeat)) = self.next_on(now, trunk) else { break };
            self.transmit(now, trunk, line, piu, is_repeat, queue);
        }
        let at = &mut self.trunks[trunk];
        let idle = if at.waiting() > 0 { at.busy.free() } else { 0 };
        at.stopped.set(now, idle);
        if has_dropped {
            self.has_room(now, self.plan.trunks[trunk].from, queue);
        }
    }

    /// Drops what is first in a queue and is stale. Says whether anything was.
    fn drop_stale_on(&mut self, now: Time, trunk: usize) -> bool {
        let mut has_dropped = false;
        for priority in 0..PRIORITIES {
            while let Some(&piu) = self.trunks[trunk].queues[priority].front() {
                if !self.is_stale(piu) {
                    break;
                }
                let at = &mut self.trunks[trunk];
                at.queues[priority].pop_front();
                at.busy.stop_waiting(now);
                at.classes.iter_mut().for_each(|classes| classes.leave(now, priority));
                if self.pius[piu].blocked {
                    self.nodes[self.plan.trunks[trunk].to].buffers.stop_waiting(now);
                }
                self.drop_stale(now, piu);
                has_dropped = true;
            }
        }
        has_dropped
    }

    /// The PIU that is sent next, and whether it is sent again: what was in error first, then by priority. Where the
    /// next node has no buffer, data wait and answers go.
    fn next_on(&mut self, now: Time, trunk: usize) -> Option<(u32, bool)> {
        if let Some(piu) = self.trunks[trunk].repeats.pop_front() {
            return Some((piu, true));
        }
        let far = self.plan.trunks[trunk].to;
        let has_room = self.nodes[far].buffers.free() > 0;
        for priority in (0..PRIORITIES).rev() {
            let waiting = &mut self.trunks[trunk].queues[priority];
            let pius = &self.pius;
            let may_go = |&&piu: &&u32| has_room || !pius[piu].is_data();
            if let Some(at) = waiting.iter().position(|piu| may_go(&piu)) {
                return waiting.remove(at).map(|piu| (piu, false));
            }
            if let Some(&piu) = waiting.front()
                && !self.pius[piu].blocked
            {
                self.close(now, piu, Stage::LineWait, self.trunk_place(trunk));
                self.pius[piu].blocked = true;
                self.nodes[far].buffers.start_waiting(now);
            }
        }
        None
    }

    fn transmit(
        &mut self,
        now: Time,
        trunk: usize,
        line: usize,
        piu: u32,
        is_repeat: bool,
        queue: &mut EventQueue<Event>,
    ) {
        let (far, place) = (self.plan.trunks[trunk].to, self.trunk_place(trunk));
        let is_blocked = std::mem::take(&mut self.pius[piu].blocked);
        let stage = match (is_repeat, is_blocked) {
            (true, _) => Stage::Retransmission,
            (false, true) => Stage::NodeBuffer,
            (false, false) => Stage::LineWait,
        };
        let own = self.trunks[trunk].turn.take(now, self.pius[piu].segment().map(|segment| segment.message));
        if stage == Stage::LineWait {
            self.close_wait(now, piu, [stage, Stage::Transmission], place, own);
        } else {
            self.close(now, piu, stage, place);
        }
        if is_blocked {
            self.nodes[far].buffers.stop_waiting(now);
        }
        let is_data = self.pius[piu].is_data();
        let at = &mut self.trunks[trunk];
        at.busy.stop_waiting(now);
        at.busy.acquire(now, 1);
        at.sent += 1;
        if !is_repeat {
            self.pius[piu].sequence = at.given;
            at.given += 1;
        }
        let priority = self.plan.routes[self.pius[piu].route as usize].priority;
        let spent = at.lines[line].rate.time_for(self.pius[piu].length);
        at.sending_ps[priority] += u128::from(spent.ps());
        at.answers_ps += if is_data { 0 } else { u128::from(spent.ps()) };
        for classes in at.classes.iter_mut() {
            if is_data && !is_repeat {
                classes.leave(now, priority);
            }
            classes.begin(now, priority);
        }
        at.lines[line].sending = Some(piu);
        if !is_repeat && is_data {
            self.take_buffer(now, far, queue);
        }
        let source = self.plan.trunk_source(trunk);
        self.schedule(now + spent, source, Event::Sent { trunk: trunk as u32, line: line as u8 }, queue);
    }

    /// A line has sent a PIU: it is in transit, or was hit by an error.
    pub(super) fn sent(&mut self, now: Time, trunk: usize, line: usize, queue: &mut EventQueue<Event>) {
        let at = &mut self.trunks[trunk];
        at.busy.release(now, 1);
        let Line { propagation, errors, random, sending, .. } = &mut at.lines[line];
        let (piu, propagation) = (sending.take().expect("the line was sending"), *propagation);
        let is_lost = *errors > 0.0 && random.chance(*errors);
        at.lost += u64::from(is_lost);
        let priority = self.plan.routes[self.pius[piu].route as usize].priority;
        at.classes.iter_mut().for_each(|classes| classes.end(now, priority));
        let recovery = at.recovery;
        self.close(now, piu, Stage::Transmission, self.trunk_place(trunk));
        let source = self.plan.trunk_source(trunk);
        let (index, is_data) = (trunk as u32, self.pius[piu].is_data());
        if is_lost && recovery == Recovery::Line {
            let known = now + propagation.times(2);
            self.schedule(known, source, Event::Again { trunk: index, piu }, queue);
        } else {
            if is_lost {
                self.pius.remove(piu);
            } else {
                self.schedule(now + propagation, source, Event::Arrived { trunk: index, piu }, queue);
            }
            if is_lost && is_data {
                self.free_buffer(now, self.plan.trunks[trunk].to, queue);
            }
            if is_data {
                self.free_buffer(now, self.plan.trunks[trunk].from, queue);
            }
        }
        self.start_lines(now, trunk, queue);
    }

    /// A line's sender knows that a PIU was in error, and sends it again before anything else.
    pub(super) fn again(&mut self, now: Time, trunk: usize, piu: u32, queue: &mut EventQueue<Event>) {
        let at = &mut self.trunks[trunk];
        at.repeats.push_back(piu);
        at.busy.start_waiting(now);
        self.start_lines(now, trunk, queue);
    }

    /// A PIU arrives at the far end of a line, and leaves the group after those that entered it before.
    pub(super) fn arrived(&mut self, now: Time, trunk: usize, piu: u32, queue: &mut EventQueue<Event>) {
        self.close(now, piu, Stage::Transit, self.trunk_place(trunk));
        let at = &mut self.trunks[trunk];
        if at.recovery == Recovery::End {
            self.leave_group(now, trunk, piu, queue);
            return;
        }
        at.early.insert(self.pius[piu].sequence, piu);
        loop {
            let at = &mut self.trunks[trunk];
            let Some(next) = at.early.remove(&at.left) else { return };
            at.left += 1;
            self.leave_group(now, trunk, next, queue);
        }
    }

    fn leave_group(&mut self, now: Time, trunk: usize, piu: u32, queue: &mut EventQueue<Event>) {
        self.close(now, piu, Stage::Resequencing, self.trunk_place(trunk));
        let at = &mut self.pius[piu];
        if !at.goes_back() {
            at.hop += 1;
            if at.is_data() {
                self.enter_node(now, piu, queue);
            } else {
                self.pass_activation(now, piu, queue);
            }
        } else {
            at.hop -= 1;
            self.pass_answer(now, piu, queue);
        }
    }
}
