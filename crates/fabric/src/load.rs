//! The offered load as the scenario defines it, and the carried load.

use hopscope_measure::{Estimate, Report};
use hopscope_topology::{HostId, Network, Role};
use hopscope_traffic::{Load, Pattern, TrafficSpec};
use hopscope_units::Span;

use crate::data::{NANOBITS, Nanobits};
use crate::plan::FabricPlan;
use crate::report::fraction;
use crate::slots::Slot;

/// The offered load, and the links at which the carried load is measured.
#[derive(Clone, Debug)]
pub struct OfferedLoad {
    /// The offered load as the scenario defines it, where it is one number for the whole network.
    pub load: Option<f64>,
    /// Whether a host's receiving link is one of those whose utilisation is the carried load.
    pub shows_carried: Vec<bool>,
}

impl OfferedLoad {
    /// The offer of messages to these hosts. The carried load is that of the servers' links if there are servers, by
    /// which the load is then defined; else that of all hosts that receive messages.
    #[must_use]
    pub fn of_traffic(traffic: &TrafficSpec, receivers: Vec<bool>, network: &Network) -> Self {
        let servers_only = matches!(traffic.pattern, Pattern::ClientServer | Pattern::ClientToServer);
        let is_server = |host: HostId| network.host(host).role == Role::Server;
        let load = match (traffic.load, &traffic.pattern) {
            (_, Pattern::Flows(_)) | (Load::Saturated, _) => None,
            (Load::Fraction(load), _) => Some(load),
        };
        let shows_carried =
            if servers_only { network.host_ids().map(is_server).collect() } else { receivers };
        Self { load, shows_carried }
    }

    /// The offer of scheduled flows: no number; the carried load is measured at the hosts that receive flows.
    #[must_use]
    pub fn of_flows(receivers: Vec<bool>) -> Self {
        Self { load: None, shows_carried: receivers }
    }
}

impl FabricPlan {
    /// The outputs whose links show the carried load: those into hosts.
    pub fn carrying(&self) -> impl Iterator<Item = Slot> + '_ {
        let shows = (0..self.shows_carried.len()).filter(|&host| self.shows_carried[host]);
        shows.map(|host| self.slots.links[self.slots.host(HostId::new(host)) as usize].far)
    }
}

/// Data in nanobits beyond the range of [`Nanobits`]: all that a fabric carries in a run.
pub type ManyNanobits = i128;

/// The data that a link sent within a window: bits of packets counted as a whole, plus `more` of a packet that was not
/// counted, minus the part of a counted one outside the window.
#[must_use]
pub fn sent_within(bits: u64, more: Nanobits, beyond: Nanobits) -> ManyNanobits {
    i128::from(bits) * i128::from(NANOBITS) + i128::from(more) - i128::from(beyond)
}

/// Adds the offered load as the scenario defines it, and the carried load: the mean utilisation of the receiving links
/// that show it; `sent` is their data within the window.
pub fn add_load(plan: &FabricPlan, sent: ManyNanobits, span: Span, report: &mut Report) {
    if let Some(load) = plan.load {
        report.metrics.push(fraction("load", Some(Estimate::exact(load, 1))));
    }
    let throughput = report.metric("throughput.rate").and_then(|m| m.estimate);
    let capacity: f64 = plan.carrying().map(|output| plan.slots.links[output as usize].rate as f64).sum();
    if let Some(throughput) = throughput.filter(|t| t.value > 0.0 && span > Span::ZERO) {
        let carried = sent as f64 / (span.ps() as f64 * capacity);
        // Carried load and throughput rise and fall together, so the relative width of the interval is the same.
        let scaled = |rate: f64| rate * carried / throughput.value;
        let (low, high) = (scaled(throughput.low), scaled(throughput.high));
        let estimate = Estimate { value: carried, low, high, n: throughput.n };
        report.metrics.push(fraction("carried", Some(estimate.as_share())).over_window());
    }
}
