//! Messages between sites, status reports and accumulated statistics, as they are made.

use hopscope_kernel::{Order, PoissonProcess, RandomStream};
use hopscope_measure::Journal;
use hopscope_units::{Span, Time};

use crate::scenario::plan::ArpanetPlan;
use crate::scenario::site_plan::{ImpMessages, SiteHosts, SitesPlan};
use crate::subnet::event::Event;
use crate::subnet::{Queue, Subnet};

/// The random process of one site: the messages to all other sites together are again such a process, so one is enough.
#[derive(Clone, Debug)]
struct SiteSource {
    process: PoissonProcess,
    random: RandomStream,
}

/// The random processes of all sites.
#[derive(Clone, Debug)]
pub(crate) struct SiteTraffic {
    sources: Vec<SiteSource>,
    seed: u64,
}

impl SiteTraffic {
    pub fn new(plan: &ArpanetPlan, seed: u64) -> Self {
        let source = |(index, per_second): (usize, f64)| SiteSource {
            process: PoissonProcess::with_rate(Time::ZERO, per_second),
            random: RandomStream::named(seed, "site", index as u64),
        };
        let rates = plan.sites.iter().flat_map(|sites| &sites.sites).map(|site| site.per_second);
        Self { sources: rates.enumerate().map(source).collect(), seed }
    }
}

/// One of the hosts of a site.
fn one_of(hosts: SiteHosts, random: &mut RandomStream) -> u32 {
    if hosts.count == 1 { hosts.first } else { hosts.first + random.below(u64::from(hosts.count)) as u32 }
}

impl<J: Journal> Subnet<J> {
    /// Schedules the first message of every site, and the first status reports and statistics of every IMP.
    pub(crate) fn start_sites(&mut self, queue: &mut Queue) {
        for site in 0..self.site_traffic.sources.len() as u16 {
            self.schedule_site(site, queue);
        }
        let gap = |messages: &Option<ImpMessages>| messages.as_ref().map(|messages| messages.every);
        let Some(sites) = &self.plan.sites else { return };
        let (reports, statistics) = (gap(&sites.status), gap(&sites.statistics));
        for imp in 0..self.imps.len() as u8 {
            if let Some(every) = reports {
                self.schedule_reports(Time::ZERO + every, imp, queue);
            }
            if let Some(every) = statistics {
                // One phase for all would bury the Center under them for seconds: Table 4 of RFC 619 excludes it.
                let mut phase = RandomStream::named(self.site_traffic.seed, "statistics", u64::from(imp));
                let first = Time::ZERO + Span::from_ps(phase.below(every.ps()));
                self.schedule_statistics(first, imp, queue);
            }
        }
    }

    /// Sites come after all other sources in the order of an instant, then status reports, then statistics.
    fn order(&self, place: u32) -> Order {
        Order::new(self.imps.len() as u32 + self.sources.count() + place, 0)
    }

    fn schedule_site(&mut self, site: u16, queue: &mut Queue) {
        let source = &mut self.site_traffic.sources[usize::from(site)];
        let at = source.process.next(&mut source.random);
        if at < self.sources.end {
            queue.schedule(at, self.order(u32::from(site)), Event::SiteMessage(site));
        }
    }

    fn schedule_reports(&self, at: Time, imp: u8, queue: &mut Queue) {
        if at < self.sources.end {
            let place = self.site_traffic.sources.len() as u32 + u32::from(imp);
            queue.schedule(at, self.order(place), Event::StatusReports(imp));
        }
    }

    fn schedule_statistics(&self, at: Time, imp: u8, queue: &mut Queue) {
        if at < self.sources.end {
            let place = self.site_traffic.sources.len() + self.imps.len() + usize::from(imp);
            queue.schedule(at, self.order(place as u32), Event::Statistics(imp));
        }
    }

    /// A site sends a message: where to and how long are drawn.
    pub(super) fn site_message(&mut self, now: Time, site: u16, queue: &mut Queue) {
        let plan = self.plan.clone();
        let sites = plan.sites.as_ref().expect("only sites send such messages");
        let from = &sites.sites[usize::from(site)];
        let random = &mut self.site_traffic.sources[usize::from(site)].random;
        let sender = one_of(from.hosts, random);
        let to = one_of(from.destinations[from.choice.sample(random)], random);
        let (least, most) = sites.sizes.rows[sites.sizes.choice.sample(random)];
        let bits = least + random.below(u64::from(most - least) + 1) as u16;
        self.schedule_site(site, queue);
        let message = self.make_message(now, sender, to, bits, sites.classes[0], sites.measured);
        self.offer(now, message, queue);
    }

    /// An IMP's own status reports, at the same instant as all others'.
    pub(super) fn status_reports(&mut self, now: Time, imp: u8, queue: &mut Queue) {
        let plan = self.plan.clone();
        let sites = plan.sites.as_ref().expect("reports belong to traffic between sites");
        let status = sites.status.as_ref().expect("reports are scheduled only where there are some");
        self.schedule_reports(now + status.every, imp, queue);
        self.send_of_imp(now, imp, (sites, 1), status, queue);
    }

    /// An IMP's accumulated statistics.
    pub(super) fn statistics(&mut self, now: Time, imp: u8, queue: &mut Queue) {
        let plan = self.plan.clone();
        let sites = plan.sites.as_ref().expect("statistics belong to traffic between sites");
        let statistics =
            sites.statistics.as_ref().expect("statistics are scheduled only where there are some");
        self.schedule_statistics(now + statistics.every, imp, queue);
        self.send_of_imp(now, imp, (sites, 2), statistics, queue);
    }

    /// What an IMP sends of itself, through its fake host.
    fn send_of_imp(
        &mut self,
        now: Time,
        imp: u8,
        (sites, kind): (&SitesPlan, usize),
        messages: &ImpMessages,
        queue: &mut Queue,
    ) {
        for _ in 0..messages.count {
            let (from, class) = (u32::from(imp), sites.classes[kind]);
            let message = self.make_message(now, from, messages.to, messages.bits, class, sites.measured);
            self.offer(now, message, queue);
        }
    }
}
