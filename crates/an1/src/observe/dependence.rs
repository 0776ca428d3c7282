//! Dependences: what the holders of links and FIFOs need, for explanations of a run.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use hopscope_fabric::Slot;
use hopscope_measure::{Dependence, HoldActivity, HoldWhy, Journal};

use crate::machine::An1;

/// At most this many outputs of a switch are listed as needed by its FIFOs: the most awaited ones.
const CONTESTED: usize = 4;

impl<J: Journal> An1<J> {
    /// A stopped output needs room in the FIFO at its far end; the packets in a FIFO need outputs of its switch. An
    /// output that is reserved for a packet for several hosts needs others of its switch.
    ///
    /// `listed` are the outputs of the report in their order, each with the row of its FIFO after its own where it has
    /// one.
    pub(crate) fn dependences(&self, listed: &[Slot]) -> Vec<Dependence> {
        let slots = &self.plan.slots;
        let mut row = 0;
        let mut outputs: BTreeMap<usize, Vec<(Slot, usize)>> = BTreeMap::new();
        let (mut found, mut fifos) = (Vec::new(), Vec::new());
        for &output in listed {
            if !slots.is_host(output) {
                outputs.entry(slots.switch_port(output).0).or_default().push((output, row));
            }
            let far = slots.links[output as usize].far;
            if slots.is_host(far) {
                row += 1;
                continue;
            }
            let activity = Some(HoldActivity::of(HoldWhy::Stopped));
            found.push(Dependence { holder: row, activity, needs: row + 1 });
            fifos.push((row + 1, far));
            row += 2;
        }
        // Where only one FIFO feeds an output, its packets wait behind one another and never for a grant.
        let contest = |output: Slot| {
            let output = &self.outputs[output as usize];
            output.wait_ps + output.held_ps
        };
        for contested in outputs.values_mut() {
            contested.sort_by_key(|&(output, _)| (Reverse(contest(output)), output));
        }
        found.extend(self.needs_of_reserved(&outputs));
        for (holder, input) in fifos {
            let contested = outputs.get(&slots.switch_port(input).0).map_or(&[][..], Vec::as_slice);
            // A packet does not leave by the port that it came in by.
            let needed = contested.iter().filter(|&&(output, _)| output != input).take(CONTESTED);
            let activity = Some(HoldActivity::of(HoldWhy::Packets));
            found.extend(needed.map(|&(_, needs)| Dependence { holder, activity, needs }));
        }
        found
    }

    /// What packets that hold outputs and wait for others need: the outputs of each switch with their rows, the most
    /// contested first.
    fn needs_of_reserved(&self, outputs: &BTreeMap<usize, Vec<(Slot, usize)>>) -> Vec<Dependence> {
        let mut found = Vec::new();
        let activity = Some(HoldActivity::of(HoldWhy::OtherOutputs));
        for contested in outputs.values() {
            let reserved =
                |&&(output, _): &&(Slot, usize)| self.pauses[output as usize].booked().others_ps > 0;
            for &(_, holder) in contested.iter().filter(reserved) {
                let others = contested.iter().map(|&(_, row)| row).filter(|&row| row != holder);
                found.extend(others.take(CONTESTED).map(|needs| Dependence { holder, activity, needs }));
            }
        }
        found
    }
}
