//! What faults have done, as a report tells it.

use std::collections::BTreeMap;

use hopscope_fabric::{Failing, Goes, PlannedFault, Slot, count};
use hopscope_measure::{Evidence, Interruption, InterruptionWhy, Journal, Loss, Place, Report};
use hopscope_topology::SwitchId;
use hopscope_units::Time;

use crate::machine::Lossless;
use crate::outage::state::Lost;

/// So many places where frames were lost are told of.
const TOLD: usize = 8;

impl<J: Journal> Lossless<J> {
    /// Adds the figures and the places to a report.
    pub(crate) fn tell_outages(&self, report: &mut Report) {
        let Some(outages) = &self.outages else { return };
        let lost = |how: Lost| -> u64 {
            outages.lost.iter().filter(|((other, _), _)| *other == how).map(|(_, frames)| frames).sum()
        };
        let [cut, discarded, unroutable] = Lost::ALL.map(lost);
        for (name, frames) in
            [("frames cut", cut), ("frames discarded", discarded), ("frames without route", unroutable)]
        {
            report.metrics.push(count(name, "1", Some(frames)));
        }
        report.notes.push(format!(
            "{} faults: {cut} frames cut on links, {discarded} discarded at links that were down, {unroutable} \
             without a route; {} messages were not complete",
            self.lossless.timeline.faults.len(),
            self.tally.lost
        ));
        let mut places: Vec<Loss> = self.losses().collect();
        places.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.place.words.cmp(&b.place.words)));
        for Loss { why, place, count, .. } in places.iter().take(TOLD) {
            report.notes.push(format!("{}: {count} frames {}", place.words, why.word()));
        }
    }

    /// Frames that an output did not get over its link since the restart.
    pub(crate) fn lost_at(&self, output: Slot) -> u64 {
        let lost = self.outages.iter().flat_map(|outages| &outages.lost);
        lost.filter(|((how, at), _)| *at == output && *how != Lost::NoRoute).map(|(_, frames)| frames).sum()
    }

    /// Where frames were lost since the restart, and why.
    fn losses(&self) -> impl Iterator<Item = Loss> + '_ {
        let mut places: BTreeMap<(Lost, Vec<String>), (Place, u64)> = BTreeMap::new();
        for (&(how, slot), frames) in self.outages.iter().flat_map(|outages| &outages.lost) {
            let place = self.place_of_loss(how, slot);
            places.entry((how, place.nodes.clone())).or_insert((place, 0)).1 += frames;
        }
        places.into_iter().map(|((how, _), (place, count))| Loss {
            why: how.why(),
            place,
            count,
            of: 0,
            each_s: 0.0,
        })
    }

    fn place_of_loss(&self, how: Lost, slot: Slot) -> Place {
        let (slots, network) = (&self.plan.slots, &self.plan.network);
        match how {
            Lost::Cut | Lost::LinkDown => {
                let words = format!("the link {}", slots.link_name(network, slot));
                Place { words, nodes: slots.link_ends(network, slot).into() }
            }
            Lost::NoRoute => {
                let switch = &network.switch(SwitchId::new(slots.switch_port(slot).0)).name;
                Place::node(format!("the switch {switch}"), switch)
            }
        }
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
        found.losses.extend(self.losses());
    }

    fn has_hosts(&self, switch: SwitchId) -> bool {
        self.plan.attached.iter().any(|(at, _)| *at as usize == switch.index())
    }
}
