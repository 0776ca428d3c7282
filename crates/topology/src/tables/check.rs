//! The effect of tables by destination on the packets of all pairs: where they are lost or loop, how many extra hops
//! they take, which down-up turns and which credit loops they make, and which links carry most.

mod failing;
mod lanes;
mod misdelivery;
mod worst_permutation;

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::mpsc::{channel, sync_channel};

use hopscope_kernel::{elsewhere, in_parts};
use serde::Serialize;

use crate::deadlock::{Channel, Marking};
use crate::graph::{HostId, Network, Port, SwitchId};
use crate::routes::Orientation;
use crate::tables::DestinationTables;
use crate::tables::engine::{Picking, TableEngine, TableEngineError, WayFinder};
use crate::tables::walk::{Fate, TableWalk};
use failing::Failing;
pub use failing::Pair;
pub use lanes::LaneCheck;
use misdelivery::Misdelivering;
pub use misdelivery::Misdelivery;
pub use worst_permutation::WorstPermutation;

/// A channel between switches, by name; at the end of a path the one to a host.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Hop {
    /// The switch that sends.
    pub from: String,
    /// Its port.
    pub port: Port,
    /// The switch or host that receives.
    pub to: String,
    /// The port there.
    pub to_port: Port,
    /// The virtual lane, where it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lane: Option<u16>,
}

impl Hop {
    /// A channel by the names of its ends.
    fn of(network: &Network, channel: Channel) -> Self {
        let name = |id: SwitchId| network.switch(id).name.clone();
        let far = network.far_end(channel.from, channel.port).map(|end| end.port);
        Self {
            from: name(channel.from),
            port: channel.port,
            to: name(channel.to(network)),
            to_port: far.unwrap_or_default(),
            lane: None,
        }
    }
}

/// An illegal down-up turn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Turn {
    /// The channel that leads down.
    pub down: Hop,
    /// The channel that leads up again.
    pub up: Hop,
    /// A host whose packets make the turn.
    pub to: String,
}

/// The load of a channel under all-to-all traffic.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ChannelLoad {
    /// The channel.
    pub channel: Hop,
    /// How many ordered pairs of hosts use it.
    pub pairs: u64,
}

/// A switch that sends up by some of its links and leaves others idle.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct UsedInPart {
    /// The switch.
    pub switch: String,
    /// How many of its links that lead up carry pairs of hosts.
    pub used: usize,
    /// How many lead up.
    pub links: usize,
}

/// What can be said of tables without simulating.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TableCheck {
    /// Switches of the fabric.
    pub switches: usize,
    /// Hosts of the fabric.
    pub hosts: usize,
    /// Links between switches.
    pub links: usize,
    /// Ordered pairs of hosts, each counted with every path of `paths`, as in all numbers of pairs here.
    pub pairs: u64,
    /// The paths of a pair of hosts: the LIDs of a host (LMC above 0); left out where it is one.
    #[serde(skip_serializing_if = "is_one")]
    pub paths: usize,
    /// Pairs whose packets are dropped.
    pub unreachable_pairs: u64,
    /// A few of the entries that drop them, each with a pair that meets it.
    pub unreachable: Vec<Pair>,
    /// Pairs whose packets are delivered to another host.
    pub misdelivered_pairs: u64,
    /// A few of the entries that do so.
    pub misdelivered: Vec<Misdelivery>,
    /// Pairs whose packets follow a forwarding loop.
    pub looping_pairs: u64,
    /// A few of the loops, each with a pair that follows it.
    pub loops: Vec<Pair>,
    /// The number of pairs that arrive, by the number of links between switches beyond the fewest possible.
    pub detours: BTreeMap<u16, u64>,
    /// The most links between switches on a way that arrives.
    pub longest: u16,
    /// The switches of level 0 that "up" refers to.
    pub roots: Vec<String>,
    /// How many turns from a channel that leads down into one that leads up the tables make.
    pub down_up_turns: u64,
    /// A few of them.
    pub turns: Vec<Turn>,
    /// A shortest cycle of channels each of which waits for the next, and the last for the first.
    pub credit_loop: Option<Vec<Hop>>,
    /// What virtual lanes make of it; nothing where all packets are taken to use one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lanes: Option<LaneCheck>,
    /// The channels that carry most under all-to-all traffic, most first.
    pub most_loaded: Vec<ChannelLoad>,
    /// The mean over all channels.
    pub mean_load: f64,
    /// How many channels no pair of hosts uses.
    pub idle_channels: usize,
    /// A few of the switches that send up by some of their links only, those that leave most idle first.
    pub used_in_part: Vec<UsedInPart>,
    /// The permutation that puts the most flows on one link. Nothing where senders choose among several paths.
    pub worst_permutation: Option<WorstPermutation>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
fn is_one(paths: &usize) -> bool {
    *paths == 1
}

/// Entries of tables at least that a thread of its own is worth: some milliseconds' work.
const FEWEST_ENTRIES: usize = 1_000_000;

/// Destinations whose tables wait to be looked at: 20 kB each where there are 10,000 switches.
const MOST_AHEAD: usize = 256;

/// Switches to which ways are found before the ports of their hosts are picked: 3 MB each where there are 10,000.
const CROWDS_AHEAD: usize = 16;

/// How many examples of each finding are kept.
const EXAMPLES: usize = 10;

impl TableCheck {
    /// Whether every pair is reached, nothing loops and no cycle of channels can lock.
    #[must_use]
    pub fn is_safe(&self) -> bool {
        let discarded = self.lanes.as_ref().map_or(0, |lanes| lanes.discarded_pairs);
        let failing = self.unreachable_pairs + self.misdelivered_pairs + self.looping_pairs + discarded;
        failing == 0 && self.credit_loop.is_none()
    }

    /// Checks the tables of a network. "Up" is towards these roots, or the switch of the smallest uid.
    #[must_use]
    pub fn new(network: &Network, tables: &DestinationTables, roots: &[SwitchId]) -> Self {
        Self::of_paths(network, std::slice::from_ref(tables), roots)
    }

    /// The same where each pair of hosts has several paths, which tables of their own lead: one for each LID of a host.
    /// Packets of all paths are under way together, so a credit loop may run over several.
    ///
    /// # Panics
    /// Without any tables.
    #[must_use]
    pub fn of_paths(network: &Network, paths: &[DestinationTables], roots: &[SwitchId]) -> Self {
        let first = network.switch_ids().min_by_key(|id| network.switch(*id).uid);
        let roots = if roots.is_empty() { first.as_slice() } else { roots };
        let orientation = Orientation::from_roots(network, roots);
        let hosts: Vec<HostId> = network.host_ids().collect();
        let least = FEWEST_ENTRIES.div_ceil(network.switches().len().max(1));
        let surveys = paths.iter().flat_map(|tables| {
            in_parts(hosts.len(), least, |part| {
                let mut survey = Survey::new(network, &orientation);
                hosts[part].iter().for_each(|host| survey.look_at(*host, tables.column(*host), tables));
                survey
            })
        });
        surveys.reduce(Survey::with).expect("there are tables").finish(roots, paths)
    }

    /// The same for the tables of an engine, each destination's while ports for the next one are picked.
    ///
    /// # Errors
    /// A network that the engine is not made for.
    pub fn of_engine(
        network: &Network,
        engine: &TableEngine,
        roots: &[SwitchId],
    ) -> Result<Self, TableEngineError> {
        let first = network.switch_ids().min_by_key(|id| network.switch(*id).uid);
        let roots = if roots.is_empty() { first.as_slice() } else { roots };
        let mut survey = Survey::new(network, &Orientation::from_roots(network, roots));
        let mut tables = DestinationTables::new(network);
        let finder = &WayFinder::new(network, engine)?;
        let mut crowds = finder.to_crowds();
        std::thread::scope(|scope| {
            let (found, to_pick) = channel();
            let (picked, columns) = sync_channel::<(HostId, Vec<Port>)>(MOST_AHEAD);
            let picking = scope.spawn(elsewhere(move || {
                let mut picking = Picking::new(finder, engine);
                to_pick.into_iter().try_for_each(|ways| {
                    picking.towards(&ways, |host, column| match picked.send((host, column.to_vec())) {
                        Ok(()) => ControlFlow::Continue(()),
                        Err(_) => ControlFlow::Break(()),
                    })
                })
            }));
            // Picking takes longest. So this thread finds the ways, always for a few destinations ahead.
            let mut found = Some(found);
            let mut find = || {
                match (crowds.next().transpose()?, &found) {
                    // Sending fails where the other thread has ended, and joining it gives the reason.
                    (Some(ways), Some(found)) => drop(found.send(ways)),
                    _ => found = None,
                }
                Ok(())
            };
            (0..CROWDS_AHEAD).try_for_each(|_| find())?;
            let mut at = None;
            for (host, column) in columns {
                let to = network.host(host).switch;
                if at.replace(to) != Some(to) {
                    find()?;
                }
                survey.look_at(host, &column, &tables);
                tables.column_mut(host).copy_from_slice(&column);
            }
            // It is broken off only where this thread is.
            let _ = picking.join().unwrap_or_else(|payload| std::panic::resume_unwind(payload));
            Ok(())
        })?;
        Ok(survey.finish(roots, &[tables]))
    }
}

/// What packets do at a port of a switch. All of it is asked for at every hop, and so lies together.
#[derive(Clone, Copy)]
struct PortSurvey {
    /// Pairs and destinations that the port carries, and the most senders to one of these.
    pairs: u64,
    destinations: u32,
    senders: u32,
    /// The place of the port by which packets last went on from the switch beyond; none so far.
    onward: u32,
    /// The first host whose packets went on by it since then.
    onward_to: u32,
    /// Whether the port's channel leads up.
    leads_up: bool,
}

/// Down-up turns, each with a host whose packets make it.
type Turns = BTreeMap<(Channel, Channel), HostId>;

/// Of the hosts whose packets make a turn the first one is kept, in whichever order they are looked at.
fn note_turn(turns: &mut Turns, turn: (Channel, Channel), host: HostId) {
    turns.entry(turn).and_modify(|first| *first = host.min(*first)).or_insert(host);
}

/// No packet has come by the port so far.
const NOWHERE: u32 = u32::MAX;

/// The figures while destinations are looked at one by one.
struct Survey<'a> {
    network: &'a Network,
    walk: TableWalk<'a>,
    hosts: Vec<u32>,
    marking: Marking,
    /// Links between switches to the switch at hand, and which it is.
    fewest: Vec<u16>,
    fewest_to: Option<SwitchId>,
    /// The number of hosts whose packets are at each switch.
    here: Vec<u64>,
    /// By place of a port.
    ports: Vec<PortSurvey>,
    turns: Turns,
    unreachable: Failing,
    misdelivering: Misdelivering,
    loops: Failing,
    /// Pairs by the links that they pass beyond the fewest, where there is such a way.
    detours: Vec<Option<u64>>,
    longest: u16,
}

impl<'a> Survey<'a> {
    fn new(network: &'a Network, orientation: &Orientation) -> Self {
        let walk = TableWalk::new(network);
        let unused = PortSurvey {
            pairs: 0,
            destinations: 0,
            senders: 0,
            onward: NOWHERE,
            onward_to: 0,
            leads_up: false,
        };
        let mut ports = vec![unused; walk.port_count()];
        for switch in network.switch_ids() {
            for (port, link, ..) in network.neighbours(switch) {
                ports[walk.place(switch, port)].leads_up = orientation.leads_up(link, switch);
            }
        }
        Self {
            network,
            walk,
            hosts: network.hosts_per_switch(),
            marking: Marking::new(network),
            fewest: Vec::new(),
            fewest_to: None,
            here: vec![0; network.switches().len()],
            ports,
            turns: BTreeMap::new(),
            unreachable: Failing::default(),
            misdelivering: Misdelivering::default(),
            loops: Failing::default(),
            detours: Vec::new(),
            longest: 0,
        }
    }

    /// With what another survey, of other destinations, has found.
    fn with(mut self, later: Self) -> Self {
        for (port, later) in self.ports.iter_mut().zip(&later.ports) {
            port.pairs += later.pairs;
            port.destinations += later.destinations;
            port.senders = port.senders.max(later.senders);
        }
        for (extra, pairs) in later.detours.into_iter().enumerate() {
            pairs.into_iter().for_each(|pairs| self.add_detour(extra, pairs));
        }
        self.longest = self.longest.max(later.longest);
        self.unreachable.unite(later.unreachable);
        self.loops.unite(later.loops);
        self.misdelivering.unite(later.misdelivering);
        for (turn, host) in later.turns {
            note_turn(&mut self.turns, turn, host);
        }
        self.marking.unite(&later.marking);
        self
    }

    fn add_detour(&mut self, extra: usize, pairs: u64) {
        if extra >= self.detours.len() {
            self.detours.resize(extra + 1, None);
        }
        *self.detours[extra].get_or_insert(0) += pairs;
    }

    /// Looks at the packets for a host, of which this is the column of the tables.
    fn look_at(&mut self, host: HostId, column: &[Port], tables: &DestinationTables) {
        self.walk.towards(host, column);
        let to = self.walk.to();
        if self.fewest_to.replace(to) != Some(to) {
            self.fewest = self.walk.fewest_links(to);
        }
        self.here.fill(0);
        for source in 0..self.walk.sources().len() {
            self.arrival(self.walk.sources()[source], host, tables);
        }
        self.spread(host);
    }

    /// What becomes of packets from the hosts of a switch.
    fn arrival(&mut self, from: SwitchId, host: HostId, tables: &DestinationTables) {
        let senders = u64::from(self.hosts[from.index()] - u32::from(from == self.walk.to()));
        let found = match self.walk.fate(from) {
            Fate::Arrives(links) => {
                self.here[from.index()] = senders;
                self.longest = self.longest.max(links);
                self.add_detour(usize::from(links - self.fewest[from.index()]), senders);
                return;
            }
            Fate::WrongHost => {
                let by = self.walk.handed_over(from).expect("a switch hands them to another host");
                self.misdelivering.note((host, tables.lid(host)), by, senders);
                return;
            }
            Fate::Lost => &mut self.unreachable,
            Fate::Loops => &mut self.loops,
        };
        found.note(self.network, &self.walk, tables, (from, host), senders);
    }

    /// Adds the packets up along the ways, and notes dependencies of channels and down-up turns.
    fn spread(&mut self, host: HostId) {
        for &switch in self.walk.nearest_first().iter().rev() {
            let (place, next) = self.walk.hop(switch);
            let here = self.here[switch.index()];
            self.here[next.index()] += here;
            let port = &mut self.ports[place];
            port.pairs += here;
            port.destinations += u32::from(here > 0);
            port.senders = port.senders.max(here as u32);
            if next == self.walk.to() {
                continue;
            }
            let (onward, _) = self.walk.hop(next);
            let to = host.index() as u32;
            // Columns come in any order: a host before those that were seen to go on here is news of a turn.
            if port.onward == onward as u32 && port.onward_to <= to {
                continue;
            }
            (port.onward, port.onward_to) = (onward as u32, to);
            let is_down = !port.leads_up;
            let onward_port = self.walk.port_at(next, onward);
            self.marking.mark(place, onward_port);
            if is_down && self.ports[onward].leads_up {
                let down = Channel { from: switch, port: self.walk.port_at(switch, place), lane: 0 };
                let up = Channel { from: next, port: onward_port, lane: 0 };
                note_turn(&mut self.turns, (down, up), host);
            }
        }
    }

    /// All channels, those that carry most first.
    fn channels_by_load(&self) -> Vec<(u64, Channel)> {
        let of_switch =
            |from| self.network.neighbours(from).map(move |(port, ..)| Channel { from, port, lane: 0 });
        let channels = self.network.switch_ids().flat_map(of_switch);
        let load =
            |channel: Channel| (self.ports[self.walk.place(channel.from, channel.port)].pairs, channel);
        let mut channels: Vec<(u64, Channel)> = channels.map(load).collect();
        channels.sort_by_key(|(pairs, channel)| (std::cmp::Reverse(*pairs), *channel));
        channels
    }

    /// The switches that send up by some of their links and leave others idle, those that leave most idle first.
    fn used_in_part(&self) -> Vec<UsedInPart> {
        let of_switch = |id: SwitchId| {
            let ports = self.network.neighbours(id).map(|(port, ..)| &self.ports[self.walk.place(id, port)]);
            let (mut used, mut links) = (0, 0);
            for port in ports.filter(|port| port.leads_up) {
                used += usize::from(port.pairs > 0);
                links += 1;
            }
            let name = || self.network.switch(id).name.clone();
            (0 < used && used < links).then(|| UsedInPart { switch: name(), used, links })
        };
        let mut found: Vec<UsedInPart> = self.network.switch_ids().filter_map(of_switch).collect();
        found.sort_by_key(|each| std::cmp::Reverse(each.links - each.used));
        found
    }

    fn finish(mut self, roots: &[SwitchId], paths: &[DestinationTables]) -> TableCheck {
        let marking = std::mem::replace(&mut self.marking, Marking::new(self.network));
        let dependencies = marking.finish(self.network);
        let cycle = dependencies.shortest_cycle();
        let channels = self.channels_by_load();
        let total: u64 = channels.iter().map(|(pairs, _)| *pairs).sum();
        let name = |id: &SwitchId| self.network.switch(*id).name.clone();
        let turn = |(&(down, up), &to): (&(Channel, Channel), &HostId)| Turn {
            down: Hop::of(self.network, down),
            up: Hop::of(self.network, up),
            to: self.network.host(to).name.clone(),
        };
        let hosts = self.network.hosts().len();
        TableCheck {
            switches: self.network.switches().len(),
            hosts,
            links: self.network.links().len() - hosts,
            pairs: hosts as u64 * (hosts as u64).saturating_sub(1) * paths.len() as u64,
            paths: paths.len(),
            unreachable_pairs: self.unreachable.pairs(),
            misdelivered_pairs: self.misdelivering.pairs(),
            misdelivered: self.misdelivering.examples(self.network),
            looping_pairs: self.loops.pairs(),
            roots: roots.iter().map(name).collect(),
            down_up_turns: self.turns.len() as u64,
            turns: self.turns.iter().take(EXAMPLES).map(turn).collect(),
            credit_loop: cycle
                .map(|cycle| cycle.into_iter().map(|channel| Hop::of(self.network, channel)).collect()),
            lanes: None,
            most_loaded: channels
                .iter()
                .take(EXAMPLES)
                .map(|&(pairs, channel)| ChannelLoad { channel: Hop::of(self.network, channel), pairs })
                .collect(),
            mean_load: if channels.is_empty() { 0.0 } else { total as f64 / channels.len() as f64 },
            idle_channels: channels.iter().filter(|(pairs, _)| *pairs == 0).count(),
            used_in_part: self.used_in_part().into_iter().take(EXAMPLES).collect(),
            worst_permutation: match paths {
                [tables] => worst_permutation::search(&mut self, tables, &channels, &dependencies),
                _ => None,
            },
            longest: self.longest,
            detours: (0..).zip(self.detours).filter_map(|(extra, pairs)| Some((extra, pairs?))).collect(),
            unreachable: self.unreachable.examples(),
            loops: self.loops.examples(),
        }
    }
}
