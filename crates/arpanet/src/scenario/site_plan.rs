//! From the parameters of traffic between sites to sources that are ready to run.

use std::collections::BTreeMap;

use hopscope_kernel::Discrete;
use hopscope_units::{Data, Span};

use crate::protocol::packet::LONGEST_MESSAGE;
use crate::scenario::plan::{HostPlan, ImpPlan};
use crate::scenario::site_params::{SiteHostParams, SitesParams};
use crate::scenario::validation::{MOST_HOSTS, Problems};

/// The class of messages between sites.
pub(crate) const MESSAGE: &str = "message";
/// The class of status reports.
pub(crate) const STATUS_REPORT: &str = "status report";
/// The class of accumulated statistics.
pub(crate) const STATISTICS: &str = "accumulated statistics";

/// Kinds of messages between sites, each with a class of its own.
pub(crate) const KINDS: usize = 3;

/// The hosts of a site: their numbers follow one another.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SiteHosts {
    pub first: u32,
    pub count: u32,
}

/// What one site sends: one random process for all its messages, each of which draws where it goes.
#[derive(Clone, Debug)]
pub(crate) struct SitePlan {
    pub hosts: SiteHosts,
    pub per_second: f64,
    pub destinations: Vec<SiteHosts>,
    pub choice: Discrete,
}

/// Message sizes: a row of the histogram is drawn, then a length in it.
#[derive(Clone, Debug)]
pub(crate) struct SizesPlan {
    pub choice: Discrete,
    /// First and last length of each row, in bits.
    pub rows: Vec<(u16, u16)>,
}

/// Messages that every IMP sends to one host, time and again: status reports, or accumulated statistics.
#[derive(Clone, Debug)]
pub(crate) struct ImpMessages {
    pub to: u32,
    pub every: Span,
    pub count: u32,
    pub bits: u16,
}

/// Traffic between sites, checked.
#[derive(Clone, Debug)]
pub(crate) struct SitesPlan {
    pub sites: Vec<SitePlan>,
    pub sizes: SizesPlan,
    pub status: Option<ImpMessages>,
    pub statistics: Option<ImpMessages>,
    pub measured: bool,
    /// The classes of messages, of status reports and of accumulated statistics.
    pub classes: [u8; KINDS],
}

impl SitesPlan {
    /// 0 for messages, 1 for status reports, 2 for accumulated statistics; nothing for what is not traffic between
    /// sites.
    pub fn kind(&self, class: u8) -> Option<usize> {
        self.classes.iter().position(|&known| known == class)
    }

    /// What the messages of each kind are called; a kind that is not sent has the class of messages.
    pub fn class_names(&self) -> [&'static str; KINDS] {
        let status = if self.status.is_some() { STATUS_REPORT } else { MESSAGE };
        let statistics = if self.statistics.is_some() { STATISTICS } else { MESSAGE };
        [MESSAGE, status, statistics]
    }
}

/// The names of IMPs, and what is wrong with names that are not among them.
struct Names<'a> {
    imps: BTreeMap<&'a str, usize>,
    /// The IMP of each real host.
    of_hosts: BTreeMap<String, &'a str>,
}

impl<'a> Names<'a> {
    fn new(imps: &'a [ImpPlan], hosts: &[HostPlan]) -> Self {
        let real = hosts.iter().filter(|host| host.rate.is_some());
        let imp = |host: &HostPlan| Some((host.name.clone(), imps.get(usize::from(host.imp))?.name.as_str()));
        let numbers = imps.iter().enumerate().map(|(number, imp)| (imp.name.as_str(), number));
        Self { imps: numbers.collect(), of_hosts: real.filter_map(imp).collect() }
    }

    fn find(&self, path: String, name: &str, lacking: &str, problems: &mut Problems) -> Option<usize> {
        let found = self.imps.get(name).copied();
        if found.is_none() {
            let problem = format!("{lacking} \"{name}\"");
            problems.unknown(path, problem, "the name of an IMP", name, self.imps.keys().copied());
            if let Some(imp) = self.of_hosts.get(name) {
                problems.hint(Some(format!("{name} is a host; its IMP is {imp}")));
            }
        }
        found
    }
}

/// No IMP has the name that a site was given.
const NO_IMP: &str = "there is no IMP";

/// Gives every site its hosts, and makes the sources. Nothing where the scenario has no such traffic, or where it is
/// wrong.
pub(crate) fn sites_plan(
    params: Option<&SitesParams>,
    imps: &[ImpPlan],
    hosts: &mut Vec<HostPlan>,
    problems: &mut Problems,
) -> Option<SitesPlan> {
    let params = params?;
    let sizes = sizes(params, problems);
    let names = Names::new(imps, hosts);
    let mut rates = rates(params, &names, problems);
    let status = params.status_reports.as_ref();
    let statistics = params.statistics.as_ref();
    let centre = status
        .and_then(|status| names.find("sites.status_reports.to".into(), &status.to, NO_IMP, problems))
        .zip(status);
    let measurement = statistics
        .and_then(|statistics| names.find("sites.statistics.to".into(), &statistics.to, NO_IMP, problems))
        .zip(statistics);
    let site_hosts = add_hosts(params, imps, &names, hosts, problems);
    for ((_, to), rate) in &mut rates {
        let reported = centre.filter(|(centre, _)| centre == to);
        let reported = reported.map_or(0.0, |(_, status)| per_minute(status.count, status.every));
        let accumulated = measurement.filter(|(centre, _)| centre == to);
        let accumulated = accumulated.map_or(0.0, |(_, statistics)| per_minute(1, statistics.every));
        *rate = (*rate - reported - accumulated).max(0.0) * params.scale;
    }
    let sites = sources(&rates, &site_hosts);
    let bits = |size: Data| size.bits() as u16;
    let status = centre.map(|(to, status)| {
        let to = match status.delay {
            Some(delay) => centre_host(params, imps, to, (delay, status.begins_after), hosts),
            None => site_hosts[to].first,
        };
        ImpMessages { to, every: status.every, count: status.count, bits: bits(status.size) }
    });
    let statistics = measurement.map(|(to, statistics)| ImpMessages {
        to: site_hosts[to].first,
        every: statistics.every,
        count: 1,
        bits: bits(statistics.size),
    });
    if sites.is_empty() && status.is_none() && statistics.is_none() && problems.0.is_empty() {
        problems.add("sites.pair", "no site sends messages", "a file, or pairs with messages a minute");
    }
    Some(SitesPlan {
        sites,
        sizes: sizes?,
        status,
        statistics,
        measured: params.measured,
        classes: [0; KINDS],
    })
}

/// Messages a minute of each pair of sites.
fn rates(params: &SitesParams, names: &Names<'_>, problems: &mut Problems) -> BTreeMap<(usize, usize), f64> {
    let mut rates: BTreeMap<(usize, usize), f64> = BTreeMap::new();
    for (index, pair) in params.pair.iter().enumerate() {
        let mut find = |field: &str, name: &str| {
            let path = format!("sites.pair[{index}].{field}");
            names.find(path, name, "no line leads to the site", problems)
        };
        if let (Some(from), Some(to)) = (find("from", &pair.from), find("to", &pair.to)) {
            *rates.entry((from, to)).or_default() += pair.per_minute;
        }
        if !(0.0..=1e6).contains(&pair.per_minute) {
            let problem = format!("{} messages a minute", pair.per_minute);
            problems.add(format!("sites.pair[{index}].per_minute"), problem, "from 0 to 1000000");
        }
    }
    rates
}

fn sources(rates: &BTreeMap<(usize, usize), f64>, hosts: &[SiteHosts]) -> Vec<SitePlan> {
    let site = |from: usize| {
        let to: Vec<(SiteHosts, f64)> = rates
            .range((from, 0)..(from + 1, 0))
            .filter(|&(_, &rate)| rate > 0.0)
            .map(|(&(_, to), &rate)| (hosts[to], rate))
            .collect();
        let shares: Vec<f64> = to.iter().map(|&(_, rate)| rate).collect();
        (!to.is_empty()).then(|| SitePlan {
            hosts: hosts[from],
            per_second: shares.iter().sum::<f64>() / 60.0,
            choice: Discrete::of_shares(&shares),
            destinations: to.iter().map(|&(host, _)| host).collect(),
        })
    };
    (0..hosts.len()).filter_map(site).collect()
}

/// Messages of one IMP a minute.
fn per_minute(count: u32, every: Span) -> f64 {
    f64::from(count) * 60.0 / every.as_seconds()
}

/// The hosts of all sites, in the order of their IMPs.
fn add_hosts(
    params: &SitesParams,
    imps: &[ImpPlan],
    names: &Names<'_>,
    hosts: &mut Vec<HostPlan>,
    problems: &mut Problems,
) -> Vec<SiteHosts> {
    let of_file = described("sites.hosts_file", &params.host_of_file, imps.len(), names, problems);
    let of_scenario = described("sites.host", &params.host, imps.len(), names, problems);
    let of_site = |(file, scenario): (Option<&SiteHostParams>, Option<&SiteHostParams>)| {
        let delay = [scenario, file].into_iter().flatten().find_map(|site| site.delay);
        // As many as are refused are not made.
        let count = scenario.or(file).map(|site| site.hosts).filter(|count| (1..=MOST_HOSTS).contains(count));
        (delay.unwrap_or(params.host_delay), count.unwrap_or(1))
    };
    let of_sites = of_file.into_iter().zip(of_scenario).map(of_site);
    let site = |(imp, (delay, count)): (usize, (Span, u32))| {
        let first = hosts.len() as u32;
        hosts.extend((1..=count).map(|nth| {
            let name =
                format!("{} host{}", imps[imp].name, if nth > 1 { format!(" {nth}") } else { String::new() });
            host(name, imp, params, (delay, Span::ZERO))
        }));
        SiteHosts { first, count }
    };
    of_sites.enumerate().map(site).collect()
}

/// What a list says of the hosts of each site, by the number of its IMP.
fn described<'a>(
    list: &str,
    rows: &'a [SiteHostParams],
    imps: usize,
    names: &Names<'_>,
    problems: &mut Problems,
) -> Vec<Option<&'a SiteHostParams>> {
    let mut of_sites = vec![None; imps];
    for (index, row) in rows.iter().enumerate() {
        let path = format!("{list}[{index}].site");
        let Some(imp) = names.find(path.clone(), &row.site, NO_IMP, problems) else { continue };
        if of_sites[imp].replace(row).is_some() {
            problems.add(path, format!("{} is described twice", row.site), "each site once");
        }
    }
    of_sites
}

/// The Network Control Center's own host for status reports.
fn centre_host(
    params: &SitesParams,
    imps: &[ImpPlan],
    imp: usize,
    times: (Span, Span),
    hosts: &mut Vec<HostPlan>,
) -> u32 {
    hosts.push(host(format!("{} control center", imps[imp].name), imp, params, times));
    hosts.len() as u32 - 1
}

fn host(name: String, imp: usize, params: &SitesParams, (delay, begins_after): (Span, Span)) -> HostPlan {
    HostPlan {
        name,
        imp: imp as u8,
        rate: Some(params.host_rate),
        per_message: delay,
        per_message_sent: Span::ZERO,
        begins_after,
        silent: Vec::new(),
    }
}

fn sizes(params: &SitesParams, problems: &mut Problems) -> Option<SizesPlan> {
    let (mut rows, mut weights, mut first) = (Vec::new(), Vec::new(), 0);
    if params.sizes.is_empty() && params.pair.is_empty() {
        // Status reports and accumulated statistics have sizes of their own: none is ever drawn.
        return Some(SizesPlan { choice: Discrete::of_weights(&[1]), rows });
    }
    for (index, row) in params.sizes.iter().enumerate() {
        let path = format!("sites.sizes[{index}]");
        if row.below_bits <= first || row.below_bits > LONGEST_MESSAGE + 129 {
            let problem = format!("messages below {} bits, and at least {first}", row.below_bits);
            problems.add(format!("{path}.below_bits"), problem, "rising limits, up to 8192");
            return None;
        }
        rows.push((first as u16, (row.below_bits - 1).min(LONGEST_MESSAGE) as u16));
        weights.push(row.messages);
        first = row.below_bits;
    }
    if weights.iter().all(|&weight| weight == 0) {
        problems.add(
            "sites.sizes",
            "the histogram has no messages",
            "rows of below_bits and messages, or a file",
        );
        return None;
    }
    if weights.iter().any(|&weight| weight > 1 << 40) {
        problems.add("sites.sizes", "a row of more than 2^40 messages", "counts that are in proportion");
        return None;
    }
    Some(SizesPlan { choice: Discrete::of_weights(&weights), rows })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::line_file::read_lines;
    use crate::scenario::params::{ArpanetParams, host_rate};
    use crate::scenario::plan::ArpanetPlan;
    use crate::scenario::site_params::{read_hosts, read_pairs, read_sizes};

    /// Three sites, of which a file describes the first two.
    fn params(host: Vec<SiteHostParams>) -> ArpanetParams {
        let mut params = ArpanetParams::default();
        params.network.line = read_lines("a,b\nUCLA,RAND\nRAND,SDC\n").expect("a good file").rows;
        params.sites = Some(SitesParams {
            file: None,
            measured: true,
            scale: 1.0,
            bursts: None,
            sizes_file: None,
            host_rate: host_rate(),
            hosts_file: None,
            status_reports: None,
            statistics: None,
            pair: read_pairs("from,to,msgs_per_min\nUCLA,RAND,60\n").expect("a good file").rows,
            sizes: read_sizes("below_bits,messages\n100,1\n").expect("a good file").rows,
            host_delay: Span::from_ms(20),
            host_of_file: read_hosts("site,delay_ms\nUCLA,3\nRAND,4\n").expect("a good file").rows,
            host,
        });
        params
    }

    fn site(site: &str, delay: Option<Span>, hosts: u32) -> SiteHostParams {
        SiteHostParams { site: site.into(), delay, hosts }
    }

    #[test]
    fn a_site_of_the_scenario_wins_over_the_file_and_keeps_its_delay_unless_another_is_given() {
        let hosts = |host| {
            let plan = ArpanetPlan::new(params(host)).expect("a good net");
            let real = plan.hosts.iter().filter(|host| host.rate.is_some());
            real.map(|host| format!("{}: {}", host.name, host.per_message)).collect::<Vec<_>>()
        };
        assert_eq!(hosts(Vec::new()), ["UCLA host: 3 ms", "RAND host: 4 ms", "SDC host: 20 ms"]);
        let several = hosts(vec![site("RAND", None, 2), site("UCLA", Some(Span::ZERO), 1)]);
        assert_eq!(several, ["UCLA host: 0 s", "RAND host: 4 ms", "RAND host 2: 4 ms", "SDC host: 20 ms"]);
    }

    #[test]
    fn a_site_is_described_once_in_the_scenario_and_once_in_the_file() {
        let refusals = |params| {
            let problems = ArpanetPlan::new(params).expect_err("a site twice");
            let words =
                problems.iter().map(|p| format!("{}: {}; expected {}", p.path, p.problem, p.expected));
            words.collect::<Vec<_>>()
        };
        let twice = refusals(params(vec![site("RAND", None, 2), site("RAND", None, 3)]));
        assert_eq!(twice, ["sites.host[1].site: RAND is described twice; expected each site once"]);
        let mut of_file = params(Vec::new());
        let sites = of_file.sites.as_mut().expect("they were given");
        sites.host_of_file.push(site("UCLA", None, 1));
        let twice = refusals(of_file);
        assert_eq!(twice, ["sites.hosts_file[2].site: UCLA is described twice; expected each site once"]);
    }
}
