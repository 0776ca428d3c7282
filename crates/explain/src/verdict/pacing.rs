//! Senders that congestion control limits: by which law, and because of which marks.

use hopscope_measure::{Marking, ResourceKind, StageId};

use super::{Candidate, Judge};
use crate::cause::Cause;
use crate::thresholds::{ALIKE, ALL_FULL, FULL_OUTPUT, MARKED, MOSTLY, PEERS, SHORT_QUEUE};
use crate::words::{bytes, percent, words};

impl Judge<'_> {
    /// A sentence: messages wait for rates or windows of congestion control while links have spare time.
    pub(super) fn paced(&self, limiter: usize, share: f64) -> String {
        let most = match self.senders_alike() {
            Some(senders) => format!("all {senders} senders alike"),
            None => format!(
                "the largest part for {} ({} of all waiting)",
                words(self.row(limiter)),
                percent(share)
            ),
        };
        let (cause, otherwise) = match self.row(limiter).kind {
            ResourceKind::FlowWindow => ("Window", "the window of their flow"),
            _ => ("Rate control", "the rate of their flow"),
        };
        format!(
            "{cause}: messages wait for {} for {} of their lifetime, {most}.{}{}",
            self.what_is_waited_for(otherwise),
            percent(self.of_life(|row| row.stage.waits_to_send())),
            self.busiest_line(),
            self.marked()
        )
    }

    /// The verdict on messages that wait mostly for the rate or window of their sender, at one sender or at all.
    pub(super) fn senders_limit(&self, limiter: usize, sending: f64) -> Candidate {
        let sentence = format!(
            "Senders limit throughput: messages wait {} of their lifetime for {}{}.{}{}",
            percent(sending),
            self.what_is_waited_for("the rates or windows of their senders"),
            self.senders_alike().map_or(String::new(), |senders| format!(", all {senders} senders alike")),
            self.busiest_line(),
            self.marked()
        );
        let class = super::mechanism::class_of(self.row(limiter));
        self.everywhere_if_alike(self.at_row(class, limiter, self.weight_of(limiter), sentence))
    }

    /// The windows of flows before a link with time to spare. A law that opens its windows until packets queue keeps a
    /// link busy: where flows wait for their windows most of the time and the link still idles, these are too small for
    /// their round trip, because of early marks or of losses in a short queue. Not where the link is full as long as a
    /// round lasts, and idle between rounds.
    pub(super) fn small_windows(&self, link: usize) -> Option<Candidate> {
        let waits = self.of_life(|row| row.stage == StageId::WindowWait);
        let idles = |row: usize| self.row(row).kind.carries_bits() && self.row(row).utilisation < FULL_OUTPUT;
        let mut rounds = self.report.evidence.incasts.iter().filter(|incast| incast.row == Some(link));
        let is_full_in_rounds = rounds.any(|incast| incast.sent_s >= FULL_OUTPUT * incast.round_s);
        if self.report.evidence.law.is_none() || waits < MOSTLY || !idles(link) || is_full_in_rounds {
            return None;
        }
        let rows = self.report.resources.iter().enumerate();
        let windows = rows.filter(|(_, row)| row.kind == ResourceKind::FlowWindow);
        let most = windows.max_by(|a, b| a.1.waiting.total_cmp(&b.1.waiting).then(b.0.cmp(&a.0)))?.0;
        let share = self.chain.waiting(most) / self.chain.all_waiting().max(f64::MIN_POSITIVE);
        let found = self.at_row(Cause::Window, most, waits, self.paced(most, share));
        Some(self.everywhere_if_alike(found))
    }

    /// A cause that limits all senders equally has no place.
    pub(super) fn everywhere_if_alike(&self, found: Candidate) -> Candidate {
        let is_of_a_sender = found.root.is_some_and(|root| is_limiter(self.row(root).kind));
        if is_of_a_sender && self.senders_alike().is_some() {
            Candidate { nodes: Vec::new(), ..found }
        } else {
            found
        }
    }

    /// The number of limited senders, if nearly all are limited equally.
    fn senders_alike(&self) -> Option<usize> {
        let limiters = self.report.resources.iter().filter(|row| is_limiter(row.kind));
        let waiting: Vec<f64> = limiters.map(|row| row.waiting).filter(|waiting| *waiting > 0.0).collect();
        let most = waiting.iter().copied().fold(0.0, f64::max);
        let alike = waiting.iter().filter(|waiting| **waiting >= ALIKE * most).count();
        let are = waiting.len() >= PEERS && alike as f64 >= ALL_FULL * waiting.len() as f64;
        are.then_some(waiting.len())
    }

    /// The resource that a law makes messages wait for, by the stage with the longest waits; `otherwise` if none is
    /// known.
    fn what_is_waited_for(&self, otherwise: &str) -> String {
        let Some(law) = &self.report.evidence.law else { return otherwise.to_owned() };
        let of = |stage: StageId| self.of_life(|row| row.stage == stage);
        let stages = [StageId::Pacing, StageId::WindowWait, StageId::PullWait];
        match stages.into_iter().max_by(|a, b| of(*a).total_cmp(&of(*b))) {
            Some(StageId::Pacing) => format!("the rates of {law}"),
            Some(StageId::WindowWait) => format!("the windows of {law}"),
            Some(StageId::PullWait) => "the pulls of their receivers".to_owned(),
            _ => otherwise.to_owned(),
        }
    }

    /// A further sentence on the queue from which frames are marked, if many are marked while all links have spare
    /// time, or if a queue of a frame or two is enough.
    fn marked(&self) -> String {
        let Some(Marking { from, all, frame, marked }) = self.report.evidence.marking else {
            return String::new();
        };
        let share = percent(marked);
        if all < SHORT_QUEUE * frame && marked > 0.0 {
            return format!(
                " ECN marks every frame that leaves more than {} behind, which one frame of {} that waits makes: {share} were marked.",
                bytes(all),
                bytes(frame)
            );
        }
        if marked < MARKED {
            return String::new();
        }
        format!(" ECN marks frames from a queue of {} on: {share} were marked.", bytes(from))
    }
}

/// Whether a resource of this kind limits a sender's flows.
const fn is_limiter(kind: ResourceKind) -> bool {
    matches!(kind, ResourceKind::RateLimiter | ResourceKind::FlowWindow)
}
