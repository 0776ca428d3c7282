//! What passes the root of up*/down* routes.

use crate::graph::{Network, SwitchId};
use crate::routes::Routes;
use crate::routes::walk::{RouteWalk, State};

use super::demand::{Demands, Target};

/// What passes the root of up*/down* routes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RootShare {
    /// The root.
    pub root: SwitchId,
    /// The share of all traffic that passes it where packets part evenly among their routes.
    pub passing: f64,
    /// The share of all traffic that has no legal shortest route around it.
    pub unavoidable: f64,
    /// Of what cannot avoid it: bits a second at load 1 that come in from other switches.
    pub entering: f64,
    /// Of what cannot avoid it: bits a second at load 1 that leave for other switches.
    pub leaving: f64,
}

/// Of the traffic for a target, in bits a second at load 1.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ByRoot {
    passing: f64,
    unavoidable: f64,
    entering: f64,
    leaving: f64,
}

/// Computes the traffic through the root, target by target.
pub(super) struct RootCounter {
    root: SwitchId,
    /// By state, for the switch at hand: the share that passes the root, and the least share that can.
    shares: Vec<(f64, f64)>,
    counted: Option<SwitchId>,
}

impl RootCounter {
    /// A counter; nothing where routes have no root.
    pub fn new(network: &Network, routes: &Routes) -> Option<Self> {
        let states = network.switches().len() * usize::from(routes.phase_count());
        Some(Self { root: routes.root()?, shares: vec![(0.0, 0.0); states], counted: None })
    }

    /// The traffic through the root to the target of the walk.
    pub fn of(&mut self, walk: &RouteWalk<'_>, demands: &Demands, target: &Target) -> ByRoot {
        if self.counted != Some(target.switch) {
            self.counted = Some(target.switch);
            self.follow(walk, target.switch);
        }
        let (root, shares) = (self.root, &self.shares);
        let mut found = ByRoot::default();
        demands.for_each_sender(target, |switch, _, bit_s| {
            let (share, least) = shares[walk.index(State { switch, phase: 0 })];
            found.passing += share * bit_s;
            found.unavoidable += least * bit_s;
            if least == 1.0 {
                found.entering += if switch == root { 0.0 } else { bit_s };
                found.leaving += if target.switch == root { 0.0 } else { bit_s };
            }
        });
        found
    }

    /// From the nearest states to the farthest: how much of what is there passes the root, and how little can.
    fn follow(&mut self, walk: &RouteWalk<'_>, to: SwitchId) {
        for &state in walk.order().iter().rev() {
            let share = if state.switch == self.root || to == self.root {
                (1.0, 1.0)
            } else {
                let next = walk.next(state);
                let ways = next.len() as f64;
                let shares = next.map(|next| match next.switch == to {
                    true => (0.0, 0.0),
                    false => self.shares[walk.index(next)],
                });
                let (sum, least) = shares.fold((0.0, 1.0), |(sum, least), (share, at_least)| {
                    (sum + share, f64::min(least, at_least))
                });
                (sum / ways, least)
            };
            self.shares[walk.index(state)] = share;
        }
    }
}

/// The traffic through the root to all targets.
pub(super) struct RootTotal {
    root: SwitchId,
    all: ByRoot,
}

impl RootTotal {
    /// Nothing yet; no total where routes have no root.
    pub fn of(routes: &Routes) -> Option<Self> {
        Some(Self { root: routes.root()?, all: ByRoot::default() })
    }

    /// Adds the traffic for a target.
    pub fn add(&mut self, target: ByRoot) {
        self.all.passing += target.passing;
        self.all.unavoidable += target.unavoidable;
        self.all.entering += target.entering;
        self.all.leaving += target.leaving;
    }

    pub fn share(self, demands: &Demands) -> RootShare {
        let mut local = 0.0;
        demands.for_each_local(self.root, |_, bit_s| local += bit_s);
        let all = if demands.total > 0.0 { demands.total } else { 1.0 };
        RootShare {
            root: self.root,
            passing: (self.all.passing + local) / all,
            unavoidable: (self.all.unavoidable + local) / all,
            entering: self.all.entering,
            leaving: self.all.leaving,
        }
    }
}
