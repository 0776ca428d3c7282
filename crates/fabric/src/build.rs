//! From parameters, network and traffic to a fabric that is ready to run.

use std::collections::VecDeque;

use hopscope_kernel::{EventQueue, RandomStream, Simulation};
use hopscope_measure::{DelayLabel, DelayUnit, Journal, MessageMonitor, MonitorLayout, Problem};
use hopscope_topology::{HostId, Network, Role, Routes, RoutingRule};
use hopscope_traffic::{Load, Pattern, TrafficSpec, Workload};
use hopscope_units::{Data, Rate, Span, Time};

use crate::arena::Arena;
use crate::fabric::{Fabric, Tally};
use crate::input_fifo::{InputFifo, Thresholds};
use crate::output::Output;
use crate::packet::NANOBITS;
use crate::params::{FabricParams, Fifo, Rule, Switching, rate_problem};
use crate::slots::{NO_SLOT, Slot, Slots};
use crate::stage::Stage;
use crate::switch::Switch;

/// The index of the burst time among the monitor's further series.
pub(crate) const BURST_TIME: usize = 0;

const BURST_SERIES: &[DelayLabel] = &[DelayLabel { name: "burst time", unit: DelayUnit::Ms }];

impl<J: Journal> Fabric<J> {
    /// A fabric at time zero with its first events. Problems carry paths below the scenario: `link.rate`, `traffic.pattern`, ...
    pub fn simulation(
        network: Network,
        params: &FabricParams,
        traffic: &TrafficSpec,
        seed: u64,
        journal: J,
    ) -> Result<Simulation<Self>, Vec<Problem>> {
        let mut problems = params.problems();
        let rates: Vec<Rate> = network.links().iter().map(|l| l.rate.unwrap_or(params.link.rate)).collect();
        let delays: Vec<Span> = network.links().iter().map(|l| l.delay.unwrap_or(params.link.delay)).collect();
        problems.extend(link_problems(&network, &rates));
        let workload = Workload::new(traffic, &network, &Slots::host_rates(&network, &rates), seed);
        let workload = match workload {
            Ok(workload) if problems.is_empty() => workload,
            outcome => {
                let under_traffic = |p: Problem| Problem { path: format!("traffic.{}", p.path), ..p };
                problems.extend(outcome.err().into_iter().flatten().map(under_traffic));
                return Err(problems);
            }
        };
        let routes = routes(&network, params).map_err(|problem| vec![problem])?;
        let slots = Slots::new(&network, &rates, &delays);
        let fabric = Self::assemble(network, routes, slots, params, traffic, workload, seed, journal);
        fabric.buffers_suffice(params)?;
        Ok(fabric.start_up())
    }

    #[expect(clippy::too_many_arguments, reason = "called once, by `simulation`, with what it has prepared")]
    fn assemble(
        network: Network,
        routes: Routes,
        slots: Slots,
        params: &FabricParams,
        traffic: &TrafficSpec,
        workload: Workload,
        seed: u64,
        journal: J,
    ) -> Self {
        let nanobits = |data: Data| data.bits() * NANOBITS;
        let thresholds = match params.switch.fifo {
            Fifo::Bytes(size) => Some(Thresholds {
                stop_above: nanobits(params.switch.stop_above),
                capacity: nanobits(size),
            }),
            Fifo::Unbounded => None,
        };
        let inputs = (0..slots.cables.len()).map(|slot| input(&network, &routes, &slots, params, slot as Slot));
        let switches = network.switch_ids().map(|id| {
            Switch::new(network.switch(id).ports.len(), RandomStream::named(seed, "switch", id.index() as u64))
        });
        let classes: Vec<&str> = workload.classes.iter().map(String::as_str).collect();
        let mut layout = MonitorLayout::new(Stage::LABELS, &classes);
        layout.life = Some(DelayLabel { name: "delivery", unit: DelayUnit::Us });
        layout.series = if workload.has_bursts() { BURST_SERIES } else { &[] };
        let mut fabric = Self {
            decision: params.switch.decision,
            setup: params.switch.setup,
            thresholds,
            inputs: inputs.collect(),
            outputs: vec![Output::new(); slots.cables.len()],
            switches: switches.collect(),
            attached: network.hosts().iter().map(|h| (h.switch.index() as u32, h.port)).collect(),
            entries: Arena::new(),
            packets: Arena::new(),
            bursts: Arena::new(),
            send_queues: vec![VecDeque::new(); network.hosts().len()],
            saturated: vec![None; network.hosts().len()],
            defines_load: load_defining_hosts(&network, &traffic.pattern),
            load: load_of(traffic),
            monitor: MessageMonitor::new(layout),
            journal,
            tally: Tally::default(),
            network,
            routes,
            slots,
            workload,
        };
        for output in 0..fabric.outputs.len() as Slot {
            let plugged = fabric.slots.cables[output as usize].far != NO_SLOT;
            if plugged && !fabric.slots.is_host(output) {
                let (switch, port) = fabric.slots.switch_port(output);
                fabric.switches[switch].set_idle(port, true);
            }
        }
        fabric
    }

    /// A bounded FIFO must take what is on its way when it says stop, and whole packets where the switch needs them.
    fn buffers_suffice(&self, params: &FabricParams) -> Result<(), Vec<Problem>> {
        let Some(thresholds) = self.thresholds else { return Ok(()) };
        let headroom = thresholds.capacity - thresholds.stop_above;
        for slot in 0..self.inputs.len() as Slot {
            let cable = self.slots.cables[slot as usize];
            if cable.far == NO_SLOT || self.slots.is_host(slot) {
                continue;
            }
            let on_the_way = cable.rate * 2 * cable.delay.ps();
            if on_the_way > headroom {
                let link = self.slots.link_name(&self.network, cable.far);
                let needed = Data::from_bits((thresholds.stop_above + on_the_way).div_ceil(NANOBITS));
                let problem =
                    format!("what is still on the link {link} when it is told to stop would overflow the FIFO");
                let expected = format!("at least {} bytes, or a lower stop_above", needed.bytes());
                return Err(vec![Problem::new("switch.fifo", problem, expected)]);
            }
            if self.inputs[slot as usize].whole_first && self.workload.longest().bits() * NANOBITS > thresholds.stop_above
            {
                let problem = format!(
                    "a packet of {} never fits whole into a FIFO that stops above {}, so it could never leave",
                    self.workload.longest(),
                    params.switch.stop_above
                );
                let expected = "stop_above at least the longest packet, fifo = \"unbounded\", or cut-through with equal rates";
                return Err(vec![Problem::new("switch.stop_above", problem, expected)]);
            }
        }
        Ok(())
    }

    fn start_up(mut self) -> Simulation<Self> {
        let mut queue = EventQueue::new();
        for source in 0..self.workload.sources.len() as u32 {
            let state = &self.workload.sources[source as usize];
            if state.is_saturated() {
                let host = state.from();
                self.saturated[host.index()] = Some(source);
                self.next_in_send_queue(Time::ZERO, self.slots.host(host), host.index() as u32, &mut queue);
            } else {
                self.schedule_emission(&mut queue, source, Time::ZERO);
            }
        }
        Simulation::new(self, queue)
    }
}

fn link_problems(network: &Network, rates: &[Rate]) -> Vec<Problem> {
    let described = network.links().iter().zip(rates).filter(|(link, _)| link.rate.is_some());
    let bad = described.filter_map(|(link, rate)| {
        let problem = format!("{} between {:?} and {:?}", rate_problem(*rate)?, link.ends[0], link.ends[1]);
        Some(Problem::new("network", problem, "whole kbit/s from 1 kbit/s to 10 Tbit/s"))
    });
    bad.collect()
}

fn routes(network: &Network, params: &FabricParams) -> Result<Routes, Problem> {
    let rule = match params.routing.rule {
        Rule::UpDown => RoutingRule::UpDown { root: params.routing.root.clone() },
        Rule::Shortest => RoutingRule::Shortest,
    };
    Routes::compute(network, &rule).map_err(|error| {
        let hint = params.routing.root.as_deref().and_then(|root| network.name_like(root));
        let hint = hint.map(|near| format!("did you mean \"{near}\"?"));
        Problem { hint, ..Problem::new("routing.root", error.to_string(), "the name of a switch of the network") }
    })
}

fn input(network: &Network, routes: &Routes, slots: &Slots, params: &FabricParams, slot: Slot) -> InputFifo {
    let rate = slots.cables[slot as usize].rate;
    let mut input = InputFifo::new(rate);
    if !slots.is_host(slot) {
        let (switch, port) = slots.switch_port(slot);
        let switch = hopscope_topology::SwitchId::new(switch);
        input.phase = routes.phase(switch, port);
        let ports = network.switch(switch).ports.len() as u16;
        let fastest = (0..ports).map(|p| slots.cables[slots.port(switch.index(), p) as usize].rate).max();
        let outrun = fastest.is_some_and(|fastest| fastest > rate);
        input.whole_first = params.switch.switching == Switching::StoreAndForward || outrun;
    }
    input
}

/// The load is that of the servers' links where there are servers, else that of every host's.
fn load_defining_hosts(network: &Network, pattern: &Pattern) -> Vec<bool> {
    let servers_only = matches!(pattern, Pattern::ClientServer | Pattern::ClientToServer);
    let defines = |host: usize| !servers_only || network.host(HostId::new(host)).role == Role::Server;
    (0..network.hosts().len()).map(defines).collect()
}

fn load_of(traffic: &TrafficSpec) -> Option<f64> {
    match (traffic.load, &traffic.pattern) {
        (_, Pattern::Flows(_)) | (Load::Saturated, _) => None,
        (Load::Fraction(load), _) => Some(load),
    }
}
