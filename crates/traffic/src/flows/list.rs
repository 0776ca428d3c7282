//! Flows listed one by one, with what each waits for.

use std::collections::BTreeMap;

use hopscope_measure::Problem;
use hopscope_topology::nearest;
use hopscope_units::{Data, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::group::{LONGEST_WAIT, size_problem};

/// A list of flows: in the scenario, in a file of lines `from,to,size,start`, or in a connection matrix of htsim.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct FlowList {
    /// A CSV file with the columns from, to, size and optionally start, name and after, or a `.cm` file of htsim. The
    /// path is relative to the scenario's folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The flows.
    pub flows: Vec<ListedFlow>,
}

/// A flow of a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListedFlow {
    /// The sending host's name.
    pub from: String,
    /// The receiving host's name.
    pub to: String,
    /// The data that it sends.
    pub size: Data,
    /// Its start, relative to the start of the round; for a flow with `after`, relative to the end of the flows that it
    /// depends on.
    #[serde(default)]
    pub start: Span,
    /// Its name, for `after` of other flows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The flows that it depends on, by name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub after: Vec<String>,
    /// The number of them that must have ended. Default: all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after_any: Option<u32>,
}

/// Who waits for whom, by index.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Waits {
    /// For each flow those that wait for it.
    pub dependents: Vec<Vec<u32>>,
    /// For each flow how many others must end before it.
    pub missing: Vec<u32>,
}

impl FlowList {
    pub(crate) fn problems(&self, path: &str, problems: &mut Vec<Problem>) {
        if self.flows.is_empty() {
            if self.path.is_none() {
                problems.push(Problem::new(path, "the list has no flows", "`flows`, or `path` to a file"));
            }
            return;
        }
        for (i, flow) in self.flows.iter().enumerate() {
            problems.extend(size_problem(format!("{path}.flows[{i}].size"), flow.size));
            if flow.from == flow.to {
                let problem = format!("a flow from host \"{}\" to itself", flow.from);
                let hint = "it uses no link: leave it out, or correct one of its ends";
                let at = format!("{path}.flows[{i}].to");
                problems.push(Problem::new(at, problem, "another host").hint(hint));
            }
            if flow.start > LONGEST_WAIT {
                let problem = format!("start {} is out of range", flow.start);
                let hint = "starts are relative to the start of the round: subtract the first from all";
                let at = format!("{path}.flows[{i}].start");
                problems.push(Problem::new(at, problem, "at most a day").hint(hint));
            }
        }
        problems.extend(self.waits(path).err());
    }

    /// Who waits for whom.
    pub(crate) fn waits(&self, path: &str) -> Result<Waits, Problem> {
        let mut names: BTreeMap<&str, u32> = BTreeMap::new();
        for (i, flow) in self.flows.iter().enumerate() {
            let Some(name) = &flow.name else { continue };
            if let Some(first) = names.insert(name, i as u32) {
                let at = format!("{path}.flows[{i}].name");
                let problem = format!("two flows are named \"{name}\"");
                let hint = format!("flow {} of the list has it first", first + 1);
                return Err(Problem::new(at, problem, "a unique name for each flow").hint(hint));
            }
        }
        let flows = self.flows.len();
        let mut waits = Waits { dependents: vec![Vec::new(); flows], missing: vec![0; flows] };
        for (i, flow) in self.flows.iter().enumerate() {
            let at = |field: &str| format!("{path}.flows[{i}].{field}");
            for (k, name) in flow.after.iter().enumerate() {
                let Some(&before) = names.get(name.as_str()) else {
                    let problem = format!("there is no flow \"{name}\" to depend on");
                    let hint = nearest(names.keys().copied(), name).map_or_else(
                        || "give the flow that it waits for a `name`".to_owned(),
                        |near| format!("did you mean \"{near}\"?"),
                    );
                    let problem = Problem::new(at(&format!("after[{k}]")), problem, "the name of a flow");
                    return Err(problem.hint(hint));
                };
                waits.dependents[before as usize].push(i as u32);
            }
            let all = flow.after.len() as u32;
            waits.missing[i] = flow.after_any.unwrap_or(all);
            if waits.missing[i] > all || flow.after_any == Some(0) {
                let problem = format!("{} of {all} dependencies", waits.missing[i]);
                let problem = Problem::new(at("after_any"), problem, format!("from 1 to {all}"));
                return Err(problem.hint("it is how many of the flows in `after` must have ended"));
            }
        }
        match waits.never_begins() {
            None => Ok(waits),
            Some(i) => {
                let problem = "the flow depends on itself, directly or through other flows";
                let expected = "dependencies without a cycle";
                let problem = Problem::new(format!("{path}.flows[{i}].after"), problem, expected);
                Err(problem.hint("take one of the names out of the `after` of a flow in the cycle"))
            }
        }
    }
}

impl Waits {
    /// The first flow that never begins, where flows wait for each other in a cycle.
    fn never_begins(&self) -> Option<usize> {
        let mut missing = self.missing.clone();
        let mut ended: Vec<u32> =
            (0..missing.len() as u32).filter(|&flow| missing[flow as usize] == 0).collect();
        let mut begun = vec![false; missing.len()];
        while let Some(flow) = ended.pop() {
            begun[flow as usize] = true;
            for &next in &self.dependents[flow as usize] {
                let left = &mut missing[next as usize];
                if *left > 0 {
                    *left -= 1;
                    if *left == 0 {
                        ended.push(next);
                    }
                }
            }
        }
        begun.iter().position(|begun| !begun)
    }
}
