//! Interruptions: something did not work for a while, and messages that arrived meanwhile waited.

use hopscope_measure::{Failure, Interruption, InterruptionWhy, LossWhy, Nature, Place, StageKind};
use hopscope_units::amount;

use super::{Candidate, Judge};
use crate::cause::Cause;
use crate::thresholds::{INTERRUPTED, INTERRUPTED_TIME, INTERRUPTED_WAITS, MET_WAIT, NEARLY_ALL};
use crate::words::{duration, percent};

impl Judge<'_> {
    /// The interruption that explains most of the waiting, if that is at least `INTERRUPTED`.
    ///
    /// Of random arrivals in a time T, a share L/T comes during an interruption of length L and waits for half of it on
    /// average; while the backlog is worked off, later arrivals wait as well. As a fluid, the mean wait is L^2/2T over
    /// the free share of the place's time (Kleinrock 1975, vol. 2, chapter 2). In a closed loop, where a message is
    /// sent when the previous one has gone, only the messages in flight wait for the interruption.
    pub(super) fn interruption(&self) -> Option<Candidate> {
        let (span, waits) = (self.report.measured.span_s, self.waits());
        let wait_s = self.mean_wait_s()?.max(f64::MIN_POSITIVE);
        let caught = self.most_caught();
        let is_met = |one: &&Interruption| one.why == InterruptionWhy::OtherWork || self.may_be_met(one);
        let explained = |one: &Interruption| {
            let spare = (1.0 - one.total_s / span - self.most_used_at(&one.place)).max(0.1);
            let fluid_s = one.squares_s2 / (2.0 * span * spare);
            let each_s = caught.map_or(fluid_s, |caught| fluid_s.min(caught * one.total_s));
            (each_s / wait_s).min(1.0)
        };
        let met = self.report.evidence.interruptions.iter().filter(is_met);
        let worst = met.max_by(|a, b| explained(a).total_cmp(&explained(b)))?;
        let share = explained(worst);
        (waits >= INTERRUPTED_WAITS && share >= INTERRUPTED).then(|| {
            let Interruption { why, place, .. } = worst;
            let what = match why {
                InterruptionWhy::Fault => "failed",
                InterruptionWhy::Reconfiguration => "failed or came back",
                InterruptionWhy::SilentHost => "stopped taking messages",
                InterruptionWhy::OtherWork => "did routing computations and other work of higher priority",
            };
            let much =
                if share >= NEARLY_ALL { "nearly all".to_owned() } else { format!("about {}", percent(share)) };
            let sentence = format!(
                "Interruption: {} {what} {}. {} This explains {much} of the waiting ({} of message lifetimes).",
                place.words,
                self.when(worst),
                self.stood_still(worst),
                percent(waits),
            );
            Self::at_place(Cause::Interruption, place, waits * share, sentence)
        })
    }

    /// Whether messages may have waited for the end of an interruption. They wait for half of it on average, or in the
    /// queues of a detour: if not even the pair of hosts with the longest waits waits for a considerable part of that,
    /// no messages met it. Packets that are lost for good did meet it, but do not wait.
    fn may_be_met(&self, one: &Interruption) -> bool {
        let evidence = &self.report.evidence;
        let fluid_s = one.squares_s2 / (2.0 * self.report.measured.span_s);
        let each_s = self.most_caught().map_or(fluid_s, |caught| fluid_s.min(caught * one.total_s));
        let longest = evidence.pairs.iter().map(|pair| pair.wait_us * 1e-6).reduce(f64::max);
        let is_lost = !evidence.sends_again && self.lost_by_failures() > 0;
        is_lost || longest.is_none_or(|longest| longest >= MET_WAIT * each_s)
    }

    /// A failure for a considerable part of the time, where another cause explains the waiting in this run: traffic
    /// that a detour could not carry waits elsewhere, which a test run shows.
    pub(super) fn some_failure(&self) -> Option<Candidate> {
        let span = self.report.measured.span_s.max(f64::MIN_POSITIVE);
        let all = self.report.evidence.interruptions.iter();
        let failed = all.filter(|one| one.why == InterruptionWhy::Fault);
        let worst = failed.max_by(|a, b| a.squares_s2.total_cmp(&b.squares_s2))?;
        (worst.total_s >= INTERRUPTED_TIME * span).then(|| {
            let sentence = format!(
                "Interruption: {} failed {}. {} Messages spend {} of their lifetime waiting.",
                worst.place.words,
                self.when(worst),
                self.stood_still(worst),
                percent(self.waits())
            );
            Self::at_place(Cause::Interruption, &worst.place, 0.0, sentence)
        })
    }

    /// A clause on how often something was interrupted, and when first. Interruptions during the warm-up are not
    /// counted.
    fn when(&self, one: &Interruption) -> String {
        let Interruption { count, first_s, .. } = one;
        let first = duration(*first_s);
        if *count == 1 {
            return format!("at {first}");
        }
        // A processor is interrupted by other work all the time.
        if one.why == InterruptionWhy::OtherWork {
            return format!("{count} times");
        }
        let of_measured = if self.report.warmup.until_s > 0.0 { " in the measurement" } else { "" };
        format!("{count} times{of_measured}, first at {first}")
    }

    /// A sentence on how long an interruption stopped messages, and on what faults destroyed.
    fn stood_still(&self, one: &Interruption) -> String {
        let Interruption { count, total_s, .. } = one;
        let in_all = if *count == 1 { "" } else { " in all" };
        let lost = self.report.evidence.losses.iter().filter(|loss| loss.why == LossWhy::Fault);
        let lost = match lost.map(|loss| loss.count).sum::<u64>() {
            0 => String::new(),
            count => format!(", and {}", amount(count, "transmission was lost", "transmissions were lost")),
        };
        format!(
            "Messages stood still for {}{in_all} ({} of the time){lost}.",
            duration(*total_s),
            percent(total_s / self.report.measured.span_s.max(f64::MIN_POSITIVE))
        )
    }

    /// A failure that loses packets: the answer where nothing else is wrong, even if messages hardly wait on average.
    /// Lost packets wait for retransmission, or never arrive.
    pub(super) fn failure(&self) -> Option<Candidate> {
        let lost = self.lost_by_failures();
        let first = self.report.evidence.failures.first().filter(|_| lost > 0)?;
        let Failure { place, from_s, until_s } = first;
        let others = self.report.evidence.failures.len() - 1;
        let more = match others {
            0 => String::new(),
            _ => format!(", the first of {} failures", others + 1),
        };
        let until = until_s
            .map_or_else(|| "stayed down".to_owned(), |until| format!("came back at {}", duration(until)));
        let waits = self.waits().min(1.0 - f64::EPSILON);
        let for_good = match (self.report.evidence.sends_again, lost) {
            (true, _) => "",
            (false, 1) => " It is not sent again.",
            (false, _) => " They are not sent again.",
        };
        let sentence = format!(
            "Fault: {} failed at {} and {until}{more}. {}.{for_good} The lifetime of messages that arrive is {:.2} times its \
             minimum ({} of it is waiting).",
            place.words,
            duration(*from_s),
            amount(lost, "packet was lost", "packets were lost"),
            1.0 / (1.0 - waits),
            percent(waits)
        );
        Some(Self::at_place(Cause::Interruption, place, waits, sentence).with_weight_stated(true))
    }

    /// The number of packets lost because of failures.
    fn lost_by_failures(&self) -> u64 {
        let is_so = |why: LossWhy| matches!(why, LossWhy::Fault | LossWhy::LinkDown | LossWhy::NoRoute);
        self.report.evidence.losses.iter().filter(|loss| is_so(loss.why)).map(|loss| loss.count).sum()
    }

    /// The share of messages that one interruption can delay in a closed loop, where no queue grows at a source: those
    /// in flight. Nothing where arrivals do not depend on deliveries.
    fn most_caught(&self) -> Option<f64> {
        let messages = self.report.measured.messages;
        (self.is_closed() && messages > 0).then(|| self.mean_lives() / messages as f64)
    }

    /// The utilisation of the busiest working resource at a place, 0 to 1: it determines how soon a backlog is worked
    /// off.
    fn most_used_at(&self, place: &Place) -> f64 {
        let there = self.report.resources.iter().filter(|row| {
            let nodes = row.nodes();
            row.kind.nature() == Nature::Works && nodes.iter().any(|node| place.nodes.contains(node))
        });
        there.map(|row| row.utilisation).fold(0.0, f64::max)
    }

    /// Mean wait of a message, seconds: from the ledger, or by Little's law where saturated.
    fn mean_wait_s(&self) -> Option<f64> {
        let rows =
            self.report.ledger.iter().filter(|row| row.is_of_every_class() && row.kind == StageKind::Wait);
        let told: Option<f64> = rows.map(|row| row.estimate.map(|estimate| estimate.value * 1e-6)).sum();
        told.or_else(|| {
            let messages = self.report.measured.messages;
            (messages > 0).then(|| self.chain.all_waiting() * self.report.measured.span_s / messages as f64)
        })
    }
}
