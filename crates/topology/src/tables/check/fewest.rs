//! The fewest links between switches, to 64 of them at once: a breadth-first search whose steps are taken for all of
//! these together, each a bit (Then et al., The More the Merrier, VLDB 2014).

use crate::graph::{Network, SwitchId};

/// So many destinations fit in a word.
const TOGETHER: usize = 64;

/// The fewest links to one switch with hosts after another, by their ids.
pub(super) struct Fewest {
    /// The switches beyond the links of each, where those of each begin.
    beyond: Vec<u32>,
    first: Vec<u32>,
    /// The switches with hosts.
    destinations: Vec<SwitchId>,
    /// The number of the destination from which on the links are known, and these, by destination, then switch.
    known: usize,
    links: Vec<u16>,
}

impl Fewest {
    pub fn new(network: &Network) -> Self {
        let (mut beyond, mut first) = (Vec::new(), vec![0]);
        for switch in network.switch_ids() {
            beyond.extend(network.neighbours(switch).map(|(_, _, far, _)| far.index() as u32));
            first.push(beyond.len() as u32);
        }
        let hosts = network.hosts_per_switch();
        let destinations = network.switch_ids().filter(|id| hosts[id.index()] > 0).collect();
        Self { beyond, first, destinations, known: 0, links: Vec::new() }
    }

    /// The fewest links from every switch to one with hosts.
    pub fn to(&mut self, switch: SwitchId) -> &[u16] {
        let number = self.destinations.binary_search(&switch).expect("a switch with hosts");
        let switches = self.first.len() - 1;
        if self.links.is_empty() || !(self.known..self.known + TOGETHER).contains(&number) {
            self.known = number;
            self.search(switches);
        }
        let place = (number - self.known) * switches;
        &self.links[place..place + switches]
    }

    fn search(&mut self, switches: usize) {
        let together = &self.destinations[self.known..];
        let together = &together[..together.len().min(TOGETHER)];
        self.links.clear();
        self.links.resize(together.len() * switches, u16::MAX);
        let mut reached = vec![0_u64; switches];
        for (bit, switch) in together.iter().enumerate() {
            reached[switch.index()] |= 1 << bit;
            self.links[bit * switches + switch.index()] = 0;
        }
        let mut newly = reached.clone();
        let mut distance = 0;
        while newly.iter().any(|bits| *bits != 0) {
            distance += 1;
            let mut next = vec![0_u64; switches];
            for (from, &bits) in newly.iter().enumerate().filter(|(_, bits)| **bits != 0) {
                for &far in &self.beyond[self.first[from] as usize..self.first[from + 1] as usize] {
                    next[far as usize] |= bits;
                }
            }
            for (switch, bits) in next.iter_mut().enumerate() {
                *bits &= !reached[switch];
                reached[switch] |= *bits;
                let mut left = *bits;
                while left != 0 {
                    self.links[left.trailing_zeros() as usize * switches + switch] = distance;
                    left &= left - 1;
                }
            }
            newly = next;
        }
    }
}
