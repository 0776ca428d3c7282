//! The parts of a report that both machines share: the row of an output, and the choice of listed outputs.

use hopscope_measure::{EVERY_CLASS, Estimate, HeldIn, Metric, Report, ResourceKind, ResourceRow};

use crate::plan::FabricPlan;
use crate::slots::Slot;

/// A report lists at most this many outputs: all links of a network, or the busiest of a larger one.
const LISTED_OUTPUTS: usize = 4_000;

/// The use of an output in the measured window.
pub struct OutputUse {
    /// The share of time in which it was held.
    pub occupancy: f64,
    /// The share of time in which it sent.
    pub utilisation: f64,
    /// The sum of all waits for it, ps.
    pub wait_ps: u64,
    /// The number of packets or frames sent.
    pub packets: u32,
    /// What its holders did meanwhile.
    pub held_in: Vec<HeldIn>,
}

impl OutputUse {
    /// Its row in a report, for a window of this length, ps, with this number of delivered messages.
    pub fn row(self, plan: &FabricPlan, output: Slot, window: f64, delivered: f64) -> ResourceRow {
        ResourceRow {
            kind: ResourceKind::Output,
            name: Some(plan.slots.link_name(&plan.network, output)),
            place: plan.slots.name(&plan.network, output),
            site: plan.slots.site(output),
            link: Some(output),
            far: plan.slots.site(plan.slots.links[output as usize].far),
            ends: Some(plan.slots.link_ends(&plan.network, output)),
            lane: plan.slots.lane(output),
            capacity: Some(1.0),
            unit: "packets".into(),
            occupancy: self.occupancy,
            utilisation: self.utilisation,
            peak: f64::from(u8::from(self.occupancy > 0.0)),
            waiting: self.wait_ps as f64 / window,
            wait_us: self.wait_ps as f64 * 1e-6 / delivered,
            acquisitions: u64::from(self.packets),
            refused: 0,
            held_in: self.held_in,
        }
    }
}

/// A number that is known exactly.
pub fn count(name: &str, unit: &str, value: Option<u64>) -> Metric {
    let estimate = value.map(|value| Estimate::exact(value as f64, 1));
    Metric::new(name, EVERY_CLASS, ("count", unit), estimate)
}

/// A mean share.
pub fn fraction(name: &str, estimate: Option<Estimate>) -> Metric {
    Metric::new(name, EVERY_CLASS, ("mean", "fraction"), estimate)
}

/// The busiest of these outputs, in their order, if there are more than a report lists.
pub fn listed(mut outputs: Vec<Slot>, busy: impl Fn(Slot) -> u64, report: &mut Report) -> Vec<Slot> {
    if outputs.len() > LISTED_OUTPUTS {
        let note = format!("{} links; only the {LISTED_OUTPUTS} busiest are listed", outputs.len());
        report.notes.push(note);
        outputs.sort_by_key(|&output| (std::cmp::Reverse(busy(output)), output));
        outputs.truncate(LISTED_OUTPUTS);
        outputs.sort_unstable();
    }
    outputs
}
