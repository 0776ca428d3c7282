//! A line with a far longer propagation delay than the others, which fills a window or the line's acknowledgment
//! channels: nothing there is busy, and messages wait elsewhere.

use hopscope_measure::{ResourceKind, ResourceRow, StageKind, usual};

use super::long_link::Travel;
use super::{Candidate, Judge};
use crate::cause::Cause;
use crate::round_trip::{full_windows, travelling};
use crate::thresholds::{LOSS_SHARE, MOSTLY, TIMES_THE_USUAL};
use crate::words::{duration, full, percent, words};

/// The lines that are far longer than the others.
struct LongLines {
    /// The one that carries most.
    row: usize,
    /// Their number; both directions of a line are one.
    count: usize,
    /// The propagation delay of one of them, and that of the others, seconds.
    delay_s: f64,
    usual_s: f64,
    /// Their share of all bits in flight on lines.
    share: f64,
    /// The ends of each of them.
    ends: Vec<Vec<String>>,
}

impl Judge<'_> {
    /// The verdict on a line that is far longer than the others: messages that it delays wait at a window or are
    /// refused.
    pub(super) fn long_line(&self) -> Option<Candidate> {
        let long = self.long_lines()?;
        self.refused_at_long(&long).or_else(|| self.round_trip_of_long(&long))
    }

    fn long_lines(&self) -> Option<LongLines> {
        let mut travels = self.travels();
        travels.retain(|_, travel| self.row(travel.row).kind == ResourceKind::Line);
        let longest = travels.values().max_by(|a, b| a.delay_s.total_cmp(&b.delay_s))?;
        let others = travels.values().filter(|travel| travel.row != longest.row);
        let usual_s = usual(others.map(|travel| travel.delay_s).collect())?;
        let long: Vec<(&Vec<String>, &Travel)> =
            travels.iter().filter(|(_, travel)| travel.delay_s >= TIMES_THE_USUAL * usual_s).collect();
        let (_, most) =
            long.iter().max_by(|a, b| a.1.bits.total_cmp(&b.1.bits).then(b.1.row.cmp(&a.1.row)))?;
        let all: f64 = travels.values().map(|travel| travel.bits).sum();
        Some(LongLines {
            row: most.row,
            count: long.len(),
            delay_s: most.delay_s,
            usual_s,
            share: long.iter().map(|(_, travel)| travel.bits).sum::<f64>() / all.max(f64::MIN_POSITIVE),
            ends: long.iter().map(|(ends, _)| (*ends).clone()).collect(),
        })
    }

    /// A packet holds an acknowledgment channel for a round trip of the line: a long line has too few channels to be
    /// fully used, and its node refuses packets, which neighbours retransmit. That fills their lines in vain.
    fn refused_at_long(&self, long: &LongLines) -> Option<Candidate> {
        let channels =
            || self.report.resources.iter().filter(|row| row.kind == ResourceKind::AcknowledgmentChannels);
        let refused =
            |rows: &mut dyn Iterator<Item = &ResourceRow>| -> u64 { rows.map(|row| row.refused).sum() };
        let is_of_long = |row: &&ResourceRow| {
            let mut ends = row.nodes();
            ends.sort();
            long.ends.contains(&ends)
        };
        let (there, all) = (refused(&mut channels().filter(is_of_long)), refused(&mut channels()));
        let again = self.of_life(|row| row.kind == StageKind::Wait && row.stage.is_retransmission());
        let before = self.waits_before_entry();
        (there > 0 && there as f64 >= MOSTLY * all as f64 && again >= LOSS_SHARE * (1.0 - before)).then(|| {
            let sentence = format!(
                "{} A packet keeps one of its acknowledgment channels for a round trip of the line, so they refused {there} packets. \
                 Messages spend {} of their lifetime waiting to be sent again.",
                self.told_long(long),
                percent(again)
            );
            self.at_row(Cause::SlowService, long.row, before + again, sentence)
        })
    }

    /// A window is full, and most of a round trip is propagation along such lines. Messages wait to enter until round
    /// trips end; so do retransmissions that are out of order because earlier messages are still in flight.
    fn round_trip_of_long(&self, long: &LongLines) -> Option<Candidate> {
        let (_, window) = full_windows(self.report).next()?;
        let before = self.waits_before_entry();
        let again = self.of_life(|row| row.kind == StageKind::Wait && row.stage.is_out_of_order());
        let trip = 1.0 - before - again;
        let share = travelling(self.report) * long.share / trip.max(f64::MIN_POSITIVE);
        (share >= MOSTLY).then(|| {
            let rejected = if again >= LOSS_SHARE * (1.0 - before) {
                format!(
                    " Messages that arrive by shorter ways come before their turn and are rejected: inside the network they spend {} of \
                     their time waiting for that.",
                    percent(again / (1.0 - before))
                )
            } else {
                String::new()
            };
            let sentence = format!(
                "{} {} of each round trip is spent on it, and {} {} of the time.{rejected}",
                self.told_long(long),
                percent(share.min(1.0)),
                full(window),
                percent(window.utilisation)
            );
            self.at_row(Cause::SlowService, long.row, before + again + share.min(1.0) * trip, sentence)
        })
    }

    /// A sentence on the propagation delay of the line.
    fn told_long(&self, long: &LongLines) -> String {
        let beside = match long.count {
            1 => String::new(),
            2 => " One other is as long.".to_owned(),
            count => format!(" {} others are as long.", count - 1),
        };
        format!(
            "Long line: {} takes {} where the others like it take {}.{beside}",
            words(self.row(long.row)),
            duration(long.delay_s),
            duration(long.usual_s)
        )
    }

    /// The share of the lifetime in which messages wait to enter the network.
    pub(super) fn waits_before_entry(&self) -> f64 {
        self.of_life(|row| row.kind == StageKind::Wait && row.stage.is_before_entry())
    }
}
