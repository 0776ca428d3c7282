//! The experimental Ethernet under stations that always have a packet, against Metcalfe and Boggs.

use hopscope_kernel::{EventQueue, Model, Order, RandomStream, Simulation};
use hopscope_pup::media::ethernet::{Backoff, Cable, Settled, airtime, metcalfe_boggs_efficiency};
use hopscope_units::{Data, Rate, Span, Time};

const DELAY: Span = Span::from_us(5);
const COLLISION: Span = Span::from_us(16);
const BACKOFF: Span = Span::from_us(38);

#[derive(Clone, Copy)]
enum Event {
    Attempt(u32),
    Settle,
    Quiet,
}

/// Stations without processors: each has its next packet ready at once.
struct Saturated {
    cable: Cable,
    backoffs: Vec<(Backoff, RandomStream)>,
    holder: Option<u32>,
    began: Time,
    packet: Span,
    sent: Vec<u64>,
    list: Vec<u32>,
}

impl Saturated {
    fn attempt(&mut self, now: Time, station: u32, queue: &mut EventQueue<Event>) {
        if self.cable.attempt(station) {
            self.began = now;
            queue.schedule(now + DELAY, Order::new(u32::MAX, 0), Event::Settle);
        }
    }

    fn back_off(&mut self, now: Time, station: u32, queue: &mut EventQueue<Event>) {
        let (backoff, random) = &mut self.backoffs[station as usize];
        // A packet given up after sixteen collisions makes room for the next one.
        let units = backoff.collide(random).unwrap_or(0);
        queue.schedule(now + BACKOFF * units, Order::new(station, 0), Event::Attempt(station));
    }
}

impl Model for Saturated {
    type Event = Event;

    fn handle(&mut self, now: Time, event: Event, queue: &mut EventQueue<Event>) {
        let mut list = std::mem::take(&mut self.list);
        match event {
            Event::Attempt(station) => self.attempt(now, station, queue),
            Event::Settle => {
                let over = match self.cable.settle() {
                    Settled::Acquired(station) => {
                        self.cable.take_starters(&mut list);
                        self.holder = Some(station);
                        self.backoffs[station as usize].0.succeed();
                        self.packet
                    }
                    Settled::Collision => COLLISION,
                };
                queue.schedule((self.began + over).max(now), Order::new(u32::MAX, 0), Event::Quiet);
            }
            Event::Quiet => {
                self.cable.take_starters(&mut list);
                list.iter().for_each(|&station| self.back_off(now, station, queue));
                self.cable.quiet(&mut list);
                list.iter().for_each(|&station| self.attempt(now, station, queue));
                if let Some(station) = self.holder.take() {
                    self.sent[station as usize] += 1;
                    self.attempt(now, station, queue);
                }
            }
        }
        self.list = list;
    }
}

/// Runs so many stations for a while; packets sent by each, and the share of time that went into them.
fn saturate(stations: u32, packet: Span, seconds: u64) -> (Vec<u64>, f64) {
    let random = |n: u32| (Backoff::default(), RandomStream::named(1, "station", u64::from(n)));
    let model = Saturated {
        cable: Cable::new(),
        backoffs: (0..stations).map(random).collect(),
        holder: None,
        began: Time::ZERO,
        packet,
        sent: vec![0; stations as usize],
        list: Vec::new(),
    };
    let mut queue = EventQueue::new();
    for station in 0..stations {
        queue.schedule(Time::ZERO, Order::new(station, 0), Event::Attempt(station));
    }
    let mut simulation = Simulation::new(model, queue);
    simulation.run_until(Time::ZERO + Span::from_s(seconds));
    let sent: u64 = simulation.model.sent.iter().sum();
    let efficiency = sent as f64 * packet.as_seconds() / simulation.now().as_seconds();
    (simulation.model.sent, efficiency)
}

#[test]
fn a_full_pup_takes_a_millisecond_and_a_half() {
    let full = airtime(554, Rate::from_bit_s(2_940_000));
    assert!((full.as_us() - 1524.1).abs() < 0.1, "{full}");
}

fn packet_of(bits: u64) -> Span {
    Rate::from_mbit_s(3).time_for(Data::from_bits(bits))
}

#[test]
fn the_formula_has_its_limits() {
    let packet = packet_of(4096);
    assert_eq!(metcalfe_boggs_efficiency(1, packet, COLLISION), 1.0, "one station waits for nobody");
    // Of two stations, each takes half of the slots, so that every second slot is acquired: one slot is wasted on
    // average.
    let two = packet.as_seconds() / (packet + COLLISION).as_seconds();
    assert!((metcalfe_boggs_efficiency(2, packet, COLLISION) - two).abs() < 1e-12);
    // Of very many, a slot is acquired with probability 1/e.
    let many =
        packet.as_seconds() / (packet.as_seconds() + (std::f64::consts::E - 1.0) * COLLISION.as_seconds());
    assert!((metcalfe_boggs_efficiency(100_000, packet, COLLISION) - many).abs() < 1e-6);
}

#[test]
fn the_alto_comes_close_to_the_formula() {
    // The formula knows the best probability for every number of stations; the Alto finds it out by colliding. Long
    // packets are sent within 5 % of it, from one station to as many as the 8 bits of the mask can spread.
    for (bits, most) in [(4096, 128), (1024, 64)] {
        for stations in [1, 2, 5, 10, 32, 64, 128].into_iter().filter(|stations| *stations <= most) {
            let formula = metcalfe_boggs_efficiency(stations, packet_of(bits), COLLISION);
            let (_, found) = saturate(stations, packet_of(bits), 20);
            assert!(
                (found / formula - 1.0).abs() < 0.05,
                "{stations} stations, {bits} bits: {found} for {formula}"
            );
        }
    }
}

#[test]
fn stations_share_the_cable_fairly() {
    for stations in [2, 5, 32, 64] {
        let (sent, _) = saturate(stations, packet_of(4096), 100);
        let total: u64 = sent.iter().sum();
        let squares: u64 = sent.iter().map(|n| n * n).sum();
        // Jain's index: 1 where all have the same share, 1/n where one has everything.
        let fairness = (total * total) as f64 / (sent.len() as u64 * squares) as f64;
        assert!(fairness > 0.99, "{stations} stations: {fairness}");
    }
}

#[test]
fn a_station_gives_up_after_sixteen_collisions_and_begins_afresh() {
    let (mut backoff, mut random) = (Backoff::default(), RandomStream::named(1, "collisions", 0));
    for _ in 0..2 {
        let waits: Vec<Option<u64>> = (0..16).map(|_| backoff.collide(&mut random)).collect();
        assert!(waits[0].is_some_and(|units| units < 2), "the first wait is short: {waits:?}");
        assert!(waits[..15].iter().all(|units| units.is_some_and(|units| units < 256)));
        assert_eq!(waits[15], None);
    }
}
