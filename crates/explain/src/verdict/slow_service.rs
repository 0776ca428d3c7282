//! Slow service: a service that takes far longer than is usual.

use hopscope_measure::{
    Nature, ResourceKind, ServiceTime, SmoothingUse, StageId, StageKind, UsualService, usual,
};

use super::{Candidate, Judge};
use crate::cause::Cause;
use crate::thresholds::{
    MOSTLY, NEARLY_FULL, OF_ROUND_TRIP, SCARCE, SLOW_TIMES, TIMES_THE_USUAL, TIMES_THE_WORK, WAIT_SHARE,
    WAITS,
};
use crate::words::{capitalised, duration, percent, words};

impl Judge<'_> {
    /// A service that takes most of the service time and far longer than its default or than at other stations; or
    /// packets that are stored at each switch.
    pub(super) fn slow_service(&self) -> Option<Candidate> {
        self.unusual_service()
            .or_else(|| self.storing())
            .or_else(|| self.smoothing())
            .or_else(|| self.slow_station())
            .or_else(|| self.slow_sender())
            .or_else(|| self.rare_scan())
    }

    /// Messages mostly wait to enter, nothing that they need is scarce, and switches scan waiting hosts far less often
    /// than is usual: a host continues at the next scan at the earliest.
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
            Self::everywhere(Cause::SlowService, before, sentence).with_weight_stated(true)
        })
    }

    /// This stage takes most of a message's service time, and its length is not the usual one. Not if something is
    /// full: it would be as full with the usual service.
    fn unusual_service(&self) -> Option<Candidate> {
        let served = self.of_life(|row| row.kind == StageKind::Service);
        let share = |service: &UsualService| self.of_life(|row| row.stage == service.stage);
        let all = self.report.evidence.usual.iter();
        let slow = all.filter(|service| service.us >= SLOW_TIMES * service.usual_us);
        let worst = slow.max_by(|a, b| share(a).total_cmp(&share(b)))?;
        let is_most = share(worst) >= MOSTLY * served && self.fullest_line() < NEARLY_FULL;
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

    /// Most of the lifetime passes until each switch has received a whole packet, although it could cut through.
    /// Switches that cut through store a packet only if its link is slower than the next one: then that link is the
    /// reason.
    fn storing(&self) -> Option<Candidate> {
        let share = self.of_life(|row| row.stage == StageId::Reception);
        let could = !self.report.evidence.is_cut_through && self.fullest_line() < NEARLY_FULL;
        (share >= MOSTLY && could).then(|| {
            let sentence = format!(
                "Store and forward: messages spend {} of their lifetime until switches have received them whole, and {} waiting.",
                percent(share),
                percent(self.waits())
            );
            Self::everywhere(Cause::SlowService, share, sentence).with_weight_stated(true)
        })
    }

    /// Packets wait for the next frame of input smoothing, although the links that they need have spare time.
    fn smoothing(&self) -> Option<Candidate> {
        let SmoothingUse { slots, frame_s } = self.report.evidence.smoothing?;
        let share = self.of_life(|row| row.stage == StageId::OutputWait);
        (share >= WAITS && slots > 1 && self.fullest_line() < NEARLY_FULL).then(|| {
            let sentence = format!(
                "Slow service: switches offer packets to their outputs only when a smoothing frame begins, each {} ({slots} slots). \
                 Messages spend {} of their lifetime waiting for outputs, of which the busiest is {} utilised.",
                duration(frame_s),
                percent(share),
                percent(self.fullest_line())
            );
            Self::everywhere(Cause::SlowService, share, sentence).with_weight_stated(true)
        })
    }

    /// The share of the lifetime spent in transmission, and the part of that on links after the first, if considerable:
    /// each switch receives a whole frame before it forwards it, which takes time without any wait.
    pub(super) fn stored(&self) -> Option<(f64, f64)> {
        let once_us = self.report.evidence.sent_once_us?;
        let mut rows = self.report.ledger.iter().filter(|row| row.is_of_every_class());
        let sent = rows.find(|row| row.stage == StageId::Transmission)?;
        let again = sent.share * (1.0 - once_us / sent.estimate?.value);
        // Latency delays all later steps of a job; other messages only arrive later.
        let least = if self.report.evidence.is_job { OF_ROUND_TRIP } else { MOSTLY };
        (again >= least).then_some((sent.share, again))
    }

    /// Storing of frames at switches as a runner-up, which may be tried.
    pub(super) fn storing_frames(&self) -> Option<Candidate> {
        let (sent, again) = self.stored()?;
        let sentence = format!(
            "Store and forward: messages spend {} of their lifetime being transmitted, {} of it on links behind the first, since switches \
             receive each frame whole before they send it on.",
            percent(sent),
            percent(again)
        );
        Some(Self::everywhere(Cause::SlowService, again, sentence).with_weight_stated(true))
    }

    /// The utilisation of the busiest link or line.
    pub(super) fn fullest_line(&self) -> f64 {
        let lines = self.report.resources.iter().filter(|row| row.kind.carries_bits());
        lines.map(|row| row.utilisation).fold(0.0, f64::max)
    }

    /// Whether more than this share of the lifetime is spent waiting for a processor: then its work is too slow.
    fn wait_for_a_processor(&self, share: f64) -> bool {
        let is_processor = |row: usize| {
            let kind = self.row(row).kind;
            kind.nature() == Nature::Works && !kind.carries_bits()
        };
        self.bottleneck().is_some_and(|found| found.root.is_some_and(is_processor) && self.waits() > share)
    }

    /// Most of the lifetime is spent in service at one station, which takes far longer than the others. A station that
    /// is meant to have long services has many servers: if each of these is utilised about as much as those of the
    /// others, nothing is wrong.
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
        let is_slow =
            mean_us >= TIMES_THE_USUAL * like && per_server(slow, time) >= TIMES_THE_WORK * like_each;
        (is_slow && share >= MOSTLY).then(|| {
            let sentence = format!(
                "Slow service: messages spend {} of their lifetime being served at {}, which takes {} where the other stations take {}.",
                percent(share),
                words(self.row(slow)),
                duration(mean_us * 1e-6),
                duration(like * 1e-6)
            );
            self.at_row(Cause::SlowService, slow, share, sentence).with_weight_stated(true)
        })
    }

    /// Messages wait in a sending host, which is busy with earlier ones.
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
            Self::at_place(Cause::Resource, &busiest.place, there, sentence).with_weight_stated(true)
        })
    }
}
