//! What can be wrong with a subarea network, field by field.

use std::collections::BTreeSet;

use hopscope_measure::{Problem, did_you_mean};
use hopscope_units::{Data, Rate, Span};

use crate::params::{GroupParams, Recovery, RuleKind, Service, SessionParams, SnaParams, VirtualRouteParams};

const SHORTEST: Span = Span::from_us(1);
const LONGEST: Span = Span::from_s(100);
const LONGEST_GAP: Span = Span::from_s(1_000);
const LONGEST_STOP: Span = Span::from_s(1_000);
const LEAST_PERIOD: Span = Span::from_s(1);
/// With slower lines and longer messages, few of them would use up simulated time.
const SLOWEST: Rate = Rate::from_bit_s(600);
const FASTEST: Rate = Rate::from_mbit_s(100_000);
const LONGEST_MESSAGE: Data = Data::from_bytes(65_535);
/// Names that a refusal lists.
const NAMES_SHOWN: usize = 6;
const LONGEST_HEADER: Data = Data::from_bytes(1_000);

impl SnaParams {
    /// Everything that is wrong with single fields and with their references to each other; paths begin at the
    /// parameters themselves.
    #[must_use]
    pub fn problems(&self) -> Vec<Problem> {
        let mut found = Vec::new();
        self.check_counts(&mut found);
        self.check_names(&mut found);
        self.check_nodes(&mut found);
        self.check_groups(&mut found);
        for at in 0..self.route.len() {
            self.check_route(at, &mut found);
        }
        self.check_virtual_routes(&mut found);
        self.check_units(&mut found);
        self.check_sessions(&mut found);
        for (field, length) in [("piu", self.header.piu), ("answer", self.header.answer)] {
            let path = format!("header.{field}");
            check_range(path, "length", length, (Data::ZERO, LONGEST_HEADER), &mut found);
        }
        found
    }

    fn check_counts(&self, found: &mut Vec<Problem>) {
        let things = SnaParams::MOST_THINGS;
        let counts = [
            ("node", self.node.len(), (2, SnaParams::MOST_NODES)),
            ("group", self.group.len(), (1, things)),
            ("route", self.route.len(), (1, things)),
            ("virtual_route", self.virtual_route.len(), (1, things)),
            ("session", self.session.len(), (1, things)),
            ("unit", self.unit.len(), (0, things)),
        ];
        for (path, count, range) in counts {
            check_range(path, "count", count, range, found);
        }
    }

    fn check_names(&self, found: &mut Vec<Problem>) {
        let lists = [
            ("node", self.node.iter().map(|node| &node.name).collect::<Vec<_>>()),
            ("group", self.group.iter().map(|group| &group.name).collect()),
            ("route", self.route.iter().map(|route| &route.name).collect()),
            ("unit", self.unit.iter().map(|unit| &unit.name).collect()),
        ];
        for (list, names) in lists {
            let mut known = BTreeSet::new();
            for (at, name) in names.into_iter().enumerate() {
                let path = format!("{list}[{at}].name");
                if name.is_empty() {
                    found.push(Problem::new(path, "the name is empty", "a name"));
                } else if !known.insert(name) {
                    found.push(Problem::new(
                        path,
                        format!("\"{name}\" is there already"),
                        "a name of its own",
                    ));
                }
            }
        }
    }

    fn check_nodes(&self, found: &mut Vec<Problem>) {
        for (at, node) in self.node.iter().enumerate() {
            let path = |field: &str| format!("node[{at}].{field}");
            check_service(&path("service"), node.service, found);
            let amounts = [("buffers", node.buffers), ("moderate", node.moderate), ("severe", node.severe)];
            for (field, amount) in amounts {
                let range = (1, SnaParams::MOST_BUFFERS);
                amount.into_iter().for_each(|amount| check_range(path(field), "count", amount, range, found));
            }
            if let (Some(moderate), Some(severe)) = (node.moderate, node.severe)
                && severe < moderate
            {
                let problem = format!("{severe} is below the moderate threshold, {moderate}");
                found.push(Problem::new(path("severe"), problem, format!("at least {moderate}")));
            }
        }
    }

    fn check_groups(&self, found: &mut Vec<Problem>) {
        for (at, group) in self.group.iter().enumerate() {
            let path = |field: &str| format!("group[{at}].{field}");
            for (end, name) in group.between.iter().enumerate() {
                check_known(path(&format!("between[{end}]")), "node", name, self.node_names(), found);
            }
            if group.between[0] == group.between[1] {
                let problem = format!("the group leads from \"{}\" to itself", group.between[0]);
                found.push(Problem::new(path("between"), problem, "two nodes"));
            }
            let lines = group.line.len();
            if lines == 0 || lines > SnaParams::MOST_LINES {
                let problem = format!("{lines} parallel lines are out of range");
                let expected = format!("from 1 to {} lines", SnaParams::MOST_LINES);
                let hint = (lines > 0).then(|| "make a second group beside this one".to_owned());
                found.push(Problem { hint, ..Problem::new(path("line"), problem, expected) });
            }
            check_lines(at, group, found);
            if let Some(longest) = group.longest
                && longest <= self.header.piu
            {
                let problem = format!("{longest} leaves no room behind the header of {}", self.header.piu);
                found.push(Problem::new(path("longest"), problem, format!("more than {}", self.header.piu)));
            }
        }
    }

    /// A route whose groups do not lead from node to node, or that passes a node twice, is none.
    fn check_route(&self, at: usize, found: &mut Vec<Problem>) {
        let (route, before) = (&self.route[at], found.len());
        check_known(format!("route[{at}].from"), "node", &route.from, self.node_names(), found);
        let hops = route.groups.len();
        let path = format!("route[{at}].groups");
        check_range(path, "count of groups", hops, (1, SnaParams::MOST_HOPS), found);
        for (hop, name) in route.groups.iter().enumerate() {
            let names = self.group.iter().map(|group| group.name.as_str());
            check_known(format!("route[{at}].groups[{hop}]"), "group", name, names, found);
        }
        if found.len() > before {
            return;
        }
        let (mut here, mut passed) = (route.from.as_str(), BTreeSet::from([route.from.as_str()]));
        for (hop, name) in route.groups.iter().enumerate() {
            let path = format!("route[{at}].groups[{hop}]");
            let Some(group) = self.group.iter().find(|group| group.name == *name) else { return };
            let [a, b] = &group.between;
            let there = if a == here {
                b
            } else if b == here {
                a
            } else {
                let problem =
                    format!("group \"{name}\" joins \"{a}\" and \"{b}\", and the route is at \"{here}\"");
                let expected = format!("a group that begins or ends at \"{here}\"");
                let from_here = |group: &&GroupParams| group.between.iter().any(|end| end == here);
                let names: Vec<String> =
                    self.group.iter().filter(from_here).map(|group| format!("\"{}\"", group.name)).collect();
                let hint = (!names.is_empty()).then(|| format!("from there lead {}", names.join(", ")));
                found.push(Problem { hint, ..Problem::new(path, problem, expected) });
                return;
            };
            if !passed.insert(there) {
                let problem = format!("the route comes to \"{there}\" a second time");
                found.push(Problem::new(path, problem, "every node once"));
                return;
            }
            here = there;
        }
    }

    fn check_virtual_routes(&self, found: &mut Vec<Problem>) {
        let mut numbers = BTreeSet::new();
        for (at, route) in self.virtual_route.iter().enumerate() {
            let path = |field: &str| format!("virtual_route[{at}].{field}");
            check_range(path("number"), "number", route.number, (0, 65_535), found);
            if !numbers.insert(route.number) {
                let problem = format!("virtual route {} is there already", route.number);
                found.push(Problem::new(path("number"), problem, "a number of its own"));
            }
            let names = self.route.iter().map(|route| route.name.as_str());
            check_known(path("route"), "route", &route.route, names, found);
            check_range(path("priority"), "priority", route.priority, (0, 2), found);
            check_range(path("timeout"), "time", route.timeout, (Span::from_ms(1), LONGEST), found);
            self.check_window(at, route, found);
            self.check_recovery(at, route, found);
        }
    }

    fn check_window(&self, at: usize, route: &VirtualRouteParams, found: &mut Vec<Problem>) {
        let path = |field: &str| format!("virtual_route[{at}].{field}");
        let before = found.len();
        let most =
            if route.rule == RuleKind::Hdlc { SnaParams::MOST_HDLC_WINDOW } else { SnaParams::MOST_WINDOW };
        let windows = [("window", route.window), ("least", route.least), ("most", route.most)];
        for (field, window) in windows {
            let Some(window) = window else { continue };
            check_range(path(field), "window", window, (1, most), found);
            if field != "window" && route.rule != RuleKind::Pacing {
                let problem = "only pacing has a window that moves";
                let hint = Some("say `window` for a constant one".to_owned());
                found.push(Problem { hint, ..Problem::new(path(field), problem, "rule = \"pacing\"") });
            } else if field != "window" && route.window.is_some() {
                let problem = "`window` is given, which is constant";
                found.push(Problem::new(path(field), problem, "either `window`, or `least` and `most`"));
            }
        }
        if route.window.is_some_and(|window| window != 1) && route.rule == RuleKind::StopAndWait {
            let problem = "one at a time is a window of 1";
            let hint = Some("leave it out, or say rule = \"sliding\"".to_owned());
            found.push(Problem { hint, ..Problem::new(path("window"), problem, "no window") });
        }
        let groups = self.groups_of(route);
        if let (Some((least, most)), true) = (route.bounds(groups), found.len() == before)
            && least > most
        {
            let problem = format!("the least window, {least}, is above the greatest, {most}");
            let field = if route.least.is_some() { "least" } else { "most" };
            let expected =
                if route.least.is_some() { format!("at most {most}") } else { format!("at least {least}") };
            let hint = (route.least.is_none() || route.most.is_none()).then(|| {
                format!(
                    "by default they are the number of transmission groups, {groups}, and three times that"
                )
            });
            found.push(Problem { hint, ..Problem::new(path(field), problem, expected) });
        }
    }

    /// Only HDLC sends again what a line has lost.
    fn check_recovery(&self, at: usize, route: &VirtualRouteParams, found: &mut Vec<Problem>) {
        if let Some(name) = self.group_without_recovery(route)
            && route.rule != RuleKind::Hdlc
        {
            let problem = format!("group \"{name}\" leaves recovery to the ends, and this rule has none");
            let hint = Some(format!("say rule = \"hdlc\", or recovery = \"line\" in group \"{name}\""));
            let expected = "rule = \"hdlc\"";
            found.push(Problem {
                hint,
                ..Problem::new(format!("virtual_route[{at}].rule"), problem, expected)
            });
        }
    }

    /// The first group of a virtual route that leaves recovery to the ends.
    fn group_without_recovery(&self, route: &VirtualRouteParams) -> Option<&String> {
        let explicit = self.route.iter().find(|explicit| explicit.name == route.route)?;
        let leaves = |name: &&String| {
            self.group.iter().any(|group| group.name == **name && group.recovery == Recovery::End)
        };
        explicit.groups.iter().find(leaves)
    }

    /// The virtual route that carries a session.
    pub(crate) fn route_of(&self, session: &SessionParams) -> Option<&VirtualRouteParams> {
        self.virtual_route
            .iter()
            .find(|route| session.virtual_route.is_none_or(|number| number == route.number))
    }

    /// The number of transmission groups of a virtual route.
    pub(crate) fn groups_of(&self, route: &VirtualRouteParams) -> u32 {
        let explicit = self.route.iter().find(|explicit| explicit.name == route.route);
        explicit.map_or(1, |explicit| explicit.groups.len() as u32).max(1)
    }

    fn check_units(&self, found: &mut Vec<Problem>) {
        for (at, unit) in self.unit.iter().enumerate() {
            let path = |field: &str| format!("unit[{at}].{field}");
            check_known(path("node"), "node", &unit.node, self.node_names(), found);
            check_service(&path("service"), unit.service, found);
            let Some(stop) = unit.stop else { continue };
            check_range(path("stop.first"), "time", stop.first, (Span::from_ps(0), LONGEST_STOP), found);
            check_range(path("stop.lasts"), "time", stop.lasts, (Span::from_ms(1), LONGEST_STOP), found);
            if let Some(every) = stop.every
                && (every <= stop.lasts || !(LEAST_PERIOD..=LONGEST_STOP).contains(&every))
            {
                let problem = format!("time {every} is out of range");
                let expected =
                    format!("longer than a stop ({}), from {LEAST_PERIOD} to {LONGEST_STOP}", stop.lasts);
                found.push(Problem::new(path("stop.every"), problem, expected));
            }
        }
    }

    fn check_sessions(&self, found: &mut Vec<Problem>) {
        for (at, session) in self.session.iter().enumerate() {
            let path = |field: &str| format!("session[{at}].{field}");
            check_range(path("size"), "length", session.size, (Data::from_bytes(1), LONGEST_MESSAGE), found);
            if let Some(gap) = session.gap {
                check_range(path("gap"), "time", gap, (SHORTEST, LONGEST_GAP), found);
            }
            if let Some(window) = session.pacing {
                check_range(path("pacing"), "window", window, (1, SnaParams::MOST_SESSION_WINDOW), found);
            } else if session.adaptive {
                let problem = "there is no session-level pacing that could be adaptive";
                found.push(Problem::new(path("adaptive"), problem, "`pacing`, the greatest window"));
            }
            self.check_boundary(at, session, found);
            let Some(route) = self.route_of(session) else {
                let problem = session.virtual_route.map_or_else(
                    || "there is no virtual route".to_owned(),
                    |number| format!("there is no virtual route {number}"),
                );
                let numbers: Vec<String> =
                    self.virtual_route.iter().map(|route| route.number.to_string()).collect();
                let expected = format!("one of {}", numbers.join(", "));
                found.push(Problem::new(path("virtual_route"), problem, expected));
                continue;
            };
            self.check_segments(at, route, found);
            if let (Some(name), Some(_)) = (self.group_without_recovery(route), session.pacing) {
                let problem =
                    format!("a response could be lost: group \"{name}\" leaves recovery to the ends");
                let hint = Some(format!("leave it out, or say recovery = \"line\" in group \"{name}\""));
                found.push(Problem {
                    hint,
                    ..Problem::new(path("pacing"), problem, "no session-level pacing")
                });
            }
            let Some(name) = &session.unit else { continue };
            let names = self.unit.iter().map(|unit| unit.name.as_str());
            let known = found.len();
            check_known(path("unit"), "unit", name, names, found);
            let (unit, end) = (self.unit.iter().find(|unit| unit.name == *name), self.end_of(route));
            if let (Some(unit), Some(end), true) = (unit, end, found.len() == known)
                && unit.node != end
            {
                let problem =
                    format!("unit \"{name}\" is at \"{}\", and the route ends at \"{end}\"", unit.node);
                found.push(Problem::new(path("unit"), problem, format!("a unit at \"{end}\"")));
            }
        }
    }

    /// A second stage follows a first one, and leads to a unit.
    fn check_boundary(&self, at: usize, session: &SessionParams, found: &mut Vec<Problem>) {
        let Some(window) = session.boundary else { return };
        let path = format!("session[{at}].boundary");
        check_range(path.clone(), "window", window, (1, SnaParams::MOST_SESSION_WINDOW), found);
        if session.pacing.is_none() {
            let problem = "there is no first stage of session-level pacing";
            found.push(Problem::new(path, problem, "`pacing`, its window"));
        } else if session.unit.is_none() {
            let problem = "the session ends in the boundary node itself";
            found.push(Problem::new(path, problem, "`unit`, where the second stage leads"));
        }
    }

    fn check_segments(&self, at: usize, route: &VirtualRouteParams, found: &mut Vec<Problem>) {
        let size = self.session[at].size;
        if let Some(room) = self.segment_room(route)
            && room > Data::ZERO
            && size.bits().div_ceil(room.bits()) > SnaParams::MOST_SEGMENTS
        {
            let problem = format!("{size} are more than {} segments of {room}", SnaParams::MOST_SEGMENTS);
            let expected = format!("at most {} segments", SnaParams::MOST_SEGMENTS);
            found.push(Problem::new(format!("session[{at}].size"), problem, expected));
        }
    }

    /// The most data that a PIU carries on a route; nothing where no line bounds it.
    pub(crate) fn segment_room(&self, route: &VirtualRouteParams) -> Option<Data> {
        let explicit = self.route.iter().find(|explicit| explicit.name == route.route)?;
        let of = |name: &String| self.group.iter().find(|group| group.name == *name);
        let longest = explicit.groups.iter().filter_map(of).filter_map(|group| group.longest).min()?;
        Some(Data::from_bits(longest.bits().saturating_sub(self.header.piu.bits())))
    }

    /// The node where a virtual route ends, where its explicit route is one.
    fn end_of(&self, route: &VirtualRouteParams) -> Option<&str> {
        let explicit = self.route.iter().find(|explicit| explicit.name == route.route)?;
        let mut here = explicit.from.as_str();
        for name in &explicit.groups {
            let [a, b] = &self.group.iter().find(|group| group.name == *name)?.between;
            here = if a == here { b } else { a };
        }
        Some(here)
    }

    fn node_names(&self) -> impl Iterator<Item = &str> + Clone {
        self.node.iter().map(|node| node.name.as_str())
    }
}

impl VirtualRouteParams {
    /// The least and the greatest window of pacing over this number of transmission groups; None for other rules.
    pub(crate) fn bounds(&self, groups: u32) -> Option<(u32, u32)> {
        let least = self.window.or(self.least).unwrap_or(groups);
        let most = self.window.or(self.most).unwrap_or(3 * groups);
        (self.rule == RuleKind::Pacing).then_some((least, most))
    }
}

fn check_lines(at: usize, group: &GroupParams, found: &mut Vec<Problem>) {
    for (number, line) in group.line.iter().enumerate() {
        let path = |field: &str| format!("group[{at}].line[{number}].{field}");
        check_range(path("rate"), "rate", line.rate, (SLOWEST, FASTEST), found);
        check_range(path("propagation"), "time", line.propagation, (Span::from_ps(0), LONGEST), found);
        check_range(path("errors"), "share", line.errors, (0.0, SnaParams::MOST_ERRORS), found);
    }
}

fn check_service(path: &str, service: Service, found: &mut Vec<Problem>) {
    let field = match service {
        Service::Exponential(_) => "exponential",
        Service::Fixed(_) => "fixed",
    };
    check_range(format!("{path}.{field}"), "time", service.mean(), (Span::from_ps(0), LONGEST), found);
}

fn check_range<T: Copy + PartialOrd + std::fmt::Display>(
    path: impl Into<String>,
    what: &str,
    value: T,
    (least, most): (T, T),
    found: &mut Vec<Problem>,
) {
    if !(value >= least && value <= most) {
        let problem = format!("{what} {value} is out of range");
        found.push(Problem::new(path, problem, format!("from {least} to {most}")));
    }
}

fn check_known<'a>(
    path: String,
    what: &str,
    name: &str,
    names: impl Iterator<Item = &'a str> + Clone,
    found: &mut Vec<Problem>,
) {
    if !names.clone().any(|known| known == name) {
        let hint = did_you_mean(name, names.clone());
        let problem = format!("there is no {what} \"{name}\"");
        let known: Vec<String> = names.take(NAMES_SHOWN).map(|name| format!("\"{name}\"")).collect();
        let expected = if known.is_empty() {
            format!("the name of a {what}")
        } else {
            format!("the name of a {what}, such as {}", known.join(", "))
        };
        found.push(Problem { hint, ..Problem::new(path, problem, expected) });
    }
}
