//! The report of an internet on a run.

mod dependence;
mod evidence;

use hopscope_measure::{
    EVERY_CLASS, HeldIn, HoldWhy, Journal, MessageMonitor, Metric, PoolLabel, Report, ResourceKind,
    ResourceRow, Site, Stuck, Subject, Usage, UsageOf,
};
use hopscope_units::{Span, Time};

use crate::internet::{Internet, STANDSTILL};
use crate::observe::{Stage, Tap};
use crate::scenario::Medium;
use crate::stations::StationLosses;

impl<J: Journal, T: Tap> Subject for Internet<J, T> {
    fn monitor(&self) -> &MessageMonitor {
        &self.monitor
    }

    fn restart(&mut self, now: Time) {
        self.monitor.restart(now);
        self.journal.restart();
        self.machines.iter_mut().for_each(|machine| machine.processor.restart(now));
        self.statistics.restart(now);
        self.raw.restart();
        self.streams.iter_mut().for_each(|stream| stream.restart(now));
        for station in &mut self.stations {
            station.waiting.restart(now);
            station.channel.restart(now);
            station.routing = Span::ZERO;
            station.losses = StationLosses::default();
        }
        for ether in &mut self.ethers {
            ether.restart(now);
        }
        self.tally = Default::default();
    }

    /// Streams retry without end. A stream that has delivered nothing for longer than all its timeouts is considered
    /// dead.
    fn stuck(&mut self, now: Time) -> Option<Stuck> {
        let still = now.since(self.last_delivery);
        let waiting = self.monitor.backlog() > 0 || self.born == 0 && !self.all_over();
        (waiting && still > STANDSTILL).then(|| Stuck {
            reason: format!("no acknowledgment for {:.0} s", still.as_seconds()),
            cycle: Vec::new(),
        })
    }

    fn report(&mut self, now: Time) -> Report {
        self.assert_conservation();
        let mut report = self.monitor.report(now);
        report.ledger.retain(|row| row.share > 0.0);
        self.add_metrics(&mut report);
        self.add_senders(&mut report);
        self.add_ethernets(&mut report);
        self.add_machines(now, &mut report);
        self.add_networks(now, &mut report);
        report.dependences = dependence::dependences(&report.resources);
        report.evidence = self.evidence(&report.resources);
        self.add_notes(&mut report);
        report.journeys = self.journal.rows(Stage::LABELS, &|place| self.place_name(place));
        report
    }

    fn usage(&mut self, now: Time, tell: &mut UsageOf<'_>) {
        for (plan, machine) in self.plan.machines.iter().zip(&self.machines).filter(|(plan, _)| !plan.raw) {
            tell(plan.processor(), &|| plan.name.clone(), Usage::of(&machine.processor, now), &[]);
        }
        for (number, stream) in self.streams.iter().enumerate() {
            tell(ResourceKind::Window, &|| self.stream_name(number), Usage::of(&stream.window, now), &[]);
        }
        for (network, ether) in self.plan.params.network.iter().zip(&self.ethers) {
            if let Medium::Ethernet(_) = network.medium {
                tell(ResourceKind::Ethernet, &|| network.name.clone(), Usage::of(&ether.busy, now), &[]);
            }
        }
        for (at, station) in self.stations.iter().enumerate() {
            let place = || self.station_name(at);
            if let Some(kind) = self.channel_of(at) {
                tell(kind, &place, Usage::of(&station.channel, now), &[]);
            }
            tell(ResourceKind::OutputQueue, &place, Usage::of(&station.waiting, now), &[]);
        }
    }
}

/// The traffic of a line, if part of it is routing.
fn sends(row: &ResourceRow, routing: Span, span_s: f64) -> Vec<HeldIn> {
    let share = (routing.as_seconds() / span_s.max(f64::MIN_POSITIVE)).min(row.occupancy);
    let parts = [(HoldWhy::Data, row.occupancy - share), (HoldWhy::RoutingMessages, share)];
    if share > 0.0 { parts.map(|(why, part)| HeldIn::of(why, part)).into() } else { Vec::new() }
}

impl<J: Journal, T: Tap> Internet<J, T> {
    /// Every Pup handed over is acknowledged or in a window.
    fn assert_conservation(&self) {
        let outstanding: usize = self.streams.iter().map(crate::puptest::Stream::outstanding).sum();
        let echoes = self.echoes.iter().filter(|source| source.waits).count();
        let under_way = (outstanding + echoes) as u64 + self.raw.under_way;
        assert_eq!(self.monitor.backlog(), under_way, "Pups were lost or made up");
    }

    fn add_metrics(&self, report: &mut Report) {
        if let Some(estimate) = self.statistics.retransmissions() {
            report.metrics.push(Metric::new("retransmissions", EVERY_CLASS, ("mean", "1/1000"), estimate));
        }
        let lengths = self.plan.streams.iter().map(|stream| stream.length);
        let alike = lengths.clone().min() == lengths.clone().max();
        let throughput = report.metric("throughput.rate").and_then(|throughput| throughput.estimate);
        let alike = alike && self.plan.raw.is_empty() && self.plan.echoes.is_empty();
        if let (true, Some(length), Some(throughput)) = (alike, lengths.min(), throughput) {
            let pups = throughput.in_units_of(8.0 * length as f64 / 1e3);
            report.metrics.push(Metric::new("pups", EVERY_CLASS, ("rate", "1/s"), pups).over_window());
        }
    }

    /// The counters of the byte stream protocol, and how evenly streams and raw stations share.
    fn add_senders(&self, report: &mut Report) {
        for (name, estimate) in self.statistics.counters() {
            report.metrics.push(Metric::new(name, EVERY_CLASS, ("mean", "1/1000"), estimate));
        }
        if let Some(fairness) = self.raw.fairness() {
            report.metrics.push(Metric::new(
                "station fairness",
                EVERY_CLASS,
                ("index", "fraction"),
                fairness,
            ));
        }
        let Some(fairness) = self.statistics.fairness() else { return };
        report.metrics.push(Metric::new("stream fairness", EVERY_CLASS, ("index", "fraction"), fairness));
        for (stream, carried) in (0..).zip(self.statistics.throughputs()) {
            if let Some(estimate) = carried {
                let name = self.stream_name(stream);
                report.metrics.push(
                    Metric::new("stream throughput", &name, ("rate", "kbit/s"), estimate).over_window(),
                );
            }
        }
    }

    /// A stream by its two ends.
    fn stream_name(&self, stream: usize) -> String {
        let plan = &self.plan.streams[stream];
        let [from, to] = [plan.from, plan.to].map(|machine| &self.plan.machines[machine as usize].name);
        format!("{from} to {to}")
    }

    /// The shares of time in which packets and collisions are on each Ethernet.
    fn add_ethernets(&self, report: &mut Report) {
        for (network, ether) in self.plan.params.network.iter().zip(&self.ethers) {
            for (name, ratio) in [("useful time", &ether.useful), ("collision time", &ether.collided)] {
                if let Some(estimate) = ratio.estimate(1.0) {
                    let share = ("share", "fraction");
                    report
                        .metrics
                        .push(Metric::new(name, &network.name, share, estimate.as_share()).over_window());
                }
            }
        }
    }

    fn add_machines(&self, now: Time, report: &mut Report) {
        let delivered = report.measured.messages;
        let machines = (0..).zip(self.plan.machines.iter().zip(&self.machines));
        for (number, (plan, machine)) in machines.filter(|(_, (plan, _))| !plan.raw) {
            let kind = plan.processor();
            let label = PoolLabel { kind, place: &plan.name, site: Site::Node(number), unit: "Pups" };
            report.resources.push(machine.processor.row(now, label, delivered));
        }
        for (number, (plan, stream)) in self.plan.streams.iter().zip(&self.streams).enumerate() {
            let place = self.stream_name(number);
            let site = Site::Pair { from: plan.from, to: plan.to };
            let label = PoolLabel { kind: ResourceKind::Window, place: &place, site, unit: "Pups" };
            let ends = Some([plan.from, plan.to].map(|end| self.plan.machines[end as usize].name.clone()));
            report.resources.push(ResourceRow { ends, ..stream.window.row(now, label, delivered) });
        }
    }

    /// What a station has to itself on its network: nothing on an Ethernet, which all its stations share.
    fn channel_of(&self, station: usize) -> Option<ResourceKind> {
        match self.medium(station as u32) {
            Medium::Ethernet(_) => None,
            Medium::Line(_) => Some(ResourceKind::Line),
            Medium::Radio(_) => Some(ResourceKind::RadioInterval),
        }
    }

    fn add_networks(&self, now: Time, report: &mut Report) {
        let delivered = report.measured.messages;
        for (number, (network, ether)) in (0..).zip(self.plan.params.network.iter().zip(&self.ethers)) {
            if let Medium::Ethernet(_) = network.medium {
                let (kind, site) = (ResourceKind::Ethernet, Site::Network(number));
                let label = PoolLabel { kind, place: &network.name, site, unit: "Pups" };
                report.resources.push(ether.busy.row(now, label, delivered));
            }
        }
        for (at, station) in self.stations.iter().enumerate() {
            let place = self.station_name(at);
            let plan = &self.plan.stations[at];
            let machine = self.plan.machines[plan.machine as usize].name.clone();
            let ends = Some([machine, self.plan.params.network[plan.network as usize].name.clone()]);
            let site = Site::Interface { node: plan.machine, network: plan.network };
            if let Some(kind) = self.channel_of(at) {
                let label = PoolLabel { kind, place: &place, site, unit: "Pups" };
                let row = station.channel.row(now, label, delivered);
                let held_in = sends(&row, station.routing, report.measured.span_s);
                report.resources.push(ResourceRow { ends: ends.clone(), held_in, ..row });
            }
            let label = PoolLabel { kind: ResourceKind::OutputQueue, place: &place, site, unit: "Pups" };
            report.resources.push(ResourceRow { ends, ..station.waiting.row(now, label, delivered) });
        }
    }

    fn add_notes(&self, report: &mut Report) {
        let collisions: u64 = self.ethers.iter().map(|ether| ether.collisions).sum();
        let lost = |part: fn(&StationLosses) -> u64| -> u64 {
            self.stations.iter().map(|station| part(&station.losses)).sum()
        };
        let told = [
            (collisions, "collisions on the Ethernets"),
            (lost(|losses| losses.refused), "Pups were dropped by full queues"),
            (lost(|losses| losses.radio_lost + losses.unassembled), "radio packets were lost"),
            (lost(|losses| losses.given_up), "Pups were dropped after sixteen collisions"),
            (self.tally.echoes_lost, "echoes did not come back"),
            (self.tally.raw_lost, "raw packets found their station's queue full"),
            (self.tally.astray, "Pups did not reach a socket"),
        ];
        report.notes.extend(
            told.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}")),
        );
    }

    /// Pups of all kinds under way now.
    #[must_use]
    pub fn pups_under_way(&self) -> usize {
        self.packets.len()
    }
}
