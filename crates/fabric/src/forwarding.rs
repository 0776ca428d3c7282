//! Packets that follow forwarding tables by destination, as InfiniBand's do.

use hopscope_measure::Problem;
use hopscope_topology::{DestinationTables, Routes};

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
        let refused = match loops {
            Loops::Expire => tables.dropped(&self.network),
            Loops::Refused => tables.undelivered(&self.network),
        };
        if let Some(pair) = refused {
            let problem =
                format!("packets from {} to {} do not arrive: {}", pair.from, pair.to, pair.way.join(" - "));
            let refused = Problem::new("routing.tables", problem, "tables that connect every pair of hosts");
            return Err(Problem {
                hint: Some("`hopscope check` lists what is wrong with tables".to_owned()),
                ..refused
            });
        }
        let routes = Routes::of_tables(&self.network, tables)
            .map_err(|error| Problem::new("routing.tables", error.to_string(), "fewer switches"))?;
        Ok(self.on_routes(routes))
    }
}
