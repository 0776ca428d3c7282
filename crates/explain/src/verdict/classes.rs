//! Classes of messages of which one waits behind another. Each class is judged by its own ledger.

use hopscope_measure::{ClassLane, ClassUse, LedgerRow, ResourceKind, ResourceRow, ServiceOrder, StageKind};

use super::{Candidate, Judge};
use crate::cause::Cause;
use crate::thresholds::{
    FEW_MESSAGES, FULL_OUTPUT, LIGHT_CLASS, MOSTLY, SATURATED_LINE, SCARCE, STARVING, STOPPED,
    USED_HOST_LINK, WAITS, WORTH_TELLING,
};
use crate::words::{percent, words};

/// Why a class waits behind another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// Both classes are in one lane.
    SameLane,
    /// The other class has a lane of higher priority.
    Later,
    /// The other class has a lane of greater weight.
    Lighter,
}

/// How long a class waits behind others, as mean numbers of waiting messages.
#[derive(Clone, Debug)]
pub(super) struct Waiting {
    /// Waiting by the class that is in the way, including its own.
    pub behind: Vec<f64>,
    /// Waiting behind other classes, by the row where the message waits or where the packet it waits for is sent.
    pub at: Vec<(usize, f64)>,
    /// Its share of the traffic where it waits.
    pub own: f64,
}

impl Judge<'_> {
    /// A class that waits for much of its lifetime behind another one, in the same lane or in a lane that is served
    /// later or less. A full link should delay only the class that fills it.
    pub(super) fn classes(&self) -> Option<Candidate> {
        self.behind_another().filter(|(_, is_for_a_slow_link)| !is_for_a_slow_link).map(|(found, _)| found)
    }

    /// A class that waits behind another one at a full link that is slower than its kind. Both need that link, and the
    /// order of service only decides which of them waits.
    pub(super) fn classes_at_a_slow_link(&self) -> Option<Candidate> {
        self.behind_another().filter(|(_, is_for_a_slow_link)| *is_for_a_slow_link).map(|(found, _)| found)
    }

    /// A class of which nothing at all is delivered, because a full link always sends another class first. Its messages
    /// are in no mean and in no ledger: only their number tells of them.
    pub(super) fn starved_class(&self) -> Option<Candidate> {
        let used = self.report.evidence.class_use.as_ref()?;
        let (class, most, root) = (0..used.classes.len()).find_map(|class| {
            let waiting = self.waiting_of(used, class);
            let &(root, there) = waiting.at.iter().max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)))?;
            let ahead = |&other: &usize| way(used, class, other) == Some(Way::Later);
            let amount = |other: usize| waiting.behind[other];
            let most = (0..used.classes.len())
                .filter(ahead)
                .max_by(|&a, &b| amount(a).total_cmp(&amount(b)).then(b.cmp(&a)))?;
            let is_full = self.row(root).utilisation >= FULL_OUTPUT;
            let gets_nothing = there >= STARVING && self.gets_nothing(&used.classes[class].name);
            (is_full && gets_nothing && amount(most) > 0.0).then_some((class, most, root))
        })?;
        let (own, other) = (&used.classes[class].name, &used.classes[most].name);
        let sentence = format!(
            "Starvation: no message of `{own}` is delivered. Its messages wait for {} ({} utilised), which always sends those of \
             `{other}` first.",
            words(self.row(root)),
            percent(self.row(root).utilisation)
        );
        let found = self.at_row(Cause::Lanes, root, 1.0, sentence);
        Some(Candidate { class: Some(own.clone()), behind: Some(other.clone()), ..found })
    }

    /// Whether the throughput of a class is known to be 0.
    fn gets_nothing(&self, class: &str) -> bool {
        let carried = self.report.metric(&format!("throughput[{class}].rate"));
        carried.and_then(|metric| metric.estimate).is_some_and(|estimate| estimate.value == 0.0)
    }

    /// The class that waits most behind another one, and whether it does so at a link that is slower than its kind.
    fn behind_another(&self) -> Option<(Candidate, bool)> {
        let used = self.report.evidence.class_use.as_ref()?;
        let found = (0..used.classes.len()).filter_map(|class| self.class_behind(used, class));
        let (found, way) = found.max_by(|a, b| a.0.weight.total_cmp(&b.0.weight))?;
        let is_slow = |root: usize| self.row(root).utilisation >= SATURATED_LINE && self.is_slow(root);
        let is_for_a_slow_link = way == Way::Later && found.root.is_some_and(is_slow);
        Some((found, is_for_a_slow_link))
    }

    fn class_behind(&self, used: &ClassUse, class: usize) -> Option<(Candidate, Way)> {
        let waiting = self.waiting_of(used, class);
        let all: f64 = waiting.behind.iter().sum();
        let is_light = waiting.own <= LIGHT_CLASS / used.classes.len() as f64;
        let ways: Vec<Option<Way>> = (0..used.classes.len())
            .map(|other| way(used, class, other).filter(|way| *way != Way::SameLane || is_light))
            .collect();
        let others = || waiting.behind.iter().zip(&ways).enumerate();
        let blocked = || others().filter_map(|(other, (&amount, way))| way.map(|way| (other, amount, way)));
        let (most, _, way) = blocked().max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)))?;
        let share = blocked().map(|(_, amount, _)| amount).sum::<f64>() / all.max(f64::MIN_POSITIVE);
        let waits = self.class_waits(&used.classes[class].name);
        let weight = waits * share;
        if weight < WAITS || !self.has_messages(&used.classes[class].name) {
            return None;
        }
        let &(root, there) = waiting.at.iter().max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)))?;
        let stands_out = there >= WORTH_TELLING * all;
        // A root that is not a link has another reason.
        if !self.row(root).kind.carries_bits() {
            return None;
        }
        let (own, other) = (&used.classes[class].name, &used.classes[most].name);
        let named =
            |found: Candidate| Candidate { class: Some(own.clone()), behind: Some(other.clone()), ..found };
        let is_fixed = self.report.evidence.is_fixed_order && way == Way::SameLane;
        if is_fixed && self.row(root).utilisation >= SCARCE && both_need(used, root, [class, most]) {
            return Some((named(self.behind_by_order(root, [own, other], [waits, weight])), way));
        }
        let place = format!("{} ({} utilised)", words(self.row(root)), percent(self.row(root).utilisation));
        let at = if stands_out {
            format!("the largest part at {place}")
        } else {
            format!("at many links, such as {place}")
        };
        let sentence = self.told_of([&used.classes[class], &used.classes[most]], way, [waits, weight], &at);
        let sentence = format!("{sentence}{}", self.uncontrolled(root, other));
        let found = named(self.at_row(Cause::Lanes, root, weight, sentence)).with_weight_stated(true);
        Some((if stands_out { found } else { Candidate { nodes: Vec::new(), ..found } }, way))
    }

    /// A further sentence if congestion control does not slow down the senders of a class, where a full link keeps
    /// links before it paused.
    fn uncontrolled(&self, root: usize, others: &str) -> String {
        let full = self.row(root);
        let into = self.report.resources.iter().filter(|row| {
            row.kind == ResourceKind::Output
                && row.far.switch().is_some()
                && row.far.switch() == full.site.switch()
        });
        let paused = into.map(ResourceRow::held_back).fold(0.0, f64::max);
        let pauses = full.site.switch().and_then(|switch| self.pause_level(switch)).is_some();
        let is_uncontrolled = self.report.evidence.law.is_none() && pauses;
        if !is_uncontrolled || full.utilisation < FULL_OUTPUT || paused < STOPPED {
            return String::new();
        }
        format!(
            " No congestion control slows the senders of `{others}` down: links that lead there are paused up to {} of the time.",
            percent(paused)
        )
    }

    /// A class that waits for much of its lifetime for any reason, although messages of all classes together hardly
    /// wait.
    pub(super) fn class_that_waits(&self) -> Option<Candidate> {
        let used = self.report.evidence.class_use.as_ref()?;
        let waits = used.classes.iter().enumerate().map(|(at, class)| (at, self.class_waits(&class.name)));
        let has_messages = |at: usize| self.has_messages(&used.classes[at].name);
        let (class, waits) = waits
            .filter(|&(at, waits)| {
                waits >= WAITS && has_messages(at) && !self.waits_for_its_own(&used.classes[at].name)
            })
            .max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)))?;
        let at = |row: usize, waiting: f64| (row, waiting);
        let outputs = used
            .outputs
            .iter()
            .map(|output| at(output.row, output.behind[class].iter().sum::<f64>() + output.held[class]));
        let (row, _) = outputs.max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)))?;
        let root = self.chain.root_of(row);
        if self.row(root).utilisation < USED_HOST_LINK && self.waits_for_itself(used, class) {
            return None;
        }
        let begins = self.slow_cable(root).unwrap_or_else(|| "Contention:".to_owned());
        let sentence = format!(
            "{begins} `{}` waits {} of its lifetime, the largest part at {} ({} utilised). All classes together wait {} of theirs.",
            used.classes[class].name,
            percent(waits),
            words(self.row(root)),
            percent(self.row(root).utilisation),
            percent(self.waits())
        );
        let found = self.at_row(super::mechanism::class_of(self.row(root)), root, waits, sentence);
        let class = Some(used.classes[class].name.clone());
        Some(Candidate { class, weight_stated: true, ..found })
    }

    /// Whether a class waits mostly behind its own messages: the second frame of a message waits for the first one,
    /// however little else is sent.
    fn waits_for_itself(&self, used: &ClassUse, class: usize) -> bool {
        let behind = self.waiting_of(used, class).behind;
        behind[class] >= MOSTLY * behind.iter().sum::<f64>()
    }

    /// Whether a class is one of incasts that take little more than the time of their data on the receiver's link.
    fn waits_for_its_own(&self, class: &str) -> bool {
        let mut incasts = self.report.evidence.incasts.iter().filter(|incast| incast.group == class);
        incasts.any(|incast| incast.sent_s >= (1.0 - WAITS) * incast.round_s)
    }

    /// The class that waits most behind another one in its lane, and that other class, which has most of the link's
    /// traffic.
    pub(super) fn held_up_by_others(&self, root: usize) -> Option<[String; 2]> {
        let used = self.report.evidence.class_use.as_ref()?;
        let sent = &used.outputs.iter().find(|output| output.row == root)?.sent;
        let most = (0..sent.len()).max_by(|&a, &b| sent[a].total_cmp(&sent[b]).then(b.cmp(&a)))?;
        let waits = |class: usize| {
            let waiting = self.waiting_of(used, class);
            let share = waiting.behind[most] / waiting.behind.iter().sum::<f64>().max(f64::MIN_POSITIVE);
            self.class_waits(&used.classes[class].name) * share
        };
        let is_held_up = |&class: &usize| {
            let is_in_its_lane = used.classes[class].lane == used.classes[most].lane;
            class != most && is_in_its_lane && self.has_messages(&used.classes[class].name)
        };
        let held_up = (0..sent.len()).filter(is_held_up).map(|class| (class, waits(class)));
        let (class, weight) = held_up.max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)))?;
        (weight >= WAITS).then(|| [class, most].map(|at| used.classes[at].name.clone()))
    }

    /// The classes behind which a class waits, and where. A message that waits while nothing is sent waits for the
    /// class that fills the root of the chain.
    pub(super) fn waiting_of(&self, used: &ClassUse, class: usize) -> Waiting {
        let mut behind = vec![0.0; used.classes.len()];
        let (mut at, mut own) = (std::collections::BTreeMap::<usize, f64>::new(), 0.0);
        for output in &used.outputs {
            let held = output.held[class];
            let root = self.root_among(used, output.row);
            let parts = [(output, output.behind[class].clone()), (root, scaled(&root.sent, held))];
            for (place, amounts) in parts {
                let all: f64 = amounts.iter().sum();
                own += all * place.sent[class];
                *at.entry(place.row).or_default() += all - amounts[class];
                behind.iter_mut().zip(&amounts).for_each(|(sum, amount)| *sum += amount);
            }
        }
        let all: f64 = behind.iter().sum();
        Waiting { behind, at: at.into_iter().collect(), own: own / all.max(f64::MIN_POSITIVE) }
    }

    /// The last output on the path from a row to its root.
    fn root_among<'a>(&self, used: &'a ClassUse, row: usize) -> &'a hopscope_measure::ClassOutput {
        let path = self.chain.path(row);
        let of = |row: usize| used.outputs.binary_search_by_key(&row, |output| output.row).ok();
        let last = path.iter().rev().find_map(|&row| of(row));
        &used.outputs[last.expect("the row itself is one of them")]
    }

    /// The share of its lifetime in which a class waits in the network, without waits for its rate, window or timeout.
    fn class_waits(&self, class: &str) -> f64 {
        let is_elsewhere = |row: &LedgerRow| row.stage.waits_to_send() || row.stage.is_retransmission();
        let rows = self.report.ledger.iter().filter(|row| row.class == class);
        rows.filter(|row| row.kind == StageKind::Wait && !is_elsewhere(row)).map(|row| row.share).sum()
    }

    /// Whether the mean of a class is of several messages, as far as the report counts them.
    pub(super) fn has_messages(&self, class: &str) -> bool {
        let mut rows = self.report.ledger.iter().filter(|row| row.class == class);
        rows.all(|row| row.estimate.is_none_or(|estimate| estimate.n >= FEW_MESSAGES))
    }

    /// A sentence on which class waits for which and why: `waits` is its share of the lifetime, `behind` the part of it
    /// behind others.
    fn told_of(
        &self,
        [own, other]: [&ClassLane; 2],
        way: Way,
        [waits, behind]: [f64; 2],
        at: &str,
    ) -> String {
        let (name, others) = (&own.name, &other.name);
        let (waits, behind) = (percent(waits), percent(behind));
        let (begins, why) = match way {
            Way::SameLane => {
                let lane = self.report.evidence.lane_name.word();
                (format!("Shared {lane}: `{name}`"), format!("has the same {lane}"))
            }
            Way::Later => (format!("Strict priority: `{name}`"), "always goes first".to_owned()),
            Way::Lighter => (
                format!("Weights: `{name}` (weight {})", own.weight),
                format!("has a weight of {}", other.weight),
            ),
        };
        format!("{begins} waits {waits} of its lifetime ({behind} behind `{others}`, which {why}), {at}.")
    }
}

/// Whether an output sends both classes: then neither is delayed by a link that it does not need.
fn both_need(used: &ClassUse, row: usize, classes: [usize; 2]) -> bool {
    let output = used.outputs.iter().find(|output| output.row == row);
    output.is_some_and(|output| classes.iter().all(|&class| output.sent[class] > 0.0))
}

/// Why a class must wait behind another one; nothing if their lanes are served in turn.
fn way(used: &ClassUse, class: usize, other: usize) -> Option<Way> {
    let (own, others) = (&used.classes[class], &used.classes[other]);
    match used.order {
        _ if class == other => None,
        _ if own.lane == others.lane => Some(Way::SameLane),
        ServiceOrder::Strict => (others.lane < own.lane).then_some(Way::Later),
        ServiceOrder::InProportion => (others.weight > own.weight).then_some(Way::Lighter),
        ServiceOrder::InTurn => None,
    }
}

fn scaled(shares: &[f64], amount: f64) -> Vec<f64> {
    shares.iter().map(|share| share * amount).collect()
}
