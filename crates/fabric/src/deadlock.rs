//! Deadlock: heads of FIFOs that wait for each other in a circle. Found by what each waits for, not by a clock.

use hopscope_measure::{Journal, Stuck};

use crate::fabric::Fabric;
use crate::packet::NO_PACKET;
use crate::slots::{NO_SLOT, Slot};

/// What the packet at the head of a FIFO needs before it can go on.
enum Needs {
    /// Nothing but time.
    Nothing,
    /// That one of these FIFOs or send queues gets on.
    OneOf(Vec<Slot>),
}

impl<J: Journal> Fabric<J> {
    /// The deadlock in the network, if there is one: FIFOs none of which can ever get on.
    pub(crate) fn find_deadlock(&self) -> Option<Stuck> {
        let occupied: Vec<Slot> = (0..self.inputs.len() as Slot)
            .filter(|&slot| self.inputs[slot as usize].head != NO_PACKET)
            .collect();
        let mut waits: Vec<(Slot, Vec<Slot>)> = Vec::new();
        let mut moving = vec![true; self.inputs.len()];
        for slot in occupied {
            if let Needs::OneOf(others) = self.needs(slot) {
                moving[slot as usize] = false;
                waits.push((slot, others));
            }
        }
        // Whoever needs somebody that moves will move in time; what is left when no more can be set moving is stuck for good.
        loop {
            let before = waits.len();
            waits.retain(|(slot, others)| {
                let moves = others.iter().any(|&other| moving[other as usize]);
                moving[*slot as usize] = moves;
                !moves
            });
            if waits.len() == before {
                break;
            }
        }
        let (first, _) = waits.first()?;
        Some(self.describe(&self.cycle(*first, &waits)))
    }

    fn needs(&self, slot: Slot) -> Needs {
        let input = &self.inputs[slot as usize];
        let host = self.plan.slots.is_host(slot);
        if input.out != NO_SLOT || host {
            let output = if host { slot } else { input.out };
            if input.tx_on {
                return Needs::Nothing;
            }
            return if self.outputs[output as usize].stopped {
                self.needs_start(output)
            } else {
                self.needs_rest(slot)
            };
        }
        let (switch, _) = self.plan.slots.switch_port(slot);
        if !self.switches[switch].blocked.contains(&slot) {
            return if input.whole_first && !input.head_is_whole() {
                self.needs_rest(slot)
            } else {
                Needs::Nothing
            };
        }
        let mut others = Vec::new();
        for output in self.wanted(slot) {
            let out = &self.outputs[output as usize];
            match (out.holder, out.stopped) {
                (NO_SLOT, false) => return Needs::Nothing,
                (NO_SLOT, true) => match self.needs_start(output) {
                    Needs::Nothing => return Needs::Nothing,
                    Needs::OneOf(more) => others.extend(more),
                },
                (holder, _) => others.push(holder),
            }
        }
        Needs::OneOf(others)
    }

    /// A stopped output needs the FIFO at its far end to empty; if that has said start, the directive is on its way.
    fn needs_start(&self, output: Slot) -> Needs {
        let far = self.plan.slots.cables[output as usize].far;
        if self.inputs[far as usize].told_stop { Needs::OneOf(vec![far]) } else { Needs::Nothing }
    }

    /// A packet that has not come whole needs whoever sends it to get on.
    fn needs_rest(&self, slot: Slot) -> Needs {
        let upstream = self.plan.slots.cables[slot as usize].far;
        match self.outputs[upstream as usize].holder {
            NO_SLOT => Needs::Nothing,
            _ if self.inputs[slot as usize].rx_on => Needs::Nothing,
            sender => Needs::OneOf(vec![sender]),
        }
    }

    /// From one that is stuck, follow what it waits for until somebody comes round again.
    fn cycle(&self, first: Slot, waits: &[(Slot, Vec<Slot>)]) -> Vec<Slot> {
        let mut path = vec![first];
        loop {
            let at = *path.last().expect("a path has an end");
            let entry = waits
                .binary_search_by_key(&at, |(slot, _)| *slot)
                .expect("a stuck one waits for stuck ones only");
            let next = waits[entry].1[0];
            if let Some(start) = path.iter().position(|&slot| slot == next) {
                return path.split_off(start);
            }
            path.push(next);
        }
    }

    fn describe(&self, cycle: &[Slot]) -> Stuck {
        let line = |&slot: &Slot| {
            let packet = &self.packets[self.head_packet(slot)];
            let host = |id: u32| &self.plan.network.hosts()[id as usize].name;
            let who = format!(
                "{} -> {} in {}",
                host(packet.from),
                host(packet.to),
                self.plan.slots.name(&self.plan.network, slot)
            );
            let input = &self.inputs[slot as usize];
            let link = |output: Slot| self.plan.slots.link_name(&self.plan.network, output);
            if input.out == NO_SLOT {
                let wanted: Vec<String> = self.wanted(slot).into_iter().map(link).collect();
                format!("{who} waits for {}", wanted.join(" or "))
            } else if self.outputs[input.out as usize].stopped {
                format!("{who} holds {} and is stopped", link(input.out))
            } else {
                format!("{who} holds {} and waits for its own rest", link(input.out))
            }
        };
        Stuck {
            reason: format!("{} packets wait for each other in a circle", cycle.len()),
            cycle: cycle.iter().map(line).collect(),
        }
    }
}
