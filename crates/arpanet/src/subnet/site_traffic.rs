//! Messages between sites, status reports and accumulated statistics, as they are made.

use hopscope_kernel::{Order, PoissonProcess, RandomStream};
use hopscope_measure::Journal;
use hopscope_units::{Span, Time};

use crate::scenario::plan::ArpanetPlan;
use crate::scenario::site_params::BurstParams;
use crate::scenario::site_plan::{ImpMessages, SiteHosts, SitesPlan};
use crate::subnet::event::Event;
use crate::subnet::{Queue, Subnet};

/// The random process of one site: the messages to all other sites together are again such a process, so one is enough.
#[derive(Clone, Debug)]
struct SiteSource {
    process: PoissonProcess,
    random: RandomStream,
    bursts: Option<Bursts>,
}

impl SiteSource {
    fn next(&mut self) -> Time {
        let at = self.process.next(&mut self.random);
        self.bursts.as_ref().map_or(at, |bursts| bursts.place(at))
    }
}

/// Where the messages of a site come that would come evenly without bursts.
#[derive(Clone, Debug)]
struct Bursts {
    params: BurstParams,
    /// The beginning of the run, by the time of a site that sends evenly.
    start: Span,
}

impl Bursts {
    /// The instant at which as many messages have come as evenly by `at`.
    fn place(&self, at: Time) -> Time {
        if at > Time::HORIZON {
            return at;
        }
        let begun = self.bunched(self.start);
        Time::ZERO.after(self.bunched(self.start + at.since(Time::ZERO)) - begun)
    }

    /// The time with bursts for a time at an even rate, both from the beginning of a burst.
    fn bunched(&self, even: Span) -> Span {
        let BurstParams { every, length, factor } = self.params;
        let (periods, within) = (even.ps() / every.ps(), even.ps() % every.ps());
        let bunch = length.ps() * u64::from(factor);
        let passed = if within < bunch {
            within / u64::from(factor)
        } else {
            let rest = u128::from(within - bunch) * u128::from(every.ps() - length.ps());
            length.ps() + (rest / u128::from(every.ps() - bunch)) as u64
        };
        Span::from_ps(periods * every.ps() + passed)
    }
}

/// The random processes of all sites.
#[derive(Clone, Debug)]
pub(crate) struct SiteTraffic {
    sources: Vec<SiteSource>,
    seed: u64,
}

impl SiteTraffic {
    pub fn new(plan: &ArpanetPlan, seed: u64) -> Self {
        let bursts = plan.params.sites.as_ref().and_then(|sites| sites.bursts);
        let source = |(index, per_second): (usize, f64)| SiteSource {
            process: PoissonProcess::with_rate(Time::ZERO, per_second),
            random: RandomStream::named(seed, "site", index as u64),
            bursts: bursts.map(|params| Bursts {
                params,
                start: Span::from_ps(
                    RandomStream::named(seed, "bursts", index as u64).below(params.every.ps()),
                ),
            }),
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

    /// The first host of a site.
    pub(super) fn sender_of_site(&self, site: u16) -> u32 {
        let sites = self.plan.sites.as_ref().expect("only sites send such messages");
        sites.sites[usize::from(site)].hosts.first
    }

    fn schedule_site(&mut self, site: u16, queue: &mut Queue) {
        let source = &mut self.site_traffic.sources[usize::from(site)];
        let at = source.next();
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

#[cfg(test)]
mod tests {
    use super::*;
    use hopscope_kernel::RandomStream;

    fn bursts(factor: u32, start_s: u64) -> Bursts {
        let params = BurstParams { every: Span::from_s(100), length: Span::from_s(10), factor };
        Bursts { params, start: Span::from_s(start_s) }
    }

    #[test]
    fn a_burst_has_its_share_and_a_period_keeps_its_mean() {
        let at = |s: u64| Time::ZERO + Span::from_s(s);
        let four = bursts(4, 0);
        // 40 of 100 messages come in the first 10 s, the others in the 90 s after them.
        assert_eq!([20, 40, 70, 100, 120].map(|even| four.place(at(even))), [5, 10, 55, 100, 105].map(at));
        // A run that begins half-way through what comes between two bursts.
        let later = bursts(4, 70);
        assert_eq!([30, 50, 100].map(|even| later.place(at(even))), [45, 50, 100].map(at));
        assert_eq!(bursts(1, 37).place(at(63)), at(63));
        // Nothing comes in between.
        assert_eq!(bursts(10, 0).place(at(99)), Time::ZERO + Span::from_ms(9900));
        assert_eq!(bursts(10, 0).place(Time::NEVER), Time::NEVER);
    }

    #[test]
    fn instants_keep_their_order() {
        let mut random = RandomStream::named(1, "order", 0);
        let mut process = PoissonProcess::new(Time::ZERO, Span::from_ms(300));
        let seven = bursts(7, 33);
        let placed: Vec<Time> = (0..10_000).map(|_| seven.place(process.next(&mut random))).collect();
        assert!(placed.windows(2).all(|pair| pair[0] <= pair[1]));
    }
}
