//! Starvation: an output that serves its inputs in a fixed order makes the last ones wait for all others.

use hopscope_measure::{ResourceKind, Starving};
use hopscope_units::amount;

use super::{Candidate, Judge};
use crate::cause::Cause;
use crate::policy::Policy;
use crate::words::{listed, percent, words};

impl Judge<'_> {
    /// Senders that always have work and deliver nothing, where outputs serve inputs in a fixed order: the first inputs
    /// always have another frame, so the last ones are never served.
    pub(super) fn starved_by_order(&self) -> Option<Candidate> {
        let starving =
            self.report.evidence.starving.as_ref().filter(|_| self.report.evidence.is_fixed_order)?;
        let sentence = format!(
            "Starvation: {} Outputs serve the input with the lowest port number first, and the others only when it has nothing \
             (`frames.arbiter`).",
            told(starving)
        );
        let found = Self::everywhere(Cause::Resource, share(starving), sentence);
        Some(Candidate {
            resource: Some("the arbiters of switches".to_owned()),
            id: Some(Policy::Arbiter.id()),
            ..found
        })
    }

    /// Starving senders for another reason, where nothing else is wrong: their messages wait indefinitely, and are in
    /// no mean of delivered messages.
    pub(super) fn starved(&self) -> Option<Candidate> {
        let starving = self.report.evidence.starving.as_ref()?;
        let links =
            self.report.resources.iter().enumerate().filter(|(_, row)| row.kind == ResourceKind::Output);
        let (busiest, _) =
            links.max_by(|a, b| a.1.utilisation.total_cmp(&b.1.utilisation).then(b.0.cmp(&a.0)))?;
        let row = self.row(busiest);
        let sentence = format!(
            "Starvation: {} The busiest link is {} ({} utilised).",
            told(starving),
            words(row),
            percent(row.utilisation)
        );
        Some(self.at_row(Cause::Resource, busiest, share(starving), sentence))
    }

    /// A class that waits for a link that others need too, and whose input is served after theirs: with lanes of their
    /// own both would still need all of that link.
    pub(super) fn behind_by_order(
        &self,
        root: usize,
        [name, others]: [&str; 2],
        shares: [f64; 2],
    ) -> Candidate {
        let row = self.row(root);
        let switch = row.ends.as_ref().map_or(row.place.clone(), |[from, _]| from.clone());
        let sentence = format!(
            "Fixed order: `{name}` waits {} of its lifetime ({} behind `{others}`), the largest part at {} ({} utilised), \
             which both need. Of the inputs that wait for this link, the one with the lowest port number always goes \
             first (`frames.arbiter`).",
            percent(shares[0]),
            percent(shares[1]),
            words(row),
            percent(row.utilisation)
        );
        let found = self.at_row(Cause::Resource, root, shares[1], sentence).with_weight_stated(true);
        Candidate {
            resource: Some(format!("the arbiter of {switch}")),
            place: Some(switch.clone()),
            id: Some(Policy::Arbiter.id()),
            nodes: vec![switch],
            ..found
        }
    }
}

/// The share of starving hosts among those that always have something to send.
fn share(starving: &Starving) -> f64 {
    starving.hosts.len() as f64 / (starving.hosts.len() + starving.served) as f64
}

fn told(starving: &Starving) -> String {
    let Starving { hosts, served } = starving;
    let what = if hosts.len() == 1 { "host that always has" } else { "hosts that always have" };
    format!(
        "{} {what} something to send ({}) {} nothing through; {} everything.",
        hosts.len(),
        listed(hosts),
        if hosts.len() == 1 { "gets" } else { "get" },
        amount(*served as u64, "other host gets", "other hosts get")
    )
}
