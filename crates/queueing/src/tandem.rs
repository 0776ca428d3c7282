//! The row of stations as a model.

use std::collections::BTreeMap;

use hopscope_kernel::{EventQueue, Model, Order, PoissonProcess, RandomStream, Simulation};
use hopscope_measure::{
    Account, Charged, DelayLabel, DelayUnit, Journal, MessageMonitor, MonitorLayout, PoolLabel, RateUnit,
    Report, ResourceKind, ServiceTime, Site, StageId, StageLabel, Stuck, Subject, Usage, UsageOf,
    VaryingService,
};
use hopscope_units::{Data, Span, Time};

use crate::approximation::varying;
use crate::closed_forms::ClosedForm;
use crate::invariants;
use crate::params::{Process, QueueingParams};
use crate::station::Station;

/// The longest row of stations.
pub const MOST_STATIONS: usize = 8;

const STAGE_COUNT: usize = 2 * MOST_STATIONS;

/// The ledger's stages: a wait and a service for each station.
pub const STAGES: [StageLabel; STAGE_COUNT] = {
    let mut stages =
        [StageLabel::new(StageId::StationWait(0), Charged::To(ResourceKind::Station(0))); STAGE_COUNT];
    let mut station = 0;
    while station < MOST_STATIONS {
        let (number, servers) = (station as u8, Charged::To(ResourceKind::Station(station as u8)));
        stages[2 * station] = StageLabel::new(StageId::StationWait(number), servers);
        stages[2 * station + 1] = StageLabel::new(StageId::StationService(number), servers);
        station += 1;
    }
    stages
};

/// What happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// The next customer comes to the first station.
    Arrival,
    /// A customer's service at a station is over.
    Departure {
        /// The station, from 0.
        station: u8,
        /// The customer's place in the model's arena.
        customer: u32,
    },
}

#[derive(Clone, Debug)]
struct Customer {
    /// Customers are numbered as they come.
    number: u64,
    account: Account<STAGE_COUNT>,
}

#[derive(Clone, Debug)]
enum ArrivalProcess {
    Poisson(PoissonProcess, RandomStream),
    Regular { gap: Span, last: Time },
}

impl ArrivalProcess {
    fn new(params: &QueueingParams, seed: u64) -> Self {
        let gap_ps = params.mean_gap_ps();
        match params.arrivals.process {
            Process::Poisson => Self::Poisson(
                PoissonProcess::with_rate(Time::ZERO, 1e12 / gap_ps),
                RandomStream::named(seed, "arrivals", 0),
            ),
            Process::Regular => Self::Regular { gap: Span::from_ps(gap_ps.round() as u64), last: Time::ZERO },
        }
    }

    fn next(&mut self) -> Time {
        match self {
            Self::Poisson(process, random) => process.next(random),
            Self::Regular { gap, last } => {
                *last = last.after(*gap);
                *last
            }
        }
    }
}

/// The row of stations as a model. `J` records whole lives of customers; `()` records nothing.
#[derive(Clone, Debug)]
pub struct Tandem<J = ()> {
    arrivals: ArrivalProcess,
    arrived: u64,
    stations: Vec<Station>,
    customers: Vec<Customer>,
    free: Vec<u32>,
    monitor: MessageMonitor,
    closed_form: Option<ClosedForm>,
    varying: Vec<VaryingService>,
    has_steady_state: bool,
    journal: J,
}

impl<J: Journal> Tandem<J> {
    /// The model with its first event. Panics unless the parameters are valid, see [`QueueingParams::validate`].
    pub fn simulation(params: &QueueingParams, seed: u64, journal: J) -> Simulation<Self> {
        let problems = params.validate();
        assert!(problems.is_empty(), "a model is built from valid parameters only: {problems:?}");
        let latency = DelayLabel { name: "latency", unit: DelayUnit::Us };
        let layout = MonitorLayout {
            latency,
            rate: RateUnit::MessagesPerS,
            ..MonitorLayout::new(&STAGES, &["customer"])
        };
        let station = |(index, station)| Station::new(station, seed, index);
        let mut model = Self {
            arrivals: ArrivalProcess::new(params, seed),
            arrived: 0,
            stations: params.station.iter().enumerate().map(station).collect(),
            customers: Vec::new(),
            free: Vec::new(),
            monitor: MessageMonitor::new(layout),
            closed_form: ClosedForm::of(params),
            varying: varying(params),
            has_steady_state: params.has_steady_state(),
            journal,
        };
        let mut queue = EventQueue::new();
        model.await_next(&mut queue);
        Simulation::new(model, queue)
    }

    fn await_next(&mut self, queue: &mut EventQueue<Event>) {
        // The arrivals are source 0; station s is source s + 1.
        let next = self.arrivals.next();
        if next != Time::NEVER {
            queue.schedule(next, Order::new(0, 0), Event::Arrival);
        }
    }

    fn arrive(&mut self, now: Time, queue: &mut EventQueue<Event>) {
        self.monitor.born(now, Data::ZERO);
        let customer = Customer { number: self.arrived, account: Account::open(now) };
        self.arrived += 1;
        let place = if let Some(place) = self.free.pop() {
            self.customers[place as usize] = customer;
            place
        } else {
            self.customers.push(customer);
            u32::try_from(self.customers.len() - 1).expect("fewer customers at once than memory holds")
        };
        self.enter(now, 0, place, queue);
        self.await_next(queue);
    }

    fn enter(&mut self, now: Time, station: usize, customer: u32, queue: &mut EventQueue<Event>) {
        let at = &mut self.stations[station];
        if at.servers.free() > 0 {
            self.begin_service(now, station, customer, queue);
        } else {
            at.servers.start_waiting(now);
            at.queue.push_back(customer);
        }
    }

    fn begin_service(&mut self, now: Time, station: usize, customer: u32, queue: &mut EventQueue<Event>) {
        self.close(now, customer, station, 2 * station);
        let at = &mut self.stations[station];
        at.servers.acquire(now, 1);
        at.note(now);
        let ends = now + at.service.sample(&mut at.random);
        at.begun = at.begun.wrapping_add(1);
        let event = Event::Departure { station: station as u8, customer };
        queue.schedule(ends, Order::new(station as u32 + 1, at.begun), event);
    }

    fn depart(&mut self, now: Time, station: usize, customer: u32, queue: &mut EventQueue<Event>) {
        self.close(now, customer, station, 2 * station + 1);
        let at = &mut self.stations[station];
        at.servers.release(now, 1);
        if let Some(next) = at.queue.pop_front() {
            at.servers.stop_waiting(now);
            self.begin_service(now, station, next, queue);
        }
        self.stations[station].note(now);
        if station + 1 < self.stations.len() {
            self.enter(now, station + 1, customer, queue);
        } else {
            let account = &self.customers[customer as usize].account;
            self.monitor.delivered(now, 0, account.total(), account, Data::ZERO);
            self.free.push(customer);
        }
    }

    fn close(&mut self, now: Time, customer: u32, station: usize, stage: usize) {
        let Customer { number, account } = &mut self.customers[customer as usize];
        let from = account.since();
        account.close(stage, now);
        self.journal.stage(*number, stage, station as u32, from, now);
    }

    /// The service times of each station, by its row.
    fn services(&self) -> BTreeMap<usize, ServiceTime> {
        let times = self.stations.iter().map(|station| station.time);
        times.enumerate().collect()
    }

    /// How much of the time all servers of a station with several are busy, by its row.
    fn exhausted(&self, now: Time) -> BTreeMap<usize, f64> {
        let pools = self.stations.iter().enumerate().filter(|(_, at)| at.servers.capacity() != Some(1));
        pools.map(|(row, at)| (row, at.all_busy.share(now))).collect()
    }

    pub(crate) fn stations(&self) -> &[Station] {
        &self.stations
    }
}

impl<J: Journal> Model for Tandem<J> {
    type Event = Event;

    fn handle(&mut self, now: Time, event: Event, queue: &mut EventQueue<Event>) {
        match event {
            Event::Arrival => self.arrive(now, queue),
            Event::Departure { station, customer } => self.depart(now, station.into(), customer, queue),
        }
    }
}

impl<J: Journal> Subject for Tandem<J> {
    fn monitor(&self) -> &MessageMonitor {
        &self.monitor
    }

    fn restart(&mut self, now: Time) {
        self.monitor.restart(now);
        self.journal.restart();
        for station in &mut self.stations {
            station.servers.restart(now);
            station.all_busy.restart(now);
        }
    }

    /// A customer waits only for servers of its own station, and those never wait: there is no deadlock.
    fn stuck(&mut self, _: Time) -> Option<Stuck> {
        None
    }

    fn report(&mut self, now: Time) -> Report {
        invariants::check(self);
        let mut report = self.monitor.report(now);
        if !self.has_steady_state {
            // However little the queue has grown so far.
            report.notes.clear();
            report.saturate();
        }
        let stages = &STAGES[..2 * self.stations.len()];
        report.ledger.retain(|row| stages.iter().any(|label| label.stage == row.stage));
        for (station, at) in (0u8..).zip(&self.stations) {
            let kind = ResourceKind::Station(station);
            let site = Site::Node(station.into());
            let label = PoolLabel { kind, place: kind.word(), site, unit: "customers" };
            report.resources.push(at.servers.row(now, label, report.measured.messages));
        }
        report.evidence.services = self.services();
        report.evidence.exhausted = self.exhausted(now);
        report.evidence.varying.clone_from(&self.varying);
        report.notes.extend(self.closed_form.as_ref().map(ToString::to_string));
        report.journeys =
            self.journal.rows(&STAGES, &|station| STAGES[2 * station as usize].charged.word().to_owned());
        report
    }

    fn usage(&mut self, now: Time, tell: &mut UsageOf<'_>) {
        for (station, at) in (0u8..).zip(&self.stations) {
            let kind = ResourceKind::Station(station);
            tell(kind, &|| kind.word().to_owned(), Usage::of(&at.servers, now), &[]);
        }
    }
}
