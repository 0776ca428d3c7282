//! From the parameters of traffic between sites to sources that are ready to run.

use std::collections::BTreeMap;

use hopscope_kernel::Discrete;
use hopscope_units::Span;

use crate::protocol::packet::LONGEST_MESSAGE;
use crate::scenario::plan::{HostPlan, ImpPlan};
use crate::scenario::site_params::{SitesParams, StatusReportParams};
use crate::scenario::validation::Problems;

/// The class of messages between sites.
pub(crate) const MESSAGE: &str = "message";
/// The class of status reports.
pub(crate) const STATUS_REPORT: &str = "status report";

/// What one site sends: one random process for all its messages, each of which draws where it goes.
#[derive(Clone, Debug)]
pub(crate) struct SitePlan {
    pub host: u32,
    pub per_second: f64,
    pub destinations: Vec<u32>,
    pub choice: Discrete,
}

/// Message sizes: a row of the histogram is drawn, then a length in it.
#[derive(Clone, Debug)]
pub(crate) struct SizesPlan {
    pub choice: Discrete,
    /// First and last length of each row, in bits.
    pub rows: Vec<(u16, u16)>,
}

/// The status reports of all IMPs.
#[derive(Clone, Debug)]
pub(crate) struct StatusPlan {
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
    pub status: Option<StatusPlan>,
    /// The classes of messages and of status reports.
    pub classes: [u8; 2],
}

impl SitesPlan {
    /// 0 for messages, 1 for status reports; nothing for what is not traffic between sites.
    pub fn kind(&self, class: u8) -> Option<usize> {
        self.classes.iter().position(|&known| known == class)
    }
}

/// Gives every site its host, and makes the sources. Nothing where the scenario has no such traffic, or where it is
/// wrong.
pub(crate) fn sites_plan(
    params: Option<&SitesParams>,
    imps: &[ImpPlan],
    hosts: &mut Vec<HostPlan>,
    problems: &mut Problems,
) -> Option<SitesPlan> {
    let params = params?;
    let sizes = sizes(params, problems);
    let delays = host_delays(params, imps, problems);
    let numbers: BTreeMap<&str, usize> =
        imps.iter().enumerate().map(|(number, imp)| (imp.name.as_str(), number)).collect();
    let mut rates: BTreeMap<(usize, usize), f64> = BTreeMap::new();
    for (index, pair) in params.pair.iter().enumerate() {
        let mut find = |field: &str, name: &str| {
            let found = numbers.get(name).copied();
            if found.is_none() {
                let problem = format!("no line leads to the site \"{name}\"");
                let path = format!("sites.pair[{index}].{field}");
                problems.unknown(path, problem, "the name of an IMP", name, numbers.keys().copied());
            }
            found
        };
        if let (Some(from), Some(to)) = (find("from", &pair.from), find("to", &pair.to)) {
            *rates.entry((from, to)).or_default() += pair.per_minute;
        }
        if !(0.0..=1e6).contains(&pair.per_minute) {
            let problem = format!("{} messages a minute", pair.per_minute);
            problems.add(format!("sites.pair[{index}].per_minute"), problem, "from 0 to 1000000");
        }
    }
    let centre = params.status_reports.as_ref().and_then(|status| {
        let found = numbers.get(status.to.as_str()).copied();
        if found.is_none() {
            let problem = format!("there is no IMP \"{}\"", status.to);
            let path = "sites.status_reports.to".to_owned();
            problems.unknown(path, problem, "the name of an IMP", &status.to, numbers.keys().copied());
        }
        found
    });
    let first = hosts.len();
    hosts.extend(imps.iter().enumerate().map(|(imp, plan)| HostPlan {
        name: format!("{} host", plan.name),
        imp: imp as u8,
        rate: Some(params.host_rate),
        per_message: delays[imp],
        per_message_sent: Span::ZERO,
        silent: Vec::new(),
    }));
    let reported = params.status_reports.as_ref().map_or(0.0, per_minute);
    for ((_, to), rate) in &mut rates {
        *rate = if Some(*to) == centre { (*rate - reported).max(0.0) } else { *rate } * params.scale;
    }
    let sites = sources(&rates, imps.len(), first);
    let status = params.status_reports.as_ref().zip(centre).map(|(status, to)| StatusPlan {
        to: (first + to) as u32,
        every: status.every,
        count: status.count,
        bits: status.size.bits() as u16,
    });
    if sites.is_empty() && status.is_none() && problems.0.is_empty() {
        problems.add("sites.pair", "no site sends messages", "a file, or pairs with messages a minute");
    }
    Some(SitesPlan { sites, sizes: sizes?, status, classes: [0, 0] })
}

fn sources(rates: &BTreeMap<(usize, usize), f64>, imps: usize, first: usize) -> Vec<SitePlan> {
    let site = |from: usize| {
        let to: Vec<(u32, f64)> = rates
            .range((from, 0)..(from + 1, 0))
            .filter(|&(_, &rate)| rate > 0.0)
            .map(|(&(_, to), &rate)| ((first + to) as u32, rate))
            .collect();
        let shares: Vec<f64> = to.iter().map(|&(_, rate)| rate).collect();
        (!to.is_empty()).then(|| SitePlan {
            host: (first + from) as u32,
            per_second: shares.iter().sum::<f64>() / 60.0,
            choice: Discrete::of_shares(&shares),
            destinations: to.iter().map(|&(host, _)| host).collect(),
        })
    };
    (0..imps).filter_map(site).collect()
}

/// Status reports of one IMP a minute.
fn per_minute(status: &StatusReportParams) -> f64 {
    f64::from(status.count) * 60.0 / status.every.as_seconds()
}

fn host_delays(params: &SitesParams, imps: &[ImpPlan], problems: &mut Problems) -> Vec<Span> {
    let mut delays = vec![params.host_delay; imps.len()];
    for (index, host) in params.host.iter().enumerate() {
        match imps.iter().position(|imp| imp.name == host.site) {
            Some(imp) => delays[imp] = host.delay,
            None => {
                let problem = format!("there is no IMP \"{}\"", host.site);
                let path = format!("sites.host[{index}].site");
                let known = imps.iter().map(|imp| imp.name.as_str());
                problems.unknown(path, problem, "the name of an IMP", &host.site, known);
            }
        }
    }
    delays
}

fn sizes(params: &SitesParams, problems: &mut Problems) -> Option<SizesPlan> {
    let (mut rows, mut weights, mut first) = (Vec::new(), Vec::new(), 0);
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
