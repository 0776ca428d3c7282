//! A cable that is slower than its like and carries messages: its rate is known, so that needs no trial.

use hopscope_measure::ResourceKind;

use super::{Candidate, Judge};
use crate::cause::Cause;
use crate::thresholds::{SCARCE, USED_LINK, WORTH_TELLING};
use crate::words::percent;

impl Judge<'_> {
    /// A job whose messages hardly wait, and which sends some of them over such a cable: a round lasts as long as its
    /// slowest flow, whatever the others do.
    pub(super) fn slow_cable_of_a_job(&self) -> Option<Candidate> {
        let row = self.slow_in_use().filter(|_| self.report.evidence.is_job)?;
        let sentence = format!("{} A round lasts as long as its slowest flow.", self.told_slow(row)?);
        let found = self.at_row(Cause::Resource, row, self.waits(), sentence);
        Some(Candidate { slow_cable_stated: true, ..found })
    }

    /// A cause, with such a cable where its sentence does not tell of it: the one that it names, or the busiest.
    pub(super) fn with_slow_cable(&self, found: Candidate) -> Candidate {
        let named = found.root.and_then(|root| self.slow_cable(root).map(|slow| (root, slow)));
        if named.as_ref().is_some_and(|(_, slow)| found.sentence.contains(slow)) {
            return Candidate { slow_cable_stated: true, ..found };
        }
        let row = named.map(|(root, _)| root).or_else(|| self.slow_in_use());
        match row.and_then(|row| self.told_slow(row)) {
            Some(slow) => {
                let sentence = format!("{} {slow}", found.sentence);
                Candidate { sentence, slow_cable_stated: true, ..found }
            }
            None => found,
        }
    }

    fn told_slow(&self, row: usize) -> Option<String> {
        let slow = self.slow_cable(row)?;
        Some(format!("{slow} It is {} utilised.", percent(self.row(row).utilisation)))
    }

    /// The busiest of such cables. Between switches one that is as fast as hosts' links slows no flow by itself, unless
    /// it is busy. Who sends at random is no worse off for a host that was given a slower link.
    fn slow_in_use(&self) -> Option<usize> {
        let least = if self.report.evidence.is_job { WORTH_TELLING } else { USED_LINK };
        let of_hosts = self.usual_rates.iter().filter(|(like, _)| like.is_of_a_host);
        let fastest_flow = of_hosts.map(|(_, &rate)| rate).fold(0.0, f64::max);
        let rows = self.report.resources.iter().enumerate().filter(|&(at, row)| {
            let slows = |&rate: &f64| rate < fastest_flow || row.utilisation >= SCARCE;
            let is_used = row.kind == ResourceKind::Output && row.utilisation >= least;
            is_used && self.report.evidence.rates.get(&at).is_some_and(slows) && self.is_slow(at)
        });
        let busiest = rows.max_by(|a, b| a.1.utilisation.total_cmp(&b.1.utilisation).then(b.0.cmp(&a.0)))?;
        Some(busiest.0)
    }
}
