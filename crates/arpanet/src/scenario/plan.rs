//! From parameters to a subnet that is ready to run.

use std::collections::BTreeMap;
use std::collections::VecDeque;

use hopscope_measure::{MOST_CLASSES, Problem, too_many_classes};
use hopscope_units::{Rate, Span, Time};

use crate::routing::routing_table::{HOP, NO_PORT, Port};
use crate::scenario::outages::{LineChange, line_changes};
use crate::scenario::params::{ArpanetParams, Computer, LineParams};
use crate::scenario::site_plan::{SitesPlan, sites_plan};
use crate::scenario::validation::{self, MOST_HOSTS, Problems};

/// The most IMPs: their numbers had six bits.
pub const MOST_IMPS: usize = 63;
/// The most lines of an IMP (the real one had five interfaces).
const MOST_PORTS: usize = 32;

/// One direction of a line.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LinePlan {
    pub from: u8,
    pub to: u8,
    /// The number of the line at the IMP that sends, and at the one that receives.
    pub port: Port,
    pub far_port: Port,
    pub rate: Rate,
    pub delay: Span,
    /// From the moment in which the line is free to the first bit: the output program of the IMP that sends.
    pub output: Span,
}

/// An IMP.
#[derive(Clone, Debug)]
pub(crate) struct ImpPlan {
    pub name: String,
    pub computer: Computer,
    pub very_distant_host: bool,
    /// The lines on which it sends, by port.
    pub lines: Vec<u16>,
}

/// A host; the fake host of each IMP comes first, under the IMP's own number.
#[derive(Clone, Debug)]
pub(crate) struct HostPlan {
    pub name: String,
    pub imp: u8,
    /// Nothing for a fake host: it takes and gives packets as fast as the processor.
    pub rate: Option<Rate>,
    /// For what it takes, and for what it sends.
    pub per_message: Span,
    pub per_message_sent: Span,
    /// The delay of its start after the first message that it is sent when idle.
    pub begins_after: Span,
    /// From when to when it takes nothing.
    pub silent: Vec<(Time, Time)>,
}

impl HostPlan {
    /// Until when the host takes nothing, if it takes nothing now.
    pub fn silent_until(&self, now: Time) -> Option<Time> {
        let around = self.silent.iter().filter(|&&(from, until)| from <= now && now < until);
        around.map(|&(_, until)| until).max()
    }
}

/// A subnet, its hosts and its traffic, checked: any number of runs may share it.
#[derive(Clone, Debug)]
pub struct ArpanetPlan {
    pub(crate) params: ArpanetParams,
    pub(crate) imps: Vec<ImpPlan>,
    /// Two directions a line: 2k from its first IMP to its second, 2k + 1 back.
    pub(crate) lines: Vec<LinePlan>,
    pub(crate) hosts: Vec<HostPlan>,
    /// From and to of each flow.
    pub(crate) flows: Vec<(u32, u32)>,
    /// The class of each flow.
    pub(crate) flow_classes: Vec<u8>,
    pub(crate) classes: Vec<String>,
    /// Traffic between sites.
    pub(crate) sites: Option<SitesPlan>,
    /// IMPs between which the background traffic runs.
    pub(crate) background: Vec<u8>,
    /// Hops by the shortest path between IMPs, row by row.
    pub(crate) hops: Vec<u16>,
    /// What happens to lines.
    pub(crate) line_changes: Vec<LineChange>,
}

impl ArpanetPlan {
    /// Checks everything. Lines of a file must already stand among `params.network.line`.
    ///
    /// # Errors
    /// All problems found, with paths from the scenario's root such as `protocol.pending_leaders` or
    /// `network.line[3].between`.
    pub fn new(params: ArpanetParams) -> Result<Self, Vec<Problem>> {
        let mut problems = Problems::default();
        validation::of_params(&params, &mut problems);
        let mut imps = imps(&params, &mut problems);
        let numbers: BTreeMap<String, u8> =
            imps.iter().enumerate().map(|(i, imp)| (imp.name.clone(), i as u8)).collect();
        let lines = lines(&params, &numbers, &mut imps, &mut problems);
        let mut hosts = hosts(&params, &imps, &numbers, &mut problems);
        let flows = flows(&params, &hosts, &mut problems);
        let mut sites = sites_plan(params.sites.as_ref(), &imps, &mut hosts, &mut problems);
        interfaces(&params, &imps, &hosts, &mut problems);
        let background = background(&params, &imps, &mut problems);
        let line_changes = line_changes(&params, &imps, &lines, &mut problems);
        let hops = hops(imps.len(), &lines);
        connected(&params.network.line, &imps, &hops, &mut problems);
        let mut classes: Vec<String> = Vec::new();
        let mut class = |name: &str| {
            let known = classes.iter().position(|known| known == name);
            let number = known.unwrap_or_else(|| {
                classes.push(name.to_owned());
                classes.len() - 1
            });
            u8::try_from(number).unwrap_or(u8::MAX)
        };
        let flow_classes = params.flow.iter().map(|flow| class(&flow.class)).collect();
        if let Some(sites) = sites.as_mut().filter(|sites| sites.measured) {
            sites.classes = sites.class_names().map(class);
        }
        if classes.len() > MOST_CLASSES {
            problems.0.push(too_many_classes("flow"));
        }
        if !problems.0.is_empty() {
            return Err(problems.0);
        }
        Ok(Self {
            imps,
            lines,
            hosts,
            flows,
            flow_classes,
            classes,
            sites,
            background,
            hops,
            line_changes,
            params,
        })
    }

    /// The names of the IMPs, in the order of their numbers here.
    pub fn imp_names(&self) -> impl Iterator<Item = &str> {
        self.imps.iter().map(|imp| imp.name.as_str())
    }

    /// The two ends of every line, each with the line's number there.
    pub fn line_ends(&self) -> impl Iterator<Item = (&str, Port, &str, Port)> {
        let name = |imp: u8| self.imps[usize::from(imp)].name.as_str();
        self.lines
            .iter()
            .step_by(2)
            .map(move |line| (name(line.from), line.port, name(line.to), line.far_port))
    }

    /// The number of ordered pairs of IMPs by their distance in hops, including an IMP and itself.
    #[must_use]
    pub fn hop_histogram(&self) -> BTreeMap<u16, u64> {
        let mut pairs = BTreeMap::new();
        for &hops in &self.hops {
            *pairs.entry(hops).or_insert(0) += 1;
        }
        pairs
    }

    /// The mean number of hops between different IMPs.
    #[must_use]
    pub fn mean_hops(&self) -> f64 {
        let total: u64 = self.hops.iter().map(|&hops| u64::from(hops)).sum();
        total as f64 / (self.hops.len() - self.imps.len()) as f64
    }

    /// The routing table of an IMP on an idle net: estimates and best lines by the shortest paths; among equal ones the
    /// first line.
    pub(crate) fn idle_table(&self, imp: usize) -> (Vec<u16>, Vec<Port>) {
        let n = self.imps.len();
        let estimates = (0..n).map(|to| self.hops[imp * n + to] * HOP).collect();
        let best = |to: usize| {
            let nearer = |line: &&u16| {
                let next = usize::from(self.lines[usize::from(**line)].to);
                self.hops[next * n + to] + 1 == self.hops[imp * n + to]
            };
            self.imps[imp]
                .lines
                .iter()
                .find(nearer)
                .map_or(NO_PORT, |&line| self.lines[usize::from(line)].port)
        };
        (estimates, (0..n).map(best).collect())
    }
}

/// Lines lead from the first IMP to all others; to the first to which none does, a line is to blame that names it.
fn connected(lines: &[LineParams], imps: &[ImpPlan], hops: &[u16], problems: &mut Problems) {
    if let Some(apart) = (0..imps.len()).find(|&imp| hops[imp] == u16::MAX) {
        let name = &imps[apart].name;
        let place = place_of_imp(lines, name);
        problems.add(
            place,
            format!("no lines lead from {} to {name}", imps[0].name),
            "lines that connect all IMPs",
        );
    }
}

/// The first line that names an IMP.
fn place_of_imp(lines: &[LineParams], name: &str) -> String {
    let end = |line: &LineParams| line.between.iter().position(|known| known == name);
    let mut ends = lines.iter().enumerate().filter_map(|(nth, line)| Some((nth, end(line)?)));
    let (line, end) = ends.next().expect("IMPs are those that lines name");
    format!("network.line[{line}].between[{end}]")
}

fn imps(params: &ArpanetParams, problems: &mut Problems) -> Vec<ImpPlan> {
    let mut names: Vec<String> = Vec::new();
    for name in params.network.line.iter().flat_map(|line| &line.between) {
        if !names.contains(name) {
            names.push(name.clone());
        }
    }
    let mut numbers: BTreeMap<u32, &str> = BTreeMap::new();
    let mut imps: Vec<ImpPlan> = names
        .into_iter()
        .map(|name| ImpPlan { name, computer: Computer::H516, very_distant_host: false, lines: Vec::new() })
        .collect();
    for (index, imp) in params.network.imp.iter().enumerate() {
        let path = format!("network.imp[{index}]");
        let Some(place) = imps.iter().position(|plan| plan.name == imp.name) else {
            let problem = format!("the IMP \"{}\" has no lines", imp.name);
            let known = imps.iter().map(|plan| plan.name.as_str());
            problems.unknown(format!("{path}.name"), problem, "an IMP that a line names", &imp.name, known);
            continue;
        };
        let plan = &mut imps[place];
        (plan.computer, plan.very_distant_host) = (imp.processor, imp.very_distant_host);
        if let Some(number) = imp.number {
            if number == 0 || number > MOST_IMPS as u32 {
                problems.add(
                    format!("{path}.number"),
                    format!("the number {number}"),
                    format!("from 1 to {MOST_IMPS}"),
                );
            } else if let Some(other) = numbers.insert(number, &imp.name) {
                let problem = format!("{} and {} both have the number {number}", other, imp.name);
                problems.add(format!("{path}.number"), problem, "a number of its own for every IMP");
                problems
                    .hint(Some("without numbers, IMPs are numbered in the order of the lines".to_owned()));
            }
        }
        let twice = params.network.imp[..index].iter().any(|earlier| earlier.name == imp.name);
        if twice {
            problems.add(format!("{path}.name"), format!("{} is described twice", imp.name), "each IMP once");
        }
    }
    if imps.len() < 2 {
        problems.add(
            "network",
            if imps.is_empty() { "there are no IMPs" } else { "there is only one IMP" },
            format!("from 2 to {MOST_IMPS} IMPs, joined by lines"),
        );
        problems.hint(Some("add [[network.line]] with between = [\"A\", \"B\"]".to_owned()));
    } else if let Some(imp) = imps.get(MOST_IMPS) {
        problems.add(
            place_of_imp(&params.network.line, &imp.name),
            format!("{} IMPs are too many", imps.len()),
            format!("at most {MOST_IMPS} IMPs: their numbers had six bits"),
        );
    }
    imps.truncate(MOST_IMPS);
    imps
}

fn lines(
    params: &ArpanetParams,
    numbers: &BTreeMap<String, u8>,
    imps: &mut [ImpPlan],
    problems: &mut Problems,
) -> Vec<LinePlan> {
    let mut lines: Vec<LinePlan> = Vec::new();
    for (index, line) in params.network.line.iter().enumerate() {
        let path = format!("network.line[{index}]");
        let [a, b] = &line.between;
        for (end, name) in line.between.iter().enumerate() {
            problems.named(format!("{path}.between[{end}]"), "an IMP", name);
        }
        if !(300..=10_000_000).contains(&line.rate.bit_s()) {
            problems.add(
                format!("{path}.rate"),
                format!("line rate {} is out of range", line.rate),
                "from 300 bit/s to 10 Mbit/s",
            );
            problems.hint(Some("the lines of the time had 50 kbit/s, which is the default".to_owned()));
        }
        if line.delay > Span::from_s(1) {
            problems.add(
                format!("{path}.delay"),
                format!("delay {} is out of range", line.delay),
                "at most 1 s",
            );
        }
        if a == b && !a.is_empty() {
            problems.add(format!("{path}.between"), format!("a line from {a} to itself"), "two IMPs");
            continue;
        }
        let (Some(&a), Some(&b)) = (numbers.get(a), numbers.get(b)) else { continue };
        let ports = [a, b].map(|imp| imps[usize::from(imp)].lines.len());
        if ports.iter().any(|&port| port >= MOST_PORTS) {
            problems.add(
                format!("{path}.between"),
                "this IMP has too many lines",
                format!("at most {MOST_PORTS} lines per IMP"),
            );
            continue;
        }
        let [port, far_port] = ports.map(|port| port as Port);
        let (rate, delay) = (line.rate, line.delay);
        imps[usize::from(a)].lines.push(lines.len() as u16);
        imps[usize::from(b)].lines.push(lines.len() as u16 + 1);
        for (from, to, port, far_port) in [(a, b, port, far_port), (b, a, far_port, port)] {
            let output = params.processor.of(imps[usize::from(from)].computer).output;
            lines.push(LinePlan { from, to, port, far_port, rate, delay, output });
        }
    }
    lines
}

fn hosts(
    params: &ArpanetParams,
    imps: &[ImpPlan],
    numbers: &BTreeMap<String, u8>,
    problems: &mut Problems,
) -> Vec<HostPlan> {
    let fake = |(imp, plan): (usize, &ImpPlan)| HostPlan {
        name: plan.name.clone(),
        imp: imp as u8,
        rate: None,
        per_message: Span::ZERO,
        per_message_sent: Span::ZERO,
        begins_after: Span::ZERO,
        silent: Vec::new(),
    };
    let mut hosts: Vec<HostPlan> = imps.iter().enumerate().map(fake).collect();
    for (index, host) in params.host.iter().enumerate() {
        let path = format!("host[{index}]");
        if hosts.iter().any(|other| other.name == host.name) {
            problems.add(
                format!("{path}.name"),
                format!("there is a \"{}\" already", host.name),
                "a name that no IMP and no other host has",
            );
        }
        if !numbers.contains_key(&host.imp) {
            let problem = format!("there is no IMP \"{}\"", host.imp);
            let known = imps.iter().map(|imp| imp.name.as_str());
            problems.unknown(format!("{path}.imp"), problem, "the name of an IMP", &host.imp, known);
        }
        let silences = host.silent.iter();
        hosts.push(HostPlan {
            name: host.name.clone(),
            // A host of no IMP is a host all the same: the flows that name it are right.
            imp: numbers.get(&host.imp).copied().unwrap_or(0),
            rate: Some(host.rate),
            per_message: host.per_message,
            per_message_sent: host.per_message_sent,
            begins_after: Span::ZERO,
            silent: silences
                .map(|s| (Time::ZERO.after(s.from), Time::ZERO.after(s.from).after(s.length)))
                .collect(),
        });
    }
    if hosts.len() > 1000 {
        problems.add("host", format!("{} hosts", hosts.len()), "at most 1000 hosts, with those of the IMPs");
    }
    hosts
}

/// No IMP has more hosts than interfaces for them: those of `[sites]` come first, the first of the others that has none
/// is to blame.
fn interfaces(params: &ArpanetParams, imps: &[ImpPlan], hosts: &[HostPlan], problems: &mut Problems) {
    const MOST: usize = MOST_HOSTS as usize;
    let of_sites = &hosts[imps.len() + params.host.len()..];
    for (number, imp) in imps.iter().enumerate() {
        let of_site = of_sites.iter().filter(|host| usize::from(host.imp) == number).count();
        let others = params.host.iter().enumerate().filter(|(_, host)| host.imp == imp.name);
        let total = of_site + others.clone().count();
        if total <= MOST {
            continue;
        }
        let described = params.sites.iter().flat_map(|sites| &sites.host);
        let path = match others.map(|(index, _)| index).nth(MOST.saturating_sub(of_site)) {
            Some(index) if of_site <= MOST => format!("host[{index}].imp"),
            _ => {
                let index = described.take_while(|site| site.site != imp.name).count();
                format!("sites.host[{index}].hosts")
            }
        };
        let problem = format!("{} has {total} hosts", imp.name);
        problems.add(path, problem, format!("at most {MOST}: an IMP has four host interfaces"));
        if of_site > 0 {
            let hint = format!("those of [sites] are among them: {of_site} at {}", imp.name);
            problems.hint(Some(hint));
        }
    }
}

fn flows(params: &ArpanetParams, hosts: &[HostPlan], problems: &mut Problems) -> Vec<(u32, u32)> {
    let mut flows = Vec::new();
    for (index, flow) in params.flow.iter().enumerate() {
        let mut find = |field: &str, name: &str| {
            let found = hosts.iter().position(|host| host.name == name);
            if found.is_none() {
                let problem = format!("there is no host \"{name}\"");
                let known = hosts.iter().rev().map(|host| host.name.as_str());
                let expected = "the name of a host, or of an IMP for its fake host";
                problems.unknown(format!("flow[{index}].{field}"), problem, expected, name, known);
            }
            found.map(|host| host as u32)
        };
        if let (Some(from), Some(to)) = (find("from", &flow.from), find("to", &flow.to)) {
            flows.push((from, to));
        }
        if flow.from == flow.to && hosts.iter().any(|host| host.name == flow.to && host.rate.is_some()) {
            problems.add(
                format!("flow[{index}].to"),
                format!("{} sends to itself", flow.from),
                "another host, or an IMP's fake host",
            );
            problems.hint(Some(
                "attach a second host to the IMP with [[host]], or send to the IMP itself".to_owned(),
            ));
        }
    }
    flows
}

/// The IMPs between which the background traffic runs.
fn background(params: &ArpanetParams, imps: &[ImpPlan], problems: &mut Problems) -> Vec<u8> {
    let Some(background) = &params.background else { return Vec::new() };
    for (index, name) in background.except.iter().enumerate() {
        if !imps.iter().any(|imp| imp.name == *name) {
            let problem = format!("there is no IMP \"{name}\"");
            let known = imps.iter().map(|imp| imp.name.as_str());
            problems.unknown(
                format!("background.except[{index}]"),
                problem,
                "the name of an IMP",
                name,
                known,
            );
        }
    }
    let takes_part = |imp: &u8| !background.except.contains(&imps[usize::from(*imp)].name);
    let members: Vec<u8> = (0..imps.len() as u8).filter(takes_part).collect();
    if members.len() < 2 {
        problems.add("background.except", "fewer than two IMPs are left", "at least two IMPs that take part");
    }
    members
}

/// Hops by the shortest paths between all IMPs; `u16::MAX` where there is none.
fn hops(imps: usize, lines: &[LinePlan]) -> Vec<u16> {
    let mut hops = vec![u16::MAX; imps * imps];
    for from in 0..imps {
        let row = &mut hops[from * imps..(from + 1) * imps];
        row[from] = 0;
        let mut reached = VecDeque::from([from]);
        while let Some(at) = reached.pop_front() {
            for line in lines.iter().filter(|line| usize::from(line.from) == at) {
                let next = usize::from(line.to);
                if row[next] == u16::MAX {
                    row[next] = row[at] + 1;
                    reached.push_back(next);
                }
            }
        }
    }
    hops
}
