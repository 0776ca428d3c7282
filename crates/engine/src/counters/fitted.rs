//! A scenario whose traffic, and whose slow hosts, reproduce the counters of a fabric's ports.

use std::collections::BTreeMap;

use hopscope_diagnose::{Channels, Counted, Fit, MOST_HOSTS, RootKind, diagnose, fit as fitted_to};
use hopscope_lossless::SlowHost;
use hopscope_scenario::{Diagnosis as Refusal, ScenarioError};
use hopscope_topology::{Endpoint, HostId, Network, Node};
use hopscope_units::Rate;
use serde_json::{Value as Json, json};

use super::{Counted as OfFabric, Readings, counted};
use crate::scenario::Scenario;

/// A scenario that reproduces the counters, and how well it does.
#[derive(Clone, Debug)]
pub struct Fitted {
    /// The scenario as TOML.
    pub toml: String,
    /// What was fitted, and what stays open, in sentences.
    pub notes: Vec<String>,
}

/// The files of a fabric, by their paths from the folder of the fitted scenario.
#[derive(Clone, Debug, Default)]
pub struct Called {
    /// The file that was given: the fabric, or a scenario around it.
    pub source: String,
    /// The forwarding tables that were given in place of the scenario's routes.
    pub tables: Option<String>,
}

/// Loads below this share of the sender's link are left out of a fitted scenario.
const LEAST_LOAD: f64 = 1e-5;

/// A host whose link sends or waits for at least this share of the time always has something to send.
const ALWAYS: f64 = 0.95;

/// The least rate at which a host of a scenario drains, bit/s.
const LEAST_DRAIN: f64 = 1e6;

/// Fits traffic to the counters of a fabric's ports. `called` is what the fitted scenario calls the files it names.
///
/// What a host sent is what it wanted to send where its link was idle for some time. A host that always had something
/// to send was held back by the fabric: it offers as much as its link carries, in the proportions in which it sent, so
/// that a fabric without the fault carries more. Hosts that the diagnosis finds to be slow drain as they did.
///
/// # Errors
/// As [`super::diagnose`]; a fabric with too many hosts, or one that carried nothing.
pub fn fit(scenario: &Scenario, of: &Readings, called: &Called) -> Result<Fitted, ScenarioError> {
    let OfFabric { fabric, nominal_rate, routes, channels, .. } = counted(scenario, of)?;
    let network = &fabric.network;
    let Some(found) = fitted_to(network, &routes, &channels) else {
        let problem = format!("the traffic of {} hosts cannot be fitted", network.hosts().len());
        let expected = format!("counters of 2 to {MOST_HOSTS} hosts that have carried something");
        return Err(Refusal::new(problem).expected(expected).into());
    };
    let held_back = held_back(network, &channels, &found);
    // A load is a share of the rate that a link has without an upgrade.
    let nominal =
        |host: HostId| network.link(network.host(host).link).rate.unwrap_or(nominal_rate).bit_s() as f64;
    let name = |host: HostId| network.host(host).name.as_str();
    let flows: Vec<Json> = found
        .pairs
        .iter()
        .map(|(from, to, bit_s)| {
            let times = held_back.get(from).copied().unwrap_or(1.0);
            (from, to, times * bit_s / nominal(*from))
        })
        .filter(|(.., load)| *load >= LEAST_LOAD)
        .map(|(from, to, load)| {
            let load = (load.min(1.0) * 1e6).round() / 1e6;
            json!({ "from": name(*from), "to": name(*to), "load": load })
        })
        .collect();
    let roots = diagnose(network, &routes, &channels).roots;
    let is_slow = |kind| matches!(kind, RootKind::SlowHost | RootKind::PauseStorm);
    let slow = roots.iter().filter(|root| is_slow(root.kind)).flat_map(|root| &root.nodes);
    let slow: Vec<SlowHost> = slow.filter_map(|host| slow_host(network, &channels, host)).collect();
    let mut notes = notes(&found);
    notes.extend(words_on_held_back(held_back.len(), network.hosts().len()));
    notes.extend(words_on_slow(&slow, scenario.has_frames()));
    let slow_hosts = slow.iter().map(|slow| json!(slow)).collect();
    let toml = scenario.with_traffic(&Json::from(flows), slow_hosts, called);
    Ok(Fitted { toml, notes })
}

fn rate_of(channels: &Channels, host: HostId) -> f64 {
    channels.all[channels.from(Endpoint::host(host)).expect("every host has a channel")].rate
}

/// The hosts that always had something to send and might not always send it, each with how many times as much as they
/// sent their links carry.
fn held_back(network: &Network, channels: &Channels, found: &Fit) -> BTreeMap<HostId, f64> {
    let mut sent: BTreeMap<HostId, f64> = BTreeMap::new();
    for (from, _, bit_s) in &found.pairs {
        *sent.entry(*from).or_default() += bit_s;
    }
    let always = |counted: Counted| counted.waits > 0.0 && counted.used + counted.waits >= ALWAYS;
    let hosts = network.host_ids().filter(|host| {
        let channel = channels.from(Endpoint::host(*host)).expect("every host has a channel");
        channels.all[channel].counted.is_some_and(always)
    });
    hosts.filter_map(|host| Some((host, rate_of(channels, host) / sent.get(&host)?))).collect()
}

/// A slow host, with the rate at which it took data: it always had some to take.
fn slow_host(network: &Network, channels: &Channels, host: &str) -> Option<SlowHost> {
    let Some(Node::Host(id)) = network.node(host) else { return None };
    let at = network.host(id);
    let channel = channels.all[channels.from(Endpoint::switch(at.switch, at.port))?];
    let drain = (channel.rate * channel.counted?.used).max(LEAST_DRAIN);
    let drain = Rate::from_mbit_s((drain / 1e6).round() as u64);
    Some(SlowHost { host: host.to_owned(), drain })
}

fn notes(found: &Fit) -> Vec<String> {
    let Fit { equations, unknowns, residual, .. } = found;
    let open = unknowns.saturating_sub(*equations);
    vec![
        format!(
            "the fitted traffic reproduces {equations} counted channels to {:.1} % of their mean",
            100.0 * residual
        ),
        format!(
            "what each host sends and receives is measured; {open} of the loads of {unknowns} pairs are not \
             determined by the counters, and are as near to the gravity model as these allow"
        ),
    ]
}

fn words_on_held_back(held_back: usize, hosts: usize) -> Option<String> {
    let had = if held_back == 1 { "host always had" } else { "hosts always had" };
    let words = format!(
        "{held_back} of {hosts} {had} something to send: in the scenario they offer all that their links carry, \
         because counters do not tell how much more than they sent they wanted to send"
    );
    (held_back > 0).then_some(words)
}

fn words_on_slow(slow: &[SlowHost], has_frames: bool) -> Option<String> {
    let hosts: Vec<String> = slow.iter().map(|slow| format!("{} at {}", slow.host, slow.drain)).collect();
    let hosts = hosts.join(", ");
    match slow {
        [] => None,
        _ if has_frames => Some(format!("hosts that drain slowly (`frames.slow_hosts`): {hosts}")),
        _ => Some(format!("not in the scenario, which has no frames: hosts that drain slowly, {hosts}")),
    }
}
