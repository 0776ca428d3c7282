//! What faults have done, as a report tells it.

use std::collections::BTreeMap;

use hopscope_fabric::{Failing, Goes, PlannedFault, count};
use hopscope_measure::{Evidence, Interruption, InterruptionWhy, Journal, Place, Report};
use hopscope_topology::SwitchId;
use hopscope_units::Time;

use crate::losses::Lost;
use crate::machine::Lossless;

impl<J: Journal> Lossless<J> {
    /// Adds the figures of faults to a report.
    pub(crate) fn tell_outages(&self, report: &mut Report) {
        if self.outages.is_none() {
            return;
        }
        let [cut, discarded, unroutable] = Lost::BY_FAULTS.map(|how| self.losses.of(how));
        for (name, frames) in
            [("frames cut", cut), ("frames discarded", discarded), ("frames without route", unroutable)]
        {
            report.metrics.push(count(name, "1", Some(frames)));
        }
        report.notes.push(format!(
            "faults: {}; frames: {cut} cut on links, {discarded} discarded at links that were down, {unroutable} \
             without a route; messages not complete: {}",
            self.lossless.timeline.faults.len(),
            self.tally.lost
        ));
    }

    /// The switches whose failures kept their hosts waiting, and what was lost where. Nobody waits for a link that is
    /// down: what was for it is lost.
    pub(crate) fn add_outages(&self, now: Time, found: &mut Evidence) {
        let timeline = &self.lossless.timeline;
        let seconds = Time::as_seconds;
        let window = (seconds(self.tally.window_start), seconds(now));
        let mut places: BTreeMap<SwitchId, Interruption> = BTreeMap::new();
        for (at, fault) in timeline.faults.iter().enumerate().filter(|(_, fault)| fault.goes == Goes::Down) {
            let Failing::Switch(switch) = fault.what else { continue };
            if !self.has_hosts(switch) {
                continue;
            }
            let is_back = |other: &&PlannedFault| {
                other.goes == Goes::Up && matches!(other.what, Failing::Switch(other) if other == switch)
            };
            let back = timeline.faults[at..].iter().find(is_back);
            let ends = back.map_or(now, |back| back.at + timeline.reroute);
            let name = &self.plan.network.switch(switch).name;
            let known = places.remove(&switch).unwrap_or_else(|| {
                Interruption::of(InterruptionWhy::Fault, Place::node(format!("the switch {name}"), name))
            });
            places.insert(switch, known.and((seconds(fault.at), seconds(ends)), window));
        }
        found.interruptions.extend(places.into_values().filter(|interruption| interruption.count > 0));
    }

    fn has_hosts(&self, switch: SwitchId) -> bool {
        self.plan.attached.iter().any(|(at, _)| *at as usize == switch.index())
    }
}
