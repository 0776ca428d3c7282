//! The same figures where packets follow tables by destination.

use crate::tables::DestinationTables;
use crate::tables::walk::{Fate, TableWalk};

use super::Tally;

impl Tally<'_> {
    /// Sends the messages of all hosts by the tables; returns the most links of a route. Pairs whose messages are lost
    /// are left out.
    pub(super) fn follow(&mut self, tables: &DestinationTables) -> u16 {
        let mut walk = TableWalk::new(self.network);
        let mut diameter = 0;
        for host in self.network.host_ids() {
            walk.towards(host, tables.column(host));
            self.here.fill(0.0);
            let to = walk.to();
            for &from in walk.sources() {
                let Fate::Arrives(links) = walk.fate(from) else { continue };
                let senders = self.talk.senders(from, self.network.host(host));
                diameter = diameter.max(links);
                self.here[from.index()] = senders as f64;
                if senders > 0 {
                    *self.hops.entry(u32::from(links) + 1).or_default() += senders;
                }
            }
            for &switch in walk.nearest_first().iter().rev() {
                let (port, next) = walk.next(switch).expect("a way that arrives");
                let messages = self.here[switch.index()];
                self.passed[switch.index()] += messages;
                self.sent[switch.index()][usize::from(port)] += messages;
                self.here[next.index()] += messages;
            }
            self.passed[to.index()] += self.here[to.index()];
        }
        diameter
    }
}
