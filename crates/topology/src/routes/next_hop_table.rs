//! The next hops themselves, small enough to stay near the processor.

use std::collections::{BTreeMap, HashMap};
use std::hash::{BuildHasherDefault, Hash, Hasher};

use hopscope_kernel::step;

use crate::graph::{Network, Port, SwitchId};

use crate::graph::cube::Cube;

use super::distances::{Distances, UNREACHABLE, ones};
use super::next_hop_rule::{NextHopRule, OutChannel};

/// A switch that is no destination.
const NO_HOSTS: u32 = u32::MAX;

/// The number of destinations that are examined together for a next hop.
const RUN: usize = 32;

/// Sets of ports by (switch, phase, destination).
///
/// A row holds, for every destination, the number of a set in the row's own list of sets: 2 bytes an entry whatever the
/// network. Rows that are alike are kept once, as are sets. In a regular network nearly all are alike: the two million
/// pairs of a 65,536-host fat tree share some two hundred rows, which fit a processor's cache.
#[derive(Clone, Debug)]
pub(super) struct NextHopTable {
    /// The place of each switch in a row.
    places: Vec<u32>,
    /// By switch, then phase.
    rows: Vec<Row>,
    phases: usize,
    entries: Vec<u16>,
    sets: Vec<PortSet>,
    /// The members of sets as virtual channels, `port * lanes + lane`.
    channels: Vec<Port>,
    /// The same as ports; empty where a port has one channel, and the two are the same.
    ports: Vec<Port>,
}

/// Where a row's entries and sets begin.
#[derive(Clone, Copy, Debug)]
struct Row {
    entries: usize,
    sets: u32,
}

/// A set of ports, by where they are in the table. Equal sets are kept once: they are at one place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct PortSet {
    first: u32,
    count: u32,
}

impl PortSet {
    /// No port.
    pub const EMPTY: Self = Self { first: 0, count: 0 };
}

impl NextHopTable {
    pub fn new(
        network: &Network,
        rule: NextHopRule<'_>,
        lanes: u16,
        destinations: &[SwitchId],
        distances: &Distances,
    ) -> Self {
        let mut places = vec![NO_HOSTS; network.switches().len()];
        for (place, destination) in destinations.iter().enumerate() {
            places[destination.index()] = place as u32;
        }
        let phases = rule.phases();
        let mut press = RowPress::new(destinations.len());
        let mut rows = Vec::with_capacity(network.switches().len() * phases.len());
        for switch in network.switch_ids() {
            for &phase in phases {
                step("computing next hops");
                let outs = rule.channels_out(network, distances, (switch, phase), lanes);
                press.clear_marks(&outs);
                if let NextHopRule::Dimensions(cube) = rule {
                    press.mark_dimensions(network, cube, switch, destinations, &outs);
                } else {
                    press.mark_nearer(rule, lanes, distances.row(switch, phase), &outs);
                }
                rows.push(press.row(places[switch.index()], &outs));
            }
        }
        let RowPress { entries, sets, channels, .. } = press;
        let ports =
            if lanes == 1 { Vec::new() } else { channels.iter().map(|channel| channel / lanes).collect() };
        Self { places, rows, phases: phases.len(), entries, sets, channels, ports }
    }

    #[inline]
    pub fn next_ports(&self, switch: SwitchId, phase: u8, to: SwitchId) -> &[Port] {
        self.ports_of(self.next_set(switch, phase, to))
    }

    #[inline]
    pub fn next_channels(&self, switch: SwitchId, phase: u8, to: SwitchId) -> &[Port] {
        self.channels_of(self.next_set(switch, phase, to))
    }

    #[inline]
    fn next_set(&self, switch: SwitchId, phase: u8, to: SwitchId) -> PortSet {
        let place = self.places[to.index()];
        // A switch's entry for itself is whatever makes its row like others.
        if place == NO_HOSTS || switch == to {
            return PortSet::EMPTY;
        }
        let row = self.rows[switch.index() * self.phases + usize::from(phase)];
        self.set_in(row, place)
    }

    /// The ports of a set.
    #[inline]
    pub fn ports_of(&self, set: PortSet) -> &[Port] {
        let ports = if self.ports.is_empty() { &self.channels } else { &self.ports };
        &ports[set.first as usize..][..set.count as usize]
    }

    /// The virtual channels of a set.
    #[inline]
    pub fn channels_of(&self, set: PortSet) -> &[Port] {
        &self.channels[set.first as usize..][..set.count as usize]
    }

    /// The sets of all (switch, phase) for one destination with hosts, in their order, into `column`.
    ///
    /// Asked for one by one they would each wait for memory; here the processor fetches many at a time.
    pub fn column(&self, to: SwitchId, column: &mut Vec<PortSet>) {
        let place = self.places[to.index()];
        assert!(place != NO_HOSTS, "{to:?} has no hosts");
        column.clear();
        column.extend(self.rows.iter().map(|row| self.set_in(*row, place)));
        column[to.index() * self.phases..][..self.phases].fill(PortSet::EMPTY);
    }

    #[inline]
    fn set_in(&self, row: Row, place: u32) -> PortSet {
        let entry = self.entries[row.entries + place as usize];
        self.sets[row.sets as usize + usize::from(entry)]
    }
}

/// Turns rows of distances into rows of set numbers and keeps each different one once.
struct RowPress {
    width: usize,
    entries: Vec<u16>,
    sets: Vec<PortSet>,
    channels: Vec<Port>,
    /// The sets kept so far by their members.
    known_sets: HashMap<Vec<Port>, PortSet, BuildHasherDefault<WordHasher>>,
    /// The rows kept so far by a hash of their contents. Nothing depends on the hash but speed.
    known_rows: BTreeMap<u64, Vec<(Row, usize)>>,
    /// For the row at hand: which channels out are next hops, as bits, `words` to a destination.
    masks: Vec<u64>,
    words: usize,
    /// The members of the set at hand.
    members: Vec<Port>,
    /// For the row at hand: the numbers of the sets met so far.
    numbers: HashMap<Vec<u64>, u16, BuildHasherDefault<WordHasher>>,
}

impl RowPress {
    fn new(width: usize) -> Self {
        Self {
            width,
            entries: Vec::new(),
            sets: Vec::new(),
            channels: Vec::new(),
            known_sets: HashMap::default(),
            members: Vec::new(),
            known_rows: BTreeMap::new(),
            masks: Vec::new(),
            words: 0,
            numbers: HashMap::default(),
        }
    }

    /// The row of a switch that may use these ways, as marked. `own` is its own place among the destinations.
    fn row(&mut self, own: u32, outs: &[OutChannel<'_>]) -> Row {
        let (first_entry, first_set) = (self.entries.len(), self.sets.len());
        self.numbers.clear();
        let mut last: Option<(usize, u16)> = None;
        for place in 0..self.width {
            let number = if place == own as usize {
                0
            } else {
                let mask = place * self.words..(place + 1) * self.words;
                match last {
                    Some((like, number))
                        if self.masks[mask.clone()] == self.masks[like..like + self.words] =>
                    {
                        number
                    }
                    _ => {
                        let number = self.number(mask.clone(), outs);
                        last = Some((mask.start, number));
                        number
                    }
                }
            };
            self.entries.push(number);
        }
        // The only destination's own row: its entry for itself still names a set.
        if self.sets.len() == first_set {
            self.sets.push(PortSet::EMPTY);
        }
        self.keep_once(Row { entries: first_entry, sets: first_set as u32 })
    }

    /// Begins a new row, for a switch with these channels out.
    fn clear_marks(&mut self, outs: &[OutChannel<'_>]) {
        self.words = outs.len().div_ceil(64).max(1);
        self.masks.clear();
        self.masks.resize(self.width * self.words, 0);
    }

    /// Sets, for each destination, the bit of the one way of dimension order.
    fn mark_dimensions(
        &mut self,
        network: &Network,
        cube: &Cube,
        switch: SwitchId,
        destinations: &[SwitchId],
        outs: &[OutChannel<'_>],
    ) {
        for (place, &to) in destinations.iter().enumerate().filter(|(_, to)| **to != switch) {
            let hop = cube.next(switch, to);
            let channel = Cube::port(network, switch, hop.to) * cube.lanes() + hop.lane;
            let bit = outs.iter().position(|out| out.channel == channel).expect("a channel of the switch");
            self.masks[place * self.words + bit / 64] |= 1 << (bit % 64);
        }
    }

    /// Sets, for each destination, the bits of the ways that lead one hop nearer to it.
    ///
    /// Many runs of destinations are nearer by none of a port's channels: they are passed at the width of the
    /// processor's registers.
    fn mark_nearer(&mut self, rule: NextHopRule<'_>, lanes: u16, distances: &[u16], outs: &[OutChannel<'_>]) {
        for (first, channels) in (0..).step_by(usize::from(lanes)).zip(outs.chunks(usize::from(lanes))) {
            let runs = distances.chunks(RUN).zip(channels[0].beyond.chunks(RUN));
            for (run, (mine, beyond)) in (0..).step_by(RUN).zip(runs) {
                let any = mine.iter().zip(beyond).fold(0, |any, (&mine, &beyond)| any | leads(mine, beyond));
                if any == 0 {
                    continue;
                }
                let marks = self.masks[run * self.words..].chunks_mut(self.words);
                for (marks, (&mine, &beyond)) in marks.zip(mine.iter().zip(beyond)) {
                    if leads(mine, beyond) != 0
                        && let Some(lane) = rule.lane(mine, lanes)
                    {
                        let bit = first + usize::from(lane);
                        marks[bit / 64] |= 1 << (bit % 64);
                    }
                }
            }
        }
    }

    /// The number, in the row at hand, of the set that a mask stands for.
    fn number(&mut self, mask: std::ops::Range<usize>, outs: &[OutChannel<'_>]) -> u16 {
        let mask = &self.masks[mask];
        if let Some(&number) = self.numbers.get(mask) {
            return number;
        }
        let number = self.numbers.len() as u16;
        self.numbers.insert(mask.to_vec(), number);
        self.members.clear();
        for (&word, outs) in mask.iter().zip(outs.chunks(u64::BITS as usize)) {
            self.members.extend(ones(word.into()).map(|bit| outs[bit].channel));
        }
        let set = self.set_of_members();
        self.sets.push(set);
        number
    }

    /// The set of the members at hand, which is kept once.
    fn set_of_members(&mut self) -> PortSet {
        if self.members.is_empty() {
            return PortSet::EMPTY;
        }
        if let Some(&set) = self.known_sets.get(&self.members) {
            return set;
        }
        let set = PortSet { first: self.channels.len() as u32, count: self.members.len() as u32 };
        self.channels.extend(&self.members);
        self.known_sets.insert(self.members.clone(), set);
        set
    }

    /// The row at the end of the lists, or the same one kept before, in which case it is taken off again.
    fn keep_once(&mut self, row: Row) -> Row {
        let contents = (&self.entries[row.entries..], &self.sets[row.sets as usize..]);
        let mut hasher = WordHasher::default();
        contents.hash(&mut hasher);
        let alike = self.known_rows.entry(hasher.finish()).or_default();
        let found = alike.iter().find(|(known, sets)| {
            self.sets[known.sets as usize..][..*sets] == *contents.1
                && self.entries[known.entries..][..self.width] == *contents.0
        });
        if let Some(&(known, _)) = found {
            self.entries.truncate(row.entries);
            self.sets.truncate(row.sets as usize);
            return known;
        }
        alike.push((row, contents.1.len()));
        row
    }
}

/// 1 where a way to a switch that is `beyond` hops from the destination brings a packet nearer that is `mine` hops from
/// it, else 0.
fn leads(mine: u16, beyond: u16) -> u16 {
    u16::from(mine != UNREACHABLE) & u16::from(beyond.saturating_add(1) == mine)
}

/// A quick hash for tables that this program fills itself. Results never depend on it, only speed.
#[derive(Default)]
struct WordHasher(u64);

impl Hasher for WordHasher {
    fn write(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks::<8>();
        for word in words {
            self.write_u64(u64::from_le_bytes(*word));
        }
        for &byte in rest {
            self.write_u64(u64::from(byte));
        }
    }

    fn write_u64(&mut self, word: u64) {
        // Fibonacci hashing (Knuth, volume 3, section 6.4): the golden ratio as an odd 64-bit number spreads the bits
        // upwards, the shift brings them down again.
        let mixed = (self.0 ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = mixed ^ (mixed >> 32);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}
