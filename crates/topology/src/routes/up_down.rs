//! The direction of every link under up*/down*.

use crate::graph::{LinkId, Network, SwitchId};

use super::turning::Turning;

/// Levels by breadth-first search from the root, and in a network that has fallen apart from the switch of the smallest
/// uid of every other part; and the upper end of every link.
///
/// "Up" is towards the smaller level; between switches of one level, towards the smaller uid (AN1 section 2.1). Since
/// (level, uid) orders the switches totally, no cycle of links goes up all the way round.
#[derive(Clone, Debug)]
pub(crate) struct Orientation {
    /// The root, where there are not several.
    root: Option<SwitchId>,
    levels: Vec<u16>,
    /// The upper of each link's two ends, and the switch there; nothing for a host's link.
    upper: Vec<Option<(usize, SwitchId)>>,
    /// Where packets for the few hosts that are left apart may turn up again.
    turning: Option<Turning>,
}

impl Orientation {
    pub fn new(network: &Network, root: SwitchId) -> Self {
        Self::from_roots(network, &[root])
    }

    /// With several roots, all of level 0; there is at least one. Where hosts are left apart, packets for them may turn
    /// up again, if that is possible.
    pub fn from_roots(network: &Network, roots: &[SwitchId]) -> Self {
        let strict = Self::strictly_from_roots(network, roots);
        if strict.root.is_some() { strict } else { strict.with_turning(network) }
    }

    /// The same, but no packet turns up again.
    pub fn strictly_from_roots(network: &Network, roots: &[SwitchId]) -> Self {
        let levels = levels_below(network, roots, |_| true);
        let root = if let [only] = roots { Some(*only) } else { None };
        Self::from_levels(network, root, levels)
    }

    /// The same, where packets for the few hosts that are left apart may turn up again.
    pub fn with_turning(self, network: &Network) -> Self {
        Self { turning: Turning::find(network, &self), ..self }
    }

    /// With levels of any other origin.
    pub fn from_levels(network: &Network, root: Option<SwitchId>, levels: Vec<u16>) -> Self {
        let height = |id: SwitchId| (levels[id.index()], network.switch(id).uid);
        let upper_end = |link: LinkId| {
            let [a, b] = network.link(link).switches()?;
            Some(if height(a) < height(b) { (0, a) } else { (1, b) })
        };
        let upper = network.link_ids().map(upper_end).collect();
        Self { root, levels, upper, turning: None }
    }

    pub fn root(&self) -> Option<SwitchId> {
        self.root
    }

    /// Where packets may turn up again, if anywhere.
    pub fn turning(&self) -> Option<&Turning> {
        self.turning.as_ref()
    }

    pub fn level(&self, switch: SwitchId) -> u16 {
        self.levels[switch.index()]
    }

    /// Whether a link between switches leads up from this one, which is one of its ends.
    #[inline]
    pub fn leads_up(&self, link: LinkId, from: SwitchId) -> bool {
        self.upper[link.index()].is_some_and(|(_, upper)| upper != from)
    }

    /// Which end of a link between switches, 0 or 1, is the upper one.
    pub fn upper_end(&self, link: LinkId) -> Option<usize> {
        self.upper[link.index()].map(|(end, _)| end)
    }

    /// All switches, each after every switch that its up links lead to.
    pub fn downwards(&self, network: &Network) -> Vec<SwitchId> {
        let mut order: Vec<SwitchId> = network.switch_ids().collect();
        order.sort_by_key(|id| (self.level(*id), network.switch(*id).uid));
        order
    }
}

/// The links from each switch to the nearest of these, or in a part of the network that has fallen off to its switch of
/// the smallest uid. Links that do not count are passed over.
pub(crate) fn levels_below(
    network: &Network,
    roots: &[SwitchId],
    counts: impl Fn(LinkId) -> bool,
) -> Vec<u16> {
    let mut levels = vec![u16::MAX; network.switches().len()];
    for root in roots {
        levels[root.index()] = 0;
    }
    let mut reached = roots.to_vec();
    let mut next = 0;
    while reached.len() < levels.len() || next < reached.len() {
        if next == reached.len() {
            let cut_off = network.switch_ids().filter(|id| levels[id.index()] == u16::MAX);
            let root = cut_off.min_by_key(|id| network.switch(*id).uid).expect("not all are reached");
            levels[root.index()] = 0;
            reached.push(root);
        }
        let switch = reached[next];
        next += 1;
        for (_, link, far, _) in network.neighbours(switch) {
            if counts(link) && levels[far.index()] == u16::MAX {
                levels[far.index()] = levels[switch.index()] + 1;
                reached.push(far);
            }
        }
    }
    levels
}
