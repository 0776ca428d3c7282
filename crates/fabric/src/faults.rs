//! What fails, comes back, and when.

use hopscope_measure::Problem;
use hopscope_topology::{LinkId, Network, Node, SwitchId};
use hopscope_units::{Span, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A fault: a link or a switch goes down or comes up at a given time. A link is named by the two switches at its ends.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Fault {
    /// The time of the fault, from the start of the run.
    pub at: Span,
    /// The two switches at the ends of the link. Parallel links between them fail together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link: Option<[String; 2]>,
    /// The switch. All its links go down and come up with it, including those to its hosts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub switch: Option<String>,
    /// Whether it fails or recovers.
    pub goes: Goes,
}

/// Whether a link or switch fails or recovers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Goes {
    /// It fails.
    Down,
    /// It recovers.
    Up,
}

/// A fault of a network, its names looked up.
#[derive(Clone, Debug)]
pub struct PlannedFault {
    /// When.
    pub at: Time,
    /// What fails or comes back.
    pub what: Failing,
    /// Which of the two.
    pub goes: Goes,
}

/// What fails or comes back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failing {
    /// All links between two switches.
    Links(Vec<LinkId>),
    /// A switch with its links.
    Switch(SwitchId),
}

/// The latest fault: a run is counted in picoseconds.
const LATEST: Span = Span::from_s(1_000_000);

/// Looks up the names in a fault plan, in order of time.
///
/// # Errors
/// All faults that name nothing in the network, or nothing that can fail.
pub fn planned(faults: &[Fault], network: &Network) -> Result<Vec<PlannedFault>, Vec<Problem>> {
    let mut problems = Vec::new();
    let mut plan = Vec::new();
    for (index, fault) in faults.iter().enumerate() {
        let path = format!("faults[{index}]");
        if fault.at > LATEST {
            let problem = format!("fault time {} is out of range", fault.at);
            problems.push(Problem::new(format!("{path}.at"), problem, format!("at most {LATEST}")));
        }
        let what = match (&fault.link, &fault.switch) {
            (Some(ends), None) => links(network, &path, ends).map(Failing::Links),
            (None, Some(name)) => switch(network, &format!("{path}.switch"), name).map(Failing::Switch),
            _ => Err(Problem::new(
                path,
                "a fault of one link or one switch",
                "link = [\"a\", \"b\"] or switch = \"a\"",
            )),
        };
        match what {
            Ok(what) => plan.push(PlannedFault { at: Time::ZERO + fault.at, what, goes: fault.goes }),
            Err(problem) => problems.push(problem),
        }
    }
    plan.sort_by_key(|fault| fault.at);
    if problems.is_empty() { Ok(plan) } else { Err(problems) }
}

/// The faults that have happened by this time, in the order of time.
#[must_use]
pub fn happened(plan: &[PlannedFault], by: Time) -> &[PlannedFault] {
    &plan[..plan.partition_point(|fault| fault.at <= by)]
}

/// A note on the faults that are planned for after the end of the run; nothing where there are none.
#[must_use]
pub fn note_on_late(plan: &[PlannedFault], end: Time) -> Option<String> {
    let late = &plan[happened(plan, end).len()..];
    let first_ms = late.first()?.at.ps() as f64 * 1e-9;
    let words = match late.len() {
        1 => format!("the fault at {first_ms:.3} ms did"),
        several => format!("{several} faults, the first at {first_ms:.3} ms, did"),
    };
    Some(format!("the run ended at {:.3} ms: {words} not take place", end.ps() as f64 * 1e-9))
}

fn switch(network: &Network, path: &str, name: &str) -> Result<SwitchId, Problem> {
    let expected = "the name of a switch of the network";
    match network.node(name) {
        Some(Node::Switch(id)) => Ok(id),
        Some(Node::Host(_)) => {
            let problem =
                format!("\"{name}\" is a host, and hosts and their links cannot fail in this model");
            Err(Problem::new(path, problem, expected))
        }
        None => {
            let hint = network.name_like(name).map(|near| format!("did you mean \"{near}\"?"));
            Err(Problem { hint, ..Problem::new(path, format!("no switch is named \"{name}\""), expected) })
        }
    }
}

fn links(network: &Network, path: &str, names: &[String; 2]) -> Result<Vec<LinkId>, Problem> {
    let path = format!("{path}.link");
    let [a, b] = [switch(network, &path, &names[0])?, switch(network, &path, &names[1])?];
    let joining: Vec<LinkId> =
        network.neighbours(a).filter(|(.., far, _)| *far == b).map(|(_, link, ..)| link).collect();
    if joining.is_empty() {
        let mut near: Vec<&str> =
            network.neighbours(a).map(|(.., far, _)| network.switch(far).name.as_str()).collect();
        near.sort_unstable();
        near.dedup();
        let problem = format!("no link joins \"{}\" and \"{}\"", names[0], names[1]);
        let hint = format!("{} has links to {}", names[0], near.join(", "));
        return Err(Problem::new(path, problem, "two switches that a link joins").hint(hint));
    }
    Ok(joining)
}
