//! What lies behind a slow transfer besides waiting: requests for buffers that others had already made, neighbours that
//! refuse packets, and slow processors (Kleinrock and Opderbeck, sections VI and VII).

use hopscope_measure::{
    BufferRequests, EVERY_CLASS, Estimate, Evidence, Journal, Loops, Metric, ProcessorWaits, Report,
};

use crate::scenario::params::Computer;
use crate::subnet::Subnet;

impl<J: Journal> Subnet<J> {
    /// The REQALLs of what is measured, without those of other traffic, and how long a packet waits for the processor
    /// of each kind of IMP.
    pub(crate) fn add_overheads(&self, report: &mut Report) {
        let mut add = |name: &str, statistic_and_unit: (&str, &str), value: Option<f64>, n: u64| {
            let exact = value.map(|value| Estimate::exact(value, n));
            report.metrics.push(Metric::new(name, EVERY_CLASS, statistic_and_unit, exact));
        };
        let BufferRequests { sent, superfluous } = self.buffer_requests();
        for (name, count) in [("measured requests", sent), ("superfluous measured requests", superfluous)] {
            add(name, ("count", ""), Some(count as f64), count);
        }
        for (name, computer) in
            [("processor wait of 516s", Computer::H516), ("processor wait of 316s", Computer::H316)]
        {
            let (packets, mean_ms) = self.processor_wait(computer);
            add(name, ("mean", "ms"), mean_ms, packets);
        }
    }

    /// The same, and loops, for explanations of a run.
    pub(crate) fn find_causes(&self, found: &mut Evidence) {
        let loops = &self.loops;
        found.loops = Some(Loops { formed: loops.formed, prolonged: loops.trapped, returns: loops.returns });
        found.requests = Some(self.buffer_requests());
        let mean_ms = |computer| self.processor_wait(computer).1;
        let waits = |slow_ms| ProcessorWaits { slow_ms, fast_ms: mean_ms(Computer::H516) };
        found.processor_waits = mean_ms(Computer::H316).map(waits);
    }

    fn buffer_requests(&self) -> BufferRequests {
        let measured = self.sequences.iter().map(|s| s.asked).filter(|asked| asked.is_measured);
        measured.fold(BufferRequests::default(), |all, asked| BufferRequests {
            sent: all.sent + asked.sent,
            superfluous: all.superfluous + asked.superfluous,
        })
    }

    /// Packets that the processors of a kind handled, and how long one waited on average.
    fn processor_wait(&self, computer: Computer) -> (u64, Option<f64>) {
        let imps = self.imps.iter().zip(&self.plan.imps).filter(|(_, plan)| plan.computer == computer);
        let (packets, wait) = imps.fold((0, 0), |(packets, wait), (imp, _)| {
            (packets + imp.processor.packets, wait + imp.processor.wait_ps)
        });
        (packets, (packets > 0).then(|| wait as f64 * 1e-9 / packets as f64))
    }
}
