//! A network written out in the scenario.

use std::collections::{BTreeMap, BTreeSet};

use hopscope_measure::Problem;
use hopscope_units::{Rate, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::graph::builder::{NetworkBuilder, NetworkError};
use crate::graph::drawing::on_circle;
use crate::graph::{Network, Node, Role, SwitchId, nearest};

/// A network listed in the scenario: switches, the links between them, and hosts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Custom {
    /// The names of the switches; the first has the smallest uid.
    pub switches: Vec<String>,
    /// The links between switches.
    #[serde(default)]
    pub links: Vec<CustomLink>,
    /// The hosts.
    #[serde(default)]
    pub hosts: Vec<CustomHost>,
}

/// A link between two switches.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CustomLink {
    /// The two switches at its ends.
    pub between: [String; 2],
    /// The rate. Default: `link.rate`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate: Option<Rate>,
    /// The propagation delay. Default: `link.delay`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delay: Option<Span>,
}

/// A host at a switch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CustomHost {
    /// The host's name.
    pub name: String,
    /// The switch that it is attached to.
    pub at: String,
    /// "client", "server" or "any". Default "any".
    #[serde(default)]
    pub role: Role,
    /// The rate of its link. Default: `link.rate`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate: Option<Rate>,
    /// The propagation delay of its link. Default: `link.delay`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delay: Option<Span>,
}

/// The most nodes that a scenario writes out.
const MOST_SWITCHES: usize = 65_534;

impl Custom {
    pub(crate) fn build(&self) -> Result<Network, Vec<Problem>> {
        let mut problems = self.empty_names();
        problems.extend(self.repeated_names());
        if self.switches.len() > MOST_SWITCHES {
            let problem = format!("{} switches are too many", self.switches.len());
            problems.push(Problem::new("switches", problem, format!("at most {MOST_SWITCHES}")));
        }
        let mut builder = NetworkBuilder::new();
        let ids: BTreeMap<&str, SwitchId> =
            self.switches.iter().map(|name| (name.as_str(), builder.add_switch(name))).collect();
        let mut find = |path: String, name: &str| {
            let id = ids.get(name).copied();
            if id.is_none() {
                problems.push(self.unknown_switch(path, name));
            }
            id
        };
        for (i, link) in self.links.iter().enumerate() {
            let ends = [0, 1].map(|end| find(format!("links[{i}].between[{end}]"), &link.between[end]));
            if let [Some(a), Some(b)] = ends {
                builder.add_link(a, b, link.rate, link.delay);
            }
        }
        for (i, host) in self.hosts.iter().enumerate() {
            if let Some(switch) = find(format!("hosts[{i}].at"), &host.at) {
                let id = builder.add_loose_host(&host.name, host.role);
                builder.attach(id, switch, None, host.rate, host.delay);
            }
        }
        problems.extend(self.bad_links());
        if !problems.is_empty() {
            return Err(problems);
        }
        place_on_circle(&mut builder, self.switches.len() as u32);
        builder.build().map_err(|error| {
            let (field, expected) = match error {
                NetworkError::NoSwitch => ("switches", "at least one switch"),
                _ => ("links", "a path between any two switches"),
            };
            vec![Problem::new(field, error.to_string(), expected)]
        })
    }

    /// The names of all nodes with their paths.
    fn names(&self) -> impl Iterator<Item = (String, &str)> {
        let switches = self.switches.iter().enumerate();
        let hosts = self.hosts.iter().enumerate();
        let switches = switches.map(|(i, name)| (format!("switches[{i}]"), name.as_str()));
        switches.chain(hosts.map(|(i, host)| (format!("hosts[{i}].name"), host.name.as_str())))
    }

    /// Names that no table or message could show. A colon, an arrow or a line break can stand in one: real nodes have
    /// such names, nothing reads a name to learn what it names, and what prints it makes it harmless.
    fn empty_names(&self) -> Vec<Problem> {
        let empty = self.names().filter(|(_, name)| name.trim().is_empty());
        empty
            .map(|(path, _)| Problem::new(path, "the name is empty", "a name such as \"s1\" or \"rack 3\""))
            .collect()
    }

    /// Names that stand for two nodes.
    fn repeated_names(&self) -> Vec<Problem> {
        let mut seen = BTreeSet::new();
        // A faulty name is reported once.
        let names = self.names().filter(|(_, name)| !name.trim().is_empty());
        let repeated = names.filter(|(_, name)| !seen.insert(*name));
        repeated
            .map(|(path, name)| {
                Problem::new(path, format!("\"{name}\" is the name of another node"), "a name of its own")
            })
            .collect()
    }

    /// Links that lead nowhere else, and links and host links of rate 0.
    fn bad_links(&self) -> Vec<Problem> {
        let mut problems = Vec::new();
        let zero = Some(Rate::from_bit_s(0));
        for (i, link) in self.links.iter().enumerate() {
            if link.between[0] == link.between[1] {
                let problem = format!("\"{}\" is linked to itself", link.between[0]);
                problems.push(Problem::new(format!("links[{i}].between"), problem, "two different switches"));
            }
        }
        let links = self.links.iter().enumerate().map(|(i, link)| (format!("links[{i}].rate"), link.rate));
        let hosts = self.hosts.iter().enumerate().map(|(i, host)| (format!("hosts[{i}].rate"), host.rate));
        for (path, _) in links.chain(hosts).filter(|(_, rate)| *rate == zero) {
            problems.push(Problem::new(path, "link rate 0 is out of range", "more than zero"));
        }
        problems
    }

    fn unknown_switch(&self, path: String, name: &str) -> Problem {
        let is_host = self.hosts.iter().any(|host| host.name == name);
        let problem =
            if is_host { format!("\"{name}\" is a host") } else { format!("there is no switch \"{name}\"") };
        let like = nearest(self.switches.iter().map(String::as_str), name);
        let hint = like.map(|like| format!("did you mean \"{like}\"?"));
        Problem { hint, ..Problem::new(path, problem, "the name of one of the switches") }
    }
}

/// Draws the switches on a circle, as they have no positions.
fn place_on_circle(builder: &mut NetworkBuilder, switches: u32) {
    for i in 0..switches {
        let (x, y) = on_circle(i, switches, 1.0);
        builder.place(Node::Switch(SwitchId::new(i as usize)), x, y);
    }
}
