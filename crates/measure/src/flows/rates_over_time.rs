//! The rates of the first flows over time, and the utilisation of the links that most of them share.

use std::collections::BTreeMap;

use hopscope_units::{Span, Time};

use super::rates::Sample;
use crate::{Report, SeriesPoint};

/// The number of flows that are drawn: the first ones.
const MOST_FLOWS: usize = 8;

/// The largest number of bins; beyond it, pairs are merged.
const MOST_BINS: usize = 512;

/// Bits a second in a gigabit a second, and bits in a kilobyte.
const GIGABIT: f64 = 1e9;
const KILOBYTE: f64 = 8e3;

/// A link as it is at an instant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LinkNow {
    /// Bits sent since the run began.
    pub sent: u64,
    /// Bits that wait for it.
    pub queued: u64,
}

/// The series over time: rates of flows with Jain's index, utilisation of links, their queues.
#[derive(Clone, Debug)]
pub struct RatesOverTime {
    bin: Span,
    /// The end of the present bin.
    ends: Time,
    flows: Vec<Drawn>,
    /// The index in the drawing of each active flow.
    known: BTreeMap<u32, usize>,
    links: Vec<DrawnLink>,
}

#[derive(Clone, Debug)]
struct Drawn {
    name: String,
    begun: Time,
    ended: Time,
    bins: Vec<u64>,
    /// Bits of the present bin.
    bits: u64,
}

#[derive(Clone, Debug)]
struct DrawnLink {
    name: String,
    /// Bits a second.
    rate: f64,
    /// At the end of each bin.
    seen: Vec<LinkNow>,
}

impl RatesOverTime {
    /// Series with bins of this initial length.
    #[must_use]
    pub fn new(bin: Span) -> Self {
        let (flows, links) = (Vec::new(), Vec::new());
        Self { bin, ends: Time::ZERO + bin, flows, known: BTreeMap::new(), links }
    }

    /// Adds a link to be drawn, with its rate in bit/s; only before the first event.
    pub fn draw(&mut self, name: String, rate: f64) {
        self.links.push(DrawnLink { name, rate, seen: Vec::new() });
    }

    /// A flow begins.
    pub fn begun(&mut self, now: Time, flow: u32, name: impl FnOnce() -> String) {
        if self.flows.len() < MOST_FLOWS {
            self.known.insert(flow, self.flows.len());
            let (name, bins) = (name(), vec![0; self.bins()]);
            self.flows.push(Drawn { name, begun: now, ended: Time::NEVER, bins, bits: 0 });
        }
    }

    /// A flow has ended.
    pub fn ended(&mut self, now: Time, flow: u32) {
        if let Some(drawn) = self.known.remove(&flow) {
            self.flows[drawn].ended = now;
        }
    }

    /// Some of a flow has arrived.
    #[inline]
    pub fn delivered(&mut self, flow: u32, bits: u64) {
        if let Some(&drawn) = self.known.get(&flow) {
            self.flows[drawn].bits += bits;
        }
    }

    /// Whether a bin has ended, and links are to be sampled.
    #[inline]
    #[must_use]
    pub fn is_due(&self, now: Time) -> bool {
        now >= self.ends
    }

    /// Ends the bins that are over. Links are unchanged in bins without events.
    pub fn look(&mut self, now: Time, links: impl Fn(usize) -> LinkNow) {
        while now >= self.ends {
            for flow in &mut self.flows {
                flow.bins.push(std::mem::take(&mut flow.bits));
            }
            for (at, link) in self.links.iter_mut().enumerate() {
                link.seen.push(links(at));
            }
            self.ends += self.bin;
            if self.bins() >= MOST_BINS && self.bins().is_multiple_of(2) {
                self.merge();
            }
        }
    }

    /// Bins that are over.
    fn bins(&self) -> usize {
        (self.ends.since(Time::ZERO).ps() / self.bin.ps() - 1) as usize
    }

    fn merge(&mut self) {
        for flow in &mut self.flows {
            flow.bins = flow.bins.chunks(2).map(|pair| pair.iter().sum()).collect();
        }
        for link in &mut self.links {
            link.seen = link.seen.chunks(2).map(|pair| pair[pair.len() - 1]).collect();
        }
        self.bin = self.bin * 2;
        // The bin that had begun is as long as a merged one now.
        self.ends = Time::ZERO + self.bin * (self.ends.since(Time::ZERO).ps() / self.bin.ps() + 1);
    }

    /// Adds the lines to a report.
    pub fn tell(&self, report: &mut Report) {
        let seconds = self.bin.as_seconds();
        let mut line = |series: String, points: Vec<Option<f64>>| {
            let at = |(bin, value): (usize, Option<f64>)| {
                let (time_s, series) = ((bin + 1) as f64 * seconds, series.clone());
                value.map(|value| SeriesPoint { time_s, series, value })
            };
            report.series.extend(points.into_iter().enumerate().filter_map(at));
        };
        for flow in &self.flows {
            let rates = flow.bins.iter().map(|&bits| Some(bits as f64 / seconds / GIGABIT));
            line(format!("{} (Gbit/s)", flow.name), rates.collect());
        }
        let bins = if self.flows.is_empty() { 0 } else { self.bins() };
        line(
            "fairness of these flows (Jain's index)".to_owned(),
            (0..bins).map(|bin| self.fairness(bin)).collect(),
        );
        for link in &self.links {
            let sent = |bin: usize| link.seen[bin].sent as f64;
            let used = |bin: usize| sent(bin) - if bin == 0 { 0.0 } else { sent(bin - 1) };
            let bins = 0..link.seen.len();
            let shares = bins.map(|bin| Some(used(bin) / seconds / link.rate));
            line(format!("{} in use (share)", link.name), shares.collect());
            let queues = link.seen.iter().map(|seen| Some(seen.queued as f64 / KILOBYTE));
            line(format!("{} queue (kB)", link.name), queues.collect());
        }
    }

    /// Jain's index over the flows that were under way throughout a bin; nothing where there were fewer than two.
    fn fairness(&self, bin: usize) -> Option<f64> {
        let (begins, ends) = (Time::ZERO + self.bin * bin as u64, Time::ZERO + self.bin * (bin as u64 + 1));
        let mut shares = Sample::default();
        let throughout = |flow: &&Drawn| flow.begun <= begins && flow.ended >= ends;
        for flow in self.flows.iter().filter(throughout) {
            shares.add(flow.bins[bin] as f64);
        }
        (shares.count > 1).then(|| shares.fairness()).flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_run_keeps_all_bits_in_at_most_512_bins() {
        let bin = Span::from_us(10);
        let mut rates = RatesOverTime::new(bin);
        rates.draw("link".to_owned(), 1e9);
        rates.begun(Time::ZERO, 7, || "a -> b".to_owned());
        for us in 0..100_000 {
            let now = Time::ZERO + Span::from_us(us);
            if rates.is_due(now) {
                rates.look(now, |_| LinkNow { sent: 1_000 * us, queued: 8_000 });
            }
            rates.delivered(7, 1_000);
        }
        let mut report = Report::default();
        rates.tell(&mut report);
        let line = |name: &str| -> Vec<(f64, f64)> {
            let points = report.series.iter().filter(|point| point.series == name);
            points.map(|point| (point.time_s, point.value)).collect()
        };
        let flow = line("a -> b (Gbit/s)");
        assert!(flow.len() > 256 && flow.len() <= 512, "{} bins", flow.len());
        assert!(flow.iter().all(|(_, rate)| (rate - 1.0).abs() < 0.01), "1000 bits a microsecond throughout");
        assert!(line("link in use (share)").iter().all(|(_, share)| (share - 1.0).abs() < 0.01));
        assert!(line("link queue (kB)").iter().all(|(_, queue)| (queue - 1.0).abs() < 1e-9));
        assert!(flow.windows(2).all(|pair| pair[0].0 < pair[1].0), "time goes on");
        assert_eq!(line("fairness of these flows (Jain's index)"), [], "of one flow there is none");
    }
}
