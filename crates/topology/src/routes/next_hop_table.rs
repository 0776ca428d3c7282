//! The next hops themselves, small enough to stay near the processor.

use std::collections::{BTreeMap, HashMap};
use std::hash::{BuildHasherDefault, Hash, Hasher};

use crate::graph::{Network, Port, SwitchId};

use super::distances::{Distances, UNREACHABLE};
use super::up_down::Orientation;
use super::{DESCENDING, FREE};

/// A switch that is no destination.
const NO_HOSTS: u32 = u32::MAX;

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
        orientation: Option<&Orientation>,
        destinations: &[SwitchId],
        distances: &Distances,
    ) -> Self {
        let mut places = vec![NO_HOSTS; network.switches().len()];
        for (place, destination) in destinations.iter().enumerate() {
            places[destination.index()] = place as u32;
        }
        let phases: &[u8] = if orientation.is_some() { &[FREE, DESCENDING] } else { &[FREE] };
        let mut press = RowPress::new(destinations.len());
        let mut rows = Vec::with_capacity(network.switches().len() * phases.len());
        for switch in network.switch_ids() {
            for &phase in phases {
                let ways = ways(network, orientation, distances, switch, phase);
                rows.push(press.row(places[switch.index()], distances.row(switch, phase), &ways));
            }
        }
        let RowPress { entries, sets, ports, .. } = press;
        Self { places, rows, phases: phases.len(), entries, sets, ports }
    }

    #[inline]
    pub fn next_ports(&self, switch: SwitchId, phase: u8, to: SwitchId) -> &[Port] {
        let place = self.places[to.index()];
        // A switch's entry for itself is whatever makes its row like others.
        if place == NO_HOSTS || switch == to {
            return &[];
        }
        let row = self.rows[switch.index() * self.phases + usize::from(phase)];
        self.ports_of(self.set_in(row, place))
    }

    /// The ports of a set.
    #[inline]
    pub fn ports_of(&self, set: PortSet) -> &[Port] {
        &self.ports[set.first as usize..][..set.count as usize]
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

    pub fn bytes(&self) -> usize {
        self.places.len() * size_of::<u32>()
            + self.rows.len() * size_of::<Row>()
            + self.entries.len() * size_of::<u16>()
            + self.sets.len() * size_of::<PortSet>()
            + self.ports.len() * size_of::<Port>()
    }
}

/// A port that a packet may leave by, and the distances from where it leads.
struct Way<'a> {
    port: Port,
    beyond: &'a [u16],
}

/// The ports by which a packet in this phase may leave a switch, in the order of their numbers.
fn ways<'a>(
    network: &Network,
    orientation: Option<&Orientation>,
    distances: &'a Distances,
    switch: SwitchId,
    phase: u8,
) -> Vec<Way<'a>> {
    let legal = network.neighbours(switch).filter_map(|(port, link, far, _)| {
        let next_phase = match orientation {
            None => FREE,
            Some(orientation) if !orientation.leads_up(link, switch) => DESCENDING,
            Some(_) if phase == FREE => FREE,
            Some(_) => return None,
        };
        Some(Way { port, beyond: distances.row(far, next_phase) })
    });
    legal.collect()
}

/// Turns rows of distances into rows of set numbers and keeps each different one once.
struct RowPress {
    width: usize,
    entries: Vec<u16>,
    sets: Vec<PortSet>,
    ports: Vec<Port>,
    known_sets: BTreeMap<Vec<Port>, PortSet>,
    /// The rows kept so far by a hash of their contents. Nothing depends on the hash but speed.
    known_rows: BTreeMap<u64, Vec<(Row, usize)>>,
    /// For the row at hand: which ways are next hops, as bits, `words` to a destination.
    masks: Vec<u64>,
    words: usize,
    /// For the row at hand: the numbers of the sets met so far.
    numbers: HashMap<Vec<u64>, u16, BuildHasherDefault<WordHasher>>,
}

impl RowPress {
    fn new(width: usize) -> Self {
        Self {
            width,
            entries: Vec::new(),
            sets: Vec::new(),
            ports: Vec::new(),
            known_sets: BTreeMap::new(),
            known_rows: BTreeMap::new(),
            masks: Vec::new(),
            words: 0,
            numbers: HashMap::default(),
        }
    }

    /// The row of a switch that is this far from each destination and may use these ways. `own` is its own place among
    /// the destinations.
    fn row(&mut self, own: u32, distances: &[u16], ways: &[Way<'_>]) -> Row {
        self.mark_next_hops(distances, ways);
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
                        let number = self.number(mask.clone(), ways);
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

    /// Sets, for each destination, the bits of the ways that lead one hop nearer to it.
    fn mark_next_hops(&mut self, distances: &[u16], ways: &[Way<'_>]) {
        self.words = ways.len().div_ceil(64).max(1);
        self.masks.clear();
        self.masks.resize(self.width * self.words, 0);
        for (bit, way) in ways.iter().enumerate() {
            let masks = self.masks[bit / 64..].iter_mut().step_by(self.words);
            for ((mask, mine), beyond) in masks.zip(distances).zip(way.beyond) {
                let nearer = *mine != UNREACHABLE && beyond.saturating_add(1) == *mine;
                *mask |= u64::from(nearer) << (bit % 64);
            }
        }
    }

    /// The number, in the row at hand, of the set that a mask stands for.
    fn number(&mut self, mask: std::ops::Range<usize>, ways: &[Way<'_>]) -> u16 {
        let mask = &self.masks[mask];
        if let Some(&number) = self.numbers.get(mask) {
            return number;
        }
        let number = self.numbers.len() as u16;
        self.numbers.insert(mask.to_vec(), number);
        let chosen = ways.iter().enumerate().filter(|(bit, _)| mask[bit / 64] >> (bit % 64) & 1 == 1);
        let members: Vec<Port> = chosen.map(|(_, way)| way.port).collect();
        let ports = &mut self.ports;
        let set = *self.known_sets.entry(members).or_insert_with_key(|members| {
            // All empty sets are one, wherever they come up.
            let first = if members.is_empty() { 0 } else { ports.len() as u32 };
            ports.extend(members);
            PortSet { first, count: members.len() as u32 }
        });
        self.sets.push(set);
        number
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
