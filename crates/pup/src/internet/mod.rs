//! The internet as a machine of events: what happens at each, in order. The rules that its parts follow are in the
//! other rooms.

mod echoes;
mod ethernet;
mod event;
mod forwarding;
mod gateway_information;
mod host_queue;
mod line;
mod networks;
mod output_queue;
mod packet_radio;
mod packets;
mod processor;
mod raw;
mod sockets;
mod streams;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use hopscope_kernel::{EventQueue, Model, Order, RandomStream, Simulation};
use hopscope_measure::{DelayLabel, DelayUnit, Journal, MessageMonitor, MonitorLayout, RateUnit};
use hopscope_units::{Span, Time};

use crate::observe::{Stage, StreamStatistics, Tap};
use crate::puptest::Stream;
use crate::scenario::{Medium, PupPlan};
use crate::stations::{Machine, Station};
use echoes::EchoSource;
use ethernet::Ether;
use packets::Packets;
use raw::RawStations;

pub use event::Event;

/// Raw packets that wait at a station; what comes beyond is lost.
const RAW_QUEUE: u32 = 12;

/// What the model counts besides the monitor's statistics.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tally {
    /// Echoes that did not come back in time.
    pub echoes_lost: u64,
    /// Raw packets that found their station's queue full.
    pub raw_lost: u64,
    /// Pups without a receiver: no such host, or no such socket.
    pub astray: u64,
}

/// An internet under test: the model's state. `J` records whole lives, `T` the traffic on the networks; `()` records
/// nothing.
pub struct Internet<J: Journal = (), T: Tap = ()> {
    pub(crate) plan: Arc<PupPlan>,
    pub(crate) machines: Vec<Machine>,
    pub(crate) stations: Vec<Station>,
    pub(crate) ethers: Vec<Ether>,
    pub(crate) streams: Vec<Stream>,
    pub(crate) packets: Packets,
    pub(crate) monitor: MessageMonitor,
    pub(crate) journal: J,
    /// What passes on the networks.
    pub tap: T,
    pub(crate) tally: Tally,
    pub(crate) statistics: StreamStatistics,
    pub(crate) raw: RawStations,
    pub(crate) echoes: Vec<EchoSource>,
    pub(crate) born: u64,
    pub(crate) last_delivery: Time,
    counts: Vec<u32>,
    /// Memory for lists that are handed around within one event.
    list: Vec<u32>,
    data: Vec<u8>,
}

impl PupPlan {
    /// A run at time zero with its first events. `tap` sees every Pup on every network.
    #[must_use]
    pub fn simulation<J: Journal, T: Tap>(
        self: &Arc<Self>,
        seed: u64,
        journal: J,
        tap: T,
    ) -> Simulation<Internet<J, T>> {
        Internet::simulation(self, seed, journal, tap)
    }
}

impl<J: Journal, T: Tap> Internet<J, T> {
    fn simulation(plan: &Arc<PupPlan>, seed: u64, journal: J, tap: T) -> Simulation<Self> {
        let mut internet = Self {
            machines: (0..plan.machines.len()).map(|at| machine(plan, at, seed)).collect(),
            stations: (0..plan.stations.len()).map(|at| station(plan, at, seed)).collect(),
            ethers: plan.params.network.iter().map(|_| Ether::new()).collect(),
            streams: streams(plan, seed),
            packets: Packets::default(),
            monitor: MessageMonitor::new(MonitorLayout {
                latency: DelayLabel { name: "latency", unit: DelayUnit::Ms },
                life: Some(DelayLabel { name: "round trip", unit: DelayUnit::Ms }),
                rate: RateUnit::KbitPerS,
                ..MonitorLayout::new(Stage::LABELS, &plan.classes())
            })
            .among_hosts(plan.machines.len()),
            journal,
            tap,
            tally: Tally::default(),
            statistics: StreamStatistics::new(plan.streams.len()),
            raw: RawStations::new(plan, seed),
            echoes: vec![EchoSource::default(); plan.echoes.len()],
            born: 0,
            last_delivery: Time::ZERO,
            counts: vec![
                0;
                plan.machines.len()
                    + plan.stations.len()
                    + plan.params.network.len()
                    + plan.streams.len()
            ],
            list: Vec::new(),
            data: Vec::new(),
            plan: Arc::clone(plan),
        };
        let mut queue = EventQueue::new();
        for stream in 0..internet.streams.len() as u32 {
            internet.of_stream(&mut queue, stream, Time::ZERO, Event::Call(stream));
        }
        internet.first_broadcasts(&mut queue);
        internet.first_raw_packets(&mut queue);
        for source in 0..internet.echoes.len() as u32 {
            let from = plan.echoes[source as usize].from;
            internet.of_machine(&mut queue, from, Time::ZERO, Event::Echo(source, 0));
        }
        Simulation::new(internet, queue)
    }

    fn schedule(&mut self, queue: &mut EventQueue<Event>, source: usize, at: Time, event: Event) {
        let count = &mut self.counts[source];
        *count = count.wrapping_add(1);
        queue.schedule(at, Order::new(source as u32, *count), event);
    }

    /// Schedules an event of a machine; machines come first among the events of one instant.
    fn of_machine(&mut self, queue: &mut EventQueue<Event>, machine: u32, at: Time, event: Event) {
        self.schedule(queue, machine as usize, at, event);
    }

    /// Schedules an event of a station; stations come after machines.
    fn of_station(&mut self, queue: &mut EventQueue<Event>, station: u32, at: Time, event: Event) {
        self.schedule(queue, self.machines.len() + station as usize, at, event);
    }

    /// Schedules an event of a network; networks come after stations, so that all who begin at one instant have begun.
    fn of_network(&mut self, queue: &mut EventQueue<Event>, network: u32, at: Time, event: Event) {
        self.schedule(queue, self.machines.len() + self.stations.len() + network as usize, at, event);
    }

    /// Schedules an event of a stream; streams come last.
    fn of_stream(&mut self, queue: &mut EventQueue<Event>, stream: u32, at: Time, event: Event) {
        let others = self.machines.len() + self.stations.len() + self.ethers.len();
        self.schedule(queue, others + stream as usize, at, event);
    }

    /// The journal's number of a station; machines have their own.
    fn place(&self, station: u32) -> u32 {
        self.machines.len() as u32 + station
    }

    /// What a place number means.
    pub(crate) fn place_name(&self, place: u32) -> String {
        let place = place as usize;
        if let Some(machine) = self.plan.machines.get(place) {
            return machine.name.clone();
        }
        self.station_name(place - self.machines.len())
    }

    /// A station by its machine and network.
    pub(crate) fn station_name(&self, station: usize) -> String {
        let station = &self.plan.stations[station];
        let machine = &self.plan.machines[station.machine as usize].name;
        format!("{machine} on {}", self.plan.params.network[station.network as usize].name)
    }
}

fn streams(plan: &PupPlan, seed: u64) -> Vec<Stream> {
    let stream = |(at, &stream)| Stream::new(stream, &plan.params.stream, at as u64, seed);
    plan.streams.iter().enumerate().map(stream).collect()
}

fn machine(plan: &PupPlan, at: usize, seed: u64) -> Machine {
    Machine::new(plan.machines[at].routes.clone(), RandomStream::named(seed, "clock", at as u64))
}

fn station(plan: &PupPlan, at: usize, seed: u64) -> Station {
    let place = &plan.stations[at];
    let gateway = plan.machines[place.machine as usize].gateway;
    let (queue, assemblies) = match &plan.params.network[place.network as usize].medium {
        Medium::Radio(radio) => (Some(radio.queue), radio.assemblies as usize),
        Medium::Ethernet(_) | Medium::Line(_) => (gateway.then_some(plan.params.processing.gateway.queue), 0),
    };
    let queue = if plan.raw_at(at as u32).is_some() { Some(RAW_QUEUE) } else { queue };
    Station::new(queue, assemblies, RandomStream::named(seed, "station", at as u64))
}

impl<J: Journal, T: Tap> Model for Internet<J, T> {
    type Event = Event;

    fn handle(&mut self, now: Time, event: Event, queue: &mut EventQueue<Event>) {
        match event {
            Event::Processed(machine) => self.processed(now, machine, queue),
            Event::Attempt(station) => self.attempt(now, station, queue),
            Event::Settle(network) => self.settle(now, network, queue),
            Event::Quiet(network) => self.quiet(now, network, queue),
            Event::LineSent(station) => self.line_sent(now, station, queue),
            Event::LineArrived(station, packet) => self.line_arrived(now, station, packet, queue),
            Event::RadioAccepts(station) => self.radio_accepts(now, station, queue),
            Event::RadioArrived(station, packet, part) => {
                self.radio_arrived(now, station, packet, part, queue);
            }
            Event::Call(stream) => self.call(now, stream, queue),
            Event::Timer(stream, set) => self.timer(now, stream, set, queue),
            Event::Turnaround(stream) => self.turn_around(now, stream, queue),
            Event::Broadcast(machine) => self.broadcast(now, machine, queue),
            Event::Echo(source, number) => self.ask_echo(now, source, number, queue),
            Event::Raw(station) => self.raw_packet(now, station, queue),
        }
    }
}

/// The longest that a stream may stand still before the run is called stuck: far beyond every timeout.
pub(crate) const STANDSTILL: Span = Span::from_s(100_000);
