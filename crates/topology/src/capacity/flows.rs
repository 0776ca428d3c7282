//! The expected flow on every channel.

use hopscope_kernel::in_parts;

use crate::graph::{Network, Port, SwitchId};
use crate::routes::walk::{RouteWalk, State};
use crate::routes::{PortSet, Routes};

use super::demand::{Demands, Target};
use super::of_tables::add_local;
use super::root::{ByRoot, RootCounter, RootTotal};
use super::{RootShare, Stream};

/// Targets whose ways are kept at a time: some tens of megabytes in a network of ten thousand switches.
const BATCH: usize = 128;

/// Switches looked at, for all targets of a batch, that a thread of its own is worth: some milliseconds' work.
const FEWEST_VISITS: usize = 200_000;

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
    /// where routes follow tables by destination, turns are not available.
    #[must_use]
    pub fn new(network: &Network, routes: &Routes, streams: &[Stream], turns: bool) -> Self {
        Self::of(network, routes, &Demands::new(network, streams), turns)
    }

    pub(super) fn of(network: &Network, routes: &Routes, demands: &Demands, turns: bool) -> Self {
        if let Some(tables) = routes.tables() {
            return Self::of_tables(network, tables, demands);
        }
        let mut pass = Pass::new(network, routes, turns);
        let mut root = RootTotal::of(routes);
        let targets = demands.targets();
        let least = FEWEST_VISITS.div_ceil(network.switches().len().max(1));
        for batch in targets.chunks(BATCH) {
            let ways = in_parts(batch.len(), least, |part| ways_to(network, routes, demands, &batch[part]));
            let ways: Vec<WaysTo> = ways.into_iter().flatten().collect();
            pass.add(demands, batch, &ways);
            if let Some(root) = &mut root {
                ways.iter().for_each(|ways| root.add(ways.by_root));
            }
        }
        add_local(network, demands, &pass.base, &mut pass.sent);
        if turns {
            for switch in network.switch_ids() {
                demands.for_each_local_turn(switch, |port_in, port_out, bit_s| {
                    pass.turn(switch, port_in, port_out, bit_s);
                });
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

/// The flow that leaves a switch towards a target, by each of these ports.
struct Step {
    state: State,
    ports: PortSet,
    part: f64,
}

/// The traffic for a target along all routes, the farthest switches first.
struct WaysTo {
    steps: Vec<Step>,
    arriving: f64,
    by_root: ByRoot,
}

/// The ways to some targets.
fn ways_to(network: &Network, routes: &Routes, demands: &Demands, targets: &[Target]) -> Vec<WaysTo> {
    let mut walk = RouteWalk::new(network, routes);
    let mut counter = RootCounter::new(network, routes);
    let mut here = vec![0.0; walk.state_count()];
    let mut reached = None;
    let way = |target: &Target| {
        if reached != Some(target.switch) {
            walk.towards(target.switch);
            reached = Some(target.switch);
        }
        here.fill(0.0);
        demands.for_each_sender(target, |switch, _, bit_s| {
            here[walk.index(State { switch, phase: 0 })] += bit_s;
        });
        let (mut steps, mut arriving) = (Vec::new(), 0.0);
        for &state in walk.order() {
            let bit_s = here[walk.index(state)];
            if bit_s == 0.0 {
                continue;
            }
            let next = walk.next(state);
            let part = bit_s / next.len() as f64;
            steps.push(Step { state, ports: walk.set(state), part });
            for next in next {
                if next.switch == target.switch {
                    arriving += part;
                } else {
                    here[walk.index(next)] += part;
                }
            }
        }
        let by_root = counter.as_mut().map(|counter| counter.of(&walk, demands, target)).unwrap_or_default();
        WaysTo { steps, arriving, by_root }
    };
    targets.iter().map(way).collect()
}

/// The flows while one target's traffic after another is added.
struct Pass<'a> {
    network: &'a Network,
    routes: &'a Routes,
    base: Vec<usize>,
    sent: Vec<f64>,
    turns: Option<Vec<Vec<f64>>>,
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
            via: if turns { vec![0.0; ports] } else { Vec::new() },
            injected: if turns { vec![0.0; ports] } else { Vec::new() },
            touched: Vec::new(),
        }
    }

    /// Adds the traffic for some targets, each port's in the order of the targets.
    fn add(&mut self, demands: &Demands, targets: &[Target], ways: &[WaysTo]) {
        if self.turns.is_some() {
            targets.iter().zip(ways).for_each(|(target, ways)| self.add_turns(demands, target, ways));
        }
        let least = FEWEST_VISITS.div_ceil(targets.len().max(1));
        let of_parts = in_parts(self.base.len(), least, |switches| {
            let first = self.base[switches.start];
            let end = self.base.get(switches.end).copied().unwrap_or(self.sent.len());
            let mut sent = self.sent[first..end].to_vec();
            for (target, ways) in targets.iter().zip(ways) {
                for step in ways.steps.iter().filter(|step| switches.contains(&step.state.switch.index())) {
                    let at = self.base[step.state.switch.index()] - first;
                    for &port in self.routes.ports_of(step.ports) {
                        sent[at + usize::from(port)] += step.part;
                    }
                }
                if switches.contains(&target.switch.index()) {
                    let at = self.base[target.switch.index()] - first;
                    for &(port, share) in &target.ports {
                        sent[at + usize::from(port)] += ways.arriving * share;
                    }
                }
            }
            sent
        });
        self.sent = of_parts.concat();
    }

    /// Notes how the traffic for a target turns in every switch.
    fn add_turns(&mut self, demands: &Demands, target: &Target, ways: &WaysTo) {
        demands.for_each_sender(target, |switch, port, bit_s| {
            let at = self.base[switch.index()] + usize::from(port);
            self.injected[at] += bit_s;
            self.touched.push(at);
        });
        for step in &ways.steps {
            let ports = self.routes.ports_of(step.ports);
            self.turn_all(step.state, ports);
            for &port in ports {
                let at = self.base[step.state.switch.index()] + usize::from(port);
                self.via[at] += step.part;
                self.touched.push(at);
            }
        }
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
