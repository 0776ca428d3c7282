//! The channel-dependency graph of routes (Dally and Seitz, IEEE Trans. Computers 1987).
//!
//! A channel is one direction of a link between switches, or one of the virtual channels that share it. It depends on
//! another where a packet may hold the first and wait for the second: where the tables of some destination lead from
//! the one into the other. Without a cycle of dependencies no set of packets can deadlock, however
//! small the buffers are; `credit_loop.rs` looks for one.

mod of_lanes;
mod of_tables;

use crate::graph::{Network, Node, Port, SwitchId};
use crate::routes::walk::RouteWalk;
use crate::routes::{PortSet, Routes};
pub(crate) use of_lanes::OfLanes;
pub(crate) use of_tables::Marking;

/// One direction of a link between switches, out of a switch by a port; or a virtual channel of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Channel {
    /// The switch that sends on it.
    pub from: SwitchId,
    /// The port by which it leaves.
    pub port: Port,
    /// Which virtual channel, from 0; always 0 where routes need no more than one.
    pub lane: u16,
}

impl Channel {
    /// The switch that receives on it. Panics where the port leads to none: a program error.
    #[must_use]
    pub fn to(self, network: &Network) -> SwitchId {
        match network.far_end(self.from, self.port).map(|end| end.node) {
            Some(Node::Switch(to)) => to,
            _ => panic!("port {} of {:?} leads to no switch", self.port, self.from),
        }
    }
}

/// The channels of a network and what each depends on under its routes.
#[derive(Clone, Debug)]
pub struct ChannelDependencies {
    pub(super) channels: Vec<Channel>,
    /// The channels that each depends on, ascending.
    pub(super) after: Vec<Vec<u32>>,
}

/// No channel leaves by this port, or none has been found.
const NONE: u32 = u32::MAX;

impl ChannelDependencies {
    /// The dependencies that packets between hosts make. A destination's packets count only where they can come.
    #[must_use]
    pub fn new(network: &Network, routes: &Routes) -> Self {
        if let Some(tables) = routes.tables() {
            return Self::of_tables(network, tables);
        }
        let numbering = Numbering::new(network, routes.lanes());
        let mut marks = Marks::new(network, routes.lanes(), &numbering);
        // Most destinations lead from a channel to the same set of channels as the one before.
        let mut last_set = vec![PortSet::EMPTY; numbering.channels.len()];
        let mut walk = RouteWalk::new(network, routes);
        for to in walk.sources().to_vec() {
            walk.towards(to);
            for &state in walk.order() {
                for &number in walk.channels(state) {
                    let channel = numbering.of(state.switch, number) as usize;
                    let next = walk.step(state, number / routes.lanes());
                    let set = walk.set(next);
                    if set != last_set[channel] {
                        last_set[channel] = set;
                        marks.add(channel, walk.channels(next));
                    }
                }
            }
        }
        Self::marked(network, numbering, &marks)
    }

    fn marked(network: &Network, numbering: Numbering, marks: &Marks) -> Self {
        let after = numbering.channels.iter().enumerate().map(|(number, &channel)| {
            let next = channel.to(network);
            marks.of(number).map(|port| numbering.of(next, port)).collect()
        });
        let after = after.collect();
        Self { channels: numbering.channels, after }
    }

    /// How many channels there are.
    #[must_use]
    pub fn channel_count(&self) -> usize {
        self.channels.len()
    }

    /// Of each channel the sum of `own` over itself and all channels that lead to it, each as often as it does, and at
    /// most `most`; where channels depend on one another in a cycle, `most`.
    pub(crate) fn sums_of_those_before(
        &self,
        own: impl Fn(&Channel) -> u64,
        most: u64,
    ) -> impl Iterator<Item = (Channel, u64)> {
        let mut missing = vec![0_u32; self.channels.len()];
        for &next in self.after.iter().flatten() {
            missing[next as usize] += 1;
        }
        let mut sums: Vec<u64> = self.channels.iter().map(|channel| own(channel).min(most)).collect();
        let mut ready: Vec<usize> = (0..sums.len()).filter(|channel| missing[*channel] == 0).collect();
        while let Some(channel) = ready.pop() {
            for next in self.after[channel].iter().map(|next| *next as usize) {
                sums[next] = sums[next].saturating_add(sums[channel]).min(most);
                missing[next] -= 1;
                if missing[next] == 0 {
                    ready.push(next);
                }
            }
        }
        let known = missing.into_iter().map(move |missing| missing == 0);
        let sums = sums.into_iter().zip(known).map(move |(sum, known)| if known { sum } else { most });
        self.channels.iter().copied().zip(sums)
    }

    /// How many pairs of channels depend, the one on the other.
    #[must_use]
    pub fn dependency_count(&self) -> usize {
        self.after.iter().map(Vec::len).sum()
    }
}

/// The channels of a network in the order of switch, port and lane.
struct Numbering {
    channels: Vec<Channel>,
    /// The number of each channel, by switch and `port * lanes + lane`.
    numbers: Vec<Vec<u32>>,
}

impl Numbering {
    fn new(network: &Network, lanes: u16) -> Self {
        let mut channels = Vec::new();
        let mut numbers = Vec::with_capacity(network.switches().len());
        for from in network.switch_ids() {
            let mut of_switch = vec![NONE; network.switch(from).ports.len() * usize::from(lanes)];
            for (port, lane) in
                network.neighbours(from).flat_map(|(port, ..)| (0..lanes).map(move |l| (port, l)))
            {
                of_switch[usize::from(port * lanes + lane)] = channels.len() as u32;
                channels.push(Channel { from, port, lane });
            }
            numbers.push(of_switch);
        }
        Self { channels, numbers }
    }

    fn of(&self, switch: SwitchId, channel: Port) -> u32 {
        self.numbers[switch.index()][usize::from(channel)]
    }
}

/// For each channel, the channels by which packets go on where it ends, as bits.
struct Marks {
    words: Vec<u64>,
    /// Where each channel's bits begin in `words`, and where the last one's end.
    first_word: Vec<usize>,
}

impl Marks {
    fn new(network: &Network, lanes: u16, numbering: &Numbering) -> Self {
        let mut first_word = vec![0];
        let mut words = 0;
        for channel in &numbering.channels {
            let ports = network.switch(channel.to(network)).ports.len();
            words += (ports * usize::from(lanes)).div_ceil(64);
            first_word.push(words);
        }
        Self { words: vec![0; words], first_word }
    }

    fn add(&mut self, channel: usize, next: &[Port]) {
        next.iter().for_each(|number| self.mark(channel, *number));
    }

    #[inline]
    fn mark(&mut self, channel: usize, next: Port) {
        self.words[self.first_word[channel] + usize::from(next / 64)] |= 1 << (next % 64);
    }

    /// The channels marked, ascending.
    fn of(&self, channel: usize) -> impl Iterator<Item = Port> {
        let words = &self.words[self.first_word[channel]..self.first_word[channel + 1]];
        words.iter().enumerate().flat_map(|(word, bits)| {
            (0..64).filter(move |bit| bits >> bit & 1 == 1).map(move |bit| (64 * word + bit) as Port)
        })
    }
}
