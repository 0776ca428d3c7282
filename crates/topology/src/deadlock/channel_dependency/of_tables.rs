//! The dependencies that tables by destination make.

use crate::graph::Network;
use crate::tables::DestinationTables;
use crate::tables::walk::TableWalk;

use super::{ChannelDependencies, Marks, Numbering};

impl ChannelDependencies {
    /// The dependencies that packets between hosts make under tables by destination, on ways that arrive.
    #[must_use]
    pub fn of_tables(network: &Network, tables: &DestinationTables) -> Self {
        let mut marking = Marking::new(network);
        let mut walk = TableWalk::new(network, tables);
        for host in network.host_ids() {
            walk.towards(host);
            marking.add(&walk);
        }
        marking.finish(network)
    }
}

/// Gathers dependencies, one destination after another.
pub(crate) struct Marking {
    numbering: Numbering,
    marks: Marks,
}

impl Marking {
    pub fn new(network: &Network) -> Self {
        let numbering = Numbering::new(network, 1);
        let marks = Marks::new(network, 1, &numbering);
        Self { numbering, marks }
    }

    /// Marks what packets for the destination at hand do.
    pub fn add(&mut self, walk: &TableWalk<'_>) {
        for &switch in walk.nearest_first() {
            let (port, next) = walk.next(switch).expect("a way that arrives");
            if next != walk.to() {
                let (onward, _) = walk.next(next).expect("a way that arrives");
                self.marks.add(self.numbering.of(switch, port) as usize, &[onward]);
            }
        }
    }

    pub fn finish(self, network: &Network) -> ChannelDependencies {
        ChannelDependencies::marked(network, self.numbering, &self.marks)
    }
}
