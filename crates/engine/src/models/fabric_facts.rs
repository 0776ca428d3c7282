//! The facts of a fabric's file without simulation: its family, its routes, its anomalies, short names besides the
//! file's own; and a load that a healthy fabric of this kind carries.

use std::collections::BTreeSet;

use hopscope_fabric::{FabricParams, FabricPlan, RoutingParams, Rule, by_family, routes, with_nominal_rates};
use hopscope_measure::Problem;
use hopscope_topology::capacity::{CapacityBounds, PacketService};
use hopscope_topology::{
    Anomaly, AnomalyKind, Family, LinkId, Network, Node, Routes, RoutingRule, anomalies, slow_links,
    with_slow_cables_replaced,
};
use hopscope_traffic::TrafficSpec;
use serde::Serialize;

use crate::models::capacity::{Analysis, NO_SEARCH};

/// Roots named before "and 7 more".
const NAMED: usize = 4;

/// The share of what the fabric carries at most that a default load asks of it: well below saturation, and high enough
/// that a bad cable shows.
const SHARE_OF_CAPACITY: f64 = 0.5;

/// The facts of a fabric's file.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct FabricFacts {
    /// The family in words.
    pub family: String,
    /// The routes in words.
    pub routes: String,
    /// What is odd.
    pub anomalies: Vec<Anomaly>,
    /// Short names of switches, each with what the file calls the switch.
    pub names: Vec<[String; 2]>,
}

impl FabricFacts {
    /// The facts of a network; `of_file` is what is odd about the file itself. Slow cables that the scenario replaces
    /// are not reported.
    pub fn new(
        network: &Network,
        routing: &RoutingParams,
        of_file: &[Anomaly],
        replaces_slow_cables: bool,
    ) -> Self {
        let (family, rule) = match routing.rule {
            Rule::ByFamily => by_family(network),
            _ => (Family::of(network), RoutingRule::Shortest),
        };
        let mut odd = of_file.to_vec();
        if cfg!(target_family = "wasm") {
            // A page shows what is odd as the program that made it has found it.
        } else if replaces_slow_cables {
            let replaced: BTreeSet<LinkId> =
                slow_links(network, &family).into_iter().map(|(link, _)| link).collect();
            odd.retain(|anomaly| {
                anomaly.cables.is_empty() || !anomaly.cables.iter().all(|cable| replaced.contains(cable))
            });
            odd.extend(anomalies(&with_slow_cables_replaced(network, &family), &family));
        } else {
            odd.extend(anomalies(network, &family));
        }
        tell_cables_once(&mut odd);
        odd.sort();
        Self {
            routes: route_words(routing, &rule),
            family: family.words(),
            anomalies: odd,
            names: names(network),
        }
    }
}

/// A cable that runs below the capability of both ends has that anomaly alone; that most cables are faster is only a
/// measure in it.
fn tell_cables_once(odd: &mut Vec<Anomaly>) {
    let is_below = |anomaly: &Anomaly| anomaly.kind == AnomalyKind::BelowAbility;
    let below: BTreeSet<LinkId> =
        odd.iter().filter(|anomaly| is_below(anomaly)).flat_map(|anomaly| anomaly.cables.clone()).collect();
    let is_again = |anomaly: &Anomaly| {
        matches!(anomaly.kind, AnomalyKind::NarrowLink | AnomalyKind::SlowLink)
            && !anomaly.cables.is_empty()
            && anomaly.cables.iter().all(|cable| below.contains(cable))
    };
    let (again, mut told): (Vec<Anomaly>, Vec<Anomaly>) =
        std::mem::take(odd).into_iter().partition(|anomaly| is_again(anomaly));
    for anomaly in told.iter_mut().filter(|anomaly| is_below(anomaly)) {
        let is_same = |other: &&Anomaly| other.cables.iter().any(|cable| anomaly.cables.contains(cable));
        if let Some(kind) = again.iter().filter(is_same).map(|other| other.kind).min() {
            anomaly.kind = kind;
        }
    }
    *odd = told;
}

/// The routes in words.
fn route_words(routing: &RoutingParams, by_family: &RoutingRule) -> String {
    if routing.tables.is_some() {
        return "forwarding tables".to_owned();
    }
    let up_down = |roots: &[String]| match roots {
        [] => "up*/down*".to_owned(),
        [root] => format!("up*/down* from {root}"),
        _ => {
            let more = roots.len().saturating_sub(NAMED);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            let first = roots[..roots.len().min(NAMED)].join(", ");
            format!("up*/down* from {} roots ({first}{more})", roots.len())
        }
    };
    match (routing.rule, by_family) {
        (Rule::UpDown, _) => up_down(&routing.root.iter().chain(&routing.roots).cloned().collect::<Vec<_>>()),
        (Rule::ByFamily, RoutingRule::UpDown { roots }) => up_down(roots),
        (Rule::ByFamily, _) => "all shortest paths, which cannot deadlock here".to_owned(),
        (Rule::Shortest, _) => "all shortest paths".to_owned(),
        (Rule::DimensionOrder, _) => "dimension order".to_owned(),
        (Rule::StructuredPools, _) => "structured buffer pools".to_owned(),
    }
}

/// Switches that the file calls something else.
fn names(network: &Network) -> Vec<[String; 2]> {
    let switches = network.switch_ids().map(Node::Switch);
    let own = |node| Some([network.name(node).to_owned(), network.own_name(node)?.to_owned()]);
    switches.filter_map(own).collect()
}

/// The load for a scenario that says none: `usual`, or half of what the network carries by its family's routes if that
/// is less. Slow cables count with the rate of comparable cables, so that the load is that of a healthy fabric, and a
/// bad cable shows.
pub(crate) fn fitting_load(
    fabric: &FabricPlan,
    traffic: &TrafficSpec,
    service: Option<&PacketService>,
    usual: f64,
    seed: u64,
) -> Result<Option<f64>, Problem> {
    let network = &fabric.network;
    let (family, _) = by_family(network);
    let routing = RoutingParams { rule: Rule::ByFamily, ..RoutingParams::default() };
    let params = FabricParams { routing, link: fabric.params.link.clone(), ..FabricParams::default() };
    let routes: Routes = routes(network, &params)?;
    let mut rates: Vec<f64> =
        hopscope_fabric::rates(network, &params).iter().map(|rate| rate.bit_s() as f64).collect();
    for (link, usual) in slow_links(&with_nominal_rates(network, &params.link), &family) {
        rates[link.index()] = usual;
    }
    let streams = Analysis::streams(fabric, traffic, seed)?;
    let bounds = CapacityBounds::new(network, &routes, &streams, &rates, service, NO_SEARCH);
    let half = SHARE_OF_CAPACITY * bounds.expected();
    Ok((half < usual).then(|| two_figures(half)))
}

/// Rounded down to two figures.
fn two_figures(load: f64) -> f64 {
    let digits = (1 - power_of_ten(load)).max(0) as usize;
    let text = format!("{load:.*}", digits + 2);
    let cut = text.len() - 2;
    text[..cut].parse().unwrap_or(load)
}

/// The power of ten at or below a number above 0.
fn power_of_ten(number: f64) -> i32 {
    let text = format!("{number:e}");
    text.split_once('e').and_then(|(_, power)| power.parse().ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Cables that are both narrower than most and below their capability are reported once, with their measure; an
    /// older cable among them is still reported.
    #[test]
    fn a_cable_below_what_its_ends_could_do_is_told_once() {
        let of = |kind, words: &str, cables: &[usize]| {
            Anomaly::new(kind, words).of_cables(cables.iter().map(|id| LinkId::new(*id)).collect())
        };
        let below = of(AnomalyKind::BelowAbility, "runs at 2xEDR and could be 4xEDR", &[3]);
        let narrow = of(AnomalyKind::NarrowLink, "runs at 2x, where most have 4x", &[3]);
        let older = of(AnomalyKind::SlowLink, "2 cables run at 56 Gbit/s", &[3, 4]);
        let mut odd = vec![narrow, older.clone(), below.clone()];
        tell_cables_once(&mut odd);
        assert_eq!(odd, [older, Anomaly { kind: AnomalyKind::NarrowLink, ..below }]);
    }

    #[test]
    fn loads_are_rounded_down_to_two_figures() {
        for (load, rounded) in [(0.2999, 0.29), (0.0519, 0.051), (0.001_239, 0.0012), (0.3, 0.3)] {
            assert!((two_figures(load) - rounded).abs() < 1e-12, "{load}: {}", two_figures(load));
        }
    }
}
