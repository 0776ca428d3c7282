//! More is offered than what there is could carry, however it were shared.

use hopscope_measure::{Outcome, ResourceKind, Site};

use super::{Candidate, Judge};
use crate::cause::Cause;
use crate::thresholds::{
    ALIKE, ALL_FULL, AS_MANY, FULL_LINK, PEERS, SATURATED_PEERS, USED_HOST_LINK, USED_LINK, WAITS,
};
use crate::words::{percent, words};

impl Judge<'_> {
    /// Nearly all links that are used at all are full; or a station is offered more than its servers can do.
    pub(super) fn overload(&self) -> Option<Candidate> {
        self.every_link_is_full().or_else(|| self.too_many_customers())
    }

    fn every_link_is_full(&self) -> Option<Candidate> {
        let rows = self.report.resources.iter().enumerate();
        let used: Vec<(usize, f64)> = rows
            .filter(|(_, row)| {
                let is_host = matches!(row.site, Site::Host(_));
                let least = if is_host { USED_HOST_LINK } else { USED_LINK };
                row.kind.carries_bits() && row.utilisation >= least
            })
            .map(|(at, row)| (at, row.utilisation))
            .collect();
        let &(busiest, most) = used.iter().max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)))?;
        let saturated = self.report.outcome == Outcome::Saturated;
        let (peers, least) = if saturated { (2, SATURATED_PEERS) } else { (PEERS, FULL_LINK) };
        let full = used.iter().filter(|(_, used)| *used >= ALIKE * most).count();
        let too_much = saturated || !self.report.evidence.is_job || self.waits() >= WAITS;
        let all = too_much && used.len() >= peers && full as f64 >= ALL_FULL * used.len() as f64;
        let is_more = !self.is_slow(busiest) && self.unevenly_shared(busiest).is_none();
        (all && most >= least && is_more).then(|| {
            let sentence = format!(
                "Overload: {full} of the {} links in use are equally full, such as {} ({} utilised). More is offered than they carry, \
                 however it is routed.",
                used.len(),
                words(self.row(busiest)),
                percent(most)
            );
            Candidate { nodes: Vec::new(), ..self.at_row(Cause::Overload, busiest, 1.0, sentence) }
        })
    }

    /// Stations have no like to share their customers with: one that is offered more than it can do is overloaded.
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
                let (much, how) = match times {
                    Some(times) if times < AS_MANY => {
                        ("as much is offered as", " Its queue grows without bound.".to_owned())
                    }
                    Some(times) => {
                        ("more is offered than", format!(" {times:.2} times as many come as leave."))
                    }
                    None => ("more is offered than", String::new()),
                };
                let sentence = format!(
                    "Overload: {much} {} can do ({} utilised).{how}",
                    words(row),
                    percent(row.utilisation)
                );
                self.at_row(Cause::Overload, root, self.weight_of(root), sentence)
            },
        )
    }
}
