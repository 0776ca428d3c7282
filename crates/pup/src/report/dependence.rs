//! What the holders of windows and queues need, for whoever explains a run.

use hopscope_measure::{Dependence, ResourceKind, ResourceRow, Site};

/// A Pup in an output queue needs the station's channel or the cable; one in a window needs whatever is on its way.
pub(crate) fn dependences(rows: &[ResourceRow]) -> Vec<Dependence> {
    let mut found = Vec::new();
    for (holder, row) in rows.iter().enumerate() {
        for (needs, other) in rows.iter().enumerate() {
            let needed = match row.kind {
                ResourceKind::OutputQueue => is_served_by(row.site, other),
                ResourceKind::Window => is_on_the_way(row.site, other),
                _ => false,
            };
            if needed {
                found.push(Dependence { holder, cause: None, needs });
            }
        }
    }
    found
}

/// Whether a station's queue empties into this.
fn is_served_by(station: Site, other: &ResourceRow) -> bool {
    match (station, other.kind) {
        (_, ResourceKind::Line | ResourceKind::RadioInterval) => other.site == station,
        (Site::Interface { network, .. }, ResourceKind::Ethernet) => other.site == Site::Network(network),
        _ => false,
    }
}

/// Whether the Pups of a stream pass this. Of processors of hosts they pass those of its ends.
fn is_on_the_way(stream: Site, other: &ResourceRow) -> bool {
    match (other.kind, stream) {
        (ResourceKind::HostProcessor, Site::Pair { from, to }) => {
            [from, to].iter().any(|&end| other.site == Site::Node(end))
        }
        (
            ResourceKind::GatewayProcessor
            | ResourceKind::Ethernet
            | ResourceKind::Line
            | ResourceKind::RadioInterval,
            _,
        ) => true,
        _ => false,
    }
}
