//! What a workload sends on average, for the analysis of capacity.

use std::collections::BTreeMap;

use hopscope_measure::Problem;
use hopscope_topology::HostId;
use hopscope_topology::capacity::Stream;

use crate::source::Destination;
use crate::{Load, Pattern, Sizes, TrafficSpec, Workload};

impl Workload {
    /// The senders and receivers with what flows between them on average, in bits a second.
    ///
    /// Sources that send whenever they can have no such number and are left out, as are acknowledgments.
    #[must_use]
    pub fn streams(&self) -> Vec<Stream> {
        let mut streams = Vec::new();
        let mut others = Vec::new();
        let mut to_one: BTreeMap<HostId, Vec<(HostId, f64)>> = BTreeMap::new();
        let mut to_group: BTreeMap<u16, Vec<(HostId, f64)>> = BTreeMap::new();
        for source in &self.sources {
            let Some(bit_s) = source.bit_s else { continue };
            let sender = (source.from, bit_s);
            match source.destination {
                Destination::Others => others.push(sender),
                Destination::Fixed(to) => to_one.entry(to).or_default().push(sender),
                // The routes between two hosts do not give the load of these.
                Destination::All(_) => {}
                Destination::Group(group) => to_group.entry(group).or_default().push(sender),
                Destination::Weighted(list) => {
                    let receivers = self.weights[list as usize].clone();
                    streams.push(Stream { senders: vec![sender], receivers });
                }
            }
        }
        let alike = |hosts: &[HostId]| hosts.iter().map(|host| (*host, 1.0)).collect();
        if !others.is_empty() {
            let all: Vec<HostId> = (0..self.hosts).map(HostId::new).collect();
            streams.push(Stream { senders: others, receivers: alike(&all) });
        }
        for (group, senders) in to_group {
            streams.push(Stream { senders, receivers: alike(&self.groups[usize::from(group)]) });
        }
        let fixed = to_one.into_iter();
        streams.extend(fixed.map(|(to, senders)| Stream { senders, receivers: vec![(to, 1.0)] }));
        streams
    }
}

impl TrafficSpec {
    /// Why the traffic as a whole does not rise and fall with `load`, or nothing where it does.
    #[must_use]
    pub fn fixed_part(&self) -> Option<Problem> {
        let expected = "traffic that scales with traffic.load";
        if self.bursts.as_ref().is_some_and(|bursts| bursts.every.is_some()) {
            return Some(Problem::new("bursts.every", "periodic bursts do not depend on the load", expected));
        }
        let Pattern::Flows(flows) = &self.pattern else { return None };
        flows.iter().enumerate().find_map(|(i, flow)| {
            let path = format!("pattern.flows[{i}]");
            if flow.bursts.as_ref().is_some_and(|bursts| bursts.every.is_some()) {
                return Some(Problem::new(
                    format!("{path}.bursts.every"),
                    "periodic bursts do not depend on the load",
                    expected,
                ));
            }
            flow.load.map(|_| Problem::new(format!("{path}.load"), "this flow has its own load", expected))
        })
    }

    /// The same traffic at another load.
    #[must_use]
    pub fn at_load(&self, load: f64) -> Self {
        Self { load: Load::Fraction(load), ..self.clone() }
    }

    /// The mean length of a packet in bits and the squared coefficient of variation, over everything that is sent.
    ///
    /// Of flows with sizes of their own each counts as one; bursts count by their share of packets.
    #[must_use]
    pub fn packet_lengths(&self) -> (f64, f64) {
        let (mut mean, mut square, mut parts) = (0.0, 0.0, 0.0);
        let mut add = |sizes: &Sizes, bursts: Option<&crate::Bursts>| {
            let share = bursts.map_or(0.0, |bursts| bursts.packet_share);
            let burst = bursts.map_or(0.0, |bursts| bursts.packet.bits() as f64);
            mean += (1.0 - share) * sizes.mean_bits() + share * burst;
            square += (1.0 - share) * sizes.mean_square() + share * burst * burst;
            parts += 1.0;
        };
        match &self.pattern {
            Pattern::Flows(flows) => flows.iter().for_each(|flow| {
                add(
                    flow.sizes.as_ref().unwrap_or(&self.sizes),
                    flow.bursts.as_ref().or(self.bursts.as_ref()),
                );
            }),
            _ => add(&self.sizes, self.bursts.as_ref()),
        }
        let (mean, square) = (mean / parts, square / parts);
        (mean, square / (mean * mean) - 1.0)
    }
}
