//! Utilisation of the link of an incast's receiver during a round. Over a run it is hidden in the means of many links,
//! as each round may have another receiver.

use std::collections::{BTreeMap, BTreeSet};

use hopscope_fabric::{Slot, time_of};
use hopscope_measure::{FlowRow, FlowTables, IncastUse, Journal};
use hopscope_topology::HostId;
use hopscope_traffic::OfferSpec;
use hopscope_traffic::flows::FlowPattern;
use hopscope_units::Data;

use crate::machine::Lossless;

impl<J: Journal> Lossless<J> {
    /// The groups of incasts of which a round has ended; `rows` are those of the report's links.
    pub(super) fn incasts(&self, tables: &FlowTables, rows: &BTreeMap<Slot, usize>) -> Vec<IncastUse> {
        let OfferSpec::Flows(groups) = &self.lossless.offer else { return Vec::new() };
        let beyond = |flow: &FlowRow| {
            u128::from(flow.ended_ps.saturating_sub(flow.begun_ps).saturating_sub(flow.ideal_ps))
        };
        let all: u128 = tables.flows.iter().map(beyond).sum();
        let mut found = Vec::new();
        for (group, (spec, name)) in (0..).zip(groups.iter().zip(&tables.groups)) {
            let FlowPattern::Incast(incast) = &spec.pattern else { continue };
            let flows = || tables.flows.iter().filter(|flow| flow.group == group);
            let bytes: u64 = flows().map(|flow| flow.bytes).sum();
            let sent_ps: u128 = flows().map(|flow| self.on_the_last_link_ps(flow)).sum();
            let rounds = || tables.rounds.iter().filter(|round| round.group == group);
            let (count, lasted_ps, carried) =
                rounds().fold((0_u64, 0_u128, 0_u64), |(count, ps, bytes), round| {
                    (count + 1, ps + u128::from(round.ended_ps - round.begun_ps), bytes + round.bytes)
                });
            if count == 0 || bytes == 0 {
                continue;
            }
            let receivers: BTreeSet<u32> = flows().map(|flow| flow.destination).collect();
            let mut links = receivers.iter().map(|&host| rows.get(&self.last_link(host)).copied());
            let row = links.next().flatten().filter(|_| receivers.len() == 1);
            let seconds = |ps: f64| ps * 1e-12 / count as f64;
            found.push(IncastUse {
                group: name.clone(),
                row,
                senders: u64::from(incast.senders),
                round_s: seconds(lasted_ps as f64),
                sent_s: seconds(sent_ps as f64 * carried as f64 / bytes as f64),
                share: flows().map(beyond).sum::<u128>() as f64 / all.max(1) as f64,
            });
        }
        found
    }

    /// The link into a host: that at the port of its switch.
    fn last_link(&self, host: u32) -> Slot {
        let slots = &self.plan.slots;
        slots.links[slots.host(HostId::new(host as usize)) as usize].far
    }

    /// The transmission time of a flow's data on the link into its receiver.
    fn on_the_last_link_ps(&self, flow: &FlowRow) -> u128 {
        let rate = self.plan.slots.links[self.last_link(flow.destination) as usize].rate;
        u128::from(time_of(Data::from_bytes(flow.bytes).bits(), rate as u32).ps())
    }
}
