//! The answer in one sentence: the causes that a report shows, the likeliest first.
//!
//! Each file recognises one class of cause, or two that the same numbers distinguish. They are asked in order of
//! certainty: observed causes (a deadlock, a fault, losses) before those inferred from utilisation and waiting.

mod blocking;
mod bottleneck;
mod circular_wait;
mod classes;
mod concentration;
mod fixed_order;
mod full_line;
mod health;
mod incast;
mod interruption;
mod late_marks;
mod late_start;
mod long_frames;
mod long_line;
mod long_link;
mod loss;
mod mechanism;
mod overload;
mod pacing;
mod pause_threshold;
mod rounds;
mod routing_loop;
mod segments;
mod shared_buffer;
mod slow_cable;
mod slow_service;
mod slow_way;
mod starvation;
mod suspects;
mod uplinks;
mod variability;
mod window;

use std::collections::{BTreeMap, BTreeSet};

use hopscope_measure::{
    Alternatives, Charged, HoldWhy, Place, Report, ResourceRow, Site, StageId, StageKind,
};
use serde::Serialize;

use crate::cause::Cause;
use crate::chain::Chain;
use crate::symptom::Symptom;
use crate::thresholds::{LOSS_SHARE, REPEATED};
use crate::words::{Like, usual_rates, words};

/// A cause with its place, and the share of the message lifetime that it explains.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Candidate {
    /// The class of the cause.
    pub cause: Cause,
    /// The resource that causes it, in words; nothing if there is none.
    pub resource: Option<String>,
    /// Its place, as the report names it.
    pub place: Option<String>,
    /// The kind of the resource, as programs refer to it.
    pub id: Option<&'static str>,
    /// The names of the nodes there: one, or the two that a link joins; none where the cause is everywhere alike.
    pub nodes: Vec<String>,
    /// The share of a message's lifetime that it explains, 0 to 1.
    pub weight: f64,
    /// Whether the sentence states that share: then that of another cause can be compared with it.
    pub weight_stated: bool,
    /// Whether the sentence names a cable that is slower than its like.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub slow_cable_stated: bool,
    /// The nodes along equally full links downstream, for which a relief of one link gains nothing; else empty.
    pub beyond: Vec<String>,
    /// The class of messages that waits, if it is one of several.
    pub class: Option<String>,
    /// The class that it waits behind, if it is another one.
    pub behind: Option<String>,
    /// The verdict in one sentence or two.
    pub sentence: String,
    #[serde(skip)]
    root: Option<usize>,
}

impl Candidate {
    /// The same, with whether its sentence states its weight.
    fn with_weight_stated(self, weight_stated: bool) -> Self {
        Self { weight_stated, ..self }
    }

    /// The overhead on a line, if that is the cause and not the line itself.
    fn overhead(&self) -> Option<&'static str> {
        self.id.filter(|id| [HoldWhy::RoutingMessages.id(), HoldWhy::Replies.id()].contains(id))
    }
}

/// The most likely cause, with the runners-up.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Verdict {
    /// The most likely cause.
    #[serde(flatten)]
    pub first: Candidate,
    /// Other possible causes, the most likely first; for a healthy network, resources that may still limit it, which a
    /// test run shows.
    pub runners_up: Vec<Candidate>,
}

/// At most this many runners-up are reported.
const RUNNERS_UP: usize = 3;

impl Verdict {
    /// The verdict on a report.
    #[must_use]
    pub fn new(report: &Report, chain: &Chain, symptoms: &[Symptom]) -> Self {
        let mut alternatives: BTreeMap<usize, Vec<&Alternatives>> = BTreeMap::new();
        for group in &report.evidence.alternatives {
            for &row in &group.rows {
                alternatives.entry(row).or_default().push(group);
            }
        }
        let judge = Judge { report, chain, symptoms, alternatives, usual_rates: usual_rates(report) };
        let mut found = judge.candidates();
        if found.is_empty() {
            let seen = judge.failure().or_else(|| judge.lost_for_good());
            let seen = seen.or_else(|| judge.repeated(LOSS_SHARE)).or_else(|| judge.class_that_waits());
            let seen = seen.or_else(|| judge.starved()).or_else(|| judge.given_up());
            found.extend(seen.or_else(|| judge.always_busy()).or_else(|| judge.slow_cable_of_a_job()));
        } else {
            let lost = judge.some_loss();
            // The place where messages wait is reported if nothing else is found but losses.
            if lost.is_some() && found.len() == 1 && judge.most_waited().as_ref() == found.first() {
                found.splice(..0, lost);
            } else {
                found.extend(lost.or_else(|| judge.lost_for_good()).or_else(|| judge.repeated(REPEATED)));
            }
            // Observed, and so tried before causes inferred from utilisation and waiting.
            let is_lost = found.iter().any(|each| each.cause == Cause::Loss);
            let refused = judge.full_queue().filter(|_| !is_lost);
            let seen = [
                judge.trapped(),
                judge.some_failure(),
                refused,
                judge.routing_load(),
                judge.answer_load(),
                judge.waiting_window(),
                judge.segmented(),
            ];
            found.splice(1..1, seen.into_iter().flatten());
        }
        let mut first = if found.is_empty() { judge.healthy() } else { found.remove(0) };
        if first.cause == Cause::Healthy {
            found.extend(judge.suspects());
        } else {
            first = judge.with_slow_cable(first);
        }
        let mut runners_up: Vec<Candidate> = Vec::new();
        for other in found {
            let is_told = |told: &Candidate| match (told.overhead(), other.overhead()) {
                (None, None) => told.cause == other.cause && told.nodes == other.nodes,
                (one, another) => one == another,
            };
            if runners_up.len() < RUNNERS_UP && !is_told(&first) && !runners_up.iter().any(is_told) {
                runners_up.push(other);
            }
        }
        Self { first, runners_up }
    }

    /// The rows from where the waiting for the bottleneck begins to the bottleneck; empty if no bottleneck was found.
    pub(crate) fn path(&self, chain: &Chain) -> Vec<usize> {
        let root = self.first.root.filter(|_| self.first.cause != Cause::Healthy);
        // A root in a cycle of waits has further steps, which lead back to the beginning of the path.
        root.map_or_else(Vec::new, |root| {
            let mut path = chain.path(chain.start_of(root));
            let end = path.iter().position(|&row| row == root);
            path.truncate(end.map_or(path.len(), |at| at + 1));
            path
        })
    }
}

/// Everything from which a cause is judged.
struct Judge<'a> {
    report: &'a Report,
    chain: &'a Chain,
    symptoms: &'a [Symptom],
    /// For each row, the groups of outputs to the same places that it belongs to.
    alternatives: BTreeMap<usize, Vec<&'a Alternatives>>,
    /// The median rate of links that are alike, bit/s.
    usual_rates: BTreeMap<Like, f64>,
}

impl Judge<'_> {
    /// Every cause that the report shows, the most certain first.
    fn candidates(&self) -> Vec<Candidate> {
        let tests: &[fn(&Self) -> Option<Candidate>] = &[
            Self::deadlock,
            Self::crossed,
            Self::much_lost_for_good,
            Self::interruption,
            Self::starved_class,
            Self::long_line,
            Self::slow_way,
            Self::loss,
            Self::slow_service,
            Self::long_link,
            Self::pause_threshold,
            Self::paused_while_free,
            Self::late_start,
            Self::slow_beside,
            Self::mostly_repeated,
            Self::starved_by_order,
            Self::marks_too_late,
            Self::classes,
            Self::late_marks,
            Self::long_frames,
            Self::piled_up_rounds,
            Self::filled_by_overhead,
            Self::wide_window,
            Self::overload,
            Self::concentration,
            Self::uplinks_of_one,
            Self::narrowed_window,
            Self::served_last,
            Self::refusing_queue,
            Self::bottleneck,
            Self::classes_at_a_slow_link,
            Self::varied_before,
            Self::incast,
            Self::unevenly_used,
            Self::blocked,
            Self::window,
            Self::standing_window,
            Self::passing_collisions,
            Self::variability,
            Self::held_back,
            Self::repeated_at_many_places,
            Self::most_waited,
        ];
        tests.iter().filter_map(|test| test(self)).collect()
    }

    fn row(&self, row: usize) -> &ResourceRow {
        &self.report.resources[row]
    }

    /// A cause at a row.
    fn at_row(&self, cause: Cause, root: usize, weight: f64, sentence: String) -> Candidate {
        let row = self.row(root);
        Candidate {
            cause,
            resource: Some(words(row)),
            place: Some(row.place.clone()),
            id: Some(row.kind.id()),
            nodes: row.nodes(),
            weight,
            weight_stated: false,
            slow_cable_stated: false,
            beyond: Vec::new(),
            class: None,
            behind: None,
            sentence,
            root: Some(root),
        }
    }

    /// The share of the lifetime in which messages wait in the network, without waits for a sender's rate, window or
    /// timeout.
    fn waits_in_network(&self) -> f64 {
        let is_elsewhere = |stage: StageId| stage.waits_to_send() || stage.is_retransmission();
        self.of_life(|row| row.kind == StageKind::Wait && !is_elsewhere(row.stage))
    }

    /// A cause at a place that is not a row.
    fn at_place(cause: Cause, place: &Place, weight: f64, sentence: String) -> Candidate {
        Candidate {
            cause,
            resource: Some(place.words.clone()),
            place: Some(place.nodes.join(" - ")).filter(|place| !place.is_empty()),
            id: None,
            nodes: place.nodes.clone(),
            weight,
            weight_stated: false,
            slow_cable_stated: false,
            beyond: Vec::new(),
            class: None,
            behind: None,
            sentence,
            root: None,
        }
    }

    /// A cause that is everywhere alike, or nowhere.
    const fn everywhere(cause: Cause, weight: f64, sentence: String) -> Candidate {
        Candidate {
            cause,
            resource: None,
            place: None,
            id: None,
            nodes: Vec::new(),
            weight,
            weight_stated: false,
            slow_cable_stated: false,
            beyond: Vec::new(),
            class: None,
            behind: None,
            sentence,
            root: None,
        }
    }

    /// The switches that hosts send to.
    fn switches_with_hosts(&self) -> BTreeSet<u32> {
        let from_hosts = self.report.resources.iter().filter(|row| matches!(row.site, Site::Host(_)));
        from_hosts.filter_map(|row| row.far.switch()).collect()
    }

    /// The share of the lifetime in which messages wait.
    fn waits(&self) -> f64 {
        self.of_life(|row| row.kind == StageKind::Wait)
    }

    /// The share of the lifetime in the stages that meet a test.
    fn of_life(&self, is_meant: impl Fn(&hopscope_measure::LedgerRow) -> bool) -> f64 {
        let rows = self.report.ledger.iter().filter(|row| row.is_of_every_class());
        rows.filter(|row| is_meant(row)).map(|row| row.share).sum()
    }

    /// Whether no message waits in a queue at its source: each is generated when the previous one has gone.
    fn is_closed(&self) -> bool {
        self.of_life(|row| row.kind == StageKind::Wait && row.stage.queues_at_source()) == 0.0
    }

    /// The share of the lifetime in which messages wait for what the ledger charges so.
    fn waits_for(&self, is_meant: fn(Charged) -> bool) -> f64 {
        self.of_life(|row| row.kind == StageKind::Wait && is_meant(row.resource))
    }

    /// The share of the lifetime spent waiting because of a root.
    fn weight_of(&self, root: usize) -> f64 {
        self.waits() * self.chain.blamed(root) / self.chain.all_waiting().max(f64::MIN_POSITIVE)
    }
}
