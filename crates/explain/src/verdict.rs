//! The answer in one sentence.

use hopscope_measure::{Outcome, Report, ResourceRow};
use serde::Serialize;

use crate::chain::{Chain, ChainLink};
use crate::nature::{Nature, pressure, words};
use crate::symptom::{Symptom, percent};

/// Waiting counts where it is at least this share of the messages under way.
const WAIT_SHARE: f64 = 0.1;

/// A resource counts as short where it has nothing to spare for at least this share of the time.
const SHORT: f64 = 0.6;

/// Losses are the cause where waits for retransmissions take at least this share of a message's life.
const LOSS_SHARE: f64 = 0.2;

/// A window is full where it is in use for at least this share of the time.
const FULL: f64 = 0.9;

/// What was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Found {
    /// Nothing is short.
    Nothing,
    /// A resource is short.
    Resource,
    /// What was lost must be sent again.
    Loss,
    /// The sender has as much outstanding as it may.
    Window,
    /// Messages wait for one another.
    Deadlock,
    /// No resource is short, yet more is offered than is carried.
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
            .loss()
            .or_else(|| judge.shortest())
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

    /// Messages under way: Little's law from the mean life and the rate of deliveries, or those that wait where more.
    fn under_way(&self) -> f64 {
        let life_us: f64 = self
            .report
            .ledger
            .iter()
            .filter(|row| row.class == "all")
            .filter_map(|row| row.estimate)
            .map(|estimate| estimate.value)
            .sum();
        let measured = &self.report.measured;
        let rate = if measured.span_s > 0.0 { measured.messages as f64 / measured.span_s } else { 0.0 };
        (life_us * 1e-6 * rate).max(self.chain.all_waiting())
    }

    /// Losses: retransmissions are waited for longer than anything else is.
    fn loss(&self) -> Option<Verdict> {
        let waits = || self.report.ledger.iter().filter(|row| row.class == "all" && row.kind == "wait");
        let share = waits().filter(|row| is_retransmission(&row.stage)).map(|row| row.share).sum::<f64>();
        let greatest = waits().filter(|row| !is_retransmission(&row.stage)).map(|row| row.share);
        (share >= LOSS_SHARE && share >= greatest.fold(0.0, f64::max)).then(|| {
            let sentence = format!(
                "What is lost must be sent again: waiting for retransmissions takes {} of a message's life.",
                percent(share)
            );
            self.of(Found::Loss, None, sentence)
        })
    }

    /// The root behind most of the waiting, if it is short.
    fn shortest(&self) -> Option<Verdict> {
        let under_way = self.under_way();
        let short = |&&(root, waiting): &&(usize, f64)| {
            waiting >= WAIT_SHARE * under_way && pressure(self.row(root)) >= SHORT
        };
        let &(root, waiting) = self.chain.roots().iter().find(short)?;
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

    /// How the waiters come to depend on the root: "A are held by ... that need B: ".
    fn told(&self, start: usize, root: usize) -> String {
        if start == root {
            return String::new();
        }
        let first = self.row(start);
        let doing = match self.chain.step(start).map(|step| (step.stage, step.held_share)) {
            Some(("", _)) | None => "what waits there".to_owned(),
            Some((stage, share)) => format!("{stage} ({} of what is held)", percent(share)),
        };
        format!("{} is held by {doing}, which needs {}; ", words(first), words(self.row(root)))
    }

    fn busiest_line(&self) -> Option<f64> {
        let kinds = ["line", "output", "channel", "cable"];
        let lines = self.report.resources.iter().filter(|row| kinds.contains(&row.kind.as_str()));
        lines.map(|row| row.utilisation).reduce(f64::max)
    }

    /// A window that is full all the time while nothing that its holders need is short.
    fn window(&self) -> Option<Verdict> {
        let rows = self.report.resources.iter().enumerate();
        let full = rows.filter(|(_, row)| is_window(row) && row.utilisation >= FULL);
        let (at, row) =
            full.max_by(|a, b| a.1.utilisation.total_cmp(&b.1.utilisation).then(b.0.cmp(&a.0)))?;
        let root = self.chain.root_of(at);
        if root != at {
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

    /// Nothing is short, or nothing that works is, although more is offered than carried.
    fn nothing(&self, symptoms: &[Symptom]) -> Verdict {
        if self.report.outcome == Outcome::Saturated {
            let root = self.chain.roots().first().map(|&(root, _)| root);
            let busy = root.map_or(String::new(), |root| {
                let row = self.row(root);
                format!("; most waiting is behind {}, which is {} busy", words(row), percent(row.utilisation))
            });
            let named = symptoms.first().map_or("blocking", |symptom| symptom.name);
            let sentence = format!(
                "More is offered than is carried, though nothing is in use all the time: {named}{busy}."
            );
            return self.of(Found::Blocking, root, sentence);
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
        let sentence = format!("Nothing is short{told}, and messages wait for {share} of their life.");
        self.of(Found::Nothing, None, sentence)
    }
}

/// Whether a resource bounds what a sender may have outstanding.
pub(crate) fn is_window(row: &ResourceRow) -> bool {
    row.kind == "allocation"
}

pub(crate) fn is_retransmission(stage: &str) -> bool {
    stage.starts_with("retransmission")
}

fn whole(amount: f64) -> String {
    format!("{amount:.0}")
}

fn capitalised(sentence: &str) -> String {
    let mut letters = sentence.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}
