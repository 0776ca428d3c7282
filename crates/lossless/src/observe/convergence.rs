//! Convergence of rates, as requested by `frames.convergence`.

use hopscope_fabric::Slot;
use hopscope_measure::{Converged, Convergence, Journal, LinkNow, RatesOverTime, Report};
use hopscope_topology::{HostId, SwitchId};
use hopscope_units::Time;

use crate::balancing::Balancing;
use crate::machine::Lossless;
use crate::params::ConvergenceParams;

/// At most this many links are drawn: those that the first flows share.
const MOST_LINKS: usize = 2;

/// The observation of the flows of a run.
#[derive(Clone, Debug)]
pub(crate) struct Watch {
    convergence: Convergence,
    over_time: RatesOverTime,
    /// The links that are drawn, chosen when the first flows begin.
    drawn: Vec<Slot>,
}

impl Watch {
    /// For links of these rates, kbit/s.
    pub fn new(asked: Converged, links: Vec<u64>) -> Self {
        let over_time = RatesOverTime::new(asked.interval);
        Self { convergence: Convergence::new(asked, links), over_time, drawn: Vec::new() }
    }
}

impl ConvergenceParams {
    /// The parameters as integers.
    pub(crate) fn asked(&self) -> Converged {
        Converged { within: (self.within * 1e6).round() as u64, interval: self.interval, lasts: self.lasts }
    }
}

impl<J: Journal> Lossless<J> {
    /// Flows with these numbers begin together.
    pub(crate) fn watch_begun(&mut self, now: Time, flows: &[u32]) {
        if self.watch.is_none() {
            return;
        }
        let ways: Vec<Vec<Slot>> = flows.iter().map(|&flow| self.way(flow)).collect();
        self.look_at_links(now);
        let Some(watch) = &mut self.watch else { return };
        if watch.drawn.is_empty() {
            watch.drawn = most_shared(&ways);
            for &slot in &watch.drawn {
                let name = self.plan.slots.link_name(&self.plan.network, slot);
                watch.over_time.draw(name, f64::from(self.ports[slot as usize].rate) * 1e3);
            }
        }
        for (&flow, way) in flows.iter().zip(ways) {
            let state = &self.flows[flow];
            let host = |host: u32| &self.plan.network.host(HostId::new(host as usize)).name;
            let name = || format!("{} -> {}", host(state.from), host(state.to));
            watch.over_time.begun(now, flow, name);
            watch.convergence.begun(now, flow, way);
        }
    }

    /// A flow has ended.
    pub(crate) fn watch_ended(&mut self, now: Time, flow: u32) {
        self.look_at_links(now);
        if let Some(watch) = &mut self.watch {
            watch.over_time.ended(now, flow);
            watch.convergence.ended(now, flow);
        }
    }

    /// Some of a flow has arrived.
    #[cold]
    pub(crate) fn watch_delivered(&mut self, now: Time, flow: u32, bits: u64) {
        self.look_at_links(now);
        if let Some(watch) = &mut self.watch {
            watch.over_time.delivered(flow, bits);
            watch.convergence.delivered(now, flow, bits);
        }
    }

    fn look_at_links(&mut self, now: Time) {
        let Some(watch) = &mut self.watch else { return };
        if !watch.over_time.is_due(now) {
            return;
        }
        let (ports, queues, lanes) = (&self.ports, &self.queues, self.lossless.frames.lanes);
        let drawn = &watch.drawn;
        watch.over_time.look(now, |at| {
            let (slot, first) = (drawn[at] as usize, self.lossless.frames.queue(drawn[at], 0));
            let queued = queues[first..first + lanes].iter().map(|queue| queue.bits).sum();
            LinkNow { sent: ports[slot].bits_before + ports[slot].bits, queued }
        });
    }

    /// Adds the observations to a report.
    pub(crate) fn tell_watch(&self, now: Time, report: &mut Report) {
        if let Some(watch) = &self.watch {
            watch.convergence.tell(now, report);
            watch.over_time.tell(report);
        }
    }

    /// The links on the path of a flow, by the slots that send on them: all of them if its hash chooses the path. If
    /// each frame takes its own path, only those of its two hosts, as if there were always capacity between.
    fn way(&self, flow: u32) -> Vec<Slot> {
        let (state, slots) = (&self.flows[flow], &self.plan.slots);
        let host = |host: u32| slots.host(HostId::new(host as usize));
        let mut way = vec![host(state.from)];
        if self.frames_plan().balancing != Balancing::FlowHash {
            way.push(self.ports[host(state.to) as usize].far);
            return way;
        }
        for _ in 0..=self.plan.network.switches().len() {
            let far = self.ports[way[way.len() - 1] as usize].far;
            if slots.is_host(far) {
                break;
            }
            let (switch, _) = slots.switch_port(far);
            let input = self.frames_plan().queue(far, 0);
            let port = self.foresee(switch, input, state.hash, state.to);
            way.push(slots.port(SwitchId::new(switch).index(), port as u16));
        }
        way
    }
}

/// The links that most of these paths share, if several do.
fn most_shared(ways: &[Vec<Slot>]) -> Vec<Slot> {
    let mut all: Vec<Slot> = ways.iter().flatten().copied().collect();
    all.sort_unstable();
    let mut counted: Vec<(usize, Slot)> =
        all.chunk_by(|one, other| one == other).map(|alike| (alike.len(), alike[0])).collect();
    counted.retain(|(count, _)| *count > 1);
    counted.sort_by_key(|&(count, slot)| (std::cmp::Reverse(count), slot));
    counted.into_iter().take(MOST_LINKS).map(|(_, slot)| slot).collect()
}
