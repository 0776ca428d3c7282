//! The ports that lead one link nearer to a destination under a rule.

use hopscope_kernel::step;

use crate::graph::{LinkId, Network, Port, SwitchId};
use crate::routes::{Orientation, Turning};

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

/// A port and the switch beyond it.
#[derive(Clone, Copy)]
pub(crate) struct NextHop {
    pub port: Port,
    pub beyond: SwitchId,
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

/// The ways of all switches to one destination switch.
pub(crate) struct Ways {
    pub to: SwitchId,
    /// The switches other than the destination from which there is a way, each after those that its ways lead over.
    pub nearest_first: Vec<SwitchId>,
    hops: Vec<NextHop>,
    first: Vec<u32>,
}

impl Ways {
    /// The ways by which a switch leads one link nearer, in the order of their ports.
    #[inline]
    pub fn of(&self, switch: SwitchId) -> &[NextHop] {
        &self.hops[self.first[switch.index()] as usize..self.first[switch.index() + 1] as usize]
    }
}

/// Finds the ways to one destination after another.
pub(super) struct Candidates<'a> {
    links: &'a Links,
    /// The directions of links, where they have some.
    orientation: Option<&'a Orientation>,
    /// All switches, each after every switch that its up links lead to; empty without an orientation.
    downwards: Vec<SwitchId>,
    left: Vec<u16>,
    leads: Vec<Leads>,
    reached: Vec<SwitchId>,
}

/// How the ways of a switch begin.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Leads {
    /// Down, and so on to the destination; at the destination itself, nowhere.
    Down,
    /// Up, where none lead down.
    Up,
    /// Down to a switch at which packets may turn up again, where there are no others.
    DownToTurn,
}

impl<'a> Candidates<'a> {
    /// `links` have the directions of `orientation`.
    pub fn new(network: &Network, links: &'a Links, orientation: Option<&'a Orientation>) -> Self {
        let switches = network.switches().len();
        Self {
            links,
            orientation,
            downwards: orientation.map(|o| o.downwards(network)).unwrap_or_default(),
            left: vec![UNREACHABLE; switches],
            leads: vec![Leads::Down; switches],
            reached: Vec::with_capacity(switches),
        }
    }

    /// The switches that have a way to the destination at hand, each after those that its ways lead over.
    fn nearest_first(&self) -> Vec<SwitchId> {
        let way = |id: &usize| (1..UNREACHABLE).contains(&self.left[*id]);
        let mut switches: Vec<usize> = (0..self.left.len()).filter(way).collect();
        switches.sort_by_key(|id| self.left[*id]);
        switches.into_iter().map(SwitchId::new).collect()
    }

    /// The ways to a destination.
    pub fn towards(&mut self, to: SwitchId) -> Ways {
        step("computing tables");
        self.left.fill(UNREACHABLE);
        self.left[to.index()] = 0;
        self.descend(to);
        if let Some(orientation) = self.orientation {
            self.leads.fill(Leads::Down);
            self.ascend();
            if let Some(turning) = orientation.turning().filter(|turning| turning.is_towards(to)) {
                self.descend_to_turn(turning);
                self.ascend();
            }
        }
        let (mut hops, mut first) = (Vec::new(), Vec::with_capacity(self.left.len() + 1));
        first.push(0);
        for switch in (0..self.left.len()).map(SwitchId::new) {
            let left = self.left[switch.index()];
            for cable in self.links.of(switch) {
                let far = self.left[cable.far.index()];
                if far != UNREACHABLE && far + 1 == left && self.may_take(switch, cable) {
                    hops.push(NextHop { port: cable.port, beyond: cable.far });
                }
            }
            first.push(hops.len() as u32);
        }
        Ways { to, nearest_first: self.nearest_first(), hops, first }
    }

    /// Breadth-first search from the destination, up the links only where they have a direction.
    fn descend(&mut self, to: SwitchId) {
        self.reached.clear();
        self.reached.push(to);
        let mut next = 0;
        while let Some(&switch) = self.reached.get(next) {
            next += 1;
            for cable in self.links.of(switch) {
                let down_to_here = self.orientation.is_none() || cable.leads_up;
                if down_to_here && self.left[cable.far.index()] == UNREACHABLE {
                    self.left[cable.far.index()] = self.left[switch.index()] + 1;
                    self.reached.push(cable.far);
                }
            }
        }
    }

    /// A switch with no way goes up; those above it are done before.
    fn ascend(&mut self) {
        for &switch in &self.downwards {
            if self.left[switch.index()] == UNREACHABLE {
                let ups = self.links.of(switch).iter().filter(|cable| cable.leads_up);
                let nearest = ups.map(|cable| self.left[cable.far.index()]).min();
                self.left[switch.index()] = nearest.unwrap_or(UNREACHABLE).saturating_add(1);
                self.leads[switch.index()] = Leads::Up;
            }
        }
    }

    /// A switch that has no way and is one of those at which packets may turn goes down to the one of them that is
    /// below it, which is done before.
    fn descend_to_turn(&mut self, turning: &Turning) {
        for &switch in self.downwards.iter().rev() {
            if self.left[switch.index()] == UNREACHABLE && turning.is_at(switch) {
                let mut downs = self.links.of(switch).iter().filter(|cable| !cable.leads_up);
                if let Some(cable) = downs.find(|cable| turning.is_at(cable.far)) {
                    self.left[switch.index()] = self.left[cable.far.index()].saturating_add(1);
                    self.leads[switch.index()] = Leads::DownToTurn;
                }
            }
        }
    }

    /// Whether a switch may send packets for the destination at hand by a cable: down to a switch from which the rest
    /// of the way leads down, or up where it has no such way itself, or down to one at which they may turn.
    #[inline]
    fn may_take(&self, switch: SwitchId, cable: &Cable) -> bool {
        let Some(orientation) = self.orientation else { return true };
        match self.leads[switch.index()] {
            Leads::Down => !cable.leads_up && self.leads[cable.far.index()] == Leads::Down,
            Leads::Up => cable.leads_up,
            Leads::DownToTurn => {
                !cable.leads_up && orientation.turning().is_some_and(|turning| turning.is_at(cable.far))
            }
        }
    }
}
