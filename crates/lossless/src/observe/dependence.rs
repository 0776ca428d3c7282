//! Dependences: what the holders of links, buffers and credits need, for explanations of a run.

use std::collections::BTreeMap;

use hopscope_fabric::{Slot, time_of};
use hopscope_measure::{
    Dependence, HeldIn, HoldActivity, HoldWhy, Journal, PoolLabel, Report, ResourceKind, ResourceRow, Site,
};
use hopscope_topology::HostId;
use hopscope_units::{Span, Time};

use crate::flow_control::Control;
use crate::machine::Lossless;
use crate::rate_control::HeldBy;

/// Frames in a buffer need an output if they spend at least this share of their time on it.
const NEEDED: f64 = 0.2;

/// Frames in a buffer behind a link.
const FRAMES: Option<HoldActivity> = Some(HoldActivity::of(HoldWhy::Frames));

/// Credits for frames in the buffer.
const BUFFERED: Option<HoldActivity> = Some(HoldActivity::of(HoldWhy::Buffered));

/// The measured window.
#[derive(Clone, Copy)]
pub(crate) struct Window {
    pub now: Time,
    pub span: Span,
}

impl Window {
    /// A sum of times as the mean number of those who spent it.
    pub(crate) fn mean(self, ps: u64) -> f64 {
        ps as f64 / (self.span.ps() as f64).max(1.0)
    }
}

impl<J: Journal> Lossless<J> {
    /// What a link does while a lane is stopped.
    pub(crate) fn activity_of_hold(&self, lane: usize) -> HoldActivity {
        let why = match self.frames_plan().control {
            Control::Pfc(_) | Control::TailDrop(_) => HoldWhy::Paused,
            Control::Credits(_) => HoldWhy::WithoutCredit,
        };
        let several = self.frames_plan().lanes > 1;
        HoldActivity { why, lane: several.then_some(lane as u8) }
    }

    /// Lists the buffers behind links that have been stopped, the credits of those links and the hosts' rate limiters,
    /// with the needs of the holders of all of them and of the links. `outputs` are the listed links, whose rows are
    /// the first.
    pub(crate) fn add_dependences(&self, window: Window, outputs: &[Slot], report: &mut Report) {
        let rows: BTreeMap<Slot, usize> =
            outputs.iter().enumerate().map(|(row, &slot)| (slot, row)).collect();
        for (&output, &row) in &rows {
            let far = self.ports[output as usize].far;
            if self.held_ps(output, window) == 0 {
                continue;
            }
            if self.plan.slots.is_host(far) {
                if let Some(host) = self.slow_host_row(output, window) {
                    let needs = report.resources.len();
                    report.resources.push(host);
                    let activity = Some(self.activity_of_hold(0));
                    report.dependences.push(Dependence { holder: row, activity, needs });
                }
                continue;
            }
            let input = report.resources.len();
            report.resources.push(self.input_row(output, window));
            let lanes = 0..self.frames_plan().lanes;
            let activities: Vec<HoldActivity> = lanes.map(|lane| self.activity_of_hold(lane)).collect();
            let of = |holder, activity, needs| Dependence { holder, activity, needs };
            report.dependences.extend(activities.iter().map(|&activity| of(row, Some(activity), input)));
            let needed = self.needed(far).into_iter().filter_map(|output| rows.get(&output));
            report.dependences.extend(needed.map(|&output| of(input, FRAMES, output)));
            if let Some(credits) = self.credit_row(output, window) {
                let held = report.resources.len();
                report.resources.push(credits);
                report.dependences.extend(activities.iter().map(|&activity| of(row, Some(activity), held)));
                report.dependences.push(of(held, BUFFERED, input));
            }
        }
        for host in 0..self.plan.network.hosts().len() {
            if self.waits.paced[host] > 0 {
                let holder = report.resources.len();
                report.resources.push(self.limiter_row(host, window));
                let marking = self.waits.marking(host).and_then(|output| rows.get(&output));
                report.dependences.extend(marking.map(|&needs| Dependence { holder, activity: None, needs }));
            }
        }
    }

    /// The total time for which the lanes of a link were stopped.
    pub(crate) fn held_ps(&self, output: Slot, window: Window) -> u64 {
        let first = self.frames_plan().queue(output, 0);
        (first..first + self.frames_plan().lanes).map(|queue| self.held_in_window(queue, window.now)).sum()
    }

    /// The outputs of its switch with the frames that came by a slot.
    fn outputs_of(&self, input: Slot) -> impl Iterator<Item = Slot> + '_ {
        let (switch, _) = self.plan.slots.switch_port(input);
        let base = self.switches[switch].base;
        base..base + self.plan.network.switches()[switch].ports.len() as Slot
    }

    /// The total time that frames which came by a slot have spent at outputs.
    fn stood(&self, input: Slot) -> u64 {
        self.outputs_of(input).map(|output| self.waits.between(input, output)).sum()
    }

    /// The outputs at which frames that came by a slot have waited.
    fn needed(&self, input: Slot) -> Vec<Slot> {
        let enough = NEEDED * self.stood(input) as f64;
        let stood = |output: &Slot| self.waits.between(input, *output) as f64;
        self.outputs_of(input).filter(|output| stood(output) > 0.0 && stood(output) >= enough).collect()
    }

    /// The mean length of a link's frames in bytes.
    fn mean_frame(&self, output: Slot) -> f64 {
        let port = &self.ports[output as usize];
        port.bits as f64 / 8.0 / f64::from(port.frames.max(1))
    }

    /// The buffer at the far end of a link: with pause frames the link's frames in the switch, with credits its FIFOs.
    fn input_row(&self, output: Slot, window: Window) -> ResourceRow {
        let far = self.ports[output as usize].far;
        let lanes = self.frames_plan().lanes;
        let behind = self.waits.in_lane[far as usize];
        let (kind, room, waited) = match &self.frames_plan().control {
            Control::Pfc(thresholds) => (
                ResourceKind::InputBuffer,
                thresholds.alpha.is_none().then_some(thresholds.xoff),
                self.held_ps(output, window),
            ),
            Control::Credits(buffer) => (ResourceKind::InputFifo, Some(*buffer), behind),
            Control::TailDrop(_) => (ResourceKind::InputBuffer, None, 0),
        };
        let frames = window.mean(self.stood(far) + behind);
        let (occupancy, capacity) =
            (frames * self.mean_frame(output), room.map(|bits| (bits * lanes as u64) as f64 / 8.0));
        let first = self.frames_plan().queue(far, 0);
        let inputs = &self.inputs[first..first + lanes];
        let peak = inputs.iter().map(|input| input.peak).max().unwrap_or(0);
        ResourceRow {
            kind,
            name: Some(self.plan.slots.link_name(&self.plan.network, output)),
            place: self.plan.slots.name(&self.plan.network, far),
            site: self.plan.slots.site(far),
            link: Some(output),
            far: self.plan.slots.site(self.plan.slots.links[output as usize].far),
            ends: Some(self.plan.slots.link_ends(&self.plan.network, output)),
            lane: None,
            capacity,
            unit: "B".into(),
            occupancy,
            utilisation: capacity.map_or(0.0, |capacity| (occupancy / capacity).min(1.0)),
            peak: peak as f64 / 8.0,
            waiting: window.mean(waited),
            wait_us: waited as f64 * 1e-6 / self.monitor.measured().max(1) as f64,
            acquisitions: u64::from(self.ports[output as usize].frames),
            refused: 0,
            held_in: vec![HeldIn::of(HoldWhy::Frames, frames)],
        }
    }

    /// The credits of a link's lanes that ran out, as a window: the outstanding amount follows from the frames sent and
    /// the time until their credit returns (Little's law). Frames are not counted by lane: if some lanes always had
    /// credit, it is what the others had outstanding while they had none, a lower bound.
    fn credit_row(&self, output: Slot, window: Window) -> Option<ResourceRow> {
        let plan = self.frames_plan();
        let Control::Credits(buffer) = plan.control else { return None };
        let first = plan.queue(output, 0);
        let held: Vec<u64> = (first..first + plan.lanes)
            .map(|queue| self.held_in_window(queue, window.now))
            .filter(|&held| held > 0)
            .collect();
        let port = &self.ports[output as usize];
        let frame = (port.bits / u64::from(port.frames.max(1))).max(1);
        let there_and_back = time_of(frame, port.rate).ps() + 2 * port.delay.ps() + plan.latency.ps();
        let under_way = self.mean_frame(output) * window.mean(u64::from(port.frames) * there_and_back);
        let onward: u64 = self.stood(port.far) + self.waits.in_lane[port.far as usize];
        let buffered = self.mean_frame(output) * window.mean(onward);
        let capacity = held.len() as f64 * buffer as f64 / 8.0;
        let while_without = window.mean(held.iter().sum()) * buffer as f64 / 8.0;
        // By Little's law with the mean frame, which may slightly exceed the capacity.
        let all = (under_way + buffered).min(capacity);
        let (outstanding, part) = if held.len() == plan.lanes {
            (all, 1.0)
        } else {
            let least = all.min(while_without);
            (least, least / (under_way + buffered).max(f64::MIN_POSITIVE))
        };
        let stage = HeldIn::of;
        Some(ResourceRow {
            kind: ResourceKind::Credits,
            name: None,
            place: self.plan.slots.link_name(&self.plan.network, output),
            site: Site::Line { number: output, from: output, to: port.far },
            link: Some(output),
            far: self.plan.slots.site(self.plan.slots.links[output as usize].far),
            ends: Some(self.plan.slots.link_ends(&self.plan.network, output)),
            lane: None,
            capacity: Some(capacity),
            unit: "B".into(),
            occupancy: outstanding,
            utilisation: (outstanding / capacity).min(1.0),
            peak: capacity,
            waiting: 0.0,
            wait_us: 0.0,
            // In the resource's unit, so that the amount held over the amount acquired is the holding time.
            acquisitions: port.bits / 8,
            refused: 0,
            held_in: vec![
                stage(HoldWhy::OnTheWay, part * under_way),
                stage(HoldWhy::Buffered, part * buffered),
            ],
        })
    }

    /// The row of the rate limiter of a host's flows.
    fn limiter_row(&self, host: usize, window: Window) -> ResourceRow {
        let paced = window.mean(self.waits.paced[host]);
        let (kind, unit, occupancy) = match self.rates.held_by() {
            HeldBy::Rate => (ResourceKind::RateLimiter, "flows", paced),
            HeldBy::Window | HeldBy::Pulls => {
                let outstanding = self.waits.outstanding[host] as f64 / (window.span.ps() as f64).max(1.0);
                (ResourceKind::FlowWindow, "frames", outstanding / self.frames_plan().mtu as f64)
            }
        };
        let site = Site::Host(host as u32);
        let place = &self.plan.network.host(HostId::new(host)).name;
        ResourceRow {
            capacity: None,
            occupancy,
            utilisation: paced.min(1.0),
            // The largest amount held by the flows of a host is not measured: at least the mean.
            peak: occupancy.max(f64::from(u8::from(paced > 0.0))),
            waiting: paced,
            wait_us: self.waits.paced[host] as f64 * 1e-6 / self.monitor.measured().max(1) as f64,
            acquisitions: u64::from(self.ports[self.plan.slots.host(HostId::new(host)) as usize].frames),
            ..ResourceRow::unused(PoolLabel { kind, place, site, unit })
        }
    }
}
