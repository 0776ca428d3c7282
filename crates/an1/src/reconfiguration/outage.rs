//! The cost of faults and reconfigurations: a record of each outage.

use std::collections::BTreeSet;

use hopscope_measure::{EVERY_CLASS, Estimate, Metric, Report};
use hopscope_units::{Time, amount};

use crate::reconfiguration::Epoch;

/// A time during which some switch was closed to host packets.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Outage {
    /// When the first switch closed, and when the last one opened.
    pub closed: Time,
    pub opened: Time,
    /// Its cause: the last fault or repair believed by then.
    pub cause: Time,
    /// The last epoch.
    pub epoch: Epoch,
}

/// All outages of a run, and the packets that they cost.
#[derive(Clone, Debug, Default)]
pub(crate) struct Outages {
    /// Those that are over, since the restart.
    over: Vec<Outage>,
    /// The switches that are closed now, and since when one is.
    closed: BTreeSet<usize>,
    since: Time,
    /// The last fault, or belief in a repair; and the one for which switches are closed.
    cause: Time,
    outage_cause: Time,
    epoch: Epoch,
    /// Control packets sent since the restart.
    pub control_packets: u64,
    /// Packets destroyed since the run began: on links and in switches that failed or closed, and without a route.
    pub cut: u64,
    pub unroutable: u64,
    /// The packets destroyed when the measurement began.
    before: (u64, u64),
    /// Packets that waited in their hosts while the network was closed to them.
    pub held: u64,
    /// The number of faults so far.
    faults: u64,
}

/// A report describes at most this many outages in words.
const TOLD: usize = 8;

impl Outages {
    pub fn fault(&mut self, now: Time) {
        self.faults += 1;
        self.cause = now;
    }

    /// A link that came back is believed.
    pub fn repair(&mut self, now: Time) {
        self.cause = now;
    }

    pub fn closes(&mut self, now: Time, switch: usize) {
        if self.closed.is_empty() {
            (self.since, self.outage_cause) = (now, self.cause);
        }
        self.closed.insert(switch);
    }

    /// A switch opens again, or has failed and is no longer awaited.
    pub fn opens(&mut self, now: Time, switch: usize) {
        if self.closed.remove(&switch) && self.closed.is_empty() {
            let Self { since, outage_cause: cause, epoch, .. } = *self;
            self.over.push(Outage { closed: since, opened: now, cause, epoch });
        }
    }

    pub fn epoch(&mut self, epoch: Epoch) {
        self.epoch = self.epoch.max(epoch);
    }

    /// Every closing since the restart: its cause, and when the network was open again; now if it is still closed.
    pub fn closings(&self, now: Time) -> impl Iterator<Item = (Time, Time)> + '_ {
        let still = (!self.closed.is_empty()).then_some((self.outage_cause, now));
        self.over.iter().map(|outage| (outage.cause, outage.opened)).chain(still)
    }

    /// Packets destroyed since the restart: cut, and without a route.
    pub const fn destroyed_in_window(&self) -> (u64, u64) {
        (self.cut - self.before.0, self.unroutable - self.before.1)
    }

    /// Packets destroyed since the run began.
    pub fn destroyed(&self) -> u64 {
        self.cut + self.unroutable
    }

    pub fn restart(&mut self) {
        self.over.clear();
        (self.control_packets, self.held) = (0, 0);
        self.before = (self.cut, self.unroutable);
    }

    /// Adds the figures to a report.
    pub fn tell(&self, report: &mut Report) {
        let metric = |name: &str, statistic: &str, unit: &str, estimate: Option<Estimate>| {
            Metric::new(name, EVERY_CLASS, (statistic, unit), estimate)
        };
        let ms = |from: Time, to: Time| to.since(from).ps() as f64 * 1e-9;
        let lengths = |of: &dyn Fn(&Outage) -> f64| -> Vec<f64> { self.over.iter().map(of).collect() };
        let n = self.over.len() as u64;
        for (name, times) in [
            ("closed", lengths(&|outage| ms(outage.closed, outage.opened))),
            ("reconfiguration", lengths(&|outage| ms(outage.cause, outage.opened))),
        ] {
            let longest = times.iter().copied().fold(0.0, f64::max);
            let mean = times.iter().sum::<f64>() / n.max(1) as f64;
            let known = |value| (n > 0).then(|| Estimate::exact(value, n));
            report.metrics.push(metric(name, "mean", "ms", known(mean)));
            report.metrics.push(metric(name, "max", "ms", known(longest)));
        }
        let (cut, unroutable) = self.destroyed_in_window();
        for (name, count) in [
            ("reconfigurations", n),
            ("control packets", self.control_packets),
            ("packets lost", cut),
            ("packets without route", unroutable),
            ("packets held", self.held),
        ] {
            let count = Some(Estimate::exact(count as f64, count));
            report.metrics.push(metric(name, "count", "1", count));
        }
        report.notes.push(format!(
            "faults: {}; packets: {cut} lost in transit, {unroutable} dropped without a route, {} held in their hosts",
            self.faults, self.held
        ));
        for outage in self.over.iter().take(TOLD) {
            report.notes.push(format!(
                "closed for reconfiguration from {:.3} ms to {:.3} ms, open again {:.3} ms after its cause; epoch {}",
                outage.closed.ps() as f64 * 1e-9,
                outage.opened.ps() as f64 * 1e-9,
                ms(outage.cause, outage.opened),
                outage.epoch
            ));
        }
        if !self.closed.is_empty() {
            let closed = amount(self.closed.len(), "switch was", "switches were");
            report.notes.push(format!("{closed} still closed at the end"));
        }
    }
}
