//! A network as a scenario describes it.

use hopscope_units::Span;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use hopscope_measure::Problem;

use crate::generators::{
    Chain, Corefringe, Custom, Dragonfly, FatTree, Floors, Grid, Hypercube, Mstage, Random, Star,
};
use crate::graph::Network;

/// The network: a topology with its parameters, or a file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum NetworkSpec {
    /// A rectangular array with wraparound: AN1's Torus.
    Torus(Grid),
    /// A rectangular array without wraparound.
    Mesh(Grid),
    /// A d-dimensional cube: AN1's Hypercube.
    Hypercube(Hypercube),
    /// AN1's Corefringe, the best of its six networks.
    Corefringe(Corefringe),
    /// AN1's Mstage, a multi-stage network for clients and servers.
    Mstage(Mstage),
    /// AN1's Floors, cabled like a building of four floors.
    Floors(Floors),
    /// AN1's Floors+: Floors with one more link on each floor.
    FloorsPlus(Floors),
    /// Switches in a row.
    Line(Chain),
    /// Switches in a ring.
    Ring(Chain),
    /// A central switch with switches around it.
    Star(Star),
    /// A fat tree of two or three tiers.
    FatTree(FatTree),
    /// A dragonfly.
    Dragonfly(Dragonfly),
    /// A connected random network.
    Random(Random),
    /// A network listed in the scenario itself.
    Custom(Custom),
    /// A network read from a file.
    File(FileSpec),
}

/// A network read from a file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FileSpec {
    /// The path of the file, relative to the scenario's folder.
    pub path: String,
    /// The format. Default: recognised from the file.
    #[serde(default)]
    pub format: GraphFormat,
    /// Hosts to attach to every switch, if the file has none. Default 0.
    #[serde(default)]
    pub hosts_per_switch: u32,
    /// The rate of the links of these hosts.
    #[serde(default, skip_serializing_if = "HostRate::is_default")]
    pub host_rate: HostRate,
    /// Which part of a GraphML graph that falls into parts is the network.
    #[serde(default, skip_serializing_if = "Component::is_default")]
    pub component: Component,
    /// How many times as long as the great circle between its ends a cable is, where GraphML gives coordinates and no
    /// delay; light takes 4.9 us per km of fibre (refractive index 1.47). Default 1.5: an assumption, for fibre
    /// follows roads and railways.
    #[serde(default = "detour", skip_serializing_if = "is_usual_detour")]
    pub detour: f64,
    /// The length of one cycle, the unit of an anynet file's latencies, such as "1 ns". Default: the latencies are
    /// ignored, and links have `link.delay`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cycle: Option<Span>,
    /// The number of servers, if the file names none; all other hosts are clients. With 0, the default, every host may
    /// send to every other host.
    #[serde(default)]
    pub servers: u32,
    /// The placement of the servers: 0 (the default) spreads them evenly; any other number is the seed of a random
    /// placement.
    #[serde(default)]
    pub placement_seed: u64,
}

/// The rate of the links of hosts that a file does not have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum HostRate {
    /// That of links of which nothing is said: `link.rate`.
    #[default]
    Default,
    /// That of the fastest link of the switch, so that a host can fill it.
    FastestLink,
}

impl HostRate {
    fn is_default(&self) -> bool {
        *self == Self::Default
    }
}

/// Which part of a graph is the network.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Component {
    /// All of it: a graph that falls into parts is refused.
    #[default]
    Whole,
    /// The connected part with the most nodes; what is left out is said.
    Largest,
}

impl Component {
    fn is_default(&self) -> bool {
        *self == Self::Whole
    }
}

/// How much longer than the great circle cables are.
const fn detour() -> f64 {
    1.5
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    clippy::float_cmp,
    reason = "serde passes a reference, and a default is exact"
)]
fn is_usual_detour(given: &f64) -> bool {
    *given == detour()
}

impl FileSpec {
    /// A file of which everything else is by default.
    #[must_use]
    pub fn at(path: impl Into<String>) -> Self {
        Self {
            path: path.into(),
            format: GraphFormat::Auto,
            hosts_per_switch: 0,
            host_rate: HostRate::Default,
            component: Component::Whole,
            detour: detour(),
            cycle: None,
            servers: 0,
            placement_seed: 0,
        }
    }
}

/// The format of a network file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum GraphFormat {
    /// GraphML if the name ends in .graphml or .xml; otherwise recognised by the first lines; otherwise anynet.
    #[default]
    Auto,
    /// GraphML, as the Topology Zoo and graph editors write it.
    Graphml,
    /// The anynet files of the simulator BookSim.
    Anynet,
    /// InfiniBand: the output of `ibnetdiscover`, or a net file of ibsim.
    Infiniband,
    /// InfiniBand: `opensm-subnet.lst`.
    SubnetLst,
    /// InfiniBand: the output of `iblinkinfo`, with the states of all ports.
    Iblinkinfo,
    /// CSV with the columns from, to and optionally from_port, to_port, rate, delay, kind ("trunk" or "host").
    EdgeList,
}

impl NetworkSpec {
    /// The network.
    ///
    /// # Errors
    /// Every parameter that is out of range, with its path from here, such as `torus.width`. A `file` is always
    /// refused here: crate `formats` reads it.
    pub fn build(&self) -> Result<Network, Vec<Problem>> {
        let (family, network) = match self {
            Self::Torus(grid) => ("torus", grid.torus()),
            Self::Mesh(grid) => ("mesh", grid.mesh()),
            Self::Hypercube(hypercube) => ("hypercube", hypercube.build()),
            Self::Corefringe(corefringe) => ("corefringe", corefringe.build()),
            Self::Mstage(mstage) => ("mstage", mstage.build()),
            Self::Floors(floors) => ("floors", floors.floors()),
            Self::FloorsPlus(floors) => ("floors-plus", floors.floors_plus()),
            Self::Line(chain) => ("line", chain.line()),
            Self::Ring(chain) => ("ring", chain.ring()),
            Self::Star(star) => ("star", star.build()),
            Self::FatTree(fat_tree) => ("fat-tree", fat_tree.build()),
            Self::Dragonfly(dragonfly) => ("dragonfly", dragonfly.build()),
            Self::Random(random) => ("random", random.build()),
            Self::Custom(custom) => ("custom", custom.build()),
            Self::File(_) => {
                let problem = Problem::new("path", "the network is in a file", "a file that has been read");
                ("file", Err(vec![problem]))
            }
        };
        network.map_err(|problems| {
            let placed = |problem: Problem| {
                let path = match problem.path.as_str() {
                    "" => family.to_owned(),
                    field => format!("{family}.{field}"),
                };
                Problem { path, ..problem }
            };
            problems.into_iter().map(placed).collect()
        })
    }
}
