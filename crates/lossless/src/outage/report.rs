//! The effects of faults in a report.

use std::collections::BTreeMap;

use hopscope_fabric::{Failing, Goes, PlannedFault, Slot, count, happened, note_on_late};
use hopscope_measure::{Evidence, Failure, Interruption, InterruptionWhy, Journal, LossWhy, Place, Report};
use hopscope_topology::{LinkId, SwitchId};
use hopscope_units::Time;

use crate::losses::Lost;
use crate::machine::Lossless;

impl<J: Journal> Lossless<J> {
    /// Adds the figures of faults to a report.
    pub(crate) fn tell_outages(&self, now: Time, report: &mut Report) {
        if self.outages.is_none() {
            return;
        }
        let [cut, discarded, unroutable] = Lost::BY_FAULTS.map(|how| self.losses.of(how));
        for (name, frames) in
            [("frames cut", cut), ("frames discarded", discarded), ("frames without route", unroutable)]
        {
            report.metrics.push(count(name, "1", Some(frames)));
        }
        // The same words as for the losses of each place.
        let lost = [(cut, LossWhy::Fault), (discarded, LossWhy::LinkDown), (unroutable, LossWhy::NoRoute)];
        let lost = lost.map(|(frames, why)| format!("{frames} {}", why.word())).join(", ");
        let faults = &self.lossless.timeline.faults;
        report.notes.push(format!(
            "faults: {}; frames: {lost}; messages not complete: {}",
            happened(faults, now).len(),
            self.tally.lost
        ));
        report.notes.extend(note_on_late(faults, now));
    }

    /// Adds the switches whose failures kept their hosts waiting until recovery, and the losses by place. Nothing waits
    /// for a link that is down: its frames are lost.
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
            // If it does not recover, frames for its hosts are lost, and what they have to send stays there.
            let Some(ends) = self.back_at(at) else { continue };
            let name = &self.plan.network.switch(switch).name;
            let known = places.remove(&switch).unwrap_or_else(|| {
                Interruption::of(InterruptionWhy::Fault, Place::node(format!("the switch {name}"), name))
            });
            places.insert(switch, known.and((seconds(fault.at), seconds(ends)), window));
        }
        found.interruptions.extend(places.into_values().filter(|interruption| interruption.count > 0));
        found.failures = self.failed_within(window);
    }

    /// What was down at some time of the window.
    fn failed_within(&self, window: (f64, f64)) -> Vec<Failure> {
        let faults = &self.lossless.timeline.faults;
        let failed = faults.iter().enumerate().filter(|(_, fault)| fault.goes == Goes::Down);
        let told = failed.map(|(at, fault)| {
            let until = faults[at..].iter().find(|up| up.goes == Goes::Up && up.what == fault.what);
            Failure {
                place: self.place_of(&fault.what),
                from_s: Time::as_seconds(fault.at),
                until_s: until.map(|up| Time::as_seconds(up.at)),
            }
        });
        let is_seen =
            |one: &Failure| one.from_s < window.1 && one.until_s.is_none_or(|until| until > window.0);
        told.filter(is_seen).collect()
    }

    /// The switch, or the two that links join, that fail.
    fn place_of(&self, what: &Failing) -> Place {
        let network = &self.plan.network;
        let name = |switch: SwitchId| network.switch(switch).name.clone();
        match what {
            Failing::Switch(switch) => Place::node(format!("the switch {}", name(*switch)), name(*switch)),
            Failing::Links(links) => {
                let ends = links.first().and_then(|&link| network.link(link).switches());
                let mut nodes: Vec<String> = ends.into_iter().flatten().map(name).collect();
                nodes.sort();
                let what = if links.len() == 1 { "the link" } else { "the links" };
                Place { words: format!("{what} {}", nodes.join(" - ")), nodes }
            }
        }
    }

    /// Outputs that were down for most of the window are no alternatives to the others.
    pub(crate) fn leave_out_dead_ways(&self, now: Time, outputs: &[Slot], found: &mut Evidence) {
        let dead = self.mostly_down(now);
        if dead.is_empty() {
            return;
        }
        let (slots, network) = (&self.plan.slots, &self.plan.network);
        let switch_at = |slot: Slot| (!slots.is_host(slot)).then(|| SwitchId::new(slots.switch_port(slot).0));
        let is_dead = |row: usize| {
            let ends = [outputs[row], slots.links[outputs[row] as usize].far].map(switch_at);
            let joins = |link: &LinkId| {
                network
                    .link(*link)
                    .switches()
                    .is_some_and(|both| ends.iter().flatten().all(|end| both.contains(end)))
            };
            dead.iter().any(|failed| match failed {
                Failing::Switch(switch) => ends.contains(&Some(*switch)),
                Failing::Links(links) => !ends.contains(&None) && links.iter().any(joins),
            })
        };
        for ways in &mut found.alternatives {
            ways.rows.retain(|&row| !is_dead(row));
        }
        found.alternatives.retain(|ways| ways.rows.len() > 1);
    }

    /// What was down for more than half of the window.
    fn mostly_down(&self, now: Time) -> Vec<&Failing> {
        let start = self.tally.window_start;
        let faults = self.lossless.timeline.faults.iter().enumerate();
        let failed = faults.filter(|(_, fault)| fault.goes == Goes::Down);
        let is_most = |&(at, fault): &(usize, &PlannedFault)| {
            let down = self.back_at(at).unwrap_or(now).min(now).saturating_since(fault.at.max(start));
            2 * down.ps() > now.saturating_since(start).ps()
        };
        failed.filter(is_most).map(|(_, fault)| &fault.what).collect()
    }

    /// When the failed part of a fault of the timeline has routes again; nothing if it does not recover.
    fn back_at(&self, fault: usize) -> Option<Time> {
        let timeline = &self.lossless.timeline;
        let failed = &timeline.faults[fault].what;
        let is_back = |other: &&PlannedFault| other.goes == Goes::Up && other.what == *failed;
        timeline.faults[fault..].iter().find(is_back).map(|back| back.at + timeline.reroute)
    }

    fn has_hosts(&self, switch: SwitchId) -> bool {
        self.plan.attached.iter().any(|(at, _)| *at as usize == switch.index())
    }
}
