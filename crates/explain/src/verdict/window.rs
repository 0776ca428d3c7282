//! Senders that have as much outstanding as they may.

use hopscope_measure::{LedgerRow, ResourceRow};
use hopscope_units::amount;

use super::{Candidate, Judge};
use crate::cause::Cause;
use crate::pressure::pressure;
use crate::round_trip::{full_windows, longest_at};
use crate::thresholds::{SCARCE, STANDING, TOLD};
use crate::words::{duration, percent, whole, words};

impl Judge<'_> {
    /// A window that is full all the time while nothing that its holders need is scarce.
    pub(super) fn window(&self) -> Option<Candidate> {
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
            return Some(self.at_row(Cause::Resource, root, row.utilisation, sentence));
        }
        if let Some((worker, share)) = longest_at(self.report, self.chain, at) {
            let sentence = format!(
                "Bottleneck: {}. {} of each round trip is spent there, and {} is full {} of the time.",
                words(self.row(worker)),
                percent(share),
                words(row),
                percent(row.utilisation),
            );
            return Some(self.at_row(Cause::Resource, worker, share, sentence));
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
        // Waiting for the window itself is no part of a round trip.
        let is_for_it = |row: &LedgerRow| row.stage.waits_to_send() || row.resource.is_room_downstream();
        let is_inside = |row: &&LedgerRow| row.is_of_every_class() && !is_for_it(row);
        let inside = || self.report.ledger.iter().filter(is_inside);
        let all: f64 = inside().map(|stage| stage.share).sum();
        let longest = inside().max_by(|a, b| a.share.total_cmp(&b.share)).filter(|_| all > 0.0);
        let spent = longest.map_or(String::new(), |stage| {
            format!(" The longest stage of a round trip is {} ({}).", stage.stage, percent(stage.share / all))
        });
        let sentence = format!(
            "Bottleneck: {}. All {} {} are outstanding {} of the time, so throughput is the window over the round trip.{spent}",
            words(row),
            whole(allowed),
            row.unit,
            percent(row.utilisation)
        );
        Some(self.at_row(Cause::Window, at, row.utilisation, sentence))
    }

    /// A full window that a congested node keeps near its least, while nothing that its holders need is scarce: larger
    /// windows alone would be made small again.
    pub(super) fn narrowed_window(&self) -> Option<Candidate> {
        let is_limit = |at: usize| self.chain.root_of(at) == at && pressure(self.row(at)) >= SCARCE;
        let is_small = |[size, least, most]: [f64; 3]| least < most && size - least <= TOLD * (most - least);
        let all = self.report.evidence.congested.iter();
        let narrow = all.filter(|node| node.share >= TOLD && is_limit(node.window) && is_small(node.size));
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
    /// themselves hardly wait.
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
