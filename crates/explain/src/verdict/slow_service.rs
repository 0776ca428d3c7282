//! A service that takes far longer than is usual.

use hopscope_measure::{
    Nature, ResourceKind, ServiceTime, SmoothingUse, StageId, StageKind, UsualService, usual,
};

use super::{Candidate, Judge};
use crate::cause::Cause;
use crate::thresholds::{
    FULL_WHERE_SATURATED, LIKE, LIKE_EACH, MOSTLY, OF_ROUND_TRIP, SCARCE, SLOW_TIMES, WAIT_SHARE, WAITS,
};
use crate::words::{capitalised, duration, percent, words};

impl Judge<'_> {
    /// A service that takes far longer than by default, or than that of other stations, and most of what serves; or
    /// packets that are stored at each switch.
    pub(super) fn slow_service(&self) -> Option<Candidate> {
        self.unusual_service()
            .or_else(|| self.storing())
            .or_else(|| self.smoothing())
            .or_else(|| self.slow_station())
            .or_else(|| self.slow_sender())
            .or_else(|| self.rare_scan())
    }

    /// Messages mostly wait to enter, nothing that they need is scarce, and switches look after hosts that wait far
    /// more seldom than is usual: whatever a host lacks, it goes on no sooner than at the next look.
    fn rare_scan(&self) -> Option<Candidate> {
        let scan = self.report.evidence.host_scan.filter(|scan| scan.every_s >= SLOW_TIMES * scan.usual_s)?;
        let before = self.waits_before_entry();
        (before >= MOSTLY && self.scarce_root().is_none()).then(|| {
            let sentence = format!(
                "Slow service: IMPs look after hosts that wait every {}, where {} is usual. Messages wait {} of their \
                 lifetime to enter the network, although nothing that they need is scarce.",
                duration(scan.every_s),
                duration(scan.usual_s),
                percent(before)
            );
            Self::everywhere(Cause::SlowService, before, sentence)
        })
    }

    /// Of all that serves a message this stage takes most, and its length is not the usual one. Not where something is
    /// full: then it would be as full with the usual service.
    fn unusual_service(&self) -> Option<Candidate> {
        let served = self.of_life(|row| row.kind == StageKind::Service);
        let share = |service: &UsualService| self.of_life(|row| row.stage == service.stage);
        let all = self.report.evidence.usual.iter();
        let slow = all.filter(|service| service.us >= SLOW_TIMES * service.usual_us);
        let worst = slow.max_by(|a, b| share(a).total_cmp(&share(b)))?;
        let is_most = share(worst) >= MOSTLY * served && self.fullest_line() < FULL_WHERE_SATURATED;
        (is_most && !self.wait_for_a_processor(share(worst))).then(|| {
            let UsualService { stage, us, usual_us } = worst;
            let sentence = format!(
                "Slow service: {} takes {} each time, where {} is usual. Messages spend {} of their lifetime on it, and {} waiting.",
                stage.word(),
                duration(us * 1e-6),
                duration(usual_us * 1e-6),
                percent(share(worst)),
                percent(self.waits())
            );
            Self::everywhere(Cause::SlowService, share(worst) + self.waits(), capitalised(&sentence))
        })
    }

    /// Most of a life is spent until each switch has received all of a packet, though it could pass on what has come.
    /// Switches that do so wait only for a link that is slower than the next one: they store because of that link.
    fn storing(&self) -> Option<Candidate> {
        let share = self.of_life(|row| row.stage == StageId::Reception);
        let could = !self.report.evidence.is_cut_through && self.fullest_line() < FULL_WHERE_SATURATED;
        (share >= MOSTLY && could).then(|| {
            let sentence = format!(
                "Store and forward: messages spend {} of their lifetime until switches have received them whole, and {} waiting.",
                percent(share),
                percent(self.waits())
            );
            Self::everywhere(Cause::SlowService, share, sentence)
        })
    }

    /// Packets wait until a frame of input smoothing begins, though the links that they need have time to spare.
    fn smoothing(&self) -> Option<Candidate> {
        let SmoothingUse { slots, frame_s } = self.report.evidence.smoothing?;
        let share = self.of_life(|row| row.stage == StageId::OutputWait);
        (share >= WAITS && slots > 1 && self.fullest_line() < FULL_WHERE_SATURATED).then(|| {
            let sentence = format!(
                "Slow service: switches offer packets to their outputs only when a smoothing frame begins, each {} ({slots} slots). \
                 Messages spend {} of their lifetime waiting for outputs, of which the busiest is {} utilised.",
                duration(frame_s),
                percent(share),
                percent(self.fullest_line())
            );
            Self::everywhere(Cause::SlowService, share, sentence)
        })
    }

    /// The share of a lifetime in which messages are transmitted, and the part of that on links behind the first, where
    /// it is much: each switch receives a frame whole before it sends it on. Nobody waits, and yet a message takes as
    /// long as that does.
    pub(super) fn stored(&self) -> Option<(f64, f64)> {
        let once_us = self.report.evidence.sent_once_us?;
        let mut rows = self.report.ledger.iter().filter(|row| row.is_of_every_class());
        let sent = rows.find(|row| row.stage == StageId::Transmission)?;
        let again = sent.share * (1.0 - once_us / sent.estimate?.value);
        // A step of a job begins when the one before has come; other messages only arrive later.
        let least = if self.report.evidence.is_job { OF_ROUND_TRIP } else { MOSTLY };
        (again >= least).then_some((sent.share, again))
    }

    /// The same as what may be tried.
    pub(super) fn storing_frames(&self) -> Option<Candidate> {
        let (sent, again) = self.stored()?;
        let sentence = format!(
            "Store and forward: messages spend {} of their lifetime being transmitted, {} of it on links behind the first, since switches \
             receive each frame whole before they send it on.",
            percent(sent),
            percent(again)
        );
        Some(Self::everywhere(Cause::SlowService, again, sentence))
    }

    /// The use of the busiest link or line.
    pub(super) fn fullest_line(&self) -> f64 {
        let lines = self.report.resources.iter().filter(|row| row.kind.carries_bits());
        lines.map(|row| row.utilisation).fold(0.0, f64::max)
    }

    /// Whether more than this share of a life is spent waiting for a processor: its work is then what is too slow.
    fn wait_for_a_processor(&self, share: f64) -> bool {
        let is_processor = |row: usize| {
            let kind = self.row(row).kind;
            kind.nature() == Nature::Works && !kind.carries_bits()
        };
        self.bottleneck().is_some_and(|found| found.root.is_some_and(is_processor) && self.waits() > share)
    }

    /// Most of a life is spent being served at one station, which takes far longer than the others do. Who has long
    /// services puts many servers there: where each of these is used about as much as those of the others, they are
    /// meant to be long.
    fn slow_station(&self) -> Option<Candidate> {
        let times = &self.report.evidence.services;
        let (&slow, time) = times.iter().max_by(|a, b| a.1.mean_us.total_cmp(&b.1.mean_us))?;
        let of_others = |told: &dyn Fn(usize, &ServiceTime) -> f64| {
            let others = times.iter().filter(|&(&row, _)| row != slow);
            usual(others.map(|(&row, time)| told(row, time)).collect())
        };
        let per_server =
            |row: usize, time: &ServiceTime| time.mean_us / self.row(row).capacity.unwrap_or(1.0);
        let (like, like_each) = (of_others(&|_, time| time.mean_us)?, of_others(&per_server)?);
        let ServiceTime { mean_us, .. } = *time;
        let ResourceKind::Station(number) = self.row(slow).kind else { return None };
        let share = self.of_life(|row| row.stage == StageId::StationService(number));
        let is_slow = mean_us >= LIKE * like && per_server(slow, time) >= LIKE_EACH * like_each;
        (is_slow && share >= MOSTLY).then(|| {
            let sentence = format!(
                "Slow service: messages spend {} of their lifetime being served at {}, which takes {} where the other stations take {}.",
                percent(share),
                words(self.row(slow)),
                duration(mean_us * 1e-6),
                duration(like * 1e-6)
            );
            self.at_row(Cause::SlowService, slow, share, sentence)
        })
    }

    /// Messages wait in a host that sends, which is busy with those before them.
    fn slow_sender(&self) -> Option<Candidate> {
        let senders = self.report.evidence.senders.iter();
        let busiest = senders.max_by(|a, b| a.utilisation.total_cmp(&b.utilisation))?;
        let waits = |stage: StageId| self.of_life(|row| row.stage == stage);
        let (there, elsewhere) = (waits(StageId::HostQueue), self.waits() - waits(StageId::HostQueue));
        let is_so = busiest.utilisation >= SCARCE && there >= WAIT_SHARE;
        (is_so && there > elsewhere).then(|| {
            let sentence = format!(
                "Bottleneck: {} ({} utilised; messages spend {} of their lifetime waiting there).",
                busiest.place.words,
                percent(busiest.utilisation),
                percent(there)
            );
            Self::at_place(Cause::Resource, &busiest.place, there, sentence)
        })
    }
}
