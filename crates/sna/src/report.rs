//! The report of a subarea network on a run.

mod dependence;
mod evidence;

use hopscope_measure::{
    EVERY_CLASS, Estimate, HeldIn, HoldActivity, HoldWhy, Journal, MessageMonitor, Metric, Pool, PoolLabel,
    Report, ResourceKind, ResourceRow, Site, Stuck, Subject, Usage, UsageOf,
};
use hopscope_units::Time;

use crate::network::{Gauge, Subarea, Trunk};
use crate::rule::SendingRule;
use crate::stage::Stage;

/// Answers are reported separately if they have this share of a line's traffic.
const MANY_ANSWERS: f64 = 0.2;

/// The number of consecutive timeouts after which a virtual route is considered dead.
const IN_VAIN: u32 = 1_000;

impl<J: Journal> Subject for Subarea<J> {
    fn monitor(&self) -> &MessageMonitor {
        &self.monitor
    }

    fn restart(&mut self, now: Time) {
        self.monitor.restart(now);
        self.journal.restart();
        self.nodes.iter_mut().for_each(|node| node.restart(now));
        self.trunks.iter_mut().for_each(|trunk| trunk.restart(now));
        self.routes.iter_mut().for_each(|route| route.restart(now));
        self.sessions.iter_mut().for_each(|session| session.restart(now));
        self.units.iter_mut().for_each(|unit| unit.busy.restart(now));
    }

    /// A route that sends the same again and again. (Where buffers of nodes wait for each other, no events are left,
    /// and the run says so.)
    fn stuck(&mut self, _: Time) -> Option<Stuck> {
        let in_vain = self.routes.iter().position(|route| route.timeouts >= IN_VAIN)?;
        let name = self.plan.routes[in_vain].name();
        let reason = format!("{name} has waited for an answer {IN_VAIN} times in a row, in vain");
        Some(Stuck { reason, cycle: Vec::new() })
    }

    fn report(&mut self, now: Time) -> Report {
        self.check();
        let mut report = self.monitor.report(now);
        report.ledger.retain(|row| row.share > 0.0);
        self.add_nodes(now, &mut report);
        self.add_trunks(now, &mut report);
        self.add_windows(now, &mut report);
        self.add_units(now, &mut report);
        self.add_metrics(now, &mut report);
        report.dependences = dependence::dependences(&self.plan, &report.resources);
        report.evidence = self.evidence(now, &report.resources);
        report.journeys = self.journal.rows(Stage::LABELS, &|place| self.place_name(place as usize));
        report
    }

    fn usage(&mut self, now: Time, tell: &mut UsageOf<'_>) {
        let params = self.plan.params();
        for (node, params) in self.nodes.iter().zip(&params.node) {
            let place = || params.name.clone();
            if !node.service.is_nothing() {
                tell(ResourceKind::NodeProcessor, &place, Usage::of(&node.processor, now), &[]);
            }
            if node.buffers.capacity().is_some() {
                tell(ResourceKind::NodeBuffers, &place, Usage::of(&node.buffers, now), &[]);
            }
        }
        for trunk in self.plan.used_trunks() {
            let place = || self.plan.trunk_name(trunk);
            tell(ResourceKind::Line, &place, Usage::of(&self.trunks[trunk].busy, now), &[]);
        }
        for (plan, route) in self.plan.routes.iter().zip(&self.routes) {
            let usage = Usage {
                used_ps: route.window.held_ps(now) as f64 / route.rule.bound() as f64,
                waited_ps: route.window.waiting_ps(now) as f64,
                held_back_ps: 0.0,
            };
            tell(ResourceKind::VirtualRouteWindow, &|| plan.name(), usage, &[]);
        }
        for (unit, params) in self.units.iter().zip(&params.unit) {
            tell(ResourceKind::Unit, &|| params.name.clone(), Usage::of(&unit.busy, now), &[]);
        }
    }
}

impl<J: Journal> Subarea<J> {
    /// Nothing is lost or made up, and no line or processor is idle while something waits for it.
    fn check(&self) {
        for node in &self.nodes {
            assert_eq!(node.waiting() as u64, node.processor.waiting(), "who waits stands in the queue");
            assert!(node.waiting() == 0 || node.processor.free() == 0, "a processor idles while a PIU waits");
        }
        for trunk in &self.trunks {
            assert_eq!(trunk.waiting() as u64, trunk.busy.waiting(), "who waits stands in a queue");
        }
        for session in &self.sessions {
            assert_eq!(session.waiting() as u64, session.window.waiting(), "who waits stands in the queue");
            if let Some(boundary) = &session.boundary {
                assert_eq!(
                    boundary.waiting() as u64,
                    boundary.window.waiting(),
                    "who waits stands in the queue"
                );
            }
        }
        let loses = self.plan.routes.iter().any(|route| route.keeps_copies);
        let backlog = self.monitor.backlog();
        assert!(loses || backlog <= self.under_way() as u64, "a message under way has a PIU");
    }

    fn add_nodes(&self, now: Time, report: &mut Report) {
        let delivered = report.measured.messages;
        for (number, (node, params)) in (0..).zip(self.nodes.iter().zip(&self.plan.params().node)) {
            let label =
                |kind| PoolLabel { kind, place: &params.name, site: Site::Node(number), unit: "PIUs" };
            if !node.service.is_nothing() {
                report.resources.push(node.processor.row(now, label(ResourceKind::NodeProcessor), delivered));
            }
            if node.buffers.capacity().is_some() {
                report.resources.push(node.buffers.row(now, label(ResourceKind::NodeBuffers), delivered));
            }
        }
    }

    fn add_trunks(&self, now: Time, report: &mut Report) {
        let delivered = report.measured.messages;
        for trunk in self.plan.used_trunks() {
            let (plan, at) = (self.plan.trunks[trunk], &self.trunks[trunk]);
            let (number, from, to) = (plan.group as u32, plan.from as u32, plan.to as u32);
            let place = self.plan.trunk_name(trunk);
            let site = Site::Line { number, from, to };
            let label = PoolLabel { kind: ResourceKind::Line, place: &place, site, unit: "PIUs" };
            let ends = [plan.from, plan.to].map(|node| self.plan.params().node[node].name.clone());
            let row = at.busy.row(now, label, delivered);
            let held_in = self.held_in(now, at, report.measured.span_s * 1e12);
            report.resources.push(ResourceRow { ends: Some(ends), held_in, ..row });
        }
    }

    /// What the lines of a group do: what they send by priority, where there are several, or apart answers where these
    /// take much of it; and how long they are idle since the next node has no buffer for what waits. Nothing where none
    /// of it is so.
    fn held_in(&self, now: Time, at: &Trunk, span_ps: f64) -> Vec<HeldIn> {
        let stopped = at.stopped.mean(now);
        let shares = self.plan.shares_priorities();
        let sending = (0u8..).zip(at.sending_ps).filter(|&(_, spent)| spent > 0);
        let mut found: Vec<HeldIn> = sending
            .map(|(priority, spent)| {
                let sends = HoldWhy::Sending;
                let activity = if shares { HoldActivity::in_lane(sends, priority) } else { sends.into() };
                HeldIn { activity, occupancy: spent as f64 / span_ps.max(1.0), entered: 0 }
            })
            .collect();
        let answers = at.answers_ps as f64 / span_ps.max(1.0);
        let all: f64 = found.iter().map(|held| held.occupancy).sum();
        if !shares && answers >= MANY_ANSWERS * all && answers > 0.0 {
            let parts = [HeldIn::of(HoldWhy::Data, all - answers), HeldIn::of(HoldWhy::Replies, answers)];
            found = parts.into_iter().filter(|part| part.occupancy > 0.0).collect();
        } else {
            found.retain(|_| shares || stopped > 0.0);
        }
        found.extend((stopped > 0.0).then(|| HeldIn::of(HoldWhy::Stopped, stopped)));
        found
    }

    fn add_windows(&self, now: Time, report: &mut Report) {
        let delivered = report.measured.messages;
        for (plan, route) in self.plan.routes.iter().zip(&self.routes) {
            let ends = [plan.nodes[0], plan.nodes[plan.nodes.len() - 1]];
            let site = Site::Pair { from: ends[0] as u32, to: ends[1] as u32 };
            let (kind, place) = (ResourceKind::VirtualRouteWindow, plan.name());
            let label = PoolLabel { kind, place: &place, site, unit: "PIUs" };
            let ends = Some(ends.map(|node| self.plan.params().node[node].name.clone()));
            let row = window_row(now, &route.window, &route.open, label, delivered);
            report.resources.push(ResourceRow { ends, ..row });
        }
        for (number, (plan, session)) in self.plan.sessions.iter().zip(&self.sessions).enumerate() {
            if plan.pacing.is_none() {
                continue;
            }
            let route = &self.plan.routes[plan.route];
            let site =
                Site::Pair { from: route.nodes[0] as u32, to: route.nodes[route.nodes.len() - 1] as u32 };
            let (kind, place) = (ResourceKind::SessionWindow, session_name(number));
            let label = PoolLabel { kind, place: &place, site, unit: "messages" };
            report.resources.push(window_row(now, &session.window, &session.open, label, delivered));
        }
        for (number, (plan, session)) in self.plan.sessions.iter().zip(&self.sessions).enumerate() {
            let (Some(boundary), Some(unit)) = (&session.boundary, plan.unit) else { continue };
            let (kind, site) = (ResourceKind::BoundaryWindow, Site::Host(unit as u32));
            let label = PoolLabel { kind, place: &session_name(number), site, unit: "messages" };
            report.resources.push(window_row(now, &boundary.window, &boundary.open, label, delivered));
        }
    }

    fn add_units(&self, now: Time, report: &mut Report) {
        let delivered = report.measured.messages;
        for (number, (unit, params)) in (0..).zip(self.units.iter().zip(&self.plan.params().unit)) {
            let (kind, site) = (ResourceKind::Unit, Site::Host(number));
            let label = PoolLabel { kind, place: &params.name, site, unit: "messages" };
            report.resources.push(unit.busy.row(now, label, delivered));
        }
    }

    fn add_metrics(&self, now: Time, report: &mut Report) {
        let value = |key: &str| report.metric(key).and_then(|metric| metric.estimate);
        let mut found = Vec::new();
        if let (Some(throughput), Some(transit)) = (value("throughput.rate"), value("transit.mean")) {
            let power = Estimate {
                value: throughput.value / transit.value * 1e3,
                low: throughput.low / transit.high * 1e3,
                high: throughput.high / transit.low * 1e3,
                n: transit.n,
            };
            if transit.low > 0.0 {
                found.push(Metric::new("power", EVERY_CLASS, ("ratio", "1/s2"), power));
            }
        }
        let messages = report.measured.messages;
        for (plan, route) in self.plan.routes.iter().zip(&self.routes) {
            let window = Estimate::exact(route.size.mean(now), messages);
            found.push(Metric::new("window", &plan.name(), ("mean", "PIUs"), window));
            let most = Estimate::exact(route.peak as f64, messages);
            found.push(Metric::new("outstanding", &plan.name(), ("max", "PIUs"), most));
        }
        let (sent, lost) =
            self.trunks.iter().fold((0, 0), |(sent, lost), trunk| (sent + trunk.sent, lost + trunk.lost));
        if lost > 0 {
            let share = Estimate::exact(1e3 * lost as f64 / sent as f64, sent);
            found.push(Metric::new("lost frames", EVERY_CLASS, ("mean", "1/1000"), share));
        }
        let repeated: u64 = self.routes.iter().map(|route| route.repeated).sum();
        if repeated > 0 && messages > 0 {
            let share = Estimate::exact(1e3 * repeated as f64 / messages as f64, messages);
            found.push(Metric::new("retransmissions", EVERY_CLASS, ("mean", "1/1000"), share));
        }
        report.metrics.extend(found);
    }

    /// Places of the journal, in this order: nodes, directions of groups, virtual routes, sessions, units, second
    /// stages of sessions.
    pub(crate) fn trunk_place(&self, trunk: usize) -> u32 {
        (self.nodes.len() + trunk) as u32
    }

    pub(crate) fn route_place(&self, route: usize) -> u32 {
        self.trunk_place(self.trunks.len()) + route as u32
    }

    pub(crate) fn session_place(&self, session: usize) -> u32 {
        self.route_place(self.routes.len()) + session as u32
    }

    pub(crate) fn unit_place(&self, unit: usize) -> u32 {
        self.session_place(self.sessions.len()) + unit as u32
    }

    pub(crate) fn boundary_place(&self, session: usize) -> u32 {
        self.unit_place(self.units.len()) + session as u32
    }

    fn place_name(&self, place: usize) -> String {
        let after = |first: u32| place.checked_sub(first as usize);
        if let Some(session) = after(self.boundary_place(0)) {
            return format!("{}, second stage", session_name(session));
        }
        if let Some(unit) = after(self.unit_place(0)) {
            return self.plan.params().unit[unit].name.clone();
        }
        if let Some(session) = after(self.session_place(0)) {
            return session_name(session);
        }
        if let Some(route) = after(self.route_place(0)) {
            return self.plan.routes[route].name();
        }
        match after(self.trunk_place(0)) {
            Some(trunk) => self.plan.trunk_name(trunk),
            None => self.plan.params().node[place].name.clone(),
        }
    }
}

/// A session by its place in the scenario, from 1.
fn session_name(session: usize) -> String {
    format!("session {}", session + 1)
}

/// A window: what is outstanding, of what is outstanding or might be.
fn window_row(now: Time, window: &Pool, open: &Gauge, label: PoolLabel<'_>, delivered: u64) -> ResourceRow {
    let row = window.row(now, label, delivered);
    let permitted = row.occupancy + open.mean(now);
    let utilisation = if permitted > 0.0 { row.occupancy / permitted } else { 0.0 };
    ResourceRow { capacity: Some(permitted), utilisation, ..row }
}
