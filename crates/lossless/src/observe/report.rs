//! The report of a fabric of frames.

use std::ops::Range;

use hopscope_fabric::{ManyNanobits, NO_SLOT, OutputUse, Slot, add_load, count, fraction, listed};
use hopscope_measure::{
    CongestionTree, DelayLabel, DelayUnit, Estimate, HeldIn, HoldWhy, Journal, LessStage, MessageMonitor,
    MonitorLayout, Observed, PoolLabel, Report, ResourceKind, ResourceRow, Site, StageLabel, Stuck, Subject,
    Usage, UsageOf,
};
use hopscope_topology::SwitchId;
use hopscope_units::{Span, Time, amount};

use crate::flow_control::Control;
use crate::host::Offered;
use crate::machine::{FrameTally, Lossless};
use crate::observe::dependence::Window;
use crate::observe::stage::FrameStage;

/// The statistics of messages: with these classes, for every message from its generation to its last bit.
pub(crate) fn monitor(
    labels: &'static [StageLabel],
    classes: &[String],
    hosts: usize,
    crossing: Span,
) -> MessageMonitor {
    let classes: Vec<&str> = classes.iter().map(String::as_str).collect();
    let mut layout = MonitorLayout { crossing, ..MonitorLayout::new(labels, &classes) };
    let label = DelayLabel { name: "network latency", unit: DelayUnit::Us };
    layout.less_stage = Some(LessStage { label, stage: FrameStage::SendQueue as usize });
    MessageMonitor::new(layout).among_hosts(hosts)
}

impl<J: Journal> Subject for Lossless<J> {
    fn monitor(&self) -> &MessageMonitor {
        &self.monitor
    }

    fn whole_workload(&self) -> Option<u64> {
        match &self.offered {
            Offered::Flows(scheduled) => scheduled.schedule.in_all(),
            Offered::Messages(_) => None,
        }
    }

    fn restart(&mut self, now: Time) {
        self.monitor.restart(now);
        self.destinations.restart(now);
        self.fairness.restart();
        if let Offered::Flows(scheduled) = &mut self.offered {
            scheduled.statistics.restart(now);
        }
        self.keep_counted(now);
        self.journal.restart();
        self.trees.restart();
        self.waits.restart();
        if let Some(classes) = &mut self.class_waits {
            classes.restart();
        }
        self.degraded.restart();
        let FrameTally { born, lost, hops, .. } = self.tally;
        self.tally = FrameTally { born, lost, hops, window_start: now, ..FrameTally::default() };
        for port in &mut self.ports {
            (port.bits, port.frames) = (0, 0);
        }
        for (queue, before) in self.queues.iter_mut().zip(&mut self.held_before) {
            *before = queue.held_in_all(now);
            (queue.peak, queue.wait_ps, queue.holds) = (queue.bits, 0, 0);
        }
        for input in &mut self.inputs {
            (input.peak, input.headroom_peak, input.xoffs) = (input.held, input.headroom, 0);
        }
        self.losses.restart();
        for switch in &mut self.switches {
            (switch.peak, switch.integral, switch.changed, switch.expired) = (switch.held, 0, now, 0);
        }
    }

    fn stuck(&mut self, now: Time) -> Option<Stuck> {
        self.find_deadlock(now)
    }

    fn report(&mut self, now: Time) -> Report {
        self.assert_conservation();
        self.read_ports(now + Span::from_ps(1));
        let observed = self.observed();
        self.monitor.has_observed(observed);
        let mut report = self.monitor.report(now);
        self.note_on_growing(now, &mut report);
        let span = now.since(self.tally.window_start);
        add_load(&self.plan, self.carried(now), span, &mut report);
        self.fairness.tell(&self.plan.network, &mut report);
        self.add_frames(now, span, &mut report);
        if let Offered::Flows(scheduled) = &self.offered {
            scheduled.statistics.tell(now, observed, &mut report);
            self.tell_watch(now, &mut report);
            let waiting = scheduled.schedule.waiting();
            if waiting > 0 {
                let flows =
                    amount(waiting, "flow had not started: it depends", "flows had not started: they depend");
                report.notes.push(format!("{flows} on flows that had not finished."));
            }
            if self.tally.lost > 0 && scheduled.statistics.has_rounds() {
                report.notes.push(rounds_without(self.tally.lost));
            }
        }
        let connected = self.plan.slots.connected().collect();
        let outputs = listed(connected, |output| self.ports[output as usize].bits, &mut report);
        let rows = outputs.iter().map(|&output| self.output_row(output, now, span));
        report.resources.extend(rows);
        for switch in self.plan.network.switch_ids() {
            report.resources.push(self.buffer_row(switch, now, span));
        }
        self.add_dependences(Window { now, span }, &outputs, &mut report);
        report.evidence = self.evidence(now, &outputs, &report);
        report.ports = Some(self.port_counts(now));
        report.trees = self.trees();
        report.notes.extend(report.trees.iter().take(CongestionTree::LISTED).map(ToString::to_string));
        self.tell_outages(now, &mut report);
        self.tell_losses(&mut report);
        if self.tally.lost > 0 && self.frames_plan().ttl.is_some() && self.outages.is_none() {
            let lost = amount(self.tally.lost, "message", "messages");
            let note = format!("{lost} lost frames whose time to live had expired");
            report.notes.push(note);
        }
        report.journeys = self.journal.rows(self.frames_plan().stage_labels(), &|place| {
            self.plan.slots.link_name(&self.plan.network, place)
        });
        report
    }
    fn usage(&mut self, now: Time, tell: &mut UsageOf<'_>) {
        let (slots, network) = (&self.plan.slots, &self.plan.network);
        let lanes = self.frames_plan().lanes;
        for output in slots.connected() {
            let port = &self.ports[output as usize];
            let first = self.frames_plan().queue(output, 0);
            let queues = first..first + lanes;
            let held_back = queues.clone().map(|queue| self.held_in_window(queue, now)).max();
            let usage = Usage {
                used_ps: self.sent_in_window(output, now) as f64 / f64::from(port.rate),
                waited_ps: queues.map(|queue| self.queues[queue].wait_ps).sum::<u64>() as f64,
                held_back_ps: held_back.unwrap_or(0) as f64,
            };
            tell(ResourceKind::Output, &|| slots.name(network, output), usage, &[]);
        }
        for switch in network.switch_ids() {
            let used_ps = self.held_bit_ps(switch, now) / self.buffer_bits(switch) as f64;
            let usage = Usage { used_ps, ..Usage::default() };
            tell(ResourceKind::SwitchBuffer, &|| network.switch(switch).name.clone(), usage, &[]);
        }
    }
}

impl<J: Journal> Lossless<J> {
    /// Every generated message is over or under way, and every bit of those under way waits or travels.
    fn assert_conservation(&self) {
        let over = self.monitor.delivered_in_all() + self.tally.lost;
        let lingering = self.recovering.as_ref().map_or(0, |recovering| recovering.lingering());
        assert_eq!(
            self.tally.born,
            over + (self.flows.len() - lingering) as u64,
            "messages were lost or made up"
        );
        let held: u64 = self.switches.iter().map(|switch| switch.held).sum();
        assert_eq!(held, self.buffered_bits(), "the accounts of inputs and switches differ");
    }

    /// Whether every flow of a finite workload was measured from its start to its end.
    fn observed(&self) -> Observed {
        let Offered::Flows(scheduled) = &self.offered else { return Observed::Sample };
        let schedule = &scheduled.schedule;
        let is_measured = self.monitor.measuring_since() == Time::ZERO && self.tally.lost == 0;
        if is_measured && schedule.in_all().is_some() && schedule.is_over() {
            Observed::Whole
        } else {
            Observed::Sample
        }
    }

    fn add_frames(&self, now: Time, span: Span, report: &mut Report) {
        let tally = &self.tally;
        let frames = tally.delivered.max(1) as f64;
        let share = |part: u64| Some(Estimate::exact(part as f64 / frames, tally.delivered));
        let links = self.plan.slots.connected().count();
        let window = (span.ps() as f64).max(1.0) * (links * self.frames_plan().lanes) as f64;
        let held: u64 = (0..self.queues.len()).map(|queue| self.held_in_window(queue, now)).sum();
        let holds: u64 = self.queues.iter().map(|queue| u64::from(queue.holds)).sum();
        let has_drops = matches!(self.frames_plan().control, Control::TailDrop(_));
        if !has_drops {
            report
                .metrics
                .push(fraction("paused", Some(Estimate::exact(held as f64 / window, holds))).over_window());
        }
        let bytes = |bits: Option<u64>| bits.map(|bits| bits.div_ceil(8));
        if let Control::Pfc(_) = self.frames_plan().control {
            let pauses = self.inputs.iter().map(|input| u64::from(input.xoffs)).sum();
            let headroom = self.inputs.iter().map(|input| input.headroom_peak).max();
            report.metrics.push(count("pauses", "1", Some(pauses)));
            report.metrics.push(count("headroom peak", "B", bytes(headroom)));
        }
        let buffer = self.switches.iter().map(|switch| switch.peak).max();
        report.metrics.push(count("buffer peak", "B", bytes(buffer)));
        if self.frames_plan().ecn.is_some() {
            report.metrics.push(fraction("marked", share(tally.marked)));
        }
        if self.rates.has_cnps() {
            report.metrics.push(count("notifications", "1", Some(tally.notifications)));
        }
        report.metrics.push(fraction("reordered", share(tally.reordered)));
        if self.frames_plan().ttl.is_some() {
            report.metrics.push(count("expired", "1", Some(tally.expired)));
        }
        if self.recovering.is_some() {
            let counts = [
                ("frames sent again", tally.again),
                ("frames repeated", tally.repeated),
                ("frames rejected", tally.rejected),
                ("timeouts", tally.timeouts),
                ("messages given up", tally.lost),
            ];
            report.metrics.extend(counts.map(|(name, number)| count(name, "1", Some(number))));
        }
    }

    /// The time for which a queue has been stopped since the measurement began.
    pub(crate) fn held_in_window(&self, queue: usize, now: Time) -> u64 {
        self.queues[queue].held_in_all(now) - self.held_before[queue]
    }

    fn output_row(&self, output: Slot, now: Time, span: Span) -> ResourceRow {
        let port = &self.ports[output as usize];
        let lanes = self.frames_plan().lanes;
        let first = self.frames_plan().queue(output, 0);
        let queues = &self.queues[first..first + lanes];
        let window = (span.ps() as f64).max(1.0);
        // Exactly 1 may become slightly more by rounding.
        let share = |sent: ManyNanobits| (sent as f64 / f64::from(port.rate) / window).min(1.0);
        let (sent, failed) = (self.sent_in_window(output, now), self.in_vain_in_window(output, now));
        let (sending, busy) = (share(sent), share(sent + failed));
        let mut held_in = vec![HeldIn::of(HoldWhy::Sending, sending)];
        if failed > 0 {
            held_in.push(HeldIn::of(HoldWhy::Retransmissions, busy - sending));
        }
        let held_back = if self.frames_plan().is_held_back() { lanes } else { 0 };
        for lane in 0..held_back {
            held_in.push(HeldIn::of(
                self.activity_of_hold(lane),
                self.held_in_window(first + lane, now) as f64 / window,
            ));
        }
        let used = OutputUse {
            occupancy: busy,
            utilisation: busy,
            wait_ps: queues.iter().map(|queue| queue.wait_ps).sum(),
            packets: port.frames,
            held_in,
        };
        let refused = self.lost_at(output);
        ResourceRow { refused, ..used.row(&self.plan, output, window, self.monitor.measured().max(1) as f64) }
    }

    /// All bits in a switch's buffer, integrated over the time since the restart in picoseconds.
    fn held_bit_ps(&self, switch: SwitchId, now: Time) -> f64 {
        let state = &self.switches[switch.index()];
        let still = u128::from(state.held) * u128::from(now.since(state.changed).ps());
        (state.integral + still) as f64
    }

    /// The slots of a switch's ports.
    fn port_slots(&self, switch: SwitchId) -> Range<usize> {
        let base = self.switches[switch.index()].base as usize;
        base..base + self.plan.network.switch(switch).ports.len()
    }

    /// The size of a switch's buffer.
    fn buffer_bits(&self, switch: SwitchId) -> u64 {
        let slots = self.port_slots(switch);
        let lanes = self.frames_plan().lanes;
        match &self.frames_plan().control {
            Control::Pfc(thresholds) => {
                let headroom: u64 = thresholds.headroom[slots].iter().sum();
                thresholds.shared[switch.index()] + headroom * lanes as u64
            }
            Control::TailDrop(limits) => limits.size,
            Control::Credits(buffer) => {
                let connected = slots.filter(|&slot| self.plan.slots.links[slot].far != NO_SLOT).count();
                buffer * (connected * lanes) as u64
            }
        }
    }

    fn buffer_row(&self, switch: SwitchId, now: Time, span: Span) -> ResourceRow {
        let state = &self.switches[switch.index()];
        let (slots, lanes) = (self.port_slots(switch), self.frames_plan().lanes);
        let bytes = |bits: f64| bits / 8.0;
        let capacity = self.buffer_bits(switch);
        let occupancy = bytes(self.held_bit_ps(switch, now) / (span.ps() as f64).max(1.0));
        let inputs = &self.inputs[slots.start * lanes..slots.end * lanes];
        let name = &self.plan.network.switch(switch).name;
        let (kind, site) = (ResourceKind::SwitchBuffer, Site::Node(switch.index() as u32));
        ResourceRow {
            name: Some(format!("buffer of {name}")),
            capacity: Some(bytes(capacity as f64)),
            occupancy,
            utilisation: occupancy / bytes(capacity as f64),
            peak: bytes(state.peak as f64),
            acquisitions: inputs.iter().map(|input| u64::from(input.xoffs)).sum(),
            ..ResourceRow::unused(PoolLabel { kind, place: name, site, unit: "B" })
        }
    }
}

/// A note that rounds went on without the data that this many of their flows lost for good.
fn rounds_without(lost: u64) -> String {
    format!(
        "{} lost frames that are not sent again. What depends on them began as if all had arrived, and the times and the \
         data of rounds count them as whole: a job that needs the data would have stopped.",
        amount(lost, "flow", "flows")
    )
}
