//! The answer in one sentence.

use hopscope_measure::{Charged, HoldCause, Nature, Outcome, Report, ResourceRow, StageKind};
use serde::Serialize;

use crate::chain::Chain;
use crate::pressure::pressure;
use crate::round_trip::{full_windows, longest_at};
use crate::symptom::{Symptom, names};
use crate::symptoms::head_of_line_blocking::{Blocked, blocked};
use crate::symptoms::phasing::{Crossed, crossed};
use crate::symptoms::saturated_line::is_saturated;
use crate::thresholds::{HELD_BACK, LOSS_SHARE, SCARCE, SPARE, WAIT_SHARE};
use crate::words::{capitalised, percent, whole, words};

/// What was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Found {
    /// There is no bottleneck.
    Nothing,
    /// A resource is the bottleneck.
    Resource,
    /// What was lost or refused must be sent again.
    Loss,
    /// The sender has as much outstanding as it may.
    Window,
    /// Two scarce resources are held by messages that need the other one.
    Circle,
    /// Messages wait for one another for ever.
    Deadlock,
    /// No resource is the bottleneck, yet more is offered than is carried, or messages are held back.
    Blocking,
}

/// The answer.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Verdict {
    /// What was found.
    pub found: Found,
    /// The resource behind it in words; nothing where there is none.
    pub resource: Option<String>,
    /// Its place, as the report names it.
    pub place: Option<String>,
    /// The answer in one sentence.
    pub sentence: String,
    #[serde(skip)]
    root: Option<usize>,
}

impl Verdict {
    /// The verdict on a report.
    #[must_use]
    pub fn new(report: &Report, chain: &Chain, symptoms: &[Symptom]) -> Self {
        let judge = Judge { report, chain };
        if let Some(stuck) = &report.stuck {
            return judge.of(Found::Deadlock, None, format!("Deadlock: {}.", stuck.reason));
        }
        judge
            .crossed()
            .or_else(|| judge.loss())
            .or_else(|| judge.bottleneck())
            .or_else(|| judge.blocked(symptoms))
            .or_else(|| judge.window())
            .unwrap_or_else(|| judge.nothing(symptoms))
    }

    /// The rows from where the waiting for the bottleneck begins to the bottleneck; none where nothing was found.
    pub(crate) fn path(&self, chain: &Chain) -> Vec<usize> {
        let root = self.root.filter(|_| self.found != Found::Nothing);
        root.map_or_else(Vec::new, |root| chain.path(chain.start_of(root)))
    }
}

struct Judge<'a> {
    report: &'a Report,
    chain: &'a Chain,
}

impl Judge<'_> {
    fn row(&self, row: usize) -> &ResourceRow {
        &self.report.resources[row]
    }

    fn of(&self, found: Found, root: Option<usize>, sentence: String) -> Verdict {
        let row = root.map(|root| self.row(root));
        Verdict { found, resource: row.map(words), place: row.map(|row| row.place.clone()), sentence, root }
    }

    /// Messages that wait for a resource or are served by one, on average.
    fn under_way(&self) -> f64 {
        let working = self.report.resources.iter().filter(|row| row.kind.nature() == Nature::Works);
        working.map(|row| row.occupancy).sum::<f64>() + self.chain.all_waiting()
    }

    /// Losses and refusals: being sent again is waited for longer than anything else is. Not where most waits for a
    /// line that is in use nearly all the time: there an answer that is only late looks lost.
    fn loss(&self) -> Option<Verdict> {
        if is_saturated(self.report, self.chain) {
            return None;
        }
        let waits =
            || self.report.ledger.iter().filter(|row| row.class == "all" && row.kind == StageKind::Wait);
        let again = waits().filter(|row| row.stage.is_retransmission());
        let greatest = waits().filter(|row| !row.stage.is_retransmission()).map(|row| row.share);
        let share = again.clone().map(|row| row.share).sum::<f64>();
        let most = again.max_by(|a, b| a.share.total_cmp(&b.share))?;
        (share >= LOSS_SHARE && share >= greatest.fold(0.0, f64::max)).then(|| {
            let why = if most.stage.is_out_of_order() {
                "arrived out of order and were rejected"
            } else {
                "were lost or refused"
            };
            let sentence = format!(
                "Retransmission: messages spend {} of their lifetime waiting to be sent again after they {why}.",
                percent(share)
            );
            self.of(Found::Loss, None, sentence)
        })
    }

    /// Two scarce resources, each held by messages that need the other one.
    fn crossed(&self) -> Option<Verdict> {
        let Crossed { rows: [first, second], shares: [there, back] } = crossed(self.report, self.chain)?;
        let used = |row: usize| percent(self.row(row).utilisation);
        let [one, other] = [first, second].map(|row| words(self.row(row)));
        let sentence = format!(
            "{one} ({} in use) and {other} ({} in use) block each other: {} of the former is held by messages that need the latter, and \
             {} of the latter by messages that need the former.{}",
            used(first),
            used(second),
            percent(there),
            percent(back),
            self.busiest_line()
        );
        Some(self.of(Found::Circle, Some(first), capitalised(&sentence)))
    }

    /// The root behind most of the waiting, if it is scarce.
    fn bottleneck(&self) -> Option<Verdict> {
        let under_way = self.under_way();
        let is_scarce = |&&(root, waiting): &&(usize, f64)| {
            waiting >= WAIT_SHARE * under_way && pressure(self.row(root)) >= SCARCE
        };
        let weight =
            |&(root, waiting): &(usize, f64)| waiting / (1.0 + SPARE - pressure(self.row(root)).min(1.0));
        let candidates = self.chain.roots().iter().filter(is_scarce);
        let &(root, waiting) =
            candidates.max_by(|a, b| weight(a).total_cmp(&weight(b)).then(b.0.cmp(&a.0)))?;
        let row = self.row(root);
        let share = waiting / self.chain.all_waiting();
        let found = if row.kind.is_window() { Found::Window } else { Found::Resource };
        let told = self.told(self.chain.start_of(root), root);
        let sentence = match row.kind.nature() {
            Nature::Works => format!(
                "Bottleneck: {} ({} utilised; {} of all waiting is upstream of it).{told}",
                words(row),
                percent(row.utilisation),
                percent(share)
            ),
            Nature::Held | Nature::Queue => format!(
                "Bottleneck: {} ({} in use on average; {} of all waiting is there). What the holders wait for is less scarce.{told}{}",
                words(row),
                percent(row.utilisation),
                percent(share),
                self.busiest_line()
            ),
        };
        Some(self.of(found, Some(root), sentence))
    }

    /// How the waiters come to depend on the root, as a sentence after another one.
    fn told(&self, start: usize, root: usize) -> String {
        if start == root {
            return String::new();
        }
        let (first, needed) = (self.row(start), words(self.row(root)));
        let step = self.chain.step(start);
        let share = percent(step.map_or(0.0, |step| step.held_share));
        let cause = step.and_then(|step| step.cause).map(HoldCause::word);
        let sentence = match (first.kind.nature(), cause) {
            (Nature::Queue, _) => format!("what is in {} waits for {needed}.", words(first)),
            (_, None) => format!("whoever holds some of {} waits for {needed}.", words(first)),
            (Nature::Held, Some(cause)) => {
                format!("{share} of the holders of {} are: {cause}; they wait for {needed}.", words(first))
            }
            (Nature::Works, Some(cause)) => {
                format!(
                    "{} is {cause} {share} of the time it is allocated, waiting for {needed}.",
                    words(first)
                )
            }
        };
        format!(" {}", capitalised(&sentence))
    }

    /// How busy the busiest line is, as a sentence after another one.
    fn busiest_line(&self) -> String {
        let lines = self.report.resources.iter().filter(|row| row.kind.carries_bits());
        let busiest = lines.map(|row| row.utilisation).reduce(f64::max);
        busiest.map_or(String::new(), |used| format!(" The busiest line is {} utilised.", percent(used)))
    }

    /// A window that is full all the time while nothing that its holders need is scarce.
    fn window(&self) -> Option<Verdict> {
        let widest = |a: &(usize, &ResourceRow), b: &(usize, &ResourceRow)| {
            a.1.utilisation.total_cmp(&b.1.utilisation).then(b.0.cmp(&a.0))
        };
        let (at, row) = full_windows(self.report).max_by(widest)?;
        let root = self.chain.root_of(at);
        if root != at && pressure(self.row(root)) >= SCARCE {
            let busy = self.row(root);
            let sentence = format!(
                "Bottleneck: {} ({} utilised). The {} {} in {} wait for it.",
                words(busy),
                percent(pressure(busy)),
                whole(row.occupancy),
                row.unit,
                words(row)
            );
            return Some(self.of(Found::Resource, Some(root), sentence));
        }
        if let Some((worker, share)) = longest_at(self.report) {
            let sentence = format!(
                "Bottleneck: {}. {} of each round trip is spent there, and {} is full {} of the time.",
                words(self.row(worker)),
                percent(share),
                words(row),
                percent(row.utilisation),
            );
            return Some(self.of(Found::Resource, Some(worker), sentence));
        }
        let longest = self.report.ledger.iter().filter(|row| row.class == "all");
        let longest = longest.max_by(|a, b| a.share.total_cmp(&b.share));
        let spent = longest.map_or(String::new(), |stage| {
            format!(" The longest stage of a round trip is {} ({}).", stage.stage, percent(stage.share))
        });
        let sentence = format!(
            "Bottleneck: {}. All {} {} are outstanding {} of the time, so throughput is the window over the round trip.{spent}",
            words(row),
            whole(row.capacity.unwrap_or(row.occupancy)),
            row.unit,
            percent(row.utilisation)
        );
        Some(self.of(Found::Window, Some(at), sentence))
    }

    /// The share of a message's life that it waits for what the ledger names so.
    fn waits_for(&self, is_meant: fn(Charged) -> bool) -> f64 {
        let waits = self.report.ledger.iter().filter(|row| row.class == "all" && row.kind == StageKind::Wait);
        waits.filter(|row| is_meant(row.resource)).map(|row| row.share).sum()
    }

    /// Messages wait behind others in input buffers, though the links that those in front need have time to spare. Not
    /// where those in front wait for a window: then it is too small for the way.
    fn blocked(&self, symptoms: &[Symptom]) -> Option<Verdict> {
        let Blocked { worst, there, busy, .. } = blocked(self.report)?;
        let (behind, room) =
            (self.waits_for(Charged::is_behind_others), self.waits_for(Charged::is_room_downstream));
        let is_saturated = self.report.outcome == Outcome::Saturated;
        if !(is_saturated || behind + room >= HELD_BACK)
            || self.row(self.chain.root_of(worst)).kind.is_window()
        {
            return None;
        }
        let what = if is_saturated {
            "Saturated: messages wait".to_owned()
        } else {
            format!("Messages spend {} of their lifetime waiting", percent(behind + room))
        };
        let front = match self.chain.step(worst).map(|step| self.row(step.row)) {
            None => "the heads need many links, none of them a fifth of the time".to_owned(),
            Some(row) => {
                format!("the heads mostly need {} ({} utilised)", words(row), percent(row.utilisation))
            }
        };
        let sentence = format!(
            "{what} behind others in input buffers or for room in them, although the links that the heads need are {} utilised on \
             average ({}). {} of those behind others wait in {}, where {front}.",
            percent(busy),
            names(symptoms),
            percent(there),
            words(self.row(worst))
        );
        Some(self.of(Found::Blocking, Some(worst), sentence))
    }

    /// Messages are held back by what is full further down, at one place after another: bursts, none of which lasts.
    fn held_back(&self, symptoms: &[Symptom]) -> Option<Verdict> {
        let share = self.waits_for(Charged::is_room_downstream);
        let &(root, waiting) = self.chain.roots().first()?;
        let row = self.row(root);
        (share >= HELD_BACK).then(|| {
            let seen = if symptoms.is_empty() { String::new() } else { format!(" ({})", names(symptoms)) };
            let sentence = format!(
                "Back-pressure: messages wait for room downstream for {} of their lifetime, although no resource is fully \
                 utilised{seen}. {} of all waiting is upstream of {} ({} utilised).",
                percent(share),
                percent(waiting / self.chain.all_waiting()),
                words(row),
                percent(row.utilisation)
            );
            self.of(Found::Blocking, Some(root), sentence)
        })
    }

    /// No bottleneck, or none that works, although more is offered than carried.
    fn nothing(&self, symptoms: &[Symptom]) -> Verdict {
        if self.report.outcome == Outcome::Saturated {
            return self.saturated(symptoms);
        }
        self.held_back(symptoms).unwrap_or_else(|| self.no_bottleneck(symptoms))
    }

    fn saturated(&self, symptoms: &[Symptom]) -> Verdict {
        let root = self.chain.roots().first().map(|&(root, _)| root);
        let busy = root.map_or(String::new(), |root| {
            let row = self.row(root);
            format!(" Most waiting is upstream of {} ({} utilised).", words(row), percent(row.utilisation))
        });
        let named = if symptoms.is_empty() { "blocking".to_owned() } else { names(symptoms) };
        let sentence = format!("Saturated, although no resource is fully utilised: {named}.{busy}");
        self.of(Found::Blocking, root, sentence)
    }

    fn no_bottleneck(&self, symptoms: &[Symptom]) -> Verdict {
        let busiest = self.report.resources.iter().filter(|row| row.kind.nature() == Nature::Works);
        let busiest = busiest.max_by(|a, b| a.utilisation.total_cmp(&b.utilisation));
        let told = busiest.map_or(String::new(), |row| {
            format!(" The busiest resource is {} ({} utilised).", words(row), percent(row.utilisation))
        });
        let waits = self.report.ledger.iter().filter(|row| row.class == "all" && row.kind == StageKind::Wait);
        let share = percent(waits.map(|row| row.share).sum());
        let also =
            if symptoms.is_empty() { String::new() } else { format!(" Also seen: {}.", names(symptoms)) };
        let sentence =
            format!("No bottleneck.{told} Messages spend {share} of their lifetime waiting.{also}");
        self.of(Found::Nothing, None, sentence)
    }
}
