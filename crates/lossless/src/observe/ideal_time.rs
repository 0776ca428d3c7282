//! How long a flow takes on the empty network: what slowdowns are against.

use hopscope_fabric::{Slot, time_of};
use hopscope_measure::FlowEnd;
use hopscope_topology::SwitchId;
use hopscope_traffic::flows::Flow;
use hopscope_units::Span;

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

    /// How long a flow takes alone: its frames one behind the other at the rates of the links, each stored and
    /// forwarded, on the first of the paths that the routes permit.
    fn ideal(&self, flow: &Flow) -> Span {
        let plan = &self.frames;
        let (bits, mtu) = (flow.size.bits(), plan.mtu);
        let full = (bits - 1) / mtu;
        let last = bits - full * mtu;
        // When the last full frame, and then the last frame, have left each link: a frame waits for the one before it.
        let (mut full_sent, mut last_sent, mut slowest) = (Span::ZERO, Span::ZERO, Span::ZERO);
        let (mut ahead, mut first_sent) = (Span::ZERO, Span::ZERO);
        for slot in self.path(flow) {
            let link = self.fabric.slots.links[slot as usize];
            let frame = time_of(mtu, link.rate as u32);
            slowest = slowest.max(frame);
            first_sent += frame;
            if full > 0 {
                full_sent = ahead + first_sent + slowest * (full - 1);
            }
            last_sent = last_sent.max(full_sent) + time_of(last, link.rate as u32);
            let onward =
                link.delay + if self.fabric.slots.is_host(link.far) { Span::ZERO } else { plan.latency };
            ahead += onward;
            last_sent += onward;
        }
        last_sent
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
