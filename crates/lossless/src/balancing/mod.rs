//! Load balancing: which of several next hops a frame takes. One file per rule, each a [`LoadBalancing`].

mod adaptive;
mod flow_hash;
mod round_robin_spray;
mod spray;

use hopscope_measure::Journal;
use hopscope_topology::Port;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use self::adaptive::Adaptive;
use self::flow_hash::FlowHash;
pub(crate) use self::flow_hash::{hash_seed, hashed, path_seed};
use self::round_robin_spray::RoundRobinSpray;
pub(crate) use self::round_robin_spray::turns;
use self::spray::Spray;
use crate::machine::Lossless;
use crate::plan::FramePlan;
use crate::switch::buffer::SwitchState;
use crate::switch::input::Input;
use crate::switch::port::Queue;

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

/// A frame at a switch with several next hops.
#[derive(Clone, Copy)]
struct Arrived<'a> {
    /// The channels of the next hops, at least two.
    channels: &'a [Port],
    /// The switch.
    switch: usize,
    /// The input that it came by.
    input: usize,
    /// The hash of its flow.
    hash: u32,
    /// Its destination host.
    to: u32,
}

/// The state of switches that a rule may read and change.
struct Switches<'a> {
    states: &'a mut [SwitchState],
    inputs: &'a mut [Input],
    turns: &'a mut [u16],
    queues: &'a [Queue],
    plan: &'a FramePlan,
}

/// The state of switches for a prediction of the choice.
struct Foreseen<'a> {
    states: &'a [SwitchState],
    turns: &'a [u16],
}

/// A rule of load balancing.
trait LoadBalancing {
    /// The index of the channel that the frame takes.
    fn choose(frame: Arrived<'_>, switches: &mut Switches<'_>) -> usize;

    /// The index that [`choose`](Self::choose) is likely to return: a wrong prediction costs time, and changes no
    /// result.
    fn foresee(frame: Arrived<'_>, switches: &Foreseen<'_>) -> usize;
}

impl<J: Journal> Lossless<J> {
    /// Which of the paths to its receiver a flow takes, if that has several LIDs: its hash picks one, under a seed of
    /// the run.
    #[inline]
    pub(crate) fn path_of(&self, hash: u32) -> usize {
        match self.routes.paths() {
            1 => 0,
            several => hashed(hash, self.path_seed, several),
        }
    }

    /// The channel by which a frame that came by this input leaves its switch; none if the tables have no entry, which
    /// happens only after a failure.
    #[inline]
    pub(crate) fn balance(&mut self, input: usize, switch: usize, hash: u32, to: u32) -> Option<Port> {
        let bound = (to, self.path_of(hash));
        let channels = self.plan.next_channels_on(&self.routes, switch, self.inputs[input].phase, bound);
        if channels.len() <= 1 {
            return channels.first().copied();
        }
        let frame = Arrived { channels, switch, input, hash, to };
        let plan = &self.lossless.frames;
        let switches = &mut Switches {
            states: &mut self.switches,
            inputs: &mut self.inputs,
            turns: &mut self.turns,
            queues: &self.queues,
            plan,
        };
        let place = match plan.balancing {
            Balancing::FlowHash => FlowHash::choose(frame, switches),
            Balancing::Spray => Spray::choose(frame, switches),
            Balancing::RoundRobinSpray => RoundRobinSpray::choose(frame, switches),
            Balancing::Adaptive => Adaptive::choose(frame, switches),
        };
        Some(channels[place])
    }

    /// The port that [`balance`](Self::balance) is likely to choose.
    #[inline]
    pub(crate) fn foresee(&self, switch: usize, input: usize, hash: u32, to: u32) -> u32 {
        let bound = (to, self.path_of(hash));
        let channels = self.plan.next_channels_on(&self.routes, switch, self.inputs[input].phase, bound);
        let frame = Arrived { channels, switch, input, hash, to };
        let switches = &Foreseen { states: &self.switches, turns: &self.turns };
        let place = match self.frames_plan().balancing {
            _ if channels.len() <= 1 => 0,
            Balancing::FlowHash => FlowHash::foresee(frame, switches),
            Balancing::Spray => Spray::foresee(frame, switches),
            Balancing::RoundRobinSpray => RoundRobinSpray::foresee(frame, switches),
            Balancing::Adaptive => Adaptive::foresee(frame, switches),
        };
        channels.get(place).map_or(0, |&channel| u32::from(channel / self.frames_plan().route_lanes))
    }
}
