//! The evidence of a subarea network besides the use of its resources, for explanations of a run.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use hopscope_measure::{
    ClassLane, ClassOutput, ClassUse, CongestedNode, Evidence, Interruption, InterruptionWhy, Journal, Loss,
    LossWhy, Place, ResourceKind, ResourceRow, SegmentUse, ServiceOrder, ServiceTime, Site, SlowBeside,
    is_slower_than_its_like, usual,
};
use hopscope_units::{Data, Time};

use super::session_name;
use crate::network::{CLASSES, Subarea};
use crate::params::{Recovery, RuleKind, Service};
use crate::plan::SnaPlan;

impl<J: Journal> Subarea<J> {
    /// The evidence of a report with these rows.
    pub(crate) fn evidence(&self, now: Time, rows: &[ResourceRow]) -> Evidence {
        Evidence {
            interruptions: self.interruptions(now),
            losses: self.losses(),
            rates: self.plan.rates(rows),
            side_by_side: self.plan.side_by_side(rows),
            services: self.plan.services(rows),
            slow_beside: self.plan.slow_beside(rows),
            congested: self.congested(now, rows),
            paced: self.plan.paced(rows),
            packets_ahead: self.segments_ahead(),
            segments: self.segments(),
            class_use: self.class_use(now, rows),
            always_sends: self.plan.params().session.iter().any(|session| session.gap.is_none()),
            timeout_s: self.longest_timeout_s(),
            ..Evidence::default()
        }
    }

    /// How long the end of a virtual route waits for an answer at most, seconds, where one has a timer.
    fn longest_timeout_s(&self) -> Option<f64> {
        let timed = self.plan.params().virtual_route.iter().filter(|route| route.rule == RuleKind::Hdlc);
        timed.map(|route| route.timeout).max().map(hopscope_units::Span::as_seconds)
    }

    /// Segments of its own message that a segment finds before it on average: all of a message come at once.
    fn segments_ahead(&self) -> f64 {
        let each = || {
            self.plan
                .sessions
                .iter()
                .zip(&self.sessions)
                .map(|(plan, at)| (plan.segments.len() as f64, at.came as f64))
        };
        let all: f64 = each().map(|(segments, came)| segments * came).sum();
        let ahead: f64 = each().map(|(segments, came)| came * segments * (segments - 1.0) / 2.0).sum();
        if all > 0.0 { ahead / all } else { 0.0 }
    }

    /// The session whose messages are cut into most segments on the way of most data, with what headers take.
    fn segments(&self) -> Option<SegmentUse> {
        let (params, sessions) =
            (self.plan.params(), self.plan.sessions.iter().zip(&self.sessions).enumerate());
        let (number, (plan, _)) =
            sessions.filter(|(_, (plan, at))| plan.segments.len() > 1 && at.came > 0).max_by_key(
                |(number, (plan, at))| (plan.segments.len() as u64 * at.came, Reverse(*number)),
            )?;
        let route = &self.plan.routes[plan.route];
        let groups = route.forward.iter().map(|&trunk| self.plan.trunks[trunk].group);
        let group = groups.min_by_key(|&group| params.group[group].longest.map_or(u64::MAX, Data::bits))?;
        let bits: u64 = plan.segments.iter().map(|length| length.bits()).sum();
        let group = &params.group[group];
        Some(SegmentUse {
            place: Place { words: format!("group {}", group.name), nodes: group.between.to_vec() },
            who: session_name(number),
            segments: plan.segments.len() as u64,
            longest: group.longest?.bits() as f64 / 8.0,
            headers: 1.0 - plan.size.bits() as f64 / bits as f64,
        })
    }

    /// Which priorities wait behind which, where sessions have several.
    fn class_use(&self, now: Time, rows: &[ResourceRow]) -> Option<ClassUse> {
        let priorities = self.plan.classes();
        let lines = rows.iter().enumerate().filter(|(_, row)| row.kind == ResourceKind::Line);
        let outputs = lines.zip(self.plan.used_trunks()).filter_map(|((row, _), trunk)| {
            let at = &self.trunks[trunk];
            let (waits, all) = (at.classes.as_ref()?, at.sending_ps.iter().sum::<u128>().max(1));
            let each = |of: &dyn Fn(usize) -> f64| {
                priorities.iter().map(|&priority| of(priority)).collect::<Vec<f64>>()
            };
            Some(ClassOutput {
                row,
                sent: each(&|priority| at.sending_ps[priority] as f64 / all as f64),
                behind: priorities.iter().map(|&own| each(&|other| waits.behind(now, own, other))).collect(),
                held: each(&|own| waits.held(now, own)),
            })
        });
        let outputs: Vec<ClassOutput> = outputs.collect();
        // The highest priority is served first.
        let lane = |nth: usize| priorities.len() - 1 - nth;
        let class = |(nth, &priority): (usize, &usize)| ClassLane {
            name: CLASSES[priority].to_owned(),
            lane: lane(nth),
            weight: 1,
        };
        let classes = priorities.iter().enumerate().map(class).collect();
        (priorities.len() > 1 && !outputs.is_empty()).then_some(ClassUse {
            order: ServiceOrder::Strict,
            classes,
            outputs,
        })
    }

    /// The nodes that marked PIUs for congestion, with each window of pacing that they kept small.
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

    /// Windows of virtual-route pacing that are always of one size.
    fn paced(&self, rows: &[ResourceRow]) -> BTreeMap<usize, u64> {
        let first = rows.iter().position(|row| row.kind == ResourceKind::VirtualRouteWindow).unwrap_or(0);
        let all = self.routes.iter().zip(&self.params.virtual_route).enumerate();
        let of_one_size = all.filter_map(|(number, (plan, route))| {
            let (least, most) = route.bounds(plan.forward.len() as u32)?;
            (least == most).then_some((first + number, u64::from(most)))
        });
        of_one_size.collect()
    }

    /// How many lines a group has, where they are several of one rate.
    fn side_by_side(&self, rows: &[ResourceRow]) -> BTreeMap<usize, usize> {
        let of = |(at, row): (usize, &ResourceRow)| {
            let Site::Line { number, .. } = row.site else { return None };
            let lines = &self.params.group[number as usize].line;
            let are_equal = lines.len() > 1 && lines.iter().all(|line| line.rate == lines[0].rate);
            are_equal.then_some((at, lines.len()))
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
