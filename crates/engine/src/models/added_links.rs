//! The links that a scenario adds to a network.

use hopscope_measure::Problem;
use hopscope_topology::{CustomLink, Network, Node};

/// The network with these links as well.
pub(crate) fn with_links(mut network: Network, links: &[CustomLink]) -> Result<Network, Vec<Problem>> {
    let mut problems = Vec::new();
    for (i, link) in links.iter().enumerate() {
        let path = |end: usize| format!("added_links[{i}].between[{end}]");
        let mut ends = Vec::new();
        for (end, name) in link.between.iter().enumerate() {
            match network.node(name) {
                Some(Node::Switch(id)) => ends.push(id),
                Some(Node::Host(_)) => {
                    let problem = format!("\"{name}\" is a host");
                    problems.push(Problem::new(path(end), problem, "the name of a switch"));
                }
                None => {
                    let hint = network.name_like(name).map(|near| format!("did you mean \"{near}\"?"));
                    let problem = format!("there is no switch \"{name}\"");
                    problems
                        .push(Problem { hint, ..Problem::new(path(end), problem, "the name of a switch") });
                }
            }
        }
        match ends[..] {
            [a, b] if a == b => {
                problems.push(Problem::new(path(1), "this link joins a switch to itself", "another switch"));
            }
            [a, b] => network = network.with_link([a, b], link.rate, link.delay),
            _ => {}
        }
    }
    if problems.is_empty() { Ok(network) } else { Err(problems) }
}
