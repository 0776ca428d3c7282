//! A simulation driven step by step, as the engine drives it.

use std::time::Duration;

use criterion::Criterion;
use criterion::measurement::Measurement;
use hopscope_kernel::{Model, Simulation};

use crate::ProcessorTime;

/// Events between two looks at the count. A run looks every 4,096 events, or a 64th of its messages.
const EVENTS_AT_ONCE: u64 = 256;

/// How a benchmark measures: processor time, the number of samples, the total time.
#[must_use]
pub fn measured(samples: usize, time: Duration) -> Criterion<ProcessorTime> {
    let criterion = Criterion::default().with_measurement(ProcessorTime).sample_size(samples);
    criterion.warm_up_time(Duration::from_millis(500)).measurement_time(time)
}

/// The time that a simulation takes until a count of its model, such as packet-hops, has grown by `further`.
pub fn time_for<M: Model>(
    simulation: &mut Simulation<M>,
    further: u64,
    count: impl Fn(&M) -> u64,
) -> Duration {
    let goal = count(&simulation.model) + further;
    let start = ProcessorTime.start();
    while count(&simulation.model) < goal {
        simulation.run_events(EVENTS_AT_ONCE);
    }
    ProcessorTime.end(start)
}
