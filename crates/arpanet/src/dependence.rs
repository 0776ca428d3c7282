//! What the holders of buffers, table entries and message numbers need, for whoever explains a run.

use std::collections::{BTreeMap, BTreeSet};

use hopscope_measure::{Dependence, ResourceRow};

use crate::plan::ArpanetPlan;
use crate::stage::{Phase, Stage};

/// A pair of IMPs between which messages go.
type Pair = (u8, u8);

/// The rows of a report by name and place.
struct Rows<'a>(BTreeMap<(&'a str, &'a str), usize>);

impl Rows<'_> {
    fn find(&self, name: &str, place: &str) -> Option<usize> {
        self.0.get(&(name, place)).copied()
    }
}

/// The dependences among the resources of a report.
pub(crate) fn dependences(plan: &ArpanetPlan, rows: &[ResourceRow]) -> Vec<Dependence> {
    let known = rows.iter().enumerate().map(|(at, row)| ((row.name.as_str(), row.place.as_str()), at));
    let subnet = Dependences { plan, rows: Rows(known.collect()), pairs: pairs(plan) };
    rows.iter().enumerate().flat_map(|(holder, row)| subnet.of(holder, row)).collect()
}

/// Pairs of IMPs of the flows; background traffic only where there is no flow, for it is not counted.
fn pairs(plan: &ArpanetPlan) -> BTreeSet<Pair> {
    let imp = |host: u32| plan.hosts[host as usize].imp;
    if plan.flows.is_empty() {
        let of_others = plan.background.iter().flat_map(|&a| plan.background.iter().map(move |&b| (a, b)));
        return of_others.filter(|(a, b)| a != b).collect();
    }
    plan.flows.iter().map(|&(from, to)| (imp(from), imp(to))).collect()
}

struct Dependences<'a> {
    plan: &'a ArpanetPlan,
    rows: Rows<'a>,
    pairs: BTreeSet<Pair>,
}

impl Dependences<'_> {
    fn of(&self, holder: usize, row: &ResourceRow) -> Vec<Dependence> {
        match row.name.as_str() {
            "pending leader table" | "pending packet table" => {
                self.of_messages(holder, &self.pairs_with(&row.place, |pair| pair.0))
            }
            "reassembly buffers" => self.of_messages(holder, &self.pairs_with(&row.place, |pair| pair.1)),
            "message numbers" => self.of_messages(holder, &self.pair_of(&row.place)),
            "store-and-forward buffers" | "buffers" => {
                let leaving = |line: &usize| self.name(self.plan.lines[*line].from) == row.place;
                let lines = (0..self.plan.lines.len()).filter(leaving);
                lines.flat_map(|line| self.on_line(holder, "", line)).collect()
            }
            "acknowledgment channels" => {
                let line = self.rows.find("line", &row.place);
                let far = row.place.split(" -> ").nth(1).and_then(|far| self.rows.find("processor", far));
                [line, far]
                    .into_iter()
                    .flatten()
                    .map(|needs| Dependence { holder, stage: "", needs })
                    .collect()
            }
            _ => Vec::new(),
        }
    }

    fn name(&self, imp: u8) -> &str {
        &self.plan.imps[usize::from(imp)].name
    }

    fn pairs_with(&self, place: &str, end: impl Fn(Pair) -> u8) -> Vec<Pair> {
        self.pairs.iter().copied().filter(|&pair| self.name(end(pair)) == place).collect()
    }

    /// The IMPs of a sequence of message numbers, whose ends are IMPs or hosts.
    fn pair_of(&self, place: &str) -> Vec<Pair> {
        let imp = |name: &str| self.plan.hosts.iter().find(|host| host.name == name).map(|host| host.imp);
        let ends = place.split_once(" -> ").and_then(|(from, to)| imp(from).zip(imp(to)));
        ends.into_iter().collect()
    }

    /// Holders that are messages between these IMPs: in each phase they need what that phase is spent at.
    fn of_messages(&self, holder: usize, pairs: &[Pair]) -> Vec<Dependence> {
        let mut found = Vec::new();
        let phase = |phase: Phase| Phase::LABELS[phase as usize].name;
        for &(from, to) in pairs {
            for moving in [Phase::Transit, Phase::Reassembly, Phase::Requesting] {
                found.extend(self.on_the_way(holder, phase(moving), (from, to)));
            }
            found.extend(self.on_the_way(holder, phase(Phase::ReplyTransit), (to, from)));
            let at = |name: &str, imp: u8| self.rows.find(name, self.name(imp));
            let buffers = at("reassembly buffers", to);
            let leaders = at("pending leader table", from);
            for (stage, needs) in
                [(Phase::Requesting, buffers), (Phase::ReplyWait, buffers), (Phase::Unassigned, leaders)]
            {
                found.extend(needs.map(|needs| Dependence { holder, stage: phase(stage), needs }));
            }
            for host in self.plan.hosts.iter().filter(|host| host.imp == to) {
                let needs = self.rows.find(Stage::LABELS[Stage::HostOutput as usize].resource, &host.name);
                let stage = phase(Phase::HostOutput);
                found.extend(needs.map(|needs| Dependence { holder, stage, needs }));
            }
        }
        found.retain(|dependence| dependence.needs != holder);
        found.sort_by_key(|dependence| (dependence.stage, dependence.needs));
        found.dedup();
        found
    }

    /// Lines and processors on the shortest paths between two IMPs.
    fn on_the_way(&self, holder: usize, stage: &'static str, (from, to): Pair) -> Vec<Dependence> {
        let imps = self.plan.imps.len();
        let hops = |a: u8, b: u8| usize::from(self.plan.hops[usize::from(a) * imps + usize::from(b)]);
        let lines = self.plan.lines.iter().enumerate();
        let between =
            lines.filter(|(_, line)| hops(from, line.from) + 1 + hops(line.to, to) == hops(from, to));
        between.flat_map(|(line, _)| self.on_line(holder, stage, line)).collect()
    }

    /// A line and the processors at its ends.
    fn on_line(&self, holder: usize, stage: &'static str, line: usize) -> Vec<Dependence> {
        let plan = &self.plan.lines[line];
        let (from, to) = (self.name(plan.from), self.name(plan.to));
        let line = self.rows.find("line", &format!("{from} -> {to}"));
        let processors = [from, to].map(|imp| self.rows.find("processor", imp));
        let needed = std::iter::once(line).chain(processors).flatten();
        needed.map(|needs| Dependence { holder, stage, needs }).collect()
    }
}
