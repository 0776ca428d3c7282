//! Routing loops as a report counts them.

use hopscope_explain::Pattern;
use hopscope_measure::{Estimate, Metric, Report};

use crate::reports::symptoms;

fn count(name: &str, value: f64) -> Metric {
    Metric {
        name: name.into(),
        class: "all".into(),
        statistic: "count".into(),
        unit: "loops".into(),
        estimate: Some(Estimate::exact(value, 1)),
    }
}

#[test]
fn loops_that_packets_met_are_told_and_traps_by_their_own_name() {
    let mut report = Report::default();
    report.metrics.extend([count("loops", 3.0), count("packets returned", 0.0)]);
    assert_eq!(symptoms(&report), Vec::<Pattern>::new());
    report.metrics[1] = count("packets returned", 40.0);
    assert_eq!(symptoms(&report), [Pattern::RoutingLoop]);
    report.metrics.push(count("loop traps", 1.0));
    assert_eq!(symptoms(&report), [Pattern::LoopTrap]);
}
