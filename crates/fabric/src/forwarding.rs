//! Packets that follow forwarding tables by destination, as InfiniBand's do.

use hopscope_measure::Problem;
use hopscope_topology::{DestinationTables, HostId, Network, Node, Pair, Routes};

use crate::plan::FabricPlan;

/// The treatment of packets in a forwarding loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loops {
    /// They never arrive: such tables are refused.
    Refused,
    /// They are dropped when their time to live expires.
    Expire,
}

impl FabricPlan {
    /// The same fabric with packets that follow these tables, one for each path to a host.
    ///
    /// # Errors
    /// Tables under which the packets between two hosts are dropped, or which loop where loops are refused, as the
    /// problem of `routing.tables`.
    pub fn following(self, tables: Vec<DestinationTables>, loops: Loops) -> Result<Self, Problem> {
        let network = &self.network;
        let led_on = |host: &HostId| tables.iter().any(|tables| loops_at_own_switch(network, tables, *host));
        let led_on: Vec<HostId> = network.host_ids().filter(led_on).collect();
        let refused = tables.iter().find_map(|tables| match loops {
            Loops::Refused => tables.undelivered(network),
            Loops::Expire => tables.dropped(network),
        });
        if let Some(pair) = refused {
            return Err(refusal(&pair));
        }
        let loops = tables.iter().any(|tables| tables.looping(network).is_some());
        let routes = Routes::of_several_tables(network, tables)
            .map_err(|error| Problem::new("routing.tables", error.to_string(), "fewer switches"))?;
        Ok(Self { loops, ..self.on_routes(routes).leading_on_from(&led_on) })
    }
}

/// Whether packets for a host are sent on by the host's own switch and come to a switch again.
fn loops_at_own_switch(network: &Network, tables: &DestinationTables, host: HostId) -> bool {
    let mut way = vec![network.host(host).switch];
    loop {
        let at = way[way.len() - 1];
        let far = tables.port(at, host).and_then(|port| network.far_end(at, port));
        let Some(Node::Switch(next)) = far.map(|end| end.node) else { return false };
        if way.contains(&next) {
            return true;
        }
        way.push(next);
    }
}

fn refusal(Pair { from, to, way, wrong_host, .. }: &Pair) -> Problem {
    let is_loop = way.split_last().is_some_and(|(last, before)| before.contains(last));
    let listing = "`hopscope check` lists what is wrong with tables";
    let (why, hint) = match wrong_host {
        Some(host) => (format!(", because they are delivered to {host}"), listing),
        None if is_loop => (
            ", because they follow a forwarding loop".to_owned(),
            "with a time to live (`ttl`) a loop can be simulated",
        ),
        None => (String::new(), listing),
    };
    let problem = format!("packets from {from} to {to} do not arrive{why}: {}", way.join(" - "));
    Problem::new("routing.tables", problem, "tables that connect every pair of hosts").hint(hint)
}
