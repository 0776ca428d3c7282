//! Who sends how much to whom, made ready to be spread over a network.

use std::collections::BTreeMap;

use crate::graph::{HostId, Network, Port, SwitchId};

/// Senders that share out what they send among the same receivers.
///
/// Each sender's traffic goes to the receivers in proportion to their weights, itself left out: a uniform pattern is
/// one stream, client/server traffic two, a traffic matrix one for each of its rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Stream {
    /// Who sends, and how many bits a second at load 1.
    pub senders: Vec<(HostId, f64)>,
    /// Who receives, and the weight of each.
    pub receivers: Vec<(HostId, f64)>,
}

/// Receivers at one switch that hear from the same streams in the same proportions.
pub(super) struct Target {
    pub switch: SwitchId,
    /// The ports of the receivers and the share of the target's traffic that each takes.
    pub ports: Vec<(Port, f64)>,
    /// The streams, and the part of each that goes here if its sender is no receiver of it.
    streams: Vec<(usize, f64)>,
}

/// A sender of a stream as flows see it.
struct Sender {
    host: HostId,
    switch: SwitchId,
    port: Port,
    /// Bits a second for a weight of all: more than it sends where it is a receiver itself.
    bit_s: f64,
}

/// Streams ready to be spread over a network.
pub(super) struct Demands {
    senders: Vec<Vec<Sender>>,
    targets: Vec<Target>,
    /// By switch: what stays there, as (port in, port out, bits a second).
    local: Vec<Vec<(Port, Port, f64)>>,
    /// Bits a second by host.
    pub sent: Vec<f64>,
    pub received: Vec<f64>,
    pub total: f64,
}

impl Demands {
    pub fn new(network: &Network, streams: &[Stream]) -> Self {
        let hosts = network.hosts().len();
        let mut demands = Self {
            senders: Vec::with_capacity(streams.len()),
            targets: Vec::new(),
            local: vec![Vec::new(); network.switches().len()],
            sent: vec![0.0; hosts],
            received: vec![0.0; hosts],
            total: 0.0,
        };
        let mut heard: Vec<Vec<(usize, f64)>> = vec![Vec::new(); hosts];
        for (number, stream) in streams.iter().enumerate() {
            demands.add(network, number, stream, &mut heard);
        }
        demands.targets = targets(network, &heard);
        demands
    }

    fn add(&mut self, network: &Network, number: usize, stream: &Stream, heard: &mut [Vec<(usize, f64)>]) {
        let all: f64 = stream.receivers.iter().map(|(_, weight)| weight).sum();
        let weight_of: BTreeMap<HostId, f64> =
            stream.receivers.iter().map(|(host, weight)| (*host, weight / all)).collect();
        let mut senders = Vec::with_capacity(stream.senders.len());
        let mut whole = 0.0;
        for &(id, bit_s) in &stream.senders {
            let host = network.host(id);
            let own = weight_of.get(&id).copied().unwrap_or(0.0);
            if own >= 1.0 || bit_s <= 0.0 {
                continue;
            }
            self.sent[id.index()] += bit_s;
            self.total += bit_s;
            let bit_s = bit_s / (1.0 - own);
            whole += bit_s;
            senders.push(Sender { host: id, switch: host.switch, port: host.port, bit_s });
        }
        let mut at_switch: BTreeMap<SwitchId, Vec<(HostId, f64)>> = BTreeMap::new();
        for (&id, &weight) in &weight_of {
            heard[id.index()].push((number, weight));
            at_switch.entry(network.host(id).switch).or_default().push((id, weight));
            self.received[id.index()] += whole * weight;
        }
        for sender in &senders {
            if let Some(&own) = weight_of.get(&sender.host) {
                self.received[sender.host.index()] -= sender.bit_s * own;
            }
            let local = at_switch.get(&sender.switch).into_iter().flatten();
            let others = local.filter(|(id, _)| *id != sender.host);
            let turns =
                others.map(|(id, weight)| (sender.port, network.host(*id).port, sender.bit_s * weight));
            self.local[sender.switch.index()].extend(turns);
        }
        self.senders.push(senders);
    }

    /// The receivers, in the order of their switches.
    pub fn targets(&self) -> &[Target] {
        &self.targets
    }

    /// Tells the switch, the port and the bits a second of every sender at another switch than the target's.
    pub fn for_each_sender(&self, target: &Target, mut tell: impl FnMut(SwitchId, Port, f64)) {
        for &(stream, weight) in &target.streams {
            for sender in self.senders[stream].iter().filter(|sender| sender.switch != target.switch) {
                tell(sender.switch, sender.port, sender.bit_s * weight);
            }
        }
    }

    /// What hosts of one switch send to one another: port in, port out, bits a second.
    pub fn local(&self, switch: SwitchId) -> &[(Port, Port, f64)] {
        &self.local[switch.index()]
    }
}

/// The hosts that receive, together where they are at one switch and hear from the same streams by the same weights.
fn targets(network: &Network, heard: &[Vec<(usize, f64)>]) -> Vec<Target> {
    // By switch, then by stream and weight, of which the bits serve to compare.
    let mut alike: BTreeMap<_, Vec<HostId>> = BTreeMap::new();
    for id in network.host_ids().filter(|id| !heard[id.index()].is_empty()) {
        let by_bits: Vec<(usize, u64)> =
            heard[id.index()].iter().map(|(stream, weight)| (*stream, weight.to_bits())).collect();
        alike.entry((network.host(id).switch, by_bits)).or_default().push(id);
    }
    let target = |switch: SwitchId, hosts: &[HostId]| {
        let share = 1.0 / hosts.len() as f64;
        let streams = &heard[hosts[0].index()];
        Target {
            switch,
            ports: hosts.iter().map(|id| (network.host(*id).port, share)).collect(),
            streams: streams.iter().map(|(stream, weight)| (*stream, weight * hosts.len() as f64)).collect(),
        }
    };
    alike.iter().map(|((switch, _), hosts)| target(*switch, hosts)).collect()
}
