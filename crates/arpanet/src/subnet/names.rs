//! What lines, IMPs and sequences of message numbers are called where they are shown.

use hopscope_measure::Journal;

use crate::scenario::params::Version;
use crate::subnet::Subnet;

impl<J: Journal> Subnet<J> {
    /// A line, by the IMPs at its ends.
    pub(crate) fn line_name(&self, line: usize) -> String {
        self.line_ends(line as u16).join(" -> ")
    }

    /// An IMP.
    pub(crate) fn imp_name(&self, imp: u8) -> String {
        self.plan.imps[usize::from(imp)].name.clone()
    }

    /// The IMPs at the ends of a line, the one that sends first.
    pub(crate) fn line_ends(&self, line: u16) -> [String; 2] {
        let line = &self.plan.lines[usize::from(line)];
        [line.from, line.to].map(|imp| self.imp_name(imp))
    }

    /// The name of a sequence, and its two IMPs.
    pub(crate) fn pair_name(&self, sequence: u32) -> (String, [String; 2]) {
        let sequence = &self.sequences[sequence as usize];
        let ends = [sequence.source, sequence.dest].map(|imp| self.imp_name(imp));
        let (from, to) = sequence.hosts;
        let names = match self.plan.params.protocol.version {
            Version::Two => ends.clone(),
            Version::Three => [from, to].map(|host| self.plan.hosts[host as usize].name.clone()),
        };
        (names.join(" -> "), ends)
    }
}
