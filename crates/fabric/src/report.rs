//! What a fabric tells about a run.

use hopscope_measure::{
    Estimate, HeldIn, Journal, MessageMonitor, Metric, Report, ResourceRow, Stuck, Subject,
};
use hopscope_topology::HostId;
use hopscope_units::{Span, Time};

use crate::fabric::Fabric;
use crate::packet::NANOBITS;
use crate::params::Rule;
use crate::plan::FabricPlan;
use crate::slots::{NO_SLOT, Slot};
use crate::stage::Stage;

/// A report lists every link of a network with at most so many outputs; of a larger one, the busiest.
const LISTED_OUTPUTS: usize = 4_000;

impl<J: Journal> Subject for Fabric<J> {
    fn monitor(&self) -> &MessageMonitor {
        &self.monitor
    }

    fn restart(&mut self, now: Time) {
        self.monitor.restart(now);
        self.journal.restart();
        (self.tally.window_start, self.tally.carried_bits, self.tally.acks) = (now, 0, 0);
        if let Some(control) = &mut self.control {
            control.outages.restart();
        }
        for output in &mut self.outputs {
            (output.held_ps, output.wait_ps, output.bits, output.packets) = (0, 0, 0, 0);
        }
        for pauses in &mut self.pauses {
            (pauses.stopped_ps, pauses.dry_ps, pauses.shared_ps) = (0, 0, 0);
        }
        for input in &mut self.inputs {
            input.settle(now);
            input.restart();
        }
    }

    fn stuck(&mut self, _now: Time) -> Option<Stuck> {
        self.find_deadlock()
    }

    fn report(&mut self, now: Time) -> Report {
        self.assert_conservation();
        let mut report = self.monitor.report(now);
        let span = now.since(self.tally.window_start);
        add_load(&self.plan, self.tally.carried_bits, span, &mut report);
        self.add_buffers(&mut report);
        let outputs = self.plan.slots.connected().collect();
        let outputs = listed(outputs, |output| self.outputs[output as usize].held_ps, &mut report);
        let delivered = self.monitor.measured().max(1) as f64;
        for &output in &outputs {
            report.resources.push(self.output_row(output, now, span, delivered));
            if !self.plan.slots.is_host(self.plan.slots.cables[output as usize].far) {
                report.resources.push(self.fifo_row(output, span, delivered));
            }
        }
        report.dependences = self.dependences(&outputs);
        if self.tally.acks > 0 {
            let note = format!(
                "{} acknowledgments were also delivered; they do not count as messages",
                self.tally.acks
            );
            report.notes.push(note);
        }
        if let Some(control) = &self.control {
            control.outages.tell(&mut report);
        }
        report.journeys =
            self.journal.rows(Stage::LABELS, &|place| self.plan.slots.link_name(&self.plan.network, place));
        report
    }
}

impl<J: Journal> Fabric<J> {
    /// Every packet generated has been consumed, is in the network, waits in its host, or has been destroyed by a fault.
    fn assert_conservation(&self) {
        let waiting: usize = self.send_queues.iter().map(std::collections::VecDeque::len).sum();
        let destroyed = self
            .control
            .as_ref()
            .map_or(0, |control| control.outages.destroyed() - control.graves.len() as u64);
        let accounted = self.tally.consumed + destroyed + self.packets.len() as u64 + waiting as u64;
        assert_eq!(self.tally.generated, accounted, "packets were lost or made up");
    }

    /// What routes on virtual channels take: how many a link, and the buffers at its end.
    fn add_buffers(&self, report: &mut Report) {
        let rule = self.plan.params.routing.rule;
        if !matches!(rule, Rule::DimensionOrder | Rule::StructuredPools) {
            return;
        }
        let lanes = u64::from(self.plan.slots.lanes);
        let buffers = self.plan.thresholds.map(|t| lanes * t.capacity / (8 * NANOBITS));
        report.metrics.push(count("virtual channels", "1", Some(lanes)));
        report.metrics.push(count("link buffer", "B", buffers));
    }

    fn output_row(&self, output: Slot, now: Time, span: Span, delivered: f64) -> ResourceRow {
        let (out, pauses) = (&self.outputs[output as usize], &self.pauses[output as usize]);
        let window = (span.ps() as f64).max(1.0);
        let still_held = if out.holder == NO_SLOT {
            0
        } else {
            now.since(out.held_since.max(self.tally.window_start)).ps()
        };
        let held = (out.held_ps + still_held) as f64 / window;
        let sending = out.bits as f64 * 1e9 / f64::from(out.rate) / window;
        let [stopped, dry, shared] =
            [pauses.stopped_ps, pauses.dry_ps, pauses.shared_ps].map(|ps| ps as f64 / window);
        let stage = HeldIn::of;
        let mut held_in = vec![stage("sending", sending), stage("stopped", stopped), stage("run dry", dry)];
        if self.shares_links() {
            held_in.push(stage("another lane's turn", shared));
        }
        held_in.push(stage("set-up", (held - sending - stopped - dry - shared).max(0.0)));
        let used = OutputUse {
            occupancy: held,
            utilisation: sending.min(1.0),
            wait_ps: out.wait_ps,
            packets: out.packets,
            held_in,
        };
        used.row(&self.plan, output, window, delivered)
    }

    /// The FIFO at the far end of an output.
    fn fifo_row(&self, output: Slot, span: Span, delivered: f64) -> ResourceRow {
        let slot = self.outputs[output as usize].far;
        let input = &self.inputs[slot as usize];
        let window = (span.ps() as f64).max(1.0);
        let bytes = |nanobits: u64| nanobits as f64 / 8e9;
        let occupancy = input.mean_bytes(window);
        let capacity = self.plan.thresholds.map(|t| bytes(t.capacity));
        ResourceRow {
            name: self.plan.slots.link_name(&self.plan.network, output),
            kind: "fifo".into(),
            place: self.plan.slots.name(&self.plan.network, slot),
            capacity,
            unit: "B".into(),
            occupancy,
            utilisation: capacity.map_or(0.0, |capacity| occupancy / capacity),
            peak: bytes(input.peak),
            waiting: input.wait_ps as f64 / window,
            wait_us: input.wait_ps as f64 * 1e-6 / delivered,
            acquisitions: u64::from(input.packets),
            refused: 0,
            held_in: vec![HeldIn::of("packets", input.held_ps as f64 / window)],
        }
    }
}

/// What an output did in the measured window.
pub(crate) struct OutputUse {
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
            name: plan.slots.link_name(&plan.network, output),
            kind: "output".into(),
            place: plan.slots.name(&plan.network, output),
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
pub(crate) fn count(name: &str, unit: &str, value: Option<u64>) -> Metric {
    let estimate = value.map(|value| Estimate::exact(value as f64, 1));
    Metric { statistic: "count".into(), unit: unit.into(), ..fraction(name, estimate) }
}

/// A mean share.
pub(crate) fn fraction(name: &str, estimate: Option<Estimate>) -> Metric {
    Metric {
        name: name.into(),
        class: "all".into(),
        statistic: "mean".into(),
        unit: "fraction".into(),
        estimate,
    }
}

/// The offered load as the scenario says it, and the carried load: the mean utilisation of the receiving links that define it.
pub(crate) fn add_load(plan: &FabricPlan, carried_bits: u64, span: Span, report: &mut Report) {
    if let Some(load) = plan.load {
        report.metrics.push(fraction("load", Some(Estimate::exact(load, 1))));
    }
    let throughput = report.metric("throughput.rate").and_then(|m| m.estimate);
    let hosts = (0..plan.attached.len()).filter(|&host| plan.defines_load[host]);
    let capacity: f64 = hosts
        .map(|host| plan.slots.cables[plan.slots.host(HostId::new(host)) as usize].rate as f64 * 1e3)
        .sum();
    if let Some(throughput) = throughput.filter(|t| t.value > 0.0 && span > Span::ZERO) {
        let carried = carried_bits as f64 / (span.as_seconds() * capacity);
        // Carried load and throughput rise and fall together, so the relative width of the interval is the same.
        let scaled = |rate: f64| rate * carried / throughput.value;
        let (low, high) = (scaled(throughput.low), scaled(throughput.high));
        report
            .metrics
            .push(fraction("carried", Some(Estimate { value: carried, low, high, n: throughput.n })));
    }
}

/// Of these outputs the busiest, in their order, where they are more than a report lists.
pub(crate) fn listed(mut outputs: Vec<Slot>, busy: impl Fn(Slot) -> u64, report: &mut Report) -> Vec<Slot> {
    if outputs.len() > LISTED_OUTPUTS {
        let note = format!("{} links; only the {LISTED_OUTPUTS} busiest are listed", outputs.len());
        report.notes.push(note);
        outputs.sort_by_key(|&output| (std::cmp::Reverse(busy(output)), output));
        outputs.truncate(LISTED_OUTPUTS);
        outputs.sort_unstable();
    }
    outputs
}
