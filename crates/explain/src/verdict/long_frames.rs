//! A class of the highest priority that waits for the end of long frames in transmission.

use hopscope_measure::{LedgerRow, ServiceOrder, StageId, StageKind};

use super::{Candidate, Judge};
use crate::cause::Cause;
use crate::thresholds::{LIGHT_CLASS, MOSTLY, WAITS};
use crate::words::{bytes, duration, percent, words};

impl Judge<'_> {
    /// Under strict priority the first class waits only for its own frames and for the frame in transmission, which is
    /// not interrupted. If the class sends little, and a long frame takes longer than its message, shorter frames are
    /// the remedy.
    pub(super) fn long_frames(&self) -> Option<Candidate> {
        let used = self.report.evidence.class_use.as_ref()?;
        if used.order != ServiceOrder::Strict {
            return None;
        }
        let first = (0..used.classes.len()).filter(|&class| used.classes[class].lane == 0);
        let found = first.filter_map(|class| self.behind_a_frame(class));
        found.max_by(|a, b| a.weight.total_cmp(&b.weight))
    }

    fn behind_a_frame(&self, class: usize) -> Option<Candidate> {
        let used = self.report.evidence.class_use.as_ref()?;
        let (name, waiting) = (&used.classes[class].name, self.waiting_of(used, class));
        let all: f64 = waiting.behind.iter().sum();
        let later = |other: &usize| used.classes[*other].lane > 0;
        let behind: f64 = (0..used.classes.len()).filter(later).map(|other| waiting.behind[other]).sum();
        let most = (0..used.classes.len())
            .filter(later)
            .max_by(|&a, &b| waiting.behind[a].total_cmp(&waiting.behind[b]).then(b.cmp(&a)))?;
        let &(root, _) = waiting.at.iter().max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)))?;
        let frame_s = self.report.evidence.frame_bits / self.report.evidence.rates.get(&root)?;
        let [share, waits_us] = self.in_queues(name);
        // A frame in transmission then delays the message for longer than the message itself takes.
        let is_long = self.without_waiting_us(name)? * 1e-6 <= frame_s;
        let is_light = waiting.own <= LIGHT_CLASS / used.classes.len() as f64;
        let is_so = is_long && is_light && share >= WAITS && behind >= MOSTLY * all;
        (is_so && self.has_messages(name)).then(|| {
            let other = &used.classes[most].name;
            let sentence = format!(
                "Long frames: `{name}` goes first, and yet waits {} of its lifetime ({}): a frame of `{other}` that is being sent is sent \
                 to its end, which takes up to {} ({}) at {}.",
                percent(share),
                duration(waits_us * 1e-6),
                duration(frame_s),
                bytes(self.report.evidence.frame_bits / 8.0),
                words(self.row(root))
            );
            let found = Self::everywhere(Cause::SlowService, share, sentence).with_weight_stated(true);
            Candidate { class: Some(name.clone()), behind: Some(other.clone()), ..found }
        })
    }

    /// Waiting of a class in queues: the share of its lifetime, and microseconds. A stopped lane waits for more than a
    /// frame.
    fn in_queues(&self, class: &str) -> [f64; 2] {
        let is_meant = |row: &&LedgerRow| {
            let is_queue = matches!(row.stage, StageId::Queueing | StageId::SendQueue);
            row.class == class && row.kind == StageKind::Wait && is_queue
        };
        let rows = || self.report.ledger.iter().filter(is_meant);
        let waits_us: Option<f64> = rows().map(|row| row.estimate.map(|estimate| estimate.value)).sum();
        [rows().map(|row| row.share).sum(), waits_us.unwrap_or(0.0)]
    }
}
