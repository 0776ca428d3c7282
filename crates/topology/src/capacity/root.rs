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

/// Counts what passes the root, target by target.
pub(super) struct RootCounter {
    root: SwitchId,
    /// By state, for the switch at hand: the share that passes the root, and the least share that can.
    shares: Vec<(f64, f64)>,
    counted: Option<SwitchId>,
    passing: f64,
    unavoidable: f64,
    entering: f64,
    leaving: f64,
}

impl RootShare {
    /// A counter; nothing where routes have no root.
    pub(super) fn counter(network: &Network, routes: &Routes) -> Option<RootCounter> {
        let states = network.switches().len() * usize::from(routes.phase_count());
        Some(RootCounter {
            root: routes.root()?,
            shares: vec![(0.0, 0.0); states],
            counted: None,
            passing: 0.0,
            unavoidable: 0.0,
            entering: 0.0,
            leaving: 0.0,
        })
    }
}

impl RootCounter {
    pub fn add(&mut self, walk: &RouteWalk<'_>, demands: &Demands, target: &Target) {
        if self.counted != Some(target.switch) {
            self.counted = Some(target.switch);
            self.follow(walk, target.switch);
        }
        let (root, shares) = (self.root, &self.shares);
        let (mut passing, mut unavoidable, mut entering, mut leaving) = (0.0, 0.0, 0.0, 0.0);
        demands.for_each_sender(target, |switch, _, bit_s| {
            let (share, least) = shares[walk.index(State { switch, phase: 0 })];
            passing += share * bit_s;
            unavoidable += least * bit_s;
            if least == 1.0 {
                entering += if switch == root { 0.0 } else { bit_s };
                leaving += if target.switch == root { 0.0 } else { bit_s };
            }
        });
        self.passing += passing;
        self.unavoidable += unavoidable;
        self.entering += entering;
        self.leaving += leaving;
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

    pub fn share(self, demands: &Demands) -> RootShare {
        let local: f64 = demands.local(self.root).iter().map(|(_, _, bit_s)| bit_s).sum();
        let all = if demands.total > 0.0 { demands.total } else { 1.0 };
        RootShare {
            root: self.root,
            passing: (self.passing + local) / all,
            unavoidable: (self.unavoidable + local) / all,
            entering: self.entering,
            leaving: self.leaving,
        }
    }
}
