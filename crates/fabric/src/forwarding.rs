//! Packets that follow forwarding tables by destination, as InfiniBand's do.

use hopscope_measure::Problem;
use hopscope_topology::{DestinationTables, HostId, Network, Node, Pair, Routes, SwitchId};

use crate::plan::FabricPlan;

/// What becomes of packets in a forwarding loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loops {
    /// They never arrive: such tables are refused.
    Refused,
    /// They are dropped when their time to live expires.
    Expire,
}

impl FabricPlan {
    /// The same fabric with its packets following these tables.
    ///
    /// # Errors
    /// Tables under which the packets between two hosts are dropped, or which loop where loops are refused, as the
    /// problem of `routing.tables`.
    pub fn following(self, tables: DestinationTables, loops: Loops) -> Result<Self, Problem> {
        let network = &self.network;
        let led_on: Vec<HostId> =
            network.host_ids().filter(|&host| loop_at_own_switch(network, &tables, host).is_some()).collect();
        let refused = match loops {
            Loops::Refused => tables.undelivered(network),
            Loops::Expire => handed_over(network, &tables, &led_on).dropped(network),
        };
        if let Some(pair) = refused {
            return Err(refusal(network, &tables, pair));
        }
        let routes = Routes::of_tables(network, tables)
            .map_err(|error| Problem::new("routing.tables", error.to_string(), "fewer switches"))?;
        Ok(self.on_routes(routes).leading_on_from(&led_on))
    }
}

/// The switches that packets for a host pass from the host's own switch on, where that sends them on to another switch
/// and they come to a switch again.
fn loop_at_own_switch(network: &Network, tables: &DestinationTables, host: HostId) -> Option<Vec<SwitchId>> {
    let mut way = vec![network.host(host).switch];
    loop {
        let at = *way.last()?;
        let Node::Switch(next) = network.far_end(at, tables.port(at, host)?)?.node else { return None };
        let again = way.contains(&next);
        way.push(next);
        if again {
            return Some(way);
        }
    }
}

/// The tables with packets for these hosts handed over by the hosts' own switches.
fn handed_over(network: &Network, tables: &DestinationTables, hosts: &[HostId]) -> DestinationTables {
    let mut tables = tables.clone();
    for &id in hosts {
        let host = network.host(id);
        tables.set(host.switch, id, host.port);
    }
    tables
}

fn refusal(network: &Network, tables: &DestinationTables, pair: Pair) -> Problem {
    let Pair { from, to, mut way } = pair;
    if let Some(Node::Host(host)) = network.node(&to)
        && way.last() == Some(&network.switch(network.host(host).switch).name)
        && let Some(on) = loop_at_own_switch(network, tables, host)
    {
        way.extend(on[1..].iter().map(|&switch| network.switch(switch).name.clone()));
    }
    let is_loop = way.split_last().is_some_and(|(last, before)| before.contains(last));
    let (why, hint) = if is_loop {
        (", because they follow a forwarding loop", "with a time to live (`ttl`) a loop can be simulated")
    } else {
        ("", "`hopscope check` lists what is wrong with tables")
    };
    let problem = format!("packets from {from} to {to} do not arrive{why}: {}", way.join(" - "));
    Problem {
        hint: Some(hint.to_owned()),
        ..Problem::new("routing.tables", problem, "tables that connect every pair of hosts")
    }
}
