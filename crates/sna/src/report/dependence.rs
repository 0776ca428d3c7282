//! The needs of the holders of windows and buffers, for explanations of a run.

use hopscope_measure::{Dependence, HoldWhy, ResourceKind, ResourceRow, Site};

use crate::plan::{RoutePlan, SnaPlan};

/// A PIU in a window needs what it passes on its route; one in a node's buffers needs the node's processor, its lines,
/// its units and the buffers behind them; a line that is stopped needs the buffers of the next node; a message in the
/// window of its session needs the virtual route and its unit, or before that the second stage; one in the window of
/// the second stage needs the unit.
pub(crate) fn dependences(plan: &SnaPlan, rows: &[ResourceRow]) -> Vec<Dependence> {
    let (mut route, mut session) = (0..plan.routes.len(), 0..plan.sessions.len());
    let mut paced = session.by_ref().filter(|&session| plan.sessions[session].pacing.is_some());
    let mut found = Vec::new();
    for (holder, row) in rows.iter().enumerate() {
        let needed: Vec<usize> = match row.kind {
            ResourceKind::VirtualRouteWindow => {
                let number = route.next().expect("a row for each virtual route, in their order");
                needed_by(rows, |other| {
                    is_on(plan, &plan.routes[number], other) || holds_back(plan, number, other)
                })
            }
            ResourceKind::SessionWindow => {
                let number = paced.next().expect("a row for each session that is paced, in their order");
                let session = &plan.sessions[number];
                let first = rows.iter().position(|row| row.kind == ResourceKind::VirtualRouteWindow);
                let own = first.map(|first| first + session.route);
                let mut needed = needed_by(rows, |other| {
                    is_on(plan, &plan.routes[session.route], other)
                        || session.unit.is_some_and(|unit| other.site == Site::Host(unit as u32))
                });
                needed.extend(own);
                needed
            }
            ResourceKind::BoundaryWindow => {
                needed_by(rows, |other| other.kind == ResourceKind::Unit && other.site == row.site)
            }
            ResourceKind::NodeBuffers => needed_by(rows, |other| empties(plan, row.site, other)),
            ResourceKind::Line => needed_by(rows, |other| takes_from(row.site, other)),
            _ => Vec::new(),
        };
        let activity = (row.kind == ResourceKind::Line).then(|| HoldWhy::Stopped.into());
        found.extend(needed.into_iter().map(|needs| Dependence { holder, activity, needs }));
    }
    found
}

fn needed_by(rows: &[ResourceRow], is_needed: impl Fn(&ResourceRow) -> bool) -> Vec<usize> {
    rows.iter().enumerate().filter(|(_, row)| is_needed(row)).map(|(at, _)| at).collect()
}

/// Whether the PIUs of a route pass this.
fn is_on(plan: &SnaPlan, route: &RoutePlan, other: &ResourceRow) -> bool {
    match (other.kind, other.site) {
        (ResourceKind::NodeProcessor | ResourceKind::NodeBuffers, Site::Node(node)) => {
            route.nodes.contains(&(node as usize))
        }
        (ResourceKind::Line, Site::Line { number, from, .. }) => route.forward.iter().any(|&trunk| {
            let trunk = plan.trunks[trunk];
            (trunk.group, trunk.from) == (number as usize, from as usize)
        }),
        _ => false,
    }
}

/// Whether a unit makes the end of a route hold its answers back: the node where it is has a threshold for that.
fn holds_back(plan: &SnaPlan, route: usize, other: &ResourceRow) -> bool {
    let last = plan.routes[route].nodes.last().copied().unwrap_or(0);
    let has_threshold =
        plan.params().node[last].severe.is_some() || plan.params().node[last].moderate.is_some();
    let Site::Host(unit) = other.site else { return false };
    has_threshold && other.kind == ResourceKind::Unit && plan.units[unit as usize] == last
}

/// Whether these are the buffers that a line sends into.
fn takes_from(line: Site, other: &ResourceRow) -> bool {
    let Site::Line { to, .. } = line else { return false };
    other.kind == ResourceKind::NodeBuffers && other.site == Site::Node(to)
}

/// Whether a node's buffers empty into this.
fn empties(plan: &SnaPlan, node: Site, other: &ResourceRow) -> bool {
    let Site::Node(node) = node else { return false };
    match (other.kind, other.site) {
        (ResourceKind::NodeProcessor, site) => site == Site::Node(node),
        (ResourceKind::Line, Site::Line { from, .. }) => from == node,
        (ResourceKind::Unit | ResourceKind::BoundaryWindow, Site::Host(unit)) => {
            plan.units[unit as usize] == node as usize
        }
        (ResourceKind::NodeBuffers, Site::Node(next)) => {
            plan.trunks.iter().any(|trunk| (trunk.from, trunk.to) == (node as usize, next as usize))
        }
        _ => false,
    }
}
