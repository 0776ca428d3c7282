//! What a full line carries besides messages, and how much of a window only waits for it.

use hopscope_measure::{HoldWhy, ResourceKind};

use super::Judge;
use crate::thresholds::{FULL_WINDOW, MOSTLY, OVERHEAD};
use crate::words::{capitalised, percent, whole, words};

impl Judge<'_> {
    /// Sentences after another one: how much of a full line's time answers take, and the window whose PIUs mostly wait
    /// for it. Throughput is that of the line, so a smaller window would carry as much, and its messages would be there
    /// sooner.
    pub(super) fn of_full_line(&self, root: usize) -> String {
        let row = self.row(root);
        let replies = row.held_in.iter().filter(|part| part.cause.why == HoldWhy::Replies);
        let answers: f64 = replies.map(|part| part.occupancy).sum();
        let told = if answers >= OVERHEAD {
            format!(" Answers take {} of the time of {}.", percent(answers), words(row))
        } else {
            String::new()
        };
        let waiting = self.chain.waiting(root);
        let windows = self.report.resources.iter().filter(|other| {
            other.kind == ResourceKind::VirtualRouteWindow
                && other.utilisation >= FULL_WINDOW
                && waiting >= MOSTLY * other.occupancy
                && other.occupancy >= 2.0
        });
        let widest = windows.max_by(|a, b| a.occupancy.total_cmp(&b.occupancy).then(b.place.cmp(&a.place)));
        let window = widest.map_or_else(String::new, |window| {
            format!(
                " {} is full, and about {} of its {} PIUs wait for {}: a smaller one carries as much, with less delay.",
                capitalised(&words(window)),
                whole(waiting.min(window.occupancy)),
                whole(window.occupancy),
                words(row)
            )
        });
        told + &window
    }
}
