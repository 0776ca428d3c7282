//! The completion time of a flow on the idle network, to which slowdowns refer.

use hopscope_fabric::{Link, Slot, time_of};
use hopscope_measure::FlowEnd;
use hopscope_topology::SwitchId;
use hopscope_traffic::flows::Flow;
use hopscope_units::Span;

use crate::params::Forwarding;
use crate::plan::LosslessPlan;

impl LosslessPlan {
    /// A flow that has ended, as statistics see it.
    pub(crate) fn flow_end(&self, flow: &Flow) -> FlowEnd {
        FlowEnd {
            number: flow.number,
            group: flow.group,
            round: flow.round,
            source: flow.source.index() as u32,
            destination: flow.destination.index() as u32,
            data: flow.size,
            begun: flow.begins,
            ideal: self.ideal(flow),
        }
    }

    /// The completion time of a flow alone: its frames one after the other at the rates of the links, each stored and
    /// forwarded or cut through, on the first of the paths that the routes permit.
    fn ideal(&self, flow: &Flow) -> Span {
        let plan = &self.frames;
        let (bits, mtu) = (flow.size.bits(), plan.mtu);
        let full = (bits - 1) / mtu;
        let last = bits - full * mtu;
        // When the first full frame and the last frame begin on each link: a frame waits for the one before it, and
        // frames follow each other at the pace of the slowest link so far.
        let (mut first_begins, mut last_begins, mut slowest) = (Span::ZERO, Span::ZERO, Span::ZERO);
        let mut ends = Span::ZERO;
        let mut before: Option<Link> = None;
        for slot in self.path(flow) {
            let link = self.fabric.slots.links[slot as usize];
            let takes = |bits: u64, link: Link| time_of(bits, link.rate as u32);
            if let Some(before) = before {
                let cut = plan.forwarding == Forwarding::CutThrough && link.rate <= before.rate;
                let whole = |bits: u64| if cut { Span::ZERO } else { takes(bits, before) };
                let onward = before.delay + plan.latency;
                first_begins += whole(mtu) + onward;
                last_begins += whole(last) + onward;
            }
            slowest = slowest.max(takes(mtu, link));
            if full > 0 {
                let full_sent = first_begins + slowest * (full - 1) + takes(mtu, link);
                last_begins = last_begins.max(full_sent);
            }
            ends = last_begins + takes(last, link) + link.delay;
            before = Some(link);
        }
        ends
    }

    /// The links of the first path from a flow's sender to its receiver, by the slots that send on them. A path that
    /// loops ends.
    fn path(&self, flow: &Flow) -> Vec<Slot> {
        let plan = &self.frames;
        let mut path = vec![self.fabric.slots.host(flow.source)];
        for _ in 0..=self.fabric.network.switches().len() {
            let far = self.fabric.slots.links[path[path.len() - 1] as usize].far;
            if self.fabric.slots.is_host(far) {
                break;
            }
            let (switch, port) = self.fabric.slots.switch_port(far);
            let phase = self.fabric.routes.phase(SwitchId::new(switch), port);
            let to = flow.destination.index() as u32;
            let channel = self.fabric.next_channels(switch, phase, to)[0];
            path.push(self.fabric.slots.port(switch, channel / plan.route_lanes));
        }
        path
    }
}
