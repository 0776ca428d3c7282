//! What lies behind a slow transfer besides waiting: requests for buffers that others had already made, neighbours that
//! refuse packets, and slow processors (Kleinrock and Opderbeck, sections VI and VII).

use hopscope_measure::{Estimate, Journal, Metric, Report};

use crate::scenario::params::Computer;
use crate::subnet::Subnet;

impl<J: Journal> Subnet<J> {
    /// The REQALLs of what is measured, without those of other traffic, and how long a packet waits for the processor
    /// of each kind of IMP.
    pub(crate) fn add_causes(&self, report: &mut Report) {
        let mut add = |name: &str, statistic: &str, unit: &str, value: Option<f64>, n: u64| {
            report.metrics.push(Metric {
                name: name.into(),
                class: "all".into(),
                statistic: statistic.into(),
                unit: unit.into(),
                estimate: value.map(|value| Estimate::exact(value, n)),
            });
        };
        let measured = self.sequences.iter().map(|s| s.asked).filter(|asked| asked.is_measured);
        let (sent, superfluous) =
            measured.fold((0, 0), |(sent, more), asked| (sent + asked.sent, more + asked.superfluous));
        for (name, count) in [("measured requests", sent), ("superfluous measured requests", superfluous)] {
            add(name, "count", "", Some(count as f64), count);
        }
        for (name, computer) in
            [("processor wait of 516s", Computer::H516), ("processor wait of 316s", Computer::H316)]
        {
            let imps = self.imps.iter().zip(&self.plan.imps).filter(|(_, plan)| plan.computer == computer);
            let (packets, wait) = imps.fold((0, 0), |(packets, wait), (imp, _)| {
                (packets + imp.processor.packets, wait + imp.processor.wait_ps)
            });
            add(name, "mean", "ms", (packets > 0).then(|| wait as f64 * 1e-9 / packets as f64), packets);
        }
    }
}
