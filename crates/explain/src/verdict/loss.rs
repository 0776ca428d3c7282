//! Losses: what is lost, refused or rejected must be sent again.

use std::collections::BTreeMap;

use hopscope_measure::{GivenUp, LedgerRow, Loss, LossWhy, Outcome, Place, ResourceKind, StageId, StageKind};
use hopscope_units::amount;

use super::{Candidate, Judge};
use crate::cause::Cause;
use crate::page::{lost_for_good, units_of_loss};
use crate::symptoms::saturated_line::is_saturated;
use crate::symptoms::synchronised_bursts::bursts;
use crate::thresholds::{
    LEAST_REASON, LONG_TIMEOUT, LOSS_SHARE, MOSTLY, MOSTLY_WAITING, NEARLY_ALL, NEARLY_FULL, REPEATED,
    WAIT_SHARE, WORTH_TELLING,
};
use crate::words::{duration, percent, retransmissions, words};

impl Judge<'_> {
    /// Messages wait longer for retransmission than for anything else in the network. Not where most wait for a line
    /// that is in use nearly all the time: there a late acknowledgment looks like a loss. Waits before entry do not
    /// count: those messages wait for retransmissions to end.
    pub(super) fn loss(&self) -> Option<Candidate> {
        self.lost().filter(|(_, stands_out)| *stands_out).map(|(found, _)| found)
    }

    /// Losses where messages wait longer for something else: they may still be the cause, which a test run shows.
    pub(super) fn some_loss(&self) -> Option<Candidate> {
        self.lost().map(|(found, _)| found)
    }

    /// The verdict on waits for retransmission, if they are a considerable part of the lifetime, and whether they are
    /// the longest waits.
    fn lost(&self) -> Option<(Candidate, bool)> {
        let in_vain = self.much_in_vain();
        if is_saturated(self.report, self.chain) && in_vain.is_none() {
            return None;
        }
        let waits =
            || self.report.ledger.iter().filter(|row| row.is_of_every_class() && row.kind == StageKind::Wait);
        let again = waits().filter(|row| row.stage.is_retransmission());
        // Waits for a packet that is being retransmitted do not count either.
        let others = |stage: StageId| {
            !stage.is_retransmission() && !stage.is_before_entry() && !stage.is_for_missing()
        };
        let inside = waits().filter(|row| others(row.stage));
        let greatest = inside.map(|row| row.share).fold(0.0, f64::max);
        let before: f64 = waits().filter(|row| row.stage.is_before_entry()).map(|row| row.share).sum();
        // The cost of losses that the ledger does not show is part of another wait: half is most of it.
        let hidden = self.hidden_losses();
        let told = again.clone().map(|row| row.share).sum::<f64>();
        let (share, stands_out) = (told.max(hidden), told >= greatest || 2.0 * hidden >= greatest);
        let most = again.max_by(|a, b| a.share.total_cmp(&b.share));
        let is_burst = bursts(self.report, self.chain).is_some()
            && self.ranked_losses().first().is_some_and(|loss| loss.why.is_of_full_queue());
        let is_much = share >= LOSS_SHARE * (1.0 - before);
        // A smaller share is enough if messages hardly wait for anything else in the network.
        let is_most = share >= WAIT_SHARE * (1.0 - before) && share >= MOSTLY * (self.waits() - before);
        let is_so = share > 0.0 && (is_much || is_most);
        // Then the cause is bursts that fill a queue, and losses come next, unless hardly any other time is spent.
        is_so.then(|| {
            let (why, besides) = match most {
                Some(row) if row.stage.is_out_of_order() && told >= hidden => {
                    (self.out_of_order(), " Besides:")
                }
                Some(_) => ("to be sent again after they were lost or refused".to_owned(), ""),
                None => ("because their acknowledgments were lost".to_owned(), ""),
            };
            let lost = self.where_lost();
            let lost = if lost.is_empty() { lost } else { format!("{besides}{lost}") };
            let also = in_vain.map_or_else(String::new, |loss| {
                let part = percent(loss.count as f64 / loss.of as f64);
                format!(
                    " {part} of what comes to {} is out of order because of that and is sent again.",
                    loss.place.words
                )
            });
            let sentence = format!(
                "Retransmission: {} waiting {why}.{lost}{also}{}{}",
                spent(share, before),
                self.long_timeout(),
                self.told_given_up()
            );
            let weight = share + before;
            let found = match self.worst_place() {
                Some(place) => Self::at_place(Cause::Loss, &place, weight, sentence),
                None => Self::everywhere(Cause::Loss, weight, sentence),
            };
            let found = found.with_weight_stated(before == 0.0);
            (found, stands_out && (!is_burst || told >= NEARLY_ALL * (1.0 - before)))
        })
    }

    /// What rejected messages wait for, and their number where it is counted.
    fn out_of_order(&self) -> String {
        let times = match self.report.evidence.rejected {
            0 => String::new(),
            times => format!(" ({} since the run began)", amount(times, "time", "times")),
        };
        format!("to be sent again after they arrived out of order and were rejected{times}")
    }

    /// The place where a large share of arrivals is out of order after a loss: these are retransmitted, which may be
    /// why a line is full.
    fn much_in_vain(&self) -> Option<&Loss> {
        let losses = &self.report.evidence.losses;
        let is_lost = losses.iter().any(|loss| matches!(loss.why, LossWhy::LineErrors | LossWhy::Radio));
        let is_much = |loss: &&Loss| {
            loss.why == LossWhy::OutOfOrder && loss.of > 0 && loss.count as f64 >= LOSS_SHARE * loss.of as f64
        };
        losses.iter().filter(is_much).max_by_key(|loss| loss.count).filter(|_| is_lost)
    }

    /// Packets lost for good, if they are a larger share of what is sent than an interruption or a full link takes.
    pub(super) fn much_lost_for_good(&self) -> Option<Candidate> {
        let lost = lost_for_good(self.report) as f64;
        let sent = lost + self.report.measured.messages as f64;
        self.lost_for_good().filter(|_| lost >= LOSS_SHARE * sent)
    }

    /// Packets that are lost and not sent again. Nothing waits for them, so only their count is evidence: the answer
    /// where nothing else is wrong, else a runner-up.
    pub(super) fn lost_for_good(&self) -> Option<Candidate> {
        (lost_for_good(self.report) > 0).then(|| {
            let waits = self.waits().min(1.0 - f64::EPSILON);
            let rest = if self.report.measured.messages == 0 {
                "No message arrives.".to_owned()
            } else {
                format!(
                    "The lifetime of messages that arrive is {:.2} times its minimum ({} of it is waiting).",
                    1.0 / (1.0 - waits),
                    percent(waits)
                )
            };
            let sentence = format!("Loss:{} They are not sent again. {rest}", self.where_lost());
            let found = match self.worst_place() {
                Some(place) => Self::at_place(Cause::Loss, &place, waits, sentence),
                None => Self::everywhere(Cause::Loss, waits, sentence),
            };
            found.with_weight_stated(self.report.measured.messages > 0)
        })
    }

    /// Most of what is sent are retransmissions: links are not full of offered traffic. If one link is full of them,
    /// that link is the place: a faster one would carry as many.
    pub(super) fn mostly_repeated(&self) -> Option<Candidate> {
        let found = self.rejected(MOSTLY).or_else(|| self.sent_too_soon());
        let Some(found) = found else { return self.rejected_after_losses() };
        let root = self.scarce_root().filter(|&root| {
            let row = self.row(root);
            let share = self.chain.blamed(root) / self.chain.all_waiting().max(f64::MIN_POSITIVE);
            row.kind.carries_bits() && row.utilisation >= NEARLY_FULL && share >= MOSTLY
        });
        Some(match root {
            Some(root) if found.nodes.is_empty() => {
                let row = self.row(root);
                let sentence = format!(
                    "{} It fills {} ({} utilised).",
                    found.sentence,
                    words(row),
                    percent(row.utilisation)
                );
                self.at_row(Cause::Loss, root, self.weight_of(root), sentence)
            }
            _ => found,
        })
    }

    /// Packets that were not lost are sent again, because the timeout is shorter than many round trips: the copies fill
    /// links, which makes round trips still longer. Not where something failed or queues grow: then any timeout ends
    /// before packets that wait at a full link arrive.
    fn sent_too_soon(&self) -> Option<Candidate> {
        let is_calm = self.report.outcome != Outcome::Saturated && self.report.evidence.failures.is_empty();
        let is_twice = self.ranked_losses().first().is_some_and(|loss| loss.why == LossWhy::Twice);
        self.rejected(LOSS_SHARE).filter(|_| is_calm && is_twice)
    }

    /// Full queues lose packets, and receivers take those after a lost one no more: all of these are sent again. They
    /// take as much of every link on their way, so links may be full of them alone, and a faster one carries as many.
    /// Nothing waits for a copy, so the wait to be sent again tells only of a part of what this costs.
    fn rejected_after_losses(&self) -> Option<Candidate> {
        let losses = &self.report.evidence.losses;
        let is_much = |loss: &&Loss| {
            loss.why == LossWhy::OutOfOrder && loss.count as f64 >= LOSS_SHARE * (loss.of.max(1)) as f64
        };
        let most = losses.iter().filter(is_much).max_by_key(|loss| loss.count)?;
        let place = self.worst_place().filter(|_| losses.iter().any(|loss| loss.why.is_of_full_queue()))?;
        let share = most.count as f64 / most.of as f64;
        let again = |row: &LedgerRow| row.kind == StageKind::Wait && row.stage.is_retransmission();
        let sentence = format!(
            "Retransmission: {} of what comes to {} is out of order after losses and is sent again. Each packet is sent {:.1} times.{}",
            percent(share),
            most.place.words,
            1.0 / (1.0 - share).max(f64::MIN_POSITIVE),
            self.where_lost()
        );
        Some(Self::at_place(Cause::Loss, &place, self.of_life(again), sentence))
    }

    /// Messages wait at many places, none of which stands out, and much of what they wait behind are retransmissions.
    pub(super) fn repeated_at_many_places(&self) -> Option<Candidate> {
        let &(_, waiting) = self.chain.roots().first()?;
        let is_spread = waiting < WORTH_TELLING * self.chain.all_waiting();
        self.repeated(REPEATED).filter(|_| is_spread && self.waits() >= MOSTLY_WAITING)
    }

    /// Messages that their senders gave up: they no longer wait, so they are in no mean.
    pub(super) fn given_up(&self) -> Option<Candidate> {
        let told = self.told_given_up();
        let sentence = format!("Loss:{told}{}", self.where_lost());
        (!told.is_empty()).then(|| match self.worst_place() {
            Some(place) => Self::at_place(Cause::Loss, &place, self.waits(), sentence),
            None => Self::everywhere(Cause::Loss, self.waits(), sentence),
        })
    }

    /// A further sentence on a timeout that is far longer than a message's latency.
    fn long_timeout(&self) -> String {
        let rows =
            self.report.ledger.iter().filter(|row| row.is_of_every_class() && row.kind != StageKind::Wait);
        let alone_us: Option<f64> = rows.map(|row| row.estimate.map(|estimate| estimate.value)).sum();
        let (Some(timeout_s), Some(alone_us)) = (self.report.evidence.timeout_s, alone_us) else {
            return String::new();
        };
        let times = timeout_s / (alone_us * 1e-6).max(f64::MIN_POSITIVE);
        if alone_us == 0.0 || times < LONG_TIMEOUT {
            return String::new();
        }
        format!(
            " The timeout of {} is {times:.0} times as long as a message takes without waiting ({}).",
            duration(timeout_s),
            duration(alone_us * 1e-6)
        )
    }

    /// A further sentence on the number of messages given up.
    fn told_given_up(&self) -> String {
        self.report.evidence.given_up.map_or_else(String::new, |GivenUp { count, of, retries }| {
            let after = amount(u64::from(retries) + 1, "timeout", "timeouts in a row");
            format!(" {count} of {} were given up after {after}.", amount(of, "message", "messages"))
        })
    }

    /// The verdict if at least this share of what is sent fails or is refused and is sent again without long waits: the
    /// ledger counts retransmissions as service.
    pub(super) fn repeated(&self, least: f64) -> Option<Candidate> {
        self.rejected(least).or_else(|| self.failing_cable(least))
    }

    /// The verdict if at least this share of arrivals at one place is lost, refused or in vain.
    fn rejected(&self, least: f64) -> Option<Candidate> {
        let failed = |loss: &&Loss| {
            let is_hidden = loss.of > 0 && loss.each_s == 0.0;
            is_hidden && loss.count as f64 >= least * loss.of as f64
        };
        self.ranked_losses().into_iter().find(failed).map(|worst| {
            let share = worst.count as f64 / worst.of as f64;
            let how = match worst.why {
                LossWhy::LineErrors | LossWhy::Radio if self.report.evidence.never_repeats => "is lost",
                LossWhy::LineErrors | LossWhy::Radio => "is lost and is sent again",
                LossWhy::OutOfOrder => "comes out of order or twice, is not taken and is sent again",
                LossWhy::Twice => "had arrived before: it is sent again although it was only late",
                _ => "is refused and is sent again",
            };
            let sprayed = if self.report.evidence.is_sprayed && worst.why == LossWhy::OutOfOrder {
                " Packets of one message take several ways and overtake one another, and receivers take them in order only."
            } else {
                ""
            };
            // Reordered frames look lost before any timeout.
            let is_by_timeout = worst.why == LossWhy::Twice && !self.report.evidence.is_sprayed;
            let timeout = self.report.evidence.timeout_s.filter(|_| is_by_timeout);
            let timeout = timeout.map_or_else(String::new, |timeout_s| {
                format!(" The timeout of {} is shorter than many round trips.", duration(timeout_s))
            });
            let (begins, times) = if self.report.evidence.never_repeats {
                ("Loss", "It is not sent again.".to_owned())
            } else {
                let times = 1.0 / (1.0 - share).max(f64::MIN_POSITIVE);
                ("Retransmission", format!("Each packet is sent {times:.1} times."))
            };
            let (share, place) = (percent(share), &worst.place.words);
            let sentence =
                format!("{begins}: {share} of what comes to {place} {how}. {times}{sprayed}{timeout}");
            // Its share of the lifetime is unknown: retransmissions make other packets wait for the links.
            Self::at_place(Cause::Loss, &worst.place, 0.0, sentence)
        })
    }

    /// The verdict on a link that spends at least this share of its sending time on retransmitting frames that failed
    /// on its cable.
    fn failing_cable(&self, least: f64) -> Option<Candidate> {
        let repeats = |at: usize| -> f64 {
            retransmissions(self.row(at)) / self.row(at).utilisation.max(f64::MIN_POSITIVE)
        };
        let outputs =
            (0..self.report.resources.len()).filter(|&at| self.row(at).kind == ResourceKind::Output);
        let worst = outputs.max_by(|&a, &b| repeats(a).total_cmp(&repeats(b)).then(b.cmp(&a)))?;
        (repeats(worst) >= least).then(|| {
            let sentence = format!(
                "Retransmission: {} of the time in which {} sends, it sends frames again that failed on the cable.",
                percent(repeats(worst)),
                words(self.row(worst))
            );
            self.at_row(Cause::Loss, worst, self.weight_of(worst), sentence)
        })
    }

    /// The cost of losses that the ledger does not count as waits for retransmission, as a share of the lifetime.
    /// Losses of replies are within the waits for replies, an upper bound, since other packets are lost too.
    fn hidden_losses(&self) -> f64 {
        let cost: f64 = self.report.evidence.losses.iter().map(|loss| loss.count as f64 * loss.each_s).sum();
        let replies = self.of_life(|row| row.stage.hides_retransmissions());
        let waiting_s = replies * self.report.measured.span_s * self.mean_lives();
        if waiting_s > 0.0 { replies * (cost / waiting_s).min(1.0) } else { 0.0 }
    }

    /// The mean number of messages at a time, by Little's law: completions per second times the mean lifetime. Where
    /// saturated, those in the network.
    pub(super) fn mean_lives(&self) -> f64 {
        let rows = self.report.ledger.iter().filter(|row| row.is_of_every_class());
        let life_s: Option<f64> = rows.map(|row| row.estimate.map(|estimate| estimate.value * 1e-6)).sum();
        let before = self.of_life(|row| row.stage.is_before_entry());
        life_s.map_or_else(
            || 1.0 / (1.0 - before).max(f64::MIN_POSITIVE),
            |life| {
                life * self.report.measured.messages as f64
                    / self.report.measured.span_s.max(f64::MIN_POSITIVE)
            },
        )
    }

    /// The place of most losses, of those that explain them; nothing if losses are everywhere alike.
    fn worst_place(&self) -> Option<Place> {
        let worst = self.ranked_losses();
        let (first, all) = (worst.first()?, worst.iter().map(|loss| loss.count).sum::<u64>());
        let stands_out = worst.get(1).is_none_or(|next| first.count > 2 * next.count);
        (stands_out || first.count * 2 > all || first.why != LossWhy::LineErrors).then(|| first.place.clone())
    }

    /// The losses, the largest first. What a receiver rejects because an earlier packet was lost follows from that
    /// loss; not where packets overtake one another on several paths, which reorders them without any loss.
    fn ranked_losses(&self) -> Vec<&Loss> {
        let all = || self.report.evidence.losses.iter();
        let others: u64 = all().filter(|loss| !loss.why.is_in_vain()).map(|loss| loss.count).sum();
        let times = |loss: &Loss| {
            if self.report.evidence.is_sprayed && loss.why == LossWhy::OutOfOrder { 1 } else { 20 }
        };
        let mut found: Vec<&Loss> =
            all().filter(|loss| !loss.why.is_in_vain() || loss.count > times(loss) * others).collect();
        found.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.place.nodes.cmp(&b.place.nodes)));
        found
    }

    /// Further sentences on where, how often and why packets are lost.
    fn where_lost(&self) -> String {
        let ranked = self.ranked_losses();
        let Some(first) = ranked.first() else { return String::new() };
        let mut by_reason: BTreeMap<LossWhy, u64> = BTreeMap::new();
        for loss in &ranked {
            *by_reason.entry(loss.why).or_default() += loss.count;
        }
        let all: u64 = by_reason.values().sum();
        let worth = by_reason.iter().filter(|(_, count)| **count as f64 >= LEAST_REASON * all as f64);
        let [one, many] = units_of_loss(self.report);
        let told = |(why, &count): (&LossWhy, &u64)| {
            let were = match (why, count) {
                (LossWhy::Twice, _) => "",
                (_, 1) => "was ",
                (_, _) => "were ",
            };
            format!("{} {were}{}", amount(count, one, many), why.word())
        };
        let reasons: Vec<String> = worth.map(told).collect();
        let (reasons, place) = (reasons.join(", "), &first.place.words);
        let of = if first.of > 0 { format!(" of {}", first.of) } else { String::new() };
        match (ranked.len(), first.count) {
            (1, 1) if first.of == 0 => format!(" {reasons}, at {place}."),
            (1, _) if first.of == 0 => format!(" {reasons}, all at {place}."),
            (1, count) => format!(" {reasons}, all at {place} ({count}{of})."),
            (_, count) => format!(" {reasons}; most at {place} ({count}{of})."),
        }
    }
}

/// A clause on the share of the lifetime that messages spend on something; `before` is the share of waiting to enter.
/// If that is most of the lifetime, the share of the time in the network is given instead.
fn spent(share: f64, before: f64) -> String {
    if before < 0.5 {
        return format!("messages spend {} of their lifetime", percent(share));
    }
    let inside = percent((share / (1.0 - before)).min(1.0));
    format!(
        "messages wait {} of their lifetime to enter the network. Inside it, they spend {inside} of their time",
        percent(before)
    )
}
