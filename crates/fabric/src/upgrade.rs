//! Faster links under the same traffic.

use hopscope_measure::Problem;
use hopscope_topology::{Family, LinkId, Network, Node, slow_links};
use hopscope_units::Rate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::params::{LinkParams, rate_problem};

/// Links that are made faster or slower. What is offered stays as it is: loads are shares of the rates without an
/// upgrade, so that two runs with the same seed see the same messages at the same times.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Upgrade {
    /// How many times as fast the links of hosts are, 0.01 to 100. Default 1.
    #[schemars(range(min = 0.01, max = 100.0))]
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "all host links {factor} as fast", "multiply": 2.0, "absent": 1.0, "cause": "resource", "cost": "host ports of {factor} the rate"},
    ])))]
    pub host_links: f64,
    /// How many times as fast the links between switches are, 0.01 to 100. Default 1.
    #[schemars(range(min = 0.01, max = 100.0))]
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "all links between switches {factor} as fast", "multiply": 2.0, "absent": 1.0, "cause": "resource", "cost": "switch ports of {factor} the rate"},
    ])))]
    pub switch_links: f64,
    /// Whether links that are slower than their like run at the rate of these, as after their cables are replaced: at
    /// most two thirds of the median rate, and few or known by their lanes. Switches of an older
    /// generation, all of whose links are slower, stay as they are.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub replace_slow_cables: bool,
    /// Whether cables that are misplaced (exchanged, also with that of a host, or one end at a wrong switch) lead where
    /// those like them do, and cables that are missing are plugged in: as after the cabling that `hopscope topology`
    /// calls odd is mended. Loads are then shares of the mended network's rates.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub mend_cables: bool,
    /// Whether a switch stands where one of the highest level of a fat tree is probably missing: where the same ports
    /// of all switches below are empty beside those with cables up, as `hopscope topology` tells.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub place_missing_switches: bool,
    /// Links with a speed-up of their own, in place of `host_links` or `switch_links`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<LinkUpgrade>,
}

/// The links between two nodes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LinkUpgrade {
    /// Two switches, or a switch and a host: all links between them.
    pub between: [String; 2],
    /// How many times as fast as without the upgrade, 0.01 to 100.
    #[schemars(range(min = 0.01, max = 100.0))]
    pub speedup: f64,
}

impl Default for Upgrade {
    fn default() -> Self {
        Self {
            host_links: 1.0,
            switch_links: 1.0,
            replace_slow_cables: false,
            mend_cables: false,
            place_missing_switches: false,
            links: Vec::new(),
        }
    }
}

const SPEEDUPS: std::ops::RangeInclusive<f64> = 0.01..=100.0;

impl Upgrade {
    /// Whether nothing changes.
    #[must_use]
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// The rate of each link of a network.
    ///
    /// # Errors
    /// Every speed-up out of range, every link that the network does not have, and rates that no link may have.
    pub fn rates(&self, network: &Network, default: &LinkParams) -> Result<Vec<Rate>, Vec<Problem>> {
        let mut problems = Vec::new();
        for (path, speedup) in [("host_links", self.host_links), ("switch_links", self.switch_links)] {
            problems.extend(speedup_problem(&format!("upgrade.{path}"), speedup));
        }
        let mut speedups: Vec<f64> = network
            .links()
            .iter()
            .map(|link| if link.switches().is_some() { self.switch_links } else { self.host_links })
            .collect();
        for (i, upgrade) in self.links.iter().enumerate() {
            let path = format!("upgrade.links[{i}]");
            problems.extend(speedup_problem(&format!("{path}.speedup"), upgrade.speedup));
            match upgrade.found(network, &path) {
                Ok(links) => links.iter().for_each(|link| speedups[link.index()] = upgrade.speedup),
                Err(problem) => problems.push(problem),
            }
        }
        if !problems.is_empty() {
            return Err(problems);
        }
        let mut before = nominal_rates(network, default);
        if self.replace_slow_cables {
            for (link, usual) in slow_links(&with_nominal_rates(network, default), &Family::of(network)) {
                before[link.index()] = Rate::from_bit_s(usual as u64);
            }
        }
        let rates: Vec<Rate> = before.iter().zip(&speedups).map(|(rate, by)| faster(*rate, *by)).collect();
        match rates
            .iter()
            .zip(&before)
            .find_map(|(rate, before)| (rate != before).then(|| rate_problem(*rate))?)
        {
            None => Ok(rates),
            Some(problem) => {
                let expected = "whole kbit/s from 1 kbit/s to 4 Tbit/s after the upgrade";
                Err(vec![Problem::new("upgrade", problem, expected)])
            }
        }
    }
}

impl LinkUpgrade {
    fn found(&self, network: &Network, path: &str) -> Result<Vec<LinkId>, Problem> {
        for (end, name) in self.between.iter().enumerate() {
            if network.node(name).is_none() {
                let hint = network.name_like(name).map(|near| format!("did you mean \"{near}\"?"));
                let problem = format!("there is no switch or host \"{name}\"");
                let path = format!("{path}.between[{end}]");
                return Err(Problem { hint, ..Problem::new(path, problem, "a name of the network") });
            }
        }
        let named = |node: Node| self.between.iter().position(|name| network.name(node) == name);
        let joins = |id: &LinkId| {
            let ends = network.link(*id).ends.map(|end| named(end.node));
            ends == [Some(0), Some(1)] || ends == [Some(1), Some(0)]
        };
        let links: Vec<LinkId> = network.link_ids().filter(joins).collect();
        if links.is_empty() {
            let [a, b] = &self.between;
            let problem = format!("no link joins {a} and {b}");
            return Err(Problem::new(format!("{path}.between"), problem, "the two ends of a link"));
        }
        Ok(links)
    }
}

/// The rate of each link without an upgrade.
pub(crate) fn nominal_rates(network: &Network, default: &LinkParams) -> Vec<Rate> {
    network.links().iter().map(|link| link.rate.unwrap_or(default.rate)).collect()
}

/// The network with the default rate at every link that states none. A link may be slower than comparable links even if
/// only the slow one states its rate.
#[must_use]
pub fn with_nominal_rates(network: &Network, default: &LinkParams) -> Network {
    network.with_speeds(|id| {
        let link = network.link(id);
        link.rate.is_none().then_some((default.rate, link.lanes))
    })
}

/// A rate this many times as fast, in whole kbit/s.
fn faster(rate: Rate, speedup: f64) -> Rate {
    if speedup == 1.0 {
        return rate;
    }
    Rate::from_bit_s((rate.bit_s() as f64 / 1e3 * speedup).round() as u64 * 1_000)
}

fn speedup_problem(path: &str, speedup: f64) -> Option<Problem> {
    let problem = || Problem::new(path, format!("speed-up {speedup} is out of range"), "from 0.01 to 100");
    (!SPEEDUPS.contains(&speedup)).then(problem)
}

#[cfg(test)]
mod tests {
    use hopscope_topology::{Chain, NetworkSpec};

    use super::*;

    /// Two switches with a host each: the link between the switches, and one to each host.
    fn row() -> Network {
        NetworkSpec::Line(Chain { switches: 2, hosts_per_switch: 1, ..Chain::default() })
            .build()
            .expect("a row")
    }

    fn link(between: [&str; 2], speedup: f64) -> LinkUpgrade {
        LinkUpgrade { between: between.map(str::to_owned), speedup }
    }

    /// The rates by whether a link has a host, in Mbit/s.
    fn rates(upgrade: &Upgrade) -> Vec<(bool, u64)> {
        let network = row();
        let rates = upgrade.rates(&network, &LinkParams::default()).expect("a good upgrade");
        let is_host = network.links().iter().map(|link| link.switches().is_none());
        is_host.zip(rates.iter().map(|rate| rate.bit_s() / 1_000_000)).collect()
    }

    #[test]
    fn links_of_hosts_and_of_switches_have_speedups_of_their_own() {
        let upgrade = Upgrade { host_links: 2.0, switch_links: 0.5, ..Upgrade::default() };
        for (is_host, mbit_s) in rates(&upgrade) {
            assert_eq!(mbit_s, if is_host { 200 } else { 50 });
        }
    }

    #[test]
    fn a_single_link_is_named_by_its_ends_in_any_order() {
        let links = vec![link(["s1", "s0"], 2.5), link(["s0", "h0"], 3.0)];
        let mut found = rates(&Upgrade { links, switch_links: 7.0, ..Upgrade::default() });
        found.sort_unstable();
        assert_eq!(found, [(false, 250), (true, 100), (true, 300)]);
    }

    #[test]
    fn what_the_network_does_not_have_and_rates_out_of_range_are_refused() {
        let refused = |upgrade: Upgrade| {
            let problems = upgrade.rates(&row(), &LinkParams::default()).expect_err("a bad upgrade");
            problems.into_iter().map(|problem| problem.path).collect::<Vec<_>>()
        };
        let links = vec![link(["s0", "s0"], 2.0), link(["s0", "nobody"], 2.0), link(["s0", "s1"], f64::NAN)];
        assert_eq!(
            refused(Upgrade { links, ..Upgrade::default() }),
            ["upgrade.links[0].between", "upgrade.links[1].between[1]", "upgrade.links[2].speedup"]
        );
        assert_eq!(refused(Upgrade { host_links: 1_000.0, ..Upgrade::default() }), ["upgrade.host_links"]);
    }
}
