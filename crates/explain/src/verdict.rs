//! The answer in one sentence.

use hopscope_measure::{Outcome, Report, ResourceRow};
use serde::Serialize;

use crate::chain::{Chain, ChainLink};
use crate::nature::{Nature, pressure, words};
use crate::round_trip::{full_windows, is_window, longest_at};
use crate::symptom::{Symptom, percent};
use crate::symptoms::head_of_line_blocking::{Blocked, blocked};
use crate::symptoms::phasing::{Crossed, crossed};
use crate::symptoms::retransmission_trap::OUT_OF_ORDER;
use crate::symptoms::saturated_line::is_saturated;

/// Waiting counts where it is at least this share of the messages that wait or are served anywhere.
const WAIT_SHARE: f64 = 0.1;

/// A resource counts as short where it has nothing to spare for at least this share of the time.
const SHORT: f64 = 0.6;

/// Waiting grows as 1/(1 - use), so of two resources with as many waiters the one with less to spare is the shorter. This keeps what is
/// used all the time from counting without bound.
const SPARE: f64 = 0.05;

/// Losses are the cause where waits for retransmissions take at least this share of a message's life.
const LOSS_SHARE: f64 = 0.2;

/// Messages are held back where they wait behind one another in input buffers, or for room further down, for at least this share of their
/// life. Nobody needs either: with queues at the outputs, and room in them, all would wait for their own output and for nothing else. So what
/// such waits take is lost, however much of the links is free; below a fifth of a life the rest of it is the better place to look.
const HELD_BACK: f64 = 0.2;

/// What the ledger charges waits for room further down to begins so.
const DOWNSTREAM: &str = "downstream ";

/// And waits behind others in an input buffer.
const BEHIND: &str = "head of ";

/// What was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Found {
    /// Nothing is short.
    Nothing,
    /// A resource is short.
    Resource,
    /// What was lost or refused must be sent again.
    Loss,
    /// The sender has as much outstanding as it may.
    Window,
    /// Two scarce resources are held by messages that need the other one.
    Circle,
    /// Messages wait for one another for ever.
    Deadlock,
    /// No resource is short, yet more is offered than is carried, or messages are held back.
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
            .or_else(|| judge.shortest())
            .or_else(|| judge.blocked(symptoms))
            .or_else(|| judge.window())
            .unwrap_or_else(|| judge.nothing(symptoms))
    }

    pub(crate) fn links(&self, report: &Report, chain: &Chain) -> Vec<ChainLink> {
        let of = |root| chain.links(report, chain.start_of(root));
        self.root.map_or_else(Vec::new, of)
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
        let working = self.report.resources.iter().filter(|row| Nature::of(row) == Nature::Works);
        working.map(|row| row.occupancy).sum::<f64>() + self.chain.all_waiting()
    }

    /// Losses and refusals: being sent again is waited for longer than anything else is. Not where most waits for a line that is in use nearly
    /// all the time: there an answer that is only late looks lost.
    fn loss(&self) -> Option<Verdict> {
        if is_saturated(self.report, self.chain) {
            return None;
        }
        let waits = || self.report.ledger.iter().filter(|row| row.class == "all" && row.kind == "wait");
        let again = waits().filter(|row| is_retransmission(&row.stage));
        let greatest = waits().filter(|row| !is_retransmission(&row.stage)).map(|row| row.share);
        let share = again.clone().map(|row| row.share).sum::<f64>();
        let most = again.max_by(|a, b| a.share.total_cmp(&b.share))?;
        (share >= LOSS_SHARE && share >= greatest.fold(0.0, f64::max)).then(|| {
            let why = if most.stage == OUT_OF_ORDER {
                "comes out of order is refused and"
            } else {
                "is lost or refused"
            };
            let sentence = format!(
                "What {why} must be sent again: waiting for that takes {} of a message's life.",
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
        let mut sentence = format!(
            "{one} ({} in use) and {other} ({} in use) hold each other up: {} of the former are held by messages that need the latter, and \
             {} of the latter by messages that need the former",
            used(first),
            used(second),
            percent(there),
            percent(back)
        );
        if let Some(line) = self.busiest_line() {
            sentence.push_str(&format!(", though the busiest line is {} busy", percent(line)));
        }
        sentence.push('.');
        Some(self.of(Found::Circle, Some(first), capitalised(&sentence)))
    }

    /// The root behind most of the waiting, if it is short.
    fn shortest(&self) -> Option<Verdict> {
        let under_way = self.under_way();
        let short = |&&(root, waiting): &&(usize, f64)| {
            waiting >= WAIT_SHARE * under_way && pressure(self.row(root)) >= SHORT
        };
        let weight =
            |&(root, waiting): &(usize, f64)| waiting / (1.0 + SPARE - pressure(self.row(root)).min(1.0));
        let candidates = self.chain.roots().iter().filter(short);
        let &(root, waiting) =
            candidates.max_by(|a, b| weight(a).total_cmp(&weight(b)).then(b.0.cmp(&a.0)))?;
        let row = self.row(root);
        let share = waiting / self.chain.all_waiting();
        let found = if is_window(row) { Found::Window } else { Found::Resource };
        let start = self.chain.start_of(root);
        let mut sentence = self.told(start, root);
        sentence.push_str(&match Nature::of(row) {
            Nature::Works => format!(
                "{} is short: busy for {} of the time, with {} of all waiting behind it",
                words(row),
                percent(row.utilisation),
                percent(share)
            ),
            _ => format!(
                "{} are short: {} in use on average, {} of all waiting is for them, and what their holders need is not short",
                words(row),
                percent(row.utilisation),
                percent(share)
            ),
        });
        if let Some(line) = self.busiest_line().filter(|_| Nature::of(row) != Nature::Works) {
            sentence.push_str(&format!(", though the busiest line is {} busy", percent(line)));
        }
        sentence.push('.');
        Some(self.of(found, Some(root), capitalised(&sentence)))
    }

    /// How the waiters come to depend on the root: "80 % of what is held of A is held by a reply, which needs B; ".
    fn told(&self, start: usize, root: usize) -> String {
        if start == root {
            return String::new();
        }
        let (first, needed) = (self.row(start), words(self.row(root)));
        let (stage, share) =
            self.chain.step(start).map_or(("", 0.0), |step| (step.stage, (step.held_share * 100.0).round()));
        match Nature::of(first) {
            Nature::Queue => format!("what is in {} needs {needed}; ", words(first)),
            _ if stage.is_empty() => format!("whoever holds some of {} needs {needed}; ", words(first)),
            Nature::Held => {
                format!(
                    "{share} % of what is held of {} is held by a {stage}, which needs {needed}; ",
                    words(first)
                )
            }
            Nature::Works => {
                format!("{} is {stage} for {share} % of its use, for want of {needed}; ", words(first))
            }
        }
    }

    fn busiest_line(&self) -> Option<f64> {
        let kinds = ["line", "output", "channel", "cable"];
        let lines = self.report.resources.iter().filter(|row| kinds.contains(&row.kind.as_str()));
        lines.map(|row| row.utilisation).reduce(f64::max)
    }

    /// A window that is full all the time while nothing that its holders need is short.
    fn window(&self) -> Option<Verdict> {
        let widest = |a: &(usize, &ResourceRow), b: &(usize, &ResourceRow)| {
            a.1.utilisation.total_cmp(&b.1.utilisation).then(b.0.cmp(&a.0))
        };
        let (at, row) = full_windows(self.report).max_by(widest)?;
        let root = self.chain.root_of(at);
        if root != at && pressure(self.row(root)) >= SHORT {
            let busy = self.row(root);
            let sentence = format!(
                "{} is short: busy for {} of the time, and needed by the {} {} in {}.",
                words(busy),
                percent(pressure(busy)),
                whole(row.occupancy),
                row.unit,
                words(row)
            );
            return Some(self.of(Found::Resource, Some(root), capitalised(&sentence)));
        }
        if let Some((worker, share)) = longest_at(self.report) {
            let sentence = format!(
                "{} is full for {} of the time, and {} of a round trip is spent at {}: that is what more throughput needs.",
                words(row),
                percent(row.utilisation),
                percent(share),
                words(self.row(worker)),
            );
            return Some(self.of(Found::Resource, Some(worker), capitalised(&sentence)));
        }
        let longest = self.report.ledger.iter().filter(|row| row.class == "all");
        let longest = longest.max_by(|a, b| a.share.total_cmp(&b.share));
        let spent = longest.map_or(String::new(), |stage| {
            format!(", of which {} are {}", percent(stage.share), stage.stage)
        });
        let sentence = format!(
            "{} is short: all {} {} are outstanding for {} of the time, so each round trip carries no more{spent}.",
            words(row),
            whole(row.capacity.unwrap_or(row.occupancy)),
            row.unit,
            percent(row.utilisation)
        );
        Some(self.of(Found::Window, Some(at), capitalised(&sentence)))
    }

    /// The share of a message's life that it waits for what the ledger names so.
    fn waits_for(&self, resource: &str) -> f64 {
        let waits = self.report.ledger.iter().filter(|row| row.class == "all" && row.kind == "wait");
        waits.filter(|row| row.resource.starts_with(resource)).map(|row| row.share).sum()
    }

    /// Messages wait behind others in input buffers, though the links that those in front need have time to spare. Not where those in front wait
    /// for a window: then it is too small for the way.
    fn blocked(&self, symptoms: &[Symptom]) -> Option<Verdict> {
        let Blocked { worst, there, busy, .. } = blocked(self.report)?;
        let (behind, room) = (self.waits_for(BEHIND), self.waits_for(DOWNSTREAM));
        let is_saturated = self.report.outcome == Outcome::Saturated;
        if !(is_saturated || behind + room >= HELD_BACK) || is_window(self.row(self.chain.root_of(worst))) {
            return None;
        }
        let what = if is_saturated {
            "More is offered than is carried, and messages wait".to_owned()
        } else {
            format!("For {} of their life messages wait", percent(behind + room))
        };
        let names = symptoms.iter().map(|symptom| symptom.name).collect::<Vec<_>>().join(", ");
        let front = match self.chain.step(worst).map(|step| self.row(step.row)) {
            None => "the heads need many links, none of them a fifth of the time".to_owned(),
            Some(row) => {
                format!("the heads need {} most, which is {} in use", words(row), percent(row.utilisation))
            }
        };
        let sentence = format!(
            "{what} behind others in input buffers or for room in them, though the links that the heads need are {} in use on average \
             ({names}); nowhere more than in {} ({}), where {front}.",
            percent(busy),
            words(self.row(worst)),
            percent(there)
        );
        Some(self.of(Found::Blocking, Some(worst), sentence))
    }

    /// Messages are held back by what is full further down, at one place after another: bursts, none of which lasts.
    fn held_back(&self, names: &[&str]) -> Option<Verdict> {
        let share = self.waits_for(DOWNSTREAM);
        let &(root, waiting) = self.chain.roots().first()?;
        let row = self.row(root);
        (share >= HELD_BACK).then(|| {
            let seen = if names.is_empty() { String::new() } else { format!(" ({})", names.join(", ")) };
            let sentence = format!(
                "For {} of their life messages are held back by buffers that are full further down, though nothing is in use all the \
                 time{seen}: most waiting is behind {}, {} of all, which is busy for {} of the time.",
                percent(share),
                words(row),
                percent(waiting / self.chain.all_waiting()),
                percent(row.utilisation)
            );
            self.of(Found::Blocking, Some(root), sentence)
        })
    }

    /// Nothing is short, or nothing that works is, although more is offered than carried.
    fn nothing(&self, symptoms: &[Symptom]) -> Verdict {
        let names: Vec<&str> = symptoms.iter().map(|symptom| symptom.name).collect();
        if self.report.outcome == Outcome::Saturated {
            let root = self.chain.roots().first().map(|&(root, _)| root);
            let busy = root.map_or(String::new(), |root| {
                let row = self.row(root);
                format!("; most waiting is behind {}, which is {} busy", words(row), percent(row.utilisation))
            });
            let named = if names.is_empty() { "blocking".to_owned() } else { names.join(" and ") };
            let sentence = format!(
                "More is offered than is carried, though nothing is in use all the time: {named}{busy}."
            );
            return self.of(Found::Blocking, root, sentence);
        }
        if let Some(verdict) = self.held_back(&names) {
            return verdict;
        }
        let busiest = self.report.resources.iter().filter(|row| Nature::of(row) == Nature::Works);
        let busiest = busiest.max_by(|a, b| a.utilisation.total_cmp(&b.utilisation));
        let told = busiest.map_or(String::new(), |row| {
            format!(
                ": the busiest resource, {}, is in use for {} of the time",
                words(row),
                percent(row.utilisation)
            )
        });
        let waits = self.report.ledger.iter().filter(|row| row.class == "all" && row.kind == "wait");
        let share = percent(waits.map(|row| row.share).sum());
        let patterns =
            if names.is_empty() { String::new() } else { format!(". What is seen: {}", names.join(", ")) };
        let sentence =
            format!("Nothing is short{told}, and messages wait for {share} of their life{patterns}.");
        self.of(Found::Nothing, None, sentence)
    }
}

fn is_retransmission(stage: &str) -> bool {
    stage.starts_with("retransmission") || stage == OUT_OF_ORDER
}

fn whole(amount: f64) -> String {
    format!("{amount:.0}")
}

fn capitalised(sentence: &str) -> String {
    let mut letters = sentence.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}
