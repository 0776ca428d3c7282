//! A subarea network that is known to be right: names resolved, routes as lists of numbers.

use hopscope_measure::Problem;
use hopscope_units::Data;

use crate::params::{RuleKind, SnaParams};
use crate::rule::{
    AdaptivePacing, Answering, ChosenRule, EndAcknowledged, Hdlc, Ordering, Pacing, Receiver, Sliding,
    StopAndWait, X25,
};

/// One direction of a transmission group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TrunkPlan {
    pub group: usize,
    pub from: usize,
    pub to: usize,
}

/// A virtual route.
#[derive(Clone, Debug)]
pub(crate) struct RoutePlan {
    pub number: u32,
    pub priority: usize,
    /// The nodes that it passes.
    pub nodes: Vec<usize>,
    /// The trunks from each node to the next.
    pub forward: Vec<usize>,
    /// The trunks from each node, but the first, to the one before.
    pub back: Vec<usize>,
    /// The rule at its start.
    pub rule: ChosenRule,
    /// The other end.
    pub receiver: Receiver,
    /// Whether a copy of what is outstanding is kept, to be sent again.
    pub keeps_copies: bool,
    /// Whether it has to be activated.
    pub activation: bool,
}

impl RoutePlan {
    /// Its name, such as "virtual route 3".
    pub fn name(&self) -> String {
        format!("virtual route {}", self.number)
    }
}

/// A session.
#[derive(Clone, Debug)]
pub(crate) struct SessionPlan {
    pub route: usize,
    pub unit: Option<usize>,
    pub size: Data,
    /// The lengths of its PIUs, headers included.
    pub segments: Vec<Data>,
    /// Session-level pacing, and its greatest window.
    pub pacing: Option<(ChosenRule, u32)>,
    /// Its second stage, between the boundary node and the unit.
    pub boundary: Option<ChosenRule>,
}

/// A network ready to run.
#[derive(Clone, Debug)]
pub struct SnaPlan {
    pub(crate) params: SnaParams,
    pub(crate) trunks: Vec<TrunkPlan>,
    pub(crate) routes: Vec<RoutePlan>,
    pub(crate) sessions: Vec<SessionPlan>,
    /// The node of each unit.
    pub(crate) units: Vec<usize>,
}

impl SnaPlan {
    /// The plan of these parameters.
    ///
    /// # Errors
    /// Everything that is wrong with them.
    pub fn new(params: SnaParams) -> Result<Self, Vec<Problem>> {
        let problems = params.problems();
        if !problems.is_empty() {
            return Err(problems);
        }
        let node = |name: &str| position(params.node.iter().map(|node| node.name.as_str()), name);
        let trunks: Vec<TrunkPlan> = (0..)
            .zip(&params.group)
            .flat_map(|(group, params)| {
                let [a, b] = [0, 1].map(|end| node(&params.between[end]));
                [TrunkPlan { group, from: a, to: b }, TrunkPlan { group, from: b, to: a }]
            })
            .collect();
        let units = params.unit.iter().map(|unit| node(&unit.node)).collect();
        let mut plan = Self { trunks, routes: Vec::new(), sessions: Vec::new(), units, params };
        plan.routes = (0..plan.params.virtual_route.len()).map(|at| plan.route(at)).collect();
        plan.sessions = (0..plan.params.session.len()).map(|at| plan.session(at)).collect();
        Ok(plan)
    }

    /// The parameters.
    #[must_use]
    pub const fn params(&self) -> &SnaParams {
        &self.params
    }

    /// The directions of groups that a route passes, one way or the other, in their order.
    pub(crate) fn used_trunks(&self) -> impl Iterator<Item = usize> {
        let uses = |trunk: usize| {
            self.routes.iter().any(|route| route.forward.contains(&trunk) || route.back.contains(&trunk))
        };
        (0..self.trunks.len()).filter(move |&trunk| uses(trunk))
    }

    /// A direction of a group by its two nodes, and by its name where other groups join them as well.
    pub(crate) fn trunk_name(&self, trunk: usize) -> String {
        let TrunkPlan { group, from, to } = self.trunks[trunk];
        let [a, b] = [from, to].map(|node| &self.params.node[node].name);
        let alike = self.trunks.iter().filter(|other| (other.from, other.to) == (from, to)).count();
        let name = &self.params.group[group].name;
        if alike > 1 { format!("{a} -> {b} by {name}") } else { format!("{a} -> {b}") }
    }

    /// Whether virtual routes have different transmission priorities.
    pub(crate) fn shares_priorities(&self) -> bool {
        self.routes.iter().any(|route| route.priority != self.routes[0].priority)
    }

    fn route(&self, at: usize) -> RoutePlan {
        let params = &self.params.virtual_route[at];
        let names = self.params.route.iter().map(|route| route.name.as_str());
        let explicit = &self.params.route[position(names, &params.route)];
        let mut here = position(self.params.node.iter().map(|node| node.name.as_str()), &explicit.from);
        let (mut nodes, mut forward, mut back) = (vec![here], Vec::new(), Vec::new());
        for name in &explicit.groups {
            let group = position(self.params.group.iter().map(|group| group.name.as_str()), name);
            let out = 2 * group + usize::from(self.trunks[2 * group].from != here);
            here = self.trunks[out].to;
            nodes.push(here);
            forward.push(out);
            back.push(out ^ 1);
        }
        let window = u64::from(params.window.unwrap_or(if params.rule == RuleKind::X25 { 2 } else { 7 }));
        let rule = match params.rule {
            RuleKind::Pacing => {
                let bounds = params.bounds(self.params.groups_of(params));
                let (least, most) = bounds.expect("pacing has a least and a greatest window");
                ChosenRule::Pacing(Pacing::new(u64::from(least), u64::from(most)))
            }
            RuleKind::Sliding => ChosenRule::Sliding(Sliding::new(window)),
            RuleKind::EndAcknowledged => ChosenRule::EndAcknowledged(EndAcknowledged::new(window)),
            RuleKind::StopAndWait => ChosenRule::StopAndWait(StopAndWait::new()),
            RuleKind::X25 => ChosenRule::X25(X25::new(window)),
            RuleKind::Hdlc => ChosenRule::Hdlc(Hdlc::new(window, params.reject)),
        };
        let (answering, ordering) = match params.rule {
            RuleKind::Pacing | RuleKind::EndAcknowledged => (Answering::Requests, Ordering::Kept),
            RuleKind::Sliding | RuleKind::StopAndWait => (Answering::EachAlways, Ordering::Kept),
            RuleKind::X25 => (Answering::Each, Ordering::Kept),
            RuleKind::Hdlc => (Answering::EachAlways, Ordering::Lossy(params.reject)),
        };
        RoutePlan {
            number: params.number,
            priority: params.priority as usize,
            nodes,
            forward,
            back,
            rule,
            receiver: Receiver::new(answering, ordering),
            keeps_copies: params.rule == RuleKind::Hdlc,
            activation: params.activation,
        }
    }

    fn session(&self, at: usize) -> SessionPlan {
        let params = &self.params.session[at];
        let own = self.params.route_of(params).expect("sessions name a virtual route that there is").number;
        let route = self.routes.iter().position(|route| route.number == own).expect("every one has a plan");
        let room = self.params.segment_room(&self.params.virtual_route[route]).unwrap_or(params.size);
        let (room, header) = (room.bits(), self.params.header.piu.bits());
        let count = params.size.bits().div_ceil(room);
        let length = |nth: u64| room.min(params.size.bits() - nth * room);
        let names = || self.params.unit.iter().map(|unit| unit.name.as_str());
        let pacing = params.pacing.map(|window| {
            let rule = if params.adaptive {
                ChosenRule::AdaptivePacing(AdaptivePacing::adaptive(u64::from(window)))
            } else {
                ChosenRule::Pacing(Pacing::fixed(u64::from(window)))
            };
            (rule, window)
        });
        SessionPlan {
            route,
            unit: params.unit.as_ref().map(|name| position(names(), name)),
            size: params.size,
            segments: (0..count).map(|nth| Data::from_bits(length(nth) + header)).collect(),
            pacing,
            boundary: params.boundary.map(|window| ChosenRule::Pacing(Pacing::fixed(u64::from(window)))),
        }
    }
}

fn position<'a>(mut names: impl Iterator<Item = &'a str>, name: &str) -> usize {
    names.position(|known| known == name).expect("names are checked")
}
