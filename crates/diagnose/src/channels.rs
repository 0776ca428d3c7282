//! Both directions of every link with what the counters of their ports say.

use std::collections::BTreeMap;

use hopscope_formats::counters::{Counter, CountersOfPort, Since};
use hopscope_topology::{Endpoint, Network, Node, Port, SwitchId};

use crate::thresholds::{DISCARDS_A_PACKET, ERRORS_A_PACKET, FEWEST_ERRORS, LOST, MISMATCHED, MOST_USED};
use crate::wait_ticks::{WaitUnit, wait_unit};

/// One direction of a link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Channel {
    /// The port that sends.
    pub from: Endpoint,
    /// The port that receives.
    pub to: Endpoint,
    /// The rate of the link, bit/s.
    pub rate: f64,
    /// What was counted; nothing where neither end has counters.
    pub counted: Option<Counted>,
}

impl Channel {
    /// Whether it is known how long the sender waits.
    #[must_use]
    pub fn tells_of_waiting(&self) -> bool {
        self.counted.is_some_and(|counted| counted.tells_of_waiting)
    }

    /// Whether a reading has counters of the sender.
    #[must_use]
    pub fn is_of_sender(&self) -> bool {
        self.counted.is_some_and(|counted| counted.is_of_sender)
    }
}

/// What a channel did between two readings.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Counted {
    /// Its utilisation, 0 to 1: bits sent over rate times interval.
    pub used: f64,
    /// The share of the interval, 0 to 1, in which it had something to send and was not allowed to (PortXmitWait, or
    /// the time for which it was paused); 0 if no counter measures it.
    pub waits: f64,
    /// The share of the interval that data and ticks of waiting took together, as counted; that of the data alone where
    /// the waiting was not counted in ticks. More than 1 cannot be.
    pub busy: f64,
    /// What the receiver counted of the data, where both ends have counters: as a share of what the link carries.
    pub received: Option<f64>,
    /// Whether a counter measures that: ticks of waiting, or the time for which it was paused.
    pub tells_of_waiting: bool,
    /// Whether the sender itself has counters; else all is what the other end counted.
    pub is_of_sender: bool,
    /// Packets sent.
    pub packets: u64,
    /// Packets thrown away instead of sent.
    pub discards: u64,
    /// Errors on the link, as its receiver counted them.
    pub errors: u64,
    /// How often the link went down, as either end counted it.
    pub downed: u64,
}

impl Counted {
    /// Whether the cable is bad: at least one packet in a thousand has an error, by more than a few errors.
    #[must_use]
    pub fn has_many_errors(&self) -> bool {
        self.errors >= FEWEST_ERRORS && self.errors as f64 >= ERRORS_A_PACKET * self.packets as f64
    }

    /// Whether the port throws packets away: at least one in a thousand, and more than a few.
    #[must_use]
    pub fn loses_packets(&self) -> bool {
        self.discards >= FEWEST_ERRORS && self.discards as f64 >= DISCARDS_A_PACKET * self.packets as f64
    }

    /// Whether its ends say different things of what it carried: by more than the time between reading them explains,
    /// and by no few packets.
    #[must_use]
    pub fn ends_disagree(&self) -> bool {
        self.received.is_some_and(|received| {
            let (less, more) = (self.used.min(received), self.used.max(received));
            more > MOST_USED * less && more - less >= LOST
        })
    }

    /// The share of the interval, 0 to 1, that errors took, about: each as long as a packet of this link takes on
    /// average, and together no more than the data left. 0 where no packet was counted.
    #[must_use]
    pub fn lost(&self) -> f64 {
        if self.packets == 0 {
            return 0.0;
        }
        (self.used * self.errors as f64 / self.packets as f64).min((1.0 - self.used).max(0.0))
    }

    /// Whether the cable has errors that hold others up: what is sent again takes the link, too, and is not counted as
    /// data.
    #[must_use]
    pub fn retries(&self) -> bool {
        self.has_many_errors() && self.lost() >= LOST
    }
}

/// All channels of a fabric.
#[derive(Clone, Debug)]
pub struct Channels {
    /// Two for each link, in the order of the links: from its first end, from its second end.
    pub all: Vec<Channel>,
    by_sender: BTreeMap<Endpoint, usize>,
    /// The rules by which ticks of waiting were counted.
    pub wait_rules: Vec<&'static str>,
    /// Counters that are full, each with its port: their values are lower limits.
    pub full: Vec<(Endpoint, Counter)>,
    /// Ports left out because they were cleared between the readings, each with a counter that ran backwards.
    pub cleared: Vec<(Endpoint, Counter)>,
    /// Ports left out because their cables lead back to their own nodes, in words.
    pub own_ports: Vec<String>,
    /// Ports of switches that sent data although the fabric has no cable there, in words.
    pub uncabled: Vec<String>,
}

impl Channels {
    /// The channels of a network whose links have these rates (bit/s), by their counts in a number of seconds.
    /// `devices` are the device numbers of switches, where they are known.
    #[must_use]
    pub fn new(
        network: &Network,
        rates: &[f64],
        devices: &[Option<u32>],
        since: &Since,
        interval_s: f64,
    ) -> Self {
        let mut all = Vec::with_capacity(2 * network.links().len());
        let mut wait_rules: Vec<&'static str> = Vec::new();
        for (link, &rate) in network.links().iter().zip(rates) {
            for (from, to) in [(link.ends[0], link.ends[1]), (link.ends[1], link.ends[0])] {
                let device = match from.node {
                    Node::Switch(id) => devices.get(id.index()).copied().flatten(),
                    Node::Host(_) => None,
                };
                let unit = wait_unit(device, link.lanes);
                let (sent, received) = (since.ports.get(&from), since.ports.get(&to));
                if sent.is_some_and(|sent| sent.contains_key(&Counter::XmitWait))
                    && !wait_rules.contains(&unit.rule)
                {
                    wait_rules.push(unit.rule);
                }
                let counted = counted(sent, received, rate * interval_s / 8.0, interval_s, unit);
                all.push(Channel { from, to, rate, counted });
            }
        }
        let by_sender = all.iter().enumerate().map(|(i, channel)| (channel.from, i)).collect();
        let (full, cleared) = (since.full.clone(), since.cleared.clone());
        let (own_ports, uncabled) = (since.own_ports.clone(), since.uncabled.clone());
        Self { all, by_sender, wait_rules, full, cleared, own_ports, uncabled }
    }

    /// The channel that a port sends on.
    #[must_use]
    pub fn from(&self, port: Endpoint) -> Option<usize> {
        self.by_sender.get(&port).copied()
    }

    /// The channels that the ports of a switch send on.
    pub fn out_of<'a>(
        &'a self,
        network: &Network,
        switch: SwitchId,
    ) -> impl Iterator<Item = usize> + use<'a> {
        let ports = network.switch(switch).ports.len();
        (0..ports).filter_map(move |port| self.from(Endpoint::switch(switch, port as Port)))
    }

    /// How many ports have no counters of their own.
    #[must_use]
    pub fn missing(&self) -> usize {
        self.all.iter().filter(|channel| !channel.is_of_sender()).count()
    }

    /// The share of ports of which it is known what they carry and how long they wait, 0 to 1: of those with counters,
    /// and of those whose other end says so.
    #[must_use]
    pub fn coverage(&self) -> f64 {
        let known = |channel: &&Channel| channel.is_of_sender() || channel.tells_of_waiting();
        self.all.iter().filter(known).count() as f64 / self.all.len().max(1) as f64
    }

    /// Whether these seem to be counters of another fabric: ports carry data where this one has no cable, and a
    /// considerable share of links has different counts at its two ends. A port read late or cleared makes its own ends
    /// differ, and a cable that is newer than the fabric's file only carries data.
    #[must_use]
    pub fn are_of_another_fabric(&self) -> bool {
        let told = self.all.iter().filter_map(|channel| channel.counted.filter(|it| it.received.is_some()));
        let (differ, agree): (Vec<Counted>, Vec<Counted>) = told.partition(Counted::ends_disagree);
        let all = (differ.len() + agree.len()) as f64;
        !self.uncabled.is_empty() && differ.len() as f64 >= MISMATCHED * all.max(1.0)
    }

    /// The channel that is busy most beyond the time between the readings, with data or with data and waiting, if any
    /// is by far.
    #[must_use]
    pub fn impossible(&self) -> Option<&Channel> {
        let busy = |channel: &Channel| channel.counted.map_or(0.0, |counted| counted.busy);
        self.all.iter().filter(|channel| busy(channel) > MOST_USED).max_by(|a, b| busy(a).total_cmp(&busy(b)))
    }
}

/// The use of a channel with this capacity in bytes; for a port without counters from the counts of the other end.
fn counted(
    sent: Option<&CountersOfPort>,
    received: Option<&CountersOfPort>,
    bytes: f64,
    interval_s: f64,
    unit: WaitUnit,
) -> Option<Counted> {
    let of = |port: Option<&CountersOfPort>, counter| port.and_then(|port| port.get(&counter)).copied();
    let data = of(sent, Counter::XmitData).or_else(|| of(received, Counter::RcvData));
    let ticks = of(sent, Counter::XmitWait).map(|ticks| (ticks * unit.bytes) as f64 / bytes);
    let paused = |port: &CountersOfPort| {
        (0..8).filter_map(|priority| port.get(&Counter::PausedUs(priority))).copied().max()
    };
    let pausing = |port: &CountersOfPort| {
        (0..8).filter_map(|priority| port.get(&Counter::PausesOtherUs(priority))).copied().max()
    };
    let paused = sent.and_then(paused).or_else(|| received.and_then(pausing));
    let paused = paused.map(|us| us as f64 / (1e6 * interval_s));
    if data.is_none() && ticks.is_none() && paused.is_none() {
        return None;
    }
    let errors = received
        .into_iter()
        .flatten()
        .filter(|(counter, _)| counter.is_link_error() && **counter != Counter::LinkDowned);
    let share = |words: u64| words as f64 * 4.0 / bytes;
    let used = share(data.unwrap_or(0));
    Some(Counted {
        used,
        busy: used + ticks.unwrap_or(0.0),
        received: of(sent, Counter::XmitData).and(of(received, Counter::RcvData)).map(share),
        waits: ticks.or(paused).unwrap_or(0.0).min(1.0),
        tells_of_waiting: ticks.or(paused).is_some(),
        is_of_sender: sent.is_some(),
        packets: of(sent, Counter::XmitPackets).or_else(|| of(received, Counter::RcvPackets)).unwrap_or(0),
        discards: of(sent, Counter::XmitDiscards).unwrap_or(0),
        errors: errors.map(|(_, count)| *count).sum(),
        downed: of(sent, Counter::LinkDowned).max(of(received, Counter::LinkDowned)).unwrap_or(0),
    })
}
