//! A run of a plan begins: the subnet empty, the clocks of its IMPs and lines at instants of their own, the sources'
//! first messages.

use std::sync::Arc;

use hopscope_kernel::{Arena, EventQueue, RandomStream, Simulation};
use hopscope_measure::{DelayLabel, DelayUnit, Journal, MessageMonitor, MonitorLayout, RateUnit};
use hopscope_units::{Span, Time};

use crate::observe::round_trip_tables::SiteTables;
use crate::observe::statistics::{Series, Statistics};
use crate::observe::trace::Trace;
use crate::protocol::stage::Stage;
use crate::routing::loops::Loops;
use crate::scenario::plan::ArpanetPlan;
use crate::subnet::Subnet;
use crate::subnet::arrivals::Due;
use crate::subnet::event::Event;
use crate::subnet::host::Host;
use crate::subnet::imp::Imp;
use crate::subnet::line::Line;
use crate::subnet::routing_messages::{COMPUTATION, clock_period};
use crate::subnet::site_traffic::SiteTraffic;
use crate::subnet::traffic_sources::Sources;

impl ArpanetPlan {
    /// A run of this plan with its first events. Everything random comes from the seed.
    ///
    /// Routing messages with nothing new are no events, unless lines have errors or fail: then a message may repeat
    /// what was lost.
    pub fn simulation<J: Journal>(self: &Arc<Self>, seed: u64, journal: J) -> Simulation<Subnet<J>> {
        let loses = self.params.network.errors > 0.0 || !self.line_changes.is_empty();
        self.simulation_with(seed, journal, loses)
    }

    /// As [`simulation`](Self::simulation), with an event for every routing message if `every_routing_message`: the
    /// same results, slower.
    pub fn simulation_with<J: Journal>(
        self: &Arc<Self>,
        seed: u64,
        journal: J,
        every_routing_message: bool,
    ) -> Simulation<Subnet<J>> {
        let classes: Vec<&str> = self.classes.iter().map(String::as_str).collect();
        let mut layout = MonitorLayout::new(Stage::LABELS, &classes);
        layout.latency = DelayLabel { name: "round trip", unit: DelayUnit::Ms };
        layout.life = Some(DelayLabel { name: "message life", unit: DelayUnit::Ms });
        layout.series = Series::LABELS;
        layout.rate = RateUnit::KbitPerS;
        let mut subnet = Subnet {
            imps: (0..self.imps.len()).map(|imp| Imp::new(self, imp, seed)).collect(),
            due: vec![Due::NOTHING; self.imps.len()],
            lines: (0..self.lines.len()).map(|line| Line::new(self, line, seed)).collect(),
            hosts: self.hosts.iter().map(|_| Host::new()).collect(),
            sequences: Vec::new(),
            sequence_of: Subnet::<J>::no_sequences(self),
            packets: Arena::new(),
            messages: Arena::new(),
            sources: Sources::new(self, seed),
            site_traffic: SiteTraffic::new(self, seed),
            site_tables: self
                .sites
                .as_ref()
                .filter(|sites| sites.measured)
                .map(|_| SiteTables::new(Time::ZERO, self.imps.len())),
            watches_overdue: false,
            loops: Loops::default(),
            every_routing_message,
            monitor: MessageMonitor::new(layout).among_hosts(self.hosts.len()),
            journal,
            trace: Trace::default(),
            instants: Vec::new(),
            outage_ended: Time::ZERO,
            snapshots: None,
            statistics: Statistics::new(Time::ZERO, self.classes.len()),
            plan: Arc::clone(self),
        };
        let mut queue = EventQueue::new();
        let mut random = RandomStream::named(seed, "clocks", 0);
        let mut within = |span: Span| Time::ZERO + Span::from_ps(random.below(span.ps()));
        for imp in 0..self.imps.len() as u8 {
            let at = within(COMPUTATION);
            subnet.schedule(&mut queue, imp, at, Event::Compute(imp));
        }
        for (line, plan) in self.lines.iter().enumerate() {
            let at = within(clock_period(self.params.routing.messages, plan.rate));
            subnet.start_clock(line as u16, at, &mut queue);
        }
        subnet.start_sources(&mut queue);
        subnet.start_sites(&mut queue);
        subnet.start_outages(&mut queue);
        Simulation::new(subnet, queue)
    }
}
