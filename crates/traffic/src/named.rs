//! Hosts that traffic calls by name.

use hopscope_measure::Problem;
use hopscope_topology::{HostId, Network};

/// The host of this name, or the problem with the field at `path` that names it.
pub(crate) fn host_named(
    network: &Network,
    name: &str,
    path: impl FnOnce() -> String,
) -> Result<HostId, Problem> {
    network.host_named(name).map_err(|(problem, hint)| {
        let expected = format!("the name of one of the {} hosts", network.hosts().len());
        Problem { hint, ..Problem::new(path(), problem, expected) }
    })
}
