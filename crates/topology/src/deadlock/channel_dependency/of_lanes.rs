//! The dependencies that tables by destination make where links have virtual lanes.

use std::collections::BTreeSet;

use hopscope_kernel::step;

use crate::graph::{HostId, Network, Node, Port, Switch, SwitchId};
use crate::tables::DestinationTables;
use crate::tables::virtual_lanes::{NO_LANE, SERVICE_LEVELS, VirtualLanes};

use super::{ChannelDependencies, Marks, Numbering};

/// What becomes of packets from a state on.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Arrive,
    /// Their service level means no lane on the way.
    Discarded,
    /// The tables do not lead to the receiver.
    Astray,
}

/// What packets of all pairs do on virtual lanes.
pub(crate) struct OfLanes {
    /// The channels, a lane each, and what they depend on.
    pub dependencies: ChannelDependencies,
    /// The service levels and the lanes that packets use, on the links of their receivers as well.
    pub levels: BTreeSet<u8>,
    pub lanes: BTreeSet<u8>,
    /// Pairs whose packets a switch discards, because their level has no lane.
    pub discarded: u64,
}

/// Lanes for data.
const LANES: u16 = NO_LANE as u16;

impl OfLanes {
    /// Follows the packets of every pair of hosts on every path.
    pub fn new(network: &Network, paths: &[DestinationTables], lanes: &VirtualLanes) -> Self {
        let mut walk = LaneWalk::new(network, lanes);
        for (path, tables) in paths.iter().enumerate() {
            for to in network.host_ids() {
                step("following virtual lanes");
                walk.turn += 1;
                for from in network.host_ids().filter(|from| *from != to) {
                    let level = lanes.level(path, from, to);
                    walk.follow(tables, from, to, level);
                }
            }
        }
        let LaneWalk { numbering, marks, levels, lanes, discarded, .. } = walk;
        let dependencies = ChannelDependencies::marked(network, numbering, &marks);
        Self { dependencies, levels, lanes, discarded }
    }
}

/// Follows packets to one destination after another; a state is a port of a switch at which they come, and a level.
struct LaneWalk<'a> {
    network: &'a Network,
    lanes_of: &'a VirtualLanes,
    numbering: Numbering,
    marks: Marks,
    /// The turn of the destination at hand, and by state that in which it was met last and how it ended then. States
    /// are a switch, then `in_port * SERVICE_LEVELS + level`.
    turn: u32,
    met: Vec<Vec<(u32, End)>>,
    levels: BTreeSet<u8>,
    lanes: BTreeSet<u8>,
    discarded: u64,
}

impl<'a> LaneWalk<'a> {
    fn new(network: &'a Network, lanes_of: &'a VirtualLanes) -> Self {
        let numbering = Numbering::new(network, LANES);
        let marks = Marks::new(network, LANES, &numbering);
        let of = |switch: &Switch| vec![(0, End::Astray); switch.ports.len() * SERVICE_LEVELS];
        let met = network.switches().iter().map(of).collect();
        let (levels, lanes) = (BTreeSet::new(), BTreeSet::new());
        Self { network, lanes_of, numbering, marks, turn: 0, met, levels, lanes, discarded: 0 }
    }

    fn follow(&mut self, tables: &DestinationTables, from: HostId, to: HostId, level: u8) {
        self.levels.insert(level);
        let host = self.network.host(from);
        let (mut at, mut in_port) = (host.switch, host.port);
        let mut states: Vec<(SwitchId, usize)> = Vec::new();
        let mut taken: Vec<(SwitchId, Port)> = Vec::new();
        let end = loop {
            let state = usize::from(in_port) * SERVICE_LEVELS + usize::from(level);
            let met = &mut self.met[at.index()][state];
            let known = (met.0 == self.turn).then_some(met.1);
            // A state that is met again on one way is a forwarding loop: it is known as astray by then.
            *met = (self.turn, known.unwrap_or(End::Astray));
            let Some((port, far)) = tables.port(at, to).and_then(|p| Some((p, self.network.far_end(at, p)?)))
            else {
                break End::Astray;
            };
            let lane = self.lanes_of.lane(at, in_port, port, level);
            let next = match far.node {
                Node::Host(host) if host != to => break End::Astray,
                _ if lane == NO_LANE => break End::Discarded,
                Node::Host(_) => {
                    self.lanes.insert(lane);
                    break End::Arrive;
                }
                Node::Switch(next) => next,
            };
            taken.push((at, port * LANES + Port::from(lane)));
            if let Some(known) = known {
                break known;
            }
            states.push((at, state));
            (at, in_port) = (next, far.port);
        };
        states.into_iter().for_each(|(at, state)| self.met[at.index()][state].1 = end);
        match end {
            End::Arrive => self.mark(&taken),
            End::Discarded => self.discarded += 1,
            End::Astray => {}
        }
    }

    /// Each channel that is taken depends on the next one.
    fn mark(&mut self, taken: &[(SwitchId, Port)]) {
        for pair in taken.windows(2) {
            let [(at, channel), (_, next)] = *pair else { unreachable!("windows of two") };
            self.marks.mark(self.numbering.of(at, channel) as usize, next);
        }
        self.lanes.extend(taken.iter().map(|(_, channel)| (channel % LANES) as u8));
    }
}
