//! Picks one of several ports that lead a link nearer to a destination.

use crate::graph::{Network, Port, SwitchId};
use crate::routes::Orientation;

use super::TableEngine;
use super::by_number::ByNumber;
use super::candidates::{Links, NextHop, Ways};
use super::same_next::SameNext;

/// Picks one of several ports.
pub(super) struct Choice<'a> {
    links: &'a Links,
    rule: Pick,
    /// How many pairs of hosts use each port so far.
    pairs: Vec<u64>,
    /// By switch the most of these on any port of the way to the destination at hand.
    busiest: Vec<u64>,
    /// By switch the switch that was picked for the destination at hand, and the hosts whose packets for it come there.
    next: Vec<SwitchId>,
    here: Vec<u64>,
    /// How a host's number picks.
    numbers: ByNumber,
    /// The dimension of each port's link.
    dimensions: Vec<u32>,
    /// Which switches have the same next switches.
    same_next: SameNext,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Pick {
    Least,
    ByNumber,
    FirstDimension,
}

impl<'a> Choice<'a> {
    pub fn new(network: &Network, engine: &TableEngine, links: &'a Links) -> Self {
        let (rule, dimensions) = match engine {
            TableEngine::DModK => (Pick::ByNumber, Vec::new()),
            TableEngine::DimensionOrder => (Pick::FirstDimension, links.dimensions(network)),
            TableEngine::UpDown { .. } | TableEngine::Shortest => (Pick::Least, Vec::new()),
        };
        let of_switches = || vec![0; network.switches().len()];
        let (pairs, busiest, here) = (vec![0; links.port_count()], of_switches(), of_switches());
        let next = vec![SwitchId::new(0); network.switches().len()];
        let same_next = SameNext::new(network);
        Self { links, rule, pairs, busiest, next, here, numbers: ByNumber::default(), dimensions, same_next }
    }

    /// From now on hosts' numbers pick by the digits of these tiers.
    pub fn divide_by_tier(&mut self, network: &Network, tiers: &Orientation) {
        self.numbers = ByNumber::new(network, tiers);
    }

    /// Turns to the hosts at the switch that these ways lead to.
    pub fn turn_to(&mut self, all: &Ways) {
        self.busiest[all.to.index()] = 0;
        if self.rule == Pick::Least {
            self.same_next.find(all);
        }
    }

    /// The ports of all switches for the host of this number, by switch.
    pub fn pick_all(&mut self, all: &Ways, number: u64, column: &mut [Port]) {
        self.same_next.begin();
        for &from in &all.nearest_first {
            column[from.index()] = self.pick(from, all.of(from), number);
        }
    }

    /// One of the ports of a switch for the host of this number. The switches beyond them have picked before.
    #[inline]
    fn pick(&mut self, from: SwitchId, ways: &[NextHop], number: u64) -> Port {
        let first = self.links.place(from, 0);
        match self.rule {
            Pick::ByNumber => self.numbers.pick(from, ways, number),
            Pick::Least => {
                let known = self.same_next.least(from, ways, &self.pairs[first..], &self.busiest);
                let Some((way, busiest)) = known else {
                    let (way, port) = self.least(from, ways.iter());
                    self.same_next.pick(from, way);
                    return port;
                };
                self.busiest[from.index()] = busiest;
                self.next[from.index()] = ways[way].beyond;
                ways[way].port
            }
            Pick::FirstDimension => {
                let dimensions = std::mem::take(&mut self.dimensions);
                let dimension = |way: &&NextHop| dimensions[first + usize::from(way.port)];
                let lowest = ways.iter().map(|way| dimension(&way)).min();
                let (_, port) = self.least(from, ways.iter().filter(|way| Some(dimension(way)) == lowest));
                self.dimensions = dimensions;
                port
            }
        }
    }

    /// The first of those ways that is least busy: its number among them, and its port.
    #[inline]
    fn least<'w>(&mut self, from: SwitchId, ways: impl Iterator<Item = &'w NextHop>) -> (usize, Port) {
        let pairs = &self.pairs[self.links.place(from, 0)..];
        let mut least = (u64::MAX, u64::MAX);
        let mut found = None;
        for (number, way) in ways.enumerate() {
            let own = pairs[usize::from(way.port)];
            let busy = (own.max(self.busiest[way.beyond.index()]), own);
            if busy < least {
                (least, found) = (busy, Some((number, way)));
            }
        }
        let (number, way) = found.expect("a switch that has a way has a port for it");
        self.busiest[from.index()] = least.0;
        self.next[from.index()] = way.beyond;
        (number, way.port)
    }

    /// Counts the pairs of the host at hand with all others on the ports that were picked for it.
    pub fn add_pairs(&mut self, nearest_first: &[SwitchId], ports: &[Port], hosts: &[u32]) {
        if self.rule == Pick::ByNumber {
            return;
        }
        for (here, hosts) in self.here.iter_mut().zip(hosts) {
            *here = u64::from(*hosts);
        }
        for &from in nearest_first.iter().rev() {
            let here = self.here[from.index()];
            if here > 0 {
                let pairs = &mut self.pairs[self.links.place(from, ports[from.index()])];
                self.same_next.add_to(from, *pairs, here);
                *pairs += here;
                self.here[self.next[from.index()].index()] += here;
            }
        }
    }
}
