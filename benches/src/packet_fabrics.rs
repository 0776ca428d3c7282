//! AN1's fabrics under steady traffic of 1000-byte packets: what a packet-hop is measured on.

use std::sync::Arc;

use hopscope_an1::{An1, An1Params, An1Plan};
use hopscope_fabric::Rule;
use hopscope_kernel::Simulation;
use hopscope_topology::{FatTree, Grid, Mstage, NetworkSpec};
use hopscope_traffic::Pattern;

use crate::messages;

/// A network under steady traffic of 1000-byte packets.
pub struct Subject {
    /// What it is called.
    pub name: &'static str,
    network: NetworkSpec,
    rule: Rule,
    pattern: Pattern,
    load: f64,
}

impl Subject {
    /// Past the first filling of queues and memory: a few packets from every host.
    ///
    /// # Panics
    /// Never: the scenario is valid.
    #[must_use]
    pub fn simulation(&self) -> Simulation<An1> {
        let network = self.network.build().expect("a network");
        let mut params = An1Params::default();
        params.fabric.routing.rule = self.rule;
        let hosts = network.hosts().len() as u64;
        let plan = An1Plan::new(network, params, messages(self.pattern.clone(), self.load));
        let mut simulation = Arc::new(plan.expect("a valid scenario")).simulation(1, ());
        simulation.run_events(100 * hosts);
        simulation
    }
}

/// AN1's Mstage at load 0.5; at load 0.3 between all hosts fat trees of 64, 1,024 and 65,536 hosts, and a torus of 64
/// under up*/down*, whose long routes meet near the root.
#[must_use]
pub fn subjects() -> Vec<Subject> {
    let fat_tree = |name, radix, hosts_per_edge| Subject {
        name,
        network: NetworkSpec::FatTree(FatTree { radix, hosts_per_edge, ..FatTree::default() }),
        rule: Rule::Shortest,
        pattern: Pattern::Uniform,
        load: 0.3,
    };
    let mstage = Subject {
        name: "mstage",
        network: NetworkSpec::Mstage(Mstage::default()),
        rule: Rule::UpDown,
        pattern: Pattern::ClientServer,
        load: 0.5,
    };
    let torus = Grid { width: 8, height: 8, hosts_per_switch: 1, servers: 0, ..Grid::default() };
    let torus = Subject {
        name: "torus of 64 hosts",
        network: NetworkSpec::Torus(torus),
        rule: Rule::UpDown,
        pattern: Pattern::Uniform,
        load: 0.3,
    };
    vec![
        mstage,
        torus,
        fat_tree("fat tree of 64 hosts", 8, Some(2)),
        fat_tree("fat tree of 1,024 hosts", 16, None),
        fat_tree("fat tree of 65,536 hosts", 64, None),
    ]
}
