//! The expected flow on every channel.

use crate::graph::{Network, Port, SwitchId};
use crate::routes::Routes;
use crate::routes::walk::{RouteWalk, State};

use super::demand::{Demands, Target};
use super::{RootShare, Stream};

/// The expected flow on every channel, in bits a second at load 1, where packets part evenly at every switch among the
/// next hops on their shortest legal routes, or follow tables by destination.
#[derive(Clone, Debug)]
pub struct ChannelFlows {
    /// Where each switch's ports begin in `sent`.
    pub(super) base: Vec<usize>,
    /// What leaves each switch by each port, hosts' ports included.
    pub(super) sent: Vec<f64>,
    /// By switch: what comes in by one port and leaves by another, port in times ports plus port out.
    pub(super) turns: Option<Vec<Vec<f64>>>,
    /// What each host sends, by host.
    pub(super) from_hosts: Vec<f64>,
    pub(super) total: f64,
    pub(super) through_root: Option<RootShare>,
}

impl ChannelFlows {
    /// The flows of streams over the routes of a network.
    ///
    /// With `turns` also how they pass each switch from port to port, which [`HeadOfLine`](super::HeadOfLine) needs;
    /// where routes follow tables by destination, turns are not told.
    #[must_use]
    pub fn new(network: &Network, routes: &Routes, streams: &[Stream], turns: bool) -> Self {
        Self::of(network, routes, &Demands::new(network, streams), turns)
    }

    pub(super) fn of(network: &Network, routes: &Routes, demands: &Demands, turns: bool) -> Self {
        if let Some(tables) = routes.tables() {
            return Self::of_tables(network, tables, demands);
        }
        let mut pass = Pass::new(network, routes, turns);
        let mut root = RootShare::counter(network, routes);
        let mut walk = RouteWalk::new(network, routes);
        let mut reached = None;
        for target in demands.targets() {
            if reached != Some(target.switch) {
                walk.towards(target.switch);
                reached = Some(target.switch);
            }
            pass.spread(&walk, demands, target);
            if let Some(root) = &mut root {
                root.add(&walk, demands, target);
            }
        }
        for switch in network.switch_ids() {
            for &(port_in, port_out, bit_s) in demands.local(switch) {
                pass.turn(switch, port_in, port_out, bit_s);
                pass.sent[pass.base[switch.index()] + usize::from(port_out)] += bit_s;
            }
        }
        Self {
            through_root: root.map(|root| root.share(demands)),
            base: pass.base,
            sent: pass.sent,
            turns: pass.turns,
            from_hosts: demands.sent.clone(),
            total: demands.total,
        }
    }

    /// What leaves a switch by a port.
    #[must_use]
    pub fn sent(&self, switch: SwitchId, port: Port) -> f64 {
        self.sent[self.base[switch.index()] + usize::from(port)]
    }

    /// What each host sends, by host.
    #[must_use]
    pub fn from_hosts(&self) -> &[f64] {
        &self.from_hosts
    }

    /// What all hosts send together.
    #[must_use]
    pub fn total(&self) -> f64 {
        self.total
    }

    /// What comes into a switch by one port and leaves by another: port in times ports plus port out. Nothing where
    /// turns were not asked for.
    pub(super) fn turns(&self, switch: SwitchId) -> Option<&[f64]> {
        self.turns.as_ref().map(|turns| turns[switch.index()].as_slice())
    }

    /// What passes the root of up*/down* routes.
    #[must_use]
    pub fn through_root(&self) -> Option<RootShare> {
        self.through_root
    }
}

/// The state of spreading one target's traffic after another.
struct Pass<'a> {
    network: &'a Network,
    routes: &'a Routes,
    base: Vec<usize>,
    sent: Vec<f64>,
    turns: Option<Vec<Vec<f64>>>,
    /// For the target at hand, by state: what is there.
    here: Vec<f64>,
    /// For the target at hand: what leaves by each port.
    via: Vec<f64>,
    /// For the target at hand, by port of each switch: what its host sends.
    injected: Vec<f64>,
    touched: Vec<usize>,
}

impl<'a> Pass<'a> {
    fn new(network: &'a Network, routes: &'a Routes, turns: bool) -> Self {
        let mut base = Vec::with_capacity(network.switches().len());
        let mut ports = 0;
        for switch in network.switches() {
            base.push(ports);
            ports += switch.ports.len();
        }
        let of_switch = |ports: usize| vec![0.0; ports * ports];
        Self {
            network,
            routes,
            base,
            sent: vec![0.0; ports],
            turns: turns
                .then(|| network.switches().iter().map(|switch| of_switch(switch.ports.len())).collect()),
            here: vec![0.0; network.switches().len() * usize::from(routes.phase_count())],
            via: if turns { vec![0.0; ports] } else { Vec::new() },
            injected: if turns { vec![0.0; ports] } else { Vec::new() },
            touched: Vec::new(),
        }
    }

    /// Sends the traffic for a target along all routes.
    fn spread(&mut self, walk: &RouteWalk<'_>, demands: &Demands, target: &Target) {
        self.here.fill(0.0);
        let with_turns = self.turns.is_some();
        demands.for_each_sender(target, |switch, port, bit_s| {
            self.here[walk.index(State { switch, phase: 0 })] += bit_s;
            if with_turns {
                let at = self.base[switch.index()] + usize::from(port);
                self.injected[at] += bit_s;
                self.touched.push(at);
            }
        });
        let mut arriving = 0.0;
        for &state in walk.order() {
            let bit_s = self.here[walk.index(state)];
            if bit_s == 0.0 {
                continue;
            }
            let ports = walk.ports(state);
            let part = bit_s / ports.len() as f64;
            if with_turns {
                self.turn_all(state, ports);
            }
            for (next, &port) in walk.next(state).zip(ports) {
                let at = self.base[state.switch.index()] + usize::from(port);
                self.sent[at] += part;
                if with_turns {
                    self.via[at] += part;
                    self.touched.push(at);
                }
                if next.switch == target.switch {
                    arriving += part;
                } else {
                    self.here[walk.index(next)] += part;
                }
            }
        }
        self.deliver(target, arriving);
    }

    /// Hands what has arrived to the receivers and forgets the target.
    fn deliver(&mut self, target: &Target, arriving: f64) {
        for &(port, share) in &target.ports {
            self.sent[self.base[target.switch.index()] + usize::from(port)] += arriving * share;
        }
        if self.turns.is_some() {
            for (port_in, _, far, far_port) in self.network.neighbours(target.switch) {
                let bit_s = self.via[self.base[far.index()] + usize::from(far_port)];
                for &(port_out, share) in &target.ports {
                    self.turn(target.switch, port_in, port_out, bit_s * share);
                }
            }
            for at in self.touched.drain(..) {
                (self.via[at], self.injected[at]) = (0.0, 0.0);
            }
        }
    }

    /// Notes by which ports the traffic in a state came in, and that it leaves evenly by these.
    fn turn_all(&mut self, state: State, ports: &[Port]) {
        let Some(turns) = &mut self.turns else { return };
        let ways = ports.len() as f64;
        let (switch, network) = (state.switch, self.network);
        let count = network.switch(switch).ports.len();
        let turns = &mut turns[switch.index()];
        let mut add = |port_in: usize, bit_s: f64| {
            for &port in ports {
                turns[port_in * count + usize::from(port)] += bit_s / ways;
            }
        };
        if state.phase == 0 {
            let injected = &self.injected[self.base[switch.index()]..][..count];
            injected
                .iter()
                .enumerate()
                .filter(|(_, bit_s)| **bit_s > 0.0)
                .for_each(|(port, b)| add(port, *b));
        }
        for (port_in, _, far, far_port) in network.neighbours(switch) {
            let bit_s = self.via[self.base[far.index()] + usize::from(far_port)];
            if bit_s > 0.0 && self.routes.phase(switch, port_in) == state.phase {
                add(usize::from(port_in), bit_s);
            }
        }
    }

    fn turn(&mut self, switch: SwitchId, port_in: Port, port_out: Port, bit_s: f64) {
        if let Some(turns) = &mut self.turns {
            let count = self.network.switch(switch).ports.len();
            turns[switch.index()][usize::from(port_in) * count + usize::from(port_out)] += bit_s;
        }
    }
}
