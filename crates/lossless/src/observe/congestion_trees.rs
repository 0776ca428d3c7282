//! Congestion trees: which output is full and not itself stopped, which links it stops, and the victim flows.
//!
//! Sampled when an input pauses its sender, at most once in the time of [`FRAMES_BETWEEN_LOOKS`] frames: it needs no
//! events, and a fabric without pauses is never sampled.

use std::collections::{BTreeMap, BTreeSet};

use hopscope_fabric::{FabricPlan, Slot, time_of};
use hopscope_measure::{CongestionTree, Journal};
use hopscope_topology::{HostId, SwitchId};
use hopscope_units::{Span, Time};

use crate::balancing::{Balancing, hashed};
use crate::frame::NO_FRAME;
use crate::host::Offered;
use crate::host::flow::FlowState;
use crate::machine::Lossless;
use crate::plan::FramePlan;

/// The shortest time between two samples, in frames of the fastest link.
const FRAMES_BETWEEN_LOOKS: u64 = 128;

/// Of the messages that wait in a host at most this many are looked at, those whose turn comes first. Where more is
/// offered than the fabric carries they become ever more, and a look at all of them would take ever longer.
const MESSAGES_OF_A_HOST: usize = 256;

/// The sampled congestion trees since the restart.
#[derive(Clone, Debug)]
pub(crate) struct Trees {
    between: Span,
    next: Time,
    looks: u64,
    by_root: BTreeMap<usize, Seen>,
    /// The total time for which each queue had been stopped at the last sample.
    held: Vec<u64>,
}

/// The samples of the trees of one root.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    looks: u64,
    stopped: usize,
    victims: usize,
    example: Option<[u32; 2]>,
}

impl Trees {
    pub fn new(plan: &FabricPlan, frames: &FramePlan) -> Self {
        let fastest = plan.slots.links.iter().map(|cable| cable.rate).max().unwrap_or(1).max(1);
        let frame = time_of(frames.mtu, fastest as u32);
        let between = Span::from_ps(frame.ps() * FRAMES_BETWEEN_LOOKS);
        let held = vec![0; plan.slots.links.len() * frames.lanes];
        Self { between, next: Time::ZERO, looks: 0, by_root: BTreeMap::new(), held }
    }

    pub fn restart(&mut self) {
        (self.looks, self.by_root) = (0, BTreeMap::new());
    }
}

impl<J: Journal> Lossless<J> {
    /// The congestion trees sampled since the measurement began, the most frequent first.
    #[must_use]
    pub fn trees(&self) -> Vec<CongestionTree> {
        let name = |id: u32| self.plan.network.host(HostId::new(id as usize)).name.clone();
        let mut roots: Vec<(&usize, &Seen)> = self.trees.by_root.iter().collect();
        roots.sort_by_key(|(root, seen)| (std::cmp::Reverse(seen.looks), **root));
        let tree = |(root, seen): (&usize, &Seen)| CongestionTree {
            root: self.plan.slots.link_name(&self.plan.network, self.slot_of(*root)),
            link: self.slot_of(*root),
            share: seen.looks as f64 / self.trees.looks as f64,
            stopped: seen.stopped,
            victims: seen.victims,
            example: seen.example.map(|[from, to]| (name(from), name(to))),
        };
        roots.into_iter().map(tree).collect()
    }

    fn slot_of(&self, queue: usize) -> Slot {
        (queue / self.frames_plan().lanes) as Slot
    }

    /// An input has paused its sender: samples the congestion trees, unless that was done a short time ago.
    #[inline]
    pub(crate) fn look_for_trees(&mut self, now: Time) {
        if now >= self.trees.next {
            self.trees.next = now + self.trees.between;
            self.note_trees(now);
        }
    }

    #[cold]
    fn note_trees(&mut self, now: Time) {
        let causes = self.causes();
        // Congestion comes in waves: an output that was stopped since the last sample is inside a tree, not its root.
        let held_in_all: Vec<u64> = self.queues.iter().map(|queue| queue.held_in_all(now)).collect();
        let was_held: Vec<bool> =
            held_in_all.iter().zip(&self.trees.held).map(|(now, before)| now > before).collect();
        self.trees.held = held_in_all;
        let mut trees: BTreeMap<usize, (usize, BTreeMap<u64, u32>)> = BTreeMap::new();
        for &input in causes.keys().filter(|&&input| self.inputs[input].stopped) {
            let Some(root) = self.root_of(input, &causes, &was_held) else { continue };
            let (stopped, victims) = trees.entry(root).or_default();
            *stopped += 1;
            let stopped_flows = self.stopped_flows(input).into_iter();
            for flow in stopped_flows.filter(|&flow| !self.passes(flow, input, root)) {
                victims.entry(self.flow_number(flow)).or_insert(flow);
            }
        }
        self.trees.looks += 1;
        for (root, (stopped, victims)) in trees {
            let seen = self.trees.by_root.entry(root).or_default();
            seen.looks += 1;
            seen.stopped = seen.stopped.max(stopped);
            seen.victims = seen.victims.max(victims.len());
            if let Some(&flow) = victims.values().next().filter(|_| seen.example.is_none()) {
                let flow = &self.flows[flow];
                seen.example = Some([flow.from, flow.to]);
            }
        }
    }

    /// The flow that a message counts as: its own in a list of flows; of random traffic, all messages from one host to
    /// another are one.
    fn flow_number(&self, flow: u32) -> u64 {
        match &self.offered {
            Offered::Flows(_) => flow.into(),
            Offered::Messages(_) => {
                let FlowState { from, to, .. } = self.flows[flow];
                u64::from(from) << 32 | u64::from(to)
            }
        }
    }

    /// For each input with frames in a queue, the output queue with most of them.
    fn causes(&self) -> BTreeMap<usize, usize> {
        let mut held: BTreeMap<(usize, usize), u64> = BTreeMap::new();
        let switch_queues = self.frames_plan().queue(self.plan.slots.host(HostId::new(0)), 0);
        for queue in (0..switch_queues).filter(|&queue| self.queues[queue].frames > 0) {
            for frame in self.queued(queue) {
                let frame = &self.frames[frame];
                *held.entry((frame.input as usize, queue)).or_default() += u64::from(frame.bits);
            }
        }
        let mut causes: BTreeMap<usize, (u64, usize)> = BTreeMap::new();
        for ((input, queue), bits) in held {
            let most = causes.entry(input).or_insert((0, queue));
            if bits > most.0 {
                *most = (bits, queue);
            }
        }
        causes.into_iter().map(|(input, (_, queue))| (input, queue)).collect()
    }

    /// Follows stopped outputs to one that is not; nothing if they form a cycle.
    fn root_of(&self, input: usize, causes: &BTreeMap<usize, usize>, was_held: &[bool]) -> Option<usize> {
        let mut queue = *causes.get(&input)?;
        for _ in 0..=causes.len() {
            let (slot, lane) = (self.slot_of(queue), queue % self.frames_plan().lanes);
            let port = &self.ports[slot as usize];
            let next = causes.get(&self.frames_plan().queue(port.far, lane));
            match next.filter(|_| was_held[queue]) {
                None => return Some(queue),
                Some(&next) => queue = next,
            }
        }
        None
    }

    /// The messages whose next frames wait for an input that is stopped.
    fn stopped_flows(&self, input: usize) -> BTreeSet<u32> {
        let lanes = self.frames_plan().lanes;
        let lane = input % lanes;
        let sender = self.ports[self.inputs[input].slot as usize].far;
        if self.plan.slots.is_host(sender) {
            // A host may be stopped while it sends a frame; its message then waits with the next one.
            let port = &self.ports[sender as usize];
            let sending = Some(port.holder).filter(|&flow| port.busy && flow != NO_FRAME);
            return self.ring(sender, lane).iter().copied().take(MESSAGES_OF_A_HOST).chain(sending).collect();
        }
        self.queued(self.frames_plan().queue(sender, lane)).map(|frame| self.frames[frame].flow).collect()
    }

    /// Whether a message that comes by this input passes an output: on its only path, or on any of several.
    fn passes(&self, flow: u32, input: usize, root: usize) -> bool {
        let (to, hash) = (self.flows[flow].to, self.flows[flow].hash);
        let (root, lanes) = (self.slot_of(root), self.frames_plan().route_lanes);
        let (slots, bound) = (&self.plan.slots, (to, self.path_of(hash)));
        let (mut at, mut phase) = (slots.switch_port(self.inputs[input].slot).0, self.inputs[input].phase);
        if self.frames_plan().balancing != Balancing::FlowHash {
            let (switch, _) = slots.switch_port(root);
            let channels = self.plan.next_channels_on(&self.routes, switch, phase, bound);
            return channels.iter().any(|channel| slots.port(switch, channel / lanes) == root);
        }
        // A path that loops ends after every switch.
        for _ in 0..=self.switches.len() {
            let channels = self.plan.next_channels_on(&self.routes, at, phase, bound);
            if channels.is_empty() {
                return false;
            }
            let channel = channels[hashed(hash, self.switches[at].hash_seed, channels.len())];
            let slot = slots.port(at, channel / lanes);
            let far = slots.links[slot as usize].far;
            if slot == root {
                return true;
            }
            if slots.is_host(far) {
                return false;
            }
            let (switch, port) = slots.switch_port(far);
            (at, phase) = (switch, self.routes.phase(SwitchId::new(switch), port));
        }
        false
    }
}
