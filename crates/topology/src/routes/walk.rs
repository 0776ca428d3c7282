//! The states that packets to a destination pass, farthest first.

use hopscope_kernel::step;

use crate::graph::{Network, Port, SwitchId};
use crate::routes::{PortSet, Routes};

/// A packet at a switch, in a phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct State {
    pub switch: SwitchId,
    pub phase: u8,
}

/// Follows the tables from every switch with hosts to one destination after another.
pub(crate) struct RouteWalk<'a> {
    routes: &'a Routes,
    sources: Vec<SwitchId>,
    phases: usize,
    to: SwitchId,
    /// The next hops by state.
    column: Vec<PortSet>,
    /// The links left to the destination, by state; nothing for a state not met yet.
    left: Vec<Option<u16>>,
    /// Whether a state stands in `by_distance` already.
    queued: Vec<bool>,
    by_distance: Vec<Vec<State>>,
    order: Vec<State>,
    walked: Vec<State>,
}

impl<'a> RouteWalk<'a> {
    pub fn new(network: &Network, routes: &'a Routes) -> Self {
        let hosts = network.hosts_per_switch();
        let phases = usize::from(routes.phase_count());
        let states = network.switches().len() * phases;
        Self {
            routes,
            sources: network.switch_ids().filter(|id| hosts[id.index()] > 0).collect(),
            phases,
            to: SwitchId::new(0),
            column: Vec::with_capacity(states),
            left: vec![None; states],
            queued: vec![false; states],
            by_distance: Vec::new(),
            order: Vec::new(),
            walked: Vec::new(),
        }
    }

    /// The switches with hosts: all sources and destinations there are.
    pub fn sources(&self) -> &[SwitchId] {
        &self.sources
    }

    /// How many states there are, met or not.
    pub fn state_count(&self) -> usize {
        self.left.len()
    }

    /// The index of a state, for a dense vector.
    #[inline]
    pub fn index(&self, state: State) -> usize {
        state.switch.index() * self.phases + usize::from(state.phase)
    }

    /// The links from a state on a way to the destination.
    pub fn distance(&self, state: State) -> u16 {
        self.left[self.index(state)].expect("a state on a way to the destination")
    }

    /// The set of next hops of a state.
    #[inline]
    pub fn set(&self, state: State) -> PortSet {
        self.column[self.index(state)]
    }

    /// The ports of the next hops of a state.
    #[inline]
    pub fn ports(&self, state: State) -> &'a [Port] {
        self.routes.ports_of(self.set(state))
    }

    /// The virtual channels of the next hops of a state, as [`Routes::next_channels`] numbers them.
    #[inline]
    pub fn channels(&self, state: State) -> &'a [Port] {
        self.routes.channels_of(self.set(state))
    }

    /// Where a port leads from a state.
    #[inline]
    pub fn step(&self, state: State, port: Port) -> State {
        let (switch, phase) = self.routes.step(state.switch, port);
        State { switch, phase }
    }

    /// The states next on the way from one, at the destination itself perhaps.
    pub fn next(&self, state: State) -> impl ExactSizeIterator<Item = State> + use<'a> {
        let (routes, switch) = (self.routes, state.switch);
        self.ports(state).iter().map(move |port| {
            let (switch, phase) = routes.step(switch, *port);
            State { switch, phase }
        })
    }

    /// All states that packets from any source to the destination pass before they are there, farthest first.
    pub fn order(&self) -> &[State] {
        &self.order
    }

    /// Follows the tables to a destination with hosts; everything else answers for it from now on.
    pub fn towards(&mut self, to: SwitchId) {
        step("following routes");
        self.to = to;
        self.routes.column(to, &mut self.column);
        self.left.fill(None);
        self.queued.fill(false);
        for source in 0..self.sources.len() {
            let state = State { switch: self.sources[source], phase: 0 };
            if state.switch != to {
                let distance = self.walk(state);
                self.queue(state, distance);
            }
        }
        self.order.clear();
        for distance in (1..self.by_distance.len()).rev() {
            let mut states = std::mem::take(&mut self.by_distance[distance]);
            for &state in &states {
                for next in self.next(state) {
                    if next.switch != to {
                        self.queue(next, distance as u16 - 1);
                    }
                }
            }
            self.order.append(&mut states);
            self.by_distance[distance] = states;
        }
    }

    fn queue(&mut self, state: State, distance: u16) {
        let index = self.index(state);
        if !self.queued[index] {
            self.queued[index] = true;
            self.left[index] = Some(distance);
            let place = usize::from(distance);
            if self.by_distance.len() <= place {
                self.by_distance.resize_with(place + 1, Vec::new);
            }
            self.by_distance[place].push(state);
        }
    }

    /// Walks by first next hops until a distance is known, and notes it for every state on the way.
    fn walk(&mut self, from: State) -> u16 {
        let mut at = from;
        let mut distance = loop {
            if at.switch == self.to {
                break 0;
            }
            if let Some(known) = self.left[self.index(at)] {
                break known;
            }
            self.walked.push(at);
            at = self.next(at).next().expect("the tables lead to every destination");
        };
        while let Some(state) = self.walked.pop() {
            distance += 1;
            let index = self.index(state);
            self.left[index] = Some(distance);
        }
        distance
    }
}
