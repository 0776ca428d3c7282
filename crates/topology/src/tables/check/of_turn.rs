//! The survey of tables that an engine has just computed: they lead every packet to its receiver, by ways that are
//! known for all hosts of a switch together. What is added up lies side by side, and goes to the ports once a switch.

use std::sync::Arc;

use hopscope_kernel::step;

use crate::graph::{HostId, Network, SwitchId};
use crate::tables::engine::ways_to::WaysTo;

use super::fewest::Fewest;
use super::{NOWHERE, Survey};

/// What packets for the hosts of one switch do on a way.
#[derive(Clone, Copy)]
struct WaySurvey {
    /// Pairs and destinations that it carries, and the most senders to one of these.
    pairs: u64,
    destinations: u32,
    senders: u32,
    /// The way by which packets last went on from the switch beyond, and the first host since then.
    onward: u32,
    onward_to: u32,
}

const UNUSED: WaySurvey = WaySurvey { pairs: 0, destinations: 0, senders: 0, onward: NOWHERE, onward_to: 0 };

/// Looks at the tables for one host after another, those of a switch's hosts together.
pub(super) struct TurnSurvey {
    turn: Option<Arc<WaysTo>>,
    /// Hosts of the switch at hand that were looked at.
    hosts_seen: u64,
    ways: Vec<WaySurvey>,
    /// By position the hosts there, and those whose packets for the host at hand come there.
    hosts: Vec<u64>,
    here: Vec<u64>,
    /// Nothing where all ways are shortest.
    fewest: Option<Fewest>,
}

impl TurnSurvey {
    pub fn new(network: &Network, are_shortest: bool) -> Self {
        let fewest = (!are_shortest).then(|| Fewest::new(network));
        Self { turn: None, hosts_seen: 0, ways: Vec::new(), hosts: Vec::new(), here: Vec::new(), fewest }
    }

    /// Looks at the packets for a host, by the ways that switches picked.
    pub fn look_at(&mut self, survey: &mut Survey<'_>, host: HostId, turn: &Arc<WaysTo>, picks: &[u16]) {
        step("following tables");
        if !self.turn.as_ref().is_some_and(|known| Arc::ptr_eq(known, turn)) {
            self.finish(survey);
            self.ways.clear();
            self.ways.resize(turn.ways.len(), UNUSED);
            self.hosts.clear();
            self.hosts.extend(turn.order.iter().map(|id| u64::from(survey.hosts[id.index()])));
            self.hosts.push(0);
            self.turn = Some(Arc::clone(turn));
        }
        self.hosts_seen += 1;
        self.here.clone_from(&self.hosts);
        for position in (0..turn.len()).rev() {
            let here = self.here[position];
            if here == 0 {
                continue;
            }
            let (number, way) = turn.picked(position, picks);
            let beyond = way.beyond as usize;
            self.here[beyond] += here;
            let known = &mut self.ways[number];
            known.pairs += here;
            known.destinations += 1;
            known.senders = known.senders.max(here as u32);
            if beyond == turn.len() {
                continue;
            }
            let (onward, next) = turn.picked(beyond, picks);
            let to = host.index() as u32;
            if known.onward != onward as u32 || known.onward_to > to {
                (known.onward, known.onward_to) = (onward as u32, to);
                let from = (turn.order[position], way.place as usize);
                survey.goes_on(from, (turn.order[beyond], next.place as usize), host);
            }
        }
    }

    /// Adds up what was seen of the hosts of the switch at hand.
    pub fn finish(&mut self, survey: &mut Survey<'_>) {
        let Some(turn) = self.turn.take() else { return };
        let seen = std::mem::take(&mut self.hosts_seen);
        for (way, known) in turn.ways.iter().zip(&self.ways) {
            let port = &mut survey.ports[way.place as usize];
            port.pairs += known.pairs;
            port.destinations += known.destinations;
            port.senders = port.senders.max(known.senders);
        }
        let fewest = self.fewest.as_mut().map(|fewest| fewest.to(turn.to));
        let extra = |position: usize, switch: SwitchId| {
            fewest.map_or(0, |fewest| usize::from(turn.left[position] - fewest[switch.index()]))
        };
        let own = u64::from(survey.hosts[turn.to.index()]);
        let mut found = vec![Some(seen * own.saturating_sub(1))];
        let with_hosts = turn.order.iter().enumerate().filter(|(position, _)| self.hosts[*position] > 0);
        for (position, &switch) in with_hosts {
            survey.longest = survey.longest.max(turn.left[position]);
            let extra = extra(position, switch);
            found.resize(found.len().max(extra + 1), None);
            *found[extra].get_or_insert(0) += seen * self.hosts[position];
        }
        for (extra, pairs) in found.into_iter().enumerate() {
            pairs.into_iter().for_each(|pairs| survey.add_detour(extra, pairs));
        }
    }
}
