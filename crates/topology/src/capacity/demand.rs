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

/// What a stream's senders at a switch send to its receivers there.
struct Local {
    /// Each with its bits a second for a weight of all.
    senders: Vec<(HostId, Port, f64)>,
    /// Each with its weight, in the order of the hosts.
    receivers: Vec<(HostId, Port, f64)>,
}

/// Streams ready to be spread over a network.
pub(super) struct Demands {
    senders: Vec<Vec<Sender>>,
    targets: Vec<Target>,
    /// By switch: what stays there, by stream. Pairs of hosts are never listed: a switch may have a million.
    local: Vec<Vec<Local>>,
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
            local: network.switches().iter().map(|_| Vec::new()).collect(),
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
        let mut at_switch: BTreeMap<SwitchId, Local> = BTreeMap::new();
        for (&id, &weight) in &weight_of {
            heard[id.index()].push((number, weight));
            let host = network.host(id);
            let local =
                at_switch.entry(host.switch).or_insert(Local { senders: Vec::new(), receivers: Vec::new() });
            local.receivers.push((id, host.port, weight));
            self.received[id.index()] += whole * weight;
        }
        for sender in &senders {
            if let Some(&own) = weight_of.get(&sender.host) {
                self.received[sender.host.index()] -= sender.bit_s * own;
            }
            if let Some(local) = at_switch.get_mut(&sender.switch) {
                local.senders.push((sender.host, sender.port, sender.bit_s));
            }
        }
        for (switch, local) in at_switch {
            if !local.senders.is_empty() {
                self.local[switch.index()].push(local);
            }
        }
        self.senders.push(senders);
    }

    /// The receivers, in the order of their switches.
    pub fn targets(&self) -> &[Target] {
        &self.targets
    }

    /// Passes the switch, the port and the bit/s of every sender at another switch than the target's.
    pub fn for_each_sender(&self, target: &Target, mut tell: impl FnMut(SwitchId, Port, f64)) {
        for &(stream, weight) in &target.streams {
            for sender in self.senders[stream].iter().filter(|sender| sender.switch != target.switch) {
                tell(sender.switch, sender.port, sender.bit_s * weight);
            }
        }
    }

    /// What hosts of one switch send to one another, by the port where it leaves, in bits a second.
    pub fn for_each_local(&self, switch: SwitchId, mut tell: impl FnMut(Port, f64)) {
        for local in &self.local[switch.index()] {
            let all: f64 = local.senders.iter().map(|(.., bit_s)| bit_s).sum();
            let mut own: BTreeMap<HostId, f64> = BTreeMap::new();
            local.senders.iter().for_each(|(host, _, bit_s)| *own.entry(*host).or_default() += bit_s);
            for (host, port, weight) in &local.receivers {
                let others = all - own.get(host).copied().unwrap_or(0.0);
                if others > 0.0 {
                    tell(*port, others * weight);
                }
            }
        }
    }

    /// The same pair by pair: port in, port out, bits a second. For switches with few ports.
    pub fn for_each_local_turn(&self, switch: SwitchId, mut tell: impl FnMut(Port, Port, f64)) {
        for local in &self.local[switch.index()] {
            for (sender, port_in, bit_s) in &local.senders {
                for (_, port_out, weight) in local.receivers.iter().filter(|(host, ..)| host != sender) {
                    tell(*port_in, *port_out, bit_s * weight);
                }
            }
        }
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
