//! Periodic rounds of flows: whether the links carry the data of one before the next one starts.

use std::collections::BTreeMap;

use hopscope_fabric::time_of;
use hopscope_measure::{FlowTables, Journal, RoundsUse};
use hopscope_topology::HostId;
use hopscope_traffic::OfferSpec;
use hopscope_units::Data;

use crate::machine::Lossless;

impl<J: Journal> Lossless<J> {
    /// The groups with a period of which a round has ended.
    pub(super) fn rounds(&self, tables: &FlowTables) -> Vec<RoundsUse> {
        let OfferSpec::Flows(groups) = &self.lossless.offer else { return Vec::new() };
        let mut found = Vec::new();
        for (group, (spec, name)) in (0..).zip(groups.iter().zip(&tables.groups)) {
            let rounds = || tables.rounds.iter().filter(|round| round.group == group);
            let (Some(every), count) = (spec.every, rounds().count() as f64) else { continue };
            let lasted_ps: f64 = rounds().map(|round| (round.ended_ps - round.begun_ps) as f64).sum();
            let carried: f64 = rounds().map(|round| round.bytes as f64).sum();
            if carried == 0.0 {
                continue;
            }
            found.push(RoundsUse {
                group: name.clone(),
                number: usize::from(group) + 1,
                every_s: every.as_seconds(),
                round_s: lasted_ps * 1e-12 / count,
                sent_s: self.sent_by_one_s(tables, group, carried) / count,
            });
        }
        found
    }

    /// The transmission time of this many bytes of a group on the host link, in either direction, that carries most of
    /// them, seconds. The tables may have a sample of the flows.
    fn sent_by_one_s(&self, tables: &FlowTables, group: u16, carried: f64) -> f64 {
        let (mut takes, mut sampled) = (BTreeMap::<(bool, u32), f64>::new(), 0.0);
        for flow in tables.flows.iter().filter(|flow| flow.group == group) {
            sampled += flow.bytes as f64;
            for (is_received, host) in [(false, flow.source), (true, flow.destination)] {
                let slot = self.plan.slots.host(HostId::new(host as usize));
                let sent = time_of(Data::from_bytes(flow.bytes).bits(), self.ports[slot as usize].rate);
                *takes.entry((is_received, host)).or_default() += sent.ps() as f64 * 1e-12;
            }
        }
        let most = takes.into_values().fold(0.0, f64::max);
        if sampled > 0.0 { most * carried / sampled } else { 0.0 }
    }
}
