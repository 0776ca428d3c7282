//! Routing engines compared on one network: whether their tables are safe, how evenly they load the links, and what
//! the links carry then.

use hopscope_fabric::{Rule, by_family};
use hopscope_topology::capacity::CapacityBounds;
use hopscope_topology::{
    ChannelDependencies, DestinationTables, Family, Node, Routes, RoutingRule, SwitchId, TableEngine,
};
use serde_json::{Value as Json, json};

use crate::models::capacity::{Analysis, NO_SEARCH, finite};

/// Entries of tables, hosts times switches, that an engine computes here in some seconds. Larger fabrics are left to
/// `hopscope check --engine`, one engine at a time.
const MOST_ENTRIES: usize = 40_000_000;

/// An engine as the command line names it.
struct Named {
    name: &'static str,
    engine: TableEngine,
    roots: Vec<SwitchId>,
}

impl Analysis<'_> {
    /// The scenario's own routes and the tables of every engine, in this order: safety, balance, capacity. An engine
    /// that is not made for the network says why.
    ///
    /// `now` are the bounds of the scenario's own routes.
    pub fn engines_json(&self, now: &CapacityBounds) -> Json {
        let mut rows = vec![self.row("as now", &[], self.routes, now)];
        let entries = self.network.hosts().len() * self.network.switches().len();
        if entries <= MOST_ENTRIES {
            rows.extend(self.engines().iter().map(|each| self.engine_json(each)));
        }
        json!({ "rows": rows, "left_out": entries > MOST_ENTRIES })
    }

    fn engines(&self) -> Vec<Named> {
        let roots = self.roots_of_tables();
        let up_down = TableEngine::UpDown { roots: roots.clone() };
        let plain = |name, engine| Named { name, engine, roots: Vec::new() };
        vec![
            Named { name: "up-down", engine: up_down, roots },
            plain("shortest", TableEngine::Shortest),
            plain("d-mod-k", TableEngine::DModK),
            plain("dimension-order", TableEngine::DimensionOrder),
        ]
    }

    /// The roots that up*/down* has by the family of the network, or by the scenario; none stands for the switch of the
    /// smallest uid.
    fn roots_of_tables(&self) -> Vec<SwitchId> {
        let routing = &self.params.routing;
        let named: Vec<String> = match routing.rule {
            Rule::ByFamily => match by_family(self.network).1 {
                RoutingRule::UpDown { roots } => roots,
                _ => Vec::new(),
            },
            _ => routing.root.iter().chain(&routing.roots).cloned().collect(),
        };
        let switch = |name: &String| match self.network.node(name) {
            Some(Node::Switch(id)) => Some(id),
            _ => None,
        };
        named.iter().filter_map(switch).collect()
    }

    fn engine_json(&self, of: &Named) -> Json {
        // Tables come of it on any network, but nothing speaks for them where there are no dimensions.
        if of.engine == TableEngine::DimensionOrder && !matches!(Family::of(self.network), Family::Grid(_)) {
            return self.compared(of.name, &[], Err("no mesh, torus or hypercube"));
        }
        let tables = DestinationTables::compute(self.network, &of.engine).map_err(|error| error.to_string());
        let routes = tables
            .and_then(|tables| Routes::of_tables(self.network, tables).map_err(|error| error.to_string()));
        self.compared(of.name, &of.roots, routes.as_ref().map_err(String::as_str))
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
