//! The dependencies that tables by destination make.

use crate::graph::{Network, Port};
use crate::tables::DestinationTables;
use crate::tables::walk::TableWalk;

use super::{ChannelDependencies, Marks, Numbering};

impl ChannelDependencies {
    /// The dependencies that packets between hosts make under tables by destination, on ways that arrive.
    #[must_use]
    pub fn of_tables(network: &Network, tables: &DestinationTables) -> Self {
        let mut marking = Marking::new(network);
        let mut walk = TableWalk::new(network);
        for host in network.host_ids() {
            walk.towards(host, tables.column(host));
            marking.add(&walk);
        }
        marking.finish(network)
    }
}

/// Gathers dependencies, one destination after another.
pub(crate) struct Marking {
    numbering: Numbering,
    /// The number of each channel by the place of its port, as [`TableWalk::place`] counts.
    by_place: Vec<u32>,
    marks: Marks,
}

impl Marking {
    pub fn new(network: &Network) -> Self {
        let numbering = Numbering::new(network, 1);
        let marks = Marks::new(network, 1, &numbering);
        let by_place = numbering.numbers.iter().flatten().copied().collect();
        Self { numbering, by_place, marks }
    }

    /// Marks what packets for the destination at hand do.
    pub fn add(&mut self, walk: &TableWalk<'_>) {
        for &switch in walk.nearest_first() {
            let (place, next) = walk.hop(switch);
            if next != walk.to() {
                let (onward, _) = walk.hop(next);
                self.mark(place, walk.port_at(next, onward));
            }
        }
    }

    /// Marks that packets that come by the port at a place go on by this port of the switch beyond.
    #[inline]
    pub fn mark(&mut self, place: usize, onward: Port) {
        self.marks.mark(self.by_place[place] as usize, onward);
    }

    /// Adds what was marked for other destinations of the same network.
    pub fn unite(&mut self, other: &Self) {
        self.marks.words.iter_mut().zip(&other.marks.words).for_each(|(mine, theirs)| *mine |= theirs);
    }

    pub fn finish(self, network: &Network) -> ChannelDependencies {
        ChannelDependencies::marked(network, self.numbering, &self.marks)
    }
}
