//! The internet that a scenario describes: machines, stations and streams by number, and the routes that all machines
//! know at the start.

use hopscope_measure::Problem;
use hopscope_measure::ResourceKind;
use hopscope_units::{Data, Span, Time};

use super::{Extra, HostParams, Medium, PupParams, RadioParams};
use crate::stations::RoutingTable;
use crate::wire::{Port, RouteTold, kind};

/// The first socket of a test's sender; the receiver has the one after it.
pub(crate) const FIRST_SOCKET: u32 = 0x100;

/// A host or a gateway.
#[derive(Clone, Debug)]
pub(crate) struct MachinePlan {
    pub name: String,
    pub gateway: bool,
    /// Whether it only sends raw packets.
    pub raw: bool,
    /// Its stations: one for a host.
    pub stations: Vec<u32>,
    /// The routes it begins with.
    pub routes: RoutingTable,
}

impl MachinePlan {
    /// The kind of its processor.
    pub const fn processor(&self) -> ResourceKind {
        if self.gateway { ResourceKind::GatewayProcessor } else { ResourceKind::HostProcessor }
    }
}

/// A machine's place on a network.
#[derive(Clone, Debug)]
pub(crate) struct StationPlan {
    pub machine: u32,
    pub network: u32,
    pub net: u8,
    pub host: u8,
    pub radio: Option<RadioPath>,
}

/// How radio packets from one station fare.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RadioPath {
    pub interval: Span,
    pub transit: Span,
    pub extra: Extra,
    pub loss: f64,
}

/// A stream from one host to another.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StreamPlan {
    pub from: u32,
    pub to: u32,
    pub near: Port,
    pub far: Port,
    pub length: usize,
    pub pups: u64,
}

/// The first socket of the echo sources: above those of all tests.
pub(crate) const FIRST_ECHO_SOCKET: u32 = 0x10000;

/// A host that asks for echoes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EchoPlan {
    pub from: u32,
    pub to: u32,
    pub near: Port,
    pub far: Port,
    pub length: usize,
}

/// Stations of a raw source, numbered one after the other.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RawPlan {
    pub first: u32,
    pub count: u32,
    pub length: Data,
    /// The mean time between packets; nothing where stations are saturated.
    pub mean: Option<Span>,
}

/// A class of messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    /// Pups of streams that demand no acknowledgment.
    Data,
    /// Pups of streams that demand one.
    AData,
    /// Round trips of echoes.
    Echo,
    /// Raw packets.
    Raw,
}

/// An internet that is known to be right, ready to run as often as one likes.
#[derive(Clone, Debug)]
pub struct PupPlan {
    pub(crate) params: PupParams,
    pub(crate) machines: Vec<MachinePlan>,
    pub(crate) stations: Vec<StationPlan>,
    /// The stations of each network in the order of their host numbers.
    pub(crate) on_network: Vec<Vec<u32>>,
    pub(crate) streams: Vec<StreamPlan>,
    pub(crate) echoes: Vec<EchoPlan>,
    pub(crate) raw: Vec<RawPlan>,
}

/// The names of several stations that have a name in common.
pub(crate) fn numbered(name: &str, count: u32) -> Vec<String> {
    if count == 1 { vec![name.to_owned()] } else { (1..=count).map(|n| format!("{name}-{n}")).collect() }
}

impl HostParams {
    /// The names of the hosts that this describes.
    pub(crate) fn names(&self) -> Vec<String> {
        // More are refused elsewhere; this many show the mistake as well.
        numbered(&self.name, self.count.min(256))
    }
}

impl PupPlan {
    /// Numbers machines and stations and finds the routes.
    ///
    /// # Errors
    /// Everything that is wrong with the parameters.
    pub fn new(params: PupParams) -> Result<Self, Vec<Problem>> {
        let problems = params.problems();
        if !problems.is_empty() {
            return Err(problems);
        }
        let networks = params.network.len();
        let mut plan = Self {
            params,
            machines: Vec::new(),
            stations: Vec::new(),
            on_network: vec![Vec::new(); networks],
            streams: Vec::new(),
            echoes: Vec::new(),
            raw: Vec::new(),
        };
        plan.add_machines();
        plan.settle_routes();
        plan.add_streams();
        plan.add_echoes();
        plan.add_raw();
        let unreachable = plan.unreachable();
        if unreachable.is_empty() { Ok(plan) } else { Err(unreachable) }
    }

    /// The parameters.
    #[must_use]
    pub fn params(&self) -> &PupParams {
        &self.params
    }

    fn add_machines(&mut self) {
        let params = self.params.clone();
        for host in &params.host {
            for (n, name) in host.names().into_iter().enumerate() {
                self.add_machine(name, false, &[(&host.network, host.address + n as u32)]);
            }
        }
        for gateway in &params.gateway {
            let on: Vec<(&String, u32)> = gateway.on.iter().map(|on| (&on.network, on.address)).collect();
            let machine = self.add_machine(gateway.name.clone(), true, &on);
            let station = self.machines[machine].stations[0];
            let known: Vec<u8> = params.network.iter().map(|network| network.number as u8).collect();
            let free = (1..=255u8).rev().filter(|net| !known.contains(net));
            for net in free.take(gateway.elsewhere as usize) {
                self.machines[machine].routes.own(net, station, 1);
            }
        }
    }

    fn add_machine(&mut self, name: String, gateway: bool, on: &[(&String, u32)]) -> usize {
        let machine = self.machines.len();
        let mut stations = Vec::new();
        let mut routes = RoutingTable::new();
        for &(network, address) in on {
            let at = self.network_called(network);
            let station = self.stations.len() as u32;
            let net = self.params.network[at].number as u8;
            let radio = match &self.params.network[at].medium {
                Medium::Radio(radio) => Some(radio_path(radio, &name)),
                Medium::Ethernet(_) | Medium::Line(_) => None,
            };
            self.stations.push(StationPlan {
                machine: machine as u32,
                network: at as u32,
                net,
                host: address as u8,
                radio,
            });
            self.on_network[at].push(station);
            routes.own(net, station, 0);
            stations.push(station);
        }
        self.machines.push(MachinePlan { name, gateway, raw: false, stations, routes });
        machine
    }

    fn network_called(&self, name: &str) -> usize {
        self.params.network.iter().position(|network| network.name == name).expect("names are checked")
    }

    /// Gateways exchange their routes until none learns anything new, as before the beginning of the test.
    fn settle_routes(&mut self) {
        let now = Time::ZERO;
        let mut changed = true;
        while changed {
            changed = false;
            for from in 0..self.stations.len() {
                let StationPlan { machine, network, net, host, .. } = self.stations[from];
                if !self.machines[machine as usize].gateway {
                    continue;
                }
                let told: Vec<RouteTold> =
                    self.machines[machine as usize].routes.tell(now, net, host).collect();
                for hearing in self.on_network[network as usize].clone() {
                    let listener = self.stations[hearing as usize].machine;
                    if listener != machine {
                        let routes = &mut self.machines[listener as usize].routes;
                        told.iter().for_each(|route| changed |= routes.told(now, hearing, host, *route));
                    }
                }
            }
        }
    }

    fn add_streams(&mut self) {
        for test in &self.params.test {
            let (from, to) = (self.machines_called(&test.from), self.machines_called(&test.to));
            for (n, &sender) in from.iter().enumerate() {
                let receiver = to[n % to.len()];
                let socket = FIRST_SOCKET + 2 * self.streams.len() as u32;
                self.streams.push(StreamPlan {
                    from: sender,
                    to: receiver,
                    near: self.port(sender, socket),
                    far: self.port(receiver, socket + 1),
                    length: test.data.bytes() as usize,
                    pups: test.pups.unwrap_or(u64::MAX),
                });
            }
        }
    }

    fn add_echoes(&mut self) {
        for echo in &self.params.echo {
            let (from, to) = (self.machines_called(&echo.from), self.machines_called(&echo.to));
            for (n, &from) in from.iter().enumerate() {
                let socket = FIRST_ECHO_SOCKET + self.echoes.len() as u32;
                let to = to[n % to.len()];
                let far = self.port(to, kind::ECHO_SOCKET);
                let length = echo.data.bytes() as usize;
                self.echoes.push(EchoPlan { from, to, near: self.port(from, socket), far, length });
            }
        }
    }

    /// Raw stations come last, and cannot be receivers.
    fn add_raw(&mut self) {
        for raw in self.params.raw.clone() {
            let network = self.network_called(&raw.network);
            let net = self.params.network[network].number as u8;
            let first = self.stations.len() as u32;
            for name in numbered(&raw.name, raw.stations) {
                let (machine, station) = (self.machines.len() as u32, self.stations.len() as u32);
                self.stations.push(StationPlan {
                    machine,
                    network: network as u32,
                    net,
                    host: 0,
                    radio: None,
                });
                let (stations, routes) = (vec![station], RoutingTable::new());
                self.machines.push(MachinePlan { name, gateway: false, raw: true, stations, routes });
            }
            let mean = raw.offered.map(|offered| offered.time_for(raw.length));
            self.raw.push(RawPlan { first, count: raw.stations, length: raw.length, mean });
        }
    }

    /// The raw source that a station belongs to.
    pub(crate) fn raw_at(&self, station: u32) -> Option<&RawPlan> {
        self.raw.iter().find(|raw| (raw.first..raw.first + raw.count).contains(&station))
    }

    /// The classes of messages that there can be.
    pub(crate) fn classes(&self) -> Vec<&'static str> {
        let streams: &[&str] = if self.streams.is_empty() { &[] } else { &["Data", "AData"] };
        let echoes: &[&str] = if self.echoes.is_empty() { &[] } else { &["echo"] };
        let raw: &[&str] = if self.raw.is_empty() { &[] } else { &["raw"] };
        [streams, echoes, raw].concat()
    }

    /// The place of a class among these.
    pub(crate) fn class(&self, class: Class) -> usize {
        match class {
            Class::Echo => 2 * usize::from(!self.streams.is_empty()),
            Class::Data => 0,
            Class::AData => 1,
            Class::Raw => self.classes().len() - 1,
        }
    }

    fn machines_called(&self, name: &str) -> Vec<u32> {
        let host = self.params.host.iter().find(|host| host.name == name).expect("names are checked");
        let names = host.names();
        let at = |name: &String| self.machines.iter().position(|machine| machine.name == *name);
        names.iter().filter_map(at).map(|machine| machine as u32).collect()
    }

    fn port(&self, machine: u32, socket: u32) -> Port {
        let station = &self.stations[self.machines[machine as usize].stations[0] as usize];
        Port { net: station.net, host: station.host, socket }
    }

    /// Tests and echoes between hosts that no route joins, or none of at most fifteen gateways.
    fn unreachable(&self) -> Vec<Problem> {
        let mut found = Vec::new();
        let tests = (0..).zip(&self.params.test).map(|(at, test)| ("test", at, &test.from, &test.to));
        let echoes = (0..).zip(&self.params.echo).map(|(at, echo)| ("echo", at, &echo.from, &echo.to));
        for (kind, at, from_name, to_name) in tests.chain(echoes) {
            let (from, to) = (self.machines_called(from_name)[0], self.machines_called(to_name)[0]);
            let there = self.machines[from as usize].routes.route(Time::ZERO, self.port(to, 0).net);
            let back = self.machines[to as usize].routes.route(Time::ZERO, self.port(from, 0).net);
            if there.is_none() || back.is_none() {
                let problem = format!("no route leads from \"{from_name}\" to \"{to_name}\"");
                let expected = "a way over at most 15 gateways, there and back";
                found.push(Problem::new(format!("{kind}[{at}].to"), problem, expected));
            }
        }
        found
    }
}

fn radio_path(radio: &RadioParams, station: &str) -> RadioPath {
    let from = radio.from.iter().find(|from| from.station == station);
    RadioPath {
        interval: from.and_then(|from| from.interval).unwrap_or(radio.interval),
        transit: radio.transit,
        extra: from.and_then(|from| from.extra).unwrap_or(radio.extra),
        loss: from.and_then(|from| from.loss).unwrap_or(radio.loss),
    }
}
