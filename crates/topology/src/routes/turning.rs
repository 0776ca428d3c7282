//! Several roots have no up*/down* route to each other. Where hosts are at them, such as those that manage the subnet,
//! packets for these few hosts may turn up again at one switch and at those above it.

use std::collections::{BTreeMap, BTreeSet};

use crate::graph::{Network, SwitchId};

use super::up_down::Orientation;

/// Hosts that up*/down* leaves apart are few: at most one in this number. Where more would meet at one switch, other
/// roots are better.
const FEW_OF: u32 = 4;

/// Where packets for some switches may go up after they have gone down, without a cycle of channels.
#[derive(Clone, Debug)]
pub(crate) struct Turning {
    /// A switch and all above it. Each of the others has one switch below it among them.
    at: BTreeSet<SwitchId>,
    /// The switches to whose hosts packets may go so.
    towards: BTreeSet<SwitchId>,
}

impl Turning {
    /// The switch nearest to the roots that will do, of several that of the smallest uid; nothing where all switches
    /// with hosts have a route to each other, or none will do.
    ///
    /// No channels wait for each other in a cycle. Routes up and down make none by themselves. A packet that turns goes
    /// up among these switches and then down, to one that is not among them: the only switch of theirs that is below is
    /// where it came from. None of theirs is below that one, so packets turn no more there, nor do those that wait for
    /// each other from there on down.
    pub fn find(network: &Network, orientation: &Orientation) -> Option<Self> {
        let hosts = network.hosts_per_switch();
        let highest = Highest::of(network, orientation);
        let towards: BTreeSet<SwitchId> = highest.apart(&hosts).into_iter().collect();
        let of_them: u32 = towards.iter().map(|id| hosts[id.index()]).sum();
        if towards.is_empty() || of_them * FEW_OF > hosts.iter().sum() {
            return None;
        }
        let is_below_all = |at: &SwitchId| towards.iter().all(|to| highest.share(*at, *to));
        let at = orientation
            .downwards(network)
            .into_iter()
            .filter(is_below_all)
            .find_map(|at| with_those_above(network, orientation, at))?;
        Some(Self { at, towards })
    }

    /// Whether packets may turn at this switch.
    pub fn is_at(&self, switch: SwitchId) -> bool {
        self.at.contains(&switch)
    }

    /// The switches at which packets may turn.
    pub fn switches(&self) -> impl Iterator<Item = SwitchId> {
        self.at.iter().copied()
    }

    /// Whether packets for the hosts of this switch may turn.
    pub fn is_towards(&self, to: SwitchId) -> bool {
        self.towards.contains(&to)
    }
}

/// A switch and all above it, where each of these has one switch below it among them.
fn with_those_above(
    network: &Network,
    orientation: &Orientation,
    at: SwitchId,
) -> Option<BTreeSet<SwitchId>> {
    let (mut all, mut open, mut below) = (BTreeSet::from([at]), vec![at], BTreeMap::new());
    while let Some(at) = open.pop() {
        for (_, _, far, _) in network.neighbours(at).filter(|(_, link, ..)| orientation.leads_up(*link, at)) {
            if *below.entry(far).or_insert(at) != at {
                return None;
            }
            if all.insert(far) {
                open.push(far);
            }
        }
    }
    Some(all)
}

/// The highest switches above each: those without a link up, as bits.
pub(crate) struct Highest(Vec<Vec<u64>>);

impl Highest {
    pub fn of(network: &Network, orientation: &Orientation) -> Self {
        let ups = |id: SwitchId| {
            let up = network.neighbours(id).filter(move |(_, link, ..)| orientation.leads_up(*link, id));
            up.map(|(_, _, far, _)| far)
        };
        let highest: Vec<SwitchId> = network.switch_ids().filter(|id| ups(*id).next().is_none()).collect();
        let mut above = vec![vec![0_u64; highest.len().div_ceil(64)]; network.switches().len()];
        for (number, top) in highest.iter().enumerate() {
            above[top.index()][number / 64] |= 1 << (number % 64);
        }
        for switch in orientation.downwards(network) {
            let mut set = std::mem::take(&mut above[switch.index()]);
            for far in ups(switch) {
                set.iter_mut().zip(&above[far.index()]).for_each(|(all, some)| *all |= some);
            }
            above[switch.index()] = set;
        }
        Self(above)
    }

    /// Whether a switch is above both, or is one of them and above the other: there is an up*/down* route.
    fn share(&self, a: SwitchId, b: SwitchId) -> bool {
        meet(&self.0[a.index()], &self.0[b.index()])
    }

    /// The switches with hosts, those below the same highest ones together.
    fn alike(&self, hosts: &[u32]) -> Vec<(&[u64], Vec<SwitchId>)> {
        let mut alike: BTreeMap<&[u64], Vec<SwitchId>> = BTreeMap::new();
        for (id, set) in self.0.iter().enumerate().filter(|(id, _)| hosts[*id] > 0) {
            alike.entry(set).or_default().push(SwitchId::new(id));
        }
        alike.into_iter().collect()
    }

    /// The switches with hosts that have no up*/down* route to some other.
    fn apart(&self, hosts: &[u32]) -> Vec<SwitchId> {
        let alike = self.alike(hosts);
        let is_apart = |set: &[u64]| alike.iter().any(|(other, _)| !meet(set, other));
        let apart = alike.iter().filter(|(set, _)| is_apart(set));
        apart.flat_map(|(_, switches)| switches.iter().copied()).collect()
    }

    /// How many pairs of switches with hosts have no up*/down* route.
    pub fn pairs_apart(&self, hosts: &[u32]) -> usize {
        let alike = self.alike(hosts);
        let pairs = alike
            .iter()
            .enumerate()
            .flat_map(|(i, one)| alike[i + 1..].iter().map(move |other| (one, other)));
        let apart = pairs.filter(|((a, _), (b, _))| !meet(a, b));
        apart.map(|((_, switches), (_, others))| switches.len() * others.len()).sum()
    }
}

fn meet(a: &[u64], b: &[u64]) -> bool {
    a.iter().zip(b).any(|(a, b)| a & b != 0)
}
