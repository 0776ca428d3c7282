//! Uplinks of one switch: its links to other switches are full, and those of switches like it are not.

use std::collections::{BTreeMap, BTreeSet};

use hopscope_measure::{Outcome, ResourceRow, Site, usual};
use hopscope_units::amount;

use super::{Candidate, Judge};
use crate::cause::Cause;
use crate::thresholds::{
    ALIKE, ALL_FULL, FULL_OUTPUT, MOSTLY, SATURATED_PEERS, TIMES_ITS_PEERS, WAIT_SHARE, WAITS,
};
use crate::words::percent;

/// The direction in which the links of a switch are used.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Way {
    Out,
    In,
}

/// The links of one switch, in one direction, to switches that have hosts or to those that have none. Each packet from
/// or to the hosts takes one of them, so together they are one resource.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Tier {
    switch: u32,
    way: Way,
    is_to_hosts: bool,
}

/// All tiers of a network.
#[derive(Default)]
struct Tiers {
    rows: BTreeMap<Tier, Vec<usize>>,
    /// The switches at the far ends of each tier.
    far: BTreeMap<Tier, BTreeSet<u32>>,
    /// The tiers joined to a switch, by direction.
    joined: BTreeMap<(Way, u32), BTreeSet<Tier>>,
    with_hosts: BTreeSet<u32>,
}

/// A tier that is full.
struct Full<'a> {
    tier: Tier,
    rows: &'a [usize],
    /// Utilisation of the links of switches like it, 0 to 1: the median of the switches' means.
    peers: f64,
    /// The number of links that most of these switches have.
    have: usize,
    /// Whether the switch has hosts.
    has_hosts: bool,
}

impl Judge<'_> {
    /// The verdict if all links of one switch to others are full, and those of switches like it are used far less: the
    /// switch has fewer of them, or its hosts send or receive more. Nothing if the links of several switches are full.
    /// A switch without hosts is named only if it has fewer links: its traffic may be routed otherwise.
    pub(super) fn uplinks_of_one(&self) -> Option<Candidate> {
        let saturated = self.report.outcome == Outcome::Saturated;
        if !(saturated || self.waits() >= WAITS) {
            return None;
        }
        let tiers = self.tiers();
        let least = if saturated || self.report.evidence.is_job { SATURATED_PEERS } else { FULL_OUTPUT };
        let least = self.fullest(&tiers, least)?;
        let full: Vec<Full<'_>> =
            tiers.rows.keys().filter_map(|&tier| self.full(&tiers, tier, least)).collect();
        let switches: BTreeSet<u32> = full.iter().map(|one| one.tier.switch).collect();
        if switches.len() != 1 {
            return None;
        }
        let blamed: f64 = full.iter().flat_map(|one| one.rows).map(|&row| self.weight_of(row)).sum();
        // Where queues grow, packets wait behind others as well, and the waits spread away from the links.
        let weight = if saturated { blamed.max(MOSTLY * self.waits()) } else { blamed };
        let found = full
            .iter()
            .max_by(|a, b| self.mean_of(a.rows).total_cmp(&self.mean_of(b.rows)).then(b.tier.cmp(&a.tier)))?;
        let is_other_way = |one: &Full<'_>| {
            (one.tier.is_to_hosts, one.rows.len()) == (found.tier.is_to_hosts, found.rows.len())
                && one.tier.way != found.tier.way
        };
        let is_both_ways = full.iter().any(is_other_way);
        (weight >= WAIT_SHARE).then(|| self.of_uplinks(found, is_both_ways, weight))
    }

    /// The utilisation from which links are full: nearly that of the fullest link, if that is between switches. Nothing
    /// if no link reaches `least`, or if links of hosts are nearly as full.
    fn fullest(&self, tiers: &Tiers, least: f64) -> Option<f64> {
        let most = |are_of_hosts: bool| {
            let rows = self.report.resources.iter().filter(|row| row.kind.carries_bits());
            let rows = rows.filter(|row| is_between_switches(row) != are_of_hosts);
            rows.map(|row| row.utilisation).fold(0.0, f64::max)
        };
        let (trunks, hosts) = (most(false), most(true));
        (!tiers.rows.is_empty() && trunks >= least && hosts <= ALIKE * trunks)
            .then(|| least.max(ALIKE * trunks))
    }

    /// The verdict on a tier; `is_both_ways` says that the same links are full in the other direction too.
    fn of_uplinks(&self, found: &Full<'_>, is_both_ways: bool, weight: f64) -> Candidate {
        let Full { tier, rows, peers, have, .. } = found;
        let by_use = |&&a: &&usize, &&b: &&usize| {
            self.row(a).utilisation.total_cmp(&self.row(b).utilisation).then(b.cmp(&a))
        };
        let busiest = *rows.iter().max_by(by_use).expect("a tier has links");
        let own = self.name_of(*tier, busiest);
        let (where_to, what) = match (tier.way, tier.is_to_hosts) {
            (_, false) if is_both_ways && !found.has_hosts => (" up", "send and receive"),
            _ if is_both_ways => ("", "send and receive"),
            (Way::Out, false) => (" up", "send"),
            (Way::In, false) => (" down", "receive"),
            (Way::Out, true) => (" to other switches", "send"),
            (Way::In, true) => (" from other switches", "receive"),
        };
        let ways = if is_both_ways { " both ways" } else { "" };
        let (links, them) = match rows.len() {
            1 => (format!("its only link{where_to} is"), "it"),
            count => (format!("its {count} links{where_to} are"), "these"),
        };
        let lacks = if *have > rows.len() {
            format!(
                " It has {}, switches like it have {have}.",
                amount(rows.len(), "such link", "such links")
            )
        } else {
            String::new()
        };
        let hosts = if found.has_hosts {
            format!(" All that its hosts {what} goes over {them}.")
        } else {
            String::new()
        };
        let sentence = format!(
            "Oversubscription at {own}: {links} {} utilised{ways}, those of switches like it {}.{lacks}{hosts}",
            percent(self.mean_of(rows)),
            percent(*peers)
        );
        let found = self.at_row(Cause::Overload, busiest, weight, sentence);
        Candidate { nodes: vec![own.to_owned()], ..found }
    }

    /// The name of a tier's switch, by one of its links.
    fn name_of(&self, tier: Tier, row: usize) -> &str {
        let [from, to] = self.row(row).ends.as_ref().expect("links between switches join two");
        match tier.way {
            Way::Out => from,
            Way::In => to,
        }
    }

    fn mean_of(&self, rows: &[usize]) -> f64 {
        rows.iter().map(|&row| self.row(row).utilisation).sum::<f64>() / rows.len() as f64
    }

    /// A tier if each of its links is full, none of them is slow, and the corresponding links of switches like it are
    /// used far less or are more numerous.
    fn full<'a>(&self, tiers: &'a Tiers, tier: Tier, least: f64) -> Option<Full<'a>> {
        let rows = &tiers.rows[&tier];
        let is_full = rows.iter().all(|&row| self.row(row).utilisation >= least && !self.is_slow(row));
        let has_hosts = tiers.with_hosts.contains(&tier.switch);
        if !is_full || (has_hosts && !self.is_of_its_hosts(tier, rows)) {
            return None;
        }
        let like = tiers.like(tier);
        let peers = usual(like.iter().map(|rows| self.mean_of(rows)).collect())?;
        let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
        for rows in &like {
            *counts.entry(rows.len()).or_default() += 1;
        }
        let (most_have, often) = counts.into_iter().max_by_key(|&(_, often)| often)?;
        let are_alike = often as f64 >= ALL_FULL * like.len() as f64;
        let have = if are_alike { most_have.max(rows.len()) } else { rows.len() };
        let own = self.mean_of(rows);
        let is_short = have > rows.len() && peers <= ALIKE * own;
        let is_busier = has_hosts && rows.len() > 1 && own >= TIMES_ITS_PEERS * peers;
        (is_short || is_busier).then_some(Full { tier, rows, peers, have, has_hosts })
    }

    /// Whether a tier may carry only traffic of its switch's hosts: then no other route avoids it.
    fn is_of_its_hosts(&self, tier: Tier, rows: &[usize]) -> bool {
        let carried = |row: usize| {
            self.row(row).utilisation * self.report.evidence.rates.get(&row).copied().unwrap_or(1.0)
        };
        let is_of_a_host = |row: &ResourceRow| match (tier.way, row.site, row.far) {
            (Way::Out, Site::Host(_), to) => to.switch() == Some(tier.switch),
            (Way::In, from, Site::Host(_)) => from.switch() == Some(tier.switch),
            _ => false,
        };
        let all = (0..self.report.resources.len()).filter(|&row| self.row(row).kind.carries_bits());
        let by_hosts: f64 = all.filter(|&row| is_of_a_host(self.row(row))).map(carried).sum();
        rows.iter().map(|&row| carried(row)).sum::<f64>() * ALIKE <= by_hosts
    }

    /// All links between switches, each in the tier of its sending and of its receiving switch.
    fn tiers(&self) -> Tiers {
        let mut found = Tiers { with_hosts: self.switches_with_hosts(), ..Tiers::default() };
        for (at, row) in self.report.resources.iter().enumerate().filter(|(_, row)| is_between_switches(row))
        {
            let (Some(from), Some(to)) = (row.site.switch(), row.far.switch()) else { continue };
            for (way, switch, far) in [(Way::Out, from, to), (Way::In, to, from)] {
                let tier = Tier { switch, way, is_to_hosts: found.with_hosts.contains(&far) };
                found.rows.entry(tier).or_default().push(at);
                found.joined.entry((way, far)).or_default().insert(tier);
                found.far.entry(tier).or_default().insert(far);
            }
        }
        found
    }
}

impl Tiers {
    /// The links, in the same direction, of switches that are joined to the same switches as a tier's, and that have
    /// hosts if and only if it has.
    fn like(&self, tier: Tier) -> Vec<&[usize]> {
        let has_hosts = |switch: u32| self.with_hosts.contains(&switch);
        let joined = self.far[&tier].iter().flat_map(|&far| &self.joined[&(tier.way, far)]);
        let is_like =
            |other: &&Tier| other.switch != tier.switch && has_hosts(other.switch) == has_hosts(tier.switch);
        let like = joined.filter(is_like);
        let apart: BTreeSet<Tier> = like.copied().collect();
        apart.iter().map(|other| &*self.rows[other]).collect()
    }
}

fn is_between_switches(row: &ResourceRow) -> bool {
    let is_a_switch = |site: Site| site.switch().is_some();
    // Lanes of a link are used independently.
    let is_whole = row.kind.carries_bits() && row.lane.is_none();
    is_whole && is_a_switch(row.site) && is_a_switch(row.far) && row.ends.is_some()
}
