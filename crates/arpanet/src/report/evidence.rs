//! The evidence of a subnet besides the use of its resources, for explanations of a run.

use std::collections::{BTreeMap, BTreeSet};

use hopscope_measure::{
    Evidence, Failure, HostScan, Interruption, InterruptionWhy, Journal, Loss, LossWhy, PairUse, PartOfWork,
    Place, ResourceKind, ResourceRow, SenderUse, Site, SlowBeside, StageId, UsualService,
    is_slower_than_its_like,
};
use hopscope_units::{Span, Time};

use crate::protocol::packet::{PACKET_BITS, packets_of};
use crate::scenario::params::{Computer, When, host_rate};
use crate::scenario::processor_params::ProcessorParams;
use crate::subnet::Subnet;

/// IMPs scan hosts that wait once a tick of their clock (the program's listing).
const USUAL_SCAN: Span = Span::from_us(25_600);

impl<J: Journal> Subnet<J> {
    /// The evidence of a report with these rows.
    pub(crate) fn evidence(&self, now: Time, span: Span, rows: &[ResourceRow]) -> Evidence {
        let mut found =
            Evidence { packets_ahead: self.packets_ahead(), sends_again: true, ..Evidence::default() };
        found.rejected = self.statistics.discarded;
        for (at, row) in rows.iter().enumerate() {
            if let (ResourceKind::Line, Site::Line { number, .. }) = (row.kind, row.site) {
                let line = &self.plan.lines[number as usize];
                found.rates.insert(at, line.rate.bit_s() as f64);
                found.delays.insert(at, line.delay.as_seconds());
            }
            if let (ResourceKind::DestinationHost, Site::Host(host)) = (row.kind, row.site) {
                found.parts_of_work.extend(self.on_a_slow_line(host).map(|part| (at, part)));
            }
        }
        found.slow_beside = self.slow_ways(rows);
        found.host_scan = self
            .plan
            .params
            .protocol
            .host_poll
            .map(|every| HostScan { every_s: every.as_seconds(), usual_s: USUAL_SCAN.as_seconds() });
        let name = |host: u32| self.plan.hosts[host as usize].name.clone();
        found.pairs = PairUse::named(self.monitor.waits_between_hosts(), name);
        found.usual.extend(self.slowest_processing());
        found.always_sends = self.plan.params.flow.iter().any(|flow| flow.when == When::Saturated);
        self.add_outages(now, &mut found);
        self.add_silences(now, &mut found);
        self.add_other_work(&mut found);
        self.add_losses(rows, &mut found);
        self.find_causes(&mut found);
        let window = (span.ps() as f64).max(1.0);
        let sending = self.plan.hosts.iter().zip(&self.hosts).filter(|(_, host)| host.sending_ps > 0);
        found.senders.extend(sending.map(|(plan, host)| SenderUse {
            place: Place::node(format!("the sending host {}", plan.name), &plan.name),
            utilisation: (host.sending_ps as f64 / window).min(1.0),
        }));
        found
    }

    /// How much of the time that a host takes for its longest messages is their way from its IMP, where that line is
    /// slower than usual.
    fn on_a_slow_line(&self, host: u32) -> Option<PartOfWork> {
        let plan = &self.plan.hosts[host as usize];
        let flows = self.plan.params.flow.iter().filter(|flow| flow.to == plan.name);
        let longest = flows.map(|flow| flow.size.bits()).max()? as f64;
        let (rate, usual) = (plan.rate?, host_rate());
        let line_s = longest / rate.bit_s() as f64;
        is_slower_than_its_like(rate.bit_s() as f64, usual.bit_s() as f64).then(|| PartOfWork {
            what: format!(
                "transmission on the line from IMP {} to it, which has {rate}, where {usual} is usual",
                self.plan.imps[usize::from(plan.imp)].name
            ),
            share: line_s / (line_s + plan.per_message.as_seconds()),
        })
    }

    /// How long a processor takes for the longest packets of the flows, of the kind of which that is least usual.
    fn slowest_processing(&self) -> Option<UsualService> {
        let longest = self.plan.params.flow.iter().map(|flow| flow.size.bits().min(PACKET_BITS.into()));
        let words = longest.max()?.div_ceil(16);
        let of = |kinds: &ProcessorParams, computer: Computer| {
            let kind = kinds.of(computer);
            (kind.per_packet.ps() + kind.per_word.ps() * words) as f64 * 1e-6
        };
        let usual = ProcessorParams::default();
        let kinds = self.plan.imps.iter().map(|imp| imp.computer).map(|computer| UsualService {
            stage: StageId::Processing,
            us: of(&self.plan.params.processor, computer),
            usual_us: of(&usual, computer),
        });
        kinds.max_by(|a, b| (a.us / a.usual_us).total_cmp(&(b.us / b.usual_us)))
    }

    /// Lines that are slower than others as far on the way from one IMP to another, on ways of as few lines: packets
    /// take either way, and those by the slow one arrive after later ones.
    fn slow_ways(&self, rows: &[ResourceRow]) -> Vec<SlowBeside> {
        let imps = self.plan.imps.len();
        let hops = |a: u8, b: u8| self.plan.hops[usize::from(a) * imps + usize::from(b)];
        let lines = || rows.iter().enumerate().filter(|(_, row)| row.kind == ResourceKind::Line);
        let mut found: BTreeMap<usize, SlowBeside> = BTreeMap::new();
        for (from, to) in self.pairs_of_flows() {
            // From each distance from the source, the lines that lead on to the destination, with their rates.
            let mut beside: BTreeMap<u16, Vec<(usize, f64)>> = BTreeMap::new();
            for (at, row) in lines() {
                let Site::Line { number, .. } = row.site else { continue };
                let line = &self.plan.lines[number as usize];
                if hops(from, line.from) + 1 + hops(line.to, to) == hops(from, to) {
                    let rate = line.rate.bit_s() as f64;
                    beside.entry(hops(from, line.from)).or_default().push((at, rate));
                }
            }
            for lines in beside.values() {
                let usual = lines.iter().map(|&(_, rate)| rate).fold(0.0, f64::max);
                for &(row, rate) in lines.iter().filter(|&&(_, rate)| is_slower_than_its_like(rate, usual)) {
                    let words = format!("the line {}", rows[row].place);
                    found.entry(row).or_insert(SlowBeside { row, words, rate, usual });
                }
            }
        }
        found.into_values().collect()
    }

    /// The IMPs between which flows go.
    fn pairs_of_flows(&self) -> BTreeSet<(u8, u8)> {
        let imp = |host: u32| self.plan.hosts[host as usize].imp;
        self.plan.flows.iter().map(|&(from, to)| (imp(from), imp(to))).collect()
    }

    /// Packets of its own message that a packet finds before it on average, over the packets of one message of each
    /// flow.
    fn packets_ahead(&self) -> f64 {
        let packets = self.plan.params.flow.iter().map(|flow| f64::from(packets_of(flow.size.bits() as u32)));
        let (sum, squares) = packets.fold((0.0, 0.0), |(sum, squares), n| (sum + n, squares + n * n));
        if sum > 0.0 { (squares / sum - 1.0) / 2.0 } else { 0.0 }
    }

    /// Lines and IMPs that did not work for a while.
    fn add_outages(&self, now: Time, found: &mut Evidence) {
        let window = (self.monitor.measuring_since().as_seconds(), now.as_seconds());
        for outage in &self.plan.params.network.outage {
            let place = match (&outage.line, &outage.imp) {
                (Some([a, b]), _) => {
                    Place { words: format!("the line {a} - {b}"), nodes: vec![a.clone(), b.clone()] }
                }
                (None, Some(imp)) => Place::node(format!("the IMP {imp}"), imp),
                (None, None) => continue,
            };
            let (from, until) = (outage.from.as_seconds(), (outage.from + outage.length).as_seconds());
            if until.min(window.1) <= from.max(window.0) {
                continue;
            }
            let known = found.interruptions.iter().position(|one| one.place == place);
            let before = known.map(|at| found.interruptions.remove(at));
            let all = before.unwrap_or_else(|| Interruption::of(InterruptionWhy::Fault, place.clone()));
            found.interruptions.push(all.and((from, until), window));
            let until_s = (until <= window.1).then_some(until);
            found.failures.push(Failure { place, from_s: from, until_s });
        }
    }

    /// Hosts that took nothing for a while.
    fn add_silences(&self, now: Time, found: &mut Evidence) {
        let window = (self.monitor.measuring_since().as_seconds(), now.as_seconds());
        for host in self.plan.hosts.iter().filter(|host| !host.silent.is_empty()) {
            let place = Place::node(format!("the host {}", host.name), &host.name);
            let none = Interruption::of(InterruptionWhy::SilentHost, place);
            let all = host
                .silent
                .iter()
                .fold(none, |sum, (from, until)| sum.and((from.as_seconds(), until.as_seconds()), window));
            found.interruptions.extend((all.count > 0).then_some(all));
        }
    }

    /// Processors that did work of higher priority.
    fn add_other_work(&self, found: &mut Evidence) {
        for (plan, imp) in self.plan.imps.iter().zip(&self.imps) {
            let work = imp.processor.other_work();
            if work.count > 0 {
                let place = Place::node(format!("the processor of {}", plan.name), &plan.name);
                found.interruptions.push(Interruption {
                    count: work.count,
                    first_s: self.monitor.measuring_since().as_seconds(),
                    total_s: work.ps as f64 * 1e-12,
                    squares_s2: work.squares_us2 as f64 * 1e-12,
                    ..Interruption::of(InterruptionWhy::OtherWork, place)
                });
            }
        }
    }

    /// Packets lost to errors and in outages, by line, and those that a neighbour refused, by what was lacking.
    fn add_losses(&self, rows: &[ResourceRow], found: &mut Evidence) {
        for (number, line) in self.lines.iter().enumerate() {
            let counts = [(LossWhy::LineErrors, line.use_.lost), (LossWhy::Fault, line.use_.cut)];
            for (why, count) in counts.into_iter().filter(|(_, count)| *count > 0) {
                let nodes = self.line_ends(number as u16);
                let words = format!("the line {} -> {}", nodes[0], nodes[1]);
                let place = Place { words, nodes: nodes.into() };
                found.losses.push(Loss { why, place, count, of: line.use_.sent, each_s: 0.0 });
            }
        }
        // The ledger has a message's own waits to be sent again, but those of its RFNM among the RFNM's queueing.
        let each_s = self.plan.params.protocol.retransmit_after.as_seconds();
        for row in rows.iter().filter(|row| row.refused > 0) {
            let from = row.ends.as_ref().map_or(&row.place, |[from, _]| from);
            let place = Place::node(format!("the {} at {from}", row.kind.word()), from);
            let (why, count) = (row.kind.into(), row.refused);
            found.losses.push(Loss { why, place, count, of: 0, each_s });
        }
    }
}
