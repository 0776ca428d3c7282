//! Overhead on a full line, windows that mostly wait for it, and queues that refuse packets before a line that is not
//! full.

use hopscope_measure::{HoldWhy, ResourceKind, ResourceRow};

use super::{Candidate, Judge};
use crate::cause::Cause;
use crate::pressure::pressure_at;
use crate::thresholds::{
    FULL_WINDOW, MOSTLY, NEARLY_ALL, NEARLY_FULL, OVERHEAD, OVERHEAD_FILLS, SATURATED_LINE,
};
use crate::words::{capitalised, percent, whole, words};

impl Judge<'_> {
    /// Further sentences on the share of a full line's time that responses take, and on the window whose PIUs mostly
    /// wait for the line. The line limits throughput, so a smaller window would carry as much, with less delay in the
    /// network. Random arrivals then wait before the window instead.
    pub(super) fn of_full_line(&self, root: usize) -> String {
        let row = self.row(root);
        let answers = self.spent(root, HoldWhy::Replies);
        let told = if answers >= OVERHEAD {
            format!(" Answers take {} of the time of {}.", percent(answers), words(row))
        } else {
            String::new()
        };
        let window = self.window_that_waits(root, MOSTLY).map_or_else(String::new, |window| {
            let less = if self.report.evidence.always_sends { ", with less delay" } else { "" };
            format!(
                " {}: a smaller one carries as much{less}.",
                capitalised(&self.waits_for_line(window, root))
            )
        });
        told + &window
    }

    /// The largest full window of which at least this share waits for a full line.
    fn window_that_waits(&self, root: usize, least: f64) -> Option<usize> {
        let waiting = self.chain.waiting(root);
        let is_so = |row: &ResourceRow| {
            row.kind == ResourceKind::VirtualRouteWindow
                && row.utilisation >= FULL_WINDOW
                && waiting >= least * row.occupancy
                && row.occupancy >= 2.0
        };
        let rows = self.report.resources.iter().enumerate();
        let widest = rows
            .filter(|(_, row)| is_so(row))
            .max_by(|(_, a), (_, b)| a.occupancy.total_cmp(&b.occupancy).then_with(|| b.place.cmp(&a.place)));
        widest.map(|(at, _)| at)
    }

    /// A clause on how much of a full window waits for a full line.
    fn waits_for_line(&self, window: usize, root: usize) -> String {
        let row = self.row(window);
        format!(
            "{} is full, and about {} of its {} {} wait for {}",
            words(row),
            whole(self.chain.waiting(root).min(row.occupancy)),
            whole(row.occupancy),
            row.unit,
            words(self.row(root))
        )
    }

    /// The full line that causes most waiting, unless it is slower than its kind: then its rate is the fault.
    fn full_line(&self) -> Option<usize> {
        let is_full = |root: &usize| {
            let row = self.row(*root);
            row.kind == ResourceKind::Line && row.utilisation >= SATURATED_LINE && !self.is_slow(*root)
        };
        self.scarce_root().filter(is_full)
    }

    /// The busiest line, if it is full and no slower than its kind. It need not be the root of the waiting: several
    /// lines may be equally full.
    fn busiest_line_if_full(&self) -> Option<usize> {
        let rows = self.report.resources.iter().enumerate();
        let lines = rows.filter(|(_, row)| row.kind == ResourceKind::Line);
        let busiest = lines.max_by(|a, b| a.1.utilisation.total_cmp(&b.1.utilisation).then(b.0.cmp(&a.0)));
        busiest.filter(|(at, row)| row.utilisation >= SATURATED_LINE && !self.is_slow(*at)).map(|(at, _)| at)
    }

    /// Overhead that takes about half of a full line's time fills the line, and a faster line would still carry all of
    /// it.
    pub(super) fn filled_by_overhead(&self) -> Option<Candidate> {
        let root = self.full_line().or_else(|| self.busiest_line_if_full())?;
        let fills = |share: f64| share >= OVERHEAD_FILLS * self.row(root).utilisation;
        let is_filled_by = |why: HoldWhy| fills(self.spent(root, why));
        let headers = self.report.evidence.segments.as_ref().map_or(0.0, |segments| segments.headers);
        let load = if is_filled_by(HoldWhy::RoutingMessages) {
            self.routing_load()
        } else if is_filled_by(HoldWhy::Replies) {
            self.answer_load()
        } else {
            None
        };
        let at_line = |found: Candidate| {
            let row = self.row(root);
            Candidate { nodes: row.nodes(), place: Some(row.place.clone()), root: Some(root), ..found }
        };
        load.map(at_line).or_else(|| self.segmented().filter(|_| fills(headers)))
    }

    /// A window nearly all of which waits for a full line, ahead of other routes' messages. These wait for it, and a
    /// smaller window would keep the line as busy. If no other route waits, the window only delays its own messages.
    pub(super) fn wide_window(&self) -> Option<Candidate> {
        let root = self.full_line()?;
        let window = self.window_that_waits(root, NEARLY_ALL)?;
        let others = self.report.resources.iter().filter(|row| {
            row.kind == ResourceKind::VirtualRouteWindow
                && row.utilisation > 0.0
                && row.utilisation < FULL_WINDOW
        });
        (others.count() > 0).then(|| {
            let sentence = format!(
                "Window too large: {} ({} utilised). Messages of other routes wait behind them; a smaller window carries as much.",
                self.waits_for_line(window, root),
                percent(self.row(root).utilisation)
            );
            self.at_row(Cause::Window, window, self.weight_of(root), sentence)
        })
    }

    /// A window that waits for a full line, but not with nearly all of it or without delaying other routes: a smaller
    /// window is tried beside a faster line.
    pub(super) fn waiting_window(&self) -> Option<Candidate> {
        let root = self.full_line()?;
        let window = self.window_that_waits(root, MOSTLY)?;
        let sentence = format!("Window: {}.", self.waits_for_line(window, root));
        Some(self.at_row(Cause::Window, window, self.weight_of(root), sentence))
    }

    /// A full queue refuses packets although its line has spare time: bursts find no room, and the line is idle until
    /// they are retransmitted.
    pub(super) fn refusing_queue(&self) -> Option<Candidate> {
        let root = self.scarce_root()?;
        let row = self.row(root);
        let nodes = row.nodes();
        let is_queue =
            |queue: &ResourceRow| queue.kind == ResourceKind::OutputQueue && queue.nodes() == nodes;
        let rests = row.kind == ResourceKind::Line && pressure_at(self.report, root) < NEARLY_FULL;
        let found = self.full_queue().filter(|found| rests && found.nodes == nodes)?;
        self.report.resources.iter().any(is_queue).then(|| Candidate {
            sentence: format!(
                "{} {} behind this queue is {} utilised.",
                found.sentence,
                capitalised(&words(row)),
                percent(row.utilisation)
            ),
            ..found
        })
    }
}
