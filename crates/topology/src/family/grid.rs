//! Meshes, tori, hypercubes, lines and rings: Cartesian products of lines and rings.
//!
//! In such a product two cables of different dimensions at a switch are two sides of a square, and opposite sides of a
//! square belong to one dimension; two cables that are sides of no square belong to one dimension (Imrich and Klavzar,
//! Product graphs, 2000). A ring of four is a square itself: it comes out as two dimensions of two, which are put
//! together again.

mod faults;

use std::collections::BTreeMap;

use crate::family::{Exchange, Neighbours};
use crate::graph::{Network, SwitchId};

/// More cables than this at a switch are no grid of machines that exist.
const MOST_NEIGHBOURS: usize = 16;

/// The position of each switch of a mesh or torus.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Coordinates {
    /// How many switches each dimension has, and whether it is a ring.
    pub dimensions: Vec<(usize, bool)>,
    /// By switch, a number for each dimension.
    positions: Vec<Vec<usize>>,
    /// Cables that the family has and the network lacks, but for exchanged ones.
    pub missing: Vec<[SwitchId; 2]>,
    /// What two cables may be exchanged: each of these alone makes the grid whole. The positions are those that the
    /// first gives.
    pub exchanges: Vec<Exchange>,
    /// The neighbours of a switch that the family has and the network lacks.
    pub around_missing: Vec<SwitchId>,
}

impl Coordinates {
    /// The position of a switch: a number for each dimension, from 0.
    #[must_use]
    pub fn position(&self, switch: SwitchId) -> &[usize] {
        &self.positions[switch.index()]
    }

    /// Whether the switches are one after the other, without a ring.
    pub(crate) fn is_line(&self) -> bool {
        matches!(self.dimensions[..], [(_, false)])
    }

    /// The dimension along which two switches are neighbours.
    pub(crate) fn dimension_between(&self, [a, b]: [SwitchId; 2]) -> Option<usize> {
        let (a, b) = (self.position(a), self.position(b));
        let mut unlike = (0..self.dimensions.len()).filter(|i| a[*i] != b[*i]);
        let dimension = unlike.next().filter(|_| unlike.next().is_none())?;
        let (size, is_ring) = self.dimensions[dimension];
        let apart = a[dimension].abs_diff(b[dimension]);
        (apart == 1 || is_ring && apart + 1 == size).then_some(dimension)
    }

    /// Whether two exchanged cables would show in it: in a row, in a ring or in two side by side other cables may be
    /// meant as well.
    fn is_torus_or_mesh(&self) -> bool {
        let are_twos = self.dimensions.iter().all(|(size, _)| *size == 2);
        self.dimensions.len() > 1 && (are_twos || self.dimensions.iter().all(|(size, _)| *size > 2))
    }

    pub(super) fn words(&self) -> String {
        let sizes: Vec<String> = self.dimensions.iter().map(|(size, _)| size.to_string()).collect();
        let long = || self.dimensions.iter().filter(|(size, _)| *size > 2);
        let rings = long().filter(|(_, ring)| *ring).count();
        match (&self.dimensions[..], rings) {
            ([(size, true)], _) => format!("ring of {size} switches"),
            ([(size, false)], _) => format!("line of {size} switches"),
            (dimensions, _) if long().count() == 0 => format!("hypercube of {} dimensions", dimensions.len()),
            (_, 0) => format!("mesh of {}", sizes.join(" x ")),
            (_, rings) if rings == long().count() => format!("torus of {}", sizes.join(" x ")),
            _ => format!("mesh of {} with rings in {rings} of its dimensions", sizes.join(" x ")),
        }
    }

    pub(super) fn names(&self) -> Vec<String> {
        let name = |position: &Vec<usize>| match position[..] {
            [x] => format!("s{x}"),
            [x, y] => format!("x{x}y{y}"),
            [x, y, z] => format!("x{x}y{y}z{z}"),
            _ => position.iter().map(usize::to_string).collect::<Vec<_>>().join("-"),
        };
        self.positions.iter().map(name).collect()
    }
}

/// The positions of a network's switches, if it is a grid; a torus may lack some cables.
pub(super) fn recognised(neighbours: &Neighbours) -> Option<Coordinates> {
    may_be_grid(neighbours).then(|| whole(neighbours).or_else(|| faults::completed(neighbours)))?
}

/// The same for a grid with two exchanged cables.
pub(super) fn exchanged(network: &Network, neighbours: &Neighbours) -> Option<Coordinates> {
    may_be_grid(neighbours).then(|| faults::exchanged(network, neighbours))?
}

/// The same for a grid with one cable too many, of which perhaps one end should be elsewhere; and for a mesh that lacks
/// one cable.
pub(super) fn with_one_fault(network: &Network, neighbours: &Neighbours) -> Option<Coordinates> {
    may_be_grid(neighbours).then(|| faults::with_one_fault(network, neighbours))?
}

/// The same for a torus without one of its switches.
pub(super) fn without_a_switch(neighbours: &Neighbours) -> Option<Coordinates> {
    may_be_grid(neighbours).then(|| faults::without_a_switch(neighbours))?
}

fn may_be_grid(neighbours: &Neighbours) -> bool {
    (0..neighbours.count()).all(|switch| neighbours.near(switch).len() <= MOST_NEIGHBOURS)
}

fn whole(neighbours: &Neighbours) -> Option<Coordinates> {
    let classes = Classes::of(neighbours);
    let mut dimensions: Vec<(usize, bool)> = Vec::new();
    let mut positions = vec![Vec::new(); neighbours.count()];
    for class in classes.all() {
        let (size, ring, along) = line_or_ring(neighbours, &classes, class)?;
        dimensions.push((size, ring));
        for (position, at) in positions.iter_mut().zip(along) {
            position.push(at);
        }
    }
    join_twos(&mut dimensions, &mut positions);
    let product = dimensions.iter().try_fold(1_usize, |all, (size, _)| all.checked_mul(*size))?;
    let mut distinct = positions.clone();
    distinct.sort_unstable();
    distinct.dedup();
    let is_product = product == neighbours.count() && distinct.len() == product;
    is_product.then_some(Coordinates {
        dimensions,
        positions,
        missing: Vec::new(),
        exchanges: Vec::new(),
        around_missing: Vec::new(),
    })
}

/// Where each switch is along one dimension: the parts into which the network falls without the cables of that
/// dimension, in the order of the line or ring that they make.
fn line_or_ring(
    neighbours: &Neighbours,
    classes: &Classes,
    class: usize,
) -> Option<(usize, bool, Vec<usize>)> {
    let mut part = vec![usize::MAX; neighbours.count()];
    let mut parts = 0;
    for first in 0..neighbours.count() {
        if part[first] != usize::MAX {
            continue;
        }
        part[first] = parts;
        let mut open = vec![first];
        while let Some(at) = open.pop() {
            for &far in neighbours.near(at) {
                let far = far as usize;
                if part[far] == usize::MAX && classes.of_cable(at, far) != class {
                    part[far] = parts;
                    open.push(far);
                }
            }
        }
        parts += 1;
    }
    let mut near: Vec<Vec<usize>> = vec![Vec::new(); parts];
    for at in 0..neighbours.count() {
        for &far in neighbours.near(at) {
            if classes.of_cable(at, far as usize) == class {
                near[part[at]].push(part[far as usize]);
            }
        }
    }
    for each in &mut near {
        each.sort_unstable();
        each.dedup();
    }
    let ends = (0..parts).filter(|part| near[*part].len() == 1).count();
    let ring = ends == 0 && parts > 2;
    let is_chain = near.iter().all(|near| (1..=2).contains(&near.len())) && (ring || ends == 2);
    if !is_chain {
        return None;
    }
    let mut order = vec![usize::MAX; parts];
    let mut at = if ring { 0 } else { near.iter().position(|near| near.len() == 1)? };
    for number in 0..parts {
        order[at] = number;
        at = near[at].iter().copied().find(|next| order[*next] == usize::MAX).unwrap_or(at);
    }
    order
        .iter()
        .all(|number| *number != usize::MAX)
        .then(|| (parts, ring, part.into_iter().map(|part| order[part]).collect()))
}

/// Puts pairs of dimensions of two together to rings of four, unless all of three or more are of two: that is a
/// hypercube.
fn join_twos(dimensions: &mut Vec<(usize, bool)>, positions: &mut [Vec<usize>]) {
    if dimensions.len() > 2 && dimensions.iter().all(|(size, _)| *size == 2) {
        return;
    }
    loop {
        let mut twos = (0..dimensions.len()).filter(|i| dimensions[*i] == (2, false));
        let (Some(a), Some(b)) = (twos.next(), twos.next()) else { return };
        dimensions[a] = (4, true);
        dimensions.remove(b);
        for position in positions.iter_mut() {
            let second = position.remove(b);
            position[a] = if second == 0 { position[a] } else { 3 - position[a] };
        }
    }
}

/// The dimension of each cable.
struct Classes {
    /// Cables by their ends, the smaller first.
    cables: BTreeMap<(usize, usize), usize>,
    parent: Vec<usize>,
}

impl Classes {
    fn of(neighbours: &Neighbours) -> Self {
        let mut cables = BTreeMap::new();
        for a in 0..neighbours.count() {
            for &b in neighbours.near(a).iter().filter(|b| **b as usize > a) {
                let next = cables.len();
                cables.insert((a, b as usize), next);
            }
        }
        let parent = (0..cables.len()).collect();
        let mut classes = Self { cables, parent };
        for at in 0..neighbours.count() {
            let near = neighbours.near(at);
            for (i, &a) in near.iter().enumerate() {
                for &b in &near[i + 1..] {
                    classes.corner(neighbours, at, a as usize, b as usize);
                }
            }
        }
        for cable in 0..classes.parent.len() {
            classes.parent[cable] = classes.root(cable);
        }
        classes
    }

    /// Two cables at a switch: sides of squares, or of one dimension.
    fn corner(&mut self, neighbours: &Neighbours, at: usize, a: usize, b: usize) {
        if neighbours.joins(a, b) {
            self.join((at, a), (at, b));
            self.join((at, a), (a, b));
            return;
        }
        let opposite: Vec<usize> = neighbours.common(a, b).filter(|far| *far != at).collect();
        if opposite.is_empty() {
            self.join((at, a), (at, b));
        }
        for far in opposite {
            self.join((at, a), (b, far));
            self.join((at, b), (a, far));
        }
    }

    fn join(&mut self, first: (usize, usize), second: (usize, usize)) {
        let [first, second] = [first, second].map(|(a, b)| self.root(self.cables[&(a.min(b), a.max(b))]));
        self.parent[first.max(second)] = first.min(second);
    }

    fn root(&self, mut cable: usize) -> usize {
        while self.parent[cable] != cable {
            cable = self.parent[cable];
        }
        cable
    }

    /// The class of the cable between two switches, once all are joined.
    fn of_cable(&self, a: usize, b: usize) -> usize {
        self.parent[self.cables[&(a.min(b), a.max(b))]]
    }

    fn all(&self) -> Vec<usize> {
        let mut all = self.parent.clone();
        all.sort_unstable();
        all.dedup();
        all
    }
}
