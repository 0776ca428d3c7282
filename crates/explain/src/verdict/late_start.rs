//! FIFOs that run dry after a stop: the start comes after they have emptied.

use hopscope_measure::{ResourceKind, StopUse};

use super::{Candidate, Judge};
use crate::cause::Cause;
use crate::thresholds::{MOSTLY, STOPPED, WAITS};
use crate::words::{bytes, capitalised, duration, percent, words};

impl Judge<'_> {
    /// A link that is stopped again and again while the outputs behind it have spare time. When its FIFO requests more,
    /// nothing arrives until the next start may be sent, and then for a round trip of the cable; the content at the
    /// stop level lasts for less than half of that. The place of the cause is the output that the stopped messages
    /// need: it runs dry, and a faster one would do so sooner.
    pub(super) fn late_start(&self) -> Option<Candidate> {
        let (stops, waits) = (self.report.evidence.stops?, self.waits_in_network());
        if waits < WAITS {
            return None;
        }
        let links =
            self.report.resources.iter().enumerate().filter(|(_, row)| row.kind == ResourceKind::Output);
        let late: Vec<(usize, u32)> = links
            .filter(|&(row, _)| self.runs_dry(stops, row))
            .filter_map(|(row, of)| Some((row, of.link?)))
            .collect();
        let could_send = |row: usize| {
            let by = self.row(row).far.switch();
            by.is_some_and(|by| {
                self.could_send_on(row, by, |link| late.iter().any(|&(_, other)| other == link))
            })
        };
        let stopped = late.iter().map(|&(row, _)| row).filter(|&row| self.row(row).held_back() >= STOPPED);
        let for_nothing = stopped.filter(|&row| could_send(row));
        let worst = for_nothing
            .max_by(|&a, &b| self.row(a).held_back().total_cmp(&self.row(b).held_back()).then(b.cmp(&a)))?;
        let root = self.chain.root_of(worst);
        let behind = if root == worst {
            String::new()
        } else {
            let needed = self.row(root);
            format!(", though {} behind it is only {} utilised", words(needed), percent(needed.utilisation))
        };
        let sentence = format!(
            "{} {} is stopped {} of the time{behind}. Messages spend {} of their lifetime waiting.",
            self.why_late(stops, worst),
            capitalised(&words(self.row(worst))),
            percent(self.row(worst).held_back()),
            percent(waits)
        );
        Some(self.at_row(Cause::Window, root, waits, sentence).with_weight_stated(true))
    }

    /// Times after a FIFO requests more, seconds: until a start may be sent, a round trip of the cable, and until the
    /// FIFO's content is used up.
    fn pause_of(&self, stops: StopUse, row: usize) -> Option<[f64; 3]> {
        let (rate, delay) = (self.report.evidence.rates.get(&row)?, self.report.evidence.delays.get(&row)?);
        Some([stops.every_s, 2.0 * delay, stops.level / rate])
    }

    /// Whether a FIFO is empty for most of the time between its request and the next arrival.
    fn runs_dry(&self, stops: StopUse, row: usize) -> bool {
        self.pause_of(stops, row)
            .is_some_and(|[every, round_trip, lasts]| lasts < MOSTLY * (every + round_trip))
    }

    /// A sentence on why starts come too late: the longer of the two delays before them.
    fn why_late(&self, stops: StopUse, row: usize) -> String {
        let [every, round_trip, lasts] = self.pause_of(stops, row).unwrap_or_default();
        let (level, lasts) = (bytes(stops.level / 8.0), duration(lasts));
        if every >= round_trip {
            format!(
                "Rare directives: switches send stops and starts every {} (`switch.directive`), and {level}, from which on a FIFO stops its \
                 link (`switch.stop_above`), have left it after {lasts}.",
                duration(every)
            )
        } else {
            format!(
                "Stop level: a FIFO stops its link from {level} on (`switch.stop_above`), which have left it after {lasts}, and what is sent \
                 after a start comes a round trip of the cable later, {}.",
                duration(round_trip)
            )
        }
    }
}
