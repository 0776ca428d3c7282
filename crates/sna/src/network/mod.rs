//! The machine of events: a file for each part of the network to which something happens.

mod boundary;
mod class_waits;
mod gauge;
mod node;
mod piu;
mod route;
mod session;
mod trunk;
mod turn;
mod unit;

use std::sync::Arc;

use hopscope_kernel::{Arena, EventQueue, Model, Order, Simulation};
use hopscope_measure::{DelayLabel, DelayUnit, Journal, MessageMonitor, MonitorLayout, RateUnit};
use hopscope_units::{Span, Time};

pub(crate) use boundary::Boundary;
pub(crate) use class_waits::ClassWaits;
pub(crate) use gauge::Gauge;
pub(crate) use node::Node;
pub(crate) use piu::{Cargo, Piu};
pub(crate) use route::Route;
pub(crate) use session::Session;
pub(crate) use trunk::Trunk;
pub(crate) use turn::Turn;
pub(crate) use unit::Unit;

use crate::plan::SnaPlan;
use crate::stage::Stage;

/// What happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// A session has another message.
    Message {
        /// The session.
        session: u32,
    },
    /// A node's processor has handled a PIU.
    Processed {
        /// The node.
        node: u32,
    },
    /// A line has sent a PIU.
    Sent {
        /// The direction of a transmission group.
        trunk: u32,
        /// Its line.
        line: u8,
    },
    /// A PIU arrives at the far end of a line.
    Arrived {
        /// The direction of a transmission group.
        trunk: u32,
        /// The PIU's place in the arena.
        piu: u32,
    },
    /// A line's sender knows that a PIU arrived in error.
    Again {
        /// The direction of a transmission group.
        trunk: u32,
        /// The PIU's place in the arena.
        piu: u32,
    },
    /// A unit has taken a message.
    Taken {
        /// The unit.
        unit: u32,
    },
    /// A unit that had stopped goes on.
    Resumed {
        /// The unit.
        unit: u32,
    },
    /// A sender has waited for an answer for as long as it does.
    TimedOut {
        /// The virtual route.
        route: u32,
        /// The count of its timer: an older one was stopped.
        count: u32,
    },
}

/// The delay from the first node's taking the PIU to the end of the message.
pub(crate) const TRANSIT: usize = 0;

/// A subarea network as a model. `J` records whole lives of messages; `()` records nothing.
#[derive(Debug)]
pub struct Subarea<J = ()> {
    pub(crate) plan: Arc<SnaPlan>,
    pub(crate) nodes: Vec<Node>,
    pub(crate) trunks: Vec<Trunk>,
    pub(crate) routes: Vec<Route>,
    pub(crate) sessions: Vec<Session>,
    pub(crate) units: Vec<Unit>,
    pius: Arena<Piu>,
    pub(crate) monitor: MessageMonitor,
    pub(crate) journal: J,
    /// The class of messages of each transmission priority.
    class_of: [usize; CLASSES.len()],
    /// Messages that have come.
    messages: u64,
    /// Counts of events, by source.
    counts: Vec<u32>,
}

/// The classes of messages: the transmission priorities.
pub(crate) const CLASSES: [&str; 3] = ["low", "medium", "high"];

impl<J: Journal> Subarea<J> {
    /// The model with its first events.
    #[must_use]
    pub fn simulation(plan: &Arc<SnaPlan>, seed: u64, journal: J) -> Simulation<Self> {
        let delay = |name| DelayLabel { name, unit: DelayUnit::Ms };
        let priorities = plan.classes();
        let classes: Vec<&str> = priorities.iter().map(|&priority| CLASSES[priority]).collect();
        let layout = MonitorLayout {
            latency: delay("latency"),
            series: &[delay("transit")],
            rate: RateUnit::MessagesPerS,
            ..MonitorLayout::new(Stage::LABELS, &classes)
        };
        let sources = plan.sources();
        let mut model = Self {
            nodes: (0..plan.params.node.len()).map(|at| Node::new(plan, at, seed)).collect(),
            trunks: (0..plan.trunks.len()).map(|at| Trunk::new(plan, at, seed)).collect(),
            routes: plan.routes.iter().map(Route::new).collect(),
            sessions: (0..plan.sessions.len()).map(|at| Session::new(plan, at, seed)).collect(),
            units: (0..plan.units.len()).map(|at| Unit::new(plan, at, seed)).collect(),
            pius: Arena::new(),
            monitor: MessageMonitor::new(layout),
            journal,
            class_of: std::array::from_fn(|priority| priorities.partition_point(|&used| used < priority)),
            messages: 0,
            counts: vec![0; sources],
            plan: Arc::clone(plan),
        };
        let mut queue = EventQueue::new();
        for route in 0..model.routes.len() {
            model.begin_route(route, &mut queue);
        }
        for session in 0..model.sessions.len() {
            model.begin_session(session, &mut queue);
        }
        Simulation::new(model, queue)
    }

    /// Schedules an event of a source after a delay.
    fn schedule(&mut self, at: Time, source: usize, event: Event, queue: &mut EventQueue<Event>) {
        let count = &mut self.counts[source];
        *count = count.wrapping_add(1);
        queue.schedule(at, Order::new(source as u32, *count), event);
    }

    /// Ends a stage of a PIU's life. Whole lives are recorded of messages with one copy.
    pub(crate) fn close(&mut self, now: Time, piu: u32, stage: Stage, place: u32) -> Span {
        let Piu { account, cargo, route, .. } = &mut self.pius[piu];
        let from = account.since();
        let spent = account.close(stage as usize, now);
        if let Cargo::Data(data) = cargo
            && data.is_last
            && !self.plan.routes[*route as usize].keeps_copies
            && spent > Span::ZERO
        {
            self.journal.stage(data.message, stage as usize, place, from, now);
        }
        spent
    }

    /// PIUs under way.
    pub(crate) fn under_way(&self) -> usize {
        self.pius.len()
    }
}

impl SnaPlan {
    /// The transmission priorities that sessions use.
    pub(crate) fn classes(&self) -> Vec<usize> {
        let used = |&priority: &usize| {
            self.sessions.iter().any(|session| self.routes[session.route].priority == priority)
        };
        (0..CLASSES.len()).filter(used).collect()
    }

    /// Sources of events, in this order: sessions, nodes, trunks, units, virtual routes.
    fn sources(&self) -> usize {
        self.route_source(0) + self.routes.len()
    }

    pub(crate) fn node_source(&self, node: usize) -> usize {
        self.sessions.len() + node
    }

    pub(crate) fn trunk_source(&self, trunk: usize) -> usize {
        self.node_source(self.params.node.len()) + trunk
    }

    pub(crate) fn unit_source(&self, unit: usize) -> usize {
        self.trunk_source(self.trunks.len()) + unit
    }

    pub(crate) fn route_source(&self, route: usize) -> usize {
        self.unit_source(self.units.len()) + route
    }
}

impl<J: Journal> Model for Subarea<J> {
    type Event = Event;

    fn handle(&mut self, now: Time, event: Event, queue: &mut EventQueue<Event>) {
        match event {
            Event::Message { session } => self.next_message(now, session as usize, queue),
            Event::Processed { node } => self.processed(now, node as usize, queue),
            Event::Sent { trunk, line } => self.sent(now, trunk as usize, line.into(), queue),
            Event::Arrived { trunk, piu } => self.arrived(now, trunk as usize, piu, queue),
            Event::Again { trunk, piu } => self.again(now, trunk as usize, piu, queue),
            Event::Taken { unit } => self.taken(now, unit as usize, queue),
            Event::Resumed { unit } => self.resumed(now, unit as usize, queue),
            Event::TimedOut { route, count } => self.timed_out(now, route as usize, count, queue),
        }
    }
}
