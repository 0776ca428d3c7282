//! Where congestion begins: the root of a congestion tree, the links that it stops, its victims, and the switch where
//! back-pressure begins.
//!
//! Samples of congestion trees, where a model takes them, say more than resource rows do: how often an output was the
//! root, and which flows were victims. Without samples the root is that of the chain with most stopped links.

use std::collections::BTreeMap;

use hopscope_measure::{CongestionTree, HoldWhy, Report, ResourceKind, ResourceRow, Site};
use hopscope_units::amount;
use serde::Serialize;

use crate::chain::Chain;
use crate::thresholds::{FULL_LINK, ROOT_SHARE, STOPPED, STOPPED_LINKS};
use crate::words::{percent, words};

/// Congestion as a report shows it.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Congestion {
    /// The congestion tree, where links are stopped because of one root.
    pub tree: Option<Tree>,
    /// The switch at which back-pressure begins; nothing where no link was used.
    pub back_pressure: Option<BackPressure>,
    /// The number of outputs that were the root of a congestion tree in at least one sample.
    pub roots_sampled: usize,
    /// The trees of the most frequent roots, the most frequent first.
    pub trees: Vec<SampledTree>,
}

/// A congestion tree that was sampled at least once.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SampledTree {
    /// The link at the root, as reports name it.
    pub root: String,
    /// The share of samples in which it was a root, 0 to 1.
    pub sampled: f64,
    /// The largest number of links stopped because of it at once.
    pub stopped_links: usize,
    /// The largest number of victim flows at once.
    pub victim_flows: usize,
    /// Sender and receiver of one victim flow.
    pub example: Option<(String, String)>,
    /// The same as a sentence, as in the notes of the run.
    pub note: String,
}

impl SampledTree {
    fn of(seen: &CongestionTree) -> Self {
        Self {
            root: seen.root.clone(),
            sampled: seen.share,
            stopped_links: seen.stopped,
            victim_flows: seen.victims,
            example: seen.example.clone(),
            note: seen.to_string(),
        }
    }
}

/// A root of congestion and what it stops.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Tree {
    /// The resource at the root, in words.
    pub root: String,
    /// The share of samples in which it was a root, 0 to 1; nothing where the tree follows from the chain.
    pub sampled: Option<f64>,
    /// The number of links stopped because of it; the largest number at once where trees were sampled.
    pub stopped_links: usize,
    /// The link that is stopped longest, and the share of time for which it is.
    pub worst: (String, f64),
    /// The word for what stops that link, such as "paused".
    #[serde(skip)]
    pub how: &'static str,
    /// The largest number of victim flows at once; nothing where the model does not sample them.
    pub victim_flows: Option<usize>,
    /// Sender and receiver of one victim flow.
    pub example: Option<(String, String)>,
}

impl Tree {
    /// The evidence, as a clause.
    #[must_use]
    pub fn evidence(&self) -> String {
        let (link, share) = &self.worst;
        let (how, stopped) = (self.how, amount(self.stopped_links, "link is", "links are"));
        let most = if self.sampled.is_some() { "up to " } else { "" };
        let sampled =
            self.sampled.map_or(String::new(), |share| format!(" in {} of samples", percent(share)));
        let victims = match (self.victim_flows, &self.example) {
            (Some(count), Some((from, to))) => {
                format!("; {most}{}, such as {from} -> {to}", amount(count, "victim flow", "victim flows"))
            }
            (Some(count), None) => format!("; {most}{}", amount(count, "victim flow", "victim flows")),
            (None, _) => String::new(),
        };
        format!(
            "its root is {}{sampled}; {most}{stopped} {how}; {link} is {how} longest, {} of the time{victims}",
            self.root,
            percent(*share)
        )
    }
}

/// The switch at which back-pressure begins, and its busiest output.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BackPressure {
    /// The switch.
    pub switch: String,
    /// The node at the far end of its busiest output.
    pub to: String,
    /// Whether that is a host.
    pub to_host: bool,
    /// The share of time in which that output sends, 0 to 1.
    pub utilisation: f64,
    /// Whether that output is busy nearly all the time.
    pub link_is_full: bool,
    /// The mean share of time in which used links into the switch are stopped; 0 where buffers are unbounded.
    pub stops: f64,
    /// The share of time in which its most stopped output is stopped.
    pub is_stopped: f64,
}

impl Congestion {
    /// The congestion of a report.
    #[must_use]
    pub fn new(report: &Report, chain: &Chain) -> Self {
        let listed = report.trees.iter().take(CongestionTree::LISTED);
        Self {
            tree: tree(report, chain),
            back_pressure: back_pressure(report),
            roots_sampled: report.trees.len(),
            trees: listed.map(SampledTree::of).collect(),
        }
    }
}

/// The tree whose root was seen in most samples; without samples, that of the chain root that stops most links.
fn tree(report: &Report, chain: &Chain) -> Option<Tree> {
    let stopped: Vec<usize> =
        (0..report.resources.len()).filter(|&row| report.resources[row].held_back() >= STOPPED).collect();
    if stopped.len() < STOPPED_LINKS {
        return None;
    }
    match report.trees.first() {
        Some(seen) => sampled(report, &stopped, seen),
        None => inferred(report, chain, &stopped),
    }
}

/// The word for what stops a link for most of the time.
fn how_stopped(row: &ResourceRow) -> &'static str {
    let held = row.held_in.iter().filter(|held| held.activity.why.is_held_back());
    let most = held.max_by(|a, b| a.occupancy.total_cmp(&b.occupancy));
    most.map_or(HoldWhy::Stopped, |held| held.activity.why).word()
}

/// The link that is stopped longest, with the share of time, and the word for what stops it.
fn longest_stopped(report: &Report, rows: &[usize]) -> Option<((String, f64), &'static str)> {
    let most = |&&a: &&usize, &&b: &&usize| {
        report.resources[a].held_back().total_cmp(&report.resources[b].held_back()).then(b.cmp(&a))
    };
    let row = &report.resources[*rows.iter().max_by(most)?];
    Some(((row.title().to_owned(), row.held_back()), how_stopped(row)))
}

fn sampled(report: &Report, stopped: &[usize], seen: &CongestionTree) -> Option<Tree> {
    let is_tree = seen.share >= ROOT_SHARE && seen.stopped >= STOPPED_LINKS;
    let (worst, how) = longest_stopped(report, stopped).filter(|_| is_tree)?;
    Some(Tree {
        root: format!("the link {}", seen.root),
        sampled: Some(seen.share),
        stopped_links: seen.stopped,
        worst,
        how,
        victim_flows: Some(seen.victims),
        example: seen.example.clone(),
    })
}

fn inferred(report: &Report, chain: &Chain, stopped: &[usize]) -> Option<Tree> {
    let because_of = |root: usize| -> Vec<usize> {
        stopped.iter().copied().filter(|&row| row != root && chain.root_of(row) == root).collect()
    };
    let roots = chain.roots().iter().map(|&(root, _)| (root, because_of(root)));
    let (root, links) = roots.max_by_key(|(_, links)| links.len())?;
    let (worst, how) = longest_stopped(report, &links).filter(|_| links.len() >= STOPPED_LINKS)?;
    Some(Tree {
        root: words(&report.resources[root]),
        sampled: None,
        stopped_links: links.len(),
        worst,
        how,
        victim_flows: None,
        example: None,
    })
}

/// An output between two nodes; the busiest of parallel links.
#[derive(Clone, Copy)]
struct Sends<'a> {
    row: &'a ResourceRow,
    stopped: f64,
}

/// Where back-pressure begins: starts at the switch that stops its senders most, and goes on to the far end of the most
/// stopped output while that is stopped for a good part of the time.
fn back_pressure(report: &Report) -> Option<BackPressure> {
    let mut outputs: BTreeMap<(Site, Site), Sends<'_>> = BTreeMap::new();
    for row in report.resources.iter().filter(|row| row.kind == ResourceKind::Output && row.acquisitions > 0)
    {
        let ends = (node(row.site), node(row.far));
        let busier = outputs.get(&ends).is_none_or(|other| row.utilisation > other.row.utilisation);
        if busier {
            outputs.insert(ends, Sends { row, stopped: row.held_back() });
        }
    }
    let senders = outputs.keys().map(|&(from, _)| from).filter(|from| matches!(from, Site::Node(_)));
    let into = stops_into(&outputs);
    let stops: BTreeMap<Site, f64> =
        senders.map(|switch| (switch, into.get(&switch).copied().unwrap_or(0.0))).collect();
    let fifos = fullest(report);
    let fullness = |switch: &Site| fifos.get(switch).copied().unwrap_or(0.0);
    let key = |switch: &Site| ((stops[switch] * 1e6).round(), fullness(switch));
    let (start, _) = stops.iter().max_by(|(a, _), (b, _)| {
        let ((stops_a, full_a), (stops_b, full_b)) = (key(a), key(b));
        stops_a.total_cmp(&stops_b).then(full_a.total_cmp(&full_b)).then(b.cmp(a))
    })?;
    let chosen = source_of_pressure(*start, &outputs, &stops);
    let own = outputs.iter().filter(|((from, _), _)| *from == chosen).map(|(&(_, to), sends)| (to, sends));
    let (to, busiest) =
        own.clone().max_by(|a, b| a.1.row.utilisation.total_cmp(&b.1.row.utilisation).then(b.0.cmp(&a.0)))?;
    let [switch, far] = busiest.row.ends.clone()?;
    Some(BackPressure {
        switch,
        to: far,
        to_host: matches!(to, Site::Host(_)),
        utilisation: busiest.row.utilisation,
        link_is_full: busiest.row.utilisation >= FULL_LINK,
        stops: stops[&chosen],
        is_stopped: own.map(|(_, sends)| sends.stopped).fold(0.0, f64::max),
    })
}

/// The node of a port.
const fn node(site: Site) -> Site {
    match site.switch() {
        Some(switch) => Site::Node(switch),
        None => site,
    }
}

/// For each node the mean share of time in which the links into it are stopped.
fn stops_into(outputs: &BTreeMap<(Site, Site), Sends<'_>>) -> BTreeMap<Site, f64> {
    let mut into: BTreeMap<Site, (f64, u32)> = BTreeMap::new();
    for ((_, to), sends) in outputs {
        let (sum, links) = into.entry(*to).or_default();
        *sum += sends.stopped;
        *links += 1;
    }
    into.into_iter().map(|(to, (sum, links))| (to, sum / f64::from(links))).collect()
}

/// For each switch the greatest mean content of its FIFOs.
fn fullest(report: &Report) -> BTreeMap<Site, f64> {
    let mut fullest: BTreeMap<Site, f64> = BTreeMap::new();
    for row in report.resources.iter().filter(|row| row.kind == ResourceKind::InputFifo) {
        let most = fullest.entry(node(row.site)).or_default();
        *most = most.max(row.occupancy);
    }
    fullest
}

/// The switch at the end of the path along the most stopped outputs. Where the path returns to a switch, the switches
/// of that cycle stop one another: the one of them that stops its senders most.
fn source_of_pressure(
    start: Site,
    outputs: &BTreeMap<(Site, Site), Sends<'_>>,
    stops: &BTreeMap<Site, f64>,
) -> Site {
    let mut way = vec![start];
    loop {
        let here = way[way.len() - 1];
        let onwards = outputs.iter().filter(|((from, to), _)| *from == here && stops.contains_key(to));
        let most = onwards.max_by(|a, b| a.1.stopped.total_cmp(&b.1.stopped).then(b.0.cmp(a.0)));
        let Some((&(_, next), _)) = most.filter(|(_, sends)| sends.stopped >= STOPPED) else { return here };
        if let Some(at) = way.iter().position(|&passed| passed == next) {
            let most = |a: &&Site, b: &&Site| stops[*a].total_cmp(&stops[*b]).then(b.cmp(a));
            return *way[at..].iter().max_by(most).expect("the way has come round");
        }
        way.push(next);
    }
}
