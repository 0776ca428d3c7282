//! Networks of switches, hosts and links: generators, routes, deadlock analysis and figures.

mod builder;
pub mod capacity;
mod channel_dependency;
mod cube;
mod demand;
mod drawing;
mod figures;
mod generators;
mod graph;
mod placement;
mod reach;
mod routes;
mod shortest_paths_lost;
mod spec;

pub use builder::{NetworkBuilder, NetworkError};
pub use channel_dependency::{Channel, ChannelDependencies};
pub use cube::Cube;
pub use demand::Demand;
pub use figures::{Figures, LinkLoad};
pub use generators::*;
pub use graph::{Endpoint, Host, HostId, Link, LinkId, Network, Node, Port, Role, Switch, SwitchId};
pub use routes::{RouteError, Routes, RoutingRule};
pub use shortest_paths_lost::ShortestPathsLost;
pub use spec::{FileSpec, GraphFormat, NetworkSpec, Problem};
