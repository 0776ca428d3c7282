//! What both machines know besides the use of their links: rates, ways that lead to the same destinations, the root.

use std::collections::{BTreeMap, BTreeSet};

use hopscope_measure::{Alternatives, Choice, Evidence, Place};
use hopscope_topology::SwitchId;

use crate::plan::FabricPlan;
use crate::slots::Slot;

/// Ways are looked up for at most so many pairs of a switch and a destination: a millisecond or two.
const LOOKED_UP: usize = 250_000;

impl FabricPlan {
    /// The evidence of the outputs listed, each with its row in the report. `choice` tells how a machine picks one of
    /// several ways, where it does not use all of them.
    #[must_use]
    pub fn evidence(&self, rows: &BTreeMap<Slot, usize>, choice: Option<Choice>) -> Evidence {
        let rate = |slot: Slot| self.slots.links[slot as usize].rate as f64 * 1e3;
        let root = self.routes.root().map(|root| {
            let name = self.network.switch(root).name.clone();
            Place::node(format!("the root {name}"), name)
        });
        Evidence {
            rates: rows.iter().map(|(&slot, &row)| (row, rate(slot))).collect(),
            alternatives: choice.map_or_else(Vec::new, |choice| self.alternatives(rows, choice)),
            root,
            ..Evidence::default()
        }
    }

    /// The outputs of each switch that lead to the same switches, without repetition.
    fn alternatives(&self, rows: &BTreeMap<Slot, usize>, choice: Choice) -> Vec<Alternatives> {
        let destinations: BTreeSet<u32> = self.attached.iter().map(|&(switch, _)| switch).collect();
        if self.network.switches().len() * destinations.len() > LOOKED_UP {
            return Vec::new();
        }
        let mut found: BTreeSet<Vec<usize>> = BTreeSet::new();
        for switch in self.network.switch_ids() {
            for &to in destinations.iter().filter(|&&to| to as usize != switch.index()) {
                for phase in 0..self.routes.phase_count() {
                    let channels = self.routes.next_channels(switch, phase, SwitchId::new(to as usize));
                    let listed = channels
                        .iter()
                        .filter_map(|&channel| rows.get(&self.slots.port(switch.index(), channel)).copied());
                    let listed: BTreeSet<usize> = listed.collect();
                    if listed.len() > 1 {
                        found.insert(listed.into_iter().collect());
                    }
                }
            }
        }
        found.into_iter().map(|rows| Alternatives { rows, choice }).collect()
    }
}
