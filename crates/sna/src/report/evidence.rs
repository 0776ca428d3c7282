//! What a subarea network knows besides the use of its resources, for whoever explains a run.

use std::collections::BTreeMap;

use hopscope_measure::{
    CongestedNode, Evidence, Interruption, InterruptionWhy, Journal, Loss, LossWhy, Place, ResourceKind,
    ResourceRow, ServiceTime, Site, SlowBeside, is_slower_than_its_like, usual,
};
use hopscope_units::Time;

use crate::network::Subarea;
use crate::params::{Recovery, Service};
use crate::plan::SnaPlan;

impl<J: Journal> Subarea<J> {
    /// The evidence of a report with these rows.
    pub(crate) fn evidence(&self, now: Time, rows: &[ResourceRow]) -> Evidence {
        Evidence {
            interruptions: self.interruptions(now),
            losses: self.losses(),
            rates: self.plan.rates(rows),
            services: self.plan.services(rows),
            slow_beside: self.plan.slow_beside(rows),
            congested: self.congested(now, rows),
            always_sends: self.plan.params().session.iter().any(|session| session.gap.is_none()),
            ..Evidence::default()
        }
    }

    /// The nodes that told what passes them of congestion, with each window of pacing that they kept small.
    fn congested(&self, now: Time, rows: &[ResourceRow]) -> Vec<CongestedNode> {
        let first = rows.iter().position(|row| row.kind == ResourceKind::VirtualRouteWindow).unwrap_or(0);
        let params = self.plan.params();
        let routes = self.plan.routes.iter().zip(&self.routes).zip(&params.virtual_route).enumerate();
        let mut found = Vec::new();
        for (number, ((plan, route), virtual_route)) in routes {
            let Some((least, most)) = virtual_route.bounds(plan.forward.len() as u32) else { continue };
            for (node, at) in plan.nodes.iter().map(|&node| (&params.node[node], &self.nodes[node])) {
                let Some(from) = node.moderate.or(node.severe).filter(|_| at.told > 0) else { continue };
                found.push(CongestedNode {
                    place: Place::node(format!("node {}", node.name), &node.name),
                    from: from.into(),
                    share: at.told as f64 / at.passed as f64,
                    window: first + number,
                    size: [route.size.mean(now), least.into(), most.into()],
                });
            }
        }
        found
    }

    /// The stops of units.
    fn interruptions(&self, now: Time) -> Vec<Interruption> {
        let since = self.monitor.measuring_since();
        let window = (since.as_seconds(), now.as_seconds());
        let stopped = self.units.iter().zip(&self.plan.params().unit).filter_map(|(unit, params)| {
            let place = Place::node(format!("the unit {}", params.name), &params.name);
            let none = Interruption::of(InterruptionWhy::SilentHost, place);
            let stops = unit.stop?.within(since, now);
            Some(stops.fold(none, |sum, stop| sum.and(stop, window))).filter(|sum| sum.count > 0)
        });
        stopped.collect()
    }

    /// Frames in error, by the line that sent them. The ledger has what they cost as a wait to be sent again.
    fn losses(&self) -> Vec<Loss> {
        let lossy = self.trunks.iter().enumerate().filter(|(_, trunk)| trunk.lost > 0);
        let found = lossy.map(|(number, trunk)| {
            let plan = self.plan.trunks[number];
            let nodes = [plan.from, plan.to].map(|node| self.plan.params().node[node].name.clone()).to_vec();
            let place = Place { words: format!("the line {}", self.plan.trunk_name(number)), nodes };
            Loss { why: LossWhy::LineErrors, place, count: trunk.lost, of: trunk.sent, each_s: 0.0 }
        });
        found.chain(self.sent_in_vain()).collect()
    }

    /// PIUs that came to the end of their route before their turn, or once more.
    fn sent_in_vain(&self) -> impl Iterator<Item = Loss> + '_ {
        let routes = self.plan.routes.iter().zip(&self.routes).filter(|(_, route)| route.in_vain > 0);
        routes.map(|(plan, route)| {
            let end = &self.plan.params().node[*plan.nodes.last().expect("a route has nodes")].name;
            let place = Place::node(format!("the end of {}", plan.name()), end);
            let why = LossWhy::OutOfOrder;
            Loss { why, place, count: route.in_vain, of: route.arrived, each_s: 0.0 }
        })
    }
}

impl SnaPlan {
    /// The rates of lines, those of a group together.
    fn rates(&self, rows: &[ResourceRow]) -> BTreeMap<usize, f64> {
        let of = |(at, row): (usize, &ResourceRow)| {
            let Site::Line { number, .. } = row.site else { return None };
            let lines = &self.params.group[number as usize].line;
            Some((at, lines.iter().map(|line| line.rate.bit_s() as f64).sum()))
        };
        rows.iter().enumerate().filter_map(of).collect()
    }

    /// Lines slower than most of those beside them, of groups that keep the order of PIUs.
    fn slow_beside(&self, rows: &[ResourceRow]) -> Vec<SlowBeside> {
        let lines = rows.iter().enumerate().filter_map(|(row, at)| match at.site {
            Site::Line { number, .. } => Some((row, &self.params.group[number as usize])),
            _ => None,
        });
        let mut found = Vec::new();
        for (row, group) in lines.filter(|(_, group)| group.recovery == Recovery::Line) {
            let rates: Vec<f64> = group.line.iter().map(|line| line.rate.bit_s() as f64).collect();
            let most = usual(rates.clone()).expect("a group has lines");
            let slow = rates.iter().enumerate().filter(|&(_, &own)| is_slower_than_its_like(own, most));
            found.extend(slow.map(|(nth, &rate)| SlowBeside {
                row,
                words: format!("line {} of {}", nth + 1, group.name),
                rate,
                usual: most,
            }));
        }
        found
    }

    /// The service times of nodes and units.
    fn services(&self, rows: &[ResourceRow]) -> BTreeMap<usize, ServiceTime> {
        let of = |(at, row): (usize, &ResourceRow)| {
            let service = match (row.kind, row.site) {
                (ResourceKind::NodeProcessor, Site::Node(node)) => self.params.node[node as usize].service,
                (ResourceKind::Unit, Site::Host(unit)) => self.params.unit[unit as usize].service,
                _ => return None,
            };
            let variation = f64::from(u8::from(matches!(service, Service::Exponential(_))));
            Some((at, ServiceTime { mean_us: service.mean().as_us(), variation }))
        };
        rows.iter().enumerate().filter_map(of).collect()
    }
}
