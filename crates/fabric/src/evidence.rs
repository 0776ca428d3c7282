//! Evidence of both machines besides the use of their links: rates, outputs that lead to the same destinations, the
//! root.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use hopscope_measure::{
    Alternatives, Choice, Evidence, Loss, LossWhy, PairUse, PairWait, Place, ServiceTime,
};
use hopscope_topology::{HostId, Switch, SwitchId};

use crate::plan::FabricPlan;
use crate::slots::Slot;

/// Alternatives are computed for at most this many pairs of a switch and a destination: a millisecond or two.
const LOOKED_UP: usize = 250_000;

impl FabricPlan {
    /// The evidence of the outputs listed, each with its row in the report. `choice` is how a machine picks one of
    /// several outputs, if it does not use all of them: under tables by destination there is nothing to pick, and the
    /// alternatives are those of shortest paths. `lengths` are the mean of what is sent, bits, and its squared
    /// coefficient of variation.
    #[must_use]
    pub fn evidence(
        &self,
        rows: &BTreeMap<Slot, usize>,
        choice: Option<Choice>,
        lengths: Option<(f64, f64)>,
    ) -> Evidence {
        let link = |slot: Slot| self.slots.links[slot as usize];
        let rate = |slot: Slot| link(slot).rate as f64 * 1e3;
        let choice = self.routes.tables().map_or(choice, |_| Some(Choice::Single));
        let root = self.routes.root().map(|root| {
            let name = self.network.switch(root).name.clone();
            Place::node(format!("the root {name}"), name)
        });
        Evidence {
            services: lengths.map_or_else(BTreeMap::new, |(bits, variation)| {
                rows.iter()
                    .map(|(&slot, &row)| (row, ServiceTime { mean_us: bits / rate(slot) * 1e6, variation }))
                    .collect()
            }),
            rates: rows.iter().map(|(&slot, &row)| (row, rate(slot))).collect(),
            delays: rows.iter().map(|(&slot, &row)| (row, link(slot).delay.as_seconds())).collect(),
            alternatives: choice.map_or_else(Vec::new, |choice| self.alternatives(rows, choice)),
            root,
            ..Evidence::default()
        }
    }

    /// The waits between hosts, with the hosts' names.
    #[must_use]
    pub fn pairs(&self, waits: Vec<PairWait>) -> Vec<PairUse> {
        PairUse::named(waits, |host| self.network.host(HostId::new(host as usize)).name.clone())
    }

    /// The packets that each switch dropped because their time to live had expired, as losses there.
    #[must_use]
    pub fn expired(&self, counts: &[u64]) -> Vec<Loss> {
        let switches = self.network.switches().iter().zip(counts).filter(|&(_, &count)| count > 0);
        let loss = |(switch, &count): (&Switch, &u64)| Loss {
            why: if self.loops { LossWhy::Looping } else { LossWhy::Expired },
            place: Place::node(&*switch.name, &*switch.name),
            count,
            of: 0,
            each_s: 0.0,
        };
        switches.map(loss).collect()
    }

    /// Groups of outputs that lead to the same switches, without repetition: those of each switch, and downstream those
    /// among which earlier switches have chosen.
    fn alternatives(&self, rows: &BTreeMap<Slot, usize>, choice: Choice) -> Vec<Alternatives> {
        let destinations: BTreeSet<u32> =
            self.network.hosts().iter().map(|host| host.switch.index() as u32).collect();
        if self.network.switches().len() * destinations.len() > LOOKED_UP {
            return Vec::new();
        }
        let mut found: BTreeSet<Vec<usize>> = BTreeSet::new();
        let mut add = |slots: &BTreeSet<Slot>| {
            let listed: BTreeSet<usize> = slots.iter().filter_map(|slot| rows.get(slot).copied()).collect();
            if listed.len() > 1 {
                found.insert(listed.into_iter().collect());
            }
        };
        for &to in &destinations {
            for switch in self.network.switch_ids().filter(|switch| switch.index() != to as usize) {
                for phase in 0..self.routes.phase_count() {
                    add(&self.outputs(&BTreeSet::from([(switch.index(), phase)]), to).0);
                }
            }
            let hops =
                |from: u32| self.routes.distance(SwitchId::new(from as usize), 0, SwitchId::new(to as usize));
            // In a regular network, packets from the most distant switches pass all outputs that lead here.
            let furthest = destinations.iter().copied().max_by_key(|&from| (hops(from), Reverse(from)));
            let mut at: BTreeSet<(usize, u8)> = furthest.iter().map(|&from| (from as usize, 0)).collect();
            while !at.is_empty() {
                let (slots, next) = self.outputs(&at, to);
                add(&slots);
                at = next;
            }
        }
        found.into_iter().map(|rows| Alternatives { rows, choice }).collect()
    }

    /// The outputs by which a packet for a switch leaves these switches, each with its phase, and the switches that it
    /// reaches then.
    fn outputs(&self, at: &BTreeSet<(usize, u8)>, to: u32) -> (BTreeSet<Slot>, BTreeSet<(usize, u8)>) {
        let (mut slots, mut next) = (BTreeSet::new(), BTreeSet::new());
        for &(switch, phase) in at.iter().filter(|(switch, _)| *switch != to as usize) {
            let from = SwitchId::new(switch);
            for &channel in self.routes.next_channels(from, phase, SwitchId::new(to as usize)) {
                let port = channel / self.routes.lanes();
                slots.insert(self.slots.port(switch, if self.slots.lanes == 1 { port } else { channel }));
                let (far, phase) = self.routes.step(from, port);
                next.insert((far.index(), phase));
            }
        }
        (slots, next)
    }
}

#[cfg(test)]
mod tests {
    use hopscope_measure::Site;
    use hopscope_topology::{Chain, NetworkSpec};

    use super::*;
    use crate::load::OfferedLoad;
    use crate::params::{FabricParams, RoutingParams, Rule};
    use crate::plan::SlotLayout;

    #[test]
    fn ways_round_a_ring_are_lanes_of_different_ports() {
        let ring = Chain { switches: 4, hosts_per_switch: 1, ..Chain::default() };
        let network = NetworkSpec::Ring(ring).build().expect("a ring");
        let routing = RoutingParams { rule: Rule::StructuredPools, ..RoutingParams::default() };
        let params = FabricParams { routing, ..FabricParams::default() };
        let offered = OfferedLoad::of_flows(vec![true; network.hosts().len()]);
        let plan = FabricPlan::new(network, params, SlotLayout::PerLane, offered).expect("it has routes");
        assert_eq!(plan.slots.lanes, 2, "a class for each number of hops to go");
        let rows: BTreeMap<Slot, usize> = plan.slots.connected().zip(0..).collect();
        let listed: Vec<Slot> = rows.keys().copied().collect();
        let evidence = plan.evidence(&rows, Some(Choice::Hashed), None);
        // Two ways from each switch to the one opposite, with two hops to go; and the two hops that follow these.
        assert_eq!(evidence.alternatives.len(), 8);
        for ways in evidence.alternatives {
            let sites: Vec<Site> = ways.rows.iter().map(|&row| plan.slots.site(listed[row])).collect();
            let [Site::Port { switch, port, lane }, Site::Port { switch: other, port: beside, lane: same }] =
                sites[..]
            else {
                panic!("two outputs of switches were expected: {sites:?}");
            };
            assert!((switch, port) != (other, beside) && lane == same, "{sites:?}");
        }
    }
}
