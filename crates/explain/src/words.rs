//! Resources, shares and times as sentences name them.

use std::collections::BTreeMap;

use hopscope_measure::{HoldActivity, HoldWhy, Report, ResourceKind, ResourceRow, Site, usual};

use crate::thresholds::RETRIED;

/// The number of names listed before "and N more".
const LISTED: usize = 3;

/// The resource as a sentence names it, such as "the line UCLA -> RAND".
#[must_use]
pub fn words(row: &ResourceRow) -> String {
    match row.kind {
        ResourceKind::Output => format!("the link {}", row.title()),
        ResourceKind::InputFifo => format!("the FIFO at {}", row.place),
        ResourceKind::InputBuffer => format!("the input buffer at {}", row.place),
        ResourceKind::SwitchBuffer => format!("the {}", row.title()),
        ResourceKind::Station(_) => row.title().to_owned(),
        ResourceKind::Line if !row.site.joins() => format!("the line of {}", row.place),
        ResourceKind::FlowWindow => format!("the window of flows from {}", row.place),
        ResourceKind::VirtualRouteWindow => format!("the window of {}", row.place),
        ResourceKind::SessionWindow => format!("the pacing window of {}", row.place),
        ResourceKind::BoundaryWindow => format!("the boundary pacing window of {}", row.place),
        ResourceKind::Unit => format!("the unit {}", row.place),
        ResourceKind::Line
        | ResourceKind::Credits
        | ResourceKind::MessageNumbers
        | ResourceKind::AcknowledgmentChannels => format!("the {} {}", row.title(), row.place),
        ResourceKind::Buffers
        | ResourceKind::StoreAndForwardBuffers
        | ResourceKind::ReassemblyBuffers
        | ResourceKind::PendingLeaderTable
        | ResourceKind::PendingPacketTable
        | ResourceKind::TransmitBlocks
        | ResourceKind::ReceiveBlocks => format!("the {} at {}", row.title(), row.place),
        ResourceKind::RateLimiter
        | ResourceKind::Processor
        | ResourceKind::DestinationHost
        | ResourceKind::HostProcessor
        | ResourceKind::GatewayProcessor
        | ResourceKind::NodeProcessor
        | ResourceKind::NodeBuffers
        | ResourceKind::Window
        | ResourceKind::Ethernet
        | ResourceKind::RadioInterval
        | ResourceKind::OutputQueue => format!("the {} of {}", row.title(), row.place),
    }
}

/// Whether sentences name a resource in the plural, by what it counts.
const fn are_several(row: &ResourceRow) -> bool {
    matches!(
        row.kind,
        ResourceKind::Credits
            | ResourceKind::MessageNumbers
            | ResourceKind::AcknowledgmentChannels
            | ResourceKind::Buffers
            | ResourceKind::StoreAndForwardBuffers
            | ResourceKind::ReassemblyBuffers
            | ResourceKind::TransmitBlocks
            | ResourceKind::ReceiveBlocks
            | ResourceKind::NodeBuffers
    )
}

/// The pronoun for a resource: "it", or "them" for one that is named by what it counts.
pub(crate) const fn it(row: &ResourceRow) -> &'static str {
    if are_several(row) { "them" } else { "it" }
}

/// A clause that says that a window is full.
pub(crate) fn full(row: &ResourceRow) -> String {
    format!("{} {} full", words(row), if are_several(row) { "are" } else { "is" })
}

/// A clause that says that a resource is the limit itself.
pub(crate) fn is_the_limit(row: &ResourceRow) -> String {
    let are = if are_several(row) { "are themselves" } else { "is itself" };
    format!("{} {are} the limit", words(row))
}

/// What makes links comparable: their kind, and whether they lead to or from a host. Hosts' links are often slower than
/// links between switches without being slow.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Like {
    kind: ResourceKind,
    pub is_of_a_host: bool,
}

impl Like {
    pub fn of(row: &ResourceRow) -> Self {
        let is_of_a_host = [row.site, row.far].iter().any(|site| matches!(site, Site::Host(_)));
        Self { kind: row.kind, is_of_a_host }
    }
}

/// The median rate of comparable links, bit/s.
pub(crate) fn usual_rates(report: &Report) -> BTreeMap<Like, f64> {
    medians(report, |_, rate| rate)
}

fn medians(report: &Report, of: impl Fn(usize, f64) -> f64) -> BTreeMap<Like, f64> {
    let mut rates: BTreeMap<Like, Vec<f64>> = BTreeMap::new();
    for (&row, &rate) in &report.evidence.rates {
        rates.entry(Like::of(&report.resources[row])).or_default().push(of(row, rate));
    }
    rates.into_iter().filter_map(|(like, all)| Some((like, usual(all)?))).collect()
}

/// How many times slower each line of a row is than those of comparable rows: a row may stand for several parallel
/// lines of one rate, and a row with fewer of them is not slow.
fn times_slower_lines(report: &Report, row: usize) -> Option<f64> {
    let side_by_side = &report.evidence.side_by_side;
    let each = |row: usize, rate: f64| rate / side_by_side.get(&row).map_or(1.0, |&lines| lines as f64);
    let own = each(row, *report.evidence.rates.get(&row)?);
    (!side_by_side.is_empty()).then(|| medians(report, each)[&Like::of(&report.resources[row])] / own)
}

/// The words for how many links like a row have the median rate.
pub(crate) fn have(report: &Report, row: usize, rate: f64) -> &'static str {
    let like = Like::of(&report.resources[row]);
    let rates = || report.evidence.rates.iter().filter(|(row, _)| Like::of(&report.resources[**row]) == like);
    let as_fast = rates().filter(|&(_, &own)| !hopscope_measure::is_slower_than_its_like(own, rate)).count();
    if 2 * as_fast > rates().count() { "most have" } else { "others have" }
}

/// The rate of a row and the median rate of comparable rows, bit/s, where both are known.
pub(crate) fn rate_among_its_like(report: &Report, row: usize) -> Option<(f64, f64)> {
    let own = *report.evidence.rates.get(&row)?;
    Some((own, usual_rates(report)[&Like::of(&report.resources[row])]))
}

/// How many times slower a link is than others of its kind; nothing if it is not slower.
pub(crate) fn times_slower(report: &Report, row: usize) -> Option<f64> {
    let (own, usual) = rate_among_its_like(report, row)?;
    let times = times_slower_lines(report, row).map_or(usual / own, |times| times.min(usual / own));
    hopscope_measure::is_slower_than_its_like(own, own * times).then_some(times)
}

/// Whether a link is slower than others of its kind.
pub(crate) fn is_slower_than_its_like(report: &Report, row: usize) -> bool {
    times_slower(report, row).is_some()
}

/// The share of time in which a link retransmits frames that failed.
pub(crate) fn retransmissions(row: &ResourceRow) -> f64 {
    row.held_in
        .iter()
        .filter(|held| held.activity.why == HoldWhy::Retransmissions)
        .map(|held| held.occupancy)
        .sum()
}

/// The share of time in which a link retransmits frames, if it is at least `RETRIED`.
pub(crate) fn retried(row: &ResourceRow) -> Option<f64> {
    let share = retransmissions(row);
    (row.kind == ResourceKind::Output && share >= RETRIED).then_some(share)
}

/// A share as a whole percentage, halves away from zero; a small share above zero is "<1 %". Python and the page write
/// shares by the same rule: tests/numerals.tsv.
#[must_use]
pub fn percent(share: f64) -> String {
    if share > 0.0 && share < 0.005 {
        return "<1 %".to_owned();
    }
    // The sum of nothing is -0, and a difference of equal values may be a little less.
    format!("{:.0} %", (share * 100.0).round() + 0.0)
}

/// A time in a suitable unit, to three significant figures.
pub(crate) fn duration(seconds: f64) -> String {
    let (value, unit) = match seconds {
        s if s >= 1.0 => (s, "s"),
        s if s >= 1e-3 => (s * 1e3, "ms"),
        s if s >= 1e-6 => (s * 1e6, "us"),
        s if s >= 1e-9 || s == 0.0 => (s * 1e9, "ns"),
        s => (s * 1e12, "ps"),
    };
    format!("{} {unit}", figures(value))
}

/// A rate in a suitable unit, to three significant figures.
pub(crate) fn rate(bit_s: f64) -> String {
    let (value, unit) = match bit_s {
        rate if rate >= 1e9 => (rate * 1e-9, "Gbit/s"),
        rate if rate >= 1e6 => (rate * 1e-6, "Mbit/s"),
        rate => (rate * 1e-3, "kbit/s"),
    };
    format!("{} {unit}", figures(value))
}

/// An amount of data in a suitable unit, to three significant figures.
pub(crate) fn bytes(amount: f64) -> String {
    let (value, unit) = match amount {
        // A value that rounds to 1000 is given as 1 of the next unit.
        amount if amount >= 999.5e3 => (amount * 1e-6, "MB"),
        amount if amount >= 999.5 => (amount * 1e-3, "KB"),
        amount => (amount, "B"),
    };
    format!("{} {unit}", figures(value))
}

/// Three significant figures, without trailing zeros.
pub(crate) fn figures(value: f64) -> String {
    let decimals = if value >= 100.0 {
        0
    } else if value > 0.0 {
        // Leading zeros need more decimals: 0.0028 has two zeros before its first figure.
        (2 - value.log10().floor() as i32).max(0) as usize
    } else {
        2
    };
    let text = format!("{value:.decimals$}");
    if decimals == 0 { text } else { text.trim_end_matches('0').trim_end_matches('.').to_owned() }
}

/// An amount rounded to an integer.
pub(crate) fn whole(amount: f64) -> String {
    format!("{amount:.0}")
}

/// The first names of a list, then "and N more".
pub(crate) fn listed(names: &[String]) -> String {
    let shown = names.iter().take(LISTED).cloned().collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(LISTED) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

/// A list of names as "a, b and c"; a long list as its first names and "N more".
pub(crate) fn all_of(names: &[String]) -> String {
    match names {
        [first @ .., last] if !first.is_empty() && names.len() <= LISTED => {
            format!("{} and {last}", first.join(", "))
        }
        _ => listed(names),
    }
}

/// The holders with an activity, in the plural.
pub(crate) fn holders(activity: HoldActivity) -> String {
    let plain = match activity.why {
        HoldWhy::Input => "messages being taken in",
        HoldWhy::Transit => "messages in transit",
        HoldWhy::Reassembly => "messages in reassembly",
        HoldWhy::HostQueue => "messages in the queue for their host",
        HoldWhy::RfnmWaiting => "messages whose RFNM waits",
        HoldWhy::RfnmTransit => "messages whose RFNM is in transit",
        HoldWhy::UnusedAllocation => "allocations that no message has taken",
        HoldWhy::Reqall => "requests for an allocation",
        HoldWhy::Data => "packets of messages",
        HoldWhy::All => "all holders",
        _ => return activity.word(),
    };
    match activity.lane {
        None => plain.to_owned(),
        Some(lane) => format!("{plain} in lane {lane}"),
    }
}

/// A sentence that begins with a capital.
pub(crate) fn capitalised(sentence: &str) -> String {
    let mut letters = sentence.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_and_times_are_written_as_python_and_the_page_write_them() {
        let table = include_str!("../../../tests/numerals.tsv");
        let rows = table.lines().filter(|line| !line.starts_with('#'));
        let mut kinds = [0, 0];
        for row in rows {
            let [sort, value, expected] = row.split('\t').collect::<Vec<_>>()[..] else { panic!("{row}") };
            let value: f64 = value.parse().expect("a number");
            let is_share = sort == "share";
            kinds[usize::from(is_share)] += 1;
            assert_eq!(if is_share { percent(value) } else { duration(value) }, expected, "{row}");
        }
        assert!(kinds.iter().all(|&rows| rows > 0));
    }
}
