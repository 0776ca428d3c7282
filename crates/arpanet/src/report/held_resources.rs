//! The invariant when nothing is in transit: no resource is held.

use hopscope_measure::Journal;

use crate::subnet::Subnet;

impl<J: Journal> Subnet<J> {
    /// The resources that are held, each by its name and place; none where the subnet is at rest, whatever has happened
    /// to its messages.
    #[must_use]
    pub fn held(&self) -> Vec<String> {
        let mut found = Vec::new();
        let mut look = |held: u64, what: &str, place: &str| {
            if held > 0 {
                found.push(format!("{held} {what} at {place}"));
            }
        };
        for (imp, plan) in self.imps.iter().zip(&self.plan.imps) {
            look(imp.buffers.held(), "buffers", &plan.name);
            look(imp.store.held(), "store-and-forward buffers", &plan.name);
            look(imp.reassembly.pool().pool().held(), "reassembly buffers", &plan.name);
            look(imp.reassembly.filled(), "filled reassembly buffers", &plan.name);
            look(imp.leaders.pool().pool().held(), "pending leaders", &plan.name);
            look(imp.copies.pool().pool().held(), "pending packets", &plan.name);
            look(u64::from(imp.blocked), "blocked hosts", &plan.name);
            look(imp.waiting_replies.len() as u64, "waiting replies", &plan.name);
        }
        for line in 0..self.lines.len() {
            let channels = self.lines[line].channels.held();
            look(channels, "acknowledgment channels", &self.line_name(line));
        }
        for index in 0..self.sequences.len() {
            let sequence = &self.sequences[index];
            let pair = self.pair_name(index as u32).0;
            look(u64::from(sequence.numbers.outstanding()), "message numbers", &pair);
            look(sequence.pool.pool().held(), "accounts of message numbers", &pair);
            look(
                u64::from(sequence.users) + u64::from(sequence.requests.outstanding()),
                "users and requests",
                &pair,
            );
        }
        look(self.messages.len() as u64, "messages", "all IMPs");
        look(self.packets.len() as u64, "packets", "all IMPs");
        found
    }
}
