//! The evidence of an internet besides the use of its resources, for explanations of a run.

use hopscope_measure::{
    Evidence, Journal, Loss, LossWhy, PairUse, PartOfWork, Place, ResourceKind, ResourceRow, Site, StageId,
    UsualService,
};

use crate::bsp::SenderRule;
use crate::internet::Internet;
use crate::observe::Tap;
use crate::scenario::{Medium, StreamParams};
use crate::wire::SHORTEST;

impl<J: Journal, T: Tap> Internet<J, T> {
    /// The evidence of a report with these rows.
    pub(crate) fn evidence(&self, rows: &[ResourceRow]) -> Evidence {
        let mut found = Evidence { losses: self.losses(), ..Evidence::default() };
        for (at, row) in rows.iter().enumerate() {
            let network = match (row.kind, row.site) {
                (ResourceKind::Ethernet, Site::Network(network))
                | (ResourceKind::Line, Site::Interface { network, .. }) => network,
                _ => continue,
            };
            let rate = match &self.plan.params.network[network as usize].medium {
                Medium::Ethernet(ethernet) => ethernet.rate,
                Medium::Line(line) => line.rate,
                Medium::Radio(radio) => radio.rate,
            };
            found.rates.insert(at, rate.bit_s() as f64);
        }
        for (at, row) in rows.iter().enumerate().filter(|(_, row)| row.kind == ResourceKind::HostProcessor) {
            found.parts_of_work.extend(self.checksums(row).map(|part| (at, part)));
        }
        let name = |machine: u32| self.plan.machines[machine as usize].name.clone();
        found.pairs = PairUse::named(self.monitor.waits_between_hosts(), name);
        found.always_sends = !self.plan.streams.is_empty();
        // Who gets no echo asks for the next one.
        found.never_repeats = self.plan.streams.is_empty();
        found.packets_ahead = self.packets_ahead();
        let micros = |turnaround: &StreamParams| turnaround.turnaround.ps() as f64 * 1e-6;
        found.usual = vec![UsualService {
            stage: StageId::Turnaround,
            us: micros(&self.plan.params.stream),
            usual_us: micros(&StreamParams::default()),
        }];
        found
    }

    /// The part of a host's work on the longest Pups of its streams that is their software checksum.
    fn checksums(&self, row: &ResourceRow) -> Option<PartOfWork> {
        let costs = &self.plan.params.processing.host;
        let is_there = |machine: u32| self.plan.machines[machine as usize].name == row.place;
        let streams = self.plan.streams.iter().filter(|stream| is_there(stream.from) || is_there(stream.to));
        let data = streams.map(|stream| stream.length as u64).max()?;
        let checksum = costs.checksum.ps() * ((data + SHORTEST as u64) / 2);
        let all = costs.pup.ps() + costs.word.ps() * (data / 2) + checksum;
        (checksum > 0).then(|| PartOfWork {
            what: "computing checksums".to_owned(),
            share: checksum as f64 / all as f64,
        })
    }

    /// Pups of its own window that a Pup finds before it on average, where senders let all of a window go at once.
    fn packets_ahead(&self) -> f64 {
        let StreamParams { sender, window, .. } = &self.plan.params.stream;
        match sender {
            SenderRule::Clump | SenderRule::Burst if !self.plan.streams.is_empty() => {
                f64::from(window.saturating_sub(1)) / 2.0
            }
            SenderRule::Clump | SenderRule::Burst | SenderRule::Sliding => 0.0,
        }
    }

    /// Where Pups and radio packets were lost: at stations, and at receivers that drop what comes before its turn. Lost
    /// acknowledgments are among them; the ledger has what they cost in the wait for one.
    fn losses(&self) -> Vec<Loss> {
        let mut found: Vec<Loss> = Vec::new();
        for (at, station) in self.stations.iter().enumerate() {
            let (plan, losses) = (&self.plan.stations[at], &station.losses);
            let machine = self.plan.machines[plan.machine as usize].name.clone();
            let network = self.plan.params.network[plan.network as usize].name.clone();
            let mut add = |why: LossWhy, what: &str, count: u64, of: u64| {
                let words = format!("the {what} of {machine} on {network}");
                let place = Place { words, nodes: vec![machine.clone(), network.clone()] };
                found.extend((count > 0).then_some(Loss { why, place, count, of, each_s: 0.0 }));
            };
            let came = losses.refused + station.waiting.acquisitions();
            add(LossWhy::FullQueue, "output queue", losses.refused, came);
            add(LossWhy::Radio, "radio", losses.radio_lost, losses.radio_sent);
            add(LossWhy::NoBuffers, "assemblies", losses.unassembled, losses.parts_came);
            add(LossWhy::Collisions, "station", losses.given_up, 0);
        }
        let lost: u64 = found.iter().map(|loss| loss.count).sum();
        let unanswered: f64 = self.streams.iter().map(|stream| stream.unanswered().as_seconds()).sum();
        for loss in &mut found {
            loss.each_s = unanswered / lost as f64;
        }
        for (plan, stream) in self.plan.streams.iter().zip(&self.streams) {
            let count = stream.rejected_early();
            let receiver = &self.plan.machines[plan.to as usize].name;
            let place = Place::node(format!("the receiver {receiver}"), receiver);
            found.extend((count > 0).then_some(Loss {
                why: LossWhy::OutOfOrder,
                place,
                count,
                of: 0,
                each_s: 0.0,
            }));
        }
        found
    }
}
