//! The choice among the next hops on shortest legal routes (SRC 88, section 3.5).

use std::sync::Arc;

use hopscope_fabric::{Choice, FabricPlan, Slot, scatter};
use hopscope_kernel::RandomStream;
use hopscope_topology::{Port, Routes, SwitchId};

use crate::switch::Switch;
use crate::switch::output::OutputPauses;

/// The port that a packet takes now, of those through which it may leave; nothing if none is idle. The packet then
/// joins the switch's queue of blocked packets.
#[inline]
pub(crate) fn pick(
    choice: Choice,
    switch: &mut Switch,
    pauses: &[OutputPauses],
    ports: &[Port],
) -> Option<Port> {
    if let [only] = ports {
        return switch.is_idle(*only).then_some(*only);
    }
    match choice {
        Choice::MultiPath | Choice::SinglePath | Choice::PairPath | Choice::InputPath => {
            switch.pick_idle(ports, |_| true)
        }
        Choice::LowestNumbered => ports.iter().copied().find(|&port| switch.is_idle(port)),
        Choice::LeastRecentlyStopped => {
            let first = switch.slot(0) as usize;
            let last_stop = |port: Port| pauses[first + usize::from(port)].last_stop();
            let idle = ports.iter().copied().filter(|&port| switch.is_idle(port));
            let longest_ago = idle.map(last_stop).min()?;
            switch.pick_idle(ports, |port| last_stop(port) == longest_ago)
        }
    }
}

/// A packet in a switch: the slot by which it came, its source and its destination.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bound {
    pub fifo: Slot,
    pub from: u32,
    pub to: u32,
}

/// The ports by which packets may leave a switch: those on legal routes, or with static routing the drawn one.
#[derive(Clone, Debug)]
pub(crate) struct Paths {
    choice: Choice,
    is_static: bool,
    seed: u64,
    /// The routes that each switch has loaded since the run began; empty if none ever loads any.
    loaded: Vec<Arc<Routes>>,
}

impl Paths {
    pub fn new(choice: Choice, seed: u64) -> Self {
        Self {
            choice,
            is_static: choice.is_static(),
            seed: RandomStream::named(seed, "paths", 0).next_u64(),
            loaded: Vec::new(),
        }
    }

    /// Every switch has the plan's routes, until it loads others.
    pub fn start_with(&mut self, plan: &FabricPlan) {
        let routes = Arc::new(plan.routes.clone());
        self.loaded = plan.network.switches().iter().map(|_| Arc::clone(&routes)).collect();
    }

    /// A switch has loaded other routes.
    pub fn load(&mut self, switch: SwitchId, routes: Arc<Routes>) {
        self.loaded[switch.index()] = routes;
    }

    /// The ports by which a packet in this phase may leave a switch: towards the switch of its destination, or to the
    /// host itself.
    #[inline]
    pub fn eligible<'a>(&'a self, plan: &'a FabricPlan, switch: u32, phase: u8, packet: Bound) -> &'a [Port] {
        let routes = self.loaded.get(switch as usize).map_or(&plan.routes, |routes| &**routes);
        let ports = plan.next_channels_under(routes, switch as usize, phase, packet.to);
        match ports {
            [_, _, ..] if self.is_static => match self.drawn(switch, packet) {
                None => ports,
                Some(drawn) => std::slice::from_ref(&ports[(drawn % ports.len() as u64) as usize]),
            },
            _ => ports,
        }
    }

    /// The number with which a static path was drawn; nothing if packets choose their path at each switch.
    #[inline]
    fn drawn(&self, switch: u32, Bound { fifo, from, to }: Bound) -> Option<u64> {
        let pair = |a: u32, b: u32| u64::from(a) << 32 | u64::from(b);
        match self.choice {
            Choice::MultiPath | Choice::LowestNumbered | Choice::LeastRecentlyStopped => None,
            Choice::SinglePath => Some(scatter(self.seed ^ pair(switch, to))),
            Choice::PairPath => Some(scatter(scatter(self.seed ^ pair(from, to)) ^ u64::from(switch))),
            Choice::InputPath => Some(scatter(scatter(self.seed ^ pair(fifo, to)) ^ u64::from(switch))),
        }
    }
}
