//! The symptoms, one file each. Each test reads the report and the findings, and gives no symptom where it is not sure.

mod congestion_tree;
mod deadlock;
pub(crate) mod head_of_line_blocking;
pub(crate) mod phasing;
mod retransmission_trap;
pub(crate) mod root_concentration;
pub(crate) mod routing_loop;
pub(crate) mod saturated_line;
mod slow_host;
pub(crate) mod synchronised_bursts;
mod window_limit;

use hopscope_measure::Report;

use crate::Findings;
use crate::symptom::Symptom;

type Test = fn(&Report, &Findings) -> Option<Symptom>;

/// The tests, in the order in which a verdict names their symptoms.
const TESTS: [Test; 11] = [
    deadlock::test,
    phasing::test,
    retransmission_trap::test,
    routing_loop::test,
    root_concentration::test,
    head_of_line_blocking::test,
    congestion_tree::test,
    slow_host::test,
    window_limit::test,
    saturated_line::test,
    synchronised_bursts::test,
];

/// The symptoms that a report shows.
pub(crate) fn recognised(report: &Report, found: &Findings) -> Vec<Symptom> {
    TESTS.iter().filter_map(|test| test(report, found)).collect()
}
