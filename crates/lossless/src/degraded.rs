//! Hosts that drain slowly, and links that retry.

use std::collections::BTreeMap;

use hopscope_fabric::{Slot, Slots, time_of};
use hopscope_kernel::{EventQueue, RandomStream};
use hopscope_measure::{Journal, PoolLabel, Problem, ResourceKind, ResourceRow};
use hopscope_topology::{Network, Node};
use hopscope_units::{Rate, Span, Time};

use crate::event::FrameEvent;
use crate::flow_control::Control;
use crate::machine::Lossless;
use crate::observe::dependence::Window;
use crate::params::{FrameParams, RetryingLink, SlowHost};
use crate::plan::kbit_s;

/// The slowest rate of a slow host: half a second for a frame of 64 KiB.
const SLOWEST: Rate = Rate::from_mbit_s(1);

/// The fastest rate of a slow host: that of the fastest link.
const FASTEST: Rate = Rate::from_mbit_s(4_000_000);

/// The largest share of failing transmissions: a frame is then sent a hundred times on average.
const MOST_FAILING: f64 = 0.99;

/// The degraded hosts and links of a fabric, by slot: hosts that drain slowly, links that retry.
#[derive(Clone, Debug, Default)]
pub(crate) struct Degraded {
    /// By the host's slot: the rate in kbit/s.
    pub drains: BTreeMap<Slot, u64>,
    /// By the slot that sends: the share of transmissions that fail.
    pub failing: BTreeMap<Slot, f64>,
}

impl Degraded {
    /// The hosts and links of a network.
    ///
    /// # Errors
    /// Unknown hosts and links, and numbers out of range, with their paths from the scenario.
    pub fn new(params: &FrameParams, network: &Network, slots: &Slots) -> Result<Self, Vec<Problem>> {
        let mut degraded = Self::default();
        let mut problems = Vec::new();
        for (i, SlowHost { host, drain }) in params.slow_hosts.iter().enumerate() {
            let path = format!("frames.slow_hosts[{i}]");
            match network.node(host) {
                Some(Node::Host(id)) => {
                    degraded.drains.insert(slots.host(id), kbit_s(*drain));
                }
                Some(Node::Switch(_)) => problems.push(Problem::new(
                    format!("{path}.host"),
                    format!("\"{host}\" is a switch"),
                    "the name of a host",
                )),
                None => problems.push(unknown(network, format!("{path}.host"), host, "host")),
            }
            if *drain < SLOWEST || *drain > FASTEST {
                let problem = format!("rate {drain} is out of range");
                let expected = format!("from {SLOWEST} to {FASTEST}");
                problems.push(Problem::new(format!("{path}.drain"), problem, expected));
            }
        }
        for (i, retrying) in params.retrying_links.iter().enumerate() {
            let RetryingLink { between, failing } = retrying;
            let path = format!("frames.retrying_links[{i}]");
            if !(0.0..=MOST_FAILING).contains(failing) {
                let problem = format!("share {failing} is out of range");
                problems.push(Problem::new(
                    format!("{path}.failing"),
                    problem,
                    format!("0 to {MOST_FAILING}"),
                ));
            }
            if let Some(end) = between.iter().position(|name| network.node(name).is_none()) {
                problems.push(unknown(network, format!("{path}.between[{end}]"), &between[end], "node"));
                continue;
            }
            let links = network.link_ids().filter(|link| retrying.is(network, *link));
            let ends = links.flat_map(|link| network.link(link).ends);
            let slots: Vec<Slot> = ends.map(|end| slots.of(end.node, end.port, 0)).collect();
            if slots.is_empty() {
                let problem = format!("no link joins \"{}\" and \"{}\"", between[0], between[1]);
                problems.push(Problem::new(format!("{path}.between"), problem, "two neighbours"));
            }
            degraded.failing.extend(slots.into_iter().map(|slot| (slot, *failing)));
        }
        if problems.is_empty() { Ok(degraded) } else { Err(problems) }
    }
}

fn unknown(network: &Network, path: String, name: &str, what: &str) -> Problem {
    let hint = network.name_like(name).map(|near| format!("did you mean \"{near}\"?"));
    Problem {
        hint,
        ..Problem::new(path, format!("there is no {what} \"{name}\""), format!("the name of a {what}"))
    }
}

/// The content of a slow host's receive buffer.
#[derive(Clone, Debug)]
pub(crate) struct Backlog {
    drain: u64,
    held: u64,
    free_at: Time,
    /// With pause frames, whether its switch is paused.
    stopped: bool,
}

/// A link that retries.
#[derive(Clone, Debug)]
pub(crate) struct Retrying {
    failing: f64,
    random: RandomStream,
    /// Transmissions that failed since the run began.
    pub failures: u64,
    /// The bits of those since the restart.
    failed_bits: u64,
    /// When the first transmission of the latest frame began, and how long one takes.
    began: Time,
    once: Span,
    /// When the last pause frame between two transmissions ends.
    pause_ends: Time,
}

/// The state of all slow hosts and retrying links.
#[derive(Clone, Debug, Default)]
pub(crate) struct DegradedState {
    backlogs: BTreeMap<Slot, Backlog>,
    pub retrying: BTreeMap<Slot, Retrying>,
    /// Pause frames that slow hosts have sent since the run began, by slot and priority.
    pauses: BTreeMap<(Slot, u8), u64>,
}

impl DegradedState {
    pub fn new(degraded: &Degraded, seed: u64) -> Self {
        let backlog = |drain| Backlog { drain, held: 0, free_at: Time::ZERO, stopped: false };
        let retrying = |slot: Slot, failing| Retrying {
            failing,
            random: RandomStream::named(seed, "retrying link", u64::from(slot)),
            failures: 0,
            failed_bits: 0,
            began: Time::ZERO,
            once: Span::ZERO,
            pause_ends: Time::ZERO,
        };
        Self {
            backlogs: degraded.drains.iter().map(|(&slot, &drain)| (slot, backlog(drain))).collect(),
            retrying: degraded.failing.iter().map(|(&slot, &share)| (slot, retrying(slot, share))).collect(),
            pauses: BTreeMap::new(),
        }
    }

    /// Pause frames that a slow host has sent for a priority since the run began.
    pub fn pauses_of(&self, slot: Slot, priority: u8) -> u64 {
        self.pauses.get(&(slot, priority)).copied().unwrap_or(0)
    }

    /// Resets the measurement.
    pub fn restart(&mut self) {
        self.retrying.values_mut().for_each(|link| link.failed_bits = 0);
    }

    /// The bits of failed transmissions of this slot since the restart.
    pub fn failed_bits(&self, slot: Slot) -> u64 {
        self.retrying.get(&slot).map_or(0, |link| link.failed_bits)
    }

    /// How often a frame of this many bits is sent by this slot until it arrives intact; one transmission takes `once`.
    pub fn transmissions(&mut self, slot: Slot, bits: u64, begins: Time, once: Span) -> u64 {
        let Some(link) = self.retrying.get_mut(&slot) else { return 1 };
        (link.began, link.once) = (begins, once);
        let mut times = 1;
        while link.random.chance(link.failing) {
            times += 1;
        }
        link.failures += times - 1;
        link.failed_bits += (times - 1) * bits;
        times
    }

    /// When a pause frame of this duration may begin on a retrying link that is sending a frame: after the current
    /// transmission, however many the frame needs, since headroom is for one. Nothing for other links.
    pub fn between_transmissions(&mut self, slot: Slot, now: Time, takes: Span) -> Option<Time> {
        let link = self.retrying.get_mut(&slot)?;
        let under_way = now.since(link.began.min(now)).ps().div_ceil(link.once.ps().max(1)).max(1);
        let begins = link.pause_ends.max(link.began + Span::from_ps(link.once.ps() * under_way));
        link.pause_ends = begins + takes;
        Some(begins)
    }
}

impl<J: Journal> Lossless<J> {
    /// A frame has arrived at a host that drains slowly.
    pub(crate) fn take_in(
        &mut self,
        now: Time,
        slot: Slot,
        (lane, bits): (u8, u32),
        events: &mut EventQueue<FrameEvent>,
    ) {
        let Some(backlog) = self.degraded.backlogs.get_mut(&slot) else { return };
        backlog.held += u64::from(bits);
        backlog.free_at = now.max(backlog.free_at) + drain_time(bits, backlog.drain);
        let (drained, held) = (backlog.free_at, backlog.held);
        self.schedule(events, slot, drained, FrameEvent::Drained(slot, lane, bits));
        if let Control::Pfc(thresholds) = &self.lossless.frames.control
            && held > thresholds.xoff
        {
            self.pause_switch(now, slot, lane, true, events);
        }
    }

    /// A host has taken a frame out of its buffer.
    pub(crate) fn drained(
        &mut self,
        now: Time,
        slot: Slot,
        (lane, bits): (u8, u32),
        events: &mut EventQueue<FrameEvent>,
    ) {
        let backlog = self.degraded.backlogs.get_mut(&slot).expect("only slow hosts drain");
        backlog.held -= u64::from(bits);
        let held = backlog.held;
        let port = &self.ports[slot as usize];
        let (far, arrives) = (port.far, now + port.delay);
        match &self.lossless.frames.control {
            Control::Credits(_) => {
                self.schedule(events, slot, arrives, FrameEvent::Credit(far, lane, bits));
            }
            Control::Pfc(thresholds) if held <= thresholds.xoff - thresholds.gap => {
                self.pause_switch(now, slot, lane, false, events);
            }
            Control::Pfc(_) | Control::TailDrop(_) => {}
        }
    }

    /// The row of the slow host at the end of a link, which drains its buffer: busy for the time that it needs for what
    /// came in the window. Nothing if the host is not slow.
    pub(crate) fn slow_host_row(&self, output: Slot, window: Window) -> Option<ResourceRow> {
        let far = self.ports[output as usize].far;
        let drain = *self.frames_plan().degraded.drains.get(&far)?;
        let port = &self.ports[output as usize];
        // Bits divided by kbit/s are milliseconds.
        let busy_ps = (port.bits as f64 / drain as f64 * 1e9) as u64;
        let held_ps = self.held_ps(output, window);
        let utilisation = window.mean(busy_ps).min(1.0);
        let (kind, site) = (ResourceKind::HostProcessor, self.plan.slots.site(far));
        let place = &self.plan.slots.name(&self.plan.network, far);
        Some(ResourceRow {
            occupancy: utilisation,
            utilisation,
            peak: 1.0,
            waiting: window.mean(held_ps),
            wait_us: held_ps as f64 * 1e-6 / self.monitor.measured().max(1) as f64,
            acquisitions: u64::from(port.frames),
            ..ResourceRow::unused(PoolLabel { kind, place, site, unit: "frames" })
        })
    }

    /// Pauses or resumes the switch of a slow host, if its state differs.
    fn pause_switch(
        &mut self,
        now: Time,
        slot: Slot,
        lane: u8,
        stop: bool,
        events: &mut EventQueue<FrameEvent>,
    ) {
        let backlog = self.degraded.backlogs.get_mut(&slot).expect("a slow host");
        if std::mem::replace(&mut backlog.stopped, stop) == stop {
            return;
        }
        if stop {
            *self.degraded.pauses.entry((slot, lane)).or_default() += 1;
        }
        self.send_pause(now, slot, lane, stop, events);
    }
}

fn drain_time(bits: u32, kbit_s: u64) -> Span {
    time_of(u64::from(bits), u32::try_from(kbit_s).expect("a rate within 4 Tbit/s"))
}
