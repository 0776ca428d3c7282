//! Which hosts take part in a group.

use hopscope_kernel::RandomStream;
use hopscope_measure::Problem;
use hopscope_topology::{HostId, Network};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::named::host_named;

/// The hosts that take part, in the order of their ranks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Hosts {
    /// All hosts in the order of the network: neighbours in rank are neighbours in the network.
    #[default]
    All,
    /// All hosts in random order, drawn from the scenario's seed, as on a fragmented cluster.
    Shuffled,
    /// This many hosts, the first in the order of the network.
    First(u32),
    /// This many hosts, at equal distances in the order of the network.
    Spread(u32),
    /// This many random hosts in random order, drawn from the scenario's seed.
    Random(u32),
    /// These hosts, by name.
    Named(Vec<String>),
}

/// Why no hosts can be chosen.
pub(crate) enum Unchosen {
    /// Fewer than the pattern needs take part, or are there.
    TooFew(Problem),
    /// More than there are, or a name that is no host's or stands twice.
    Wrong(Problem),
}

impl Unchosen {
    pub fn into_problem(self) -> Problem {
        match self {
            Self::TooFew(problem) | Self::Wrong(problem) => problem,
        }
    }
}

impl Hosts {
    /// The hosts, of which there are at least `least`; `path` is the field's.
    pub(crate) fn choose(
        &self,
        network: &Network,
        path: &str,
        least: usize,
        random: &mut RandomStream,
    ) -> Result<Vec<HostId>, Unchosen> {
        let all = || (0..network.hosts().len()).map(HostId::new);
        let there = network.hosts().len();
        let (count, what) = match self {
            Self::All | Self::Shuffled => (there, ""),
            Self::First(count) => (*count as usize, ".first"),
            Self::Spread(count) => (*count as usize, ".spread"),
            Self::Random(count) => (*count as usize, ".random"),
            Self::Named(names) => (names.len(), ".named"),
        };
        if count < least || count > there {
            let expected = format!("from {least} to {there}, the hosts of the network");
            let problem =
                Problem::new(format!("{path}{what}"), format!("{count} host(s) requested"), expected);
            let is_too_few = count < least || there < least;
            return Err(if is_too_few { Unchosen::TooFew(problem) } else { Unchosen::Wrong(problem) });
        }
        let mut shuffled = || {
            let mut hosts: Vec<HostId> = all().collect();
            random.shuffle(&mut hosts);
            hosts
        };
        Ok(match self {
            Self::All => all().collect(),
            Self::First(_) => all().take(count).collect(),
            Self::Spread(_) => (0..count).map(|i| HostId::new(i * there / count)).collect(),
            Self::Shuffled => shuffled(),
            Self::Random(_) => shuffled().into_iter().take(count).collect(),
            Self::Named(names) => named(names, network, path).map_err(Unchosen::Wrong)?,
        })
    }
}

fn named(names: &[String], network: &Network, path: &str) -> Result<Vec<HostId>, Problem> {
    let mut hosts = Vec::new();
    for (i, name) in names.iter().enumerate() {
        let host = host_named(network, name, || format!("{path}.named[{i}]"))?;
        if hosts.contains(&host) {
            let problem = format!("\"{name}\" a second time");
            return Err(Problem::new(format!("{path}.named[{i}]"), problem, "each host once"));
        }
        hosts.push(host);
    }
    Ok(hosts)
}
