//! Raw packets on Ethernets: stations without a processor that send packets of one length, as soon as the cable takes
//! them or at random times (Metcalfe and Boggs 1976; Shoch and Hupp 1980).

use hopscope_kernel::{EventQueue, Exponential, RandomStream};
use hopscope_measure::{Estimate, Journal};
use hopscope_units::{Span, Time};

use super::{Event, Internet};
use crate::observe::{Tap, fairness};
use crate::scenario::{Class, PupPlan};

/// The stations of all raw sources.
#[derive(Clone, Debug)]
pub(crate) struct RawStations {
    /// The random stream of each station, by its place behind the first one.
    random: Vec<RandomStream>,
    /// Packets that each has sent since measuring began.
    sent: Vec<u64>,
    /// Packets born that are neither sent nor given up.
    pub under_way: u64,
}

impl RawStations {
    /// The stations of a plan, none of which has a packet.
    pub fn new(plan: &PupPlan, seed: u64) -> Self {
        let count: u32 = plan.raw.iter().map(|raw| raw.count).sum();
        let random = (0..u64::from(count)).map(|at| RandomStream::named(seed, "raw", at)).collect();
        Self { random, sent: vec![0; count as usize], under_way: 0 }
    }

    /// Forgets everything measured.
    pub fn restart(&mut self) {
        self.sent.fill(0);
    }

    /// The fairness between the stations.
    pub fn fairness(&self) -> Option<Estimate> {
        fairness(&self.sent.iter().map(|&sent| sent as f64).collect::<Vec<f64>>())
    }
}

impl<J: Journal, T: Tap> Internet<J, T> {
    /// Every station has its first packet at once, or after a random time.
    pub(super) fn first_raw_packets(&mut self, queue: &mut EventQueue<Event>) {
        let stations: Vec<u32> =
            self.plan.raw.iter().flat_map(|raw| raw.first..raw.first + raw.count).collect();
        for station in stations {
            let at = Time::ZERO + self.time_to_next(station);
            self.of_station(queue, station, at, Event::Raw(station));
        }
    }

    /// From one packet of a station to the next: nothing where it is saturated.
    fn time_to_next(&mut self, station: u32) -> Span {
        let first = self.plan.raw[0].first;
        let mean = self.plan.raw_at(station).and_then(|raw| raw.mean);
        let random = &mut self.raw.random[(station - first) as usize];
        mean.map_or(Span::ZERO, |mean| Exponential::new(mean).sample(random))
    }

    /// A station has another packet; one that sends at random times will have the next after such a time.
    pub(super) fn raw_packet(&mut self, now: Time, station: u32, queue: &mut EventQueue<Event>) {
        let plan = std::sync::Arc::clone(&self.plan);
        let raw = plan.raw_at(station).expect("only raw sources have such packets");
        self.monitor.born(now, raw.length);
        if raw.mean.is_some() {
            let next = now + self.time_to_next(station);
            self.of_station(queue, station, next, Event::Raw(station));
        }
        if self.stations[station as usize].waiting.free() == 0 {
            self.tally.raw_lost += 1;
            self.monitor.given_up(now);
            return;
        }
        self.raw.under_way += 1;
        let packet = self.packets.insert(now);
        self.packets[packet].raw = Some(raw.length);
        self.output(now, station, packet, queue);
    }

    /// A raw packet has been on the cable as a whole. A saturated station has the next one.
    pub(super) fn raw_sent(&mut self, now: Time, station: u32, packet: u32, queue: &mut EventQueue<Event>) {
        let length = self.packets[packet].raw.expect("it is a raw packet");
        let account = self.packets[packet].journey.account();
        let class = self.plan.class(Class::Raw);
        self.monitor.delivered(now, class, account.total(), &account, length);
        self.last_delivery = now;
        self.raw.sent[(station - self.plan.raw[0].first) as usize] += 1;
        self.packets.remove(packet);
        self.follow_up(now, station, queue);
    }

    /// A raw packet was given up after sixteen collisions.
    pub(super) fn raw_given_up(&mut self, now: Time, station: u32, queue: &mut EventQueue<Event>) {
        self.monitor.given_up(now);
        self.follow_up(now, station, queue);
    }

    fn follow_up(&mut self, now: Time, station: u32, queue: &mut EventQueue<Event>) {
        self.raw.under_way -= 1;
        if self.plan.raw_at(station).is_some_and(|raw| raw.mean.is_none()) {
            self.of_station(queue, station, now, Event::Raw(station));
        }
    }
}
