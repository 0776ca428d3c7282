//! Routing engines compared on one network: whether their tables are safe, how evenly they load the links, and what
//! the links carry then.

use hopscope_topology::capacity::CapacityBounds;
use hopscope_topology::{ChannelDependencies, DestinationTables, Node, Routes, SwitchId};
use serde_json::{Value as Json, json};

use crate::engine_kind::{EngineKind, NamedRoots};
use crate::models::capacity::{Analysis, NO_SEARCH, finite};

/// Entries of tables, hosts times switches, that an engine computes here in some seconds. Larger fabrics are left to
/// `hopscope check --engine`, one engine at a time.
const MOST_ENTRIES: usize = 40_000_000;

impl Analysis<'_> {
    /// The scenario's own routes and the tables of every engine, in this order: safety, balance, capacity. An engine
    /// that is not made for the network says why.
    ///
    /// `now` are the bounds of the scenario's own routes.
    pub fn engines_json(&self, now: &CapacityBounds) -> Json {
        let mut rows = vec![self.row("as now", &[], self.routes, now)];
        let entries = self.network.hosts().len() * self.network.switches().len();
        if entries <= MOST_ENTRIES {
            let roots = self.roots_of_tables();
            rows.extend(EngineKind::ALL.map(|kind| self.engine_json(kind, &roots)));
        }
        json!({ "rows": rows, "left_out": entries > MOST_ENTRIES })
    }

    fn roots_of_tables(&self) -> Vec<SwitchId> {
        let switch = |name: &String| match self.network.node(name) {
            Some(Node::Switch(id)) => Some(id),
            _ => None,
        };
        NamedRoots::of(self.network, &self.params.routing).names.iter().filter_map(switch).collect()
    }

    fn engine_json(&self, kind: EngineKind, roots: &[SwitchId]) -> Json {
        if let Some(misfit) = kind.misfit(self.network) {
            return self.compared(kind.word(), &[], Err(misfit));
        }
        let engine = kind.with_roots(roots.to_vec());
        let tables = DestinationTables::compute(self.network, &engine).map_err(|error| error.to_string());
        let routes = tables
            .and_then(|tables| Routes::of_tables(self.network, tables).map_err(|error| error.to_string()));
        let roots = if kind.is_rooted() { roots } else { &[] };
        self.compared(kind.word(), roots, routes.as_ref().map_err(String::as_str))
    }

    fn compared(&self, name: &str, roots: &[SwitchId], routes: Result<&Routes, &str>) -> Json {
        let routes = match routes {
            Ok(routes) => routes,
            Err(refused) => return json!({ "engine": name, "refused": refused }),
        };
        let rates = self.rates(self.network);
        let bounds = CapacityBounds::new(self.network, routes, &self.streams, &rates, None, NO_SEARCH);
        self.row(name, roots, routes, &bounds)
    }

    fn row(&self, name: &str, roots: &[SwitchId], routes: &Routes, bounds: &CapacityBounds) -> Json {
        let network = self.network;
        let cycle = ChannelDependencies::new(network, routes).shortest_cycle();
        let lost = routes.tables().and_then(|tables| tables.undelivered(network));
        let rates = self.rates(network);
        let roots: Vec<&str> = roots.iter().map(|id| network.switch(*id).name.as_str()).collect();
        json!({
            "engine": name,
            "roots": roots,
            "safe": cycle.is_none() && lost.is_none(),
            "credit_loop": cycle.map(|cycle| cycle.len()),
            "undelivered": lost.map(|pair| [pair.from, pair.to]),
            "imbalance": bounds.imbalance(network, &rates),
            "carries": finite(bounds.of_links()),
        })
    }
}
