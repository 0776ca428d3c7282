//! Picks one of several ports that lead a link nearer to a destination.

use crate::graph::Network;
use crate::routes::Orientation;

use super::TableEngine;
use super::candidates::Links;
use super::same_next::SameNext;
use super::ways_to::{Way, WaysTo};

/// Picks one of several ports.
pub(super) struct Choice {
    rule: Pick,
    /// How many pairs of hosts use each port so far, but for those of the destination at hand.
    pairs: Vec<u64>,
    /// The same for the ways to the destination at hand.
    of_ways: Vec<u64>,
    /// By position the most of these on any port of the way to the destination at hand.
    busiest: Vec<u64>,
    /// By position the hosts there, and those whose packets for the host at hand come there.
    hosts: Vec<u64>,
    here: Vec<u64>,
    /// What a host's number is divided by before it picks among the ports of a switch, by switch.
    divisors: Vec<u64>,
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

impl Choice {
    pub fn new(network: &Network, engine: &TableEngine, links: &Links) -> Self {
        let (rule, dimensions) = match engine {
            TableEngine::DModK => (Pick::ByNumber, Vec::new()),
            TableEngine::DimensionOrder => (Pick::FirstDimension, links.dimensions(network)),
            TableEngine::UpDown { .. } | TableEngine::Shortest => (Pick::Least, Vec::new()),
        };
        Self {
            rule,
            pairs: vec![0; links.port_count()],
            of_ways: Vec::new(),
            busiest: Vec::new(),
            hosts: Vec::new(),
            here: Vec::new(),
            divisors: Vec::new(),
            dimensions,
            same_next: SameNext::default(),
        }
    }

    /// In tier t a host's number is divided by the product of the numbers of parents in the tiers below, so that each
    /// tier goes by a digit of its own.
    pub fn divide_by_tier(&mut self, network: &Network, tiers: &Orientation) {
        let parents =
            |id| network.neighbours(id).filter(|(_, link, ..)| tiers.leads_up(*link, id)).count() as u64;
        let top = network.switch_ids().map(|id| tiers.level(id)).max().unwrap_or(0);
        let mut most = vec![1; usize::from(top) + 1];
        for id in network.switch_ids() {
            let tier = usize::from(top - tiers.level(id));
            most[tier] = most[tier].max(parents(id));
        }
        let below = most.iter().scan(1_u64, |product, parents| {
            let divisor = *product;
            *product = product.saturating_mul(*parents);
            Some(divisor)
        });
        let divisor: Vec<u64> = below.collect();
        self.divisors = network.switch_ids().map(|id| divisor[usize::from(top - tiers.level(id))]).collect();
    }

    /// Turns to the hosts at a switch; so many hosts are at each switch.
    pub fn turn_to(&mut self, turn: &WaysTo, crowded: &[u32]) {
        self.of_ways.clear();
        self.of_ways.extend(turn.ways.iter().map(|way| self.pairs[way.place as usize]));
        self.busiest.clear();
        self.busiest.resize(turn.len() + 1, 0);
        self.hosts.clear();
        self.hosts.extend(turn.order.iter().map(|switch| u64::from(crowded[switch.index()])));
        self.hosts.push(0);
        if self.rule == Pick::Least {
            self.same_next.find(turn);
        }
    }

    /// Turns away from them.
    pub fn turn_away(&mut self, turn: &WaysTo) {
        for (way, pairs) in turn.ways.iter().zip(&self.of_ways) {
            self.pairs[way.place as usize] = *pairs;
        }
    }

    /// The ways that all switches pick for the host of this number, by position: each by its number among those of its
    /// switch.
    pub fn pick_all(&mut self, turn: &WaysTo, number: u64, picks: &mut [u16]) {
        self.same_next.begin();
        for (position, pick) in picks.iter_mut().enumerate() {
            *pick = self.pick(turn, position, number) as u16;
        }
    }

    /// The way of a switch for the host of this number. The switches beyond have picked before.
    #[inline]
    fn pick(&mut self, turn: &WaysTo, position: usize, number: u64) -> usize {
        let range = turn.ways_of(position);
        let ways = &turn.ways[range.clone()];
        match self.rule {
            Pick::ByNumber => {
                (number / self.divisors[turn.order[position].index()] % ways.len() as u64) as usize
            }
            Pick::Least => {
                let pairs = &self.of_ways[range];
                let Some((way, busiest)) = self.same_next.least(position, ways, pairs, &self.busiest) else {
                    let way = self.least(turn, position, |_| true);
                    self.same_next.pick(position, way);
                    return way;
                };
                self.busiest[position] = busiest;
                way
            }
            Pick::FirstDimension => {
                let dimensions = std::mem::take(&mut self.dimensions);
                let dimension = |way: &Way| dimensions[way.place as usize];
                let lowest = ways.iter().map(dimension).min();
                let way = self.least(turn, position, |way| Some(dimension(way)) == lowest);
                self.dimensions = dimensions;
                way
            }
        }
    }

    /// The number of the first of those ways that is least busy.
    #[inline]
    fn least(&mut self, turn: &WaysTo, position: usize, may_be: impl Fn(&Way) -> bool) -> usize {
        let range = turn.ways_of(position);
        let mut least = (u64::MAX, u64::MAX);
        let mut found = None;
        for (number, (way, &own)) in turn.ways[range.clone()].iter().zip(&self.of_ways[range]).enumerate() {
            let busy = (own.max(self.busiest[way.beyond as usize]), own);
            if busy < least && may_be(way) {
                (least, found) = (busy, Some(number));
            }
        }
        self.busiest[position] = least.0;
        found.expect("a switch that has a way has a port for it")
    }

    /// Counts the pairs of the host at hand with all others on the ways that were picked for it.
    pub fn add_pairs(&mut self, turn: &WaysTo, picks: &[u16]) {
        if self.rule == Pick::ByNumber {
            return;
        }
        self.here.clone_from(&self.hosts);
        for position in (0..turn.len()).rev() {
            let here = self.here[position];
            if here > 0 {
                let (number, way) = turn.picked(position, picks);
                let pairs = &mut self.of_ways[number];
                self.same_next.add_to(position, *pairs, here);
                *pairs += here;
                self.here[way.beyond as usize] += here;
            }
        }
    }
}
