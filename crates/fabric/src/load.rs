//! The load: offered as the scenario defines it, and carried.

use hopscope_measure::{Estimate, Report};
use hopscope_topology::{HostId, Network, Role};
use hopscope_traffic::{Load, Pattern, TrafficSpec};
use hopscope_units::Span;

use crate::plan::FabricPlan;
use crate::report::fraction;

/// What is offered, and by which links a load is defined.
#[derive(Clone, Debug)]
pub struct OfferedLoad {
    /// The offered load as the scenario defines it, where it is one number for the whole network.
    pub load: Option<f64>,
    /// Whether a host's receiving link is one of those by which the load is defined.
    pub defines_load: Vec<bool>,
}

impl OfferedLoad {
    /// That of messages. The load is that of the servers' links where there are servers, else that of every host's.
    #[must_use]
    pub fn of_traffic(traffic: &TrafficSpec, network: &Network) -> Self {
        let servers_only = matches!(traffic.pattern, Pattern::ClientServer | Pattern::ClientToServer);
        let defines = |host: HostId| !servers_only || network.host(host).role == Role::Server;
        let load = match (traffic.load, &traffic.pattern) {
            (_, Pattern::Flows(_)) | (Load::Saturated, _) => None,
            (Load::Fraction(load), _) => Some(load),
        };
        Self { load, defines_load: network.host_ids().map(defines).collect() }
    }

    /// That of flows by a schedule: no number, and every host counts.
    #[must_use]
    pub fn of_flows(network: &Network) -> Self {
        Self { load: None, defines_load: vec![true; network.hosts().len()] }
    }
}

/// Adds the offered load as the scenario says it, and the carried load: the mean utilisation of the receiving links
/// that define it.
pub fn add_load(plan: &FabricPlan, carried_bits: u64, span: Span, report: &mut Report) {
    if let Some(load) = plan.load {
        report.metrics.push(fraction("load", Some(Estimate::exact(load, 1))));
    }
    let throughput = report.metric("throughput.rate").and_then(|m| m.estimate);
    let hosts = (0..plan.attached.len()).filter(|&host| plan.defines_load[host]);
    let capacity: f64 = hosts
        .map(|host| plan.slots.links[plan.slots.host(HostId::new(host)) as usize].rate as f64 * 1e3)
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
