//! Deadlock: heads of FIFOs that wait for each other in a cycle. Found by what each waits for, not by a clock.

use std::collections::BTreeSet;

use hopscope_fabric::{NO_SLOT, Slot, cycle_of_waits, keep_stuck, stuck};
use hopscope_measure::{Journal, Stuck};
use hopscope_units::Time;

use crate::machine::An1;
use crate::packet::{Fate, NO_PACKET, PacketKind};
use crate::pooled::Claim;
use crate::switch::directive::Directive;
use crate::switch::input_fifo::{InputFifo, Progress};

/// What the packet at the head of a FIFO needs before it can go on.
enum Needs {
    /// Nothing but time.
    Nothing,
    /// That one of these FIFOs or send queues moves on.
    OneOf(Vec<Slot>),
    /// That one of each of these moves on.
    EachOf(Vec<Vec<Slot>>),
}

impl<J: Journal> An1<J> {
    /// The deadlock in the network, if there is one: FIFOs none of which can ever move on.
    pub(crate) fn find_deadlock(&self) -> Option<Stuck> {
        let occupied: Vec<Slot> =
            (0..self.inputs.len() as Slot).filter(|&slot| self.first_packet(slot).is_some()).collect();
        let mut waits: Vec<(Slot, Vec<Slot>)> = Vec::new();
        let mut moving = vec![true; self.inputs.len()];
        for slot in occupied {
            let needs = match self.needs(slot) {
                Needs::Nothing => continue,
                Needs::OneOf(others) => vec![others],
                Needs::EachOf(needs) => needs,
            };
            moving[slot as usize] = false;
            waits.extend(needs.into_iter().map(|others| (slot, others)));
        }
        keep_stuck(&mut waits, &mut moving);
        let (first, _) = waits.first()?;
        Some(self.describe(&cycle_of_waits(*first, &waits)))
    }

    fn needs(&self, slot: Slot) -> Needs {
        let input = &self.inputs[slot as usize];
        let host = self.plan.slots.is_host(slot);
        if input.head != NO_PACKET && self.packets[input.head].fate == Fate::Destroyed {
            return Needs::Nothing;
        }
        if input.out != NO_SLOT || host {
            let output = if host { slot } else { input.out };
            if input.tx_on || self.waits_for_link(output) {
                return Needs::Nothing;
            }
            if self.has_legs(slot) && !self.may_flow(slot) {
                return self.needs_all_outputs(slot);
            }
            // A host may hold nothing yet, and then any directive but to start keeps it waiting.
            let waits_for = if input.out == NO_SLOT { Directive::Finish } else { Directive::Stop };
            return if self.outputs[output as usize].directive >= waits_for {
                self.needs_start(output)
            } else {
                self.needs_rest(slot)
            };
        }
        let (switch, _) = self.plan.slots.switch_port(slot);
        if input.head == NO_PACKET {
            return self.pool_needs(slot);
        }
        if self.has_legs(slot) || self.lacks_outputs(slot) {
            return self.needs_all_outputs(slot);
        }
        if !self.switches[switch].blocked.contains(slot) {
            let needs_rest = self.needs_whole(slot, input.head) || input.progress == Progress::AwaitsRest;
            return if needs_rest && !input.head_is_whole() { self.needs_rest(slot) } else { Needs::Nothing };
        }
        self.needs_one_of(self.wanted(slot))
    }

    /// What a packet for several hosts needs: all outputs that it lacks, and a start of those that it holds.
    fn needs_all_outputs(&self, slot: Slot) -> Needs {
        let lacks = if self.lacks_outputs(slot) { self.wanted(slot) } else { Vec::new() };
        let lacks = lacks.into_iter().map(|output| self.needs_one_of(vec![output]));
        let is_stopped = |output: &Slot| self.outputs[*output as usize].directive > Directive::Start;
        let stopped = self.legs(slot).iter().map(|leg| leg.output).filter(is_stopped);
        let needs = lacks.chain(stopped.map(|output| self.needs_start(output)));
        let each: Vec<Vec<Slot>> = needs
            .filter_map(|needs| match needs {
                Needs::OneOf(others) => Some(others),
                Needs::Nothing | Needs::EachOf(_) => None,
            })
            .collect();
        if each.is_empty() { Needs::Nothing } else { Needs::EachOf(each) }
    }

    /// What any of the packets that wait in a pool slot needs.
    fn pool_needs(&self, slot: Slot) -> Needs {
        let undecided = self.pooled(slot).iter().filter(|waiting| waiting.claim != Claim::Asks).count();
        // Only the last to come in can lack its rest.
        let newest = self.pooled(slot).last().map(|waiting| waiting.packet);
        let lacks_rest = self.inputs[slot as usize].rx_left > 0
            && newest.is_some_and(|packet| self.needs_whole(slot, packet));
        if undecided > usize::from(lacks_rest) {
            return Needs::Nothing;
        }
        let rest = if undecided > 0 { self.needs_rest(slot) } else { Needs::OneOf(Vec::new()) };
        match (rest, self.needs_one_of(self.wanted(slot))) {
            (Needs::OneOf(mut some), Needs::OneOf(more)) => {
                some.extend(more);
                Needs::OneOf(some)
            }
            _ => Needs::Nothing,
        }
    }

    /// The packet at the head of a FIFO or send queue, or the first of those in a pool slot.
    fn first_packet(&self, slot: Slot) -> Option<u32> {
        match self.head_packet(slot) {
            NO_PACKET => self.pooled(slot).first().map(|waiting| waiting.packet),
            head => Some(head),
        }
    }

    fn needs_one_of(&self, outputs: Vec<Slot>) -> Needs {
        let mut others = Vec::new();
        for output in outputs {
            let out = &self.outputs[output as usize];
            match (out.holder, out.directive) {
                (NO_SLOT, Directive::Start) => return Needs::Nothing,
                (NO_SLOT, _) => match self.needs_start(output) {
                    Needs::OneOf(more) => others.extend(more),
                    Needs::Nothing | Needs::EachOf(_) => return Needs::Nothing,
                },
                // Nothing stops a packet that leaves an output queue.
                _ if self.an1.params.switch.discipline.queues_at_outputs() => return Needs::Nothing,
                (holder, _) => others.push(holder),
            }
        }
        Needs::OneOf(others)
    }

    /// A stopped output needs the FIFO at its far end to empty; if that has sent a start or will, the directive is in
    /// transit.
    fn needs_start(&self, output: Slot) -> Needs {
        let far = self.plan.slots.links[output as usize].far;
        let InputFifo { told, crossing_due, .. } = self.inputs[far as usize];
        if told != Directive::Start && crossing_due == Time::NEVER {
            Needs::OneOf(vec![far])
        } else {
            Needs::Nothing
        }
    }

    /// A packet that has not arrived completely needs its sender to move on.
    fn needs_rest(&self, slot: Slot) -> Needs {
        let upstream = self.plan.slots.links[slot as usize].far;
        match self.outputs[upstream as usize].holder {
            NO_SLOT => Needs::Nothing,
            _ if self.inputs[slot as usize].rx_on => Needs::Nothing,
            sender => Needs::OneOf(vec![sender]),
        }
    }

    fn describe(&self, cycle: &[Slot]) -> Stuck {
        let waiting = |slot: Slot| self.first_packet(slot).expect("nothing waits where no packet is");
        let line = |&slot: &Slot| {
            let who = format!(
                "{} in {}",
                self.journey_of(waiting(slot)),
                self.plan.slots.name(&self.plan.network, slot)
            );
            let input = &self.inputs[slot as usize];
            let link = |output: Slot| self.plan.slots.link_name(&self.plan.network, output);
            if self.has_legs(slot) || self.lacks_outputs(slot) {
                return self.describe_multicast(slot, &who);
            }
            if input.out == NO_SLOT {
                let wanted: Vec<String> = self.wanted(slot).into_iter().map(link).collect();
                format!("{who} waits for {}", wanted.join(" or "))
            } else if self.outputs[input.out as usize].directive == Directive::Stop {
                format!("{who} holds {} and is stopped", link(input.out))
            } else {
                format!("{who} holds {} and waits for its own rest", link(input.out))
            }
        };
        // A packet that is cut through is in several places at once.
        let packets: BTreeSet<u32> = cycle.iter().map(|slot| waiting(*slot)).collect();
        let (packets, places) = (packets.len(), cycle.len());
        stuck(cycle, format!("a cycle of {places} buffers, held by {packets} packets"), line)
    }

    /// Source and destination of a packet.
    fn journey_of(&self, packet: u32) -> String {
        let packet = &self.packets[packet];
        let host = |id: u32| &self.plan.network.hosts()[id as usize].name;
        match packet.kind {
            PacketKind::Multicast if packet.to == 1 => format!("{} -> 1 host of a group", host(packet.from)),
            PacketKind::Multicast => format!("{} -> {} hosts", host(packet.from), packet.to),
            _ => format!("{} -> {}", host(packet.from), host(packet.to)),
        }
    }

    /// What a packet for several hosts holds, and what it waits for.
    fn describe_multicast(&self, slot: Slot, who: &str) -> String {
        let names = |outputs: Vec<Slot>| {
            let names = outputs.iter().map(|&output| self.plan.slots.link_name(&self.plan.network, output));
            names.collect::<Vec<_>>().join(" and ")
        };
        let held: Vec<Slot> = self.legs(slot).iter().map(|leg| leg.output).collect();
        let is_stopped = |output: &Slot| self.outputs[*output as usize].directive > Directive::Start;
        let stopped: Vec<Slot> = held.iter().copied().filter(is_stopped).collect();
        let mut parts = Vec::new();
        if !held.is_empty() {
            parts.push(format!("holds {}", names(held)));
        }
        if self.lacks_outputs(slot) {
            parts.push(format!("waits for {}", names(self.wanted(slot))));
        }
        if !stopped.is_empty() {
            parts.push(format!("is stopped on {}", names(stopped)));
        } else if parts.len() == 1 && !self.lacks_outputs(slot) {
            parts.push("waits for its own rest".to_owned());
        }
        format!("{who} {}", parts.join(" and "))
    }
}
