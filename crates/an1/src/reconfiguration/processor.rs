//! The control processor of a switch: the distributed spanning tree, the collection of the topology and its
//! distribution.
//!
//! A position that was sent is pending until every neighbour has acknowledged it and every child is stable: a diffusing
//! computation, whose end the root detects. Links deliver in order.

use std::collections::BTreeMap;
use std::sync::Arc;

use hopscope_topology::Port;

use super::message::{Content, End, Epoch, Message, Rank, Topology, TreePosition};

/// An action that a control processor requests of its switch.
#[derive(Clone, Debug)]
pub(crate) enum Deed {
    /// Close to host packets: a new reconfiguration has begun.
    Close,
    /// Send a control packet by this port.
    Send(Port, Message),
    /// Compute the table for this topology, load it, and open.
    Load(Arc<Topology>),
}

/// The control processor of a switch.
#[derive(Clone, Debug)]
pub(crate) struct Processor {
    rank: Rank,
    epoch: Epoch,
    position: TreePosition,
    /// Counts the positions taken in this epoch.
    sequence: u32,
    /// The port to the parent; nothing if this switch believes that it is the root.
    parent: Option<Port>,
    /// Links to other switches that are believed to work.
    neighbours: BTreeMap<Port, Neighbour>,
    /// Whether the current position has been reported as stable, or at the root, the topology sent.
    reported: bool,
}

/// The known state of the switch at the other end of a link in this epoch.
#[derive(Clone, Debug, Default)]
struct Neighbour {
    /// Its end of the link, its position and the sequence number of that.
    heard: Option<(End, TreePosition, u32)>,
    /// Whether it has acknowledged the current position.
    acknowledged: bool,
    /// Whether it is a child that is stable.
    stable: bool,
    report: Option<Topology>,
}

impl Processor {
    /// A control processor without known links.
    pub fn new(rank: Rank) -> Self {
        Self {
            rank,
            epoch: 0,
            position: Self::alone(rank),
            sequence: 0,
            parent: None,
            neighbours: BTreeMap::new(),
            reported: false,
        }
    }

    /// A control processor in a configured network: it has these links, and has loaded its table.
    pub fn configured(rank: Rank, ports: impl Iterator<Item = Port>) -> Self {
        let neighbours = ports.map(|port| (port, Neighbour::default())).collect();
        Self { epoch: 1, neighbours, reported: true, ..Self::new(rank) }
    }

    fn alone(rank: Rank) -> TreePosition {
        TreePosition { root: rank, level: 0, parent: rank, parent_port: 0 }
    }

    pub fn epoch(&self) -> Epoch {
        self.epoch
    }

    /// The processor has been switched on.
    pub fn boot(&mut self, deeds: &mut Vec<Deed>) {
        self.begin(self.epoch + 1, deeds);
        self.climb(deeds);
    }

    /// A link is believed to work from now on, or no longer: all switches reconfigure.
    pub fn link_changed(&mut self, port: Port, works: bool, deeds: &mut Vec<Deed>) {
        if works {
            self.neighbours.insert(port, Neighbour::default());
        } else {
            self.neighbours.remove(&port);
        }
        self.begin(self.epoch + 1, deeds);
        self.climb(deeds);
    }

    /// A control packet has come by this port.
    pub fn receive(&mut self, port: Port, message: Message, deeds: &mut Vec<Deed>) {
        if message.epoch < self.epoch || !self.neighbours.contains_key(&port) {
            return;
        }
        if message.epoch > self.epoch {
            self.begin(message.epoch, deeds);
        }
        let neighbour = self.neighbours.get_mut(&port).expect("looked up above");
        match message.content {
            Content::Position { from, sequence, position } => {
                neighbour.heard = Some((from, position, sequence));
                (neighbour.stable, neighbour.report) = (false, None);
                // The acknowledgment is sent after a new position that follows from this one: an acknowledged switch
                // then knows its children.
                self.consider(port, from, position, deeds);
                deeds.push(self.to(port, Content::Ack { sequence, stable: false }));
            }
            Content::Ack { sequence, stable } => {
                // An acknowledgment of a position that was replaced since is ignored.
                if sequence == self.sequence {
                    neighbour.acknowledged = true;
                    neighbour.stable |= stable;
                }
            }
            Content::Report(topology) => neighbour.report = Some(topology),
            Content::Complete(topology) => {
                self.pass_down(&topology, deeds);
                return;
            }
        }
        self.climb(deeds);
    }

    /// A new epoch: the state of the neighbours is reset, and this switch is the root until it hears of a better one.
    fn begin(&mut self, epoch: Epoch, deeds: &mut Vec<Deed>) {
        self.epoch = epoch;
        self.neighbours.values_mut().for_each(|neighbour| *neighbour = Neighbour::default());
        (self.position, self.parent, self.sequence) = (Self::alone(self.rank), None, 0);
        deeds.push(Deed::Close);
        self.announce(deeds);
    }

    /// Sends the current position to every neighbour.
    fn announce(&mut self, deeds: &mut Vec<Deed>) {
        self.reported = false;
        for (&port, neighbour) in &mut self.neighbours {
            (neighbour.acknowledged, neighbour.stable, neighbour.report) = (false, false, None);
            let (from, sequence, position) = ((self.rank, port), self.sequence, self.position);
            let content = Content::Position { from, sequence, position };
            deeds.push(Deed::Send(port, Message { epoch: self.epoch, content }));
        }
    }

    /// Takes a neighbour as the parent if that gives a better position.
    fn consider(&mut self, port: Port, from: End, theirs: TreePosition, deeds: &mut Vec<Deed>) {
        let (parent, parent_port) = from;
        let offered = TreePosition { root: theirs.root, level: theirs.level + 1, parent, parent_port };
        if offered < self.position {
            (self.position, self.parent) = (offered, Some(port));
            self.sequence += 1;
            self.announce(deeds);
        } else if self.parent == Some(port) {
            // The parent has moved within its level: nothing changes here, but the stable state must be reported again.
            self.reported = false;
        }
    }

    /// The ports to those that have this switch as their parent.
    fn children(&self) -> impl Iterator<Item = (Port, &Neighbour)> {
        let child = |port: Port, neighbour: &Neighbour| {
            neighbour.heard.is_some_and(|(_, theirs, _)| {
                (theirs.root, theirs.parent, theirs.parent_port) == (self.position.root, self.rank, port)
            })
        };
        self.neighbours
            .iter()
            .filter(move |(port, neighbour)| child(**port, neighbour))
            .map(|(port, neighbour)| (*port, neighbour))
    }

    /// When all switches from here downwards are stable and have reported, reports to the parent, or at the root, to
    /// all.
    fn climb(&mut self, deeds: &mut Vec<Deed>) {
        let all_heard = self.neighbours.values().all(|n| n.acknowledged && n.heard.is_some());
        let stable = all_heard && self.children().all(|(_, child)| child.stable && child.report.is_some());
        if self.reported || !stable {
            return;
        }
        self.reported = true;
        let mut topology = self.collected();
        let Some(parent) = self.parent else {
            topology.root = self.rank;
            for (number, short) in topology.switches.values_mut().enumerate() {
                *short = number as u32;
            }
            self.pass_down(&Arc::new(topology), deeds);
            return;
        };
        let (.., sequence) = self.neighbours[&parent].heard.expect("the parent has been heard");
        deeds.push(self.to(parent, Content::Ack { sequence, stable: true }));
        deeds.push(self.to(parent, Content::Report(topology)));
    }

    /// This switch, its links and what its children have reported.
    fn collected(&self) -> Topology {
        let mut topology = Topology::default();
        topology.switches.insert(self.rank, 0);
        for (&port, neighbour) in &self.neighbours {
            let (far, ..) = neighbour.heard.expect("who acknowledges has announced itself before");
            let mut ends = [(self.rank, port), far];
            ends.sort_unstable();
            topology.links.insert(ends);
        }
        for report in self.children().filter_map(|(_, child)| child.report.as_ref()) {
            topology.switches.extend(&report.switches);
            topology.links.extend(&report.links);
        }
        topology
    }

    fn pass_down(&self, topology: &Arc<Topology>, deeds: &mut Vec<Deed>) {
        for (port, _) in self.children() {
            deeds.push(self.to(port, Content::Complete(Arc::clone(topology))));
        }
        deeds.push(Deed::Load(Arc::clone(topology)));
    }

    fn to(&self, port: Port, content: Content) -> Deed {
        Deed::Send(port, Message { epoch: self.epoch, content })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeSet, VecDeque};

    use hopscope_kernel::RandomStream;
    use proptest::prelude::*;

    use super::*;

    /// Control processors joined by links that deliver in order, at random among the links.
    struct Network {
        processors: Vec<Processor>,
        links: Vec<[(usize, Port); 2]>,
        /// Messages in flight: receiver, its port, messages.
        wires: BTreeMap<(usize, Port), VecDeque<Message>>,
        far: BTreeMap<(usize, Port), (usize, Port)>,
        loaded: Vec<Option<(Epoch, Arc<Topology>)>>,
    }

    impl Network {
        fn new(switches: usize, pairs: &[(usize, usize)]) -> Self {
            let mut ports = vec![0; switches];
            let mut links = Vec::new();
            for &(a, b) in pairs {
                links.push([(a, ports[a]), (b, ports[b])]);
                ports[a] += 1;
                ports[b] += 1;
            }
            let far = links.iter().flat_map(|&[a, b]| [(a, b), (b, a)]).collect();
            let processors = (0..switches).map(|rank| Processor::new(rank as Rank)).collect();
            Self { processors, links, wires: BTreeMap::new(), far, loaded: vec![None; switches] }
        }

        fn act(&mut self, at: usize, deeds: Vec<Deed>) {
            for deed in deeds {
                match deed {
                    Deed::Close => self.loaded[at] = None,
                    Deed::Load(topology) => {
                        self.loaded[at] = Some((self.processors[at].epoch(), topology));
                    }
                    Deed::Send(port, message) => {
                        self.wires.entry(self.far[&(at, port)]).or_default().push_back(message);
                    }
                }
            }
        }

        fn change(&mut self, link: usize, works: bool) {
            for end in self.links[link] {
                self.wires.remove(&end);
            }
            for (at, port) in self.links[link] {
                let mut deeds = Vec::new();
                self.processors[at].link_changed(port, works, &mut deeds);
                self.act(at, deeds);
            }
        }

        /// Delivers at most this many messages, each from a random wire; true if none is left.
        fn deliver(&mut self, most: usize, random: &mut RandomStream) -> bool {
            for _ in 0..most {
                let busy: Vec<_> =
                    self.wires.iter().filter(|(_, w)| !w.is_empty()).map(|(at, _)| *at).collect();
                if busy.is_empty() {
                    return true;
                }
                let (at, port) = busy[random.below(busy.len() as u64) as usize];
                let message = self.wires.get_mut(&(at, port)).and_then(VecDeque::pop_front).expect("busy");
                let mut deeds = Vec::new();
                self.processors[at].receive(port, message, &mut deeds);
                self.act(at, deeds);
            }
            false
        }

        /// The switches that a switch reaches by working links.
        fn part(&self, from: usize, works: &[bool]) -> BTreeSet<Rank> {
            let mut part = BTreeSet::from([from as Rank]);
            loop {
                let before = part.len();
                for (link, [(a, _), (b, _)]) in self.links.iter().enumerate().filter(|(link, _)| works[*link])
                {
                    let (a, b) = (*a as Rank, *b as Rank);
                    if works[link] && (part.contains(&a) || part.contains(&b)) {
                        part.extend([a, b]);
                    }
                }
                if part.len() == before {
                    return part;
                }
            }
        }
    }

    fn pairs() -> impl Strategy<Value = (usize, Vec<(usize, usize)>)> {
        (2usize..14).prop_flat_map(|n| {
            let pairs = prop::collection::vec((0..n, 0..n), 1..3 * n);
            (Just(n), pairs.prop_map(|pairs| pairs.into_iter().filter(|(a, b)| a != b).collect()))
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]

        /// Whatever the order of messages and whatever fails meanwhile, in the end every switch of a connected part has
        /// the same topology, which is the whole part, with its least switch as root.
        #[test]
        fn every_part_agrees_on_its_topology(
            (n, pairs) in pairs(),
            changes in prop::collection::vec((any::<prop::sample::Index>(), 0usize..60), 0..6),
            seed in any::<u64>(),
        ) {
            let mut random = RandomStream::named(seed, "wires", 0);
            let mut network = Network::new(n, &pairs);
            let mut works = vec![true; pairs.len()];
            for at in 0..n {
                let mut deeds = Vec::new();
                network.processors[at].boot(&mut deeds);
                network.act(at, deeds);
            }
            for link in 0..pairs.len() {
                network.change(link, true);
            }
            for (link, messages) in changes {
                network.deliver(messages, &mut random);
                if !pairs.is_empty() {
                    let link = link.index(pairs.len());
                    works[link] = !works[link];
                    network.change(link, works[link]);
                }
            }
            prop_assert!(network.deliver(200_000, &mut random), "messages without end");
            for at in 0..n {
                let part = network.part(at, &works);
                let (_, topology) = network.loaded[at].clone().expect("every switch opens again");
                prop_assert_eq!(topology.switches.keys().copied().collect::<BTreeSet<_>>(), part.clone());
                prop_assert_eq!(Some(&topology.root), part.first());
                let in_part = |a: usize| part.contains(&(a as Rank));
                let links = network.links.iter().zip(&works);
                let links = links.filter(|([(a, _), _], works)| **works && in_part(*a));
                prop_assert_eq!(topology.links.len(), links.count());
            }
        }
    }
}
