//! Networks for tests.

use std::sync::Arc;

use hopscope_measure::{Report, RunPlan, drive};
use hopscope_sna::{SnaParams, SnaPlan, Subarea};

pub(crate) fn params(text: &str) -> SnaParams {
    toml::from_str(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

pub(crate) fn plan(text: &str) -> Arc<SnaPlan> {
    Arc::new(SnaPlan::new(params(text)).unwrap_or_else(|problems| panic!("{text}: {problems:?}")))
}

pub(crate) fn run(text: &str, seed: u64, messages: u64) -> Report {
    drive(&mut Subarea::simulation(&plan(text), seed, ()), RunPlan::messages(messages), |_, _| true)
}

/// A row of nodes with these mean exponential service times in ms, joined by lines that take no time worth a word, and
/// one virtual route from the first to the last with these fields, always full.
pub(crate) fn chain(services_ms: &[u64], route: &str) -> String {
    let nodes: String = services_ms
        .iter()
        .enumerate()
        .map(|(at, ms)| format!("[[node]]\nname = \"n{at}\"\nservice = {{ exponential = \"{ms} ms\" }}\n"))
        .collect();
    let group = |at: usize| {
        let next = at + 1;
        format!(
            "[[group]]\nname = \"g{at}\"\nbetween = [\"n{at}\", \"n{next}\"]\nline = [{{ rate = \"100 Gbit/s\" }}]\n"
        )
    };
    let count = services_ms.len() - 1;
    let groups: String = (0..count).map(group).collect();
    let names: Vec<String> = (0..count).map(|at| format!("\"g{at}\"")).collect();
    format!(
        "{nodes}{groups}[[route]]\nname = \"er\"\nfrom = \"n0\"\ngroups = [{}]\n\
         [[virtual_route]]\nnumber = 3\nroute = \"er\"\n{route}\n[[session]]\nvirtual_route = 3\n",
        names.join(", ")
    )
}

pub(crate) fn value(report: &Report, key: &str) -> f64 {
    let metric = report.metric(key).unwrap_or_else(|| panic!("{key} is measured"));
    metric.estimate.unwrap_or_else(|| panic!("{key} has a value")).value
}
