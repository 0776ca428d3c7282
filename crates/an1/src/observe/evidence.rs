//! The evidence of AN1's machine besides the use of its links, for explanations of a run.

use std::collections::BTreeMap;

use hopscope_fabric::{Arbiter, Failing, Goes, NANOBITS, Slot};
use hopscope_measure::{
    Choice, Evidence, Interruption, InterruptionWhy, Journal, Loss, LossWhy, Place, Report, SmoothingUse,
    StageId, StopUse, UsualService, WindowUse,
};
use hopscope_traffic::{Bursts, Pattern};
use hopscope_units::Time;

use crate::discipline::{Discipline, SmoothingFrame};
use crate::machine::An1;
use crate::params::{SwitchParams, Switching};

/// The mean number of packets of the same burst ahead of a packet: as many as the window holds are in the host's queue
/// together.
fn of_the_same_window(bursts: &Bursts) -> f64 {
    bursts.packet_share * f64::from(bursts.window.min(bursts.packets()).saturating_sub(1))
}

impl<J: Journal> An1<J> {
    /// The evidence of a report whose rows begin with the outputs listed, each with the row of its FIFO after its own
    /// where it has one.
    pub(crate) fn evidence(&self, now: Time, listed: &[Slot], report: &Report) -> Evidence {
        let mut rows: BTreeMap<Slot, usize> = BTreeMap::new();
        let mut row = 0;
        for &output in listed {
            rows.insert(output, row);
            row += if self.plan.slots.is_host(self.plan.slots.links[output as usize].far) { 1 } else { 2 };
        }
        let single = self.plan.params.routing.choice.is_static();
        let mut found = self.plan.evidence(
            &rows,
            single.then_some(Choice::Single),
            Some(self.an1.traffic.packet_lengths()),
        );
        found.pairs = self.plan.pairs(self.monitor.waits_between_hosts());
        found.usual = self.usual_services();
        let switch = &self.an1.params.switch;
        found.is_cut_through = switch.switching == Switching::CutThrough;
        found.is_fixed_order = switch.arbiter == Arbiter::Lowest;
        if let Discipline::InputSmoothing(SmoothingFrame { slots }) = switch.discipline {
            found.smoothing =
                Some(SmoothingUse { slots, frame_s: self.an1.smoothing_frame.ps() as f64 * 1e-12 });
        }
        found.stops = self.stops();
        found.windows = self.windows(report);
        found.packets_ahead = self.an1.traffic.bursts.as_ref().map_or(0.0, of_the_same_window);
        self.add_outages(now, &mut found);
        found.losses.extend(self.plan.expired(&self.expired));
        found
    }

    /// When FIFOs stop and start their senders, at the default rate of links.
    fn stops(&self) -> Option<StopUse> {
        let (switch, rate) = (&self.an1.params.switch, self.plan.params.link.rate);
        self.an1.thresholds.map(|thresholds| StopUse {
            level: thresholds.stop_above as f64 / NANOBITS as f64,
            every_s: switch.directive.period(rate.bit_s() / 1_000).ps() as f64 * 1e-12,
        })
    }

    fn usual_services(&self) -> Vec<UsualService> {
        let (here, usual) = (&self.an1.params.switch, SwitchParams::default());
        [(StageId::Decision, here.decision, usual.decision), (StageId::SetUp, here.setup, usual.setup)]
            .map(|(stage, here, usual)| UsualService {
                stage,
                us: here.ps() as f64 * 1e-6,
                usual_us: usual.ps() as f64 * 1e-6,
            })
            .into()
    }

    /// Bursts with their transmission times on their hosts' links.
    fn windows(&self, report: &Report) -> Vec<WindowUse> {
        let traffic = &self.an1.traffic;
        let Some(transfer) = report.metric("burst time.mean").and_then(|metric| metric.estimate) else {
            return Vec::new();
        };
        let of = |bursts: &Bursts, place: Place, rate_bit_s: f64| WindowUse {
            place,
            window: bursts.window.into(),
            transfer_s: transfer.value * 1e-3,
            sending_s: f64::from(bursts.packets()) * bursts.packet.bits() as f64 / rate_bit_s,
        };
        let common = self.plan.params.link.rate.bit_s() as f64;
        match &traffic.pattern {
            Pattern::Flows(flows) => flows
                .iter()
                .filter_map(|flow| {
                    let bursts = flow.bursts.as_ref().or(traffic.bursts.as_ref())?;
                    let words = format!("the window of bursts from {} to {}", flow.from, flow.to);
                    let nodes = [std::slice::from_ref(&flow.from), flow.to.names()].concat();
                    Some(of(bursts, Place { words, nodes }, common))
                })
                .collect(),
            _ => {
                let place = Place { words: "the window of bursts".into(), nodes: Vec::new() };
                traffic.bursts.iter().map(|bursts| of(bursts, place.clone(), common)).collect()
            }
        }
    }

    /// Adds failures, the time for which the network was closed or cut off because of them, and what was destroyed.
    fn add_outages(&self, now: Time, found: &mut Evidence) {
        let Some(control) = &self.control else { return };
        let seconds = Time::as_seconds;
        let window = (seconds(self.tally.window_start), seconds(now));
        let mut places: BTreeMap<Vec<String>, Interruption> = BTreeMap::new();
        for (at, fault) in self.an1.faults.iter().enumerate() {
            let place = self.place_of(&fault.what);
            let nodes = place.nodes.clone();
            let known = places.remove(&nodes);
            let mut interruption =
                known.unwrap_or_else(|| Interruption::of(InterruptionWhy::Reconfiguration, place));
            for (cause, opened) in control.outages.closings(now) {
                let next = self.an1.faults.get(at + 1).map_or(Time::NEVER, |fault| fault.at);
                if fault.at <= cause && cause < next {
                    interruption = interruption.and((seconds(fault.at), seconds(opened)), window);
                }
            }
            if let (Failing::Switch(_), Goes::Up) = (&fault.what, fault.goes) {
                let down = self.an1.faults[..at]
                    .iter()
                    .rfind(|other| other.goes == Goes::Down && self.place_of(&other.what).nodes == nodes);
                let cut_off = down.map(|down| (seconds(down.at), seconds(fault.at)));
                interruption = cut_off.map_or(interruption.clone(), |times| interruption.and(times, window));
            }
            places.insert(nodes, interruption);
        }
        let interruptions: Vec<Interruption> =
            places.into_values().filter(|interruption| interruption.count > 0).collect();
        let (cut, unroutable) = control.outages.destroyed_in_window();
        if let Some(worst) = interruptions.first().filter(|_| cut + unroutable > 0) {
            let (why, count) = (LossWhy::Fault, cut + unroutable);
            found.losses.push(Loss { why, place: worst.place.clone(), count, of: 0, each_s: 0.0 });
        }
        found.interruptions.extend(interruptions);
    }

    fn place_of(&self, what: &Failing) -> Place {
        let network = &self.plan.network;
        match what {
            Failing::Links(links) => {
                let ends = network.link(links[0]).ends.map(|end| network.name(end.node).to_owned());
                Place { words: format!("the link {} - {}", ends[0], ends[1]), nodes: ends.into() }
            }
            Failing::Switch(switch) => {
                let name = &network.switch(*switch).name;
                Place::node(format!("the switch {name}"), name)
            }
        }
    }
}
