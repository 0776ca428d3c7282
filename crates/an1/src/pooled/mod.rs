//! Switches without input FIFOs: packets wait in a pool, and any of them may be the next.
//!
//! With virtual output queues, random-access input buffers, output queues, a shared memory or input smoothing, the
//! packets of a switch are in one pool; `arbitration.rs` chooses the next one.

mod arbitration;
mod input_smoothing;
pub(crate) mod pim_islip;
pub(crate) mod shared_memory;

use hopscope_fabric::Slot;
use hopscope_kernel::EventQueue;
use hopscope_measure::Journal;
use hopscope_topology::Port;
use hopscope_units::{Span, Time};

use crate::discipline::Discipline;
use crate::event::{Event, lists};
use crate::machine::An1;
use crate::observe::stage::Stage;
use crate::packet::NO_PACKET;
use crate::pooled::arbitration::Candidate;
use crate::pooled::pim_islip::{Matching, Requests};
use crate::switch::PortBits;
use crate::switch::input_fifo::InputFifo;

/// A packet that waits in a switch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Waiting {
    pub packet: u32,
    pub first_in: Time,
    pub claim: Claim,
    /// The outputs by which it may leave. Routes stay as they are: a fault plan needs input FIFOs.
    pub ways: PortBits,
}

/// The progress of a packet that waits in a switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Claim {
    /// Its routing decision has not been made.
    Undecided,
    /// It waits for a frame to begin: input smoothing.
    AwaitsFrame,
    /// It requests an output.
    Asks,
}

/// The packets that wait in a switch.
#[derive(Debug)]
pub(crate) struct Pool {
    /// The packets that came in by each port, in order of arrival.
    pub lanes: Vec<Vec<Waiting>>,
    /// The packet that came in last by each port.
    newest: Vec<u32>,
    /// The number of packets that request an output.
    pub asking: usize,
    /// The inputs that have changed since packets were last matched.
    changed: Inputs,
    /// The outputs that were idle when packets had been matched.
    idle_before: PortBits,
    /// The outputs by which packets of each input may leave.
    wanted: Vec<PortBits>,
    /// Whether packets are going to be matched at the end of this instant.
    due: bool,
    /// The beginning of the frame that packets wait for.
    pub frame_due: Option<Time>,
    /// The input after the one that was served last.
    turn: Port,
    /// The matching, with virtual output queues.
    matching: Option<(Matching, Requests)>,
    /// Scratch memory for the first packet of each input that can leave.
    firsts: Vec<Candidate>,
    /// Scratch memory for those of them among which the arbiter chooses.
    equals: Vec<Candidate>,
}

/// A set of inputs of a switch, one bit each. For a switch with more than 64 ports it contains all inputs.
#[derive(Clone, Copy, Debug, Default)]
struct Inputs(u64);

impl Inputs {
    fn insert(&mut self, lane: usize) {
        self.0 |= 1u64.checked_shl(lane as u32).unwrap_or(0);
    }

    /// The inputs of the set, for a switch with this many ports, in their order.
    #[inline]
    fn iter(self, ports: usize) -> impl Iterator<Item = usize> {
        let (all, mut bits) = if ports > 64 { (ports, 0) } else { (0, self.0) };
        let next = move || {
            let lane = bits.trailing_zeros() as usize;
            bits &= bits.wrapping_sub(1);
            (lane < 64).then_some(lane)
        };
        (0..all).chain(std::iter::from_fn(next))
    }
}

impl FromIterator<usize> for Inputs {
    fn from_iter<I: IntoIterator<Item = usize>>(lanes: I) -> Self {
        let mut inputs = Self::default();
        lanes.into_iter().for_each(|lane| inputs.insert(lane));
        inputs
    }
}

impl Pool {
    pub fn new(discipline: Discipline, ports: usize) -> Self {
        let matching = match discipline {
            Discipline::Voq(law) => Some((Matching::new(law, ports), Requests::new(ports))),
            _ => None,
        };
        Self {
            lanes: vec![Vec::new(); ports],
            newest: vec![NO_PACKET; ports],
            asking: 0,
            changed: Inputs::default(),
            idle_before: PortBits::NONE,
            wanted: vec![PortBits::NONE; ports],
            due: false,
            frame_due: None,
            turn: 0,
            matching,
            firsts: Vec::new(),
            equals: Vec::new(),
        }
    }

    /// The inputs that may have a packet to send now and had none after the last matching: they have changed, or an
    /// output that they can use has become idle.
    fn changed_inputs(&self, idle: PortBits) -> Inputs {
        let newly_idle = idle.without(self.idle_before);
        let mut changed = self.changed;
        if newly_idle != PortBits::NONE {
            let wanting = self.wanted.iter().enumerate().filter(|(_, wanted)| wanted.meets(newly_idle));
            wanting.for_each(|(lane, _)| changed.insert(lane));
        }
        changed
    }

    /// A packet of an input requests an output from now on.
    fn asks(&mut self, lane: usize) {
        self.asking += 1;
        self.changed.insert(lane);
    }

    /// A packet has come in by a port or left.
    fn find_wanted(&mut self, lane: usize) {
        let ways = self.lanes[lane].iter().map(|waiting| waiting.ways);
        self.wanted[lane] = ways.fold(PortBits::NONE, PortBits::with);
        self.changed.insert(lane);
    }

    /// Whether a packet is the one that came in last by a port.
    pub fn is_newest(&self, lane: usize, packet: u32) -> bool {
        self.newest[lane] == packet
    }
}

impl<J: Journal> An1<J> {
    /// The first byte of a packet has come into a switch, and has been counted in its buffer.
    pub(crate) fn join_pool(&mut self, now: Time, slot: Slot, packet: u32, queue: &mut EventQueue<Event>) {
        let input = &mut self.inputs[slot as usize];
        input.head_is_newest = false;
        let of = input.switch as usize;
        let at_outputs = self.an1.params.switch.discipline.queues_at_outputs();
        if at_outputs {
            // Flows that nothing stops need no account; the content is counted in whole packets.
            (input.rx_left, input.rx_on) = (0, false);
            input.level += self.packets[packet].length();
            input.peak = input.peak.max(input.level);
        }
        let lane = usize::from(self.switches[of].port(slot));
        let ways = PortBits::of(self.ports_of(of as u32, lane, packet));
        self.pools[of].newest[lane] = packet;
        self.pools[of].lanes[lane].push(Waiting { packet, first_in: now, claim: Claim::Undecided, ways });
        self.pools[of].find_wanted(lane);
        if at_outputs {
            self.watch_memory(now, of as u32, queue);
        }
        if !self.needs_whole(slot, packet) {
            self.decide(now, slot, packet, queue);
        }
    }

    /// The last byte of a packet has come into a switch. Where switches and links take no time, the packet may have
    /// left the network by then, and another one have its place in memory, which its number tells.
    pub(crate) fn pooled_tail_in(
        &mut self,
        now: Time,
        slot: Slot,
        (packet, number): (u32, u32),
        queue: &mut EventQueue<Event>,
    ) {
        let InputFifo { switch: of, far, .. } = self.inputs[slot as usize];
        let lane = usize::from(self.switches[of as usize].port(slot));
        self.pools[of as usize].changed.insert(lane);
        let is_same = self.packets[packet].number as u32 == number;
        if is_same && self.needs_whole(slot, packet) {
            self.close(packet, Stage::Reception, far, now);
            self.decide(now, slot, packet, queue);
        } else {
            self.match_soon(now, of, queue);
        }
    }

    fn decide(&mut self, now: Time, slot: Slot, packet: u32, queue: &mut EventQueue<Event>) {
        let switch = &self.an1.params.switch;
        let (decided, setup) = (now + switch.decision, switch.setup);
        let holds_no_output = switch.discipline.queues_at_outputs();
        let far = self.inputs[slot as usize].far;
        self.close(packet, Stage::Decision, far, decided);
        if holds_no_output {
            self.close(packet, Stage::Setup, far, decided + setup);
        }
        let asks = if holds_no_output { decided + setup } else { decided };
        self.schedule_presorted(queue, lists::REQUESTS, (slot, asks), Event::Decided(slot, packet));
    }

    /// The routing decision for a packet has been made: it requests an output from now on.
    pub(crate) fn decided(&mut self, now: Time, slot: Slot, packet: u32, queue: &mut EventQueue<Event>) {
        let of = self.inputs[slot as usize].switch;
        let lane = usize::from(self.switches[of as usize].port(slot));
        let mut latest_first = self.pools[of as usize].lanes[lane].iter_mut().rev();
        let waiting = latest_first.find(|w| w.packet == packet);
        let waiting = waiting.expect("a packet waits until it has been decided on");
        if self.an1.smoothing_frame == Span::ZERO {
            waiting.claim = Claim::Asks;
            self.pools[of as usize].asks(lane);
            self.match_soon(now, of, queue);
        } else {
            waiting.claim = Claim::AwaitsFrame;
            self.await_frame(now, of, queue);
        }
    }

    /// The packets in the pool of this slot.
    pub(crate) fn pooled(&self, slot: Slot) -> &[Waiting] {
        let of = self.inputs[slot as usize].switch as usize;
        match self.pools.get(of) {
            Some(pool) => &pool.lanes[usize::from(self.switches[of].port(slot))],
            None => &[],
        }
    }

    /// The outputs requested by packets of a switch's slot.
    pub(crate) fn wanted_by_pooled(&self, slot: Slot) -> Vec<Slot> {
        let InputFifo { switch: of, phase, .. } = self.inputs[slot as usize];
        let asking = self.pooled(slot).iter().filter(|waiting| waiting.claim == Claim::Asks);
        let ports =
            asking.flat_map(|w| self.paths.eligible(&self.plan, of, phase, self.bound(slot, w.packet)));
        let mut outputs: Vec<Slot> = ports.map(|&port| self.switches[of as usize].slot(port)).collect();
        outputs.sort_unstable();
        outputs.dedup();
        outputs
    }
}
