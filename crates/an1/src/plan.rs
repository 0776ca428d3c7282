//! From a network, parameters and traffic to a fabric of AN1's switches that is ready to run.

use std::collections::VecDeque;
use std::sync::Arc;

use hopscope_fabric::{
    FabricPlan, Fairness, Link, Loops, NANOBITS, NO_SLOT, NO_SWITCH, OfferedLoad, PlannedFault, Rule, Slot,
    SlotLayout, check_links, planned,
};
use hopscope_kernel::{Arena, EventQueue, RandomStream, Simulation};
use hopscope_measure::{DelayLabel, DelayUnit, Journal, LessStage, MessageMonitor, MonitorLayout, Problem};
use hopscope_topology::{DestinationTables, Network, SwitchId};
use hopscope_traffic::{TrafficSpec, Workload};
use hopscope_units::{Data, Span, Time};

use crate::discipline::{Discipline, SharedBuffer};
use crate::event::Event;
use crate::machine::{An1, Tally};
use crate::multicast::Multicast;
use crate::multicast::trees::Trees;
use crate::observe::stage::Stage;
use crate::params::{An1Params, BackPressure, Fifo, MulticastStop, Switching};
use crate::pooled::Pool;
use crate::pooled::shared_memory::SharedMemory;
use crate::switch::Switch;
use crate::switch::contest::Contest;
use crate::switch::directive::Thresholds;
use crate::switch::input_fifo::InputFifo;
use crate::switch::output::{Output, OutputPauses};
use crate::switch::routing_choice::Paths;
use crate::switch::virtual_channel::SharedLink;

/// The index of the burst time among the monitor's further series.
pub(crate) const BURST_TIME: usize = 0;

/// The index of the time until all other hosts have a message among the monitor's further series, where the traffic has
/// messages for several hosts: it then has no bursts.
pub(crate) const LAST_DELIVERY: usize = 0;

const BURST_SERIES: &[DelayLabel] = &[DelayLabel { name: "burst time", unit: DelayUnit::Ms }];

const MULTICAST_SERIES: &[DelayLabel] = &[DelayLabel { name: "last delivery", unit: DelayUnit::Us }];

/// A fabric of AN1's switches and its traffic, checked: any number of runs may share it.
#[derive(Debug)]
pub struct An1Plan {
    pub(crate) fabric: Arc<FabricPlan>,
    pub(crate) params: An1Params,
    pub(crate) traffic: TrafficSpec,
    /// Nothing where FIFOs are unbounded.
    pub(crate) thresholds: Option<Thresholds>,
    /// The length of a frame of input smoothing, or zero.
    pub(crate) smoothing_frame: Span,
    /// One per switch, with shared output buffers.
    pub(crate) memories: Vec<SharedMemory>,
    /// Faults and recoveries, in order of time.
    pub(crate) faults: Vec<PlannedFault>,
    /// The trees of packets for several hosts, if the traffic has any.
    pub(crate) trees: Option<Trees>,
}

impl An1Plan {
    /// Checks everything.
    ///
    /// # Errors
    /// All problems found, with paths below the scenario such as `link.rate` or `traffic.pattern`.
    pub fn new(network: Network, params: An1Params, traffic: TrafficSpec) -> Result<Self, Vec<Problem>> {
        let rates = check_links(params.problems(), &network, &params.fabric, || traffic.scenario_problems())?;
        let workload = traffic.on(&network, &rates, 0)?;
        let offered = OfferedLoad::of_traffic(&traffic, workload.receivers(), &network);
        let fabric = FabricPlan::new(network, params.fabric.clone(), SlotLayout::PerLane, offered)
            .map_err(|problem| vec![problem])?;
        let faults = planned(&params.faults, &fabric.network)?;
        let mut plan = Self {
            fabric: Arc::new(fabric),
            thresholds: thresholds(&params),
            smoothing_frame: Span::ZERO,
            memories: Vec::new(),
            faults,
            trees: None,
            params,
            traffic,
        };
        plan.check_lanes().map_err(|problem| vec![problem])?;
        plan.check_faults(workload.has_bursts()).map_err(|problem| vec![problem])?;
        plan.check_time_to_live(workload.has_bursts()).map_err(|problem| vec![problem])?;
        plan.check_buffers(workload.longest()).map_err(|problem| vec![problem])?;
        plan.lay_out_discipline(workload.longest()).map_err(|problem| vec![problem])?;
        plan.trees = plan.multicast_trees(&workload).map_err(|problem| vec![problem])?;
        Ok(plan)
    }

    /// The same plan with packets that follow these tables. Packets with a time to live may loop.
    ///
    /// # Errors
    /// Tables under which the packets between two hosts do not arrive, or packets for several hosts, as the problem of
    /// `routing.tables`.
    pub fn following(self, tables: DestinationTables) -> Result<Self, Problem> {
        if self.trees.is_some() {
            let problem = "forwarding tables by destination have no entries for several hosts at once";
            return Err(Problem::new(
                "routing.tables",
                problem,
                "no tables, or one receiver for each message",
            ));
        }
        let loops = if self.params.switch.ttl.is_some() { Loops::Expire } else { Loops::Refused };
        let fabric = Arc::unwrap_or_clone(self.fabric).following(vec![tables], loops)?;
        Ok(Self { fabric: Arc::new(fabric), ..self })
    }

    /// The network and its routes.
    #[must_use]
    pub fn fabric(&self) -> &FabricPlan {
        &self.fabric
    }

    /// Lanes are those of FIFOs.
    fn check_lanes(&self) -> Result<(), Problem> {
        if self.fabric.slots.lanes == 1 || self.params.switch.discipline == Discipline::InputFifo {
            return Ok(());
        }
        let problem = format!("{} virtual channels need input FIFOs", self.fabric.slots.lanes);
        Err(Problem::new("switch.discipline", problem, "discipline = \"input-fifo\", or rule = \"up-down\""))
    }

    /// The requirements on a network with faults.
    fn check_faults(&self, bursts: bool) -> Result<(), Problem> {
        let (path, problem, expected) = if self.faults.is_empty() {
            return Ok(());
        } else if self.params.fabric.routing.rule != Rule::UpDown {
            (
                "routing.rule",
                "a fault plan needs up*/down* routes: only those are reconfigured",
                "rule = \"up-down\"",
            )
        } else if !self.params.fabric.routing.roots.is_empty() {
            ("routing.roots", "a fault plan with several roots: reconfiguration elects one", "at most `root`")
        } else if self.params.switch.discipline != Discipline::InputFifo {
            ("switch.discipline", "a fault plan needs input FIFOs", "discipline = \"input-fifo\"")
        } else if bursts {
            let expected = "messages without bursts, or no faults";
            ("traffic", "a fault plan with bursts: a burst that loses a packet would never finish", expected)
        } else {
            return Ok(());
        };
        Err(Problem::new(path, problem, expected))
    }

    /// The requirements on a network whose packets have a time to live.
    fn check_time_to_live(&self, bursts: bool) -> Result<(), Problem> {
        let (problem, expected) = match self.params.switch.ttl {
            None => return Ok(()),
            Some(_) if bursts => {
                ("a burst that loses a packet would never finish", "messages without bursts, or no ttl")
            }
            Some(_) if !self.faults.is_empty() => {
                ("a fault plan needs up*/down* routes, and those contain no loop", "no ttl, or no faults")
            }
            Some(_) => return Ok(()),
        };
        Err(Problem::new("switch.ttl", problem, expected))
    }

    fn lay_out_discipline(&mut self, longest: Data) -> Result<(), Problem> {
        match self.params.switch.discipline {
            Discipline::SharedOutputBuffer(SharedBuffer { memory }) => {
                self.memories = self.shared_memories(memory, longest)?;
            }
            Discipline::InputSmoothing(frame) => self.smoothing_frame = self.frame_length(frame)?,
            _ => {}
        }
        Ok(())
    }

    /// A bounded FIFO must have room for the data in flight when it sends a stop, and for whole packets if the switch
    /// needs them.
    fn check_buffers(&self, longest: Data) -> Result<(), Problem> {
        let Some(thresholds) = self.thresholds else { return Ok(()) };
        let threshold = if thresholds.urgent_above.is_some() { "urgent_above" } else { "stop_above" };
        for slot in 0..self.fabric.slots.links.len() as Slot {
            let cable = self.fabric.slots.links[slot as usize];
            if cable.far == NO_SLOT || self.fabric.slots.is_host(slot) {
                continue;
            }
            // The directive may wait to be sent, takes one propagation delay, and data sent until then one more.
            let wait = self.params.switch.directive.period(cable.rate);
            let on_the_way = cable.rate.saturating_mul(2 * cable.delay.ps() + wait.ps());
            if on_the_way > thresholds.capacity - thresholds.last() {
                let link = self.fabric.slots.link_name(&self.fabric.network, cable.far);
                let needed = thresholds.last().saturating_add(on_the_way).div_ceil(8 * NANOBITS);
                let problem =
                    format!("data in flight on link {link} when it is told to stop would overflow the FIFO");
                return Err(Problem::new(
                    "switch.fifo",
                    problem,
                    format!("at least {needed} B, or a lower {threshold}"),
                ));
            }
            if self.may_need_whole_packets(slot) && longest.bits() * NANOBITS > thresholds.last() {
                let stop = Data::from_bits(thresholds.last() / NANOBITS);
                let problem =
                    format!("a packet of {longest} never fits whole into a FIFO with stop threshold {stop}");
                let expected = format!(
                    "{threshold} no less than the longest packet, fifo = \"unbounded\", or cut-through with equal rates"
                );
                return Err(Problem::new(format!("switch.{threshold}"), problem, expected));
            }
        }
        Ok(())
    }

    /// Whether some packets that come in at a switch's slot must be complete before they leave.
    fn needs_whole_packets(&self, slot: Slot) -> bool {
        let slots = &self.fabric.slots;
        let outrun = slots.fastest(slots.switch_port(slot).0) > slots.links[slot as usize].rate;
        self.params.switch.switching == Switching::StoreAndForward || outrun
    }

    /// Whether packets that come in at a switch's slot may have to be complete before they leave.
    fn may_need_whole_packets(&self, slot: Slot) -> bool {
        self.params.switch.switching == Switching::VirtualCutThrough || self.needs_whole_packets(slot)
    }

    fn input(&self, slot: Slot) -> InputFifo {
        let cable = self.fabric.slots.links[slot as usize];
        if self.fabric.slots.is_host(slot) {
            return InputFifo::new(cable, NO_SWITCH);
        }
        let (switch, port) = self.fabric.slots.switch_port(slot);
        let mut input = InputFifo::new(cable, switch as u32);
        input.phase = self.fabric.routes.phase(SwitchId::new(switch), port / self.fabric.slots.lanes);
        input.may_need_whole = self.needs_whole_packets(slot);
        input
    }

    /// The number of lanes of all ports of a switch.
    fn lanes_of(&self, switch: SwitchId) -> usize {
        self.fabric.network.switch(switch).ports.len() * usize::from(self.fabric.slots.lanes)
    }

    fn shared_links(&self) -> Vec<SharedLink> {
        let ports = self.fabric.network.switches().iter().map(|switch| switch.ports.len()).sum();
        if self.fabric.slots.lanes == 1 { Vec::new() } else { vec![SharedLink::new(); ports] }
    }

    fn pools(&self) -> Vec<Pool> {
        let discipline = self.params.switch.discipline;
        if discipline == Discipline::InputFifo {
            return Vec::new();
        }
        self.fabric
            .network
            .switches()
            .iter()
            .map(|switch| Pool::new(discipline, switch.ports.len()))
            .collect()
    }

    fn output(&self, slot: Slot) -> Output {
        let Link { far, .. } = self.fabric.slots.links[slot as usize];
        let to_host = far != NO_SLOT && self.fabric.slots.is_host(far);
        let pooled = self.params.switch.discipline.picks_from_buffers();
        let announces_tail = far != NO_SLOT && (to_host || pooled || self.may_need_whole_packets(far));
        Output::new(self.fabric.slots.links[slot as usize], to_host, announces_tail)
    }

    fn multicast(&self, slots: usize) -> Option<Box<Multicast>> {
        let obeys_stop = self.params.switch.multicast_stop == MulticastStop::Obeyed;
        self.trees.as_ref().map(|_| Box::new(Multicast::new(slots, obeys_stop)))
    }

    /// A run at time zero with its first events.
    #[must_use]
    pub fn simulation<J: Journal>(self: &Arc<Self>, seed: u64, journal: J) -> Simulation<An1<J>> {
        let workload = self
            .traffic
            .on(&self.fabric.network, &self.fabric.host_rates(), seed)
            .expect("the traffic was checked when the plan was made");
        let slots = self.fabric.slots.links.len() as Slot;
        let hosts = self.fabric.network.hosts().len();
        let switch = |id: SwitchId| {
            let random = RandomStream::named(seed, "switch", id.index() as u64);
            Switch::new(self.fabric.slots.port(id.index(), 0), self.lanes_of(id), random)
        };
        let mut fabric = An1 {
            inputs: (0..slots).map(|slot| self.input(slot)).collect(),
            outputs: (0..slots).map(|slot| self.output(slot)).collect(),
            pauses: vec![OutputPauses::new(); slots as usize],
            switches: self.fabric.network.switch_ids().map(switch).collect(),
            pools: self.pools(),
            shared_links: self.shared_links(),
            paths: Paths::new(self.params.fabric.routing.choice, seed),
            control: self.control(),
            multicast: self.multicast(slots as usize),
            entries: Arena::new(),
            contest: Contest::new(self.params.switch.arbiter, slots as usize),
            packets: Arena::new(),
            bursts: Arena::new(),
            send_queues: vec![VecDeque::new(); hosts],
            saturated: if workload.saturated_hosts().is_empty() { Vec::new() } else { vec![None; hosts] },
            fairness: Fairness::new(hosts, workload.saturated_hosts()),
            expired: vec![0; self.fabric.network.switches().len()],
            monitor: monitor(&workload, hosts, self.fabric.crossing),
            journal,
            tally: Tally::default(),
            sent_before: vec![0; slots as usize],
            plan: Arc::clone(&self.fabric),
            an1: Arc::clone(self),
            workload,
        };
        for output in (0..slots).filter(|&slot| self.fabric.slots.links[slot as usize].far != NO_SLOT) {
            fabric.set_idle(output, true);
        }
        if fabric.control.is_some() {
            fabric.paths.start_with(&self.fabric);
        }
        start_up(fabric)
    }
}

fn start_up<J: Journal>(mut fabric: An1<J>) -> Simulation<An1<J>> {
    let mut queue = EventQueue::new();
    for source in 0..fabric.workload.sources.len() as u32 {
        let state = &fabric.workload.sources[source as usize];
        if state.is_saturated() {
            let host = state.from();
            fabric.saturated[host.index()] = Some(source);
            let slot = fabric.plan.slots.host(host);
            fabric.next_in_send_queue(Time::ZERO, slot, host.index() as u32, &mut queue);
        } else {
            fabric.schedule_emission(&mut queue, source, Time::ZERO);
        }
    }
    for (index, fault) in Arc::clone(&fabric.an1).faults.iter().enumerate() {
        fabric.schedule(&mut queue, 0, fault.at, Event::Fault(index as u32));
    }
    Simulation::new(fabric, queue)
}

fn monitor(workload: &Workload, hosts: usize, crossing: Span) -> MessageMonitor {
    let classes: Vec<&str> = workload.classes.iter().map(String::as_str).collect();
    let mut layout = MonitorLayout { crossing, ..MonitorLayout::new(Stage::LABELS, &classes) };
    // SRC 88, Fig. 10, excludes the time behind other packets in the sending host.
    let label = DelayLabel { name: "network latency", unit: DelayUnit::Us };
    layout.less_stage = Some(LessStage { label, stage: Stage::SendQueue as usize });
    layout.life = Some(DelayLabel { name: "delivery", unit: DelayUnit::Us });
    layout.series = match (workload.has_bursts(), workload.longest_multicast()) {
        (true, _) => BURST_SERIES,
        (false, None) => &[],
        (false, Some(_)) => MULTICAST_SERIES,
    };
    MessageMonitor::new(layout).among_hosts(hosts)
}

fn thresholds(params: &An1Params) -> Option<Thresholds> {
    let nanobits = |data: Data| data.bits() * NANOBITS;
    match params.switch.fifo {
        Fifo::Bytes(size) => Some(Thresholds {
            stop_above: nanobits(params.switch.stop_above),
            urgent_above: (params.switch.back_pressure == BackPressure::PacketBoundary)
                .then(|| nanobits(params.switch.urgent_above)),
            capacity: nanobits(size),
        }),
        Fifo::Unbounded => None,
    }
}
