//! Parts of the small reports that these tests explain.

use hopscope_explain::{Candidate, Pattern, explain, percent};
use hopscope_measure::{
    Charged, Estimate, LedgerRow, PoolLabel, Report, ResourceKind, ResourceRow, Site, StageId,
};

/// The cause that a report shows first. A sentence that is said to state its share of a lifetime does.
pub(crate) fn first(report: &Report) -> Candidate {
    let verdict = explain(report).verdict;
    for each in verdict.runners_up.iter().chain([&verdict.first]).filter(|each| each.weight_stated) {
        assert!(each.sentence.contains(&percent(each.weight)), "{} {}", each.weight, each.sentence);
    }
    verdict.first
}

pub(crate) fn resource(
    kind: ResourceKind,
    place: &str,
    site: Site,
    utilisation: f64,
    waiting: f64,
) -> ResourceRow {
    ResourceRow {
        occupancy: utilisation,
        utilisation,
        peak: 1.0,
        waiting,
        wait_us: waiting,
        acquisitions: 100,
        ..ResourceRow::unused(PoolLabel { kind, place, site, unit: "messages" })
    }
}

pub(crate) const fn port(switch: u32, port: u16) -> Site {
    Site::Port { switch, port, lane: 0 }
}

/// A link from one place to another, or with `InputFifo` the FIFO at its far end. `number` distinguishes links.
pub(crate) fn link(
    kind: ResourceKind,
    number: u32,
    ends: [(&str, Site); 2],
    utilisation: f64,
    waiting: f64,
) -> ResourceRow {
    let [from, to] = ends;
    let (place, site) = if kind == ResourceKind::InputFifo { to } else { from };
    let name = Some(format!("{} -> {}", from.0, to.0));
    let switch = |place: &str| place.split(':').next().unwrap_or(place).to_owned();
    let ends = Some([switch(from.0), switch(to.0)]);
    ResourceRow {
        name,
        link: Some(number),
        far: to.1,
        ends,
        ..resource(kind, place, site, utilisation, waiting)
    }
}

pub(crate) fn stage(stage: StageId, resource: Charged, share: f64) -> LedgerRow {
    LedgerRow {
        stage,
        kind: stage.kind(),
        resource,
        class: "all".into(),
        unit: "us".into(),
        estimate: Some(Estimate { value: share, low: 0.9 * share, high: 1.1 * share, n: 100 }),
        share,
    }
}

/// A line from A to B.
pub(crate) fn line(utilisation: f64, waiting: f64) -> ResourceRow {
    let site = Site::Line { number: 0, from: 0, to: 1 };
    resource(ResourceKind::Line, "A -> B", site, utilisation, waiting)
}

/// A run of a second with these resources.
pub(crate) fn of_resources(resources: Vec<ResourceRow>) -> Report {
    let mut report = Report { resources, ..Report::default() };
    report.measured.span_s = 1.0;
    report
}

/// The names of the symptoms in an explanation of a report.
pub(crate) fn symptoms(report: &Report) -> Vec<Pattern> {
    explain(report).symptoms.iter().map(|symptom| symptom.name).collect()
}
