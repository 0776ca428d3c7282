//! Networks of switches, hosts and links: generators, routes, forwarding tables, deadlock analysis, capacity and
//! figures.

mod anomalies;
pub mod capacity;
mod deadlock;
pub mod family;
mod figures;
mod generators;
mod graph;
mod routes;
mod spec;
mod tables;

pub use anomalies::{
    Anomaly, AnomalyKind, anomalies, cable, listed, slow_links, with_cables_mended, with_missing_switches,
    with_slow_cables_replaced,
};
pub use deadlock::{Channel, ChannelDependencies};
pub use family::Family;
pub use figures::{Demand, Figures, LinkLoad, ShortestPathsLost, SinglePoints};
pub use generators::*;
pub use graph::{
    Cube, Endpoint, Host, HostId, Link, LinkId, Network, NetworkBuilder, NetworkError, Node, Port, Role,
    Switch, SwitchId, nearest,
};
pub use routes::{RouteError, Routes, RoutingRule, SpanningTree};
pub use spec::{Component, FileSpec, GraphFormat, HostRate, NetworkSpec, Problem};
pub use tables::DestinationTables;
pub use tables::check::{
    ChannelLoad, Hop, LaneCheck, Misdelivery, Pair, TableCheck, Turn, UsedInPart, WorstPermutation,
};
pub use tables::engine::{TableEngine, TableEngineError, ports_to_switches};
pub use tables::path::{PathEnd, TablePath};
pub use tables::virtual_lanes::{
    IDENTITY, LaneMap, LaneTables, NO_LANE, SERVICE_LEVELS, ServiceLevels, UsedLanes, VirtualLanes,
};
