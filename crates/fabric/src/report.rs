//! What both machines report alike: the row of an output, and which outputs are listed.

use hopscope_measure::{EVERY_CLASS, Estimate, HeldIn, Metric, Report, ResourceKind, ResourceRow};

use crate::plan::FabricPlan;
use crate::slots::Slot;

/// A report lists every link of a network with at most so many outputs; of a larger one, the busiest.
const LISTED_OUTPUTS: usize = 4_000;

/// What an output did in the measured window.
pub struct OutputUse {
    /// The share of the time for which somebody held it.
    pub occupancy: f64,
    /// The share for which it sent.
    pub utilisation: f64,
    /// The time that was waited for it, by all together, ps.
    pub wait_ps: u64,
    /// How many packets or frames it has sent.
    pub packets: u32,
    /// What its holders did.
    pub held_in: Vec<HeldIn>,
}

impl OutputUse {
    /// Its row in a report, for a window of so many ps in which so many messages were delivered.
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

/// Of these outputs the busiest, in their order, where they are more than a report lists.
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
