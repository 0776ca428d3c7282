//! Overload: the offered load exceeds what all resources could carry, however it is shared.

use std::collections::BTreeSet;

use hopscope_measure::{Outcome, ResourceKind, ResourceRow, Site};

use super::{Candidate, Judge};
use crate::cause::Cause;
use crate::thresholds::{
    ALIKE, ALL_FULL, AS_MANY, FULL_LINK, HOSTS_REST, MOSTLY, PEERS, SATURATED_PEERS, SCARCE, TRUNKS,
    USED_BY_A_JOB, USED_HOST_LINK, USED_LINK, WAITS,
};
use crate::words::{Like, percent, words};

impl Judge<'_> {
    /// The verdict if nearly all used links are full, or those between switches are, or a station's arrivals exceed
    /// what its servers can do.
    pub(super) fn overload(&self) -> Option<Candidate> {
        self.every_link_is_full()
            .or_else(|| self.every_trunk_is_full())
            .or_else(|| self.every_trunk_is_behind())
            .or_else(|| self.too_many_customers())
    }

    /// The used links that meet a test, with their utilisation.
    fn used(&self, counts: impl Fn(&ResourceRow) -> bool) -> Vec<(usize, f64)> {
        let rows = self.report.resources.iter().enumerate();
        let used = rows.filter(|(_, row)| row.kind.carries_bits() && counts(row));
        used.map(|(at, row)| (at, row.utilisation)).collect()
    }

    /// The busiest of these links and the number that are as full, if nearly all are and it is utilised at least
    /// `least`.
    fn alike(&self, used: &[(usize, f64)], least: f64) -> Option<(usize, usize)> {
        let &(busiest, most) = used.iter().max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)))?;
        let full = used.iter().filter(|(_, used)| *used >= ALIKE * most).count();
        let all = full as f64 >= ALL_FULL * used.len() as f64;
        let is_more = !self.is_slow(busiest)
            && self.unevenly_shared(busiest).is_none()
            && !self.has_idle_beside_full(ALIKE * most);
        (all && most >= least && is_more).then_some((busiest, full))
    }

    /// Whether a switch with hosts hardly uses one of its links to other switches while another is full: other routes
    /// may use it. Idle links of a switch without hosts lead to other destinations.
    fn has_idle_beside_full(&self, full: f64) -> bool {
        let rows = || self.report.resources.iter().filter(|row| row.kind.carries_bits());
        let with_hosts = self.switches_with_hosts();
        let uses = |switch: u32, is_so: fn(f64, f64) -> bool, bound: f64| {
            let mut trunks =
                rows().filter(|row| row.site.switch() == Some(switch) && row.far.switch().is_some());
            trunks.any(|row| is_so(row.utilisation, bound))
        };
        let is_beside = |&switch: &u32| {
            uses(switch, |used, bound| used >= bound, full)
                && uses(switch, |used, bound| used < bound, USED_HOST_LINK)
        };
        with_hosts.iter().any(is_beside)
    }

    fn every_link_is_full(&self) -> Option<Candidate> {
        let used = self.used(|row| {
            let is_sent_by_a_host = matches!(row.site, Site::Host(_));
            row.utilisation >= if is_sent_by_a_host { USED_HOST_LINK } else { USED_LINK }
        });
        let saturated = self.report.outcome == Outcome::Saturated;
        let (peers, least) = if saturated { (2, SATURATED_PEERS) } else { (PEERS, FULL_LINK) };
        let too_much = saturated || !self.report.evidence.is_job || self.waits() >= WAITS;
        if !too_much || used.len() < peers {
            return None;
        }
        let (busiest, full) = self.alike(&used, least)?;
        let all = used.len();
        let whom = if full == all { format!("all {all}") } else { format!("{full} of the {all}") };
        let lines = self.row(busiest).kind == ResourceKind::Line;
        let links = if lines { "lines" } else { "links" };
        // Links that carry hardly anything do not count.
        let are_all = self.used(|row| row.utilisation > 0.0).len() == all;
        let which = if are_all { format!("{links} in use") } else { format!("busy {links}") };
        let sentence = format!(
            "{}: {whom} {which} are {}. {}{}.{}",
            match (saturated, lines) {
                (true, _) => "Overload",
                (false, true) => "Full lines",
                (false, false) => "Full links",
            },
            self.as_full(&used, busiest),
            if saturated {
                "More is offered than they carry"
            } else if self.report.evidence.is_job {
                // Nobody offers a job more than it waits for.
                "The job sends as much as they carry"
            } else {
                "They carry the present traffic but hardly more"
            },
            if self.have_another_way(&used) { ", however it is routed" } else { "" },
            self.of_full_line(busiest)
        );
        let found = self.at_row(Cause::Overload, busiest, 1.0, sentence);
        Some(Candidate { nodes: Vec::new(), ..found })
    }

    /// How full those of these links are that are about as full as the busiest of them, with that one.
    fn as_full(&self, used: &[(usize, f64)], busiest: usize) -> String {
        let most = self.row(busiest).utilisation;
        let alike = used.iter().map(|&(_, used)| used).filter(|&used| used >= ALIKE * most);
        let [low, high] = [alike.fold(most, f64::min), most].map(percent);
        let link = words(self.row(busiest));
        if low == high {
            format!("{high} utilised, such as {link}")
        } else {
            format!("{low} to {high} utilised; the fullest is {link}")
        }
    }

    /// Whether some of these links form a ring or are parallel, so that there is more than one path; true for links of
    /// unknown ends.
    fn have_another_way(&self, used: &[(usize, f64)]) -> bool {
        let ends: Option<Vec<&[String; 2]>> =
            used.iter().map(|&(row, _)| self.row(row).ends.as_ref()).collect();
        ends.is_none_or(|all| {
            let ways: BTreeSet<&[String; 2]> = all.iter().copied().collect();
            let joined: BTreeSet<[&String; 2]> =
                ways.iter().map(|[one, other]| [one.min(other), one.max(other)]).collect();
            let nodes: BTreeSet<&String> = joined.iter().flatten().copied().collect();
            joined.len() >= nodes.len() || ways.len() < all.len()
        })
    }

    /// Links between switches are equally full while those of hosts have spare time: the network is oversubscribed.
    fn every_trunk_is_full(&self) -> Option<Candidate> {
        let saturated = self.report.outcome == Outcome::Saturated;
        let trunks = self.used(|row| !Like::of(row).is_of_a_host && row.utilisation >= USED_LINK);
        let is_one_of_hosts = |row: &ResourceRow| Like::of(row).is_of_a_host;
        let hosts = self.used(is_one_of_hosts).into_iter().map(|(_, used)| used).fold(0.0, f64::max);
        let is_job = self.report.evidence.is_job;
        if trunks.len() < TRUNKS || hosts == 0.0 || !(saturated || self.waits() >= WAITS) {
            return None;
        }
        let least = if saturated || is_job { SATURATED_PEERS } else { FULL_LINK };
        let (busiest, full) = self.alike(&trunks, least).filter(|_| self.uplinks_of_one().is_none())?;
        let most = self.row(busiest).utilisation;
        (hosts <= ALIKE * most).then(|| {
            let sentence = format!(
                "Oversubscription: {full} of the {} links in use between switches are {}. Hosts' links are at most {} utilised. Hosts send \
                 more between switches than these links carry, however it is routed.",
                trunks.len(),
                self.as_full(&trunks, busiest),
                percent(hosts)
            );
            let found = self.at_row(Cause::Overload, busiest, self.waits(), sentence);
            Candidate { nodes: Vec::new(), ..found }
        })
    }

    /// Oversubscription for a job, whose links between switches are idle between its steps and are loaded a little
    /// unevenly by the placement of its members: they are utilised half as much again as any of the hosts', and cause
    /// most of the waiting.
    fn every_trunk_is_behind(&self) -> Option<Candidate> {
        let between = |row: &ResourceRow| !Like::of(row).is_of_a_host;
        let trunks = self.used(|row| between(row) && row.utilisation >= USED_HOST_LINK);
        let hosts = self.used(|row| !between(row)).into_iter().map(|(_, used)| used).fold(0.0, f64::max);
        let mean = trunks.iter().map(|(_, used)| used).sum::<f64>() / trunks.len().max(1) as f64;
        let is_job = self.report.evidence.is_job && self.waits() >= WAITS && trunks.len() >= TRUNKS;
        if !is_job || hosts == 0.0 || hosts > HOSTS_REST * mean || mean < SCARCE {
            return None;
        }
        let &(busiest, most) = trunks.iter().max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)))?;
        let alike = trunks.iter().filter(|(_, used)| *used >= USED_BY_A_JOB * most).count();
        let is_one_way = |&(row, _): &(usize, f64)| {
            self.is_slow(row) || self.is_hashed(row) || self.unevenly_shared(row).is_some()
        };
        let are_all = alike as f64 >= ALL_FULL * trunks.len() as f64 && !trunks.iter().any(is_one_way);
        let waiting: f64 = trunks.iter().map(|&(row, _)| self.chain.blamed(row)).sum();
        let share = waiting / self.chain.all_waiting().max(f64::MIN_POSITIVE);
        (are_all && share >= MOSTLY && !self.has_idle_beside_full(USED_BY_A_JOB * most)).then(|| {
            let sentence = format!(
                "Oversubscription: links between switches are {} utilised on average, the busiest ({}) {}, while hosts' links are at most \
                 {} utilised; {} of all waiting is for links between switches. These are used alike, so other routes would relieve none \
                 of them.",
                percent(mean),
                words(self.row(busiest)),
                percent(most),
                percent(hosts),
                percent(share)
            );
            let found = self.at_row(Cause::Overload, busiest, self.waits() * share, sentence);
            Candidate { nodes: Vec::new(), ..found }
        })
    }

    /// Stations do not share their customers with others: one with more arrivals than it can serve is overloaded.
    fn too_many_customers(&self) -> Option<Candidate> {
        let &(root, _) = self.chain.roots().first()?;
        let row = self.row(root);
        let saturated = self.report.outcome == Outcome::Saturated;
        (saturated && matches!(row.kind, ResourceKind::Station(_)) && row.utilisation >= FULL_LINK).then(
            || {
                let value = |key: &str| self.report.metric(key)?.estimate.map(|estimate| estimate.value);
                let ratio =
                    value("offered.rate").zip(value("throughput.rate")).filter(|(_, carried)| *carried > 0.0);
                let times = ratio.map(|(offered, carried)| offered / carried);
                let how = match times {
                    Some(times) if times < AS_MANY => {
                        "messages arrive as fast as it can serve them. Its queue grows without bound"
                            .to_owned()
                    }
                    Some(times) => format!("messages arrive {times:.2} times as fast as they leave"),
                    None => "messages arrive faster than it can serve them".to_owned(),
                };
                let sentence =
                    format!("Overload: {} is {} utilised, and {how}.", words(row), percent(row.utilisation));
                self.at_row(Cause::Overload, root, self.weight_of(root), sentence)
            },
        )
    }
}
