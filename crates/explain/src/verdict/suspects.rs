//! Suspects, which are tried although the run does not show them to be the cause: full queues, routing on a busy line,
//! and, where senders always have another message, the largest part of a round trip.

use std::collections::BTreeMap;

use hopscope_measure::{Charged, HoldWhy, LossWhy, Nature, ResourceKind, SenderUse, StageId, StageKind};

use super::{Candidate, Judge};
use crate::cause::Cause;
use crate::page::units_of_loss;
use crate::thresholds::{OF_ROUND_TRIP, OVERHEAD, REPEATED, SCARCE};
use crate::words::{percent, words};

impl Judge<'_> {
    /// What may limit a network that looks healthy, which a test run shows.
    pub(super) fn suspects(&self) -> Vec<Candidate> {
        let mut found: Vec<Candidate> = self.full_queue().into_iter().collect();
        if self.report.evidence.always_sends {
            found.extend(self.of_round_trip());
        }
        found.extend(self.storing_frames());
        found
    }

    /// A full queue that refuses packets, which wait for retransmission. A larger queue costs less than a faster line,
    /// and no share of waiting says which gains more.
    pub(super) fn full_queue(&self) -> Option<Candidate> {
        let share = self.of_life(|row| row.kind == StageKind::Wait && row.stage.is_retransmission());
        let losses = self.report.evidence.losses.iter().filter(|loss| loss.why.is_of_full_queue());
        let worst = losses.max_by(|a, b| a.count.cmp(&b.count).then(b.place.nodes.cmp(&a.place.nodes)))?;
        (share >= REPEATED).then(|| {
            let of = if worst.of > 0 { format!(" of {}", worst.of) } else { String::new() };
            let sentence = format!(
                "Full queue: {} {} {}{of} {}. Messages spend {} of their lifetime waiting to be sent again.",
                worst.place.words,
                if worst.why == LossWhy::Trimmed { "trimmed" } else { "refused" },
                worst.count,
                units_of_loss(self.report)[1],
                percent(share)
            );
            Self::at_place(Cause::Loss, &worst.place, share, sentence).with_weight_stated(true)
        })
    }

    /// Routing takes much of the time of a line that is busy: a faster line is not the only remedy.
    pub(super) fn routing_load(&self) -> Option<Candidate> {
        let (root, share) = self.overhead(HoldWhy::RoutingMessages)?;
        let row = self.row(root);
        let sentence = format!(
            "Routing: routing messages take {} of the time of {} ({} utilised).",
            percent(share),
            words(row),
            percent(row.utilisation)
        );
        let resource = format!("routing on {}", words(row));
        Some(self.overhead_of(root, share, HoldWhy::RoutingMessages, (resource, sentence)))
    }

    /// Responses, which carry no messages, take much of the time of a busy line.
    pub(super) fn answer_load(&self) -> Option<Candidate> {
        let (root, share) = self.overhead(HoldWhy::Replies)?;
        let row = self.row(root);
        let sentence = format!(
            "Answers: answers to messages that go the other way take {} of the time of {} ({} utilised).",
            percent(share),
            words(row),
            percent(row.utilisation)
        );
        let resource = format!("answers on {}", words(row));
        Some(self.overhead_of(root, share, HoldWhy::Replies, (resource, sentence)))
    }

    /// The busy line that causes most waiting, with the share of time in which it sends this overhead, if considerable.
    fn overhead(&self, why: HoldWhy) -> Option<(usize, f64)> {
        let root = self.scarce_root().filter(|&root| self.row(root).kind == ResourceKind::Line)?;
        let share = self.spent(root, why);
        (share >= OVERHEAD && self.row(root).utilisation >= SCARCE).then_some((root, share))
    }

    /// The share of time in which a line sends this overhead.
    pub(super) fn spent(&self, line: usize, why: HoldWhy) -> f64 {
        let parts = self.row(line).held_in.iter().filter(|part| part.activity.why == why);
        parts.map(|part| part.occupancy).sum()
    }

    /// The overhead on lines as a cause without a place.
    fn overhead_of(
        &self,
        root: usize,
        share: f64,
        why: HoldWhy,
        (resource, sentence): (String, String),
    ) -> Candidate {
        let weight = self.weight_of(root) * share / self.row(root).utilisation;
        let found = Self::everywhere(Cause::Resource, weight, sentence);
        Candidate { resource: Some(resource), id: Some(why.id()), ..found }
    }

    /// The kinds of resource, or the sending host, that take most of the lifetime, the largest first.
    fn of_round_trip(&self) -> Vec<Candidate> {
        let mut spent: BTreeMap<Charged, f64> = BTreeMap::new();
        let services = self.report.ledger.iter().filter(|row| row.is_of_every_class());
        for row in services.filter(|row| row.kind == StageKind::Service) {
            *spent.entry(row.resource).or_default() += row.share;
        }
        let mut found: Vec<Candidate> = spent
            .iter()
            .filter_map(|(&charged, &share)| Some((self.busiest_of(charged)?, share)))
            .map(|(row, share)| self.takes(row, share))
            .collect();
        let by_use = |a: &&SenderUse, b: &&SenderUse| a.utilisation.total_cmp(&b.utilisation);
        let sender = self.report.evidence.senders.iter().max_by(by_use);
        let input =
            self.of_life(|row| row.stage == StageId::HostInput || row.stage == StageId::HostProcessing);
        found.extend(sender.map(|sender| {
            let sentence = Self::taking(&sender.place.words, sender.utilisation, input, "");
            Self::at_place(Cause::Resource, &sender.place, input, sentence).with_weight_stated(true)
        }));
        found.retain(|each| each.weight >= OF_ROUND_TRIP);
        found.sort_by(|a, b| b.weight.total_cmp(&a.weight));
        found
    }

    /// The busiest row of a charged kind of resource, if it works.
    fn busiest_of(&self, charged: Charged) -> Option<usize> {
        let rows = self.report.resources.iter().enumerate().filter(|(_, row)| {
            row.kind.nature() == Nature::Works && Charged::To(row.kind) == charged && row.utilisation > 0.0
        });
        let busiest = rows.max_by(|a, b| a.1.utilisation.total_cmp(&b.1.utilisation).then(b.0.cmp(&a.0)))?;
        Some(busiest.0)
    }

    fn takes(&self, row: usize, share: f64) -> Candidate {
        let (what, used) = (words(self.row(row)), self.row(row).utilisation);
        let sentence = Self::taking(&what, used, share, " and others of its kind");
        self.at_row(Cause::Resource, row, share, sentence).with_weight_stated(true)
    }

    /// A sentence on where messages spend this share of their lifetime.
    fn taking(what: &str, used: f64, share: f64, others: &str) -> String {
        format!(
            "Round trip: senders always have another message, so what takes the time of one holds them back. Messages spend {} of \
             their lifetime at {what} ({} utilised){others}.",
            percent(share),
            percent(used)
        )
    }
}
