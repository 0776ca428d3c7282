//! Arbitration: which of the packets that wait in a pool gets an idle output, first come, first served or by matching.

use hopscope_fabric::{Arbiter, Slot};
use hopscope_kernel::{EventQueue, Order};
use hopscope_measure::Journal;
use hopscope_topology::Port;
use hopscope_units::{Span, Time};

use super::{Claim, Waiting};
use crate::event::{Event, lists};
use crate::machine::An1;
use crate::observe::stage::Stage;
use crate::packet::NO_PACKET;
use crate::params::SwitchParams;
use crate::pooled::pim_islip::{Matching, Requests};
use crate::switch::input_fifo::InputFifo;
use crate::switch::output::Output;
use crate::switch::routing_choice::pick;

/// A packet that may leave now: by its input port and its place there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Candidate {
    lane: usize,
    place: usize,
    first_in: Time,
}

impl<J: Journal> An1<J> {
    /// Schedules the matching of packets after all other events of this switch at this instant.
    pub(crate) fn match_soon(&mut self, now: Time, of: u32, queue: &mut EventQueue<Event>) {
        let pool = &mut self.pools[of as usize];
        if !pool.due && pool.asking > 0 {
            pool.due = true;
            let source = self.switch_order(of);
            queue.schedule(now, Order::new(source, 1), Event::Match(of));
        }
    }

    /// An input has sent a whole packet, and may send another.
    pub(crate) fn input_is_free(&mut self, now: Time, slot: Slot, queue: &mut EventQueue<Event>) {
        let of = self.inputs[slot as usize].switch;
        let lane = usize::from(self.switches[of as usize].port(slot));
        self.pools[of as usize].changed.insert(lane);
        self.match_soon(now, of, queue);
    }

    /// Events of a whole switch come after all slots and sources in the order of an instant.
    pub(crate) fn switch_order(&self, of: u32) -> u32 {
        (self.inputs.len() + self.workload.sources.len()) as u32 + of
    }

    /// The ports by which a packet that came in by this one may leave.
    pub(crate) fn ports_of(&self, of: u32, lane: usize, packet: u32) -> &[Port] {
        let slot = self.switches[of as usize].slot(lane as Port);
        self.paths.eligible(&self.plan, of, self.inputs[slot as usize].phase, self.bound(slot, packet))
    }

    /// Gives idle outputs of a switch to packets that wait.
    pub(crate) fn match_now(&mut self, now: Time, of: u32, queue: &mut EventQueue<Event>) {
        self.pools[of as usize].due = false;
        match self.pools[of as usize].matching.take() {
            Some((mut matching, mut requests)) => {
                self.match_queues(now, of, &mut matching, &mut requests, queue);
                self.pools[of as usize].matching = Some((matching, requests));
            }
            None => self.serve_first_come(now, of, queue),
        }
    }

    /// Repeatedly, the packet that the arbiter chooses among those of free inputs takes an idle output.
    ///
    /// A packet that leaves takes an output from the others, and nothing else: only its own input, and inputs whose
    /// first candidate has no other output left, are examined again.
    fn serve_first_come(&mut self, now: Time, of: u32, queue: &mut EventQueue<Event>) {
        let pool = &mut self.pools[of as usize];
        let (mut firsts, mut equals) = (std::mem::take(&mut pool.firsts), std::mem::take(&mut pool.equals));
        let changed = pool.changed_inputs(self.switches[of as usize].idle());
        firsts.clear();
        firsts.extend(changed.iter(pool.lanes.len()).filter_map(|lane| self.first_candidate(now, of, lane)));
        debug_assert!(
            (0..self.pools[of as usize].lanes.len())
                .filter_map(|lane| self.first_candidate(now, of, lane))
                .eq(firsts.iter().copied()),
            "an input has a candidate without a change"
        );
        while let Some(candidate) = self.chosen_of(of, &firsts, &mut equals) {
            let Waiting { packet, .. } = self.pools[of as usize].lanes[candidate.lane][candidate.place];
            let slot = self.switches[of as usize].slot(candidate.lane as Port);
            let phase = self.inputs[slot as usize].phase;
            let ports = self.paths.eligible(&self.plan, of, phase, self.bound(slot, packet));
            let switch = &mut self.switches[of as usize];
            let port = pick(self.plan.params.routing.choice, switch, &self.pauses, ports);
            let output = switch.slot(port.expect("a candidate has an idle output"));
            self.send(now, of, candidate, output, queue);
            firsts.retain_mut(|first| {
                if first.lane != candidate.lane && self.has_idle_output(of, *first) {
                    return true;
                }
                let next = self.first_candidate(now, of, first.lane);
                *first = next.unwrap_or(*first);
                next.is_some()
            });
        }
        let lanes = self.pools[of as usize].lanes.len();
        let await_content = changed.iter(lanes).filter(|&lane| self.awaits_content(of, lane)).collect();
        let pool = &mut self.pools[of as usize];
        (pool.firsts, pool.equals) = (firsts, equals);
        (pool.changed, pool.idle_before) = (await_content, self.switches[of as usize].idle());
    }

    /// Whether a packet that waits may leave by an output that is idle.
    fn has_idle_output(&self, of: u32, Candidate { lane, place, .. }: Candidate) -> bool {
        let Waiting { packet, ways, .. } = self.pools[of as usize].lanes[lane][place];
        self.switches[of as usize].any_idle(ways, || self.ports_of(of, lane, packet))
    }

    /// Whether an input without a candidate would have one if more of its last packet had arrived. That needs no event,
    /// so the input is examined each time.
    fn awaits_content(&self, of: u32, lane: usize) -> bool {
        let (pool, switch) = (&self.pools[of as usize], &self.switches[of as usize]);
        let Some(&Waiting { packet, claim, ways, .. }) = pool.lanes[lane].last() else { return false };
        claim == Claim::Asks
            && pool.is_newest(lane, packet)
            && self.inputs[switch.slot(lane as Port) as usize].head == NO_PACKET
            && switch.any_idle(ways, || self.ports_of(of, lane, packet))
    }

    /// The candidate that is served next. Queues at outputs are first come, first served: there, and with the `oldest`
    /// arbiter, the choice is only among those that came at the same instant.
    fn chosen_of(&mut self, of: u32, firsts: &[Candidate], equals: &mut Vec<Candidate>) -> Option<Candidate> {
        let SwitchParams { arbiter, discipline, .. } = self.an1.params.switch;
        let candidates = firsts.iter().copied();
        equals.clear();
        if discipline.queues_at_outputs() || arbiter == Arbiter::Oldest {
            let oldest = candidates.clone().map(|candidate| candidate.first_in).min()?;
            equals.extend(candidates.filter(|candidate| candidate.first_in == oldest));
        } else {
            equals.extend(candidates);
        }
        let (turn, random) = (self.pools[of as usize].turn, &mut self.switches[of as usize].random);
        let ports = equals.iter().map(|candidate| candidate.lane as Port);
        let chosen = equals[arbiter.among_equals().choose(&ports, turn, random)?];
        self.pools[of as usize].turn = chosen.lane as Port + 1;
        Some(chosen)
    }

    /// The first packet of an input that can leave now.
    fn first_candidate(&self, now: Time, of: u32, lane: usize) -> Option<Candidate> {
        let mut found = None;
        self.for_each_sendable(now, of, lane, |candidate| {
            found = Some(candidate);
            false
        });
        found
    }

    /// Free inputs and idle outputs are matched.
    fn match_queues(
        &mut self,
        now: Time,
        of: u32,
        matching: &mut Matching,
        requests: &mut Requests,
        queue: &mut EventQueue<Event>,
    ) {
        requests.clear();
        let switch = &self.switches[of as usize];
        for lane in 0..self.pools[of as usize].lanes.len() {
            let ports = 0..self.pools[of as usize].lanes.len() as Port;
            let mut idle = ports.filter(|&port| switch.is_idle(port)).count();
            self.for_each_sendable(now, of, lane, |candidate| {
                let packet = self.pools[of as usize].lanes[lane][candidate.place].packet;
                let ports = self.ports_of(of, lane, packet);
                for &port in ports.iter().filter(|&&port| switch.is_idle(port)) {
                    idle -= usize::from(requests.put(lane, usize::from(port), candidate.place as u32));
                }
                idle > 0
            });
        }
        for pair in matching.run(requests, &mut self.switches[of as usize].random) {
            let (lane, place) = (pair.input, pair.packet as usize);
            let Waiting { first_in, .. } = self.pools[of as usize].lanes[lane][place];
            let output = self.switches[of as usize].slot(pair.output as Port);
            self.send(now, of, Candidate { lane, place, first_in }, output, queue);
        }
    }

    /// Visits the packets of an input that can leave now, in order of arrival, until `show` returns false.
    fn for_each_sendable(&self, now: Time, of: u32, lane: usize, mut show: impl FnMut(Candidate) -> bool) {
        let (pool, switch) = (&self.pools[of as usize], &self.switches[of as usize]);
        if pool.lanes[lane].is_empty() {
            return;
        }
        let input = &self.inputs[switch.slot(lane as Port) as usize];
        let at_once = self.an1.params.switch.discipline.queues_at_outputs();
        if input.head != NO_PACKET && !at_once {
            return;
        }
        for (place, &Waiting { packet, first_in, claim, ways }) in pool.lanes[lane].iter().enumerate() {
            let ready = claim == Claim::Asks
                && switch.any_idle(ways, || self.ports_of(of, lane, packet))
                && (at_once || packet != pool.newest[lane] || self.can_begin(now, input, packet));
            if ready && !show(Candidate { lane, place, first_in }) {
                return;
            }
        }
    }

    /// Whether the packet that came in last can begin to leave: if incomplete, only if the others in its buffer will
    /// not keep its sender stopped.
    fn can_begin(&self, now: Time, input: &InputFifo, packet: u32) -> bool {
        let Some(thresholds) = self.an1.thresholds else { return true };
        let mut settled = input.clone();
        settled.settle(now);
        let come = self.packets[packet].length() - settled.rx_left;
        settled.rx_left == 0 || settled.level - come < thresholds.stop_above
    }

    /// A packet that waited leaves by an idle output.
    fn send(
        &mut self,
        now: Time,
        of: u32,
        candidate: Candidate,
        output: Slot,
        queue: &mut EventQueue<Event>,
    ) {
        let pool = &mut self.pools[of as usize];
        let Waiting { packet, first_in, .. } = pool.lanes[candidate.lane].remove(candidate.place);
        pool.asking -= 1;
        pool.find_wanted(candidate.lane);
        let is_newest = pool.is_newest(candidate.lane, packet);
        let slot = self.switches[of as usize].slot(candidate.lane as Port);
        let input = &mut self.inputs[slot as usize];
        if self.an1.params.switch.discipline.queues_at_outputs() {
            input.head_first_in = first_in;
            self.send_at_once(now, slot, packet, output, queue);
        } else {
            (input.head, input.head_first_in, input.head_is_newest) = (packet, first_in, is_newest);
            self.grant(now, slot, output, queue);
        }
    }

    /// A packet leaves an output queue. Nothing stops it, and its rest arrives at least as fast as it leaves.
    fn send_at_once(
        &mut self,
        now: Time,
        slot: Slot,
        packet: u32,
        output: Slot,
        queue: &mut EventQueue<Event>,
    ) {
        let waited_since = self.packets[packet].account.since();
        self.close(packet, Stage::OutputWait, output, now);
        self.set_idle(output, false);
        let out = &mut self.outputs[output as usize];
        assert!(out.is_idle(), "output {output} is given to two packets");
        (out.holder, out.held_since) = (slot, now);
        now.since(waited_since).onto(&mut out.wait_ps);
        let Output { far, rate, delay, to_host, .. } = *out;
        let length = self.packets[packet].length();
        let ends = now + Span::from_ps(length.div_ceil(u64::from(rate)));
        if to_host {
            self.close(packet, Stage::Propagation, output, now + delay);
        } else {
            let attempt = self.packets[packet].attempt;
            self.schedule_presorted(
                queue,
                lists::HEADS_IN,
                (slot, now + delay),
                Event::HeadIn(far, packet, attempt),
            );
        }
        self.schedule(queue, slot, ends, Event::Sent(output, packet));
        let input = &mut self.inputs[slot as usize];
        (input.ready, input.tx_rate) = (now, rate);
        input.book_packet(length, ends);
    }

    /// The last byte of a packet has left an output queue.
    pub(crate) fn sent(&mut self, now: Time, output: Slot, packet: u32, queue: &mut EventQueue<Event>) {
        self.tally.hops += 1;
        let slot = self.outputs[output as usize].holder;
        self.inputs[slot as usize].level -= self.packets[packet].length();
        self.watch_memory(now, self.inputs[slot as usize].switch, queue);
        self.release(now, slot, output, packet, queue);
        self.leave(packet);
    }
}
