//! What a fabric of frames knows besides the use of its links, for whoever explains a run.

use std::collections::{BTreeMap, BTreeSet};

use hopscope_fabric::Slot;
use hopscope_measure::{Choice, EVERY_CLASS, Evidence, Journal, LaneUse, Report, StageId, UsualService};
use hopscope_traffic::OfferSpec;
use hopscope_units::Time;

use crate::balancing::Balancing;
use crate::machine::Lossless;
use crate::params::FrameParams;

impl<J: Journal> Lossless<J> {
    /// The evidence of a report whose rows begin with the outputs listed.
    pub(crate) fn evidence(&self, now: Time, listed: &[Slot], report: &Report) -> Evidence {
        let plan = self.frames_plan();
        let rows: BTreeMap<Slot, usize> = listed.iter().enumerate().map(|(row, &slot)| (slot, row)).collect();
        let hashed = plan.balancing == Balancing::FlowHash;
        let lengths = match &self.lossless.offer {
            OfferSpec::Traffic(traffic) => Some(traffic.packet_lengths()),
            OfferSpec::Flows(_) => None,
        };
        // By the second moment: a frame is more often one of a long message.
        let frames = lengths.map(|(bits, variation)| bits * (1.0 + variation) / plan.mtu as f64);
        let mut found = self.plan.evidence(&rows, hashed.then_some(Choice::Hashed), lengths);
        found.is_job = matches!(self.lossless.offer, OfferSpec::Flows(_));
        found.frames_a_message = frames.unwrap_or(0.0);
        found.pairs = self.plan.pairs(self.monitor.waits_between_hosts());
        let micros = |ps: u64| ps as f64 * 1e-6;
        found.usual = vec![UsualService {
            stage: StageId::Switching,
            us: micros(plan.latency.ps()),
            usual_us: micros(FrameParams::default().latency.ps()),
        }];
        let classes: BTreeSet<&str> = report
            .ledger
            .iter()
            .map(|row| row.class.as_str())
            .filter(|class| *class != EVERY_CLASS)
            .collect();
        found.lanes = Some(LaneUse { lanes: plan.services(), classes: classes.len().max(1) });
        let expired: Vec<u64> = self.switches.iter().map(|switch| switch.expired).collect();
        found.losses.extend(self.plan.expired(&expired));
        found.losses.extend(self.told_losses());
        found.losses.extend(self.sent_in_vain());
        found.sends_again = plan.recovery.is_some();
        self.add_outages(now, &mut found);
        self.leave_out_dead_ways(now, listed, &mut found);
        found
    }
}
