//! Inputs of a switch that are served in a fixed order.

use hopscope_measure::{EVERY_CLASS, ResourceKind, StageKind};

use super::{Candidate, Judge};
use crate::cause::Cause;
use crate::policy::Policy;
use crate::thresholds::{SERVED_LAST, WAITS};
use crate::words::{duration, percent, words};

/// The messages that wait longest: their class or source, their mean wait, and that as a multiple of the mean of all.
struct Last {
    who: String,
    class: Option<String>,
    wait_us: f64,
    times: f64,
}

impl Judge<'_> {
    /// The input with the lowest port number is always served first at a busy output, and the messages of the last
    /// input wait far longer than others. With another arbiter all wait equally.
    pub(super) fn served_last(&self) -> Option<Candidate> {
        let root = self.scarce_root().filter(|&root| self.row(root).kind == ResourceKind::Output)?;
        let switch = self.row(root).site.switch().and(self.row(root).ends.as_ref())?[0].clone();
        let fixed = self.report.evidence.is_fixed_order && self.waits() >= WAITS;
        let last = self.class_served_last().or_else(|| self.pair_served_last()).filter(|_| fixed)?;
        let sentence = format!(
            "Fixed order: {} waits {}, {:.1} times the mean of all, most for {} ({} utilised). Of the inputs that wait \
             for it the one with the lowest port number always goes first.",
            last.who,
            duration(last.wait_us * 1e-6),
            last.times,
            words(self.row(root)),
            percent(self.row(root).utilisation)
        );
        let found = self.at_row(Cause::Resource, root, self.weight_of(root), sentence);
        Some(Candidate {
            resource: Some(format!("the arbiter of {switch}")),
            place: Some(switch.clone()),
            id: Some(Policy::Arbiter.id()),
            nodes: vec![switch],
            class: last.class,
            ..found
        })
    }

    fn class_served_last(&self) -> Option<Last> {
        let wait_us = |class: &str| -> Option<f64> {
            let rows = self.report.ledger.iter().filter(|row| row.class == class);
            rows.filter(|row| row.kind == StageKind::Wait)
                .map(|row| row.estimate.map(|estimate| estimate.value))
                .sum()
        };
        let mean = wait_us(EVERY_CLASS).filter(|&mean| mean > 0.0)?;
        let classes =
            self.report.ledger.iter().map(|row| row.class.as_str()).filter(|&class| class != EVERY_CLASS);
        let waits = classes.filter_map(|class| Some((class, wait_us(class)?)));
        let (class, wait_us) = waits.max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(a.0)))?;
        let times = wait_us / mean;
        let class = class.to_owned();
        (times >= SERVED_LAST).then(|| Last { who: format!("`{class}`"), class: Some(class), wait_us, times })
    }

    fn pair_served_last(&self) -> Option<Last> {
        let pairs = &self.report.evidence.pairs;
        let messages: u64 = pairs.iter().map(|pair| pair.messages).sum();
        let mean =
            pairs.iter().map(|pair| pair.wait_us * pair.messages as f64).sum::<f64>() / messages as f64;
        let longest =
            pairs.iter().max_by(|a, b| a.wait_us.total_cmp(&b.wait_us).then_with(|| b.who.cmp(&a.who)))?;
        let times = longest.wait_us / mean;
        (times >= SERVED_LAST).then(|| Last {
            who: longest.who.clone(),
            class: None,
            wait_us: longest.wait_us,
            times,
        })
    }
}
