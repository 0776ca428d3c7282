//! Load balancing: which of several next hops a frame takes.

use hopscope_fabric::{FabricPlan, scatter};
use hopscope_kernel::RandomStream;
use hopscope_measure::Journal;
use hopscope_topology::{Port, SwitchId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::machine::Lossless;
use crate::plan::FramePlan;

/// Load balancing: which of several next hops a frame takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Balancing {
    /// ECMP: a hash of the flow selects the next hop; each switch has its own hash seed. All messages of a class from
    /// one host to another are one flow, and their frames stay in order.
    #[default]
    FlowHash,
    /// Packet spraying: a random next hop for each frame.
    Spray,
    /// Each switch sends the frames for a host over the next hops in turn, which spreads them most evenly.
    RoundRobinSpray,
    /// The next hop with the least data in its queue; among equals, in turn.
    Adaptive,
}

/// Which of so many next hops the hash of a flow picks at a switch.
#[inline]
pub(crate) fn hashed(flow: u32, seed: u32, choices: usize) -> usize {
    let spread = scatter(u64::from(flow) << 32 | u64::from(seed)) >> 32;
    ((spread * choices as u64) >> 32) as usize
}

/// The seed of each switch's hash.
pub(crate) fn hash_seed(seed: u64, switch: SwitchId) -> u32 {
    RandomStream::named(seed, "flow hash", switch.index() as u64).next_u64() as u32
}

/// The turns that a switch counts: hosts with numbers alike modulo this share one.
const TURNS: usize = 1024;

/// The turns of all switches, each begun at a place of its own.
pub(crate) fn turns(plan: &FabricPlan, balancing: Balancing) -> Vec<u16> {
    if balancing != Balancing::RoundRobinSpray {
        return Vec::new();
    }
    (0..plan.network.switches().len() * TURNS).map(|turn| scatter(turn as u64) as u16).collect()
}

/// The turn of a switch's next frame for a host.
#[inline]
fn next_in_turn(turns: &mut [u16], switch: usize, to: u32) -> usize {
    let turn = next_turn(turns, switch, to);
    turns[switch * TURNS + to as usize % TURNS] = turn as u16;
    turn
}

/// The turn that it would have.
#[inline]
fn next_turn(turns: &[u16], switch: usize, to: u32) -> usize {
    usize::from(turns[switch * TURNS + to as usize % TURNS].wrapping_add(1))
}

impl<J: Journal> Lossless<J> {
    /// The channel by which a frame that came by this input leaves its switch; none where the tables lead nowhere,
    /// which happens only after a failure.
    #[inline]
    pub(crate) fn balance(&mut self, input: usize, switch: usize, hash: u32, to: u32) -> Option<Port> {
        let channels = self.plan.next_channels_under(&self.routes, switch, self.inputs[input].phase, to);
        let n = channels.len();
        if n <= 1 {
            return channels.first().copied();
        }
        Some(match self.frames_plan().balancing {
            Balancing::FlowHash => channels[hashed(hash, self.switches[switch].hash_seed, n)],
            Balancing::Spray => channels[self.switches[switch].random.below(n as u64) as usize],
            Balancing::RoundRobinSpray => channels[next_in_turn(&mut self.turns, switch, to) % n],
            Balancing::Adaptive => {
                let first = self.inputs[input].next_turn() as usize;
                let frames: &FramePlan = &self.lossless.frames;
                let base = self.switches[switch].base;
                let queued = |channel: Port| {
                    let queue = &self.queues[frames.queue(base + u32::from(channel / frames.route_lanes), 0)];
                    queue.bits
                };
                let turns = (0..n).map(|i| channels[(first + i) % n]);
                turns.min_by_key(|&channel| queued(channel)).expect("several channels")
            }
        })
    }

    /// The port that [`balance`](Self::balance) is likely to choose.
    #[inline]
    pub(crate) fn foresee(&self, switch: usize, input: usize, hash: u32, to: u32) -> u32 {
        let channels = self.plan.next_channels_under(&self.routes, switch, self.inputs[input].phase, to);
        let n = channels.len();
        let choice = match self.frames_plan().balancing {
            _ if n <= 1 => 0,
            Balancing::FlowHash => hashed(hash, self.switches[switch].hash_seed, n),
            Balancing::Spray => self.switches[switch].random.clone().below(n as u64) as usize,
            Balancing::RoundRobinSpray => next_turn(&self.turns, switch, to) % n,
            Balancing::Adaptive => 0,
        };
        channels.get(choice).map_or(0, |&channel| u32::from(channel / self.frames_plan().route_lanes))
    }
}
