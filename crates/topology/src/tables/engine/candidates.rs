//! The ports that lead one link nearer to a destination under a rule.

use hopscope_kernel::step;

use crate::graph::{LinkId, Network, Port, SwitchId};
use crate::routes::Orientation;

use super::ways_to::{Way, WaysTo};

/// No way: it stays itself when a link is added, with saturation.
const UNREACHABLE: u16 = u16::MAX;

/// A cable from a switch to another.
#[derive(Clone, Copy)]
struct Cable {
    port: Port,
    link: LinkId,
    far: SwitchId,
    /// Whether it leads up from here.
    leads_up: bool,
}

/// The cables between switches, those of each switch together, in the order of their ports.
pub(super) struct Links {
    cables: Vec<Cable>,
    first: Vec<u32>,
    /// Where each switch's ports begin in a list of all switches' ports.
    port_base: Vec<u32>,
    ports: usize,
}

impl Links {
    /// The cables of a network, with their directions where they have one.
    pub fn new(network: &Network, orientation: Option<&Orientation>) -> Self {
        let mut links = Self { cables: Vec::new(), first: vec![0], port_base: Vec::new(), ports: 0 };
        let leads_up = |link, from| orientation.is_some_and(|o| o.leads_up(link, from));
        for switch in network.switch_ids() {
            let cables = network.neighbours(switch).map(|(port, link, far, _)| Cable {
                port,
                link,
                far,
                leads_up: leads_up(link, switch),
            });
            links.cables.extend(cables);
            links.first.push(links.cables.len() as u32);
            links.port_base.push(links.ports as u32);
            links.ports += network.switch(switch).ports.len();
        }
        links
    }

    fn of(&self, switch: SwitchId) -> &[Cable] {
        &self.cables[self.first[switch.index()] as usize..self.first[switch.index() + 1] as usize]
    }

    /// The place of a port among the ports of all switches.
    pub fn place(&self, switch: SwitchId, port: Port) -> usize {
        self.port_base[switch.index()] as usize + usize::from(port)
    }

    /// How many ports all switches have together.
    pub fn port_count(&self) -> usize {
        self.ports
    }

    /// The dimension of every port: by the positions of the switches, else by the first port to the same neighbour.
    pub fn dimensions(&self, network: &Network) -> Vec<u32> {
        let mut dimensions = vec![0; self.port_count()];
        let by_position = self.axes(network);
        for switch in network.switch_ids() {
            for cable in self.of(switch) {
                let dimension = match &by_position {
                    Some(axes) => axes[cable.link.index()],
                    None => {
                        let first = self.of(switch).iter().find(|other| other.far == cable.far);
                        u32::from(first.map_or(cable.port, |first| first.port))
                    }
                };
                dimensions[self.place(switch, cable.port)] = dimension;
            }
        }
        dimensions
    }

    /// For each link 0 where it runs across and 1 where it runs down; nothing unless all do the one or the other.
    fn axes(&self, network: &Network) -> Option<Vec<u32>> {
        let mut axes = vec![0; network.links().len()];
        for (link, axis) in network.links().iter().zip(&mut axes) {
            let Some(ends) = link.switches() else { continue };
            let [Some((x, y)), Some((other_x, other_y))] = ends.map(|end| network.switch(end).position)
            else {
                return None;
            };
            *axis = match (x == other_x, y == other_y) {
                (false, true) => 0,
                (true, false) => 1,
                _ => return None,
            };
        }
        Some(axes)
    }
}

/// The ways of all switches to one destination after another.
pub(super) struct Candidates<'a> {
    links: &'a Links,
    /// Whether links have a direction.
    is_oriented: bool,
    /// All switches, each after every switch that its up links lead to; empty without an orientation.
    downwards: Vec<SwitchId>,
    left: Vec<u16>,
    /// Whether a switch reaches the destination by going down alone.
    descends: Vec<bool>,
    reached: Vec<SwitchId>,
    /// The position of each switch in the order of the destination at hand.
    positions: Vec<u32>,
}

impl<'a> Candidates<'a> {
    /// `links` have the directions of `orientation`.
    pub fn new(network: &Network, links: &'a Links, orientation: Option<&Orientation>) -> Self {
        let switches = network.switches().len();
        Self {
            links,
            is_oriented: orientation.is_some(),
            downwards: orientation.map(|o| o.downwards(network)).unwrap_or_default(),
            left: vec![UNREACHABLE; switches],
            descends: vec![true; switches],
            reached: Vec::with_capacity(switches),
            positions: vec![0; switches],
        }
    }

    /// Turns to a destination. A switch that is not in the order has no way there.
    pub fn towards(&mut self, to: SwitchId) -> WaysTo {
        step("computing tables");
        self.left.fill(UNREACHABLE);
        self.left[to.index()] = 0;
        self.descend(to);
        if self.is_oriented {
            self.ascend();
        }
        let order = self.nearest_first();
        for (position, switch) in (0..).zip(&order) {
            self.positions[switch.index()] = position;
        }
        self.positions[to.index()] = order.len() as u32;
        let (mut ways, mut first) = (Vec::with_capacity(order.len()), Vec::with_capacity(order.len() + 1));
        first.push(0);
        for &switch in &order {
            let left = self.left[switch.index()];
            for cable in self.links.of(switch) {
                let far = self.left[cable.far.index()];
                if far != UNREACHABLE && far + 1 == left && self.may_take(switch, cable) {
                    let place = self.links.place(switch, cable.port) as u32;
                    ways.push(Way { beyond: self.positions[cable.far.index()], place, port: cable.port });
                }
            }
            first.push(ways.len() as u32);
        }
        let left = order.iter().map(|switch| self.left[switch.index()]).collect();
        WaysTo { to, order, left, first, ways }
    }

    /// The switches other than the destination from which there is a way, by distance, then by number.
    fn nearest_first(&self) -> Vec<SwitchId> {
        let has_way = |left: u16| (1..UNREACHABLE).contains(&left);
        let mut begins = vec![0_u32; 1];
        for &left in self.left.iter().filter(|left| has_way(**left)) {
            begins.resize(begins.len().max(usize::from(left) + 1), 0);
            begins[usize::from(left)] += 1;
        }
        let mut all = 0;
        for count in &mut begins {
            all += std::mem::replace(count, all);
        }
        let mut order = vec![SwitchId::new(0); all as usize];
        for (number, &left) in self.left.iter().enumerate().filter(|(_, left)| has_way(**left)) {
            let at = &mut begins[usize::from(left)];
            order[*at as usize] = SwitchId::new(number);
            *at += 1;
        }
        order
    }

    /// Breadth-first search from the destination, up the links only where they have a direction.
    fn descend(&mut self, to: SwitchId) {
        self.reached.clear();
        self.reached.push(to);
        let mut next = 0;
        while let Some(&switch) = self.reached.get(next) {
            next += 1;
            for cable in self.links.of(switch) {
                let down_to_here = !self.is_oriented || cable.leads_up;
                if down_to_here && self.left[cable.far.index()] == UNREACHABLE {
                    self.left[cable.far.index()] = self.left[switch.index()] + 1;
                    self.reached.push(cable.far);
                }
            }
        }
    }

    /// A switch with no way down goes up; those above it are done before.
    fn ascend(&mut self) {
        for &switch in &self.downwards {
            let descends = self.left[switch.index()] != UNREACHABLE;
            self.descends[switch.index()] = descends;
            if !descends {
                let ups = self.links.of(switch).iter().filter(|cable| cable.leads_up);
                let nearest = ups.map(|cable| self.left[cable.far.index()]).min();
                self.left[switch.index()] = nearest.unwrap_or(UNREACHABLE).saturating_add(1);
            }
        }
    }

    /// Whether a switch may send packets for the destination at hand by a cable: down to a switch from which the rest
    /// of the way leads down, or up where it has no such way itself.
    #[inline]
    fn may_take(&self, switch: SwitchId, cable: &Cable) -> bool {
        if !self.is_oriented {
            return true;
        }
        match self.descends[switch.index()] {
            true => !cable.leads_up && self.descends[cable.far.index()],
            false => cable.leads_up,
        }
    }
}
