//! Blocking: messages wait behind others that need something else.

use hopscope_measure::{Charged, Outcome, ResourceKind, Site, StageId};

use super::{Candidate, Judge};
use crate::cause::Cause;
use crate::pressure::pressure_at;
use crate::symptom::names;
use crate::symptoms::head_of_line_blocking::{Blocked, blocked, goes_one_way};
use crate::thresholds::{FULL_OUTPUT, HELD_BACK, MOSTLY, WORTH_TELLING};
use crate::words::{is_the_limit, it, percent, words};

impl Judge<'_> {
    /// Messages wait behind others in input buffers, although the links that the heads need have spare time. Not if the
    /// heads wait for a window: then it is too small for its round trip.
    pub(super) fn blocked(&self) -> Option<Candidate> {
        let Blocked { worst, there, busy, .. } = blocked(self.report)?;
        let (behind, room) =
            (self.waits_for(Charged::is_behind_others), self.waits_for(Charged::is_room_downstream));
        let room = room + self.waits_for_stopped_links();
        let is_saturated = self.report.outcome == Outcome::Saturated;
        if !(is_saturated || behind + room >= HELD_BACK)
            || self.row(self.chain.root_of(worst)).kind.is_window()
        {
            return None;
        }
        if let Some(lanes) = self.chain.step(worst).and_then(|step| self.shared_lane(step.row)) {
            return Some(lanes);
        }
        if goes_one_way(self.report, self.row(worst)) {
            return None;
        }
        let what = if is_saturated {
            "the network is saturated, and messages wait".to_owned()
        } else {
            format!("messages spend {} of their lifetime waiting", percent(behind + room))
        };
        let front = match self.chain.step(worst).map(|step| self.row(step.row)) {
            None => {
                "the packets in front wait for many links, none for more than a fifth of the time".to_owned()
            }
            Some(row) => format!(
                "the packets in front mostly need {} ({} utilised)",
                words(row),
                percent(row.utilisation)
            ),
        };
        let place = if there >= WORTH_TELLING {
            format!(
                "{} of the packets behind others wait in {}, where {front}.",
                percent(there),
                words(self.row(worst))
            )
        } else {
            "It happens in many input buffers.".to_owned()
        };
        let sentence = format!(
            "Head-of-line blocking: {what} behind other packets in input buffers or for room in these buffers, although the outputs that \
             the packets in front need are only {} utilised on average. {place}{}",
            percent(busy),
            self.also_queued(),
        );
        let weight = (behind + room).max(self.weight_of(worst));
        let weight_stated = !is_saturated && self.weight_of(worst) <= behind + room;
        Some(self.at_switch(worst, weight, sentence).with_weight_stated(weight_stated))
    }

    /// A further sentence on the wait in the queues of hosts, if that is most of the lifetime: any change that moves
    /// messages on faster in the network shortens it too.
    fn also_queued(&self) -> String {
        let queued = self.of_life(|row| row.stage == StageId::SendQueue) - self.waits_for_stopped_links();
        if queued < MOSTLY {
            return String::new();
        }
        format!(" Messages wait behind others in their own hosts for {} of their lifetime.", percent(queued))
    }

    /// The share of the lifetime in which messages wait in hosts for links that are stopped by input buffers at their
    /// far ends. Not if these buffers wait for a full output, which explains its waiters itself.
    fn waits_for_stopped_links(&self) -> f64 {
        let rows = 0..self.report.resources.len();
        let is_stopped = |&at: &usize| {
            let next = self.chain.step(at).map(|step| self.row(step.row).kind);
            matches!(self.row(at).site, Site::Host(_))
                && next == Some(ResourceKind::InputFifo)
                && pressure_at(self.report, self.chain.root_of(at)) < FULL_OUTPUT
        };
        let waiting: f64 = rows.filter(is_stopped).map(|at| self.chain.waiting(at)).sum();
        self.waits() * waiting / self.chain.all_waiting().max(f64::MIN_POSITIVE)
    }

    /// Messages wait for room downstream: at changing places, because of short bursts; or at one place, because of a
    /// window that is too small for its round trip.
    pub(super) fn held_back(&self) -> Option<Candidate> {
        let share = self.waits_for(Charged::is_room_downstream);
        let &(root, waiting) = self.chain.roots().first()?;
        let row = self.row(root);
        (share >= HELD_BACK).then(|| {
            if row.kind.is_window() {
                let them = it(row);
                let sentence = format!(
                    "Bottleneck: {} ({} in use on average; {} of all waiting is for {them}). Messages wait for room downstream for {} of \
                     their lifetime. Nothing behind {them} is full, so {}.",
                    words(row),
                    percent(row.utilisation),
                    percent(waiting / self.chain.all_waiting()),
                    percent(share),
                    is_the_limit(row)
                );
                return self.at_row(Cause::Window, root, share, sentence).with_weight_stated(true);
            }
            let seen = if self.symptoms.is_empty() {
                String::new()
            } else {
                format!(" ({})", names(self.symptoms))
            };
            let there = waiting / self.chain.all_waiting();
            let most = format!("{} of all waiting, is for {}", percent(there), words(row));
            let place = if there < WORTH_TELLING {
                format!("No place stands out: the largest part, only {most}")
            } else {
                format!("The largest part, {most}")
            };
            let sentence = format!(
                "Back-pressure: messages wait for room downstream for {} of their lifetime, at many places{seen}. \
                 {place} ({} utilised).",
                percent(share),
                percent(row.utilisation)
            );
            self.at_row(Cause::Blocking, root, share, sentence).with_weight_stated(true)
        })
    }

    /// Blocking in an input buffer is placed at its switch: which input is worst is chance.
    fn at_switch(&self, fifo: usize, weight: f64, sentence: String) -> Candidate {
        let found = self.at_row(Cause::Blocking, fifo, weight, sentence);
        let switch = self.row(fifo).ends.as_ref().map(|[_, switch]| vec![switch.clone()]);
        Candidate { nodes: switch.unwrap_or(found.nodes), ..found }
    }
}
