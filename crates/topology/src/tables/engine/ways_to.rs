//! The ways to one destination switch, all together and in the order in which they are used: what is asked for at every
//! host of the switch lies side by side.

use crate::graph::{Port, SwitchId};

/// A port that leads one link nearer, and where to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Way {
    /// The position of the switch beyond it in the order; the destination comes after the last.
    pub beyond: u32,
    /// The place of the port among the ports of all switches.
    pub place: u32,
    pub port: Port,
}

/// The ways of all switches to a destination switch.
#[derive(Debug)]
pub(crate) struct WaysTo {
    pub to: SwitchId,
    /// The switches other than the destination from which there is a way, each after those that its ways lead over: a
    /// switch is known by its position here.
    pub order: Vec<SwitchId>,
    /// The links left from each.
    pub left: Vec<u16>,
    /// Where the ways of each begin, and those of the last end.
    pub first: Vec<u32>,
    /// In the order of their ports.
    pub ways: Vec<Way>,
}

impl WaysTo {
    /// How many switches there are besides the destination.
    pub fn len(&self) -> usize {
        self.order.len()
    }

    /// The ways of the switch at a position, by number.
    #[inline]
    pub fn ways_of(&self, position: usize) -> std::ops::Range<usize> {
        self.first[position] as usize..self.first[position + 1] as usize
    }

    /// The port that each switch has for a host, by the number of the way that it picked.
    pub fn write(&self, picks: &[u16], own_port: Port, column: &mut [Port]) {
        for (position, switch) in self.order.iter().enumerate() {
            column[switch.index()] = self.picked(position, picks).1.port;
        }
        column[self.to.index()] = own_port;
    }

    /// The way that the switch at a position picked, and its number.
    #[inline]
    pub fn picked(&self, position: usize, picks: &[u16]) -> (usize, &Way) {
        let number = self.first[position] as usize + usize::from(picks[position]);
        (number, &self.ways[number])
    }
}
