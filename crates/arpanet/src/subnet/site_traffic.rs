//! Messages between sites and status reports, as they are made.

use hopscope_kernel::{Order, PoissonProcess, RandomStream};
use hopscope_measure::Journal;
use hopscope_units::{Span, Time};

use crate::scenario::plan::ArpanetPlan;
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
}

impl SiteTraffic {
    pub fn new(plan: &ArpanetPlan, seed: u64) -> Self {
        let source = |(index, per_second): (usize, f64)| SiteSource {
            process: PoissonProcess::with_rate(Time::ZERO, per_second),
            random: RandomStream::named(seed, "site", index as u64),
        };
        let rates = plan.sites.iter().flat_map(|sites| &sites.sites).map(|site| site.per_second);
        Self { sources: rates.enumerate().map(source).collect() }
    }
}

impl<J: Journal> Subnet<J> {
    /// Schedules the first message of every site, and the first status reports.
    pub(crate) fn start_sites(&mut self, queue: &mut Queue) {
        for site in 0..self.site_traffic.sources.len() as u16 {
            self.schedule_site(site, queue);
        }
        if let Some(every) = self.report_gap() {
            for imp in 0..self.imps.len() as u8 {
                self.schedule_reports(Time::ZERO + every, imp, queue);
            }
        }
    }

    fn report_gap(&self) -> Option<Span> {
        Some(self.plan.sites.as_ref()?.status.as_ref()?.every)
    }

    /// Sites come after all other sources in the order of an instant, and status reports after those.
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

    /// A site sends a message: where to and how long are drawn.
    pub(super) fn site_message(&mut self, now: Time, site: u16, queue: &mut Queue) {
        let plan = self.plan.clone();
        let sites = plan.sites.as_ref().expect("only sites send such messages");
        let from = &sites.sites[usize::from(site)];
        let random = &mut self.site_traffic.sources[usize::from(site)].random;
        let to = from.destinations[from.choice.sample(random)];
        let (least, most) = sites.sizes.rows[sites.sizes.choice.sample(random)];
        let bits = least + random.below(u64::from(most - least) + 1) as u16;
        self.schedule_site(site, queue);
        let message = self.make_message(now, from.host, to, bits, sites.classes[0], true);
        self.offer(now, message, queue);
    }

    /// An IMP's own status reports, at the same instant as all others'.
    pub(super) fn status_reports(&mut self, now: Time, imp: u8, queue: &mut Queue) {
        let plan = self.plan.clone();
        let sites = plan.sites.as_ref().expect("reports belong to traffic between sites");
        let status = sites.status.as_ref().expect("reports are scheduled only where there are some");
        self.schedule_reports(now + status.every, imp, queue);
        for _ in 0..status.count {
            let from = u32::from(imp);
            let message = self.make_message(now, from, status.to, status.bits, sites.classes[1], true);
            self.offer(now, message, queue);
        }
    }
}
