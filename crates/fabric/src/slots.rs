//! Slots: one index for each lane of each port of each switch and for each host, in the canonical order (node, port,
//! lane).
//!
//! A lane is a virtual channel of the link at a port; most networks have one. A slot names both directions of its lane:
//! the output that sends on the link, and the input that receives from it. A host's slot is its send queue and the
//! output of its link, which goes into lane 0 of its port; what arrives at a host comes from that lane and is consumed
//! at once. A switch numbers its lanes, port by port, as `port * lanes + lane`: where there is one lane, as its ports.

use hopscope_measure::Site;
use hopscope_topology::{HostId, Network, Node, Port, SwitchId};
use hopscope_units::{Rate, Span};

/// The index of a slot.
pub type Slot = u32;

/// No slot.
pub const NO_SLOT: Slot = Slot::MAX;

/// The switch of a host's slot.
pub const NO_SWITCH: u32 = u32::MAX;

/// The link at a slot, as seen from there.
#[derive(Clone, Copy, Debug)]
pub struct Link {
    /// The slot at the other end, or [`NO_SLOT`] where there is no link.
    pub far: Slot,
    /// Data in nanobits that cross in a picosecond: the rate in kbit/s.
    pub rate: u64,
    /// The propagation delay.
    pub delay: Span,
}

/// Which slot is which port.
#[derive(Clone, Debug)]
pub struct Slots {
    /// The link at each slot.
    pub links: Vec<Link>,
    /// The first slot of each switch, and the number of slots of all switches.
    bases: Vec<Slot>,
    /// The switch of each switch slot.
    switches: Vec<u32>,
    /// The rate of each switch's fastest link.
    fastest: Vec<u64>,
    /// The lanes of each port.
    pub lanes: u16,
}

impl Slots {
    /// Numbers the lanes of a network whose links have these rates and delays (one a link).
    pub fn new(network: &Network, rates: &[Rate], delays: &[Span], lanes: u16) -> Self {
        let mut bases = vec![0];
        let mut switches = Vec::new();
        for id in network.switch_ids() {
            let ports = network.switch(id).ports.len() * usize::from(lanes);
            switches.extend(std::iter::repeat_n(id.index() as u32, ports));
            bases.push(switches.len() as Slot);
        }
        let fastest = vec![0; network.switches().len()];
        let mut slots = Self { links: Vec::new(), bases, switches, fastest, lanes };
        let total = slots.switches.len() + network.hosts().len();
        slots.links = vec![Link { far: NO_SLOT, rate: 0, delay: Span::ZERO }; total];
        for (i, link) in network.links().iter().enumerate() {
            let (rate, delay) = (rates[i].bit_s() / 1_000, delays[i]);
            let lanes = if link.switches().is_some() { lanes } else { 1 };
            for lane in 0..lanes {
                let [a, b] = link.ends.map(|end| slots.of(end.node, end.port, lane));
                slots.links[a as usize] = Link { far: b, rate, delay };
                slots.links[b as usize] = Link { far: a, rate, delay };
            }
            for end in &link.ends {
                if let Node::Switch(switch) = end.node {
                    let fastest = &mut slots.fastest[switch.index()];
                    *fastest = rate.max(*fastest);
                }
            }
        }
        slots
    }

    /// The rate of a switch's fastest link, kbit/s.
    pub fn fastest(&self, switch: usize) -> u64 {
        self.fastest[switch]
    }

    /// The slot of a lane of a node's port; a host has one.
    pub fn of(&self, node: Node, port: Port, lane: u16) -> Slot {
        match node {
            Node::Switch(switch) => self.port(switch.index(), port * self.lanes + lane),
            Node::Host(host) => self.host(host),
        }
    }

    /// The slot of a switch's lane by its number: of its port, where a port has one lane.
    #[inline]
    pub fn port(&self, switch: usize, port: Port) -> Slot {
        self.bases[switch] + Slot::from(port)
    }

    /// The slot of a host.
    #[inline]
    pub fn host(&self, host: HostId) -> Slot {
        (self.switches.len() + host.index()) as Slot
    }

    /// Whether a slot is a host's.
    #[inline]
    pub fn is_host(&self, slot: Slot) -> bool {
        slot as usize >= self.switches.len()
    }

    /// The switch of a switch slot, and the number of its lane.
    #[inline]
    pub fn switch_port(&self, slot: Slot) -> (usize, Port) {
        let switch = self.switches[slot as usize] as usize;
        (switch, (slot - self.bases[switch]) as Port)
    }

    /// The site of a slot.
    pub fn site(&self, slot: Slot) -> Site {
        if self.is_host(slot) {
            return Site::Host(slot - self.switches.len() as Slot);
        }
        let (switch, lane) = self.switch_port(slot);
        Site::Port { switch: switch as u32, port: lane / self.lanes, lane: lane % self.lanes }
    }

    /// The lane of a slot, where links have several.
    pub fn lane(&self, slot: Slot) -> Option<u8> {
        let several = self.lanes > 1 && !self.is_host(slot);
        several.then(|| (self.switch_port(slot).1 % self.lanes) as u8)
    }

    /// The slots with a link.
    pub fn connected(&self) -> impl Iterator<Item = Slot> + '_ {
        (0..self.links.len() as Slot).filter(|&slot| self.links[slot as usize].far != NO_SLOT)
    }

    /// The name of a slot: `l0s3:4`, `x1y2:3.1` in lane 1 of several, or the host's name.
    pub fn name(&self, network: &Network, slot: Slot) -> String {
        if self.is_host(slot) {
            return network.host(HostId::new(slot as usize - self.switches.len())).name.clone();
        }
        let (switch, port) = self.switch_port(slot);
        let name = &network.switch(SwitchId::new(switch)).name;
        if self.lanes == 1 {
            format!("{name}:{port}")
        } else {
            format!("{name}:{}.{}", port / self.lanes, port % self.lanes)
        }
    }

    /// The names of the nodes that the link of a slot joins, the one that it sends from first.
    pub fn link_ends(&self, network: &Network, slot: Slot) -> [String; 2] {
        [slot, self.links[slot as usize].far].map(|end| match self.site(end) {
            Site::Port { switch, .. } => network.switch(SwitchId::new(switch as usize)).name.clone(),
            _ => self.name(network, end),
        })
    }

    /// The name of the link that a slot sends on: `l0s3:4 -> l1s0:2`.
    pub fn link_name(&self, network: &Network, slot: Slot) -> String {
        format!("{} -> {}", self.name(network, slot), self.name(network, self.links[slot as usize].far))
    }
}

#[cfg(test)]
mod tests {
    use hopscope_topology::{Chain, NetworkSpec};

    use super::*;

    #[test]
    fn a_slot_has_a_lane_where_links_have_several_and_it_is_no_hosts() {
        let row = NetworkSpec::Line(Chain { switches: 2, hosts_per_switch: 1, ..Chain::default() });
        let network = row.build().expect("a row");
        let links = network.links().len();
        let slots =
            |lanes| Slots::new(&network, &vec![Rate::from_mbit_s(1); links], &vec![Span::ZERO; links], lanes);
        let (one, three) = (slots(1), slots(3));
        assert!(one.connected().all(|slot| one.lane(slot).is_none()));
        for slot in three.connected() {
            let expected = match three.site(slot) {
                Site::Port { lane, .. } => Some(lane as u8),
                _ => None,
            };
            assert_eq!(three.lane(slot), expected);
        }
        let lanes: Vec<_> = three.connected().filter_map(|slot| three.lane(slot)).collect();
        assert_eq!(lanes, [0, 1, 2, 0, 0, 1, 2, 0]);
    }
}
