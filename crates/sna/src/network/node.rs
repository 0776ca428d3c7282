//! Subarea nodes: processors, buffers, congestion.

use std::collections::VecDeque;

use hopscope_kernel::{EventQueue, Exponential, RandomStream};
use hopscope_measure::{Journal, Pool};
use hopscope_units::{Span, Time};

use super::{Cargo, Event, Subarea, Turn};
use crate::params::Service;
use crate::plan::SnaPlan;
use crate::rule::Answer;
use crate::stage::Stage;

/// Draws service times.
#[derive(Clone, Debug)]
pub(crate) enum ServiceTimes {
    Exponential(Exponential, RandomStream),
    Fixed(Span),
}

impl ServiceTimes {
    pub fn new(service: Service, seed: u64, stream: &str, index: usize) -> Self {
        match service {
            Service::Exponential(mean) => {
                Self::Exponential(Exponential::new(mean), RandomStream::named(seed, stream, index as u64))
            }
            Service::Fixed(time) => Self::Fixed(time),
        }
    }

    pub fn sample(&mut self) -> Span {
        match self {
            Self::Exponential(exponential, random) => exponential.sample(random),
            Self::Fixed(time) => *time,
        }
    }

    /// Whether it never takes any time.
    pub const fn is_nothing(&self) -> bool {
        matches!(self, Self::Fixed(time) if time.ps() == 0)
    }
}

/// A node while it works.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub processor: Pool,
    queue: VecDeque<u32>,
    serving: Option<u32>,
    /// The message that is handled.
    turn: Turn,
    pub service: ServiceTimes,
    /// Buffers, held by the PIUs in the node and in transit to it.
    pub buffers: Pool,
    moderate: u64,
    severe: u64,
    is_severe: bool,
    /// PIUs with data that have passed since the restart, and those of them that were marked for congestion.
    pub passed: u64,
    pub told: u64,
    /// Directions of transmission groups that lead here.
    inbound: Vec<usize>,
    /// Virtual routes that begin here.
    begin: Vec<usize>,
    /// Virtual routes that end here.
    end: Vec<usize>,
}

impl Node {
    pub fn new(plan: &SnaPlan, at: usize, seed: u64) -> Self {
        let params = &plan.params.node[at];
        let threshold = |count: Option<u32>| count.map_or(u64::MAX, u64::from);
        let routes = |is_meant: fn(&[usize]) -> Option<&usize>| {
            let all = plan.routes.iter().enumerate();
            all.filter(|(_, route)| is_meant(&route.nodes) == Some(&at)).map(|(route, _)| route).collect()
        };
        Self {
            processor: Pool::bounded(1),
            queue: VecDeque::new(),
            serving: None,
            turn: Turn::default(),
            service: ServiceTimes::new(params.service, seed, "node", at),
            buffers: params.buffers.map_or(Pool::unbounded(), |count| Pool::bounded(u64::from(count))),
            moderate: threshold(params.moderate),
            severe: threshold(params.severe),
            is_severe: false,
            passed: 0,
            told: 0,
            inbound: (0..plan.trunks.len()).filter(|&trunk| plan.trunks[trunk].to == at).collect(),
            begin: routes(<[usize]>::first),
            end: routes(<[usize]>::last),
        }
    }

    /// PIUs that wait for the processor.
    pub fn waiting(&self) -> usize {
        self.queue.len()
    }

    pub fn restart(&mut self, now: Time) {
        self.processor.restart(now);
        self.buffers.restart(now);
        (self.passed, self.told) = (0, 0);
    }
}

impl<J: Journal> Subarea<J> {
    /// The node where a PIU is.
    pub(super) fn node_of(&self, piu: u32) -> usize {
        let piu = &self.pius[piu];
        self.plan.routes[piu.route as usize].nodes[piu.hop as usize]
    }

    /// A PIU with data has come into a node.
    pub(super) fn enter_node(&mut self, now: Time, piu: u32, queue: &mut EventQueue<Event>) {
        let node = self.node_of(piu);
        let at = &mut self.nodes[node];
        if at.service.is_nothing() {
            self.pass(now, piu, queue);
        } else if at.processor.free() > 0 {
            self.process(now, node, piu, queue);
        } else {
            at.processor.start_waiting(now);
            at.queue.push_back(piu);
        }
    }

    fn process(&mut self, now: Time, node: usize, piu: u32, queue: &mut EventQueue<Event>) {
        let message = self.pius[piu].segment().map(|segment| segment.message);
        let own = self.nodes[node].turn.take(now, message);
        self.close_wait(now, piu, [Stage::NodeWait, Stage::NodeProcessing], node as u32, own);
        let at = &mut self.nodes[node];
        at.processor.acquire(now, 1);
        at.serving = Some(piu);
        let ends = now + at.service.sample();
        let source = self.plan.node_source(node);
        self.schedule(ends, source, Event::Processed { node: node as u32 }, queue);
    }

    pub(super) fn processed(&mut self, now: Time, node: usize, queue: &mut EventQueue<Event>) {
        let at = &mut self.nodes[node];
        at.processor.release(now, 1);
        let piu = at.serving.take().expect("the processor was handling a PIU");
        let mut has_dropped = false;
        while let Some(next) = self.nodes[node].queue.pop_front() {
            self.nodes[node].processor.stop_waiting(now);
            if !self.is_stale(next) {
                self.process(now, node, next, queue);
                break;
            }
            self.drop_stale(now, next);
            has_dropped = true;
        }
        self.close(now, piu, Stage::NodeProcessing, node as u32);
        self.pass(now, piu, queue);
        if has_dropped {
            self.has_room(now, node, queue);
        }
    }

    /// A PIU with data leaves its node's processor, which marks it for congestion.
    fn pass(&mut self, now: Time, piu: u32, queue: &mut EventQueue<Event>) {
        let number = self.node_of(piu);
        let node = &mut self.nodes[number];
        let held = node.buffers.held();
        node.passed += 1;
        node.told += u64::from(held >= node.moderate.min(node.severe));
        let congested = held >= node.moderate;
        let at = &mut self.pius[piu];
        at.told |= congested;
        let route = &self.plan.routes[at.route as usize];
        match route.forward.get(at.hop as usize).copied() {
            Some(trunk) => self.enter_trunk(now, trunk, piu, queue),
            None => self.reached_end(now, piu, queue),
        }
    }

    /// An answer is in a node on its return path, which marks it for severe congestion.
    pub(super) fn pass_answer(&mut self, now: Time, piu: u32, queue: &mut EventQueue<Event>) {
        let is_severe = self.nodes[self.node_of(piu)].is_severe;
        let at = &mut self.pius[piu];
        if let (true, Cargo::Answer(Answer::Response { reset, .. })) = (is_severe, &mut at.cargo) {
            *reset = true;
        }
        let (route, hop, cargo) = (at.route as usize, at.hop as usize, at.cargo);
        if hop > 0 {
            let trunk = self.plan.routes[route].back[hop - 1];
            self.enter_trunk(now, trunk, piu, queue);
            return;
        }
        self.pius.remove(piu);
        match cargo {
            Cargo::Answer(answer) => self.answered(now, route, answer, queue),
            Cargo::SessionAnswer { session, answer } => {
                self.session_answered(now, session as usize, answer, queue);
            }
            Cargo::Activated => self.activated(now, route, queue),
            Cargo::Data(_) | Cargo::Activation => unreachable!("data do not go back"),
        }
    }

    /// A PIU takes a buffer of a node.
    pub(super) fn take_buffer(&mut self, now: Time, node: usize, queue: &mut EventQueue<Event>) {
        self.nodes[node].buffers.acquire(now, 1);
        self.look_for_congestion(now, node, queue);
    }

    /// A PIU gives its buffer back: what waits for one may come.
    pub(super) fn free_buffer(&mut self, now: Time, node: usize, queue: &mut EventQueue<Event>) {
        self.nodes[node].buffers.release(now, 1);
        self.look_for_congestion(now, node, queue);
        if self.nodes[node].buffers.capacity().is_none() {
            return;
        }
        self.has_room(now, node, queue);
    }

    /// A node has a free buffer, which lines to it and routes from it may have waited for.
    pub(super) fn has_room(&mut self, now: Time, node: usize, queue: &mut EventQueue<Event>) {
        for nth in 0..self.nodes[node].inbound.len() {
            self.start_lines(now, self.nodes[node].inbound[nth], queue);
        }
        for nth in 0..self.nodes[node].begin.len() {
            self.admit(now, self.nodes[node].begin[nth], queue);
        }
    }

    /// The ends of virtual routes are notified when a node becomes severely congested, or is so no longer.
    fn look_for_congestion(&mut self, now: Time, node: usize, queue: &mut EventQueue<Event>) {
        let at = &mut self.nodes[node];
        let is_severe = at.buffers.held() >= at.severe;
        if is_severe == at.is_severe {
            return;
        }
        at.is_severe = is_severe;
        for nth in 0..self.nodes[node].end.len() {
            self.end_becomes(now, self.nodes[node].end[nth], is_severe, queue);
        }
    }
}
