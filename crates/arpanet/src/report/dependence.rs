//! The needs of the holders of buffers, table entries and message numbers, for explanations of a run.

use std::collections::{BTreeMap, BTreeSet};

use hopscope_measure::{Dependence, HoldActivity, ResourceKind, ResourceRow, Site};

use crate::protocol::stage::Phase;
use crate::scenario::plan::{ArpanetPlan, LinePlan};

/// A pair of IMPs between which messages go.
type Pair = (u8, u8);

/// The rows of a report by kind and site.
struct Rows(BTreeMap<(ResourceKind, Site), usize>);

impl Rows {
    fn find(&self, kind: ResourceKind, site: Site) -> Option<usize> {
        self.0.get(&(kind, site)).copied()
    }
}

/// The site of an IMP.
pub(crate) fn at_imp(imp: u8) -> Site {
    Site::Node(imp.into())
}

/// The site of a line.
pub(crate) fn at_line(plan: &ArpanetPlan, line: usize) -> Site {
    let LinePlan { from, to, .. } = plan.lines[line];
    Site::Line { number: line as u32, from: from.into(), to: to.into() }
}

/// The dependences among the resources of a report.
pub(crate) fn dependences(plan: &ArpanetPlan, rows: &[ResourceRow]) -> Vec<Dependence> {
    let known = rows.iter().enumerate().map(|(at, row)| ((row.kind, row.site), at));
    let subnet = Dependences { plan, rows: Rows(known.collect()), pairs: pairs(plan) };
    let mut found = subnet.all();
    found.sort_by_key(|dependence| dependence.holder);
    found
}

/// Pairs of IMPs of the flows; traffic of others only where there is no flow, for it is not counted.
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
    rows: Rows,
    pairs: BTreeSet<Pair>,
}

impl Dependences<'_> {
    /// What all holders need, pool by pool.
    fn all(&self) -> Vec<Dependence> {
        let mut found = Vec::new();
        for imp in 0..self.plan.imps.len() as u8 {
            found.extend(self.of_imp(imp));
        }
        for line in 0..self.plan.lines.len() {
            found.extend(self.of_channels(line));
        }
        for (&(kind, site), &holder) in &self.rows.0 {
            if let (ResourceKind::MessageNumbers, Site::Pair { from, to }) = (kind, site) {
                found.extend(self.of_messages(holder, [&(from as u8, to as u8)].into_iter()));
            }
        }
        found
    }

    /// What holders of an IMP's tables and buffers need.
    fn of_imp(&self, imp: u8) -> Vec<Dependence> {
        let find = |kind| self.rows.find(kind, at_imp(imp));
        let mut found = Vec::new();
        for holder in [ResourceKind::PendingLeaderTable, ResourceKind::PendingPacketTable].map(find) {
            let from_here = self.pairs.iter().filter(|pair| pair.0 == imp);
            found.extend(holder.into_iter().flat_map(|holder| self.of_messages(holder, from_here.clone())));
        }
        if let Some(holder) = find(ResourceKind::ReassemblyBuffers) {
            found.extend(self.of_messages(holder, self.pairs.iter().filter(|pair| pair.1 == imp)));
        }
        for holder in [ResourceKind::StoreAndForwardBuffers, ResourceKind::Buffers].map(find) {
            let leaving = (0..self.plan.lines.len()).filter(|&line| self.plan.lines[line].from == imp);
            let of_line = |holder| leaving.clone().flat_map(move |line| self.on_line(holder, None, line));
            found.extend(holder.into_iter().flat_map(of_line));
        }
        found
    }

    /// What packets need that hold acknowledgment channels of a line.
    fn of_channels(&self, line: usize) -> Vec<Dependence> {
        let site = at_line(self.plan, line);
        let Some(holder) = self.rows.find(ResourceKind::AcknowledgmentChannels, site) else {
            return Vec::new();
        };
        let far = self.rows.find(ResourceKind::Processor, at_imp(self.plan.lines[line].to));
        let needed = [self.rows.find(ResourceKind::Line, site), far].into_iter().flatten();
        needed.map(|needs| Dependence { holder, activity: None, needs }).collect()
    }

    /// Holders that are messages between these IMPs: in each phase they need what that phase is spent at.
    fn of_messages<'p>(&self, holder: usize, pairs: impl Iterator<Item = &'p Pair>) -> Vec<Dependence> {
        let mut found = Vec::new();
        for &(from, to) in pairs {
            for moving in [Phase::Transit, Phase::Reassembly, Phase::Requesting] {
                found.extend(self.on_the_way(holder, moving.activity(), (from, to)));
            }
            found.extend(self.on_the_way(holder, Phase::ReplyTransit.activity(), (to, from)));
            let buffers = self.rows.find(ResourceKind::ReassemblyBuffers, at_imp(to));
            let leaders = self.rows.find(ResourceKind::PendingLeaderTable, at_imp(from));
            for (phase, needs) in
                [(Phase::Requesting, buffers), (Phase::ReplyWait, buffers), (Phase::Unassigned, leaders)]
            {
                let activity = Some(phase.activity());
                found.extend(needs.map(|needs| Dependence { holder, activity, needs }));
            }
            for (host, _) in (0..).zip(&self.plan.hosts).filter(|(_, host)| host.imp == to) {
                let needs = self.rows.find(ResourceKind::DestinationHost, Site::Host(host));
                let activity = Some(Phase::HostOutput.activity());
                found.extend(needs.map(|needs| Dependence { holder, activity, needs }));
            }
        }
        found.retain(|dependence| dependence.needs != holder);
        found.sort_by_key(|dependence| (dependence.activity, dependence.needs));
        found.dedup();
        found
    }

    /// Lines and processors on the shortest paths between two IMPs.
    fn on_the_way(&self, holder: usize, activity: HoldActivity, (from, to): Pair) -> Vec<Dependence> {
        let imps = self.plan.imps.len();
        let hops = |a: u8, b: u8| usize::from(self.plan.hops[usize::from(a) * imps + usize::from(b)]);
        let lines = self.plan.lines.iter().enumerate();
        let between =
            lines.filter(|(_, line)| hops(from, line.from) + 1 + hops(line.to, to) == hops(from, to));
        between.flat_map(|(line, _)| self.on_line(holder, Some(activity), line)).collect()
    }

    /// A line and the processors at its ends.
    fn on_line(&self, holder: usize, activity: Option<HoldActivity>, line: usize) -> Vec<Dependence> {
        let LinePlan { from, to, .. } = self.plan.lines[line];
        let line = self.rows.find(ResourceKind::Line, at_line(self.plan, line));
        let processors = [from, to].map(|imp| self.rows.find(ResourceKind::Processor, at_imp(imp)));
        let needed = std::iter::once(line).chain(processors).flatten();
        needed.map(|needs| Dependence { holder, activity, needs }).collect()
    }
}
