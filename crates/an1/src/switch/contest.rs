//! The requests for outputs at one instant, and the arbiter's decision when all events of the instant have been
//! handled.

use hopscope_fabric::{Arbiter, Slot};
use hopscope_kernel::EventQueue;
use hopscope_measure::Journal;
use hopscope_topology::Port;
use hopscope_units::Time;

use crate::event::Event;
use crate::machine::An1;
use crate::params::Switching;
use crate::switch::input_fifo::Progress;
use crate::switch::routing_choice::{Bound, pick};

/// The requests and freed outputs of this instant.
#[derive(Debug)]
pub(crate) struct Contest {
    /// Whether there is something to decide. Read after every event, so it is kept apart.
    open: bool,
    /// FIFOs whose heads have requested an output.
    asks: Vec<Slot>,
    /// Outputs that have become idle and for which heads wait.
    freed: Vec<Slot>,
    /// The heads being considered; empty otherwise.
    heads: Vec<Bound>,
    arbiter: Arbiter,
    /// For each output the input after the one that it served last; empty unless the arbiter is round robin.
    turns: Vec<Port>,
}

impl Contest {
    pub fn new(arbiter: Arbiter, slots: usize) -> Self {
        let turns = if arbiter == Arbiter::RoundRobin { vec![0; slots] } else { Vec::new() };
        Self { open: false, asks: Vec::new(), freed: Vec::new(), heads: Vec::new(), arbiter, turns }
    }

    /// Whether there is something to decide.
    #[inline]
    pub fn is_open(&self) -> bool {
        self.open
    }

    /// The head of a FIFO requests an output.
    #[inline]
    pub fn ask(&mut self, fifo: Slot) {
        self.asks.push(fifo);
        self.open = true;
    }

    /// An output has become idle for which heads wait.
    #[inline]
    pub fn free(&mut self, output: Slot) {
        self.freed.push(output);
        self.open = true;
    }

    /// The head of a FIFO withdraws its request.
    pub fn withdraw(&mut self, fifo: Slot) {
        self.asks.retain(|&asking| asking != fifo);
    }

    /// The input whose turn it is at an output.
    #[inline]
    fn turn(&self, output: Slot) -> Port {
        self.turns.get(output as usize).copied().unwrap_or(0)
    }

    /// An output serves this input.
    #[inline]
    fn served(&mut self, output: Slot, input: Port) {
        if let Some(turn) = self.turns.get_mut(output as usize) {
            *turn = input + 1;
        }
    }
}

impl<J: Journal> An1<J> {
    /// The instant is over: heads that requested an output are granted one or blocked, and outputs that have become
    /// idle are granted to waiting heads.
    #[inline]
    pub(crate) fn arbitrate(&mut self, now: Time, queue: &mut EventQueue<Event>) {
        self.contest.open = false;
        match (&*self.contest.asks, &*self.contest.freed) {
            (&[slot], []) => {
                self.contest.asks.clear();
                self.decide_alone(now, slot, queue);
            }
            ([], &[output]) => {
                self.contest.freed.clear();
                self.serve_blocked(now, self.inputs[output as usize].switch, output, queue);
            }
            _ => self.arbitrate_all(now, queue),
        }
    }

    /// The only request of this instant: an idle output is granted.
    #[inline]
    pub(crate) fn decide_alone(&mut self, now: Time, slot: Slot, queue: &mut EventQueue<Event>) {
        let (of, head) = (self.inputs[slot as usize].switch, self.head_at(slot));
        if self.lacks_outputs(slot) {
            if !self.capture_idle(now, slot, queue) {
                self.join_blocked(of, head);
            }
            return;
        }
        match self.idle_output(of, head) {
            Some(output) => self.grant_to(now, of, head, output, queue),
            None => self.block(now, of, head, queue),
        }
    }

    /// Several requests or freed outputs: switch by switch.
    fn arbitrate_all(&mut self, now: Time, queue: &mut EventQueue<Event>) {
        let (mut asks, mut freed) =
            (std::mem::take(&mut self.contest.asks), std::mem::take(&mut self.contest.freed));
        // In the order of ports, and so of switches: the arbiter's decision does not depend on the order of events.
        asks.sort_unstable();
        freed.sort_unstable();
        let (mut asking, mut free) = (&mut asks[..], &freed[..]);
        while let Some(&first) = asking.first().into_iter().chain(free.first()).min() {
            let switch = self.inputs[first as usize].switch;
            let here = |slot: &Slot| self.inputs[*slot as usize].switch == switch;
            let (asks_here, frees_here) = (asking.partition_point(here), free.partition_point(here));
            let (these, others) = std::mem::take(&mut asking).split_at_mut(asks_here);
            (asking, free) = (others, &free[frees_here..]);
            match (&*these, frees_here) {
                (&[alone], 0) => self.decide_alone(now, alone, queue),
                _ => self.consider(now, switch, these, frees_here > 0, queue),
            }
        }
        // The memory is reused.
        asks.clear();
        freed.clear();
        if !self.contest.open {
            (self.contest.asks, self.contest.freed) = (asks, freed);
        }
    }

    /// Considers the requesting heads of a switch at this instant, and if outputs have become idle also the blocked
    /// ones, one after the other.
    fn consider(
        &mut self,
        now: Time,
        of: u32,
        asking: &mut [Slot],
        has_freed: bool,
        queue: &mut EventQueue<Event>,
    ) {
        let arbiter = self.contest.arbiter;
        let switch = &mut self.switches[of as usize];
        let base = switch.slot(0);
        let port = |slot: Slot| (slot - base) as Port;
        arbiter.line_up(asking, |&slot| port(slot), 0, &mut switch.random);
        let mut heads = std::mem::take(&mut self.contest.heads);
        if has_freed {
            switch.blocked.move_to(&mut heads);
        }
        for &head in &heads {
            self.count_waiting(of, head, -1);
        }
        let waited = heads.len();
        heads.extend(asking.iter().map(|&slot| self.head_at(slot)));
        if arbiter != Arbiter::Oldest && waited > 0 {
            let random = &mut self.switches[of as usize].random;
            arbiter.line_up(&mut heads, |head| port(head.fifo), 0, random);
        }
        let mut at = 0;
        while at < heads.len() {
            if self.lacks_outputs(heads[at].fifo) {
                if self.capture_idle(now, heads[at].fifo, queue) {
                    heads.remove(at);
                } else {
                    at += 1;
                }
                continue;
            }
            let Some(output) = self.idle_output(of, heads[at]) else {
                at += 1;
                continue;
            };
            let winner =
                if arbiter == Arbiter::RoundRobin { self.next_in_turn(of, output, &heads) } else { at };
            let head = heads.remove(winner);
            self.grant_to(now, of, head, output, queue);
            at -= usize::from(winner < at);
        }
        for head in heads.drain(..) {
            if asking.contains(&head.fifo) {
                self.block(now, of, head, queue);
            } else {
                self.join_blocked(of, head);
            }
        }
        self.contest.heads = heads;
    }

    /// The index of the head whose turn it is at an output, among those that may use it.
    fn next_in_turn(&mut self, of: u32, output: Slot, heads: &[Bound]) -> usize {
        let switch = &self.switches[of as usize];
        let port = switch.port(output);
        let may_use = |&place: &usize| self.ports_for(of, heads[place]).contains(&port);
        let places: Vec<usize> = (0..heads.len()).filter(may_use).collect();
        let asking: Vec<Port> = places.iter().map(|&place| switch.port(heads[place].fifo)).collect();
        let turn = self.contest.turn(output);
        let random = &mut self.switches[of as usize].random;
        let chosen = self.contest.arbiter.choose(&asking.iter().copied(), turn, random);
        places[chosen.expect("the head that asks for the output may use it")]
    }

    /// An output has become idle, and nothing else has happened: one of the blocked heads that may use it gets it. The
    /// output may have been stopped since, or the waiting packets destroyed.
    pub(crate) fn serve_blocked(&mut self, now: Time, of: u32, output: Slot, queue: &mut EventQueue<Event>) {
        let switch = &self.switches[of as usize];
        let port = switch.port(output);
        if !switch.is_idle(port) || self.outputs[output as usize].waiting == 0 {
            return;
        }
        let chosen = match self.contest.arbiter {
            Arbiter::Oldest => switch.blocked.that(|&head| self.ports_for(of, head).contains(&port)).next(),
            _ => self.choose_blocked(of, output),
        };
        let (place, head) = chosen.expect("somebody waits for it");
        self.switches[of as usize].blocked.take(place);
        self.count_waiting(of, head, -1);
        if self.lacks_outputs(head.fifo) {
            if !self.capture_idle(now, head.fifo, queue) {
                self.switches[of as usize].blocked.put_back(place, head);
                self.count_waiting(of, head, 1);
            }
            return;
        }
        self.grant_to(now, of, head, output, queue);
    }

    /// The blocked head that an arbiter chooses for an output, with its place.
    fn choose_blocked(&mut self, of: u32, output: Slot) -> Option<(usize, Bound)> {
        let switch = &self.switches[of as usize];
        let port = switch.port(output);
        if self.outputs[output as usize].waiting == 1 {
            return switch.blocked.that(|&head| self.ports_for(of, head).contains(&port)).next();
        }
        let mut random = switch.random.clone();
        let chosen = {
            let mut those = switch.blocked.that(|&head| self.ports_for(of, head).contains(&port));
            let asking = those.clone().map(|(_, head)| switch.port(head.fifo));
            let chosen = self.contest.arbiter.choose(&asking, self.contest.turn(output), &mut random);
            chosen.and_then(|chosen| those.nth(chosen))
        };
        self.switches[of as usize].random = random;
        chosen
    }

    /// The head of a FIFO, as one that may be blocked.
    #[inline]
    fn head_at(&self, slot: Slot) -> Bound {
        self.bound(slot, self.inputs[slot as usize].head)
    }

    /// The ports by which a head may leave its switch.
    #[inline]
    fn ports_for(&self, of: u32, head: Bound) -> &[Port] {
        if let Some(state) = &self.multicast
            && self.lacks_outputs(head.fifo)
        {
            return &state.heads[head.fifo as usize].missing;
        }
        self.paths.eligible(&self.plan, of, self.inputs[head.fifo as usize].phase, head)
    }

    /// The idle output that a head would take, if there is one.
    #[inline]
    fn idle_output(&mut self, of: u32, head: Bound) -> Option<Slot> {
        let ports = self.paths.eligible(&self.plan, of, self.inputs[head.fifo as usize].phase, head);
        let switch = &mut self.switches[of as usize];
        let port = pick(self.plan.params.routing.choice, switch, &self.pauses, ports)?;
        Some(switch.slot(port))
    }

    #[inline]
    fn grant_to(&mut self, now: Time, of: u32, head: Bound, output: Slot, queue: &mut EventQueue<Event>) {
        let input = self.switches[of as usize].port(head.fifo);
        self.contest.served(output, input);
        self.grant(now, head.fifo, output, queue);
    }

    /// No output is idle for the head of a FIFO: it joins the blocked, under virtual cut-through when it has arrived
    /// completely. The routes may have none for it where a link or switch has failed.
    fn block(&mut self, now: Time, of: u32, head: Bound, queue: &mut EventQueue<Event>) {
        if self.lacks_outputs(head.fifo) {
            self.join_blocked(of, head);
            return;
        }
        let ports = self.paths.eligible(&self.plan, of, self.inputs[head.fifo as usize].phase, head);
        if ports.is_empty() {
            assert!(self.control.is_some(), "no route from slot {} to host {}", head.fifo, head.to);
            let packet = self.head_packet(head.fifo);
            self.lose_unroutable(now, packet, queue);
        } else if self.an1.params.switch.switching == Switching::VirtualCutThrough
            && !self.inputs[head.fifo as usize].has_come(now)
        {
            self.inputs[head.fifo as usize].progress = Progress::AwaitsRest;
        } else {
            let switch = &mut self.switches[of as usize];
            for &port in ports {
                self.outputs[switch.slot(port) as usize].waiting += 1;
            }
            switch.blocked.join(head);
        }
    }

    fn join_blocked(&mut self, of: u32, head: Bound) {
        self.count_waiting(of, head, 1);
        self.switches[of as usize].blocked.join(head);
    }

    /// Changes the waiting count of the outputs for which a head waits.
    fn count_waiting(&mut self, of: u32, head: Bound, more: i16) {
        let switch = &self.switches[of as usize];
        let ports = match &self.multicast {
            Some(state) if !state.heads[head.fifo as usize].missing.is_empty() => {
                &state.heads[head.fifo as usize].missing
            }
            _ => self.paths.eligible(&self.plan, of, self.inputs[head.fifo as usize].phase, head),
        };
        for &port in ports {
            let output = switch.slot(port);
            let waiting = &mut self.outputs[output as usize].waiting;
            *waiting = waiting.checked_add_signed(more).expect("as many leave as have come");
        }
    }
}
