//! The report of the subnet on a run.

mod dependence;
mod evidence;
mod held_resources;
pub(crate) mod overheads;
mod usage;

use hopscope_measure::{
    EVERY_CLASS, Estimate, HeldIn, InstantRow, Journal, MessageMonitor, Metric, Outcome, PoolLabel, Report,
    ResourceKind, ResourceRow, Site, StagedPool, Stuck, Subject, UsageOf,
};
use hopscope_units::{Span, Time, amount};

use crate::observe::round_trip_tables::SiteTables;
use crate::protocol::stage::{Phase, Stage};
use crate::scenario::outages::note_on_late;
use crate::subnet::Subnet;
use crate::subnet::host::Step;
use crate::subnet::line::LineUse;
use crate::subnet::message_end::KeptInstants;
use crate::subnet::snapshots::Snapshots;

/// Message-number sequences listed in a report, those most waited for first.
const LISTED_SEQUENCES: usize = 100;

/// The class of messages of background traffic, which no number of a report covers.
const OF_OTHERS: &str = "background";

/// A subnet with messages in transit of which none has arrived for this time is stuck.
const PATIENCE: Span = Span::from_s(300);

impl<J: Journal> Subject for Subnet<J> {
    fn monitor(&self) -> &MessageMonitor {
        &self.monitor
    }

    fn restart(&mut self, now: Time) {
        self.catch_up_all(now);
        self.monitor.restart(now);
        self.journal.restart();
        self.trace.restart();
        self.instants.clear();
        self.snapshots.iter_mut().for_each(Snapshots::restart);
        self.loops.restart();
        self.statistics.restart(now);
        if let Some(tables) = &mut self.site_tables {
            *tables = SiteTables::new(now, self.imps.len());
        }
        for imp in &mut self.imps {
            imp.restart(now);
        }
        for line in &mut self.lines {
            line.channels.restart(now);
            line.use_ = LineUse::default();
        }
        for host in &mut self.hosts {
            (host.busy_ps, host.wait_ps, host.messages, host.sending_ps) = (0, 0, 0, 0);
        }
        for sequence in &mut self.sequences {
            sequence.pool.restart(now);
            sequence.asked.restart();
        }
    }

    fn stuck(&mut self, now: Time) -> Option<Stuck> {
        let since = self.statistics.last_delivery.max(self.monitor.measuring_since());
        let patient = now.saturating_since(since) < PATIENCE || self.is_held_up(now, PATIENCE);
        if self.messages.is_empty() || patient {
            return None;
        }
        let waits = (0..self.hosts.len()).filter(|&host| self.hosts[host].step != Step::Idle).map(|host| {
            let h = &self.hosts[host];
            let message = &self.messages[h.message];
            let name = |host: u32| &self.plan.hosts[host as usize].name;
            let lacks = match h.waits_for {
                Some((Stage::StoreWait, _)) => "a store-and-forward buffer of its IMP",
                Some(_) => "an acknowledgment channel of the first line",
                None => h.step.waits_for(),
            };
            format!("{} -> {}: waits for {lacks}", name(message.from), name(message.to))
        });
        let included = if self.plan.background.is_empty() { "" } else { ", background traffic included," };
        Some(Stuck {
            reason: format!(
                "{} in transit{included} and none has arrived for {PATIENCE}",
                amount(self.messages.len(), "message is", "messages are")
            ),
            cycle: waits.collect(),
        })
    }

    fn report(&mut self, now: Time) -> Report {
        self.catch_up_all(now);
        let mut report = self.monitor.report(now);
        report.notes.extend(note_on_late(&self.plan.params));
        report.notes.extend(self.note_on_backlog(now, report.outcome));
        self.statistics.add_to(&mut report);
        self.statistics.add_classes(now, &self.plan.classes, &mut report);
        self.add_loops(&mut report);
        self.add_line_wait(&mut report);
        self.add_overheads(&mut report);
        if let Some(tables) = &self.site_tables {
            tables.add_to(now, &self.plan, &mut report);
        }
        let span = now.since(self.monitor.measuring_since());
        for imp in 0..self.imps.len() {
            self.add_imp(now, span, imp, &mut report.resources);
        }
        for line in 0..self.lines.len() {
            self.add_line(now, span, line, &mut report.resources);
        }
        self.add_sequences(now, &mut report.resources);
        self.add_hosts(span, &mut report.resources);
        report.dependences = dependence::dependences(&self.plan, &report.resources);
        report.evidence = self.evidence(now, span, &report.resources);
        let places = |place: u32| self.place_name(place as usize);
        report.journeys = self.journal.rows(Stage::LABELS, &places);
        report.instants = self.instant_rows();
        self.add_snapshots(&mut report);
        report.trace = self.trace.events(|sequence| self.pair_name(sequence), |line| self.line_ends(line));
        report
    }

    fn usage(&mut self, now: Time, tell: &mut UsageOf<'_>) {
        self.catch_up_all(now);
        usage::tell(self, now, tell);
    }
}

impl<J: Journal> Subnet<J> {
    /// Deals with the clock ticks of all IMPs and lines. Once the run is over, no more routing messages are sent.
    fn catch_up_all(&mut self, now: Time) {
        self.take_all_arrivals(now);
        for imp in &mut self.imps {
            imp.processor.catch_up(now);
        }
        if self.is_over(now) {
            return;
        }
        for line in 0..self.lines.len() as u16 {
            self.catch_up(now, line);
        }
    }

    /// Hosts that cease to send leave a backlog that arrives later: then the run is complete, but its delays say how
    /// long they sent.
    fn note_on_backlog(&self, now: Time, outcome: Outcome) -> Option<String> {
        let grew = outcome == Outcome::Complete && self.monitor.grew_until(self.sources.end, now);
        grew.then(|| {
            "Until hosts ceased to send, more was offered than was carried, and the rest arrived later: delays grow with \
             `duration`, and rates are means that include the time in which the rest arrived."
                .to_owned()
        })
    }

    fn instant_rows(&self) -> Vec<InstantRow> {
        let host = |host: u32| self.plan.hosts[host as usize].name.clone();
        let row = |kept: &KeptInstants| InstantRow {
            message: kept.message,
            class: kept.class.map_or(OF_OTHERS, |class| &self.plan.classes[usize::from(class)]).to_owned(),
            from: host(kept.from),
            to: host(kept.to),
            instants_ps: kept.instants.map(Time::ps),
        };
        self.instants.iter().map(row).collect()
    }

    fn place_name(&self, place: usize) -> String {
        let (imps, lines) = (self.imps.len(), self.lines.len());
        if place < imps {
            self.plan.imps[place].name.clone()
        } else if place < imps + lines {
            self.line_name(place - imps)
        } else {
            self.plan.hosts[place - imps - lines].name.clone()
        }
    }

    /// The mean time that messages and RFNMs wait for a line, a hop.
    fn add_line_wait(&self, report: &mut Report) {
        let sum = |part: fn(&LineUse) -> u64| self.lines.iter().map(|line| part(&line.use_)).sum::<u64>();
        let (wait, packets) = (sum(|line| line.wait_ps), sum(|line| line.waited));
        let mean = (packets > 0).then(|| Estimate::exact(wait as f64 * 1e-9 / packets as f64, packets));
        report.metrics.push(Metric::new("line wait", EVERY_CLASS, ("mean", "ms"), mean));
    }

    fn add_loops(&self, report: &mut Report) {
        let loops = &self.loops;
        let mut add = |name: &str, statistic: &str, unit: &str, value: f64| {
            let exact = Estimate::exact(value, loops.formed);
            report.metrics.push(Metric::new(name, EVERY_CLASS, (statistic, unit), exact));
        };
        add("loops", "count", "", loops.formed as f64);
        add("loop traps", "count", "", loops.trapped as f64);
        add("loop duration", "max", "s", loops.longest.as_seconds());
        add("loop duration", "mean", "s", mean_s(loops.total, loops.ended));
        add("trap duration", "mean", "s", mean_s(loops.trap_total, loops.traps_ended));
        add("trap duration", "max", "s", loops.longest_trap.as_seconds());
        add("time in loops", "total", "s", loops.total.as_seconds());
        add("packets returned", "count", "", loops.returns as f64);
        add("returns of a data packet", "max", "", f64::from(loops.most_returns));
    }

    fn add_imp(&self, now: Time, span: Span, imp: usize, rows: &mut Vec<ResourceRow>) {
        let messages = self.monitor.measured();
        let (state, place) = (&self.imps[imp], self.plan.imps[imp].name.as_str());
        let site = dependence::at_imp(imp as u8);
        let staged = |kind, unit, pool: &StagedPool<{ Phase::COUNT }>| {
            pool.row(now, PoolLabel { kind, place, site, unit }, messages, Phase::ACTIVITIES)
        };
        let plain = |kind, unit, pool: &hopscope_measure::Pool| {
            pool.row(now, PoolLabel { kind, place, site, unit }, messages)
        };
        let mut found = vec![
            ResourceRow {
                refused: state.refused.for_buffers,
                ..plain(ResourceKind::Buffers, "packets", &state.buffers)
            },
            ResourceRow {
                refused: state.refused.for_store,
                ..plain(ResourceKind::StoreAndForwardBuffers, "packets", &state.store)
            },
            staged(ResourceKind::ReassemblyBuffers, "packets", state.reassembly.pool()),
            staged(ResourceKind::PendingLeaderTable, "entries", state.leaders.pool()),
            staged(ResourceKind::PendingPacketTable, "entries", state.copies.pool()),
            plain(ResourceKind::TransmitBlocks, "blocks", &state.transmit.pool),
            plain(ResourceKind::ReceiveBlocks, "blocks", &state.receive.pool),
        ];
        let window = (span.ps() as f64).max(1.0);
        let processor = &state.processor;
        let busy = processor.busy_ps() as f64 / window;
        found.push(ResourceRow {
            occupancy: busy.min(1.0),
            utilisation: busy.min(1.0),
            peak: f64::from(u8::from(processor.packets > 0)),
            waiting: processor.wait_ps as f64 / window,
            wait_us: processor.wait_ps as f64 * 1e-6 / messages.max(1) as f64,
            acquisitions: processor.packets,
            ..ResourceRow::unused(PoolLabel { kind: ResourceKind::Processor, place, site, unit: "packets" })
        });
        rows.extend(
            found.into_iter().filter(|row| row.acquisitions > 0 || row.waiting > 0.0 || row.occupancy > 0.0),
        );
    }

    fn add_line(&self, now: Time, span: Span, line: usize, rows: &mut Vec<ResourceRow>) {
        let messages = self.monitor.measured();
        let (state, name) = (&self.lines[line], self.line_name(line));
        let site = dependence::at_line(&self.plan, line);
        let window = (span.ps() as f64).max(1.0);
        let use_ = &state.use_;
        let shares = use_.shares();
        let busy: u64 = shares.iter().map(|&(_, ps)| ps).sum();
        let held_in =
            shares.iter().filter(|&&(_, ps)| ps > 0).map(|&(why, ps)| HeldIn::of(why, ps as f64 / window));
        rows.push(ResourceRow {
            ends: Some(self.line_ends(line as u16)),
            occupancy: busy as f64 / window,
            utilisation: (busy as f64 / window).min(1.0),
            peak: f64::from(u8::from(busy > 0)),
            waiting: use_.wait_ps as f64 / window,
            wait_us: use_.wait_ps as f64 * 1e-6 / messages.max(1) as f64,
            acquisitions: use_.packets,
            held_in: held_in.collect(),
            ..ResourceRow::unused(PoolLabel { kind: ResourceKind::Line, place: &name, site, unit: "packets" })
        });
        if state.channels.acquisitions() > 0 {
            let kind = ResourceKind::AcknowledgmentChannels;
            let label = PoolLabel { kind, place: &name, site, unit: "channels" };
            let row = state.channels.row(now, label, messages);
            let ends = Some(self.line_ends(line as u16));
            rows.push(ResourceRow { refused: use_.refused, ends, ..row });
        }
    }

    fn add_sequences(&self, now: Time, rows: &mut Vec<ResourceRow>) {
        let mut used: Vec<_> =
            self.sequences.iter().enumerate().filter(|(_, s)| s.pool.pool().acquisitions() > 0).collect();
        used.sort_by_key(|(_, s)| {
            std::cmp::Reverse((s.pool.pool().waiting_ps(now), s.pool.pool().held_ps(now)))
        });
        for (index, sequence) in used.into_iter().take(LISTED_SEQUENCES) {
            let place = self.pair_name(index as u32).0;
            let site = Site::Pair { from: sequence.source.into(), to: sequence.dest.into() };
            let label =
                PoolLabel { kind: ResourceKind::MessageNumbers, place: &place, site, unit: "numbers" };
            let imp = |imp: u8| self.plan.imps[usize::from(imp)].name.clone();
            let ends = Some([imp(sequence.source), imp(sequence.dest)]);
            let row = sequence.pool.row(now, label, self.monitor.measured(), Phase::ACTIVITIES);
            rows.push(ResourceRow { ends, ..row });
        }
    }

    /// Hosts that were sent something: how long the way from their IMP was busy, and the messages that waited for it.
    fn add_hosts(&self, span: Span, rows: &mut Vec<ResourceRow>) {
        let messages = self.monitor.measured().max(1) as f64;
        let window = (span.ps() as f64).max(1.0);
        let hosts = (0..).zip(self.plan.hosts.iter().zip(&self.hosts));
        rows.extend(hosts.filter(|(_, (_, host))| host.busy_ps > 0).map(|(number, (plan, host))| {
            let (kind, site) = (ResourceKind::DestinationHost, Site::Host(number));
            ResourceRow {
                occupancy: host.busy_ps as f64 / window,
                utilisation: (host.busy_ps as f64 / window).min(1.0),
                peak: 1.0,
                waiting: host.wait_ps as f64 / window,
                wait_us: host.wait_ps as f64 * 1e-6 / messages,
                acquisitions: host.messages,
                ..ResourceRow::unused(PoolLabel { kind, place: &plan.name, site, unit: "messages" })
            }
        }));
    }
}

/// A mean in seconds; 0 of nothing.
fn mean_s(total: Span, of: u64) -> f64 {
    total.as_seconds() / of.max(1) as f64
}
