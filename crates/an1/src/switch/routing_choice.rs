//! The choice among the next hops on shortest legal routes (SRC 88, section 3.5).

use std::sync::Arc;

use hopscope_kernel::RandomStream;
use hopscope_topology::{HostId, Port, Routes, SwitchId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::output::OutputPauses;
use crate::plan::FabricPlan;
use crate::switch::Switch;

/// Which of several next hops a packet takes. Where none of them is idle, it joins the switch's queue of blocked packets, and the first
/// output that frees and would do takes it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Choice {
    /// A random idle one: AN1 as designed (SRC 88, section 3.5).
    #[default]
    MultiPath,
    /// Always the same from a switch to a host, idle or not, drawn at random when the network is configured: a function of switch,
    /// host and the scenario's seed.
    SinglePath,
    /// The lowest-numbered idle one: AN1 as built (footnote 2).
    LowestNumbered,
    /// The idle one that was told to stop longest ago, or never; a random one of those that never were.
    LeastRecentlyStopped,
}

impl Choice {
    /// The port that a packet takes now, of those through which it may leave; nothing where none is idle.
    #[inline]
    pub(crate) fn pick(self, switch: &mut Switch, pauses: &[OutputPauses], ports: &[Port]) -> Option<Port> {
        if let [only] = ports {
            return switch.is_idle(*only).then_some(*only);
        }
        match self {
            Self::MultiPath | Self::SinglePath => switch.pick_idle(ports, |_| true),
            Self::LowestNumbered => ports.iter().copied().find(|&port| switch.is_idle(port)),
            Self::LeastRecentlyStopped => {
                let first = switch.slot(0) as usize;
                let last_stop = |port: Port| pauses[first + usize::from(port)].last_stop;
                let idle = ports.iter().copied().filter(|&port| switch.is_idle(port));
                let longest_ago = idle.map(last_stop).min()?;
                switch.pick_idle(ports, |port| last_stop(port) == longest_ago)
            }
        }
    }
}

/// The ports by which packets may leave a switch: those on legal routes, or under single-path routing the one of them that was drawn.
#[derive(Clone, Debug)]
pub(crate) struct Paths {
    drawn_with: Option<u64>,
    /// The routes that each switch has loaded since the run began; empty where none ever does.
    loaded: Vec<Arc<Routes>>,
}

impl Paths {
    pub fn new(choice: Choice, seed: u64) -> Self {
        let drawn = choice == Choice::SinglePath;
        let drawn_with = drawn.then(|| RandomStream::named(seed, "paths", 0).next_u64());
        Self { drawn_with, loaded: Vec::new() }
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

    /// The ports by which a packet in this phase may leave a switch: towards the switch of its destination, or to the host itself.
    #[inline]
    pub fn eligible<'a>(&'a self, plan: &'a FabricPlan, switch: u32, phase: u8, host: u32) -> &'a [Port] {
        let (to, port) = &plan.attached[host as usize];
        if *to == switch {
            return std::slice::from_ref(port);
        }
        let routes = self.loaded.get(switch as usize).map_or(&plan.routes, |routes| &**routes);
        let destination = (SwitchId::new(*to as usize), HostId::new(host as usize));
        let ports = routes.next_channels_to(SwitchId::new(switch as usize), phase, destination);
        match self.drawn_with {
            Some(seed) if ports.len() > 1 => {
                let drawn = scatter(seed ^ (u64::from(switch) << 32 | u64::from(host)));
                std::slice::from_ref(&ports[(drawn % ports.len() as u64) as usize])
            }
            _ => ports,
        }
    }
}

/// A well-spread function of a number: the finalizer of SplitMix64 (Steele, Lea and Flood 2014).
pub(crate) fn scatter(mut x: u64) -> u64 {
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}
