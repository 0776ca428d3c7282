//! How long a flow takes on the empty network: what slowdowns are against.

use hopscope_measure::{FlowEnd, FlowStatistics};
use hopscope_topology::SwitchId;
use hopscope_traffic::flows::Flow;
use hopscope_units::Span;

use super::balancing::next_channels;
use super::plan::time_of;
use crate::plan::FabricPlan;
use crate::slots::Slot;

impl FabricPlan {
    /// Statistics of flows of these groups among the network's hosts.
    pub(super) fn flow_statistics(&self, groups: Vec<String>) -> FlowStatistics {
        FlowStatistics::new(groups, self.network.hosts().iter().map(|host| host.name.clone()).collect())
    }

    /// A flow that has ended, as statistics see it.
    pub(super) fn flow_end(&self, flow: &Flow) -> FlowEnd {
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

    /// How long a flow takes alone: its frames one behind the other at the rates of the links, each stored and forwarded, on the first of
    /// the paths that the routes permit.
    fn ideal(&self, flow: &Flow) -> Span {
        let plan = self.frames();
        let (bits, mtu) = (flow.size.bits(), plan.mtu);
        let full = (bits - 1) / mtu;
        let last = bits - full * mtu;
        // When the last full frame, and then the last frame, have left each link: a frame waits for the one before it.
        let (mut full_sent, mut last_sent, mut slowest) = (Span::ZERO, Span::ZERO, Span::ZERO);
        let (mut ahead, mut first_sent) = (Span::ZERO, Span::ZERO);
        for slot in self.path(flow) {
            let cable = self.slots.cables[slot as usize];
            let frame = time_of(mtu, cable.rate as u32);
            slowest = slowest.max(frame);
            first_sent += frame;
            if full > 0 {
                full_sent = ahead + first_sent + slowest * (full - 1);
            }
            last_sent = last_sent.max(full_sent) + time_of(last, cable.rate as u32);
            let onward = cable.delay + if self.slots.is_host(cable.far) { Span::ZERO } else { plan.latency };
            ahead += onward;
            last_sent += onward;
        }
        last_sent
    }

    /// The links of the first path from a flow's sender to its receiver, by the slots that send on them. A path in a circle ends.
    fn path(&self, flow: &Flow) -> Vec<Slot> {
        let plan = self.frames();
        let mut path = vec![self.slots.host(flow.source)];
        for _ in 0..=self.network.switches().len() {
            let far = self.slots.cables[path[path.len() - 1] as usize].far;
            if self.slots.is_host(far) {
                break;
            }
            let (switch, port) = self.slots.switch_port(far);
            let phase = self.routes.phase(SwitchId::new(switch), port);
            let to = flow.destination.index() as u32;
            let channel = next_channels(self, switch, phase, to)[0];
            path.push(self.slots.port(switch, channel / plan.route_lanes));
        }
        path
    }
}
