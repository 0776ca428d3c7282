//! The report of a fabric.

use hopscope_fabric::{NANOBITS, NO_SLOT, OutputUse, Rule, Slot, add_load, count, listed, note_on_late};
use hopscope_measure::{
    HeldIn, HoldWhy, Journal, MessageMonitor, Report, ResourceKind, ResourceRow, Stuck, Subject, Usage,
    UsageOf,
};
use hopscope_units::{Span, Time};

use crate::machine::An1;
use crate::observe::stage::Stage;
use crate::switch::output::OutputPauses;

impl<J: Journal> Subject for An1<J> {
    fn monitor(&self) -> &MessageMonitor {
        &self.monitor
    }

    fn restart(&mut self, now: Time) {
        self.monitor.restart(now);
        self.fairness.restart();
        self.expired.fill(0);
        self.journal.restart();
        (self.tally.window_start, self.tally.apart_bits, self.tally.acks) = (now, 0, 0);
        self.keep_sent(now);
        if let Some(control) = &mut self.control {
            control.outages.restart();
        }
        for output in &mut self.outputs {
            (output.held_ps, output.wait_ps, output.bits, output.packets) = (0, 0, 0, 0);
        }
        self.pauses.iter_mut().for_each(OutputPauses::restart);
        for slot in 0..self.inputs.len() {
            self.inputs[slot].settle(now);
            let unbooked = self.unbooked(&self.inputs[slot], slot as Slot, now);
            self.inputs[slot].restart(unbooked);
        }
    }

    fn stuck(&mut self, _now: Time) -> Option<Stuck> {
        self.find_deadlock()
    }

    fn report(&mut self, now: Time) -> Report {
        self.assert_conservation();
        let mut report = self.monitor.report(now);
        let span = now.since(self.tally.window_start);
        add_load(&self.plan, self.carried(now), span, &mut report);
        self.fairness.tell(&self.plan.network, &mut report);
        self.add_buffers(&mut report);
        if self.an1.params.switch.ttl.is_some() {
            report.metrics.push(count("expired", "1", Some(self.expired.iter().sum())));
        }
        let outputs = self.plan.slots.connected().collect();
        let outputs = listed(outputs, |output| self.outputs[output as usize].held_ps, &mut report);
        let delivered = self.monitor.measured().max(1) as f64;
        for &output in &outputs {
            report.resources.push(self.output_row(output, now, span, delivered));
            if !self.plan.slots.is_host(self.plan.slots.links[output as usize].far) {
                report.resources.push(self.fifo_row(output, now, span, delivered));
            }
        }
        report.dependences = self.dependences(&outputs);
        report.evidence = self.evidence(now, &outputs, &report);
        if self.tally.acks > 0 {
            let note = format!(
                "{} acknowledgments were also delivered; they do not count as messages",
                self.tally.acks
            );
            report.notes.push(note);
        }
        if let Some(control) = &self.control {
            control.outages.tell(&mut report);
            report.notes.extend(note_on_late(&self.an1.faults, now));
        }
        report.journeys =
            self.journal.rows(Stage::LABELS, &|place| self.plan.slots.link_name(&self.plan.network, place));
        report
    }

    fn usage(&mut self, now: Time, tell: &mut UsageOf<'_>) {
        let (slots, network) = (&self.plan.slots, &self.plan.network);
        for output in slots.connected() {
            let out = &self.outputs[output as usize];
            let held = self.output_held(output, now, 1.0);
            let pauses = self.pauses[output as usize].booked();
            let usage = Usage {
                used_ps: held[0].1,
                waited_ps: out.wait_ps as f64,
                held_back_ps: (pauses.stopped_ps + pauses.barred_ps) as f64,
            };
            tell(ResourceKind::Output, &|| slots.name(network, output), usage, &held);
            if slots.is_host(slots.links[output as usize].far) {
                continue;
            }
            let slot = out.far;
            // A copy is settled: to settle the FIFO itself here would round its pauses elsewhere.
            let mut input = self.inputs[slot as usize].clone();
            input.settle(now);
            let capacity = self
                .an1
                .thresholds
                .map_or(1.0, |thresholds| thresholds.capacity as f64 / (8 * NANOBITS) as f64);
            let usage = Usage {
                used_ps: input.mean_bytes(self.unbooked(&input, slot, now), 1.0) / capacity,
                waited_ps: input.wait_ps as f64,
                held_back_ps: 0.0,
            };
            tell(ResourceKind::InputFifo, &|| slots.name(network, slot), usage, &[]);
        }
    }
}

impl<J: Journal> An1<J> {
    /// Every packet generated has been consumed, is in the network, waits in its host, or has been destroyed by a
    /// fault. One for several hosts counts once for each, also before it is copied.
    fn assert_conservation(&self) {
        let waiting: usize = self.send_queues.iter().map(std::collections::VecDeque::len).sum();
        let destroyed = self
            .control
            .as_ref()
            .map_or(0, |control| control.outages.destroyed() - control.purges.len() as u64);
        let to_copy = self.multicast.as_ref().map_or(0, |state| state.to_copy);
        let accounted =
            self.tally.consumed + destroyed + self.packets.len() as u64 + waiting as u64 + to_copy;
        assert_eq!(self.tally.generated, accounted, "packets were lost or made up");
    }

    /// Adds the cost of routes on virtual channels: channels per link, and the buffers at its end.
    fn add_buffers(&self, report: &mut Report) {
        let rule = self.plan.params.routing.rule;
        if !matches!(rule, Rule::DimensionOrder | Rule::StructuredPools) {
            return;
        }
        let lanes = u64::from(self.plan.slots.lanes);
        let buffers = self.an1.thresholds.map(|t| lanes * t.capacity / (8 * NANOBITS));
        report.metrics.push(count("virtual channels", "1", Some(lanes)));
        report.metrics.push(count("link buffer", "B", buffers));
    }

    /// The time for which an output has been held since the measurement began, picoseconds.
    fn held_ps(&self, output: Slot, now: Time) -> u64 {
        let out = &self.outputs[output as usize];
        if out.holder == NO_SLOT {
            return out.held_ps;
        }
        out.held_ps + now.since(out.held_since.max(self.tally.window_start)).ps()
    }

    /// What the holders of an output did, as shares of `over` picoseconds; sending comes first.
    fn output_held(&self, output: Slot, now: Time, over: f64) -> Vec<(HoldWhy, f64)> {
        let (out, pauses) = (&self.outputs[output as usize], self.pauses[output as usize].booked());
        let held = self.held_ps(output, now) as f64 / over;
        let sending = self.sent_in_window(output, now) as f64 / f64::from(out.rate) / over;
        let [stopped, dry, shared, others, barred] =
            [pauses.stopped_ps, pauses.dry_ps, pauses.shared_ps, pauses.others_ps, pauses.barred_ps]
                .map(|ps| ps as f64 / over);
        let mut held = vec![
            (HoldWhy::Sending, sending),
            (HoldWhy::Stopped, stopped + barred),
            (HoldWhy::RunDry, dry),
            (HoldWhy::OtherLane, shared),
            (HoldWhy::SetUp, (held - sending - stopped - dry - shared - others).max(0.0)),
        ];
        if self.multicast.is_some() {
            held.push((HoldWhy::OtherOutputs, others));
        }
        held
    }

    fn output_row(&self, output: Slot, now: Time, span: Span, delivered: f64) -> ResourceRow {
        let out = &self.outputs[output as usize];
        let window = (span.ps() as f64).max(1.0);
        let mut held_in: Vec<HeldIn> = self
            .output_held(output, now, window)
            .into_iter()
            .map(|(why, share)| HeldIn::of(why, share))
            .collect();
        if !self.shares_links() {
            held_in.retain(|held| held.activity.why != HoldWhy::OtherLane);
        }
        let sending = held_in[0].occupancy;
        let used = OutputUse {
            occupancy: self.held_ps(output, now) as f64 / window,
            utilisation: sending.min(1.0),
            wait_ps: out.wait_ps,
            packets: out.packets,
            held_in,
        };
        used.row(&self.plan, output, window, delivered)
    }

    /// The FIFO at the far end of an output.
    fn fifo_row(&self, output: Slot, now: Time, span: Span, delivered: f64) -> ResourceRow {
        let slot = self.outputs[output as usize].far;
        let mut input = self.inputs[slot as usize].clone();
        input.settle(now);
        let window = (span.ps() as f64).max(1.0);
        let bytes = |nanobits: u64| nanobits as f64 / 8e9;
        let occupancy = input.mean_bytes(self.unbooked(&input, slot, now), window);
        let capacity = self.an1.thresholds.map(|t| bytes(t.capacity));
        ResourceRow {
            kind: ResourceKind::InputFifo,
            name: Some(self.plan.slots.link_name(&self.plan.network, output)),
            place: self.plan.slots.name(&self.plan.network, slot),
            site: self.plan.slots.site(slot),
            link: Some(output),
            far: self.plan.slots.site(self.plan.slots.links[output as usize].far),
            ends: Some(self.plan.slots.link_ends(&self.plan.network, output)),
            lane: self.plan.slots.lane(slot),
            capacity,
            unit: "B".into(),
            occupancy,
            utilisation: capacity.map_or(0.0, |capacity| occupancy / capacity),
            peak: bytes(input.peak),
            waiting: input.wait_ps as f64 / window,
            wait_us: input.wait_ps as f64 * 1e-6 / delivered,
            acquisitions: u64::from(input.packets),
            refused: 0,
            held_in: vec![HeldIn::of(HoldWhy::Packets, input.held_ps as f64 / window)],
        }
    }
}
