//! What a full line carries besides messages, how much of a window only waits for it, and a queue that refuses packets
//! before a line that is not full.

use hopscope_measure::{HoldWhy, ResourceKind, ResourceRow};

use super::{Candidate, Judge};
use crate::cause::Cause;
use crate::pressure::pressure_at;
use crate::thresholds::{
    FILLS, FULL_WHERE_SATURATED, FULL_WINDOW, MOSTLY, NEARLY_ALL, OVERHEAD, SATURATED_LINE,
};
use crate::words::{capitalised, percent, whole, words};

impl Judge<'_> {
    /// Sentences after another one: how much of a full line's time answers take, and the window whose PIUs mostly wait
    /// for it. Throughput is that of the line, so a smaller window would carry as much, and its messages would be there
    /// sooner. Messages that come at random then wait before the window instead.
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

    /// The largest of the full windows of which at least this share only waits for a full line.
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

    /// How much of a full window waits for a full line, as a clause.
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

    /// The full line that most waiting leads to, unless it is slower than its like: then its rate is the fault.
    fn full_line(&self) -> Option<usize> {
        let is_full = |root: &usize| {
            let row = self.row(*root);
            row.kind == ResourceKind::Line && row.utilisation >= SATURATED_LINE && !self.is_slow(*root)
        };
        self.scarce_root().filter(is_full)
    }

    /// The busiest line, where it is full and no slower than its like: no wait need lead to one of several that are
    /// full alike.
    fn busiest_line_if_full(&self) -> Option<usize> {
        let rows = self.report.resources.iter().enumerate();
        let lines = rows.filter(|(_, row)| row.kind == ResourceKind::Line);
        let busiest = lines.max_by(|a, b| a.1.utilisation.total_cmp(&b.1.utilisation).then(b.0.cmp(&a.0)));
        busiest.filter(|(at, row)| row.utilisation >= SATURATED_LINE && !self.is_slow(*at)).map(|(at, _)| at)
    }

    /// What carries no messages takes about half of the time of a full line: it is what fills the line, and a faster
    /// one would still carry all of it.
    pub(super) fn filled_by_overhead(&self) -> Option<Candidate> {
        let root = self.full_line().or_else(|| self.busiest_line_if_full())?;
        let fills = |share: f64| share >= FILLS * self.row(root).utilisation;
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

    /// A window nearly all of which waits for a full line, in front of other routes' messages: these wait for it, and
    /// the line would be as busy without. Where nobody else waits, it costs its own messages time, and nothing else.
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

    /// The same where it is not nearly all of the window, or nobody else waits: beside the line a smaller window is
    /// tried.
    pub(super) fn waiting_window(&self) -> Option<Candidate> {
        let root = self.full_line()?;
        let window = self.window_that_waits(root, MOSTLY)?;
        let sentence = format!("Window: {}.", self.waits_for_line(window, root));
        Some(self.at_row(Cause::Window, window, self.weight_of(root), sentence))
    }

    /// A full queue refuses packets, although the line behind it has time to spare: what comes at once finds no room,
    /// and the line rests until it is sent again.
    pub(super) fn refusing_queue(&self) -> Option<Candidate> {
        let root = self.scarce_root()?;
        let row = self.row(root);
        let nodes = row.nodes();
        let is_queue =
            |queue: &ResourceRow| queue.kind == ResourceKind::OutputQueue && queue.nodes() == nodes;
        let rests = row.kind == ResourceKind::Line && pressure_at(self.report, root) < FULL_WHERE_SATURATED;
        let found = self.full_queue().filter(|found| rests && found.nodes == nodes)?;
        self.report.resources.iter().any(is_queue).then(|| Candidate {
            sentence: format!(
                "{} {} behind it is {} utilised.",
                found.sentence,
                capitalised(&words(row)),
                percent(row.utilisation)
            ),
            ..found
        })
    }
}
