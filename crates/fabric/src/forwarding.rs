//! Packets that follow forwarding tables by destination, as InfiniBand's do.

use hopscope_measure::Problem;
use hopscope_topology::{DestinationTables, Routes};

use crate::plan::FabricPlan;

impl FabricPlan {
    /// The same fabric with its packets following these tables.
    ///
    /// # Errors
    /// Tables under which the packets between two hosts are dropped or go round for ever, as the problem of
    /// `routing.tables`. Frames with a time to live may go round.
    pub fn following(self, tables: DestinationTables) -> Result<Self, Problem> {
        let may_circle = self.params.frames.as_ref().is_some_and(|frames| frames.ttl.is_some());
        let refused =
            if may_circle { tables.dropped(&self.network) } else { tables.undelivered(&self.network) };
        if let Some(pair) = refused {
            let problem =
                format!("packets from {} to {} do not arrive: {}", pair.from, pair.to, pair.way.join(" - "));
            let refused = Problem::new("routing.tables", problem, "tables that connect every pair of hosts");
            return Err(Problem {
                hint: Some("`hopscope check` lists what is wrong with tables".to_owned()),
                ..refused
            });
        }
        let routes = Routes::of_tables(&self.network, tables);
        let routes =
            routes.map_err(|error| Problem::new("routing.tables", error.to_string(), "fewer switches"))?;
        let mut plan = Self { routes, ..self };
        plan.follow_in_frames();
        Ok(plan)
    }
}
