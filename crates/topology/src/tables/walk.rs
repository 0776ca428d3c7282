//! Follows tables by destination from every switch with hosts to one host after another.

use hopscope_kernel::step;

use crate::graph::{Endpoint, HostId, Network, Node, Port, SwitchId};
use crate::tables::destination_tables::NO_PORT;

/// What the table of a switch does with packets for the host at hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    /// They arrive after this number of further links between switches.
    Arrives(u16),
    /// They are dropped at this switch or a later one.
    Lost,
    /// This switch or a later one hands them to another host.
    WrongHost,
    /// They follow a forwarding loop.
    Loops,
}

/// A switch that nothing has come to yet, and one on the way being walked.
const UNKNOWN: u16 = u16::MAX;
const WALKED: u16 = u16::MAX - 1;
const LOST: u16 = u16::MAX - 2;
const LOOPS: u16 = u16::MAX - 3;
const WRONG_HOST: u16 = u16::MAX - 4;

/// A port that leads to no switch.
const NO_SWITCH: u32 = u32::MAX;

/// Walks by switch and destination, each switch once a destination.
pub(crate) struct TableWalk<'a> {
    network: &'a Network,
    /// The port of each switch towards the host at hand.
    column: Vec<Port>,
    sources: Vec<SwitchId>,
    /// The switch beyond each port; where each switch's ports begin.
    beyond: Vec<u32>,
    port_base: Vec<u32>,
    to: SwitchId,
    left: Vec<u16>,
    /// By switch: the place of the port by which packets for the host at hand leave, of switches that they come to.
    leaves_by: Vec<u32>,
    /// The switches that packets pass, each after its next; not the destination's own.
    nearest_first: Vec<SwitchId>,
    path: Vec<SwitchId>,
}

impl<'a> TableWalk<'a> {
    pub fn new(network: &'a Network) -> Self {
        let hosts = network.hosts_per_switch();
        let (mut beyond, mut port_base) = (Vec::new(), Vec::new());
        for switch in network.switch_ids() {
            port_base.push(beyond.len() as u32);
            let ports = 0..network.switch(switch).ports.len();
            beyond.extend(ports.map(|port| match network.far_end(switch, port as Port) {
                Some(Endpoint { node: Node::Switch(far), .. }) => far.index() as u32,
                _ => NO_SWITCH,
            }));
        }
        Self {
            network,
            column: vec![NO_PORT; network.switches().len()],
            sources: network.switch_ids().filter(|id| hosts[id.index()] > 0).collect(),
            beyond,
            port_base,
            to: SwitchId::new(0),
            left: vec![UNKNOWN; network.switches().len()],
            leaves_by: vec![0; network.switches().len()],
            nearest_first: Vec::new(),
            path: Vec::new(),
        }
    }

    /// The switches with hosts.
    pub fn sources(&self) -> &[SwitchId] {
        &self.sources
    }

    /// The switch of the destination at hand.
    pub fn to(&self) -> SwitchId {
        self.to
    }

    /// The place of a port among the ports of all switches.
    pub fn place(&self, switch: SwitchId, port: Port) -> usize {
        self.port_base[switch.index()] as usize + usize::from(port)
    }

    /// The port of a switch that has this place.
    pub fn port_at(&self, switch: SwitchId, place: usize) -> Port {
        (place - self.port_base[switch.index()] as usize) as Port
    }

    /// How many ports all switches have together.
    pub fn port_count(&self) -> usize {
        self.beyond.len()
    }

    /// The switches that packets for the host pass on ways that arrive, each after its next; without the last.
    pub fn nearest_first(&self) -> &[SwitchId] {
        &self.nearest_first
    }

    /// The fewest links from every switch to this one, whatever the tables say.
    pub fn fewest_links(&self, to: SwitchId) -> Vec<u16> {
        let mut fewest = vec![u16::MAX; self.port_base.len()];
        fewest[to.index()] = 0;
        let mut reached = vec![to.index()];
        let mut next = 0;
        while let Some(&switch) = reached.get(next) {
            next += 1;
            for &far in &self.beyond[self.ports_of(switch)] {
                if far != NO_SWITCH && fewest[far as usize] == u16::MAX {
                    fewest[far as usize] = fewest[switch] + 1;
                    reached.push(far as usize);
                }
            }
        }
        fewest
    }

    /// The places of a switch's ports.
    fn ports_of(&self, switch: usize) -> std::ops::Range<usize> {
        let end = self.port_base.get(switch + 1).map_or(self.beyond.len(), |end| *end as usize);
        self.port_base[switch] as usize..end
    }

    /// Where packets leave a switch on a way that arrives: the place of its port, and the switch beyond.
    #[inline]
    pub fn hop(&self, switch: SwitchId) -> (usize, SwitchId) {
        let place = self.leaves_by[switch.index()] as usize;
        (place, SwitchId::new(self.beyond[place] as usize))
    }

    /// The port by which packets for the host at hand leave a switch.
    pub fn port(&self, switch: SwitchId) -> Port {
        self.column[switch.index()]
    }

    /// The next hop of a switch: its port and the switch beyond; nothing where the entry is missing or leads to no
    /// switch.
    #[inline]
    pub fn next(&self, switch: SwitchId) -> Option<(Port, SwitchId)> {
        let port = self.column[switch.index()];
        Some((port, self.beyond(switch, port)?))
    }

    /// The switch beyond a port; nothing where it leads to none.
    #[inline]
    pub fn beyond(&self, switch: SwitchId, port: Port) -> Option<SwitchId> {
        let place = self.place(switch, port);
        if port == NO_PORT || place >= self.ports_of(switch.index()).end || self.beyond[place] == NO_SWITCH {
            return None;
        }
        Some(SwitchId::new(self.beyond[place] as usize))
    }

    /// What becomes of packets for the host at hand at a switch that packets come to.
    pub fn fate(&self, switch: SwitchId) -> Fate {
        match self.left[switch.index()] {
            LOST => Fate::Lost,
            WRONG_HOST => Fate::WrongHost,
            LOOPS => Fate::Loops,
            UNKNOWN | WALKED => unreachable!("a switch that packets for the host come to"),
            links => Fate::Arrives(links),
        }
    }

    /// Follows the tables to a host, of which this is the column, from every switch with hosts; everything else answers
    /// for it from now on.
    pub fn towards(&mut self, host: HostId, column: &[Port]) {
        step("following tables");
        let Endpoint { node: Node::Switch(to), port } =
            self.network.link(self.network.host(host).link).ends[0]
        else {
            unreachable!("a host's link has its switch first")
        };
        self.to = to;
        self.column.copy_from_slice(column);
        self.left.fill(UNKNOWN);
        self.nearest_first.clear();
        // A table may send packets on at their receiver's own switch.
        if self.column[to.index()] == port {
            self.left[to.index()] = 0;
        }
        for source in 0..self.sources.len() {
            self.walk(self.sources[source]);
        }
    }

    fn walk(&mut self, from: SwitchId) {
        let mut at = from;
        let mut left = loop {
            match self.left[at.index()] {
                UNKNOWN => {}
                WALKED => break LOOPS,
                known => break known,
            }
            self.left[at.index()] = WALKED;
            self.path.push(at);
            match self.next(at) {
                Some((port, next)) => {
                    self.leaves_by[at.index()] = self.place(at, port) as u32;
                    at = next;
                }
                None => break if self.wrong_host(at).is_some() { WRONG_HOST } else { LOST },
            }
        };
        while let Some(switch) = self.path.pop() {
            if left < WRONG_HOST {
                left += 1;
                self.nearest_first.push(switch);
            }
            self.left[switch.index()] = left;
        }
    }

    /// The host that a switch hands packets to that have not arrived; nothing where its entry leads to no host.
    pub fn wrong_host(&self, at: SwitchId) -> Option<HostId> {
        match self.network.far_end(at, self.column[at.index()])?.node {
            Node::Host(host) => Some(host),
            Node::Switch(_) => None,
        }
    }

    /// The switch that hands packets to a wrong host, its port, and that host: where packets from a switch with this
    /// fate end.
    pub fn handed_over(&self, from: SwitchId) -> Option<(SwitchId, Port, HostId)> {
        if self.fate(from) != Fate::WrongHost {
            return None;
        }
        let mut at = from;
        while let Some((_, next)) = self.next(at) {
            at = next;
        }
        Some((at, self.column[at.index()], self.wrong_host(at)?))
    }

    /// The switches that packets pass from one on until they come to a switch again, or to where they are lost.
    pub fn way(&self, from: SwitchId) -> Vec<SwitchId> {
        let mut way = vec![from];
        while let Some(&at) = way.last()
            && self.left[at.index()] != 0
            && let Some((_, next)) = self.next(at)
        {
            let again = way.contains(&next);
            way.push(next);
            if again {
                break;
            }
        }
        way
    }
}
