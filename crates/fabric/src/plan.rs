//! From a network, parameters and traffic to a fabric that is ready to run.

use std::collections::VecDeque;
use std::sync::Arc;

use hopscope_kernel::{Arena, EventQueue, RandomStream, Simulation};
use hopscope_measure::{DelayLabel, DelayUnit, Journal, LessStage, MessageMonitor, MonitorLayout, Problem};
use hopscope_topology::{HostId, Network, Port, Role, RouteError, Routes, RoutingRule, SwitchId};
use hopscope_traffic::flows::FlowGroup;
use hopscope_traffic::{Load, Pattern, TrafficSpec, Workload};
use hopscope_units::{Data, Rate, Span, Time};

use crate::directive::Thresholds;
use crate::discipline::{Discipline, SharedBuffer};
use crate::event::Event;
use crate::fabric::{Fabric, Tally};
use crate::faults::{PlannedFault, planned};
use crate::frames::FramePlan;
use crate::input_fifo::InputFifo;
use crate::output::{Output, OutputPauses};
use crate::packet::NANOBITS;
use crate::params::{BackPressure, FabricParams, Fifo, Rule, Switching, rate_problem};
use crate::pool::Pool;
use crate::routing_choice::Paths;
use crate::shared_link::SharedLink;
use crate::shared_memory::SharedMemory;
use crate::slots::{Cable, NO_SLOT, NO_SWITCH, Slot, Slots};
use crate::stage::Stage;
use crate::switch::Switch;

/// The index of the burst time among the monitor's further series.
pub(crate) const BURST_TIME: usize = 0;

const BURST_SERIES: &[DelayLabel] = &[DelayLabel { name: "burst time", unit: DelayUnit::Ms }];

/// A fabric and its traffic, checked, with routes computed: any number of runs may share it.
#[derive(Debug)]
pub struct FabricPlan {
    pub(crate) network: Network,
    pub(crate) params: FabricParams,
    pub(crate) traffic: TrafficSpec,
    /// What a fabric of frames carries instead of the traffic; empty where it carries that.
    pub(crate) flows: Vec<FlowGroup>,
    /// The parameters of a fabric of frames; nothing for AN1's machine.
    pub(crate) frames: Option<FramePlan>,
    pub(crate) routes: Routes,
    pub(crate) slots: Slots,
    pub(crate) host_rates: Vec<Rate>,
    /// Nothing where FIFOs are unbounded.
    pub(crate) thresholds: Option<Thresholds>,
    /// The length of a frame of input smoothing, or zero.
    pub(crate) frame: Span,
    /// One a switch, with shared output buffers.
    pub(crate) memories: Vec<SharedMemory>,
    /// The switch and its port at which each host hangs.
    pub(crate) attached: Vec<(u32, Port)>,
    /// Whether a host's receiving link is one of those by which the load is defined.
    pub(crate) defines_load: Vec<bool>,
    /// What fails and comes back, in the order of time.
    pub(crate) faults: Vec<PlannedFault>,
    /// The offered load as the scenario defines it, where it is one number for the whole network.
    pub(crate) load: Option<f64>,
}

impl FabricPlan {
    /// Checks everything.
    ///
    /// # Errors
    /// All problems found, with paths below the scenario such as `link.rate` or `traffic.pattern`.
    pub fn new(network: Network, params: FabricParams, traffic: TrafficSpec) -> Result<Self, Vec<Problem>> {
        Self::with_flows(network, params, traffic, Vec::new())
    }

    /// The same, for a fabric of frames that carries these flows instead of the traffic, if there are any.
    ///
    /// # Errors
    /// As [`new`](Self::new), with paths such as `flows[0].pattern.incast` besides.
    pub fn with_flows(
        network: Network,
        params: FabricParams,
        traffic: TrafficSpec,
        flows: Vec<FlowGroup>,
    ) -> Result<Self, Vec<Problem>> {
        let mut problems = params.problems();
        let rates: Vec<Rate> = network.links().iter().map(|l| l.rate.unwrap_or(params.link.rate)).collect();
        let delays: Vec<Span> =
            network.links().iter().map(|l| l.delay.unwrap_or(params.link.delay)).collect();
        problems.extend(link_problems(&network, &rates));
        let host_rates: Vec<Rate> = network.hosts().iter().map(|host| rates[host.link.index()]).collect();
        if !problems.is_empty() {
            problems.extend(traffic.problems().into_iter().map(below_traffic));
            return Err(problems);
        }
        let workload = flows.is_empty().then(|| {
            Workload::new(&traffic, &network, &host_rates, 0)
                .map_err(|problems| problems.into_iter().map(below_traffic).collect::<Vec<_>>())
        });
        let workload = workload.transpose()?;
        let routes = routes(&network, &params).map_err(|problem| vec![problem])?;
        let lanes = routes.lanes();
        // Lanes are those of queues where frames move; a port is then a slot.
        let slot_lanes = if params.frames.is_some() { 1 } else { lanes };
        let mut plan = Self {
            slots: Slots::new(&network, &rates, &delays, slot_lanes),
            host_rates,
            flows,
            frames: None,
            thresholds: thresholds(&params),
            frame: Span::ZERO,
            memories: Vec::new(),
            attached: attached(&network, lanes),
            routes,
            defines_load: load_defining_hosts(&network, &traffic.pattern),
            faults: planned(&params.faults, &network)?,
            load: workload.as_ref().and_then(|_| load_of(&traffic)),
            network,
            params,
            traffic,
        };
        if plan.params.frames.is_some() {
            plan.lay_out_frames(workload.is_some_and(|workload| workload.has_bursts()))?;
            return Ok(plan);
        }
        let Some(workload) = workload else { return Err(vec![flows_without_frames()]) };
        plan.check_lanes().map_err(|problem| vec![problem])?;
        plan.check_faults(workload.has_bursts()).map_err(|problem| vec![problem])?;
        plan.check_buffers(workload.longest()).map_err(|problem| vec![problem])?;
        plan.lay_out_discipline(workload.longest()).map_err(|problem| vec![problem])?;
        Ok(plan)
    }

    /// The network.
    #[must_use]
    pub fn network(&self) -> &Network {
        &self.network
    }

    /// The routes.
    #[must_use]
    pub fn routes(&self) -> &Routes {
        &self.routes
    }

    /// Lanes are those of FIFOs.
    fn check_lanes(&self) -> Result<(), Problem> {
        if self.slots.lanes == 1 || self.params.switch.discipline == Discipline::InputFifo {
            return Ok(());
        }
        let problem = format!("{} virtual channels need input FIFOs", self.slots.lanes);
        Err(Problem::new("switch.discipline", problem, "discipline = \"input-fifo\", or rule = \"up-down\""))
    }

    /// What a network with faults must be.
    fn check_faults(&self, bursts: bool) -> Result<(), Problem> {
        let (path, problem, expected) = if self.faults.is_empty() {
            return Ok(());
        } else if self.params.routing.rule != Rule::UpDown {
            (
                "routing.rule",
                "a fault plan needs up*/down* routes: only those are reconfigured",
                "rule = \"up-down\"",
            )
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

    fn lay_out_discipline(&mut self, longest: Data) -> Result<(), Problem> {
        match self.params.switch.discipline {
            Discipline::SharedOutputBuffer(SharedBuffer { memory }) => {
                self.memories = self.shared_memories(memory, longest)?;
            }
            Discipline::InputSmoothing(frame) => self.frame = self.frame_length(frame)?,
            _ => {}
        }
        Ok(())
    }

    /// A bounded FIFO must take what is on its way when it says stop, and whole packets where the switch needs them.
    fn check_buffers(&self, longest: Data) -> Result<(), Problem> {
        let Some(thresholds) = self.thresholds else { return Ok(()) };
        let threshold = if thresholds.urgent_above.is_some() { "urgent_above" } else { "stop_above" };
        for slot in 0..self.slots.cables.len() as Slot {
            let cable = self.slots.cables[slot as usize];
            if cable.far == NO_SLOT || self.slots.is_host(slot) {
                continue;
            }
            // The directive may have to wait to leave, takes one delay to arrive, and what was sent until then one more.
            let wait = self.params.switch.directive.period(cable.rate);
            let on_the_way = cable.rate.saturating_mul(2 * cable.delay.ps() + wait.ps());
            if on_the_way > thresholds.capacity - thresholds.last() {
                let link = self.slots.link_name(&self.network, cable.far);
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

    /// Whether packets that come in at a switch's slot must be whole before they leave.
    fn needs_whole_packets(&self, slot: Slot) -> bool {
        let (switch, _) = self.slots.switch_port(slot);
        let ports = self.lanes_of(SwitchId::new(switch)) as Port;
        let fastest =
            (0..ports).map(|port| self.slots.cables[self.slots.port(switch, port) as usize].rate).max();
        let outrun = fastest.is_some_and(|fastest| fastest > self.slots.cables[slot as usize].rate);
        self.params.switch.switching == Switching::StoreAndForward || outrun
    }

    /// Whether packets that come in at a switch's slot may have to be whole before they leave.
    fn may_need_whole_packets(&self, slot: Slot) -> bool {
        self.params.switch.switching == Switching::VirtualCutThrough || self.needs_whole_packets(slot)
    }

    fn input(&self, slot: Slot) -> InputFifo {
        let cable = self.slots.cables[slot as usize];
        if self.slots.is_host(slot) {
            return InputFifo::new(cable, NO_SWITCH);
        }
        let (switch, port) = self.slots.switch_port(slot);
        let mut input = InputFifo::new(cable, switch as u32);
        input.phase = self.routes.phase(SwitchId::new(switch), port / self.slots.lanes);
        input.whole_first = self.needs_whole_packets(slot);
        input
    }

    /// How many lanes the ports of a switch have together.
    fn lanes_of(&self, switch: SwitchId) -> usize {
        self.network.switch(switch).ports.len() * usize::from(self.slots.lanes)
    }

    fn shared_links(&self) -> Vec<SharedLink> {
        let ports = self.network.switches().iter().map(|switch| switch.ports.len()).sum();
        if self.slots.lanes == 1 { Vec::new() } else { vec![SharedLink::new(); ports] }
    }

    fn pools(&self) -> Vec<Pool> {
        let discipline = self.params.switch.discipline;
        if discipline == Discipline::InputFifo {
            return Vec::new();
        }
        self.network.switches().iter().map(|switch| Pool::new(discipline, switch.ports.len())).collect()
    }

    fn output(&self, slot: Slot) -> Output {
        let Cable { far, .. } = self.slots.cables[slot as usize];
        let to_host = far != NO_SLOT && self.slots.is_host(far);
        let pooled = self.params.switch.discipline.picks_from_buffers();
        let announces_tail = far != NO_SLOT && (to_host || pooled || self.may_need_whole_packets(far));
        Output::new(self.slots.cables[slot as usize], to_host, announces_tail)
    }

    /// A run at time zero with its first events.
    #[must_use]
    pub fn simulation<J: Journal>(self: &Arc<Self>, seed: u64, journal: J) -> Simulation<Fabric<J>> {
        let workload = Workload::new(&self.traffic, &self.network, &self.host_rates, seed)
            .expect("the traffic was checked when the plan was made");
        let slots = self.slots.cables.len() as Slot;
        let switch = |id: SwitchId| {
            let random = RandomStream::named(seed, "switch", id.index() as u64);
            Switch::new(self.slots.port(id.index(), 0), self.lanes_of(id), random)
        };
        let mut fabric = Fabric {
            inputs: (0..slots).map(|slot| self.input(slot)).collect(),
            outputs: (0..slots).map(|slot| self.output(slot)).collect(),
            pauses: vec![OutputPauses::new(); slots as usize],
            switches: self.network.switch_ids().map(switch).collect(),
            pools: self.pools(),
            shared_links: self.shared_links(),
            paths: Paths::new(self.params.routing.choice, seed),
            control: self.control(),
            entries: Arena::new(),
            packets: Arena::new(),
            bursts: Arena::new(),
            send_queues: vec![VecDeque::new(); self.network.hosts().len()],
            saturated: vec![None; self.network.hosts().len()],
            monitor: monitor(&workload),
            journal,
            tally: Tally::default(),
            plan: Arc::clone(self),
            workload,
        };
        for output in (0..slots).filter(|&slot| self.slots.cables[slot as usize].far != NO_SLOT) {
            fabric.set_idle(output, true);
        }
        if fabric.control.is_some() {
            fabric.paths.start_with(self);
        }
        start_up(fabric)
    }
}

fn start_up<J: Journal>(mut fabric: Fabric<J>) -> Simulation<Fabric<J>> {
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
    for (index, fault) in Arc::clone(&fabric.plan).faults.iter().enumerate() {
        fabric.schedule(&mut queue, 0, fault.at, Event::Fault(index as u32));
    }
    Simulation::new(fabric, queue)
}

fn monitor(workload: &Workload) -> MessageMonitor {
    let classes: Vec<&str> = workload.classes.iter().map(String::as_str).collect();
    let mut layout = MonitorLayout::new(Stage::LABELS, &classes);
    // SRC 88, Fig. 10, leaves out the time behind other packets in the sending host.
    let label = DelayLabel { name: "network latency", unit: DelayUnit::Us };
    layout.less_stage = Some(LessStage { label, stage: Stage::SendQueue as usize });
    layout.life = Some(DelayLabel { name: "delivery", unit: DelayUnit::Us });
    layout.series = if workload.has_bursts() { BURST_SERIES } else { &[] };
    MessageMonitor::new(layout)
}

/// Flows are made of frames.
fn flows_without_frames() -> Problem {
    Problem {
        hint: Some("add a table [frames]; empty, it has defaults for everything".to_owned()),
        ..Problem::new("flows", "flows, but no frames to carry them", "[frames], or [traffic] instead")
    }
}

fn below_traffic(problem: Problem) -> Problem {
    Problem { path: format!("traffic.{}", problem.path), ..problem }
}

fn thresholds(params: &FabricParams) -> Option<Thresholds> {
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

fn link_problems(network: &Network, rates: &[Rate]) -> Vec<Problem> {
    let described = network.links().iter().zip(rates).filter(|(link, _)| link.rate.is_some());
    let bad = described.filter_map(|(link, rate)| {
        let [a, b] = link.ends.map(|end| network.name(end.node));
        let problem = format!("{} between {a} and {b}", rate_problem(*rate)?);
        Some(Problem::new("network", problem, "whole kbit/s from 1 kbit/s to 4 Tbit/s"))
    });
    bad.collect()
}

fn routes(network: &Network, params: &FabricParams) -> Result<Routes, Problem> {
    let rule = match params.routing.rule {
        Rule::UpDown => RoutingRule::UpDown { root: params.routing.root.clone() },
        Rule::Shortest => RoutingRule::Shortest,
        Rule::DimensionOrder => RoutingRule::DimensionOrder,
        Rule::StructuredPools => RoutingRule::StructuredPools,
    };
    Routes::compute(network, &rule).map_err(|error| {
        let hint = params.routing.root.as_deref().and_then(|root| network.name_like(root));
        let hint = hint.map(|near| format!("did you mean \"{near}\"?"));
        match error {
            RouteError::NoDimensions => Problem {
                hint: Some("rule = \"up-down\" is free of deadlock on any network".into()),
                ..Problem::new("routing.rule", error.to_string(), "a mesh, torus, hypercube, line or ring")
            },
            RouteError::TooManyChannels { .. } => {
                Problem::new("routing.rule", error.to_string(), "rule = \"up-down\", or a smaller network")
            }
            _ => Problem {
                hint,
                ..Problem::new("routing.root", error.to_string(), "the name of a switch of the network")
            },
        }
    })
}

/// The switch of each host, and its port as its first channel.
pub(crate) fn attached(network: &Network, lanes: u16) -> Vec<(u32, Port)> {
    network.hosts().iter().map(|host| (host.switch.index() as u32, host.port * lanes)).collect()
}

/// The load is that of the servers' links where there are servers, else that of every host's.
fn load_defining_hosts(network: &Network, pattern: &Pattern) -> Vec<bool> {
    let servers_only = matches!(pattern, Pattern::ClientServer | Pattern::ClientToServer);
    let defines = |host: HostId| !servers_only || network.host(host).role == Role::Server;
    network.host_ids().map(defines).collect()
}

fn load_of(traffic: &TrafficSpec) -> Option<f64> {
    match (traffic.load, &traffic.pattern) {
        (_, Pattern::Flows(_)) | (Load::Saturated, _) => None,
        (Load::Fraction(load), _) => Some(load),
    }
}
