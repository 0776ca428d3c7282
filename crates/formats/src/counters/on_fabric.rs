//! Counters as those of a fabric's ports, and what they counted between two readings.

use std::collections::{BTreeMap, BTreeSet};

use hopscope_topology::{Endpoint, HostId, Node, SwitchId};

use super::{Counter, CounterFile, Reading, Value, Who, Width};
use crate::error::{Fault, FormatError, Place};
use crate::fabric::{CabledNetwork, OwnEnd};

/// The counters of one port.
pub type CountersOfPort = BTreeMap<Counter, u64>;

/// The counters of a fabric's ports, from one file.
#[derive(Clone, Debug)]
pub struct PortCounters {
    values: BTreeMap<Endpoint, BTreeMap<Counter, Value>>,
    /// Ports of which counters are left out, because their cables lead back to their own nodes.
    own_ports: BTreeSet<String>,
    /// By name of a switch and port to which the fabric has no cable: the data that it has sent.
    uncabled: BTreeMap<(String, u16), u64>,
    /// When they were read, seconds, where the file says.
    pub at_s: Option<f64>,
    /// The tool that printed them.
    pub tool: &'static str,
}

/// What was counted between two readings.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Since {
    /// By port, the port that counts; ports of which a reading lacks are left out.
    pub ports: BTreeMap<Endpoint, CountersOfPort>,
    /// The seconds from the first to the second, where both files say when they were read.
    pub interval_s: Option<f64>,
    /// Counters that are full, each with its port: their values are lower limits.
    pub full: Vec<(Endpoint, Counter)>,
    /// Ports left out because they were cleared in between, each with a counter that ran backwards.
    pub cleared: Vec<(Endpoint, Counter)>,
    /// Ports left out because their cables lead back to their own nodes, in words.
    pub own_ports: Vec<String>,
    /// Ports of switches that sent data although the fabric has no cable there, in words.
    pub uncabled: Vec<String>,
}

impl CounterFile {
    /// The counters on a fabric. `text` is what they were read from.
    ///
    /// # Errors
    /// Counters of another fabric: a node or port that it does not have; of a port without a cable that carries data; a
    /// counter that stands twice; each with its place.
    pub fn on(&self, fabric: &CabledNetwork, text: &str) -> Result<PortCounters, FormatError> {
        self.resolve(fabric, text).map_err(|fault| fault.in_text(text))
    }

    fn resolve(&self, fabric: &CabledNetwork, text: &str) -> Result<PortCounters, Fault> {
        let finder = Finder::new(fabric);
        let mut values: BTreeMap<Endpoint, BTreeMap<Counter, Value>> = BTreeMap::new();
        let (mut own_ports, mut uncabled) = (BTreeSet::new(), BTreeMap::new());
        for reading in &self.readings {
            if let Some(end) = finder.own_end(reading) {
                own_ports.insert(end.words(&fabric.network));
                continue;
            }
            let Some(port) = finder.port(reading)? else {
                uncabled.extend(finder.sent_without_cable(reading));
                continue;
            };
            let of_port = values.entry(port).or_default();
            for &value in &reading.values {
                let Some(before) = of_port.insert(value.counter, value) else { continue };
                // perfquery and ibdiagnet list the same counter with 32 and with 64 bits; the longer one is used.
                if before.width == value.width {
                    let line = Place::of_byte(text, before.byte).line;
                    let problem = format!("{} a second time, after line {line}", value.counter.words());
                    let fault = Fault::at(value.byte, problem, "each counter of a port once");
                    return Err(fault.hint("are these two readings in one file? give each with --counters"));
                }
                if before.width > value.width {
                    of_port.insert(value.counter, before);
                }
            }
        }
        Ok(PortCounters { values, own_ports, uncabled, at_s: self.at_s, tool: self.form.name })
    }
}

/// Finds the ports of readings in a fabric.
struct Finder<'a> {
    fabric: &'a CabledNetwork,
    port_offset: u16,
    switches: BTreeMap<u64, SwitchId>,
    hosts: BTreeMap<u64, HostId>,
    lids: BTreeMap<u16, Node>,
    /// The ports of switches that aggregation nodes are at, as the file numbers them.
    of_aggregation: BTreeSet<(SwitchId, u16)>,
}

impl<'a> Finder<'a> {
    fn new(fabric: &'a CabledNetwork) -> Self {
        let (hosts, _) = fabric.hosts_by_address();
        let lids = fabric.lids().map_or_else(BTreeMap::new, |lids| {
            let switches =
                lids.switches.into_iter().enumerate().map(|(i, lid)| (lid, Node::Switch(SwitchId::new(i))));
            let hosts = lids.hosts.into_iter().enumerate().map(|(i, lid)| (lid, Node::Host(HostId::new(i))));
            switches.chain(hosts).collect()
        });
        let switches = fabric.switches_by_guid();
        let of_aggregation = fabric.aggregation.iter();
        let of_aggregation =
            of_aggregation.filter_map(|node| Some((*switches.get(&node.at.0)?, node.at.1))).collect();
        Self { fabric, port_offset: fabric.port_offset(), switches, hosts, lids, of_aggregation }
    }

    /// The port of a reading whose cable leads back to its own node.
    fn own_end(&self, reading: &Reading) -> Option<&OwnEnd> {
        let is_of = |end: &&OwnEnd| match end {
            OwnEnd::Switch { switch, port } => {
                reading.port == Some(*port) && self.found(reading) == Some(Node::Switch(*switch))
            }
            OwnEnd::Host { name, guid, port, address } => match &reading.who {
                Who::Guid(of) => *of == address.guid || of == guid && reading.port == Some(*port),
                Who::Lid(lid) => address.lids().any(|each| each == *lid),
                // Without a port it may be another one of the host, which is in the network.
                Who::Name(of) => {
                    of == name
                        && reading.port.map_or_else(|| self.found(reading).is_none(), |own| own == *port)
                }
            },
        };
        self.fabric.own_ends().find(is_of)
    }

    /// The port of a reading; nothing for a port without a cable that has carried nothing, and for one of an
    /// aggregation node or to it.
    fn port(&self, reading: &Reading) -> Result<Option<Endpoint>, Fault> {
        if self.is_left_out(&reading.who) {
            return Ok(None);
        }
        match (self.node(reading)?, reading.port) {
            (Node::Host(host), _) => Ok(Some(Endpoint::host(host))),
            (Node::Switch(switch), Some(port)) => self.switch_port(reading, switch, port),
            (Node::Switch(switch), None) => {
                let name = &self.fabric.network.switch(switch).name;
                let problem = format!("counters of switch \"{name}\" without a port");
                Err(Fault::at(reading.byte, problem, "the number of the port"))
            }
        }
    }

    fn is_left_out(&self, who: &Who) -> bool {
        match who {
            Who::Guid(guid) => !self.switches.contains_key(guid) && self.fabric.is_left_out_guid(*guid),
            Who::Lid(lid) => self.fabric.left_out_lids().any(|left| left == *lid),
            Who::Name(name) => self.fabric.aggregation.iter().any(|node| node.description == *name),
        }
    }

    fn switch_port(&self, reading: &Reading, switch: SwitchId, port: u16) -> Result<Option<Endpoint>, Fault> {
        let own = port.checked_sub(self.port_offset);
        if let Some(own) = own.filter(|own| self.fabric.network.far_end(switch, *own).is_some()) {
            return Ok(Some(Endpoint::switch(switch, own)));
        }
        if self.of_aggregation.contains(&(switch, port)) {
            return Ok(None);
        }
        let carried = |value: &&Value| matches!(value.counter, Counter::XmitWait) && value.value > 0;
        let is_known = self.fabric.ports[switch.index()].is_none_or(|ports| port <= ports);
        let name = &self.fabric.network.switch(switch).name;
        let problem = if !is_known {
            format!("port {port} of switch \"{name}\", which has fewer ports")
        } else if let Some(value) = reading.values.iter().find(carried) {
            format!("port {port} of switch \"{name}\" has no cable, and counts {}", value.counter.words())
        } else {
            return Ok(None);
        };
        Err(Fault::at(reading.byte, problem, "the counters of this fabric").hint(OTHER_FABRIC))
    }

    /// Of a port of a switch to which the fabric has no cable: its name, and the data that it has sent.
    fn sent_without_cable(&self, reading: &Reading) -> Option<((String, u16), u64)> {
        let Some(Node::Switch(switch)) = self.found(reading) else { return None };
        let port = reading.port.filter(|port| !self.of_aggregation.contains(&(switch, *port)))?;
        let sent = reading.values.iter().filter(|value| value.counter == Counter::XmitData);
        let sent = sent.max_by_key(|value| value.width)?.value;
        Some(((self.fabric.network.switch(switch).name.clone(), port), sent))
    }

    fn found(&self, reading: &Reading) -> Option<Node> {
        match &reading.who {
            Who::Guid(guid) => {
                let switch = self.switches.get(guid).copied().map(Node::Switch);
                let host = || self.hosts.get(guid).copied().map(Node::Host);
                switch.or_else(host).or_else(|| self.by_name(&format!("{guid:#x}"), reading.port))
            }
            Who::Lid(lid) => self.lids.get(lid).copied(),
            Who::Name(name) => self.by_name(name, reading.port),
        }
    }

    fn node(&self, reading: &Reading) -> Result<Node, Fault> {
        self.found(reading).ok_or_else(|| {
            let words = match &reading.who {
                Who::Guid(guid) => format!("GUID {guid:#x}"),
                Who::Lid(lid) => format!("LID {lid}"),
                Who::Name(name) => format!("the name \"{name}\""),
            };
            let problem = format!("the fabric has no node of {words}");
            Fault::at(reading.byte, problem, "the counters of this fabric").hint(OTHER_FABRIC)
        })
    }

    /// A node by any of its names; of a host with several ports, its port of that number.
    fn by_name(&self, name: &str, port: Option<u16>) -> Option<Node> {
        let network = &self.fabric.network;
        network.node(name).or_else(|| network.node(&format!("{name}:{}", port?)))
    }
}

/// What may be wrong where counters do not match a fabric.
pub const OTHER_FABRIC: &str =
    "these counters belong to another fabric, or the fabric's file is older or newer than they are";

impl PortCounters {
    /// How many ports have counters.
    #[must_use]
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether no port has counters.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// What was counted since an earlier reading. `text` is what these counters were read from. A few ports of which
    /// counters ran backwards are left out: they were cleared in between, or their switch has started again.
    ///
    /// # Errors
    /// A counter that ran backwards at a port where it has wrapped, or where no fewer ports ran backwards than forward:
    /// then the readings are in the wrong order. A counter of what ports carry or wait that is full: InfiniBand's stop
    /// at their maximum. Its place is in this file.
    pub fn since(&self, before: &Self, text: &str) -> Result<Since, FormatError> {
        self.differences(before).map_err(|fault| fault.in_text(text))
    }

    fn differences(&self, before: &Self) -> Result<Since, Fault> {
        let (mut ports, mut full) = (BTreeMap::new(), Vec::new());
        let mut backwards: Vec<(Endpoint, &Value, &Value)> = Vec::new();
        for (port, after) in &self.values {
            let Some(earlier) = before.values.get(port) else { continue };
            let both = after.values().filter_map(|last| Some((earlier.get(&last.counter)?, last)));
            if let Some((first, last)) = { both }.find(|(first, last)| is_cleared(first, last)) {
                backwards.push((*port, first, last));
                continue;
            }
            let mut counted = CountersOfPort::new();
            for (counter, value) in after {
                let Some(first) = earlier.get(counter) else { continue };
                counted.insert(*counter, difference(first, value)?);
                if value.width.is_full(value.value) {
                    full.push((*port, *counter));
                }
            }
            ports.insert(*port, counted);
        }
        let interval_s = self.at_s.zip(before.at_s).map(|(after, before)| after - before);
        let is_forward = |port: &&CountersOfPort| port.values().any(|count| *count > 0);
        if let Some((_, first, last)) = backwards.first()
            && backwards.len() >= ports.values().filter(is_forward).count()
        {
            difference(first, last)?;
        }
        let cleared = backwards.iter().map(|(port, _, last)| (*port, last.counter)).collect();
        let own_ports = self.own_ports.union(&before.own_ports).cloned().collect();
        let has_sent = |(port, sent): (&(String, u16), &u64)| {
            let first = before.uncabled.get(port)?;
            (first < sent).then(|| format!("{}:{}", port.0, port.1))
        };
        let uncabled = self.uncabled.iter().filter_map(has_sent).collect();
        Ok(Since { ports, interval_s, full, cleared, own_ports, uncabled })
    }
}

fn difference(first: &Value, last: &Value) -> Result<u64, Fault> {
    let name = last.counter.words();
    if last.counter.is_of_traffic() && last.width.is_full(last.value) {
        let at = match last.width {
            Width::Bits(bits) => format!("{} of its {bits} bits", last.value),
            Width::Unknown | Width::Long => format!("{}, the most that 32 bits hold", last.value),
        };
        let fault =
            Fault::at(last.byte, format!("{name} is full: it stopped at {at}"), "a counter with room left");
        return Err(fault.hint(if first.width.is_full(first.value) {
            "it was full in the first reading: read the 64-bit counters (`perfquery -x`), or clear it before \
             (`perfquery -R`)"
        } else {
            "read the 64-bit counters (`perfquery -x`), or shorten the interval"
        }));
    }
    last.value.checked_sub(first.value).ok_or_else(|| {
        let problem = format!("{name} ran backwards, from {} to {}", first.value, last.value);
        let fault = Fault::at(last.byte, problem, "a counter that is no lower than before");
        fault.hint(if may_have_wrapped(first) {
            "it has wrapped or was cleared: read the 64-bit counters (`perfquery -x`)"
        } else {
            "was it cleared in between, or are the two files given in the wrong order?"
        })
    })
}

/// Whether a counter is lower than before, and is not full and has not wrapped.
fn is_cleared(first: &Value, last: &Value) -> bool {
    last.value < first.value && !last.width.is_full(last.value) && !may_have_wrapped(first)
}

/// Whether a counter was more than half full.
fn may_have_wrapped(first: &Value) -> bool {
    let bits = match first.width {
        Width::Bits(bits) => bits,
        Width::Unknown => 32,
        Width::Long => return false,
    };
    let full = (1_u64 << bits) - 1;
    (full / 2 + 1..=full).contains(&first.value)
}
