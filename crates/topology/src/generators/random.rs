//! Connected random networks.

use std::collections::BTreeSet;

use hopscope_kernel::RandomStream;
use hopscope_measure::Problem;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::layout::{Checks, attach_hosts, finish};
use crate::graph::builder::NetworkBuilder;
use crate::graph::drawing::on_circle;
use crate::graph::{Network, Node, SwitchId};

/// A connected random network without doubled links. Switch `s0` has the smallest uid.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Random {
    /// The number of switches. Default 16.
    pub switches: u32,
    /// Links to other switches at each switch: exactly this number if `regular`, otherwise on average. Default 4.
    pub degree: u32,
    /// Whether every switch has the same number of links. Default true.
    pub regular: bool,
    /// The seed of the network. Default 1.
    pub seed: u64,
    /// Hosts at each switch. Default 1.
    pub hosts_per_switch: u32,
    /// The number of servers; all other hosts are clients. With 0 every host may send to every other host. Default 0.
    pub servers: u32,
    /// The placement of the servers: 0 (the default) spreads them evenly; any other number is the seed of a random
    /// placement.
    pub placement_seed: u64,
}

impl Default for Random {
    fn default() -> Self {
        Self {
            switches: 16,
            degree: 4,
            regular: true,
            seed: 1,
            hosts_per_switch: 1,
            servers: 0,
            placement_seed: 0,
        }
    }
}

/// The links of a network, the smaller switch first.
type Pairs = BTreeSet<(u32, u32)>;

fn pair(a: u32, b: u32) -> (u32, u32) {
    (a.min(b), a.max(b))
}

impl Random {
    pub(crate) fn build(&self) -> Result<Network, Vec<Problem>> {
        let Self { switches: count, degree, regular, seed, hosts_per_switch, servers, placement_seed } =
            *self;
        let mut checks = Checks::default();
        checks.range("switches", count, 2, 65_534);
        // A regular network of degree 1 falls into pairs; a sparser one than a tree falls apart.
        checks.range(
            "degree",
            degree,
            if count == 2 { 1 } else { 2 },
            count.saturating_sub(1).clamp(1, 1000),
        );
        let even = !regular || (u64::from(count) * u64::from(degree)).is_multiple_of(2);
        checks.require(even, "degree", "an odd number of link ends", "switches times degree even");
        checks.size(count.into(), &[("hosts_per_switch", hosts_per_switch, count.into())], servers);
        checks.passed()?;
        let mut random = RandomStream::named(seed, "random network", 0);
        let pairs = if regular {
            regular_pairs(count, degree, &mut random)
        } else {
            irregular_pairs(count, degree, &mut random)
        };
        let mut builder = NetworkBuilder::new();
        let mut switches: Vec<SwitchId> = Vec::with_capacity(count as usize);
        for i in 0..count {
            let switch = builder.add_switch(format!("s{i}"));
            let (x, y) = on_circle(i, count, 1.0);
            builder.place(Node::Switch(switch), x, y);
            switches.push(switch);
        }
        for (a, b) in pairs {
            builder.add_link(switches[a as usize], switches[b as usize], None, None);
        }
        attach_hosts(&mut builder, &switches, hosts_per_switch);
        Ok(finish(builder, servers, placement_seed))
    }
}

/// A ring with chords is regular and connected; exchanging the ends of two links at a time keeps the degrees. It goes
/// on until the network is connected again, which nearly all regular networks are.
fn regular_pairs(count: u32, degree: u32, random: &mut RandomStream) -> Pairs {
    let mut pairs = Pairs::new();
    for i in 0..count {
        pairs.extend((1..=degree / 2).map(|step| pair(i, (i + step) % count)));
        if degree % 2 == 1 {
            pairs.insert(pair(i, (i + count / 2) % count));
        }
    }
    let mut list: Vec<(u32, u32)> = pairs.iter().copied().collect();
    loop {
        for _ in 0..10 * list.len() {
            let (i, j) = (random.below(list.len() as u64) as usize, random.below(list.len() as u64) as usize);
            let ((a, b), (c, d)) = (list[i], list[j]);
            let (c, d) = if random.below(2) == 0 { (c, d) } else { (d, c) };
            let (one, other) = (pair(a, c), pair(b, d));
            if a == c || b == d || one == other || pairs.contains(&one) || pairs.contains(&other) {
                continue;
            }
            for (place, new) in [(i, one), (j, other)] {
                pairs.remove(&list[place]);
                pairs.insert(new);
                list[place] = new;
            }
        }
        if connected(count, &pairs) {
            return pairs;
        }
    }
}

/// A random tree makes it connected; the other links join any two switches that have none yet.
fn irregular_pairs(count: u32, degree: u32, random: &mut RandomStream) -> Pairs {
    let links = (u64::from(count) * u64::from(degree) / 2) as usize;
    let mut order: Vec<u32> = (0..count).collect();
    random.shuffle(&mut order);
    let parent = |(i, &switch): (usize, &u32)| pair(switch, order[random.below(i as u64) as usize]);
    let mut pairs: Pairs = order.iter().enumerate().skip(1).map(parent).collect();
    while pairs.len() < links {
        let (a, b) = (random.below(u64::from(count)) as u32, random.below(u64::from(count)) as u32);
        if a != b {
            pairs.insert(pair(a, b));
        }
    }
    pairs
}

fn connected(count: u32, pairs: &Pairs) -> bool {
    let mut neighbours = vec![Vec::new(); count as usize];
    for &(a, b) in pairs {
        neighbours[a as usize].push(b);
        neighbours[b as usize].push(a);
    }
    let mut reached = vec![false; count as usize];
    reached[0] = true;
    let mut frontier = vec![0];
    let mut left = count - 1;
    while let Some(at) = frontier.pop() {
        for &next in &neighbours[at as usize] {
            if !reached[next as usize] {
                reached[next as usize] = true;
                left -= 1;
                frontier.push(next);
            }
        }
    }
    left == 0
}
