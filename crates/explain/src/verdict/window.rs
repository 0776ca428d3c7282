//! Windows: senders that have as much outstanding as they may.

use hopscope_measure::{Charged, LedgerRow, ResourceKind, ResourceRow};
use hopscope_units::amount;

use super::{Candidate, Judge};
use crate::cause::Cause;
use crate::pressure::pressure;
use crate::round_trip::{full_windows, longest_at, travelling};
use crate::thresholds::{FULL_WINDOW, MOSTLY, PEERS, SCARCE, SMALL_WINDOW, STANDING};
use crate::words::{duration, full, percent, whole, words};

impl Judge<'_> {
    /// A window that is always full while nothing that its holders need is scarce.
    pub(super) fn window(&self) -> Option<Candidate> {
        let widest = |a: &(usize, &ResourceRow), b: &(usize, &ResourceRow)| {
            a.1.utilisation.total_cmp(&b.1.utilisation).then(b.0.cmp(&a.0))
        };
        let (at, row) = full_windows(self.report).max_by(widest)?;
        let root = self.chain.root_of(at);
        if root != at && pressure(self.row(root)) >= SCARCE {
            let busy = self.row(root);
            let sentence = format!(
                "Bottleneck: {} ({} utilised). What holds {} ({} in use) waits for it.",
                words(busy),
                percent(pressure(busy)),
                words(row),
                percent(row.utilisation)
            );
            return Some(
                self.at_row(Cause::Resource, root, row.utilisation, sentence).with_weight_stated(true),
            );
        }
        if let Some((worker, share)) = self.busy_at(at) {
            // If messages mostly wait to enter, the lifetime is far longer than a round trip.
            let before = self.waits_before_entry();
            let share = if before >= MOSTLY { (share / (1.0 - before)).min(1.0) } else { share };
            let sentence = format!(
                "Bottleneck: {}. {} of each round trip is spent there, and {} {} of the time.{}",
                words(self.row(worker)),
                percent(share),
                full(row),
                percent(row.utilisation),
                self.part_of_work(worker)
            );
            return Some(self.at_row(Cause::Resource, worker, share, sentence).with_weight_stated(true));
        }
        let allowed = row.capacity.unwrap_or(row.occupancy);
        if allowed < 1.0 {
            let much = if allowed < 0.01 { "less than 0.01".to_owned() } else { format!("{allowed:.2}") };
            let sentence = format!(
                "Bottleneck: {}. It is {much} {} on average, so a sender pauses after each.",
                words(row),
                row.unit
            );
            return Some(self.at_row(Cause::Window, at, row.utilisation, sentence));
        }
        let sentence = format!(
            "Bottleneck: {}{}. {}, so throughput is the window over the round trip.{}",
            words(row),
            self.others_as_full(at),
            outstanding(row),
            self.longest_of_round_trip(row)
        );
        Some(self.at_row(Cause::Window, at, row.utilisation, sentence).with_weight_stated(true))
    }

    /// What most of a round trip of a window is spent on, as a sentence after another one.
    fn longest_of_round_trip(&self, row: &ResourceRow) -> String {
        // Waiting for the window itself is not part of a round trip.
        let is_for_it = |row: &LedgerRow| row.stage.waits_to_send() || row.resource.is_room_downstream();
        let is_inside = |row: &&LedgerRow| row.is_of_every_class() && !is_for_it(row);
        let inside = || self.report.ledger.iter().filter(is_inside);
        let all: f64 = inside().map(|stage| stage.share).sum();
        // The round trip of credits is that of their link, and is not in the message lifetime. The lifetime of a job's
        // message, of many frames, does not show the round trip of one frame either.
        let is_of_frames = row.kind == ResourceKind::FlowWindow && self.report.evidence.is_job;
        let tells = all > 0.0 && row.kind != ResourceKind::Credits && !is_of_frames;
        let longest = inside().max_by(|a, b| a.share.total_cmp(&b.share)).filter(|_| tells);
        let travels = travelling(self.report);
        longest.map_or(String::new(), |stage| {
            if stage.resource == Charged::To(ResourceKind::Line) && travels >= MOSTLY * all {
                let travels = percent(travels / all);
                return format!(
                    " {travels} of a round trip is travelling along the lines: no faster line shortens that."
                );
            }
            format!(" The longest stage of a round trip is {} ({}).", stage.stage, percent(stage.share / all))
        })
    }

    /// What takes most of the round trip of a window, where it works for half of the time: what works for less could do
    /// twice as much, and a larger window lets it.
    fn busy_at(&self, window: usize) -> Option<(usize, f64)> {
        let longest = longest_at(self.report, self.chain, window);
        longest.filter(|&(worker, _)| self.row(worker).utilisation >= MOSTLY)
    }

    /// A clause on the number of other windows of its kind that are as full, if they are most of those in use.
    fn others_as_full(&self, at: usize) -> String {
        let own = self.row(at);
        let rows = self.report.resources.iter().enumerate();
        let used = || rows.clone().filter(|(_, row)| row.kind == own.kind && row.utilisation > 0.0);
        let full = used().filter(|&(other, row)| other != at && row.utilisation >= FULL_WINDOW).count();
        if full < PEERS || (full as f64) < MOSTLY * used().count() as f64 {
            return String::new();
        }
        format!(" and {full} others alike")
    }

    /// A full window that a congested node keeps near its minimum, while nothing that its holders need is scarce: a
    /// larger window alone would be made small again.
    pub(super) fn narrowed_window(&self) -> Option<Candidate> {
        let is_limit = |at: usize| self.chain.root_of(at) == at && pressure(self.row(at)) >= SCARCE;
        let is_small =
            |[size, least, most]: [f64; 3]| least < most && size - least <= SMALL_WINDOW * (most - least);
        let all = self.report.evidence.congested.iter();
        let narrow =
            all.filter(|node| node.share >= SMALL_WINDOW && is_limit(node.window) && is_small(node.size));
        let worst = narrow.max_by(|a, b| a.share.total_cmp(&b.share))?;
        let [size, least, most] = worst.size;
        let row = self.row(worst.window);
        let sentence = format!(
            "Congestion indicators: {} calls itself congested from {} on and tells {} of what passes so, which keeps {} at {size:.1} {} \
             (it may be {least:.0} to {most:.0}), while nothing is scarce.{}",
            worst.place.words,
            amount(worst.from, "PIU", "PIUs"),
            percent(worst.share),
            words(row),
            row.unit,
            self.busiest_line()
        );
        Some(Self::at_place(Cause::Window, &worst.place, row.utilisation, sentence))
    }

    /// Transfers that stall for most of their time until an acknowledgment permits the next packet, while packets
    /// hardly wait.
    pub(super) fn standing_window(&self) -> Option<Candidate> {
        let all = self.report.evidence.windows.iter();
        let worst = all.max_by(|a, b| a.standing().total_cmp(&b.standing()))?;
        let share = worst.standing();
        (share >= STANDING && self.waits() < STANDING).then(|| {
            let sentence = format!(
                "Bottleneck: {}. A transfer takes {}, of which its packets send for {}; the rest of the time its {} outstanding and the \
                 next one waits for an acknowledgment.",
                worst.place.words,
                duration(worst.transfer_s),
                duration(worst.sending_s),
                amount(worst.window, "packet is", "packets are")
            );
            Self::at_place(Cause::Window, &worst.place, share, sentence)
        })
    }
}

/// A clause on how much of a window is outstanding. A window without a size of its own is that of several flows, which
/// come and go.
fn outstanding(row: &ResourceRow) -> String {
    let (amount, share) = (whole(row.capacity.unwrap_or(row.occupancy)), percent(row.utilisation));
    match row.capacity {
        Some(1.0) => format!("It allows one at a time, which is outstanding {share} of the time"),
        Some(_) => format!("All {amount} {} are outstanding {share} of the time", row.unit),
        None => format!(
            "{amount} {} are outstanding on average, and flows may have no more {share} of the time",
            row.unit
        ),
    }
}
